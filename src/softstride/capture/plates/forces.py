"""From the wrench of a plate to the force that acts on the subject: force, centre of pressure, free moment."""

import numpy as np

from softstride.capture.force import ExternalForce, Plate
from softstride.errors import InputError
from softstride.results import owned

THRESHOLD = 20.0  # [N]


def plate_force(plate: Plate, *, threshold: float = THRESHOLD) -> ExternalForce:
    """Return the force on the subject, where it acts on the surface, and the free moment.

    With the normal n of the surface, the force f and the moment m about the surface's centre c:

        p = c + n x m / (n . f),   free moment = n n . (m - (p - c) x f)

    The arm n x m / (n . f) lies in the surface, and the part of the moment that no such arm explains is along n.

    Args:
        plate: In any axes; the result is in the same.
        threshold: Normal force below which the plate counts as unloaded, in [N]. There force and moment are
            exactly zero and the point is NaN. With 0 every sample is kept whose normal force is not zero.

    Returns:
        A force of the plate's name. Where the plate measured NaN the force is NaN too: not zero, not known.

    Raises:
        InputError: The threshold is negative or NaN.
    """
    if not threshold >= 0.0:
        raise InputError(f"threshold must be a force of 0 N or more, not {threshold}")
    normal = plate.normal
    moment, force = plate.wrench[:, :3], plate.wrench[:, 3:]
    pressing = force @ normal
    loaded = pressing >= threshold if threshold > 0.0 else pressing != 0.0
    unknown = np.isnan(plate.wrench).any(axis=1)
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        arm = np.cross(normal, moment) / pressing[:, None]
        free = (moment - np.cross(arm, force)) @ normal
        point = np.where(loaded[:, None], plate.centre + arm, np.nan)
        free_moment = np.where(loaded[:, None], free[:, None] * normal, 0.0)
    acting = np.where(loaded[:, None], force, 0.0)
    acting[unknown], free_moment[unknown], point[unknown] = np.nan, np.nan, np.nan
    return ExternalForce(
        plate.name, plate.time, owned(acting), owned(point), owned(free_moment), plate=plate.name
    )
