"""Every text file of the recordings: counts, first and last values, and other programs' readings of them."""

import numpy as np
import pytest

from softstride.capture.text import (
    find_force_columns,
    format_storage,
    format_trc,
    parse_anc,
    parse_csv,
    parse_external_loads,
    parse_storage,
    parse_trc,
    resolve_datafile,
)
from softstride.errors import CaptureError
from softstride.notes import sentences

# folder and file: frames, markers, unit, rate, first and last time, first coordinate of the first row (file units)
TRC = {
    "walk_gait2354/subject01_walk1.trc": (151, 41, "mm", 60, 0.0, 2.5, 617.24762),
    "walk_gait2354/subject01_static.trc": (300, 49, "mm", 60, 0.0, 299 / 60, 608.66431),
    "walk_rajagopal_emg/markers_walk.trc": (238, 41, "mm", 100, 0.0, 2.37, -652.63),
    "walk_rajagopal_emg/static_walk_1.trc": (287, 64, "mm", 100, 0.0, 2.86, 463.565),
    "run_overground_bmc/motion_capture_run.trc": (123, 78, "mm", 150, 0.0, 122 / 150, -29.96947),
    "run_hamner_s01/run200.trc": (233, 42, "m", 100, 0.2, 2.52, 1.02092),
    "run_hamner_s01/run500.trc": (186, 42, "m", 100, 0.55, 2.4, 0.930408),
    "walk_opencap_s4/walking1.trc": (131, 51, "m", 100, 0.0, 1.3, -0.297591),
    "walk_opencap_s4/static1.trc": (517, 55, "m", 100, 0.0, 5.16, -0.287359),
    "knee_gc5_ps/PS_ngait_og_ss1.trc": (132, 36, "mm", 120, 0.0, 131 / 120, 127.91978),
    "knee_gc5_ps/PS_ngait_og_ss11.trc": (132, 39, "mm", 120, 0.0, 131 / 120, 133.2354),
    "knee_gc5_ps/Static_for_scaling.trc": (697, 47, "mm", 120, 0.0, 5.8, 535.38849),
    "c3d_opensim_reference/std_walking2_markers.trc": (126, 44, "mm", 25, 0.0, 4.992, np.nan),
    "odd_text/dataWithBlanksForMissingMarkers.trc": (464, 40, "mm", 250, 0.0, 1.852, np.nan),
    "odd_text/dataWithEformat.trc": (5, 14, "m", 119.88012, 0.008342, 0.041708, -0.273),
    "odd_text/dataWithNaNsOfDifferentCases.trc": (5, 14, "mm", 250, 0.0, 0.016, 175.798014),
    "odd_text/exampleFormat.trc": (5, 3, "m", 100, 0.01, 0.05, np.nan),
}


LISTED = sorted({name.partition("/")[0] for name in TRC} | {"muscle_arm26", "planar_gait"})
"""Sets of which every text file is known here."""


def trc(folder, name):
    return parse_trc((folder / name).read_bytes(), name)


def storage(folder, name):
    return parse_storage((folder / name).read_bytes(), name)


@pytest.mark.parametrize("name", TRC)
def test_trc(shared_data, name):
    n, m, unit, rate, first, last, value = TRC[name]
    file = trc(shared_data, name)
    assert file.positions.shape == (n, m, 3) and len(file.labels) == m == len(set(file.labels))
    assert file.units == unit and file.rate == pytest.approx(rate, rel=1e-12)
    assert file.time[0] == pytest.approx(first, abs=1e-6) and file.time[-1] == pytest.approx(last, abs=1e-6)
    assert np.array_equal(file.positions[0, 0, 0], value, equal_nan=True)
    assert not np.isinf(file.positions).any()
    again = parse_trc(format_trc(file), name)
    assert np.array_equal(again.positions, file.positions, equal_nan=True) and again.labels == file.labels
    assert np.array_equal(again.time_column, file.time_column) and np.array_equal(again.time, file.time)


@pytest.mark.parametrize("ending", ["trc", "mot", "sto"])
def test_other_files_are_read_or_refused_in_words(shared_data, ending):
    """Sets come and grow: what is not listed is parsed or refused, and never a raw Python error."""
    parse = parse_trc if ending == "trc" else parse_storage
    for path in sorted(shared_data.rglob(f"*.{ending}")):
        if path.relative_to(shared_data).parts[0] in LISTED:
            continue
        refusal, file = None, None
        try:
            file = parse(path.read_bytes(), path)
        except CaptureError as error:
            refusal = error
        if file is None:
            assert path.name in str(refusal) and refusal.problem and refusal.fix
            continue
        assert np.all(np.diff(file.time) > 0.0)


CLEAN = [name for name in TRC if "odd_text" not in name]


@pytest.mark.parametrize("name", CLEAN)
def test_trc_against_genfromtxt(shared_data, name):
    """NumPy's own tolerant reader sees the same numbers, bit for bit; zeros and blanks are missing."""
    path = shared_data / name
    head = next(i for i, line in enumerate(path.read_text().splitlines()) if line.startswith("Frame#"))
    raw = np.genfromtxt(path, delimiter="\t", skip_header=head + 2, encoding="utf-8")
    file = trc(shared_data, name)
    points = raw[:, 2 : 2 + 3 * len(file.labels)].reshape(file.positions.shape)
    points[(points == 0).all(axis=2)] = np.nan
    assert np.array_equal(file.positions, points, equal_nan=True)
    assert np.array_equal(file.time_column, raw[:, 1]) and np.array_equal(file.frame_numbers, raw[:, 0])


def test_traps_of_trc(shared_data):
    assert (
        trc(shared_data, "walk_rajagopal_emg/markers_walk.trc").header["NumMarkers"] == "41"
    )  # doubled tabs
    run = trc(shared_data, "run_overground_bmc/motion_capture_run.trc")
    assert np.isnan(run.positions).all(axis=(0, 2)).sum() == 20
    walk = trc(shared_data, "walk_opencap_s4/walking1.trc")
    assert np.isnan(walk.positions[:, walk.labels.index("r_thigh5"), 0]).sum() == 121
    example = trc(shared_data, "odd_text/exampleFormat.trc")
    assert np.isnan(example.positions[0, 0]).all() and np.isnan(example.positions[2, 1]).all()
    assert np.isnan(example.positions).sum() == 6


def storage_files(folder):
    return sorted(
        file for name in LISTED for ending in ("mot", "sto") for file in (folder / name).rglob(f"*.{ending}")
    )


@pytest.mark.slow
def test_storage_against_genfromtxt_and_round_trip(shared_data):
    """All tables: NumPy's reader sees the same numbers, bit for bit, and so do we in what we write."""
    files = storage_files(shared_data)
    assert len(files) == 40
    for path in files:
        lines = path.read_text().splitlines()
        names = next(i for i, line in enumerate(lines) if line.strip().lower().startswith("time\t"))
        raw = np.genfromtxt(path, delimiter="\t", skip_header=names + 1, encoding="utf-8")
        file = parse_storage(path.read_bytes(), path)
        assert file.columns == tuple(cell.strip() for cell in lines[names].rstrip().split("\t")[1:])
        assert np.array_equal(file.values, raw[:, 1 : 1 + len(file.columns)], equal_nan=True), path
        assert np.array_equal(file.time_column, raw[:, 0])
        # Regular times stay within half of the last decimal that the column was rounded to (four at least).
        assert np.abs(file.time - file.time_column).max() <= 0.5e-4
        again = parse_storage(format_storage(file), path)
        assert np.array_equal(again.values, file.values, equal_nan=True) and again.columns == file.columns
        assert again.in_degrees is file.in_degrees and np.array_equal(again.time, file.time)
        assert format_storage(again) == format_storage(file)


def test_traps_of_storage(shared_data):
    coordinates = storage(shared_data, "walk_rajagopal_emg/reference/coordinates.sto")
    assert coordinates.values.shape == (1350, 31) and coordinates.in_degrees is False
    assert sentences(coordinates.notes) == ("header states nColumns 40, but the file holds 32",)
    forces = storage(shared_data, "walk_gait2354/subject01_walk1_grf.mot")
    assert forces.values.shape == (1501, 18)
    assert np.allclose(forces.time, np.arange(1501) / 600, atol=1e-12)  # 600 Hz, rounded to four decimals
    assert sentences(forces.notes) == ("time column rounded to 4 decimals; regular time at 600 Hz used",)
    assert storage(shared_data, "run_hamner_s01/reference/run200_ik.mot").in_degrees is False
    assert storage(shared_data, "muscle_arm26/arm26_InverseKinematics.mot").in_degrees is None
    assert storage(shared_data, "run_overground_bmc/grf_run.mot").name.endswith("grf_run.mot")


# Peak vertical forces in body weights, and masses, of the recordings' index; printed there to two decimals.
PEAKS = {
    "walk_gait2354/subject01_walk1_grf.mot": (72.6, (1.13, 1.14)),
    "walk_rajagopal_emg/grf_walk.mot": (85.27, (1.13, 1.11)),
    "run_overground_bmc/grf_run.mot": (70.0, (2.55, 2.36)),
    "run_hamner_s01/run200_grf.mot": (72.94, (2.24, 2.21)),
    "run_hamner_s01/run500_grf.mot": (72.94, (2.73, 2.68)),
    "walk_opencap_s4/walking1_grf.mot": (62.6, (1.20, 1.11)),
}


@pytest.mark.parametrize("name", PEAKS)
def test_peak_forces_by_column_names(shared_data, name):
    mass, expected = PEAKS[name]
    file = storage(shared_data, name)
    forces = find_force_columns(file.columns)
    peaks = [file.values[:, file.columns.index(force.force[1])].max() / (mass * 9.80665) for force in forces]
    assert sorted(peaks) == pytest.approx(sorted(expected), rel=0.01)
    assert all(force.point and force.torque for force in forces)


def test_external_loads(shared_data):
    found = {}
    for path in sorted(file for name in LISTED for file in (shared_data / name).rglob("*.xml")):
        if b"<ExternalLoads" not in path.read_bytes():
            with pytest.raises(CaptureError, match="ExternalLoads: there is no such element"):
                parse_external_loads(path.read_bytes(), path)
            continue
        loads = parse_external_loads(path.read_bytes(), path)
        table = resolve_datafile(path, loads.datafile)
        assert table.parent == path.parent
        columns = parse_storage(table.read_bytes(), table).columns
        by_name = {force.force[0]: force for force in find_force_columns(columns)}
        for entry in loads.entries:
            force = by_name[entry.force_id + "x"]
            assert force.point[0] == entry.point_id + "x" and force.torque[0] == entry.torque_id + "x"
            assert force.side in (None, "right" if entry.body.endswith("_r") else "left")
        found[path.name] = [entry.body for entry in loads.entries]
    assert len(found) == 6 and all(bodies == ["calcn_r", "calcn_l"] for bodies in found.values())


def test_anc(shared_data):
    file = parse_anc((shared_data / "walk_rajagopal_emg/emg_walk_raw.anc").read_bytes(), "emg")
    assert file.counts.shape == (4780, 28) and file.rate == 2000 and file.bits == 16 and file.notes == ()
    assert file.labels[0] == "F1X" and " ".join(file.labels[18:]) == "SOL GAS TA MH BF VL VM RF GMAX GMED"
    assert np.array_equal(file.counts, np.round(file.counts)) and file.time[-1] == 2.3895
    assert file.volts[0, 18] == -197 * 2.5 / 32768


TABLES = {
    "knee_gc5_ps/etibia_ss1.csv": (101, 4),
    "planar_gait/winter_normative/winter_natural.csv": (51, 23),
    "planar_gait/winter_table_a1/WinterTableA1.txt": (106, 18),
    "planar_gait/winter_table_a1/wn35b.txt": (106, 17),
    "planar_gait/invdyn2d_reference/rawdata.txt": (301, 16),
    "planar_gait/anthropometry/BSP_DempsterWinter.txt": (19, 6),
    "amputee_gait/transfemoral_kinematics.csv": (540, 105),
    "amputee_gait/transtibial_esr_biom_peaks.csv": (50, 84),
}


@pytest.mark.parametrize("name", TABLES)
def test_tables(shared_data, name):
    file = parse_csv((shared_data / name).read_bytes(), name)
    assert file.values.shape == TABLES[name] and not np.isinf(file.values).any()


def test_traps_of_tables(shared_data):
    raw = parse_csv((shared_data / "planar_gait/invdyn2d_reference/rawdata.txt").read_bytes(), "raw")
    assert raw.columns[0] == "TimeStamp" and np.isnan(raw.values).sum() == 22
    winter = parse_csv((shared_data / "planar_gait/winter_table_a1/wn35b.txt").read_bytes(), "wn35b")
    assert winter.columns[:2] == ("Time", "Mark01 X") and winter.units[:2] == ("s", "cm")
    people = parse_csv((shared_data / "amputee_gait/transfemoral_subject_info.csv").read_bytes(), "people")
    assert people.columns[:3] == ("Age", "Mass", "Height") and people.units[:3] == ("yrs", "kg", "m")
    assert people.text_columns["Subject Code"][0] == "TF01"
    with pytest.raises(CaptureError):
        parse_csv((shared_data / "walk_rajagopal_emg/README.txt").read_bytes(), "README.txt")
