"""Validation on recordings: floors beside OpenSim's stored residuals, and what a perfect balance would reach."""

import numpy as np
import pytest

from bench import grf_accuracy
from softstride.dynamics.validation.validate import validate_loads


def one(shared_data, name):
    return next(grf_accuracy.trials(shared_data, (name,)))


def test_the_floor_is_that_of_opensims_residuals(shared_data):
    """Pelvis forces of the stored inverse dynamics (OpenSim's tool at 6 Hz) over the range of the measured force."""
    trial = one(shared_data, "walk_gait2354")
    measured = trial.measured()
    checked = validate_loads(measured, measured)
    file = shared_data / "walk_gait2354" / "reference" / "inverse_dynamics.sto"
    lines = file.read_text().splitlines()
    top = next(i for i, line in enumerate(lines) if line.startswith("time"))
    labels = lines[top].split()
    table = np.array([[float(x) for x in line.split()] for line in lines[top + 1 :]])
    for each in checked:
        rows = (table[:, 0] > each.start - 1e-4) & (table[:, 0] < each.end + 1e-4)
        assert rows.sum() == each.frames
        force = sum(
            np.nan_to_num(w.force) for w in measured.wrenches.values() if w.link == f"calcn_{each.foot[0]}"
        )
        extent = np.ptp(force[rows], axis=0)
        stored = table[rows][:, [labels.index(f"pelvis_t{axis}_force") for axis in "xyz"]]
        expected = 100.0 * np.sqrt(np.mean(stored**2, axis=0)) / extent
        assert each.floor == pytest.approx(expected, rel=2e-3)  # ours is 0.1 N from the tool at most
    assert len(checked) == 3 and [each.partial for each in checked] == [True, False, True]


def test_the_knee_subject_is_heavier_than_the_model(shared_data):
    """82.9 kg by the plates over the stride, 75 kg in the model."""
    trial = one(shared_data, "knee_gc5_ps_ss1")
    measured = trial.measured()
    checked = grf_accuracy.judge(trial, grf_accuracy.ideal)
    assert checked.scale == pytest.approx(82.9 / 75.0, rel=0.01)
    assert checked.means["floor_corrected"][1] < 0.6 * checked.means["floor"][1]
    assert np.array_equal(
        checked.mean_of()["rmse"],
        validate_loads(
            grf_accuracy.ideal(trial, measured), trial.recording, motion=trial.motion, lowpass=trial.lowpass
        ).means["rmse"],
    )


def test_one_foot_at_a_time_reaches_the_floor_and_no_more(shared_data):
    """Running: measured force plus residual is what the motion asks for, and its error is the floor."""
    trial = one(shared_data, "run_overground_bmc")
    checked = grf_accuracy.judge(trial, grf_accuracy.ideal)
    assert [each.foot for each in checked] == ["right", "left"] and not any(each.partial for each in checked)
    for each in checked:
        assert np.abs(each.rrmse - each.floor).max() < 0.1
        assert each.cop_single < 1e-6
