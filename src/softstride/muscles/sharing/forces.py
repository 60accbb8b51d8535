"""`MuscleForces`: who pulls how hard, what that gives to the joints, and how well it was found."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from softstride.capture.series import frozen_floats, owned
from softstride.errors import InputError
from softstride.model.checks import names_hint
from softstride.model.model import Model
from softstride.notes import Note, as_notes
from softstride.signals.inputs import as_time

if TYPE_CHECKING:
    import pandas as pd
    import xarray as xr

Array = NDArray[np.float64]
Mask = NDArray[np.bool_]


def _nothing() -> Array:
    return np.zeros((0, 0))


@dataclass(frozen=True, eq=False, repr=False)
class MuscleForces:
    """Forces of muscles through a trial: n frames, m muscles, k coordinates whose moments were to be met.

    Frames whose loads are not known are NaN throughout: they keep the clock of the loads.

    Attributes:
        model: The model.
        time: Instants [s], shape (n,), those of the loads.
        names: The muscles.
        force: Tension of each, along its path, shape (n, m), [N].
        activation: Shape (n, m).
        coordinates: The coordinates.
        demand: What muscles had to give to each: the loads without springs and rods, shape (n, k), [N·m] or [N].
        moment: What muscles give to each, shape (n, k).
        reserve: What reserves give to each, shape (n, k); zero where there is none.
        reserve_size: Optimal force of the reserves, shape (k,); zero for none.
        actuators: Coordinate actuators of the model that took part.
        actuator_coordinates: The coordinate that each moves.
        actuator_force: Their forces, shape (n, number of them), [N·m] or [N].
        control: Their controls, shape (n, number of them).
        stationarity: How well the conditions of optimality hold, shape (n,): of slopes, signs and complementarity, see
            `softstride.solvers.force_sharing.SharingSolution`.
        feasibility: And of moments, over the sum of the sizes of their terms, shape (n,).
        converged: Whether both are within the tolerance, shape (n,).
        iterations: Newton steps, shape (n,).
        notes: What was decided on the way, and what cannot be made.
    """

    model: Model
    time: Array
    names: tuple[str, ...]
    force: Array
    activation: Array
    coordinates: tuple[str, ...] = ()
    demand: Array = field(default_factory=_nothing)
    moment: Array = field(default_factory=_nothing)
    reserve: Array = field(default_factory=_nothing)
    reserve_size: Array = field(default_factory=lambda: np.zeros(0))
    actuators: tuple[str, ...] = ()
    actuator_coordinates: tuple[str, ...] = ()
    actuator_force: Array = field(default_factory=_nothing)
    control: Array = field(default_factory=_nothing)
    stationarity: Array = field(default_factory=lambda: np.zeros(0))
    feasibility: Array = field(default_factory=lambda: np.zeros(0))
    converged: Mask = field(default_factory=lambda: np.zeros(0, dtype=bool))
    iterations: NDArray[np.int64] = field(default_factory=lambda: np.zeros(0, dtype=np.int64))
    notes: tuple[Note, ...] = ()

    def __post_init__(self) -> None:
        """Freeze the arrays and check their shapes."""
        n, m, k, a = len(self.force), len(self.names), len(self.coordinates), len(self.actuators)
        object.__setattr__(self, "time", owned(as_time(self.time, n)))
        shapes = {"force": (n, m), "activation": (n, m), "reserve_size": (k,)}
        shapes |= dict.fromkeys(("demand", "moment", "reserve"), (n, k))
        shapes |= dict.fromkeys(("actuator_force", "control"), (n, a))
        shapes |= dict.fromkeys(("stationarity", "feasibility"), (n,))
        for name, shape in shapes.items():
            array = frozen_floats(getattr(self, name))
            if array.size == 0 and array.shape != shape:
                array = frozen_floats(np.full(shape, np.nan))
            if array.shape != shape:
                raise InputError(f"{name} of muscle forces must be {shape}, not {array.shape}")
            object.__setattr__(self, name, array)
        for name, kind in (("converged", np.bool_), ("iterations", np.int64)):
            flags = np.array(getattr(self, name) if len(getattr(self, name)) else np.zeros(n), dtype=kind)
            if flags.shape != (n,):
                raise InputError(f"{name} of muscle forces must be ({n},), not {flags.shape}")
            flags.setflags(write=False)
            object.__setattr__(self, name, flags)
        for name in ("names", "coordinates", "actuators", "actuator_coordinates"):
            object.__setattr__(self, name, tuple(getattr(self, name)))
        object.__setattr__(self, "notes", as_notes(self.notes))

    def __repr__(self) -> str:
        """Say what it is in one line."""
        span = f"{self.time[0]:.6g} to {self.time[-1]:.6g} s" if len(self.time) else "none"
        certified = np.isfinite(self.stationarity).any()  # those of a file are not
        share = f", {int(self.converged.sum())} converged" if certified else ""
        return (
            f"MuscleForces({self.model.name!r}, {len(self.names)} muscles, {len(self)} frames, {span}{share})"
        )

    def __len__(self) -> int:
        """Return the number of frames."""
        return len(self.time)

    def index(self, name: str) -> int:
        """Return the column of a muscle.

        Raises:
            InputError: No such muscle.
        """
        try:
            return self.names.index(name)
        except ValueError:
            raise InputError(f"no muscle {name!r} here; there are {names_hint(self.names, name)}") from None

    def muscle(self, name: str) -> Array:
        """Return the tension of a muscle, shape (n,), [N]."""
        return self.force[:, self.index(name)]

    @property
    def known(self) -> Mask:
        """Frames whose loads are known, shape (n,)."""
        return np.asarray(np.isfinite(self.force).all(axis=1))

    @property
    def kkt(self) -> Array:
        """Largest violation of the conditions of Karush, Kuhn and Tucker, relative, shape (n,)."""
        return np.maximum(self.stationarity, self.feasibility)

    @property
    def actuator_moment(self) -> Array:
        """What actuators of the model give to each coordinate, shape (n, k)."""
        total = np.zeros_like(self.demand)
        for j, name in enumerate(self.actuator_coordinates):
            if name in self.coordinates:
                total[:, self.coordinates.index(name)] += self.actuator_force[:, j]
        return total

    @property
    def moment_residual(self) -> Array:
        """What neither muscles nor actuators of the model give: reserves, and what is missing, shape (n, k)."""
        return np.asarray(self.demand - self.moment - self.actuator_moment)

    @property
    def muscle_residual(self) -> Array:
        """What muscles do not give: actuators of the model, reserves, and what is missing, shape (n, k).

        All of the demand where no muscle moves the coordinate. Where the model has actuators without limits beside its
        muscles, `moment_residual` is rounding whatever muscles do: this is what to look at then.
        """
        return np.asarray(self.demand - self.moment)

    @property
    def missing(self) -> Array:
        """What not even reserves give, shape (n, k): rounding, unless a coordinate without reserve cannot be met."""
        return np.asarray(self.moment_residual - self.reserve)

    def save(self, base: str | Path, *, overwrite: bool = False) -> tuple[Path, Path]:
        """Write `BASE_force.sto` and `BASE_activation.sto` for OpenSim; see `save_muscles`."""
        from softstride.muscles.sharing.files import save_muscles

        return save_muscles(self, base, overwrite=overwrite)

    def to_xarray(self) -> xr.Dataset:
        """Return an `xarray.Dataset`: by muscle, by coordinate and by actuator, and the certificate."""
        from softstride.muscles.sharing.labels import forces_dataset

        return forces_dataset(self)

    def to_dataframe(self, what: str = "force") -> pd.DataFrame:
        """Return forces [N], or activations, as a `pandas.DataFrame` indexed by time, one column a muscle.

        Args:
            what: "force" or "activation".
        """
        from softstride.muscles.sharing.labels import forces_dataframe

        return forces_dataframe(self, what)
