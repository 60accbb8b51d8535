r"""Forces that follow from the state of a model: what one is, and one with derivatives of its own.

A field is asked for all frames at once. Its derivatives are found by central differences, with steps of 6e-6 m, unless
it gives them: a stiff contact must, since the whole of its compression may be smaller than such a step.
"""

from __future__ import annotations

from typing import Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from softstride.model.model import Model

FloatArray = NDArray[np.float64]


@runtime_checkable
class ForceField(Protocol):
    """Generalized forces tau(t, q, v)."""

    def forces(self, model: Model, t: FloatArray, q: FloatArray, v: FloatArray) -> FloatArray:
        """Return tau, shape (F, nv), for t (F,) [s], q (F, nq) and v (F, nv)."""


@runtime_checkable
class StiffForceField(ForceField, Protocol):
    """Generalized forces that know their derivatives."""

    def derivatives(
        self, model: Model, t: float, q: FloatArray, v: FloatArray
    ) -> tuple[FloatArray, FloatArray]:
        """Return dtau/dx and dtau/dv at one state, each of shape (nv, nv), x as in q [+] x."""
