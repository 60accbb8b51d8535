"""What was measured over time: labelled vectors (`Points`) and labelled numbers (`Channels`)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from softstride.errors import InputError
from softstride.results import AXES, Labels, Result, owned, values

if TYPE_CHECKING:
    import pandas as pd
    import xarray as xr

Floats = NDArray[np.float64]


class Series(Result):
    """Rows over time, columns by label; the part that `Points` and `Channels` share."""

    time: Floats = values("time", "s")
    labels: tuple[str, ...]
    values: Floats = values("time label")

    LABELS: ClassVar[Mapping[str, Labels]] = {"label": lambda own: own.labels}

    def check(self) -> None:
        """Check that each column has a label of its own."""
        if len(set(self.labels)) != len(self.labels):
            twice = sorted({label for label in self.labels if self.labels.count(label) > 1})
            raise InputError(
                f"labels must differ; these occur more than once: {', '.join(twice)}",
                parameter="labels",
                names=twice,
            )

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

    def to_xarray(self) -> xr.DataArray:
        """Return the values alone, as an `xarray.DataArray` with their labels and units."""
        import xarray as xr

        return xr.DataArray(self.values, self._coords(), self.ARRAYS["values"].dims, attrs=self._attrs())


class Points(Series, of="points"):
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
    residuals: Floats | None = values("time label", default=None)
    cameras: NDArray[np.uint8] | None = values("time label", default=None, dtype=np.uint8)
    filled: NDArray[np.bool_] = values("time label", default=False, dtype=bool)
    values: Floats = values("time label axis")  # in its place of the base, third of all

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
            residuals=None if self.residuals is None else owned(self.residuals[:, columns]),
            cameras=None if self.cameras is None else owned(self.cameras[:, columns]),
            filled=owned(self.filled[:, columns]),
        )

    def rotated(self, rotation: Floats) -> Self:
        """Return the same points in other axes, x' = R x; exact where R only swaps and flips axes."""
        return replace(self, values=owned(turned(self.values, rotation)))

    def _attrs(self) -> dict[str, Any]:
        return {"units": self.unit}

    def to_dataframe(self) -> pd.DataFrame:
        """Return a `pandas.DataFrame` indexed by time, with columns (label, axis)."""
        import pandas as pd

        columns = pd.MultiIndex.from_product([self.labels, AXES], names=["label", "axis"])
        index = pd.Index(self.time, name="time")
        return pd.DataFrame(self.values.reshape(len(self.time), -1), index=index, columns=columns)


class Channels(Series, of="channels"):
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

    def check(self) -> None:
        """Check that there are as many units as labels."""
        super().check()
        units = self.units or ("",) * len(self.labels)
        object.__setattr__(self, "units", units)
        if len(units) != len(self.labels):
            raise InputError(
                f"{len(self.labels)} channels need as many units, not {len(units)}", parameter="units"
            )

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

    def _coords(self) -> dict[str, Any]:
        return super()._coords() | {"units": ("label", list(self.units))}

    def to_dataframe(self) -> pd.DataFrame:
        """Return a `pandas.DataFrame` indexed by time, one column a channel."""
        return self._table("values")


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
