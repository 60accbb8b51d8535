"""Motions, recordings and forces that several rooms test with; what is cached is constant, as its arrays are.

`swinging` and `pushed` have exact rates and random forces; `recorded` is what cameras make of poses.
"""

from functools import cache
from pathlib import Path

import numpy as np
from tests.models import the_model, walker

from softstride.capture import ExternalForce, Points, Recording, read
from softstride.digital_athlete import AthleteTrial, load_athlete
from softstride.engine import positions
from softstride.kinematics import Motion, read_motion
from softstride.model import Model

N, RATE = 50, 100.0
"""Frames of a swinging person, and how many a second [Hz]."""


_load = cache(load_athlete)


def the_athlete(trial: str = "running", *, noise: bool = True, artefact: bool = True) -> AthleteTrial:
    """Return a trial of the digital athlete."""
    return _load(trial, noise=noise, artefact=artefact)


def swinging(model, n=N, rate=RATE, seed=3, amplitude=0.2):
    """Return a Motion with sines in every coordinate and exact v and a; a free root turns about a fixed axis."""
    rng = np.random.default_rng(seed)
    t = np.arange(n) / rate
    omega = rng.uniform(3.0, 8.0, model.nv)
    phase, size = rng.uniform(0.0, 6.0, model.nv), amplitude * rng.uniform(0.3, 1.0, model.nv)
    angle = np.outer(t, omega) + phase
    x, dx, ddx = size * np.sin(angle), size * omega * np.cos(angle), -size * omega**2 * np.sin(angle)
    q, v, a = np.tile(model.neutral(), (n, 1)), dx.copy(), ddx.copy()
    if model.nq == model.nv:
        q = q + x
    else:  # free root first: position, quaternion
        axis = np.array([0.48, 0.6, 0.64])
        half = 0.5 * x[:, :1]
        q[:, :3], q[:, 3:6], q[:, 6:7] = x[:, 3:6], axis * np.sin(half), np.cos(half)
        v[:, :3], a[:, :3] = axis * dx[:, :1], axis * ddx[:, :1]
        K = np.array([[0, -axis[2], axis[1]], [axis[2], 0, -axis[0]], [-axis[1], axis[0], 0]])
        R = np.eye(3) + np.sin(x[:, :1, None]) * K + (1.0 - np.cos(x[:, :1, None])) * (K @ K)
        v[:, 3:6] = np.einsum("nji,nj->ni", R, dx[:, 3:6])
        a[:, 3:6] = np.einsum("nji,nj->ni", R, ddx[:, 3:6]) - np.cross(v[:, :3], v[:, 3:6])
        q[:, 7:] = q[:, 7:] + x[:, 6:]
    return Motion(model, t, q, rates=(v, a))


def pushed(model, motion, *, seed=5, **fields):
    """Return a recording of two forces, near the feet, with points and moments that vary from frame to frame."""
    rng = np.random.default_rng(seed)
    forces = []
    for side, letter in (("right", "r"), ("left", "l")):
        at = positions(model, motion.q, f"foot_{letter}") + rng.normal(scale=0.03, size=(len(motion), 3))
        f = rng.normal(scale=100.0, size=(len(motion), 3)) + np.array([0.0, 300.0, 0.0])
        m = rng.normal(scale=10.0, size=(len(motion), 3))
        forces.append(ExternalForce(f"plate {side}", motion.time, f, at, m, side=side, **fields))
    return Recording("trial", ("trial.mot",), forces=tuple(forces))


@cache
def recorded_walk(data: Path) -> tuple[Model, Motion, Recording]:
    """Return OpenSim's walk of one person over plates from the folder of recordings: model, motion and forces."""
    folder = data / "walk_gait2354"
    model = the_model(folder / "subject01_simbody.osim")
    motion = read_motion(folder / "reference" / "subject01_walk1_ik.mot", model)
    return model, motion, read(folder / "subject01_walk1_grf.xml")


@cache
def pushed_walker(root: str = "custom") -> tuple[Model, Motion, Recording]:
    """Return a walker that swings, its motion, and the forces that push it."""
    model = walker(root)
    motion = swinging(model)
    return model, motion, pushed(model, motion)


def about_feet(model, motion, recording):
    """Return the wrenches of `pushed` about the origins of the feet, by link."""
    found = {}
    for force in recording.forces:
        link = f"foot_{force.side[0]}"
        arm = force.point - positions(model, motion.q, link)
        found[link] = np.concatenate([force.moment + np.cross(arm, force.force), force.force], axis=1)
    return found


def force(time, f, point=None, moment=None, name="plate", **fields):
    """Return a force of given columns; the point is at the origin and the moment zero unless given."""
    f = np.asarray(f, dtype=float)
    point = np.zeros_like(f) if point is None else point
    return ExternalForce(name, time, f, point, np.zeros_like(f) if moment is None else moment, **fields)


def smooth(t):
    """Return force, point and moment, (n, 3) each, that change smoothly."""
    f = np.stack([np.sin(9 * t), 5 + np.cos(7 * t), t**2], axis=1)
    p = np.stack([0.1 * t, 0.01 * np.sin(5 * t), 0.02 * t**2], axis=1)
    return f, p, np.stack([t, 2 * t, np.sin(t)], axis=1)


def recorded(model: Model, q, *, noise: float = 0.0, seed: int = 0) -> Recording:
    """Return a recording of the markers in poses q, shape (n, nq), with noise [m]."""
    q = np.atleast_2d(q)
    at = positions(model, q, list(model.markers))
    at = at + np.random.default_rng(seed).normal(scale=noise, size=at.shape) if noise else at
    return Recording("static", markers=Points(np.arange(len(q)) / 100.0, tuple(model.markers), at))


def standing(model: Model, n: int = 20, *, turn: float = 0.2, seed: int = 1):
    """Return n poses of somebody who stands nearly still, shape (n, nq), facing `turn` [rad] off x."""
    rng = np.random.default_rng(seed)
    q = np.tile(model.neutral(), (n, 1))
    names = list(model.coordinate_names)
    if "heading" in names:
        q[:, names.index("heading")] = turn
        q[:, names.index("ty")] = 0.95
    else:
        q[:, :3] = (0.3, 0.95, -0.2)
        q[:, 3:7] = (0.0, np.sin(turn / 2), 0.0, np.cos(turn / 2))
    first = model.nq - 10
    q[:, first:] += 0.08 * rng.normal(size=10) + 0.002 * rng.normal(size=(n, 10))
    return q
