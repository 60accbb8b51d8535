"""`Case`: a chain with a state, ready to be looked at."""

from __future__ import annotations

from softstride.notes import Note
from softstride.planar.chain import Chain
from softstride.planar.results import Form
from softstride.planar.state import State
from softstride.results import Result


class Case(Result, of="a case"):
    """A chain, how it moves and what acts on it.

    Attributes:
        chain: The chain.
        state: Motion and forces.
        form: Which data are complete: "distal" or "proximal".
        source: Where the numbers are from.
        notes: What was decided on the way.
    """

    chain: Chain
    state: State
    form: Form = "distal"
    source: str = ""
    notes: tuple[Note, ...] = ()

    @property
    def name(self) -> str:
        """Name of the chain."""
        return self.chain.name
