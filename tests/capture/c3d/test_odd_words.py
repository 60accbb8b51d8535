"""Words that programs wrote in ways of their own: files are read as they were meant; damage is still refused."""

import struct

import numpy as np
import pytest
from tests.capture.c3d.synthetic import make_file

from softstride.capture.c3d import C3DFile, decode_c3d, encode_c3d
from softstride.capture.c3d.numbers import NumberFormat
from softstride.errors import CaptureError

PROCESSORS = ("intel", "dec", "sgi")
N, M, K, C = 40, 5, 2, 3
FRAME = 4 * M + K * C


def made(processor: str = "intel", **options: bool) -> tuple[C3DFile, bytes]:
    data = encode_c3d(make_file(processor, "real", n=N, m=M, k=K, c=C, **options))
    return decode_c3d(data, "made.c3d"), data


def with_points(file: C3DFile, data: bytes, change: np.ndarray, where: np.ndarray) -> bytes:
    """Return the file with some points' four numbers changed; NaN leaves one as it is. Shapes (4,) and (n, m)."""
    form = NumberFormat(file.processor)
    start = (int(file.groups["POINT"]["DATA_START"].scalar()) - 1) * 512
    numbers = np.array(form.floats(data, start, N * FRAME), dtype=float).reshape(N, FRAME)
    points = numbers[:, : 4 * M].reshape(N, M, 4).copy()
    points[where] = np.where(np.isnan(change), points[where], change)
    numbers[:, : 4 * M] = points.reshape(N, 4 * M)
    end = start + 4 * N * FRAME
    return data[:start] + form.pack_floats(numbers.ravel()) + data[end:]


def half(file: C3DFile) -> np.ndarray:
    where = np.zeros((N, M), bool)
    where[: N // 2] = True
    return where


@pytest.mark.parametrize("processor", PROCESSORS)
def test_65535_is_minus_one_without_its_sign(processor: str) -> None:
    file, data = made(processor)
    where = half(file)
    for change in (
        [0.0, 0.0, 0.0, 65535.0],
        [np.nan, np.nan, np.nan, 65535.0],
        [1.7e38, 1.7e38, 1.6e38, 65535.0],
    ):
        odd = decode_c3d(with_points(file, data, np.array(change), where), "odd.c3d")
        assert np.isnan(odd.points[where]).all() and np.isnan(odd.residuals[where]).all()
        np.testing.assert_array_equal(odd.points[~where], file.points[~where])
        np.testing.assert_array_equal(odd.residuals[~where], file.residuals[~where])
        np.testing.assert_array_equal(odd.analog, file.analog)
        assert odd.notes == file.notes


def test_no_point_of_a_trial_may_be_measured() -> None:
    file, data = made()
    everywhere = np.ones((N, M), bool)
    odd = decode_c3d(with_points(file, data, np.array([0, 0, 0, 65535.0]), everywhere), "odd.c3d")
    assert np.isnan(odd.points).all()
    np.testing.assert_array_equal(odd.analog, file.analog)


@pytest.mark.parametrize("processor", PROCESSORS)
@pytest.mark.parametrize("word", [0x7F00, 0x6703])
def test_a_word_stored_as_it_is_holds_cameras_and_residual(processor: str, word: int) -> None:
    """0x7F00 twice is 1.7080060516150315e38 as a float."""
    file, data = made(processor)
    form = NumberFormat(file.processor)
    number = float(form.floats(form.pack_words([word, word]), 0, 1)[0])
    if processor != "dec" and word == 0x7F00:
        assert number == 1.7080060516150315e38
    where = half(file) & ~np.isnan(file.residuals)
    odd = decode_c3d(with_points(file, data, np.array([np.nan, np.nan, np.nan, number]), where), "odd.c3d")
    np.testing.assert_array_equal(odd.points, file.points)
    assert (odd.cameras[where] == word >> 8).all()
    assert (odd.residuals[where] == (word & 255) * 0.125).all()
    assert any(f"of {where.sum()} points are stored as words" in str(note) for note in odd.notes)


@pytest.mark.parametrize("processor", PROCESSORS)
def test_missing_points_of_one_huge_number(processor: str) -> None:
    file, data = made(processor)
    where = half(file)
    for fourth in (0.0, -1.0):
        change = np.array([1.7e38, 1.7e38, 1.7e38, fourth])
        odd = decode_c3d(with_points(file, data, change, where), "odd.c3d")
        assert np.isnan(odd.points[where]).all()
        np.testing.assert_array_equal(odd.points[~where], file.points[~where])
        assert any("1.7e+38 in all coordinates" in str(note) for note in odd.notes) == (fourth == 0)


@pytest.mark.parametrize(
    "change",
    [
        [np.nan, np.nan, np.nan, 1.6e38],
        [np.nan, np.nan, np.nan, 40000.0],
        [1.7e38, 1.6e38, 1.7e38, 0.0],
        [np.nan, 1.7e38, np.nan, 0.0],
        [3.4e38, 3.4e38, 3.4e38, 3.4e38],
    ],
)
def test_other_numbers_without_sense_are_damage(change: list[float]) -> None:
    file, data = made()
    measured = half(file) & ~np.isnan(file.residuals)
    with pytest.raises(CaptureError, match="far out of any range") as caught:
        decode_c3d(with_points(file, data, np.array(change), measured), "damaged.c3d")
    assert caught.value.field == "data section"


def test_huge_numbers_that_differ_are_damage() -> None:
    file, data = made()
    for frame in range(N // 2):
        where = np.zeros((N, M), bool)
        where[frame] = True
        data = with_points(file, data, np.array([1e30, 1e30, 1e30, 0.0]) * (1 + frame), where)
    with pytest.raises(CaptureError, match="coordinates of 100 of 200 points"):
        decode_c3d(data, "damaged.c3d")


@pytest.mark.parametrize("processor", PROCESSORS)
def test_the_last_length_may_have_its_bytes_exchanged(processor: str) -> None:
    file, data = made(processor)
    key = struct.pack("<bb", len("LATIN"), 4) + b"LATIN"
    at = data.index(key) + len(key)
    order = ">" if processor == "sgi" else "<"
    description = data.index(b"tab\tand", at)
    step = description + data[description - 1] - at
    assert data[at : at + 2] == b"\0\0" == data[at + step : at + step + 2]  # the last record

    def with_length(length: int) -> bytes:
        return data[:at] + struct.pack(order + "H", length) + data[at + 2 :]

    assert decode_c3d(with_length(step), "usual.c3d").notes == file.notes
    odd = decode_c3d(with_length(step << 8), "odd.c3d")
    assert list(odd.groups) == list(file.groups)
    assert odd.groups["ODD"]["LATIN"].strings() == file.groups["ODD"]["LATIN"].strings()
    np.testing.assert_array_equal(odd.points, file.points)
    assert any("'LATIN'" in str(note) and f"read as {step}" in str(note) for note in odd.notes)
    for wrong in (1, 0xFFFF, (step + 1) << 8):
        with pytest.raises(CaptureError, match="parameter section"):
            decode_c3d(with_length(wrong), "damaged.c3d")


def test_an_offset_is_a_word_as_the_raw_numbers_are() -> None:
    """-32768 beside raw numbers from 32000 to 33000 is 32768; beside numbers with a sign it stays."""
    file, data = made(unsigned=True)
    words = file.groups["ANALOG"]["OFFSET"].numbers()
    at = data.index(struct.pack("<bb", 6, 2) + b"FORMAT")
    data = data[:at] + data[at:].replace(b"UNSIGNED", b"SIGNED  ", 1)
    offset = data.index(struct.pack("<bb", 6, 2) + b"OFFSET") + 2 + 6 + 2 + 3
    assert np.array_equal(np.frombuffer(data, "<i2", C, offset), words)
    data = data[:offset] + struct.pack("<h", -32768) + data[offset + 2 :]
    start = (int(file.groups["POINT"]["DATA_START"].scalar()) - 1) * 512
    numbers = np.frombuffer(data, "<f4", N * FRAME, start).reshape(N, FRAME).copy()
    factor = file.groups["ANALOG"]["SCALE"].numbers()[0] * 0.25
    for low, zero in ((32000, 32768), (-500, -32768)):
        raw = low + np.arange(N * K, dtype=float) * 12
        numbers[:, 4 * M :: C] = raw.reshape(N, K)
        odd = decode_c3d(data[:start] + numbers.tobytes() + data[start + numbers.nbytes :], "odd.c3d")
        np.testing.assert_array_equal(odd.analog[:, 0], (raw - zero) * factor)
        assert any(
            "OFFSET is negative for" in str(note) and "channels (1" in str(note) for note in odd.notes
        ) == (zero > 0)
