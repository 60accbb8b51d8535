"""`softstride chain` prints, draws, finds what is unknown, and refuses what cannot be."""

from pathlib import Path

import numpy as np
import pytest
from matplotlib.figure import Figure

from softstride.cli import chain_figure
from softstride.cli.chain_table import View
from softstride.planar.library import load_chain

PNG = b"\x89PNG\r\n\x1a\n"

STILL = """
[[links]]
name = "base"
length = 0.1
angle = 0.0
[[links]]
name = "rod"
joint = "hinge"
length = 1.0
mass = 2.0
com = [0.5, 0.0]
inertia = 0.1
angle = 0.0
"""


@pytest.mark.slow
def test_the_squat_with_its_wall_unknown(run, tmp_path: Path) -> None:
    done = run("chain", "squat", "--out", str(tmp_path / "new" / "folder"))
    assert done.exit_code == 0
    for word in (
        "ankle",
        "knee",
        "hip",
        "muscle:vasti",
        "contact:ground",
        "compression",
        "N·m",
        "required",
        "proximal",
    ):
        assert word in done.words
    assert (tmp_path / "new" / "folder" / "chain.png").read_bytes().startswith(PNG)


@pytest.mark.slow
def test_figures_for_programs(run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("os.linesep", "\r\n")  # as on Windows: a table is the same everywhere
    done = run("chain", "squat", "--find", "wall", "--csv", "--json", "--out", str(tmp_path))
    figures = done.figures
    assert figures["joints"] == ["ankle", "knee", "hip"] and figures["form"] == "proximal"
    assert figures["sum_error"] < 1e-12
    assert figures["force_residual_N"] < 1e-9 and figures["moment_residual_Nm"] < 1e-9
    force = np.array(figures["contributions_force_N"])
    assert force.shape == (3, len(figures["sources"]), 2)
    np.testing.assert_allclose(force.sum(axis=1), figures["reaction_N"], atol=1e-8)
    table = Path(figures["table"]).read_bytes()
    assert table.startswith(b"time,joint,source") and b"\r" not in table
    assert any("'wall' was found" in note for note in figures["notes"])


@pytest.mark.slow
def test_induced_effects(run, tmp_path: Path) -> None:
    done = run(
        "chain", "finger", "--induced", "--joint", "DIP", "--time", "0.4", "--out", str(tmp_path), "--json"
    )
    figures = done.figures
    assert figures["form"] == "induced" and figures["time_s"] == 0.4
    assert "residual" in figures["sources"] and not any("alpha" in label for label in figures["sources"])
    shown = run("chain", "finger", "--induced", "--joint", "DIP", "--out", str(tmp_path))
    assert "rad/s²" in shown.words and "DIP at" in shown.words and "PIP at" not in shown.words


@pytest.mark.slow
def test_the_spine_shows_some_of_its_joints(run, tmp_path: Path) -> None:
    done = run("chain", "spine", "--out", str(tmp_path))
    assert "S1-L5" in done.words and "C2-C1" in done.words and "L3-L2" not in done.words
    assert "others" in done.words


def test_an_svg_picture_is_the_same_each_time(run, tmp_path: Path) -> None:
    (tmp_path / "rod.toml").write_text(STILL)
    texts = []
    for name in ("a", "b"):
        assert run("chain", str(tmp_path / "rod.toml"), "--svg", "--out", str(tmp_path / name)).exit_code == 0
        texts.append((tmp_path / name / "chain.svg").read_text())
    assert "<svg" in texts[0] and texts[0] == texts[1]


def test_one_frame_from_a_file(run, tmp_path: Path) -> None:
    (tmp_path / "rod.toml").write_text(STILL)
    done = run("chain", str(tmp_path / "rod.toml"), "--out", str(tmp_path), "--json")
    assert done.exit_code == 0
    assert done.figures["required_torque_Nm"] == [pytest.approx(2.0 * 9.80665 * 0.5)]
    assert done.figures["time_s"] is None and done.figures["frames"] == 1
    shown = run("chain", str(tmp_path / "rod.toml"), "--out", str(tmp_path))
    assert "hinge" in shown.words and "no muscles" in shown.words


@pytest.mark.slow
def test_the_stance_leg_of_a_recording(run, tmp_path: Path, shared_data: Path) -> None:
    table = shared_data / "planar_gait" / "invdyn2d_reference" / "rawdata.txt"
    done = run("chain", "stance", "--table", str(table), "--out", str(tmp_path), "--json")
    assert done.figures["joints"] == ["hip", "knee", "ankle"]
    assert 600.0 < max(done.figures["largest_reaction_N"]) < 800.0


def test_equations(run, tmp_path: Path) -> None:
    pytest.importorskip("sympy")
    (tmp_path / "rod.toml").write_text(STILL)
    done = run("chain", str(tmp_path / "rod.toml"), "--equations")
    assert "tau_1 = I1*a1" in done.stdout and "phi_1x" in done.stdout
    figures = run("chain", str(tmp_path / "rod.toml"), "--equations", "--json").figures
    assert figures["n"] == 1 and "align" in figures["latex"]
    assert run("chain", "spine", "--equations").exit_code == 2


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("handstand",), "no packaged chain 'handstand'"),
        (("none.toml",), "cannot be read"),
        (("stance",), "--table"),
        (("squat", "--table", "x.txt"), "holds its own numbers"),
        (("squat", "--form", "distal"), "give --find wall, or --form proximal, or its force in the file"),
        (("squat", "--induced"), "however --induced needs it: give --find wall, or its force in the file"),
        (("squat", "--form", "middle"), "--form"),
        (("squat", "--find", "nose"), "'nose' is no contact"),
        (("squat", "--joint", "elbow"), "--joint elbow"),
        (("squat", "--time", "9"), "--time 9"),
    ],
)
def test_bad_requests(run, tmp_path: Path, arguments, words) -> None:
    done = run("chain", *arguments, "--out", str(tmp_path))
    assert done.exit_code == 2
    assert words in done.stderr


def test_a_folder_that_cannot_be_made(run, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    done = run("chain", "finger", "--out", str(tmp_path / "file" / "folder"))
    assert done.exit_code == 2 and "--out" in done.stderr


def test_a_broken_chain_names_its_file(run, tmp_path: Path) -> None:
    (tmp_path / "rod.toml").write_text(STILL.replace("length = 1.0", "length = 0.0"))
    done = run("chain", str(tmp_path / "rod.toml"), "--out", str(tmp_path / "out"))
    assert done.exit_code == 2 and "rod.toml: link 'rod': length must be above zero" in done.stderr
    assert not (tmp_path / "out").exists(), "nothing is computed or written"


def test_compression_and_shear_name_the_link_whose_axes_they_are_in() -> None:
    case = load_chain("squat")
    view = View.of(case, induced=False, joints=(), most=4, time=None)
    joint = case.chain.joints.index("knee")
    assert chain_figure._along(view, "compression", joint) == "along the thigh"
    assert chain_figure._along(view, "shear", joint) == "across the thigh"
    assert chain_figure._along(view, "torque given by", joint) == ""


def test_what_cannot_be_seen_is_not_in_the_legend() -> None:
    """Velocities of a slow squat are a thousandth of a panel: drawn, and not explained; muscles are."""
    view = View.of(load_chain("squat"), induced=False, joints=(), most=4, time=None)
    drawn = chain_figure.layers(view)
    assert "velocities" in {layer.label for layer in drawn}
    seen: set[str] = set()
    for joint in view.joints:
        for _, _, values, total, chosen in chain_figure._panels(view, drawn):
            seen |= chain_figure._stack(
                Figure().add_subplot(), view, values[:, joint], total[:, joint], chosen
            )
    assert {"vasti", "gastrocnemius", "ground", "weights"} <= seen and "velocities" not in seen
