"""From a row of a table to the mass, the centre of mass and the inertia tensor of a person's segment."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from softstride.errors import InputError
from softstride.naming import Side
from softstride.segments.inertia_table import InertiaRow, InertiaTable, Sex, read_inertia_table

Array = NDArray[np.float64]

MIRROR = np.diag([1.0, 1.0, -1.0])


@dataclass(frozen=True, eq=False)
class SegmentInertia:
    """Inertia of a segment in the axes of its table.

    Attributes:
        mass: In [kg].
        com: Centre of mass from the first end of the row, shape (3,), [m]: in axes x forward, y up, z right of kind
            "frame"; along the line to the second end, (0, share L, 0), of kind "line".
        inertia: Tensor about the centre of mass, shape (3, 3), [kg m^2]; of kind "line" y is along the line.
        kind: "frame" or "line".
        source: Where the numbers come from and how far to trust them.
        confidence: Mark of the table, "" where it has none.
    """

    mass: float
    com: Array
    inertia: Array
    kind: str = "frame"
    source: str = "given"
    confidence: str = ""


def segment_inertia(
    table: InertiaTable | str | Path,
    row: str,
    body_mass: float,
    length: float,
    *,
    sex: Sex | None = None,
    side: Side | None = None,
) -> SegmentInertia:
    """Scale a row of a table to a person.

    Args:
        table: "dumas", "deleva", "winter", the path of a file, or a table.
        row: Of the table, such as "thigh".
        body_mass: Mass of the person [kg].
        length: Of the segment, between the ends that the row is about [m].
        sex: "female" or "male"; not needed by a table for both.
        side: "left" mirrors what a table of kind "frame" gives for the right.

    Returns:
        The inertia of the segment.

    Raises:
        InputError: No such row, a mass or a length that is not above zero, or a row without radii.
    """
    rows = table if isinstance(table, InertiaTable) else read_inertia_table(table)
    chosen = rows.row(row, sex)
    for name, value, unit in (("body mass", body_mass, "kg"), ("length", length, "m")):
        if not 0.0 < value < np.inf:
            raise InputError(f"{row}: the {name} must be above 0 {unit}, however it is {value!r}")
    mass = chosen.mass * body_mass
    tensor = row_tensor(chosen, rows.kind, f" of table {rows.name!r}") * mass * length**2
    com = np.array(chosen.com if rows.kind == "frame" else (0.0, chosen.com[0], 0.0)) * length
    if side == "left" and rows.kind == "frame":
        com, tensor = MIRROR @ com, MIRROR @ tensor @ MIRROR
    return SegmentInertia(mass, com, tensor, rows.kind, rows.describe(chosen), chosen.confidence)


def row_tensor(row: InertiaRow, kind: str, where: str = "") -> Array:
    """Return the inertia tensor of a row over m L^2, shape (3, 3).

    Args:
        row: The row.
        kind: Of its table, "frame" or "line".
        where: Its table in words, for messages.

    Raises:
        InputError: The row has no radii.
    """
    if row.radii is None:
        raise InputError(
            f"row {row.name!r}{where} has no radii of gyration: give inertia of your own, or take another table"
        )
    squares = [np.sign(r) * r * r for r in row.radii]
    if kind == "line":
        return np.diag(squares)
    xx, yy, zz, xy, xz, yz = squares
    return np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
