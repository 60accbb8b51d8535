"""A rolling sole under the engine: the test leg of its specification, finite differences, and rolling in space."""

import numpy as np
import pytest
from tests.simulation import mechanisms as mech

from softstride import engine
from softstride.contact import OutlineSurface, RollingBody, RollingSurface
from softstride.errors import InputError
from softstride.model import Frame
from softstride.selfcheck.rolling_leg import START, ankle_moment, reference_surface
from softstride.simulation import (
    Constraint,
    PlanarSole,
    SurfaceConstraint,
    constrained_acceleration,
    simulate,
)

# rolling-foot specification, section 5: t, a, psi, da/dt, dpsi/dt, Fx, Fz, centre of pressure
TABLE = np.array(
    [
        [0.04, -0.0748992714, -0.207379124, 2.1542393, 1.30532473, -142.7512, 706.3978, -0.053623],
        [0.12, -0.0130522022, -0.101277269, 0.0570620034, 1.31713637, -59.0042, 519.7989, -0.012747],
        [0.24, -0.0266795832, 0.0535099154, 0.0209909438, 1.27242725, 17.7715, 549.4410, -0.024676],
        [0.36, 0.0122217753, 0.209442223, 0.719313109, 1.34496376, 75.7940, 584.4877, 0.011967],
    ]
)
SHOE = OutlineSurface([[-0.06, 0.015], [-0.04, 0.0], [0.0, -0.004], [0.1, 0.0], [0.17, 0.03]], width=0.1)
FRAME = Frame("foot", (0.01, -0.02, 0.0))


def moment(t, q, v):
    """The ankle's moment acts on the relative angle, psi - a."""
    return [0.0, 0.0, 0.0, -ankle_moment(t, q[2], q[2] + q[3], v[2], v[2] + v[3])]


def start(origin=0.0):
    a, psi, da, dpsi = START
    _, h, dh, _ = surface = reference_surface().roll(a)
    return np.array([origin + surface.X, h, a, psi - a]), np.array([h * da, dh * da, da, dpsi - da])


@pytest.mark.slow
def test_the_test_leg_follows_the_table():
    sole = PlanarSole(Frame("foot"), reference_surface(), origin=0.3)
    assert isinstance(sole, Constraint)
    run = simulate(
        mech.reference_leg(), *start(0.3), (0.0, 0.36),
        controls=moment, constraints=[sole], times=TABLE[:, 0], rtol=1e-10, atol=1e-12,
    )  # fmt: skip
    got = np.stack([run.q[:, 2], run.q[:, 2] + run.q[:, 3], run.v[:, 2], run.v[:, 2] + run.v[:, 3]], axis=1)
    np.testing.assert_allclose(got, TABLE[:, 1:5], atol=2e-8)
    np.testing.assert_allclose(run.multipliers, TABLE[:, 5:7], atol=1e-3)
    np.testing.assert_allclose(sole.contact(mech.reference_leg(), run.q), 0.3 + TABLE[:, 7], atol=1e-6)
    assert run.constraint_drift < 1e-11


@pytest.mark.parametrize("surface", [SHOE, reference_surface()])
def test_rows_by_finite_differences(surface):
    model, sole = mech.reference_leg(), PlanarSole(FRAME, surface, origin=0.2, floor=0.05)
    rng = np.random.default_rng(1)
    q, v = rng.uniform(-0.2, 0.4, (6, 4)), rng.normal(size=(6, 4))
    h = 1e-6
    ahead, behind = q + h * v, q - h * v
    rate = (sole.residual(model, ahead) - sole.residual(model, behind)) / (2 * h)
    np.testing.assert_allclose(np.einsum("fri,fi->fr", sole.jacobian(model, q), v), rate, atol=1e-8)
    change = (sole.jacobian(model, ahead) - sole.jacobian(model, behind)) / (2 * h)
    np.testing.assert_allclose(sole.bias(model, q, v), np.einsum("fri,fi->fr", change, v), atol=2e-6)


def test_the_lowest_point_of_the_outline_is_on_the_ground():
    model = mech.reference_leg()
    sole = PlanarSole(FRAME, SHOE, origin=0.0, floor=0.1)
    q = np.array([[0.3, 0.4, 0.25, 0.0]])
    T = engine.poses(model, q, FRAME)[0]
    places = SHOE.outline(np.linspace(-1.5, 1.5, 4001))
    lowest = (T[:3, :3] @ np.column_stack([places, np.zeros(len(places))]).T)[1].min() + T[1, 3]
    assert sole.height(model, q)[0] == pytest.approx(lowest - 0.1, abs=1e-7)


def test_rolling_in_the_plane_is_rolling_in_space():
    """The constraint for space gives the same accelerations and the same force."""
    model, (q, v) = mech.reference_leg(), start()
    tau = moment(0.0, q, v)
    plane = constrained_acceleration(model, q, v, tau, [PlanarSole(Frame("foot"), reference_surface())])
    body = SurfaceConstraint(Frame("foot"), RollingBody(reference_surface()))
    space = constrained_acceleration(model, q, v, tau, [body])
    np.testing.assert_allclose(plane[0], space[0], rtol=1e-9)
    np.testing.assert_allclose(plane[1], (body.basis.T @ space[1])[:2], rtol=1e-9)


def test_what_cannot_roll_is_told():
    with pytest.raises(InputError, match="must be a Frame"):
        PlanarSole("foot", SHOE)
    with pytest.raises(InputError, match=r"must answer roll\(a\)"):
        PlanarSole(FRAME, 0.3)
    with pytest.raises(InputError, match="origin of a sole must be a finite number, however it is nan"):
        PlanarSole(FRAME, SHOE, origin=np.nan)
    assert isinstance(
        PlanarSole(FRAME, RollingSurface.from_exponents((6, 40, 3, 12), 1.0, 0.026)), Constraint
    )
