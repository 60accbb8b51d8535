"""The load of one foot on a plate, also below the threshold that the plate was read with."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from softstride.capture.force import ExternalForce, Plate
from softstride.capture.series import Floats


def own_load(
    force: ExternalForce, forces: Sequence[ExternalForce], plates: Sequence[Plate], least: float, up: Floats
) -> Floats:
    """Return the force across the plate, shape (n,), in [N], during the contacts of one force and below `least`.

    The force itself is zero below the threshold of reading, so a lower threshold would find its contacts late. The
    plate knows more: f · n of its whole wrench. Stretches of at least `least` that hold no sample of the force are
    somebody else's or none, and zero here; one that it shares with another force of the plate (the other foot) is
    divided in the middle of the time between them.

    Args:
        force: One of `forces`.
        forces: All forces of the recording.
        plates: All plates.
        least: Load of a contact, in [N].
        up: Unit vector that points up, shape (3,).

    Returns:
        Without a plate on the same clock the vertical part of the force.
    """
    plate = next((plate for plate in plates if plate.name == force.plate), None)
    if plate is None or not np.array_equal(plate.time, force.time):
        return np.asarray(force.force @ up)
    pressing = np.asarray(plate.wrench[:, 3:] @ plate.normal)
    mine = _loaded(force)
    others = np.zeros_like(mine)
    for other in forces:
        if other is not force and other.plate == force.plate and len(other.time) == len(mine):
            others |= _loaded(other)
    with np.errstate(invalid="ignore"):
        high = pressing >= least
    number = np.cumsum(np.diff(high, prepend=False)) * high  # of each stretch; 0 between them
    own = np.isin(number, np.unique(number[mine & high]))
    own &= _distance(mine) <= _distance(others)
    return np.where(high & ~own, 0.0, pressing)


def _loaded(force: ExternalForce) -> NDArray[np.bool_]:
    return np.asarray(np.nan_to_num(force.force).any(axis=1))


def _distance(mask: NDArray[np.bool_]) -> Floats:
    """Return the number of samples to the nearest True, infinite where there is none."""
    places = np.flatnonzero(mask)
    if not len(places):
        return np.full(len(mask), np.inf)
    rows = np.arange(len(mask))
    after = np.searchsorted(places, rows)
    left, right = places[np.maximum(after - 1, 0)], places[np.minimum(after, len(places) - 1)]
    return np.minimum(np.abs(rows - left), np.abs(right - rows)).astype(np.float64)
