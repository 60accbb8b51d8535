"""Mass and inertia of the links: the segments of the tables, shared out among the links that make them up."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from softstride.model.checks import FloatArray
from softstride.model.inertia import Inertia
from softstride.model.library.human import mirror
from softstride.model.library.human.person import Person
from softstride.model.library.human.shape import Shape
from softstride.model.library.human.tables import table
from softstride.naming import LETTERS

ENDS = {  # points between which the table measures: the first is where its centre of mass is counted from
    "head": ("vertex", "head_base"),
    "upper_trunk": ("cervicale", "xiphion"),
    "mid_trunk": ("xiphion", "omphalion"),
    "lower_trunk": ("omphalion", "mid_hips"),
    "upper_arm": ("shoulder", "elbow"),
    "forearm": ("elbow", "wrist"),
    "hand": ("wrist", "knuckle"),
    "thigh": ("hip", "knee"),
    "shank": ("knee", "ankle"),
    "foot": ("heel", "toe_tip"),
}

MIDDLE = ("head", "upper_trunk", "mid_trunk", "lower_trunk")
"""Segments that exist once."""

OWN_SHARE = 0.1
"""Least part of a segment's second moment of mass that the links keep as their own extent."""


def mass_fractions(person: Person) -> dict[str, float]:
    """Return mass over body mass of each segment, as printed but divided by their sum, 0.9999 or 1 over both sides."""
    rows = table("anthropometry")["segments"][person.sex]
    total = sum(row["mass"] * (1 if name in MIDDLE else 2) for name, row in rows.items())
    return {name: row["mass"] / total for name, row in rows.items()}


def segment_axes(shape: Shape, name: str) -> tuple[FloatArray, FloatArray, float]:
    """Return the first end point (3,), the axes as columns (3, 3), and the length [m] of a segment, neutral pose.

    y points from the second to the first end point, x = y × (0, 0, 1) made unit, z = x × y: forward, up, right for
    a hanging limb; up, backward, right for the foot.
    """
    first, second = (shape.points[end] for end in ENDS[name])
    if name == "foot":  # its centre of mass is half as high as the ankle
        lift = np.array([0.0, 0.5 * shape.points["ankle"][1], 0.0])
        first, second = first + lift, second + lift
    span = first - second
    length = float(np.linalg.norm(span))
    y = span / length
    x = np.cross(y, (0.0, 0.0, 1.0))
    x /= np.linalg.norm(x)
    return first, np.column_stack([x, y, np.cross(x, y)]), length


def segment_inertia(person: Person, shape: Shape, name: str) -> Inertia:
    """Return a whole segment in world axes, neutral pose: I = m L² R diag(radii²) Rᵀ [deLeva1996]."""
    row = table("anthropometry")["segments"][person.sex][name]
    mass = mass_fractions(person)[name] * person.mass
    first, axes, length = segment_axes(shape, name)
    com = first - axes[:, 1] * (row["centre"] * length)
    radii = np.array(row["radii"]) * length
    return Inertia(mass, com, axes @ np.diag(mass * radii**2) @ axes.T)


def link_inertias(person: Person, shape: Shape, parts: Mapping[str, Sequence[Any]]) -> dict[str, Inertia]:
    """Return the inertia of each link of the middle and the right side, in world axes, neutral pose.

    Args:
        person: Who.
        shape: The neutral pose.
        parts: By segment, rows of link, share, relative size and centre, as in `gait.toml`.
    """
    result: dict[str, Inertia] = {}
    for name, rows in parts.items():
        whole = segment_inertia(person, shape, name)
        _, axes, length = segment_axes(shape, name)
        both = name in MIDDLE
        expanded = [
            (mirror.on_side(link, side), share, size, mirror.point(_centre(where, axes, length), side))
            for link, share, size, *where in rows
            for side in (LETTERS if both and mirror.sided(link) else ("r",))
        ]
        bodies = share_out(whole, [row[1:] for row in expanded])
        for (link, *_), body in zip(expanded, bodies, strict=True):
            result[link] = result[link] + body if link in result else body
    return result


def _centre(where: Sequence[float], axes: FloatArray, length: float) -> FloatArray:
    forward, along, right = where
    return axes @ np.array([forward, -along, right]) * length


def share_out(whole: Inertia, rows: Sequence[tuple[float, float, FloatArray]]) -> list[Inertia]:
    """Divide a body into parts whose sum has its mass, centre of mass and inertia.

    With shares f_i and centres d_i about their mean, the second moment of the whole about its centre of mass is
    S = Σ f_i s² d_i d_iᵀ m + Σ S_i; the rest Σ S_i goes to the parts by f_i size_i². The centres are drawn together by
    s ≤ 1 where they would use up more than 1 - `OWN_SHARE` of S, so that every part stays a body that can exist.

    Args:
        whole: The body.
        rows: Share of the mass, relative size, centre (3,) up to a common shift [m].
    """
    shares = np.array([row[0] for row in rows])
    shares = shares / np.sum(shares)
    centres = np.array([row[2] for row in rows])  # (n, 3)
    centres = centres - shares @ centres
    moment = 0.5 * np.trace(whole.matrix) * np.eye(3) - whole.matrix
    between = whole.mass * (centres.T * shares) @ centres
    root = np.linalg.cholesky(moment)
    inner = np.linalg.solve(root, np.linalg.solve(root, between).T)
    largest = float(np.linalg.eigvalsh(0.5 * (inner + inner.T))[-1])
    s = min(1.0, np.sqrt((1.0 - OWN_SHARE) / largest)) if largest > 0.0 else 1.0
    rest = moment - s**2 * between
    weights = shares * np.array([row[1] for row in rows]) ** 2
    weights = weights / np.sum(weights)
    return [
        Inertia(
            float(share) * whole.mass, whole.com + s * centre, weight * (np.trace(rest) * np.eye(3) - rest)
        )
        for share, weight, centre in zip(shares, weights, centres, strict=True)
    ]
