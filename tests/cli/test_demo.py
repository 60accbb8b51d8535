"""`softstride demo`: the packaged athlete from C3D files to tables, by the way of `softstride analyze`."""

from pathlib import Path

import numpy as np
import pytest
from tests.study.studies import packaged, running_study
from tests.trials import the_athlete

import softstride as ss
from softstride.cli import demo_tables
from softstride.cli.demo_inputs import GAITS, MODEL, SETTINGS, write_inputs
from softstride.cli.demo_tables import blade_figures, demo_figures, print_blades, print_ground, print_muscles


@pytest.fixture(scope="module")
def inputs(tmp_path_factory) -> Path:
    folder = tmp_path_factory.mktemp("inputs")
    write_inputs(folder)
    return folder


@pytest.mark.parametrize("gait", GAITS)
def test_the_files_are_recordings_of_the_athlete(inputs: Path, gait: str) -> None:
    file, athlete = ss.read(inputs / f"{gait}.c3d"), the_athlete(gait)
    np.testing.assert_allclose(file.markers.values, athlete.recording.markers.values, atol=2e-6)
    np.testing.assert_allclose(file.emg.values, athlete.recording.emg.values, rtol=1e-6, atol=1e-9)
    assert file.events == athlete.recording.events and len(file.plates) == len(athlete.recording.plates)


def test_inputs_are_files_of_a_laboratory(inputs: Path) -> None:
    before = {file.name: file.read_bytes() for file in inputs.iterdir()}
    requests = write_inputs(inputs)  # again, over themselves
    assert {file.name: file.read_bytes() for file in inputs.iterdir()} == before, "the same each time"
    assert set(before) == {"walking.c3d", "running.c3d", MODEL, SETTINGS}
    assert [request.name for request in requests] == list(GAITS)
    athlete = the_athlete()
    for request in requests:
        assert request.options.passive and request.options.emg_delay == athlete.emg_delay
        assert request.options.mvc == pytest.approx(dict(athlete.mvc), rel=1e-5)
        assert ss.load_model(request.model).nv == athlete.model.nv
    assert before["running.c3d"] == packaged().read_bytes()


@pytest.mark.slow
def test_tables_have_the_rows_of_the_paper(capsys) -> None:
    study = running_study()
    print_ground(study, 2)
    print_muscles(study)
    print_blades([study])
    words = " ".join(capsys.readouterr().out.split())
    assert "Table 2. Running" in words and "1st blade" in words and "paper, mean 15 % 20 % 11 %" in words
    assert "biceps femoris, long head, amputated leg" in words and "the paper's runner 7.5 10.6 10.4" in words
    assert "Blade: peak of the upward force" in words


@pytest.mark.slow
def test_numbers_of_the_tables_are_those_of_the_study() -> None:
    study = running_study()
    figures = demo_figures(study)
    first = next(each for each in study.validation if not each.partial)
    assert figures["running_strike1_rrmse_up_percent"] == first.rrmse[1]
    assert figures["running_strike1_rmse_sideways_N"] == first.rmse[2]
    assert all(isinstance(value, float) for value in figures.values())
    (blade,) = blade_figures(study).values()
    assert blade["plates"] == pytest.approx(max(each.peak_measured for each in study.validation), rel=1e-3)
    assert abs(blade["peak"] - blade["plates"]) < 2.0 * blade["std"], "within what it says of its own error"
    assert [demo_tables._ordinal(i) for i in (0, 3)] == ["1st", "4th"]


def test_a_folder_that_cannot_be_made(run, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    done = run("demo", "--out", str(tmp_path / "file" / "folder"))
    assert done.exit_code == 2
    assert "--out" in done.stderr


@pytest.mark.slow
def test_demo_from_files_to_reports(run, tmp_path: Path) -> None:
    out = tmp_path / "démo 1"
    done = run("demo", "--out", str(out), "--json")
    assert done.exit_code == 0, done.words
    figures = done.figures
    assert figures["seconds"] > 0.0 and figures["compiling_seconds"] >= 0.0
    for gait in GAITS:
        for name in (f"{gait}.study.nc", "report.html", f"{gait}_ik.mot", "csv"):
            assert (out / gait / name).exists()
        assert figures[f"{gait}_grf_rrmse_up_percent"] < 6.0
        assert figures[f"{gait}_grf_rrmse_forward_percent"] < 9.0
        assert figures[f"{gait}_emg_rmse_percent_of_fmax"] < 7.0
    assert figures["running_bflh_r_phase1_percent"] == pytest.approx(7.5, abs=0.1), (
        "as docs/digital_athlete.md has it"
    )
    assert figures["running_semiten_r_phase3_percent"] == pytest.approx(10.5, abs=0.1)
    again = run("demo", "--out", str(out))
    assert again.exit_code == 0
    for words in (
        "Table 1. Walking",
        "Table 2. Running",
        "Table 3. Running",
        "the same by hand: softstride analyze",
    ):
        assert words in again.words
    assert run("demo", "--out", str(out), "--quiet").stdout == ""
