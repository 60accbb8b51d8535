"""`softstride ik` reads OpenSim's files, solves, writes whole files, and says how well it went.

Most tests put a stand-in in the place of the solver, which records what it was asked and returns a known motion.
"""

import os
import sys
from contextlib import contextmanager
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest
from tests.files import element, objects, setup_of, table
from tests.models import walker
from tests.trials import recorded, standing

from softstride.capture.text import parse_storage
from softstride.errors import InputError
from softstride.kinematics.ik.options import IkOptions
from softstride.kinematics.motion import MarkerFit, Motion
from softstride.model.load import save_model

FRAMES = 20
TASKS = objects(
    "IKTaskSet",
    element("IKMarkerTask", name="trunk0", weight=2),
    element("IKMarkerTask", name="trunk1", weight=3),
    element("IKCoordinateTask", name="knee_r", weight=5, value_type="manual_value", value=0.1),
)
SETUP = setup_of(
    "InverseKinematicsTool",
    objects("IKTaskSet", element("IKMarkerTask", name="trunk3", weight=4)),
    name="who",
    model_file="who.json",
    marker_file="walk.trc",
    time_range="0.05 0.1",
    accuracy=1e-5,
    output_motion_file="results/ik.mot",
)


class Solver:
    """Stands in for `solve_ik`: keeps what it was asked, returns poses and errors that are known."""

    def __init__(self) -> None:
        self.calls = 0
        self.bad: tuple[int, ...] = ()
        self.options = IkOptions()
        self.threads: int | None = None
        self.labels: tuple[str, ...] = ()

    def __call__(self, model, recording, options=None, *, threads=None, progress=None, **changes):
        self.calls += 1
        self.options, self.threads, self.labels = (
            options.changed(**changes),
            threads,
            recording.markers.labels,
        )
        for share in (0.0, 0.5, 1.0):
            progress(share)
        names = tuple(model.markers)
        error = np.full((FRAMES, len(names)), 0.002)
        error[:, names.index("foot0_r")] = 0.004
        error[7, names.index("trunk2")] = 0.030
        error[3, :5] = np.nan
        converged = np.ones(FRAMES, dtype=bool)
        converged[list(self.bad)] = False
        fit = MarkerFit(
            names=names,
            weights=np.ones(len(names)),
            error=error,
            objective=np.full(FRAMES, 4e-6),
            converged=converged,
            iterations=np.arange(FRAMES),
            prior=np.zeros(model.nv),
            undetermined=("ankle_l",),
        )
        motion = Motion(model, np.arange(FRAMES) / 100.0, standing(model, FRAMES), fit=fit, notes=("a note",))
        motion.__dict__["std"] = np.full((FRAMES, model.nv), 0.01)
        return motion


@pytest.fixture
def solver(monkeypatch) -> Solver:
    stand_in = Solver()
    module = ModuleType("softstride.kinematics.ik.solve")
    module.solve_ik = stand_in  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, module.__name__, module)
    return stand_in


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    model = walker("custom")
    save_model(model, tmp_path / "who.json")
    recorded(model, standing(model, FRAMES)).save(tmp_path / "walk.trc")
    (tmp_path / "tasks.xml").write_text(TASKS)
    (tmp_path / "setup.xml").write_text(SETUP)
    return tmp_path


def given(folder: Path, *names: str) -> list[str]:
    """Return options of the command, each with its file in the folder."""
    files = {"--model": "who.json", "--markers": "walk.trc", "--tasks": "tasks.xml", "--setup": "setup.xml"}
    files |= {"--out": "ik.mot", "--std-out": "std.sto", "--errors-out": "errors.sto"}
    return [word for name in names for word in (name, str(folder / files[name]))]


USUAL = ("--model", "--markers", "--out")


def test_the_figures(run, solver, folder):
    solver.bad = (4, 5, 9)
    done = run("ik", *given(folder, *USUAL), "--json")
    assert done.exit_code == 0
    figures = done.figures
    assert figures["frames"] == FRAMES and figures["frames_per_second"] > 0.0
    n = 22 * FRAMES - 5
    square = 4e-6 * (n - FRAMES - 1) + 16e-6 * FRAMES + 900e-6
    assert figures["marker_rms_mm"] == pytest.approx(1e3 * np.sqrt(square / n), rel=1e-9)
    assert figures["marker_max_mm"] == pytest.approx(30.0)
    assert (figures["worst_marker"], figures["worst_frame"], figures["worst_time_s"]) == ("trunk2", 7, 0.07)
    assert figures["objective_mean"] == pytest.approx(4e-6)
    assert (figures["converged"], figures["frames_converged"], figures["frames_not_converged"]) == (0, 17, 3)
    assert figures["iterations_mean"] == pytest.approx(9.5)
    assert figures["undetermined"] == ["ankle_l"] and figures["swaps"] == []
    assert "a note" in figures["notes"]
    assert figures["out"] == str(folder / "ik.mot")
    assert len(done.stdout.strip().splitlines()) == 1
    assert "3 of 20 frames did not converge: 4 to 5 (0.040 to 0.050 s), 9 (0.090 s)" in done.stderr


def test_the_tables(run, solver, folder):
    done = run("ik", *given(folder, *USUAL))
    assert done.exit_code == 0
    for words in (
        "30.00 mm, trunk2 in frame 7 (0.070 s)",
        "all frames, 9.5 steps each",
        "1 coordinates, by the markers",
        "- a note",
    ):
        assert words in done.words
    lines = done.stdout.splitlines()
    first = next(i for i, line in enumerate(lines) if line.startswith("marker ") and "rms [mm]" in line)
    assert lines[first + 1].split()[0] == "trunk2" and lines[first + 2].split()[0] == "foot0_r"
    rms = f"{np.sqrt((18 * 2.0**2 + 30.0**2) / 19):.2f}"
    assert lines[first + 1].split() == ["trunk2", "1", "95", "%", rms, "30.00", "0.070"]
    assert "the worst 10 of 22" in done.words and lines[first + 11 :][0] == ""
    assert done.stderr == ""


def test_frames_that_did_not_converge_are_said_loudly(run, solver, folder):
    solver.bad = (4,)
    done = run("ik", *given(folder, *USUAL))
    assert done.exit_code == 0
    assert "NOT in 1 of 20 frames" in done.words
    again = run("ik", *given(folder, *USUAL), "--quiet", "--overwrite")
    assert (again.exit_code, again.stdout) == (0, "")
    assert "1 of 20 frames did not converge: 4 (0.040 s)" in again.stderr


def test_quiet_prints_nothing_when_all_is_well(run, solver, folder):
    done = run("ik", *given(folder, *USUAL), "--quiet")
    assert (done.exit_code, done.stdout, done.stderr) == (0, "", "")
    assert (folder / "ik.mot").is_file()


def test_the_files(run, solver, folder):
    done = run("ik", *given(folder, *USUAL, "--std-out", "--errors-out"), "--json")
    assert done.exit_code == 0
    model = walker("custom")
    q = standing(model, FRAMES)
    motion, std, errors = (
        parse_storage((folder / name).read_bytes(), name) for name in ("ik.mot", "std.sto", "errors.sto")
    )
    assert motion.in_degrees is True and std.in_degrees is True
    assert set(motion.columns) == set(std.columns) == set(model.coordinate_names)
    knee, ty = motion.columns.index("knee_r"), motion.columns.index("ty")
    place = model.coordinate_names.index("knee_r")
    assert np.allclose(motion.values[:, knee], np.degrees(q[:, place]), atol=1e-9)
    assert np.allclose(std.values[:, std.columns.index("knee_r")], np.degrees(0.01), atol=1e-12)
    assert np.allclose(std.values[:, std.columns.index("ty")], 0.01, atol=1e-12)
    assert np.allclose(motion.values[:, ty], 0.95)
    assert errors.columns[:3] == ("total_squared_error", "marker_error_RMS", "marker_error_max")
    assert errors.values[7, 2] == pytest.approx(0.030)
    assert errors.values[0, 0] == pytest.approx(21 * 4e-6 + 16e-6)
    assert errors.values[0, 1] == pytest.approx(np.sqrt((21 * 4e-6 + 16e-6) / 22))
    assert errors.values[7, errors.columns.index("trunk2")] == pytest.approx(0.030)
    assert errors.values[3, 1] == pytest.approx(np.sqrt((16 * 4e-6 + 16e-6) / 17))  # of the markers seen
    assert np.isnan(errors.values[3]).sum() == 5 and np.isfinite(errors.values[:, :3]).all()
    assert done.figures["std_out"].endswith("std.sto") and done.figures["errors_out"].endswith("errors.sto")


def test_options_reach_the_solver(run, solver, folder):
    words = (
        "--time 0.052 0.1 --cutoff 12 --huber 20 --noise 1.5 --lock knee_r --lock tx --mend-swaps --threads 3"
    )
    done = run("ik", *given(folder, *USUAL), *words.split(), "--weight", "trunk0=4", "--weight", "foot0_l=0")
    assert done.exit_code == 0
    options = solver.options
    assert options.time_range == pytest.approx((0.05, 0.1), abs=1e-9)
    assert (options.cutoff, options.huber, options.noise) == (12.0, 0.02, 0.0015)
    assert (options.locked, options.mend_swaps, solver.threads) == (("knee_r", "tx"), True, 3)
    assert options.weights is not None and len(options.weights) == 22
    assert (options.weights["trunk0"], options.weights["foot0_l"], options.weights["trunk1"]) == (
        4.0,
        0.0,
        1.0,
    )


def test_without_options_nothing_is_changed(run, solver, folder):
    assert run("ik", *given(folder, *USUAL)).exit_code == 0
    asked, usual = solver.options, IkOptions()
    names = ("weights", "locked", "time_range", "cutoff", "huber", "noise", "mend_swaps", "prior", "limits")
    assert all(getattr(asked, name) == getattr(usual, name) for name in names)
    assert len(asked.goals) == 0 and solver.threads == 0


def test_tasks_and_weights_together(run, solver, folder):
    assert run("ik", *given(folder, *USUAL, "--tasks"), "--weight", "trunk1=9").exit_code == 0
    assert dict(solver.options.weights or {}) == {"trunk0": 2.0, "trunk1": 9.0}
    assert {name: (goal.weight, goal.value) for name, goal in solver.options.goals.items()} == {
        "knee_r": (5.0, 0.1)
    }


def test_a_setup_names_everything(run, solver, folder):
    done = run("ik", *given(folder, "--setup"), "--json")
    assert done.exit_code == 0
    assert (
        done.figures["out"] == str(folder / "results" / "ik.mot")
        and (folder / "results" / "ik.mot").is_file()
    )
    assert dict(solver.options.weights or {}) == {"trunk3": 4.0}
    assert solver.options.time_range == pytest.approx((0.05, 0.1), abs=1e-9)
    assert any("accuracy" in note for note in done.figures["notes"])


def test_what_is_given_replaces_the_setup(run, solver, folder):
    (folder / "walk.trc").rename(folder / "other.trc")
    (folder / "who.json").rename(folder / "other.json")
    files = ["--model", str(folder / "other.json"), "--markers", str(folder / "other.trc")]
    done = run("ik", *given(folder, "--setup", "--tasks", "--out"), *files, "--time", "0", "0.02", "--json")
    assert done.exit_code == 0
    assert done.figures["out"] == str(folder / "ik.mot") and not (folder / "results").exists()
    assert dict(solver.options.weights or {}) == {"trunk0": 2.0, "trunk1": 3.0}
    assert solver.options.time_range == pytest.approx((0.0, 0.02), abs=1e-9)


def test_tasks_take_their_values_from_the_file_that_the_setup_names(run, solver, folder):
    given_at = np.arange(-5, 30)
    table(folder / "given.mot", ["knee_r"], given_at / 100, given_at, degrees=True)
    named = "<coordinate_file>given.mot</coordinate_file><marker_file>"
    (folder / "setup.xml").write_text(SETUP.replace("<marker_file>", named))
    (folder / "tasks.xml").write_text(TASKS.replace("manual_value", "from_file"))
    assert run("ik", *given(folder, "--setup", "--tasks")).exit_code == 0
    assert np.allclose(solver.options.goals["knee_r"].value, np.radians(np.arange(FRAMES)), atol=1e-9)
    words = ["--out", str(folder / "given.mot"), "--overwrite"]
    assert "would replace the input" in run("ik", *given(folder, "--setup", "--tasks"), *words).stderr


def test_several_files_are_one_recording(run, solver, folder):
    table(folder / "emg.sto", ["soleus"], np.arange(FRAMES) / 100, np.arange(FRAMES), degrees=None)
    done = run("ik", *given(folder, *USUAL), str(folder / "emg.sto"), "--json")
    assert done.exit_code == 0 and solver.calls == 1
    assert run("ik", *given(folder, *USUAL), str(folder / "gone.sto"), "--overwrite").exit_code == 2


@pytest.mark.parametrize("option", ["--out", "--std-out", "--errors-out"])
def test_existing_files_stay_and_nothing_is_solved(run, solver, folder, option):
    words = given(folder, *USUAL, "--std-out", "--errors-out")
    path = Path(words[words.index(option) + 1])
    path.write_text("precious")
    done = run("ik", *words)
    assert (done.exit_code, solver.calls, path.read_text()) == (2, 0, "precious")
    assert option in done.stderr and "--overwrite" in done.stderr and len(done.stderr.splitlines()) == 1
    assert run("ik", *words, "--overwrite").exit_code == 0
    assert "precious" not in path.read_text()


def test_a_failed_solution_leaves_nothing(run, solver, folder, monkeypatch):
    def fail(*_: object, **__: object) -> None:
        raise InputError("no common markers")

    monkeypatch.setattr(sys.modules["softstride.kinematics.ik.solve"], "solve_ik", fail)
    before = sorted(path.name for path in folder.iterdir())
    done = run("ik", *given(folder, *USUAL, "--std-out", "--errors-out"))
    assert (done.exit_code, done.stderr) == (2, "softstride: no common markers\n")
    assert sorted(path.name for path in folder.iterdir()) == before


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (
            ["--markers", "walk.trc", "--out", "ik.mot"],
            "a model is needed: give it with --model or in --setup",
        ),
        (["--model", "who.json", "--out", "ik.mot"], "a recording is needed: give it with --markers"),
        (["--model", "who.json", "--markers", "walk.trc"], "--out"),
        (["--model", "who.json", "--markers", "gone.trc", "--out", "ik.mot"], "gone.trc"),
        (["--model", "gone.json", "--markers", "walk.trc", "--out", "ik.mot"], "gone.json"),
        (["--setup", "tasks.xml", "--out", "ik.mot"], "tasks.xml names none"),
        (["--setup", "gone.xml", "--out", "ik.mot"], "gone.xml"),
        (["--model", "who.json", "--markers", "walk.trc", "--out", "ik.txt"], "must end in .mot or .sto"),
        (
            ["--model", "who.json", "--markers", "walk.trc", "--out", "who.json/ik.mot"],
            "cannot make the folder",
        ),
        (["--setup", "setup.xml", "--out", "a.mot", "--std-out", "a.mot"], "would replace the file of --out"),
        (["--setup", "setup.xml", "--out", "folder.mot", "--overwrite"], "it is no file"),
        (
            ["--setup", "setup.xml", "--out", "a.mot", "--weight", "trunk0"],
            "--weight trunk0: must be NAME=NUMBER, such as",
        ),
        (["--setup", "setup.xml", "--out", "a.mot", "--weight", "nose=1"], "they have: trunk0"),
        (
            ["--setup", "setup.xml", "--out", "a.mot", "--weight", "trunk0=much"],
            "--weight of 'trunk0' must be a number of 0 or more, however it is 'much'",
        ),
        (
            ["--setup", "setup.xml", "--out", "a.mot", "--weight", "trunk0=-1"],
            "--weight of 'trunk0' must be a number of 0 or more, however it is -1",
        ),
        (["--setup", "setup.xml", "--out", "a.mot", "--time", "5", "6"], "outside the recording"),
        (["--setup", "setup.xml", "--out", "a.mot", "--time", "2", "1"], "a start and an end"),
        (["--setup", "setup.xml", "--out", "a.mot", "--huber", "0"], "huber"),
    ],
)
def test_requests_that_cannot_be(run, solver, folder, monkeypatch, words, message):
    monkeypatch.chdir(folder)
    (folder / "folder.mot").mkdir()
    done = run("ik", *words)
    assert (done.exit_code, solver.calls) == (2, 0)
    assert message in done.stderr and len(done.stderr.splitlines()) == 1


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--cutoff", "60"], "--cutoff must be below half the sampling rate, 50 Hz, however it is 60 Hz"),
        (["--lock", "tail"], "--lock: 'tail' is no coordinate; known: tilt, list, "),
    ],
)
def test_refusals_of_the_solver_itself(run, folder, words, message):
    done = run("ik", *given(folder, *USUAL), *words)
    assert done.exit_code == 2 and done.stderr.startswith(f"softstride: {message}")
    assert len(done.stderr.splitlines()) == 1 and not (folder / "ik.mot").exists()


def test_a_setup_whose_files_have_gone(run, solver, folder):
    (folder / "walk.trc").unlink()
    done = run("ik", *given(folder, "--setup"))
    assert done.exit_code == 2 and solver.calls == 0
    assert "walk.trc, which does not exist: give it with --markers" in done.stderr
    assert not (folder / "results").exists()


def test_a_folder_without_rights_is_refused_before_the_solution(run, solver, folder, monkeypatch):
    allowed = os.access
    monkeypatch.setattr(
        os, "access", lambda path, mode, **kind: mode != os.W_OK and allowed(path, mode, **kind)
    )
    done = run("ik", *given(folder, *USUAL))
    assert done.exit_code == 2 and "cannot be written to" in done.stderr and solver.calls == 0


def test_an_input_is_never_written_over(run, solver, folder):
    (folder / "walk.trc").rename(folder / "walk.sto")
    words = ["--markers", str(folder / "walk.sto"), "--out", str(folder / "." / "walk.sto"), "--overwrite"]
    done = run("ik", *given(folder, "--model"), *words)
    assert done.exit_code == 2 and "would replace the input" in done.stderr and solver.calls == 0


@pytest.mark.parametrize("quiet", [False, True])
def test_the_solver_moves_the_bar(run, solver, folder, monkeypatch, quiet):
    moved: list[object] = []

    @contextmanager
    def bar(title: str, *, quiet: bool = False):
        moved.append(quiet)
        yield moved.append

    monkeypatch.setattr("softstride.cli.progress.progress_bar", bar)
    assert run("ik", *given(folder, *USUAL), *(["--quiet"] if quiet else [])).exit_code == 0
    assert moved == [quiet, 0.0, 0.5, 1.0]


def test_the_bar_moves_on_a_terminal_only(monkeypatch, capsys):
    from softstride.cli.progress import progress_bar

    monkeypatch.setenv("TTY_COMPATIBLE", "1")
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.setenv("TERM", "xterm")
    with progress_bar("solving") as show:
        show(0.25)
    shown = capsys.readouterr()
    assert shown.out == "" and "solving" in shown.err
    with progress_bar("solving", quiet=True) as show:
        show(0.5)
    assert capsys.readouterr().err == ""
    monkeypatch.delenv("FORCE_COLOR")
    monkeypatch.setenv("TTY_COMPATIBLE", "0")
    with progress_bar("solving") as show:
        show(0.5)
    assert capsys.readouterr().err == ""


def test_the_whole_way_with_the_solver(run, folder):
    """Clean markers of known poses: the file holds the poses again, and the figures say so."""
    done = run("ik", *given(folder, *USUAL, "--std-out", "--errors-out"), "--noise", "1", "--json")
    assert done.exit_code == 0
    figures = done.figures
    assert (figures["frames"], figures["converged"], figures["undetermined"]) == (FRAMES, 1, [])
    assert figures["marker_max_mm"] < 1e-3
    model = walker("custom")
    motion, std = (parse_storage((folder / name).read_bytes(), name) for name in ("ik.mot", "std.sto"))
    q = standing(model, FRAMES)
    for i, name in enumerate(model.coordinate_names):
        unit = 1.0 if name in ("tx", "ty", "tz") else np.degrees(1.0)
        assert np.allclose(motion.values[:, motion.columns.index(name)], unit * q[:, i], atol=1e-4), name
    knee = std.values[:, std.columns.index("knee_r")]
    assert np.all((knee > 0.05) & (knee < 2.0))  # 1 mm on markers some 0.1 to 0.4 m from the axis, in degrees


def test_a_coordinate_that_does_not_exist(run, folder):
    done = run("ik", *given(folder, *USUAL), "--lock", "tail")
    assert done.exit_code == 2 and "'tail'" in done.stderr and "knee_r" in done.stderr
    assert not (folder / "ik.mot").exists()


@pytest.mark.slow
def test_a_published_setup_gives_what_opensim_gave(run, shared_data, tmp_path):
    """OpenSim weighs constraints with 20 there and stops at 1e-5: angles agree to 0.2 degrees, places to 1 mm."""
    trial = shared_data / "walk_gait2354"
    out, errors = tmp_path / "ik.mot", tmp_path / "errors.sto"
    files = ["--out", str(out), "--errors-out", str(errors), "--json"]
    done = run("ik", "--setup", str(trial / "subject01_Setup_IK.xml"), *files)
    assert done.exit_code == 0 and done.figures["converged"] == 1 and done.figures["frames"] == 73
    ours, theirs = (
        parse_storage(path.read_bytes(), path)
        for path in (out, trial / "reference" / "subject01_walk1_ik.mot")
    )
    assert np.allclose(ours.time, theirs.time, atol=1e-3)
    for name in theirs.columns:
        gap = np.abs(ours.values[:, ours.columns.index(name)] - theirs.values[:, theirs.columns.index(name)])
        assert gap.max() < (1e-3 if name in ("pelvis_tx", "pelvis_ty", "pelvis_tz") else 0.2), name

    osim = pytest.importorskip("opensim", reason="the peer that reads what we write")

    osim.Logger.setLevelString("off")
    for path, columns in ((out, 23), (errors, 3 + 31)):
        table = osim.TimeSeriesTable(str(path))
        assert (table.getNumRows(), table.getNumColumns()) == (73, columns)
