r"""Forward simulation: from a state, forces and constraints to a motion.

Each step is taken in the chart of its starting point (see `step`), projected onto the constraints (a
projection after each step keeps the order of the method: E. Hairer, C. Lubich, G. Wanner, Geometric
Numerical Integration, section IV.4), and searched for events.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import ArrayLike, NDArray

from softstride.engine.manifold import normalise
from softstride.errors import InputError, SimulationError
from softstride.model.model import Model
from softstride.simulation.constraints import AnyConstraint, ConstraintSet
from softstride.simulation.control import StepControl
from softstride.simulation.events import Event
from softstride.simulation.fields import ForceField
from softstride.simulation.kkt import one_state
from softstride.simulation.rosenbrock import rosenbrock_step
from softstride.simulation.step import Step, dopri_step, rk4_step
from softstride.simulation.system import Controls, Loads, State, System
from softstride.simulation.trajectory import (
    EventFound,
    SimulationStopped,
    Statistics,
    Trajectory,
    build_trajectory,
)
from softstride.simulation.watcher import Watcher

FloatArray = NDArray[np.float64]

METHODS: dict[str, Callable[[System, State, float], Step]] = {
    "rk4": rk4_step,
    "dopri": dopri_step,
    "rosenbrock": rosenbrock_step,
}

CONSISTENT = 1e-6
"""Largest residual [m], [m/s] of the constraints at the start; what is below is projected away."""


def simulate(
    model: Model,
    q0: ArrayLike,
    v0: ArrayLike,
    t_span: tuple[float, float],
    *,
    controls: Controls | None = None,
    f_ext: Loads | None = None,
    fields: Sequence[ForceField] = (),
    constraints: Sequence[AnyConstraint] = (),
    events: Sequence[Event] = (),
    passive: bool = True,
    method: str = "dopri",
    dt: float | None = None,
    rtol: float = 1e-8,
    atol: ArrayLike = 1e-10,
    max_step: float = np.inf,
    max_steps: int = 1_000_000,
    times: ArrayLike | None = None,
    breakpoints: ArrayLike = (),
    baumgarte: float = 0.0,
    project: bool = True,
) -> Trajectory:
    """Simulate a model forward in time.

    M a + b = controls + tau_passive + sum J^T w + fields + J_c^T lambda, with the constraints J_c v = 0, or
    J_c v = -dphi/dt where they move (`DrivenCoordinates`).

    A stiff blade calls for "rosenbrock": explicit steps are stable up to about 3 / w, w [rad/s] the fastest
    mode of the rods, and with a damping of d times the stiffness up to 3 / (d w^2) (for the six segments of
    the library's blade 3e-5 s and 1e-6 s). Functions of the user get copies of the state.

    Args:
        model: The model.
        q0: Start configuration, shape (nq,).
        v0: Start velocity, shape (nv,).
        t_span: First and last instant [s].
        controls: Generalized forces (t, q, v) -> (nv,), in [N·m] or [N].
        f_ext: Wrenches [moment; force] in world axes about each frame or point, shape (6,): a constant mapping, or
            a function (t, q, v) that returns one. Make `Frame` and `Point` keys once, not anew at every call: the
            engine plans for each object.
        fields: Forces for all frames at once, and with their own derivatives if they are stiff (`PointForces`).
        constraints: Constraints that hold throughout.
        events: Events to locate.
        passive: Whether springs, dampers, limits and rods act.
        method: "rk4" (fixed step, order 4), "dopri" (order 5) or "rosenbrock" (order 5, for stiff rods and
            contacts).
        dt: Fixed step size [s]; needed for "rk4". None: the error is controlled.
        rtol: Relative tolerance of a step; rotations count as one radian.
        atol: Absolute tolerance of a step, a number or shape (2 nv,) for configuration and velocity.
        max_step: Largest step size [s].
        max_steps: Largest number of steps.
        times: Instants of the output [s], increasing. None: every step.
        breakpoints: Instants [s] where controls or loads have a kink or a jump: steps end there.
        baumgarte: Rate of Baumgarte's stabilisation [1/s]; zero: none.
        project: Whether each step is projected onto the constraints.

    Returns:
        The trajectory.

    Raises:
        InputError: If an argument does not fit, or the start violates the constraints (see `assemble`).
        SimulationStopped: If the step size shrinks to nothing, or the state is not finite any more;
            `partial` holds the motion up to there.
    """
    if method not in METHODS:
        raise InputError(f"method must be one of {', '.join(map(repr, METHODS))}, however it is {method!r}.")
    if model.nv == 0:
        raise InputError(f"nothing can move: model {model.name!r} has no coordinates.")
    q, v = one_state(model, q0, v0)
    rate = _positive(baumgarte, "baumgarte")
    system = System(model, controls, f_ext, ConstraintSet(model, constraints), passive, rate, tuple(fields))
    first, last = _span(t_span)
    control = StepControl(system, METHODS[method], method, dt, rtol, atol, max_step, project)
    run = _Run(system, control, Watcher(model, events), _instants(times, first, last, "times"), max_steps)
    kinks = _instants(breakpoints, first, last, "breakpoints")
    stops = [*(float(t) for t in kinks if first < t < last), last] if kinks is not None else [last]
    return run.go(_start(system, first, normalise(model, q), v), stops)


@dataclass(eq=False)
class _Run:
    """One simulation on its way."""

    system: System
    control: StepControl
    watcher: Watcher
    times: FloatArray | None
    max_steps: int
    rows: list[tuple[float, FloatArray, FloatArray]] = field(default_factory=list)
    found: list[EventFound] = field(default_factory=list)
    steps: int = 0

    def go(self, state: State, stops: list[float]) -> Trajectory:
        """Advance to the last stop."""
        self._store(None, state)
        completed = True
        try:
            self.watcher.begin(state)
            for stop in stops:
                if len(stops) > 1:
                    self.system.horizon = np.nextafter(stop, -np.inf) if stop < stops[-1] else np.inf
                    state = self.system.state(state.t, state.q, state.v)  # the value after the jump
                while completed and state.t < stop:
                    state, completed = self._advance(state, stop)
        except InputError:
            raise
        except SimulationError as error:
            message = f"the simulation stopped at t = {state.t:.9g} s of {stops[-1]:g} s: {error}"
            raise SimulationStopped(message, state.t, self._trajectory(False)) from error
        return self._trajectory(completed)

    def _advance(self, state: State, stop: float) -> tuple[State, bool]:
        """Take one step towards `stop`; return the new state and whether to go on."""
        if self.steps >= self.max_steps:
            raise SimulationError(f"more than max_steps = {self.max_steps} steps are needed.")
        step, end = self.control.advance(state, stop)
        self.steps += 1
        passed, due = self.watcher.search(step, end, self._inside, self.control.again)
        for hit in passed:
            self._happen(hit.index, hit.state)
        self._store(step, due[0].state if due else end)
        if not due:
            return end, True
        after = self.watcher.resolve(due, self._happen)
        self.control.restart()
        return after, not any(self.watcher.events[hit.index].terminal for hit in due)

    def _happen(self, index: int, state: State) -> State:
        """Record an event at a state; return the state after its map."""
        event, after = self.watcher.events[index], state
        if event.map is not None:
            q, v = one_state(self.system.model, *event.map(state.t, state.q.copy(), state.v.copy()))
            after = self.system.state(state.t, normalise(self.system.model, q), v)
        value = event.value(state.t, state.q, state.v)
        self.found.append(EventFound(event.name, index, state.t, state.q, state.v, value, after.q, after.v))
        if event.map is not None and self.times is None:
            self.rows.append((after.t, after.q, after.v))
        return after

    def _inside(self, step: Step, theta: float) -> State:
        """Return the state at a fraction of a step by dense output; its acceleration is not evaluated."""
        y, nv = step.dense(theta), self.system.model.nv
        q, v = self.system.chart.move(step.start.q, y[:nv]), y[nv:]
        return State(step.start.t + theta * step.h, q, v, step.start.a, step.start.multipliers)

    def _store(self, step: Step | None, end: State) -> None:
        """Keep the end of a step, or the instants asked for inside it."""
        if self.times is None:
            self.rows.append((end.t, end.q, end.v))
            return
        while len(self.rows) < len(self.times) and self.times[len(self.rows)] <= end.t:
            t = float(self.times[len(self.rows)])
            if t == end.t or step is None:
                self.rows.append((t, end.q, end.v))
            else:
                state = self._inside(step, (t - step.start.t) / step.h)
                self.rows.append((t, *self.system.project(state.q, state.v, t)))

    def _trajectory(self, completed: bool) -> Trajectory:
        statistics = Statistics(
            self.steps, self.control.rejected, self.system.evaluations, self.system.jacobians
        )
        return build_trajectory(
            self.system, self.rows, tuple(self.found), completed, statistics, tuple(self.control.notes)
        )


def _start(system: System, t: float, q: FloatArray, v: FloatArray) -> State:
    held = system.constraints
    if held.rows:
        gap = float(np.max(np.abs(held.residual(q[None], t))))
        slip = float(np.max(np.abs(system.constraint_rate(t, q[None], v[None], held.jacobian(q[None], t)))))
        if gap > CONSISTENT or slip > CONSISTENT:
            raise InputError(
                f"the start violates the constraints by {gap:.3g} in position and {slip:.3g} in velocity; "
                "make it consistent with softstride.simulation.assemble."
            )
        q, v = system.project(q, v, t)
    return system.state(t, q, v)


def _span(t_span: tuple[float, float]) -> tuple[float, float]:
    times = np.asarray(t_span, dtype=np.float64)
    if times.shape != (2,) or not np.isfinite(times).all() or times[1] <= times[0]:
        raise InputError(f"t_span must be two increasing instants, however it is {t_span!r}.")
    return float(times[0]), float(times[1])


def _instants(values: ArrayLike | None, first: float, last: float, name: str) -> FloatArray | None:
    if values is None:
        return None
    times = np.asarray(values, dtype=np.float64).reshape(-1)
    if not np.isfinite(times).all() or np.any(np.diff(times) <= 0.0):
        raise InputError(f"{name} must be finite and increasing.")
    if name == "times" and times.size and (times[0] < first or times[-1] > last):
        raise InputError(f"{name} must lie between {first:g} and {last:g} s.")
    return times


def _positive(value: float, name: str) -> float:
    if not (np.isfinite(value) and value >= 0.0):
        raise InputError(f"{name} must be zero or above, however it is {value!r}.")
    return float(value)
