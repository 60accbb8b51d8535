"""Forces from outside on a body whose base is moved: plates stay in the world, what is given on a link goes along."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from softstride.capture.force import ExternalForce
from softstride.capture.recording import Recording
from softstride.dynamics.applied import GROUND
from softstride.dynamics.loads import AppliedWrench
from softstride.spatial.vectors import cross

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Part:
    """One force, in world axes, with the base where it was.

    Attributes:
        force: Shape (n, 3), [N]; zero where not known.
        moment: About the point, shape (n, 3), [N·m].
        arm: From the base to the point, shape (n, 3), [m]; zero where nothing acts.
        turns: Whether force and moment are given in the axes of a link.
        goes: Whether the point is given in a link.
    """

    force: Array
    moment: Array
    arm: Array
    turns: bool
    goes: bool


@dataclass(frozen=True, eq=False)
class Outside:
    """All forces on a body.

    Attributes:
        parts: One by one.
        pose: Of the base where it was, shape (n, 4, 4).
    """

    parts: tuple[Part, ...]
    pose: Array

    def about(self, pose: Array) -> Array:
        """Return their sum about the origin of a base at another pose, [moment; force], world axes, shape (n, 6)."""
        total = np.zeros((len(pose), 6))
        Q = pose[:, :3, :3] @ np.swapaxes(self.pose[:, :3, :3], 1, 2)
        moved = pose[:, :3, 3] - self.pose[:, :3, 3]
        for part in self.parts:
            f, m = (_times(Q, x) if part.turns else x for x in (part.force, part.moment))
            arm = _times(Q, part.arm) if part.goes else part.arm - moved
            total += np.hstack([m + cross(arm, f), f])
        return total

    def standing(self, pose: Array) -> Array:
        """Return the sum of the forces whose points stay where they are in the world, shape (n, 3)."""
        Q = pose[:, :3, :3] @ np.swapaxes(self.pose[:, :3, :3], 1, 2)
        total = np.zeros((len(pose), 3))
        for part in self.parts:
            if not part.goes:
                total += _times(Q, part.force) if part.turns else part.force
        return total


def outside_of(recording: Recording, wrenches: Mapping[str, AppliedWrench], pose: Array) -> Outside:
    """Return the forces of a recording as they were applied to a motion.

    Args:
        recording: Whose forces say what goes with a link.
        wrenches: `Loads.wrenches` of the motion.
        pose: Of the base, shape (n, 4, 4).
    """
    parts = []
    for name, wrench in wrenches.items():
        given = _given(recording, name)
        acts = np.isfinite(wrench.point).all(axis=1, keepdims=True)
        parts.append(
            Part(
                np.nan_to_num(wrench.force),
                np.nan_to_num(wrench.moment),
                np.where(acts, wrench.point - pose[:, :3, 3], 0.0),
                turns=given.force_in not in GROUND,
                goes=given.point_in not in GROUND,
            )
        )
    return Outside(tuple(parts), pose)


def _given(recording: Recording, name: str) -> ExternalForce:
    """Return the force that a wrench comes from: of its name, or of the longest that its name begins with."""
    return max(
        (force for force in recording.forces if f"{name} ".startswith(f"{force.name} ")),
        key=lambda force: len(force.name),
    )


def _times(A: Array, x: Array) -> Array:
    return np.asarray(np.einsum("nij,nj->ni", A, x))
