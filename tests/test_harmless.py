"""Names of strangers: no file outside its folder, no formula in a spreadsheet, and ordinary names as they are."""

import csv
import io
import sys

import numpy as np
import pandas as pd
import pytest

from softstride.harmless import LONGEST, cell, csv_line, csv_text, file_name, file_names

ORDINARY = (
    "walk 01",
    "blade_r",
    "été 2026",
    "marche à pied",
    "run.v2",
    ".hidden",
    "a&b (2)",
    "-3",
    "=1",
    "x" * 150,
)


@pytest.mark.parametrize("name", ORDINARY)
def test_ordinary_names_stay(name: str) -> None:
    assert file_name(name) == name


@pytest.mark.parametrize(
    ("name", "safe"),
    [
        ("/etc/passwd", "_etc_passwd"),
        ("../../up", ".._.._up"),
        ("..", "__"),
        (".", "_"),
        ("", "_"),
        (" ", "_"),
        ("a\\b", "a_b"),
        ("C:\\x", "C:_x"),
        ("a\0b\nc", "a_b_c"),
    ],
)
def test_no_name_leads_elsewhere(name: str, safe: str, tmp_path) -> None:
    assert file_name(name) == safe.replace(":", "_" if sys.platform == "win32" else ":")
    assert (tmp_path / file_name(name)).resolve().parent == tmp_path.resolve()


@pytest.mark.parametrize(
    ("name", "safe"),
    [("a<b>", "a_b_"), ("12:30", "12_30"), ("nul", "_nul"), ("COM1.x", "_COM1.x"), ("a.", "a_")],
)
def test_names_that_windows_refuses(name: str, safe: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "platform", "win32")
    assert file_name(name) == safe
    monkeypatch.setattr(sys, "platform", "linux")
    assert file_name(name) == name


def test_long_names_fit_and_stay_apart(tmp_path) -> None:
    names = [file_name("é" * 300 + end) for end in ("a", "b")]
    assert len(set(names)) == 2 and all(len(name.encode()) <= LONGEST for name in names)
    (tmp_path / f"{names[0]}_muscles_activation.sto").write_text("")


def test_no_two_files_are_called_alike() -> None:
    assert file_names(["a/b", "a_b", "A_b", "c"]) == ["a_b", "a_b_2", "A_b_3", "c"]


@pytest.mark.parametrize(
    "text", ["=1+2", "+1+2", "-1+2", "@SUM(A1)", "\t=1", "\r=1", "\n=1", "＝1+2", "-cmd"]
)
def test_no_cell_is_a_formula(text: str) -> None:
    safe = f"'{text}".replace("\r", " ")
    assert cell(text) == safe
    read = csv.reader(io.StringIO(csv_line(["a", text]), newline=""), strict=True)
    assert next(read) == ["a", safe]


def test_no_name_begins_a_row() -> None:
    """Of two lines, or of several cells: quoted, so that it stays one cell."""
    for text in ("a\n=1", "a\r=1", 'a",=1', "a,=1"):
        table = pd.DataFrame({text: [1.0]}, index=pd.Index([0.5], name="t"))
        for written in (csv_line(["t", text]), csv_text(table).removesuffix("0.5,1.0\n").removesuffix("\n")):
            rows = list(csv.reader(io.StringIO(written, newline=""), strict=True))
            assert rows == [["t", text.replace("\r", " ")]]


@pytest.mark.parametrize("value", ["-1.5", "+2", "-inf", "1e-3", "walk", "a=b", "", -1.5, 3, None])
def test_numbers_and_words_stay(value: object) -> None:
    assert cell(value) is value


def test_a_table_keeps_its_numbers_and_loses_its_formulas() -> None:
    table = pd.DataFrame(
        {"=a": [-1.5, np.nan], "b,c": ["-x", "y"], "n": pd.array([1, 2])},
        index=pd.Index(["@i", "j"], name="+k"),
    )
    before = table.copy()
    assert csv_text(table) == "'+k,'=a,\"b,c\",n\n'@i,-1.5,'-x,1\nj,,y,2\n"
    assert table.equals(before) and table.index.name == "+k", "the table itself is as it was"
    both = pd.DataFrame(
        [[1.0]], columns=pd.MultiIndex.from_tuples([("=p", "x")]), index=pd.Index([0.5], name="t")
    )
    assert csv_text(both, float_format="%.3g").splitlines()[0] == ",'=p"
