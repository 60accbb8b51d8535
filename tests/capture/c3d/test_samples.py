"""Published files: all encodings of a trial are one trial, and ezc3d, a second reader, sees the same."""

from pathlib import Path

import ezc3d
import numpy as np
import pytest
from tests.capture.c3d.oracle import assert_ezc3d_agrees
from tests.capture.c3d.synthetic import differences

from softstride.capture.c3d import C3DFile, Parameter, decode_c3d, encode_c3d
from softstride.errors import CaptureError
from softstride.notes import codes

EVERY_FILE = [
    "c3d_emg_pig/Gait with EMG.c3d",
    "c3d_emg_pig/HC030A01.c3d",
    "c3d_emg_pig/HC030A05.c3d",
    "c3d_emg_pig/Static Pose.c3d",
    *(f"c3d_formats/sample01/Eb015{encoding}.c3d" for encoding in ("pi", "pr", "si", "sr", "vi", "vr")),
    "c3d_formats/sample03/gait-pig.c3d",
    *(f"c3d_formats/sample08/TEST{letter}PI.c3d" for letter in "ABCD"),
    *(
        f"c3d_formats/sample10/{name}"
        for name in ("TYPE-2.C3D", "TYPE-3.c3d", "TYPE-4.C3D", "type-2a.c3d", "type-4a.c3d")
    ),
    "c3d_formats/sample25/analogfpscale04.c3d",
    "c3d_formats/sample25/analogfpscale04i.c3d",
    "c3d_formats/sample28/type1.C3D",
    "c3d_opensim_reference/walking2.c3d",
    "knee_gc5_ps/PS_ngait_og_ss1.c3d",
    "knee_gc5_ps/PS_ngait_og_ss11.c3d",
]
SGI = [name for name in EVERY_FILE if name.endswith(("si.c3d", "sr.c3d"))]
# ezc3d 1.7.2 drops the six channels of this file (it has no ANALOG:RATE) and takes their numbers for points.
MISREAD = "c3d_formats/sample28/type1.C3D"


def read(folder: Path, name: str) -> C3DFile:
    return decode_c3d((folder / name).read_bytes(), name)


def test_other_files_are_read_or_refused_in_words(shared_data: Path) -> None:
    """Sets come and grow: what is not listed is decoded or refused, and never a raw Python error."""
    for path in sorted(shared_data.rglob("*")):
        name = path.relative_to(shared_data).as_posix()
        if path.suffix.lower() == ".c3d" and name not in EVERY_FILE:
            refusal, file = None, None
            try:
                file = decode_c3d(path.read_bytes(), name)
            except CaptureError as error:
                refusal = error
            if file is None:
                assert refusal.path == name and refusal.problem and refusal.fix
                continue
            assert file.points.shape == (file.n_frames, len(file.point_labels), 3)


@pytest.mark.parametrize("encoding", ["si", "vi"])
def test_integer_encodings_are_identical(shared_data: Path, encoding: str) -> None:
    intel = read(shared_data, "c3d_formats/sample01/Eb015pi.c3d")
    other = read(shared_data, f"c3d_formats/sample01/Eb015{encoding}.c3d")
    assert other.processor == {"si": "sgi", "vi": "dec"}[encoding]
    assert intel.points.shape == (450, 26, 3) and intel.analog.shape == (1800, 16)
    assert differences(intel, other, ("processor",)) == []


@pytest.mark.parametrize("encoding", ["pr", "sr", "vr"])
def test_real_encodings_hold_the_integers_to_single_precision(shared_data: Path, encoding: str) -> None:
    integer = read(shared_data, "c3d_formats/sample01/Eb015pi.c3d")
    real = read(shared_data, f"c3d_formats/sample01/Eb015{encoding}.c3d")
    assert real.storage == "real"
    ignored = ("processor", "storage", "points", "POINT:SCALE", "POINT:DATA_START")
    assert (
        differences(integer, real, ignored) == []
    )  # residuals, cameras and channels are whole numbers: exact
    # 1/12 mm times an integer, rounded to a float of 24 bits: half a unit in the last place
    error = np.abs(real.points - integer.points)
    assert np.all(
        error[~np.isnan(error)]
        <= 0.5 * np.spacing(np.abs(integer.points[~np.isnan(error)]).astype(np.float32))
    )
    np.testing.assert_array_equal(np.isnan(real.points), np.isnan(integer.points))


def test_real_encodings_are_identical(shared_data: Path) -> None:
    first, *others = (
        read(shared_data, f"c3d_formats/sample01/Eb015{encoding}.c3d") for encoding in ("pr", "sr", "vr")
    )
    for other in others:
        assert differences(first, other, ("processor",)) == []


@pytest.mark.parametrize("letter", "ABCD")
def test_moved_blocks_change_nothing(shared_data: Path, letter: str) -> None:
    usual = read(shared_data, "c3d_formats/sample01/Eb015pi.c3d")
    moved = read(shared_data, f"c3d_formats/sample08/TEST{letter}PI.c3d")
    assert differences(usual, moved, ("POINT:DATA_START",)) == []
    assert moved.notes == ()


def test_float_and_integer_of_one_trial(shared_data: Path) -> None:
    real = read(shared_data, "c3d_formats/sample25/analogfpscale04.c3d")
    integer = read(shared_data, "c3d_formats/sample25/analogfpscale04i.c3d")
    # The program that wrote the integers cut the fraction off: less than one count, of 0.1 mm and of 1 unit; a float32
    # of 3 m adds up to 1.2e-4.
    assert np.nanmax(np.abs(real.points - integer.points)) < 0.1 + 1.2e-4
    np.testing.assert_array_equal(np.isnan(real.points), np.isnan(integer.points))
    cut = np.trunc(real.analog)
    assert cut.min() < -32768  # a moment that 16 bits do not hold: the writer let it run over
    np.testing.assert_array_equal((cut.astype(np.int64) + 32768) % 65536 - 32768, integer.analog)


def as_theirs(parameter: Parameter) -> np.ndarray | list[str]:
    if parameter.is_text:
        return [text.strip() for text in parameter.strings()]
    return parameter.numbers().T


@pytest.mark.parametrize("name", [name for name in EVERY_FILE if name not in (*SGI, MISREAD)])
def test_ezc3d_agrees(shared_data: Path, name: str) -> None:
    assert_ezc3d_agrees(read(shared_data, name), ezc3d.c3d(str(shared_data / name)))


@pytest.mark.parametrize("name", [name for name in EVERY_FILE if name not in SGI])
def test_ezc3d_sees_the_same_parameters(shared_data: Path, name: str) -> None:
    ours, theirs = read(shared_data, name), ezc3d.c3d(str(shared_data / name))["parameters"]
    names = {name.upper(): name for name in theirs}
    compared = 0
    for group, members in ours.groups.items():
        if group.startswith("GROUP_"):  # parameters of a group that the file never names: ezc3d forgets them
            continue
        by_upper_case = {key.upper(): entry for key, entry in theirs[names[group]].items()}
        for key, parameter in members.items():
            if f"{group}:{key}" == "ANALOG:USED" and name == MISREAD:
                continue
            entry = by_upper_case[key]
            mine, value = as_theirs(parameter), entry["value"]
            if isinstance(mine, list):
                assert mine == [text.strip() for text in value], (group, key)
            else:
                if parameter.kind == 2:
                    mine, value = mine.astype(int) % 65536, np.asarray(value).astype(int) % 65536
                assert np.array_equal(mine.squeeze(), np.asarray(value).squeeze(), equal_nan=True), (
                    group,
                    key,
                )
            assert parameter.locked == entry["is_locked"]
            compared += 1
    assert compared >= 20


def test_every_file_survives_being_written(shared_data: Path) -> None:
    for name in EVERY_FILE:
        file = read(shared_data, name)
        again = decode_c3d(encode_c3d(file), name)
        added = {"ANALOG:RATE"} if name == MISREAD else set()  # the writer adds what was missing
        assert set(differences(file, again, ("POINT:DATA_START",))) == added, name
        assert set(again.notes) <= set(file.notes), name


@pytest.mark.parametrize(
    "name", [name for name in EVERY_FILE if name.startswith("c3d_formats/sample10") or "pi.c3d" in name]
)
def test_the_high_byte_holds_the_cameras(shared_data: Path, name: str) -> None:
    """Two cameras at least see a point: each mask has two bits. As residuals the other byte takes any value."""
    file = read(shared_data, name)
    bits = np.unpackbits(file.cameras[~np.isnan(file.residuals) & (file.cameras > 0)][:, None], axis=1).sum(
        axis=1
    )
    assert len(bits) > 1000
    assert bits.min() >= 2
    assert len(np.unique(file.residuals[file.cameras > 0])) > 40


def test_type_1_has_channels(shared_data: Path) -> None:
    file = read(shared_data, MISREAD)
    assert file.analog_labels == ("Fx1", "Fy1", "Fz1", "Px1", "Py1", "Mz1")
    assert file.analog.shape == (296, 6) and file.analog_rate == 100.0
    assert file.analog[:, 2].min() == pytest.approx(
        -731.25390625
    )  # a person's weight, downwards on the plate
    steps = np.abs(np.diff(file.points, axis=0))
    assert np.nanmax(steps) < 120.0  # mm in 10 ms: no marker jumps, so frames are cut where they should be
    assert np.nanmedian(steps) < 5.0


def test_events_of_the_header(shared_data: Path) -> None:
    events = read(shared_data, "c3d_formats/sample01/Eb015vr.c3d").header_events
    assert [event.label for event in events] == ["RIC", "RHS", "RTO"]
    np.testing.assert_allclose([event.time for event in events], [2.72, 5.40, 7.32], rtol=1e-7)  # float32


def test_a_computed_zero_is_no_gap(shared_data: Path) -> None:
    file = read(shared_data, "c3d_formats/sample03/gait-pig.c3d")
    power = file.points[:, file.point_labels.index("A22:LKneePower")]
    assert (power == 0).all(axis=-1).sum() == 82
    marker = read(shared_data, "knee_gc5_ps/PS_ngait_og_ss1.c3d")
    assert np.isnan(marker.points[:, marker.point_labels.index("Oglobal")]).all()
    assert "c3d.points-at-origin" in codes(marker.notes)
