"""Do reactions obey Newton and Euler? Asked of all that lies beyond each joint, by the rate of its momentum."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from softstride.dynamics.socket import links_beyond, needed_beyond
from softstride.engine.kinematics import poses
from softstride.engine.places import PlaceLike
from softstride.muscles.reactions.joints import GROUND, ModelJoint
from softstride.spatial.vectors import cross

if TYPE_CHECKING:
    from softstride.muscles.reactions.result import JointReactions

Array = NDArray[np.float64]

LEVER = 0.1
"""Times the largest force [m]: moments below are not what a violation is compared with, where all moments vanish."""


def largest_violation(reactions: JointReactions) -> float:
    """Return the largest violation over joints and frames, relative; see `JointReactions.balance`."""
    known = np.flatnonzero(reactions.known)
    if not len(known):
        return float("nan")
    return max((_violation(reactions, i, known) for i in range(len(reactions.joints))), default=0.0)


def _violation(reactions: JointReactions, i: int, known: NDArray[np.intp]) -> float:
    model, joint, state = reactions.model, reactions.joints[i], reactions.evidence.state
    force, moment, point = (_in_world(reactions, i, part) for part in range(3))
    sign = 1.0 if reactions.on == "child" else -1.0
    terms = [_about(needed_beyond(model, state, joint.cut), point)]
    beyond = links_beyond(model, joint.cut)
    applied = (wrench for wrench in reactions.evidence.applied.values() if wrench.link in beyond)
    terms += [-_about(wrench.about(), point) for wrench in applied]
    for link, pull in reactions.evidence.pulls.items():
        if link in beyond:
            arm = poses(model, state.q, link)[:, :3, 3] - point
            terms.append(-np.concatenate([pull[:, :3] + cross(arm, pull[:, 3:]), pull[:, 3:]], axis=1))
    terms.append(-sign * np.concatenate([moment, force], axis=1))
    parts = np.stack(terms)[:, known].reshape(len(terms), len(known), 2, 3)
    left = np.linalg.norm(parts.sum(axis=0), axis=2).max(axis=0)
    moment_size, force_size = np.linalg.norm(parts, axis=3).max(axis=(0, 1))
    weight = sum(model.link(name).mass for name in beyond) * float(np.linalg.norm(model.gravity))
    force_size = max(force_size, weight)
    size = np.array([max(moment_size, LEVER * force_size), force_size])
    return float((left / np.where(size > 0.0, size, 1.0)).max())


def _in_world(reactions: JointReactions, i: int, part: int) -> Array:
    """Return force, moment or point of a joint in world axes, (n, 3)."""
    own = (reactions.force, reactions.moment, reactions.point)[part][:, i]
    axes = _axes(reactions.joints[i], reactions.axes[i])
    if axes is None:
        return np.asarray(own)
    T = poses(reactions.model, reactions.evidence.state.q, axes)
    turned = np.einsum("nij,nj->ni", T[:, :3, :3], own)
    return np.asarray(turned + T[:, :3, 3] if part == 2 else turned)


def _axes(joint: ModelJoint, name: str) -> PlaceLike | None:
    if name == GROUND:
        return None
    if name == joint.child:
        return joint.child_axes
    return joint.parent_axes if name == joint.parent else name


def _about(wrench: Array, point: Array) -> Array:
    """Return a wrench about the world's origin about a point."""
    return np.concatenate([wrench[:, :3] - cross(point, wrench[:, 3:]), wrench[:, 3:]], axis=1)
