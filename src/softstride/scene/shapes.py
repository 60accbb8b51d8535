"""Solid shapes on links: capsules, ellipsoids and hulls around points, and the triangles that draw them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from softstride.errors import InputError
from softstride.fields import Choice, declared
from softstride.results import AXES, Labels, Result, values

Floats = NDArray[np.float64]
Mesh = tuple[NDArray[np.float32], NDArray[np.uint32]]

KINDS = {"capsule": (2, 2), "ellipsoid": (1, 3), "hull": (None, 1)}
"""Kinds of shapes: how many points and how many radii each has."""

LAYERS = ("bones", "body", "prosthesis")

ROUND = ((0.01, 8), (0.035, 12), (np.inf, 20))
"""Sides of what is round, up to a radius [m]: what is thin needs few."""


class Shape(Result):
    """A solid that moves with a link; positions are in the axes of the link.

    Attributes:
        kind: "capsule", with two ends; "ellipsoid", with a centre; "hull", the convex hull of balls around points.
        link: Name of the link.
        layer: "bones", "body" or "prosthesis".
        points: Shape (k, 3), [m].
        radii: [m]; of a capsule at its two ends, of an ellipsoid along its axes, of a hull that of the balls.
        axes: Axes of an ellipsoid as columns, shape (3, 3).
    """

    kind: str = declared(rule=Choice(tuple(KINDS)))
    link: str
    layer: str = declared(rule=Choice(LAYERS))
    points: Floats = values("point axis", "m")
    radii: Floats = values("radius", "m")
    axes: Floats = values("axis shape_axis", "1", default=lambda _: np.eye(3))

    LABELS: ClassVar[Mapping[str, Labels]] = {"shape_axis": lambda _: AXES}

    def whose(self) -> str:
        """Say where it is."""
        return f"a shape on {self.link!r}"

    def check(self) -> None:
        """Check how many points and radii its kind has."""
        for name, count in zip(("points", "radii"), KINDS[self.kind], strict=True):
            array = getattr(self, name)
            if count not in (None, len(array)):
                raise InputError(
                    f"{name} of a {self.kind} on {self.link!r} cannot be {array.shape}", parameter=name
                )

    def mesh(self) -> Mesh:
        """Return vertices, shape (v, 3), [m], and triangles that face outwards, shape (f, 3)."""
        if self.kind == "ellipsoid":
            ball, faces = _ball(_sides(float(self.radii.max())))
            return (ball * self.radii @ self.axes.T + self.points[0]).astype(np.float32), faces
        if self.kind == "capsule":
            return _capsule(self.points[0], self.points[1], float(self.radii[0]), float(self.radii[1]))
        return _hull(self.points, float(self.radii[0]))


def merge(meshes: list[Mesh]) -> Mesh:
    """Return several meshes as one."""
    vertices, faces, count = [], [], 0
    for v, f in meshes:
        vertices.append(v)
        faces.append(f + np.uint32(count))
        count += len(v)
    return np.concatenate(vertices), np.concatenate(faces)


def _sides(radius: float) -> int:
    return next(sides for most, sides in ROUND if radius <= most)


def _ball(sides: int) -> tuple[Floats, NDArray[np.uint32]]:
    """Return the unit ball: rings about z from one pole to the other."""
    lat = np.linspace(-np.pi / 2, np.pi / 2, sides // 2 + 2)
    return _turned(np.cos(lat), np.sin(lat), sides)


def _turned(radius: Floats, height: Floats, sides: int) -> tuple[Floats, NDArray[np.uint32]]:
    """Return the solid of revolution about z of a profile; its ends are on the axis."""
    around = 2 * np.pi * np.arange(sides) / sides
    ring = np.stack([np.cos(around), np.sin(around), np.zeros(sides)], axis=1)
    vertices = (radius[:, None, None] * ring + height[:, None, None] * np.array([0.0, 0.0, 1.0])).reshape(
        -1, 3
    )
    faces = []
    for i in range(len(radius) - 1):
        for k in range(sides):
            a, b = sides * i + k, sides * i + (k + 1) % sides
            c, d = a + sides, b + sides
            if i:
                faces.append((a, b, d))
            if i < len(radius) - 2:
                faces.append((a, d, c))
    return vertices, np.array(faces, dtype=np.uint32)


def _capsule(a: Floats, b: Floats, ra: float, rb: float) -> Mesh:
    along = b - a
    length = float(np.linalg.norm(along))
    z = along / length if length > 0.0 else np.array([0.0, 1.0, 0.0])
    sides = _sides(max(ra, rb))
    lat = np.linspace(-np.pi / 2, np.pi / 2, sides // 2 + 2)
    half = len(lat) // 2
    lower, upper = lat[:half], lat[half:]
    radius = np.concatenate([ra * np.cos(lower), rb * np.cos(upper)])
    height = np.concatenate([ra * np.sin(lower), length + rb * np.sin(upper)])
    vertices, faces = _turned(radius, height, sides)
    return (vertices @ _frame(z).T + a).astype(np.float32), faces


def _frame(z: Floats) -> Floats:
    """Return a rotation whose third column is the unit vector z."""
    helper = np.eye(3)[int(np.argmin(np.abs(z)))]
    x = np.cross(helper, z)
    x /= np.linalg.norm(x)
    return np.stack([x, np.cross(z, x), z], axis=1)


def _hull(points: Floats, radius: float) -> Mesh:
    """Return the hull of small balls around points: solid even where the points lie in a plane."""
    from scipy.spatial import ConvexHull

    ball, _ = _ball(8)
    cloud = (points[:, None] + max(radius, 1e-3) * ball).reshape(-1, 3)
    hull = ConvexHull(cloud)
    used = np.unique(hull.simplices)
    place = np.zeros(len(cloud), dtype=np.uint32)
    place[used] = np.arange(len(used))
    faces = place[hull.simplices]
    vertices = cloud[used]
    a, b, c = (vertices[faces[:, k]] for k in range(3))
    inward = np.einsum("ij,ij->i", np.cross(b - a, c - a), hull.equations[:, :3]) < 0.0
    faces[inward] = faces[inward][:, ::-1]
    return vertices.astype(np.float32), faces
