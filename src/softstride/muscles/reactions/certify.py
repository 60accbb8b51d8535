"""Do reactions obey Newton and Euler? Asked of all that lies beyond each joint, by how each link of it moves."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from softstride.dynamics.socket import links_beyond
from softstride.engine.kinematics import poses
from softstride.engine.newton_euler import needed_by_links
from softstride.engine.places import PlaceLike
from softstride.model.link import WORLD
from softstride.muscles.reactions.joints import GROUND, ModelJoint
from softstride.spatial.vectors import cross

if TYPE_CHECKING:
    from softstride.muscles.reactions.result import JointReactions

Array = NDArray[np.float64]
Frames = NDArray[np.intp]

LEVER = 0.1
"""Times the largest force [m]: moments below are not what a violation is compared with, where all moments vanish."""

_PIECE = 512
"""Frames at once."""


def largest_violation(reactions: JointReactions) -> float:
    """Return the largest violation over joints and frames, relative; see `JointReactions.balance`."""
    known = np.flatnonzero(reactions.known)
    if not len(known):
        return float("nan")
    if not reactions.joints:
        return 0.0
    model = reactions.model
    beyond = [links_beyond(model, joint.cut) for joint in reactions.joints]
    pieces = np.split(known, range(_PIECE, len(known), _PIECE))
    found = [_terms(reactions, beyond, frames) for frames in pieces]
    left, (moment_size, force_size) = (np.max(each, axis=0) for each in zip(*found, strict=True))
    weight = float(np.linalg.norm(model.gravity)) * np.array(
        [sum(model.link(name).mass for name in own) for own in beyond]
    )
    force_size = np.maximum(force_size, weight)
    size = np.stack([np.maximum(moment_size, LEVER * force_size), force_size])
    return float((left / np.where(size > 0.0, size, 1.0)).max())


def _terms(reactions: JointReactions, beyond: list[set[str]], frames: Frames) -> tuple[Array, Array]:
    """Return [moment, force] of each joint, (2, k): what is left in the worst of the frames, and the largest term."""
    model, state = reactions.model, reactions.evidence.state
    q, v, a = state.q[frames], state.v[frames], state.a[frames]
    force, moment, point, outside = _in_world(reactions, frames, q)
    sign = 1.0 if reactions.on == "child" else -1.0
    needed = needed_by_links(model, q, v, a)
    left, size = np.empty((2, len(beyond))), np.empty((2, len(beyond)))
    for i, own in enumerate(beyond):
        links = [j for j, name in enumerate(model.link_names) if name in own]
        acting = [wrench for link, wrench in outside if link in own]
        about_origin = np.stack([needed[:, links].sum(axis=1), *(-wrench for wrench in acting)])
        forces = np.concatenate([about_origin[..., 3:], -sign * force[None, :, i]])
        moments = about_origin[..., :3] - cross(point[:, i], about_origin[..., 3:])
        moments = np.concatenate([moments, -sign * moment[None, :, i]])
        for j, terms in enumerate((moments, forces)):
            left[j, i] = np.linalg.norm(terms.sum(axis=0), axis=1).max()
            size[j, i] = np.linalg.norm(terms, axis=2).max()
    return left, size


def _in_world(
    reactions: JointReactions, frames: Frames, q: Array
) -> tuple[Array, Array, Array, list[tuple[str, Array]]]:
    """Return force, moment and point of all joints, (n, k, 3), and by link what else acts about the origin, (n, 6)."""
    model, evidence = reactions.model, reactions.evidence
    axes = [_axes(joint, name) for joint, name in zip(reactions.joints, reactions.axes, strict=True)]
    places = list(dict.fromkeys([*model.link_names, *axes, *evidence.pulls]))
    T = poses(model, q, places)
    own = T[:, [places.index(place) for place in axes]]
    force, moment, point = (
        np.einsum("nkij,nkj->nki", own[:, :, :3, :3], x[frames])
        for x in (reactions.force, reactions.moment, reactions.point)
    )
    outside = [(wrench.link, wrench.take(frames).about()) for wrench in evidence.applied.values()]
    for link, pull in evidence.pulls.items():
        at, wrench = T[:, places.index(link), :3, 3], pull[frames]
        wrench = np.concatenate([wrench[:, :3] + cross(at, wrench[:, 3:]), wrench[:, 3:]], axis=1)
        outside.append((link, wrench))
    return force, moment, point + own[:, :, :3, 3], outside


def _axes(joint: ModelJoint, name: str) -> PlaceLike:
    if name == GROUND:
        return WORLD
    if name == joint.child:
        return joint.child_axes
    return joint.parent_axes if name == joint.parent else name
