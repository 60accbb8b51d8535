"""Centres of the trunk that no marker shows: L5/S1, C7/T1 and the shoulders, as they go with the table of Dumas."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from softstride.errors import InputError
from softstride.naming import SIDES, Side
from softstride.segments.hip_centres import pelvis_frame
from softstride.segments.inertia_table import Sex
from softstride.segments.landmark_definitions import definitions
from softstride.segments.landmarks import Landmarks
from softstride.segments.recipes import evaluate
from softstride.spatial.vectors import cross

Array = NDArray[np.float64]

# L5/S1 from the middle of the ASIS, forward and up, over PW [Reed1999]; C7/T1 from C7 towards SUP: share of their
# distance, and the angle by which it is turned up [Dumas2007: two of three transcriptions]
LUMBAR = {"male": (-0.264, 0.126), "female": (-0.289, 0.172)}
CERVICAL = {"male": (0.55, 8.0), "female": (0.53, 14.0)}
# shoulder from the acromion, along C7 to SUP turned down: share of their distance, angle [Dumas2007: disputed]
SHOULDER = {"male": (0.43, 11.0), "female": (0.53, 5.0)}

DOWN = (("C7", "LJC"), ("C7", "T10"), ("C7", "T8"), ("SUP", "XIP"))
"""Pairs of points of which the second is below the first: with C7 and SUP they span the sagittal plane, best first."""


def trunk_centres(landmarks: Landmarks, sex: Sex | None) -> Landmarks:
    """Return landmarks with L5/S1, C7/T1 and the shoulders; points that are there already are kept.

    L5/S1 needs a pelvis; the others need C7, SUP and something that shows the sagittal plane, a pelvis or not. C7/T1 is
    in the middle of C7 and SUP where nothing does.

    Args:
        landmarks: Of a trial.
        sex: For regressions that differ; None: the mean of both.
    """
    told = sex or "both sexes"
    found = _by_recipe(landmarks, "SUP")
    if "LJC" not in found:
        try:
            frame = pelvis_frame(found)
        except InputError:
            pass  # no pelvis: whoever needs L5/S1 says what is missing
        else:
            forward, up = _mean(LUMBAR, sex)
            place = frame.place(np.array([forward, up, 0.0]) * frame.width)
            found = found.with_points({"LJC": place}, f"regression of Reed ({told})")
    if "C7" not in found or "SUP" not in found:
        return found
    plane = _right(found)
    if "CJC" not in found and plane is not None:
        right, by = plane
        share, angle = _mean(CERVICAL, sex)
        place = found["C7"] + share * _tilted(found, right, np.radians(angle))
        how = f"regression with the table of Dumas ({told}), confidence B; upright by {by}"
        found = found.with_points({"CJC": place}, how)
    for side in SIDES:
        if f"{side} SJC" in found or f"{side} ACR" not in found:
            continue
        right, by = plane or _lateral(found, side)
        share, angle = _mean(SHOULDER, sex)
        place = found[f"{side} ACR"] + share * _tilted(found, right, -np.radians(angle))
        how = f"regression with the table of Dumas ({told}), disputed: confidence C; upright by {by}"
        found = found.with_points({f"{side} SJC": place}, how)
    return _by_recipe(found, "CJC")


def _by_recipe(landmarks: Landmarks, name: str) -> Landmarks:
    """Return landmarks with a point in the middle of the body that follows from others alone, where it does."""
    if name in landmarks:
        return landmarks
    recipe = next((r for r in definitions().middle[name] if landmarks.can(r, None)), None)
    if recipe is None:
        return landmarks
    place = evaluate(recipe, lambda key: landmarks.find(key, None))
    return landmarks.with_points({name: place}, recipe.text)


def _right(landmarks: Landmarks) -> tuple[Array, str] | None:
    """Return vectors to the right of the trunk, shape (n, 3), and what shows them; None where nothing does."""
    ahead = landmarks["SUP"] - landmarks["C7"]
    for above, below in DOWN:
        if above in landmarks and below in landmarks:
            return cross(landmarks[below] - landmarks[above], ahead), below
    if all(f"{side} ACR" in landmarks for side in SIDES):
        return landmarks["right ACR"] - landmarks["left ACR"], "both ACR"
    return None


def _lateral(landmarks: Landmarks, side: Side) -> tuple[Array, str]:
    """Return vectors to the right by one shoulder."""
    outward = landmarks[f"{side} ACR"] - landmarks["C7"]
    return outward if side == "right" else -outward, f"{side} ACR"


def _mean(table: dict[str, tuple[float, float]], sex: Sex | None) -> tuple[float, float]:
    rows = list(table.values()) if sex is None else [table[sex]]
    first, second = (sum(row[i] for row in rows) / len(rows) for i in (0, 1))
    return first, second


def _tilted(landmarks: Landmarks, right: Array, angle: float) -> Array:
    """Return the vectors from C7 to SUP turned up about those to the right, shape (n, 3), [m]."""
    ahead = landmarks["SUP"] - landmarks["C7"]
    size = np.linalg.norm(ahead, axis=1, keepdims=True)
    with np.errstate(invalid="ignore", divide="ignore"):
        forward = ahead / size
        up = cross(right, forward)
        up = up / np.linalg.norm(up, axis=1, keepdims=True)
    return np.asarray(size * (np.cos(angle) * forward + np.sin(angle) * up))
