"""`Watcher`: who is told how a batch goes."""

from __future__ import annotations

from softstride.batch.outcome import Outcome


class Watcher:
    """Is told what happens in a batch, always in the process that started it. This one does not listen."""

    def begins(self, total: int, earlier: int) -> None:
        """All trials are known.

        Args:
            total: How many there are.
            earlier: How many of them are finished from an earlier run.
        """

    def step(self, name: str, step: str, share: float) -> None:
        """A trial begins a step; `share` of its work is done, from 0 to 1."""

    def says(self, name: str, line: str) -> None:
        """Somebody has something to say about a trial, or about the batch (name ""), such as a compilation."""

    def ended(self, outcome: Outcome) -> None:
        """A trial has ended, one way or the other."""

    def ends(self) -> None:
        """Nothing is being analysed any more, whether the batch came to its end or not."""
