r"""A stiff integrator: Rodas5P, linearly implicit, order 5 with an error estimate of order 4.

Each of the eight stages solves one linear system with the same matrix,

    (1 / (h gamma) - Jac) u_i = f(t + c_i h, y + sum_j a_ij u_j) + (1 / h) sum_j c_ij u_j + d_i h df/dt,
    y1 = y + sum_j b_j u_j,

with Jac = df/dy at the start of the step. The method is stiffly accurate and L-stable: stretching waves in a
rod with EA of 1e6 N and more are damped, not resolved. No iteration, hence no convergence failure; the
Jacobian must be right, and is analytic here but for loads and constraints (see `System.jacobian`).

Source: G. Steinebach, "Construction of Rosenbrock-Wanner method Rodas5P and numerical benchmarks within the
Julia Differential Equations package", BIT Numer. Math. 63:27 (2023); form of the stages: E. Hairer and G.
Wanner, Solving ODEs II, section IV.7. The 17 order conditions up to order 5 hold to 2e-14 (tested).
"""

from __future__ import annotations

from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import lu_factor, lu_solve

from softstride.simulation.step import Step, beginning, rate
from softstride.simulation.system import State, StepFailure, System

FloatArray = NDArray[np.float64]

GAMMA = 0.21193756319429014
STAGES = 8


def _lower(*rows: tuple[float, ...]) -> FloatArray:
    """Return a strictly lower triangular matrix from its rows after the first."""
    out = np.zeros((STAGES, STAGES))
    for i, row in enumerate(rows, start=1):
        out[i, : len(row)] = row
    return out


_LAST = (
    -7.502846399306121, 2.561846144803919, -11.627539656261098, -0.18268767659942256, 0.030198172008377946
)  # fmt: skip
A = _lower(
    (3.0,),
    (2.849394379747939, 0.45842242204463923),
    (-6.954028509809101, 2.489845061869568, -10.358996098473584),
    (2.8029986275628964, 0.5072464736228206, -0.3988312541770524, -0.04721187230404641),
    _LAST,
    (*_LAST, 1.0),
    (*_LAST, 1.0, 1.0),
)
B = np.array([*_LAST, 1.0, 1.0, 1.0])  # the error estimate is the last stage alone
COUPLING = _lower(
    (-14.155112264123755,),
    (-17.97296035885952, -2.859693295451294),
    (147.12150275711716, -1.41221402718213, 71.68940251302358),
    (165.43517024871676, -0.4592823456491126, 42.90938336958603, -5.961986721573306),
    (24.854864614690072, -3.0009227002832186, 47.4931110020768, 5.5814197821558125, -0.6610691825249471),
    (30.91273214028599, -3.1208243349937974, 77.79954646070892, 34.28646028294783, -19.097331116725623,
     -28.087943162872662),
    (37.80277123390563, -3.2571969029072276, 112.26918849496327, 66.9347231244047, -40.06618937091002,
     -54.66780262877968, -9.48861652309627),
)  # fmt: skip
C = np.array(
    [0.0, 0.6358126895828704, 0.4095798393397535, 0.9769306725060716, 0.4288403609558664, 1.0, 1.0, 1.0]
)
D = np.array(
    [GAMMA, -0.42387512638858027, -0.3384627126235924, 1.8046452872882734, 2.325825639765069, 0.0, 0.0, 0.0]
)
H = np.array(
    [
        [25.948786856663858, -2.5579724845846235, 10.433815404888879, -2.3679251022685204,
         0.524948541321073, 1.1241088310450404, 0.4272876194431874, -0.17202221070155493],
        [-9.91568850695171, -0.9689944594115154, 3.0438037242978453, -24.495224566215796,
         20.176138334709044, 15.98066361424651, -6.789040303419874, -6.710236069923372],
        [11.419903575922262, 2.8879645146136994, 72.92137995996029, 80.12511834622643,
         -52.072871366152654, -59.78993625266729, -0.15582684282751913, 4.883087185713722],
    ]
)  # fmt: skip

_linearised: WeakKeyDictionary[State, tuple[FloatArray, FloatArray]] = WeakKeyDictionary()


def rosenbrock_step(system: System, start: State, h: float) -> Step:
    """Take a step of Rodas5P; a second step from the same state (after a rejection) reuses its Jacobian."""
    if start not in _linearised:
        _linearised[start] = system.jacobian(start), system.time_derivative(start)
    jacobian, in_time = _linearised[start]
    y, slope = beginning(start)
    if not np.isfinite(jacobian).all():
        raise StepFailure(f"the Jacobian at t = {start.t:.9g} s is not finite.")
    shifted = _Shifted(jacobian, 1.0 / (h * GAMMA))
    u = np.zeros((STAGES, len(y)))
    for i in range(STAGES):
        if i:
            slope = rate(system, start, start.t + C[i] * h, y + A[i, :i] @ u[:i])
        u[i] = shifted.solve(slope + COUPLING[i, :i] @ u[:i] / h + D[i] * h * in_time)
    end = y + B @ u
    bends = H @ u

    def dense(theta: float) -> FloatArray:
        inner = bends[0] + theta * (bends[1] + theta * bends[2])
        return (1.0 - theta) * y + theta * (end + (1.0 - theta) * inner)

    return Step(start, h, end, u[-1], dense)


class _Shifted:
    """The matrix s - Jac with Jac = [[P, 1], [A, B]], solved through its nv x nv Schur complement.

    (s - P) x - v = f,  (s - B) v - A x = g:
    (s - B - A (s - P)^-1) v = g + A (s - P)^-1 f,  x = (s - P)^-1 (f + v).
    """

    def __init__(self, jacobian: FloatArray, s: float) -> None:
        nv = len(jacobian) // 2
        P, A, B = jacobian[:nv, :nv], jacobian[nv:, :nv], jacobian[nv:, nv:]
        self.first = np.linalg.inv(s * np.eye(nv) - P) if P.any() else np.eye(nv) / s
        self.mixed = A @ self.first if P.any() else A / s
        self.factors = lu_factor(s * np.eye(nv) - B - self.mixed, check_finite=False)

    def solve(self, right: FloatArray) -> FloatArray:
        """Return the solution for one right-hand side, shape (2 nv,)."""
        f, g = np.split(right, 2)
        v = lu_solve(self.factors, g + self.mixed @ f, check_finite=False)
        return np.concatenate([self.first @ (f + v), v])
