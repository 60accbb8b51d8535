"""`Loads`: the forces in a body that a motion needs, what acted on it from outside, and what nothing explains."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from softstride.dynamics.ground import Ground
from softstride.errors import InputError
from softstride.frozen import Table
from softstride.kinematics.motion_table import describe_columns
from softstride.model.checks import names_hint
from softstride.model.model import Model
from softstride.notes import Note
from softstride.results import AXES, Result, values
from softstride.signals.inputs import as_time
from softstride.spatial.vectors import cross

if TYPE_CHECKING:
    import pandas as pd

    from softstride.dynamics.estimate.observe import Contacts
    from softstride.dynamics.estimate.options import EstimateOptions
    from softstride.dynamics.options import IdOptions
    from softstride.dynamics.prepare import State

__all__ = ["AppliedWrench", "Loads", "Wrench"]

Array = NDArray[np.float64]
Mask = NDArray[np.bool_]


class AppliedWrench(Result, of="a wrench"):
    """A load from outside on a link, in world axes.

    Attributes:
        link: The link that it acts on.
        force: Shape (n, 3), [N]; NaN where it is not known.
        point: Where it acts, shape (n, 3), [m]; NaN where nothing acts.
        moment: About the point, shape (n, 3), [N·m].
    """

    link: str
    force: Array = values("time axis", "N")
    point: Array = values("time axis", "m")
    moment: Array = values("time axis", "N m")

    def whose(self) -> str:
        """Say the link too."""
        return f"{self.OF} on {self.link!r}"

    def __repr__(self) -> str:
        """Say what it is in one line."""
        return f"AppliedWrench({self.link!r}, {len(self.force)} frames{_at_most(self.force)})"

    @property
    def acts(self) -> Mask:
        """True where a load acts, shape (n,)."""
        both = np.concatenate([self.force, self.moment], axis=1)
        return np.asarray((np.nan_to_num(both) != 0.0).any(axis=1))

    def about(self, origin: ArrayLike = (0.0, 0.0, 0.0)) -> Array:
        """Return [m + (p - o) x f; f] in world axes, shape (n, 6), [N·m] and [N].

        Args:
            origin: The point o, shape (3,) or (n, 3), [m].
        """
        arm = np.where(np.isfinite(self.point), self.point - np.asarray(origin, dtype=np.float64), 0.0)
        return np.concatenate([self.moment + cross(arm, self.force), self.force], axis=1)


class Wrench(Result, of="a wrench"):
    """A wrench between two links, in world axes.

    Attributes:
        link: The link that it acts on.
        source: The link that it comes from.
        point: The point that the moment is about, shape (n, 3), [m], world axes.
        values: [moment; force] on `link`, shape (n, 6), [N·m] and [N]; NaN where it is not known.
    """

    link: str
    source: str
    point: Array = values("time axis", "m")
    values: Array = values("time component", "N m, N")

    def whose(self) -> str:
        """Say the link too."""
        return f"{self.OF} on {self.link!r}"

    def __repr__(self) -> str:
        """Say what it is in one line."""
        return f"Wrench({self.link!r} from {self.source!r}, {len(self.values)} frames{_at_most(self.force)})"

    @property
    def moment(self) -> Array:
        """Moment about `point`, shape (n, 3), [N·m]."""
        return self.values[:, :3]

    @property
    def force(self) -> Array:
        """Force, shape (n, 3), [N]."""
        return self.values[:, 3:]


CONJUGATE = {"rad": "N m", "m": "N", "1/m": "N m^2", "1": "N m", "": "J"}
"""Unit of a generalized force by that of its coordinate; "J" for a coordinate without a unit."""


def force_units(loads: Loads) -> list[str]:
    """Return the unit of each column of tau."""
    return [CONJUGATE[column.unit] for column in describe_columns(loads.model)]


class Loads(Result, of="loads"):
    """The loads of a motion: tau = M(q) a + b(q, v) - sum J(q)^T w.

    Frames in which an external force was not measured are NaN in `tau`, `residual` and `socket`: they keep the clock of
    the motion, and nothing is made up for them.

    Attributes:
        model: The model.
        time: Instants [s], shape (n,), those of the motion.
        tau: Generalized forces, shape (n, nv): [N·m] for angles, [N] for lengths, [N·m²] and [N·m] for strains.
        wrenches: What was applied from outside, by the name of the force.
        residual: Wrench on the floating base that nothing explains, [moment; force] in world axes about the origin of
            the base link, shape (n, 6), [N·m] and [N]; zero for a model without floating base.
        elastic: Generalized forces of springs, dampers, limits and rods at this motion, shape (n, nv), as `tau`.
        socket: Wrench of a prosthesis on its stump, by the link of the socket; about the origin of that link.
        doubtful: Frames whose residual is too large to believe, shape (n,); see `softstride.dynamics.residual`.
        base: The floating base link; None if there is none.
        notes: What was decided on the way.
        ground: The ground reaction place by place, of an estimate without force plates; None: it was measured.
        lowpass: Cut-off frequency of the low pass that the coordinates went through [Hz]; None: the motion as it is.
        options: What `solve_id` or `estimate_loads` was told; None: nobody knows, as of loads of a file.
        state: Coordinates, velocities and accelerations, low-passed as they were, in the frames of the loads; None:
            nobody knows. One of other frames or of another low pass than the loads is let go.
        contacts: Where the feet could touch the ground in these frames, of an estimate; None as `state`.
    """

    model: Model
    time: Array = values("time", "s")
    tau: Array = values("time coordinate", force_units, table="joint_loads")
    wrenches: Mapping[str, AppliedWrench] = field(default_factory=Table)
    residual: Array = values("time component", "N m, N", default=0.0)
    elastic: Array = values("time coordinate", force_units, default=0.0)
    socket: Mapping[str, Wrench] = field(default_factory=Table)
    doubtful: Mask = values("time", default=False, dtype=bool)
    base: str | None = None
    notes: tuple[Note, ...] = ()
    ground: Ground | None = None
    lowpass: float | None = None
    options: IdOptions | EstimateOptions | None = None
    state: State | None = None
    contacts: Contacts | None = None

    def check(self) -> None:
        """Check the model, the instants and the frames of the wrenches; keep the state if it is that of the loads."""
        if not isinstance(self.model, Model):
            raise InputError(
                f"model of loads must be a Model, however it is {self.model!r}", parameter="model"
            )
        as_time(self.time, len(self.tau))
        for name in ("wrenches", "socket"):
            parts: Mapping[str, AppliedWrench | Wrench] = getattr(self, name)
            for key, part in parts.items():
                if len(part.force) != len(self):
                    raise InputError(
                        f"{name} {key!r} must have {len(self)} frames, not {len(part.force)}", parameter=name
                    )
        for name in ("state", "contacts"):
            if not isinstance(getattr(self, name), Result | None):
                raise InputError(
                    f"{name} of loads must be that of a solver, however it is {getattr(self, name)!r}",
                    parameter=name,
                )
        if not self._is_own(self.state):
            object.__setattr__(self, "state", None)
        if self.state is None or (self.contacts is not None and len(self.contacts.place) != len(self)):
            object.__setattr__(self, "contacts", None)

    def as_solved(self) -> Loads:
        """Mark loads as a solver returns them: they balance their state, until something in a copy is changed."""
        object.__setattr__(self, "_solved", True)
        return self

    @property
    def solved(self) -> bool:
        """Whether a solver returned them as they are."""
        return bool(getattr(self, "_solved", False))

    def _is_own(self, state: State | None) -> bool:
        """Return whether a state is that of the loads."""
        return (
            state is not None
            and state.q.shape[1] == self.model.nq
            and state.lowpass == self.lowpass
            and np.array_equal(state.time, self.time)
        )

    def __repr__(self) -> str:
        """Say what it is in one line."""
        span = f"{self.time[0]:.6g} to {self.time[-1]:.6g} s" if len(self.time) else "none"
        left = f", residual {self.residual_force_rms:.3g} N rms" if self.base else ""
        return f"Loads({self.model.name!r}, {len(self.time)} frames, {span}, {len(self.wrenches)} wrenches{left})"

    def __len__(self) -> int:
        """Return the number of frames."""
        return len(self.time)

    # joints

    def coordinate(self, name: str) -> Array:
        """Return the generalized force of a coordinate, shape (n,), as a column of `tau`.

        Raises:
            InputError: No such coordinate.
        """
        if name not in self._column:
            raise InputError(
                f"{name!r} is no coordinate of {self.model.name!r}; known: {names_hint(self._column)}"
            )
        return self.tau[:, self._column[name]]

    @cached_property
    def _column(self) -> dict[str, int]:
        return {name: i for i, name in enumerate(self.model.coordinate_names)}

    @property
    def active(self) -> Array:
        """What muscles and motors have to give: tau without what springs and rods give, shape (n, nv)."""
        return np.asarray(self.tau - self.elastic)

    @property
    def known(self) -> Mask:
        """Frames in which all external forces were measured, shape (n,)."""
        return np.asarray(np.isfinite(self.tau).any(axis=1))

    # what nothing explains

    @property
    def residual_force(self) -> Array:
        """Length of the force of the residual, shape (n,), [N]."""
        return np.asarray(np.linalg.norm(self.residual[:, 3:], axis=1))

    @property
    def residual_moment(self) -> Array:
        """Length of the moment of the residual, shape (n,), [N·m]."""
        return np.asarray(np.linalg.norm(self.residual[:, :3], axis=1))

    @property
    def residual_force_rms(self) -> float:
        """Root mean square of `residual_force` over the frames that are known [N]; NaN without any."""
        return _rms(self.residual_force)

    @property
    def residual_moment_rms(self) -> float:
        """Root mean square of `residual_moment` over the frames that are known [N·m]; NaN without any."""
        return _rms(self.residual_moment)

    @property
    def residual_force_peak(self) -> float:
        """Largest `residual_force` [N]; NaN without any frame that is known."""
        return _peak(self.residual_force)

    @property
    def residual_moment_peak(self) -> float:
        """Largest `residual_moment` [N·m]; NaN without any frame that is known."""
        return _peak(self.residual_moment)

    # elsewhere

    def save(self, path: str | Path, *, overwrite: bool = False) -> tuple[Note, ...]:
        """Write the generalized forces as .sto or .mot for OpenSim; see `save_loads`."""
        from softstride.dynamics.loads_files import save_loads

        return save_loads(self, path, overwrite=overwrite)

    def _variables(self) -> dict[str, Any]:
        found = super()._variables()
        found["residual"][2]["link"] = self.base or ""
        if self.wrenches:
            for name, said in AppliedWrench.ARRAYS.items():
                stack = np.stack([getattr(wrench, name) for wrench in self.wrenches.values()], axis=1)
                found[f"applied_{name}"] = self._variable(("time", "load", "axis"), stack, said.unit)
        if self.socket:
            stack = np.stack([wrench.values for wrench in self.socket.values()], axis=1)
            found["socket"] = self._variable(("time", "socket_link", "component"), stack, "N m, N")
        return found

    def _coords(self) -> dict[str, Any]:
        found = super()._coords()
        if self.wrenches:
            found |= {"load": list(self.wrenches), "axis": list(AXES)}
            found["load_link"] = ("load", [wrench.link for wrench in self.wrenches.values()])
        return found | ({"socket_link": list(self.socket)} if self.socket else {})

    def to_dataframe(self) -> pd.DataFrame:
        """Return the generalized forces as a `pandas.DataFrame` indexed by time, one column a coordinate."""
        return self._table("tau")


def _rms(x: Array) -> float:
    x = x[np.isfinite(x)]
    return float(np.sqrt(np.mean(x * x))) if len(x) else float("nan")


def _peak(x: Array) -> float:
    x = x[np.isfinite(x)]
    return float(x.max()) if len(x) else float("nan")


def _at_most(force: Array) -> str:
    """Return the largest force in words; nothing where none is known."""
    size = np.linalg.norm(force, axis=1)
    return f", {np.nanmax(size):.4g} N at most" if np.isfinite(size).any() else ""
