"""Estimates beside force plates: the goals that were set, on all trials with a model (`bench.grf_accuracy`)."""

from types import SimpleNamespace

import numpy as np
import pytest

import softstride as ss
from bench import grf_accuracy
from softstride.dynamics.validation.validate import validate_loads

pytestmark = pytest.mark.slow

WALKS = {"walk_gait2354", "walk_rajagopal_emg", "walk_opencap_s4", "knee_gc5_ps_ss1", "knee_gc5_ps_ss11"}
RUNS = {"run_hamner_s01_2", "run_hamner_s01_5"}


@pytest.fixture(scope="module")
def judged(shared_data):
    """Estimates and their errors by trial."""
    found = {}
    for trial in grf_accuracy.trials(shared_data):
        measured = trial.measured()
        loads = grf_accuracy.estimated(trial, measured)
        found[trial.name] = SimpleNamespace(
            trial=trial, loads=loads, measured=measured, checked=validate_loads(loads, measured)
        )
    assert set(found) == WALKS | RUNS | {"run_overground_bmc"}
    return found


def mean(judged, names, key):
    return np.mean([judged[name].checked.means[key] for name in sorted(names)], axis=0)


def mean_whole(judged, names, key):
    """Return the mean over strikes that the trial does not cut, of the trials that have one."""
    uncut = [judged[name].checked for name in sorted(names)]
    uncut = [each for each in uncut if not all(strike.partial for strike in each.strikes)]
    return np.mean([each.mean_of(whole=True)[key] for each in uncut], axis=0)


def test_walking(judged):
    """Forward and lateral beside their floors; vertical with the mass that the plates weigh (a model is 10 % light).

    As it weighs it is 8.9 % at the published 6 Hz, and 7.7 % with the low pass that the motion asks for.
    """
    for error, floor in (
        ("rrmse", "floor"),
        ("rrmse", "floor_shared"),
        ("rrmse_corrected", "floor_corrected"),
    ):
        found, least = mean(judged, WALKS, error), mean(judged, WALKS, floor)
        assert found[0] <= least[0] + 3.0
        assert found[2] <= least[2] + 4.0
    assert mean(judged, WALKS, "rrmse_corrected")[1] <= 8.0
    as_it_weighs = [name for name in WALKS if not name.startswith("knee")]
    assert mean(judged, as_it_weighs, "rrmse")[1] <= 8.0
    assert 8.0 < mean(judged, WALKS, "rrmse")[1] < 9.2


def test_whole_strikes_of_walking(judged, by_default):
    """Without the pieces at both ends of a trial, one strike in three trials: errors are half, and floors too."""
    for found in (judged, by_default):
        error = mean_whole(found, WALKS, "rrmse")
        for key in ("floor", "floor_shared"):
            floor = mean_whole(found, WALKS, key)
            assert error[0] <= floor[0] + 3.0 and error[2] <= floor[2] + 4.0
        assert (error < 0.6 * mean(found, WALKS, "rrmse")).all()
        assert (error < [6.5, 4.5, 13.5]).all()


def test_walking_is_better_than_the_paper(judged):
    """Its means over plates are 13, 12 and 12 %; lateral ranges are small, and the floor of ours is 30 %."""
    assert np.all(mean(judged, WALKS, "rrmse_corrected")[:2] < [13.0, 12.0])


@pytest.fixture(scope="module")
def by_default(shared_data):
    """Errors with all options as they are, the low pass chosen from the motion."""
    found = {}
    for trial in grf_accuracy.trials(shared_data):
        loads = ss.estimate_loads(trial.model, trial.motion, time_range=trial.time_range)
        checked = validate_loads(loads, trial.recording, motion=trial.motion)
        found[trial.name] = SimpleNamespace(trial=trial, loads=loads, checked=checked)
    return found


def test_goals_are_met_without_options(by_default):
    """Vertical also as it weighs, the light model of the knee trials included."""
    found, floor = mean(by_default, WALKS, "rrmse"), mean(by_default, WALKS, "floor")
    assert found[0] <= floor[0] + 3.0 and found[2] <= floor[2] + 4.0
    assert found[1] <= 8.0
    shared = mean(
        by_default, WALKS, "floor_shared"
    )  # as the plates share: to the right 0.9 points are missing
    assert found[0] <= shared[0] + 3.0 and shared[2] + 4.0 < found[2] < shared[2] + 5.5
    assert mean(by_default, WALKS, "rrmse_corrected")[1] <= 6.5
    assert mean(by_default, WALKS, "cop_single") <= 0.025
    assert np.all(mean(by_default, RUNS, "rrmse") <= [5.0, 4.0, 10.0])
    over_ground = by_default["run_overground_bmc"].checked.means
    assert np.all(over_ground["rrmse"] <= over_ground["floor"] + 3.0)
    for each in by_default.values():
        assert each.loads.ground.converged.all()


def test_our_own_motion_leaves_less(shared_data, by_default):
    """From markers, frames coupled in time: the floor of walking falls, and the error with it."""
    found = {}
    for trial in grf_accuracy.trials(shared_data, tuple(WALKS)):
        ours = grf_accuracy.from_markers(trial, shared_data, smooth=True)
        measured = ours.measured()
        found[trial.name] = SimpleNamespace(
            checked=validate_loads(grf_accuracy.estimated(ours, measured), measured)
        )
    for key in ("floor", "rrmse"):
        before, after = mean(by_default, WALKS, key), mean(found, WALKS, key)
        assert after[0] < 0.92 * before[0] and after[1] < 0.92 * before[1] and after[2] < before[2]


def test_running_on_a_motion_that_is_consistent(judged):
    assert np.all(mean(judged, RUNS, "rrmse") <= [5.0, 4.0, 10.0])


def test_running_over_ground(judged):
    means = judged["run_overground_bmc"].checked.means
    assert np.all(means["rrmse"] <= means["floor"] + 3.0)


def test_centre_of_pressure_of_walking(judged):
    """Root mean square in single support, mean over the strikes, then over the walks: single ones are up to 27 mm."""
    each = {name: 1e3 * judged[name].checked.means["cop_single"] for name in WALKS}
    assert np.mean(list(each.values())) <= 25.0, each
    assert max(each.values()) <= 30.0, each


def test_no_cone_is_broken_and_nothing_pulls(judged):
    for each in judged.values():
        weight = each.loads.model.mass * 9.80665
        ground = each.loads.ground
        assert ground.friction_margin.min() >= -1e-8 * weight
        assert ground.normal.min() >= -1e-8 * weight
        assert ground.converged.all()
        assert np.isfinite(each.loads.tau).all()


def test_belts_are_found(judged):
    """Runs on a treadmill at 2 and 5 m/s as their names say, one walk on a treadmill, all others over ground."""
    for name, each in judged.items():
        belt = each.loads.ground.belt
        if name in RUNS:
            assert belt == pytest.approx([-float(name[-1]), 0.0, 0.0], abs=0.05 * float(name[-1]))
        elif name == "walk_gait2354":
            assert -1.4 < belt[0] < -0.9 and abs(belt[2]) < 0.05
        else:
            assert not belt.any()


def test_swinging_feet_bear_nothing(judged):
    """Frames in which the plates see one foot, which bears the body: next to nothing is estimated on the other."""
    for name in WALKS | RUNS:
        each = judged[name]
        weight = each.loads.model.mass * 9.80665
        measured = dict.fromkeys("rl", 0.0)
        for wrench in each.measured.wrenches.values():
            foot = next(letter for letter in "rl" if f"_{letter}" in wrench.link)
            measured[foot] = measured[foot] + np.nan_to_num(wrench.force[:, 1])
        for side, other in (("right", "l"), ("left", "r")):
            alone = (measured[side[0]] < 1.0) & (measured[other] > 0.7 * weight)
            alone &= np.abs(each.measured.residual[:, 4]) < 0.1 * weight  # no step beside the plates
            if alone.any():
                swing = each.loads.wrenches[f"ground_{side}"].force[alone, 1]
                assert swing.mean() < 0.03 * weight, name


def test_residuals_are_not_larger_than_with_the_plates(judged):
    """The estimate balances the body as far as friction and soles allow: forces that are left are smaller."""
    for each in judged.values():
        assert each.loads.residual_force_rms < each.measured.residual_force_rms
