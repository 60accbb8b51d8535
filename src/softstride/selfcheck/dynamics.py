"""Checks of loads: what is known beforehand of a person who stands, and of forces that are put on a motion."""

from __future__ import annotations

import numpy as np

from softstride import engine
from softstride.dynamics import Loads, estimate_loads, solve_id
from softstride.kinematics import Motion
from softstride.model import Model
from softstride.model.load import load_model
from softstride.selfcheck.kinematics import moving

FRAMES = 40
RATE = 100.0


def standing() -> Loads:
    """Return the loads of the gait person at rest."""
    model = load_model("gait")
    q = np.tile(model.neutral(), (FRAMES, 1))
    return estimate_loads(model, Motion(model, np.arange(FRAMES) / RATE, q))


def weight() -> float:
    """Return the upward force on a person at rest, in body weights."""
    loads = standing()
    carried = sum(wrench.force[:, 1].mean() for wrench in loads.wrenches.values())
    return float(carried / _weight(loads.model))


def balance() -> float:
    """Return how far in front of the centre of mass the ground carries a person at rest [m]."""
    loads = standing()
    force = np.stack([wrench.force[:, 1] for wrench in loads.wrenches.values()])
    ahead = np.stack([wrench.point[:, 0] for wrench in loads.wrenches.values()])
    centre = engine.centre_of_mass(loads.model, loads.model.neutral())
    return float((force * ahead).sum() / force.sum() - centre[0])


def cones() -> float:
    """Return the most by which a force of a wild motion leaves its friction cone, in body weights."""
    model = load_model("gait")
    motion = Motion(model, np.arange(FRAMES) / RATE, moving(model, FRAMES))
    loads = estimate_loads(model, motion, lowpass=None)
    if loads.ground is None:
        return float("nan")
    return float(max(0.0, -loads.ground.friction_margin.min()) / _weight(model))


def base() -> float:
    """Return the largest error of a base residual against the momentum of the whole body [N], without any force."""
    model = load_model("gait")
    motion = Motion(model, np.arange(FRAMES) / RATE, moving(model, FRAMES))
    residual = solve_id(model, motion).residual[:, 3:]
    a = engine.accelerations(model, motion.q, motion.v, motion.a)
    twist = engine.velocities(model, motion.q, motion.v)
    T = engine.poses(model, motion.q)
    total = np.zeros_like(residual)
    for i, link in enumerate(model.links):
        c, w, dw = link.inertia.com, twist[:, i, :3], a[:, i, :3]
        body = a[:, i, 3:] + np.cross(w, twist[:, i, 3:]) + np.cross(dw, c) + np.cross(w, np.cross(w, c))
        total += link.inertia.mass * (np.einsum("nij,nj->ni", T[:, i, :3, :3], body) - model.gravity)
    return float(np.abs(residual - total).max())


def _weight(model: Model) -> float:
    return model.mass * float(np.linalg.norm(model.gravity))
