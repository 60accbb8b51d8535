"""The parser of numbers: fast and slow path agree, every trap has its reading, every error names its cell."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from softstride.capture.text import clean_numbers, read_numbers, table
from softstride.errors import CaptureError
from softstride.notes import sentences

NAMES = ("a", "b", "c")
NAN = np.nan


def read(body, names=NAMES, **options):
    return read_numbers(body, names, "file.txt", **options)


def same(values, expected):
    return np.array_equal(values, np.array(expected, dtype=float), equal_nan=True)


@pytest.mark.parametrize(
    ("body", "fast"),
    [
        (b"1\t2\t3\n4\t5\t6\n", True),
        (b"1\t2\t3\n4\t5\t6", True),
        (b"1\t2\t3\t\n4\t5\t6\t\n", True),
        (b"\n\n1\t2\t3\n4\t5\t6\n\n\n", True),
        (b"  1\t 2 \t3  \n 4\t5\t6\n", True),
        (b"1.0e0\t2E+0\t30e-1\n.4e1\t5.\t600.e-2\n", True),
        (b"+1\t2\t3\n4\t+5.0\t6\n", False),
        (b"1\t2\t3\n\n\t\t\n4\t5\t6\n", False),
        (b"1d0\t2D0\t3\n4\t5\t6\n", False),
        (b"1\t2\t3\t\t\n4\t5\t6\t\n", False),
    ],
)
def test_readings_of_one_table(body, fast):
    """Trailing tabs, padding, exponents and blank lines do not change the six numbers."""
    assert (clean_numbers.read_clean(body, 3) is not None) is fast
    result = read(body)
    assert same(result.values, [[1, 2, 3], [4, 5, 6]])
    assert result.notes == ()


SPELLINGS = (
    b"nan", b"NaN", b"NAN", b"Nan", b"-nan", b"", b" ", b"1.#QNAN", b"-1.#IND00", b"nan(ind)", b"-nan(ind)", b"#N/A",
    b"N/A", b"NA", b"null", b"None", b"+NaN",
)  # fmt: skip


@pytest.mark.parametrize("cell", SPELLINGS)
@pytest.mark.parametrize("column", [0, 1, 2])
def test_spellings_of_missing(cell, column):
    row = [b"4", b"5", b"6"]
    row[column] = cell
    expected = [4.0, 5.0, 6.0]
    expected[column] = NAN
    assert same(
        read(b"1\t2\t3\n" + b"\t".join(row) + b"\n7\t8\t9\n").values, [[1, 2, 3], expected, [7, 8, 9]]
    )


def test_blanks_stay_on_the_fast_path():
    """Blank cells at the start, in the middle, in runs and at the end of a row."""
    body = b"1\t2\t3\n\t\t\n\t\t9\n4\t\t\n\t5\t\n7\tNaN\tnan\n1\t2\t3\n"
    values = clean_numbers.read_clean(body, 3)
    nothing = [NAN, NAN, NAN]
    expected = [[1, 2, 3], nothing, [NAN, NAN, 9], [4, NAN, NAN], [NAN, 5, NAN], [7, NAN, NAN], [1, 2, 3]]
    assert same(values, expected)


@pytest.mark.parametrize("cell", [b"inf", b"-INF", b"Infinity", b"1.#INF", b"1e400", b"-1e999999999999"])
def test_infinite_counts_as_missing_with_a_note(cell):
    result = read(b"1\t" + cell + b"\t3\n")
    assert same(result.values, [[1, NAN, 3]])
    assert sentences(result.notes) == ("1 infinite values taken as missing",)


MALFORMED = (
    b"1.2.3", b"1-2", b"--1", b"1e", b"e5", b".", b"-", b"-.", b".e5", b"1e5.2", b"1e-.5", b"1ee5", b"0x10", b"1_000",
    b"1,5", b"1\x002", b"1 2", b"12abc", b"\xff", b"1e+-5", b"n", b"nann", b"na", b"5nan", b"-.e1", b"\xd9\xa1",
)  # fmt: skip


@pytest.mark.parametrize("cell", MALFORMED)
@pytest.mark.parametrize("column", [0, 1, 2])
def test_malformed_cell_is_named(cell, column):
    """Neither path takes a piece of a cell for a number, and the error says where the cell is."""
    row = [b"4", b"5", b"6"]
    row[column] = cell
    body = b"1\t2\t3\n" + b"\t".join(row) + b"\n7\t8\t9\n"
    if cell == b"na":  # a spelling of missing
        return
    assert clean_numbers.read_clean(body, 3) is None
    with pytest.raises(CaptureError) as caught:
        read(body, first_line=10)
    assert caught.value.field == f"row 11, column {NAMES[column]!r}"
    assert caught.value.path == "file.txt" and caught.value.problem and caught.value.fix


def test_short_rows_are_padded_and_noted():
    result = read(b"1\t2\t3\n4\t5\n7\t8\t9\n")
    assert same(result.values, [[1, 2, 3], [4, 5, NAN], [7, 8, 9]])
    assert sentences(result.notes) == ("1 rows shorter than the names padded with missing values: row 2",)


def test_long_row_is_refused():
    with pytest.raises(CaptureError, match="row 2: has 4 values for 3 columns"):
        read(b"1\t2\t3\n4\t5\t6\t7\n")


def test_last_row_cut_off_is_dropped():
    """Its last number may be half a number: 4 <tab> 5 could have been 4 <tab> 5.678."""
    result = read(b"1\t2\t3\n4\t5")
    assert same(result.values, [[1, 2, 3]])
    assert sentences(result.notes) == ("row 2 is cut off in the middle: dropped",)


def test_text_behind_the_rows_is_ignored():
    result = read(b"1\t2\t3\n4\t5\t6\n\nend of file\nexported by hand\n")
    assert same(result.values, [[1, 2, 3], [4, 5, 6]])
    assert sentences(result.notes) == ("2 lines of text behind the last row ignored",)


@pytest.mark.parametrize(
    ("body", "options"),
    [
        (b"1,2,3\n4,5,6\n", {"separator": b","}),
        (b"1 , 2 ,3\n4,5,6\n", {"separator": b","}),
        (b"1;2;3\n4;5;6\n", {"separator": b";"}),
        (b"1,0;2,0;3,0\n4;5;6,00\n", {"separator": b";", "decimal_comma": True}),
        (b" 1  2 3\n4\t5   6 \n", {"separator": None}),
    ],
)
def test_other_separators(body, options):
    assert same(read(body, **options).values, [[1, 2, 3], [4, 5, 6]])


def number_texts():
    finite = st.floats(allow_nan=False, allow_infinity=False)
    written = st.sampled_from([repr, "{:.6f}".format, "{:.18e}".format, "{:g}".format, "{:12.5E}".format])
    return st.builds(lambda write, value: write(value), written, finite)


@given(
    st.lists(
        st.lists(st.one_of(number_texts(), st.sampled_from(["", "NaN"])), min_size=3, max_size=3), min_size=1
    )
)
def test_fast_path_is_the_slow_path(rows):
    """On any table of printed numbers and blanks both paths give the same bits as Python's float."""
    body = "".join("\t".join(row) + "\n" for row in rows).encode()
    values = clean_numbers.read_clean(body, 3)
    kept = [row for row in rows if any(cell.strip() for cell in row)]
    expected = np.array([[float(c) if c.strip() else NAN for c in row] for row in kept]).reshape(-1, 3)
    slow = table._read_rows(body, NAMES, "x", 1).values
    assert np.array_equal(slow, expected, equal_nan=True)
    assert np.array_equal(np.signbit(slow), np.signbit(expected))
    if values is not None:  # rows of nothing are data to the fast path, and nothing to the slow one
        something = ~np.isnan(values).all(axis=1)
        expected = expected[~np.isnan(expected).all(axis=1)]
        assert np.array_equal(values[something], expected, equal_nan=True)
        assert np.array_equal(np.signbit(values[something]), np.signbit(expected))


@given(st.text(alphabet="0123456789.-+eE\t\n na", min_size=1, max_size=60))
def test_fast_path_never_takes_what_the_slow_path_refuses(text):
    body = text.encode()
    values = clean_numbers.read_clean(body, 2)
    if values is None:
        return
    slow = table._read_rows(body.strip(b"\n") + b"\n", NAMES[:2], "x", 1).values
    something = ~np.isnan(values).all(axis=1)
    other = slow[~np.isnan(slow).all(axis=1)]
    assert np.array_equal(values[something], other, equal_nan=True)


def test_blocks_of_the_check_overlap(monkeypatch):
    """A bad pair or triple on the seam of two blocks is seen, wherever the seam lies."""
    for size in range(1, 12):
        monkeypatch.setattr(clean_numbers, "_BLOCK", size)
        assert clean_numbers._is_well_formed(b"12.5\t-3e-7\n.5\t4.\n")
        for bad in (b"12.5\t-3e-.7\n", b"1\t.\n", b"1-2\t3\n", b"1\t-.e3\n", b"1.2.3\t4\n", b"1e2e3\t4\n"):
            assert not clean_numbers._is_well_formed(bad)


def test_zeros_keep_their_signs():
    values = clean_numbers.read_clean(b"-0.0\t0\t-0e5\n-.0\t-0.5\t0.\n", 3)
    assert np.array_equal(np.signbit(values), [[True, False, True], [True, True, False]])


def test_pieces_are_joined(monkeypatch):
    """Tables larger than one piece are the same table; a flaw in a later piece is still found."""
    rng = np.random.default_rng(1)
    values = rng.normal(size=(200, 3))
    body = "".join("\t".join(map(repr, row)) + "\n" for row in values.tolist()).encode()
    for size in (1, 50, 1000, len(body) - 1, len(body)):
        monkeypatch.setattr(clean_numbers, "_PIECE", size)
        assert np.array_equal(clean_numbers.read_clean(body, 3), values)
        assert clean_numbers.read_clean(body + b"1\t2\n", 3) is None


def test_short_rows_lack_whole_groups():
    names = ("t", "x", "y", "z")
    assert same(read(b"0\t1\t2\t3\n1\n", names, group=3).values, [[0, 1, 2, 3], [1, NAN, NAN, NAN]])
    with pytest.raises(CaptureError, match="row 2: has 3 values for 4 columns, which come in groups of 3"):
        read(b"0\t1\t2\t3\n1\t2\t3\n", names, group=3)
