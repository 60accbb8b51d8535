"""Plates of real files: published peaks, OpenSim's conversion, ezc3d's own computation."""

from pathlib import Path

import numpy as np
import pytest

from softstride.capture.c3d import decode_c3d
from softstride.capture.force import Plate
from softstride.capture.plates import plate_force, read_plates


def load(path: Path, **options: object) -> tuple[tuple[Plate, ...], tuple[str, ...]]:
    return read_plates(decode_c3d(path.read_bytes(), str(path)), **options)  # type: ignore[arg-type]


def peaks(plates: tuple[Plate, ...]) -> list[float]:
    return [float((plate.wrench[:, 3:] @ plate.normal).max()) for plate in plates]


PEAKS = {
    "c3d_formats/sample01/Eb015pi.c3d": [839, 836],
    "c3d_formats/sample01/Eb015pr.c3d": [839, 836],
    "c3d_formats/sample01/Eb015vi.c3d": [839, 836],
    "c3d_formats/sample01/Eb015vr.c3d": [839, 836],
    "c3d_formats/sample01/Eb015si.c3d": [839, 836],
    "c3d_formats/sample01/Eb015sr.c3d": [839, 836],
    "c3d_formats/sample08/TESTAPI.c3d": [839, 836],
    "c3d_formats/sample08/TESTDPI.c3d": [839, 836],
    "c3d_formats/sample10/TYPE-2.C3D": [397],
    "c3d_formats/sample10/TYPE-4.C3D": [390],
    "c3d_formats/sample10/type-2a.c3d": [522, 583],
    "c3d_formats/sample10/type-4a.c3d": [521, 583],
    "c3d_formats/sample10/TYPE-3.c3d": [727, 578, 515, 607],
    "c3d_emg_pig/HC030A05.c3d": [501, 483],
    "c3d_emg_pig/Gait with EMG.c3d": [714, 713],
}


@pytest.mark.parametrize("file", PEAKS)
def test_peak_vertical_forces(shared_data: Path, file: str) -> None:
    plates, _ = load(shared_data / file)
    # the figures are rounded to 1 N, a quarter of a percent
    np.testing.assert_allclose(peaks(plates), PEAKS[file], rtol=0.01)


def test_a_standing_child_weighs_what_it_weighs(shared_data: Path) -> None:
    plates, _ = load(shared_data / "c3d_emg_pig/HC030A01.c3d")
    total = sum((plate.wrench[:, 3:] @ plate.normal).max() for plate in plates)
    assert total == pytest.approx(451.0, rel=0.01)


def test_full_and_diagonal_calibration_agree(shared_data: Path) -> None:
    """2a and 4a are one recording, with the diagonal and with the whole matrix: cross-talk is a few percent."""
    folder = shared_data / "c3d_formats/sample10"
    for diagonal, whole in zip(load(folder / "type-2a.c3d")[0], load(folder / "type-4a.c3d")[0], strict=True):
        by_diagonal, by_whole = (plate_force(plate, threshold=200.0) for plate in (diagonal, whole))
        both = by_diagonal.loaded & by_whole.loaded
        apart = np.linalg.norm(by_diagonal.point[both] - by_whole.point[both], axis=1)
        assert both.sum() > 300
        assert apart.max() < 0.005  # [m]


def test_moments_that_say_nm_and_hold_nmm(shared_data: Path) -> None:
    plates, notes = load(shared_data / "c3d_formats/sample03/gait-pig.c3d")
    assert sum("only 1000 puts the feet on it" in str(note) for note in notes) == 2
    for plate in plates:
        force = plate_force(plate, threshold=100.0)
        inside = (force.point[force.loaded] - plate.centre) @ plate.rotation
        assert np.abs(inside).max() < 0.25  # half a plate


def test_type_1_of_a_vertical_y_axis(shared_data: Path) -> None:
    """The header of the file counts no analog samples but its parameters do; ezc3d finds no channels."""
    (plate,), _ = load(shared_data / "c3d_formats/sample28/type1.C3D")
    assert plate.normal[1] == pytest.approx(1.0, abs=1e-3)
    force = plate_force(plate)
    inside = (force.point[force.loaded] - plate.centre) @ plate.rotation
    assert np.abs(inside[:, 0]).max() < 0.3 and np.abs(inside[:, 1]).max() < 0.2


def read_sto(path: Path) -> np.ndarray:
    lines = path.read_text().splitlines()
    start = lines.index("endheader") + 2
    return np.loadtxt(lines[start:])


@pytest.mark.parametrize("i", [0, 1])
def test_opensims_conversion(shared_data: Path, i: int) -> None:
    """Columns are force, point, moment of each plate: N, mm, Nmm, lab axes; every 100th sample and the last.

    OpenSim applies no threshold: it gives a centre of pressure at -14 N.
    """
    folder = shared_data / "c3d_opensim_reference"
    plate = load(folder / "walking2.c3d")[0][i]
    rows = [*range(0, len(plate.time), 100), len(plate.time) - 1]
    at_centre, at_cop = (read_sto(folder / f"{name}_walking2_grfs.sto") for name in ("std", "std_cop"))
    np.testing.assert_allclose(plate.time[rows], at_centre[:, 0], atol=1e-9)
    # the files hold eight decimals: half of the last, and for columns of six digits the rounding of ten digits
    f, p, m = (slice(1 + 9 * i + 3 * k, 4 + 9 * i + 3 * k) for k in range(3))
    np.testing.assert_allclose(plate.wrench[rows, 3:], at_centre[:, f], atol=6e-9)
    np.testing.assert_allclose(plate.wrench[rows, :3] * 1e3, at_centre[:, m], atol=6e-9)
    np.testing.assert_allclose(plate.centre * 1e3, at_centre[0, p], atol=6e-9)
    force = plate_force(plate, threshold=0.0)
    np.testing.assert_allclose(force.force[rows], at_cop[:, f], rtol=1e-9, atol=6e-9)
    np.testing.assert_allclose(force.point[rows] * 1e3, at_cop[:, p], rtol=1e-9, atol=6e-9)
    np.testing.assert_allclose(force.moment[rows] * 1e3, at_cop[:, m], rtol=1e-9, atol=6e-9)


@pytest.mark.parametrize(
    "file",
    [
        "c3d_formats/sample01/Eb015pi.c3d",
        "c3d_formats/sample10/TYPE-2.C3D",
        "c3d_formats/sample10/type-4a.c3d",
        "c3d_formats/sample10/TYPE-3.c3d",
        "c3d_emg_pig/HC030A05.c3d",
        "c3d_emg_pig/Gait with EMG.c3d",
        "knee_gc5_ps/PS_ngait_og_ss1.c3d",
    ],
)
def test_ezc3d_computes_the_same(shared_data: Path, file: str) -> None:
    ezc3d = pytest.importorskip("ezc3d")
    path = shared_data / file
    theirs = ezc3d.c3d(str(path), extract_forceplat_data=True)["data"]["platform"]
    ours, _ = load(path)
    assert len(theirs) == len(ours)
    for plate, other in zip(ours, theirs, strict=True):
        metre = 1.0 if other["unit_position"] == "m" else 1e-3
        # It takes the first edge as x axis, we the middle line: on corners of 1.6 mm unevenness the axes differ.
        np.testing.assert_allclose(
            plate.wrench[:, 3:], other["force"].T, rtol=0, atol=2e-3 * peaks((plate,))[0]
        )
        np.testing.assert_allclose(plate.wrench[:, :3], other["moment"].T * metre, atol=0.5)  # [N m]
        force = plate_force(plate, threshold=100.0)
        apart = force.point[force.loaded] - other["center_of_pressure"].T[force.loaded] * metre
        assert np.linalg.norm(apart, axis=1).max() < 2e-3  # [m]


@pytest.mark.parametrize(("trial", "frame"), [("ss1", 7), ("ss11", 9)])
def test_published_kinetics_of_the_same_trial(shared_data: Path, trial: str, frame: int) -> None:
    """The table starts at that frame of the C3D file, was filtered, and is in (x, y, z) = (-X, Z, Y)."""
    folder = shared_data / "knee_gc5_ps"
    lines = (folder / f"PS_ngait_og_{trial}_kinetics.mot").read_text().splitlines()
    start = next(i for i, line in enumerate(lines) if line.startswith("time"))
    columns, table = lines[start].split(), np.loadtxt(lines[start + 1 :])
    plates, _ = load(folder / f"PS_ngait_og_{trial}.c3d")
    rows = slice(10 * frame, 10 * frame + len(table))
    to_world = np.array([[-1.0, 0.0, 0.0], [0.0, 0.0, 1.0], [0.0, 1.0, 0.0]])
    for i, plate in enumerate(plates):
        names = [[f"{i + 1}_ground_force_{kind}{axis}" for axis in "xyz"] for kind in "vp"]
        published, point = (table[:, [columns.index(name) for name in group]] for group in names)
        force = plate_force(plate, threshold=0.0)
        ours, cop = force.force[rows] @ to_world.T, force.point[rows] @ to_world.T
        assert ours[:, 1].max() == pytest.approx(published[:, 1].max(), rel=0.01)
        assert np.sqrt(np.mean((ours - published) ** 2)) < 2.0  # [N], what their filter takes away
        heavy = published[:, 1] > 200.0
        # Filtered against unfiltered force and moment: 2 mm at the median. A wrong sign or axis gives centimetres.
        assert np.median(np.abs(cop - point)[heavy][:, [0, 2]], axis=0).max() < 0.002
