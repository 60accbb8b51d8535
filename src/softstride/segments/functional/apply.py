"""A functional joint from a movement trial, put into the landmarks of another trial of the same person."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from softstride.errors import InputError
from softstride.notes import Note
from softstride.segments.clusters import LEAST, rigid_fit, solidify
from softstride.segments.functional.axes import JointAxis, mean_helical_axis, sara
from softstride.segments.functional.centres import JointCentre, score, sphere_fit
from softstride.segments.functional.sides import LocalMarks
from softstride.segments.landmark_definitions import definitions
from softstride.segments.landmarks import Landmarks

Array = NDArray[np.float64]
FunctionalMethod = Literal["score", "sphere", "sara", "helical"]

JOINTS = {  # joint: (centre, landmarks on its lateral and medial side, distal segment)
    "hip": ("HJC", (), "thigh"),
    "knee": ("KJC", ("LFE", "MFE"), "shank"),
    "ankle": ("AJC", ("LM", "MM"), "foot"),
    "shoulder": ("SJC", (), "upper_arm"),
    "elbow": ("EJC", ("LE", "ME"), "forearm"),
    "wrist": ("WJC", ("RS", "US"), "hand"),
}
LEGS = ("hip", "knee", "ankle")
"""Joints whose axes point to the right of the pelvis, however the person stands."""


def functional_joint(
    landmarks: Landmarks, movement: Landmarks, joint: str, method: FunctionalMethod | None = None
) -> tuple[Landmarks, JointCentre | JointAxis]:
    """Find a joint from a movement trial and add its centre, and its axis, to the landmarks of a trial.

    Both trials must show three markers or more of the clusters of the two segments (the proximal one suffices in the
    trial that gets the joint). The axis points to the right of the person, as landmarks of either trial show it: those
    on both sides of the joint, of a leg both ASIS, or the lateral one alone.

    Args:
        landmarks: Of the trial that gets the joint.
        movement: Of a trial in which the joint moves: circles of the leg for a hip, squats for a knee and an ankle.
        joint: "right hip", "left knee", ...
        method: "score" or "sphere" for a centre, "sara" or "helical" for an axis; None: score for hip and shoulder,
            sara for the others.

    Returns:
        The landmarks with the joint, and the joint with its deviations.

    Raises:
        InputError: No such joint, its clusters are not seen, or nothing shows which way its axis points.
    """
    side, _, kind = joint.partition(" ")
    if kind not in JOINTS or side not in ("right", "left"):
        raise InputError(f"no functional joint {joint!r}; there are right and left {', '.join(JOINTS)}")
    centre, near, distal = JOINTS[kind]
    parent = definitions().parent_of(f"{side} {distal}")
    if parent is None:
        raise InputError(f"{joint}: its segment has no parent")
    first, second = (
        _cluster(movement, name, joint, "movement trial") for name in (parent, f"{side} {distal}")
    )
    upper, lower = solidify(first[1]), solidify(second[1])
    chosen = method or ("score" if kind in ("hip", "shoulder") else "sara")
    labels, markers = _cluster(landmarks, parent, joint, "trial")
    rows = [i for i, label in enumerate(first[0]) if _plain(label) in map(_plain, labels)]
    columns = [[_plain(x) for x in labels].index(_plain(first[0][i])) for i in rows]
    if len(rows) < LEAST:
        raise InputError(f"{joint}: fewer than {LEAST} markers of the {parent} are seen in both trials")
    poses = rigid_fit(markers[:, columns], upper.shape[rows])
    across = ("right ASIS", "left ASIS") if kind in LEGS else ()
    local = LocalMarks(((movement, upper.poses), (landmarks, poses)), joint, near, across)
    place, towards = local.middle(), local.to_the_right()
    found: JointCentre | JointAxis
    if chosen == "score":
        found = score(upper.poses, lower.poses)
    elif chosen == "sphere":
        found = sphere_fit(upper.poses.inverse(second[1]))
    elif chosen in ("sara", "helical"):
        find = sara if chosen == "sara" else mean_helical_axis
        found = find(upper.poses, lower.poses, near=place, towards=towards)
        if towards is None:
            found = local.outward(found)
    else:
        raise InputError(f"method must be score, sphere, sara or helical, however it is {chosen!r}")
    source, doubts = f"functional, {chosen}", _of_joint(joint, found.notes)
    if isinstance(found, JointCentre):
        note = Note(
            "functional-joints.centre",
            f"{joint}: functional centre by {chosen}, +- {1e3 * found.sd:.1f} mm, {found.frames} frames",
            topic="functional joints",
            names=(joint,),
            values={"sd_mm": 1e3 * found.sd, "frames": found.frames},
        )
        points = {f"{side} {centre}": poses.apply(found.proximal)}
        return landmarks.with_points(points, source, note, *doubts), found
    sd_degrees, sd_mm = float(np.degrees(found.sd_direction)), 1e3 * found.sd_point
    note = Note(
        "functional-joints.axis",
        f"{joint}: functional axis by {chosen}, +- {sd_degrees:.1f} degrees and {sd_mm:.1f} mm, {found.frames} frames",
        topic="functional joints",
        names=(joint,),
        values={"sd_deg": sd_degrees, "sd_mm": sd_mm, "frames": found.frames},
    )
    added = landmarks.with_points({f"{side} {centre}": poses.apply(found.point)}, source, note)
    direction = np.asarray(poses.rotation @ found.direction)
    return added.with_directions({joint: direction}, source, *doubts), found


def _of_joint(joint: str, notes: Iterable[Note]) -> tuple[Note, ...]:
    """Return notes on a joint with its name."""
    return tuple(replace(note, text=f"{joint}: {note.text}", names=(joint,)) for note in notes)


def _cluster(landmarks: Landmarks, name: str, joint: str, where: str) -> tuple[tuple[str, ...], Array]:
    if name not in landmarks.clusters:
        known = ", ".join(landmarks.clusters) or "none"
        raise InputError(
            f"{joint}: the {where} shows no cluster of {LEAST} markers on the {name}; its table of landmarks knows "
            f"clusters of: {known}"
        )
    return landmarks.clusters[name]


def _plain(label: str) -> str:
    return label.rpartition(":")[2].casefold()
