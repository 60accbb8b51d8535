"""Contacts of a force: when it is loaded, which foot is there, and what makes that doubtful."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from softstride.capture.force import ExternalForce, Plate, Side
from softstride.capture.plates.footprint import Foot
from softstride.capture.plates.geometry import outline_distance, side_lengths
from softstride.capture.series import Floats

SHORTEST = 0.04  # of a contact, and of a circumstance in it that makes it doubtful [s]
STILL = 0.5  # speed of one foot against the other while both stand, on the floor or on a belt [m/s]


@dataclass(frozen=True)
class FootLimits:
    """What makes a contact doubtful.

    Attributes:
        threshold: Vertical force that counts as load, in [N].
        reach: Farthest that the centre of pressure may be outside the footprint, in [m].
        margin: By how much the other foot must be farther away, in [m].
        edge: How far a foot's marker may be outside the plate while it is down, in [m].
        seen: Share of the contact's load during which both feet must be seen.
    """

    threshold: float = 20.0
    reach: float = 0.06
    margin: float = 0.06
    edge: float = 0.02
    seen: float = 0.5


@dataclass(frozen=True, eq=False)
class Contact:
    """A stretch of load on a force.

    Attributes:
        rows: Its samples above the threshold.
        extent: Its samples with any load, to the middle of the time to the next contact at most.
        side: The foot, None where that is doubtful.
        doubt: Why it is.
    """

    rows: slice
    extent: slice
    side: Side | None = None
    doubt: str = ""


def find_contacts(
    force: ExternalForce, plate: Plate | None, feet: Mapping[Side, Foot], limits: FootLimits, every: int = 1
) -> list[Contact]:
    """Return the contacts of a force, each with its side or with its doubt.

    Args:
        force: In world axes, y up.
        plate: The plate that measured it, if one did.
        feet: Both feet at every so manieth sample of the force, as far as they have markers.
        limits: What makes a contact doubtful.
        every: That number.
    """
    contacts = _stretches(force, limits.threshold)
    everywhere = "" if force.point_in == "ground" else f"the point is given in the frame of {force.point_in}"
    if plate is not None and abs(plate.normal[1]) < 0.7:
        everywhere = "the plate is not on the floor"
    if len(feet) < 2:
        missing = " and ".join(side for side in ("right", "left") if side not in feet)
        everywhere = everywhere or f"markers of heel (or ankle) and toe are missing: {missing}"
    if everywhere:
        return [replace(contact, doubt=everywhere) for contact in contacts]
    outline = _Outline(plate) if plate is not None else None
    load, point, step = force.force[::every, 1], force.point[::every], every * _step(force)
    judged = []
    for contact in contacts:
        rows = slice(-(-contact.rows.start // every), -(-contact.rows.stop // every))
        near = {side: foot.cut(rows) for side, foot in feet.items()}
        side, doubt = _judge(load[rows], point[rows], step, near, outline, limits)
        judged.append(replace(contact, side=side, doubt=doubt and doubt + _blame_offset(contact, force)))
    return judged


def _stretches(force: ExternalForce, threshold: float) -> list[Contact]:
    """Return the contacts: loaded, joined over gaps of less than SHORTEST, at least as long."""
    loaded = np.nan_to_num(force.force[:, 1], nan=0.0) >= max(threshold, 1e-9)
    step = _step(force)
    edges = np.flatnonzero(np.diff(np.concatenate([[False], loaded, [False]]).astype(np.int8)))
    runs: list[list[int]] = []
    for start, stop in edges.reshape(-1, 2).tolist():
        if runs and (start - runs[-1][1]) * step < SHORTEST:
            runs[-1][1] = stop
        else:
            runs.append([start, stop])
    runs = [run for run in runs if (run[1] - run[0]) * step >= SHORTEST]
    if not runs:
        return []
    unloaded = np.flatnonzero(~np.any(np.nan_to_num(force.force) != 0.0, axis=1))
    unloaded = np.concatenate([[-1], unloaded, [len(loaded)]])
    middles = [(one[1] + two[0]) // 2 for one, two in pairwise(runs)]
    contacts = []
    for (start, stop), first, last in zip(runs, [0, *middles], [*middles, len(loaded)], strict=True):
        before = int(unloaded[np.searchsorted(unloaded, start) - 1])
        after = int(unloaded[np.searchsorted(unloaded, stop - 1, side="right")])
        contacts.append(Contact(slice(start, stop), slice(max(first, before + 1), min(last, after))))
    return contacts


def _step(force: ExternalForce) -> float:
    """Return the time between samples [s]; 0, with which nothing lasts, where the clock does not run."""
    steps = np.diff(force.time)
    return max(0.0, float(np.median(steps))) if np.isfinite(steps).any() else 0.0


def _blame_offset(contact: Contact, force: ExternalForce) -> str:
    """Say of a load without end, which is sometimes close to nothing, that it may be an offset."""
    load = force.force[:, 1]
    endless = contact.rows.stop - contact.rows.start > 0.9 * len(load)
    if endless and np.nanquantile(load, 0.1) < 0.2 * np.nanmax(load):
        return "; it is hardly ever unloaded, so zeroing may help"
    return ""


class _Outline:
    """The edges of a plate, for points in world axes."""

    def __init__(self, plate: Plate) -> None:
        self._plate = plate
        x, y = side_lengths(plate.corners)
        self._half = (x / 2.0, y / 2.0)

    def outside(self, points: Floats) -> Floats:
        """Return how far points are outside, negative inside, shape (n,), in [m]."""
        return outline_distance((points - self._plate.centre) @ self._plate.rotation, self._half)


def _judge(
    load: Floats,
    point: Floats,
    step: float,
    feet: Mapping[Side, Foot],
    outline: _Outline | None,
    limits: FootLimits,
) -> tuple[Side | None, str]:
    """Return the foot of one contact, or None and the doubt."""
    weight = np.where(np.isfinite(point).all(axis=1), np.maximum(np.nan_to_num(load), 0.0), 0.0)
    seen = feet["right"].seen & feet["left"].seen
    share = weight[seen].sum() / max(weight.sum(), 1e-9)
    if share < limits.seen:
        return None, f"both feet are seen during {100 * share:.0f} % of the load only"
    weight[~seen] = 0.0
    mean = {side: _mean(foot.distance(point), weight) for side, foot in feet.items()}
    side: Side = "right" if mean["right"] < mean["left"] else "left"
    other: Side = "left" if side == "right" else "right"
    apart = mean[other] - mean[side]
    least = SHORTEST / step
    if outline is not None:
        both = _stands_too(feet[side], feet[other], outline) & (weight > 0.0)
        if both.sum() >= least:
            return None, f"both feet are on the plate for {both.sum() * step:.2f} s"
    if mean[side] > limits.reach:
        return None, f"no foot is at the centre of pressure, the {side} one is {100 * mean[side]:.0f} cm away"
    if _mean(feet[side].down.astype(float), weight) < 0.5:
        return None, f"no foot is at the centre of pressure, the {side} one is in the air"
    if apart < limits.margin:
        return None, f"the two feet are equally near, {100 * apart:.0f} cm apart"
    if outline is not None:
        over = _reaches_over(feet[side], outline, weight > 0.0, limits.edge)
        if (over > 0.0).sum() >= least:
            doubt = f"the {side} foot reaches {100 * over.max():.0f} cm over the edge of the plate"
            return None, f"{doubt} for {(over > 0.0).sum() * step:.2f} s"
    return side, ""


def _mean(values: Floats, weight: Floats) -> float:
    used = weight > 0.0
    return float(np.average(values[used], weights=weight[used])) if used.any() else float("inf")


def _stands_too(foot: Foot, other: Foot, outline: _Outline) -> NDArray[np.bool_]:
    """Whether the other foot is down on the same plate and stands still against the first.

    A swinging foot passes as low as a standing one, but fast; on a belt both standing feet move alike.
    """
    relative = np.linalg.norm(other.velocity - foot.velocity, axis=1)
    inside = (other.rear_down & (outline.outside(other.rear) < 0.0)) | (
        other.toe_down & (outline.outside(other.toe) < 0.0)
    )
    return np.asarray(foot.down & inside & (relative < STILL))


def _reaches_over(foot: Foot, outline: _Outline, loaded: NDArray[np.bool_], edge: float) -> Floats:
    """Return how far an end of the foot that is down is outside the plate, 0 where neither is, shape (n,)."""
    ends = ((foot.rear, foot.rear_down), (foot.toe, foot.toe_down))
    over = [np.where(down & loaded, outline.outside(end), 0.0) for end, down in ends]
    beyond = np.maximum(*over)
    return np.where(beyond > edge, beyond, 0.0)
