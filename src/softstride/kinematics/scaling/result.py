"""What a scaling found, and how well it fits."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from softstride.engine import positions
from softstride.kinematics.scaling.static import Targets
from softstride.model import Model

Array = NDArray[np.float64]


@dataclass(frozen=True)
class MarkerError:
    """Distance between a marker of the model and the measured one over the frames, in [m].

    Attributes:
        rms: Root of the mean square.
        max: Greatest.
    """

    rms: float
    max: float


@dataclass(frozen=True, eq=False)
class Scaling:
    """A scaled person.

    Attributes:
        model: The scaled model, its markers placed.
        factors: Along x, y, z of each link, shape (3,).
        factor_std: Their standard deviations, given the widths of the fit, shape (3,); NaN from measurements.
        marker_error: Distance of each marker from the measured one, in the pose found, markers placed.
        unplaced_error: The same before the markers were moved on their links.
        moved: How far each marker was moved on its scaled link, shape (3,), link axes, [m].
        q: The pose in each frame used, shape (n, nq).
        time: Of these frames, shape (n,), [s].
        method: "measurements" or "fit".
        iterations: Steps of the solver.
        converged: Whether it came to rest.
        notes: What was assumed, ignored or missing.
    """

    model: Model
    factors: Mapping[str, Array]
    factor_std: Mapping[str, Array]
    marker_error: Mapping[str, MarkerError]
    unplaced_error: Mapping[str, MarkerError]
    moved: Mapping[str, Array]
    q: Array
    time: Array
    method: str
    iterations: int
    converged: bool
    notes: tuple[str, ...] = field(default=())

    @property
    def rms(self) -> float:
        """Root mean square of all markers, as placed [m]; NaN without any."""
        return overall(self.marker_error)

    @property
    def unplaced_rms(self) -> float:
        """Root mean square of all markers before they were moved [m]; NaN without any."""
        return overall(self.unplaced_error)

    def report(self) -> str:
        """Return a table of factors and marker errors for people to read."""
        lines = [
            f"{self.model.name}: scaled by {self.method}, {self.model.mass:.2f} kg",
            "link                     x       y       z    +/-",
        ]
        for name, factor in self.factors.items():
            std = float(np.max(self.factor_std[name]))
            width = "" if np.isnan(std) else f"  {std:.3f}"
            lines.append(f"{name:20s}{factor[0]:8.3f}{factor[1]:8.3f}{factor[2]:8.3f}{width}")
        lines.append("marker            rms mm  max mm  before mm")
        for name, error in self.marker_error.items():
            before = self.unplaced_error[name].rms
            lines.append(f"{name:16s}{1e3 * error.rms:8.1f}{1e3 * error.max:8.1f}{1e3 * before:11.1f}")
        state = "converged" if self.converged else "DID NOT CONVERGE"
        lines.append(
            f"all: rms {1e3 * self.rms:.1f} mm, before placement {1e3 * self.unplaced_rms:.1f} mm; "
            f"{state} after {self.iterations} steps"
        )
        return "\n".join([*lines, *self.notes])


def overall(errors: Mapping[str, MarkerError]) -> float:
    """Return the root mean square over markers [m]."""
    return float(np.sqrt(np.mean([error.rms**2 for error in errors.values()]))) if errors else float("nan")


def marker_errors(model: Model, q: Array, seen: Targets) -> dict[str, MarkerError]:
    """Return the distances of markers from where they were seen, in poses q, shape (n, nq)."""
    distance = np.linalg.norm(positions(model, q, list(seen.names)) - seen.values, axis=2)  # (n, m)
    rms, most = np.sqrt(np.nanmean(distance**2, axis=0)), np.nanmax(distance, axis=0)
    return {name: MarkerError(float(a), float(b)) for name, a, b in zip(seen.names, rms, most, strict=True)}
