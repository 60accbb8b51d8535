r"""One step of an integrator in the chart of its starting point, and the two explicit Runge-Kutta methods.

A step from (q, v) solves, in the coordinates x of q [+] x,

    dx/dt = T_R(x)^-1 v,    dv/dt = a(t, q [+] x, v),    x(0) = 0,

as an ordinary system y = (x, v) in R^(2 nv): the methods keep their order on the manifold (see
`engine.manifold`).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from softstride.errors import ModelError
from softstride.simulation.system import State, StepFailure, System

FloatArray = NDArray[np.float64]

RUNAWAY = 1e12
"""A stage beyond this, in any unit, belongs to a step that is too long."""


@dataclass(frozen=True, eq=False)
class Step:
    """A step that was computed, accepted or not.

    Attributes:
        start: Where it starts.
        h: Its size [s].
        y: (x, v) at its end, shape (2 nv,).
        error: Estimate of the error of y, shape (2 nv,); None where the method has none.
        dense: y at a fraction theta in [0, 1] of the step.
        a: Acceleration at its end, shape (nv,), where the method computed it.
    """

    start: State
    h: float
    y: FloatArray
    error: FloatArray | None
    dense: Callable[[float], FloatArray]
    a: FloatArray | None = None


def overflow(t: float) -> str:
    """Return what is wrong with a step from t [s] whose state is not finite, or beyond `RUNAWAY`."""
    return (
        f"in the step from t = {t:.9g} s places or speeds grow beyond all bounds: the step is too long for what acts, "
        "or the forces are too large."
    )


def rate(system: System, start: State, t: float, y: FloatArray) -> FloatArray:
    """Return dy/dt = (dx/dt, a) in the chart of `start`, shape (2 nv,)."""
    nv = system.model.nv
    x, v = y[:nv], y[nv:]
    if not (np.abs(y) < RUNAWAY).all():
        raise StepFailure(overflow(start.t))
    if system.chart.largest_turn(x) > np.pi:
        raise StepFailure(f"a joint turns by more than half a turn in the step from t = {start.t:.9g} s.")
    q = system.chart.move(start.q, x)
    try:
        a, _ = system.acceleration(np.array([t]), q[None], v[None])
    except ModelError as error:  # the start had an acceleration: the model is sound, the state overflowed
        raise StepFailure(f"a stage of the step from t = {start.t:.9g} s has no acceleration.") from error
    if not np.isfinite(a).all():
        raise StepFailure(f"an acceleration in the step from t = {start.t:.9g} s is not finite.")
    return np.concatenate([system.chart.rate(x, v), a[0]])


def beginning(state: State) -> tuple[FloatArray, FloatArray]:
    """Return y and dy/dt at the centre of the chart: (0, v) and (v, a)."""
    return np.concatenate([np.zeros_like(state.v), state.v]), np.concatenate([state.v, state.a])


def rk4_step(system: System, start: State, h: float) -> Step:
    """Take a step of the classical Runge-Kutta method, order 4; dense output by cubic Hermite, order 3 + 1.

    Source: W. Kutta, Z. Math. Phys. 46 (1901); E. Hairer, S. P. Norsett, G. Wanner, Solving ODEs I, table
        II.1.2.
    """
    y, k1 = beginning(start)
    middle = start.t + 0.5 * h
    k2 = rate(system, start, middle, y + 0.5 * h * k1)
    k3 = rate(system, start, middle, y + 0.5 * h * k2)
    k4 = rate(system, start, start.t + h, y + h * k3)
    end = y + h / 6.0 * (k1 + 2.0 * k2 + 2.0 * k3 + k4)

    slope: list[FloatArray] = []  # at the end, only when somebody interpolates

    def dense(theta: float) -> FloatArray:
        if not slope:
            slope.append(rate(system, start, start.t + h, end))
        u = 1.0 - theta
        bend = u * (h * k1 - (end - y)) - theta * (h * slope[0] - (end - y))
        return u * y + theta * end + theta * u * bend

    return Step(start, h, end, None, dense)


C = np.array([0.0, 1 / 5, 3 / 10, 4 / 5, 8 / 9, 1.0, 1.0])
A = (
    (),
    (1 / 5,),
    (3 / 40, 9 / 40),
    (44 / 45, -56 / 15, 32 / 9),
    (19372 / 6561, -25360 / 2187, 64448 / 6561, -212 / 729),
    (9017 / 3168, -355 / 33, 46732 / 5247, 49 / 176, -5103 / 18656),
    (35 / 384, 0.0, 500 / 1113, 125 / 192, -2187 / 6784, 11 / 84),
)
E = np.array([71 / 57600, 0.0, -71 / 16695, 71 / 1920, -17253 / 339200, 22 / 525, -1 / 40])
D = np.array(
    [
        -12715105075 / 11282082432,
        0.0,
        87487479700 / 32700410799,
        -10690763975 / 1880347072,
        701980252875 / 199316789632,
        -1453857185 / 822651844,
        69997945 / 29380423,
    ]
)


def dopri_step(system: System, start: State, h: float) -> Step:
    """Take a step of Dormand and Prince's method: order 5, error estimate and dense output of order 4.

    Source: J. R. Dormand and P. J. Prince, J. Comput. Appl. Math. 6 (1980); dense output: E. Hairer, S. P.
        Norsett, G. Wanner, Solving ODEs I, section II.6.
    """
    y, k1 = beginning(start)
    k = np.empty((7, len(y)))
    k[0] = k1
    end = y
    for i in range(1, 7):
        end = y + h * (np.array(A[i]) @ k[:i])
        k[i] = rate(system, start, start.t + C[i] * h, end)
    jump = end - y
    first, last, bend = h * k[0] - jump, h * k[6] - jump, h * (D @ k)

    def dense(theta: float) -> FloatArray:
        u = 1.0 - theta
        return y + theta * (jump + u * (first + theta * (-(first + last) + u * bend)))

    return Step(start, h, end, h * (E @ k), dense, k[6, system.model.nv :].copy())
