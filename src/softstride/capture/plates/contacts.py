"""Contacts of a force: when it is loaded, and whether that is a step."""

from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from softstride.capture.force import ExternalForce, Plate
from softstride.capture.plates.doubts import Reason
from softstride.capture.series import Floats
from softstride.naming import Side

SHORTEST = 0.04  # of a contact, and of a circumstance in it that makes it doubtful [s]
LEVEL = 0.7  # cosine between up and the normal of a plate on the floor; a ramp of 45 degrees is none
STILL = 0.5  # speed of one foot against the other while both stand, on the floor or on a belt [m/s]

Mask = NDArray[np.bool_]


@dataclass(frozen=True)
class FootLimits:
    """What makes a contact doubtful.

    Attributes:
        threshold: Force across the plate (its size, without a plate) that counts as a step, in [N].
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
        faint: Whether it is too little or too briefly seen for a step.
        side: The foot, None where that is doubtful.
        doubt: Why it is, for each person where that differs; () where it is not.
        subject: Whose foot, "" where labels do not say.
    """

    rows: slice
    extent: slice
    faint: bool = False
    side: Side | None = None
    doubt: tuple[Reason, ...] = ()
    subject: str = ""


def find_contacts(force: ExternalForce, plate: Plate | None, threshold: float) -> list[Contact]:
    """Return the contacts of a force, in order of time, none of them judged.

    A contact is loaded by the threshold or more, joined over gaps of less than SHORTEST, at least as long. Any load
    within that time of it belongs to it. What is left and lasts as long, or reaches an end of what was measured, is
    a faint contact. Shorter loads are in no contact.

    Args:
        force: In the axes of the plate.
        plate: The plate that measured it, if one did.
        threshold: Force that counts as a step, in [N].
    """
    step = sample_step(force)
    acting = _joined(np.any(np.nan_to_num(force.force) != 0.0, axis=1), step)
    contacts = _steps(_joined(load_of(force, plate) >= max(threshold, 1e-9), step), acting, step)
    rest = acting.copy()
    for contact in contacts:
        rest[contact.extent] = False
    open_end = np.concatenate([[True], np.isnan(force.force).any(axis=1), [True]])  # shifted by one
    faint = [
        slice(start, stop)
        for start, stop in _runs(rest)
        if step == 0.0 or (stop - start) * step >= SHORTEST or open_end[start] or open_end[stop + 1]
    ]
    return sorted(
        [*contacts, *(Contact(run, run, faint=True) for run in faint)], key=lambda contact: contact.rows.start
    )


def load_of(force: ExternalForce, plate: Plate | None) -> Floats:
    """Return the force across the plate, or its size without one, shape (n,), in [N]; 0 where not measured."""
    values = np.nan_to_num(force.force, nan=0.0)
    return np.asarray(np.linalg.norm(values, axis=1) if plate is None else values @ plate.normal)


def _steps(loaded: Mask, acting: Mask, step: float) -> list[Contact]:
    """Return the contacts that reach the threshold, each as far as any load of it goes."""
    runs = [run for run in _runs(loaded) if (run[1] - run[0]) * step >= SHORTEST]
    if not runs:
        return []
    unloaded = np.concatenate([[-1], np.flatnonzero(~acting), [len(loaded)]])
    middles = [(one[1] + two[0]) // 2 for one, two in pairwise(runs)]
    contacts = []
    for (start, stop), first, last in zip(runs, [0, *middles], [*middles, len(loaded)], strict=True):
        before = int(unloaded[np.searchsorted(unloaded, start) - 1])
        after = int(unloaded[np.searchsorted(unloaded, stop - 1, side="right")])
        contacts.append(Contact(slice(start, stop), slice(max(first, before + 1), min(last, after))))
    return contacts


def _joined(mask: Mask, step: float) -> Mask:
    """Return the mask with the gaps between two stretches closed that are shorter than SHORTEST."""
    closed = mask.copy()
    for (_, end), (start, _) in pairwise(_runs(mask)):
        if (start - end) * step < SHORTEST:
            closed[end:start] = True
    return closed


def _runs(mask: Mask) -> list[tuple[int, int]]:
    """Return start and stop of each stretch of True."""
    edges = np.flatnonzero(np.diff(np.concatenate([[False], mask, [False]]).astype(np.int8)))
    return [(int(start), int(stop)) for start, stop in edges.reshape(-1, 2)]


def sample_step(force: ExternalForce) -> float:
    """Return the time between samples [s]; 0, with which nothing lasts, where the clock does not run."""
    steps = np.diff(force.time)
    return max(0.0, float(np.median(steps))) if np.isfinite(steps).any() else 0.0
