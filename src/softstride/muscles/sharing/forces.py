"""`MuscleForces`: who pulls how hard, what that gives to the joints, and how well it was found."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from softstride.dynamics.loads import CONJUGATE
from softstride.errors import InputError
from softstride.kinematics.motion_table import describe_columns
from softstride.model.checks import names_hint
from softstride.model.model import Model
from softstride.notes import Note
from softstride.results import Labels, Result, values
from softstride.signals.inputs import as_time

if TYPE_CHECKING:
    import pandas as pd

Array = NDArray[np.float64]
Mask = NDArray[np.bool_]


def moment_units(forces: MuscleForces) -> list[str]:
    """Return the unit of the generalized force of each coordinate."""
    units = {column.name: CONJUGATE[column.unit] for column in describe_columns(forces.model)}
    return [units[name] for name in forces.coordinates]


class MuscleForces(Result, of="muscle forces"):
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
    time: Array = values("time", "s")
    names: tuple[str, ...]
    force: Array = values("time muscle", "N")
    activation: Array = values("time muscle", "1", default=np.nan)
    coordinates: tuple[str, ...] = ()
    demand: Array = values("time moment_of", moment_units, default=np.nan)
    moment: Array = values("time moment_of", moment_units, default=np.nan)
    reserve: Array = values("time moment_of", moment_units, default=np.nan)
    reserve_size: Array = values("moment_of", moment_units, default=np.nan)
    actuators: tuple[str, ...] = ()
    actuator_coordinates: tuple[str, ...] = ()
    actuator_force: Array = values("time actuator", "N m, N", default=np.nan)
    control: Array = values("time actuator", "1", default=np.nan)
    stationarity: Array = values("time", "1", default=np.nan)
    feasibility: Array = values("time", "1", default=np.nan)
    converged: Mask = values("time", default=False, dtype=bool)
    iterations: NDArray[np.int64] = values("time", default=0, dtype=int)
    notes: tuple[Note, ...] = ()

    LABELS: ClassVar[Mapping[str, Labels]] = {
        "muscle": lambda own: own.names,
        "moment_of": lambda own: own.coordinates,
        "actuator": lambda own: own.actuators,
    }
    CALLED: ClassVar[Mapping[str, str]] = {"moment_of": "coordinate"}

    def check(self) -> None:
        """Check the instants."""
        as_time(self.time, len(self.force))

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

    def _variables(self) -> dict[str, Any]:
        found = super()._variables()
        left = self._variable(("time", "moment_of"), self.moment_residual, moment_units)
        return self._without_empty(found | {"moment_residual": left})

    def _coords(self) -> dict[str, Any]:
        movers = {"actuator_coordinate": ("actuator", list(self.actuator_coordinates))}
        return self._without_empty(super()._coords() | movers)

    def _without_empty(self, parts: dict[str, Any]) -> dict[str, Any]:
        """Leave out what is along coordinates or actuators if there are none: no length says another thing in files."""
        present = {"coordinate": self.coordinates, "actuator": self.actuators}
        empty = {dim for dim, names in present.items() if not names}
        return {name: each for name, each in parts.items() if not empty.intersection(np.atleast_1d(each[0]))}

    def to_dataframe(self, what: str = "force") -> pd.DataFrame:
        """Return forces [N], or activations, as a `pandas.DataFrame` indexed by time, one column a muscle.

        Args:
            what: "force" or "activation".
        """
        if what not in ("force", "activation"):
            raise InputError(
                f"a table of muscles holds 'force' or 'activation', not {what!r}",
                parameter="what",
                value=what,
            )
        return self._table(what)
