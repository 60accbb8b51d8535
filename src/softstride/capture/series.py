"""What was measured over time: labelled vectors (`Points`) and labelled numbers (`Channels`)."""

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import NDArray

from softstride.errors import InputError
from softstride.results import frozen_floats, owned

if TYPE_CHECKING:
    import pandas as pd
    import xarray as xr

Floats = NDArray[np.float64]

AXES = ("x", "y", "z")


@dataclass(frozen=True, eq=False)
class _Series:
    """Rows over time, columns by label; the part that `Points` and `Channels` share."""

    time: Floats
    labels: tuple[str, ...]
    values: Floats

    def _check(self, ndim: int, shape: str) -> None:
        object.__setattr__(self, "time", frozen_floats(self.time))
        object.__setattr__(self, "labels", tuple(self.labels))
        object.__setattr__(self, "values", frozen_floats(self.values))
        expected = (len(self.time), len(self.labels), *((3,) if ndim == 3 else ()))
        if self.time.ndim != 1 or self.values.shape != expected:
            raise InputError(f"values must have the shape {shape} = {expected}, not {self.values.shape}")
        if len(set(self.labels)) != len(self.labels):
            twice = sorted({label for label in self.labels if self.labels.count(label) > 1})
            raise InputError(f"labels must differ; these occur more than once: {', '.join(twice)}")

    def __len__(self) -> int:
        return len(self.time)

    def __bool__(self) -> bool:
        """Whether anything was measured."""
        return self.values.size > 0

    def __contains__(self, label: str) -> bool:
        return label in self._column

    def __getitem__(self, label: str) -> Floats:
        """Return one column by its label, all frames.

        Raises:
            InputError: No such label; the message lists those that exist.
        """
        return self.values[:, self.index(label)]

    def index(self, label: str) -> int:
        """Return the position of a label."""
        try:
            return self._column[label]
        except KeyError:
            raise InputError(f"no {label!r} among: {', '.join(self.labels) or 'nothing'}") from None

    @cached_property
    def _column(self) -> dict[str, int]:
        return {label: i for i, label in enumerate(self.labels)}

    @property
    def rate(self) -> float:
        """Frames per second [Hz], from the median step of time; NaN with fewer than two frames."""
        return rate_of(self.time)


@dataclass(frozen=True, eq=False)
class Points(_Series):
    """Labelled 3-vectors over time: marker positions, or a model's angles, forces, moments and powers.

    Attributes:
        time: Time of each frame, shape (n,), in [s].
        labels: Name of each point, all different.
        values: Shape (n, m, 3), in `unit`, world axes; NaN where not measured.
        unit: Unit of the values, "m" for markers.
        residuals: Reconstruction error of each point, shape (n, m), in `unit`; None if the file has none.
        cameras: Bit mask of the cameras that saw each point, shape (n, m); None if the file has none.
        filled: True where a value was made up, not measured, shape (n, m).
    """

    unit: str = "m"
    residuals: Floats | None = None
    cameras: NDArray[np.uint8] | None = None
    filled: NDArray[np.bool_] = field(default_factory=lambda: np.zeros((0, 0), dtype=bool))

    def __post_init__(self) -> None:
        self._check(3, "(n_frames, n_points, 3)")
        shape = self.values.shape[:2]
        filled = np.zeros(shape, dtype=bool) if np.size(self.filled) == 0 else self.filled
        for name, given in (("residuals", self.residuals), ("cameras", self.cameras), ("filled", filled)):
            part = None if given is None else np.array(given)
            if part is not None:
                part.setflags(write=False)
            object.__setattr__(self, name, part)
            if part is not None and part.shape != shape:
                raise InputError(
                    f"{name} must have the shape (n_frames, n_points) = {shape}, not {part.shape}"
                )

    @classmethod
    def none(cls, unit: str = "m") -> Self:
        """Return a series without frames and labels."""
        return cls(np.zeros(0), (), np.zeros((0, 0, 3)), unit)

    @property
    def missing(self) -> NDArray[np.bool_]:
        """True where a point was not measured, shape (n, m)."""
        return np.any(np.isnan(self.values), axis=2)

    def select(self, labels: Iterable[str]) -> Self:
        """Return the points of these labels, in this order."""
        chosen = tuple(labels)
        columns = [self.index(label) for label in chosen]
        return replace(
            self,
            labels=chosen,
            values=owned(self.values[:, columns]),
            residuals=None if self.residuals is None else self.residuals[:, columns],
            cameras=None if self.cameras is None else self.cameras[:, columns],
            filled=self.filled[:, columns],
        )

    def rotated(self, rotation: Floats) -> Self:
        """Return the same points in other axes, x' = R x; exact where R only swaps and flips axes."""
        return replace(self, values=owned(turned(self.values, rotation)))

    def to_xarray(self) -> "xr.DataArray":
        """Return an `xarray.DataArray` with the dimensions time, label and axis."""
        import xarray as xr

        return xr.DataArray(
            self.values,
            dims=("time", "label", "axis"),
            coords={"time": self.time, "label": list(self.labels), "axis": list(AXES)},
            attrs={"units": self.unit},
        )

    def to_dataframe(self) -> "pd.DataFrame":
        """Return a `pandas.DataFrame` indexed by time, with columns (label, axis)."""
        import pandas as pd

        columns = pd.MultiIndex.from_product([self.labels, AXES], names=["label", "axis"])
        index = pd.Index(self.time, name="time")
        return pd.DataFrame(self.values.reshape(len(self.time), -1), index=index, columns=columns)


@dataclass(frozen=True, eq=False)
class Channels(_Series):
    """Labelled numbers over time: analog channels, EMG, the columns of a table.

    Attributes:
        time: Time of each sample, shape (n,), in [s].
        labels: Name of each channel, all different.
        values: Shape (n, c), each channel in its own unit; NaN where not measured.
        units: Unit of each channel as text, "" where the file does not say.
        in_degrees: Whether the file says that its angles are in degrees; None where it says nothing.
    """

    units: tuple[str, ...] = ()
    in_degrees: bool | None = None

    def __post_init__(self) -> None:
        self._check(2, "(n_samples, n_channels)")
        units = tuple(self.units) or ("",) * len(self.labels)
        object.__setattr__(self, "units", units)
        if len(units) != len(self.labels):
            raise InputError(f"{len(self.labels)} channels need as many units, not {len(units)}")

    @classmethod
    def none(cls) -> Self:
        """Return a series without samples and labels."""
        return cls(np.zeros(0), (), np.zeros((0, 0)))

    def select(self, labels: Iterable[str]) -> Self:
        """Return the channels of these labels, in this order."""
        chosen = tuple(labels)
        columns = [self.index(label) for label in chosen]
        units = tuple(self.units[i] for i in columns)
        return replace(self, labels=chosen, values=owned(self.values[:, columns]), units=units)

    def to_xarray(self) -> "xr.DataArray":
        """Return an `xarray.DataArray` with the dimensions time and label; units are a coordinate."""
        import xarray as xr

        coords: dict[str, Any] = {"time": self.time, "label": list(self.labels)}
        coords["units"] = ("label", list(self.units))
        return xr.DataArray(self.values, dims=("time", "label"), coords=coords)

    def to_dataframe(self) -> "pd.DataFrame":
        """Return a `pandas.DataFrame` indexed by time, one column a channel."""
        import pandas as pd

        return pd.DataFrame(self.values, index=pd.Index(self.time, name="time"), columns=list(self.labels))


def rate_of(time: Floats) -> float:
    """Return frames per second [Hz] from the median step, to nine digits: the tenth is rounding of the instants."""
    step = float(np.median(np.diff(time))) if len(time) > 1 else 0.0
    return float(f"{1.0 / step:.9g}") if step > 0.0 else float("nan")


def turned(vectors: Floats, rotation: Floats) -> Floats:
    """Return R v for vectors (..., 3); a signed permutation moves numbers and rounds nothing."""
    if np.isin(rotation, (-1.0, 0.0, 1.0)).all():
        source = np.abs(rotation).argmax(axis=1)
        sign = rotation[np.arange(3), source]
        return vectors[..., source] * sign
    return vectors @ rotation.T


def mean_of_seen(points: Points, labels: Iterable[str]) -> Floats:
    """Return the mean of those of some points that are seen in each frame, shape (n, 3); NaN where none is."""
    values = points.values[:, [points.index(label) for label in labels]]
    seen = np.isfinite(values)
    count = seen.sum(axis=1)
    total = np.where(seen, values, 0.0).sum(axis=1)
    return np.divide(total, count, out=np.full_like(total, np.nan), where=count > 0)
