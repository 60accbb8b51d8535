"""What joints transmit, with or without muscles, all joints and frames in one recursion."""

from __future__ import annotations

from collections.abc import Iterable
from typing import overload

import numpy as np
from numpy.typing import ArrayLike, NDArray

from softstride.dynamics.loads import Loads
from softstride.dynamics.loads_state import check_same, state_of, takes_loads
from softstride.dynamics.rod_loads import load_table
from softstride.engine.cuts import Cut
from softstride.engine.dynamics import balance_of_forces
from softstride.engine.places import WORLD, PlaceLike
from softstride.errors import InputError, ModelError, Option
from softstride.kinematics.motion import Motion
from softstride.model.model import Model
from softstride.muscles.reactions.joints import GROUND, ModelJoint, body_name, chosen_joints
from softstride.muscles.reactions.pulls import ForcesOverTime, pulls_on_links
from softstride.muscles.reactions.result import Evidence, JointReactions
from softstride.notes import Note

Array = NDArray[np.float64]

SIDES = ("child", "parent")
PRESENT = 1e-6
"""Share of the largest generalized force of the trial below which what muscles leave over is not worth a note."""


@overload
def joint_reactions(
    loads: Loads,
    forces: ForcesOverTime | None = None,
    *,
    joints: Iterable[str] | str | None = None,
    frame: str = "child",
    on: str = "child",
    threads: int | None = None,
) -> JointReactions: ...


@overload
def joint_reactions(
    model: Model,
    motion: Motion,
    loads: Loads,
    forces: ForcesOverTime | None = None,
    *,
    joints: Iterable[str] | str | None = None,
    frame: str = "child",
    on: str = "child",
    threads: int | None = None,
) -> JointReactions: ...


@takes_loads
def joint_reactions(
    model: Model,
    motion: Motion,
    loads: Loads,
    forces: ForcesOverTime | None = None,
    *,
    joints: Iterable[str] | str | None = None,
    frame: str = "child",
    on: str = "child",
    threads: int | None = None,
) -> JointReactions:
    """Find the force and the moment that each joint transmits: ``joint_reactions(loads, forces)``.

    Newton and Euler for all that lies beyond a joint j give what it must transmit,

        w_j = sum over links beyond j of (momentum rate - weight - outside forces - muscles),

    which the recursion of inverse dynamics has for every joint once it is done. Muscles pull on the links that their
    paths run over. Whatever else makes the generalized forces, reserves of a static optimisation, residuals of the
    base, springs and motors, acts inside the joint and is part of what it transmits, as in OpenSim's JointReaction.
    OpenSim finds accelerations from the given forces; here they are those of the motion, so that reserves need not be
    given: what muscles leave over is `JointReactions.rest`. Where a file of forces has them all, the two are the same.

    Args:
        loads: Of `solve_id` or `estimate_loads`: the motion, low-passed as it was, what acts from outside, and at which
            instants. Loads of a file know no motion: ``joint_reactions(model, motion, loads, forces)``.
        model: Before the loads: their model; one that differs must need the same forces.
        motion: Before the loads: the motion that they were found from.
        forces: Tensions of muscles over time, as `solve_muscles` returns or `read_muscles` reads them; forces of
            actuators may be among them. None: no muscles, so that joints transmit all.
        joints: Names of joints, or of the links that they carry; None: all.
        frame: In whose axes: "child" or "parent" of each joint, "ground", or the name of a link or frame.
        on: On which link of the joint, "child" or "parent".
        threads: How many threads may be used; None: as set by `set_threads`; 0: all cores.

    Returns:
        The reactions.

    Raises:
        InputError: Motion, loads, forces and model do not fit each other, loads alone do not know their motion, or an
            unknown joint, frame or side.
    """
    if on not in SIDES:
        raise InputError(f'on must be "child" or "parent", however it is {on!r}')
    chosen = chosen_joints(model, joints)
    axes = [_axes(model, joint, frame) for joint in chosen]
    state = state_of(model, motion, loads)
    check_same(model, state, loads)
    pulls = pulls_on_links(model, state, forces, threads)
    places, table = load_table(model, state.q, loads.wrenches.values(), threads)
    about = [joint.child_frame if on == "child" else joint.parent_frame for joint in chosen]
    cuts = tuple(
        Cut(joint.cut, point, place) for joint, point, (_, place) in zip(chosen, about, axes, strict=True)
    )
    wrenches: dict[PlaceLike, ArrayLike] = {link: wrench for link, wrench in pulls.wrenches.items()}  # noqa: C416
    rest, shown, _ = balance_of_forces(
        model, state.q, state.v, state.a, table, places, cuts, wrenches, threads=threads
    )
    rest -= pulls.guided
    sign = 1.0 if on == "child" else -1.0
    moment, force, point = sign * shown[:, :, :3], sign * shown[:, :, 3:6], shown[:, :, 6:]
    unknown = ~(loads.known & pulls.known)
    if unknown.any():
        force[unknown] = moment[unknown] = np.nan
        rest[unknown] = np.nan
    notes = [*loads.notes, *pulls.notes, *_carried(model, loads, rest, bool(pulls.muscles))]
    return JointReactions(
        model,
        state.time,
        chosen,
        on,
        tuple(label for label, _ in axes),
        force,
        moment,
        point,
        rest,
        pulls.muscles,
        Evidence(state, loads.wrenches, pulls.wrenches),
        tuple(notes),
    )


def _axes(model: Model, joint: ModelJoint, frame: str) -> tuple[str, PlaceLike]:
    """Return what the axes are called, and where they are."""
    if frame == "child":
        return joint.child, joint.child_axes
    if frame == "parent":
        return body_name(joint.parent), joint.parent_axes
    if frame in (GROUND, WORLD):
        return GROUND, WORLD
    try:
        model.place(frame)
    except ModelError as error:
        option = Option("frame")
        raise InputError(
            f'{option} must be "child", "parent", "ground" or a link or frame: {error}',
            parameter="frame",
            value=frame,
            known=("child", "parent", "ground", *error.known),
            options=[option],
        ) from None
    return frame, frame


def _carried(model: Model, loads: Loads, rest: Array, muscles: bool) -> list[Note]:
    """Return a note on what muscles leave to springs, reserves and motors, the base aside."""
    if not muscles:
        return [
            Note(
                "reactions.no-muscles",
                "no muscles: joints transmit all generalized forces",
                topic="reactions",
            )
        ]
    own = set() if loads.base is None else set(model.v_indices(loads.base))
    columns = [i for i in range(model.nv) if i not in own]
    left = np.abs(np.nan_to_num(rest[:, columns]))
    largest = float(np.nanmax(np.abs(loads.tau), initial=0.0))
    if not left.size or left.max() <= PRESENT * largest:
        return []
    frame, column = np.unravel_index(int(left.argmax()), left.shape)
    i = columns[column]
    most, of, name, at = rest[frame, i], loads.tau[frame, i], model.coordinate_names[i], loads.time[frame]
    return [
        Note(
            "reactions.carried-inside",
            f"what muscles do not make of the generalized forces is carried inside the joints: at most {most:.3g} of "
            f"{of:.3g} in {name!r}, at {at:.3f} s",
            topic="reactions",
            names=(name,),
            frames=(int(frame),),
            span=(at, at),
            values={"most": float(most), "of": float(of)},
        )
    ]
