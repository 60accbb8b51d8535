r"""Coordinates that are driven: they follow given functions of time, whatever force that takes."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Protocol
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray

from softstride.errors import InputError
from softstride.model.checks import names_hint
from softstride.model.joints import Free, Spherical
from softstride.model.model import Model

FloatArray = NDArray[np.float64]
IndexArray = NDArray[np.intp]


class Course(Protocol):
    """A vector of functions of time with two derivatives, as SciPy's splines are."""

    def __call__(self, t: FloatArray, nu: int) -> FloatArray:
        """Return the functions (nu = 0) or their derivative of order nu at t (F,) [s], shape (F, n)."""


@dataclass(frozen=True, eq=False)
class DrivenCoordinates:
    """Move coordinates along functions of time: phi = q_j - f_j(t) = 0, a rheonomic constraint.

    J picks the coordinates, dphi/dt = -f'(t), and d2 phi/dt2 = a_j - f''(t). The multipliers are the generalized forces
    that drive, [N·m] for angles and [N] for lengths; their power is the sum of lambda_j v_j.

    Attributes:
        names: Names of the coordinates, plain ones: not those of ball and free joints.
        course: f, called as course(t, nu) with t of shape (F,) and the order nu 0, 1 or 2, returning shape (F, n): an
            object of `scipy.interpolate`, twice differentiable at least.
    """

    names: tuple[str, ...]
    course: Course
    _known: WeakKeyDictionary[Model, tuple[IndexArray, IndexArray]] = field(init=False, repr=False)

    def __post_init__(self) -> None:
        """Check the names and the course."""
        names = (self.names,) if isinstance(self.names, str) else tuple(self.names)
        if not names or len(set(names)) < len(names):
            raise InputError(
                f"driven coordinates must be one or more different names, however they are {names}."
            )
        if not callable(self.course):
            raise InputError(f"course must be a function course(t, nu), however it is {self.course!r}.")
        object.__setattr__(self, "names", names)
        object.__setattr__(self, "_known", WeakKeyDictionary())

    @property
    def holonomic(self) -> tuple[bool, ...]:
        """All rows."""
        return (True,) * len(self.names)

    def residual(self, model: Model, q: FloatArray, t: FloatArray) -> FloatArray:
        """Return q_j - f_j(t), shape (F, n), [rad] or [m]."""
        return q[:, self._places(model)[0]] - self._course(t, 0)

    def jacobian(self, model: Model, q: FloatArray, t: FloatArray) -> FloatArray:
        """Return rows that pick the coordinates, shape (F, n, nv)."""
        places = self._places(model)[1]
        J = np.zeros((len(q), len(places), model.nv))
        J[:, np.arange(len(places)), places] = 1.0
        return J

    def drift(self, model: Model, q: FloatArray, t: FloatArray) -> FloatArray:
        """Return -f'(t), shape (F, n)."""
        return -self._course(t, 1)

    def bias(self, model: Model, q: FloatArray, v: FloatArray, t: FloatArray) -> FloatArray:
        """Return -f''(t), shape (F, n)."""
        return -self._course(t, 2)

    def _course(self, t: FloatArray, nu: int) -> FloatArray:
        found = np.asarray(self.course(t, nu), dtype=np.float64)
        shape = (len(t), len(self.names))
        if found.shape == shape[:1] and len(self.names) == 1:
            found = found[:, None]
        if found.shape != shape:
            raise InputError(
                f"course must return shape {shape} for {len(self.names)} coordinates, however it is {found.shape}."
            )
        if not np.isfinite(found).all():
            bad = t[~np.isfinite(found).all(axis=1)]
            raise InputError(
                f"the course of {', '.join(self.names)} is not finite at t = {bad[0]:.6g} s: it must cover the whole "
                "time of the simulation."
            )
        return found

    def _places(self, model: Model) -> tuple[IndexArray, IndexArray]:
        """Return where the coordinates stand in q and in v."""
        if model not in self._known:
            at: dict[str, tuple[int, int]] = {}
            for link in model.links:
                if not isinstance(link.joint, Free | Spherical):
                    pairs = zip(model.q_indices(link.name), model.v_indices(link.name), strict=True)
                    at |= dict(zip(link.coordinate_names, pairs, strict=True))
            for name in self.names:
                if name not in at:
                    raise InputError(
                        f"{name!r} is no coordinate of {model.name!r} that can be driven; known: {names_hint(at)}"
                    )
            both = np.array([at[name] for name in self.names], dtype=np.intp)
            self._known[model] = both[:, 0], both[:, 1]
        return self._known[model]
