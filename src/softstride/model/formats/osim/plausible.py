"""Whether the numbers of a model can be those of a body in metres and kilograms."""

from __future__ import annotations

import numpy as np

from softstride.errors import ModelError
from softstride.model.checks import FloatArray
from softstride.model.formats.osim.motions import joint_pose
from softstride.model.link import WORLD
from softstride.model.model import Model

MAX_LENGTH = 3.0
"""Largest distance [m] between the origins of two joined bodies, or from an origin to its centre of mass."""

MAX_WORLD = 1000.0
"""Largest distance [m] of a body from the origin of the ground."""

MAX_MASS = 1000.0
"""Largest mass [kg] of a model: more is a mass in grams, or no animal that is measured."""

LONG_THIGH = 0.30
"""Thigh length [m] above which a whole person is at least of school age."""

MIN_MASS = 12.0
"""Least mass [kg] of a person with legs of that length; girls of 1.1 m weigh 18 kg on average."""

THIGHS = (0.03, 1.0)
"""Range of thigh lengths of people [m]."""


def check_plausible(model: Model, path: str) -> None:
    """Check lengths and masses: a femur of 3 km, an adult of 7 kg or a model in millimetres is refused.

    Lengths are those of the default pose. The least mass applies only to what has a pelvis, two thighs and two shanks:
    a part of a body may weigh anything.

    Raises:
        ModelError: A length or mass that cannot be right; the message names the body.
    """
    poses = default_poses(model)
    for link in model.links:
        here = poses[link.name]
        parent = poses.get(link.parent, np.eye(4))
        length = float(np.linalg.norm(here[:3, 3] - parent[:3, 3]))
        if length > (MAX_WORLD if link.parent == WORLD else MAX_LENGTH):
            raise ModelError(_words(path, f"body {link.name!r} is {length:.4g} m away from {link.parent!r}"))
        arm = float(np.linalg.norm(link.inertia.com))
        if arm > MAX_LENGTH:
            raise ModelError(
                _words(path, f"the centre of mass of body {link.name!r} is {arm:.4g} m from its origin")
            )
    if model.mass > MAX_MASS:
        heaviest = max(model.links, key=lambda link: link.mass)
        raise ModelError(
            _words(
                path,
                f"the model weighs {model.mass:.4g} kg, body {heaviest.name!r} alone {heaviest.mass:.4g} kg",
            )
        )
    _check_person(model, poses, path)


def _check_person(model: Model, poses: dict[str, FloatArray], path: str) -> None:
    pelvis, thighs, shanks = (
        [link for link in model.links if any(word in link.name.lower() for word in words)]
        for words in (("pelvis",), ("femur", "thigh"), ("tibia", "shank"))
    )
    lengths = [
        float(np.linalg.norm(poses[shank.name][:3, 3] - poses[thigh.name][:3, 3]))
        for thigh in thighs
        for shank in shanks
        if shank.parent == thigh.name
    ]
    if not pelvis or len(thighs) < 2 or len(lengths) < 2:
        return
    thigh = max(lengths)
    if not THIGHS[0] <= thigh <= THIGHS[1]:
        raise ModelError(_words(path, f"the thigh {thighs[0].name!r} of this person is {thigh:.4g} m long"))
    if thigh > LONG_THIGH and model.mass < MIN_MASS:
        raise ModelError(
            _words(
                path,
                f"a person with thighs of {thigh:.4g} m weighs {model.mass:.4g} kg, less than {MIN_MASS:g} kg",
            )
        )


def _words(path: str, problem: str) -> str:
    return f"{path}: {problem}, which cannot be right: give lengths in metres and masses in kilograms."


def default_poses(model: Model) -> dict[str, FloatArray]:
    """Return T_world_link (4, 4) of every link with all coordinates at their defaults; rigid links only."""
    values = {name: coordinate.default for name, coordinate in model.coordinates.items()}
    poses: dict[str, FloatArray] = {WORLD: np.eye(4)}
    for link in model.links:
        T = poses[link.parent] @ link.placement @ joint_pose(link.joint, values) @ link.offset
        poses[link.name] = np.asarray(T)
    return poses
