"""What is written is what is read: every processor and storage, long lists, long trials."""

import subprocess
import sys
from dataclasses import replace

import ezc3d
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.campaign import examples
from tests.capture.c3d.synthetic import POINT_SCALE, differences, make_file

from softstride.capture.c3d import C3DFile, decode_c3d, encode_c3d, number_parameter, text_parameter
from softstride.errors import CaptureError, InputError
from softstride.notes import codes

WRITE = """
import sys, ezc3d, numpy
arrays, theirs = numpy.load(sys.argv[1]), ezc3d.c3d()
point, analog = theirs["parameters"]["POINT"], theirs["parameters"]["ANALOG"]
point["RATE"]["value"], point["UNITS"]["value"] = [100.0], ["mm"]
point["LABELS"]["value"] = [f"M{i}" for i in range(300)]
analog["RATE"]["value"], analog["LABELS"]["value"] = [2000.0], [f"A{i}" for i in range(32)]
theirs["data"]["points"], theirs["data"]["analogs"] = arrays["points"], arrays["analog"]
theirs.write(sys.argv[2])
"""

PROCESSORS, STORAGES = ("intel", "dec", "sgi"), ("integer", "real")


@pytest.mark.parametrize("processor", PROCESSORS)
@pytest.mark.parametrize("storage", STORAGES)
def test_everything_survives(processor: str, storage: str) -> None:
    given_file = make_file(processor, storage)
    data = encode_c3d(given_file)
    file = decode_c3d(data, "trial.c3d")
    assert file.notes == ()
    assert len(data) % 512 == 0
    # what the writer had to add
    added = {f"POINT:{name}" for name in ("USED", "RATE", "DATA_START", "FRAMES", "LABELS", "DESCRIPTIONS")}
    added |= {f"ANALOG:{name}" for name in ("USED", "RATE", "LABELS", "UNITS")}
    assert set(differences(given_file, file)) == added | {"group_headers"}
    assert file.group_headers["ODD"] == given_file.group_headers["ODD"]
    again = decode_c3d(encode_c3d(file), "trial.c3d")
    assert differences(file, again) == []
    assert encode_c3d(again) == data


@examples(150)
@given(
    processor=st.sampled_from(PROCESSORS),
    storage=st.sampled_from(STORAGES),
    n=st.integers(1, 9),
    m=st.integers(0, 6),
    k=st.integers(1, 5),
    c=st.integers(0, 4),
    seed=st.integers(0, 1000),
    first_frame=st.integers(0, 70000),
    unsigned=st.booleans(),
    float_offset=st.booleans(),
)
def test_every_shape_survives(
    processor: str,
    storage: str,
    n: int,
    m: int,
    k: int,
    c: int,
    seed: int,
    first_frame: int,
    unsigned: bool,
    float_offset: bool,
) -> None:
    if m == 0 and c == 0:
        m = 1
    given_file = make_file(processor, storage, n, m, k, c, seed, first_frame, unsigned, float_offset)
    file = decode_c3d(encode_c3d(given_file), "trial.c3d")
    ignored = ("analog_rate", "analog") if c == 0 else ()  # without channels there are no samples
    changed = [name for name in differences(given_file, file, ignored) if ":" not in name]
    assert changed == ["group_headers"]
    assert file.notes == ()
    again = decode_c3d(encode_c3d(file), "trial.c3d")
    assert differences(file, again) == []


def test_unsigned_and_float_offset_by_hand() -> None:
    file = make_file(storage="integer", n=1, m=1, k=1, c=2, unsigned=True)
    groups = {name: dict(group) for name, group in file.groups.items()}
    groups["ANALOG"] |= {
        "GEN_SCALE": number_parameter("GEN_SCALE", 0.5),
        "SCALE": number_parameter("SCALE", [2.0, 4.0]),
        "OFFSET": number_parameter("OFFSET", [32768, 65535], 2),  # as signed words: -32768 and -1
    }
    data = bytearray(encode_c3d(replace(file, groups=groups, analog=np.zeros((1, 2)))))
    decoded = decode_c3d(bytes(data), "t")
    assert decoded.groups["ANALOG"]["OFFSET"].counts().tolist() == [32768, 65535]
    at = (int(decoded.groups["POINT"]["DATA_START"].scalar()) - 1) * 512 + 8
    assert data[at : at + 4] == b"\x00\x80\xff\xff"  # raw = offset where the value is zero
    data[at : at + 4] = b"\x01\x80\x00\x00"  # 32769 and 0
    np.testing.assert_array_equal(
        decode_c3d(bytes(data), "t").analog, [[(32769 - 32768) * 0.5 * 2.0, (0 - 65535) * 0.5 * 4.0]]
    )
    groups["ANALOG"]["OFFSET"] = number_parameter("OFFSET", [0.25, -1.5])
    real = encode_c3d(replace(file, storage="real", groups=groups, analog=np.array([[3.0, 8.0]])))
    raw = np.frombuffer(
        real, "<f4", 2, (int(decode_c3d(real, "t").groups["POINT"]["DATA_START"].scalar()) - 1) * 512 + 16
    )
    np.testing.assert_array_equal(raw, [3.0 / 1.0 + 0.25, 8.0 / 2.0 - 1.5])


@pytest.mark.parametrize("storage", STORAGES)
def test_more_than_255_points_and_channels(storage: str) -> None:
    file = make_file(storage=storage, n=3, m=600, k=2, c=300)
    file = replace(
        file,
        groups={"POINT": {"SCALE": file.groups["POINT"]["SCALE"]}, "ANALOG": dict(file.groups["ANALOG"])},
    )
    del file.groups["ANALOG"]["SCALE"], file.groups["ANALOG"]["OFFSET"]  # type: ignore[attr-defined]
    decoded = decode_c3d(encode_c3d(file), "t")
    assert decoded.notes == ()
    point, analog = decoded.groups["POINT"], decoded.groups["ANALOG"]
    assert [len(point[name].strings()) for name in ("LABELS", "LABELS2", "LABELS3")] == [255, 255, 90]
    assert [len(analog[name].strings()) for name in ("LABELS", "LABELS2", "UNITS", "UNITS2")] == [
        255,
        45,
        255,
        45,
    ]
    assert [analog[name].numbers().size for name in ("SCALE", "SCALE2", "OFFSET2")] == [255, 45, 45]
    assert decoded.point_labels == file.point_labels
    assert decoded.point_descriptions == file.point_descriptions
    assert decoded.analog_units == file.analog_units
    # the writer chose a scale of 1/32000 of the largest value: half a count is the error
    atol = np.abs(file.analog).max() / 64000 if storage == "integer" else 0.0
    np.testing.assert_allclose(decoded.analog, file.analog, rtol=6e-8, atol=atol)  # 2^-24: a float32


@pytest.mark.parametrize(
    ("first_frame", "n"), [(1, 65535), (1, 65536), (1, 70001), (60001, 10000), (200000, 5)]
)
@pytest.mark.parametrize("processor", PROCESSORS)
def test_frame_numbers_beyond_16_bits(processor: str, first_frame: int, n: int) -> None:
    file = make_file(processor, "integer", n=n, m=1, k=1, c=0, first_frame=first_frame)
    decoded = decode_c3d(encode_c3d(file), "t")
    assert decoded.first_frame == first_frame
    assert decoded.notes == ()
    np.testing.assert_array_equal(decoded.points, file.points)
    last = first_frame + n - 1
    if last > 65535:
        assert decoded.groups["TRIAL"]["ACTUAL_END_FIELD"].counts().tolist() == [last % 65536, last // 65536]


@pytest.mark.parametrize("lost", ["nothing", "TRIAL", "LONG_FRAMES", "both"])
def test_frames_beyond_16_bits_with_parameters_missing(lost: str) -> None:
    file = make_file(n=70000, m=2, k=1, c=1)
    data = encode_c3d(file)
    if lost in ("TRIAL", "both"):
        data = data.replace(b"ACTUAL_", b"FORMER_")
    if lost in ("LONG_FRAMES", "both"):
        data = data.replace(b"LONG_FRAMES", b"LOST_FRAMES")
    decoded = decode_c3d(data, "t")
    # without any long count only the length of the file is left: its last block may hold one frame of padding
    expected = 70000 if lost != "both" else (len(data) - (decode_start(decoded) - 1) * 512) // 36
    assert decoded.n_frames == expected
    np.testing.assert_array_equal(decoded.points[:70000], file.points)
    assert bool(decoded.notes) == (lost == "both")


def decode_start(file: C3DFile) -> int:
    return int(file.groups["POINT"]["DATA_START"].counts().ravel()[0])


@pytest.mark.parametrize("storage", STORAGES)
@pytest.mark.parametrize("processor", ["intel", "dec"])
def test_ezc3d_reads_what_we_write(processor: str, storage: str, tmp_path) -> None:
    file = make_file(processor, storage, n=40, m=7, k=4, c=6)
    path = tmp_path / "ours.c3d"
    path.write_bytes(encode_c3d(file))
    theirs = ezc3d.c3d(str(path))
    np.testing.assert_allclose(
        theirs["data"]["points"][:3].transpose(2, 1, 0), file.points, rtol=1e-6, equal_nan=True
    )  # single precision inside ezc3d
    np.testing.assert_allclose(theirs["data"]["analogs"][0].T, file.analog, rtol=1e-6, atol=1e-4)
    # ezc3d 1.7.2 takes the byte of the cameras for the residual: test_samples shows by the data which byte is which
    residuals = theirs["data"]["meta_points"]["residuals"][0].T
    swapped = np.where(np.isnan(file.residuals), -1.0, file.cameras * POINT_SCALE)
    np.testing.assert_allclose(residuals, swapped, rtol=1e-6)
    assert tuple(theirs["parameters"]["POINT"]["LABELS"]["value"]) == file.point_labels
    assert tuple(theirs["parameters"]["ANALOG"]["UNITS"]["value"]) == file.analog_units
    assert theirs["header"]["points"]["first_frame"] == file.first_frame - 1
    np.testing.assert_array_equal(
        theirs["parameters"]["FORCE_PLATFORM"]["CORNERS"]["value"].T,
        file.groups["FORCE_PLATFORM"]["CORNERS"].numbers(),
    )


def test_we_read_what_ezc3d_writes(tmp_path) -> None:
    rng = np.random.default_rng(0)
    points = np.concatenate([rng.normal(0.0, 500.0, (3, 300, 30)), np.ones((1, 300, 30))])
    points[:, 3, 5] = np.nan
    analog = rng.normal(size=(1, 32, 600))
    np.savez(tmp_path / "arrays.npz", points=points, analog=analog)
    path = tmp_path / "theirs.c3d"
    # In a process of its own: ezc3d's writer registers types with SWIG that break those of OpenSim in this one.
    subprocess.run([sys.executable, "-c", WRITE, tmp_path / "arrays.npz", path], check=True)
    file = decode_c3d(path.read_bytes(), str(path))
    assert file.notes == ()
    assert file.point_labels == tuple(
        f"M{i}" for i in range(300)
    )  # 255 of them in LABELS, the rest in LABELS2
    assert file.rate == 100.0 and file.analog_rate == 2000.0
    # the file holds floats of 24 bits
    np.testing.assert_array_equal(file.points, points[:3].transpose(2, 1, 0).astype(np.float32))
    np.testing.assert_allclose(file.analog, analog[0].T, rtol=1e-6)


def test_storage_can_be_changed() -> None:
    real = decode_c3d(encode_c3d(make_file(storage="real")), "t")
    groups = {name: dict(group) for name, group in real.groups.items()}
    integer = decode_c3d(encode_c3d(replace(real, storage="integer", groups=groups)), "t")
    scale = integer.groups["POINT"]["SCALE"].scalar()
    assert scale > 0
    # to half a count, and the scale itself holds 24 bits
    np.testing.assert_allclose(integer.points, real.points, rtol=1e-6, atol=0.5 * scale)


def test_parameter_views() -> None:
    corners = number_parameter("CORNERS", np.arange(24.0).reshape(2, 4, 3))
    assert corners.dims == (3, 4, 2)
    assert corners.numbers().shape == (2, 4, 3)
    assert corners.scalar() == 0.0
    assert not corners.values.flags.writeable  # type: ignore[union-attr]
    with pytest.raises(InputError, match="CORNERS holds numbers"):
        corners.strings()
    labels = text_parameter("LABELS", ("a", "bcd  "))
    assert labels.dims == (5, 2)
    assert labels.strings() == ("a", "bcd")
    with pytest.raises(InputError, match="LABELS holds text"):
        labels.numbers()
    assert number_parameter("N", [1.0, 2.5, -3.0, 1e300]).counts().tolist() == [1, -1, -1, -1]
    assert np.isnan(number_parameter("N", []).scalar())


@pytest.mark.parametrize(
    ("field", "change"),
    [
        ("points", {"points": np.zeros((12, 3, 3))}),
        ("residuals", {"residuals": np.zeros((11, 4))}),
        ("analog", {"analog": np.zeros((35, 5))}),
        ("analog_units", {"analog_units": ("V",)}),
        ("first_frame", {"first_frame": -1}),
        ("POINT:SCALE", {"storage": "integer", "points": np.full((12, 4, 3), 1e6)}),
        ("ANALOG:SCALE", {"storage": "integer", "analog": np.full((36, 5), np.nan)}),
        ("header_events", {"header_events": make_file().header_events * 10}),
    ],
)
def test_what_the_format_cannot_hold_is_refused(field: str, change: dict[str, object]) -> None:
    file = make_file(storage="integer") if "storage" in change else make_file()
    with pytest.raises(CaptureError) as caught:
        encode_c3d(replace(file, **change), "out.c3d")  # type: ignore[arg-type]
    assert caught.value.field == field
    assert caught.value.path == "out.c3d"


def test_missing_values_in_every_format() -> None:
    for processor in PROCESSORS:
        file = make_file(processor, "real")
        analog = file.analog.copy()
        analog[3, 2] = np.nan
        decoded = decode_c3d(encode_c3d(replace(file, analog=analog)), "t")
        np.testing.assert_array_equal(decoded.analog, analog)
        assert "c3d.samples-senseless" in codes(decoded.notes)
