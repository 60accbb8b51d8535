"""`Reduction`: what was changed to make a recording and its plates agree, and what it brought."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, ClassVar

import numpy as np
from numpy.typing import NDArray

from softstride.dynamics.loads import Loads
from softstride.frozen import Table
from softstride.kinematics.motion import Motion
from softstride.model.model import Model
from softstride.notes import Note
from softstride.results import Labels, Result, values

if TYPE_CHECKING:
    import pandas as pd

Array = NDArray[np.float64]
Mask = NDArray[np.bool_]

FORCE_SHARE = 0.05
"""Of a residual force to the largest net external force that Hicks et al. allow."""

MOMENT_SHARE = 0.01
"""Of a residual moment to that force times the height of the centre of mass."""


class Reduction(Result, of="a reduction"):
    """A model and a motion that agree better with the measured forces, and all that was changed.

    Attributes:
        model: With new masses and centres of mass.
        motion: Of that model: the base moves a little differently, the joints as before.
        before: Loads of the model and motion as they were.
        after: Loads of those above.
        mass_change: By link [kg].
        centre_change: Of the centre of mass by link, link axes, shape (3,) [m].
        base_shift: [translation; rotation vector] of the base in world axes, shape (n, 6), [m] and [rad].
        used: Frames that were to agree, shape (n,).
        limits: Names of the changes that reached their bound.
        allowed: What Hicks et al. allow of residual force [N] and moment [N·m] in this trial.
        marker_rms: Root mean square distance of the markers before and after [m]; NaN where no markers were given.
        objective: Before and after each step; see `reduce_residuals`.
        converged: Whether the last step brought nothing more.
        notes: What was decided on the way.
    """

    model: Model
    motion: Motion
    before: Loads
    after: Loads
    mass_change: Mapping[str, float]
    centre_change: Mapping[str, Array] = values("axis", "m", parts=())
    base_shift: Array = values("time shift", "m, rad")
    used: Mask = values("time", dtype=bool)
    limits: tuple[str, ...] = ()
    allowed: tuple[float, float] = (float("nan"), float("nan"))
    marker_rms: tuple[float, float] = (float("nan"), float("nan"))
    objective: tuple[float, ...] = ()
    converged: bool = True
    notes: tuple[Note, ...] = ()

    LABELS: ClassVar[Mapping[str, Labels]] = {
        "time": lambda own: own.motion.time,
        "shift": lambda _: ("x", "y", "z", "rx", "ry", "rz"),
    }

    def __repr__(self) -> str:
        """Say what was changed and what it brought."""
        force, moment = (
            f"{getattr(self.before, name):.3g} to {getattr(self.after, name):.3g}"
            for name in ("residual_force_rms", "residual_moment_rms")
        )
        shift, turn = self.largest_shift
        return (
            f"Reduction({self.model.name!r}, {len(self.motion)} frames, residual {force} N, {moment} N m rms, mass "
            f"{self.total_mass_change:+.3g} kg, base within {1e3 * shift:.3g} mm and {np.degrees(turn):.3g} deg"
            f"{'' if self.converged else ', not converged'})"
        )

    @property
    def total_mass_change(self) -> float:
        """Of the whole model [kg]."""
        return float(sum(self.mass_change.values()))

    @property
    def largest_shift(self) -> tuple[float, float]:
        """Largest distance [m] and angle [rad] that the base was moved by."""
        size = np.linalg.norm(self.base_shift.reshape(-1, 2, 3), axis=2)
        return float(size[:, 0].max()), float(size[:, 1].max())

    @property
    def iterations(self) -> int:
        """Steps that were taken."""
        return max(len(self.objective) - 1, 0)

    def residual(self) -> Table[tuple[float, float]]:
        """Return what is left over before and after, over the frames that were to agree.

        "force rms" and "force peak" [N], "moment rms" and "moment peak" [N·m], and "fx" to "mz", the root mean square
        along each world axis.
        """
        found = {}
        both = [loads.residual[self.used] for loads in (self.before, self.after)]
        for what, part in (("force", slice(3, 6)), ("moment", slice(0, 3))):
            size = [np.linalg.norm(each[:, part], axis=1) for each in both]
            found[f"{what} rms"] = (_rms(size[0]), _rms(size[1]))
            found[f"{what} peak"] = (float(size[0].max()), float(size[1].max()))
            for i, axis in zip(range(6)[part], "xyz", strict=True):
                found[f"{what[0]}{axis} rms"] = (_rms(both[0][:, i]), _rms(both[1][:, i]))
        return Table(found)

    def table(self) -> str:
        """Return all that was changed and what it brought, for a person to read."""
        from softstride.dynamics.reduction.text import describe

        return describe(self)

    def to_dataframe(self) -> pd.DataFrame:
        """Return the links as a `pandas.DataFrame`: mass before and after [kg], its change, shift of its centre [m]."""
        from softstride.dynamics.reduction.text import links_frame

        return links_frame(self)


def _rms(x: Array) -> float:
    return float(np.sqrt(np.mean(x * x))) if len(x) else float("nan")
