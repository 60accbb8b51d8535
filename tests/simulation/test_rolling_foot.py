"""A user's own constraint: the kinematic rolling foot, against its specification (section 5, test leg).

x forward, z up; tilt a about y. The foot frame's origin follows x = X(a), z = h(a) of a rolling surface.
"""

import numpy as np
import pytest
from scipy.interpolate import CubicSpline

from softstride import engine
from softstride.model import ModelBuilder
from softstride.simulation import Constraint, constrained_acceleration, simulate

# set R of the specification
A = (0.06835773178529361, -0.0011416145691764067, 0.21243644340312165, 0.0671977353554098)
C = (8.4, 65.0, 0.25, 7.0)
SWITCH, K1, K2 = 0.0260, -2.012682481937e-06, -1.952998142e-08
NODES = (0, 0.04, 0.08, 0.14, 0.22, 0.30, 0.36, 0.42)
REFERENCE = CubicSpline(NODES, (-0.08, -0.100, -0.115, -0.08, 0.03, 0.115, 0.135, 0.10), bc_type="natural")
# t, a, psi, da/dt, dpsi/dt, Fx, Fz
TABLE = np.array(
    [
        [0.04, -0.0748992714, -0.207379124, 2.1542393, 1.30532473, -142.7512, 706.3978],
        [0.12, -0.0130522022, -0.101277269, 0.0570620034, 1.31713637, -59.0042, 519.7989],
        [0.24, -0.0266795832, 0.0535099154, 0.0209909438, 1.27242725, 17.7715, 549.4410],
        [0.36, 0.0122217753, 0.209442223, 0.719313109, 1.34496376, 75.7940, 584.4877],
    ]
)


def surface(a):
    """Return X, h, h', rho of the rolling surface at tilt a."""
    pair = (2, 3) if a > SWITCH else (0, 1)
    sign, size = np.sign(a) or 1.0, abs(a)
    r = r1 = r2 = star = 0.0
    for i in pair:
        e = np.exp(-C[i] * size)
        r += A[i] * sign * (1 - e)
        r1 += A[i] * C[i] * e
        r2 -= sign * A[i] * C[i] ** 2 * e
        star += A[i] * C[i] / (1 + C[i] ** 2) * (np.sin(a) * e + C[i] * sign * (1 - np.cos(a) * e))
    s = star + r1 * np.sin(a)
    h, slope = r * np.sin(a), r1 * np.sin(a) + r * np.cos(a)
    if a > SWITCH:
        h, slope = h + K1 * np.cos(a) + K2 * np.sin(a), slope - K1 * np.sin(a) + K2 * np.cos(a)
    return s - slope, h, slope, 2 * r1 * np.cos(a) + r2 * np.sin(a)


class RollingFoot:
    """Rows (1, 0, -h, 0) and (0, 1, -h', 0) on (x, z, a, ankle); the multipliers are the ground force."""

    holonomic = (True, True)

    def residual(self, model, q):
        X, h, _, _ = np.array([surface(a) for a in q[:, 2]]).T
        return np.stack([q[:, 0] - X, q[:, 1] - h], axis=1)

    def jacobian(self, model, q):
        _, h, slope, _ = np.array([surface(a) for a in q[:, 2]]).T
        out = np.zeros((len(q), 2, 4))
        out[:, 0, 0] = out[:, 1, 1] = 1.0
        out[:, 0, 2], out[:, 1, 2] = -h, -slope
        return out

    def bias(self, model, q, v):
        _, h, slope, rho = np.array([surface(a) for a in q[:, 2]]).T
        return -np.stack([slope, rho - h], axis=1) * v[:, 2:3] ** 2


def build_leg():
    """Foot of 0.94 kg that slides and tilts, upper body of 64.06 kg on the ankle."""
    builder = ModelBuilder("leg", gravity=(0, 0, -9.81))
    builder.prismatic("x", axis=(1, 0, 0))
    builder.prismatic("z", "x", axis=(0, 0, 1))
    builder.revolute(
        "foot", "z", axis=(0, 1, 0), mass=0.94, com=(0.03, 0, 0.035), inertia=(0.004, 0.004, 0.004)
    )
    builder.revolute(
        "ankle", "foot", position=(-0.04, 0, 0.068), axis=(0, 1, 0), mass=64.06, com=(0, 0, 0.90), inertia=(7, 7, 7)
    )  # fmt: skip
    return builder.build()


def ankle(t, q, v):
    """Moment + on the foot, - on the upper body: -tau on the relative angle psi - a."""
    return [0.0, 0.0, 0.0, -400.0 * (q[3] - REFERENCE(t)) - 12.0 * (v[3] - REFERENCE(t, 1))]


def start():
    a, psi, da, dpsi = -0.18, -0.26, 1.9, 1.4
    X, h, slope, _ = surface(a)
    return np.array([X, h, a, psi - a]), np.array([h * da, slope * da, da, dpsi - da])


def test_it_is_a_constraint():
    assert isinstance(RollingFoot(), Constraint)


def test_accelerations_at_the_start():
    q, v = start()
    acceleration, _ = constrained_acceleration(build_leg(), q, v, ankle(0.0, q, v), [RollingFoot()])
    assert acceleration[2] == pytest.approx(133.520949444, rel=1e-9)
    assert acceleration[2] + acceleration[3] == pytest.approx(-10.3530451878, rel=1e-9)


@pytest.mark.slow
@pytest.mark.parametrize("method", ["dopri", "rosenbrock"])
def test_the_test_leg_follows_the_table(method):
    run = simulate(
        build_leg(), *start(), (0.0, 0.36), controls=ankle, constraints=[RollingFoot()], times=TABLE[:, 0],
        method=method, rtol=1e-10, atol=1e-12,
    )  # fmt: skip
    got = np.stack(
        [run.q[:, 2], run.q[:, 2] + run.q[:, 3], run.v[:, 2], run.v[:, 2] + run.v[:, 3], *run.multipliers.T],
        axis=1,
    )
    # ten printed digits of the states, seven of the forces
    assert np.max(np.abs(got[:, :4] - TABLE[:, 1:5])) < 2e-8
    assert np.max(np.abs(got[:, 4:] - TABLE[:, 5:])) < 1e-3
    assert run.constraint_drift < 1e-10
    com = engine.centre_of_mass(build_leg(), run.q)
    assert np.all(com[:, 2] > 0.8)
