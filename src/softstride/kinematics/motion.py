"""`Motion`: a model's coordinates over time, their rates, and how well they meet the markers they came from."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from softstride.capture.recording import Event
from softstride.capture.series import rate_of
from softstride.errors import InputError
from softstride.kinematics.curve import check_frames, fit_rates
from softstride.kinematics.marker_fit import MarkerFit
from softstride.kinematics.motion_table import describe_columns, describe_places, table_of
from softstride.model.joints import Free, Spherical
from softstride.model.model import Model
from softstride.notes import Note
from softstride.results import Frames, Labels, Result, owned, values
from softstride.signals.inputs import as_time

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["MarkerFit", "Motion"]

Array = NDArray[np.float64]


def place_units(motion: Motion) -> list[str]:
    """Return the unit of every place in q."""
    return [unit for _, unit in describe_places(motion.model)]


class Motion(Result, of="a motion"):
    """The coordinates of a model over time.

    In `to_xarray` q has the dimensions time and place, v and a time and coordinate, marker_error time and marker. The
    places of a quaternion are "hip.qx" to "hip.qw". Units are coordinates beside the names, and attributes of the rest.

    Attributes:
        model: The model.
        time: Instants [s], shape (n,), strictly increasing.
        q: Configurations, shape (n, nq), as in `docs/conventions.md`.
        rates: v and a, each (n, nv), where they are known exactly (from a simulation or a smoothing); None: those of
            the curve through the frames (`fit_curve`), found when first asked for.
        fit: How well the markers are met; None for a motion that does not come from markers.
        events: On the same clock, in order of time.
        notes: What was decided on the way.
        lowpass: Cut-off frequency of a low pass that q and its rates went through [Hz], as in `reduce_residuals`; None:
            none is known. The smoothing of `solve_ik` is `fit.cutoff`.
    """

    model: Model
    time: Array = values("time", "s")
    q: Array = values("time configuration", place_units)
    rates: tuple[Array, Array] | None = values("time coordinate", default=None, parts=("v", "a"))
    fit: MarkerFit | None = None
    events: tuple[Event, ...] = ()
    notes: tuple[Note, ...] = ()
    lowpass: float | None = None

    LABELS: ClassVar[Mapping[str, Labels]] = {
        "configuration": lambda own: [name for name, _ in describe_places(own.model)]
    }
    CALLED: ClassVar[Mapping[str, str]] = {"configuration": "place"}

    def __post_init__(self) -> None:
        """Say first what is wrong with q: more than its shape."""
        if not isinstance(self.model, Model):
            raise InputError(
                f"model of a motion must be a Model, however it is {self.model!r}", parameter="model"
            )
        if not len(check_frames(self.model, self.q)):
            raise InputError("a motion needs at least one frame, however q has none", parameter="q")
        super().__post_init__()

    def check(self) -> None:
        """Check the instants, the rates and the fit."""
        as_time(self.time, self.n_frames)
        for name, rate in zip("va", self.rates or (), strict=False):
            if not np.isfinite(rate).all():
                frame = int(np.argwhere(~np.isfinite(rate))[0, 0])
                raise InputError(
                    f"{name} must be finite, however it is not in frame {frame}", parameter="rates"
                )
        if self.fit is not None:
            wanted = {"error": (self.n_frames, len(self.fit.names)), "prior": (self.model.nv,)}
            for name, shape in wanted.items():
                given = getattr(self.fit, name).shape
                if given != shape:
                    raise InputError(
                        f"{name} of the fit must have shape {shape}, however it has {given}", parameter="fit"
                    )
        object.__setattr__(self, "events", tuple(sorted(self.events, key=lambda event: event.time)))

    def __repr__(self) -> str:
        """Say what it is in one line."""
        rate = "" if self.n_frames < 2 else f", {self.rate:.4g} Hz"
        met = "" if self.fit is None else f", markers met to {1e3 * self.marker_rms:.3g} mm"
        span = f"{self.time[0]:.6g} to {self.time[-1]:.6g} s"
        return f"Motion({self.model.name!r}, {self.n_frames} frames, {span}{rate}{met})"

    def __len__(self) -> int:
        """Return the number of frames."""
        return len(self.time)

    # time

    @property
    def n_frames(self) -> int:
        """Number of frames."""
        return len(self.time)

    @property
    def duration(self) -> float:
        """From the first to the last frame [s]."""
        return float(self.time[-1] - self.time[0])

    @property
    def rate(self) -> float:
        """Frames per second [Hz], from the median step of time; NaN with one frame."""
        return rate_of(self.time)

    def at(self, start: float, stop: float) -> Motion:
        """Return the part from `start` to `stop` [s], both included.

        Its velocities and accelerations are those of the whole: cutting adds no ends to the curve.

        Raises:
            InputError: If no frame lies there.
        """
        first, last = np.searchsorted(self.time, [start, stop], side="left")
        last += int(last < self.n_frames and self.time[last] == stop)
        if not first < last:
            raise InputError(
                f"no frame lies from {start:g} to {stop:g} s; the motion runs from {self.time[0]:g} to "
                f"{self.time[-1]:g} s"
            )
        return replace(
            self, **(self._at(slice(int(first), int(last))) | {"events": self._between(start, stop)})
        )

    def _at(self, frames: Frames) -> dict[str, Any]:
        """Return the fields at some frames; velocities and accelerations are those of the whole."""
        found, time = super()._at(frames), self.time[frames]
        events = self._between(time.min(), time.max()) if len(time) else ()
        return found | {"rates": (self.v[frames], self.a[frames]), "events": events}

    def _between(self, start: float, stop: float) -> tuple[Event, ...]:
        return tuple(event for event in self.events if start <= event.time <= stop)

    # coordinates and rates

    @cached_property
    def _through_frames(self) -> tuple[Array, Array]:
        v, a = fit_rates(self.model, self.time, self.q)
        return owned(v), owned(a)

    @property
    def v(self) -> Array:
        """Velocities, shape (n, nv)."""
        return self._through_frames[0] if self.rates is None else self.rates[0]

    @property
    def a(self) -> Array:
        """Accelerations, component-wise derivatives of `v`, shape (n, nv)."""
        return self._through_frames[1] if self.rates is None else self.rates[1]

    def coordinate(self, name: str) -> Array:
        """Return the values of a plain coordinate [rad], [m] or, for strains, [1/m] and [1], shape (n,).

        Raises:
            InputError: If there is no such coordinate, or it is a part of a rotation that q keeps as a quaternion.
        """
        columns = self._columns
        if name in columns:
            return self.q[:, columns[name]]
        if name in self.model.coordinates:
            link = next(link for link in self.model.links if name in link.coordinate_names)
            raise InputError(
                f"{name!r} is a part of the {type(link.joint).__name__.lower()} joint of {link.name!r}, which q keeps "
                f"as a quaternion; take its successive angles from to_dataframe(), or q itself"
            )
        known = ", ".join(columns) or "none"
        raise InputError(f"{name!r} is no coordinate of {self.model.name!r}; plain ones are: {known}")

    @cached_property
    def _columns(self) -> dict[str, int]:
        """Columns of q of the plain coordinates, and of the places of free joints."""
        found: dict[str, int] = {}
        for link in self.model.links:
            places = self.model.q_indices(link.name)
            if isinstance(link.joint, Free):
                found |= dict(zip(link.coordinate_names[3:], places[:3], strict=True))
            elif not isinstance(link.joint, Spherical):
                found |= dict(zip(link.coordinate_names, places, strict=True))
        return found

    @cached_property
    def std(self) -> Array:
        """Standard deviation of each coordinate, in the axes and units of d in q ⊞ d, shape (n, nv).

        Raises:
            InputError: If the motion does not come from markers.
        """
        if self.fit is None:
            raise InputError("standard deviations come from markers, however this motion has no fit")
        from softstride.kinematics.ik.uncertainty import standard_deviations

        return standard_deviations(self)

    # how well the markers are met

    @property
    def marker_rms(self) -> float:
        """Root mean square error over all markers seen in all frames [m]; NaN without markers."""
        return float("nan") if self.fit is None else self.fit.rms

    @property
    def frame_rms(self) -> Array:
        """Root mean square error of the markers seen in each frame [m], shape (n,); NaN where there is none."""
        return np.full(self.n_frames, np.nan) if self.fit is None else self.fit.frame_rms

    @property
    def worst_marker(self) -> str | None:
        """Marker with the largest root mean square error; None without markers."""
        return None if self.fit is None else self.fit.worst_marker

    @property
    def converged(self) -> bool:
        """Whether every frame reached its minimum; true for a motion that was not solved for."""
        return self.fit is None or bool(self.fit.converged.all())

    @property
    def undetermined(self) -> tuple[str, ...]:
        """Coordinates that the markers do not determine."""
        return () if self.fit is None else self.fit.undetermined

    # elsewhere

    def save(self, path: str | Path, *, degrees: bool = True, overwrite: bool = False) -> tuple[Note, ...]:
        """Write the coordinates as .mot or .sto for OpenSim; see `save_motion`."""
        from softstride.kinematics.motion_files import save_motion

        return save_motion(self, path, degrees=degrees, overwrite=overwrite)

    def _variables(self) -> dict[str, Any]:
        found = super()._variables()
        for name, unit in (("v", "coordinate_unit / s"), ("a", "coordinate_unit / s^2")):
            found[name] = self._variable(("time", "coordinate"), getattr(self, name), unit)
        if self.fit is not None:
            found["marker_error"] = self._variable(("time", "marker"), self.fit.error, "m")
        return found

    def _coords(self) -> dict[str, Any]:
        columns = describe_columns(self.model)
        found = super()._coords() | {
            "coordinate": ("coordinate", [column.name for column in columns]),
            "coordinate_unit": ("coordinate", [column.unit for column in columns]),
        }
        return found if self.fit is None else found | {"marker": ("marker", list(self.fit.names))}

    def to_dataframe(self, *, degrees: bool = False) -> pd.DataFrame:
        """Return a `pandas.DataFrame` indexed by time, one column a coordinate, as in the files of `save`.

        The rotations of spherical and free joints are successive angles about x, y and z.
        """
        import pandas as pd

        values = table_of(self.model, self.q, degrees=degrees)
        index = pd.Index(self.time, name="time")
        return pd.DataFrame(values, index=index, columns=list(self.model.coordinate_names))
