"""TRC: each trap by a small file, and round trips bit for bit."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.capture.text.trc_samples import TRC

from softstride.capture.text import TrcFile, format_trc, parse_trc
from softstride.errors import CaptureError
from softstride.notes import codes, sentences

EXPECTED = np.array(
    [
        [[1.5, 2.5, 3.5], [-4, -5, -6]],
        [[1.6, 2.6, 3.6], [-4.1, -5.1, -6.1]],
        [[1.7, 2.7, 3.7], [-4.2, -5.2, -6.2]],
    ]
)


def parse(text, encoding="utf-8"):
    return parse_trc(text.encode(encoding), "walk.trc")


def changed(*replacements):
    text = TRC
    for old, new in replacements:
        assert old in text
        text = text.replace(old, new)
    return text


def test_plain_file():
    file = parse(TRC)
    assert file.labels == ("RASI", "LASI") and file.units == "mm" and file.notes == ()
    assert file.rate == 100 and file.camera_rate == 100
    assert np.array_equal(file.positions, EXPECTED)
    assert np.array_equal(file.time, [0, 0.01, 0.02]) and np.array_equal(file.frame_numbers, [1, 2, 3])
    assert file.header["PathFileType"] == "4\t(X/Y/Z)\twalk.trc" and file.header["OrigDataStartFrame"] == "1"


@pytest.mark.parametrize(
    "text",
    [
        TRC.replace("\n", "\r\n"),
        TRC.replace("\n", "\r"),
        "\ufeff" + TRC,
        TRC.rstrip("\n"),
        TRC + "\n\n\n",
        TRC.replace("\n\n", "\n"),
        changed(
            (
                "100.0\t100.0\t3\t2\tmm\t100.0\t1\t3",
                "  100.0\t\t  100.0\t\t  3\t\t   2\t\t mm\t 100.0\t  1\t  3",
            )
        ),
        changed(("100.0\t100.0\t3\t2\tmm\t100.0\t1\t3", "100.0\t100.0\t3\t2\tmm\t100.0\t1\t3\t\t\t")),
        changed(("Frame#\tTime\tRASI\t\t\tLASI\t\t\n", "Frame#\tTime\t\tRASI\t\tLASI\n")),
        changed(("Frame#\tTime\tRASI\t\t\tLASI\t\t\n", "Frame#\tTime\tRASI\tLASI\n")),
        changed(("Frame#\tTime\tRASI\t\t\tLASI\t\t\n", "Frame#\tTime\tRASI\tRASI\tRASI\tLASI\tLASI\tLASI\n")),
        changed(
            (
                "Frame#\tTime\tRASI\t\t\tLASI\t\t\n",
                "Frame#\tTime\tRASI_X\tRASI_Y\tRASI_Z\tLASI_X\tLASI_Y\tLASI_Z\n",
            )
        ),
        changed(("Frame#\tTime\tRASI\t\t\tLASI\t\t\n", "Frame#\tTime\tRASI\t\t\tLASI\t\t\t\t\t\n")),
        changed(("-6\n", "-6\t\n"), ("-6.1\n", "-6.1\t\n"), ("-6.2\n", "-6.2\t\n")),
        changed(("-6\n", "-6\t\t\t\n")),
        changed(("1.5\t2.5", "+1.5E+00\t 2.5 ")),
    ],
)
def test_variations_say_the_same(text):
    file = parse(text)
    assert file.labels == ("RASI", "LASI") and file.units == "mm" and file.rate == 100
    assert np.array_equal(file.positions, EXPECTED)
    assert file.header["NumMarkers"] == "2" and file.header["OrigDataRate"] == "100.0"


@pytest.mark.parametrize("encoding", ["utf-16", "utf-8-sig", "utf-32"])
def test_byte_order_marks(encoding):
    assert np.array_equal(parse(TRC, encoding).positions, EXPECTED)


def test_padding_bytes_are_noted():
    file = parse_trc(TRC.encode() + b"\x00" * 500, "x")
    assert np.array_equal(file.positions, EXPECTED)
    assert sentences(file.notes) == ("500 padding bytes behind the last line ignored",)


@pytest.mark.parametrize(
    "cells", ["\t\t", "0\t0\t0", "0.000\t-0.0\t0", "NaN\tnan\tNAN", "1.#QNAN\t1.#QNAN\t1.#QNAN"]
)
def test_missing_points(cells):
    file = parse(changed(("-4.1\t-5.1\t-6.1", cells)))
    assert np.isnan(file.positions[1, 1]).all() and file.notes == ()
    assert np.array_equal(file.positions[[0, 2]], EXPECTED[[0, 2]])


def test_half_a_point_is_missing():
    file = parse(changed(("-4.1\t-5.1\t-6.1", "-4.1\t\t-6.1")))
    assert np.isnan(file.positions[1, 1]).all()
    assert sentences(file.notes) == ("1 points lack a coordinate and count as missing: LASI",)


def test_short_row_is_padded():
    file = parse(changed(("\t-4.1\t-5.1\t-6.1", "")))
    assert np.isnan(file.positions[1, 1]).all() and np.array_equal(file.positions[1, 0], EXPECTED[1, 0])
    assert file.notes[0].code == "table.rows-padded"


def test_counts_that_lie():
    file = parse(changed(("100.0\t3\t2\tmm", "100.0\t9\t7\tmm")))
    assert np.array_equal(file.positions, EXPECTED)
    assert sentences(file.notes) == (
        "header states NumFrames 9, but the file holds 3",
        "header states NumMarkers 7, but the file holds 2",
    )


def test_rate_that_lies():
    file = parse(changed(("100.0\t100.0\t3", "250\t250\t3")))
    assert file.rate == 100 and "header states 250 Hz" in str(file.notes[0])


def test_no_rate_at_all_is_read_from_the_times():
    file = parse(changed(("100.0\t100.0\t3", "?\t?\t3")))
    assert file.rate == 100 and file.units == "mm"


def test_header_values_that_do_not_line_up_are_read_by_meaning():
    file = parse(changed(("100.0\t100.0\t3\t2\tmm\t100.0\t1\t3", "100.0\t100.0\t3\t2\tmm\t100.0")))
    assert file.units == "mm" and file.rate == 100 and file.header["NumFrames"] == "3"
    assert "OrigDataRate" not in file.header
    assert file.notes[0].code == "trc.values-by-meaning"


def test_no_unit_is_noted():
    file = parse(changed(("\tmm\t", "\t\t")))
    assert file.units == "" and "trc.no-unit" in codes(file.notes)


def test_rounded_times():
    text = changed(("100.0\t100.0\t3", "60\t60\t3"), ("2\t0.01", "2\t0.017"), ("3\t0.02", "3\t0.033"))
    text += "4\t0.050\t1\t1\t1\t1\t1\t1\n"
    file = parse(text)
    assert np.allclose(file.time, np.arange(4) / 60, atol=1e-15)
    assert np.array_equal(file.time_column, [0, 0.017, 0.033, 0.05])
    assert "time column rounded to 3 decimals; regular time at 60 Hz used" in sentences(file.notes)


def test_repeated_label_is_renamed():
    file = parse(changed(("LASI", "RASI")))
    assert file.labels == ("RASI", "RASI_2") and sentences(file.notes) == (
        "labels that appear twice renamed: RASI_2",
    )


def test_left_out_frames_are_noted():
    file = parse(changed(("3\t0.02", "7\t0.06")))
    assert np.array_equal(file.frame_numbers, [1, 2, 7]) and file.rate == 100
    assert sentences(file.notes) == ("4 frames are left out between the rows, by their numbers",)


@pytest.mark.parametrize(
    ("text", "field"),
    [
        ("", "file"),
        ("   \n\n", "file"),
        ("hello\nworld\n", "row of labels"),
        (TRC[: TRC.index("1\t0.00")], "rows"),
        (TRC.replace("RASI", "").replace("LASI", ""), "row of labels"),
        (TRC.replace("2.6", "2.6mm"), "row 8, column 'RASI.y'"),
        (TRC.replace("-6.1", "-6.1\t17"), "row 8"),
        (TRC.replace("\t2.6\t", "\t"), "row 8"),
        (TRC.replace("\t\t\tLASI", ""), "row 7"),
        (TRC.replace("\t-4\t", "\t").replace("\t-5\t-6\n", "\n"), "row of labels"),
        (TRC.replace("0.01\t", "\t"), "data row 2, column 'time'"),
    ],
)
def test_what_cannot_be_trusted_is_refused(text, field):
    if field == "row of labels" and "RASI" in text:  # no row has values for LASI, and the header agrees
        text = TRC.replace("3\t2\tmm", "3\t1\tmm")
        for cells in ("\t-4\t-5\t-6", "\t-4.1\t-5.1\t-6.1", "\t-4.2\t-5.2\t-6.2"):
            text = text.replace(cells, "")
    with pytest.raises(CaptureError) as caught:
        parse(text)
    assert caught.value.field == field and caught.value.path == "walk.trc"
    assert caught.value.problem and caught.value.fix


labels = st.text(alphabet="abcXYZ019._-*:# ", min_size=1, max_size=8).filter(lambda s: s == s.strip() and s)
coordinates = st.floats(allow_nan=True, allow_infinity=False).filter(lambda v: v != 0)


@given(st.data())
def test_round_trip_is_bit_for_bit(data):
    names = data.draw(st.lists(labels, min_size=1, max_size=4, unique=True))
    n = data.draw(st.integers(1, 6))
    points = np.array(
        data.draw(st.lists(coordinates, min_size=3 * n * len(names), max_size=3 * n * len(names)))
    )
    points = points.reshape(n, len(names), 3)
    points[np.isnan(points).any(axis=2)] = np.nan
    rate = data.draw(st.floats(1, 5000))
    file = TrcFile(tuple(names), data.draw(st.floats(0, 100)) + np.arange(n) / rate, points, "mm", rate)
    again = parse_trc(format_trc(file), "x")
    assert again.labels == file.labels and again.units == "mm"
    assert np.array_equal(again.positions, points, equal_nan=True)
    assert np.array_equal(again.time_column, file.time)
    assert again.rate == rate
    assert format_trc(again) == format_trc(parse_trc(format_trc(again), "x"))


def test_precision_is_what_is_asked_for():
    file = parse(TRC.replace("1.5\t2.5", "1.23456789\t2.5"))
    assert b"\t1.2346\t2.5\t" in format_trc(file, precision=5)


@pytest.mark.parametrize(
    ("change", "field"),
    [
        ({"labels": ("RASI", "RASI")}, "labels"),
        ({"labels": ("R\tASI", "LASI")}, "labels"),
        ({"labels": ("", "LASI")}, "labels"),
        ({"positions": np.zeros((3, 2, 3))}, "frame 1, label 'RASI'"),
        ({"positions": np.full((3, 2, 3), np.inf)}, "row 1, column 1"),
        ({"positions": np.ones((2, 2, 3))}, "positions"),
    ],
)
def test_writer_refuses_what_the_format_cannot_hold(change, field):
    given = {
        "labels": ("RASI", "LASI"),
        "time": np.arange(3.0),
        "positions": np.ones((3, 2, 3)),
        "units": "m",
    }
    with pytest.raises(CaptureError) as caught:
        format_trc(TrcFile(**{**given, **change}, rate=1.0))
    assert caught.value.field == field


def test_errors_of_writing_name_the_file():
    at_origin = TrcFile(("C7",), np.zeros(1), np.zeros((1, 1, 3)), "m", 100.0)
    with pytest.raises(CaptureError, match=r"^out\.trc: frame 1, label 'C7'"):
        format_trc(at_origin, path="out.trc")
    blank = TrcFile(("",), np.zeros(1), np.ones((1, 1, 3)), "m", 100.0)
    with pytest.raises(CaptureError, match=r"^out\.trc: labels"):
        format_trc(blank, path="out.trc")
