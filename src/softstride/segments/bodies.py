"""The segments of a person with their inertia: from a table, or given."""

from __future__ import annotations

from dataclasses import replace

from softstride.errors import InputError
from softstride.fields import refuse_unknown
from softstride.notes import Note
from softstride.segments.body import BodySegment
from softstride.segments.body_size import Size
from softstride.segments.build import BuiltSegment
from softstride.segments.inertia_table import InertiaTable, read_inertia_table
from softstride.segments.landmark_definitions import definitions
from softstride.segments.landmarks import Landmarks
from softstride.segments.options import SegmentOptions
from softstride.segments.placing import place_inertia

LEAST = ("foot", "shank")
"""Segments without which nothing can be said about a leg."""

LIKE = 0.02
"""Share of its length by which a segment may differ from the one that its inertia was given for without a note."""


def segment_bodies(
    built: dict[str, BuiltSegment], landmarks: Landmarks, options: SegmentOptions, person: Size
) -> tuple[dict[str, BodySegment], list[Note]]:
    """Return the segments that have inertia; those that a table does not know take no part in the loads."""
    refuse_unknown("bodies", "the segment", options.bodies, built)
    found: dict[str, BodySegment] = {}
    notes: list[Note] = []
    table = _table(options)
    for name, each in built.items():
        if name in options.bodies:
            found[name], said = _own_inertia(name, each, options.bodies[name])
            notes.append(said)
            continue
        if person.mass is None:
            continue
        try:
            found[name], _ = place_inertia(each, landmarks, table, person.mass, options.sex)
        except InputError as error:
            if each.definition.kind in LEAST and options.inertia is not None:
                raise  # a table that was asked for, and a leg that cannot do without
            notes.append(Note("inertia.unknown", f"no inertia: {error}", "warning", topic="inertia"))
    if person.mass is None and len(found) < len(built):
        words, way = "no inertia: the mass of the person is not known", "give mass (--mass)"
        notes.append(Note("inertia.no-mass", words, "warning", topic="inertia", fix=way))
    notes += [note for body in found.values() for note in body.notes]
    return found, notes


def _own_inertia(name: str, each: BuiltSegment, given: BodySegment) -> tuple[BodySegment, Note]:
    """Return a segment with inertia that was given, on the axes and the parent that it has here, and a note.

    Mass, centre of mass and tensor are those of the orthonormal frame, which any triad has; the shape of the axes is
    the one that landmarks show, and the segment hangs where the body has it.
    """
    own = replace(given, name=name, triad=each.triad, parent=definitions().parent_of(name))
    apart = given.triad.length - each.triad.length
    words = f"{name}: inertia as given"
    if abs(apart) > LIKE * each.triad.length:
        words += f", for a length of {1e3 * given.triad.length:.0f} mm; landmarks show {1e3 * each.triad.length:.0f} mm"
    return own, Note("inertia.given", words, topic="inertia", names=(name,))


def _table(options: SegmentOptions) -> InertiaTable:
    if isinstance(options.inertia, InertiaTable):
        return options.inertia
    default = "winter" if options.sex is None else "dumas"
    return read_inertia_table(options.inertia if options.inertia is not None else default)
