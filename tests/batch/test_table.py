"""The table of all trials: rows and columns, and nothing in it that a spreadsheet would run."""

import csv
import sys
from pathlib import Path

import pyarrow.parquet as parquet
import pytest

from softstride.batch.outcome import Batch, Outcome
from softstride.batch.table import arrow_table, check_parquet, write_tables, written
from softstride.errors import InputError

THIRD = 1.0 / 3.0
DONE = Outcome("a/walk", "in/a/walk.c3d", "done", "", 1.5, {"frames": 100.0, "marker_rms_mm": THIRD})
PARTIAL = Outcome("b", "in/b.c3d", "partial", "muscles: none", 2.0, {"frames": 3.0, "cop_mm": 7.0})
FAILED = Outcome("=1+2", "in/=1+2.c3d", "failed", "-5 markers", 0.1, trace="Traceback\n  in a line")


def test_a_row_for_each_trial_and_a_column_for_each_figure(tmp_path: Path) -> None:
    write_tables(Batch(tmp_path, (DONE, PARTIAL, FAILED)))
    table = parquet.read_table(tmp_path / "trials.parquet")
    assert table.column_names == [
        "name", "path", "state", "reason", "seconds", "frames", "marker_rms_mm", "cop_mm",
    ]  # fmt: skip
    assert table["marker_rms_mm"].to_pylist() == [THIRD, None, None]
    assert table["frames"].to_pylist() == [100.0, 3.0, None]
    assert table["state"].to_pylist() == ["done", "partial", "failed"]
    assert table["name"].to_pylist()[2] == "=1+2"
    assert b"softstride" in table.schema.metadata


def test_the_sheet_says_the_same(tmp_path: Path) -> None:
    write_tables(Batch(tmp_path, (DONE, PARTIAL, FAILED)))
    with (tmp_path / "trials.csv").open(encoding="utf-8", newline="") as stream:
        lines = list(csv.DictReader(stream))
    assert float(lines[0]["marker_rms_mm"]) == THIRD and lines[1]["marker_rms_mm"] == ""
    assert lines[2]["name"] == "'=1+2" and lines[2]["reason"] == "'-5 markers"  # no formulas


def test_failures_are_listed_with_their_reasons(tmp_path: Path) -> None:
    write_tables(Batch(tmp_path, (DONE, PARTIAL, FAILED)))
    text = (tmp_path / "failures.txt").read_text(encoding="utf-8")
    assert text.startswith("1 trials failed, 1 are partial")
    assert "=1+2  [failed]\n  file: in/=1+2.c3d\n  reason: -5 markers\n    Traceback\n" in text
    assert "reason: muscles: none" in text and "a/walk" not in text


def test_a_list_of_failures_goes_when_there_are_none(tmp_path: Path) -> None:
    write_tables(Batch(tmp_path, (DONE, FAILED)))
    assert written(tmp_path)["failures"] == str(tmp_path / "failures.txt")
    write_tables(Batch(tmp_path, (DONE,)))
    assert written(tmp_path)["failures"] is None
    assert not [file for file in tmp_path.iterdir() if file.name.startswith(".")]


def test_no_figures_at_all(tmp_path: Path) -> None:
    assert arrow_table([FAILED]).column_names == ["name", "path", "state", "reason", "seconds"]
    frame = Batch(tmp_path, (DONE, FAILED)).to_dataframe()
    assert frame["frames"].isna().tolist() == [False, True]


def test_without_pyarrow_a_batch_does_not_begin(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pyarrow.parquet", None)
    with pytest.raises(InputError, match="needs pyarrow, which is not installed: pip install pyarrow"):
        check_parquet()
