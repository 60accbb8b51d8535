"""A chain from a motion of a model, projected on the sagittal plane.

Joint centres, centres of mass and angular momenta keep their rates, those of the motion; nothing is differentiated.
Lengths change as bodies turn out of the plane, and bodies of one link move against each other: what that adds is the
source called stretch. Forces in the plane and moments about its normal are therefore those of the bodies in space.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise

import numpy as np

from softstride.dynamics.loads import AppliedWrench
from softstride.errors import InputError
from softstride.kinematics.motion import Motion
from softstride.model.frame import Point
from softstride.model.link import WORLD, Link
from softstride.model.model import Model
from softstride.notes import Note
from softstride.planar.bodies import group_bodies, tracks
from softstride.planar.case import Case
from softstride.planar.chain import Chain
from softstride.planar.parts import Contact
from softstride.planar.points import Track, line_angles, local, shape_of, with_base
from softstride.planar.state import State
from softstride.planar.vectors import Complex, Floats, cross, to_complex, to_xy

Group = str | Sequence[str]


def chain_from_motion(
    motion: Motion,
    links: Sequence[Group],
    *,
    wrenches: Mapping[str, AppliedWrench] | None = None,
    end: str | Point | None = None,
    rigid: bool = False,
) -> Case:
    """Return a chain of some bodies of a model, seen from the side (x forward, y up).

    Each group of bodies becomes one link. Neighbours must be joined in the model, either way round, so that a chain may
    run from the trunk to a foot or from a foot to the trunk. The base, the first group, may translate; how it turns is
    not represented, which leaves reactions and torques from distal data exact. Bodies in no group are left out.

    Args:
        motion: The motion.
        links: Groups from the base on: names of bodies, or lists of names; "world" may be the base.
        wrenches: Loads from outside by name, as `Loads.wrenches`; those on bodies of the chain become contacts, and a
            note tells of others.
        end: Point J_(n+1) of the last link: a marker, a frame or a `Point`; its centre of mass unless given.
        rigid: Whether links keep their mean geometry; what bodies of one link do against each other is then lost.

    Returns:
        The chain with its state, without muscles.

    Raises:
        InputError: A body does not exist, occurs twice, or is not joined to the group before; or a load has no point.
    """
    model = motion.model
    groups = [(group,) if isinstance(group, str) else tuple(group) for group in links]
    _check(model, groups)
    names = tuple("+".join(group) for group in groups)
    joints = [_joint(model, near, far) for near, far in pairwise(groups)]
    places = [_joint_point(link) for link in joints]
    joint = tracks(motion, places)
    masses, com, inertia, momentum_rate = group_bodies(motion, groups[1:])
    last = com[-1] if end is None else tracks(motion, [end])[0]
    ends = [joint[i + 1] for i in range(len(places) - 1)] + [last]
    angles = line_angles(Track.beside([far - joint[i] for i, far in enumerate(ends)]), names[1:])
    centres = local(Track.beside(com) - joint, angles)
    contacts, force, couple = _contacts(motion, groups, wrenches or {}, joint)
    mean_com = to_xy(np.concatenate([[0.0], centres.place.mean(axis=0)]))
    mean_inertia = inertia.mean(axis=0)
    turning = momentum_rate - mean_inertia * angles.alpha
    length = np.concatenate([[0.0], angles.length.mean(axis=0)])
    chain = Chain(
        length=length,
        mass=np.concatenate([[0.0], masses]),
        com=mean_com,
        inertia=np.concatenate([[0.0], mean_inertia]),
        contacts=contacts,
        gravity=model.gravity[:2],
        links=names,
        joints=tuple(link.name for link in joints),
        name=f"{model.name}, sagittal plane",
    )
    state = State(
        theta=with_base(angles.theta),
        omega=with_base(angles.omega),
        alpha=with_base(angles.alpha),
        time=motion.time,
        force=force,
        couple=couple,
        base_position=to_xy(joint.place[:, 0]),
        base_acceleration=to_xy(joint.acceleration[:, 0]),
        shape=None if rigid else shape_of(angles, centres, turning=turning),
    )
    words = "The motion is projected on the plane of x and y; the base translates and does not turn."
    notes = [Note("motion.projected", words, topic="motion")]
    notes += _left_out(model, groups, wrenches or {})
    spread = np.ptp(inertia, axis=0) / np.maximum(mean_inertia, 1e-12)
    rest = (
        "its mean is taken, and the rest is lost"
        if rigid
        else "its mean counts as alpha, the rest as stretch"
    )
    notes += [
        Note(
            "links.inertia-changes",
            f"Moment of inertia of {name!r} about the plane's normal changes by {100 * change:.0f} %; {rest}.",
            topic="links",
            names=(name,),
            values={"change_percent": 100 * float(change)},
        )
        for name, change in zip(names[1:], spread, strict=True)
        if change > 0.01
    ]
    return Case(chain, state, "distal", f"motion of {model.name!r}", tuple(notes))


def _check(model: Model, groups: list[tuple[str, ...]]) -> None:
    if len(groups) < 2:
        raise InputError(f"links must name a base and one body or more, however they name {len(groups)}.")
    known = [link.name for link in model.links]
    flat = [name for group in groups for name in group]
    for name in flat:
        if name not in known and name != WORLD:
            raise InputError(f"{name!r} is no body of {model.name!r}; there are: {', '.join(known)}.")
        if flat.count(name) > 1:
            raise InputError(f"body {name!r} occurs more than once in links.")
    if any(WORLD in group for group in groups[1:]):
        raise InputError("the world can only be the base, the first of links.")


def _joint(model: Model, near: tuple[str, ...], far: tuple[str, ...]) -> Link:
    """Return the link whose joint connects two groups."""
    for link in model.links:
        if (link.name in far and link.parent in near) or (link.name in near and link.parent in far):
            return link
    raise InputError(
        f"{'+'.join(near)!r} and {'+'.join(far)!r} are not joined in {model.name!r}: name the bodies between them, or "
        "put them into one of both groups."
    )


def _joint_point(link: Link) -> Point:
    """Return the origin of a joint's moving frame, as a point of the link that it carries."""
    if link.soft:
        raise InputError(f"{link.name!r} is a rod: a planar chain has rigid links.")
    R, p = link.offset[:3, :3], link.offset[:3, 3]
    return Point(link.name, -R.T @ p)


def _contacts(
    motion: Motion, groups: list[tuple[str, ...]], wrenches: Mapping[str, AppliedWrench], joint: Track
) -> tuple[tuple[Contact, ...], dict[str, Floats], dict[str, Floats]]:
    """Return contacts with forces and couples, moved to the joint of their link: centres of pressure may be far off."""
    contacts: list[Contact] = []
    force: dict[str, Floats] = {}
    couple: dict[str, Floats] = {}
    for name, wrench in wrenches.items():
        link = next((i for i, group in enumerate(groups) if wrench.link in group), None)
        if link is None or link == 0:
            continue  # see `_left_out`
        if len(wrench.force) != len(motion.time):
            raise InputError(f"wrench {name!r} must have {len(motion.time)} frames, not {len(wrench.force)}.")
        pressed: Complex = to_complex(wrench.force[:, :2])
        known = np.isfinite(wrench.point[:, :2]).all(axis=1)
        acts = np.any(wrench.force[:, :2] != 0.0, axis=1)
        if (acts & ~known).any():
            frame = int(np.argmax(acts & ~known))
            raise InputError(
                f"wrench {name!r} has a force of {abs(pressed[frame]):.0f} N and no point in frame {frame}: where it "
                "acts is not known; give its point, or leave out those frames."
            )
        arm = np.where(known, to_complex(np.nan_to_num(wrench.point[:, :2])) - joint.place[:, link - 1], 0.0)
        contacts.append(Contact(name, "+".join(groups[link])))
        force[name] = to_xy(pressed)
        couple[name] = wrench.moment[:, 2] + cross(arm, pressed)
    return tuple(contacts), force, couple


def _left_out(
    model: Model, groups: list[tuple[str, ...]], wrenches: Mapping[str, AppliedWrench]
) -> list[Note]:
    """Return notes on loads that act on no link that moves: some are missing, those on the base's side are not."""
    missing: dict[str, str] = {}
    idle: dict[str, str] = {}
    for name, wrench in wrenches.items():
        if not np.any(np.nan_to_num(wrench.force)) and not np.any(np.nan_to_num(wrench.moment)):
            continue
        group = _nearest(model, groups, wrench.link)
        if wrench.link in groups[group] and group:
            continue
        (missing if group else idle)[name] = f"{name!r} on {wrench.link!r}"
    notes = []
    if missing:
        words = (
            "Loads on bodies beyond the chain are left out, and their effect on it is missing: "
            f"{', '.join(missing.values())}."
        )
        notes.append(Note("loads.beyond-the-chain", words, "warning", topic="loads", names=tuple(missing)))
    if idle:
        words = f"Loads on the side of the base are not needed and left out: {', '.join(idle.values())}."
        notes.append(Note("loads.on-the-base", words, topic="loads", names=tuple(idle)))
    return notes


def _nearest(model: Model, groups: list[tuple[str, ...]], body: str) -> int:
    """Return the number of the group that a body is in, or that is first on the way from it to the chain."""
    member = {name: i for i, group in enumerate(groups) for name in group}
    beside: dict[str, set[str]] = {}
    for link in model.links:
        if (
            link.parent != WORLD or WORLD in member
        ):  # what stands on the ground beside the body is no part of it
            beside.setdefault(link.name, set()).add(link.parent)
            beside.setdefault(link.parent, set()).add(link.name)
    seen, front = {body}, [body]
    while front:
        reached = [member[name] for name in front if name in member]
        if reached:
            return reached[0]
        front = sorted({name for at in front for name in beside.get(at, ())} - seen)
        seen |= set(front)
    return 0
