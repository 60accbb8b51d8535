"""The benchmark of the athlete's muscles runs, and returns what programs rely on."""

import contextlib
import io
import json
import math

import numpy as np
import pytest
from bench._intact_set import CUT, intact_set

import softstride as ss
from bench import _athlete_analysis, athlete_muscles
from softstride.capture.recording import Event


@pytest.fixture(scope="module")
def figures():
    with contextlib.redirect_stdout(io.StringIO()) as printed:
        found = athlete_muscles.main(json=True, quick=True)
    assert printed.getvalue() == "", "with json the caller prints"
    return found


@pytest.mark.slow
def test_a_quick_run(figures):
    assert all(math.isfinite(value) for value in figures.values())
    assert json.loads(json.dumps(figures)) == figures
    assert figures["running_worst_informed_truth"] <= athlete_muscles.TARGET
    assert figures["running_worst_informed_emg"] <= athlete_muscles.TARGET
    assert figures["running_worst_paper"] <= athlete_muscles.TARGET
    assert figures["running_worst_informed_truth"] < 0.6 * figures["running_worst_plain_truth"]
    for name in ("with", "without"):
        kinds = [figures[f"running_plates_{kind}_{name}_electrode"] for kind in ("plain", "informed")]
        assert kinds[1] < 1.02 * kinds[0]
    assert max(figures[f"running_plates_{kind}_reserve"] for kind in ("plain", "informed")) < 0.5  # N·m


@pytest.mark.slow
def test_what_is_believed_of_the_surgery_matters(figures):
    change = {
        name: figures[f"running_plain_{name}_knee_change"]
        for name in ("myodesis", "myoplasty", "cut_ones_left_out", "intact_set")
    }
    assert change["myodesis"] == 0.0
    assert 0.05 < change["myoplasty"] < change["intact_set"] < 2.0  # body weights


@pytest.mark.slow
def test_an_error_in_percent_of_maximal_force():
    model = ss.load_athlete("running").model
    force = model.muscles["bflh_r"].max_force
    one, two = np.zeros(10), np.full(10, 0.1 * force)
    two[5:] = np.nan
    frames = np.arange(10) < 5
    assert _athlete_analysis.rmse(model, "bflh_r", one, two, frames) == pytest.approx(10.0)


def test_phases_of_single_support():
    recording = ss.Recording(
        "made",
        events=(
            Event("off", 0.15, "left"),
            Event("strike", 0.05, "right"),
            Event("off", 0.55, "right"),
            Event("strike", 0.45, "left"),
            Event("off", 0.95, "left"),
            Event("strike", 0.85, "right"),
        ),
    )
    time = np.arange(101) / 100.0
    found = _athlete_analysis.single_support(recording, time)
    assert [phase.side for phase in found] == ["right", "left"]
    spans = [time[phase.frames][[0, -1]] for phase in found]
    np.testing.assert_allclose(spans, [(0.16, 0.44), (0.56, 0.84)])


def test_the_intact_set():
    """Gastrocnemius with whole strength: standing as it was before the amputation, its ankle stiff."""
    from softstride.digital_athlete.person import whole_person

    model, whole = intact_set(), whole_person()
    assert model.muscles["gasmed_r"].max_force == whole.muscles["gasmed_r"].max_force
    assert "soleus_r" not in model.muscles
    before = ss.muscle_paths(whole, whole.neutral()[None], muscles=CUT)
    after = ss.muscle_paths(model, model.neutral()[None], muscles=CUT)
    np.testing.assert_allclose(after.length, before.length, atol=1e-9)
    knee = [m.coordinate_names.index("knee_angle_r") for m in (whole, model)]
    np.testing.assert_allclose(after.arms[0, :, knee[1]], before.arms[0, :, knee[0]], atol=1e-9)
