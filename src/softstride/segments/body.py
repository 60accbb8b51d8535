"""A body segment: the shape of its axes and its inertia, all constants of a trial."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from softstride.errors import ModelError
from softstride.notes import Note, as_notes
from softstride.segments.natural import natural_mass
from softstride.segments.triad import Triad

Array = NDArray[np.float64]

SYMMETRIC = 1e-9
"""Largest difference of two entries of an inertia tensor across its diagonal, as a share of its trace."""

ROUNDING = 1e-12
"""Share of the trace by which an eigenvalue may be negative and still count as zero."""

IMPOSSIBLE = "inertia.of-no-body"
"""Code of the note on a tensor that no distribution of mass has."""


@dataclass(frozen=True, eq=False, repr=False)
class BodySegment:
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

    name: str
    triad: Triad
    mass: float
    com: Array
    inertia: Array
    parent: str | None = None
    notes: tuple[Note, ...] = ()
    table: str = ""
    confidence: str = ""

    def __post_init__(self) -> None:
        """Copy and check the numbers; note a tensor that no distribution of mass has."""
        com, inertia = np.array(self.com, dtype=np.float64), np.array(self.inertia, dtype=np.float64)
        if not (np.isfinite(self.mass) and self.mass > 0.0):
            raise ModelError(
                f"segment {self.name!r}: the mass must be above 0 kg, however it is {self.mass!r}"
            )
        if com.shape != (3,) or inertia.shape != (3, 3) or not np.isfinite([*com, *inertia.ravel()]).all():
            raise ModelError(
                f"segment {self.name!r}: centre of mass and inertia must be finite, of shapes (3,) and (3, 3), however "
                f"they have {com.shape} and {inertia.shape}"
            )
        trace = float(np.trace(inertia))
        if np.abs(inertia - inertia.T).max() > SYMMETRIC * abs(trace):
            raise ModelError(f"segment {self.name!r}: the inertia tensor must be symmetric")
        least = float(np.linalg.eigvalsh(inertia)[0])
        if least < -ROUNDING * abs(trace):
            raise ModelError(
                f"segment {self.name!r}: a principal moment of inertia is {least:.3g} kg m^2; none may be negative"
            )
        for name, array in (("com", com), ("inertia", inertia)):
            array.setflags(write=False)
            object.__setattr__(self, name, array)
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
    def second_moment(self) -> Array:
        """Second moment of mass about P in the SCS, tr(I)/2 E - I + m c c^T, shape (3, 3), [kg m^2].

        Not the inertia tensor: that is what makes the mass matrix of natural coordinates right.
        """
        centre = 0.5 * np.trace(self.inertia) * np.eye(3) - self.inertia
        return np.asarray(centre + self.mass * np.outer(self.com, self.com))

    @cached_property
    def natural_com(self) -> Array:
        """Components of the centre of mass in the triad, n = B^-1 c, shape (3,)."""
        return np.asarray(self.triad.inverse @ self.com)

    @cached_property
    def natural_inertia(self) -> Array:
        """Second moment of mass about P in the triad, J = B^-1 S B^-T, shape (3, 3)."""
        return np.asarray(self.triad.inverse @ self.second_moment @ self.triad.inverse.T)

    @cached_property
    def natural_mass(self) -> Array:
        """A of the mass matrix G = kron(A, E) of Q = [u; rP; rD; w], shape (4, 4)."""
        return natural_mass(self.mass, self.natural_com, self.natural_inertia)
