"""Parsed text files as recordings: where forces act, which columns are markers, in which units, on which clock."""

from pathlib import Path

import numpy as np
import pytest
from tests.files import document, element, objects

from softstride.capture.from_text import (
    recording_from_csv,
    recording_from_external_loads,
    recording_from_storage,
    recording_from_trc,
)
from softstride.capture.recording import Recording
from softstride.capture.text import StorageFile, TrcFile, parse_csv, parse_external_loads, parse_trc
from softstride.errors import CaptureError
from softstride.notes import codes, sentences

TIME = np.arange(4) / 100.0
PUSH = np.array([[0.0, 0.0, 0.0], [10.0, 700.0, 5.0], [10.0, 650.0, 5.0], [0.0, 0.0, 0.0]])  # [N]


def csv(names: str, *rows: str) -> Recording:
    return recording_from_csv(parse_csv("\n".join((names, *rows, "")).encode(), "x.csv"), Path("x.csv"))


def table(prefix: str, *, moment: bool = False) -> StorageFile:
    """A table with a force, no point and perhaps a torque."""
    columns = [f"{prefix}{axis}" for axis in "xyz"]
    values = PUSH
    if moment:
        columns += [f"{prefix.replace('force_v', 'torque_')}{axis}" for axis in "xyz"]
        values = np.concatenate([PUSH, PUSH / 100], axis=1)
    return StorageFile("grf", tuple(columns), TIME, values)


def test_a_force_without_a_point_acts_nobody_knows_where() -> None:
    recording = recording_from_storage(table("ground_force_v", moment=True), Path("grf.mot"))
    (force,) = recording.forces
    np.testing.assert_array_equal(force.force, PUSH)
    assert np.isnan(force.point).all()
    moment = force.wrench()[:, :3]
    assert np.isnan(moment[force.loaded]).all() and (moment[~force.loaded] == 0.0).all()
    assert any("ground_force has no columns of its point" in str(note) for note in recording.notes)


def test_notes_of_a_file_name_it() -> None:
    """A trial has several files, and each of them its own clock."""
    time = [round(k / 60.0, 3) for k in range(40)]
    recording = csv("time,ground_force_vx", *(f"{t},1" for t in time))
    (note,) = [note for note in recording.notes if note.code == "time.rounded"]
    assert str(note) == "file x.csv: time column rounded to 3 decimals; regular time at 60 Hz used"
    file = StorageFile(
        "grf", tuple(f"{p}{a}" for p in "fp" for a in "xyz"), TIME, np.tile(PUSH, 2), notes=("odd",)
    )
    force = element("ExternalForce", name="right", applied_to_body="calcn_r", force_identifier="f")
    xml = document(objects("ExternalLoads", force, datafile="grf.mot"))
    both = recording_from_external_loads(
        parse_external_loads(xml.encode(), "x.xml"), Path("x.xml"), lambda _: (Path("grf.mot"), file)
    )
    assert "file grf.mot: odd" in sentences(both.notes)


def loads(point: str) -> Recording:
    where = {"applied_to_body": "calcn_r", "point_expressed_in_body": "ground", "force_identifier": "f"}
    xml = document(
        objects("ExternalLoads", element("ExternalForce", point, name="right", **where), datafile="grf.mot")
    )
    file = StorageFile("grf", tuple(f"{p}{a}" for p in "fp" for a in "xyz"), TIME, np.tile(PUSH, 2))
    return recording_from_external_loads(
        parse_external_loads(xml.encode(), "x.xml"), Path("x.xml"), lambda _: (Path("grf.mot"), file)
    )


def test_an_external_force_without_a_point_acts_at_the_origin_of_its_body() -> None:
    """As in OpenSim 4.6, where the acceleration of a body under such a force does not depend on where the body is."""
    recording = loads("")
    (force,) = recording.forces
    assert (force.force_in, force.point_in, force.body) == ("ground", "calcn_r", "calcn_r")
    np.testing.assert_array_equal(force.point[force.loaded], 0.0)
    assert any("acts at the origin of calcn_r" in str(note) for note in recording.notes)
    named = loads("<point_identifier>p</point_identifier>")
    assert named.forces[0].point_in == "ground" and not named.notes
    np.testing.assert_array_equal(named.forces[0].point[1], PUSH[1])


@pytest.mark.parametrize(
    ("names", "labels"),
    [
        ("RASI_x,RASI_y,RASI_z,C7x,C7y,C7z", ("RASI", "C7")),
        ("frame,RASI:X [mm],RASI:Y [mm],RASI:Z [mm]", ("RASI",)),
        ("F_x (meters),F_y (meters),F_z (meters)", ("F",)),  # the unit says what it is
        ("M1x,M1y,M1z,M2x,M2y,M2z", ("M1", "M2")),
        ("R_Knee_M_x,R_Knee_M_y,R_Knee_M_z", ("R_Knee_M",)),
    ],
)
def test_triples_of_lengths_are_markers(names: str, labels: tuple[str, ...]) -> None:
    n = names.count(",") + 1
    recording = csv(f"time,{names}", *(",".join(["0.0", "0.1"][k : k + 1] + ["0.5"] * n) for k in range(2)))
    assert recording.markers.labels == labels and not recording.table


@pytest.mark.parametrize(
    ("names", "units"),
    [
        ("Fx [N],Fy [N],Fz [N]", "NNN"),
        ("hip_x (deg),hip_y (deg),hip_z (deg)", ("deg",) * 3),
        ("RASI_x (parsec),RASI_y (parsec),RASI_z (parsec)", ("parsec",) * 3),
        ("Fx,Fy,Fz", ("",) * 3),
        ("FP1_Fx,FP1_Fy,FP1_Fz", ("",) * 3),
        ("F1x,F1y,F1z,M1x,M1y,M1z", ("",) * 6),
        ("LHipAngles_X,LHipAngles_Y,LHipAngles_Z", ("",) * 3),
        ("acc_x,acc_y,acc_z,gyr_x,gyr_y,gyr_z", ("",) * 6),
        ("RGRF.x,RGRF.y,RGRF.z", ("",) * 3),
        ("a_x [mm],a_y [mm],a_z [mm],b_x [m],b_y [m],b_z [m]", ("mm",) * 3 + ("m",) * 3),
    ],
)
def test_other_triples_are_a_table_with_its_units(names: str, units: tuple[str, ...]) -> None:
    recording = csv(f"time,{names}", *(f"{t}" + ",1" * len(units) for t in (0.0, 0.1)))
    assert not recording.markers
    assert recording.table.units == tuple(units) and len(recording.table.labels) == len(units)
    assert "table.no-positions" in codes(recording.notes)


def test_markers_beside_what_is_none() -> None:
    recording = csv("time,C7x (mm),C7y (mm),C7z (mm),ax [g],ay [g],az [g]", "0,1,2,3,4,5,6", "1,1,2,3,4,5,6")
    np.testing.assert_allclose(recording.markers["C7"], [[0.001, 0.002, 0.003]] * 2)
    assert recording.table.labels == ("ax", "ay", "az") and recording.table.units == ("g",) * 3


def force_names(force: str, point: str, torque: str) -> str:
    parts = (("ground_force_v", force), ("ground_force_p", point), ("ground_torque_", torque))
    return ",".join(f"{name}{axis}{unit}" for name, unit in parts for axis in "xyz")


def test_units_of_forces_are_converted() -> None:
    """0.7 kN at 100 mm with 500 N·mm: 700 N at 0.1 m with 0.5 N·m."""
    row = ",0.01,0.7,0,100,0,200,0,500,0"
    recording = csv("time [s]," + force_names(" [kN]", " [mm]", " [Nmm]"), "0" + row, "1" + row)
    (force,) = recording.forces
    np.testing.assert_allclose(force.force[0], [10.0, 700.0, 0.0], rtol=1e-15)
    np.testing.assert_allclose(force.point[0], [0.1, 0.0, 0.2], rtol=1e-15)
    np.testing.assert_allclose(force.moment[0], [0.0, 0.5, 0.0], rtol=1e-15)
    assert not recording.table
    plain = csv("time," + force_names("", "", ""), "0" + row, "1" + row)
    np.testing.assert_array_equal(plain.forces[0].point[0], [100.0, 0.0, 200.0])


@pytest.mark.parametrize("unit", ["[%BW]", "[N/kg]"])
def test_forces_in_other_units_stay_a_table(unit: str) -> None:
    row = ",0.01,0.7,0,100,0,200,0,500,0"
    recording = csv("time," + force_names(unit, "", ""), "0" + row, "1" + row)
    assert not recording.forces and len(recording.table.labels) == 9
    assert any(unit.strip("[]") in str(note) and note.topic == "forces" for note in recording.notes)


def test_the_clock_of_a_table() -> None:
    """1/60 s printed with two decimals is regular; minutes are minutes; a clock that stands still is none."""
    rows = [f"{k / 60:.2f},1" for k in range(61)]
    recording = csv("time,a", *rows)
    np.testing.assert_allclose(recording.table.time, np.arange(61) / 60, atol=1e-12)
    assert any("rounded to 2 decimals" in str(note) for note in recording.notes)
    np.testing.assert_allclose(csv("time (min),a", "0,1", "0.5,1", "1,1").table.time, [0.0, 30.0, 60.0])
    np.testing.assert_allclose(csv("t (ms),a", "0,1", "5,1", "10,1").table.time, [0.0, 0.005, 0.01])
    backwards = csv("time,a", "0,1", "2,1", "1,1")
    assert "time.backwards" in codes(backwards.notes)
    unknown = csv("time (fortnight),a", "0,1", "2,1")
    np.testing.assert_array_equal(unknown.table["time"], [0.0, 2.0])
    assert any("'fortnight', which is not known" in str(note) for note in unknown.notes)


@pytest.mark.parametrize(
    ("rows", "problem"),
    [(("1,1", "1,2", "1,3"), "never advances"), (("0,1", ",2", "2,3"), "holds no time")],
)
def test_a_clock_that_cannot_be_read_is_an_error(rows: tuple[str, ...], problem: str) -> None:
    with pytest.raises(CaptureError, match=problem) as caught:
        csv("time,a", *rows)
    assert caught.value.path == "x.csv" and "time" in caught.value.field


def test_a_single_frame_says_that_its_rate_is_lost() -> None:
    head = "PathFileType\t4\t(X/Y/Z)\tx.trc\nDataRate\tCameraRate\tNumFrames\tNumMarkers\tUnits\n120\t120\t1\t1\tm\n"
    file = parse_trc((head + "Frame#\tTime\tC7\n\t\tX1\tY1\tZ1\n\n1\t0\t1\t2\t3\n").encode(), "x.trc")
    assert file.rate == 120.0
    recording = recording_from_trc(file, Path("x.trc"))
    assert np.isnan(recording.markers.rate)
    assert any("120 Hz" in str(note) for note in recording.notes)
    two = TrcFile(("C7",), TIME[:2], np.ones((2, 1, 3)), "m", 100.0)
    assert recording_from_trc(two, Path("x.trc")).notes == ()
