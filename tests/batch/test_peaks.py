"""Peaks by side, against the numbers that they are the peaks of."""

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from tests.trials import pushed_walker, recorded

from softstride.batch.peaks import find_peaks, write_peaks
from softstride.dynamics import Loads, solve_id
from softstride.study.study import Study


@pytest.fixture(scope="module")
def study() -> Study:
    model, motion, recording = pushed_walker()
    loads = solve_id(model, motion, recording)
    n = len(loads)
    believed = replace(loads, doubtful=np.arange(n) >= n - 10)
    return Study("walk", recorded(model, motion.q), model, motion, measured=believed)


def test_angles_have_their_extremes_by_side(study: Study) -> None:
    found = find_peaks(study)
    knee = np.rad2deg(study.motion.coordinate("knee_r"))
    assert found["knee_r_max_deg"] == pytest.approx(knee.max(), rel=1e-15)
    assert found["knee_r_min_deg"] == pytest.approx(knee.min(), rel=1e-15)
    assert "knee_l_max_deg" in found
    assert not any(name.startswith(("tilt", "tx")) for name in found)  # no side


def test_loads_count_only_where_they_are_believed(study: Study) -> None:
    loads: Loads = study.measured
    found = find_peaks(study)
    moment = loads.coordinate("flex_l") / study.model.mass
    assert found["flex_l_moment_max_Nm_kg"] == moment[:-10].max()
    assert found["flex_l_moment_min_Nm_kg"] == moment[:-10].min()
    everything = find_peaks(study.changed(measured=replace(loads, doubtful=np.zeros(len(loads), bool))))
    assert any(everything[name] != value for name, value in found.items())
    up = loads.wrenches["plate right"].force[:-10, 1]
    assert found["grf_right_up_peak_bw"] == pytest.approx(up.max() / study.weight, rel=1e-12)


def test_what_is_not_known_is_left_out(study: Study) -> None:
    doubtful = replace(study.measured, doubtful=np.ones(len(study.measured), bool))
    for other in (study.changed(measured=None), study.changed(measured=doubtful)):
        found = find_peaks(other)
        assert "knee_r_max_deg" in found
        assert not any("moment" in name or "grf" in name for name in found)


def test_peaks_are_written_exactly(study: Study, tmp_path: Path) -> None:
    write_peaks(study, tmp_path / "peaks.json")
    assert json.loads((tmp_path / "peaks.json").read_text()) == find_peaks(study)
