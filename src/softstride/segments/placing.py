"""Inertia of a table, placed in the segments of a person."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from softstride.errors import InputError
from softstride.notes import Note
from softstride.segments.body import BodySegment
from softstride.segments.build import BuiltSegment
from softstride.segments.inertia import SegmentInertia, segment_inertia
from softstride.segments.inertia_table import InertiaTable, Sex, inertia_tables
from softstride.segments.landmark_definitions import InertiaEnds, definitions
from softstride.segments.landmarks import Landmarks
from softstride.segments.recipes import Recipe, evaluate
from softstride.segments.triad import orthonormal_frame
from softstride.spatial.vectors import cross

Array = NDArray[np.float64]


def place_inertia(
    built: BuiltSegment, landmarks: Landmarks, table: InertiaTable, body_mass: float, sex: Sex | None
) -> tuple[BodySegment, SegmentInertia]:
    """Return a segment with the inertia of a table.

    The table scales by the distance of its own two ends, which need not be those of the segment (de Leva's foot goes
    from heel to toe tip), and places the centre of mass from the first of them; both are means over the trial.

    Axes of a row of kind "frame" are x forward, y up, z right: x is u of the segment where it rises from its distal to
    its proximal end, and y is the line between its ends where it does not, as the trunk and the head of Dumas have
    theirs [Dumas2007]: from L5/S1 to C7/T1, and from C7/T1 to the vertex. (Two rows for one torso tell it: seen from
    C7/T1 in their common axes, the notch above the sternum is 44 degrees below x.)

    Raises:
        InputError: The table has no such segment, or one of its ends is missing.
    """
    ends = _ends(built, table)
    start, end = (_place(built, landmarks, recipes, table) for recipes in (ends.start, ends.end))
    R = orthonormal_frame(built.motion.forward, built.motion.long)
    origin = _mean_local(R, start - built.motion.proximal)
    across = _mean_local(R, end - start)
    length = float(np.linalg.norm(across))
    scaled = segment_inertia(table, ends.row, body_mass, length, sex=sex, side=built.side)
    frame = _line_frame(across) if scaled.kind == "line" else _body_frame(built)
    com = origin + frame @ scaled.com
    inertia = frame @ scaled.inertia @ frame.T
    note = Note("inertia.of-a-table", f"{built.name}: {scaled.source}", topic="inertia", names=(built.name,))
    body = BodySegment(
        name=built.name,
        triad=built.triad,
        mass=scaled.mass,
        com=com,
        inertia=inertia,
        parent=definitions().parent_of(built.name),
        notes=(note,),
        table=table.title,
        confidence=scaled.confidence,
    )
    return body, scaled


def _ends(built: BuiltSegment, table: InertiaTable) -> InertiaEnds:
    """Return the row of a segment and its ends; a table of one's own names rows as segments and scales by theirs.

    A packaged table has no say about a segment that no row of it is between the ends of: its trunk may go with the
    pelvis.
    """
    known = built.definition.inertia.get(table.name)
    if known is not None:
        return known
    kind = built.definition.kind
    if table.name in inertia_tables() or kind not in table.rows:
        raise InputError(f"{built.name}: the table {table.name!r} has no row for it")
    return InertiaEnds(kind, built.definition.proximal, built.definition.distal)


def _place(
    built: BuiltSegment, landmarks: Landmarks, recipes: tuple[Recipe, ...], table: InertiaTable
) -> Array:
    for recipe in recipes:
        if landmarks.can(recipe, built.side):
            return evaluate(recipe, lambda name: landmarks.find(name, built.side))
    ways = " or ".join(recipe.text for recipe in recipes)
    raise InputError(
        f"{built.name}: the table {table.name!r} scales it by {ways}, which is missing; take another table, or give "
        "inertia of your own"
    )


def _mean_local(rotation: Array, vector: Array) -> Array:
    return np.asarray(np.nanmean(np.einsum("nji,nj->ni", rotation, vector), axis=0))


def _body_frame(built: BuiltSegment) -> Array:
    """Return x forward, y up the body, z right, as columns in the SCS: x = u, or y = -v / L where v points down.

    z is unit(u x y) either way, so that x = y x z leans away from u by what u is from perpendicular to the line.
    """
    if built.definition.rises:
        return np.eye(3)
    along, up = -built.triad.basis[:2, 1] / built.triad.length
    return np.array([[-up, along, 0.0], [along, up, 0.0], [0.0, 0.0, -1.0]])


def _line_frame(across: Array) -> Array:
    """Return sagittal, longitudinal and transverse axes as columns in the SCS: y from the first end to the second.

    The transverse axis is the SCS's Z without its part along the line.
    """
    y = across / np.linalg.norm(across)
    x = cross(y, np.array([0.0, 0.0, 1.0]))
    x = x / np.linalg.norm(x)
    return np.stack([x, y, cross(x, y)], axis=-1)
