"""The chain of rigid bodies that stands for one rod."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from softstride.model.checks import FloatArray
from softstride.model.inertia import Inertia
from softstride.model.joints import Axes, Axis, Custom, Fixed, Joint
from softstride.model.link import Link
from softstride.model.rod import STRAINS, Rod, Segment
from softstride.spatial import se3

MARK = "rigid"
"""Stands in the name of every body and coordinate that replaces a rod."""

GAUSS = 6
"""Gauss points of half a piece for its inertia."""


class Bushing(NamedTuple):
    """An elastic, viscous connection across the joint of one link.

    Attributes:
        link: Link whose joint it bridges.
        stiffness: Shape (6, 6), rotations first, [N·m/rad] and [N/m].
        damping: Shape (6, 6), [N·m·s/rad] and [N·s/m].
        turned: Whether it measures the parent side against the child side.
    """

    link: str
    stiffness: FloatArray
    damping: FloatArray
    turned: bool


class Piece(NamedTuple):
    """A piece of a rod: its segment, the number of that segment (from 0) and its own length [m]."""

    segment: Segment
    number: int
    length: float

    def pose(self, arc: float) -> FloatArray:
        """Return the unloaded pose at an arc length [m] inside the piece, relative to its start, shape (4, 4)."""
        return se3.exp(arc * self.segment.reference)


class Chain(NamedTuple):
    """The pieces of one rod and the names of the bodies, one more than pieces."""

    pieces: tuple[Piece, ...]
    bodies: tuple[str, ...]

    def place(self, rod: Rod, at: float) -> tuple[str, FloatArray]:
        """Return the body at an arc length [m] and the pose of the section there in that body's frame."""
        number, arc = rod.locate(at)
        count = sum(piece.number == number for piece in self.pieces)
        length = rod.segments[number].length / count
        step = min(int(arc / length), count - 1)
        first = next(i for i, piece in enumerate(self.pieces) if piece.number == number)
        i, rest = first + step, arc - step * length
        piece = self.pieces[i]
        if rest < 0.5 * length:
            return self.bodies[i], self.start(i) @ piece.pose(rest)
        return self.bodies[i + 1], piece.pose(rest - 0.5 * length)

    def start(self, i: int) -> FloatArray:
        """Return the pose of the start of piece i in the frame of the body before its joint, shape (4, 4)."""
        return np.eye(4) if i == 0 else self.pieces[i - 1].pose(0.5 * self.pieces[i - 1].length)


def cut(name: str, rod: Rod, pieces: int, taken: set[str]) -> Chain:
    """Return the pieces of a rod, so many for each segment, and names for its bodies that are not taken yet."""
    parts = tuple(
        Piece(segment, number, segment.length / pieces)
        for number, segment in enumerate(rod.segments)
        for _ in range(pieces)
    )
    bodies = []
    for i in range(len(parts) + 1):
        body = f"{name}_{MARK}_{i}"
        while body in taken:
            body += "_"
        taken.add(body)
        bodies.append(body)
    return Chain(parts, tuple(bodies))


def build_links(link: Link, chain: Chain) -> tuple[list[Link], list[Bushing]]:
    """Return the bodies of a rod, its link last, and the bushings between them."""
    pieces, bodies = chain.pieces, chain.bodies
    halves = [_half(piece, 0.0) for piece in pieces]
    links = [Link(bodies[0], link.parent, Fixed(), link.placement, inertia=halves[0])]
    bushings = []
    for i, piece in enumerate(pieces):
        half = 0.5 * piece.length
        inertia = _half(piece, half).shifted(orthonormal(piece.pose(-half)))
        if i + 1 < len(pieces):
            inertia += halves[i + 1].shifted(orthonormal(chain.start(i + 1)))
        placement = orthonormal(chain.start(i) @ piece.pose(half))
        links.append(Link(bodies[i + 1], bodies[i], _joint(bodies[i + 1], piece), placement, inertia=inertia))
        if piece.segment.free:
            K, D = _free_part(piece)
            bushings.append(Bushing(bodies[i + 1], K, D, turned=i % 2 == 1))
    tip = orthonormal(pieces[-1].pose(0.5 * pieces[-1].length))
    links.append(Link(link.name, bodies[-1], Fixed(), tip, link.offset, link.inertia))
    return links, bushings


def _half(piece: Piece, start: float) -> Inertia:
    """Return the inertia of half a piece from arc length `start` on, in the frame of the start of the piece."""
    nodes, weights = np.polynomial.legendre.leggauss(GAUSS)
    scale, density = 0.25 * piece.length, piece.segment.density
    total = Inertia()
    for node, weight in zip(nodes, weights, strict=True):
        share = float(weight) * scale
        slab = Inertia(share * density.mass, density.com, share * density.matrix, density.physical)
        total += slab.shifted(orthonormal(piece.pose(start + scale * (float(node) + 1.0))))
    return total


def _joint(body: str, piece: Piece) -> Joint:
    free = piece.segment.free
    if not free:
        return Fixed()
    axes = [
        Axis.along(row, f"{body}_{name}") if name in free else Axis(row)
        for name, row in zip(STRAINS, np.tile(np.eye(3), (2, 1)), strict=True)
    ]
    rotations: Axes = (axes[0], axes[1], axes[2])
    translations: Axes = (axes[3], axes[4], axes[5])
    return Custom(rotations, translations, tuple(f"{body}_{name}" for name in free))


def _free_part(piece: Piece) -> tuple[FloatArray, FloatArray]:
    """Return stiffness and damping of a joint, K / l and D / l, zero where no strain is free."""
    keep = np.zeros(6)
    keep[list(piece.segment.free_indices)] = 1.0
    mask = np.outer(keep, keep) / piece.length
    return mask * piece.segment.stiffness, mask * piece.segment.damping


def orthonormal(T: FloatArray) -> FloatArray:
    """Return a pose whose rotation is orthonormal to rounding."""
    u, _, v = np.linalg.svd(T[:3, :3])
    result = T.copy()
    result[:3, :3] = u @ v
    return result
