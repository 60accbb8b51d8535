"""Segments against our own engine: the reference limb as a tree of links has the same forces and moments."""

import numpy as np
from tests.oracles.segment_leg import engine_leg

from softstride import engine
from softstride.segments import inverse_dynamics, reference_limb
from softstride.segments.triad import orthonormal_frame


def test_the_engine_finds_the_same_loads() -> None:
    limb = reference_limb(np.linspace(0.0, 1.0, 60))
    model, q, v, a, pushes = engine_leg(limb)
    tau = engine.inverse_dynamics(model, q, v, a, pushes)
    loads = inverse_dynamics(limb.segments, limb.motion, limb.external, gravity=limb.gravity)
    scale = np.abs(loads.moment).max()
    for name, columns in (("thigh", slice(0, 3)), ("shank", slice(6, 9)), ("foot", slice(9, 12))):
        motion = limb.motion[name]
        frame = orthonormal_frame(motion.forward, motion.long)
        world = np.einsum("nij,nj->ni", frame, tau[:, columns])
        assert np.abs(world - loads.moment_on(name)).max() < 1e-11 * scale
    frame = orthonormal_frame(limb.motion["thigh"].forward, limb.motion["thigh"].long)
    force = np.einsum("nij,nj->ni", frame, tau[:, 3:6])
    assert np.abs(force - loads.force_on("thigh")).max() < 1e-11 * np.abs(force).max()
