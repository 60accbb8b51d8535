"""CSV and plain tables: separators, names, units, comments, decimal commas, columns of words."""

import numpy as np
import pytest
from tests.capture.text.trc_samples import CSV

from softstride.capture.text import parse_csv
from softstride.errors import CaptureError
from softstride.notes import Note, codes, sentences

NAN = np.nan


def parse(text, encoding="utf-8"):
    return parse_csv(text.encode(encoding), "table.csv")


def test_numbers_units_and_words():
    file = parse(CSV)
    assert file.columns == ("time", "force") and file.units == ("s", "N") and file.separator == ","
    assert np.array_equal(file.values, [[0, 1.5], [0.1, 2.5], [0.2, NAN]], equal_nan=True)
    assert dict(file.text_columns) == {"side": ("left", "right", "left")} and file.notes == ()


@pytest.mark.parametrize(
    "text",
    [
        "a,b\n1,2.5\n3,4.5\n",
        "a;b\n1;2.5\n3;4.5\n",
        "a;b\n1;2,5\n3;4,5\n",
        "a\tb\n1\t2.5\n3\t4.5\n",
        "a b\n1 2.5\n3    4.5\n",
        "  a   b\n  1   2.5\n  3   4.5\n",
        '"a","b"\n"1","2.5"\n3,4.5\n',
        "# made by hand\na,b\n1,2.5\n# between\n3,4.5\n",
        "% a\tb\n1\t2.5\n3\t4.5\n",
        "my table\na,b\n1,2.5\n3,4.5\n",
        "a,b\r\n1,2.5\r\n\r\n3,4.5\r\n",
        "a,b\n1,2.5,\n3,4.5,\n",
        "a,b\nm,-\n1,2.5\n3,4.5\n",
        "'a' 'b'\n1 2.5\n3 4.5\n",
    ],
)
def test_readings_of_one_table(text):
    for encoding in ("utf-8", "utf-8-sig", "utf-16"):
        file = parse(text, encoding)
        assert file.columns == ("a", "b")
        assert np.array_equal(file.values, [[1, 2.5], [3, 4.5]])


def test_comments_and_lines_above_are_kept():
    file = parse("# one\nWalk 3\na,b\n1,2\n# two\n3,4\n")
    assert file.header == ("# one", "Walk 3", "# two")


def test_decimal_commas_are_noted_and_never_guessed():
    assert parse("a;b\n1,5;2\n").notes == (
        Note("csv.decimal-commas", "commas in numbers read as decimal points", topic="csv"),
    )
    mixed = parse("a;b\n1,5;2.5\n1,6;3.5\n")  # a point is there as well: the commas stay text
    assert mixed.columns == ("b",) and mixed.text_columns["a"] == ("1,5", "1,6")


def test_row_of_units():
    assert parse("t,f\ns,N\n0,1\n1,2\n").units == ("s", "N")


def test_no_names():
    file = parse("1,2\n3,4\n")
    assert file.columns == ("column_1", "column_2") and np.array_equal(file.values, [[1, 2], [3, 4]])


def test_names_that_are_numbers():
    file = parse("time,1,2\n0,5,6\n1,7,8\n")
    assert file.columns == ("time", "1", "2") and file.values.shape == (2, 3)


def test_quoted_separator():
    file = parse('name,mass (kg)\n"Smith, J",70.5\n"Doe, A",61\n')
    assert file.text_columns["name"] == ("Smith, J", "Doe, A") and np.array_equal(file.values, [[70.5], [61]])


def test_repeated_names():
    file = parse("x,x,x\n1,2,3\n4,5,6\n")
    assert file.columns == ("x", "x_2", "x_3") and codes(file.notes) == ("file.names-repeated",)


def test_one_wrong_cell_makes_text_and_a_note():
    file = parse("a,b\n1,2\n3,4x\n5,6\n7,8\n")
    assert file.columns == ("a",) and file.text_columns["b"] == ("2", "4x", "6", "8")
    assert sentences(file.notes) == ("column 'b' is kept as text: 1 of 4 cells are not numbers: '4x'",)


def test_short_rows():
    file = parse("a,b\n1,2\n3\n5,6\n")
    assert np.array_equal(file.values, [[1, 2], [3, NAN], [5, 6]], equal_nan=True)
    assert codes(file.notes) == ("table.rows-padded",)


@pytest.mark.parametrize(
    ("text", "field"),
    [
        ("", "file"),
        ("# nothing\n", "rows"),
        ("a,b\n", "rows"),
        ("word,another\nno,numbers\nhere,either\n", "rows"),
        ("a,b\n1,2\n3,4,5\n", "row 3"),
        ("Dear reader,\nthis is 1 letter of prose\nwithout any table at all in it, and 2 numbers\n", "rows"),
    ],
)
def test_what_is_no_table_is_refused(text, field):
    with pytest.raises(CaptureError) as caught:
        parse(text)
    assert caught.value.field == field and caught.value.problem and caught.value.fix
