"""A clinician's round trip: `softstride analyze` on recordings with a model, nothing said that files tell.

Limits are a little beyond what the trials give today; where something was measured (the force in an instrumented knee)
or is known to be poor (the markers of gait2354), that is said.
"""

import json
import re
from pathlib import Path

import pytest
from tests.browser import browser, page  # noqa: F401
from tests.models import the_model
from typer.testing import CliRunner

import softstride as ss
from softstride.cli import app

pytestmark = pytest.mark.slow

TRIALS = {
    "subject01_walk1": "walk_gait2354/subject01_walk1.trc",
    "markers_walk": "walk_rajagopal_emg/markers_walk.trc",
    "motion_capture_run": "run_overground_bmc/motion_capture_run.trc",
    "run200": "run_hamner_s01/run200.trc",
    "run500": "run_hamner_s01/run500.trc",
    "walking1": "walk_opencap_s4/walking1.trc",
    "PS_ngait_og_ss1": "knee_gc5_ps/PS_ngait_og_ss1.c3d",
    "PS_ngait_og_ss11": "knee_gc5_ps/PS_ngait_og_ss11.c3d",
    "HC030A05": "c3d_emg_pig/HC030A05.c3d",
}
RUNNING = {"motion_capture_run", "run200", "run500"}

MARKERS = {"subject01_walk1": 22.0, "motion_capture_run": 18.5, "HC030A05": 18.5}  # mm; others 13
UPWARD = {"PS_ngait_og_ss1": 11.5, "PS_ngait_og_ss11": 11.5, "HC030A05": 11.0}  # %: 75 kg for 83; others 9
RESERVES = {"subject01_walk1": 16.0, "motion_capture_run": 19.0, "run500": 18.0}  # % of the peak; others 5
SATURATED = {"motion_capture_run": 4.5, "run200": 4.0, "run500": 16.0}  # %: runners, strengths of the tables
COLUMNS = (
    *("marker_rms_mm", "measured_residual_force_believed_rms_percent_bw", "grf_rrmse_forward_percent"),
    *(
        "grf_rrmse_up_percent",
        "grf_rrmse_right_percent",
        "muscles_known_percent",
        "muscles_saturated_percent",
    ),
    *("moment_residual_rms_worst_percent_of_peak", "knee_right_contact_peak_bw", "knee_left_contact_peak_bw"),
)
GUIDE = Path(__file__).resolve().parents[2] / "docs" / "analyze.md"
IMPLANT = {"PS_ngait_og_ss1": 2.19, "PS_ngait_og_ss11": 2.31}  # body weights, measured in the left knee


@pytest.fixture(scope="module")
def results(shared_data, tmp_path_factory) -> Path:
    out = tmp_path_factory.mktemp("round trip") / "résultats"
    files = [str(shared_data / trial) for trial in TRIALS.values()]
    done = CliRunner().invoke(
        app, ["analyze", *files, "--out", str(out)], env={"NO_COLOR": "1", "TERM": "dumb"}
    )
    assert done.exit_code == 0, done.output
    print("\n" + done.stdout)
    return out


def known(results: Path, name: str) -> dict:
    return json.loads((results / name / "figures.json").read_text(encoding="utf-8"))


@pytest.mark.parametrize("name", TRIALS)
def test_all_that_the_data_allow_is_done(results: Path, name: str) -> None:
    stages = {stage["name"]: stage for stage in known(results, name)["stages"]}
    assert [stage["words"] for stage in stages.values() if stage["state"] == "failed"] == []
    skipped = {name: stage["words"] for name, stage in stages.items() if stage["state"] == "skipped"}
    assert set(skipped) <= {"blades", "EMG"}
    assert skipped["blades"] == "the model has no blade"
    sideless = name in ("markers_walk", *IMPLANT)
    assert ("emg_side" in skipped.get("EMG", "")) == sideless
    assert ("EMG" in skipped) == (name != "HC030A05")


@pytest.mark.parametrize("name", TRIALS)
def test_results_are_sensible(results: Path, name: str) -> None:
    figures = known(results, name)["figures"]
    assert figures["marker_rms_mm"] < MARKERS.get(name, 13.0)
    for part in ("ik", "estimated", "muscles"):
        assert figures[f"{part}_converged_percent"] == 100.0
    assert figures["grf_rrmse_up_percent"] < UPWARD.get(name, 9.0)
    assert figures["moment_residual_rms_worst_percent_of_peak"] < RESERVES.get(name, 5.0)
    assert figures["muscles_saturated_percent"] < SATURATED.get(name, 0.5)
    low, high = (5.0, 15.0) if name in RUNNING else (2.0, 6.0)
    for side in ("right", "left"):
        assert low < figures[f"knee_{side}_contact_peak_bw"] < high
    assert figures["measured_residual_force_believed_rms_percent_bw"] < (27.0 if name in RUNNING else 15.0)
    assert figures["muscles_kkt_max"] < 1e-6 and figures["reactions_balance"] < 1e-8


@pytest.mark.parametrize("name", IMPLANT)
def test_the_knee_that_was_measured(results: Path, name: str) -> None:
    assert known(results, name)["figures"]["knee_left_contact_peak_bw"] == pytest.approx(
        IMPLANT[name], rel=0.15
    )


def test_what_was_found_beside_the_trials(results: Path) -> None:
    notes = {name: " ".join(known(results, name)["notes"]) for name in TRIALS}
    for name, words in (
        ("subject01_walk1", "model: subject01_simbody.osim, found beside the trial"),
        ("subject01_walk1", "weights of 31 markers: subject01_Setup_IK.xml"),
        ("markers_walk", "files of this trial: markers_walk.trc, grf_walk.xml, electromyography.sto"),
        ("motion_capture_run", "motion_capture_run.trc, grf_setup.xml"),
        ("run500", "run500.trc, run500_external_forces.xml"),
        ("walking1", "walking1.trc, walking1_grf.mot"),
        ("PS_ngait_og_ss1", "model: GC5.osim, found beside the trial"),
        ("HC030A05", "the packaged person 'gait', 45.8 kg, 1.48 m"),
        ("HC030A05", "sizes: from the standing trial HC030A01.c3d"),
    ):
        assert words in notes[name], name


def test_a_page_and_a_table_list_all_figures(results: Path) -> None:
    text = (results / "index.html").read_text(encoding="utf-8")
    table = (results / "figures.csv").read_text(encoding="utf-8").splitlines()
    assert table[0] == ",".join(["figure", *TRIALS])
    assert all(f'href="{name}/report.html"' in text for name in TRIALS)
    keys = {key for name in TRIALS for key in known(results, name)["figures"]}
    assert {line.partition(",")[0] for line in table[1:]} == keys | {"error"}


def test_the_table_of_the_guide_is_this_one(results: Path) -> None:
    rows = re.findall(
        r"^\| `(\w+)` \| [^|]+ \| (.+) \|$", GUIDE.read_text(encoding="utf-8"), flags=re.MULTILINE
    )
    assert [name for name, _ in rows] == list(TRIALS)
    for name, cells in rows:
        figures = known(results, name)["figures"]
        for key, cell in zip(COLUMNS, cells.split(" | "), strict=True):
            assert float(cell) == pytest.approx(figures[key], abs=0.06), (name, key)


def test_the_page_opens(results: Path, page) -> None:  # noqa: F811
    page.goto((results / "index.html").as_uri())
    assert page.locator("tbody tr").count() > 30
    assert page.locator("thead a").count() == len(TRIALS)


@pytest.mark.parametrize("name", TRIALS)
def test_every_report_opens(results: Path, page, name: str) -> None:  # noqa: F811
    page.goto((results / name / "report.html").as_uri())
    first = page.locator(".plot").first  # drawn when somebody comes near
    first.scroll_into_view_if_needed()
    first.locator("svg").first.wait_for(state="attached")
    assert name in page.locator("h1").first.inner_text()


def test_emg_of_a_leg_that_is_said(shared_data, results: Path) -> None:
    recording = ss.read(shared_data / TRIALS["PS_ngait_og_ss1"])
    model = the_model(shared_data / "knee_gc5_ps" / "GC5.osim")
    off = dict.fromkeys(("bands", "estimate", "reactions"), False)
    study = ss.analyze(recording, model, emg_side="left", lowpass=6.0, **off)
    assert study.stage("EMG").state == "done"
    assert len(set(study.electrodes.values())) == 16 and all(name.endswith("_l") for name in study.electrodes)
