"""Foot strikes and foot offs of a recording, from its plates or, without plates, from its markers."""

from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from softstride.capture.axes import DIRECTIONS, make_axes
from softstride.capture.labels import subjects
from softstride.capture.landmarks import facing, one_marker, pelvis_point
from softstride.capture.plates.own_load import own_load
from softstride.capture.recording import Event, Recording
from softstride.capture.series import Floats, Points, turned
from softstride.errors import InputError
from softstride.naming import SIDES, Side
from softstride.notes import Notes
from softstride.signals import ContactEvents, events_from_force, events_from_markers

Source = Literal["auto", "plates", "markers"]

ASTRAY = 20.0  # degrees from +x, above which a person does not face it


def find_events(
    recording: Recording, source: Source = "auto", *, threshold: float = 20.0, subject: str | None = None
) -> Recording:
    """Return the recording with the strikes and offs of each foot added to its events.

    From plates a foot strikes where the force across the plate (vertical, without a plate) rises above the threshold;
    forces without a side say nothing. From markers see `softstride.signals.events_from_markers`; one marker stands for
    each of heel, toe and ankle. Earlier events of the same source are replaced, those of the file and of other
    sources stay.

    Args:
        recording: In world axes, or in those of the laboratory (`axes="lab"`).
        source: "plates", "markers", or "auto": plates for a foot that has a force, markers for one that has none.
        threshold: Force of a contact, in [N]; it may be lower than the one that the plates were read with.
        subject: Whose markers, the "A" of "A:RHEE", where there are those of several people. The side of a force
            does not say whose foot it is, so then markers are used.

    Raises:
        InputError: Unknown source or subject, or nothing of it in the recording.
    """
    if source not in ("auto", "plates", "markers"):
        raise InputError(f"source must be 'auto', 'plates' or 'markers', not {source!r}")
    people = subjects(recording.markers.labels)
    if subject is not None and subject not in people:
        raise InputError(f"subject must be one of {', '.join(people) or 'nobody'}, not {subject!r}")
    if subject is not None and len(people) > 1:
        if source == "plates":
            raise InputError(f"the side of a force does not say that it is {subject}'s; use source='markers'")
        source = "markers"
    body = _Body.of(_upright(recording), subject, people)
    found: list[Event] = []
    notes = Notes()
    for side in SIDES:
        loaded = any(force.side == side and force.loaded.any() for force in recording.forces)
        if source != "markers" and loaded:
            found += _events(_from_plates(recording, side, threshold), side, "plates")
        elif source != "plates" and body.whose:
            said = f"{side} foot: {body.whose}"
            notes.add(
                "events.of-several-people", said, severity="warning", topic="events", names=(side, *people)
            )
        elif source != "plates" and body.has_foot(side):
            contacts = body.contacts(side)
            found += _events(contacts, side, "markers")
            notes.extend(
                replace(note, text=f"{side} foot: {note.text}", names=(side, *note.names))
                for note in contacts.notes
            )
        else:
            said = f"nothing in the recording shows the {side} foot's contacts ({source})"
            notes.add("events.foot-not-shown", said, severity="warning", topic="events", names=(side,))
    if not found:
        raise InputError(f"no events: {'; '.join(map(str, notes))}", parameter="source", value=source)
    sources = {event.source for event in found}
    if "markers" in sources and body.turned_by:
        said = f"the feet point {abs(body.turned_by):.0f}° away from +x; events are found along them"
        notes.add("events.along-the-feet", said, topic="events", values={"degrees": body.turned_by})
    kept = tuple(event for event in recording.events if event.source not in sources)
    counts = {s: sum(e.source == s for e in found) for s in sorted(sources)}
    said = f"found {', '.join(f'{count} from {s}' for s, count in counts.items())}"
    notes.add("events.found", said, topic="events", values={f"from_{s}": n for s, n in counts.items()})
    told = (replace(note, text=f"events: {note.text}") for note in notes)
    return recording.replace(events=(*kept, *found)).noted(*told)


def _events(contacts: ContactEvents, side: Side, source: str) -> list[Event]:
    return [
        Event(label, float(at), side, source)
        for label, times in (("strike", contacts.strikes), ("off", contacts.offs))
        for at in times
    ]


def _up(recording: Recording) -> Floats:
    """Return the unit vector that points up: y, unless the axes were kept as in the file."""
    axes = recording.axes
    return turned(DIRECTIONS[axes.up], axes.rotation) if axes.up in DIRECTIONS else DIRECTIONS["+Y"]


def _upright(recording: Recording) -> Points:
    """Return the markers with y up."""
    up = _up(recording)
    name = next((name for name, axis in DIRECTIONS.items() if axis @ up > 0.9), "+Y")
    if name == "+Y":
        return recording.markers
    return recording.markers.rotated(make_axes(name, "+X" if name[1] != "X" else "+Y").rotation)


def _from_plates(recording: Recording, side: Side, threshold: float) -> ContactEvents:
    """One foot on two plates is one contact, so loads of one foot on one clock are added."""
    band = min(5.0, threshold / 4)  # [N] in which nothing is decided
    mine = [force for force in recording.forces if force.side == side]
    loads = [
        own_load(force, recording.forces, recording.plates, threshold - band, _up(recording))
        for force in mine
    ]
    clocks: list[tuple[Floats, Floats]] = []
    for force, load in zip(mine, loads, strict=True):
        for i, (time, total) in enumerate(clocks):
            if np.array_equal(time, force.time):
                clocks[i] = (time, total + load)
                break
        else:
            clocks.append((force.time, load))
    parts = [events_from_force(time, load, threshold=threshold, hysteresis=band) for time, load in clocks]
    return ContactEvents(
        np.sort(np.concatenate([part.strikes for part in parts])),
        np.sort(np.concatenate([part.offs for part in parts])),
    )


@dataclass(frozen=True, eq=False)
class _Body:
    """The markers of one person, turned to face +x."""

    markers: Points
    subject: str | None
    whose: str  # why it is not known whose markers to take; "" where it is
    turned_by: float  # degrees that they faced away from +x; 0 where they were not turned

    @classmethod
    def of(cls, markers: Points, subject: str | None, people: tuple[str, ...]) -> "_Body":
        if subject is None and len(people) > 1:
            names = ", ".join(name or "nobody" for name in people)
            return cls(markers, None, f"the markers are of {names}; choose one with subject=", 0.0)
        ahead = facing(markers, subject)
        angle = 0.0 if ahead is None else float(np.degrees(np.arctan2(ahead[2], ahead[0])))
        if ahead is None or abs(angle) <= ASTRAY:
            return cls(markers, subject, "", 0.0)
        x, _, z = ahead
        turn = np.array([[x, 0.0, z], [0.0, 1.0, 0.0], [-z, 0.0, x]])
        return cls(markers.rotated(turn), subject, "", angle)

    def has_foot(self, side: Side) -> bool:
        return any(one_marker(self.markers, part, side, self.subject) for part in ("heel", "toe", "ankle"))

    def contacts(self, side: Side) -> ContactEvents:
        """Return the events of one foot."""
        labels = {
            part: one_marker(self.markers, part, side, self.subject) for part in ("heel", "toe", "ankle")
        }
        points = {part: None if label is None else self.markers[label] for part, label in labels.items()}
        pelvis = pelvis_point(self.markers, self.subject)
        return events_from_markers(
            self.markers.time, points["heel"], points["toe"], pelvis, ankle=points["ankle"]
        )
