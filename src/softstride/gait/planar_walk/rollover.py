"""How a measured foot rolls over: its surface from tilt and centre of pressure, and where the surface sits on the foot.

The centre of pressure x0 + s(a) against the tilt gives the surface and the origin x0: a spline with errors in both
(`contact.fit_spline_surface`), or the exponentials of [Caspers] likewise (`contact.fit_exponential_surface`, which also
finds the tilt at which the foot is flat: an exponential surface has its peak of radius there). Errors in both matter:
while the foot is flat, the pressure wanders over ten centimetres and the tilt by half a degree that is mostly noise; to
lay all of it on the pressure would make a flat sole round. A surface may also be given, such as that of the other foot;
then only its place is found. The ankle (ξ, ζ) in axes of the sole follows by least squares from the path of the ankle,
which a rolling foot would carry along

    x = x0 + X(a) + ξ cos a + ζ sin a,      y = floor + h(a) - ξ sin a + ζ cos a.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from softstride.contact import (
    RollingJoint,
    Surface,
    fit_exponential_surface,
    fit_spline_surface,
    place_surface,
)
from softstride.dynamics.loads import AppliedWrench
from softstride.errors import InputError
from softstride.gait.planar_walk.track import SagittalTrack

Floats = NDArray[np.float64]
Shape = Literal["spline", "exponential"]

PRESSED = 30.0
"""Vertical force above which a centre of pressure is believed [N]."""

SLOW = 0.5
"""A foot that turns slower than this while it is loaded is flat [rad/s]."""

STEEPEST = 0.35
"""Tilt up to which the foot counts as rolling [rad]: beyond it the toes bend."""

LEAST = 12
"""Fewest frames of a rollover."""

PRESSURE_ERROR, TILT_ERROR = 5e-3, np.radians(0.5)
"""σ_s [m] and σ_a [rad]: of a centre of pressure, and of the tilt of a foot by markers on the skin."""


@dataclass(frozen=True, eq=False)
class Rollover:
    """A surface on a foot.

    Attributes:
        surface: The surface.
        flat: Angle of the foot's link when the foot is flat, counter-clockwise [rad]; the tilt is flat - angle.
        ankle: The ankle in axes of the sole, shape (2,), [m].
        origin: x0 on the ground [m].
        floor: Height of the ground [m].
        pressure_rms: How well the centre of pressure is met, at the tilts that the fit found [m].
        tilt_rms: How far those tilts are from the measured ones [rad].
        path_rms: How well the path of the ankle is met [m].
        frames: How many frames were used.
    """

    surface: Surface
    flat: float
    ankle: Floats
    origin: float
    floor: float
    pressure_rms: float
    tilt_rms: float
    path_rms: float
    frames: int


def fit_rollover(
    track: SagittalTrack,
    wrench: AppliedWrench,
    side: str,
    *,
    shape: Shape = "spline",
    rho_min: float = 0.02,
    terms: int = 3,
    surface: Surface | None = None,
) -> Rollover:
    """Fit a rolling surface to a stance, the one with the widest range of tilts.

    Args:
        track: The walker seen from the side.
        wrench: What the ground did to this foot, at the frames of the track.
        side: "r" or "l".
        shape: "spline": any convex rollover; "exponential": two branches of exponentials, as in the source.
        rho_min: Least radius of curvature [m].
        terms: Exponentials of each branch; the source has two, which misses a foot that is flat for long.
        surface: A surface that is known already, of another foot or another stance: only its place is sought.

    Raises:
        InputError: Too few frames with a known centre of pressure.
    """
    if len(wrench.force) != len(track):
        raise InputError(
            f"the force on foot {side!r} must have {len(track)} frames, not {len(wrench.force)}: take it from the "
            "loads of the same motion"
        )
    angle = track.angles[f"foot_{side}"]
    pressed = _widest((np.nan_to_num(wrench.force[:, 1]) > PRESSED) & np.isfinite(wrench.point[:, 0]), angle)
    if pressed.sum() < LEAST:
        raise InputError(
            f"foot {side!r} is on a plate in {int(pressed.sum())} frames; a rollover needs {LEAST} or more"
        )
    flat = _flat_angle(track.time, angle, pressed, side)
    tilt = flat - angle
    used = pressed & (tilt < STEEPEST)
    if used.sum() < LEAST:
        raise InputError(
            f"foot {side!r} rolls over in {int(used.sum())} frames only; it needs {LEAST} or more"
        )
    a, place = tilt[used], wrench.point[used, 0]
    if surface is None:
        surface, origin, zero, found = _fit(a, place, shape, rho_min, terms)
    else:
        origin, zero, found, _ = place_surface(
            surface, a, place, tilt_noise=float(TILT_ERROR), place_noise=PRESSURE_ERROR
        )
    flat, a = flat - zero, a - zero
    floor = float(np.median(wrench.point[used, 1]))
    ankle, path = _place_ankle(surface, origin, floor, a, track.points[f"ankle_{side}"][used])
    missed = _rms(origin + surface.s(found) - place), _rms(found - a)
    return Rollover(surface, flat, ankle, origin, floor, *missed, path, int(used.sum()))


def _fit(
    a: Floats, place: Floats, shape: Shape, rho_min: float, terms: int
) -> tuple[Surface, float, float, Floats]:
    """Return surface, origin [m], tilt at which it is flat [rad] and true tilts from there, (n,) [rad]."""
    if shape not in ("spline", "exponential"):
        raise InputError(f"shape of a rollover must be 'spline' or 'exponential', however it is {shape!r}")
    tilt_noise = float(TILT_ERROR)
    if shape == "spline":
        spline = fit_spline_surface(
            a, place, rho_min=rho_min, tilt_noise=tilt_noise, place_noise=PRESSURE_ERROR
        )
        return spline.surface, spline.offset, 0.0, spline.tilts
    fit = fit_exponential_surface(
        a, place, terms=terms, rho_min=rho_min, tilt_noise=tilt_noise, place_noise=PRESSURE_ERROR
    )
    return fit.surface, fit.offset, fit.zero, fit.tilts


def _widest(pressed: NDArray[np.bool_], angle: Floats) -> NDArray[np.bool_]:
    """Return the frames of the contact with the widest range of angles."""
    number = np.cumsum(np.diff(pressed.astype(np.int8), prepend=0) == 1)
    contacts = [pressed & (number == each) for each in np.unique(number[pressed])]
    return max(contacts, key=lambda contact: float(np.ptp(angle[contact])), default=pressed)


def _flat_angle(time: Floats, angle: Floats, pressed: NDArray[np.bool_], side: str) -> float:
    still = pressed & (np.abs(np.gradient(angle, time)) < SLOW)
    if not still.any():
        raise InputError(f"foot {side!r} is never flat: it turns faster than {SLOW:g} rad/s throughout")
    return float(np.median(angle[still]))


def _place_ankle(
    surface: Surface, origin: float, floor: float, a: Floats, path: Floats
) -> tuple[Floats, float]:
    """Return (ξ, ζ) of the ankle and the root mean square of what is missed [m]."""
    start = RollingJoint(surface, origin).position(a) + np.array([0.0, floor])
    sine, cosine = np.sin(a), np.cos(a)
    rows = np.concatenate([np.stack([cosine, sine], axis=1), np.stack([-sine, cosine], axis=1)])
    wanted = (path - start).T.reshape(-1)
    ankle, *_ = np.linalg.lstsq(rows, wanted, rcond=None)
    missed = np.linalg.norm((rows @ ankle - wanted).reshape(2, -1), axis=0)
    return ankle, float(np.sqrt(np.mean(missed**2)))


def _rms(values: Floats) -> float:
    return float(np.sqrt(np.mean(values**2)))
