"""Joint centres that no marker shows: from landmarks on both sides, from one side and a width, by regression."""

from __future__ import annotations

from typing import Literal

import numpy as np
from numpy.typing import NDArray

from softstride.errors import InputError
from softstride.naming import SIDES, Side
from softstride.notes import Note
from softstride.segments.hip_centres import ERRORS, HipRegression, hip_centre, hip_offset, pelvis_frame
from softstride.segments.inertia_table import Sex
from softstride.segments.landmark_definitions import definitions
from softstride.segments.landmarks import Landmarks
from softstride.segments.recipes import Recipe, evaluate
from softstride.segments.trunk_centres import trunk_centres

Array = NDArray[np.float64]
HipMethod = HipRegression | Literal["auto"]
CentreSource = Literal["auto", "own", "file"]

CHORDS = {  # centre: (proximal end, lateral marker, wand, width)
    "KJC": ("HJC", "LFE", "thigh", "knee_width"),
    "AJC": ("KJC", "LM", "shank", "ankle_width"),
}


def joint_centres(
    landmarks: Landmarks,
    *,
    centres: CentreSource = "auto",
    hip: HipMethod = "auto",
    leg_length: float | None = None,
    sex: Sex | None = None,
) -> Landmarks:
    """Return landmarks with the joint centres that follow from them; centres that are there already are kept.

    Hips by regression; knees and ankles in the middle of epicondyles and malleoli, or from the lateral marker, a wand
    and the width of the joint; elbows and wrists in the middle of their landmarks; L5/S1, C7/T1 and the shoulders as
    `trunk_centres` has them.

    Args:
        landmarks: Of a trial.
        centres: "own": only what follows from markers; "file": first those that another model wrote into the file;
            "auto": those only where markers do not tell.
        hip: A regression, or "auto": hara where the length of the leg is known, harrington where it is not.
        leg_length: [m]; None: the one that the file tells, if any.
        sex: For regressions that differ; None: the mean of both.

    Raises:
        InputError: A regression that was asked for lacks something, or the file has no centres to take.
    """
    if centres not in ("auto", "own", "file"):
        raise InputError(f"centres must be 'auto', 'own' or 'file', however it is {centres!r}")
    if centres == "file" and not landmarks.computed:
        raise InputError("the file has no joint centres of another model that its table of landmarks knows")
    found = _from_file(landmarks, list(landmarks.computed)) if centres == "file" else landmarks
    found = _hips(found, hip, leg_length, sex)
    for side in SIDES:
        for centre, recipes in definitions().centres.items():
            if f"{side} {centre}" in found or centre in found:
                continue
            done = next((r for r in recipes if found.can(r, side)), None)
            sided = done is not None and any(f"{side} {name}" in found for name in done.landmarks())
            if done is not None and sided:
                found = found.with_points({f"{side} {centre}": _place(done, found, side)}, done.text)
            elif centre in CHORDS:
                found = _by_chord(found, side, centre)
    if centres == "auto":
        found = _from_file(found, [name for name in found.computed if name not in found])
    return trunk_centres(found, sex)


def _from_file(landmarks: Landmarks, names: list[str]) -> Landmarks:
    if not names:
        return landmarks
    points = {name: landmarks.computed[name] for name in names}
    words = f"joint centres of the file's own model: {', '.join(names)}"
    note = Note("joint-centres.of-the-file", words, topic="joint centres", names=tuple(names))
    return landmarks.with_points(points, "the file's own model", note)


def _place(recipe: Recipe, landmarks: Landmarks, side: Side) -> Array:
    return evaluate(recipe, lambda name: landmarks.find(name, side))


def chord_centre(proximal: Array, lateral: Array, wand: Array, offset: float) -> Array:
    """Return a joint centre by the chord function, shape (n, 3), [m].

    It is at the distance `offset` from the lateral marker, at right angles to the line to the proximal centre, in the
    plane of both and the wand, on the side away from the wand [Davis1991].

    Args:
        proximal: Centre of the joint above, shape (n, 3), [m].
        lateral: Marker on the lateral side of the joint, shape (n, 3), [m].
        wand: Marker that shows the plane, shape (n, 3), [m].
        offset: Half the width of the joint and the radius of a marker [m].

    Raises:
        InputError: The offset is longer than the segment, or the three points are on a line.
    """
    up = proximal - lateral
    reach = np.linalg.norm(up, axis=1, keepdims=True)
    side = wand - lateral
    with np.errstate(invalid="ignore", divide="ignore"):
        along = up / reach
        off = side - np.sum(side * along, axis=1, keepdims=True) * along
        size = np.linalg.norm(off, axis=1, keepdims=True)
        if np.nanmin(reach, initial=np.inf) <= offset or np.nanmin(size, initial=np.inf) < 1e-3:
            raise InputError(
                f"the chord function has no solution: the offset is {1e3 * offset:.0f} mm, the marker "
                f"{1e3 * np.nanmin(reach):.0f} mm from the joint above, the wand {1e3 * np.nanmin(size):.1f} mm aside"
            )
        away = -off / size
        return np.asarray(
            lateral + along * offset**2 / reach + away * offset * np.sqrt(1.0 - (offset / reach) ** 2)
        )


def _hips(landmarks: Landmarks, hip: HipMethod, leg_length: float | None, sex: Sex | None) -> Landmarks:
    wanted = [side for side in SIDES if f"{side} HJC" not in landmarks]
    if not wanted:
        return landmarks
    try:
        frame = pelvis_frame(landmarks)
    except InputError:
        if hip != "auto":
            raise
        return landmarks  # no pelvis: whoever needs a hip says what is missing
    lengths = [landmarks.measures.get(f"{side} leg_length") for side in SIDES]
    known = [x for x in lengths if x is not None]
    leg = leg_length if leg_length is not None else (sum(known) / len(known) if known else None)
    method: HipRegression = hip if hip != "auto" else "harrington" if leg is None else "hara"
    radius = 0.5 * landmarks.measures.get("marker_diameter", 0.0)
    told = landmarks.measures.get("asis_distance")
    offset = hip_offset(
        method, width=told or frame.width, depth=frame.depth, leg_length=leg, marker_radius=radius, sex=sex
    )
    points = {f"{side} HJC": hip_centre(frame, offset, side) for side in wanted}
    known_error = {"error_mm": ERRORS[method]} if np.isfinite(ERRORS[method]) else {}
    error = f", known to be off by some {ERRORS[method]:.0f} mm" if known_error else ""
    note = Note(
        "joint-centres.hip-regression",
        f"hip centre ({' and '.join(wanted)}): regression of {method}{error}; a movement shows it better",
        topic="joint centres",
        names=tuple(points),
        values=known_error,
    )
    return landmarks.with_points(points, f"regression of {method}", note)


def _by_chord(landmarks: Landmarks, side: Side, centre: str) -> Landmarks:
    proximal, lateral, wand, width = CHORDS[centre]
    names = (f"{side} {proximal}", f"{side} {lateral}")
    size = landmarks.measures.get(f"{side} {width}")
    stick = landmarks.wands.get(f"{side} {wand}")
    if size is None or stick is None or any(name not in landmarks for name in names):
        return landmarks
    offset = 0.5 * (size + landmarks.measures.get("marker_diameter", 0.0))
    place = chord_centre(landmarks[names[0]], landmarks[names[1]], stick, offset)
    how = f"chord function: {lateral}, a wand and the {width.replace('_', ' ')} of {1e3 * size:.0f} mm"
    return landmarks.with_points({f"{side} {centre}": place}, how)
