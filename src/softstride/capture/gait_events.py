"""Foot strikes and foot offs of a recording, from its plates or, without plates, from its markers."""

from typing import Literal

import numpy as np

from softstride.capture.force import Side
from softstride.capture.labels import find_labels
from softstride.capture.recording import Event, Recording
from softstride.capture.series import Floats, Points, mean_of_seen
from softstride.errors import InputError
from softstride.signals import ContactEvents, events_from_force, events_from_markers

Source = Literal["auto", "plates", "markers"]
SIDES: tuple[Side, Side] = ("right", "left")
PELVIS = ("asis", "psis", "sacrum")


def find_events(recording: Recording, source: Source = "auto", *, threshold: float = 20.0) -> Recording:
    """Return the recording with the strikes and offs of each foot added to its events.

    From plates a foot strikes where its vertical force rises above the threshold; forces without a side say nothing.
    From markers see `softstride.signals.events_from_markers`. Earlier events of the same source are replaced, those of
    the file and of other sources stay.

    Args:
        recording: In world axes.
        source: "plates", "markers", or "auto": plates for a foot that has a force, markers for one that has none.
        threshold: Vertical force of a contact, in [N].

    Raises:
        InputError: Unknown source, or nothing of it in the recording.
    """
    if source not in ("auto", "plates", "markers"):
        raise InputError(f"source must be 'auto', 'plates' or 'markers', not {source!r}")
    found: list[Event] = []
    notes: list[str] = []
    for side in SIDES:
        loaded = any(force.side == side and force.loaded.any() for force in recording.forces)
        if source != "markers" and loaded:
            found += _events(_from_plates(recording, side, threshold), side, "plates")
        elif source != "plates" and _has_foot(recording.markers, side):
            contacts = _from_markers(recording.markers, side)
            found += _events(contacts, side, "markers")
            notes += [f"events: {side} foot: {note}" for note in contacts.notes]
        else:
            notes.append(f"events: nothing in the recording shows the {side} foot's contacts ({source})")
    if not found:
        raise InputError(f"no events: {'; '.join(note.removeprefix('events: ') for note in notes)}")
    sources = {event.source for event in found}
    kept = tuple(event for event in recording.events if event.source not in sources)
    counts = ", ".join(f"{sum(e.source == s for e in found)} from {s}" for s in sorted(sources))
    return recording.replace(
        events=(*kept, *found), notes=(*recording.notes, *notes, f"events: found {counts}")
    )


def _events(contacts: ContactEvents, side: Side, source: str) -> list[Event]:
    return [
        Event(label, float(at), side, source)
        for label, times in (("strike", contacts.strikes), ("off", contacts.offs))
        for at in times
    ]


def _from_plates(recording: Recording, side: Side, threshold: float) -> ContactEvents:
    """One foot on two plates is one contact, so forces of one foot on one clock are added."""
    mine = [force for force in recording.forces if force.side == side]
    together = [force for force in mine if np.array_equal(force.time, mine[0].time)]
    apart = [force for force in mine if not np.array_equal(force.time, mine[0].time)]
    vertical = [(mine[0].time, np.sum([force.force[:, 1] for force in together], axis=0))]
    vertical += [(force.time, force.force[:, 1]) for force in apart]
    band = min(5.0, threshold / 4)  # [N] in which nothing is decided
    parts = [events_from_force(time, load, threshold=threshold, hysteresis=band) for time, load in vertical]
    return ContactEvents(
        np.sort(np.concatenate([part.strikes for part in parts])),
        np.sort(np.concatenate([part.offs for part in parts])),
    )


def _has_foot(markers: Points, side: Side) -> bool:
    return any(find_labels(markers.labels, part, side) for part in ("heel", "toe", "ankle"))


def _from_markers(markers: Points, side: Side) -> ContactEvents:
    def centre(parts: tuple[str, ...], sides: tuple[Side | None, ...]) -> Floats | None:
        labels = [x for part in parts for one in sides for x in find_labels(markers.labels, part, one)]
        return mean_of_seen(markers, labels) if labels else None

    return events_from_markers(
        markers.time,
        centre(("heel",), (side,)),
        centre(("toe",), (side,)),
        centre(PELVIS, ("left", "right", None)),
        ankle=centre(("ankle",), (side,)),
    )
