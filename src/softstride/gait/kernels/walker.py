"""What the kernels know of a walker and of what drives it, and how their scratch is laid out."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]


class Walker(NamedTuple):
    """A body as kernels see it: coefficients of the four phases and of phase 1 with a flat foot, and its sizes."""

    c: Any  # (5, 7, 7) inertia [kg m²]
    offset: Any  # (5, 7) from angles to φ [rad]
    real: Any  # (5, 7) first moments along their segments [kg m]
    imaginary: Any  # (5, 7) and across
    gap: Any  # (7,) arms of the distance between the hips [m]
    size: Any  # numbers by the names below


class Drive(NamedTuple):
    """What acts at the joints during one phase."""

    nodes: Any  # (k,) instants of the moments [s]
    moments: Any  # (k, 6) [N m]
    change: Any  # (2, 6) factor and addition
    ligament: Any  # (6, 7) see `ligament_moment`
    toe: Any  # (2,) stiffness [N m/rad] and damping [N m s/rad] about the toe in phase 4
    nominal: Any  # (m, 12) joint angles and rates to follow, from time zero on
    span: Any  # (1,) between them [s]
    gain: Any  # (2, 6) stiffness [N m/rad] and damping [N m s/rad] of the feedback


# places in Walker.size
GRAVITY, SPRING, DAMPER, HEEL, BETA, TOE, ALPHA, SHANK, THIGH, TRUNK = range(10)
FOOT_MASS, LEG_MASS, MASS, SOLE, REST, REST_DOUBLE = range(10, 16)
# TOE is 2A; LEG_MASS is thigh and shank; REST is mass times height of a flat foot and of the ankle's load on it [kg m]

FLAT = 5
"""Double support with the right foot flat: what phase 1 becomes if the sole is down before the left toe is off."""

# rows of the scratch, (SCRATCH, 7)
COS, SIN, PCOS, PSIN, FORCE, MATRIX = 0, 1, 2, 3, 4, 5
SCRATCH = 12
