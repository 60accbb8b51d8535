"""Which foot a force acts on, from where the feet are. A contact that could be either foot's, or both, stays open.

A force is cut into contacts: stretches with load, at least 40 ms long, joined over gaps shorter than that. For each
contact the distance of the centre of pressure from both footprints is averaged, weighted with the force. The nearer
foot has it, unless one of the doubts below applies; then the contact is reported and belongs to no side.
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from softstride.capture.force import ExternalForce, Plate
from softstride.capture.plates.contacts import (
    SHORTEST,
    Contact,
    FootLimits,
    Mask,
    find_contacts,
)
from softstride.capture.plates.doubts import TOPIC, FeetDoubt, Reason, gathered
from softstride.capture.plates.people import Feet, feet_of_all, judge_people, sides_of_one_person
from softstride.capture.series import Floats, Points
from softstride.errors import InputError
from softstride.naming import SIDES, Side, side_of
from softstride.notes import Note
from softstride.results import owned

ENOUGH = 100.0  # [Hz] of samples to judge a contact by; it lasts at least 40 ms
MOST_TOLD = 6  # contacts of a split force told one by one


def assign_feet(
    forces: Sequence[ExternalForce],
    plates: Sequence[Plate],
    markers: Points,
    *,
    limits: FootLimits | None = None,
    up: int | ArrayLike = 1,
) -> tuple[tuple[ExternalForce, ...], tuple[Note, ...]]:
    """Return the forces with the foot that each acts on, and what was doubtful.

    A force that one foot after the other acts on is split into one for each side, each zero elsewhere, named
    "plate 1 right", "plate 1 left"; doubtful contacts of such a force stay together as "plate 1 unassigned". A
    side or body that is given already is kept, and a contradiction is reported. Loads of a plate that last less than
    40 ms are no step and cleared; nothing else is.

    With the markers of several people (prefixes "A:", "B:") each is tested on their own. If more than one of them steps
    on something, no force gets a side, since a side does not say whose foot it is; the doubts name them.

    Args:
        forces: In the axes of the markers.
        plates: The plates that measured some of them, likewise.
        markers: Positions, in [m], on the same clock.
        limits: What makes a contact doubtful; None takes the defaults.
        up: The axis 0, 1 or 2 that points up, or a vector that does, shape (3,).

    Returns:
        The forces, and notes on the doubts and on what else was done; equal doubts on one force are one, and
        `FeetDoubt.of` has the facts of each.

    Raises:
        InputError: `up` is no direction.
    """
    chosen, upward = limits or FootLimits(), _unit(up)
    by_name = {plate.name: plate for plate in plates}
    clock: Floats | None = None
    feet: Feet = {}
    every = 1
    found: list[list[Contact]] = []
    for force in forces:
        if clock is None or not np.array_equal(clock, force.time):  # plates of one file share their clock
            every, clock = _thinning(force, markers), force.time
            feet = feet_of_all(markers, force.time[::every], upward)
        plate = by_name.get(force.plate or "")
        contacts = find_contacts(force, plate, chosen.threshold)
        found.append(judge_people(contacts, force, plate, feet, chosen, upward, every))
    found = sides_of_one_person(found)
    assigned: list[ExternalForce] = []
    notes: list[Note] = []
    for force, contacts in zip(forces, found, strict=True):
        given = force.side or side_of(force.body or "")
        if given is not None:
            assigned.append(replace(force, side=given))
            other = [contact for contact in contacts if contact.side not in (None, given)]
            notes += _doubts(
                (force, contact, (Reason.of("not-as-given", str(contact.side), given),)) for contact in other
            )
            continue
        steps, blips = _without_blips(force, contacts)
        assigned += _split(steps, contacts)
        notes += blips
        notes += _doubts((force, contact, contact.doubt) for contact in contacts if contact.doubt)
        notes += _notes(force, contacts)
    return tuple(assigned), tuple(notes)


def _unit(up: int | ArrayLike) -> Floats:
    wrong = f"up must be the axis 0, 1 or 2, or a vector of shape (3,), not {up!r}"
    try:
        vector = np.asarray(up, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise InputError(wrong) from error
    if vector.shape == () and float(vector) in (0.0, 1.0, 2.0):
        return np.eye(3)[int(vector)]
    length = float(np.linalg.norm(vector)) if vector.shape == (3,) else 0.0
    if not (0.0 < length < np.inf):
        raise InputError(wrong)
    return np.asarray(vector / length)


def _thinning(force: ExternalForce, markers: Points) -> int:
    """Return which samples are enough to tell the feet apart: as many as there are frames, and 100 a second."""
    rates = force.rate / max(markers.rate, ENOUGH)
    return max(1, int(rates)) if np.isfinite(rates) else 1


def _without_blips(force: ExternalForce, contacts: list[Contact]) -> tuple[ExternalForce, list[Note]]:
    """Clear the loads of a plate that are too brief for a step (it rings when something drops on it)."""
    brief = _acting(force) & ~_rows(force, contacts)
    if force.plate is None or not brief.any():
        return force, []
    starts = np.flatnonzero(brief & ~np.concatenate([[False], brief[:-1]]))
    peak, times = float(np.linalg.norm(force.force[brief], axis=1).max()), force.time[brief]
    loads = "a load" if len(starts) == 1 else f"{len(starts)} loads"
    said = (
        f"{loads} of less than {SHORTEST:g} s between {times[0]:.2f} s and {times[-1]:.2f} s, {peak:.0f} N at most: "
        "no step, set to zero"
    )
    values = {"loads": len(starts), "peak_N": peak}
    note = _note(force, "brief-load-cleared", said, span=_span(times[0], times[-1]), values=values)
    return _only(force, ~brief), [note]


def _acting(force: ExternalForce) -> Mask:
    return np.asarray(np.any(np.nan_to_num(force.force) != 0.0, axis=1))


def _rows(force: ExternalForce, contacts: Sequence[Contact]) -> Mask:
    """Return True in the extent of the contacts."""
    rows = np.zeros(len(force.time), dtype=bool)
    for contact in contacts:
        rows[contact.extent] = True
    return rows


def _only(force: ExternalForce, rows: Mask) -> ExternalForce:
    """Return the force with zeros outside these rows; what was not measured stays unknown."""
    keep = (rows | np.isnan(force.force).any(axis=1))[:, None]
    return replace(
        force,
        force=owned(np.where(keep, force.force, 0.0)),
        point=owned(np.where(keep, force.point, np.nan)),
        moment=owned(np.where(keep, force.moment, 0.0)),
    )


def _sides(force: ExternalForce, contacts: list[Contact]) -> list[Side | None]:
    """Return what a force must be split into; the faint loads of a force without a plate stay with it."""
    return [contact.side for contact in contacts if force.plate is not None or not contact.faint]


def _split(force: ExternalForce, contacts: list[Contact]) -> list[ExternalForce]:
    sides = _sides(force, contacts)
    if len(set(sides)) < 2:
        return [replace(force, side=sides[0] if sides else None)]
    of_side: dict[Side | None, Mask] = {}
    for side in SIDES:
        of_side[side] = _rows(force, [contact for contact in contacts if contact.side == side])
    of_side[None] = _acting(force) & ~of_side["right"] & ~of_side["left"]
    return [
        replace(_only(force, rows), name=f"{force.name} {side or 'unassigned'}", side=side)
        for side, rows in of_side.items()
        if rows.any()
    ]


def _notes(force: ExternalForce, contacts: list[Contact]) -> list[Note]:
    notes = []
    faint = [contact for contact in contacts if contact.faint]
    if faint and force.plate is not None:
        loads = np.linalg.norm(np.nan_to_num(force.force), axis=1)
        peak = max(float(loads[contact.rows].max()) for contact in faint)
        first, last = force.time[faint[0].rows.start], force.time[faint[-1].rows.stop - 1]
        said = f"{peak:.0f} N at most between {first:.2f} s and {last:.2f} s, no step: kept without a foot"
        facts: dict[str, Any] = {"span": _span(first, last), "values": {"peak_N": peak}}
        notes.append(_note(force, "faint-load-kept", said, **facts))
    sides = [contact.side or "no side" for contact in contacts if not contact.faint]
    if len(set(sides)) > 1 and len(sides) <= MOST_TOLD:
        judged = [contact for contact in contacts if not contact.faint]
        told = [f"{_when(force, contact)} {side}" for contact, side in zip(judged, sides, strict=True)]
        notes.append(_split_note(force, sides, ", ".join(told)))
    elif len(set(sides)) > 1:
        counts = ", ".join(f"{count} {side}" for side, count in Counter(sides).items())
        notes.append(_split_note(force, sides, f"{len(sides)} contacts, {counts}"))
    return notes


def _split_note(force: ExternalForce, sides: Sequence[str], told: str) -> Note:
    counts = Counter(side.replace(" ", "_") for side in sides)
    values = {f"contacts_{side}": float(count) for side, count in counts.items()}
    return _note(force, "split-by-side", f"split by side: {told}", values=values)


def _note(force: ExternalForce, what: str, said: str, **facts: Any) -> Note:
    return Note(
        f"{TOPIC}.{what}", f"{TOPIC}: {force.name}: {said}", topic=TOPIC, names=(force.name,), **facts
    )


def _span(start: float, stop: float) -> tuple[float, float] | None:
    return (float(start), float(stop)) if np.isfinite([start, stop]).all() else None


def _doubts(doubtful: Iterable[tuple[ExternalForce, Contact, tuple[Reason, ...]]]) -> list[Note]:
    """Return a note for all contacts of a force that are doubtful for the same reason."""
    found = []
    for force, contact, reasons in doubtful:
        times = force.time[contact.rows]
        found.append(FeetDoubt(force.name, float(times[0]), float(times[-1]), reasons))
    return [doubt.note for doubt in gathered(found)]


def _when(force: ExternalForce, contact: Contact) -> str:
    times = force.time[contact.rows]
    return f"{times[0]:.2f} s to {times[-1]:.2f} s"
