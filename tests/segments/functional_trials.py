"""Two clusters that move about a ball or a hinge, with noise on their markers."""

import numpy as np
from numpy.typing import NDArray
from scipy.spatial.transform import Rotation

from softstride.segments.clusters import Poses, rigid_fit

Array = NDArray[np.float64]

CLUSTER = np.array([[0.06, 0.05, 0.0], [-0.05, 0.06, 0.02], [-0.06, -0.05, 0.0], [0.05, -0.06, 0.03]])
CENTRE_1 = np.array([0.02, -0.15, 0.05])  # of the joint in the proximal cluster [m]
CENTRE_2 = np.array([-0.03, 0.20, 0.04])  # in the distal cluster [m]
AXIS = np.array([0.2, 0.1, 1.0]) / np.linalg.norm([0.2, 0.1, 1.0])  # of a hinge, in both


def trial(
    rng: np.random.Generator, joint: str, frames: int = 40, noise: float = 1e-3
) -> tuple[Poses, Poses, Array]:
    """Return the poses of both clusters, fitted to noisy markers, and the distal markers in the proximal frame."""
    t = np.linspace(0.0, 1.0, frames)
    base = Rotation.from_rotvec(np.stack([0.2 * np.sin(5 * t), 0.3 * t, 0.1 * np.cos(4 * t)], axis=1))
    origin = np.stack([0.3 * t, 1.0 + 0.05 * np.sin(6 * t), 0.1 * np.cos(3 * t)], axis=1)
    if joint == "ball":
        turn = Rotation.from_rotvec(
            np.stack([0.5 * np.sin(9 * t), 0.3 * np.sin(13 * t + 1), 0.6 * np.cos(11 * t)], axis=1)
        )
    else:
        turn = Rotation.from_rotvec(np.outer(0.6 * np.sin(7 * t), AXIS))
    first = np.einsum("nij,kj->nki", base.as_matrix(), CLUSTER) + origin[:, None]
    centre = np.einsum("nij,j->ni", base.as_matrix(), CENTRE_1) + origin
    distal = (base * turn).as_matrix()
    second = np.einsum("nij,kj->nki", distal, CLUSTER - CENTRE_2) + centre[:, None]
    seen = [x + rng.normal(0.0, noise, x.shape) for x in (first, second)]
    poses = [rigid_fit(x, CLUSTER) for x in seen]
    return poses[0], poses[1], poses[0].inverse(seen[1])
