"""Custom joints that are no more than hinges and sliders one behind the other.

T = [R1(x1) R2(x2) R3(x3), sum t_i x_{3+i}] with each x a constant or a coordinate of its own, which may turn the other
way: three sliders along t_i, then three hinges, each about its axis. A recursion that is linear in the number of joints
does them with less work than a joint with three sines, six axes and polynomials.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from softstride.engine.kernels import tables as t
from softstride.model.functions import Function
from softstride.model.joints import Axis, Custom
from softstride.model.link import Link

if TYPE_CHECKING:
    from softstride.engine.planner import Planner

Array = NDArray[np.float64]

ROUNDING = 1e-15  # of axes that are square to each other


class Step(NamedTuple):
    """A hinge or a slider."""

    before: Array  # constant pose ahead of it, (4, 4)
    axis: Array  # unit vector
    slides: bool
    coordinate: str


@dataclass(frozen=True, eq=False)
class Chain:
    """A custom joint taken apart: its steps, and the constant pose behind the last."""

    steps: tuple[Step, ...]
    after: Array

    def travel(self) -> Array | None:
        """Return the pose whose x, y and z the first three steps slide along; None if they do not."""
        sliders = [step for step in self.steps if step.slides]
        if len(sliders) != 3:
            return None
        T = np.eye(4)
        T[:3, :3] = np.stack([step.axis for step in sliders], axis=1)
        T[:3, 3] = sum(step.before[:3, 3] for step in sliders)
        square = np.abs(T[:3, :3].T @ T[:3, :3] - np.eye(3)).max() < ROUNDING
        return T if square and np.linalg.det(T[:3, :3]) > 0.0 else None


def chain_of(joint: Custom) -> Chain | None:
    """Return a custom joint as a chain of hinges and sliders; None if it is more than that."""
    steps: list[Step] = []
    pose = np.eye(4)
    for axis, slides in (*((x, True) for x in joint.translations), *((x, False) for x in joint.rotations)):
        parts = _parts(axis)
        if parts is None:
            return None
        constant, moving = parts
        direction = np.asarray(axis.direction)
        pose = pose @ _moved(direction, constant, slides)
        if moving is not None:
            coordinate, sign = moving
            steps.append(Step(pose, sign * direction, slides, coordinate))
            pose = np.eye(4)
    if sorted(step.coordinate for step in steps) != sorted(joint.coordinates):
        return None  # one moves two axes, or none
    return Chain(tuple(steps), pose)


def _parts(axis: Axis) -> tuple[float, tuple[str, float] | None] | None:
    """Return the constant part of an axis value, and the coordinate that moves it with its sign; None: it is more."""
    constant, moving = 0.0, None
    for name, function in axis.terms:
        if not name:
            constant += float(function(0.0))
            continue
        line = _line(function)
        if line is None or (line[1] != 0.0 and (moving is not None or abs(line[1]) != 1.0)):
            return None
        constant += line[0]
        moving = (name, line[1]) if line[1] else moving
    return constant, moving


def _line(function: Function) -> tuple[float, float] | None:
    """Return value at zero and slope of a function that is a straight line."""
    pieces = function.pieces()
    if len(pieces.origins) != 1 or np.any(pieces.coefficients[0, 2:]):
        return None
    c = pieces.coefficients[0]
    slope = float(c[1]) if len(c) > 1 else 0.0
    return float(c[0]) - slope * float(pieces.origins[0]), slope


def _moved(axis: Array, x: float, slides: bool) -> Array:
    """Return the pose of a slider or hinge at x."""
    T = np.eye(4)
    if slides:
        T[:3, 3] = x * axis
    elif x != 0.0:
        a, b, c = axis
        K = np.array([[0.0, -c, b], [c, 0.0, -a], [-b, a, 0.0]])
        T[:3, :3] += np.sin(x) * K + (1.0 - np.cos(x)) * K @ K
    return T


def turn_to_z(axis: Array) -> Array:
    """Return a rotation (as a pose) that takes z to a unit axis."""
    T = np.eye(4)
    k = int(np.argmin(np.abs(axis)))
    x = np.cross(np.eye(3)[k], axis)
    x /= np.linalg.norm(x)
    T[:3, :3] = np.stack([x, np.cross(axis, x), axis], axis=1)
    return np.eye(4) if np.allclose(axis, [0.0, 0.0, 1.0], atol=0.0, rtol=0.0) else T


def add_chain(b: Planner, link: Link, chain: Chain) -> None:
    """Add a custom link as massless hinges and sliders one behind the other; the last station is the link's."""
    station, pose = b.carry(link)
    columns = zip(b.model.q_indices(link.name), b.model.v_indices(link.name), strict=True)
    where = dict(zip(link.coordinate_names, columns, strict=True))
    travel = chain.travel() if station == 0 else None
    if travel is not None and _neighbours([where[step.coordinate] for step in chain.steps[:3]]):
        iq, iv = where[chain.steps[0].coordinate]
        pose = pose @ travel
        aligned = bool(np.array_equal(pose[:3, :3], np.eye(3)))
        real = b.add_pose(pose)
        node = b.add_node(t.TRAVEL, 0, range(iq, iq + 3), range(iv, iv + 3), real, int(aligned))
        axes = np.eye(4)
        axes[:3, :3] = travel[:3, :3].T
        station, pose = b.add_station(node, 0, real), axes
    else:
        travel = None
    for step in chain.steps[0 if travel is None else 3 :]:
        turn = turn_to_z(step.axis)
        real = b.add_pose(pose @ step.before @ turn)
        iq, iv = where[step.coordinate]
        node = b.add_node(t.PRISMATIC if step.slides else t.REVOLUTE, station, (iq,), (iv,), real)
        station, pose = b.add_station(node, station, real), turn.T
    b.where[link.name] = station, pose @ chain.after @ link.offset


def _neighbours(columns: Sequence[tuple[int, int]]) -> bool:
    """Return whether columns of q and v follow each other."""
    (iq, iv), *_ = columns
    return list(columns) == [(iq + i, iv + i) for i in range(len(columns))]


def use_columns(b: Planner) -> None:
    """Let nodes read and write the model's own columns, if those of each are neighbours: then nothing is reordered."""
    if not b.nodes:
        return
    ends_q = [*(row[t.IQ] for row in b.nodes[1:]), len(b.q_order)]
    found = []
    for row, end in zip(b.nodes, ends_q, strict=True):
        own_q, own_v = b.q_order[row[t.IQ] : end], b.v_order[row[t.IV] : row[t.IV] + row[t.N]]
        if any(own != list(range(own[0], own[0] + len(own))) for own in (own_q, own_v) if own):
            return
        found.append((own_q[0] if own_q else 0, own_v[0] if own_v else 0))
    for row, (iq, iv) in zip(b.nodes, found, strict=True):
        row[t.IQ], row[t.IV] = iq, iv
    b.strains = [strain for _, strain in sorted(zip(b.v_order, b.strains, strict=True))]
    b.q_order.sort()
    b.v_order.sort()
