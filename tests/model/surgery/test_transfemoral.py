"""A cut through the thigh: what is lost, mass in balance, frames, blades refused; all models, both sides, files."""

from dataclasses import replace

import numpy as np
import pytest
from tests.model.surgery.legs import KNEE, leg
from tests.models import the_model

from softstride import engine
from softstride.errors import ModelError
from softstride.model import ModelBuilder, amputate, attach_blade, load_model, save_model
from softstride.model.formats.native import format_native
from softstride.model.residual_limb import cut_segment

MODELS = (
    "gait",
    "human",
    "knee_gc5_ps/GC5.osim",
    "planar_gait/moco_2d_walk/2D_gait.osim",
    "run_hamner_s01/final.osim",
    "run_overground_bmc/Rajagopal2015_scaled.osim",
    "walk_gait2354/gait2354_simbody.osim",
    "walk_gait2354/subject01_simbody.osim",
    "walk_rajagopal_emg/subject_walk_scaled.osim",
)
GONE = {"tibia", "talus", "calcn", "toes", "patella", "shank", "hindfoot", "midfoot", "forefoot"}


def load(name, shared_data):
    return the_model(name if "." not in name else shared_data / name)


@pytest.mark.parametrize("name", MODELS)
@pytest.mark.parametrize("side", ["right", "left"])
def test_thighs_of_published_models(shared_data, name, side):
    """Mass in balance by `cut_segment`, names of the links that go, frames on the line from hip to knee."""
    model = load(name, shared_data)
    letter = side[0]
    cut = amputate(model, side, below_hip=0.25)
    gone = set(model.link_names) - set(cut.link_names)
    assert {link.rsplit("_", 1)[0] for link in gone} <= GONE and all(
        link.endswith(f"_{letter}") for link in gone
    )
    assert len(gone) >= 4
    thigh = cut.frames[f"stump_{letter}"].link
    assert thigh == f"femur_{letter}"
    pose, shin = engine.poses(model, model.neutral(), [thigh, f"tibia_{letter}"])
    joint = model.link(thigh).offset
    hip = -joint[:3, :3].T @ joint[:3, 3]
    knee = np.linalg.solve(pose, shin)[:3, 3]
    offset = model.link(f"tibia_{letter}").offset
    knee = knee - np.linalg.solve(pose, shin)[:3, :3] @ offset[:3, :3].T @ offset[:3, 3]
    below = cut_segment(model.link(thigh).inertia, hip, knee, 0.25)[1]
    assert cut.mass + below.mass + sum(model.link(n).mass for n in gone) == pytest.approx(
        model.mass, rel=1e-12
    )
    axis = (knee - hip) / np.linalg.norm(knee - hip)
    stump, old, ground = (cut.frames[f"{n}_{letter}"] for n in ("stump", "stump_knee", "ground"))
    assert np.allclose(stump.position, hip + 0.25 * axis, atol=1e-12)
    assert np.allclose(old.position, knee, atol=1e-12)
    assert np.allclose(stump.rotation[:, 1], -axis, atol=1e-12)
    depth = float(axis @ (ground.position - hip))
    assert np.allclose(ground.position, hip + depth * axis, atol=1e-12)
    assert 1.9 < depth / np.linalg.norm(knee - hip) < 2.6  # thigh, shank and the height of the ankle
    M = engine.mass_matrix(cut, cut.neutral())
    scale = np.sqrt(np.diag(M))
    assert np.linalg.eigvalsh(M / scale / scale[:, None])[0] > 1e-8
    assert "stump of" in "\n".join(map(str, cut.notes)) and cut.summary()


def test_the_ground_is_under_the_standing_leg():
    """The packaged person stands on y = 0 with thighs 4 degrees from upright at most: within 5 mm."""
    cut = amputate(the_model("gait"), "left", below_hip=0.2)
    assert engine.positions(cut, cut.neutral(), ["ground_l"])[0, 1] == pytest.approx(0.0, abs=5e-3)


def test_no_blade_without_a_knee():
    cut = amputate(the_model("gait"), "right", below_hip=0.25)
    with pytest.raises(ModelError, match=r"cut above the knee.*prosthetic knee comes first.*stump_knee_r"):
        attach_blade(cut, "right", "c-medium")
    other = amputate(cut, "left", 0.15)  # the other leg may have one
    assert "blade_l" in attach_blade(other, "left", "c-medium").link_names


@pytest.mark.parametrize("distance", [-0.1, 0.0, 0.02, 0.38, 4.0])
def test_cuts_off_the_thigh_are_refused(distance):
    with pytest.raises(ModelError, match=r"below_hip must be between 0\.03 and 0\.370 m on 'femur_r'"):
        amputate(leg(), "right", below_hip=distance)


def test_what_cannot_be_cut_above_the_knee():
    with pytest.raises(ModelError, match="give below_knee or below_hip"):
        amputate(leg(), "right", 0.13, below_hip=0.2)
    cut = amputate(leg(), "right", below_hip=0.2)
    with pytest.raises(ModelError, match="cut already"):
        amputate(cut, "right", below_hip=0.1)
    with pytest.raises(ModelError, match="no thigh between 'tibia_r' and a hip: it hangs on 'femur_r'"):
        amputate(rootless(), "right", below_hip=0.1)
    model = leg()
    knee = replace(model.coordinates["knee_r"], default=-2.8)
    folded = model.replace(coordinates={**model.coordinates, "knee_r": knee})
    with pytest.raises(ModelError, match="folded up"):
        amputate(folded, "right", below_hip=0.2)


def rootless():
    b = ModelBuilder("stool")
    b.fixed("femur_r", mass=5.0)
    b.revolute("tibia_r", "femur_r", axis=(0, 0, 1), position=(0, -KNEE, 0), mass=3.0, com=(0, -0.2, 0))
    b.revolute("foot_r", "tibia_r", axis=(0, 0, 1), position=(0, -0.4, 0), mass=1.0)
    return b.build()


@pytest.mark.parametrize("cut", [{"below_knee": 0.13}, {"below_hip": 0.25}])
@pytest.mark.parametrize("surgery", ["myodesis", "myoplasty", "unattached"])
@pytest.mark.parametrize("name", ["gait", "run_hamner_s01/final.osim"])
def test_files_keep_the_operation(shared_data, tmp_path, name, surgery, cut):
    """Native files to the bit; .osim: muscles, points, ranges of wraps, Hill parameters, frames."""
    model = amputate(load(name, shared_data), "right", **cut, surgery=surgery)
    if "below_knee" in cut:
        model = attach_blade(model, "right", "c-medium")
    save_model(model, tmp_path / "m.json")
    assert format_native(load_model(tmp_path / "m.json")) == format_native(model)
    save_model(model, tmp_path / "m.osim")
    again = load_model(tmp_path / "m.osim")
    assert list(again.muscles) == list(model.muscles)
    assert set(model.frames) <= set(again.frames)
    for key, m in model.muscles.items():
        other = again.muscles[key]
        for field in ("max_force", "fibre_length", "tendon_length", "pennation", "max_velocity", "curves"):
            assert getattr(other, field) == getattr(m, field), (key, field)
        assert len(other.path.points) == len(m.path.points)
        assert [(w.surface, w.first or 0, w.last) for w in other.path.wraps] == [
            (w.surface, w.first or 0, w.last) for w in m.path.wraps
        ]
        for a, b in zip(m.path.points, other.path.points, strict=True):
            if hasattr(a, "position"):
                assert np.allclose(a.position, b.position, atol=1e-14)
