"""Models that several rooms test with, each made once a worker: models are constant, so tests may share them.

`the_model` is `load_model` behind a cache. What one file alone needs stays in that file.
"""

from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from softstride.model import Axis, Model, ModelBuilder, Polynomial, amputate, attach_blade, load_model

ROOTS = ["free", "custom"]
"""What a walker may stand on the world by."""

_MARKERS = {
    "trunk": ((0.1, 0.1, 0.12), (0.1, 0.1, -0.12), (-0.1, 0.12, 0.0), (0.02, 0.5, 0.0)),
    "thigh": ((0.05, -0.15, 0.06), (0.0, -0.4, 0.05), (0.0, -0.4, -0.05)),
    "shank": ((0.05, -0.1, 0.03), (0.0, -0.4, 0.04), (0.0, -0.4, -0.04)),
    "foot": ((-0.05, -0.03, 0.0), (0.18, -0.03, 0.03), (0.15, -0.03, -0.03)),
}


_load = cache(load_model)


def the_model(source: str | Path, **options: Any) -> Model:
    """Return a packaged model, or one of a file that no test changes."""
    return _load(str(source), **options)


@cache
def blade_runner() -> Model:
    """Return the whole person with a medium running blade below the right knee."""
    return attach_blade(amputate(the_model("human"), "right", below_knee=0.15), "right", "c-medium")


@cache
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
    for link, places in _MARKERS.items():
        for i, (x, y, z) in enumerate(places):
            if link == "trunk":
                builder.marker(f"trunk{i}", link, (x, y, z))
                continue
            builder.marker(f"{link}{i}_r", f"{link}_r", (x, y, z))
            builder.marker(f"{link}{i}_l", f"{link}_l", (x, y, -z))
    return builder.build()


@cache
def slider() -> Model:
    """Return a block of 1 kg that slides along x."""
    builder = ModelBuilder("slider")
    builder.prismatic("block", axis=(1, 0, 0), mass=1.0)
    return builder.build()


@cache
def planar() -> Model:
    """Return somebody who moves in a plane: three coordinates of the base."""
    builder = ModelBuilder("planar")
    builder.custom(
        "trunk",
        rotations=(Axis.along((0, 0, 1), "tilt"), Axis((1, 0, 0)), Axis((0, 1, 0))),
        translations=(Axis.along((1, 0, 0), "tx"), Axis.along((0, 1, 0), "ty"), Axis((0, 0, 1))),
        mass=30.0,
        com=(0, 0.2, 0),
        inertia=(1, 1, 1),
    )
    builder.revolute(
        "foot_r", parent="trunk", axis=(0, 0, 1), position=(0, -0.9, 0), mass=2.0, com=(0.1, 0, 0)
    )
    return builder.build()
