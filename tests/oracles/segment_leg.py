"""The reference limb as a tree of links for the engine: a floating thigh, a shank and a foot on ball joints."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from softstride.model import Model, ModelBuilder
from softstride.segments.reference import ReferenceLimb
from softstride.segments.triad import orthonormal_frame
from softstride.spatial import matrix_to_quat, vee

Array = NDArray[np.float64]


def engine_leg(limb: ReferenceLimb) -> tuple[Model, Array, Array, Array, dict[Any, Array]]:
    """Return model, configuration, velocity, acceleration and external wrench of the limb.

    Link frames are the orthonormal segment frames at the proximal ends.
    """
    foot, shank, thigh = limb.segments
    builder = ModelBuilder("leg", gravity=limb.gravity)
    places = {"shank": -thigh.triad.basis[:, 1], "foot": -shank.triad.basis[:, 1]}
    for segment, parent in ((thigh, "world"), (shank, "thigh"), (foot, "shank")):
        body = {"mass": segment.mass, "com": segment.com, "inertia": segment.inertia}
        if parent == "world":
            builder.free(segment.name, **body)
        else:
            builder.spherical(segment.name, parent, position=places[segment.name], **body)
    R, omega, alpha = {}, {}, {}
    for name, motion in limb.motion.items():
        jet = motion.jet()
        segment = next(s for s in limb.segments if s.name == name)
        frames = [
            np.stack([q[:, 0], q[:, 1] - q[:, 2], q[:, 3]], axis=-1) @ segment.triad.inverse
            for q in (jet.x, jet.d, jet.dd)
        ]
        R[name] = orthonormal_frame(motion.forward, motion.long)
        back = np.swapaxes(frames[0], -1, -2)
        omega[name], alpha[name] = vee(frames[1] @ back), vee(frames[2] @ back)
    q, v, a = [], [], []
    jet = limb.motion["thigh"].jet()
    q += [jet.x[:, 1], matrix_to_quat(R["thigh"])]
    turn, speed = local(R["thigh"], omega["thigh"]), local(R["thigh"], jet.d[:, 1])
    v += [turn, speed]
    a += [local(R["thigh"], alpha["thigh"]), local(R["thigh"], jet.dd[:, 1]) - np.cross(turn, speed)]
    for name, parent in (("shank", "thigh"), ("foot", "shank")):
        q.append(matrix_to_quat(np.swapaxes(R[parent], -1, -2) @ R[name]))
        v.append(local(R[name], omega[name] - omega[parent]))
        a.append(local(R[name], alpha[name] - alpha[parent] + np.cross(omega[name], omega[parent])))
    (ground,) = limb.external
    at_ankle = ground.about(limb.motion["foot"].proximal)
    model = builder.build()
    return model, np.hstack(q), np.hstack(v), np.hstack(a), {"foot": at_ankle}


def local(rotation: Array, vector: Array) -> Array:
    """Return vectors of the world in the axes of a link."""
    return np.asarray(np.einsum("nji,nj->ni", rotation, vector))
