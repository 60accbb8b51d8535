"""Constraints against open trees and closed forms: pins, loops, rolling; impacts by hand; redundant rows."""

import numpy as np
import pytest
from scipy.spatial.transform import Rotation
from tests.simulation import mechanisms as mech

from softstride import engine
from softstride.errors import InputError, SimulationError
from softstride.model import ModelBuilder, Point
from softstride.simulation import (
    PointConstraint,
    RollingConstraint,
    assemble,
    constrained_acceleration,
    plastic_impact,
    simulate,
)
from softstride.simulation.constraints import ConstraintSet
from softstride.simulation.system import System

TIGHT = {"rtol": 1e-10, "atol": 1e-12}
PLANE = ((1, 0, 0), (0, 1, 0))


def pin_of_the_floating_pendulum():
    """The hinge held in space, and a point beside it on the hinge axis held in the plane: five rows."""
    beside = Point("upper", (0, 0, 0.2) - mech.SHIFT)
    return [
        PointConstraint(Point("upper", -mech.SHIFT), (0, 0, 0)),
        PointConstraint(beside, (0, 0, 0.2), PLANE),
    ]


def floating_state(angles, rates):
    turn = Rotation.from_euler("z", angles[0])
    q = np.concatenate([turn.apply(mech.SHIFT), turn.as_quat(), angles[1:]])
    return q, np.concatenate([(0, 0, rates[0]), np.cross((0, 0, rates[0]), mech.SHIFT), rates[1:]])


@pytest.mark.slow
@pytest.mark.parametrize("method", ["dopri", "rosenbrock"])
def test_a_pinned_floating_chain_is_the_open_tree(method):
    q0, v0 = [1.2, -0.7], [0.5, 2.0]
    tree = simulate(mech.double_pendulum(), q0, v0, (0.0, 1.0), **TIGHT)
    model = mech.floating_double_pendulum()
    pins = pin_of_the_floating_pendulum()
    run = simulate(model, *floating_state(q0, v0), (0.0, 1.0), constraints=pins, method=method, **TIGHT)
    end, speed = floating_state(tree.q[-1], tree.v[-1])
    assert np.max(np.abs(engine.difference(model, end, run.q[-1]))) < 1e-7
    assert np.max(np.abs(speed - run.v[-1])) < 1e-7
    assert run.constraint_drift < 1e-10 and np.max(np.abs(run.residual_rate)) < 1e-10
    assert run.energy_drift < 1e-7


@pytest.mark.slow
@pytest.mark.parametrize(("method", "order"), [("rk4", 4), ("dopri", 5), ("rosenbrock", 5)])
def test_projection_keeps_the_order(method, order):
    model = mech.floating_double_pendulum()
    start = floating_state([1.2, -0.7], [0.5, 2.0])
    exact = simulate(mech.double_pendulum(), [1.2, -0.7], [0.5, 2.0], (0.0, 0.5), rtol=1e-12, atol=1e-14)
    end, _ = floating_state(exact.q[-1], exact.v[-1])
    errors = []
    for n in (20, 40, 80):
        run = simulate(
            model, *start, (0.0, 0.5), constraints=pin_of_the_floating_pendulum(), method=method, dt=0.5 / n
        )
        errors.append(np.linalg.norm(engine.difference(model, end, run.q[-1])))
        assert run.constraint_drift < 1e-10
    assert np.all(mech.orders(errors) > order - 0.4), errors


def test_multipliers_are_the_forces_of_the_pin():
    """Force on the pin of a swinging bar = m (acceleration of the centre - g), from the open pendulum."""
    model = mech.free_body((0.1, 0.1, 0.15), mass=2.0, com=(0.0, -0.5, 0.0))
    pins = [PointConstraint("body", (0, 0, 0)), PointConstraint(Point("body", (0, 0, 1)), (0, 0, 1), PLANE)]
    angle, rate = 0.8, 1.7
    q = np.concatenate([np.zeros(3), Rotation.from_euler("z", angle).as_quat()])
    v = np.array([0, 0, rate, 0, 0, 0.0])
    a, force = constrained_acceleration(model, q, v, np.zeros(6), pins)
    turn = -2.0 * mech.G * 0.5 * np.sin(angle) / (0.15 + 2.0 * 0.25)
    arm = 0.5 * np.array([np.sin(angle), -np.cos(angle), 0.0])
    centre = np.cross((0, 0, turn), arm) - rate**2 * arm
    assert a[2] == pytest.approx(turn, rel=1e-12)
    total = force[:3] + np.array([force[3], force[4], 0.0])
    assert np.allclose(total, 2.0 * (centre - mech.DOWN), atol=1e-11)
    many_a, many_force = constrained_acceleration(model, [q, q], [v, v], np.zeros((2, 6)), pins)
    assert np.allclose(many_a[1], a) and np.allclose(many_force[1], force)


def four_bar(width=0.6, coupler=0.6):
    """Two equal cranks (0.4 m, 1 kg) on the ground, `width` apart, a coupler (2 kg) hinged on the first."""
    builder = ModelBuilder("four bar", gravity=mech.DOWN)
    bar = {"axis": (0, 0, 1), "mass": 1.0, "com": (0, -0.2, 0), "inertia": (0.02, 0.001, 0.02)}
    builder.revolute("left", **bar)
    builder.revolute("right", position=(width, 0, 0), **bar)
    bar = {"axis": (0, 0, 1), "mass": 2.0, "com": (coupler / 2, 0, 0), "inertia": (0.1, 0.1, 0.1)}
    builder.revolute("coupler", "left", position=(0, -0.4, 0), **bar)
    return builder.build()


LOOP = PointConstraint(Point("coupler", (0.6, 0, 0)), Point("right", (0, -0.4, 0)))


@pytest.mark.parametrize("loops", [[LOOP], [LOOP, LOOP]], ids=["planar loop in space", "closed twice"])
def test_a_parallelogram_is_a_pendulum(loops):
    """I q'' = -G sin q, I = 2 (0.02 + 0.04) + 2 * 0.16, G = g (2 * 0.2 + 2 * 0.4): elliptic functions."""
    model, start = four_bar(), 0.9
    inertia, weight = 2 * (0.02 + 0.04) + 2.0 * 0.16, mech.G * (2 * 0.2 + 2.0 * 0.4)
    stretch = np.sqrt(weight / inertia / mech.G)  # time runs faster than in the unit pendulum
    run = simulate(model, [start, start, -start], np.zeros(3), (0.0, 1.0), constraints=loops, **TIGHT)
    exact = mech.pendulum_angle(start, stretch * run.time)
    assert np.max(np.abs(run.q - exact[:, None] * [1, 1, -1])) < 1e-8
    assert run.constraint_drift < 1e-10 and run.energy_drift < 1e-8
    if len(loops) == 2:
        assert np.allclose(run.multipliers[:, :3], run.multipliers[:, 3:], atol=1e-9)  # shared equally


def irregular():
    """A four-bar that is no parallelogram, its loop and a consistent start."""
    model = four_bar(width=0.7, coupler=0.5)
    loop = PointConstraint(Point("coupler", (0.5, 0, 0)), Point("right", (0, -0.4, 0)))
    return model, [loop], assemble(model, [0.9, 0.8, -0.9], [2.0, 0.0, 0.0], [loop])


@pytest.mark.slow
def test_an_irregular_four_bar_keeps_energy_and_closes():
    model, loop, start = irregular()
    run = simulate(model, *start, (0.0, 1.0), constraints=loop, **TIGHT)
    assert run.energy_drift < 1e-8 and run.constraint_drift < 1e-10
    assert np.max(np.abs(run.residual_rate)) < 1e-10 and np.ptp(run.q[:, 0]) > 0.5


@pytest.mark.slow
def test_baumgarte_alone_bounds_the_drift_and_projection_removes_it():
    model, loop, start = irregular()
    options = {"constraints": loop, "method": "rk4", "dt": 0.01}
    bare = simulate(model, *start, (0.0, 2.0), project=False, **options)
    held = simulate(model, *start, (0.0, 2.0), project=False, baumgarte=20.0, **options)
    projected = simulate(model, *start, (0.0, 2.0), **options)
    assert bare.constraint_drift > 3 * held.constraint_drift > 1e3 * projected.constraint_drift
    assert projected.constraint_drift < 1e-11


@pytest.mark.slow
def test_a_sphere_rolls_down_a_slope():
    """a = g sin(slope) / (1 + 2/5) down the slope; friction 2/7 m g sin, normal force m g cos."""
    slope, radius, mass = 0.3, 0.2, 1.4
    gravity = mech.G * np.array([np.sin(slope), -np.cos(slope), 0.0])
    model = mech.free_body((0.4 * mass * radius**2,) * 3, mass=mass, gravity=gravity)
    q0 = model.neutral()
    q0[1] = radius
    run = simulate(
        model, q0, np.zeros(6), (0.0, 1.0), constraints=[RollingConstraint("body", radius)], **TIGHT
    )
    pull = mech.G * np.sin(slope) / 1.4
    assert np.allclose(run.q[-1, :3], (pull / 2, radius, 0), atol=1e-9)
    basis = RollingConstraint("body", radius).basis
    force = run.multipliers @ basis
    assert np.allclose(force, mass * np.array([pull - gravity[0], -gravity[1], 0.0]), atol=1e-8)
    assert run.constraint_drift < 1e-10 and run.energy_drift < 1e-9


@pytest.mark.slow
def test_a_disk_rolls_straight():
    """A thin disk upright on a plane keeps its speed; the material point of contact is at rest."""
    radius = 0.3
    model = mech.free_body((0.0225, 0.0225, 0.045), mass=1.0)
    q0 = model.neutral()
    q0[1] = radius
    v0 = np.array([0, 0, -5.0, 5.0 * radius, 0, 0])
    disk = RollingConstraint("body", radius, axis=(0, 0, 1))
    run = simulate(model, q0, v0, (0.0, 1.0), constraints=[disk], **TIGHT)
    assert np.allclose(run.q[-1, :3], (5.0 * radius, radius, 0), atol=1e-9)
    assert np.max(np.abs(run.residual_rate)) < 1e-10


@pytest.mark.slow
@pytest.mark.parametrize("method", ["dopri", "rosenbrock"])
def test_a_tilted_disk_rolls_in_a_circle(method):
    """Steady rolling at tilt th (axis against the vertical) and turning rate W:

    (C + m r^2) w3 W sin th - A W^2 sin th cos th + m g r cos th = 0 gives the spin w3.
    """
    m, r, th, W = 1.0, 0.3, 1.1, 2.0
    A, C = m * r**2 / 4, m * r**2 / 2
    w3 = (A * W**2 * np.sin(th) * np.cos(th) - m * mech.G * r * np.cos(th)) / (
        (C + m * r**2) * W * np.sin(th)
    )
    model = mech.free_body((A, A, C), mass=m)
    e3 = np.array([np.sin(th), np.cos(th), 0.0])  # axis of the disk; y is up
    e2 = np.array([-np.cos(th), np.sin(th), 0.0])  # in the disk, from the contact to the centre
    e1 = np.cross(e2, e3)
    R = np.stack([e1, e2, e3], axis=1)
    omega = W * np.sin(th) * e2 + w3 * e3
    speed = np.cross(omega, r * e2)
    q0 = np.concatenate([r * e2, Rotation.from_matrix(R).as_quat()])
    v0 = np.concatenate([R.T @ omega, R.T @ speed])
    disk = RollingConstraint("body", r, axis=(0, 0, 1))
    times = np.linspace(0.0, 1.5, 21)  # half a turn
    run = simulate(
        model, q0, v0, (0.0, 1.5), constraints=[disk], times=times, method=method, rtol=1e-9, atol=1e-11
    )
    axes = engine.poses(model, run.q, "body")[:, :3, 2]
    assert np.max(np.abs(axes[:, 1] - np.cos(th))) < 1e-7  # the tilt stays
    circle = Rotation.from_rotvec(np.outer(W * times, (0, 1, 0)))
    centre = r * e2 + circle.apply(np.cross(speed, (0, 1, 0)) / W) - np.cross(speed, (0, 1, 0)) / W
    assert np.max(np.abs(run.q[:, :3] - centre)) < 1e-6
    assert np.max(np.abs(run.residual_rate)) < 1e-10 and run.constraint_drift < 1e-10


@pytest.mark.parametrize(
    "constraint",
    [
        PointConstraint(Point("lower", (0.1, -0.3, 0.2)), (0.1, 0.2, 0.3)),
        PointConstraint(Point("lower", (0.1, -0.3, 0.2)), "upper", ((1, 2, 3), (0, 1, 0))),
        RollingConstraint("lower", 0.2, centre=(0.1, 0.2, 0.3)),
        RollingConstraint("lower", 0.2, axis=(0.3, -0.5, 1.0), normal=(0.2, 1.0, -0.1), origin=(0, 1, 0)),
    ],
    ids=["place", "joined", "sphere", "disk"],
)
def test_rows_are_consistent(constraint):
    """J v is the rate of phi in the holonomic rows, and `bias` the rate of J at fixed v, by differences."""
    model = mech.floating_double_pendulum()
    rng = np.random.default_rng(5)
    q = engine.integrate(model, model.neutral(), rng.normal(size=(4, 7)))
    v, h = rng.normal(size=(4, 7)), 1e-5
    ahead, behind = engine.integrate(model, q, v, h), engine.integrate(model, q, v, -h)
    J = constraint.jacobian(model, q)
    rate = (constraint.residual(model, ahead) - constraint.residual(model, behind)) / (2 * h)
    mask = np.array(constraint.holonomic)
    assert np.allclose(rate[:, mask], np.einsum("fri,fi->fr", J, v)[:, mask], atol=1e-8)
    change = (constraint.jacobian(model, ahead) - constraint.jacobian(model, behind)) / (2 * h)
    assert np.allclose(constraint.bias(model, q, v), np.einsum("fri,fi->fr", change, v), atol=1e-7)


def test_jacobian_of_the_constrained_system():
    """Against differences of the right-hand side, for a disk (not holonomic) and a loop."""
    model = mech.floating_double_pendulum()
    held = [
        RollingConstraint("upper", 0.25, axis=(0, 0, 1)),
        PointConstraint("lower", (0.1, 0.2, 0.3), ((1, 1, 0),)),
    ]
    system = System(model, constraints=ConstraintSet(model, held), baumgarte=3.0)
    rng = np.random.default_rng(6)
    q, v = engine.integrate(model, model.neutral(), 0.4 * rng.normal(size=7)), rng.normal(size=7)
    state = system.state(0.0, q, v)
    got, h = system.jacobian(state), 1e-5
    for i, unit in enumerate(np.eye(7)):
        moved = [system.state(0.0, engine.integrate(model, q, s * h * unit), v).a for s in (1, -1)]
        assert np.allclose(
            (moved[0] - moved[1]) / (2 * h), got[7:, i], rtol=1e-5, atol=1e-5 * np.max(np.abs(got))
        )
        moved = [system.state(0.0, q, v + s * h * unit).a for s in (1, -1)]
        assert np.allclose(
            (moved[0] - moved[1]) / (2 * h), got[7:, 7 + i], rtol=1e-5, atol=1e-6 * np.max(np.abs(got))
        )


def test_plastic_impact_of_a_bar_by_hand():
    """A bar falls flat with speed u, one end is caught: spin 3 u / (2 l), impulse m u / 4, loss m u^2 / 8.

    caught o=========c=========   l = 1.2, m = 2, I = m l^2 / 12
    """
    length, mass, u = 1.2, 2.0, 3.0
    model = mech.free_body((1e-3, mass * length**2 / 12, mass * length**2 / 12), mass=mass)
    end = Point("body", (-length / 2, 0, 0))
    before = np.array([0, 0, 0, 0, -u, 0])
    hit = plastic_impact(model, model.neutral(), before, [PointConstraint(end, (-length / 2, 0, 0))])
    spin = -3 * u / (2 * length)
    assert np.allclose(hit.v, (0, 0, spin, 0, spin * length / 2, 0), atol=1e-14)
    assert np.allclose(hit.impulse, (0, mass * u / 4, 0), atol=1e-13)
    assert hit.energy_lost == pytest.approx(mass * u**2 / 8, rel=1e-13)
    change = engine.momentum(model, model.neutral(), hit.v) - engine.momentum(model, model.neutral(), before)
    moment = np.cross((-length / 2, 0, 0), hit.impulse)
    assert np.allclose(change, np.concatenate([moment, hit.impulse]), atol=1e-13)  # momentum balance


def test_plastic_impact_never_gains_energy_and_meets_the_constraints():
    model = mech.floating_double_pendulum()
    rng = np.random.default_rng(8)
    toes = [
        PointConstraint(Point("lower", (0, -0.4, 0)), (0, 0, 0)),
        PointConstraint("upper", (1, 0, 0), ((0, 1, 0),)),
    ]
    for _ in range(20):
        q, v = engine.integrate(model, model.neutral(), rng.normal(size=7)), rng.normal(size=7)
        hit = plastic_impact(model, q, v, toes)
        held = ConstraintSet(model, toes)
        assert np.max(np.abs(held.jacobian(q[None])[0] @ hit.v)) < 1e-12
        lost = (
            engine.energy(model, q[None], v[None]).kinetic
            - engine.energy(model, q[None], hit.v[None]).kinetic
        )
        assert hit.energy_lost == pytest.approx(lost[0], rel=1e-10) and hit.energy_lost >= 0.0


def test_assemble_closes_a_loop():
    model = four_bar()
    q, v = assemble(model, [0.5, 0.6, -0.45], [1.0, 0.0, 0.0], [LOOP])
    held = ConstraintSet(model, [LOOP])
    assert np.max(np.abs(held.residual(q[None]))) < 1e-12
    assert np.max(np.abs(held.jacobian(q[None])[0] @ v)) < 1e-12 and np.linalg.norm(v) > 0.1
    assert q[0] == pytest.approx(q[1], abs=1e-9) and q[2] == pytest.approx(-q[0], abs=1e-9)
    assert np.all(assemble(model, [0.5, 0.6, -0.45], None, [LOOP])[1] == 0.0)


def test_a_loop_that_cannot_close_is_reported():
    far = PointConstraint(Point("right", (0, -0.4, 0)), (5.0, 0, 0))
    with pytest.raises(SimulationError, match="cannot be met"):
        assemble(four_bar(), [0.5, 0.6, -0.45], None, [far])


def test_an_inconsistent_start_is_refused():
    with pytest.raises(InputError, match=r"violates the constraints.*assemble"):
        simulate(four_bar(), [0.5, 0.6, -0.5], np.zeros(3), (0.0, 1.0), constraints=[LOOP])
    with pytest.raises(InputError, match="in velocity"):
        simulate(four_bar(), [0.5, 0.5, -0.5], [1.0, 0.0, 0.0], (0.0, 1.0), constraints=[LOOP])


def test_a_massless_part_is_reported():
    builder = ModelBuilder("light", gravity=mech.DOWN)
    builder.revolute("rod", axis=(0, 0, 1), mass=1.0, com=(0, -1, 0))
    builder.revolute("nothing", "rod", axis=(0, 0, 1))
    with pytest.raises(SimulationError, match="no mass"):
        plastic_impact(builder.build(), np.zeros(2), np.zeros(2), [PointConstraint("rod", (0, 0, 0))])


@pytest.mark.parametrize(
    ("make", "word"),
    [
        (lambda: PointConstraint("a", (0, 0)), "target must be a place"),
        (lambda: PointConstraint("a", (0, 0, np.nan)), "target must be a place"),
        (lambda: PointConstraint("a", (0, 0, 0), ((0, 0, 0),)), "directions"),
        (lambda: PointConstraint("a", (0, 0, 0), (1, 0, 0)), "directions"),
        (lambda: RollingConstraint("a", 0.0), "radius"),
        (lambda: RollingConstraint("a", 0.1, normal=(0, 0, 0)), "normal"),
        (lambda: RollingConstraint("a", 0.1, centre=(0, 0)), "centre"),
        (
            lambda: RollingConstraint("body", 0.1, axis=(0, 1, 0)).residual(FLAT, FLAT.neutral()[None]),
            "lies flat",
        ),
    ],
)
def test_guards(make, word):
    with pytest.raises(InputError, match=word):
        make()


FLAT = mech.free_body((0.1, 0.1, 0.1))
