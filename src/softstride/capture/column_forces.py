"""Forces from the columns of a table: in SI units, and honest about where they act."""

from collections.abc import Callable, Iterable
from dataclasses import replace

import numpy as np

from softstride.capture.force import ExternalForce
from softstride.capture.series import Floats
from softstride.capture.text import ForceColumns
from softstride.capture.units import FORCE, LENGTH, MOMENT, Unit, read_unit
from softstride.notes import Note, Notes


def names_of(columns: ForceColumns) -> tuple[str, ...]:
    """Return the names of all columns of a force."""
    return (*columns.force, *(columns.point or ()), *(columns.torque or ()))


def force_from_columns(columns: ForceColumns, column: Callable[[str], Floats], time: Floats) -> ExternalForce:
    """Return the force in some columns.

    Args:
        columns: Their names. Without columns of a point, the point is NaN: nobody knows where the force acts.
        column: Gives the values of a column, in [N], [m] or [N·m], shape (n,).
        time: In [s], shape (n,).
    """

    def triple(names: tuple[str, ...] | None, otherwise: float) -> Floats:
        if names is None:
            return np.full((len(time), 3), otherwise)
        return np.stack([column(name) for name in names], axis=1)

    parts = (triple(columns.force, 0.0), triple(columns.point, np.nan), triple(columns.torque, 0.0))
    return without_point_unloaded(ExternalForce(columns.name, time, *parts, side=columns.side))


def without_point_unloaded(force: ExternalForce) -> ExternalForce:
    """Return a force whose point is NaN where nothing acts.

    A point without any force is a number without a meaning; OpenSim's files hold hundreds of metres there.
    """
    acting = force.loaded | (force.moment != 0.0).any(axis=1)
    return replace(force, point=np.where(acting[:, None], force.point, np.nan))


def notes_without_point(found: Iterable[ForceColumns]) -> list[Note]:
    """Return a note on each force whose point is not in the table."""
    return [
        Note(
            "forces.point-unknown",
            f"forces: {columns.name} has no columns of its point: where it acts is not known (NaN)",
            topic="forces",
            names=(columns.name,),
        )
        for columns in found
        if columns.point is None
    ]


def units_of_force(columns: ForceColumns, units: dict[str, str], notes: Notes) -> dict[str, Unit] | None:
    """Return what the unit of each column of a force means, a blank one N, m or N·m; None if one is not known."""
    kinds = ((columns.force, FORCE, "N"), (columns.point, LENGTH, "m"), (columns.torque, MOMENT, "Nm"))
    meant = {
        name: read_unit(units[name] or default, table)
        for names, table, default in kinds
        for name in names or ()
    }
    known = {name: unit for name, unit in meant.items() if unit is not None and not unit.per_mass}
    if len(known) == len(meant):
        return known
    strange = sorted({units[name] for name in meant if name not in known})
    said = f"forces: {columns.name} stays in the table: no force in SI from {', '.join(strange)}"
    notes.add("forces.unit-unknown", said, topic="forces", names=(columns.name,))
    return None
