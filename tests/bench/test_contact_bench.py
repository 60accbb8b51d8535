"""The benchmark of contact runs, returns what programs rely on, and holds both legs to the same goal."""

import math

import numpy as np
import pytest

from bench import contact


@pytest.fixture(scope="module")
def legs():
    return contact.contenders()


@pytest.mark.slow
def test_a_quick_run_returns_every_figure(capsys):
    figures = contact.main(json=True, quick=True)
    ends = ("nfev", "ms")
    wanted = {f"lsoda_{name}_{end}" for name in ("rolling", "spheres") for end in ends}
    wanted |= {"rolling_vs_spheres", "lsoda_nfev_ratio", "lsoda_time_ratio", "walk_step_ms"}
    assert figures.keys() == wanted
    assert all(math.isfinite(value) and value > 0.0 for value in figures.values())
    quotient = figures["lsoda_spheres_nfev"] / figures["lsoda_rolling_nfev"]
    assert figures["lsoda_nfev_ratio"] == pytest.approx(quotient)
    assert quotient > contact.TARGET
    assert figures["rolling_vs_spheres"] == figures["lsoda_time_ratio"] > 1.0
    assert capsys.readouterr().out == "", "with json the caller prints"


@pytest.mark.slow
@pytest.mark.parametrize("method", contact.JUDGED)
def test_rolling_needs_a_tenth_of_the_right_hand_sides(legs, method):
    counts = {}
    for name in ("rolling", "spheres"):
        truth = legs[name].run("LSODA", 1e-8, 1e-11).ankle
        counts[name] = contact.cheapest(legs[name], truth, method).count
    assert counts["spheres"] > contact.TARGET * counts["rolling"]


def test_the_cheapest_run_reaches_the_goal(legs):
    leg = legs["rolling"]
    truth = leg.run("LSODA", 1e-9, 1e-11).ankle
    best = contact.cheapest(leg, truth, "LSODA")
    run = leg.run("LSODA", best.rtol, best.atol)
    assert run.count == best.count and run.done
    assert np.abs(run.ankle - truth).max() <= contact.GOAL
    assert contact.cheapest(leg, truth, "LSODA", goal=1e-3).count <= best.count


@pytest.mark.parametrize("method", contact.INTEGRATORS)
def test_all_integrators_find_the_same_motion(legs, method):
    leg = legs["rolling"]
    one, other = leg.run(method, 1e-6, 1e-9), leg.run("LSODA", 1e-9, 1e-12)
    assert one.done and np.abs(one.ankle - other.ankle).max() < 1e-5


def test_a_goal_out_of_reach_is_said(legs):
    with pytest.raises(RuntimeError, match="reaches 1e-16 rad with no tolerance"):
        contact.cheapest(legs["rolling"], 0.0, "LSODA", goal=1e-16)


def test_all_start_alike(legs):
    rolling, *spheres = (np.asarray(leg.start) for leg in legs.values())
    assert len(spheres) == 2
    for each in spheres:
        np.testing.assert_array_equal(rolling, each[[2, 4, 7, 9]])
