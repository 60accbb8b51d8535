"""`softstride grf` and `softstride id` from files to files on a recorded walk: the estimate itself, and the picture."""

from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest
from tests.models import the_model

import softstride as ss
from softstride.cli.loads_figure import _coordinate, draw_loads
from softstride.model.roles import FLEXIONS

TARGETS = (13.0, 8.0, 25.0)
"""rRMSE [%] of this walk, x, y, z: means over its strikes are 10.5, 6.4 and 18.3."""


@pytest.fixture
def walk(shared_data):
    folder = shared_data / "walk_gait2354"
    return {
        "--model": str(folder / "subject01_simbody.osim"),
        "--motion": str(folder / "reference" / "subject01_walk1_ik.mot"),
        "--external-loads": str(folder / "subject01_walk1_grf.xml"),
    }


def words(options):
    return [word for pair in options.items() for word in pair]


@pytest.mark.slow
def test_a_recorded_walk_without_its_plates(run, walk, tmp_path):
    out = {"--out": str(tmp_path / "grf.mot"), "--figure": str(tmp_path / "grf.png")}
    done = run("grf", *words(walk | out), "--json")
    assert done.exit_code == 0, done.stderr
    found = done.figures
    errors = [found[f"rrmse_{axis}_percent"] for axis in "xyz"]
    assert (np.array(errors) < TARGETS).all()
    assert found["frames_converged"] == found["frames"] == 73
    assert found["friction_margin_n"] > -1e-8 * found["body_weight_n"]
    assert any(note.startswith("measured forces: ") for note in found["notes"])
    assert (tmp_path / "grf.png").read_bytes().startswith(b"\x89PNG")

    model = the_model(walk["--model"])
    motion = ss.read_motion(walk["--motion"], model)
    loads = ss.estimate_loads(model, motion)
    assert found["lowpass_hz"] == loads.lowpass
    back = ss.read(out["--out"]).forces
    for force, wrench in zip(back, loads.wrenches.values(), strict=True):
        np.testing.assert_allclose(force.force, wrench.force, atol=1e-6)


@pytest.mark.slow
def test_plates_somewhere_else_are_refused(run, walk, tmp_path):
    """The estimate never sees them, but what it is compared with must be this person's steps."""
    recording = ss.read(walk["--external-loads"])
    table = "subject01_walk1_grf.mot"
    moved = [replace(force, point=force.point + np.array([3.0, 0.0, 0.0])) for force in recording.forces]
    ss.write(recording.replace(forces=tuple(moved)), tmp_path / table, what="forces")
    done = run(
        "grf", *words(walk | {"--external-loads": str(tmp_path / table), "--out": str(tmp_path / "g.mot")})
    )
    assert done.exit_code == 2
    assert "nobody's foot" in done.stderr
    assert not (tmp_path / "g.mot").exists()


def test_the_picture_of_measured_loads(run, walk, tmp_path):
    out = {"--out": str(tmp_path / "id.sto"), "--figure": str(tmp_path / "id.svg"), "--lowpass": "6"}
    done = run("id", *words(walk | out), "--json")
    assert done.exit_code == 0, done.stderr
    assert done.figures["figure"] == out["--figure"]
    text = (tmp_path / "id.svg").read_text()
    assert "<svg" in text and not any("no bands" in note for note in done.figures["notes"])


@pytest.mark.slow
def test_a_picture_of_a_part_without_a_whole_stance(walk, tmp_path):
    model = the_model(walk["--model"])
    motion = ss.read_motion(walk["--motion"], model)
    loads = ss.estimate_loads(model, motion, time_range=(0.4, 0.6))
    draw_loads(loads, tmp_path / "part.png")
    assert (tmp_path / "part.png").stat().st_size > 10_000
    with pytest.raises(ss.SoftstrideError, match="exists already"):
        draw_loads(loads, tmp_path / "part.png")


@pytest.mark.parametrize(
    "names",
    [
        ("hip_adduction_r", "hip_flexion_l", "hip_flexion_r", "knee_angle_r", "knee_angle_r_beta"),
        (
            "right_hip_adduction",
            "left_hip_flexion",
            "right_hip_flexion",
            "right_knee_angle",
            "right_knee_angle_beta",
        ),
    ],
)
def test_moments_of_a_side_whatever_the_style_of_names(names):
    loads = SimpleNamespace(model=SimpleNamespace(coordinate_names=names))
    found = [_coordinate(loads, words, "right") for words in FLEXIONS.values()]
    assert found == [names[2], names[3], None]
