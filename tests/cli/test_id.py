"""`softstride id` reads OpenSim's files, solves, writes a whole file, and says how well it went."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from tests.dynamics.reduction_cases import explained, offset, true_motion, with_masses
from tests.files import columns_of, external_loads, setup_of, table
from tests.models import the_model, walker
from tests.trials import N

from softstride.capture import read
from softstride.dynamics import read_loads, solve_id
from softstride.dynamics.reduction.reduce import reduce_residuals
from softstride.kinematics import read_motion
from softstride.model.load import load_model, save_model

SETUP = setup_of(
    "InverseDynamicsTool",
    name="who",
    model_file="who.json",
    coordinates_file="ik.mot",
    external_loads_file="loads.xml",
    time_range="0.05 0.4",
    lowpass_cutoff_frequency_for_coordinates=6,
    results_directory="results",
    output_gen_force_file="id.sto",
    forces_to_exclude="Muscles",
    joints_to_report_body_forces="all",
)


@pytest.fixture
def folder(laboratory: Path) -> Path:
    (laboratory / "setup.xml").write_text(SETUP)
    return laboratory


def given(folder: Path, *names: str) -> list[str]:
    files = {"--model": "who.json", "--motion": "ik.mot", "--external-loads": "loads.xml"}
    files |= {"--setup": "setup.xml", "--out": "id.sto"}
    return [word for name in names for word in (name, str(folder / files[name]))]


USUAL = ("--model", "--motion", "--external-loads", "--out")


def solved(folder: Path, **options):
    model = load_model(folder / "who.json")
    return solve_id(model, read_motion(folder / "ik.mot", model), read(folder / "loads.xml"), **options)


def test_the_file(run, folder):
    done = run("id", *given(folder, *USUAL), "--lowpass", "12")
    assert done.exit_code == 0
    expected = solved(folder, lowpass=12.0)
    assert np.array_equal(read_loads(folder / "id.sto", expected.model).tau, expected.tau)
    assert np.abs(expected.tau - solved(folder).tau).max() > 1.0


def test_the_figures(run, folder):
    done = run("id", *given(folder, *USUAL), "--json")
    assert done.exit_code == 0 and len(done.stdout.strip().splitlines()) == 1
    expected, figures = solved(folder), done.figures
    assert (figures["frames"], figures["frames_known"], figures["frames_without_loads"]) == (N, N, 0)
    assert figures["frames_doubtful"] == int(expected.doubtful.sum()) > 0
    assert figures["base"] == "trunk" and figures["seconds"] > 0.0
    assert figures["residual_force_rms_n"] == pytest.approx(expected.residual_force_rms)
    assert figures["residual_force_rms_bw"] == pytest.approx(expected.residual_force_rms / (65.0 * 9.80665))
    assert figures["residual_moment_peak_nm"] == pytest.approx(expected.residual_moment_peak)
    assert (figures["forces"], figures["links"]) == (["right", "left"], ["foot_r", "foot_l"])
    peak = np.linalg.norm(expected.wrenches["left"].force, axis=1).max()
    assert figures["force_peaks_n"][1] == pytest.approx(peak)
    assert figures["out"] == str(folder / "id.sto") and figures["sockets"] == []
    assert any("too large to believe" in note for note in figures["notes"])
    assert (
        f"{figures['frames_doubtful']} of {N} frames have a residual that is too large to believe"
        in done.stderr
    )


def test_the_tables(run, folder):
    done = run("id", *given(folder, *USUAL))
    assert done.exit_code == 0
    expected = solved(folder)
    column = expected.coordinate("knee_r")
    at = int(np.argmax(np.abs(column)))
    rms = np.sqrt(np.mean(column**2))
    lines = [line.split() for line in done.stdout.splitlines()]
    assert ["knee_r", "N", "m", f"{rms:.2f}", f"{column[at]:.2f}", f"{expected.time[at]:.3f}"] in lines
    peak = np.linalg.norm(expected.wrenches["right"].force, axis=1).max()
    row = next(line for line in lines if line[:2] == ["right", "foot_r"])
    assert row[2] == f"{peak:.2f}" and row[-2:] == [str(N), "frames"]
    assert f"on trunk: {expected.residual_force_rms:.1f} N rms" in done.words
    assert "Notes: what was decided" in done.words


def test_quiet(run, folder):
    done = run("id", *given(folder, *USUAL), "--quiet")
    assert (done.exit_code, done.stdout) == (0, "") and "too large to believe" in done.stderr
    assert (folder / "id.sto").is_file()


def test_without_forces_nothing_acts(run, folder):
    done = run("id", *given(folder, "--model", "--motion", "--out"), "--json")
    assert done.exit_code == 0 and done.figures["forces"] == []
    model = load_model(folder / "who.json")
    expected = solve_id(model, read_motion(folder / "ik.mot", model))
    assert np.array_equal(read_loads(folder / "id.sto", model).tau, expected.tau)


def test_a_part_and_other_links(run, folder):
    words = ["--time", "0.1", "0.2", "--body", "right=shank_r", "--threads", "1"]
    done = run("id", *given(folder, *USUAL), *words, "--json")
    assert done.exit_code == 0
    assert done.figures["links"] == ["shank_r", "foot_l"] and done.figures["frames"] == 11
    expected = solved(folder, time_range=(0.1, 0.2), bodies={"right": "shank_r"})
    assert np.array_equal(read_loads(folder / "id.sto", expected.model).tau, expected.tau)


def test_a_setup_names_everything(run, folder):
    done = run("id", *given(folder, "--setup"), "--json")
    assert done.exit_code == 0
    assert done.figures["out"] == str(folder / "results" / "id.sto")
    expected = solved(folder, lowpass=6.0, time_range=(0.05, 0.4))
    found = read_loads(folder / "results" / "id.sto", expected.model)
    assert np.array_equal(found.tau, expected.tau) and len(found) == 36
    assert any("not used: joints_to_report_body_forces" in note for note in done.figures["notes"])


def test_what_is_given_replaces_the_setup(run, folder):
    words = ["--time", "0", "0.1", "--lowpass", "0"]
    assert run("id", *given(folder, "--setup", "--out"), *words).exit_code == 0
    expected = solved(folder, time_range=(0.0, 0.1))
    assert np.array_equal(read_loads(folder / "id.sto", expected.model).tau, expected.tau)
    assert not (folder / "results").exists()


def test_frames_without_forces_are_said(run, folder):
    file = (folder / "forces.mot").read_text().splitlines()
    short = [*file[:6], file[6], *file[7:37]]
    (folder / "forces.mot").write_text("\n".join(short).replace("nRows=50", "nRows=30") + "\n")
    done = run("id", *given(folder, *USUAL))
    assert done.exit_code == 0
    assert "20 of 50 frames, in which a force was not measured: nan" in done.words
    assert "'right' runs from 0 to 0.29 s only: 20 of 50 frames (30 to 49)" in done.words
    tau = read_loads(folder / "id.sto", walker("custom")).tau
    assert np.isnan(tau[30:]).all() and np.isfinite(tau[:30]).all()


def test_existing_files_stay(run, folder):
    (folder / "id.sto").write_text("precious")
    done = run("id", *given(folder, *USUAL))
    assert (done.exit_code, (folder / "id.sto").read_text()) == (2, "precious")
    assert "--overwrite" in done.stderr and len(done.stderr.splitlines()) == 1
    assert run("id", *given(folder, *USUAL), "--overwrite").exit_code == 0
    assert "precious" not in (folder / "id.sto").read_text()


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--motion", "ik.mot", "--out", "a.sto"], "a model is needed: give it with --model or in --setup"),
        (["--model", "who.json", "--out", "a.sto"], "a motion is needed: give it with --motion"),
        (["--model", "who.json", "--motion", "ik.mot"], "give a file with --out"),
        (["--model", "who.json", "--motion", "gone.mot", "--out", "a.sto"], "gone.mot"),
        (["--setup", "setup.xml", "--external-loads", "gone.xml", "--out", "a.sto"], "gone.xml"),
        (["--setup", "loads.xml", "--out", "a.sto"], "has no <InverseDynamicsTool>"),
        (["--setup", "bare.xml", "--out", "a.sto"], "bare.xml names none"),
        (["--setup", "lost.xml", "--out", "a.sto"], "which does not exist: give it with --motion"),
        (["--setup", "setup.xml", "--out", "a.txt"], "must end in .mot or .sto"),
        (["--setup", "setup.xml", "--out", "ik.mot", "--overwrite"], "would replace the input"),
        (["--setup", "setup.xml", "--out", "who.json/a.sto"], "cannot make the folder"),
        (["--setup", "setup.xml", "--out", "folder.sto", "--overwrite"], "it is no file"),
        (["--setup", "setup.xml", "--out", "a.sto", "--body", "right"], "must be FORCE=LINK"),
        (
            ["--setup", "setup.xml", "--out", "a.sto", "--body", "right=tail"],
            "force 'right' acts on 'tail' as --body says, however 'walker' has no such link: name one with "
            "--body right=LINK; links are ",
        ),
        (["--setup", "setup.xml", "--out", "a.sto", "--body", "middle=foot_r"], "names the force 'middle'"),
        (["--setup", "setup.xml", "--out", "a.sto", "--time", "5", "6"], "no frame lies from 5 to 6 s"),
        (
            ["--setup", "setup.xml", "--out", "a.sto", "--lowpass", "-3"],
            "lowpass must be a number above 0 [Hz], however it is -3",
        ),
        (
            ["--setup", "setup.xml", "--out", "a.sto", "--lowpass", "80"],
            "softstride: --lowpass must be below half the rate of the motion, 50 Hz, however it is 80 Hz",
        ),
        (["--setup", "setup.xml", "--out", "a.sto", "--external-loads", "ik.mot"], "holds no forces"),
    ],
)
def test_requests_that_cannot_be(run, folder, monkeypatch, words, message):
    monkeypatch.chdir(folder)
    (folder / "folder.sto").mkdir()
    (folder / "bare.xml").write_text("<InverseDynamicsTool/>")
    (folder / "lost.xml").write_text(SETUP.replace("ik.mot", "elsewhere.mot"))
    done = run("id", *words)
    assert done.exit_code == 2
    assert message in done.stderr and len(done.stderr.splitlines()) == 1
    assert not (folder / "a.sto").exists()


def test_a_recording_of_opensim(run, shared_data, tmp_path):
    folder = shared_data / "walk_gait2354"
    motion = folder / "reference" / "subject01_walk1_ik.mot"
    out = tmp_path / "id.sto"
    setup = folder / "subject01_Setup_InverseDynamics.xml"
    done = run("id", "--setup", str(setup), "--motion", str(motion), "--out", str(out), "--json")
    assert done.exit_code == 0 and done.figures["forces"] == ["right", "left"]
    model = the_model(folder / "subject01_simbody.osim")
    found, reference = (
        read_loads(out, model),
        read_loads(folder / "reference" / "inverse_dynamics.sto", model),
    )
    near = [int(np.argmin(np.abs(reference.time - t))) for t in found.time]
    assert np.abs(reference.time[near] - found.time).max() < 1e-3
    difference = np.abs(found.tau - reference.tau[near]).max(axis=0)
    assert (difference < np.maximum(0.01 * np.abs(reference.tau).max(axis=0), 0.1)).all()


# --reduce


@pytest.fixture
def light(tmp_path: Path) -> Path:
    """The files of somebody whose model is too light for the one force that explains their motion."""
    truth, motion = true_motion("custom")
    force = explained(truth, motion).forces[0]
    save_model(with_masses(truth, {"trunk": 0.9}, {}), tmp_path / "who.json")
    offset(motion, ty=(0.004, 8 / 3)).save(tmp_path / "ik.mot")
    columns, values = columns_of(replace(force, side="right"))
    table(tmp_path / "forces.mot", columns, force.time, values)
    (tmp_path / "loads.xml").write_text(external_loads({"right": ("trunk", "r")}))
    return tmp_path


@pytest.mark.slow
def test_a_reduction_is_written_and_told(run, light):
    out = {name: str(light / file) for name, file in (("model", "new.json"), ("motion", "new.mot"))}
    words = ["--reduce", "--model-out", out["model"], "--motion-out", out["motion"], "--lowpass", "10"]
    done = run("id", *given(light, *USUAL), *words, "--json")
    assert done.exit_code == 0
    model = load_model(light / "who.json")
    expected = reduce_residuals(
        model, read_motion(light / "ik.mot", model), read(light / "loads.xml"), lowpass=10.0
    )
    figures, left = done.figures, expected.residual()
    assert figures["mass_before_kg"] == pytest.approx(61.0)
    assert (
        figures["mass_after_kg"] == pytest.approx(expected.model.mass) and 64.5 < expected.model.mass < 65.5
    )
    assert figures["reduced_force_rms_before_n"] == pytest.approx(left["force rms"][0])
    assert figures["reduced_force_rms_after_n"] == pytest.approx(left["force rms"][1])
    assert left["force rms"][1] < 0.3 * left["force rms"][0]
    assert figures["reduced_moment_peak_after_nm"] == pytest.approx(left["moment peak"][1])
    assert figures["residual_force_rms_n"] == pytest.approx(expected.after.residual_force_rms)
    assert figures["mass_changes_kg"]["trunk"] == pytest.approx(expected.mass_change["trunk"])
    assert figures["centre_changes_m"]["trunk"] == pytest.approx(expected.centre_change["trunk"].tolist())
    assert figures["base_shift_peak_m"] == pytest.approx(expected.largest_shift[0])
    assert figures["reduction_limits"] == list(expected.limits) and figures["reduction_converged"] is True
    assert figures["marker_rms_after_m"] is None
    assert any("do not filter it again" in note for note in figures["notes"])
    written = load_model(light / "new.json")
    assert written.mass == pytest.approx(expected.model.mass)
    assert np.array_equal(read_loads(light / "id.sto", written).tau, expected.after.tau)
    again = read_motion(light / "new.mot", written)
    assert np.abs(again.q - expected.motion.q).max() < 1e-9
    left_over = solve_id(written, again, read(light / "loads.xml"))  # written files agree as well
    assert left_over.residual_force_rms < 1.5 * expected.after.residual_force_rms


def test_a_reduction_for_people(run, light):
    done = run("id", *given(light, *USUAL), "--reduce", "--total-mass", "66.5")
    assert done.exit_code == 0
    assert "walker: residual reduction" in done.words and "61.000 to 66.500 kg (+9.02 %)" in done.words
    assert "force rms" in done.words and "Masses and centres" in done.words and "shank_l" in done.words
    assert "walker: inverse dynamics" in done.words


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--total-mass", "70"], "--total-mass needs --reduce"),
        (["--model-out", "b.json"], "--model-out needs --reduce"),
        (["--motion-out", "b.mot"], "--motion-out needs --reduce"),
        (["--reduce", "--motion-out", "a.sto"], "would replace the file of --out"),
        (["--reduce", "--motion-out", "b.osim"], "must end in .mot or .sto"),
        (["--reduce", "--model-out", "b.mot"], "must end in .osim or .json"),
        (["--reduce", "--model-out", "who.json", "--overwrite"], "would replace the input who.json"),
        (["--reduce", "--model-out", "there.json"], "give --overwrite to replace it"),
        (["--reduce", "--model-out", "folder.json", "--overwrite"], "it is no file"),
        (["--reduce", "--model-out", "who.json/b.json"], "cannot make the folder"),
        (["--reduce", "--total-mass", "-1"], "--total-mass must be a number above 0"),
        (
            ["--reduce", "--total-mass", "700"],
            "softstride: --total-mass 700 kg is not that of somebody like 'walker'",
        ),
    ],
)
def test_reductions_that_cannot_be(run, light, monkeypatch, words, message):
    monkeypatch.chdir(light)
    (light / "there.json").write_text("precious")
    (light / "folder.json").mkdir()
    files = ["--model", "who.json", "--motion", "ik.mot", "--external-loads", "loads.xml", "--out", "a.sto"]
    done = run("id", *files, *words)
    assert done.exit_code == 2
    assert message in done.stderr and len(done.stderr.splitlines()) == 1
    assert not (light / "a.sto").exists() and (light / "there.json").read_text() == "precious"


def test_a_reduction_needs_forces(run, light):
    done = run("id", *given(light, "--model", "--motion", "--out"), "--reduce")
    assert done.exit_code == 2 and "give them with --external-loads" in done.stderr
