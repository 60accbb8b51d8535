"""Checks of an installation against known answers: a table of small functions.

Each check computes one number and compares it with a reference: a closed form, a computation with 50 digits,
or zero for an identity. `softstride selfcheck` prints the table; tests run the same functions.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from softstride import engine, spatial
from softstride.errors import InputError
from softstride.model import Frame, Inertia, Model, ModelBuilder, Rod, Section, athlete
from softstride.model.library.reference import reference_problem
from softstride.simulation import equilibrium, simulate

FloatArray = NDArray[np.float64]


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


def _exp_log() -> float:
    """Return the largest difference between xi and log(exp(xi)), from 1e-9 to 3 rad."""
    random = np.random.default_rng(1)
    xi = random.uniform(-1.0, 1.0, (400, 6))
    xi[:, :3] *= (np.geomspace(1e-9, 3.0, 400) / np.linalg.norm(xi[:, :3], axis=1))[:, None]
    return float(np.max(np.abs(spatial.se3.log(spatial.se3.exp(xi)) - xi)))


def _reference_tau() -> float:
    """Return the largest error of the generalized forces of the reference problem, over the largest."""
    problem = reference_problem()
    tau = engine.inverse_dynamics(problem.model, problem.q, problem.v, problem.a)
    return _relative(tau, problem.tau)


def _forward_inverse() -> float:
    """Return the largest error of forward dynamics after inverse dynamics on the athlete with a blade."""
    model = athlete()
    q, v, a = random_state(model, n_frames=20)
    tau = engine.inverse_dynamics(model, q, v, a)
    return _relative(engine.forward_dynamics(model, q, v, tau), a)


def _derivatives() -> float:
    """Return the largest error of the derivatives of inverse dynamics against central differences."""
    problem = reference_problem()
    model, nv, h = problem.model, problem.model.nv, 1e-5
    q, v, a = (np.tile(x, (2 * nv, 1)) for x in (problem.q, problem.v, problem.a))
    steps = np.concatenate([np.eye(nv), -np.eye(nv)]) * h  # (2 nv, nv)

    def slope(tau: FloatArray) -> FloatArray:
        return (tau[:nv] - tau[nv:]).T / (2 * h)  # (nv, nv): column j is d tau / d step j

    by_differences = (
        slope(engine.inverse_dynamics(model, engine.integrate(model, q, steps, 1.0), v, a)),
        slope(engine.inverse_dynamics(model, q, v + steps, a)),
        slope(engine.inverse_dynamics(model, q, v, a + steps)),
    )
    exact = engine.inverse_dynamics_derivatives(model, problem.q, problem.v, problem.a)
    return max(_relative(x, y) for x, y in zip(exact, by_differences, strict=True))


def _energy() -> float:
    """Return the drift of energy of a soft pendulum in 0.2 s of free swing, over its peak kinetic energy."""
    b = ModelBuilder("soft pendulum")
    section = Section.rectangle(0.02, 0.005, density=1100.0, young=5e6, shear=2e6)
    b.rod("rod", rod=Rod.uniform(0.4, 3, section, free=("ky",)), mass=0.05)
    swing = simulate(b.build(), (1.0, 0.5, -0.5), np.zeros(3), (0.0, 0.2), method="rk4", dt=5e-4)
    return swing.energy_drift / float(np.max(swing.energy.kinetic))


def _elastica() -> float:
    """Return y/L of a cantilever's tip under P L²/EI = 2, extrapolated from 8 and 16 segments (order 2)."""
    coarse, fine = tip_deflection(8), tip_deflection(16)
    return fine + (fine - coarse) / 3.0


def tip_deflection(n: int, load: float = 2.0) -> float:
    """Return y/L of the tip of a clamped rod of `n` segments under a dead load across it, P L²/EI."""
    section = Section(Inertia(1.0), np.eye(6))  # L = EI = 1
    b = ModelBuilder("cantilever", gravity=(0.0, 0.0, 0.0))
    b.rod("rod", rod=Rod.uniform(1.0, n, section, free=("kz",)))
    model, tip = b.build(), Frame("rod")
    found = equilibrium(model, np.zeros(n), {tip: np.array([0.0, 0.0, 0.0, 0.0, load, 0.0])})
    return float(engine.poses(model, found.q, tip)[1, 3])


def random_state(
    model: Model, n_frames: int, seed: int = 0, spread: float = 0.5
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Return coordinates around the neutral pose, velocities and accelerations, uniform and seeded.

    Args:
        model: The model.
        n_frames: Number of frames.
        seed: Of the generator.
        spread: Half the width of the steps away from the neutral pose, and of v and a.

    Returns:
        q of shape (n_frames, nq), v and a of shape (n_frames, nv).
    """
    random = np.random.default_rng(seed)
    steps, v, a = random.uniform(-spread, spread, (3, n_frames, model.nv))
    neutral = np.tile(model.neutral(), (n_frames, 1))
    return engine.integrate(model, neutral, steps, 1.0), v, a


def _relative(value: FloatArray, reference: FloatArray) -> float:
    return float(np.max(np.abs(value - reference)) / np.max(np.abs(reference)))


def _encodings() -> float:
    """One trial written for three processors, as integers and as floats, and read back."""
    from softstride.capture.c3d import C3DFile, decode_c3d, encode_c3d, number_parameter

    points = np.arange(1.0, 61.0).reshape(5, 4, 3) * 8.0  # whole multiples of the scale
    largest = 0.0
    for processor in ("intel", "dec", "sgi"):
        for storage, scale in (("integer", 0.5), ("real", -0.5)):
            file = C3DFile(
                processor=processor,
                storage=storage,  # type: ignore[arg-type]
                first_frame=1,
                rate=100.0,
                groups={"POINT": {"SCALE": number_parameter("SCALE", scale)}},
                point_labels=tuple("abcd"),
                point_descriptions=("",) * 4,
                point_units="mm",
                points=points,
                residuals=np.zeros((5, 4)),
                cameras=np.zeros((5, 4), dtype=np.uint8),
                analog=np.zeros((0, 0)),
                analog_labels=(),
                analog_units=(),
                analog_rate=0.0,
            )
            again = decode_c3d(encode_c3d(file), "selfcheck.c3d")
            largest = max(largest, float(np.abs(again.points - points).max()))
    return largest


def _centre_of_pressure() -> float:
    """A force of (30, 700, -20) N at (0.1, 0, -0.05) m of a plate in the floor y = 0: the distance between both."""
    from softstride.capture.force import Plate
    from softstride.capture.plates import plate_force

    corners = np.array([[0.3, 0.0, 0.2], [-0.3, 0.0, 0.2], [-0.3, 0.0, -0.2], [0.3, 0.0, -0.2]])
    axes = np.array([[1.0, 0.0, 0.0], [0.0, 0.0, -1.0], [0.0, 1.0, 0.0]])  # z of the plate points down
    point, force, free = np.array([[0.1, 0.0, -0.05], [30.0, 700.0, -20.0], [0.0, 3.0, 0.0]])
    wrench = np.concatenate([np.cross(point, force) + free, force])
    found = plate_force(Plate("plate", 2, corners, axes, np.zeros(1), wrench[None]))
    return float(np.abs(found.point[0] - point).max() + np.abs(found.moment[0] - free).max())


def _butterworth_gain() -> float:
    """A sine at the cutoff, filtered forward and backward: what is left of its amplitude in the middle."""
    from softstride.signals import butterworth

    time = np.arange(20000) / 1000.0
    wave = np.exp(2j * np.pi * 6.0 * time)
    left = butterworth(np.stack([wave.real, wave.imag], axis=1), 1000.0, 6.0)
    return float(np.hypot(*left[10000]))


CHECKS: dict[str, Check] = {
    "spatial.exp_log": Check("log(exp(xi)) - xi, largest", _exp_log, 0.0, 1e-12),
    "signals.butterworth": Check("gain at the cutoff after two passes", _butterworth_gain, 0.5**0.5, 1e-9),
    "capture.encodings": Check(
        "C3D of three processors, integer and real, largest error", _encodings, 0.0, 0.0
    ),
    "capture.plate": Check("centre of pressure and free moment, error", _centre_of_pressure, 0.0, 1e-12),
    "engine.reference_tau": Check("five-link problem, 50 digits, largest error", _reference_tau, 0.0, 1e-12),
    "engine.forward_inverse": Check("athlete: forward(inverse(a)) - a, largest", _forward_inverse, 0.0, 1e-8),
    "engine.derivatives": Check("against central differences, largest", _derivatives, 0.0, 1e-7),
    "engine.energy": Check("soft pendulum, free swing, energy drift", _energy, 0.0, 1e-7),
    "engine.elastica": Check("cantilever, P L²/EI = 2, tip y/L", _elastica, 0.493457, 1e-5),
}
