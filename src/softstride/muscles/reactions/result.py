"""`JointReactions`: what the joints of a model transmit over a motion."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from softstride.dynamics.loads import AppliedWrench
from softstride.dynamics.prepare import State
from softstride.errors import InputError
from softstride.model.checks import names_hint
from softstride.model.model import Model
from softstride.muscles.reactions.joints import ModelJoint, body_name
from softstride.notes import Note
from softstride.results import Labels, Result, values
from softstride.signals.inputs import as_time

if TYPE_CHECKING:
    import pandas as pd

Array = NDArray[np.float64]
Mask = NDArray[np.bool_]

COMPONENTS = ("fx", "fy", "fz", "mx", "my", "mz", "px", "py", "pz")
"""Of a joint, in the order of OpenSim's files."""


class Reaction(NamedTuple):
    """What one joint transmits: force [N], moment [N·m] about a point, and the point [m], each (n, 3)."""

    force: Array
    moment: Array
    point: Array


class Evidence(Result, of="the evidence of reactions"):
    """What reactions were found from, kept to certify them.

    Attributes:
        state: The motion.
        applied: Forces from outside, by name.
        pulls: What muscles and actuators put on links: [moment about its origin; force], world axes, (n, 6) each.
    """

    state: State
    applied: Mapping[str, AppliedWrench]
    pulls: Mapping[str, Array] = values("time component", "N m, N", default={}, parts=())


class JointReactions(Result, of="reactions"):
    """Force and moment at joints.

    A joint that is cut needs this force and moment, about its centre, for the motion to go on as it did: it is all that
    passes between the two links but for what muscles and other bands carry past the joint. Generalized forces of
    springs, reserves and motors are inside the joint and part of it, as in OpenSim.

    Attributes:
        model: The model.
        time: Instants [s], shape (n,).
        joints: The joints, k of them.
        on: "child" or "parent": the link of each joint that force and moment act on.
        axes: Name of the link or frame in whose axes each joint's numbers are; "ground" for the world.
        force: Shape (n, k, 3), [N]; NaN where a force from outside, or of a muscle, is not known.
        moment: About `point`, shape (n, k, 3), [N·m].
        point: Centre of the joint, from the origin of those axes, shape (n, k, 3), [m]: the origin of the joint's frame
            on the child, or, acting on the parent, of the one on the parent.
        rest: Generalized forces that the given muscles do not make, shape (n, nv), as `Loads.tau`: what springs,
            reserves and motors give. All of tau where no muscle was given.
        muscles: Names of the muscles that were taken into account.
        evidence: What it was found from.
        notes: What was decided on the way.
    """

    model: Model
    time: Array = values("time", "s")
    joints: tuple[ModelJoint, ...]
    on: str
    axes: tuple[str, ...]
    force: Array = values("time joint axis", "N")
    moment: Array = values("time joint axis", "N m")
    point: Array = values("time joint axis", "m")
    rest: Array = values("time coordinate")
    muscles: tuple[str, ...]
    evidence: Evidence
    notes: tuple[Note, ...] = ()

    LABELS: ClassVar[Mapping[str, Labels]] = {"joint": lambda own: own.names}

    def check(self) -> None:
        """Check the instants, and the links and axes that the numbers are of."""
        as_time(self.time, len(self.force))
        if self.on not in ("child", "parent") or len(self.axes) != len(self.joints):
            raise InputError(
                f"reactions act on child or parent, in axes of each joint; not {self.on!r}, {self.axes}",
                parameter="axes" if self.on in ("child", "parent") else "on",
            )

    def __repr__(self) -> str:
        """Say what it is in one line."""
        with_muscles = f"{len(self.muscles)} muscles" if self.muscles else "no muscles"
        return f"JointReactions({self.model.name!r}, {len(self)} frames, {len(self.joints)} joints, {with_muscles})"

    def __len__(self) -> int:
        """Return the number of frames."""
        return len(self.time)

    @property
    def kind(self) -> Literal["contact", "net"]:
        """What the forces are: "contact" with the pull of muscles; "net" without it, which is far less."""
        return "contact" if self.muscles else "net"

    # joints

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the joints."""
        return tuple(joint.name for joint in self.joints)

    @property
    def labels(self) -> tuple[str, ...]:
        """What each joint's columns begin with: "knee_r_on_tibia_r_in_tibia_r"."""
        return tuple(
            f"{joint.name}_on_{body}_in_{axes}"
            for joint, body, axes in zip(self.joints, self._acting, self.axes, strict=True)
        )

    @property
    def _acting(self) -> list[str]:
        """Names of the bodies that force and moment act on."""
        return [body_name(each.child if self.on == "child" else each.parent) for each in self.joints]

    @property
    def columns(self) -> tuple[str, ...]:
        """Names of all columns as in OpenSim's files, nine a joint."""
        return tuple(f"{label}_{part}" for label in self.labels for part in COMPONENTS)

    @property
    def table(self) -> Array:
        """All numbers in the order of `columns`, shape (n, 9 k)."""
        return np.concatenate([self.force, self.moment, self.point], axis=2).reshape(len(self), -1)

    def index(self, joint: str) -> int:
        """Return the place of a joint, by its name or that of the link that it carries.

        Raises:
            InputError: No such joint.
        """
        for i, each in enumerate(self.joints):
            if joint == each.name:
                return i
        for i, each in enumerate(self.joints):
            if joint == each.child:
                return i
        raise InputError(f"{joint!r} is none of the joints; they are {names_hint(self.names, joint)}")

    def joint(self, name: str) -> Reaction:
        """Return what one joint transmits, by its name or that of the link that it carries."""
        i = self.index(name)
        return Reaction(self.force[:, i], self.moment[:, i], self.point[:, i])

    # size

    @property
    def body_weight(self) -> float:
        """Weight of the model [N]."""
        return self.model.mass * float(np.linalg.norm(self.model.gravity))

    @property
    def force_bw(self) -> Array:
        """Forces in body weights, shape (n, k, 3)."""
        return np.asarray(self.force / self.body_weight)

    @property
    def magnitude(self) -> Array:
        """Length of each force, shape (n, k), [N]."""
        return np.asarray(np.linalg.norm(self.force, axis=2))

    @property
    def known(self) -> Mask:
        """Frames in which all that acts is known, shape (n,)."""
        return np.asarray(np.isfinite(self.rest).all(axis=1))

    # certificate

    @cached_property
    def balance(self) -> float:
        """Largest violation of Newton and Euler by what lies beyond a joint, relative to the largest term in it.

        The momentum of all links beyond each joint changes as the joint, weight, forces from outside and muscles say;
        asked of every link alone and added up, not of the recursion that found the reactions. A moment is compared with
        a tenth of a metre times the largest force where all moments are smaller. NaN without a frame that is known.
        """
        from softstride.muscles.reactions.certify import largest_violation

        return largest_violation(self)

    # elsewhere

    def save(self, path: str | Path, *, overwrite: bool = False) -> tuple[Note, ...]:
        """Write all columns as .sto or .mot, as OpenSim's JointReaction does; see `save_reactions`."""
        from softstride.muscles.reactions.files import save_reactions

        return save_reactions(self, path, overwrite=overwrite)

    def _coords(self) -> dict[str, Any]:
        return super()._coords() | {"on": ("joint", self._acting), "expressed_in": ("joint", list(self.axes))}

    def _attrs(self) -> dict[str, Any]:
        return super()._attrs() | {"body_weight_n": self.body_weight, "muscles": "\n".join(self.muscles)}

    def to_dataframe(self) -> pd.DataFrame:
        """Return a `pandas.DataFrame` indexed by time, with the columns of OpenSim's files."""
        import pandas as pd

        return pd.DataFrame(self.table, index=pd.Index(self.time, name="time"), columns=list(self.columns))
