"""The files of a study: what OpenSim and spreadsheets get is what the study holds, in their units."""

import json
import os
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import softstride as ss
from softstride.pipeline.results import FIGURES, TABLES, write_results

EXPECTED = {
    *("running.study.nc", "running_ik.mot", "running_id.sto", "running_id_estimated.sto", "model.json"),
    *("running_grf_estimated.mot", "running_grf_estimated.xml", "running_reactions.sto", FIGURES, TABLES),
    *("running_muscles_force.sto", "running_muscles_activation.sto"),
}


@pytest.fixture(scope="module")
def folder(study, tmp_path_factory) -> Path:
    """The files as Windows writes them, where lines end otherwise."""
    folder = tmp_path_factory.mktemp("results")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(os, "linesep", "\r\n")
        write_results(study, folder, "abc")
    return folder


def csv(folder: Path, name: str) -> pd.DataFrame:
    return pd.read_csv(folder / TABLES / f"{name}.csv", index_col=0)


def test_all_files_are_there(folder: Path) -> None:
    assert {file.name for file in folder.iterdir()} == EXPECTED


def test_files_are_the_same_on_every_system(folder: Path) -> None:
    texts = [file for file in folder.rglob("*") if file.suffix in (".csv", ".json", ".mot", ".sto", ".xml")]
    assert len(texts) > len(EXPECTED) - 2
    assert [file.name for file in texts if b"\r" in file.read_bytes()] == []


def test_spreadsheets_have_units_in_their_headings(study, folder: Path) -> None:
    angles = csv(folder, "coordinates")
    assert angles.index.name == "time_s" and {"knee_angle_r_deg", "pelvis_tx_m"} <= set(angles.columns)
    column = list(study.model.coordinate_names).index("knee_angle_r")
    np.testing.assert_allclose(angles["knee_angle_r_deg"], np.degrees(study.motion.q[:, column]), rtol=1e-7)
    moments = csv(folder, "joint_loads_measured")
    np.testing.assert_allclose(moments["knee_angle_r_Nm"], study.measured.tau[:, column], rtol=1e-7)
    ground = csv(folder, "ground_reaction_estimated")
    force = study.estimated.wrenches["ground_right"].force[:, 1]
    np.testing.assert_allclose(ground["ground_right_force_y_N"], force, rtol=1e-7, atol=1e-9)
    knee = csv(folder, "knee_left_contact_N")
    np.testing.assert_allclose(knee["medial"], study.knees["left"].medial, rtol=1e-7, atol=1e-9)


def test_spreadsheets_of_everything(study, folder: Path) -> None:
    names = {file.stem for file in (folder / TABLES).iterdir()}
    assert names == {
        *("coordinates", "joint_loads_measured", "joint_loads_estimated", "strikes", "blade_r_force"),
        *("joint_loads_measured_std", "joint_loads_estimated_std", "emg_envelopes", "emg_muscle_forces_N"),
        *("ground_reaction_measured", "ground_reaction_estimated", "muscle_forces_N", "activations"),
        *("joint_reactions", "knee_right_contact_N", "knee_left_contact_N"),
    }


def test_opensims_files_read_back(study, folder: Path) -> None:
    motion = ss.read_motion(folder / "running_ik.mot", study.model)
    np.testing.assert_allclose(motion.q, study.motion.q, atol=1e-6)
    again = ss.load_model(folder / "model.json")
    assert again.nv == study.model.nv and set(again.muscles) == set(study.model.muscles)
    forces = ss.read(folder / "running_grf_estimated.xml").forces
    assert len(forces) == 2


def test_figures_for_programs(study, folder: Path) -> None:
    known = json.loads((folder / FIGURES).read_text(encoding="utf-8"))
    assert known["digest"] == "abc" and known["figures"] == dict(study.figures)
    assert [stage["name"] for stage in known["stages"]] == [stage.name for stage in study.stages]


def test_a_study_of_the_motion_alone(study, tmp_path: Path) -> None:
    bare = ss.Study("walk", study.recording, study.model, study.motion)
    write_results(bare, tmp_path)
    assert {file.name for file in tmp_path.iterdir()} == {
        *("walk.study.nc", "walk_ik.mot", "model.json", FIGURES, TABLES)
    }
