"""Muscle forces as files and labelled tables."""

import numpy as np
import pytest
from tests.muscles.sharing.made import NAMES, arm, at_rest, swing

import softstride as ss
from softstride.errors import CaptureError, InputError
from softstride.muscles import MuscleForces, read_muscles
from softstride.notes import codes, sentences


@pytest.fixture(scope="module")
def solved():
    model = arm(actuators=[("brake", 5.0, -0.02, 0.02, "upper")])
    motion, loads = at_rest(model)
    tau = np.array(loads.tau)
    tau[5] = np.nan
    return ss.solve_muscles(
        model, motion, ss.Loads(model, loads.time, tau), reserve={"fore": 2.0, "upper": 0.0}
    )


def test_there_and_back(tmp_path, solved):
    force, activation = solved.save(tmp_path / "so")
    assert force.name == "so_force.sto" and activation.name == "so_activation.sto"
    for base in ("so", "so_force.sto", "so_activation.sto"):
        again = read_muscles(tmp_path / base, solved.model)
        assert again.names == solved.names and np.array_equal(again.time, solved.time)
        assert np.array_equal(again.force, solved.force, equal_nan=True)
        assert np.array_equal(again.activation, solved.activation, equal_nan=True)
        assert again.actuators == ("brake",) and again.actuator_coordinates == ("upper",)
        assert np.array_equal(again.actuator_force, solved.actuator_force, equal_nan=True)
        assert np.array_equal(again.control, solved.control, equal_nan=True)
        assert again.coordinates == ("fore",) and again.reserve_size == pytest.approx([2.0])
        assert np.array_equal(again.reserve[:, 0], solved.reserve[:, 1], equal_nan=True)
        assert np.isnan(again.demand).all() and not again.converged.any()
        assert "converged" not in repr(again), "a file does not say it"
    assert "59 converged" in repr(solved)


def test_the_columns_are_those_of_opensim(tmp_path, solved):
    files = solved.save(tmp_path / "so")
    for file in files:
        lines = file.read_text().splitlines()
        end = lines.index("endheader")
        assert lines[end + 1].split("\t") == ["time", *NAMES, "brake", "fore_reserve"]
        assert "inDegrees=no" in lines[:end] and f"nRows={len(solved)}" in lines[:end]


def test_opensim_reads_ours(tmp_path, solved):
    osim = pytest.importorskip("opensim")
    osim.Logger.setLevelString("off")
    force, _ = solved.save(tmp_path / "so")
    table = osim.TimeSeriesTable(str(force))
    assert list(table.getColumnLabels()) == [*NAMES, "brake", "fore_reserve"]
    assert np.allclose(table.getMatrix().to_numpy()[:, :7], solved.force, equal_nan=True)


def test_existing_files_are_kept(tmp_path, solved):
    (tmp_path / "so_activation.sto").write_text("mine")
    with pytest.raises(CaptureError, match="exists already"):
        solved.save(tmp_path / "so")
    assert not (tmp_path / "so_force.sto").exists() and (tmp_path / "so_activation.sto").read_text() == "mine"
    solved.save(tmp_path / "so", overwrite=True)
    assert read_muscles(tmp_path / "so", solved.model).names == NAMES


def test_files_of_others(tmp_path, solved):
    """OpenSim reports external forces too, and may name columns by their path."""
    force, activation = solved.save(tmp_path / "so")
    text = force.read_text().replace("\tfront\t", "\t/forceset/front\t").replace("fore_reserve", "plate_1_Fx")
    force.write_text(text)
    activation.unlink()
    again = read_muscles(force, solved.model)
    assert again.names == NAMES and np.isnan(again.activation).all() and again.coordinates == ()
    assert codes(again.notes)[-2:] == ("forces.columns-left-out", "forces.no-activations")
    assert "plate_1_Fx" in again.notes[-2].names and "plate_1_Fx" in str(again.notes[-2])


def test_files_that_do_not_fit(tmp_path, solved):
    force, activation = solved.save(tmp_path / "so")
    with pytest.raises(CaptureError, match="none is a muscle"):
        read_muscles(force, solved.model.replace(muscles={}))
    rows = activation.read_text().splitlines()
    activation.write_text("\n".join(rows[:-3]) + "\n")
    with pytest.raises(CaptureError, match="frames are not those of so_force"):
        read_muscles(force, solved.model)
    with pytest.raises(InputError, match="given by a name"):
        read_muscles(7, solved.model)
    with pytest.raises(CaptureError, match="nothing_force"):
        read_muscles(tmp_path / "nothing", solved.model)


def test_labelled_tables(solved):
    data = solved.to_xarray()
    assert list(data.muscle.values) == list(NAMES) and list(data.coordinate.values) == ["upper", "fore"]
    assert np.array_equal(data.force.sel(muscle="inner"), solved.muscle("inner"), equal_nan=True)
    assert data.coordinate_unit.values.tolist() == ["N m", "N m"]
    assert data.attrs["notes"].split("\n") == list(sentences(solved.notes))
    frame = solved.to_dataframe()
    assert list(frame.columns) == list(NAMES) and frame.index.name == "time"
    assert np.array_equal(solved.to_dataframe("activation")["back"], solved.activation[:, 1], equal_nan=True)
    with pytest.raises(InputError, match="'force' or 'activation'"):
        solved.to_dataframe("stress")


def test_labelled_tables_go_into_files(solved, tmp_path):
    """netCDF knows texts, not lists of them, and no dimension without length."""
    xr = pytest.importorskip("xarray")
    model = arm()
    motion = swing(model)
    results = {"forces": solved, "loads": ss.solve_id(model, motion, lowpass=6.0)}
    results["plain"] = ss.solve_muscles(model, motion, results["loads"])
    results["reactions"] = ss.joint_reactions(model, motion, results["loads"], results["plain"])
    files = results["plain"].save(tmp_path / "so")
    files[1].unlink()
    results["read"] = read_muscles(files[0], model)
    assert all(result.notes for result in results.values())
    for name, result in results.items():
        data = result.to_xarray()
        data.to_netcdf(tmp_path / f"{name}.nc", engine="scipy")
        back = xr.load_dataset(tmp_path / f"{name}.nc", engine="scipy")
        assert back.attrs["notes"] == "\n".join(sentences(result.notes))
        assert set(back.data_vars) == set(data.data_vars)
    back = xr.load_dataset(tmp_path / "forces.nc", engine="scipy")
    assert np.array_equal(back.force.values, solved.force, equal_nan=True)


def test_a_result_cannot_be_changed_and_checks_its_shapes(solved):
    assert "7 muscles, 60 frames" in repr(solved) and len(solved) == 60
    with pytest.raises(ValueError, match="read-only"):
        solved.force[0, 0] = 1.0
    with pytest.raises(InputError, match="no muscle 'biceps' here"):
        solved.muscle("biceps")
    with pytest.raises(InputError, match="activation of muscle forces must have shape"):
        MuscleForces(solved.model, solved.time, solved.names, solved.force, solved.activation[:, :3])
    with pytest.raises(InputError, match="converged of muscle forces"):
        MuscleForces(
            solved.model,
            solved.time,
            solved.names,
            solved.force,
            solved.activation,
            converged=np.ones(3, dtype=bool),
        )
