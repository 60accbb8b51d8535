"""Fibres through a trial: velocities as OpenSim's, order of the steps, rest, gaps, and OpenSim's own integration."""

import numpy as np
import pytest
from scipy.integrate import solve_ivp
from scipy.optimize import brentq
from tests.muscles.hill.made import SETS, model, muscle
from tests.refusals import bad_input

from softstride.errors import InputError
from softstride.muscles import equilibrium, fibre_dynamics, hill_muscles, rigid_tendon
from softstride.notes import codes

ELASTIC = SETS[:4]


def trial(n=81, seconds=0.8):
    """A path that swings by a quarter of the fibre, and an activation that rises and falls."""
    t = np.linspace(0.0, seconds, n)
    w = 2 * np.pi / seconds
    return t, path(t, w), path_rate(t, w), active(t, w)


def path(t, w):
    return 0.3 + 0.025 * np.sin(w * t)


def path_rate(t, w):
    return 0.025 * w * np.cos(w * t)


def active(t, w):
    return 0.4 - 0.35 * np.cos(w * t)


def exact(one, t, initial):
    """Integrate the fibre by another implicit method, of order 5, its velocity found by bracketing."""
    hill = hill_muscles(model(one))
    times, length, speed, activation = t

    def rate(now, x):
        k = min(np.searchsorted(times, now, side="right") - 1, len(times) - 2)
        h = times[k + 1] - times[k]
        s = (now - times[k]) / h
        L = _hermite(length[k], length[k + 1], speed[k] * h, speed[k + 1] * h, s)
        a = (1 - s) * activation[k] + s * activation[k + 1]
        fibre = np.hypot(x[0], hill.height[0])
        cosine = x[0] / fibre
        fl, fp = (curve([fibre / 0.1])[0][0] for curve in (hill.active_length, hill.passive_length))
        ft = hill.tendon_force([(L - x[0]) / 0.2])[0][0]
        top = 0.25 + 0.75 * a if one.curves == "thelen2003" else 1.0

        def missing(v):
            return (a * fl * hill.force_velocity([v / top])[0][0] + fp + hill.damping[0] * v) * cosine - ft

        return [brentq(missing, -1e7, 1e7, xtol=1e-15, rtol=1e-14) / cosine]

    x = [np.sqrt(initial**2 - hill.height[0] ** 2)]
    scale = hill.fibre_length[0] * hill.max_velocity[0]
    result = []
    for k in range(len(times) - 1):  # activation has a corner in every frame
        part = solve_ivp(
            lambda now, y: np.array(rate(now, y)) * scale,
            times[k : k + 2],
            x,
            "Radau",
            rtol=1e-10,
            atol=1e-13,
        )
        x = part.y[:, -1]
        result.append(x[0])
    return np.hypot(np.array(result), hill.height[0])


def _hermite(a, b, da, db, s):
    r = 1 - s
    return r * r * ((1 + 2 * s) * a + s * da) + s * s * ((1 + 2 * r) * b - r * db)


@pytest.mark.slow
@pytest.mark.parametrize("curves", ELASTIC)
def test_steps_are_of_second_order_and_go_to_the_exact_solution(curves):
    one = muscle(curves=curves)
    hill = hill_muscles(model(one))
    t, L, V, a = trial(9, 0.4)
    start = equilibrium(hill, L[:1, None], None, a[0]).fibre_length[0, 0] - 2e-4  # out of balance
    expected = exact(one, (t, L, V, a), start)

    def error(substeps):
        state = fibre_dynamics(
            hill, t, L[:, None], V[:, None], a[:, None], initial=[start], substeps=substeps
        )
        assert state.converged.all()
        return np.abs(state.fibre_length[1:, 0] - expected).max()

    errors = [error(substeps) for substeps in (16, 32, 64, 128)]
    assert errors[-1] < 2e-6 * 0.1
    orders = np.log2(np.array(errors[:-1]) / np.array(errors[1:]))
    # corners of the curves (Thelen, Schutte) disturb single steps, not the trend
    assert np.log2(errors[0] / errors[-1]) / 3 > 1.85, orders


@pytest.mark.parametrize("curves", ELASTIC)
def test_the_balance_holds_in_every_frame(curves):
    hill = hill_muscles(model(muscle(curves=curves)))
    t, L, V, a = trial()
    state = fibre_dynamics(hill, t, L[:, None], V[:, None], a[:, None])
    tendon = 1000.0 * hill.tendon_force(state.tendon_length / 0.2)[0]
    np.testing.assert_allclose(state.tendon_force(a[:, None]), tendon, atol=1e-8)
    # the velocity is that of the length
    numeric = np.gradient(state.fibre_length[:, 0], t, edge_order=2)
    assert np.abs(numeric - state.fibre_velocity[:, 0])[3:-1].max() < 0.02 * np.abs(numeric).max()


@pytest.mark.parametrize("curves", ELASTIC)
def test_a_still_muscle_comes_to_rest_where_it_is_in_balance(curves):
    """Long steps: the method damps what it does not resolve."""
    hill = hill_muscles(model(muscle(curves=curves)))
    t = np.linspace(0.0, 50.0, 101)
    L, a = np.full((101, 1), 0.31), np.full((101, 1), 0.5)
    state = fibre_dynamics(hill, t, L, np.zeros((101, 1)), a, initial=[0.115], substeps=1)
    rest = equilibrium(hill, L[:1], None, 0.5)
    assert state.fibre_length[-1, 0] == pytest.approx(rest.fibre_length[0, 0], abs=1e-9)
    assert abs(state.fibre_velocity[-1, 0]) < 1e-8


def test_no_activation_and_no_damping_are_no_trouble():
    hill = hill_muscles(
        model(
            muscle("damped"), muscle("classic", parameters={"fiber_damping": 0.0}), muscle("t", "thelen2003")
        )
    )
    t, L, V, _ = trial()
    L, V = np.tile(L[:, None], 3), np.tile(V[:, None], 3)
    state = fibre_dynamics(hill, t, L, V, 0.0)
    assert np.isfinite(state.fibre_length).all() and state.converged.all()
    assert (state.fibre_length >= hill.min_length).all()


def test_a_rigid_tendon_needs_no_steps():
    hill = hill_muscles(model(muscle("stiff", rigid_tendon=True), muscle("seed", "gaussian")))
    (note,) = hill.notes
    assert hill.rigid.all() and note.code == "fibres.tendon-rigid" and note.names == ("seed",)
    t, L, V, a = trial()
    L, V, a = (np.tile(x[:, None], 2) for x in (L, V, a))
    found, expected = fibre_dynamics(hill, t, L, V, a), rigid_tendon(hill, L, V, activation=a)
    np.testing.assert_array_equal(found.fibre_length, expected.fibre_length)
    np.testing.assert_array_equal(found.tendon_force(a), expected.tendon_force(a))


def test_a_gap_stays_a_gap_and_the_fibre_begins_anew():
    hill = hill_muscles(model(muscle()))
    t, L, V, a = trial()
    L = L.copy()
    L[30:35] = np.nan
    state = fibre_dynamics(hill, t, L[:, None], V[:, None], a[:, None])
    np.testing.assert_array_equal(np.isnan(state.fibre_length[:, 0]), np.isnan(L))
    rest = equilibrium(hill, L[35:36, None], None, a[35])
    assert state.fibre_length[35, 0] == pytest.approx(rest.fibre_length[0, 0], abs=1e-12)


def test_speeds_from_lengths_are_said_and_nearly_the_same():
    hill = hill_muscles(model(muscle()))
    t, L, V, a = trial(201)
    given, made = (fibre_dynamics(hill, t, L[:, None], v, a[:, None]) for v in (V[:, None], None))
    assert "fibres.speeds-from-lengths" in codes(made.notes) and not given.notes
    assert np.abs(given.tendon_force(a[:, None]) - made.tendon_force(a[:, None])).max() < 0.5


@bad_input(
    InputError,
    ({"time": [0.0, 0.1]}, r"time must have shape \(3,\)"),
    ({"time": [0.0, 0.2, 0.1]}, "increase, however frame 2"),
    ({"time": [0.0, np.nan, 0.1]}, "frame 1"),
    ({"time": ["a", "b", "c"]}, "time must be made of real numbers"),
    ({"time": [0.0, [0.1], 0.2]}, "time must be made of numbers"),
    ({"substeps": 0}, "substeps"),
    ({"initial": [0.01]}, "initial fibre length of 'm' must be at least"),
    ({"initial": [0.1, 0.1]}, "shape"),
    ({"length": [0.3]}, "for a trial"),
)
def test_bad_input_is_refused(refuses):
    hill = hill_muscles(model(muscle()))
    refuses(fibre_dynamics, hill=hill, time=[0.0, 0.1, 0.2], length=[[0.3], [0.3], [0.3]])


@pytest.mark.parametrize(
    ("curves", "parameters"),
    [
        ("millard2012", {}),
        ("millard2012", {"fiber_damping": 0.02}),
        ("thelen2003", {}),
        ("thelen2003", {"Flen": 1.8}),
    ],
)
def test_velocities_are_opensims(curves, parameters):
    """At fibre lengths out of rest, through OpenSim's own state derivative."""
    pytest.importorskip("opensim")
    from tests.oracles.opensim_muscle import Slider

    one = muscle(curves=curves, parameters=parameters)
    slider, hill = Slider(one), hill_muscles(model(one))
    for fibre in np.linspace(0.085, 0.115, 9):
        for a in (0.05, 0.4, 1.0):
            length = 0.206 + np.sqrt(fibre**2 - hill.height[0] ** 2)
            slider.move(length, 0.1, a)
            slider.model.setStateVariableValue(
                slider.state, f"/forceset/{one.name}/fiber_length", float(fibre)
            )
            theirs = slider.answer()
            mine = fibre_dynamics(hill, [0.0], [[length]], [[0.1]], a, initial=[fibre])
            assert mine.fibre_velocity[0, 0] == pytest.approx(theirs.fibre_velocity, rel=1e-6, abs=1e-8)


@pytest.mark.slow
@pytest.mark.parametrize("curves", ["millard2012", "thelen2003"])
def test_a_trial_is_opensims(curves):
    """OpenSim integrates the fibre on a sliding path at constant activation, to 1e-9."""
    pytest.importorskip("opensim")
    from tests.oracles.opensim_muscle import Slider

    one = muscle(curves=curves)
    seconds, n = 0.4, 41
    w = 2 * np.pi / seconds
    t = np.linspace(0.0, seconds, n)
    hill = hill_muscles(model(one))
    start = equilibrium(hill, [[0.3]], None, 0.35).fibre_length[0, 0] - 2e-4
    theirs = Slider(one).swing(0.3, 0.025, w, 0.35, start, t)
    L, V = 0.3 + 0.025 * np.sin(w * t), 0.025 * w * np.cos(w * t)
    state = fibre_dynamics(hill, t, L[:, None], V[:, None], 0.35, initial=[start], substeps=32)
    np.testing.assert_allclose(state.fibre_length[:, 0], theirs, atol=2e-6 * 0.1)
