"""Which foot of a person is at a contact, and what makes that doubtful."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from softstride.capture.force import ExternalForce, Plate
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
from softstride.capture.plates.doubts import Reason
from softstride.capture.plates.footprint import Foot
from softstride.capture.plates.geometry import outline_distance, side_lengths
from softstride.capture.series import Floats
from softstride.naming import SIDES, Side, other_side


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
    everywhere = _doubt_everywhere(force, plate, feet, up)
    if everywhere is not None:
        return [contact if contact.faint else replace(contact, doubt=(everywhere,)) for contact in contacts]
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
        found = _judge(load[rows], point[rows], step, near, outline, limits, others)
        if isinstance(found, Reason):
            doubt = replace(found, hardly_unloaded=_may_be_offset(contact, whole))
            judged.append(replace(contact, side=None, doubt=(doubt,)))
        else:
            judged.append(replace(contact, side=found, doubt=()))
    return judged


def _doubt_everywhere(
    force: ExternalForce, plate: Plate | None, feet: Mapping[Side, Foot], up: Floats
) -> Reason | None:
    """Return why no contact of a force can be judged."""
    if plate is not None and abs(plate.normal @ up) < LEVEL:
        return Reason.of("plate-not-level")
    if force.point_in != "ground":
        return Reason.of("point-in-other-frame", force.point_in)
    missing = [side for side in SIDES if side not in feet]
    if len(missing) == 1:
        return Reason.of("foot-without-markers", missing[0])
    return Reason.of("feet-without-markers") if missing else None


def _may_be_offset(contact: Contact, load: Floats) -> bool:
    """Whether a load has no end and is sometimes close to nothing, so that it may be an offset."""
    endless = contact.rows.stop - contact.rows.start > 0.9 * len(load)
    return bool(endless and np.quantile(load, 0.1) < 0.2 * load.max())


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
) -> Side | Reason:
    """Return the foot of one contact, or why it is doubtful."""
    weight = np.where(np.isfinite(point).all(axis=1), np.maximum(np.nan_to_num(load), 0.0), 0.0)
    seen = feet["right"].seen & feet["left"].seen
    share = weight[seen].sum() / max(weight.sum(), 1e-9)
    if share < limits.seen:
        return Reason.of("seldom-seen", seen_percent=100 * share)
    weight[~seen] = 0.0
    mean = {side: _mean(foot.distance(point), weight) for side, foot in feet.items()}
    side: Side = "right" if mean["right"] < mean["left"] else "left"
    other = other_side(side)
    apart = mean[other] - mean[side]
    least = SHORTEST / step
    if outline is not None:
        both = _stands_too(feet[side], feet[other], outline) & (weight > 0.0)
        if both.sum() >= least:
            return Reason.of("both-on-plate", both_s=both.sum() * step)
    if mean[side] > limits.reach:
        return Reason.of("foot-away", side, away_cm=100 * mean[side])
    if _mean(feet[side].down.astype(float), weight) < 0.5:
        return Reason.of("foot-in-the-air", side)
    if apart < limits.margin:
        return Reason.of("equally-near", apart_cm=100 * apart)
    for who, theirs in strangers.items():
        if any(
            _mean(foot.distance(point), weight * foot.seen) < mean[side] + limits.margin for foot in theirs
        ):
            return Reason.of("other-person-near", who)
        if outline is not None and any(
            (_stands_too(feet[side], foot, outline) & (weight > 0.0)).sum() >= least for foot in theirs
        ):
            return Reason.of("other-person-on-plate", who)
    if outline is not None:
        over = _reaches_over(feet[side], outline, weight > 0.0, limits.edge)
        if (over > 0.0).sum() >= least:
            lasting = (over > 0.0).sum() * step
            return Reason.of("over-the-edge", side, over_cm=100 * over.max(), over_s=lasting)
    return side


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
