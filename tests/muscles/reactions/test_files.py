"""Reactions as tables and files, and files of forces."""

import numpy as np
import pytest
from tests.files import table
from tests.models import the_model
from tests.trials import pushed_walker

import softstride as ss
from softstride.capture.text import parse_storage
from softstride.errors import CaptureError, InputError


@pytest.fixture(scope="module")
def found():
    model, motion, recording = pushed_walker()
    return ss.joint_reactions(model, motion, ss.solve_id(model, motion, recording))


def test_a_file_reads_back_bit_for_bit(found, tmp_path):
    path = tmp_path / "jr.sto"
    assert found.save(path) == ()
    file = parse_storage(path.read_bytes(), str(path))
    assert file.columns == found.columns and file.name == "Joint Reaction Loads"
    np.testing.assert_array_equal(file.values, found.table)
    np.testing.assert_array_equal(file.time, found.time)
    with pytest.raises(CaptureError, match="exists"):
        found.save(path)
    found.save(path, overwrite=True)
    with pytest.raises(CaptureError, match=r"not \.sto or \.mot"):
        found.save(tmp_path / "jr.csv")
    with pytest.raises(InputError, match="by its name"):
        found.save(3)


def test_opensim_reads_the_file(found, tmp_path):
    osim = pytest.importorskip("opensim", reason="the peer of these tests")
    found.save(tmp_path / "jr.sto")
    table = osim.TimeSeriesTable(str(tmp_path / "jr.sto"))
    assert tuple(table.getColumnLabels()) == found.columns
    np.testing.assert_array_equal(table.getMatrix().to_numpy(), found.table)


def test_tables(found):
    frame = found.to_dataframe()
    assert (
        frame.shape == found.table.shape
        and tuple(frame.columns) == found.columns
        and frame.index.name == "time"
    )
    data = found.to_xarray()
    assert data.force.dims == ("time", "joint", "axis") and data.force.attrs["units"] == "N"
    knee = data.sel(joint="shank_r")
    np.testing.assert_array_equal(knee.moment, found.joint("shank_r").moment)
    assert knee.on == "shank_r" and knee.expressed_in == "shank_r" and data.attrs["model"] == "walker"


def test_in_body_weights(found):
    assert found.body_weight == pytest.approx(found.model.mass * 9.80665)
    np.testing.assert_allclose(found.force_bw * found.body_weight, found.force)
    np.testing.assert_allclose(found.magnitude, np.sqrt((found.force**2).sum(axis=2)))
    assert repr(found) == "JointReactions('walker', 50 frames, 7 joints, no muscles)"


def test_forces_are_named_by_muscle_path_or_quantity(tmp_path):
    columns = ["/forceset/soleus_r", "vasti.tendon_force", "hip_reserve"]
    path = table(tmp_path / "f.sto", columns, [0, 1], [[1, 2, 3], [4, 5, 6]])
    file = ss.read_forces(path, ["soleus_r", "vasti"])
    assert file.names == ("soleus_r", "vasti", "hip_reserve")
    np.testing.assert_array_equal(file.force, [[1, 2, 3], [4, 5, 6]])
    with pytest.raises(CaptureError, match="none is a muscle of the model"):
        ss.read_forces(path, ["gluteus"])
    assert ss.read_forces(path).names[1] == "vasti"
    double = table(tmp_path / "d.sto", ["soleus_r", "/forceset/soleus_r"], [0], [[1, 2]])
    with pytest.raises(CaptureError, match="two are forces of 'soleus_r'"):
        ss.read_forces(double, ["soleus_r"])
    with pytest.raises(InputError, match="by its name"):
        ss.read_forces(None)


def test_the_published_forces_are_read(shared_data):
    model = the_model(shared_data / "knee_gc5_ps" / "GC5.osim")
    folder = shared_data / "knee_gc5_ps" / "reference"
    file = ss.read_forces(folder / "PS_ngait_og_ss1_StaticOptimization_force.sto", model.muscles)
    assert set(model.muscles) <= set(file.names) and file.force.shape == (132, 126)


def test_activations_are_not_taken_for_forces(tmp_path):
    path = table(tmp_path / "so_activation.sto", ["soleus_r"], [0, 1], [1, 0])
    with pytest.raises(CaptureError, match=r"holds activations, and forces are needed; give so_force\.sto"):
        ss.read_forces(path, ["soleus_r"])
