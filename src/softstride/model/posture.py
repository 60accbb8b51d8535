"""Where the links are in the default pose, one link after the other; for motions there is the engine."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from softstride.model.checks import FloatArray
from softstride.model.contact_shape import ContactSphere
from softstride.model.frame import Frame, Point
from softstride.model.joints import Axis, Custom, Fixed, Joint, Prismatic, Revolute
from softstride.model.link import WORLD
from softstride.model.model import Model
from softstride.model.rod import Rod
from softstride.spatial import se3, so3


def default_poses(model: Model) -> dict[str, FloatArray]:
    """Return T_world_link, shape (4, 4), [m], of every link with each coordinate at its default.

    T_world_link = T_world_parent · placement · joint(q) · offset, link by link from the roots.
    """
    return {name: T for name, (_, T) in _walk(model).items()}


def default_positions(model: Model) -> dict[str, FloatArray]:
    """Return the world positions, shape (3,), [m], of all markers in the default pose, by name."""
    walked = _walk(model)
    return {name: _position(model, walked, point) for name, point in model.markers.items()}


def height_of(model: Model) -> float | None:
    """Return how high the model is in its default pose [m]; None where gravity does not say what high is.

    From the lowest to the highest of its link origins, markers, named frames and contact spheres, against gravity.
    """
    g = float(np.linalg.norm(model.gravity))
    if g == 0.0 or not model.links:
        return None
    up = -model.gravity / g
    walked = _walk(model)
    low, high = [], []
    for _, T in walked.values():
        low.append(up @ T[:3, 3])
        high.append(low[-1])
    for place in (*model.markers.values(), *model.frames.values()):
        if place.link != WORLD:
            low.append(up @ _position(model, walked, place))
            high.append(low[-1])
    for shape in model.contacts.values():
        if isinstance(shape, ContactSphere) and shape.link != WORLD:
            centre = up @ _position(model, walked, shape)
            low.append(centre - shape.radius)
            high.append(centre + shape.radius)
    return float(max(high) - min(low))


Walk = dict[str, tuple[FloatArray, FloatArray]]  # link -> base of its joint, link frame


def _walk(model: Model) -> Walk:
    walked: Walk = {}
    for link in model.links:
        base = _hook(model, walked, link.parent, link.at) @ link.placement
        q = np.array([model.coordinates[name].default for name in link.coordinate_names])
        walked[link.name] = base, base @ joint_pose(link.joint, q, link.coordinate_names) @ link.offset
    return walked


def _hook(model: Model, walked: Walk, link: str, at: float | None) -> FloatArray:
    """Return the frame of a link, or of a section of a rod."""
    if link == WORLD:
        return np.eye(4)
    base, tip = walked[link]
    rod = model.link(link).joint
    if at is None or not isinstance(rod, Rod):
        return tip
    q = np.array([model.coordinates[name].default for name in model.link(link).coordinate_names])
    last, rest = rod.locate(at)
    return base @ _bent(rod, q, last, rest)


def _position(model: Model, walked: Walk, point: Point | Frame | ContactSphere) -> FloatArray:
    T = _hook(model, walked, point.link, point.at)
    return T[:3, :3] @ point.position + T[:3, 3]


def joint_pose(joint: Joint, q: FloatArray, names: Sequence[str] = ()) -> FloatArray:
    """Return T_base_moving = joint(q), shape (4, 4), [m].

    Args:
        joint: Any joint.
        q: Values of its coordinates, shape (n,) [rad] or [m]; a rotation vector in place of a quaternion.
        names: Their names, which only a custom joint needs, in the same order.
    """
    T = np.eye(4)
    if isinstance(joint, Fixed):
        return T
    if isinstance(joint, Rod):
        return _bent(joint, q, len(joint.segments) - 1, joint.segments[-1].length)
    if isinstance(joint, Revolute):
        T[:3, :3] = so3.exp(joint.axis * q[0])
    elif isinstance(joint, Prismatic):
        T[:3, 3] = joint.axis * q[0]
    elif isinstance(joint, Custom):
        values = dict(zip(names, q, strict=True))
        for axis in joint.rotations:
            T[:3, :3] = T[:3, :3] @ so3.exp(axis.direction * _amount(axis, values))
        T[:3, 3] = sum((axis.direction * _amount(axis, values) for axis in joint.translations), np.zeros(3))
    else:  # spherical and free: rotation vector, then position
        T[:3, :3] = so3.exp(q[:3])
        T[:3, 3] = q[3:] if len(q) == 6 else 0.0
    return T


def _amount(axis: Axis, values: dict[str, np.float64]) -> float:
    return sum(float(function(values.get(name, np.float64(0.0)))) for name, function in axis.terms)


def _bent(rod: Rod, q: FloatArray, last: int, rest: float) -> FloatArray:
    """Return the pose, in the base of a rod, of its section at `rest` [m] inside segment `last`."""
    T, start = np.eye(4), 0
    for i, segment in enumerate(rod.segments[: last + 1]):
        strain = segment.reference.copy()
        strain[list(segment.free_indices)] += q[start : start + len(segment.free)]
        start += len(segment.free)
        T = T @ se3.exp(strain * (rest if i == last else segment.length))
    return T
