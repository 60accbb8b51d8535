"""From variables of the program to a step: states in order of time, recipe, residuals."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.polynomial import Polynomial
from numpy.typing import NDArray

from softstride.gait.body import JOINTS
from softstride.gait.moments import MomentHistory
from softstride.gait.optimise.equations import Equations
from softstride.gait.optimise.layout import ACCELERATION_UNIT, MOMENT_UNIT, MOVING, Run
from softstride.gait.optimise.mesh import make_knots
from softstride.gait.optimise.program import StepProgram
from softstride.gait.optimise.radau import Tableau
from softstride.gait.optimise.wanted import FORCES, WantedStep
from softstride.gait.recipe import Recipe
from softstride.gait.start import closed_separation
from softstride.gait.states import evaluate_states, joint_angles, walker_of

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class RunCourse:
    """A run through the phases, at the ends and at the stages of its intervals.

    Attributes:
        times: Ends of the phases, shape (4,), [s].
        time: For each phase the instants, from its beginning to its end, shape (n,), [s].
        theta: For each phase the angles of all segments, shape (n, 7), [rad].
        omega: Rates, shape (n, 7), [rad/s].
        acceleration: Accelerations, shape (n, 7), [rad/s²].
        moments: Joint moments, shape (n, 6), [N m].
    """

    times: Floats
    time: tuple[Floats, ...]
    theta: tuple[Floats, ...]
    omega: tuple[Floats, ...]
    acceleration: tuple[Floats, ...]
    moments: tuple[Floats, ...]

    def stacked(self, name: str) -> Floats:
        """Return "time", "theta", "omega", "acceleration" or "moments" of all phases, one after the other."""
        return np.concatenate(getattr(self, name))

    def phase_of_samples(self) -> NDArray[np.int64]:
        """Return the phase of each sample of `stacked`."""
        return np.concatenate([np.full(len(each), phase) for phase, each in enumerate(self.time, start=1)])


def read_run(problem: StepProgram, x: Floats, run: Run) -> RunCourse:
    """Return a run as the variables have it."""
    times = run.instants.copy() if run.times is None else x[run.times].copy()
    ends = np.concatenate([[0.0], times])
    parts: dict[str, list[Floats]] = {
        name: [] for name in ("time", "theta", "omega", "acceleration", "moments")
    }
    for phase, mesh in enumerate(run.mesh, start=1):
        span = times[phase - 1] - ends[phase - 1]
        state, a = x[run.nodes[phase - 1]], ACCELERATION_UNIT * x[run.accelerations[phase - 1]]
        n = len(MOVING[phase])
        sampled = _samples(problem.tableau, mesh.length * span, state[:-1, :n], state[:-1, n:], a)
        inner = ends[phase - 1] + span * (mesh.start[:, None] + mesh.length[:, None] * problem.tableau.c)
        parts["time"].append(np.append(ends[phase - 1], inner.ravel()))
        for name, values in zip(("theta", "omega", "acceleration"), sampled, strict=True):
            full = np.zeros((len(values), 7))
            full[:, list(MOVING[phase])] = values
            parts[name].append(full)
        weight = mesh.weight[:, :1] + problem.tableau.c * (mesh.weight[:, 1:] - mesh.weight[:, :1])
        knots = MOMENT_UNIT * x[run.knots]
        linear = (
            knots[mesh.knot][:, None] * (1.0 - weight[..., None])
            + knots[mesh.knot + 1][:, None] * weight[..., None]
        )
        first = knots[mesh.knot[0]] * (1.0 - mesh.weight[0, 0]) + knots[mesh.knot[0] + 1] * mesh.weight[0, 0]
        net = np.concatenate([first[None], linear.reshape(-1, 6)])
        parts["moments"].append(run.factor[phase - 1] * net + run.added[phase - 1])
    return RunCourse(times, *(tuple(each) for each in parts.values()))


def _samples(
    tableau: Tableau, h: Floats, theta: Floats, omega: Floats, a: Floats
) -> tuple[Floats, Floats, Floats]:
    """Return angles, rates and accelerations at the beginning of a phase and at all its stages.

    Args:
        tableau: The method.
        h: Lengths of the intervals, shape (K,), [s].
        theta: Where they begin, shape (K, n).
        omega: Rates there, shape (K, n).
        a: Accelerations at their stages, shape (K, s, n).
    """
    rates = omega[:, None] + h[:, None, None] * np.einsum("kl,ilj->ikj", tableau.a, a)
    angles = theta[:, None] + h[:, None, None] * np.einsum("kl,ilj->ikj", tableau.a, rates)
    at_zero = [_lagrange_at_zero(tableau.c, k) for k in range(len(tableau.c))]
    begin = np.tensordot(at_zero, a[0], axes=1)
    n = theta.shape[1]
    return (
        np.concatenate([theta[:1], angles.reshape(-1, n)]),
        np.concatenate([omega[:1], rates.reshape(-1, n)]),
        np.concatenate([begin[None], a.reshape(-1, n)]),
    )


def _lagrange_at_zero(c: Floats, k: int) -> float:
    """Return at 0 the polynomial that is 1 at c_k and 0 at the other stages."""
    others = np.delete(c, k)
    return float(Polynomial.fromroots(others)(0.0) / np.prod(c[k] - others))


def read_recipe(problem: StepProgram, x: Floats, wanted: WantedStep, name: str, source: str) -> Recipe:
    """Return start and moments."""
    run = problem.run
    times = run.instants if run.times is None else x[run.times]
    knots = make_knots(run.instants, wanted.spacing, wanted.free_times)
    if run.times is not None:  # nodes move with the phases
        knots = np.interp(knots, np.append(0.0, run.instants), np.append(0.0, times))
    start = x[run.start]
    moments = MomentHistory(knots, MOMENT_UNIT * x[run.knots])
    return Recipe(start[:7], start[7:], float(x[run.separation][0]), moments, wanted.rff, name, source)


def step_length(equations: Equations, course: RunCourse) -> float:
    """Return where the left heel comes down, seen from the right one [m]."""
    return float(equations.left_heel(4, course.theta[3][-1])[0])


def residuals(equations: Equations, course: RunCourse, wanted: WantedStep) -> dict[str, float]:
    """Return by name what is left of the wishes; see `FoundStep.residuals`."""
    first, last = (course.theta[0][0], course.omega[0][0]), (course.theta[3][-1], course.omega[3][-1])
    left = {
        "mirrored angles": float(np.max(np.abs(last[0][::-1] - first[0]))),
        "mirrored rates": float(np.max(np.abs(last[1][::-1] - first[1]))),
        "mirrored moments": float(np.max(np.abs(course.moments[3][-1][::-1] - course.moments[0][0]))),
    }
    time, theta = course.stacked("time"), course.stacked("theta")
    s = time / course.times[3]
    angles = dict(zip(JOINTS, joint_angles(theta).T, strict=True)) | {"trunk": theta[:, 3]}
    for name, followed in wanted.angles.items():
        left[name] = _rms(time, angles[name] - followed.at(s))
    forces = _forces(equations, course)
    for name, followed in wanted.forces.items():
        instants, values = forces[name]
        left[name] = _rms(instants, values - followed.at(instants / course.times[3]))
    return left


def _forces(equations: Equations, course: RunCourse) -> dict[str, tuple[Floats, Floats]]:
    """Return instants and values of the forces of the floor, as the simulator has them; the left foot's in phase 1."""
    time, phase = course.stacked("time"), course.phase_of_samples()
    walker = walker_of(equations.body, equations.spring, equations.damper)
    theta, omega, net = (course.stacked(name) for name in ("theta", "omega", "moments"))
    separation = closed_separation(walker, course.theta[0][0])
    found = evaluate_states(walker, phase, theta, omega, net, separation)
    toe = phase == 1
    columns = (
        (time, found.right_force[:, 1]),
        (time, found.right_force[:, 0]),
        (time[toe], found.left_force[toe, 1]),
        (time[toe], found.left_force[toe, 0]),
    )
    return dict(zip(FORCES, columns, strict=True))


def _rms(time: Floats, values: Floats) -> float:
    """Return the root mean square over time."""
    return float(np.sqrt(np.trapezoid(values**2, time) / (time[-1] - time[0])))
