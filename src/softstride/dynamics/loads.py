"""`Loads`: the forces in a body that a motion needs, what acted on it from outside, and what nothing explains."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike, NDArray

from softstride.capture.series import frozen_floats, owned
from softstride.dynamics.estimate.options import EstimateOptions
from softstride.dynamics.ground import Ground
from softstride.dynamics.options import IdOptions
from softstride.errors import InputError
from softstride.frozen import Table
from softstride.model.checks import names_hint
from softstride.model.model import Model
from softstride.notes import Note, as_notes
from softstride.signals.inputs import as_time
from softstride.spatial.vectors import cross

if TYPE_CHECKING:
    import pandas as pd
    import xarray as xr

__all__ = ["AppliedWrench", "Loads", "Wrench"]

Array = NDArray[np.float64]
Mask = NDArray[np.bool_]


@dataclass(frozen=True, eq=False, repr=False)
class AppliedWrench:
    """A load from outside on a link, in world axes.

    Attributes:
        link: The link that it acts on.
        force: Shape (n, 3), [N]; NaN where it is not known.
        point: Where it acts, shape (n, 3), [m]; NaN where nothing acts.
        moment: About the point, shape (n, 3), [N·m].
    """

    link: str
    force: Array
    point: Array
    moment: Array

    def __post_init__(self) -> None:
        """Freeze the arrays and check their shapes."""
        for name in ("force", "point", "moment"):
            array = frozen_floats(getattr(self, name))
            object.__setattr__(self, name, array)
            if array.shape != (len(self.force), 3):
                raise InputError(f"{name} on {self.link!r} must be ({len(self.force)}, 3), not {array.shape}")

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


@dataclass(frozen=True, eq=False, repr=False)
class Wrench:
    """A wrench between two links, in world axes.

    Attributes:
        link: The link that it acts on.
        source: The link that it comes from.
        point: The point that the moment is about, shape (n, 3), [m], world axes.
        values: [moment; force] on `link`, shape (n, 6), [N·m] and [N]; NaN where it is not known.
    """

    link: str
    source: str
    point: Array
    values: Array

    def __post_init__(self) -> None:
        """Freeze the arrays and check their shapes."""
        object.__setattr__(self, "point", frozen_floats(self.point))
        object.__setattr__(self, "values", frozen_floats(self.values))
        if self.values.shape != (len(self.values), 6) or self.point.shape != (len(self.values), 3):
            raise InputError(
                f"wrench on {self.link!r} must be (n, 6) about points (n, 3), not {self.values.shape} about "
                f"{self.point.shape}"
            )

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


@dataclass(frozen=True, eq=False, repr=False)
class Loads:
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
    """

    model: Model
    time: Array
    tau: Array
    wrenches: Mapping[str, AppliedWrench] = field(default_factory=Table)
    residual: Array = field(default_factory=lambda: np.zeros((0, 6)))
    elastic: Array = field(default_factory=lambda: np.zeros((0, 0)))
    socket: Mapping[str, Wrench] = field(default_factory=Table)
    doubtful: Mask = field(default_factory=lambda: np.zeros(0, dtype=bool))
    base: str | None = None
    notes: tuple[Note, ...] = ()
    ground: Ground | None = None
    lowpass: float | None = None
    options: IdOptions | EstimateOptions | None = None

    def __post_init__(self) -> None:
        """Freeze the arrays and check the whole."""
        if not isinstance(self.model, Model):
            raise InputError(f"model of loads must be a Model, however it is {self.model!r}")
        n = len(self.tau)
        object.__setattr__(self, "time", owned(as_time(self.time, n)))
        for name, width in (("tau", self.model.nv), ("residual", 6), ("elastic", self.model.nv)):
            array = frozen_floats(getattr(self, name))
            array = frozen_floats(np.zeros((n, width))) if array.size == 0 and name != "tau" else array
            if array.shape != (n, width):
                raise InputError(f"{name} must be ({n}, {width}), not {array.shape}")
            object.__setattr__(self, name, array)
        doubtful = np.array(self.doubtful if len(self.doubtful) else np.zeros(n), dtype=bool)
        if doubtful.shape != (n,):
            raise InputError(f"doubtful must be ({n},), not {doubtful.shape}")
        doubtful.setflags(write=False)
        object.__setattr__(self, "doubtful", doubtful)
        for name in ("wrenches", "socket"):
            parts: Mapping[str, AppliedWrench | Wrench] = getattr(self, name)
            for key, part in parts.items():
                if len(part.force) != n:
                    raise InputError(f"{name} {key!r} must have {n} frames, not {len(part.force)}")
            object.__setattr__(self, name, Table(parts))
        object.__setattr__(self, "notes", as_notes(self.notes))

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

    def to_xarray(self) -> xr.Dataset:
        """Return an `xarray.Dataset`: tau and elastic by coordinate, residual, applied and socket wrenches."""
        from softstride.dynamics.loads_labels import loads_dataset

        return loads_dataset(self)

    def to_dataframe(self) -> pd.DataFrame:
        """Return the generalized forces as a `pandas.DataFrame` indexed by time, one column a coordinate."""
        from softstride.dynamics.loads_labels import loads_dataframe

        return loads_dataframe(self)


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
