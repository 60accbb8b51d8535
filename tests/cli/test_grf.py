"""`softstride grf` reads OpenSim's files, estimates, writes files that others read, and compares with plates.

The estimate itself is a stand-in here: what it is given and what becomes of its result are looked at.
"""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import typer
from tests.cli.conftest import Run
from tests.trials import N, pushed
from typer.testing import CliRunner

from softstride.capture import read
from softstride.cli import grf
from softstride.cli.app import _Command
from softstride.cli.grf_table import grf_figures
from softstride.dynamics import read_loads, solve_id
from softstride.dynamics.estimate.cutoff import choose_cutoff
from softstride.dynamics.ground import Ground
from softstride.dynamics.validation.validate import validate_loads
from softstride.kinematics import read_motion
from softstride.model import Model
from softstride.model.load import load_model, save_model

ERROR = np.array([3.0, 20.0, -5.0])  # N: of the stand-in


@pytest.fixture
def run() -> Callable[..., Run]:
    application = typer.Typer()
    application.callback()(lambda: None)
    application.command("grf", cls=_Command)(grf.command)

    def call(*arguments: str) -> Run:
        result = CliRunner().invoke(
            application, ["grf", *arguments], env={"COLUMNS": "200", "NO_COLOR": "1", "TERM": "dumb"}
        )
        if result.exception and not isinstance(result.exception, SystemExit):
            raise result.exception
        return Run(result.exit_code, result.stdout, result.stderr)

    return call


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> dict:
    """What the stand-in was asked for, and what it gave."""
    kept: dict = {}

    def estimate_loads(model, motion, options=None, *, threads=None, **changes):
        kept.update(changes=changes, threads=threads)
        same = {name: changes[name] for name in ("lowpass", "time_range") if name in changes}
        plates = pushed(model, motion)
        moved = tuple(
            replace(force, name=f"ground_{force.side}", force=force.force + ERROR) for force in plates.forces
        )
        loads = solve_id(model, motion, replace(plates, forces=moved), **same)
        n = len(loads)
        force = np.zeros((n, 4, 3))
        force[:, 0, 1] = 100.0
        force[:, 0, 0] = 0.8 * 100.0 * np.linspace(0.2, 0.6, n)  # of the cone
        ground = Ground(
            names=("heel_r", "toe_r", "heel_l", "toe_l"),
            foot=("right", "right", "left", "left"),
            place=np.zeros((n, 4, 3)),
            force=force,
            activation=np.ones((n, 4)),
            floor=-0.0123,
            belt=np.array([-1.25, 0.0, 0.0]),
            up=np.array([0.0, 1.0, 0.0]),
            friction=0.8,
            converged=np.arange(n) != 3,
            iterations=17,
        )
        loads = replace(loads, ground=ground)
        kept["loads"] = loads
        return loads

    monkeypatch.setattr("softstride.dynamics.estimate.estimate_loads", estimate_loads, raising=False)
    return kept


def given(folder: Path, *names: str) -> list[str]:
    files = {"--model": "who.json", "--motion": "ik.mot", "--out": "grf.mot", "--loads-out": "grf.xml"}
    files |= {"--id-out": "id.sto", "--external-loads": "plates.mot"}
    return [word for name in names for word in (name, str(folder / files[name]))]


USUAL = ("--model", "--motion", "--out")


def test_the_files_give_the_same_joint_loads(run, laboratory, asked):
    done = run(*given(laboratory, *USUAL, "--loads-out", "--id-out"), "--quiet")
    assert done.exit_code == 0 and done.stdout == ""
    loads = asked["loads"]
    model = load_model(laboratory / "who.json")
    motion = read_motion(laboratory / "ik.mot", model)
    again = solve_id(model, motion, read(laboratory / "grf.xml"))
    assert np.abs(again.tau - loads.tau).max() < 1e-9 * np.abs(loads.tau).max()
    assert np.array_equal(read_loads(laboratory / "id.sto", model).tau, loads.tau)


def test_options_reach_the_estimate(run, laboratory, asked):
    words = ["--friction", "0.5", "--facets", "8", "--lowpass", "12", "--floor", "-0.01", "--belt", "1.3"]
    words += ["--foot", "left=shank_l", "--foot", "right=foot_r"]
    done = run(*given(laboratory, *USUAL), *words, "--time", "0.1", "0.2", "--threads", "1", "--json")
    assert done.exit_code == 0 and asked["threads"] == 1
    assert asked["changes"] == {
        "friction": 0.5,
        "facets": 8,
        "lowpass": 12.0,
        "floor": -0.01,
        "belt": (-1.3, 0.0, 0.0),
        "links": {"left": "shank_l", "right": "foot_r"},
        "time_range": (0.1, 0.2),
    }
    assert done.figures["frames"] == 11
    run(*given(laboratory, *USUAL), "--overwrite", "--lowpass", "0", "--quiet")
    assert asked["changes"] == {"lowpass": None}
    run(*given(laboratory, *USUAL), "--overwrite", "--quiet")
    assert asked["changes"] == {}  # the estimate chooses


def test_what_was_decided_is_said(run, laboratory, asked):
    done = run(*given(laboratory, *USUAL, "--loads-out", "--id-out"))
    assert done.exit_code == 0
    for text in (
        "floor at -12.3 mm",
        "the ground moves at -1.250, 0.000, 0.000 m/s",
        "4 places that may touch",
        f"{100 * (N - 1) / N:.1f} % of the frames: 1 did not",
        "a foot uses 60 % of mu = 0.8 at most; no place is beyond its cone by more than 0 N",
        f"on trunk: {asked['loads'].residual_force_rms:.2f} N rms",
        "grf.xml",
        "id.sto",
    ):
        assert text in done.words, text
    peak = asked["loads"].wrenches["ground_right"].force[:, 1].max()
    assert f"ground_right foot_r {peak:.1f}" in done.words
    assert "too large to believe" in done.stderr


def test_figures(run, laboratory, asked):
    figures = run(*given(laboratory, *USUAL), "--json").figures
    assert (figures["floor_height_m"], figures["belt_m_s"]) == (-0.0123, [-1.25, 0.0, 0.0])
    assert figures["frames_converged"] == N - 1 and figures["friction_used"] == pytest.approx(0.6)
    assert figures["friction_margin_n"] == 0.0
    assert figures["residual_force_rms_n"] == pytest.approx(asked["loads"].residual_force_rms)
    assert (
        figures["out"] == str(laboratory / "grf.mot")
        and "rrmse_x_percent" not in figures
        and "id_out" not in figures
    )


def test_beside_measured_forces(run, laboratory, asked):
    words = given(laboratory, *USUAL, "--external-loads")
    figures = run(*words, "--json").figures
    model = load_model(laboratory / "who.json")
    motion = read_motion(laboratory / "ik.mot", model)
    measured = solve_id(
        model, motion, read(laboratory / "plates.mot"), lowpass=choose_cutoff(model, motion)[0]
    )
    expected = validate_loads(asked["loads"], measured)
    assert figures["strikes"] == len(expected) >= 2
    for i, axis in enumerate("xyz"):
        assert figures[f"rmse_{axis}_n"] == pytest.approx(abs(ERROR[i]), rel=1e-6)
        assert figures[f"rrmse_{axis}_percent"] == pytest.approx(expected.means["rrmse"][i])
        assert figures[f"error_floor_{axis}_percent"] == pytest.approx(expected.means["floor"][i])
    done = run(*words, "--overwrite")
    first = expected.strikes[0]
    assert f"{first.rrmse[0]:.1f} ({first.floor[0]:.1f})" in done.words
    assert f"times {expected.scale:.3f}, the mass that was measured" in done.words
    figures = run(*words, "--overwrite", "--json", "--mass", "130").figures
    assert figures["mass_scale"] == pytest.approx(2.0)


def test_links_of_measured_forces(run, laboratory, asked):
    done = run(*given(laboratory, *USUAL, "--external-loads"), "--body", "nothing", "--quiet")
    assert done.exit_code == 2 and "FORCE=LINK" in done.stderr
    name = read(laboratory / "plates.mot").forces[0].name
    done = run(*given(laboratory, *USUAL, "--external-loads"), "--body", f"{name}=shank_r", "--json")
    assert done.exit_code == 0 and done.figures["strikes"] >= 2  # a shank has the side of its foot


def test_a_foot_that_hardly_touches_is_not_loaded(run, laboratory, asked):
    """A program never gives exactly nothing: traces of force are no load."""
    run(*given(laboratory, *USUAL), "--quiet")
    loads = asked["loads"]
    wrench = loads.wrenches["ground_left"]
    force = np.array(wrench.force)
    force[:7], force[7:10] = [0.0, 1e-9, 0.0], [50.0, 19.0, 0.0]
    faint = replace(loads, wrenches={**loads.wrenches, "ground_left": replace(wrench, force=force)})
    figures = grf_figures(faint, 1.0)
    expected = {"ground_left": N - 10, "ground_right": N}
    assert dict(zip(figures["forces"], figures["frames_loaded"], strict=True)) == expected
    assert "above 20 N" in run(*given(laboratory, *USUAL), "--overwrite").words


def test_figures_name_their_units(run, laboratory, asked):
    """What is measured in something says in what; a height is not called like an error."""
    figures = run(*given(laboratory, *USUAL, "--external-loads"), "--json").figures
    for name in figures:
        stem = name.removeprefix("strike_")
        if stem.startswith("rmse"):
            assert name.endswith("_n")
        elif stem.startswith(("rrmse", "error_floor")):
            assert name.endswith("_percent")
        assert not stem.startswith("floor") or name == "floor_height_m"
    assert {"rmse_corrected_y_n", "error_floor_corrected_z_percent", "strike_rrmse_percent"} <= figures.keys()


def test_requests_about_forces_need_forces(run, laboratory, asked):
    for words in (["--mass", "70"], ["--mass", "-3"], ["--body", "foo=calcn_r"]):
        done = run(*given(laboratory, *USUAL), *words)
        assert done.exit_code == 2 and f"{words[0]} is about measured forces" in done.stderr
        assert "--external-loads" in done.stderr and len(done.stderr.splitlines()) == 1
    for mass in ("-3", "0", "nan", "inf"):
        done = run(*given(laboratory, *USUAL, "--external-loads"), "--mass", mass)
        assert done.exit_code == 2 and f"--mass {mass}: must be the mass of the person" in done.stderr
    assert not asked


def test_feet_that_make_no_sense(run, laboratory, asked):
    for words, told in (
        (["--foot", "calcn_r"], "must be SIDE=LINK, such as right=calcn_r"),
        (["--foot", "middle=calcn_r"], "must be SIDE=LINK"),
        (["--foot", "right=a", "--foot", "right=b"], "--foot right=b: right is named twice, with a before"),
    ):
        done = run(*given(laboratory, *USUAL), *words)
        assert done.exit_code == 2 and told in done.stderr and not asked
    done = run(*given(laboratory, *USUAL), "--facets", "3")
    assert (
        done.exit_code == 2 and "--facets must be a whole number of 4 or more, however it is 3" in done.stderr
    )


def test_errors_speak_of_the_command_line(run, laboratory):
    """The library's own errors, of the estimate itself."""
    model = load_model(laboratory / "who.json")
    renamed = [replace(link, name=link.name.replace("foot_r", "paddle")) for link in model.links]
    save_model(Model("nameless", tuple(renamed), model.gravity), laboratory / "other.json")
    words = ["--model", str(laboratory / "other.json"), *given(laboratory, "--motion", "--out")]
    done = run(*words)
    assert done.exit_code == 2 and "name it with --foot right=LINK; links are" in done.stderr
    assert "links=" not in done.stderr
    done = run(*words, "--foot", "right=paddel")
    assert done.exit_code == 2 and "--foot gives 'paddel' for the right foot" in done.stderr
    done = run(*words, "--foot", "right=paddle")
    assert (
        done.exit_code == 2
        and "the sole of" in done.stderr
        and "That needs Python: estimate_loads" in done.stderr
    )


def test_files_that_cannot_be_written_are_refused_first(run, laboratory, asked):
    cases = [
        (["--out", str(laboratory / "grf.csv")], "--out"),
        (
            ["--out", str(laboratory / "grf.mot"), "--loads-out", str(laboratory / "grf.txt")],
            "must end in .xml",
        ),
        (
            ["--out", str(laboratory / "grf.mot"), "--loads-out", str(laboratory / "a" / "grf.xml")],
            "in the folder of",
        ),
        (["--out", str(laboratory / "ik.mot")], "would replace the input"),
        (["--out", str(laboratory / "grf.mot"), "--id-out", str(laboratory / "grf.mot")], "--id-out"),
    ]
    for words, told in cases:
        done = run(*given(laboratory, "--model", "--motion"), *words)
        assert done.exit_code == 2 and told in done.stderr and len(done.stderr.splitlines()) == 1
    (laboratory / "grf.xml").write_text("precious")
    done = run(*given(laboratory, *USUAL, "--loads-out"))
    assert done.exit_code == 2 and "--overwrite" in done.stderr
    assert (laboratory / "grf.xml").read_text() == "precious" and not asked
    assert run(*given(laboratory, *USUAL, "--loads-out"), "--overwrite", "--quiet").exit_code == 0


def test_what_is_missing_is_named(run, laboratory, asked):
    done = run(*given(laboratory, "--model"))
    assert done.exit_code == 2 and "--motion, --out" in done.stderr


def test_help_has_an_example(run):
    assert "softstride grf --model subject.osim" in run("--help").words
