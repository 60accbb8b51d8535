"""Joint moments over time as data: piecewise linear, edited by the name of a joint, read from and written to text."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from softstride.errors import InputError
from softstride.fields import Array, checked
from softstride.files import toml_value
from softstride.gait.body import JOINTS
from softstride.planar.toml_table import check_keys, parse
from softstride.results import Labels, Result, values

Floats = NDArray[np.float64]


def joint_index(name: str) -> int:
    """Return the place of a joint in `JOINTS`; "left ankle" is "left_ankle".

    Raises:
        InputError: No such joint.
    """
    key = str(name).strip().lower().replace(" ", "_").replace("-", "_")
    if key not in JOINTS:
        raise InputError(f"{name!r} is no joint of the walker; there are: {', '.join(JOINTS)}")
    return JOINTS.index(key)


def _row(values: ArrayLike, nodes: int, joint: str) -> Floats:
    """Return the moments of one joint at so many nodes."""
    row: Floats = checked(Array(shape=(nodes,)), values, joint, f"moments of {joint}")
    return row


class MomentHistory(Result, of="moments"):
    """Joint moments that are linear between nodes, and constant before the first and after the last.

    A moment is positive counter-clockwise on the distal segment: dorsiflexion of an ankle, extension of a knee, flexion
    of a hip. Right means the leg that stands; where steps follow one another, the history of the next one is mirrored.

    Attributes:
        time: Nodes [s] since the heel strike that begins the step, shape (k,), increasing.
        values: Moments at the nodes, shape (k, 6), [N m], in the order of `JOINTS`.
    """

    time: Floats = values("time", "s", finite=True)
    values: Floats = values("time joint", "N m", finite=True)

    LABELS: ClassVar[Mapping[str, Labels]] = {"joint": lambda _: JOINTS}

    def check(self) -> None:
        """Check the instants."""
        if not len(self.time) or np.any(np.diff(self.time) <= 0.0):
            raise InputError("time of moments must be one or more increasing instants", parameter="time")

    @classmethod
    def constant(cls, values: ArrayLike = (0.0,) * 6) -> MomentHistory:
        """Return moments, shape (6,), [N m], that never change."""
        return cls(np.zeros(1), np.reshape(np.asarray(values, dtype=np.float64), (1, -1)))

    @classmethod
    def from_joints(cls, time: ArrayLike, joints: Mapping[str, ArrayLike]) -> MomentHistory:
        """Return a history from one row of nodes for each joint, shape (k,); joints that are left out are free."""
        nodes = np.asarray(time, dtype=np.float64)
        found = np.zeros((nodes.size, len(JOINTS)))
        for name, row in joints.items():
            found[:, joint_index(name)] = _row(row, nodes.size, name)
        return cls(nodes, found)

    # values

    def at(self, t: ArrayLike) -> Floats:
        """Return the moments at instants (...,) [s], shape (..., 6), [N m]."""
        instants = np.asarray(t, dtype=np.float64)
        return np.stack([np.interp(instants, self.time, row) for row in self.values.T], axis=-1)

    def joint(self, name: str) -> Floats:
        """Return the nodes of one joint, shape (k,), [N m]."""
        return self.values[:, joint_index(name)]

    # edited copies

    def changed(self, **joints: ArrayLike) -> MomentHistory:
        """Return a copy with other nodes of the joints named, each (k,) or one number for all, [N m]."""
        found = self.values.copy()
        for name, row in joints.items():
            full = np.full(len(self.time), row) if np.ndim(row) == 0 else row
            found[:, joint_index(name)] = _row(full, len(self.time), name)
        return MomentHistory(self.time, found)

    def scaled(self, joint: str, factor: float) -> MomentHistory:
        """Return a copy with the moments of one joint multiplied, at all times."""
        return self.changed(**{JOINTS[joint_index(joint)]: self.joint(joint) * float(factor)})

    def rounded(self, decimals: int) -> MomentHistory:
        """Return a copy with nodes rounded to so many decimals."""
        return MomentHistory(self.time, np.round(self.values, decimals))

    def resampled(self, time: ArrayLike) -> MomentHistory:
        """Return the history at other nodes; it is the same one if they include the present ones."""
        nodes = np.asarray(time, dtype=np.float64)
        return MomentHistory(nodes, self.at(nodes))

    def mirrored(self) -> MomentHistory:
        """Return the history with left and right exchanged."""
        return MomentHistory(self.time, self.values[:, ::-1])

    # text

    def to_toml(self) -> str:
        """Return the history as TOML: `time` and one row a joint; every digit is kept."""
        rows = {"time": self.time, **dict(zip(JOINTS, self.values.T, strict=True))}
        return "".join(f"{name} = {toml_value(row.tolist())}\n" for name, row in rows.items())

    @classmethod
    def from_toml(cls, text: str) -> MomentHistory:
        """Return the history that `to_toml` wrote.

        Raises:
            ModelError: No valid TOML, or unknown keys.
            InputError: Rows that do not fit.
        """
        return cls.from_table(parse(text, "moments"))

    @classmethod
    def from_table(cls, table: Mapping[str, Any]) -> MomentHistory:
        """Return the history of a table with `time` and rows by the names of joints."""
        check_keys(table, ("time", *JOINTS), "moments")
        if "time" not in table:
            raise InputError("moments need the row 'time', the instants of the nodes [s]")
        time = checked(Array("instants [s]"), table["time"], "time", of=cls.OF)
        return cls.from_joints(time, {name: row for name, row in table.items() if name != "time"})
