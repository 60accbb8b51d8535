"""The parts of a residual reduction: bounds, splines, the body off its joint, and derivatives."""

from dataclasses import replace

import numpy as np
import pytest
from scipy.interpolate import BSpline
from scipy.optimize import lsq_linear
from scipy.sparse import csr_matrix
from tests.dynamics.exact import agree
from tests.models import ROOTS, planar, walker
from tests.trials import N, pushed, swinging

from softstride import engine
from softstride.dynamics import solve_id
from softstride.dynamics.prepare import prepare
from softstride.dynamics.reduction import spline as reduction_spline
from softstride.dynamics.reduction.base import put_back, take_off
from softstride.dynamics.reduction.bounds import Quadratic, banded, minimise
from softstride.dynamics.reduction.inertia import masses_of
from softstride.dynamics.reduction.options import ReductionOptions
from softstride.dynamics.reduction.outside import outside_of
from softstride.dynamics.reduction.spline import WIDTH, even_splines
from softstride.errors import InputError
from softstride.kinematics import Motion
from softstride.kinematics.curve import fit_rates

SIZES = np.array([0.02, 0.02, 0.02, 0.05, 0.05, 0.05])
GIVEN_IN = [
    {},
    {"force_in": "shank_r", "body": "foot_r"},
    {"point_in": "shank_r", "body": "foot_r"},
    {"force_in": "foot_l", "point_in": "shank_r", "body": "foot_r"},
]  # what axes forces and points are given in: the world's unless said


def squares(seed, n=40, m=5, width=4):
    """Return A, b of a least squares, n banded and m dense columns, and the quadratic of it."""
    rng = np.random.default_rng(seed)
    A = np.zeros((3 * n, n + m))
    for i in range(3 * n):
        first = min(i // 3, n - width)
        A[i, first : first + width] = rng.normal(size=width)
    A[:, n:] = rng.normal(size=(3 * n, m))
    A[:, [1, 7]] *= 30.0
    b = rng.normal(size=3 * n) * 3.0
    H = A.T @ A
    return A, b, Quadratic(banded(csr_matrix(H[:n, :n])), H[:n, n:], H[n:, n:], A.T @ b)


# bounds


@pytest.mark.parametrize("seed", range(5))
def test_the_minimum_within_bounds_is_that_of_scipy(seed):
    A, b, problem = squares(seed)
    rng = np.random.default_rng(seed + 100)
    high = rng.uniform(0.01, 0.5, A.shape[1])
    expected = lsq_linear(A, b, (-high, high), tol=1e-14, method="bvls").x
    found = minimise(problem, -high, high)
    at = np.abs(expected) > (1.0 - 1e-9) * high
    assert 3 < at.sum() < len(at) - 3  # some are at their bound, some are not
    assert np.abs(found - expected).max() < 1e-8
    assert (np.abs(found) <= high).all() and np.array_equal(np.abs(found[at]), high[at])


@pytest.mark.parametrize("seed", range(3))
def test_an_equation_holds_within_bounds(seed):
    """At the minimum the gradient of the free variables is a multiple of the equation's, and points out elsewhere."""
    A, b, problem = squares(seed)
    n = 40
    even = np.concatenate([np.zeros(n), [1.0, 2.0, 0.5, 3.0, 1.0]])
    high = np.full(A.shape[1], 0.3)
    y = minimise(problem, -high, high, even)
    assert abs(even @ y) < 1e-12 and (np.abs(y) <= high).all()
    assert abs(even @ minimise(problem, -high, high)) > 1e-2  # it asks for something
    gradient = A.T @ (A @ y - b)
    free = np.abs(y) < high
    multiplier = -gradient[n:][free[n:]] @ even[n:][free[n:]] / (even[n:][free[n:]] @ even[n:][free[n:]])
    lagrange = gradient + multiplier * even
    scale = np.abs(A.T @ b).max()
    assert np.abs(lagrange[free]).max() < 1e-7 * scale
    assert (lagrange[~free] * np.sign(y[~free]) < 0.0).all()


def test_variables_without_a_choice_stay():
    A, _, problem = squares(1)
    low, high = np.full(A.shape[1], -1.0), np.full(A.shape[1], 1.0)
    low[3] = high[3] = 0.25
    low[42] = high[42] = 0.0
    y = minimise(problem, low, high)
    assert (y[3], y[42]) == (0.25, 0.0)


# splines


def test_splines_are_those_of_scipy():
    time = 2.0 + np.sort(np.random.default_rng(0).uniform(0.0, 1.37, 200))
    found = even_splines(time, 6.0)
    span = time[-1] - time[0]
    pieces = int(np.ceil(12.0 * span))
    assert found.count == pieces + WIDTH - 1
    knots = time[0] + np.concatenate([np.zeros(5), np.arange(pieces + 1), np.full(5, pieces)]) * span / pieces
    basis = BSpline(knots, np.eye(found.count), 5)
    curves = found(np.eye(found.count))
    for order in range(3):
        expected = basis.derivative(order)(time) if order else basis(time)
        agree(curves[order], expected, 1e-9)
    assert np.allclose(found.values[0].sum(axis=1), 1.0) and (found.values[0] >= 0.0).all()


def test_splines_need_frames_and_a_cutoff_below_half_their_rate(monkeypatch):
    with pytest.raises(InputError, match="single frame"):
        even_splines(np.zeros(1), 6.0)
    with pytest.raises(InputError, match="at most half the rate of the motion, 5 Hz"):
        even_splines(np.arange(11) / 10.0, 6.0)
    monkeypatch.setattr(reduction_spline, "MOST", 10)
    with pytest.raises(
        InputError, match="12 knots is too much for one reduction: give a part with time_range"
    ):
        even_splines(np.arange(101) / 100.0, 6.0)


# the body off its joint


def lifted(model, seed=0, **fields):
    """Return motion, its state, loads, body, sum of forces and splines with coefficients."""
    motion = swinging(model)
    recording = pushed(model, motion, **fields)
    loads = solve_id(model, motion, recording)
    state = prepare(model, motion)
    body = take_off(model, model.link("trunk"), state)
    splines = even_splines(motion.time, 6.0)
    coefficients = np.random.default_rng(seed).uniform(-1.0, 1.0, (splines.count, 6)) * SIZES
    return motion, state, loads, body, outside_of(recording, loads.wrenches, body.pose), splines, coefficients


@pytest.mark.parametrize("root", ROOTS)
def test_the_body_lacks_the_residual(root):
    _, _, loads, body, forces, *_ = lifted(walker(root))
    assert body.movable.all() and np.array_equal(body.axes, np.eye(3))
    agree(body.wrench(forces), loads.residual)


@pytest.mark.parametrize("fields", GIVEN_IN, ids=str)
@pytest.mark.parametrize("root", ROOTS)
def test_a_moved_body_goes_back_on_its_joint(root, fields):
    model = walker(root)
    motion, state, loads, body, forces, splines, coefficients = lifted(model, **fields)
    shift = splines(coefficients)
    moved = body.moved(shift)
    found = put_back(model, moved, state)
    before, after = (engine.poses(model, q, "trunk") for q in (state.q, found.q))
    agree(after[:, :3, 3] - before[:, :3, 3], shift[0, :, :3])
    turn = after[:, :3, :3] @ np.swapaxes(before[:, :3, :3], 1, 2)
    angle = np.arccos(np.clip(0.5 * (np.trace(turn, axis1=1, axis2=2) - 1.0), -1.0, 1.0))
    agree(angle, np.linalg.norm(shift[0, :, 3:], axis=1), 1e-6)
    joints = 7 if root == "free" else 6
    assert np.array_equal(found.q[:, joints:], state.q[:, joints:])
    assert np.array_equal(found.a[:, 6:], state.a[:, 6:])
    again = solve_id(
        model, Motion(model, motion.time, found.q, rates=(found.v, found.a)), pushed(model, motion, **fields)
    )
    agree(again.residual, moved.wrench(forces), 1e-8)
    assert np.abs(again.residual - loads.residual).max() > 100.0


@pytest.mark.parametrize("root", ROOTS)
def test_rates_of_a_moved_body_are_derivatives(root):
    model = walker(root)
    motion = swinging(model, n=400, rate=800.0)
    body = take_off(model, model.link("trunk"), prepare(model, motion))
    splines = even_splines(motion.time, 6.0)
    shift = splines(np.random.default_rng(4).uniform(-1.0, 1.0, (splines.count, 6)) * SIZES)
    found = put_back(model, body.moved(shift), prepare(model, motion))
    v, a = fit_rates(model, motion.time, found.q)
    inside = slice(20, -20)
    agree(found.v[inside], v[inside], 1e-6)
    agree(found.a[inside], a[inside], 1e-4)


def test_a_base_that_hangs_askew_is_changed_along_its_own_axes():
    model = walker("custom")
    R = np.array([[0.0, 0.0, 1.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]])
    placement = np.eye(4)
    placement[:3, :3], placement[:3, 3] = R, (0.3, 0.1, -0.2)
    links = tuple(
        replace(link, placement=placement) if link.name == "trunk" else link for link in model.links
    )
    model = model.replace(links=links)
    motion, state, loads, body, forces, splines, coefficients = lifted(model)
    assert np.array_equal(body.axes, R)
    agree(body.wrench(forces).reshape(-1, 2, 3) @ R.T, loads.residual.reshape(-1, 2, 3))
    coefficients[:, [0, 2, 3, 4, 5]] = 0.0
    found = put_back(model, body.moved(splines(coefficients)), state)
    changed = found.q - state.q
    column = model.coordinate_names.index("ty")
    agree(changed[:, column], splines(coefficients)[0, :, 1])
    assert np.abs(np.delete(changed, column, axis=1)).max() < 1e-9
    assert len(motion) == N


def test_a_planar_base_moves_in_its_plane():
    model = planar()
    motion = swinging(model)
    body = take_off(model, model.link("trunk"), prepare(model, motion))
    assert body.movable.tolist() == [True, True, False, False, False, True]
    splines = even_splines(motion.time, 6.0)
    shift = np.zeros((3, N, 6))
    shift[0, :, 2] = 0.01
    with pytest.raises(InputError, match="cannot follow"):
        put_back(model, body.moved(shift), prepare(model, motion))
    assert splines.count > WIDTH


# derivatives


@pytest.mark.parametrize("fields", GIVEN_IN, ids=str)
@pytest.mark.parametrize("root", ROOTS)
def test_the_response_to_the_base_is_the_derivative(root, fields):
    *_, body, forces, splines, coefficients = lifted(walker(root), **fields)
    change = np.random.default_rng(7).normal(size=coefficients.shape) * SIZES
    h = 1e-5
    ahead, back = (body.moved(splines(coefficients + step * change)).wrench(forces) for step in (h, -h))
    rows = splines.rows(body.response(splines(coefficients), forces))
    agree((rows @ change.ravel()).reshape(N, 6), (ahead - back) / (2.0 * h), 1e-7)


@pytest.mark.parametrize("root", ROOTS)
def test_the_response_to_masses_is_the_derivative(root):
    """Against solve_id with changed models, one number at a time."""
    model = walker(root)
    motion, _, _, body, *_ = lifted(model)
    masses = masses_of(model, body, ReductionOptions())
    rng = np.random.default_rng(2)
    y = rng.uniform(-0.5, 0.5, len(masses.low)) * masses.scale
    found = masses.response(body.with_links(masses.changed(y)), y)
    recording = pushed(model, motion)

    def residual(y):
        new = masses.model(model, y)
        return solve_id(
            new, Motion(new, motion.time, motion.q, rates=(motion.v, motion.a)), recording
        ).residual

    h = 1e-3
    for i in [0, 1, 3, 7, 8, 9, 10, 17, 28]:
        step = np.zeros_like(y)
        step[i] = h
        agree(found[:, :, i], (residual(y + step) - residual(y - step)) / (2.0 * h), 1e-6)


def test_masses_change_as_they_are_told():
    model = walker()
    body = take_off(model, model.link("trunk"), prepare(model, swinging(model)))
    masses = masses_of(model, body, ReductionOptions())
    y = np.zeros(1 + 4 * 7)
    y[0], y[1], y[8:11] = 0.1, -0.05, (0.01, 0.02, -0.01)
    new = masses.model(model, y)
    old = model.link("trunk").inertia
    trunk = new.link("trunk").inertia
    assert trunk.mass == pytest.approx(40.0 * 1.05)
    assert np.allclose(trunk.com, np.add(old.com, (0.01, 0.02, -0.01)))
    assert np.allclose(trunk.matrix, 1.05 * old.matrix)
    assert new.link("foot_l").inertia.mass == pytest.approx(1.1)
    assert new.mass == pytest.approx(1.1 * 65.0 - 0.05 * 40.0)
    assert masses.names()[0] == "total mass" and masses.names()[8] == "centre of trunk along x"
    assert np.array_equal(masses.even[1:8], [model.link(name).mass for name in model.link_names])


def test_the_base_and_the_heaviest_link_move_their_centres_most():
    model = walker()
    body = take_off(model, model.link("trunk"), prepare(model, swinging(model)))
    options = ReductionOptions(centres={"foot_r": 0.001}, masses={"shank_l": 0.0})
    masses = masses_of(model, body, options)
    size = dict(zip(masses.names(), masses.high, strict=True))
    assert size["centre of trunk along y"] == 0.02 and size["centre of thigh_r along y"] == 0.005
    assert size["centre of foot_r along z"] == 0.001
    assert size["mass of shank_l"] == 0.0 and size["mass of shank_r"] == 0.1
