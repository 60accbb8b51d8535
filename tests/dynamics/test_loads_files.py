"""Loads go to OpenSim's files under its names, and come back bit for bit."""

from dataclasses import replace

import numpy as np
import pytest
from tests.files import table
from tests.models import blade_runner, the_model, walker
from tests.trials import pushed_walker

from softstride.capture.text import parse_storage
from softstride.dynamics import Loads, read_loads, solve_id
from softstride.dynamics.loads_files import column_names
from softstride.errors import CaptureError, InputError
from softstride.notes import codes


@pytest.fixture(scope="module")
def loads():
    return solve_id(*pushed_walker())


def test_names_and_values(loads, tmp_path):
    assert loads.save(tmp_path / "id.sto") == ()
    file = parse_storage((tmp_path / "id.sto").read_bytes(), "id.sto")
    assert file.name == "Inverse Dynamics Generalized Forces" and file.in_degrees is False
    assert file.columns[:4] == ("tilt_moment", "list_moment", "heading_moment", "tx_force")
    assert "knee_r_moment" in file.columns and len(file.columns) == loads.model.nv
    assert np.array_equal(file.values, loads.tau) and np.array_equal(file.time, loads.time)


def test_there_and_back(loads, tmp_path):
    loads.save(tmp_path / "id.mot")
    again = read_loads(tmp_path / "id.mot", loads.model)
    assert np.array_equal(again.tau, loads.tau) and np.array_equal(again.time, loads.time)
    assert np.isnan(again.residual).all() and np.isnan(again.elastic).all()
    assert "loads-file.no-residual" in codes(again.notes)
    assert again.known.all()


def test_frames_that_are_not_known(tmp_path):
    model = walker("custom")
    tau = np.random.default_rng(0).normal(size=(4, model.nv))
    tau[1] = np.nan
    notes = Loads(model, np.arange(4.0), tau).save(tmp_path / "id.sto")
    assert any("nan in 1 of 4 frames" in str(note) for note in notes)
    again = read_loads(tmp_path / "id.sto", model)
    assert np.array_equal(again.tau, tau, equal_nan=True) and again.known.tolist() == [
        True,
        False,
        True,
        True,
    ]


def test_a_file_says_which_frames_are_not_to_be_believed(loads, tmp_path):
    doubtful = np.zeros(len(loads), dtype=bool)
    doubtful[3:7] = True
    replace(loads, doubtful=doubtful).save(tmp_path / "id.sto")
    head = parse_storage((tmp_path / "id.sto").read_bytes(), "id.sto").header["description"]
    assert f"Not to be believed, as the residual is too large: 4 of {len(loads)} frames, 3 to 6" in head
    replace(loads, doubtful=~doubtful & doubtful).save(tmp_path / "fine.sto")
    assert "believed" not in (tmp_path / "fine.sto").read_text()


def test_free_joints_and_rods(tmp_path):
    model = blade_runner()
    names = column_names(model)
    place = {name: i for i, name in enumerate(model.coordinate_names)}
    assert names[place["pelvis.rx"]] == "pelvis.rx_moment" and names[place["pelvis.ty"]] == "pelvis.ty_force"
    assert names[place["blade_r.1.ky"]] == "blade_r.1.ky_moment" and len(set(names)) == model.nv
    tau = np.random.default_rng(0).normal(size=(3, model.nv))
    notes = Loads(model, np.arange(3.0), tau).save(tmp_path / "id.sto")
    assert any("axes of the link" in str(note) and "pelvis.rx_moment" in str(note) for note in notes)
    assert any("strains of rods" in str(note) and "N m^2" in str(note) for note in notes)
    assert np.array_equal(read_loads(tmp_path / "id.sto", model).tau, tau)


def written(path, columns):
    values = np.arange(len(columns)) + np.arange(2)[:, None]
    return table(path, columns, [0, 1], values)


def test_other_columns_are_left_out_and_missing_ones_are_nan(tmp_path):
    model = walker("custom")
    names = [name for name in column_names(model) if name != "ty_force"]
    read = read_loads(written(tmp_path / "id.sto", ["knee_r_beta_force", *names]), model)
    assert read.coordinate("tilt").tolist() == [1.0, 2.0] and np.isnan(read.coordinate("ty")).all()
    assert read.known.all()
    assert any("left out" in str(note) and "knee_r_beta_force" in str(note) for note in read.notes)
    assert any("ty_force" in str(note) and "NaN" in str(note) for note in read.notes)


def test_files_that_are_no_loads_of_the_model(tmp_path):
    model = walker("custom")
    with pytest.raises(
        CaptureError, match=r"none is a load of 'walker'; the file has hip_moment.*tilt_moment"
    ):
        read_loads(written(tmp_path / "a.sto", ["hip_moment"]), model)
    with pytest.raises(CaptureError, match="'knee_r_moment' and 'knee_r_force' are both loads of 'knee_r'"):
        read_loads(written(tmp_path / "b.sto", ["knee_r_moment", "knee_r_force"]), model)
    with pytest.raises(CaptureError, match=r"none is a load"):
        read_loads(written(tmp_path / "c.sto", ["knee_r"]), model)  # a coordinate, not its load


def test_files_of_other_kinds(loads, tmp_path):
    with pytest.raises(CaptureError, match=r"\.txt is not \.sto or \.mot"):
        loads.save(tmp_path / "id.txt")
    with pytest.raises(InputError, match="by its name"):
        loads.save(3)
    loads.save(tmp_path / "id.sto")
    with pytest.raises(CaptureError, match="exist"):
        loads.save(tmp_path / "id.sto")
    loads.save(tmp_path / "id.sto", overwrite=True)


def test_a_file_of_opensim(shared_data):
    folder = shared_data / "walk_gait2354"
    model = the_model(folder / "subject01_simbody.osim")
    read = read_loads(folder / "reference" / "inverse_dynamics.sto", model)
    assert np.isfinite(read.tau).all()
    file = parse_storage((folder / "reference" / "inverse_dynamics.sto").read_bytes(), "x")
    assert set(file.columns) == set(column_names(model))
    assert np.array_equal(read.coordinate("pelvis_ty"), file.values[:, file.columns.index("pelvis_ty_force")])
