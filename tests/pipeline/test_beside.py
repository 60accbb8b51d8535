"""Files beside a trial are taken if names and contents leave no doubt, and else left alone."""

from pathlib import Path

import numpy as np
import pytest
from tests.files import setup_of

import softstride as ss
from softstride.pipeline.beside import (
    datafiles,
    model_beside,
    parts_beside,
    standing_beside,
    tasks_beside,
)

LOADS = setup_of("ExternalLoads", datafile="C:\\lab\\{}")
TASKS = setup_of("IKTaskSet")
LABELS = ("RASI", "LASI", "RPSI", "LPSI", "RKNE", "LKNE", "RHEE", "LHEE")


def lay(folder: Path, *names: str, text: str = "") -> None:
    for name in names:
        (folder / name).write_text(text)


def found(folder: Path, trial: str) -> list[str]:
    return [file.name for file in parts_beside(folder / trial)]


@pytest.mark.parametrize(
    ("trial", "forces"),
    [
        ("walk1.trc", "walk1_grf.mot"),
        ("markers_walk.trc", "grf_walk.mot"),
        ("motion_capture_run.trc", "grf_run.sto"),
        ("PS_ss1.trc", "PS_ss1_kinetics.mot"),
        ("S01 été 2.trc", "S01 été 2 forces.mot"),
        ("run500.trc", "run500_external_forces.mot"),
    ],
)
def test_forces_by_their_names(tmp_path: Path, trial: str, forces: str) -> None:
    lay(tmp_path, trial, forces, "walk2_grf.mot", "notes.txt", "walk1_ik.mot", "walk1_grf_estimated.mot")
    assert found(tmp_path, trial) == [forces]


def test_a_document_of_loads_comes_in_place_of_its_table(tmp_path: Path) -> None:
    lay(tmp_path, "walk.trc", "walk_grf.mot")
    lay(tmp_path, "grf_setup.xml", text=LOADS.format("walk_grf.mot"))
    assert found(tmp_path, "walk.trc") == ["grf_setup.xml"]
    lay(tmp_path, "walk_external_loads.xml", text=LOADS.format("elsewhere.mot"))
    assert found(tmp_path, "walk.trc") == ["walk_external_loads.xml"], "its own name is nearer"
    assert datafiles(tmp_path / "grf_setup.xml") == {"walk_grf.mot"}


def test_two_that_fit_are_none(tmp_path: Path) -> None:
    lay(tmp_path, "walk.trc", "walk_grf.mot", "walk_forces.mot")
    assert found(tmp_path, "walk.trc") == []


def test_emg_that_names_no_other_trial(tmp_path: Path) -> None:
    lay(tmp_path, "walk.trc", "electromyography.sto")
    assert found(tmp_path, "walk.trc") == ["electromyography.sto"]
    lay(tmp_path, "run_emg.sto")
    assert found(tmp_path, "walk.trc") == ["electromyography.sto"]
    lay(tmp_path, "walk_emg.sto")
    assert found(tmp_path, "walk.trc") == [], "which of two is not said"


def test_a_c3d_file_holds_its_own_forces(tmp_path: Path) -> None:
    lay(tmp_path, "walk.c3d", "walk_grf.mot")
    assert found(tmp_path, "walk.c3d") == []


def test_a_folder_that_cannot_be_listed_has_nothing(tmp_path: Path) -> None:
    assert parts_beside(tmp_path / "gone" / "walk.trc") == ()
    assert tasks_beside(tmp_path / "gone" / "walk.trc") is None


def test_weights_of_markers(tmp_path: Path) -> None:
    lay(tmp_path, "walk.trc")
    assert tasks_beside(tmp_path / "walk.trc") is None
    lay(tmp_path, "ik_tasks.xml", text=TASKS)
    lay(tmp_path, "scale.xml", text=TASKS.replace("<IKTaskSet", "<ScaleTool/><IKTaskSet"))
    assert tasks_beside(tmp_path / "walk.trc").name == "ik_tasks.xml", "those of scaling are for standing"
    lay(tmp_path, "ik_tasks_run.xml", text=TASKS)
    assert tasks_beside(tmp_path / "walk.trc") is None
    lay(tmp_path, "ik_tasks_walk.xml", text=TASKS)
    assert tasks_beside(tmp_path / "walk.trc").name == "ik_tasks_walk.xml"


# standing trials ------------------------------------------------------------------------------------------------------


def person(moving: bool, labels=LABELS, seed: int = 1) -> ss.Recording:
    time = np.arange(20) / 100.0
    places = np.random.default_rng(seed).uniform(0.0, 1.5, (len(labels), 3))
    values = np.tile(places, (20, 1, 1))
    if moving:
        values[:, :, 0] += time[:, None]
    return ss.Recording("p", markers=ss.Points(time, tuple(labels), values))


def write(folder: Path, **trials: ss.Recording) -> None:
    for name, trial in trials.items():
        ss.write(trial, folder / f"{name}.trc", overwrite=True)


def test_the_standing_trial_of_the_same_person(tmp_path: Path) -> None:
    walk = person(moving=True)
    others = tuple(f"M{i}" for i in range(8))
    write(tmp_path, S1_walk03=walk, S1_static=person(False), S2_static=person(False, others))
    assert standing_beside(tmp_path / "S1_walk03.trc", walk).name == "S1_static.trc"
    (tmp_path / "S1_static.trc").unlink()
    assert standing_beside(tmp_path / "S1_walk03.trc", walk) is None, "the other one has other markers"


def test_one_that_is_only_numbered_must_stand_still(tmp_path: Path) -> None:
    walk = person(moving=True)
    write(tmp_path, HC030A05=walk, HC030A04=person(moving=True), HC030A01=person(moving=False))
    assert standing_beside(tmp_path / "HC030A05.trc", walk).name == "HC030A01.trc"


def test_one_that_is_called_standing_and_walks_is_none(tmp_path: Path) -> None:
    walk = person(moving=True)
    write(tmp_path, walk=walk, static=person(moving=True))
    (tmp_path / "standing.trc").write_text("rubbish")
    assert standing_beside(tmp_path / "walk.trc", walk) is None
    assert standing_beside(tmp_path / "static.trc", walk) is None, "a standing trial has none of its own"


# models ---------------------------------------------------------------------------------------------------------------


def test_the_model_whose_markers_the_trial_has(tmp_path: Path, model, recording) -> None:
    trial = tmp_path / "walk.c3d"
    lay(tmp_path, "walk.c3d", "figures.json", "broken.osim", text="{}")
    assert model_beside(trial, recording.markers.labels) is None
    ss.save_model(model, tmp_path / "athlete.json")
    file, beside = model_beside(trial, recording.markers.labels)
    assert file.name == "athlete.json" and beside.nv == model.nv
    assert model_beside(trial, ("RASI", "LASI")) is None, "too few of its markers"
    ss.save_model(model, tmp_path / "athlete2.json")
    with pytest.raises(ss.InputError, match=r"athlete\.json, athlete2\.json: say which with --model"):
        model_beside(trial, recording.markers.labels)
