"""A reference problem with its answers: five links, rigid and soft, branched, on a floating base.

The answers were computed with 50 digits from matrix exponentials and numerical differentiation, independently
of every recursion here. They are rounded to 15 digits. Tests and `softstride selfcheck` share them.

    world - base (free) - thigh (revolute y) - blade (rod, 3 strains) +- toe  (rod, 6 strains)
                                                                      +- foot (spherical)
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from softstride.model.builder import ModelBuilder
from softstride.model.frame import Frame, Point
from softstride.model.inertia import Inertia
from softstride.model.model import Model
from softstride.model.rod import STRAINS, Rod, Segment

FloatArray = NDArray[np.float64]

BLADE_POINT = Point("blade", position=np.array([0.01, 0.02, -0.005]), at=0.1)
"""A marker on the blade, 0.1 m from its base, beside the centreline."""

BLADE_FRAME = Frame("blade", at=0.1)
"""The section of the blade 0.1 m from its base."""


@dataclass(frozen=True, eq=False)
class Reference:
    """One state of a model and what is known about it.

    Attributes:
        model: The model.
        q: Coordinates, shape (nq,), [m], [rad], [1/m], [-].
        v: Velocities, shape (nv,).
        a: Accelerations, shape (nv,).
        tau: M a + b, gravity included, no passive forces, shape (nv,), [N·m] or [N], strains times metre.
        bias: b, the same at a = 0, shape (nv,).
        mass_matrix: M, shape (nv, nv).
        passive: Elastic and damping forces, shape (nv,).
        kinetic: Kinetic energy [J].
        gravity: Potential energy of gravity [J], zero at the world's origin.
        elastic: Energy of the rods [J].
        blade_point: World position of `BLADE_POINT`, shape (3,), [m].
        blade_twist: Body twist of `BLADE_FRAME`, shape (6,), [rad/s] and [m/s].
        foot_origin: World position of the link frame of the foot, shape (3,), [m].
        toe_tip: World position of the tip of the toe, shape (3,), [m].
    """

    model: Model
    q: FloatArray
    v: FloatArray
    a: FloatArray
    tau: FloatArray
    bias: FloatArray
    mass_matrix: FloatArray
    passive: FloatArray
    kinetic: float
    gravity: float
    elastic: float
    blade_point: FloatArray
    blade_twist: FloatArray
    foot_origin: FloatArray
    toe_tip: FloatArray


def reference_model() -> Model:
    """Return the model of the reference problem: nq = 21, nv = 19, gravity 9.81 m/s² along -z."""
    density = Inertia(0.8, matrix=np.diag([2e-4, 1e-5, 1.9e-4]))
    stiffness = np.diag([8.0, 10.0, 200.0, 1e6, 4e5, 4e5])
    damping = np.diag([0.02, 0.03, 0.5, 100.0, 40.0, 40.0])
    twisted = np.array([0.3, 2.0, -0.4, 1.01, 0.02, -0.03])
    curled = np.array([0.0, -3.0, 0.0, 1.0, 0.0, 0.0])
    blade = Segment(0.25, twisted, density, stiffness, damping, free=("kx", "ky", "kz"))
    toe = Segment(0.15, curled, density, stiffness, damping, free=STRAINS)

    b = ModelBuilder("reference", gravity=(0.0, 0.0, -9.81))
    b.free("base", mass=3.0, com=(0.02, -0.01, 0.03), inertia=(0.03, 0.04, 0.05))
    b.revolute(
        "thigh",
        parent="base",
        axis=(0.0, 1.0, 0.0),
        position=(0.1, 0.0, -0.1),
        mass=1.2,
        com=(0.0, 0.01, -0.15),
        inertia=(0.010, 0.012, 0.004),
    )
    b.rod(
        "blade",
        parent="thigh",
        rod=Rod((blade,), quadrature=8),
        position=(0.0, 0.0, -0.3),
        rotation=((0.0, 0.0, 1.0), (0.0, 1.0, 0.0), (-1.0, 0.0, 0.0)),
    )
    b.rod("toe", parent="blade", rod=Rod((toe,), quadrature=8))
    b.spherical(
        "foot",
        parent="blade",
        position=(0.02, 0.01, 0.0),
        mass=0.3,
        com=(0.05, 0.0, 0.0),
        inertia=(1e-4, 2e-4, 2e-4),
    )
    return b.build()


def reference_problem() -> Reference:
    """Return the model, one state, and the answers."""
    lower = _numbers(_MASS_MATRIX)
    M = np.zeros((19, 19))
    M[np.tril_indices(19)] = lower
    M = np.tril(M) + np.tril(M, -1).T
    passive = np.zeros(19)
    passive[7:16] = (-1.01, 2.5075, -15.0625, -0.243, -1.491, 8.9475, -1501.5, 1201.2, -900.3)
    return Reference(
        model=reference_model(),
        q=_numbers(_Q),
        v=_numbers(_V),
        a=_numbers(_A),
        tau=_numbers(_TAU),
        bias=_numbers(_BIAS),
        mass_matrix=M,
        passive=passive,
        kinetic=2.43525033817966,
        gravity=37.4524431067193,
        elastic=32.124,
        blade_point=np.array([-0.132982117055329, -0.0572086153479812, 0.506526451098619]),
        blade_twist=_numbers(_BLADE_TWIST),
        foot_origin=np.array([-0.263912212245625, -0.0193329069379574, 0.420269020496663]),
        toe_tip=np.array([-0.366497225590068, -0.00330742217089419, 0.338464185378759]),
    )


def _numbers(text: str) -> FloatArray:
    return np.array(text.split(), dtype=np.float64)


_W = repr(np.sqrt(0.94).item())  # scalar part of both quaternions

_Q = f"""
0.1 -0.2 0.9  0.1 0.2 -0.1 {_W}  0.4  0.5 -1.0 0.3  0.2 1.0 -0.3 0.01 -0.02 0.015  0.2 -0.1 0.1 {_W}
"""
_V = "0.3 -0.2 0.5 1.0 0.2 -0.4  1.5  2.0 -1.0 0.5  1.0 -2.0 0.7 0.1 -0.2 0.05  0.6 -0.3 0.9"
_A = "-1 2 0.5 3 -2 1  -4  10 5 -8  6 4 -3 1 0.5 -1.5  2 1 -3"

_BLADE_TWIST = """
-0.392860396833991 1.19754914412093 -0.0169346088638244 -0.115975531476903 0.354556647691302 0.535502817871988
"""

_TAU = """
-0.945928683789728 0.127993817441549 0.184506133831355 -4.0621856102612 -0.956714708372812
48.5741895878238 2.46099028451694 -0.00926708738925677 0.122116287489502 -0.0426151313112866
0.000222951025781235 0.00203592390332837 -0.00167455425072788 -0.0773909405897537
-0.0306699141115245 -0.0452587106326304 0.000467973458789562 0.0388719338080593
-0.0489178619217929
"""

_BIAS = """
0.690406508350379 2.05124327363773 0.0694853183493166 -19.1405881342082 9.42402867424326
44.6117909344109 3.98830962297713 -0.00974574971742749 0.191629700227488 0.0203838555328801
0.000157544435347 0.00361113524647808 -0.000476658804216802 -0.0589500470370992
-0.00787713565524355 -0.0754609349692346 6.12984111349938e-05 0.103975691807
-0.039070013219588
"""

# Lower triangle, row by row.
_MASS_MATRIX = """
0.33869671434717
1.19569598466663e-3 0.369672873683486
-0.0501209400986651 7.88155046992021e-3 0.0743047575095538
0 -0.567850903127183 0.0116062697773574 4.82
0.567850903127183 0 0.0180614687345798 0 4.82
-0.0116062697773574 -0.0180614687345798 0 0 0 4.82
2.43506900693089e-3 0.264181636497309 5.14217744765595e-3 -0.475850903127183 0 0.22393853126542
   0.238990399311133
7.38778648778519e-4 -8.998358156594e-4 -2.65678299519961e-4 1.19969851609514e-3 1.21735715849225e-3
   -6.8478152813948e-4 -8.48344116863834e-4 1.89021156418915e-5
1.28580786460139e-3 0.0146062720667575 -6.0991174776082e-5 -0.0192811923791339 1.73552312407544e-3
   0.0119313664960883 0.0138712894784529 -6.12559008981789e-5 1.08126772618913e-3
0.0146621326269148 -1.34786731634114e-3 -4.04014917406831e-3 2.1113573059265e-3 0.022598202425933
   2.0867374356704e-4 -1.11586421139179e-3 5.8157835454579e-5 1.09871420566702e-6 1.08197607564086e-3
-2.67564388949003e-5 1.51786906879803e-5 5.72140953950865e-6 -1.81700539989449e-5 -3.67789715854044e-5
1.30408442087205e-5 1.46657697089578e-5 4.57339051761701e-7 1.13847046096292e-6 -2.36613450600964e-6
   2.57192457954254e-7
6.28202250239803e-5 3.13329383259515e-4 -1.99857125313171e-5 -3.93236391661752e-4 9.19487448656948e-5
2.06042853095782e-4 2.94610029402919e-4 7.44687145928863e-7 2.68129562125429e-5 3.30436518992761e-6
   9.7065919639815e-8 3.09704673257225e-6
3.05960864923921e-4 -5.93850215379061e-5 -9.18798251453976e-5 6.38366675371785e-5 4.41566139637613e-4
-7.25782476386579e-5 -6.0259179548054e-5 1.47629734457468e-6 -3.39656402226697e-6 2.71683875841799e-5
   -2.99006332417675e-7 7.58419068713404e-9 3.27183663804148e-6
-2.04557302735874e-4 1.67051028525024e-3 5.8306416216336e-5 -4.73579619958937e-3 -3.15031890853409e-4
-7.61970061897437e-3 4.34960603393862e-4 -1.24042824506281e-6 -8.86662479983003e-6 -9.40718273227129e-6
   -3.53388010944081e-8 2.78365932332187e-6 1.31878026882586e-6 8.95868025424032e-4
5.96004868052411e-3 -1.22012923344304e-3 -1.75986460475454e-3 1.43090920032429e-3 8.7967342301934e-3
-1.24773145401816e-3 -1.20181145881243e-3 3.1063144354412e-5 -6.53334477676743e-5 5.02715755478428e-4
   -4.82832830156956e-6 -1.99510185913343e-7 5.08012233355033e-5 -4.04105093004283e-7 8.99868665844774e-4
-1.25514124826483e-3 -5.99348623666116e-3 3.8544751743583e-4 7.49355017217143e-3 -1.86161441769555e-3
-4.57962843371103e-3 -5.70209406281512e-3 -1.30917473853763e-5 -5.03752045058748e-4
-6.42899176648586e-5 -1.62184366972598e-6 -5.08256238296146e-5 -2.43964479879993e-7
   -6.06157639506576e-8 6.06157639506423e-7 8.95918538560657e-4
-3.74801247325574e-5 1.04306345820309e-5 -9.21218872594786e-5 0 0 0 1.04306345820309e-5
   2.45482337735512e-5 3.13748253661868e-6 3.13157683784913e-6 0 0 0 0 0 0 1e-4
5.90422091040329e-3 8.29254992150266e-3 -1.36303941214375e-3 -0.0109498320249137 8.69017527316082e-3
5.43893669276628e-3 7.74146038828792e-3 -4.76516475394159e-5 6.67504316752962e-4 3.9467135654919e-4 0 0
   0 0 0 0 0 9.5e-4
8.03370389726014e-3 -6.09928987601032e-3 -2.40494478647665e-3 8.57286907936274e-3 0.0121257121696669
-2.1149515659936e-3 -5.45349812467341e-3 5.90569522528602e-5 -3.87208378344085e-4 6.72980515243556e-4 0
   0 0 0 0 0 0 0 9.5e-4
"""
