"""Files that contradict themselves are read by their length, with a note; files nobody can trust are refused."""

import struct
from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.campaign import examples
from tests.capture.c3d.synthetic import make_file

from softstride.capture.c3d import (
    C3DFile,
    Parameter,
    decode_c3d,
    encode_c3d,
    number_parameter,
    text_parameter,
)
from softstride.errors import CaptureError
from softstride.notes import codes

HONEST = decode_c3d(encode_c3d(make_file(n=50, m=6, k=4, c=5)), "honest.c3d")
DATA = encode_c3d(HONEST)


def with_parameter(file: C3DFile, group: str, parameter: Parameter | None, name: str = "") -> C3DFile:
    groups = {key: dict(members) for key, members in file.groups.items()}
    if parameter is None:
        del groups[group][name]
    else:
        groups.setdefault(group, {})[parameter.name] = parameter
    return replace(file, groups=groups)


def patched(data: bytes, at: int, new: bytes) -> bytes:
    return data[:at] + new + data[at + len(new) :]


def value_at(data: bytes, group: int, name: str) -> int:
    """Return where the value of a scalar parameter is: behind name, link, type and number of dimensions."""
    key = struct.pack("<bb", len(name), group) + name.encode()
    assert data.count(key) == 1
    return data.index(key) + len(key) + 4


def same_data(a: C3DFile, b: C3DFile) -> bool:
    return (
        np.array_equal(a.points, b.points, equal_nan=True)
        and np.array_equal(a.residuals, b.residuals, equal_nan=True)
        and np.array_equal(a.cameras, b.cameras)
        and np.array_equal(a.analog, b.analog)
        and a.rate == b.rate
        and a.analog_rate == b.analog_rate
    )


@examples(400)
@given(st.sampled_from([2, 4, 6, 8, 16, 18]), st.integers(0, 65535))
def test_one_lie_in_the_header_changes_nothing(at: int, value: int) -> None:
    """Points, analog values, first and last frame, data start, samples: the parameters and the length know better."""
    word = struct.pack("<H", value)
    file = decode_c3d(patched(DATA, at, word), "liar.c3d")
    assert same_data(file, HONEST)
    assert bool(file.notes) == (word != DATA[at : at + 2])


@examples(200)
@given(st.sampled_from([12, 20]), st.floats(width=32))
def test_one_lie_about_scale_or_rate_in_the_header_changes_nothing(at: int, value: float) -> None:
    data = struct.pack("<f", value)
    file = decode_c3d(patched(DATA, at, data), "liar.c3d")
    assert same_data(file, HONEST)
    if not np.isclose(value, HONEST.rate if at == 20 else -0.125, rtol=1e-4):
        assert file.notes


@examples(300)
@given(st.sampled_from(["USED", "FRAMES", "DATA_START"]), st.integers(0, 65535))
def test_one_lie_in_the_parameters_changes_nothing(name: str, value: int) -> None:
    """The header and the length know better; labels keep their names."""
    at = value_at(DATA, 1, name)
    file = decode_c3d(patched(DATA, at, struct.pack("<H", value)), "liar.c3d")
    assert same_data(file, HONEST)
    assert file.point_labels == HONEST.point_labels
    assert bool(file.notes) == (struct.pack("<H", value) != DATA[at : at + 2])


@examples(100)
@given(st.integers(0, 65535))
def test_one_lie_about_the_channels_changes_nothing(value: int) -> None:
    file = decode_c3d(patched(DATA, value_at(DATA, 2, "USED"), struct.pack("<H", value)), "liar.c3d")
    assert same_data(file, HONEST)


@examples(200)
@given(st.sampled_from([("RATE", 1), ("SCALE", 1), ("RATE", 2)]), st.floats(width=32))
def test_one_lie_about_scale_or_rate_in_the_parameters(place: tuple[str, int], value: float) -> None:
    """A rate that fits nothing else is not believed; of two scales nobody can say which one lies, so it is noted."""
    name, group = place
    file = decode_c3d(patched(DATA, value_at(DATA, group, name), struct.pack("<f", value)), "liar.c3d")
    if name == "RATE":
        assert same_data(file, HONEST)
    np.testing.assert_array_equal(file.points, HONEST.points)


def test_a_cut_file_is_read_as_far_as_it_goes() -> None:
    file = decode_c3d(DATA[:-2000], "cut.c3d")
    assert 0 < file.n_frames < HONEST.n_frames
    np.testing.assert_array_equal(file.points, HONEST.points[: file.n_frames])
    np.testing.assert_array_equal(file.analog, HONEST.analog[: 4 * file.n_frames])
    assert any("the file is cut: 50 frames are announced" in str(note) for note in file.notes)
    start = (int(HONEST.groups["POINT"]["DATA_START"].scalar()) - 1) * 512
    with pytest.raises(CaptureError, match="less than one frame"):
        decode_c3d(DATA[: start + 100], "cut.c3d")


def test_bytes_behind_the_data_are_noted() -> None:
    file = decode_c3d(DATA + bytes(5000), "long.c3d")
    assert same_data(file, HONEST)
    assert "c3d.bytes-left" in codes(file.notes)


def test_bytes_that_moved_the_frames_are_noted() -> None:
    start = (int(HONEST.groups["POINT"]["DATA_START"].scalar()) - 1) * 512
    moved = DATA[: start + 8] + b"\0\0" + DATA[start + 8 :]
    integer = decode_c3d(encode_c3d(make_file(storage="integer", n=50)), "t")
    assert "c3d.bytes-added-or-lost" in codes(decode_c3d(DATA + b"\0", "odd.c3d").notes)
    with pytest.raises(CaptureError, match="far out of any range"):
        decode_c3d(moved, "odd.c3d")
    data = encode_c3d(integer)
    assert "c3d.bytes-added-or-lost" in codes(decode_c3d(data[:6000] + b"\0\0" + data[6000:], "t").notes)


def test_a_wrong_processor_is_noticed() -> None:
    for code in (85, 86, 0):
        file = decode_c3d(patched(DATA, 512 + 3, bytes([code])), "liar.c3d")
        assert same_data(file, HONEST)
        assert any("read as intel" in str(note) for note in file.notes)


def test_counts_that_fit_nothing_are_refused() -> None:
    data = patched(DATA, 2, struct.pack("<H", 9))[:-1500]
    with pytest.raises(CaptureError, match="none fits") as caught:
        decode_c3d(data, "liar.c3d")
    assert "POINT:USED" in caught.value.field


def set_scale(value: float) -> Callable[[bytes], bytes]:
    def change(data: bytes) -> bytes:
        raw = struct.pack("<f", value)
        return patched(patched(data, 12, raw), value_at(data, 1, "SCALE"), raw)

    return change


def set_rate(value: float) -> Callable[[bytes], bytes]:
    def change(data: bytes) -> bytes:
        raw = struct.pack("<f", value)
        data = patched(patched(data, 20, raw), value_at(data, 1, "RATE"), raw)
        return patched(data, value_at(data, 2, "RATE"), raw)

    return change


@pytest.mark.parametrize(
    ("field", "change"),
    [
        *(
            ("POINT:SCALE", set_scale(value))
            for value in (0.0, float("nan"), float("inf"), 1e30, -1e30, 1e-30)
        ),
        *(("POINT:RATE", set_rate(value)) for value in (0.0, -50.0, float("nan"), float("inf"), 1e7, 1e-30)),
        ("ANALOG:GEN_SCALE", lambda d: patched(d, value_at(d, 2, "GEN_SCALE"), struct.pack("<f", 0.0))),
        (
            "ANALOG:GEN_SCALE",
            lambda d: patched(d, value_at(d, 2, "GEN_SCALE"), struct.pack("<f", float("nan"))),
        ),
        ("header byte 2", lambda d: patched(d, 1, b"\x51")),
        ("header byte 1", lambda d: patched(d, 0, b"\xff")),
        ("header byte 1", lambda d: patched(d, 0, b"\x00")),
        ("parameter section", lambda d: patched(d, 516, b"\x05\x00")),
        ("data section", lambda d: d[:-5000] + b"\xff\xff\x7f\x7f" * 1250),
    ],
)
def test_senseless_files_are_refused(field: str, change: Callable[[bytes], bytes]) -> None:
    with pytest.raises(CaptureError) as caught:
        decode_c3d(change(DATA), "senseless.c3d")
    assert caught.value.field == field
    assert caught.value.path == "senseless.c3d"
    assert caught.value.fix


@pytest.mark.parametrize("name", ["SCALE", "RATE", "USED", "FRAMES"])
def test_text_where_a_number_belongs_is_refused(name: str) -> None:
    file = with_parameter(HONEST, "POINT", text_parameter(name, "many"))
    with pytest.raises(CaptureError, match="expected numbers, found text"):
        encode_c3d(file)


def test_a_few_senseless_numbers_are_noted() -> None:
    start = (int(HONEST.groups["POINT"]["DATA_START"].scalar()) - 1) * 512
    frame = 4 * (6 * 4 + 4 * 5)
    data = patched(DATA, start + 16, struct.pack("<f", float("inf")))
    data = patched(data, start + frame + 32, struct.pack("<f", 1e20))
    data = patched(data, start + 6 * 16, struct.pack("<f", float("-inf")))
    data = patched(data, start + 2 * frame + 12, struct.pack("<f", 1e6))  # cameras and residual beyond a word
    file = decode_c3d(data, "odd.c3d")
    for at in ((0, 1), (1, 2), (2, 0)):
        assert not np.isnan(HONEST.points[at]).any()
        assert np.isnan(file.points[at]).all() and np.isnan(file.residuals[at]) and file.cameras[at] == 0
    assert np.isnan(file.analog[0, 0])
    assert sum("taken as" in str(note) for note in file.notes) == 3


def test_a_channel_without_scale_is_not_measured() -> None:
    scale = HONEST.groups["ANALOG"]["SCALE"].numbers()
    scale[2] = 0.0
    file = decode_c3d(encode_c3d(with_parameter(HONEST, "ANALOG", number_parameter("SCALE", scale))), "t")
    assert np.isnan(file.analog[:, 2]).all()
    np.testing.assert_array_equal(np.delete(file.analog, 2, axis=1), np.delete(HONEST.analog, 2, axis=1))
    assert any("ANALOG:SCALE is zero" in str(note) and "(3)" in str(note) for note in file.notes)


def test_short_blank_and_repeated_labels() -> None:
    data = encode_c3d(HONEST)
    width = HONEST.groups["POINT"]["LABELS"].dims[0]
    assert width == 2
    at = data.index(b"M0M1M2M3M4M5")
    file = decode_c3d(patched(data, at, b"M0M1M0  M4M0"), "t")
    assert file.point_labels == ("M0", "M1", "M0_2", "point_4", "M4", "M0_3")
    assert sum("POINT:LABELS" in note.names for note in file.notes) == 2
    short = decode_c3d(patched(data, at - 1, b"\x04"), "t")  # four labels for six points
    assert short.point_labels == ("M0", "M1", "M2", "M3", "point_5", "point_6")
    assert any("4 labels for 6" in str(note) for note in short.notes)
    again = decode_c3d(encode_c3d(file), "t")
    assert again.point_labels == file.point_labels


@pytest.mark.parametrize("text", ["Größe µV", "温度", "é", ""])
def test_text_of_any_alphabet(text: str) -> None:
    file = with_parameter(HONEST, "SUBJECTS", text_parameter("NAMES", (text, "plain")))
    assert decode_c3d(encode_c3d(file), "t").groups["SUBJECTS"]["NAMES"].strings() == (text, "plain")


def test_latin_1_text_of_old_files() -> None:
    raw = "Größe".encode("latin-1")
    data = encode_c3d(with_parameter(HONEST, "SUBJECTS", text_parameter("NAMES", ("?????",))))
    file = decode_c3d(data.replace(b"?????", raw), "t")
    assert file.groups["SUBJECTS"]["NAMES"].strings() == ("Größe",)
    assert raw in encode_c3d(file)  # and back, at its old length
