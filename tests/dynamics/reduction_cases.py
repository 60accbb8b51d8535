"""People whose motion one force explains, and what can be put wrong with them, for the tests of residual reduction."""

from dataclasses import replace

import numpy as np
from tests.models import walker
from tests.trials import swinging

from softstride import engine
from softstride.capture import ExternalForce, Recording
from softstride.dynamics import solve_id
from softstride.kinematics import Motion
from softstride.spatial.quaternion import matrix_to_quat

FRAMES, RATE = 150, 100.0


def true_motion(root, amplitude=0.3):
    """Return somebody with their motion; that of the free root is that of the custom one."""
    custom = walker("custom")
    motion = swinging(custom, n=FRAMES, rate=RATE, amplitude=amplitude)
    return (custom, motion) if root == "custom" else freed(motion)


def freed(motion):
    """Return the walker on a free joint, and the same motion of it."""
    model, free = motion.model, walker("free")
    T = engine.poses(model, motion.q, "trunk")
    q = np.concatenate([T[:, :3, 3], matrix_to_quat(T[:, :3, :3]), motion.q[:, 6:]], axis=1)
    v = np.concatenate([engine.velocities(model, motion.q, motion.v, "trunk"), motion.v[:, 6:]], axis=1)
    rates = engine.accelerations(model, motion.q, motion.v, motion.a, "trunk")
    a = np.concatenate([rates, motion.a[:, 6:]], axis=1)
    return free, Motion(free, motion.time, q, rates=(v, a))


def explained(model, motion, base="trunk", **fields):
    """Return a recording of the one force that explains a motion: with it, nothing is left for the base."""
    W = solve_id(model, motion).residual
    down = np.array([0.05, -0.95, 0.02])  # near the ground
    at = engine.positions(model, motion.q, base) + down
    moment = W[:, :3] - np.cross(down, W[:, 3:])
    force = ExternalForce("all", motion.time, W[:, 3:], at, moment, body=base, **fields)
    return Recording("trial", ("trial.mot",), forces=(force,))


def with_masses(model, factors, centres):
    """Return a model with other masses, inertia in proportion, and moved centres."""
    links = []
    for link in model.links:
        old, factor = link.inertia, factors.get(link.name, 1.0)
        com = np.add(old.com, centres.get(link.name, np.zeros(3)))
        links.append(
            replace(link, inertia=replace(old, mass=factor * old.mass, com=com, matrix=factor * old.matrix))
        )
    return model.replace(links=tuple(links))


def of(model, motion):
    return Motion(model, motion.time, motion.q, rates=(motion.v, motion.a))


def offset(motion, **sines):
    """Return a motion with a sine of size and frequency [Hz] taken from some plain coordinates, exact rates."""
    q, v, a = motion.q.copy(), motion.v.copy(), motion.a.copy()
    for name, (size, hertz) in sines.items():
        i, w = motion.model.coordinate_names.index(name), 2.0 * np.pi * hertz
        q[:, i] -= size * np.sin(w * motion.time)
        v[:, i] -= size * w * np.cos(w * motion.time)
        a[:, i] += size * w**2 * np.sin(w * motion.time)
    return Motion(motion.model, motion.time, q, rates=(v, a))
