"""Points of the body that stand still against it: one marker for an end of a foot, several for the pelvis.

A mean over the markers that happen to be seen jumps when one of them is lost, and a jump looks like motion.
"""

from collections.abc import Sequence

import numpy as np

from softstride.capture.labels import find_labels, preference
from softstride.capture.series import Floats, Points
from softstride.naming import SIDES, Side

PELVIS = ("asis", "psis", "sacrum")
SEEN = 0.9  # of the frames in which the best-seen marker is seen; one seen less does not stand for the part


def one_marker(markers: Points, part: str, side: Side | None, subject: str | None = None) -> str | None:
    """Return the label of the marker that stands for a part of a foot: well seen, then named best.

    Args:
        markers: Of a recording.
        part: "heel", "toe" or "ankle".
        side: Of the foot.
        subject: Whose; None takes those of everybody.

    Returns:
        The label; None where no such marker is ever seen.
    """
    labels = find_labels(markers.labels, part, side, subject)
    seen = {label: int((~np.isnan(markers[label]).any(axis=1)).sum()) for label in labels}
    most = max(seen.values(), default=0)
    if most == 0:
        return None
    enough = [label for label in labels if seen[label] >= SEEN * most]
    return min(enough, key=lambda label: preference(label, part))


def pelvis_point(markers: Points, subject: str | None = None) -> Floats | None:
    """Return a point of the pelvis, shape (n, 3), in [m]; None without markers there."""
    sides: tuple[Side | None, ...] = (*SIDES, None)
    labels = [
        x for part in PELVIS for side in sides for x in find_labels(markers.labels, part, side, subject)
    ]
    return steady_mean(markers, labels) if labels else None


def steady_mean(markers: Points, labels: Sequence[str]) -> Floats:
    """Return the mean of markers that move together, without jumps where some of them are lost.

    Each marker stands for the mean through its own distance to it, the average over the frames in which all are
    seen: x = mean over the seen of (x_i - d_i). Markers that are seen much less than the best one are left out;
    if the others are never all seen at once, the best-seen one is taken alone.

    Args:
        markers: Of a recording.
        labels: Which of them.

    Returns:
        Shape (n, 3), in [m]; NaN where none of them is seen.
    """
    values = markers.values[:, [markers.index(label) for label in labels]]
    seen = np.asarray(np.isfinite(values).all(axis=2))
    often = seen.sum(axis=0)
    chosen = often >= SEEN * often.max(initial=0)
    together = seen[:, chosen].all(axis=1)
    if not together.any():
        chosen = np.arange(len(labels)) == np.argmax(often)
        together = seen[:, chosen].all(axis=1)
    if not together.any():
        return np.full((len(markers), 3), np.nan)
    values, seen = values[:, chosen], seen[:, chosen]
    apart = (values[together] - values[together].mean(axis=1, keepdims=True)).mean(axis=0)
    total = np.where(seen[:, :, None], values - apart, 0.0).sum(axis=1)
    count = seen.sum(axis=1)[:, None]
    return np.divide(total, count, out=np.full_like(total, np.nan), where=count > 0)


def facing(markers: Points, subject: str | None = None) -> Floats | None:
    """Return the horizontal unit vector from heels to toes, or from the back to the front of the pelvis.

    Args:
        markers: In world axes, y up.
        subject: Whose; None takes those of everybody.

    Returns:
        Shape (3,); None where no markers say it.
    """
    pairs = [
        (one_marker(markers, "toe", side, subject), one_marker(markers, rear, side, subject))
        for rear in ("heel", "ankle")
        for side in SIDES
    ]
    steps = [markers[toe] - markers[rear] for toe, rear in pairs if toe is not None and rear is not None]
    if not steps:
        front, back = (
            [
                x
                for part in parts
                for side in (*SIDES, None)
                for x in find_labels(markers.labels, part, side, subject)
            ]
            for parts in (("asis",), ("psis", "sacrum"))
        )
        steps = [steady_mean(markers, front) - steady_mean(markers, back)] if front and back else []
    known = [step[np.isfinite(step).all(axis=1)] for step in steps]
    means = [np.median(step, axis=0) * (1.0, 0.0, 1.0) for step in known if len(step)]
    total = np.sum(means, axis=0) if means else np.zeros(3)
    length = float(np.linalg.norm(total))
    return np.asarray(total / length) if length > 0.0 else None
