"""Checks of an installation against known answers: a table of small functions.

Each check computes one number and compares it with a reference: a closed form, a computation with 50 digits,
or zero for an identity. `softstride selfcheck` prints the table; tests run the same functions.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

from softstride.errors import InputError
from softstride.selfcheck import (
    contact,
    dynamics,
    engine,
    gait,
    kinematics,
    measuring,
    muscles,
    planar,
    segments,
)


@dataclass(frozen=True)
class Check:
    """A computation with a known answer.

    Attributes:
        what: What is compared, in a few words.
        compute: Returns the value.
        reference: The value it should have.
        tolerance: Largest absolute difference that counts as equal.
    """

    what: str
    compute: Callable[[], float]
    reference: float
    tolerance: float


@dataclass(frozen=True)
class CheckResult:
    """What a check found."""

    name: str
    what: str
    value: float
    reference: float
    tolerance: float

    @property
    def ok(self) -> bool:
        """Whether the value is within the tolerance of the reference; never for NaN."""
        return bool(abs(self.value - self.reference) <= self.tolerance)

    def figures(self) -> dict[str, Any]:
        """Return value, reference, tolerance and ok by name."""
        return {
            "value": self.value,
            "reference": self.reference,
            "tolerance": self.tolerance,
            "ok": self.ok,
        }


def run_checks(names: Iterable[str] = ()) -> list[CheckResult]:
    """Run checks and return what they found.

    Args:
        names: Names of checks, or of rooms ("engine" runs all that begin with "engine."); none means all.

    Raises:
        InputError: A name is neither a check nor a room.
    """
    wanted = list(names) or list(CHECKS)
    for name in wanted:
        if not _matching(name):
            raise InputError(f"no check {name!r}; there are: {', '.join(CHECKS)}")
    chosen = {check: CHECKS[check] for name in wanted for check in _matching(name)}
    return [
        CheckResult(name, check.what, float(check.compute()), check.reference, check.tolerance)
        for name, check in chosen.items()
    ]


def _matching(name: str) -> list[str]:
    return [check for check in CHECKS if check == name or check.startswith(f"{name}.")]


CHECKS: dict[str, Check] = {
    "spatial.exp_log": Check("log(exp(xi)) - xi, largest", engine.exp_log, 0.0, 1e-12),
    "signals.butterworth": Check(
        "gain at the cutoff after two passes", measuring.butterworth_gain, 0.5**0.5, 1e-9
    ),
    "capture.encodings": Check(
        "C3D of three processors, integer and real, largest error", measuring.encodings, 0.0, 0.0
    ),
    "capture.plate": Check(
        "centre of pressure and free moment, error", measuring.centre_of_pressure, 0.0, 1e-12
    ),
    "engine.reference_tau": Check(
        "five-link problem, 50 digits, largest error", engine.reference_tau, 0.0, 1e-12
    ),
    "engine.forward_inverse": Check(
        "athlete: forward(inverse(a)) - a, largest", engine.forward_inverse, 0.0, 1e-8
    ),
    "engine.derivatives": Check("against central differences, largest", engine.derivatives, 0.0, 1e-7),
    "engine.energy": Check("soft pendulum, free swing, energy drift", engine.energy, 0.0, 1e-7),
    "engine.elastica": Check("cantilever, P L²/EI = 2, tip y/L", engine.elastica, 0.493457, 1e-5),
    "kinematics.round_trip": Check(
        "gait person: motion from its own markers, largest error", kinematics.round_trip, 0.0, 1e-8
    ),
    "kinematics.variance": Check(
        "athlete: variances in O(n) against a dense inverse, largest", kinematics.variance, 0.0, 1e-9
    ),
    "kinematics.noise": Check(
        "noise from the residuals over the noise of the markers", kinematics.noise, 1.0, 0.03
    ),
    "kinematics.undetermined": Check(
        "coordinates of a chain that its markers cannot tell", kinematics.undetermined, 2.0, 0.0
    ),
    "contact.rolling_table": Check(
        "reference surface against its table, largest error", contact.rolling_table, 0.0, 1e-12
    ),
    "contact.test_leg": Check(
        "leg over a rolling foot, ankle angle after 0.36 s", contact.leg_angle, 0.1972204475, 1e-8
    ),
    "contact.restitution": Check(
        "rebound from a sphere against its closed form, error", contact.restitution, 0.0, 1e-6
    ),
    "contact.cycloid": Check(
        "circle on a line against its cycloid [m], largest error", contact.cycloid, 0.0, 1e-14
    ),
    "contact.landing": Check(
        "angular momentum about the contact through a landing [kg m²/s], change", contact.landing, 0.0, 1e-14
    ),
    "contact.compiled_leg": Check(
        "leg over a rolling foot, compiled against arrays, relative", contact.compiled_leg, 0.0, 1e-12
    ),
    "dynamics.momentum": Check(
        "base residual against Newton's law for all links [N], largest error", dynamics.base, 0.0, 1e-9
    ),
    "dynamics.weight": Check("upward ground reaction at rest, in body weights", dynamics.weight, 1.0, 1e-3),
    "dynamics.balance": Check(
        "ground reaction ahead of the centre of mass at rest [m]", dynamics.balance, 0.0, 0.02
    ),
    "dynamics.cones": Check("forces beyond friction cones, in body weights, most", dynamics.cones, 0.0, 1e-8),
    "muscles.wrapped_length": Check(
        "path over a cylinder against its closed form [m], error", muscles.wrapped_length, 0.0, 1e-14
    ),
    "muscles.arms": Check("moment arms against differences of length [m], largest", muscles.arms, 0.0, 1e-7),
    "muscles.hill": Check(
        "four sets of curves at known points, largest error", muscles.hill_curves, 0.0, 1e-9
    ),
    "muscles.activation": Check(
        "activation one time constant after a step, 1 - 1/e", muscles.activation, 0.6321205588285577, 1e-12
    ),
    "muscles.share": Check("two muscles hold a forearm, force of the farther [N]", muscles.share, 80.0, 1e-9),
    "muscles.elbow": Check("what then presses on the elbow [N]", muscles.elbow, 100.0, 1e-9),
    "muscles.crane": Check("boom of a crane on its pin [N]", muscles.crane, 1000.0, 1e-9),
    "muscles.optimality": Check(
        "gait person: conditions of optimality, largest violation", muscles.optimality, 0.0, 1e-9
    ),
    "planar.contributions": Check(
        "reference chain against its table, largest relative error", planar.contributions, 0.0, 1e-12
    ),
    "planar.forms": Check(
        "joint reactions, distal against proximal [N], largest difference", planar.forms, 0.0, 1e-9
    ),
    "planar.energy": Check("falling chain, energy without work [J]", planar.energy, 0.0, 1e-7),
    "segments.reference": Check(
        "reference limb, moments and multipliers, largest relative error", segments.reference, 0.0, 1e-11
    ),
    "segments.four_methods": Check(
        "moments by four methods on exact derivatives, relative", segments.four_methods, 0.0, 1e-12
    ),
    "segments.energy": Check("powers against the rate of energy, relative", segments.energy, 0.0, 1e-8),
    "segments.functional": Check(
        "centre [m] and axis [rad] of an exact movement, error", segments.functional, 0.0, 1e-12
    ),
    "gait.equations": Check(
        "walker's reference state, all phases, largest relative error", gait.accelerations, 0.0, 1e-11
    ),
    "gait.step": Check("recipe B, heel strike [s]", gait.step_time, 0.55, 1e-3),
    "gait.push_off": Check("the same, left ankle +20 % in phase 1 [s]", gait.push_off, 0.45, 1e-3),
    "gait.euler": Check("recipe A by Euler's scheme of 1980, 1 ms, heel strike [s]", gait.euler, 0.397, 1e-9),
    "gait.energy": Check("recipe B, energy without work, over kinetic energy", gait.energy, 0.0, 1e-8),
    "gait.inverse": Check(
        "moments of recipe B from its motion and forces [N m], largest error", gait.inverse, 0.0, 1e-8
    ),
}
