"""Paths as a result: constant, in labelled tables, and in the files of OpenSim's MuscleAnalysis."""

from dataclasses import replace

import numpy as np
import pytest
from tests.muscles.sharing.made import NAMES, arm, swing

import softstride as ss
from softstride.capture.text import parse_storage
from softstride.errors import CaptureError, InputError
from softstride.muscles import MusclePaths


@pytest.fixture(scope="module")
def motion():
    return swing(arm(base=True))


@pytest.fixture(scope="module")
def found(motion):
    return ss.muscle_paths(motion.model, motion.q, np.zeros((len(motion.time), motion.model.nv)))


def test_nobody_changes_a_result(found):
    for array in (found.length, found.arms, found.speed):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 0.0
    mine = np.ones((3, 1))
    made = MusclePaths(("m",), mine, np.ones((3, 1, 2)), None)
    mine[0] = 5.0
    assert made.length[0, 0] == 1.0
    one = ss.muscle_paths(arm(), arm().neutral())
    assert one.length.shape == (7,) and not one.length.flags.writeable and not one.arms.flags.writeable


@pytest.mark.slow
def test_labelled_tables(found, motion, tmp_path):
    xr = pytest.importorskip("xarray")
    data = found.to_xarray()
    assert data.arm.dims == ("frame", "muscle", "coordinate") and list(data.muscle.values) == list(NAMES)
    j = motion.model.coordinate_names.index("fore")
    assert np.array_equal(data.arm.sel(coordinate="fore", muscle="inner"), found.arms[:, 2, j])
    data.to_netcdf(tmp_path / "paths.nc", engine="scipy")
    assert np.array_equal(xr.load_dataset(tmp_path / "paths.nc", engine="scipy").length, found.length)
    assert np.array_equal(found.to_dataframe()["back"], found.length[:, 1])
    assert np.array_equal(found.to_dataframe("fore")["inner"], found.arms[:, 2, j])
    assert np.array_equal(found.to_dataframe("speed"), found.speed)
    one = ss.muscle_paths(motion.model, motion.q[0])
    assert one.to_dataframe().shape == (1, 7) and one.to_xarray().length.dims == ("muscle",)
    with pytest.raises(InputError, match=r"holds one of 'length', .*, not 'speed'"):
        one.to_dataframe("speed")


def test_files_as_of_opensims_muscle_analysis(found, motion, tmp_path):
    files = found.save(tmp_path / "swing", motion.time)
    assert [file.name for file in files] == [
        "swing_Length.sto",
        "swing_MomentArm_upper.sto",
        "swing_MomentArm_fore.sto",
    ], "a file for each coordinate that moves a path; the base moves none"
    table = parse_storage(files[2].read_bytes(), "arms")
    assert table.columns == NAMES and np.array_equal(table.time, motion.time)
    assert np.array_equal(table.values, found.arms[:, :, motion.model.coordinate_names.index("fore")])
    with pytest.raises(CaptureError, match="exists already"):
        found.save(tmp_path / "swing", motion.time)
    found.save(tmp_path / "swing", motion.time, overwrite=True)
    with pytest.raises(InputError):
        found.save(tmp_path / "other", motion.time[:5])
    with pytest.raises(InputError, match="given by a name"):
        found.save(7, motion.time)


def test_no_coordinate_leads_out_of_the_folder(found, motion, tmp_path):
    folder = tmp_path / "out"
    folder.mkdir()
    coordinates = tuple(f"../../{name}" for name in found.coordinates)
    replace(found, coordinates=coordinates).save(folder / "arm", motion.time)
    assert [file.name for file in tmp_path.iterdir()] == ["out"]
    assert (folder / "arm_MomentArm_.._.._fore.sto").is_file()
