"""Whether the numbers of a model can be those of a body in metres and kilograms."""

from __future__ import annotations

import numpy as np

from softstride.errors import ModelError
from softstride.model.checks import FloatArray
from softstride.model.link import WORLD
from softstride.model.model import Model
from softstride.model.posture import default_poses

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

ADULT_THIGH = 0.35
"""Thigh length [m] from which a whole person has the size of an adult: 0.245 of a height of 1.43 m."""

ADULT_MASS = 25.0
"""Least mass [kg] of a person of that size: a body mass index of 12 kg/m² at 1.43 m, which nobody survives long."""

THIGHS = (0.03, 1.0)
"""Range of thigh lengths of people [m]."""


def check_plausible(model: Model) -> None:
    """Check lengths and masses: a femur of 3 km, an adult of 7 or 23 kg or a model in millimetres is refused.

    Lengths are those of the default pose. The least mass applies only to what has a pelvis, two thighs and two shanks:
    a part of a body may weigh anything.

    Args:
        model: Any model.

    Raises:
        ModelError: A length or mass that cannot be right; the message names the link.
    """
    with np.errstate(all="ignore"):  # numbers near the largest that exist overflow, and are refused for it
        poses = default_poses(model)
        _check_lengths(model, poses)
        _check_mass(model)
        _check_person(model, poses)


def _check_lengths(model: Model, poses: dict[str, FloatArray]) -> None:
    for link in model.links:
        here = poses[link.name]
        parent = poses.get(link.parent, np.eye(4))
        length = float(np.linalg.norm(here[:3, 3] - parent[:3, 3]))
        if not length <= (MAX_WORLD if link.parent == WORLD else MAX_LENGTH):  # not a number: too far as well
            raise _error(f"body {link.name!r} is {length:.4g} m away from {link.parent!r}")
        arm = float(np.linalg.norm(link.inertia.com))
        if not arm <= MAX_LENGTH:
            raise _error(f"the centre of mass of body {link.name!r} is {arm:.4g} m from its origin")


def _check_mass(model: Model) -> None:
    if not model.mass <= MAX_MASS:
        heaviest = max(model.links, key=lambda link: link.mass)
        raise _error(
            f"the model weighs {model.mass:.4g} kg, body {heaviest.name!r} alone {heaviest.mass:.4g} kg"
        )


def _check_person(model: Model, poses: dict[str, FloatArray]) -> None:
    lengths = _thighs(model, poses)
    if len(lengths) < 2 or not any("pelvis" in name.lower() for name in model.link_names):
        return
    longest = max(lengths, key=lambda name: lengths[name])
    thigh = lengths[longest]
    if not THIGHS[0] <= thigh <= THIGHS[1]:
        raise _error(f"the thigh {longest!r} of this person is {thigh:.4g} m long")
    if thigh >= ADULT_THIGH:
        size, least = "an adult", ADULT_MASS
    elif thigh > LONG_THIGH:
        size, least = "a child at school", MIN_MASS
    else:
        return
    if model.mass < least:
        raise _error(
            f"this person weighs {model.mass:.4g} kg on thighs of {thigh:.4g} m (the size of {size}, "
            f"who weighs {least:g} kg at least)"
        )


def _thighs(model: Model, poses: dict[str, FloatArray]) -> dict[str, float]:
    """Return the lengths of the thighs [m], from their origins to those of the shanks that hang on them, by name."""
    lengths: dict[str, float] = {}
    above: dict[str, str] = {}  # link -> the thigh that it belongs to, down to the first shank
    for link in model.links:
        name = link.name.lower()
        thigh = above.get(link.parent)
        if thigh is not None and ("tibia" in name or "shank" in name):
            lengths[thigh] = float(np.linalg.norm(poses[link.name][:3, 3] - poses[thigh][:3, 3]))
        elif thigh is not None:
            above[link.name] = (
                thigh  # a link in between, such as that of a joint that is run through backwards
            )
        elif "femur" in name or "thigh" in name:
            above[link.name] = link.name
    return lengths


def _error(problem: str) -> ModelError:
    return ModelError(
        f"{problem}, which cannot be right: give lengths in metres and masses in kilograms, all of them; a file that "
        "is right all the same is read in Python, by load_model(file, plausible=False)"
    )
