"""Checks of an installation against known answers: a table of small functions.

Each check computes one number and compares it with a reference: a closed form, a computation with 50 digits,
or zero for an identity. `softstride selfcheck` prints the table; tests run the same functions.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

from softstride.errors import InputError
from softstride.selfcheck import engine, kinematics, measuring


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
}
