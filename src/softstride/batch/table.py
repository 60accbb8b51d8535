"""One table of all trials: Parquet for statistics, CSV for spreadsheets, and a list of what failed, for people."""

from __future__ import annotations

import io
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from softstride._version import __version__
from softstride.batch.outcome import Batch, Outcome
from softstride.errors import InputError
from softstride.files import write_whole
from softstride.harmless import csv_line

TABLE, SHEET, FAILURES = "trials.parquet", "trials.csv", "failures.txt"

TEXTS = ("name", "path", "state", "reason")
"""Columns of text; numbers follow: `seconds`, then figures of merit and peaks."""


def check_parquet() -> None:
    """Refuse a batch whose table could not be written in the end.

    Raises:
        InputError: pyarrow is not installed.
    """
    try:
        import pyarrow.parquet  # noqa: F401
    except ModuleNotFoundError as error:
        raise InputError(
            "the table of a batch needs pyarrow, which is not installed: pip install pyarrow"
        ) from error


def arrow_table(outcomes: Sequence[Outcome]) -> Any:
    """Return a `pyarrow.Table` with a row for each trial; figures that a trial has not are null."""
    import pyarrow as pa

    numbers = _numbers(outcomes)
    fields = [(name, pa.string()) for name in TEXTS] + [(name, pa.float64()) for name in numbers]
    columns = {name: [getattr(outcome, name) for outcome in outcomes] for name in TEXTS}
    columns |= {name: [_number(outcome, name) for outcome in outcomes] for name in numbers}
    schema = pa.schema(fields, metadata={"softstride": __version__})
    return pa.table(columns, schema=schema)


def write_tables(batch: Batch) -> None:
    """Write the tables of a batch, each whole or not at all, in the place of earlier ones.

    Raises:
        CaptureError: One cannot be written.
    """
    import pyarrow.parquet as parquet

    stream = io.BytesIO()
    parquet.write_table(arrow_table(batch.outcomes), stream)
    write_whole(batch.out / TABLE, stream.getvalue(), overwrite=True)
    write_whole(batch.out / SHEET, _sheet(batch.outcomes).encode("utf-8"), overwrite=True)
    troubled = [outcome for outcome in batch.outcomes if outcome.state != "done"]
    if troubled:
        write_whole(batch.out / FAILURES, _failures(troubled).encode("utf-8"), overwrite=True)
    else:
        (batch.out / FAILURES).unlink(missing_ok=True)


def written(out: Path) -> dict[str, str | None]:
    """Return the files of the tables by what they are: "table", "csv", "failures"; None for what is not there."""
    names = {"table": TABLE, "csv": SHEET, "failures": FAILURES}
    return {what: str(out / name) if (out / name).is_file() else None for what, name in names.items()}


def _numbers(outcomes: Sequence[Outcome]) -> list[str]:
    """Return the columns of numbers, figures in the order in which they first come."""
    found = dict.fromkeys(name for outcome in outcomes for name in outcome.figures)
    return ["seconds", *(name for name in found if name not in (*TEXTS, "seconds"))]


def _number(outcome: Outcome, name: str) -> float | None:
    return outcome.seconds if name == "seconds" else outcome.figures.get(name)


def _sheet(outcomes: Sequence[Outcome]) -> str:
    numbers = _numbers(outcomes)
    lines = [csv_line([*TEXTS, *numbers])]
    for outcome in outcomes:
        values = [_number(outcome, name) for name in numbers]
        texts = [getattr(outcome, name) for name in TEXTS]
        lines.append(csv_line([*texts, *("" if value is None else repr(value) for value in values)]))
    return "\n".join(lines) + "\n"


def _failures(outcomes: Sequence[Outcome]) -> str:
    """Return what went wrong, a paragraph for each trial."""
    count = {state: sum(outcome.state == state for outcome in outcomes) for state in ("failed", "partial")}
    head = f"{count['failed']} trials failed, {count['partial']} are partial (softstride {__version__})"
    parts = [
        f"{outcome.name}  [{outcome.state}]\n  file: {outcome.path}\n  reason: {outcome.reason}\n"
        + "".join(f"    {line}\n" for line in outcome.trace.splitlines())
        for outcome in outcomes
    ]
    return "\n".join([head + "\n", *parts])
