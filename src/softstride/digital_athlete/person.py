"""The digital athlete as two models: the one that moved, and the one that an analyst would have of it.

Both are the packaged gait person with a running blade on the right leg and the muscles of an athlete, those that were
cut secured to the bone end. The true one has a blade of 24 segments, links whose mass, centre of mass and moments of
inertia differ by up to 5 % from the tables, and muscles that differ as `strength` says; the analyst has the blade in
six segments and the tables. Total mass, bones, joints, markers, paths of muscles and the material of the blade are the
same: an analyst weighs the athlete, and is given the data sheet of the blade and the surgeon's report.
"""

from __future__ import annotations

import dataclasses
from functools import cache

import numpy as np

from softstride.digital_athlete.strength import differing, trained
from softstride.files import packaged_text
from softstride.model.amputation import amputate
from softstride.model.blade import Blade
from softstride.model.blade_file import blade_from_text
from softstride.model.inertia import Inertia
from softstride.model.link import Link
from softstride.model.load import load_model
from softstride.model.model import Model
from softstride.model.prosthesis import attach_blade
from softstride.model.rod import Rod

MASS, HEIGHT, SEX = 71.0, 1.75, "male"
"""Of the person before the amputation [kg], [m]."""

BELOW_KNEE = 0.15
"""Length of the stump [m]."""

SHIFT = 0.06
"""How far the clamp is set forward [m]: the sole is then under the middle of where the foot was."""

SURGERY = "myodesis"
"""What was done to the muscles that were cut, as in [Hybrid2026, section 2.4.2]."""

SHAPE, CATEGORY = "c", "medium"
"""The packaged blade: 5 cm of deflection at 1700 N."""

TORSION = 4.0
"""Torsional stiffness relative to the packaged blade, as of a laminate with plies at 45 degrees: without them 40 N to
the side, as in running, would push the toe aside by 25 mm."""

TRUE_SEGMENTS, ESTIMATOR_SEGMENTS = 24, 6
SPREAD, SEED = 0.05, 20
"""Largest relative difference of mass, centre of mass and moments of inertia of a link, and the draw."""


def blade_of(segments: int) -> Blade:
    """Return the athlete's blade, divided into equal segments."""
    text = packaged_text("softstride.model.library.blades", f"{SHAPE}.toml")
    plain = blade_from_text(
        f"segments = {segments}\n{text}",
        "blade of the digital athlete",
        name=f"{SHAPE}-{CATEGORY}, torsion plies",
        category=CATEGORY,
    )
    grow = np.diag([np.sqrt(TORSION), 1.0, 1.0, 1.0, 1.0, 1.0])
    parts = tuple(
        dataclasses.replace(part, stiffness=grow @ part.stiffness @ grow, damping=grow @ part.damping @ grow)
        for part in plain.rod.segments
    )
    return dataclasses.replace(plain, rod=Rod(parts, plain.rod.quadrature))


def true_blade() -> Blade:
    """Return the blade that moved: finer, and without bending about its thickness, 100 times stiffer than the other."""
    blade = blade_of(TRUE_SEGMENTS)
    parts = tuple(dataclasses.replace(part, free=("kx", "ky")) for part in blade.rod.segments)
    return dataclasses.replace(blade, rod=Rod(parts, blade.rod.quadrature))


def whole_person() -> Model:
    """Return the athlete before the amputation."""
    return trained(load_model("gait", mass=MASS, height=HEIGHT, sex=SEX))


def _person(blade: Blade, name: str, surgery: str = SURGERY) -> Model:
    cut = amputate(whole_person().replace(name=name), "right", below_knee=BELOW_KNEE, surgery=surgery)
    return attach_blade(cut, "right", blade, shift=SHIFT)


@cache
def estimator_model(surgery: str = SURGERY) -> Model:
    """Return the athlete as an analyst knows it: a blade of six segments, inertia and muscles from tables.

    Args:
        surgery: What the analyst believes that the surgeon did, as `amputate` takes it; a myodesis is true.
    """
    return _person(blade_of(ESTIMATOR_SEGMENTS), "digital athlete, estimated", surgery)


@cache
def true_model() -> Model:
    """Return the athlete that moved: a blade of 24 segments, inertia up to 5 % away from the tables, other muscles.

    With r uniform in ±5 %, drawn for each link: m' = (1 + r) m, scaled so that the whole weighs the same; each
    component of the centre of mass (1 + r) c; I' = (1 + r) I, all moments alike, so that they stay physical.
    """
    model = differing(_person(true_blade(), "digital athlete, true"))
    draw = np.random.default_rng(SEED)
    links = [_changed(link, draw.uniform(-SPREAD, SPREAD, 5)) for link in model.links]
    soft = sum(link.mass for link in links if link.soft)
    ratio = (model.mass - soft) / (sum(link.mass for link in links) - soft)
    return model.replace(links=tuple(link if link.soft else _heavier(link, ratio) for link in links))


def _changed(link: Link, change: np.ndarray) -> Link:
    """Return a link with other inertia; a rod keeps its own."""
    if link.soft or link.inertia.mass == 0.0:
        return link
    old = link.inertia
    new = Inertia(
        (1.0 + change[0]) * old.mass,
        (1.0 + change[1:4]) * old.com,
        (1.0 + change[4]) * old.matrix,
        old.physical,
    )
    return dataclasses.replace(link, inertia=new)


def _heavier(link: Link, ratio: float) -> Link:
    old = link.inertia
    return dataclasses.replace(link, inertia=Inertia(ratio * old.mass, old.com, old.matrix, old.physical))


__all__ = ["estimator_model", "true_blade", "true_model", "whole_person"]
