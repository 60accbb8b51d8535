"""Small people for the tests: a trunk on two legs with markers, and recordings of them."""

import numpy as np

from softstride.capture import Points, Recording
from softstride.engine import positions
from softstride.model import Axis, Model, ModelBuilder, Polynomial

PLACES = {
    "trunk": ((0.1, 0.1, 0.12), (0.1, 0.1, -0.12), (-0.1, 0.12, 0.0), (0.02, 0.5, 0.0)),
    "thigh": ((0.05, -0.15, 0.06), (0.0, -0.4, 0.05), (0.0, -0.4, -0.05)),
    "shank": ((0.05, -0.1, 0.03), (0.0, -0.4, 0.04), (0.0, -0.4, -0.04)),
    "foot": ((-0.05, -0.03, 0.0), (0.18, -0.03, 0.03), (0.15, -0.03, -0.03)),
}


def walker(root: str = "free") -> Model:
    """Return a person of 7 links; the knees glide as they bend, the shanks hang on offset frames."""
    builder = ModelBuilder("walker")
    if root == "free":
        builder.free("trunk", mass=40.0, com=(0, 0.3, 0), inertia=(1.5, 0.5, 1.4))
    else:
        axes = (
            Axis.along((0, 0, 1), "tilt"),
            Axis.along((1, 0, 0), "list"),
            Axis.along((0, 1, 0), "heading"),
        )
        slides = tuple(Axis.along(row, name) for row, name in zip(np.eye(3), ("tx", "ty", "tz"), strict=True))
        builder.custom(
            "trunk", rotations=axes, translations=slides, mass=40.0, com=(0, 0.3, 0), inertia=(1.5, 0.5, 1.4)
        )
    offset = np.eye(4)
    offset[:3, 3] = (0.01, -0.02, 0.0)
    for side, z in (("r", 1.0), ("l", -1.0)):
        builder.custom(
            f"thigh_{side}",
            parent="trunk",
            position=(0.0, 0.0, 0.09 * z),
            rotations=(
                Axis.along((0, 0, 1), f"flex_{side}"),
                Axis.along((1, 0, 0), f"add_{side}"),
                Axis.along((0, 1, 0), f"rot_{side}"),
            ),
            mass=8.0,
            com=(0, -0.2, 0),
            inertia=(0.13, 0.03, 0.13),
        )
        glide = Axis((1, 0, 0), ((f"knee_{side}", Polynomial([0.004, 0.01, 0.02])),))
        builder.custom(
            f"shank_{side}",
            parent=f"thigh_{side}",
            position=(0.0, -0.41, 0.0),
            rotations=(Axis.along((0, 0, 1), f"knee_{side}"), Axis((1, 0, 0)), Axis((0, 1, 0))),
            translations=(glide, Axis((0, 1, 0)), Axis((0, 0, 1))),
            offset=offset,
            mass=3.5,
            com=(0, -0.18, 0),
            inertia=(0.05, 0.005, 0.05),
        )
        builder.revolute(
            f"foot_{side}",
            parent=f"shank_{side}",
            axis=(0, 0, 1),
            position=(0, -0.42, 0),
            coordinate=f"ankle_{side}",
            mass=1.0,
            com=(0.06, -0.03, 0),
            inertia=(0.001, 0.004, 0.004),
        )
    for link, places in PLACES.items():
        for i, (x, y, z) in enumerate(places):
            if link == "trunk":
                builder.marker(f"trunk{i}", link, (x, y, z))
                continue
            builder.marker(f"{link}{i}_r", f"{link}_r", (x, y, z))
            builder.marker(f"{link}{i}_l", f"{link}_l", (x, y, -z))
    return builder.build()


def recorded(model: Model, q, *, noise: float = 0.0, seed: int = 0) -> Recording:
    """Return a recording of the markers in poses q, shape (n, nq), with noise [m]."""
    q = np.atleast_2d(q)
    at = positions(model, q, list(model.markers))
    at = at + np.random.default_rng(seed).normal(scale=noise, size=at.shape) if noise else at
    return Recording("static", markers=Points(np.arange(len(q)) / 100.0, tuple(model.markers), at))


def standing(model: Model, n: int = 20, *, turn: float = 0.2, seed: int = 1):
    """Return n poses of somebody who stands nearly still, shape (n, nq), facing `turn` [rad] off x."""
    rng = np.random.default_rng(seed)
    q = np.tile(model.neutral(), (n, 1))
    names = list(model.coordinate_names)
    if "heading" in names:
        q[:, names.index("heading")] = turn
        q[:, names.index("ty")] = 0.95
    else:
        q[:, :3] = (0.3, 0.95, -0.2)
        q[:, 3:7] = (0.0, np.sin(turn / 2), 0.0, np.cos(turn / 2))
    first = model.nq - 10
    q[:, first:] += 0.08 * rng.normal(size=10) + 0.002 * rng.normal(size=(n, 10))
    return q
