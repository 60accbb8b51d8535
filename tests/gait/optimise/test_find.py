"""Steps from a crude guess: what was wanted is met, and the simulator, given the recipe alone, agrees."""

from dataclasses import replace

import numpy as np
import pytest
from tests.gait.optimise.needs import needs_casadi

from softstride.gait import Recipe, SevenSegment
from softstride.gait.maps import heel_strike
from softstride.gait.optimise import (
    LEVELS,
    PAPER_TIMES,
    FoundStep,
    PerturbedRun,
    StepLimits,
    WantedStep,
    find_step,
    textbook_courses,
)
from softstride.gait.perturbation import Perturbation
from softstride.notes import codes

pytestmark = needs_casadi

EARLY = 1e-4  # [s], events before heel strike
STRIKE = 1e-3  # [s]
MET = 1e-8  # constraints, in the units of the program
PAPER = WantedStep(length=(0.67, 0.75), limits=StepLimits(push_off=80.0))


def events(found: FoundStep, perturb: str = "") -> np.ndarray:
    """Return what the simulator makes of the recipe after a way through text, as a file would hold it."""
    recipe = Recipe.from_toml(found.recipe.to_toml())
    return np.array(list(SevenSegment().simulate(recipe, perturb=perturb or ()).event_times.values()))


@pytest.fixture(scope="module")
def coarse() -> FoundStep:
    """The paper's step on the coarsest mesh alone."""
    return find_step(wanted=PAPER, levels=LEVELS[:1])


@pytest.mark.slow
def test_a_coarse_step_meets_its_constraints(coarse: FoundStep) -> None:
    assert coarse.converged
    assert coarse.violation < MET
    np.testing.assert_allclose(coarse.times, PAPER_TIMES)
    assert 0.67 - MET <= coarse.length <= 0.75 + MET
    assert coarse.speed == pytest.approx(coarse.length / 0.55)
    assert coarse.recipe.moments.joint("left_ankle")[0] <= -80.0 + 1e-5
    assert np.max(np.abs(coarse.recipe.moments.values)) <= 220.0 + 1e-5
    knees = [
        coarse.course.stacked("theta")[:, i] - coarse.course.stacked("theta")[:, j]
        for i, j in ((2, 1), (4, 5))
    ]
    assert 0.02 - 1e-6 <= np.min(knees) <= np.max(knees) <= 1.2 + 1e-6
    assert coarse.total_cost == pytest.approx(sum(coarse.cost.values()))
    assert len(coarse.passes) == 1 and coarse.iterations == coarse.passes[0].iterations > 5


@pytest.mark.slow
def test_early_events_of_a_coarse_step_are_the_simulators(coarse: FoundStep) -> None:
    """Heel strike is not: the mesh is too coarse for it, and the step says so."""
    np.testing.assert_allclose(events(coarse)[:3], PAPER_TIMES[:3], atol=EARLY, rtol=0)
    assert coarse.replay_error == pytest.approx(np.max(np.abs(events(coarse) - PAPER_TIMES)), abs=1e-6)
    assert coarse.replay_error > STRIKE
    assert "step.mesh-too-coarse" in codes(coarse.notes)


@pytest.mark.slow
def test_a_found_step_is_a_good_guess(coarse: FoundStep) -> None:
    again = find_step(wanted=PAPER, guess=coarse, levels=LEVELS[:1])
    assert again.converged
    assert again.total_cost == pytest.approx(coarse.total_cost, rel=1e-6)
    assert again.iterations < coarse.iterations


@pytest.mark.slow
def test_what_cannot_be_says_so() -> None:
    """A leg that stands cannot do with 20 N m in every joint."""
    weak = replace(PAPER, limits=StepLimits(moment=20.0))
    found = find_step(wanted=weak, levels=LEVELS, max_iterations=20)
    assert not found.converged
    assert found.status.startswith("not found")
    assert found.violation > 1e-3
    assert found.replay is None
    assert len(found.passes) == 1  # no finer mesh for what is no step
    (note,) = (note for note in found.notes if note.code == "step.not-found")
    assert note.names == (found.violated,) and found.violated in str(note)


@pytest.mark.slow
def test_a_search_ends_when_its_time_is_up() -> None:
    found = find_step(wanted=PAPER, max_seconds=0.2)
    assert not found.converged
    assert "time limit" in found.status


@pytest.mark.slow
@pytest.mark.parametrize("rff", [pytest.param("impulse", marks=pytest.mark.nightly), "keep"])
def test_the_papers_step_from_a_crude_guess(rff: str) -> None:
    """8, 13, 57 and 100 % of 0.55 s, by the adaptive simulator from the recipe alone."""
    found = find_step(wanted=replace(PAPER, rff=rff))
    assert found.converged and found.violation < MET
    np.testing.assert_allclose(events(found)[:3], PAPER_TIMES[:3], atol=EARLY, rtol=0)
    assert events(found)[3] == pytest.approx(0.55, abs=STRIKE)
    assert found.replay_error < EARLY
    walk = found.replay
    assert walk is not None
    assert walk.certificate.toe_clearance > 0.0
    assert walk.certificate.pulled == 0.0
    # states of the mesh are states of the simulator
    time, theta = found.course.stacked("time"), found.course.stacked("theta")
    fine = SevenSegment().simulate(found.recipe, rate=2000.0)
    inside = (time > 0.0) & (time < fine.time[-1])
    for i in range(7):
        interpolated = np.interp(time[inside], fine.time, fine.theta[:, i])
        np.testing.assert_allclose(theta[inside, i], interpolated, atol=2e-4)


@pytest.mark.slow
def test_the_cost_is_least_near_the_step(coarse: FoundStep) -> None:
    """Other weights give a step that is worse by these weights, and better by its own."""
    quiet = replace(PAPER, weights=replace(PAPER.weights, effort=10 * PAPER.weights.effort))
    other = find_step(wanted=quiet, levels=LEVELS[:1])
    assert other.cost["effort"] / 10 < coarse.cost["effort"]
    shared = [name for name in coarse.cost if name != "effort"]
    at_other = sum(other.cost[name] for name in shared) + other.cost["effort"] / 10
    assert at_other > coarse.total_cost
    assert sum(coarse.cost[name] for name in shared) + 10 * coarse.cost["effort"] > other.total_cost


@pytest.mark.nightly
def test_times_and_speed_may_be_chosen() -> None:
    wanted = WantedStep(
        times=((0.03, 0.09), (0.05, 0.14), (0.25, 0.4), (0.5, 0.65)), speed=1.25, length=(0.6, 0.8)
    )
    found = find_step(wanted=wanted)
    assert found.converged and found.replay_error < EARLY
    assert found.speed == pytest.approx(1.25, rel=1e-7)
    assert np.all(np.diff(found.times) > 0.0)
    for t, (low, high) in zip(found.times, wanted.time_spans, strict=True):
        assert low - 1e-7 <= t <= high + 1e-7
    fixed = find_step(
        wanted=replace(wanted, times=tuple(found.times + np.array([0.0, 0.0, 0.01, 0.0]))), guess=found
    )
    assert fixed.converged
    np.testing.assert_allclose(events(fixed), fixed.times, atol=STRIKE, rtol=0)
    assert fixed.total_cost > 0.99 * found.total_cost


@pytest.mark.slow
def test_a_step_repeats_exactly_through_its_impact() -> None:
    found = find_step(wanted=replace(PAPER, repeat="exact", angles=textbook_courses()))
    assert found.converged and found.replay_error < EARLY
    end = found.course.theta[3][-1], found.course.omega[3][-1]
    strike = heel_strike(SevenSegment().walker, *end, "pinned")
    np.testing.assert_allclose(strike.theta, found.recipe.theta0, atol=1e-7)
    np.testing.assert_allclose(strike.omega, found.recipe.omega0, atol=1e-6)
    assert strike.heel_impulse[1] > -1e-6 and strike.toe_impulse[1] > -1e-6


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "flat", "length"),
    [pytest.param("A", 0.0755, 0.70, marks=pytest.mark.nightly), ("B", 0.0745, 0.67)],
)
def test_a_fifth_more_push_off_may_be_asked_to_end_early(name: str, flat: float, length: float) -> None:
    """Steps as recipes A and B are: 0.55 s, and 0.45 s with the left ankle moment raised by 20 % in phase 1."""
    times = (0.0448, flat, 0.306, 0.45)
    limits = StepLimits(push_off=80.0, first_knee=1.2 if name == "A" else 0.62)
    run = PerturbedRun(Perturbation.parse("left_ankle:1=+20%"), times)
    rff = "keep" if name == "A" else "impulse"
    wanted = WantedStep(length=(length, 0.75), limits=limits, rff=rff, perturbed=run)
    found = find_step(wanted=wanted)
    assert found.converged and found.violation < MET
    for perturb, wish in (("", PAPER_TIMES), ("left_ankle:1=+20%", times)):
        np.testing.assert_allclose(events(found, perturb)[:3], wish[:3], atol=EARLY, rtol=0)
        assert events(found, perturb)[3] == pytest.approx(wish[3], abs=STRIKE)
    assert found.perturbed_length <= found.length - 0.02 + 1e-6
    assert found.perturbed is not None
    np.testing.assert_allclose(found.perturbed.theta[0][0], found.course.theta[0][0])
    ankle = found.perturbed.moments[0][0, 5] / found.course.moments[0][0, 5]
    assert ankle == pytest.approx(1.2)
