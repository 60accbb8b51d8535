"""`hop`: a leg on a blade is dropped, lands, goes down, pushes off and flies."""

from __future__ import annotations

from typing import Literal

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import brentq

from softstride import engine
from softstride.contact import SphereContact
from softstride.digital_athlete.person import estimator_model
from softstride.errors import InputError
from softstride.fields import Number, checked
from softstride.gait.hop.control import HIP, KNEE, LegControl, Muscles
from softstride.gait.hop.footing import Footing, outline_blade, rolling_blade, sphere_blade
from softstride.gait.hop.leg import BladeLeg, blade_leg
from softstride.gait.hop.phases import Hopper
from softstride.gait.hop.result import HopResult, build_result
from softstride.model.model import Model
from softstride.simulation import largest_stable_step

Floats = NDArray[np.float64]
Contact = Literal["rolling", "outline", "spheres"]

COLLAPSED = 0.6
"""The leg has collapsed when its hip is lower than this share of its height in standing."""

MOST_FLEXED = 1.5
"""Largest flexion of the knee [rad]."""

STEEPEST = 0.8
"""Largest flexion of the hip that is tried to bring the blade under the weight [rad]."""


def hop(
    model: Model | None = None,
    *,
    height: float = 0.1,
    knee: float = 0.45,
    push: float = 60.0,
    contact: Contact = "rolling",
    spheres: SphereContact | None = None,
    muscles: Muscles | None = None,
    floor: float = 0.0,
    method: str = "rosenbrock",
    dt: float | None = 1e-3,
    max_steps: int = 20_000,
) -> HopResult:
    """Drop a leg on its blade and let it push off.

    The leg falls from rest with its blade under its weight. Where the sole meets the ground a rolling blade lands in a
    plastic impact; it then rolls without slip while it bends and straightens, and takes off when the ground would have
    to pull. Hip and knee hold their posture like springs; from the lowest point on the knee pushes.

    Args:
        model: An athlete with a blade; None: the packaged one, 70 kg, with a C-shaped blade of 28 kN/m.
        height: From the sole to the ground at the start [m].
        knee: Flexion of the knee [rad].
        push: Extending moment of the knee from the lowest point on [N m].
        contact: "rolling": the sole rolls as it bends; "outline": its unloaded outline, fixed to one section, rolls;
            "spheres": viscoelastic points along the sole.
        spheres: Their law.
        muscles: Impedance of hip and knee.
        floor: Height of the ground [m].
        method: Of `simulate`.
        dt: Step [s]; None: the error is controlled.
        max_steps: Largest number of steps of a phase.

    Returns:
        The hop; where the leg collapses or rattles, what there is up to then, and why.

    Raises:
        InputError: A start below the floor, an explicit method, which cannot hold a blade, or numbers out of range.
    """
    for name, value in (("height", height), ("knee", knee), ("push", push), ("floor", floor)):
        checked(Number(), value, name, of="a hop")
    if not 0.0 <= knee <= MOST_FLEXED:
        raise InputError(f"knee of a hop must be flexed by 0 to {MOST_FLEXED:g} rad, however by {knee:g} rad")
    if height < 0.0:
        raise InputError(
            f"the blade starts {-height:g} m below the floor: height is counted from the sole to the ground, above 0"
        )
    leg = blade_leg(estimator_model() if model is None else model)
    if method != "rosenbrock":
        rest = np.array(leg.model.neutral())
        largest = largest_stable_step(leg.model, rest, np.zeros(leg.model.nv), method=method)
        raise InputError(
            f"method {method!r} cannot hold a blade: its fastest mode allows explicit steps of {largest:.2g} s at "
            'most; take method="rosenbrock"'
        )
    footing = _footing(leg, contact, floor, spheres)
    q = stand_over(leg, footing, knee)
    q[1] += height - footing.height(q[None])[0]
    posture = float(q[HIP]), float(q[KNEE])
    muscles = muscles or Muscles()
    lowest = floor + COLLAPSED * float(q[1] - height - floor)
    hopper = Hopper(
        leg,
        footing,
        LegControl(posture, muscles),
        LegControl(posture, muscles, float(push)),
        method,
        dt,
        lowest,
        max_steps,
    )
    hopper.go(q, np.zeros(leg.model.nv))
    return build_result(hopper, leg, footing, contact)


def stand_over(leg: BladeLeg, footing: Footing, knee: float) -> Floats:
    """Return q (nq,) with this flexion of the knee and the hip flexed so that the sole is lowest under the weight.

    Raises:
        InputError: No flexion of the hip does it.
    """
    q = np.array(leg.model.neutral())
    q[KNEE] = knee

    def ahead(hip: float) -> float:
        q[HIP] = hip
        weight = engine.centre_of_mass(leg.model, q[None])[0, 0]
        return float(footing.contact(q[None])[0, 0] - weight)

    if ahead(-STEEPEST) * ahead(STEEPEST) > 0.0:
        raise InputError(
            f"with the knee flexed by {knee:.3g} rad no flexion of the hip up to {STEEPEST:g} rad brings the blade "
            "under the weight"
        )
    q[HIP] = brentq(ahead, -STEEPEST, STEEPEST, xtol=1e-12)
    return q


def _footing(leg: BladeLeg, contact: str, floor: float, spheres: SphereContact | None) -> Footing:
    if contact == "rolling":
        return rolling_blade(leg, floor)
    if contact == "outline":
        return outline_blade(leg, floor)
    if contact == "spheres":
        return sphere_blade(leg, floor, spheres)
    raise InputError(f"contact of a hop must be 'rolling', 'outline' or 'spheres', however it is {contact!r}")
