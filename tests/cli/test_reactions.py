"""`softstride reactions` reads OpenSim's files, solves, writes a whole file, and says what joints transmit."""

import numpy as np
import pytest
from tests.cli.test_id import given
from tests.files import element, objects, setup_of, table
from tests.models import walker
from tests.muscles.reactions.machines import cable, with_muscles
from tests.trials import N, pushed_walker

import softstride as ss
from softstride.capture import read
from softstride.capture.text import parse_storage
from softstride.kinematics import read_motion
from softstride.model.load import load_model, save_model

USUAL = ("--model", "--motion", "--external-loads")


@pytest.fixture
def folder(laboratory):
    model = with_muscles(
        walker("custom"),
        cable("quad", ("thigh_r", (0.05, 0.0, 0.0)), ("shank_r", (0.05, -0.05, 0.0))),
        cable("calf", ("thigh_l", (-0.03, -0.3, 0.0)), ("foot_l", (-0.05, 0.0, 0.0))),
    )
    save_model(model, laboratory / "who.json", overwrite=True)
    time = pushed_walker()[1].time
    pull = np.column_stack([200.0 + 50.0 * time, 300.0 - 20.0 * time, 0.0 * time])
    table(laboratory / "so_force.sto", ["quad", "calf", "knee_r_reserve"], time, pull)
    return laboratory


def solved(folder, with_forces=True, lowpass=None, **options):
    model = load_model(folder / "who.json")
    motion = read_motion(folder / "ik.mot", model)
    loads = ss.solve_id(model, motion, read(folder / "loads.xml"), lowpass=lowpass)
    forces = ss.read_forces(folder / "so_force.sto") if with_forces else None
    return ss.joint_reactions(model, motion, loads, forces, **options)


def command(folder, *more):
    return ["reactions", *given(folder, *USUAL), "--out", str(folder / "jr.sto"), *more]


def written(folder):
    return parse_storage((folder / "jr.sto").read_bytes(), "jr.sto")


def test_the_file(run, folder):
    done = run(*command(folder, "--forces", str(folder / "so_force.sto"), "--lowpass", "12"))
    assert done.exit_code == 0
    expected = solved(folder, lowpass=12.0)
    file = written(folder)
    assert file.columns == expected.columns
    np.testing.assert_array_equal(file.values, expected.table)


@pytest.mark.slow
def test_joints_axes_and_sides(run, folder):
    done = run(
        *command(folder, "--joint", "shank_r", "--joint", "foot_l", "--in", "ground", "--on", "parent")
    )
    assert done.exit_code == 0
    expected = solved(folder, with_forces=False, joints=["shank_r", "foot_l"], frame="ground", on="parent")
    file = written(folder)
    assert file.columns[0] == "shank_r_on_thigh_r_in_ground_fx" and len(file.columns) == 18
    np.testing.assert_array_equal(file.values, expected.table)


def test_the_figures(run, folder):
    done = run(*command(folder, "--forces", str(folder / "so_force.sto"), "--json"))
    assert done.exit_code == 0 and len(done.stdout.strip().splitlines()) == 1
    expected, figures = solved(folder), done.figures
    assert (figures["frames"], figures["frames_known"], figures["muscles"]) == (N, N, 2)
    assert figures["joints"] == list(expected.names) and figures["columns"] == list(expected.labels)
    assert figures["force_peaks_n"] == pytest.approx(expected.magnitude.max(axis=0))
    assert figures["force_peaks_bw"] == pytest.approx(expected.magnitude.max(axis=0) / expected.body_weight)
    assert figures["balance"] < 1e-10 and figures["out"] == str(folder / "jr.sto")
    assert any("knee_r_reserve" in note for note in figures["notes"])


def test_the_tables(run, folder):
    done = run(*command(folder, "--time", "0.1", "0.3"))
    assert done.exit_code == 0
    expected = solved(folder, with_forces=False)
    part = expected.magnitude[10:31, expected.index("shank_r")]
    lines = [line.split() for line in done.stdout.splitlines()]
    row = next(line for line in lines if line[:1] == ["shank_r"])
    assert row[1:4] == ["shank_r", "shank_r", f"{part.max():.2f}"]
    assert "21, 0.100 to 0.300 s" in done.words and "joints transmit all moments" in done.words
    assert "not known" not in done.words
    assert "Newton and Euler hold" in done.words
    assert run(*command(folder, "--quiet", "--overwrite")).stdout == ""


def test_what_is_refused(run, folder):
    assert "give --model, --motion, --out, or a --setup" in run("reactions").stderr
    done = run("reactions", *given(folder, "--model", "--motion"))
    assert done.exit_code == 2 and "are needed: give --out, or a --setup" in done.stderr
    done = run(*command(folder, "--forces", str(folder / "forces.mot")))
    assert done.exit_code == 2 and "none is a muscle of the model" in done.stderr
    done = run(*command(folder, "--joint", "tail"))
    assert done.exit_code == 2 and "'tail' is no joint" in done.stderr
    done = run(*command(folder, "--in", "moon"))
    assert done.exit_code == 2 and "--in must be" in done.stderr
    (folder / "jr.sto").write_text("")
    assert "exists already" in run(*command(folder)).stderr
    assert (
        "would replace the input"
        in run(
            *command(folder)[:-1], str(folder / "so_force.sto"), "--forces", str(folder / "so_force.sto")
        ).stderr
    )


def test_help_has_an_example(run):
    text = run("reactions", "--help").words
    assert (
        "softstride reactions --model subject.osim" in text and "--forces" in text and "so_force.sto" in text
    )


@pytest.mark.parametrize("name", ["reactions", "muscles"])
def test_loads_that_nothing_explains_are_warned_of(run, folder, name):
    """No plates: all of the weight is a residual."""
    target = "jr.sto" if name == "reactions" else "so"
    done = run(name, *given(folder, *USUAL[:2]), "--out", str(folder / target), "--quiet", "--overwrite")
    assert done.exit_code == 0 and done.stdout == ""
    assert f"{N} of {N} frames have a residual that is too large to believe" in done.stderr


def test_compartments_of_a_knee(run, folder):
    """Whichever joints and axes are asked for: the share of the axial force, in a table, in figures and in a file."""
    knees = [
        "--knee",
        "right",
        "--knee",
        "left",
        "--knee-width",
        "0.05",
        "--knee-out",
        str(folder / "knee.sto"),
    ]
    forces = ["--forces", str(folder / "so_force.sto")]
    done = run(*command(folder, *forces, *knees, "--in", "ground", "--joint", "foot_l", "--json"))
    assert done.exit_code == 0 and done.figures["joints"] == ["foot_l"]
    found = solved(folder)
    file = parse_storage((folder / "knee.sto").read_bytes(), "knee.sto")
    for side in ("right", "left"):
        expected = ss.knee_contact(found, found.model, side, width=0.05)
        for part in ("total", "medial", "lateral"):
            values = getattr(expected, part)
            assert done.figures[f"knee_{side}_contact_{part}_peak_n"] == pytest.approx(values.max())
            np.testing.assert_allclose(
                file.values[:, file.columns.index(f"knee_{side}_{part}")], values, rtol=1e-12
            )
        assert done.figures[f"knee_{side}_lift_off_frames"] == expected.lifts_off.any(axis=1).sum()
    net = run(*command(folder, *knees, "--overwrite", "--json")).figures
    assert {name.split("_")[2] for name in net if name.startswith("knee_") and name.endswith("_n")} == {"net"}
    shown = run(*command(folder, *forces, *knees, "--overwrite"))
    assert shown.exit_code == 0 and "Knees" in shown.words and "right medial" in shown.words


def test_what_is_refused_of_knees(run, folder):
    assert "--knee middle: must be right or left" in run(*command(folder, "--knee", "middle")).stderr
    assert "is given twice" in run(*command(folder, "--knee", "left", "--knee", "left")).stderr
    assert "give --knee right" in run(*command(folder, "--knee-width", "0.05")).stderr
    nowhere = run(*command(folder, "--knee", "left"))
    assert nowhere.exit_code == 2 and "Give --knee-width in metres" in nowhere.stderr
    assert "--knee-width must be" in run(*command(folder, "--knee", "left", "--knee-width", "-1")).stderr


SETUP = setup_of(
    "AnalyzeTool",
    objects(
        "AnalysisSet",
        element(
            "JointReaction",
            name="JR",
            forces_file="so_force.sto",
            joint_names="shank_r",
            apply_on_bodies="parent",
        ),
    ),
    name="walk",
    model_file="who.json",
    results_directory="results",
    initial_time=0.05,
    final_time=0.25,
    external_loads_file="loads.xml",
    coordinates_file="ik.mot",
    lowpass_cutoff_frequency_for_coordinates=12,
)


def test_a_setup(run, folder):
    """All of it from OpenSim's file, whose axes are those of the ground unless it says otherwise."""
    (folder / "setup.xml").write_text(SETUP)
    done = run("reactions", "--setup", str(folder / "setup.xml"), "--json")
    assert done.exit_code == 0
    assert done.figures["out"] == str(folder / "results/walk_JR_ReactionLoads.sto")
    whole = solved(folder, lowpass=12.0, joints=["shank_r"], frame="ground", on="parent")
    file = parse_storage((folder / "results/walk_JR_ReactionLoads.sto").read_bytes(), "jr.sto")
    part = (whole.time > 0.0499) & (whole.time < 0.2501)
    assert file.columns == whole.columns and len(file.time) == part.sum()
    np.testing.assert_allclose(file.values, whole.table[part], rtol=1e-9, atol=1e-9)
    other = run(
        "reactions", "--setup", str(folder / "setup.xml"), "--in", "child", "--on", "child", "--overwrite"
    )
    assert other.exit_code == 0 and "shank_r shank_r shank_r" in other.words
