"""Which foot a force acts on, from where the feet are. A contact that could be either foot's, or both, stays open.

A force is cut into contacts: stretches with load, at least 40 ms long, joined over gaps shorter than that. For each
contact the distance of the centre of pressure from both footprints is averaged, weighted with the force. The nearer
foot has it, unless one of the doubts below applies; then the contact is reported and belongs to no side.
"""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from softstride.capture.force import ExternalForce, Plate, Side
from softstride.capture.labels import side_of_body
from softstride.capture.plates.contacts import SHORTEST, Contact, FootLimits, find_contacts
from softstride.capture.plates.footprint import Foot, find_feet
from softstride.capture.series import Floats, Points, owned

ENOUGH = 100.0  # [Hz] of samples to judge a contact by; it lasts at least 40 ms


def assign_feet(
    forces: Sequence[ExternalForce],
    plates: Sequence[Plate],
    markers: Points,
    *,
    limits: FootLimits | None = None,
) -> tuple[tuple[ExternalForce, ...], tuple[str, ...]]:
    """Return the forces with the foot that each acts on, and what was doubtful.

    A force that one foot after the other acts on is split into one for each side, each zero elsewhere, named
    "plate 1 right", "plate 1 left"; doubtful contacts of such a force stay together as "plate 1 unassigned". A
    side or body that is given already is kept, and a contradiction is reported.

    Args:
        forces: In world axes, y up.
        plates: The plates that measured some of them, in world axes.
        markers: Positions, in [m], world axes, on the same clock.
        limits: What makes a contact doubtful; None takes the defaults.

    Returns:
        The forces, and one sentence for each doubt, with force, times and reason.
    """
    chosen = limits or FootLimits()
    by_name = {plate.name: plate for plate in plates}
    assigned: list[ExternalForce] = []
    doubts: list[str] = []
    feet: dict[Side, Foot] = {}
    clock: Floats | None = None
    every = 1
    for force in forces:
        if clock is None or not np.array_equal(clock, force.time):  # plates of one file share their clock
            every = _thinning(force, markers)
            feet, clock = find_feet(markers, force.time[::every]), force.time
        contacts = find_contacts(force, by_name.get(force.plate or ""), feet, chosen, every)
        given = force.side or side_of_body(force.body or "")
        if given is not None:
            assigned.append(replace(force, side=given))
            doubts += [
                f"{force.name}: {_when(force, contact)} the {contact.side} foot is there, not the {given} as given"
                for contact in contacts
                if contact.side not in (None, given)
            ]
            continue
        steps, blips = _without_blips(force, contacts)
        assigned += _split(steps, contacts)
        doubts += blips
        doubts += [f"{force.name}: {_when(force, c)} {c.doubt}" for c in contacts if c.doubt]
        doubts += _note_split(force, contacts)
    return tuple(assigned), tuple(doubts)


def _thinning(force: ExternalForce, markers: Points) -> int:
    """Return which samples are enough to tell the feet apart: as many as there are frames, and 100 a second."""
    rates = force.rate / max(markers.rate, ENOUGH)
    return max(1, int(rates)) if np.isfinite(rates) else 1


def _without_blips(force: ExternalForce, contacts: list[Contact]) -> tuple[ExternalForce, list[str]]:
    """Clear the loads of a plate that are too brief for a step (it rings when something drops on it)."""
    brief: NDArray[np.bool_] = np.any(np.nan_to_num(force.force) != 0.0, axis=1)
    for contact in contacts:
        brief[contact.extent] = False
    if force.plate is None or not brief.any():
        return force, []
    peak, times = float(np.linalg.norm(force.force[brief], axis=1).max()), force.time[brief]
    note = (
        f"{force.name}: loads between {times[0]:.2f} s and {times[-1]:.2f} s, {peak:.0f} N at most and each shorter "
        f"than {SHORTEST:g} s, are no step and left out"
    )
    return _only(force, ~brief), [note]


def _only(force: ExternalForce, rows: NDArray[np.bool_]) -> ExternalForce:
    """Return the force with zeros outside these rows; what was not measured stays unknown."""
    keep = (rows | np.isnan(force.force).any(axis=1))[:, None]
    return replace(
        force,
        force=owned(np.where(keep, force.force, 0.0)),
        point=owned(np.where(keep, force.point, np.nan)),
        moment=owned(np.where(keep, force.moment, 0.0)),
    )


def _split(force: ExternalForce, contacts: list[Contact]) -> list[ExternalForce]:
    sides = [contact.side for contact in contacts]
    if len(set(sides)) < 2:
        return [replace(force, side=sides[0] if sides else None)]
    parts = []
    outcomes: tuple[tuple[Side | None, str], ...] = (
        ("right", "right"),
        ("left", "left"),
        (None, "unassigned"),
    )
    for side, name in outcomes:
        rows = np.zeros(len(force.time), dtype=bool)
        for contact in contacts:
            if contact.side == side:
                rows[contact.extent] = True
        if rows.any():
            parts.append(replace(_only(force, rows), name=f"{force.name} {name}", side=side))
    return parts


def _note_split(force: ExternalForce, contacts: list[Contact]) -> list[str]:
    sides = [contact.side or "no side" for contact in contacts]
    if len(set(sides)) < 2:
        return []
    steps = ", ".join(
        f"{_when(force, contact)} {side}" for contact, side in zip(contacts, sides, strict=True)
    )
    return [f"{force.name}: split by side: {steps}"]


def _when(force: ExternalForce, contact: Contact) -> str:
    times = force.time[contact.rows]
    return f"{times[0]:.2f} s to {times[-1]:.2f} s"
