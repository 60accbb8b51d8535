"""OpenSim reads what we write, number for number. Its objects die with their owners, so owners are kept."""

import numpy as np
import pytest
from tests.capture.text.trc_samples import STO

from softstride.capture.text import StorageFile, TrcFile, format_storage, format_trc, parse_storage, parse_trc

pytestmark = pytest.mark.slow  # importing OpenSim alone takes seconds


@pytest.fixture(scope="module")
def opensim():
    module = pytest.importorskip("opensim")
    module.Logger.setLevelString("Off")
    return module


def matrix_of(table):
    matrix = table.getMatrix()
    return np.array(matrix.to_numpy())


def vectors_of(table):
    flat = table.flatten()
    return matrix_of(flat)


def awkward_trc():
    points = (
        np.random.default_rng(5).normal(scale=1e3, size=(7, 3, 3)) * 10.0 ** np.arange(-6, 1)[:, None, None]
    )
    points[2, 1] = np.nan
    return TrcFile(("R.ASIS", "V_Sacral", "*52"), 0.1 + np.arange(7) / 60, points, "mm", 60.0)


def test_trc(opensim, tmp_path):
    file = awkward_trc()
    path = tmp_path / "a.trc"
    path.write_bytes(format_trc(file))
    table = opensim.TimeSeriesTableVec3(str(path))
    assert np.array_equal(vectors_of(table), file.positions.reshape(7, 9), equal_nan=True)
    assert np.array_equal(np.array(table.getIndependentColumn()), file.time)
    assert tuple(table.getColumnLabels()) == file.labels
    assert (
        float(table.getTableMetaDataString("DataRate")) == 60
        and table.getTableMetaDataString("Units") == "mm"
    )
    markers = opensim.MarkerData(str(path))
    assert (markers.getNumFrames(), markers.getNumMarkers(), markers.getDataRate()) == (7, 3, 60.0)
    frame = markers.getFrame(3)
    point = frame.getMarker(2)
    assert [point.get(i) for i in range(3)] == file.positions[3, 2].tolist()


def test_storage(opensim, tmp_path):
    file = parse_storage(STO.encode(), "x")
    path = tmp_path / "a.sto"
    path.write_bytes(format_storage(file))
    table = opensim.TimeSeriesTable(str(path))
    assert np.array_equal(matrix_of(table), file.values, equal_nan=True)
    assert np.array_equal(np.array(table.getIndependentColumn()), file.time)
    assert tuple(table.getColumnLabels()) == file.columns
    assert table.getTableMetaDataString("inDegrees") == "yes"


def test_old_storage_class(opensim, tmp_path):
    values = np.random.default_rng(6).normal(size=(20, 3)) * 1e3
    file = StorageFile(
        "grf", ("ground_force_vx", "ground_force_vy", "ground_force_vz"), np.arange(20) / 600, values, False
    )
    path = tmp_path / "a.mot"
    path.write_bytes(format_storage(file))
    storage = opensim.Storage(str(path))
    assert storage.getSize() == 20 and not storage.isInDegrees()
    row = storage.getStateVector(11)
    data = row.getData()
    assert row.getTime() == file.time[11] and [data.get(i) for i in range(3)] == values[11].tolist()


def test_vectors_both_ways(opensim, tmp_path):
    values = np.random.default_rng(7).normal(size=(5, 6))
    names = tuple(f"{letter}_{i}" for letter in "fp" for i in (1, 2, 3))
    path = tmp_path / "a.sto"
    path.write_bytes(format_storage(StorageFile("v", names, np.arange(5) / 8, values, vector_size=3)))
    table = opensim.TimeSeriesTableVec3(str(path))
    assert np.array_equal(vectors_of(table), values)
    opensim.STOFileAdapterVec3.write(table, str(tmp_path / "b.sto"))
    again = parse_storage((tmp_path / "b.sto").read_bytes(), "b")
    assert again.columns == names and again.vector_size == 3
    assert np.abs(again.values - values).max() < 1e-15 * 10  # OpenSim writes 16 digits of numbers below 10


def test_readers_agree_on_the_recordings(opensim, shared_data):
    """OpenSim's own reading of clean recordings equals ours."""
    for name in (
        "walk_gait2354/subject01_walk1.trc",
        "run_hamner_s01/run200.trc",
        "knee_gc5_ps/PS_ngait_og_ss1.trc",
    ):
        file = parse_trc((shared_data / name).read_bytes(), name)
        table = opensim.TimeSeriesTableVec3(str(shared_data / name))
        assert tuple(table.getColumnLabels()) == file.labels
        assert np.array_equal(vectors_of(table), file.positions.reshape(len(file.time), -1), equal_nan=True)
        assert np.array_equal(np.array(table.getIndependentColumn()), file.time_column)
    for name in (
        "walk_gait2354/subject01_walk1_grf.mot",
        "walk_rajagopal_emg/electromyography.sto",
        "run_overground_bmc/reference/ik_output_run.mot",
        "run_hamner_s01/run500_grf.mot",
    ):
        file = parse_storage((shared_data / name).read_bytes(), name)
        table = opensim.TimeSeriesTable(str(shared_data / name))
        assert tuple(table.getColumnLabels()) == file.columns
        assert np.array_equal(matrix_of(table), file.values)
        assert np.array_equal(np.array(table.getIndependentColumn()), file.time_column)
