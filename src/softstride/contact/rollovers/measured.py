"""A fitted rollover as data: what was measured, two surfaces that fit it, and how well; as TOML and back."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from softstride.contact.inputs import FloatArray
from softstride.contact.rolling import RollingSurface
from softstride.contact.rolling_fit import RollingFit
from softstride.contact.rollovers.measure import Rollover
from softstride.contact.spline import SplineSurface
from softstride.contact.spline_fit import SplineFit
from softstride.errors import InputError, inside
from softstride.files import parse_toml, toml_value

DIGITS = 10  # significant ones that a file keeps


@dataclass(frozen=True, eq=False)
class MeasuredRollover:
    """A rollover of a real foot, by surfaces that were fitted to it.

    Foot axes lie flat with the foot (x forward, y up), their origin M at the contact of zero tilt.

    Attributes:
        name: Of the trial and the side.
        source: Where the recording came from.
        samples: Number of samples of the contact.
        complete: Whether the foot came down and left within the record.
        tilt: Least and greatest tilt that was measured [rad].
        flat: By how much the axes of the measured foot link dip when the foot is flat [rad].
        foot: Origin of the foot link in foot axes (forward and up from M), shape (2,), [m].
        foot_rms: How far that origin is from where rolling would have it, root mean square [m].
        spline: The spline surface.
        spline_rms: Root mean square of the places it misses [m], the tilts moved as far as `spline_tilt_rms` says.
        spline_largest: The largest of them [m].
        spline_tilt_rms: Root mean square by which the tilts were moved [rad].
        exponential: The surface of exponentials.
        exponential_rms: Root mean square of the places that it misses [m], at the same tilts.
        exponential_largest: The largest of them [m].
        exponential_tilt: Least and greatest tilt that it was fitted to [rad].
        exponential_offset: Its contact of zero tilt ahead of M [m].
        exponential_at_bounds: Parameters that the data do not determine.
        knots: Of the B-splines of `spline` [rad].
        radii: Their coefficients [m].
    """

    name: str
    source: str
    samples: int
    complete: bool
    tilt: tuple[float, float]
    flat: float
    foot: FloatArray
    foot_rms: float
    spline: SplineSurface
    spline_rms: float
    spline_largest: float
    spline_tilt_rms: float
    exponential: RollingSurface
    exponential_rms: float
    exponential_largest: float
    exponential_tilt: tuple[float, float]
    exponential_offset: float
    exponential_at_bounds: tuple[str, ...]
    knots: FloatArray
    radii: FloatArray


def place_foot(rollover: Rollover, fit: SplineFit) -> tuple[FloatArray, float]:
    """Return where the foot link's origin is in foot axes, shape (2,), and how far rolling misses it, rms [m].

    Least squares of x = offset + X + ξ cos α + ζ sin α and y = h − ξ sin α + ζ cos α over all samples.
    """
    roll, sine, cosine = fit.surface.roll(fit.tilts), np.sin(fit.tilts), np.cos(fit.tilts)
    rows = np.concatenate([np.stack([cosine, sine], axis=1), np.stack([-sine, cosine], axis=1)])
    target = np.concatenate([rollover.foot[:, 0] - fit.offset - roll.X, rollover.foot[:, 1] - roll.h])
    foot = np.linalg.lstsq(rows, target, rcond=None)[0]
    misses = np.hypot(*(rows @ foot - target).reshape(2, -1))
    return foot, float(np.sqrt(np.mean(misses**2)))


def to_toml(name: str, source: str, rollover: Rollover, spline: SplineFit, exponential: RollingFit) -> str:
    """Return a fitted rollover as the text of a file."""
    foot, foot_rms = place_foot(rollover, spline)
    surface = exponential.surface
    lines = [
        "# Rollover of a foot through one contact with the ground, fitted. SI units, radians.",
        f"name = {toml_value(name)}",
        f"source = {toml_value(source)}",
        f"samples = {len(rollover.time)}",
        f"complete = {str(rollover.complete).lower()}",
        f"tilt = {_text([rollover.tilt.min(), rollover.tilt.max()])}",
        f"flat = {_text(rollover.flat)}",
        f"foot = {_text(foot)}",
        f"foot_rms = {_text(foot_rms)}",
        "",
        "[spline]",
        f"rms = {_text(spline.rms)}",
        f"largest = {_text(spline.largest)}",
        f"tilt_rms = {_text(spline.tilt_rms)}",
        f"knots = {_text(spline.knots)}",
        f"radii = {_text(spline.radii)}",
        "",
        "[exponential]",
        f"rms = {_text(exponential.rms)}",
        f"largest = {_text(exponential.largest)}",
        f"tilt = {_text([exponential.tilts.min(), exponential.tilts.max()])}",
        f"offset = {_text(exponential.offset)}",
        f"C = {_text(surface.C)}",
        f"rho0 = {_text(surface.rho(0.0))}",
        f"switch = {_text(surface.switch)}",
        f"at_bounds = {toml_value(list(exponential.at_bounds))}",
    ]
    return "\n".join(lines) + "\n"


def from_toml(text: str, where: str) -> MeasuredRollover:
    """Return the rollover of a file's text.

    Raises:
        InputError: It is no TOML, or lacks an entry.
    """
    with inside(raising=InputError):
        table: dict[str, Any] = parse_toml(text, where)
    try:
        spline, exponential = table["spline"], table["exponential"]
        low, high = table["tilt"]
        first, last = exponential["tilt"]
        return MeasuredRollover(
            name=str(table["name"]),
            source=str(table["source"]),
            samples=int(table["samples"]),
            complete=bool(table["complete"]),
            tilt=(float(low), float(high)),
            flat=float(table["flat"]),
            foot=np.array(table["foot"], dtype=np.float64),
            foot_rms=float(table["foot_rms"]),
            spline=SplineSurface.from_bsplines(spline["knots"], spline["radii"]),
            spline_rms=float(spline["rms"]),
            spline_largest=float(spline["largest"]),
            spline_tilt_rms=float(spline["tilt_rms"]),
            exponential=RollingSurface.from_exponents(
                exponential["C"], exponential["rho0"], exponential["switch"]
            ),
            exponential_rms=float(exponential["rms"]),
            exponential_largest=float(exponential["largest"]),
            exponential_tilt=(float(first), float(last)),
            exponential_offset=float(exponential["offset"]),
            exponential_at_bounds=tuple(str(each) for each in exponential["at_bounds"]),
            knots=np.array(spline["knots"], dtype=np.float64),
            radii=np.array(spline["radii"], dtype=np.float64),
        )
    except (KeyError, TypeError, ValueError) as problem:
        raise InputError(
            f"{where} is no rollover: {problem}; files are written by softstride.contact.rollovers.generate"
        ) from problem


def _text(values: ArrayLike) -> str:
    """Return numbers as TOML, with `DIGITS` significant ones."""
    array = np.asarray(values, dtype=np.float64)
    if array.ndim:
        return "[" + ", ".join(_text(each) for each in array) + "]"
    return repr(float(f"{float(array):.{DIGITS}g}"))
