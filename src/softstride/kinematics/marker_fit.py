"""`MarkerFit`: how well a motion meets the markers it was found from."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from typing import TYPE_CHECKING, ClassVar

import numpy as np
from numpy.typing import NDArray

from softstride.frozen import Table
from softstride.results import Labels, Result, values

if TYPE_CHECKING:
    from softstride.kinematics.ik.swaps import Swap

Array = NDArray[np.float64]


class MarkerFit(Result, of="a fit"):
    """How well a motion meets the markers it was found from.

    Attributes:
        names: Markers used, m of them.
        weights: Their weights, shape (m,).
        error: Distance of each marker from its measured place [m], shape (n, m); NaN where it was not seen.
        objective: Weighted mean of the squared errors of the markers seen, plus goals [m²], shape (n,).
        converged: Whether each frame reached its minimum, shape (n,).
        iterations: Steps taken for each frame, shape (n,).
        prior: Weight of the posture prior on each velocity [m²/rad²], [1], shape (nv,).
        orientations: Weight of each measured orientation [m²/rad²], by frame.
        noise: Standard deviation of a coordinate of a marker of weight one [m].
        artefact: Soft-tissue artefact of each marker [m], shape (m,).
        undetermined: Coordinates that the markers do not determine.
        swaps: Exchanged labels that were found.
        aims: Weight of goals and of elastic energy on each velocity [m²/rad²], [1], shape (nv,).
        huber: Distance from which markers count linearly [m]; None: always squared.
        locked: Coordinates that were not to move.
        turned: Whether each orientation was measured in each frame, shape (n, number of orientations).
        spread: Standard deviation of a coordinate of each marker [m], noise and artefact together, shape (m,).
        cutoff: Of the smoothing spline that couples the frames in time [Hz]; None: each was solved on its own.
    """

    names: tuple[str, ...]
    weights: Array = values("marker", "1")
    error: Array = values("time marker", "m")
    objective: Array = values("time", "m^2")
    converged: NDArray[np.bool_] = values("time", dtype=bool)
    iterations: NDArray[np.int64] = values("time", dtype=int)
    prior: Array = values("coordinate", "m^2/rad^2, 1")
    orientations: Mapping[str, float] = field(default_factory=Table)
    noise: float = float("nan")
    artefact: Array = values("marker", "m", default=0.0)
    undetermined: tuple[str, ...] = ()
    swaps: tuple[Swap, ...] = ()
    aims: Array = values("coordinate", "m^2/rad^2, 1", default=0.0)
    huber: float | None = None
    locked: tuple[str, ...] = ()
    spread: Array = values("marker", "m", default=lambda own: own.noise)
    turned: NDArray[np.bool_] = values("time orientation", default=True, dtype=bool)
    cutoff: float | None = None

    LABELS: ClassVar[Mapping[str, Labels]] = {
        "marker": lambda own: own.names,
        "orientation": lambda own: tuple(own.orientations),
    }

    @property
    def rms(self) -> float:
        """Root mean square error over all markers seen in all frames, each counted once [m]; NaN without any."""
        return float(_rms(self.error.reshape(1, -1))[0])

    @property
    def frame_rms(self) -> Array:
        """Root mean square error of the markers seen in each frame [m], shape (n,); NaN where none is."""
        return _rms(self.error)

    @property
    def marker_rms(self) -> Table[float]:
        """Root mean square error of each marker over the frames it is seen in [m]; NaN where none is."""
        return Table(dict(zip(self.names, _rms(self.error.T).tolist(), strict=True)))

    @property
    def max_error(self) -> float:
        """Largest error of any marker in any frame [m]; NaN if none is seen."""
        seen = self.error[np.isfinite(self.error)]
        return float(seen.max()) if seen.size else float("nan")

    @property
    def worst_marker(self) -> str | None:
        """Marker with the largest root mean square error; None if none is seen."""
        seen = {name: rms for name, rms in self.marker_rms.items() if np.isfinite(rms)}
        return max(seen, key=lambda name: seen[name]) if seen else None


def _rms(error: Array) -> Array:
    """Return the root mean square of what is finite in each row; NaN where nothing is."""
    seen = np.isfinite(error)
    total = np.where(seen, error, 0.0)
    total = np.einsum("ij,ij->i", total, total)
    count = seen.sum(axis=1)
    return np.sqrt(np.divide(total, count, out=np.full(len(total), np.nan), where=count > 0))
