"""`Outcome`: what became of one trial; `Batch`: what became of all."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from softstride.files import read_json
from softstride.frozen import Table
from softstride.pipeline.results import FIGURES, LARGEST

if TYPE_CHECKING:
    import pandas as pd

State = Literal["done", "partial", "failed"]

TROUBLES = ("failed", "unwritten")
"""States of steps that make a trial partial."""


@dataclass(frozen=True, eq=False)
class Outcome:
    """What became of a trial.

    Attributes:
        name: Of the trial, see `Trial`.
        path: Its file.
        state: "done"; "partial": there are results, however a step failed or a file could not be written; "failed":
            there are none.
        reason: Why it is partial or failed; "" for what is done.
        seconds: How long its steps took [s], compilation left out; of a failed trial: how long it was tried.
        figures: Figures of merit and peaks, by name.
        compiling: How long the compilation of kernels took [s].
        trace: Where in the program something unexpected happened; "" for all that is expected.
        earlier: Whether it was there from an earlier run.
    """

    name: str
    path: str
    state: State
    reason: str = ""
    seconds: float = 0.0
    figures: Mapping[str, float] = field(default_factory=Table)
    compiling: float = 0.0
    trace: str = ""
    earlier: bool = False


@dataclass(frozen=True, eq=False)
class Batch:
    """What became of all trials.

    Attributes:
        out: Folder of the results.
        outcomes: Of each trial, by name.
        seconds: How long the batch took [s], by the clock on the wall.
    """

    out: Path
    outcomes: tuple[Outcome, ...]
    seconds: float = 0.0

    @property
    def counts(self) -> dict[str, int]:
        """How many trials are done, partial and failed."""
        found = Counter(outcome.state for outcome in self.outcomes)
        return {"done": found["done"], "partial": found["partial"], "failed": found["failed"]}

    @property
    def failed(self) -> tuple[Outcome, ...]:
        """Trials without results."""
        return tuple(outcome for outcome in self.outcomes if outcome.state == "failed")

    def to_dataframe(self) -> pd.DataFrame:
        """Return a `pandas.DataFrame` with a row for each trial, as in `trials.parquet`."""
        from softstride.batch.table import arrow_table

        return arrow_table(self.outcomes).to_pandas()


def read_outcome(folder: Path, name: str, path: str, peaks: str) -> Outcome | None:
    """Return the outcome that a folder of results tells; None where it holds none, or damaged ones.

    Args:
        folder: Of the results of one trial.
        name: Of the trial.
        path: Its file.
        peaks: File in the folder with more figures.
    """
    try:
        told = _object(folder / FIGURES)
        more = _object(folder / peaks) if (folder / peaks).is_file() else {}
        stages = [dict(stage) for stage in told["stages"]]
        figures = {str(key): float(value) for key, value in {**told["figures"], **more}.items()}
        seconds = sum(float(stage["seconds"]) for stage in stages)
        compiling = sum(float(stage["compiling"]) for stage in stages)
        troubles = [f"{stage['name']}: {stage['words']}" for stage in stages if stage["state"] in TROUBLES]
    except (KeyError, TypeError, ValueError):
        return None
    state: State = "partial" if troubles else "done"
    return Outcome(name, path, state, "; ".join(troubles), seconds, Table(figures), compiling)


def _object(file: Path) -> dict[str, Any]:
    found = read_json(file, LARGEST, "figures of results")
    if not isinstance(found, dict):
        raise TypeError(f"{file} holds no object")
    return found
