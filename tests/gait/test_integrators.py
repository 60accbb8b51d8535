"""Integrators: order conditions of the tables, orders measured, events located, energy closed."""

import numpy as np
import pytest

from softstride.gait import MomentHistory, SevenSegment, Start, evaluate_states, load_recipe
from softstride.gait.tableaus import METHODS, tableau

MODEL = SevenSegment()


def test_order_conditions_of_the_tables():
    """b c^k = 1/(k+1) up to the order, rows sum to c, and conditions of trees with two levels; errors weigh nothing."""
    for method, order in (("euler", 1), ("rk4", 4), ("dop853", 8)):
        table = tableau(method)
        a, b, c = table.a[:-1], table.a[-1], table.c[:-1]
        np.testing.assert_allclose(a.sum(axis=1), c, atol=1e-14)
        for k in range(order):
            assert b @ c**k == pytest.approx(1.0 / (k + 1), abs=1e-14)
        for k in range(1, order - 1):
            assert b @ (c * (a @ c ** (k - 1) if k > 1 else a @ np.ones_like(c))) == pytest.approx(
                1.0 / (k * (k + 2)), abs=1e-13
            )
        for i in range(1, order - 2):
            for j in range(1, order - 1 - i):
                assert b @ (c ** (i - 1) * (a @ c**j)) == pytest.approx(
                    1.0 / ((j + 1) * (i + j + 1)), abs=1e-13
                )
        np.testing.assert_allclose(table.error.sum(axis=1), 0.0, atol=1e-14)
    assert set(METHODS) == {"euler", "rk4", "dop853"}


def ends(method, steps, instant=0.04):
    """State at an instant of phase 1 of recipe B, where no event and no kink has been, by fixed steps."""
    recipe = load_recipe("B")
    rows = []
    for step in steps:
        found = MODEL.simulate(recipe, method=method, step=step, times=[instant])
        rows.append(np.r_[found.theta[0], found.omega[0]])
    return np.array(rows)


@pytest.mark.parametrize(
    ("method", "order", "counts"),
    [("euler", 1, (200, 400, 800)), ("rk4", 4, (20, 40, 80)), ("dop853", 8, (6, 8, 10, 12, 16, 20))],
)
def test_orders_of_convergence(method, order, counts):
    """Slope of the error over the step, of 0.04 s in so many steps; the hip spring rings meanwhile."""
    exact = ends("dop853", [0.04 / 64])[0]
    steps = 0.04 / np.array(counts)
    errors = np.abs(ends(method, steps) - exact).max(axis=1)
    slope = np.polyfit(np.log(steps), np.log(errors), 1)[0]
    assert slope == pytest.approx(order, abs=0.08 * order)


def test_a_whole_step_converges_with_the_tolerance():
    """The state just before heel strike, four phases and ten kinks after the start."""
    rows = []
    for rtol in (1e-6, 1e-8, 1e-10, 1e-13):
        found = MODEL.simulate("B", rtol=rtol, atol=0.01 * rtol, max_step=0.05, times=[0.5])
        rows.append(np.r_[found.theta[0], found.omega[0]])
    errors = np.abs(np.array(rows[:3]) - rows[3]).max(axis=1)
    assert errors[0] > 20.0 * errors[1] > 400.0 * errors[2]
    usual = MODEL.simulate("B", times=[0.5])
    assert np.abs(np.r_[usual.theta[0], usual.omega[0]] - rows[3]).max() < 1e-6


def test_events_are_located_as_exactly_as_steps_are_taken():
    """Early events do not depend on the lengths of steps, to 1e-10 s; the event functions end at zero."""
    fine = MODEL.simulate("A", max_step=2e-4, rtol=1e-13, atol=1e-15).event_times
    coarse = MODEL.simulate("A", times=[0.0]).event_times
    for name in ("left_toe_off", "right_foot_flat"):
        assert coarse[name] == pytest.approx(fine[name], abs=1e-10)
    found = MODEL.simulate("A")
    off, flat, rise, land = found.transitions
    separation = load_recipe("A").separation
    for phase, event, size in ((1, off, 1e4), (2, flat, 5.0), (3, rise, 5e3), (4, land, 1.0)):
        moments = load_recipe("A").moments.at(event.time)
        value = evaluate_states(MODEL.walker, phase, event.theta, event.omega, moments, separation).event[0]
        assert abs(value) < 1e-10 * size  # [unit] a second, an event function changes by `size`


def test_frames_do_not_change_the_walk():
    """Steps end at the frames, so frames cost steps but not accuracy."""
    few, many = MODEL.simulate("B", times=[0.0, 0.1]), MODEL.simulate("B", rate=3000.0)
    np.testing.assert_allclose(few.theta[1], many.theta[300], atol=1e-9)
    assert many.time[300] == pytest.approx(0.1, abs=1e-12)
    assert few.n_frames == 2 and many.time[-1] == many.event_times["left_heel_strike"]


@pytest.mark.parametrize("name", ["A", "B"])
@pytest.mark.parametrize("percent", [-10, 0, 20])
def test_energy_closes_in_every_phase(name, percent):
    """Change of energy = work of joints + work of the damper, to 1e-8 of the kinetic energy, in each phase."""
    found = MODEL.simulate(name, perturb=f"left_ankle:1={percent:+d}%")
    assert [each.phase for each in found.phases] == [1, 2, 3, 4]
    for each in found.phases:
        assert abs(each.error) < 1e-8 * found.kinetic.max()
        assert each.damper < 0.0 if each.phase == 1 else each.damper == 0.0
    assert found.certificate.relative_energy_error < 1e-8
    if percent >= 0:
        assert found.certificate.energy_error < 5e-12


def test_energy_of_the_whole_walk_is_work_less_what_events_took():
    found = MODEL.simulate("B")
    work = found.work[-1].sum() + sum(each.damper for each in found.phases)
    lost = sum(each.energy_lost for each in found.transitions[:3])
    assert found.energy[-1] - found.energy[0] == pytest.approx(work - lost, abs=1e-10)


def test_a_body_without_moments_keeps_its_energy_but_for_the_damper():
    recipe = load_recipe("B")
    start = Start(recipe.theta0, recipe.omega0, recipe.separation)
    found = MODEL.simulate(start, MomentHistory.constant(), rate=2000.0)
    assert not found.completed
    np.testing.assert_array_equal(found.work, 0.0)
    for each in found.phases:
        part = (found.time >= each.start) & (found.time < each.end)
        drift = np.abs(found.energy[part] - found.energy[part][0])
        assert drift.max(initial=0.0) <= -each.damper + 1e-9
