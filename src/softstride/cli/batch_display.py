"""How a batch is shown while it runs: bars on a terminal, a line for each trial anywhere else."""

from __future__ import annotations

import time as clock
from datetime import timedelta

from rich.console import Console
from rich.progress import BarColumn, Progress, TaskID, TextColumn

from softstride.batch.outcome import Outcome
from softstride.batch.watcher import Watcher

LONGEST = 36  # characters of a name, in the bars


class Display(Watcher):
    """Shows on stderr how a batch goes: one bar for all trials, below it one for each that is being done."""

    def __init__(self, *, quiet: bool) -> None:
        self.quiet = quiet
        self.console = Console(stderr=True, highlight=False, markup=False, emoji=False, soft_wrap=True)
        self.total = self.count = self.failed = self.earlier = 0
        self.start = 0.0
        self.rows: dict[str, TaskID] = {}
        self.bars = Progress(
            TextColumn("{task.description}", markup=False),
            BarColumn(),
            TextColumn("{task.fields[words]}", markup=False),
            console=self.console,
            transient=True,
            disable=quiet or not self.console.is_terminal,
        )
        self.whole = self.bars.add_task("trials", total=None, words="")

    def begins(self, total: int, earlier: int) -> None:
        """Show the bar of all trials."""
        self.total, self.count, self.earlier, self.start = total, earlier, earlier, clock.monotonic()
        self.bars.update(self.whole, total=total, completed=earlier, words=self._so_far())
        self.bars.start()
        if earlier:
            self._print(f"{earlier} of {total} trials are finished from an earlier run")

    def step(self, name: str, step: str, share: float) -> None:
        """Move the bar of a trial."""
        if name not in self.rows:
            self.rows[name] = self.bars.add_task(f"  {_short(name)}", total=1.0, words="")
        words = "writing results" if step == "done" else step
        self.bars.update(self.rows[name], completed=share, words=words)

    def says(self, name: str, line: str) -> None:
        """Print a line above the bars."""
        self._print(f"{name}: {line}" if name and not line.startswith("softstride: ") else line)

    def ended(self, outcome: Outcome) -> None:
        """Count a trial, and take its bar away; where there are no bars, and where it failed, print a line."""
        self.count += 1
        self.failed += outcome.state == "failed"
        if outcome.name in self.rows:
            self.bars.remove_task(self.rows.pop(outcome.name))
        self.bars.update(self.whole, completed=self.count, words=self._so_far())
        if self.bars.disable or outcome.state != "done":
            reason = f": {outcome.reason}" if outcome.reason else ""
            self._print(
                f"{self.count} of {self.total}: {outcome.name} {outcome.state}, {outcome.seconds:.1f} s{reason}"
            )

    def ends(self) -> None:
        """Take the bars away."""
        self.bars.stop()

    def _so_far(self) -> str:
        done = self.count - self.earlier
        failed = f", {self.failed} failed" if self.failed else ""
        if not done or self.count == self.total:
            return f"{self.count} of {self.total}{failed}"
        left = (clock.monotonic() - self.start) / done * (self.total - self.count)
        return f"{self.count} of {self.total}{failed}, {timedelta(seconds=round(left))} left"

    def _print(self, line: str) -> None:
        if not self.quiet:
            self.console.print(line)


def _short(name: str) -> str:
    return name if len(name) <= LONGEST else f"...{name[3 - LONGEST :]}"
