"""Sides: is what is called right on the right of the body?"""

import numpy as np

from softstride.capture.labels import find_labels, find_pairs
from softstride.capture.quality.finding import Finding
from softstride.capture.quality.spans import Mask, find_spans, median
from softstride.capture.recording import Recording
from softstride.capture.series import Floats, Points

CLEARLY_WRONG = 0.02  # m; feet and knees of a narrow gait may cross the middle by about this much
MOSTLY = 0.9  # share of the frames that makes a swap one of the whole recording
NEARLY_ALL = 0.8  # share of the pairs that makes the fault one of the recording and not of the labels
WIDE = 0.08  # m; narrower pairs cross the middle within a frame or two when the foot is fast
SHORTEST = 0.05  # s; an exchange of fewer frames shows as a spike
ENOUGH_FRAMES = 10  # a pair seen for less is judged by chance
ENOUGH_PAIRS = 3  # with two that contradict each other nobody knows which one is right


def check_sides(recording: Recording) -> list[Finding]:
    """Find pairs whose right marker is on the left: d = (R - L) · right < 0.

    The direction of the right is that of forward × up, forward being from the heels to the toes and from the
    back to the front of the pelvis: means over both sides, so exchanged labels do not turn it. Where these
    markers are missing, the other pairs vote.
    """
    markers = recording.markers
    pairs = find_pairs(markers.labels)
    if len(pairs) < ENOUGH_PAIRS or len(markers) == 0:
        return []
    apart = np.stack([markers[right] - markers[left] for right, left in pairs], axis=1)  # (n, pairs, 3)
    apart = apart * (1.0, 0.0, 1.0)
    across = np.einsum("npk,npk->np", apart, _right(markers, apart))  # (n, pairs), [m]
    seen = np.isfinite(across)
    count = seen.sum(axis=0)
    wrong = np.where(seen, across, 0.0) < -CLEARLY_WRONG
    share = wrong.sum(axis=0) / np.maximum(count, 1)
    judged = count >= ENOUGH_FRAMES
    swapped = (share > MOSTLY) & judged
    if swapped.sum() > max(NEARLY_ALL * judged.sum(), ENOUGH_PAIRS - 1):
        return [_mirrored(int(swapped.sum()))]
    findings = [_whole(pairs[i], 100.0 * float(share[i])) for i in np.flatnonzero(swapped)]
    for i in np.flatnonzero(~swapped & wrong.any(axis=0)):
        findings += _partial(markers, pairs[i], across[:, i])
    return findings


def _right(markers: Points, apart: Floats) -> Floats:
    """Return the unit vector to the right of the body for each frame and pair, shape (n, pairs, 3)."""
    forward = np.zeros((len(markers), 3))
    for front, back in (("toe", "heel"), ("asis", "psis"), ("asis", "sacrum")):
        step = _middle(markers, front) - _middle(markers, back)
        forward += np.where(np.isfinite(step), step, 0.0)
    right = np.cross(forward, (0.0, 1.0, 0.0))
    filled = np.where(np.isfinite(apart), apart, 0.0)
    votes = filled.sum(axis=1, keepdims=True) - filled
    length = np.linalg.norm(right, axis=1)
    right = np.where((length > WIDE)[:, None, None], right[:, None], votes)
    with np.errstate(invalid="ignore", divide="ignore"):
        return right / np.linalg.norm(right, axis=2, keepdims=True)


def _middle(markers: Points, part: str) -> Floats:
    """Return the mean of a part's markers, NaN in frames in which one of them is missing."""
    sides = [find_labels(markers.labels, part, side) for side in ("right", "left")]
    chosen = [label for labels in sides for label in labels] if len(sides[0]) == len(sides[1]) else []
    chosen += find_labels(markers.labels, part)
    seen = [label for label in chosen if not np.isnan(markers[label]).all()]
    if not chosen or len(seen) < len(chosen):
        return np.full((len(markers), 3), np.nan)
    return np.mean([markers[label] for label in seen], axis=0)


def _mirrored(pairs: int) -> Finding:
    return Finding(
        "error",
        "sides",
        "all pairs",
        f"what is called right is on the left of the body in all {pairs} pairs that disagree with its forward "
        "direction: the sides are exchanged or the axes are left-handed",
        value=float(pairs),
        unit="pairs",
    )


def _whole(pair: tuple[str, str], percent: float) -> Finding:
    message = f"left and right are exchanged in {percent:.0f} % of the frames"
    return Finding("error", "sides", "/".join(pair), message, value=percent, unit="%")


def _partial(markers: Points, pair: tuple[str, str], across: Floats) -> list[Finding]:
    """Find stretches on the wrong side that begin and end suddenly: limbs cross slowly, labels at once."""
    frames = np.flatnonzero(np.isfinite(across))
    value = across[frames]
    width = float(median(np.abs(value)))
    if width < WIDE or len(frames) < 2:
        return []
    _, first, last = find_spans(value < -0.5 * width)
    jump = np.abs(np.diff(value)) > width
    sudden: Mask = np.concatenate([[True], jump, [True]])  # before each frame, and after the last
    chosen = sudden[first] & sudden[last + 1] & ~((first == 0) & (last == len(value) - 1))
    findings = []
    for a, b in zip(frames[first[chosen]], frames[last[chosen]], strict=True):
        start, stop = float(markers.time[a]), float(markers.time[b])
        if stop - start >= SHORTEST:
            message = "left and right are exchanged"
            findings.append(
                Finding("error", "sides", "/".join(pair), message, start, stop, 1e3 * width, "mm")
            )
    return findings
