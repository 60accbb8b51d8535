"""MOT and STO: each trap by a small file, and round trips bit for bit."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.capture.text.trc_samples import MOT, STO

from softstride.capture.text import StorageFile, format_storage, parse_storage
from softstride.errors import CaptureError
from softstride.notes import codes, sentences

EXPECTED = np.array([[1.5, 700.25, -3], [1.6, 701.25, -3.5], [1.7, 702.25, -4]])
COLUMNS = ("ground_force_vx", "ground_force_vy", "ground_force_vz")


def parse(text, encoding="utf-8"):
    return parse_storage(text.encode(encoding), "walk.mot")


def test_plain_file():
    file = parse(MOT)
    assert file.name == "walk_grf" and file.columns == COLUMNS and file.notes == ()
    assert file.in_degrees is False and file.vector_size == 1
    assert np.array_equal(file.values, EXPECTED) and np.array_equal(file.time, [0, 0.01, 0.02])
    assert dict(file.header) == {"version": "1", "nRows": "3", "nColumns": "4", "inDegrees": "no"}


def test_version_three():
    file = parse(STO)
    assert file.columns[0] == "/jointset/hip_r/hip_flexion_r/value" and file.in_degrees is True
    assert file.header["OpenSimVersion"] == "4.5-2024-03-01"
    assert file.values[0, 0] == 0.001606593553352076 and np.isnan(file.values[1, 1])


SIMM = "name walk_grf\ndatacolumns 4\ndatarows 3\notherdata 1\nrange 0.0 0.02\nendheader\n"


@pytest.mark.parametrize(
    "text",
    [
        MOT.replace("\n", "\r\n"),
        MOT.replace("\n", "\t\t\t\n"),
        MOT.replace("\t", "\t   ").replace("\ntime", "\n     time"),
        MOT.replace("endheader\n", "\nUnits are S.I. units (second, meters, Newtons, ...)\n\nendheader\n\n"),
        MOT.replace("endheader\n", "endheader \t\n"),
        SIMM + MOT[MOT.index("time\t") :],
        SIMM.replace("endheader\n", "endheader\n\n") + MOT[MOT.index("time\t") :].replace("\t", "\t     "),
        MOT.replace("\t", "  "),
        MOT.replace("time\t", "Time\t"),
    ],
)
def test_variations_say_the_same(text):
    file = parse(text)
    assert file.columns == COLUMNS and file.name == "walk_grf" and file.notes == ()
    assert np.array_equal(file.values, EXPECTED) and np.array_equal(file.time, [0, 0.01, 0.02])


def test_free_text_is_kept_as_description():
    file = parse(MOT.replace("endheader", "Units are S.I. units\n\nAngles are in degrees.\nendheader"))
    assert file.header["description"] == "Units are S.I. units\n\nAngles are in degrees."


@pytest.mark.parametrize(
    ("word", "expected"), [("yes", True), ("YES", True), ("no", False), ("false", False)]
)
def test_degrees(word, expected):
    assert parse(MOT.replace("inDegrees=no", f"inDegrees = {word}")).in_degrees is expected


def test_degrees_unsaid_or_unclear():
    assert parse(MOT.replace("inDegrees=no\n", "")).in_degrees is None
    file = parse(MOT.replace("inDegrees=no", "inDegrees=maybe"))
    assert file.in_degrees is None and "maybe" in str(file.notes[0])


def test_counts_that_lie():
    file = parse(MOT.replace("nColumns=4", "nColumns=40").replace("nRows=3", "nRows=x"))
    assert np.array_equal(file.values, EXPECTED)
    assert sentences(file.notes) == (
        "header states nRows x, but the file holds 3",
        "header states nColumns 40, but the file holds 4",
    )


def test_missing_endheader_is_noted():
    file = parse(MOT.replace("endheader\n", ""))
    assert np.array_equal(file.values, EXPECTED) and codes(file.notes) == ("storage.no-endheader",)


def test_time_elsewhere_and_time_from_range():
    lines = [line.split("\t") for line in MOT[MOT.index("time\t") :].splitlines()]
    moved = "".join("\t".join([*line[1:], line[0]]) + "\n" for line in lines)
    file = parse(SIMM + moved)
    assert np.array_equal(file.values, EXPECTED) and sentences(file.notes) == (
        "time is column 4, not the first",
    )
    without = "".join("\t".join(line[1:]) + "\n" for line in lines)
    file = parse(SIMM.replace("datacolumns 4", "datacolumns 3") + without)
    assert np.allclose(file.time, [0, 0.01, 0.02]) and codes(file.notes) == ("storage.time-from-range",)


def test_vectors():
    text = (
        "f\nDataType=Vec3\nversion=3\nendheader\ntime\tf\tp\n0\t1,2,3\t4,5,6\n0.1\t-1,-2,-3e-2\tnan,nan,nan\n"
    )
    file = parse(text)
    assert file.columns == ("f_1", "f_2", "f_3", "p_1", "p_2", "p_3") and file.vector_size == 3
    assert np.array_equal(file.values[0], [1, 2, 3, 4, 5, 6]) and np.isnan(file.values[1, 3:]).all()
    for blank in ("", "NaN", " "):
        assert np.isnan(parse(text.replace("nan,nan,nan", blank)).values[1, 3:]).all()
    assert b"DataType=Vec3" in format_storage(file)
    again = parse_storage(format_storage(file), "x")
    assert again.columns == file.columns and np.array_equal(again.values, file.values, equal_nan=True)


@pytest.mark.parametrize(
    ("text", "field"),
    [
        ("", "file"),
        ("hello\nworld\n", "endheader"),
        (MOT[: MOT.index("time\t")], "names of columns"),
        (MOT[: MOT.index("0.00")], "rows"),
        (MOT.replace("time\tground_force_vx\tground_force_vy\tground_force_vz\n", ""), "names of columns"),
        (MOT.replace("701.25", "7O1.25"), "row 9, column 'ground_force_vy'"),
        (MOT.replace("701.25", "701.25\t3"), "row 9"),
        (MOT.replace("701.25", "701,25"), "rows"),
        (MOT.replace("vz\n", "vz\textra\n"), "names of columns"),
        (MOT.replace("\tground_force_vz\n", "\n"), "row 8"),
        (MOT.replace("time\t", "frame\t"), "column 'time'"),
        (MOT.replace("version=1", "DataType=Matrix"), "DataType"),
        (MOT.replace("0.01\t", "\t"), "data row 2, column 'time'"),
    ],
)
def test_what_cannot_be_trusted_is_refused(text, field):
    with pytest.raises(CaptureError) as caught:
        parse(text)
    assert caught.value.field == field and caught.value.path == "walk.mot"
    assert caught.value.problem and caught.value.fix


names = st.text(alphabet="abcXYZ019._-*:/|# ", min_size=1, max_size=8).filter(lambda s: s == s.strip() and s)
names = names.filter(lambda s: s.lower() not in ("time", "t", "seconds"))
numbers = st.floats(allow_infinity=False)


@given(st.data())
def test_round_trip_is_bit_for_bit(data):
    columns = data.draw(st.lists(names, min_size=1, max_size=4, unique=True))
    n = data.draw(st.integers(2, 6))
    count = n * len(columns)
    values = np.array(data.draw(st.lists(numbers, min_size=count, max_size=count))).reshape(n, -1)
    time = data.draw(st.floats(-10, 100)) + np.arange(n) / data.draw(st.floats(1, 5000))
    degrees = data.draw(st.sampled_from([True, False, None]))
    file = StorageFile("table", tuple(columns), time, values, degrees)
    again = parse_storage(format_storage(file), "x")
    assert again.columns == file.columns and again.name == "table" and again.in_degrees is degrees
    assert np.array_equal(again.values, values, equal_nan=True)
    assert np.array_equal(again.time_column, time)
    assert format_storage(again) == format_storage(file)


@pytest.mark.parametrize(
    ("change", "field"),
    [
        ({"columns": ("a", "a")}, "columns"),
        ({"columns": ("a", "b\n")}, "columns"),
        ({"columns": ("a", "time")}, "columns"),
        ({"values": np.ones((2, 3))}, "values"),
        ({"vector_size": 3}, "values"),
        ({"values": np.array([[1, 2], [3, np.inf]])}, "row 2, column 2"),
    ],
)
def test_writer_refuses_what_the_format_cannot_hold(change, field):
    given = {"name": "x", "columns": ("a", "b"), "time": np.arange(2.0), "values": np.ones((2, 2))}
    with pytest.raises(CaptureError) as caught:
        format_storage(StorageFile(**{**given, **change}))
    assert caught.value.field == field


def test_errors_of_writing_name_the_file():
    file = StorageFile("x", ("a", "a"), np.arange(2.0), np.zeros((2, 2)))
    with pytest.raises(CaptureError, match=r"^out\.sto: columns: 'a' appears twice"):
        format_storage(file, path="out.sto")
    infinite = StorageFile("x", ("a",), np.arange(2.0), np.full((2, 1), np.inf))
    with pytest.raises(CaptureError, match=r"^out\.sto: row 1, column 1"):
        format_storage(infinite, path="out.sto")
