"""Soft links: Cosserat rods made of segments of constant strain (spec of the hybrid link, sections 1 to 3).

Local x runs along the rod, y along the width, z along the thickness. The strain ξ = [κ; ε] (curvature [1/m],
stretch and shear [-]) moves the section, ∂H/∂s = H ξ̂, so a segment of length L carries its base frame to H
exp(L ξ̂).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import ArrayLike

from softstride.errors import ModelError
from softstride.model import checks
from softstride.model.centreline import centreline_frames, reference_strains, segment_count
from softstride.model.checks import ArrayField, FloatArray, Frozen, constant
from softstride.model.inertia import Inertia
from softstride.model.section import Section, positive

STRAINS = ("kx", "ky", "kz", "ex", "ey", "ez")
"""Names of the six strains in their order: twist, two bends, stretch, two shears."""

BENDS = ("kx", "ky", "kz")

MAX_QUADRATURE = 16

ROUNDING = 1e-12
"""A point this close behind the end of a segment, relative to its length, is at the end."""


@dataclass(frozen=True, eq=False)
class Segment(Frozen):
    """A piece of rod with one strain ξ = ξ0 + B q, constant over its length; q = 0 is its unloaded shape.

    Attributes:
        length: Arc length L of the reference [m].
        reference: Reference strain ξ0 = [κ; ε], shape (6,), [1/m] and [-].
        density: Inertia per metre in section axes.
        stiffness: K, shape (6, 6): passive generalized force -L Bᵀ (K B q + D B v). Six numbers: its
            diagonal.
        damping: D, shape (6, 6). Six numbers: its diagonal.
        free: Strains that move, a subset of `STRAINS`, kept in that order: the columns of B.
    """

    length: float
    reference: ArrayField = field(default_factory=constant((0.0, 0.0, 0.0, 1.0, 0.0, 0.0)))
    density: Inertia = field(default_factory=Inertia)
    stiffness: ArrayField = field(default_factory=constant(np.zeros((6, 6))))
    damping: ArrayField = field(default_factory=constant(np.zeros((6, 6))))
    free: tuple[str, ...] = BENDS

    def __post_init__(self) -> None:
        """Copy and check the fields."""
        section = Section(self.density, self.stiffness, self.damping)
        reference = checks.array(self.reference, (6,), "reference strain of a segment")
        if not np.any(reference[3:]):
            raise ModelError(
                "reference strain of a segment must have a linear part: (0, 0, 0, 1, 0, 0) is a straight rod."
            )
        self._set(
            length=positive(self.length, "length of a segment"),
            reference=reference,
            stiffness=section.stiffness,
            damping=section.damping,
            free=_free_strains(self.free),
        )

    @property
    def free_indices(self) -> tuple[int, ...]:
        """Rows of the strain that move, in order."""
        return tuple(STRAINS.index(name) for name in self.free)

    @property
    def mass(self) -> float:
        """Mass of the segment [kg]."""
        return self.length * self.density.mass


def _free_strains(free: object) -> tuple[str, ...]:
    if isinstance(free, str) or not isinstance(free, Sequence) or any(name not in STRAINS for name in free):
        raise ModelError(
            f"free strains of a segment must be a tuple of {STRAINS}, however they are {free!r}."
        )
    if len(set(free)) != len(free):
        raise ModelError(f"free strains of a segment must be different, however they are {free!r}.")
    return tuple(name for name in STRAINS if name in free)


@dataclass(frozen=True, eq=False)
class Rod(Frozen):
    """A soft link: segments one after the other; the link frame is the tip of the last one.

    Attributes:
        segments: The segments from the base to the tip.
        quadrature: Gauss-Legendre points of each segment for its inertia (error table: spec, section 3).
    """

    segments: tuple[Segment, ...]
    quadrature: int = 4

    def __post_init__(self) -> None:
        """Check the fields."""
        segments = tuple(self.segments) if isinstance(self.segments, Sequence) else ()
        if not segments or not all(isinstance(segment, Segment) for segment in segments):
            raise ModelError(
                f"segments of a rod must be a tuple of one or more Segment, not {self.segments!r}."
            )
        n = self.quadrature
        if isinstance(n, bool) or not isinstance(n, int | np.integer) or not 1 <= n <= MAX_QUADRATURE:
            raise ModelError(
                f"quadrature of a rod must be a whole number from 1 to {MAX_QUADRATURE}, however it is {n!r}."
            )
        self._set(segments=segments, quadrature=int(n))

    @classmethod
    def uniform(
        cls,
        length: float,
        n: int,
        section: Section,
        reference: ArrayLike = (0.0, 0.0, 0.0, 1.0, 0.0, 0.0),
        free: Sequence[str] = BENDS,
        quadrature: int = 4,
    ) -> Rod:
        """Return `n` equal segments of total `length` [m] with one reference strain."""
        count = segment_count(n)
        each = checks.number(length, "length of a rod") / count
        return cls((_segment(each, reference, section, free),) * count, quadrature)

    @classmethod
    def from_centreline(
        cls,
        points: ArrayLike,
        width_direction: ArrayLike,
        n: int | Sequence[float],
        section: Section | Sequence[Section],
        free: Sequence[str] = BENDS,
        quadrature: int = 4,
    ) -> Rod:
        """Return a rod whose unloaded shape follows a curve.

        A cubic spline through the points over arc length, frames H_i at the segment ends (x tangent, y the
        width direction made orthogonal), ξ0_i = log(H_{i-1}⁻¹ H_i) / L_i: the ends lie on the curve, between
        them each segment is a piece of helix. The base of the rod is the first frame of `centreline_frames`.

        Args:
            points: Points on the centreline from base to tip, shape (m, 3), [m], m ≥ 2.
            width_direction: Direction of the width, shape (3,), same axes as the points.
            n: Number of equal segments, or the length of each as a share of the whole.
            section: One section, or one for each segment.
            free: Strains that move.
            quadrature: Gauss points of each segment.

        Raises:
            ModelError: Too few or coinciding points, a width direction along the curve, or a segment that
                turns by half a turn or more.
        """
        frames, lengths = centreline_frames(points, width_direction, n)
        if isinstance(section, Section):
            sections = [section] * len(lengths)
        elif isinstance(section, Sequence) and len(section) == len(lengths):
            sections = list(section)
        else:
            raise ModelError(
                f"section of a rod must be one Section or one for each of its {len(lengths)} segments."
            )
        strains = reference_strains(frames, lengths)
        rows = zip(lengths, strains, sections, strict=True)
        return cls(tuple(_segment(float(L), xi, each, free) for L, xi, each in rows), quadrature)

    @property
    def length(self) -> float:
        """Arc length of the whole rod [m]."""
        return sum(segment.length for segment in self.segments)

    @property
    def mass(self) -> float:
        """Mass of the whole rod [kg]."""
        return sum(segment.mass for segment in self.segments)

    @property
    def nq(self) -> int:
        """Number of coordinates: the free strains of all segments."""
        return sum(len(segment.free) for segment in self.segments)

    @property
    def nv(self) -> int:
        """Number of velocities, equal to `nq`."""
        return self.nq

    def neutral(self) -> FloatArray:
        """Return q of the unloaded shape: zeros, shape (nq,)."""
        return np.zeros(self.nq)

    def coordinate_names(self, link: str) -> tuple[str, ...]:
        """Return names like "blade.1.ky", segment by segment, strains in the order of `STRAINS`."""
        rows = enumerate(self.segments, start=1)
        return tuple(f"{link}.{number}.{name}" for number, segment in rows for name in segment.free)

    def locate(self, at: float) -> tuple[int, float]:
        """Return the segment index (from 0) and the arc length inside it [m] of the point at arc length `at`.

        A point between two segments belongs to the end of the first; rounding beyond an end is cut.
        """
        rest, last = at, len(self.segments) - 1
        for index, segment in enumerate(self.segments[:last]):
            if rest <= segment.length * (1.0 + ROUNDING):
                return index, min(max(rest, 0.0), segment.length)
            rest -= segment.length
        return last, min(max(rest, 0.0), self.segments[last].length)


def _segment(length: float, reference: ArrayLike, section: Section, free: Sequence[str]) -> Segment:
    if not isinstance(section, Section):
        raise ModelError(f"section of a rod must be a Section, however it is {section!r}.")
    return Segment(
        length, reference, section.density, section.stiffness, section.damping, _free_strains(free)
    )
