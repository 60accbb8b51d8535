"""A body segment: the shape of its axes and its inertia, all constants of a trial."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from softstride.errors import ModelError
from softstride.fields import Anything, Array, Frozen, Text, declared
from softstride.notes import Note, as_notes
from softstride.segments.natural import natural_mass
from softstride.segments.triad import Triad

Floats = NDArray[np.float64]

SYMMETRIC = 1e-9
"""Largest difference of two entries of an inertia tensor across its diagonal, as a share of its trace."""

ROUNDING = 1e-12
"""Share of the trace by which an eigenvalue may be negative and still count as zero."""

IMPOSSIBLE = "inertia.of-no-body"
"""Code of the note on a tensor that no distribution of mass has."""


@dataclass(frozen=True, eq=False, repr=False)
class BodySegment(Frozen, raising=ModelError):
    """What the four methods need to know of a segment.

    Attributes:
        name: Of the segment, such as "right thigh".
        triad: The shape of its axes.
        mass: In [kg].
        com: Centre of mass from the proximal end P, in the orthonormal segment frame (SCS), shape (3,), [m].
        inertia: Inertia tensor about the centre of mass, in the SCS, shape (3, 3), [kg m^2].
        parent: Segment that it hangs on by its proximal end; None: nobody that is modelled.
        notes: What is doubtful about the numbers.
        table: Title of the table that the numbers are from; "" where they are one's own.
        confidence: Mark of that table, "" where it has none.

    Raises:
        ModelError: A mass or a tensor that no body has.
    """

    name: str = declared()
    triad: Triad = declared()
    mass: float = declared(unit="kg", above=0.0)
    com: Floats = declared(rule=Array(shape=(3,)))
    inertia: Floats = declared(rule=Array(shape=(3, 3)))
    parent: str | None = declared(None)
    notes: tuple[Note, ...] = declared((), rule=Anything("notes"))
    table: str = declared("", rule=Text(empty=True))
    confidence: str = declared("", rule=Text(empty=True))

    def whose(self) -> str:
        """Return the segment by its name."""
        return f"segment {self.name!r}"

    def check(self) -> None:
        """Check the tensor; note one that no distribution of mass has."""
        inertia = self.inertia
        trace = float(np.trace(inertia))
        if np.abs(inertia - inertia.T).max() > SYMMETRIC * abs(trace):
            raise ModelError(f"segment {self.name!r}: the inertia tensor must be symmetric")
        least = float(np.linalg.eigvalsh(inertia)[0])
        if least < -ROUNDING * abs(trace):
            raise ModelError(
                f"segment {self.name!r}: a principal moment of inertia is {least:.3g} kg m^2; none may be negative"
            )
        object.__setattr__(self, "notes", as_notes(self.notes))
        spread = float(np.linalg.eigvalsh(0.5 * trace * np.eye(3) - inertia)[0])
        if spread < -ROUNDING * trace:
            self._doubt(-2.0 * spread)

    def _doubt(self, excess: float) -> None:
        """Note that one principal moment exceeds the sum of the others [kg m^2], unless that is noted."""
        known = [note.values["excess_kg_m2"] for note in self.notes if note.code == IMPOSSIBLE]
        if any(math.isclose(excess, each, rel_tol=1e-3) for each in known):
            return
        words = (
            f"{self.name}: no distribution of mass has this inertia tensor: one principal moment exceeds the sum of "
            f"the others by {excess:.3g} kg m^2"
        )
        note = Note(
            IMPOSSIBLE,
            words,
            "warning",
            topic="inertia",
            names=(self.name,),
            values={"excess_kg_m2": excess},
        )
        object.__setattr__(self, "notes", (*self.notes, note))

    def __repr__(self) -> str:
        """Say what it is in one line."""
        return f"BodySegment({self.name!r}, {self.mass:.4g} kg, {self.triad.length:.4g} m)"

    @cached_property
    def second_moment(self) -> Floats:
        """Second moment of mass about P in the SCS, tr(I)/2 E - I + m c c^T, shape (3, 3), [kg m^2].

        Not the inertia tensor: that is what makes the mass matrix of natural coordinates right.
        """
        centre = 0.5 * np.trace(self.inertia) * np.eye(3) - self.inertia
        return np.asarray(centre + self.mass * np.outer(self.com, self.com))

    @cached_property
    def natural_com(self) -> Floats:
        """Components of the centre of mass in the triad, n = B^-1 c, shape (3,)."""
        return np.asarray(self.triad.inverse @ self.com)

    @cached_property
    def natural_inertia(self) -> Floats:
        """Second moment of mass about P in the triad, J = B^-1 S B^-T, shape (3, 3)."""
        return np.asarray(self.triad.inverse @ self.second_moment @ self.triad.inverse.T)

    @cached_property
    def natural_mass(self) -> Floats:
        """A of the mass matrix G = kron(A, E) of Q = [u; rP; rD; w], shape (4, 4)."""
        return natural_mass(self.mass, self.natural_com, self.natural_inertia)
