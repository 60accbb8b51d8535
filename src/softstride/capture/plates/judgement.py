"""Which foot of a person is at a contact, and what makes that doubtful."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from softstride.capture.force import ExternalForce, Plate, Side
from softstride.capture.plates.contacts import (
    LEVEL,
    SHORTEST,
    STILL,
    Contact,
    FootLimits,
    Mask,
    load_of,
    sample_step,
)
from softstride.capture.plates.footprint import Foot
from softstride.capture.plates.geometry import outline_distance, side_lengths
from softstride.capture.series import Floats


def judge_contacts(
    contacts: Sequence[Contact],
    force: ExternalForce,
    plate: Plate | None,
    feet: Mapping[Side, Foot],
    limits: FootLimits,
    up: Floats,
    every: int = 1,
    strangers: Mapping[str, Sequence[Foot]] | None = None,
) -> list[Contact]:
    """Return the contacts of a force, each with its side or with its doubt; faint ones have neither.

    Args:
        contacts: Of the force.
        force: In the axes of the markers.
        plate: The plate that measured it, if one did.
        feet: Both feet of one person at every so manieth sample of the force, as far as they have markers.
        limits: What makes a contact doubtful.
        up: Unit vector that points up, shape (3,).
        every: That number.
        strangers: Feet of other people by their name, likewise.
    """
    everywhere = "" if force.point_in == "ground" else f"the point is given in the frame of {force.point_in}"
    if plate is not None and abs(plate.normal @ up) < LEVEL:
        everywhere = "the plate is not on the floor"
    if len(feet) < 2:
        missing = " and ".join(side for side in ("right", "left") if side not in feet)
        everywhere = everywhere or f"markers of heel (or ankle) and toe are missing: {missing}"
    if everywhere:
        return [contact if contact.faint else replace(contact, doubt=everywhere) for contact in contacts]
    outline = _Outline(plate) if plate is not None else None
    whole = load_of(force, plate)
    load, point, step = whole[::every], force.point[::every], every * sample_step(force)
    judged = []
    for contact in contacts:
        if contact.faint:
            judged.append(contact)
            continue
        rows = slice(-(-contact.rows.start // every), -(-contact.rows.stop // every))
        near = {side: foot.cut(rows) for side, foot in feet.items()}
        others = {who: [foot.cut(rows) for foot in theirs] for who, theirs in (strangers or {}).items()}
        side, doubt = _judge(load[rows], point[rows], step, near, outline, limits, others)
        judged.append(replace(contact, side=side, doubt=doubt and doubt + _blame_offset(contact, whole)))
    return judged


def _blame_offset(contact: Contact, load: Floats) -> str:
    """Say of a load without end, which is sometimes close to nothing, that it may be an offset."""
    endless = contact.rows.stop - contact.rows.start > 0.9 * len(load)
    if endless and np.quantile(load, 0.1) < 0.2 * load.max():
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
    strangers: Mapping[str, Sequence[Foot]],
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
    for who, theirs in strangers.items():
        if any(
            _mean(foot.distance(point), weight * foot.seen) < mean[side] + limits.margin for foot in theirs
        ):
            return None, f"a foot of {who} is as near"
        if outline is not None and any(
            (_stands_too(feet[side], foot, outline) & (weight > 0.0)).sum() >= least for foot in theirs
        ):
            return None, f"a foot of {who} is on the plate too"
    if outline is not None:
        over = _reaches_over(feet[side], outline, weight > 0.0, limits.edge)
        if (over > 0.0).sum() >= least:
            doubt = f"the {side} foot reaches {100 * over.max():.0f} cm over the edge of the plate"
            return None, f"{doubt} for {(over > 0.0).sum() * step:.2f} s"
    return side, ""


def _mean(values: Floats, weight: Floats) -> float:
    used = weight > 0.0
    return float(np.average(values[used], weights=weight[used])) if used.any() else float("inf")


def _stands_too(foot: Foot, other: Foot, outline: _Outline) -> Mask:
    """Whether the other foot is down on the same plate and stands still against the first.

    A swinging foot passes as low as a standing one, but fast; on a belt both standing feet move alike.
    """
    relative = np.linalg.norm(other.velocity - foot.velocity, axis=1)
    inside = (other.rear_down & (outline.outside(other.rear) < 0.0)) | (
        other.toe_down & (outline.outside(other.toe) < 0.0)
    )
    return np.asarray(foot.down & inside & (relative < STILL))


def _reaches_over(foot: Foot, outline: _Outline, loaded: Mask, edge: float) -> Floats:
    """Return how far an end of the foot that is down is outside the plate, 0 where neither is, shape (n,)."""
    ends = ((foot.rear, foot.rear_down), (foot.toe, foot.toe_down))
    over = [np.where(down & loaded, outline.outside(end), 0.0) for end, down in ends]
    beyond = np.maximum(*over)
    return np.where(beyond > edge, beyond, 0.0)
