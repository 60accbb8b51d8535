"""Markers, joint centres and foot contact candidates of the packaged people."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import numpy as np

from softstride.model.checks import FloatArray
from softstride.model.contact_shape import ContactSphere
from softstride.model.frame import Point
from softstride.model.library.human import mirror
from softstride.model.library.human.shape import Shape
from softstride.model.library.human.tables import table
from softstride.naming import LETTERS


def build_markers(kind: str, shape: Shape, origins: Mapping[str, FloatArray]) -> dict[str, Point]:
    """Return the markers by label; `kind` is "human" or "gait"."""
    return {
        mirror.on_side(name, side.upper()): Point(link, world - origins[link])
        for name, side, link, world in _sites("markers", kind, shape)
    }


def build_frames(kind: str, shape: Shape, origins: Mapping[str, FloatArray]) -> dict[str, Point]:
    """Return joint centres and end points by name."""
    return {
        mirror.on_side(name, side): Point(link, world - origins[link])
        for name, side, link, world in _sites("frames", kind, shape)
    }


def build_contacts(kind: str, shape: Shape, origins: Mapping[str, FloatArray]) -> dict[str, ContactSphere]:
    """Return the points of the soles, which touch the ground y = 0 in the neutral pose."""
    return {
        mirror.on_side(name, side): ContactSphere(link, world * (1.0, 0.0, 1.0) - origins[link])
        for name, side, link, world in _sites("contacts", kind, shape)
    }


def _sites(group: str, kind: str, shape: Shape) -> Iterator[tuple[str, str, str, FloatArray]]:
    """Go through name, side, link and position in the world, neutral pose, of one group of sites."""
    height = float(shape.points["vertex"][1])
    for name, row in table("sites")[group].items():
        right = shape.points[row["near"]] + height * np.array(row.get("offset", (0.0, 0.0, 0.0)))
        for side in LETTERS if mirror.sided(name) else ("r",):
            yield name, side, mirror.on_side(row[kind], side), mirror.point(right, side)
