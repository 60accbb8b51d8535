"""`Case`: a chain with a state, ready to be looked at."""

from __future__ import annotations

from dataclasses import dataclass

from softstride.notes import Note, as_notes
from softstride.planar.chain import Chain
from softstride.planar.results import Form
from softstride.planar.state import State


@dataclass(frozen=True, eq=False)
class Case:
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

    def __post_init__(self) -> None:
        """Take sentences as notes, too."""
        object.__setattr__(self, "notes", as_notes(self.notes))

    @property
    def name(self) -> str:
        """Name of the chain."""
        return self.chain.name
