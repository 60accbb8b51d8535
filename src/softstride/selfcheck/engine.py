"""Checks of rotations, rods and the equation of motion."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from softstride import engine, spatial
from softstride.model import Frame, Inertia, Model, ModelBuilder, Rod, Section, athlete
from softstride.model.library.reference import reference_problem
from softstride.simulation import equilibrium, simulate

FloatArray = NDArray[np.float64]


def exp_log() -> float:
    """Return the largest difference between xi and log(exp(xi)), from 1e-9 to 3 rad."""
    random = np.random.default_rng(1)
    xi = random.uniform(-1.0, 1.0, (400, 6))
    xi[:, :3] *= (np.geomspace(1e-9, 3.0, 400) / np.linalg.norm(xi[:, :3], axis=1))[:, None]
    return float(np.max(np.abs(spatial.se3.log(spatial.se3.exp(xi)) - xi)))


def reference_tau() -> float:
    """Return the largest error of the generalized forces of the reference problem, over the largest."""
    problem = reference_problem()
    tau = engine.inverse_dynamics(problem.model, problem.q, problem.v, problem.a)
    return _relative(tau, problem.tau)


def forward_inverse() -> float:
    """Return the largest error of forward dynamics after inverse dynamics on the athlete with a blade."""
    model = athlete()
    q, v, a = random_state(model, n_frames=20)
    tau = engine.inverse_dynamics(model, q, v, a)
    return _relative(engine.forward_dynamics(model, q, v, tau), a)


def derivatives() -> float:
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


def energy() -> float:
    """Return the drift of energy of a soft pendulum in 0.2 s of free swing, over its peak kinetic energy."""
    b = ModelBuilder("soft pendulum")
    section = Section.rectangle(0.02, 0.005, density=1100.0, young=5e6, shear=2e6)
    b.rod("rod", rod=Rod.uniform(0.4, 3, section, free=("ky",)), mass=0.05)
    swing = simulate(b.build(), (1.0, 0.5, -0.5), np.zeros(3), (0.0, 0.2), method="rk4", dt=5e-4)
    return swing.energy_drift / float(np.max(swing.energy.kinetic))


def elastica() -> float:
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
