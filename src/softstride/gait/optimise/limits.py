"""What body and floor allow in a step, and what counts how much in it."""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np

from softstride import fields
from softstride.errors import InputError
from softstride.fields import Frozen, Number, Numbers, Unfit, declared, short

Span = tuple[float, float]


@dataclass(frozen=True)
class Range:
    """A number, or a least and a largest one, either of which may be infinite; `above`: the largest is above it."""

    unit: str = ""
    above: float = -math.inf

    @property
    def expected(self) -> str:
        """What it has to be, in words that follow "must be"."""
        above = "" if math.isinf(self.above) else f" above {self.above:g}"
        return f"a number{above} or a range from low to high{f' [{self.unit}]' if self.unit else ''}"

    def take(self, value: Any) -> Span:
        """Return the value as it is kept."""
        try:
            low = high = Number().take(value)
        except Unfit:
            low, high = fields.Span(finite=False).take(value)
        if not high > self.above:
            raise Unfit("" if low == high else f"it is {low:g} to {high:g}")
        return low, high

    def schema(self) -> dict[str, Any]:
        """Return its JSON schema."""
        return {"anyOf": [Number().schema(), Numbers((2,)).schema()]}


@dataclass(frozen=True)
class Times:
    """Four times that can follow one another; each a number, or a range where `free`."""

    free: bool = True

    @property
    def expected(self) -> str:
        """What it has to be, in words that follow "must be"."""
        may = "numbers or ranges" if self.free else "numbers, not ranges,"
        return f"four {may} above 0 [s] that increase: toe-off, foot flat, heel-off, heel strike"

    def take(self, value: Any) -> tuple[Any, ...]:
        """Return the value as it is kept."""
        if not np.iterable(value) or isinstance(value, str | bytes):
            raise Unfit
        spans = []
        for each in value:
            try:
                low, high = Range(above=0.0).take(each)
            except Unfit:
                raise Unfit(f"one of them is {short(each)}", each) from None
            if not (low > 0.0 and math.isfinite(high) and (self.free or low == high)):
                raise Unfit(f"one of them is {short(each)}", each)
            spans.append((low, high))
        if len(spans) != 4:
            raise Unfit(f"there are {len(spans)}")
        for (low, _), (_, high) in pairwise(spans):
            if low >= high:
                raise Unfit(f"{high:g} s comes after {low:g} s")
        return tuple(spans) if self.free else tuple(low for low, _ in spans)

    def schema(self) -> dict[str, Any]:
        """Return its JSON schema."""
        return {"type": "array", "items": Range().schema(), "minItems": 4, "maxItems": 4}


@dataclass(frozen=True)
class StepLimits(Frozen, of="the limits"):
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

    moment: float = declared(220.0, unit="N m", above=0.0)
    knee: Span = declared((0.02, 1.2), rule=Range("rad"))
    friction: float = declared(0.6, above=0.0)
    vertical: float = declared(150.0, unit="N", least=0.0)
    clearance: float = declared(0.008, unit="m", above=0.0)
    clearance_rate: float = declared(0.15, unit="m/s", above=0.0)
    toe_unloading: float = declared(200.0, unit="N/s", least=0.0)
    heel_unloading: float = declared(300.0, unit="N m/s", least=0.0)
    sole_fall: float = declared(0.2, unit="rad/s", least=0.0)
    heel_speed: float = declared(0.15, unit="m/s", above=0.0)
    foot_drop: float = declared(6.0, unit="rad/s", above=0.0)
    push_off: float = declared(0.0, unit="N m", least=0.0)
    first_knee: float = declared(1.2, unit="rad", above=0.0)

    def check(self) -> None:
        """Check that limits leave room."""
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
class StepWeights(Frozen, of="the weights"):
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

    angles: float = declared(40.0, unit="1/rad^2", least=0.0)
    trunk: float = declared(200.0, unit="1/rad^2", least=0.0)
    forces: float = declared(0.0, least=0.0)
    mirror_angles: float = declared(800.0, unit="1/rad^2", least=0.0)
    mirror_rates: float = declared(16.0, unit="s^2/rad^2", least=0.0)
    mirror_moments: float = declared(1e-4, unit="1/(N m)^2", least=0.0)
    effort: float = declared(7e-4, unit="1/(N m)^2", least=0.0)
    smoothness: float = declared(7e-4, unit="1/(N m)^2", least=0.0)
