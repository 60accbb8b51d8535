"""The muscle of the hybrid-link paper: f = a F_l(l) F_v(v) F_max, a Gaussian of length, a hyperbola of velocity.

This is eq. 40 of [Hybrid2026], after Stroeve [Stroeve1999] and Winters and Stark [Winters1985]. It has neither a
parallel spring nor a tendon: the tendon keeps its slack length. The paper gives no numbers. Those here are the width of
the Gaussian, the force in fast lengthening and the ratio of the slopes at rest (twice as steep in lengthening) of
[Thelen2003] as OpenSim has it, whose curves have the same form; and a / F0 = 0.25 as in [Hill1938]. A muscle may give
others: `width`, `curvature`, `stretched_force`.
"""

from __future__ import annotations

from collections.abc import Mapping

from softstride.errors import ModelError
from softstride.muscles.hill.schutte1993 import Hyperbolas
from softstride.muscles.hill.thelen2003 import GaussActive

CURVATURE = 0.25
STRETCHED_FORCE = 1.4
STEEPER = 2.0
"""Slope at rest in lengthening over that in shortening."""


def read_gauss_active(parameters: Mapping[str, float]) -> GaussActive:
    """Return the active curve with the numbers of a muscle."""
    return GaussActive(parameters["width"]) if "width" in parameters else GaussActive()


def read_gauss_velocity(parameters: Mapping[str, float]) -> Hyperbolas:
    """Return the force-velocity curve with the numbers of a muscle."""
    curvature = parameters.get("curvature", CURVATURE)
    force = parameters.get("stretched_force", STRETCHED_FORCE)
    if not (curvature > 0.0 and force > 1.0):
        raise ModelError(
            f"curvature must be above 0 and stretched_force above 1, however they are {curvature:g} and {force:g}"
        )
    return Hyperbolas(curvature, force, (force - 1.0) / (STEEPER * (1.0 + 1.0 / curvature)))
