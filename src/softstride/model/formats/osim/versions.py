"""Where the formats differ: joints inside bodies (3.x), or in a set of their own with offset frames (4.x)."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from xml.etree.ElementTree import Element

import numpy as np

from softstride.errors import ModelError
from softstride.model.checks import FloatArray
from softstride.model.formats.osim.context import Context
from softstride.model.formats.osim.frames import euler_pose
from softstride.model.link import WORLD
from softstride.notes import Note

OLDEST = 20000
"""First version whose layout is read; earlier ones are SIMM-like and have no OpenSim 4 counterpart."""

NEWEST = 50000
"""First version that is too new."""

MAX_JOINTS = 5000
"""Most joints that are read."""


@dataclass(frozen=True)
class JointData:
    """A joint as the file has it: T_parent_child = T_parent · joint(q) · T_child⁻¹.

    Attributes:
        name: Its name.
        kind: Its class in OpenSim, for example "PinJoint".
        element: Its element.
        parent: Link on the parent side.
        T_parent: Pose of the joint frame on the parent link, shape (4, 4), [m].
        child: Link on the child side.
        T_child: Pose of the joint frame on the child link, shape (4, 4), [m].
        coordinates: Elements of its coordinates, in order.
    """

    name: str
    kind: str
    element: Element
    parent: str
    T_parent: FloatArray
    child: str
    T_child: FloatArray
    coordinates: tuple[Element, ...]


def open_document(root: Element, path: str | Path, repairs: Iterable[Note] = ()) -> Context:
    """Return the context of a document; `repairs` are notes on what was repaired in its text.

    Raises:
        ModelError: The root is no OpenSim document, it holds no model, or its version is unknown.
    """
    if root.tag != "OpenSimDocument":
        raise ModelError(
            f"must be an <OpenSimDocument>, however its root is <{root.tag[:60]}>; is it an OpenSim model?",
            file=path,
        )
    model = root.find("Model")
    if model is None:
        held = ", ".join(f"<{child.tag[:60]}>" for child in list(root)[:3]) or "nothing"
        raise ModelError(
            f"holds no <Model>, however it holds {held}", file=path, fix="give the file of the model itself."
        )
    word = root.get("Version", "").strip()
    version = int(word) if re.fullmatch(r"[0-9]{5,6}", word) else 0
    if not OLDEST <= version < NEWEST:
        raise ModelError(
            f"Version must be from {OLDEST} to {NEWEST - 1}, however it is {word[:20]!r}",
            file=path,
            fix="open the model in OpenSim 4 and save it again.",
        )
    return Context(model, version, path, repairs)


def read_joints(context: Context) -> list[JointData]:
    """Return all joints in the order of the file.

    Raises:
        ModelError: A frame that does not exist, two joints with one name, no joint at all.
    """
    if not context.frames.bodies:
        raise ModelError("has no body; a model needs one at least.", file=context.path)
    joints = [*_joints_in_bodies(context), *_joints_in_sets(context)]
    joints += _free_joints(context, joints)
    seen: set[str] = set()
    for joint in joints:
        if joint.name in seen:
            raise context.error(joint.element, "exists twice; give each joint its own name.")
        seen.add(joint.name)
        if joint.parent == joint.child:
            raise context.error(joint.element, f"joins {joint.parent!r} to itself.")
    if len(joints) > MAX_JOINTS:
        raise ModelError(f"has {len(joints)} joints; at most {MAX_JOINTS} are read.", file=context.path)
    return joints


def _joints_in_bodies(context: Context) -> Iterator[JointData]:
    """Format 3: <Body><Joint><PinJoint>, the body itself being the child."""
    for body in context.frames.bodies.values():
        for holder in body.findall("Joint"):
            for element in holder:
                yield _old_joint(context, element, context.name(body))


def _old_joint(context: Context, element: Element, child: str) -> JointData:
    parent, T_base = context.link_of(context.text(element, "parent_body"), element)
    T_parent = T_base @ euler_pose(
        context.vector(element, "location_in_parent"), context.vector(element, "orientation_in_parent")
    )
    T_child = euler_pose(context.vector(element, "location"), context.vector(element, "orientation"))
    coordinates = tuple(context.objects("CoordinateSet", element))
    ends = [(parent, T_parent), (child, T_child)]
    if context.boolean(element, "reverse", False):  # its transform leads from the child to the parent
        ends.reverse()
    return JointData(
        element.get("name", "").strip() or f"joint_{child}",
        element.tag,
        element,
        *ends[0],
        *ends[1],
        coordinates,
    )


def _joints_in_sets(context: Context) -> Iterator[JointData]:
    """Format 4: <JointSet>, and joints among the components of the model."""
    for element in (*context.objects("JointSet"), *context.components("Joint")):
        ends = []
        for end in ("parent_frame", "child_frame"):
            reference = context.socket(element, end)
            if reference is None:
                raise context.error(element, f"has no <socket_{end}>; name the frame.")
            ends.append(context.link_of(reference, element))
        coordinates = tuple(child for holder in element.findall("coordinates") for child in holder)
        yield JointData(context.name(element), element.tag, element, *ends[0], *ends[1], coordinates)


def _free_joints(context: Context, joints: list[JointData]) -> Iterator[JointData]:
    """Yield a free joint to the ground for each body that hangs on nothing, as OpenSim adds them."""
    children = {joint.child for joint in joints}
    near: dict[str, list[str]] = {}
    for joint in joints:
        near.setdefault(joint.parent, []).append(joint.child)
        near.setdefault(joint.child, []).append(joint.parent)
    reached: set[str] = set()
    _reach(WORLD, near, reached)
    for name, body in context.frames.bodies.items():
        if name not in reached and name not in children:
            context.note(
                "osim.body-set-free",
                f"{context.label(body)} hangs on nothing and got a free joint to the ground, as in OpenSim",
                body,
            )
            yield JointData(f"free_{name}", "FreeJoint", body, WORLD, np.eye(4), name, np.eye(4), ())
            _reach(name, near, reached)


def _reach(start: str, near: dict[str, list[str]], reached: set[str]) -> None:
    """Add all that is joined to a body to `reached`."""
    waiting = [start]
    while waiting:
        here = waiting.pop()
        if here not in reached:
            reached.add(here)
            waiting += near.get(here, [])
