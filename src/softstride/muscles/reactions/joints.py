"""The joints of a model: between which links each is, what it is called, and where its two frames are.

A link hangs on its parent by a joint that starts at the placement, F, fixed on the parent, and ends at M, fixed on the
link: T_world_link = T_world_parent · placement · joint(q) · offset, so that M stands in the link at offset⁻¹. A joint
that takes several links, those in between without mass, is one joint from the parent of the first to the last.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from weakref import WeakKeyDictionary

import numpy as np

from softstride.engine.places import PlaceLike
from softstride.errors import InputError
from softstride.model.checks import names_hint
from softstride.model.frame import Frame
from softstride.model.link import WORLD, Link
from softstride.model.model import Model
from softstride.spatial import se3

GROUND = "ground"
"""What OpenSim calls the world."""


@dataclass(frozen=True, eq=False)
class ModelJoint:
    """A joint.

    Attributes:
        name: Its name; that of the link where it has none.
        parent: Name of the link that it hangs on; "world" for a root.
        child: Name of the link that it carries.
        cut: Name of the link whose joint is cut: the first that the joint moves.
        parent_frame: F, on the parent; of a link on a rod, on the section that it hangs at.
        child_frame: M, on the child; of a rod, which is all joint, its base.
        parent_axes: Frame of the parent, or of that section.
        child_axes: Frame of the child; of a rod, its base.
    """

    name: str
    parent: str
    child: str
    cut: str
    parent_frame: Frame
    child_frame: Frame
    parent_axes: PlaceLike
    child_axes: PlaceLike


_joints: WeakKeyDictionary[Model, tuple[ModelJoint, ...]] = WeakKeyDictionary()


def joints_of(model: Model) -> tuple[ModelJoint, ...]:
    """Return the joints of a model in the order of their links, made once for a model."""
    found = _joints.get(model)
    if found is None:
        found = _joints[model] = _find(model)
    return found


def _find(model: Model) -> tuple[ModelJoint, ...]:
    inner = {link.parent for link in model.links if _continues(model, link)}
    ends = [link for link in model.links if link.name not in inner]
    named = [link.joint_name for link in ends if link.joint_name]
    return tuple(_joint(model, link, named.count(link.joint_name) == 1) for link in ends)


def _continues(model: Model, link: Link) -> bool:
    """Return whether the joint of a link goes on from that of its parent, which is nothing but a part of it."""
    if not link.joint_name or link.parent == WORLD:
        return False
    parent = model.link(link.parent)
    alone = len(model.children(parent.name)) == 1
    return parent.joint_name == link.joint_name and parent.mass == 0.0 and alone


def _joint(model: Model, last: Link, own_name: bool) -> ModelJoint:
    first = last
    while _continues(model, first):
        first = model.link(first.parent)
    start = Frame(first.parent, first.placement[:3, 3], first.placement[:3, :3], at=first.at)
    parent_axes: PlaceLike = first.parent if first.at is None else Frame(first.parent, at=first.at)
    end, axes = start, start
    if not last.soft and last.joint.nv:
        back = se3.inverse(np.asarray(last.offset))
        end = Frame(last.name, back[:3, 3], back[:3, :3])
    return ModelJoint(
        last.joint_name if own_name and last.joint_name else last.name,
        first.parent,
        last.name,
        first.name,
        start,
        end,
        parent_axes,
        axes if last.soft else last.name,
    )


def chosen_joints(model: Model, names: Iterable[str] | str | None) -> tuple[ModelJoint, ...]:
    """Return joints by their names, or by those of the links that they carry; None: all.

    Raises:
        InputError: An unknown name, or one twice.
    """
    every = joints_of(model)
    if names is None:
        return every
    wanted = (names,) if isinstance(names, str) else tuple(names)
    by_name = {joint.child: joint for joint in every} | {joint.name: joint for joint in every}
    found: dict[str, ModelJoint] = {}
    for name in wanted:
        joint = by_name.get(name)
        if joint is None:
            raise InputError(
                f"{name!r} is no joint of {model.name!r}; joints are {names_hint([each.name for each in every], name)}"
            )
        if joint.name in found:
            raise InputError(f"joint {joint.name!r} is asked for twice")
        found[joint.name] = joint
    return tuple(found.values())


def body_name(link: str) -> str:
    """Return the name of a link as OpenSim has it: "ground" for the world."""
    return GROUND if link == WORLD else link
