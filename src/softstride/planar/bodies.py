"""Points and groups of bodies of a motion, seen in the plane, with the rates that the motion has."""

from __future__ import annotations

import numpy as np

from softstride import engine
from softstride.errors import InputError
from softstride.kinematics.motion import Motion
from softstride.model.frame import Point
from softstride.planar.points import Track
from softstride.planar.vectors import Floats, cross, to_complex
from softstride.spatial.vectors import cross as cross3


def tracks(motion: Motion, places: list[str | Point] | list[Point]) -> Track:
    """Return points over time in the plane, with velocities and accelerations."""
    model, q, v, a = motion.model, motion.q, motion.v, motion.a
    T = engine.poses(model, q, places)
    twist = engine.velocities(model, q, v, places)
    rate = engine.accelerations(model, q, v, a, places)
    R = T[..., :3, :3]
    linear = rate[..., 3:] + cross3(twist[..., :3], twist[..., 3:])
    parts = (
        T[..., :3, 3],
        np.einsum("fnij,fnj->fni", R, twist[..., 3:]),
        np.einsum("fnij,fnj->fni", R, linear),
    )
    return Track(*(to_complex(part[..., :2]) for part in parts))


def group_bodies(motion: Motion, groups: list[tuple[str, ...]]) -> tuple[Floats, list[Track], Floats, Floats]:
    """Return masses [kg], centres of mass, moments of inertia [kg·m²] and rates of angular momentum [N·m] of groups.

    Both are about z through the centre of mass, each (n_frames, n). The rate is that of all bodies of a group together,
    which move against each other and may turn out of the plane.

    Raises:
        InputError: A group has no mass.
    """
    masses, centres, inertias, rates = [], [], [], []
    for group in groups:
        bodies = [link for link in motion.model.links if link.name in group]
        mass = np.array([link.inertia.mass for link in bodies])
        if mass.sum() <= 0.0:
            raise InputError(f"{'+'.join(group)!r} has no mass: put it into one group with a body that has.")
        places = [Point(link.name, link.inertia.com) for link in bodies]
        points = tracks(motion, places)
        share = mass / mass.sum()
        centre = Track(*(part @ share for part in points.parts))
        turned = engine.poses(motion.model, motion.q, [link.name for link in bodies])[
            ..., 2, :3
        ]  # z in body axes
        about = np.stack([link.inertia.matrix for link in bodies])
        own = np.einsum("fni,nij,fnj->f", turned, about, turned)
        spin = engine.velocities(motion.model, motion.q, motion.v, places)[..., :3]
        gain = engine.accelerations(motion.model, motion.q, motion.v, motion.a, places)[..., :3]
        turns = np.einsum("nij,fnj->fni", about, gain) + cross3(spin, np.einsum("nij,fnj->fni", about, spin))
        offset = points.place - centre.place[:, None]
        carried = cross(offset, points.acceleration - centre.acceleration[:, None]) @ mass
        rates.append(np.einsum("fni,fni->f", turned, turns) + carried)
        masses.append(mass.sum())
        centres.append(centre)
        inertias.append(own + np.abs(offset) ** 2 @ mass)
    return np.array(masses), centres, np.stack(inertias, axis=1), np.stack(rates, axis=1)
