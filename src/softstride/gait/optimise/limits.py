"""What body and floor allow in a step, and what counts how much in it."""

from __future__ import annotations

import math
from dataclasses import dataclass, fields

import numpy as np

from softstride.errors import InputError

Span = tuple[float, float]


def number(value: object, name: str) -> float:
    """Return a finite number."""
    try:
        found = float(value)  # type: ignore[arg-type]
    except (TypeError, ValueError) as error:
        raise InputError(f"{name} must be a number, however it is {value!r}") from error
    if not math.isfinite(found):
        raise InputError(f"{name} must be finite, however it is {found}")
    return found


def span_of(value: object, name: str) -> Span:
    """Return a range from a number or a pair; an open end may be infinite."""
    if np.ndim(value) == 0:  # type: ignore[arg-type]
        exact = number(value, name)
        return exact, exact
    try:
        low, high = (float(x) for x in value)  # type: ignore[attr-defined]
    except (TypeError, ValueError) as error:
        raise InputError(f"{name} must be a number or a range of two, however it is {value!r}") from error
    if math.isnan(low) or math.isnan(high) or low > high:
        raise InputError(f"{name} must be a range from low to high, however it is {low:g} to {high:g}")
    return low, high


@dataclass(frozen=True)
class StepLimits:
    """What body and floor allow.

    Attributes:
        moment: Largest joint moment, either way [N m].
        knee: Least and largest flexion of the knees [rad].
        friction: Largest |horizontal| over vertical force of the standing foot.
        vertical: Least vertical force in single support [N].
        clearance: Height of heel and toe of the swinging foot above the floor [m], once they have left it.
        clearance_rate: How fast that height must be gained after toe-off, and may be lost before heel strike [m/s].
        toe_unloading: The toe carries at least this, times the time that is left to toe-off [N/s].
        heel_unloading: The same for the moment that holds a flat heel down, and heel-off [N m/s].
        sole_fall: The sole that comes down stands at this angle at least, times the time that is left to foot flat
            [rad/s].
        heel_speed: The striking heel comes down at least so fast [m/s].
        foot_drop: The right foot falls at most so fast at the start [rad/s].
        push_off: Least plantarflexion of the left ankle at the start [N m].
        first_knee: Largest flexion of the left knee at the start [rad].
    """

    moment: float = 220.0
    knee: Span = (0.02, 1.2)
    friction: float = 0.6
    vertical: float = 150.0
    clearance: float = 0.008
    clearance_rate: float = 0.15
    toe_unloading: float = 200.0
    heel_unloading: float = 300.0
    sole_fall: float = 0.2
    heel_speed: float = 0.15
    foot_drop: float = 6.0
    push_off: float = 0.0
    first_knee: float = 1.2

    def __post_init__(self) -> None:
        """Check that limits leave room."""
        object.__setattr__(self, "knee", span_of(self.knee, "knee"))
        for each in fields(self):
            if each.name == "knee":
                continue
            value = number(getattr(self, each.name), each.name)
            floor = each.name in ("vertical", "push_off", "toe_unloading", "heel_unloading", "sole_fall")
            if value < 0.0 or (value == 0.0 and not floor):
                raise InputError(
                    f"{each.name} of the limits must be {'0 or more' if floor else 'above 0'}, however it is {value:g}"
                )
            object.__setattr__(self, each.name, value)
        if self.knee[0] >= self.knee[1]:
            raise InputError(
                f"knee of the limits must have room between {self.knee[0]:g} and {self.knee[1]:g} rad"
            )
        if self.push_off > self.moment:
            raise InputError(
                f"push_off asks for {self.push_off:g} N m, however moments are limited to {self.moment:g} N m"
            )
        if self.heel_speed < self.clearance_rate:
            raise InputError(
                f"heel_speed, {self.heel_speed:g} m/s, must not be below clearance_rate, {self.clearance_rate:g} m/s: "
                "a heel that keeps clear that long comes down that fast"
            )


@dataclass(frozen=True)
class StepWeights:
    """What counts how much; the cost is the sum of all.

    Attributes:
        angles: Mean square deviation of joint angles [1/rad²], summed over joints.
        trunk: The same for the angle of the trunk [1/rad²].
        forces: Mean square deviation of forces of the floor, in body weights.
        mirror_angles: |mirrored angles at the end − angles at the start|² [1/rad²].
        mirror_rates: The same for rates [s²/rad²].
        mirror_moments: The same for joint moments [1/(N m)²].
        effort: Mean square of the moments at their nodes [1/(N m)²], summed over joints.
        smoothness: Mean square of their second differences [1/(N m)²].
    """

    angles: float = 40.0
    trunk: float = 200.0
    forces: float = 0.0
    mirror_angles: float = 800.0
    mirror_rates: float = 16.0
    mirror_moments: float = 1e-4
    effort: float = 7e-4
    smoothness: float = 7e-4

    def __post_init__(self) -> None:
        """Check that nothing is rewarded for being far off."""
        for each in fields(self):
            value = number(getattr(self, each.name), each.name)
            if value < 0.0:
                raise InputError(f"{each.name} of the weights must be 0 or more, however it is {value:g}")
            object.__setattr__(self, each.name, value)
