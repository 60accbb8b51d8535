"""Loads of the digital athlete without its plates: nothing fits by construction, so that errors mean something."""

from functools import cache

import numpy as np
import pytest
from tests.trials import the_athlete

import softstride as ss

pytestmark = pytest.mark.slow

PAPER = {"walking": (13.0, 12.0, 12.0), "running": (15.0, 11.0, 20.0)}  # rRMSE [%], means over its plates


@cache
def seen(gait, dirty):
    trial = the_athlete(gait, noise=dirty, artefact=dirty)
    return trial, ss.solve_ik(trial.model, trial.recording)


@cache
def judged(gait, dirty, load_cell=True):
    trial, motion = seen(gait, dirty)
    loads = ss.estimate_loads(trial.model, motion, load_cell=load_cell)
    return loads, ss.validate_loads(loads, trial.recording, motion=motion).mean_of(whole=True)


@pytest.mark.parametrize("gait", ["walking", "running"])
def test_errors_are_below_those_of_the_paper(gait):
    """Forward and up by far, and to the right in running; see below for walking."""
    loads, means = judged(gait, True)
    assert loads.ground.converged.all()
    assert means["rrmse"][0] < 0.6 * PAPER[gait][0]
    assert means["rrmse"][1] < 0.5 * PAPER[gait][1]
    if gait == "running":
        assert means["rrmse"][2] < PAPER[gait][2]


def test_to_the_right_in_walking_the_paper_is_missed():
    """13.1 % for its 12: 5 N of a force that spans 34 N under the blade. The plates leave more unexplained."""
    _, means = judged("walking", True)
    assert PAPER["walking"][2] < means["rrmse"][2] < 13.5
    assert means["rrmse"][2] < means["floor"][2]


@pytest.mark.parametrize("gait", ["walking", "running"])
def test_what_the_model_alone_costs(gait):
    """Six segments for 24, other contact, other inertia: clean markers."""
    _, means = judged(gait, False)
    assert (means["rrmse"] < (5.0, 5.0, 8.0)).all()


@pytest.mark.parametrize(
    ("gait", "each"),
    [("walking", (5.8, 4.0, 14.5)), ("running", (4.6, 3.0, 6.1))],
    ids=["walking", "running"],
)
def test_force_of_the_blade(gait, each):
    """Its size and its peak within 5 % of the truth; along each axis, in % of the range there, what was reached."""
    trial, _ = seen(gait, True)
    loads, _ = judged(gait, True)
    ours, truth = loads.wrenches["ground_right"].force, trial.truth.blade_force
    size, true = np.linalg.norm(ours, axis=1), np.linalg.norm(truth, axis=1)
    assert np.sqrt(np.mean((size - true) ** 2)) < 0.05 * true.max()
    assert abs(ours[:, 1].max() / truth[:, 1].max() - 1.0) < 0.05
    off = 100.0 * np.sqrt(np.mean((ours - truth) ** 2, axis=0)) / np.ptp(truth, axis=0)
    assert (off < each).all()


@pytest.mark.parametrize("dirty", [False, True])
@pytest.mark.parametrize("gait", ["walking", "running"])
def test_the_load_cell_does_no_harm(gait, dirty):
    """With its rows no axis is worse by more than a tenth, and the place of the force by no more than 2 %."""
    _, with_rows = judged(gait, dirty)
    _, without = judged(gait, dirty, load_cell=False)
    assert (with_rows["rrmse"] < 1.1 * without["rrmse"] + 0.3).all()
    assert with_rows["cop_single"] < 1.02 * without["cop_single"]


def test_the_centre_of_pressure():
    for gait in ("walking", "running"):
        assert judged(gait, True)[1]["cop_single"] < 0.025


def test_nobody_pulls_and_no_cone_is_broken():
    for gait in ("walking", "running"):
        loads, _ = judged(gait, True)
        weight = loads.model.mass * 9.80665
        assert loads.ground.friction_margin.min() > -1e-8 * weight
        assert loads.ground.normal.min() > -1e-8 * weight
