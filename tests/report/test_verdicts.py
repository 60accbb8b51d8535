"""Lights change at their limits, and are about what they say."""

from dataclasses import replace

import numpy as np
import pytest

from softstride.dynamics.validation.feet import foot_loads
from softstride.report.verdicts import RULES, Rule, more_figures, verdicts_of, worst


def test_lights_change_at_their_limits():
    less, more = Rule("a", "%", 5.0, 10.0), Rule("b", "%", 100.0, 95.0, more=True)
    assert [less.judge(x) for x in (5.0, 5.1, 10.0, 10.1)] == ["good", "look", "look", "bad"]
    assert [more.judge(x) for x in (100.0, 99.9, 95.0, 94.9)] == ["good", "look", "look", "bad"]
    assert Rule("c", "m").judge(1e9) == "info"
    assert more.limits == "good at least 100, fair at least 95"


def test_the_worst_light_counts():
    assert worst(["good", "look", "info"]) == "look" and worst([]) == "info"


def test_every_figure_of_the_athlete_is_judged(study):
    found = verdicts_of(study)
    assert [each.key for each in found] == [key for key in RULES if key in {v.key for v in found}]
    assert len(found) == len(RULES)
    assert worst([each.light for each in found]) in ("good", "look")
    floor = next(each for each in found if each.key == "grf_rrmse_up_percent").beside
    assert floor.startswith(f"floor {study.figures['grf_floor_up_percent']:.1f} %")


def test_residuals_are_shares_of_the_largest_force_without_doubtful_frames(study):
    loads = study.measured
    feet = foot_loads(loads.wrenches).values()
    peak = np.linalg.norm(sum(np.nan_to_num(foot.force) for foot in feet), axis=1).max()
    believed = loads.residual_force[~loads.doubtful]
    share = 100.0 * np.sqrt(np.mean(believed**2)) / peak
    assert more_figures(study)["measured_residual_force_percent_of_peak"] == pytest.approx(share)
    residual = loads.residual.copy()
    residual[loads.doubtful] *= 100.0
    worse = study.changed(measured=replace(loads, residual=residual))
    assert more_figures(worse)["measured_residual_force_percent_of_peak"] == pytest.approx(share)


def test_what_was_not_done_is_not_judged(study):
    bare = study.changed(measured=None, estimated=None, validation=None, forces=None, reactions=None)
    assert {each.key for each in verdicts_of(bare)} == {
        "marker_rms_mm",
        "marker_max_mm",
        "ik_converged_percent",
    }
