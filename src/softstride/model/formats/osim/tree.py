"""The tree of links: every body hangs on the ground through joints, some of them run through backwards."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence

import numpy as np

from softstride.model.checks import FloatArray
from softstride.model.formats.osim import bodies
from softstride.model.formats.osim.context import Context
from softstride.model.formats.osim.joints import ANGULAR, read_motion
from softstride.model.formats.osim.motions import Step, inverse, reverse
from softstride.model.formats.osim.versions import JointData
from softstride.model.inertia import Inertia
from softstride.model.joints import Custom, Fixed
from softstride.model.link import WORLD, Link
from softstride.model.posture import joint_pose


def build_links(
    context: Context, joints: list[JointData], coordinates: dict[str, tuple[str, ...]]
) -> tuple[Link, ...]:
    """Return the links, parents before children, otherwise in the order of the joints.

    Args:
        context: The document, its coordinates declared and coupled.
        joints: All joints.
        coordinates: Names of the coordinates of each joint.

    Raises:
        ModelError: A joint that closes a loop, a body that hangs on nothing, or a joint that cannot be read.
    """
    independent = {name for name, _ in context.dependents.values()}
    shared = independent | set(context.dependents)
    links: list[Link] = []
    for joint, backwards in order_joints(context, joints):
        names = coordinates[joint.name]
        steps = read_motion(context, joint, names, shared.intersection(names))
        parent, child = (joint.child, joint.parent) if backwards else (joint.parent, joint.child)
        T_parent, T_child = (joint.T_child, joint.T_parent) if backwards else (joint.T_parent, joint.T_child)
        if backwards:
            steps = reverse(steps)
            text = f"{context.label(joint.element)} leads from the child to the parent and was inverted"
            context.note("osim.joint-inverted", text, joint.element)
        if joint.kind in ANGULAR:
            context.note(
                "osim.speeds-are-rates",
                f"{context.label(joint.element)}: its speeds are the rates of its angles, not an angular velocity as "
                f"in OpenSim",
                joint.element,
            )
        inertia = bodies.read_inertia(context, context.frames.bodies[child])
        links += _chain(context, joint, steps, (parent, T_parent), (child, T_child), inertia)
    return tuple(links)


def _chain(
    context: Context,
    joint: JointData,
    steps: Sequence[Step],
    start: tuple[str, FloatArray],
    end: tuple[str, FloatArray],
    inertia: Inertia,
) -> list[Link]:
    """Return the links of one joint: those in between have no mass and carry the joint's name."""
    links: list[Link] = []
    parent, placement = start
    child, T_child = end
    for i, step in enumerate(steps, 1):
        last = i == len(steps)
        after = step.after @ inverse(T_child) if last else step.after
        name = child if last else f"{joint.name}.{i}"
        moving, fixed = _without_motion(step, after)
        body = inertia if last else Inertia()
        links.append(
            context.build(
                joint.element, Link, name, parent, moving, placement, fixed, body, joint_name=joint.name
            )
        )
        parent, placement = name, np.eye(4)
    return links


def _without_motion(step: Step, after: FloatArray) -> tuple[Custom | Fixed, FloatArray]:
    """Return the joint and the pose after it; a custom joint without coordinates becomes a fixed one."""
    joint = step.joint
    if isinstance(joint, Custom) and not joint.coordinates:
        return Fixed(), joint_pose(joint, np.zeros(0)) @ after
    return joint, after  # type: ignore[return-value]


def order_joints(context: Context, joints: list[JointData]) -> list[tuple[JointData, bool]]:
    """Return (joint, whether it is run through backwards), each after the joint that carries its parent.

    Raises:
        ModelError: A joint that closes a loop, or a body that hangs on nothing.
    """
    at: dict[str, list[int]] = {}
    for i, joint in enumerate(joints):
        at.setdefault(joint.parent, []).append(i)
        at.setdefault(joint.child, []).append(i)
    reached, carrier = {WORLD}, dict[int, bool]()
    queue = deque([WORLD])
    while queue:
        here = queue.popleft()
        for i in at.get(here, []):
            joint = joints[i]
            backwards = joint.child == here
            other = joint.parent if backwards else joint.child
            if i in carrier:
                continue
            if other in reached:
                raise context.error(
                    joint.element,
                    f"closes a loop: {joint.parent!r} and {joint.child!r} hang on the ground by other joints already. "
                    f"A tree of links cannot hold it; remove one joint of the loop.",
                )
            carrier[i] = backwards
            reached.add(other)
            queue.append(other)
    for name, body in context.frames.bodies.items():
        if name not in reached:
            raise context.error(
                body, "hangs on nothing: join it, or the body it hangs on, to the ground by a joint."
            )
    return _sorted(joints, carrier)


def _sorted(joints: list[JointData], carrier: dict[int, bool]) -> list[tuple[JointData, bool]]:
    """Keep the order of the file as far as parents come first."""
    by_child = {(joints[i].parent if back else joints[i].child): i for i, back in carrier.items()}
    done: dict[int, None] = {}
    for start in sorted(carrier):
        path = []
        here: int | None = start
        while here is not None and here not in done:
            path.append(here)
            joint = joints[here]
            here = by_child.get(joint.child if carrier[here] else joint.parent)
        done.update(dict.fromkeys(reversed(path)))
    return [(joints[i], carrier[i]) for i in done]
