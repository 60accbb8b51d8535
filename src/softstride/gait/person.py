"""The walker of any person: lengths of the packaged people, masses and inertias of Winter's table.

Table A1 of [Onyshko1980] follows from the same table: its masses are 1.45, 4.65, 10 and 67.8 % of 79.9 kg.
"""

from __future__ import annotations

import cmath
import math
from dataclasses import replace
from typing import Any

import numpy as np

from softstride.errors import ModelError
from softstride.gait.body import Body
from softstride.model.library.human.person import Person, lengths
from softstride.model.library.human.shape import build_shape
from softstride.segments.inertia_table import read_inertia_table

TABLE = "winter"
"""Body segment parameters, [Winter2009] after [Dempster1955]."""


def body_from_person(mass: float, height: float, sex: str = "male", gravity: float = 9.80665) -> Body:
    """Return the walker of a person, by means of adults.

    Args:
        mass: [kg].
        height: Standing height [m].
        sex: "male" or "female"; lengths over height differ.
        gravity: [m/s²].

    Raises:
        ModelError: Mass, height or sex of nobody.
    """
    person = Person(mass, height, sex)  # type: ignore[arg-type]
    at = build_shape(lengths(person)).points
    flat = {name: complex(point[0], point[1]) for name, point in at.items()}
    return body_from_lengths(
        person.mass,
        thigh=abs(flat["hip"] - flat["knee"]),
        shank=abs(flat["knee"] - flat["ankle"]),
        hat=abs(flat["shoulder"] - flat["hip"]),
        ankle=(flat["ankle"].real - flat["heel"].real, flat["ankle"].imag),
        sole=flat["toe_tip"].real - flat["heel"].real,
        foot=abs(flat["mtp"] - flat["ankle"]),
        gravity=gravity,
    )


def body_from_lengths(
    mass: float,
    *,
    thigh: float,
    shank: float,
    hat: float,
    ankle: tuple[float, float],
    sole: float,
    foot: float,
    gravity: float = 9.80665,
) -> Body:
    """Return a walker of measured lengths, with shares of mass and radii of gyration of Winter's table.

    The centre of mass of a foot is in the middle of ankle and toe, as in the equations.

    Args:
        mass: Of the whole body [kg].
        thigh: Hip to knee [m].
        shank: Knee to ankle [m].
        hat: Hip to shoulder [m].
        ankle: Ahead of the heel and above the floor, foot flat [m].
        sole: Heel to toe [m].
        foot: Ankle to the heads of the metatarsals, which the foot's radius of gyration is a share of [m].
        gravity: [m/s²].

    Raises:
        ModelError: A length or mass that cannot be.
    """
    table = read_inertia_table(TABLE)
    rows = {name: table.row(name) for name in ("foot", "leg", "thigh", "head_arms_trunk")}
    sizes = {"foot": foot, "leg": shank, "thigh": thigh, "head_arms_trunk": hat}
    masses = {name: row.mass * mass for name, row in rows.items()}
    inertias = {}
    for name, row in rows.items():
        if row.radii is None:
            raise ModelError(f"table {TABLE!r} has no radius of gyration for {name!r}")
        inertias[name] = masses[name] * (row.radii[2] * sizes[name]) ** 2
    above = {"leg": rows["leg"].com[0] * shank, "thigh": rows["thigh"].com[0] * thigh}
    return Body(
        **foot_shape(ankle, sole),
        foot_mass=masses["foot"],
        foot_inertia=inertias["foot"],
        shank_below=shank - above["leg"],
        shank_above=above["leg"],
        shank_mass=masses["leg"],
        shank_inertia=inertias["leg"],
        thigh_below=thigh - above["thigh"],
        thigh_above=above["thigh"],
        thigh_mass=masses["thigh"],
        thigh_inertia=inertias["thigh"],
        hat_centre=rows["head_arms_trunk"].com[0] * hat,
        hat_mass=masses["head_arms_trunk"],
        hat_inertia=inertias["head_arms_trunk"],
        gravity=gravity,
    )


def foot_shape(ankle: tuple[float, float], sole: float) -> dict[str, Any]:
    """Return the lengths and angles of a foot whose two triangles agree: B, C, A, beta, gamma and alpha."""
    if not (np.isfinite(sole) and sole > ankle[0] and ankle[1] > 0.0):
        raise ModelError(
            f"the ankle of a foot must be above the floor and behind the toe, however it is {ankle} m from the heel "
            f"on a sole of {sole:g} m"
        )
    from_heel, from_toe = complex(*ankle), complex(ankle[0] - sole, ankle[1])
    centre = 0.5 * (from_heel + sole)
    return {
        "heel_ankle": abs(from_heel),
        "heel_angle": cmath.phase(from_heel),
        "heel_centre": abs(centre),
        "centre_angle": cmath.phase(centre),
        "toe_centre": 0.5 * abs(from_toe),
        "toe_angle": cmath.phase(from_toe),
    }


def with_consistent_foot(body: Body) -> Body:
    """Return the body with a foot whose triangles agree: that from toe to ankle, and the heel where the sole ends.

    The two triangles of Table A1, one from the heel and one from the toe, differ by 0.15 mm.
    """
    rise = 2.0 * body.toe_centre * math.sin(body.toe_angle)
    ahead = body.heel_ankle * math.cos(body.heel_angle)
    return replace(body, **foot_shape((ahead, rise), body.sole))
