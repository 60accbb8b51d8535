"""Activation dynamics: closed forms of steps and ramps, order of the implicit steps, OpenSim's rates, the way back."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.integrate import solve_ivp
from tests.refusals import bad_input

from softstride.errors import InputError
from softstride.muscles import activation_dynamics, excitation_from_activation

RISE, FALL = 0.015, 0.05


def test_constant_form_closes_a_step_exponentially():
    t = np.linspace(0.0, 0.3, 61)
    up = activation_dynamics(t, np.ones(61), RISE, FALL, form="constant", initial=0.0)
    down = activation_dynamics(t, np.zeros(61), RISE, FALL, form="constant", initial=1.0)
    np.testing.assert_allclose(up, 1.0 - np.exp(-t / RISE), atol=1e-14)
    np.testing.assert_allclose(down, np.exp(-t / FALL), atol=1e-14)


@pytest.mark.parametrize("n", [3, 7, 50])
def test_constant_form_is_exact_for_ramps_whatever_the_steps(n):
    """A triangle of excitation from a high activation: it falls, meets the rising line, follows, and turns again."""
    corner, end = 0.2, 0.4
    t = np.unique(np.concatenate([np.linspace(0.0, end, n), [corner]]))
    u = np.interp(t, [0.0, corner, end], [0.0, 0.9, 0.1])
    found = activation_dynamics(t, u, RISE, FALL, form="constant", initial=0.5)

    def rate(now, a):
        gap = np.interp(now, t, u) - a
        return gap / (RISE if gap > 0 else FALL)

    expected = solve_ivp(rate, (0.0, end), [0.5], t_eval=t, rtol=1e-10, atol=1e-12, max_step=1e-3).y[0]
    np.testing.assert_allclose(found, expected, atol=2e-7)  # the solver steps over corners of the rate


@given(st.floats(0.0, 1.0), st.floats(0.0, 1.0), st.floats(0.0, 1.0), st.integers(1, 20))
def test_constant_form_does_not_depend_on_how_a_line_is_cut(initial, before, after, pieces):
    t = np.linspace(0.0, 0.1, pieces + 1)
    whole = activation_dynamics([0.0, 0.1], [before, after], RISE, FALL, form="constant", initial=initial)[-1]
    cut = activation_dynamics(
        t, np.interp(t, [0.0, 0.1], [before, after]), RISE, FALL, form="constant", initial=initial
    )
    assert cut[-1] == pytest.approx(whole, abs=1e-12)
    assert min(initial, before, after) - 1e-12 <= whole <= max(initial, before, after) + 1e-12


def thelen_fall(t, start, u):
    """a of da/dt = (u - a)(0.5 + 1.5 a) / FALL: the logistic equation."""
    q = 0.5 + 1.5 * u
    c = (start - u) / (0.5 + 1.5 * start) * np.exp(-q * t / FALL)
    return (u + 0.5 * c) / (1.0 - 1.5 * c)


def thelen_rise_time(a, start, u):
    """Time to reach a: integral of RISE (0.5 + 1.5 a) / (u - a)."""
    return RISE * ((0.5 + 1.5 * u) * np.log((u - start) / (u - a)) - 1.5 * (a - start))


def test_thelens_form_meets_its_closed_forms():
    t = np.linspace(0.0, 0.2, 41)
    down = activation_dynamics(t, np.full(41, 0.1), RISE, FALL, initial=0.9, substeps=64)
    np.testing.assert_allclose(down, thelen_fall(t, 0.9, 0.1), atol=2e-6)
    up = activation_dynamics(t, np.full(41, 0.8), RISE, FALL, initial=0.05, substeps=64)
    early = up < 0.799
    np.testing.assert_allclose(thelen_rise_time(up[early], 0.05, 0.8), t[early], atol=2e-6)


def test_thelens_form_is_of_second_order():
    t = np.linspace(0.0, 0.1, 11)
    expected = thelen_fall(t, 0.9, 0.1)
    errors = [
        np.abs(activation_dynamics(t, np.full(11, 0.1), RISE, FALL, initial=0.9, substeps=s) - expected).max()
        for s in (2, 4, 8, 16, 32)
    ]
    orders = np.log2(np.array(errors[:-1]) / np.array(errors[1:]))
    assert (orders > 1.85).all() and (orders < 2.2).all()
    assert errors[1] < 1e-3  # the default


@given(
    st.floats(0.0, 1.0),
    st.floats(0.0, 1.0),
    st.floats(1e-4, 5.0),
    st.sampled_from(["constant", "thelen2003"]),
)
def test_activation_stays_between_where_it_was_and_its_excitation(initial, u, span, form):
    """Any step, however long: the implicit steps do not ring beyond, except by their own error."""
    a = activation_dynamics([0.0, span], [u, u], RISE, FALL, form=form, initial=initial, substeps=8)[-1]
    slack = 0.02 * abs(u - initial) + 1e-12
    assert min(initial, u) - slack <= a <= max(initial, u) + slack


def test_muscles_are_columns_and_gaps_stay():
    t = np.linspace(0.0, 0.1, 21)
    u = np.stack([np.sin(30 * t) ** 2, np.full(21, 0.5)], axis=1)
    u[8:10, 0] = np.nan
    both = activation_dynamics(t, u, [0.01, 0.02], [0.04, 0.05])
    for j, (rise, fall) in enumerate([(0.01, 0.04), (0.02, 0.05)]):
        np.testing.assert_array_equal(both[:, j], activation_dynamics(t, u[:, j], rise, fall))
    np.testing.assert_array_equal(np.isnan(both[:, 0]), np.isnan(u[:, 0]))
    assert both[10, 0] == u[10, 0]


def test_least_activation_is_kept():
    a = activation_dynamics([0.0, 1.0, 2.0], [0.0, 0.0, 0.0], RISE, FALL, least=0.01, initial=0.5)
    assert a[-1] == pytest.approx(0.01, abs=1e-9)


def test_no_time_constant_follows_at_once():
    u = np.array([0.1, 0.9, 0.3])
    for form in ("constant", "thelen2003"):
        np.testing.assert_allclose(
            activation_dynamics([0, 1, 2], u, 0.0, 0.0, form=form, initial=0.5)[1:], u[1:]
        )


@pytest.mark.parametrize("form", ["constant", "thelen2003"])
def test_the_way_back_gives_the_excitation(form):
    t = np.linspace(0.0, 1.0, 4001)
    u = 0.5 + 0.4 * np.sin(2 * np.pi * t)
    a = activation_dynamics(t, u, RISE, FALL, form=form)
    back = excitation_from_activation(t, a, RISE, FALL, form=form)
    turn = np.abs(back - u) > 1e-3
    assert turn[10:-1].mean() < 0.01  # beside the two instants where the time constant jumps
    rate = (u - a) / np.where(u > a, RISE, FALL)
    if form == "constant":
        np.testing.assert_allclose(
            excitation_from_activation(t, a, RISE, FALL, form=form, rate=rate), u, atol=1e-12
        )


def test_rates_are_opensims():
    osim = pytest.importorskip("opensim")
    theirs = osim.MuscleFirstOrderActivationDynamicModel(RISE, FALL, 0.0, "m")
    theirs.finalizeFromProperties()
    for a in np.linspace(0.05, 0.95, 10):
        for u in np.linspace(0.0, 1.0, 8):
            mine = (activation_dynamics([0.0, 1e-9], [u, u], RISE, FALL, initial=a)[1] - a) / 1e-9
            assert mine == pytest.approx(theirs.calcDerivative(a, u), rel=1e-6, abs=1e-6)


@bad_input(
    InputError,
    ({"time": [0.0]}, "shape"),
    ({"time": [0.1, 0.0]}, "increase"),
    ({"excitation": [0.0, 1.2]}, "between 0 and 1, however it is 1.2"),
    ({"rise_time": -0.1}, "rise_time"),
    ({"fall_time": [0.1, 0.2]}, "fall_time must be one number or 1"),
    ({"form": "hatze"}, "one of constant, thelen2003"),
    ({"substeps": 0}, "substeps"),
    ({"time": [], "excitation": []}, "at least one instant, however they are empty"),
    ({"time": [], "excitation": np.empty((0, 3))}, "at least one instant"),
    ({"time": ["a", "b"]}, "time must be made of real numbers"),
    ({"excitation": ["a", "b"]}, "excitation must be made of real numbers"),
    ({"excitation": [[0.0], [0.0, 1.0]]}, "excitation must be made of numbers"),
    ({"rise_time": "a"}, "rise_time must be made of real numbers"),
    ({"initial": 5}, "initial must be between 0 and 1, however it is 5"),
    ({"initial": -0.1}, "initial must be finite and not below zero"),
    ({"least": 1.5}, "least must be between 0 and 1"),
)
def test_bad_input_is_refused(refuses):
    valid = {"time": [0.0, 0.1], "excitation": [0.0, 1.0], "rise_time": RISE, "fall_time": FALL}
    refuses(activation_dynamics, **valid)


@pytest.mark.parametrize(
    ("rate", "words"),
    [
        ([1.0], r"rate must have the shape of activation, \(2,\), however it has \(1,\)"),
        ([[1.0], [1.0]], "rate must have the shape"),
        (["a", "b"], "rate must be made of real numbers"),
    ],
)
def test_rates_that_do_not_fit_are_refused(rate, words):
    with pytest.raises(InputError, match=words):
        excitation_from_activation([0.0, 0.1], [0.0, 1.0], RISE, FALL, rate=rate)
