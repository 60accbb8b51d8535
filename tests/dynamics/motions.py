"""Motions of small people with exact rates, and forces under their feet, for the tests of inverse dynamics."""

import numpy as np
from tests.kinematics.scaling.people import walker

from softstride.capture import ExternalForce, Recording
from softstride.engine import positions
from softstride.kinematics import Motion
from softstride.model import Axis, ModelBuilder

N, RATE = 50, 100.0

EXACT = 1e-9  # of the largest number in the comparison

ROOTS = ["free", "custom"]


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


def about_feet(model, motion, recording):
    """Return the wrenches of `pushed` about the origins of the feet, by link."""
    found = {}
    for force in recording.forces:
        link = f"foot_{force.side[0]}"
        arm = force.point - positions(model, motion.q, link)
        found[link] = np.concatenate([force.moment + np.cross(arm, force.force), force.force], axis=1)
    return found


__all__ = ["RATE", "N", "about_feet", "pushed", "swinging", "walker"]


def force(time, f, point=None, moment=None, name="plate", **fields):
    """Return a force of given columns; the point is at the origin and the moment zero unless given."""
    f = np.asarray(f, dtype=float)
    point = np.zeros_like(f) if point is None else point
    return ExternalForce(name, time, f, point, np.zeros_like(f) if moment is None else moment, **fields)


def agree(found, expected, tolerance=EXACT):
    scale = np.max(np.abs(expected))
    assert found.shape == expected.shape
    assert np.max(np.abs(found - expected)) < tolerance * scale


def planar():
    """Return somebody who moves in a plane: three coordinates of the base."""
    builder = ModelBuilder("planar")
    builder.custom(
        "trunk",
        rotations=(Axis.along((0, 0, 1), "tilt"), Axis((1, 0, 0)), Axis((0, 1, 0))),
        translations=(Axis.along((1, 0, 0), "tx"), Axis.along((0, 1, 0), "ty"), Axis((0, 0, 1))),
        mass=30.0,
        com=(0, 0.2, 0),
        inertia=(1, 1, 1),
    )
    builder.revolute(
        "foot_r", parent="trunk", axis=(0, 0, 1), position=(0, -0.9, 0), mass=2.0, com=(0.1, 0, 0)
    )
    return builder.build()
