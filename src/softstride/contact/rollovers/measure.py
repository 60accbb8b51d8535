"""From a recording to a rollover: tilt of a foot against its centre of pressure, through one contact with the ground.

World axes: x forward, y up. The tilt is the angle by which the foot's x axis dips below the horizontal, counted from
where the foot is flat: the middle of the shortest range of tilts in which it spends `DWELL` of the contact. Places
count along the ground, which moves on a treadmill, so x − (belt speed) t.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from softstride.contact.fit_errors import FEWEST
from softstride.contact.inputs import FloatArray, constants
from softstride.errors import InputError

LOADED = 0.05  # share of the largest vertical force above which a centre of pressure is believed
DWELL = 0.3  # share of a contact during which a foot is flat


@dataclass(frozen=True, eq=False)
class Rollover:
    """Tilt and centre of pressure of one foot during one contact, sample by sample.

    Attributes:
        time: Shape (n,), [s].
        tilt: From the flat foot, heel up positive, shape (n,), [rad].
        place: Of the centre of pressure along the ground, shape (n,), [m].
        force: Vertical, shape (n,), [N].
        foot: Place along the ground and height above it of the origin of the foot's axes, shape (n, 2), [m].
        flat: By how much the foot's axes dip when it is flat [rad].
        complete: Whether the foot came down and left within the record.
    """

    time: FloatArray
    tilt: FloatArray
    place: FloatArray
    force: FloatArray
    foot: FloatArray
    flat: float
    complete: bool


def measure_rollover(
    time: ArrayLike,
    pose: ArrayLike,
    force: ArrayLike,
    point: ArrayLike,
    *,
    belt: float = 0.0,
    floor: float = 0.0,
) -> Rollover:
    """Return the rollover of the contact with the widest range of tilts.

    Args:
        time: Shape (n,), [s].
        pose: Of the foot's axes (x forward, y up) in the world, shape (n, 4, 4), [m].
        force: Of the ground on the foot, shape (n, 3), [N].
        point: Centre of pressure, shape (n, 3), [m]; NaN where nothing presses.
        belt: Velocity of the ground along x [m/s]: below zero on a treadmill.
        floor: Height of the ground [m].

    Raises:
        InputError: Shapes that do not fit, no contact, or one with too few samples.
    """
    t = constants(time, None, "time of a rollover")
    T = constants(pose, (len(np.atleast_1d(t)), 4, 4), "pose of a rollover")
    f, p = np.asarray(force, dtype=np.float64), np.asarray(point, dtype=np.float64)
    if f.shape != (len(t), 3) or p.shape != (len(t), 3):
        raise InputError(
            f"force and point of a rollover must have shape ({len(t)}, 3), however they have {f.shape} and {p.shape}"
        )
    up = np.nan_to_num(f[:, 1])
    pressed = (up > LOADED * up.max(initial=0.0)) & np.isfinite(p).all(axis=1)
    dip = np.arctan2(-T[:, 1, 0], np.hypot(T[:, 0, 0], T[:, 2, 0]))
    contacts = [(i, j) for i, j in _runs(pressed) if j - i >= FEWEST]
    if not contacts:
        raise InputError(
            f"a rollover needs a contact of at least {FEWEST} samples with a force above {100 * LOADED:g} % of the "
            f"largest, however there is none among {len(t)} samples: the largest force is {up.max(initial=0.0):.3g} N"
        )
    first, last = max(contacts, key=lambda run: float(np.ptp(dip[run[0] : run[1]])))
    part = slice(first, last)
    flat = dwelled(dip[part])
    along = belt * t[part]
    foot = np.stack([T[part, 0, 3] - along, T[part, 1, 3] - floor], axis=1)
    return Rollover(
        t[part], dip[part] - flat, p[part, 0] - along, up[part], foot, flat, first > 0 and last < len(t)
    )


def dwelled(tilt: FloatArray) -> float:
    """Return the middle of the shortest range that holds `DWELL` of the tilts [rad]."""
    ordered = np.sort(tilt)
    count = max(2, int(np.ceil(DWELL * len(ordered))))
    widths = ordered[count - 1 :] - ordered[: len(ordered) - count + 1]
    at = int(widths.argmin())
    return float(0.5 * (ordered[at] + ordered[at + count - 1]))


def _runs(mask: np.ndarray[tuple[int, ...], np.dtype[np.bool_]]) -> list[tuple[int, int]]:
    """Return first and one past the last index of every stretch that is True."""
    edges = np.flatnonzero(np.diff(np.concatenate([[0], mask.astype(np.int8), [0]])))
    return [(int(i), int(j)) for i, j in zip(edges[::2], edges[1::2], strict=True)]
