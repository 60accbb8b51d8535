"""How a segment moves: its natural coordinates over time, with derivatives that are given or still to be taken."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any, ClassVar, Literal, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from softstride.errors import InputError
from softstride.results import Labels, Result, values
from softstride.segments.jets import Jet
from softstride.segments.natural import angular_velocity, axes_of
from softstride.signals.derivatives import derivative
from softstride.signals.inputs import as_time

Array = NDArray[np.float64]
Differentiator: TypeAlias = (
    Literal["spline", "central", "savgol"] | Callable[[Array, Array], tuple[Array, Array]]
)
"""A method of `softstride.signals.derivative`, or a function of time and samples that returns both derivatives."""

PARTS = ("u", "P", "D", "w")
"""The four vectors of natural coordinates: forward, proximal end, distal end, across."""


class SegmentMotion(Result, of="a segment"):
    """Natural coordinates Q = [u; rP; rD; w] of a segment over time, world axes.

    Attributes:
        time: Instants [s], shape (n,).
        coordinates: u, rP, rD, w, shape (n, 4, 3) or (n, 12); unit vectors, and points in [m]. NaN: not known.
        rates: First derivatives, same shape; None: not given, so each method differentiates its own coordinates.
        accelerations: Second derivatives, same shape; given together with the rates or not at all.

    Raises:
        InputError: Shapes do not fit, or only one of the derivatives is given.
    """

    time: Array = values("time", "s")
    coordinates: Array = values("time vector axis", "m")
    rates: Array | None = values("time vector axis", "m/s", default=None)
    accelerations: Array | None = values("time vector axis", "m/s^2", default=None)

    LABELS: ClassVar[Mapping[str, Labels]] = {"vector": lambda _: PARTS}

    def __post_init__(self) -> None:
        """Bring all to (n, 4, 3)."""
        given = np.asarray(self.coordinates, dtype=np.float64)
        n = len(given) if given.ndim else 0
        for name in ("coordinates", "rates", "accelerations"):
            value = getattr(self, name)
            if value is None:
                continue
            array = np.asarray(value, dtype=np.float64)
            if array.shape not in ((n, 4, 3), (n, 12)):
                raise InputError(
                    f"{name} of a segment must be ({n}, 4, 3) or ({n}, 12), not {array.shape}",
                    parameter=name,
                )
            object.__setattr__(self, name, array.reshape(n, 4, 3))
        super().__post_init__()

    def check(self) -> None:
        """Check the instants, and that the derivatives come together."""
        as_time(self.time, len(self.coordinates))
        if (self.rates is None) != (self.accelerations is None):
            raise InputError(
                "rates and accelerations of a segment come together: give both or neither",
                parameter="rates" if self.rates is None else "accelerations",
            )

    def __repr__(self) -> str:
        """Say what it is in one line."""
        known = "" if self.rates is None else ", with derivatives"
        return f"SegmentMotion({len(self.time)} frames{known})"

    def __len__(self) -> int:
        """Return the number of frames."""
        return len(self.time)

    @classmethod
    def of(
        cls, time: ArrayLike, u: ArrayLike, proximal: ArrayLike, distal: ArrayLike, w: ArrayLike
    ) -> SegmentMotion:
        """Return the motion of two points and two unit vectors, each of shape (n, 3)."""
        parts = [np.asarray(part, dtype=np.float64) for part in (u, proximal, distal, w)]
        return cls(np.asarray(time, dtype=np.float64), np.stack(parts, axis=1))

    @property
    def forward(self) -> Array:
        """The unit vector u, shape (n, 3)."""
        return self.coordinates[:, 0]

    @property
    def proximal(self) -> Array:
        """The proximal end P, shape (n, 3), [m]."""
        return self.coordinates[:, 1]

    @property
    def distal(self) -> Array:
        """The distal end D, shape (n, 3), [m]."""
        return self.coordinates[:, 2]

    @property
    def across(self) -> Array:
        """The unit vector w, shape (n, 3)."""
        return self.coordinates[:, 3]

    @property
    def long(self) -> Array:
        """The vector v from D to P, shape (n, 3), [m]."""
        return axes_of(self.coordinates)[1]

    @property
    def exact(self) -> bool:
        """Whether derivatives are given."""
        return self.rates is not None

    def jet(self) -> Jet:
        """Return the coordinates with their given derivatives.

        Raises:
            InputError: None are given.
        """
        if self.rates is None or self.accelerations is None:
            raise InputError("this motion has no derivatives: take them with differentiated()")
        return Jet(self.coordinates, self.rates, self.accelerations)

    def differentiated(self, method: Differentiator = "spline", **options: Any) -> SegmentMotion:
        """Return the motion with derivatives of its natural coordinates; given ones are kept.

        Args:
            method: See `Differentiator`.
            **options: Of that method of `softstride.signals.derivative`.
        """
        if self.exact:
            return self
        first, second = differentiate(self.time, self.coordinates, method, **options)
        return replace(self, rates=first, accelerations=second)

    def angular_velocity(self) -> Array:
        """Return the angular velocity, shape (n, 3), [rad/s], world axes; see `natural.angular_velocity`."""
        jet = self.jet()
        return angular_velocity(jet.x, jet.d)

    def frames(self, part: slice) -> SegmentMotion:
        """Return some of the frames."""
        cut = (None if x is None else x[part] for x in (self.rates, self.accelerations))
        return SegmentMotion(self.time[part], self.coordinates[part], *cut)


def differentiate(
    time: Array, x: Array, method: Differentiator = "spline", **options: Any
) -> tuple[Array, Array]:
    """Return the first and second derivative of samples in time, each of the shape of x.

    Raises:
        InputError: A function was given together with options, or returns other shapes.
    """
    if callable(method):
        if options:
            raise InputError(
                f"a function that differentiates takes no options, however {', '.join(options)} came"
            )
        found = tuple(np.asarray(part, dtype=np.float64) for part in method(time, x))
        if len(found) != 2 or any(part.shape != x.shape for part in found):
            shapes = ", ".join(str(part.shape) for part in found)
            raise InputError(f"a function that differentiates must return two arrays {x.shape}, not {shapes}")
        return found[0], found[1]
    first, second = (derivative(time, x, order, method, **options) for order in (1, 2))
    return first, second
