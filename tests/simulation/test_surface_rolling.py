"""Convex bodies that roll on a plane: closed forms of disk, torus and sphere, the planar leg, a foot that leans."""

import numpy as np
import pytest
from scipy.integrate import solve_ivp
from scipy.spatial.transform import Rotation
from tests.simulation import mechanisms as mech

from softstride import engine
from softstride.contact import (
    CompliantBody,
    NormalLaw,
    RollingBody,
    RollingJoint,
    RollingSurface,
    SlipFriction,
    SplineSurface,
    plastic_landing,
)
from softstride.errors import InputError
from softstride.model import Frame
from softstride.selfcheck.rolling_leg import START, RollingLeg
from softstride.simulation import (
    Constraint,
    RollingConstraint,
    RollingShape,
    SurfaceConstraint,
    assemble,
    plastic_impact,
    simulate,
)

TIGHT = {"rtol": 1e-10, "atol": 1e-12}
SOLE = RollingSurface.from_exponents((8.4, 65.0, 0.25, 7.0), 1.0, 0.026)
FOOT = RollingBody(SOLE, SplineSurface.arc(0.06), 0.003)


def disk(radius, rounding=0.0):
    return RollingBody(SplineSurface.arc(radius, (0.0, -radius)), rounding=rounding)


@pytest.mark.parametrize(
    "constraint",
    [
        SurfaceConstraint("lower", disk(0.2, 0.03)),
        SurfaceConstraint(
            Frame("lower", (0.1, 0.2, 0.3), Rotation.from_euler("xyz", (0.2, 0.1, -0.3)).as_matrix()),
            RollingBody(
                SplineSurface.from_radius([-0.5, 0.0, 0.5], [0.1, 0.4, 0.2]), SplineSurface.arc(0.05), 0.01
            ),
            normal=(0.2, 1.0, -0.1),
            origin=(0, 1, 0),
        ),
    ],
    ids=["torus", "foot"],
)
def test_rows_are_consistent(constraint):
    """J v is the rate of phi in the holonomic row, and `bias` the rate of J at fixed v, by differences."""
    assert isinstance(constraint, Constraint)
    model = mech.floating_double_pendulum()
    rng = np.random.default_rng(5)
    q = engine.integrate(model, model.neutral(), 0.25 * rng.normal(size=(4, 7)))
    v, h = rng.normal(size=(4, 7)), 1e-5
    ahead, behind = engine.integrate(model, q, v, h), engine.integrate(model, q, v, -h)
    J = constraint.jacobian(model, q)
    rate = (constraint.residual(model, ahead) - constraint.residual(model, behind)) / (2 * h)
    np.testing.assert_allclose(rate[:, 0], np.einsum("fri,fi->fr", J, v)[:, 0], atol=1e-8)
    change = (constraint.jacobian(model, ahead) - constraint.jacobian(model, behind)) / (2 * h)
    np.testing.assert_allclose(constraint.bias(model, q, v), np.einsum("fri,fi->fr", change, v), atol=1e-7)


def test_a_disk_and_a_sphere_are_those_of_the_other_constraint():
    model = mech.free_body((0.02, 0.03, 0.04))
    rng = np.random.default_rng(1)
    q = engine.integrate(model, model.neutral(), 0.5 * rng.normal(size=(3, 6)))
    v = rng.normal(size=(3, 6))
    ball = RollingBody(SplineSurface.arc(0.0), rounding=0.3)
    for shape, other in (
        (disk(0.3), RollingConstraint("body", 0.3, axis=(0, 0, 1))),
        (ball, RollingConstraint("body", 0.3)),
    ):
        mine = SurfaceConstraint("body", shape)
        np.testing.assert_allclose(mine.residual(model, q), other.residual(model, q), atol=1e-14)
        np.testing.assert_allclose(mine.jacobian(model, q), other.jacobian(model, q), atol=1e-13)
        np.testing.assert_allclose(mine.bias(model, q, v), other.bias(model, q, v), atol=1e-12)


@pytest.mark.slow
@pytest.mark.parametrize("rounding", [0.0, 0.06])
def test_a_tilted_torus_rolls_in_a_circle(rounding):
    """Steady rolling at tilt th (axis against the vertical) and turning rate W.

    With rim R and rounding r, moments about the centre give the spin w3:
    w3 [C + m (R sin + r)(R + r sin)/sin] W sin = (A + m r (R sin + r)) W² sin cos − m g R cos.
    """
    m, R, r, th, W = 1.0, 0.3, rounding, 1.1, 2.0
    A, C, s, c = m * R**2 / 4, m * R**2 / 2, np.sin(th), np.cos(th)
    gained = (A + m * r * (R * s + r)) * W**2 * s * c - m * mech.G * R * c
    w3 = gained / (W * (C * s + m * (R * s + r) * (R + r * s)))
    e3, e2 = np.array([s, c, 0.0]), np.array([-c, s, 0.0])  # axis; from the contact to the centre in the disk
    axes = np.stack([np.cross(e2, e3), e2, e3], axis=1)
    omega = W * s * e2 + w3 * e3
    up = R * e2 + np.array([0.0, r, 0.0])
    speed = np.cross(omega, up)
    model = mech.free_body((A, A, C), mass=m)
    q0 = np.concatenate([up, Rotation.from_matrix(axes).as_quat()])
    v0 = np.concatenate([axes.T @ omega, axes.T @ speed])
    times = np.linspace(0.0, 1.0, 11)
    wheel = SurfaceConstraint("body", disk(R, r))
    run = simulate(model, q0, v0, (0.0, 1.0), constraints=[wheel], times=times, rtol=1e-9, atol=1e-11)
    tilted = engine.poses(model, run.q, "body")[:, :3, 2]
    assert np.max(np.abs(tilted[:, 1] - c)) < 1e-7, "the tilt stays"
    circle = Rotation.from_rotvec(np.outer(W * times, (0, 1, 0)))
    arm = np.cross(speed, (0, 1, 0)) / W
    assert np.max(np.abs(run.q[:, :3] - (up + circle.apply(arm) - arm))) < 1e-6
    assert run.energy_drift < 1e-8


@pytest.mark.slow
def test_a_foot_that_leans_keeps_its_energy_and_does_not_slip():
    """It rocks along and across; the tangential rows are not integrable, and do no work."""
    model = mech.free_body((0.004, 0.005, 0.006), mass=1.1, com=(0.03, 0.03, 0.005))
    rolling = [SurfaceConstraint("body", FOOT)]
    q = model.neutral()
    q[3:] = (Rotation.from_euler("x", 0.25) * Rotation.from_euler("z", 0.08)).as_quat()
    q, v = assemble(model, q, np.array([0.5, 1.0, -1.0, 0.0, 0.0, 0.0]), rolling)
    run = simulate(model, q, v, (0.0, 0.4), constraints=rolling, max_step=2e-3, **TIGHT)
    turned = engine.poses(model, run.q, "body")[:, :3, :3]
    tilt, lean = FOOT.tilts(-turned[:, 1, :])
    assert np.ptp(lean) > 0.15 and np.ptp(tilt) > 0.02, "it moves both ways"
    assert run.energy_drift < 1e-8 and run.constraint_drift < 1e-10
    assert np.max(np.abs(run.residual_rate)) < 1e-9


def leg_start():
    a, psi, a_rate, psi_rate = -0.18, -0.26, 1.9, 1.4
    _, h, dh, _ = SOLE.roll(a)
    return [SOLE.X(a), h, a, psi - a], [h * a_rate, dh * a_rate, a_rate, psi_rate - a_rate]


@pytest.mark.slow
def test_the_planar_leg_rolls_over_the_same_foot():
    """Velocity-level rolling in space against the leg in minimal coordinates, without a moment."""
    plane = RollingLeg(RollingJoint(SOLE), driven=False)
    expected = solve_ivp(plane.rates, (0.0, 0.08), START, method="DOP853", max_step=1e-3, **TIGHT).y[:, -1]
    body = RollingBody(SOLE, SplineSurface.arc(0.05))
    run = simulate(
        mech.reference_leg(),
        *leg_start(),
        (0.0, 0.08),
        constraints=[SurfaceConstraint("foot", body)],
        max_step=1e-3,
        **TIGHT,
    )
    assert run.q[-1, 2] == pytest.approx(expected[0], abs=1e-8)
    assert run.q[-1, 2] + run.q[-1, 3] == pytest.approx(expected[1], abs=1e-8)
    assert run.q[-1, 0] == pytest.approx(float(SOLE.X(expected[0])), abs=1e-8)
    force = run.multipliers[-1] @ SurfaceConstraint("foot", body).basis
    np.testing.assert_allclose(force, [*plane.ground_force(0.08, expected)[:2], 0.0], atol=1e-4)


def test_a_plastic_landing_in_space_is_that_of_the_plane():
    model, held = mech.reference_leg(), [SurfaceConstraint("foot", RollingBody(SOLE))]
    q, v = (np.array(each) for each in leg_start())
    v += [0.2, -0.6, 0.5, -0.3]
    found = plastic_impact(model, q, v, held)
    rows = np.hstack([RollingJoint(SOLE).jacobian(q[2]), np.zeros((2, 1))])
    expected = plastic_landing(engine.mass_matrix(model, q), rows, v)
    np.testing.assert_allclose(found.v, expected.velocity, atol=1e-10)
    np.testing.assert_allclose((found.impulse @ held[0].basis)[:2], expected.impulse, rtol=1e-9)
    assert found.energy_lost == pytest.approx(expected.energy_lost, rel=1e-9) and found.energy_lost > 0.0


@pytest.mark.slow
def test_a_leaning_foot_lands_on_yielding_ground():
    """As an external load of `simulate`: momentum is the impulse of ground and weight, and it ends on its sole."""
    model = mech.free_body((0.004, 0.005, 0.006), mass=1.1, com=(0.0, 0.03, 0.0))
    ground = CompliantBody(FOOT, NormalLaw.from_restitution(5e3, 0.1, 0.3), SlipFriction(0.8, 0.03))

    def load(t, q, v):
        R = Rotation.from_quat(q[3:]).as_matrix()
        return {"body": ground.touch(R, q[:3], R @ v[:3], R @ v[3:]).wrench}

    q, end = model.neutral(), 0.3
    q[:3], q[3:] = (0.0, 0.03, 0.0), (Rotation.from_euler("x", 0.3) * Rotation.from_euler("z", 0.1)).as_quat()
    assert not load(0.0, q, np.zeros(6))["body"].any(), "it begins in the air"
    times = np.linspace(0.0, end, 1501)
    run = simulate(model, q, np.zeros(6), (0.0, end), f_ext=load, times=times, rtol=1e-5, atol=1e-7)
    lifted = [load(t, q, v)["body"][4] for t, q, v in zip(times, run.q, run.v, strict=True)]
    R = Rotation.from_quat(run.q[-1, 3:]).as_matrix()
    rise = (R @ (run.v[-1, 3:] + np.cross(run.v[-1, :3], [0.0, 0.03, 0.0])))[1]
    assert np.trapezoid(lifted, times) - 1.1 * mech.G * end == pytest.approx(1.1 * rise, abs=2e-3)
    assert lifted[-1] > 0.0 and abs(run.q[-1, 1]) < 0.01, "its origin is on the sole"


def test_what_is_no_shape_is_refused():
    assert isinstance(FOOT, RollingShape)
    for call, words in (
        (lambda: SurfaceConstraint("body", "flat"), "must have contact and contact_rate"),
        (lambda: SurfaceConstraint("body", FOOT, normal=(0, 0, 0)), "normal of a SurfaceConstraint"),
        (lambda: SurfaceConstraint("body", FOOT, origin=(0, 0)), "origin of a SurfaceConstraint"),
    ):
        with pytest.raises(InputError, match=words):
            call()
    model = mech.free_body((0.004, 0.005, 0.006))
    q = model.neutral()
    q[3:] = Rotation.from_euler("x", np.pi / 2).as_quat()
    with pytest.raises(InputError, match="lies on its side"):
        SurfaceConstraint("body", disk(0.2)).residual(model, q[None])
