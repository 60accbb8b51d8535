"""From the axes of a laboratory to those of the world: x forward, y up, z right.

Evidence is taken in the order of its strength, and what contradicts it is noted:

- *up*: head above feet (labels); the direction of the load on the plates; the normal of the plates; the parameter
  POINT:Y_SCREEN, the lab axis that points up on the screen.
- *forward*: where the body faces, from right and left labels (forward = up x right) and from heel to toe; where it
  travels; the parameter POINT:X_SCREEN, the lab axis that points right on the screen.

Up and forward are each one of the six lab directions, so the rotation swaps and flips coordinates and rounds nothing.
"""

from collections import Counter
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from softstride.capture.force import Plate
from softstride.capture.labels import find_labels, find_pairs, is_virtual
from softstride.capture.recording import Axes
from softstride.capture.series import Floats, Points, mean_of_seen
from softstride.errors import InputError
from softstride.naming import Side
from softstride.notes import Note

DIRECTIONS = {sign + "XYZ"[i]: float(sign + "1") * np.eye(3)[i] for i in range(3) for sign in "+-"}
FRAMES = 500  # enough of a trial to tell its directions
TRAVEL = 0.5  # [m] below this a body sways or walks on a treadmill
LOAD = 50.0  # [N] a plate with less on it says nothing about up
OBLIQUE = 10.0  # [degrees] off a lab axis that is worth a note
NOISE = 0.03  # [m] a distance between markers that says nothing about direction
UPRIGHT = 0.15  # [m] by which the upper body must be above the feet


@dataclass(frozen=True)
class Evidence:
    """One reason for one direction.

    Attributes:
        direction: A lab axis such as "+Z".
        reason: What says so.
        off: Angle between that axis and what was found [degrees].
        of_screen: Whether it only says how the screen was set, which contradicts nothing.
    """

    direction: str
    reason: str
    off: float = 0.0
    of_screen: bool = False


def make_axes(up: str, forward: str, reason: str = "given by the caller") -> Axes:
    """Return the axes whose y is the lab axis `up` and whose x is the lab axis `forward`, such as "+Z" and "-X".

    Raises:
        InputError: Not two different lab axes.
    """
    for name, direction in (("up", up), ("forward", forward)):
        if direction not in DIRECTIONS:
            raise InputError(f"{name} must be one of {', '.join(DIRECTIONS)}, not {direction!r}")
    if up[1] == forward[1]:
        raise InputError(f"up and forward must be different axes, not {up} and {forward}")
    x, y = DIRECTIONS[forward], DIRECTIONS[up]
    rotation = np.stack([x, y, np.cross(x, y)]) + 0.0  # no negative zeros
    return Axes(rotation, up, forward, reason)


def find_axes(
    markers: Points, plates: tuple[Plate, ...], load: Floats, *, screen: tuple[str, str], default_up: str
) -> tuple[Axes, tuple[Note, ...]]:
    """Find how a laboratory's axes lie.

    Args:
        markers: In lab axes [m]; may be empty.
        plates: In lab axes.
        load: Mean of all forces on the subject, large ones weighing more, shape (3,), in [N]; zero without any.
        screen: POINT:X_SCREEN and Y_SCREEN, "" where the file has none.
        default_up: What to take without any evidence.

    Returns:
        The axes, and notes on contradicting evidence.
    """
    markers = _thinned(markers)
    ups = [
        e
        for e in (
            _up_of_body(markers),
            _up_of_load(load),
            _up_of_plates(plates),
            _named(screen[1], "POINT:Y_SCREEN"),
        )
        if e
    ]
    up, notes = _choose("up", ups, Evidence(default_up, "nothing in the file says so, a common convention"))
    forwards = [
        e
        for e in (
            *_forward_of_body(markers, DIRECTIONS[up.direction]),
            _named(screen[0], "POINT:X_SCREEN", True),
        )
        if e and e.direction[1] != up.direction[1]
    ]
    fallback = "+X" if up.direction[1] != "X" else "+Y"
    forward, more = _choose("forward", forwards, Evidence(fallback, "nothing in the file says so"))
    if forward.off > OBLIQUE:
        said = f"axes: forward is {forward.off:.0f} degrees off the lab axis {forward.direction}; not turned further"
        facts: dict[str, Any] = {"names": (forward.direction,), "values": {"off_degrees": forward.off}}
        more = (*more, Note("axes.forward-oblique", said, topic="axes", **facts))
    reason = f"{up.direction} is up ({up.reason}), {forward.direction} is forward ({forward.reason})"
    return make_axes(up.direction, forward.direction, reason), (*notes, *more)


def _thinned(markers: Points) -> Points:
    """A direction does not need every frame."""
    frames = np.linspace(0, len(markers) - 1, min(len(markers), FRAMES)).astype(int)
    return markers.take(frames)


def _choose(what: str, found: list[Evidence], fallback: Evidence) -> tuple[Evidence, tuple[Note, ...]]:
    if not found:
        return fallback, ()
    chosen = found[0]
    against = [e for e in found[1:] if e.direction != chosen.direction and not e.of_screen]
    return chosen, tuple(
        Note(
            f"axes.{what}-contradicted",
            f"axes: {chosen.direction} is taken as {what} ({chosen.reason}), not {e.direction} ({e.reason})",
            topic="axes",
            names=(chosen.direction, e.direction),
        )
        for e in against
    )


def nearest(vector: Floats) -> str:
    """Return the lab direction nearest to a vector, such as "-X"."""
    i = int(np.abs(vector).argmax())
    return ("+" if vector[i] > 0 else "-") + "XYZ"[i]


def _up_of_body(markers: Points) -> Evidence | None:
    upper = _labelled(markers, "head", "neck", "shoulder", "sternum", "asis", "psis", "sacrum")
    lower = _labelled(markers, "heel", "toe", "ankle")
    if not upper or not lower:
        return None
    rise = _median(mean_of_seen(markers, upper) - mean_of_seen(markers, lower))
    if rise is None or np.abs(rise).max() < UPRIGHT:
        return None
    return Evidence(nearest(rise), "the trunk is above the feet")


def _labelled(
    markers: Points, *parts: str, sides: tuple[Side | None, ...] = ("left", "right", None)
) -> list[str]:
    return [label for part in parts for side in sides for label in find_labels(markers.labels, part, side)]


def _median(vectors: Floats) -> Floats | None:
    seen = np.isfinite(vectors).all(axis=1)
    return np.median(vectors[seen], axis=0) if seen.any() else None


def _up_of_load(load: Floats) -> Evidence | None:
    size = float(np.linalg.norm(load))
    if size < LOAD or np.abs(load).max() < 0.8 * size:
        return None
    return Evidence(nearest(load), "the plates push that way")


def _up_of_plates(plates: tuple[Plate, ...]) -> Evidence | None:
    if not plates:
        return None
    normal = np.mean([plate.normal for plate in plates], axis=0)
    return Evidence(nearest(normal), "the normal of the plates") if np.abs(normal).max() > 0.7 else None


def _named(text: str, parameter: str, of_screen: bool = False) -> Evidence | None:
    direction = text.strip().upper()
    if direction in ("X", "Y", "Z"):
        direction = "+" + direction
    return Evidence(direction, parameter, of_screen=of_screen) if direction in DIRECTIONS else None


def _forward_of_body(markers: Points, up: Floats) -> list[Evidence]:
    """Where the body faces, where it travels: of those that disagree, what most say comes first.

    A body that walks backwards or sideways travels elsewhere than it faces, and faces where its toes point; labels with
    left and right exchanged contradict both. Two that disagree without a third: the labels.
    """
    if not markers:
        return []
    found = [e for e in (_sides(markers, up), _toes(markers, up), _travel(markers, up)) if e]
    votes = Counter(evidence.direction for evidence in found)
    return sorted(found, key=lambda evidence: -votes[evidence.direction])


def _travel(markers: Points, up: Floats) -> Evidence | None:
    real = [label for label in markers.labels if not is_virtual(label)] or list(markers.labels)
    values = markers.select(real).values
    seen: NDArray[np.bool_] = np.all(np.isfinite(values), axis=2)
    first, last = seen.argmax(axis=0), len(values) - 1 - seen[::-1].argmax(axis=0)
    columns = np.flatnonzero(np.any(seen, axis=0) & (last - first >= len(values) / 3))
    if not len(columns):
        return None
    path = np.median(values[last[columns], columns] - values[first[columns], columns], axis=0)
    path = path - up * (path @ up)
    distance = float(np.linalg.norm(path))
    if distance < TRAVEL:
        return None
    return Evidence(nearest(path), f"the body travels {distance:.1f} m that way", _angle(path))


def _sides(markers: Points, up: Floats) -> Evidence | None:
    pairs = find_pairs([label for label in markers.labels if not is_virtual(label)])
    if not pairs:
        return None
    right = mean_of_seen(markers, [r for r, _ in pairs]) - mean_of_seen(markers, [left for _, left in pairs])
    return _horizontal(np.cross(up, right), up, "right and left labels")


def _toes(markers: Points, up: Floats) -> Evidence | None:
    toes, heels = _labelled(markers, "toe"), _labelled(markers, "heel")
    if not toes or not heels:
        return None
    return _horizontal(mean_of_seen(markers, toes) - mean_of_seen(markers, heels), up, "heel to toe")


def _horizontal(vectors: Floats, up: Floats, reason: str) -> Evidence | None:
    direction = _median(vectors)
    if direction is None:
        return None
    direction = direction - up * (direction @ up)
    return (
        Evidence(nearest(direction), reason, _angle(direction)) if np.linalg.norm(direction) > NOISE else None
    )


def _angle(vector: Floats) -> float:
    """Return the angle between a vector and the lab axis nearest to it [degrees]."""
    return float(np.degrees(np.arccos(min(1.0, np.abs(vector).max() / np.linalg.norm(vector)))))
