"""Units at the border: what a file's unit means in SI, and whether its lengths can be in the unit it names."""

import math
import re
from typing import NamedTuple

import numpy as np

from softstride.capture.series import Floats
from softstride.notes import Note

INCH, FOOT = 0.0254, 0.3048  # [m]
LENGTH = {
    **dict.fromkeys(("m", "meter", "meters", "metre", "metres"), 1.0),
    **dict.fromkeys(("dm", "decimeter", "decimeters", "decimetre", "decimetres"), 10.0),
    **dict.fromkeys(("cm", "centimeter", "centimeters", "centimetre", "centimetres"), 100.0),
    **dict.fromkeys(("mm", "millimeter", "millimeters", "millimetre", "millimetres"), 1000.0),
    **dict.fromkeys(("um", "µm", "μm", "micrometer", "micrometers", "micrometre", "micrometres"), 1e6),
    **dict.fromkeys(("in", "inch", "inches"), 1 / INCH),
    **dict.fromkeys(("ft", "foot", "feet"), 1 / FOOT),
}
ANGLE = {
    "rad": 1.0,
    "radian": 1.0,
    "radians": 1.0,
    "deg": 180 / math.pi,
    "degree": 180 / math.pi,
    "degrees": 180 / math.pi,
}
FORCE = {
    **dict.fromkeys(("n", "nt", "newton", "newtons"), 1.0),
    **dict.fromkeys(("kn", "kilonewton", "kilonewtons"), 1e-3),
    "lbf": 1 / 4.4482216152605,
}
MOMENT = {
    newton + metre: per_si
    for newton in ("n", "nt", "newton", "newtons")
    for metre, per_si in LENGTH.items()
    if per_si in (1.0, 100.0, 1000.0)
}
POWER = {"w": 1.0, "watt": 1.0, "watts": 1.0, "mw": 1000.0, "kw": 1e-3}

BODY = (0.25, 3.0)  # [m] extent of the markers on a person or on one limb, feet to head or hip to toe
ANYTHING = (0.02, 12.0)  # [m] extent that any set of markers in one laboratory may have


class Unit(NamedTuple):
    """How many of a unit make one SI unit; `per_mass` where the quantity was divided by the body mass."""

    per_si: float
    per_mass: bool = False


def read_unit(text: str, table: dict[str, float]) -> Unit | None:
    """Return what a unit means among those of one dimension, None if it is not known.

    Case, blanks, points and multiplication signs do not matter: "N.mm", "Nmm" and "N*mm" are one unit. A
    division by the body mass ("Nmm/kg") is recognised and not undone.

    >>> read_unit("Nmm/kg", MOMENT)
    Unit(per_si=1000.0, per_mass=True)
    """
    plain = re.sub(r"[\s.*·_-]", "", text.strip()).lower()
    plain, slash, below = plain.partition("/")
    if slash and below != "kg":
        return None
    if plain in table:
        return Unit(table[plain], bool(slash))
    return None


def in_si(values: Floats, unit: Unit) -> Floats:
    """Return the values in SI units: x / (how many of the unit make one SI unit), rounded once."""
    return values if unit.per_si == 1.0 else values / unit.per_si


def marker_extent(points: Floats) -> float:
    """Return the largest side of the box around all points, median over frames, in the unit of the points.

    Args:
        points: Shape (n, m, 3), NaN where missing.

    Returns:
        NaN where fewer than two points are ever seen together.
    """
    seen = np.isfinite(points).all(axis=2)
    frames = seen.sum(axis=1) > 1
    if not frames.any():
        return math.nan
    chosen = points[frames][:: max(1, int(frames.sum()) // 500)]  # 500 frames say enough
    return float(np.median((np.nanmax(chosen, axis=1) - np.nanmin(chosen, axis=1)).max(axis=1)))


def read_length_unit(text: str, points: Floats) -> tuple[Unit, Note | None]:
    """Return the unit of marker positions: the one the file names, unless the data show that it cannot be.

    The markers on a person span between a quarter of a metre and three; a laboratory is not larger than twelve. If
    the unit named by the file puts the extent of the markers outside what any set of markers can have, and
    exactly one of m, cm and mm makes a person of it, that one is taken.

    Args:
        text: The unit as the file names it, "" if it names none.
        points: Positions in that unit, shape (n, m, 3).

    Returns:
        The unit, and a note if the file's word was not simply taken.
    """
    named = read_unit(text, LENGTH)
    extent = marker_extent(points)
    if named is not None and (math.isnan(extent) or ANYTHING[0] <= extent / named.per_si <= ANYTHING[1]):
        return named, None
    fitting = [word for word in ("m", "cm", "mm") if BODY[0] <= extent / LENGTH[word] <= BODY[1]]
    said = f"the file says {text!r}" if text.strip() else "the file names no unit"
    if len(fitting) == 1:
        size = extent / LENGTH[fitting[0]]
        sentence = (
            f"units: {said}, but the markers span {extent:.4g} of it; read as {fitting[0]}, which makes "
            f"{size:.2f} m"
        )
        note = Note("units.length-by-extent", sentence, topic="units", values={"extent_m": size})
        return Unit(LENGTH[fitting[0]]), note
    if named is not None:
        size = extent / named.per_si
        sentence = f"units: the markers span {size:.4g} m, which no person does; {text!r} kept"
        return named, Note("units.extent-odd", sentence, "warning", "units", values={"extent_m": size})
    guess = "mm" if math.isnan(extent) or extent > ANYTHING[1] else "m"
    sentence = f"units: {said}, and the data do not decide; read as {guess}"
    return Unit(LENGTH[guess]), Note("units.length-guessed", sentence, "warning", "units")
