"""Rotations, rigid motions and spatial inertia, on any leading axes (frames first).

`so3` and `se3` hold the two groups under short names (``se3.exp``, ``se3.log``, ``se3.Ad``, ...);
quaternions and inertia are exported directly. Twists are [angular; linear] and body-fixed, wrenches
[moment; force], quaternions scalar last, units SI. `small` and `segment` hold the same formulas for scalars
of any type.

    >>> import numpy as np
    >>> from softstride.spatial import se3
    >>> xi = np.array([0.0, 0.0, np.pi / 2, 1.0, 0.0, 0.0])
    >>> np.allclose(se3.log(se3.exp(xi)), xi)
    True
"""

from softstride.spatial import se3, segment, small, so3
from softstride.spatial.inertia import (
    kinetic_energy,
    spatial_inertia,
    split_inertia,
    transform_inertia,
    transform_twist,
    transform_wrench,
)
from softstride.spatial.quaternion import (
    matrix_to_quat,
    quat_conjugate,
    quat_exp,
    quat_log,
    quat_multiply,
    quat_normalize,
    quat_to_matrix,
)
from softstride.spatial.so3 import hat, vee
from softstride.spatial.stumpff import stumpff
from softstride.spatial.vectors import cross

__all__ = [
    "cross",
    "hat",
    "kinetic_energy",
    "matrix_to_quat",
    "quat_conjugate",
    "quat_exp",
    "quat_log",
    "quat_multiply",
    "quat_normalize",
    "quat_to_matrix",
    "se3",
    "segment",
    "small",
    "so3",
    "spatial_inertia",
    "split_inertia",
    "stumpff",
    "transform_inertia",
    "transform_twist",
    "transform_wrench",
    "vee",
]
