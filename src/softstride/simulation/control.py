r"""Step size: fixed, or chosen so that the estimated error of each step stays within the tolerance.

    err = sqrt(mean((e_i / (atol_i + rtol size_i))^2)) <= 1
    h_new = h min(5, max(0.2, 0.9 err^-(1/5 - 3 b/4) err_old^b))

with b = 0.04 for the explicit method (a PI controller, which settles where stability limits the step) and
b = 0 for the implicit one. Source: Hairer, Norsett, Wanner, Solving ODEs I, section II.4; Hairer and Wanner,
Solving ODEs II, section IV.2.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import ArrayLike, NDArray

from softstride.errors import InputError, ModelError, SimulationError
from softstride.notes import Notes
from softstride.simulation.step import RUNAWAY, Step, beginning, overflow, rate
from softstride.simulation.system import State, StepFailure, System

FloatArray = NDArray[np.float64]
Method = Callable[[System, State, float], Step]

SMALLEST_STEP = 1e-13  # of the larger of |t| and the distance to go
ALMOST = 1e-9  # a rest shorter than this part of a step is added to the step


class StepControl:
    """Takes accepted steps with one method; remembers the size of the next one."""

    def __init__(
        self,
        system: System,
        method: Method,
        name: str,
        dt: float | None,
        rtol: float,
        atol: ArrayLike,
        max_step: float,
        project: bool,
    ) -> None:
        """Check the options."""
        if dt is None and name == "rk4":
            raise InputError('method "rk4" needs a step size dt; "dopri" and "rosenbrock" choose their own.')
        for label, value in (("dt", dt), ("rtol", rtol), ("max_step", max_step)):
            if value is not None and not value > 0.0:
                raise InputError(f"{label} must be above zero, however it is {value!r}.")
        if dt is not None and not np.isfinite(dt):
            raise InputError(f"dt must be finite, however it is {dt!r}.")
        absolute = np.asarray(atol, dtype=np.float64)
        if absolute.shape not in ((), (2 * system.model.nv,)) or not np.all(absolute > 0.0):
            raise InputError(
                f"atol must be a number or shape ({2 * system.model.nv},), above zero, however it is "
                f"{atol!r}."
            )
        self.system, self.method, self.dt, self.project = system, method, dt, project
        self.rtol, self.atol, self.max_step = (
            rtol,
            np.broadcast_to(absolute, (2 * system.model.nv,)),
            max_step,
        )
        self.damp = 0.04 if name == "dopri" else 0.0
        self.implicit = name == "rosenbrock"
        self.rejected = 0
        self.notes = Notes()
        self._next: float | None = None
        self._error = 1e-4

    def restart(self) -> None:
        """Forget the step size: the state jumped."""
        self._next, self._error = None, 1e-4

    def again(self, step: Step, h: float) -> State:
        """Return the state after a step of another size from the same start."""
        return self._finish(self._attempt(step.start, h))

    def advance(self, state: State, stop: float) -> tuple[Step, State]:
        """Take one accepted step, not beyond `stop`.

        Raises:
            SimulationError: If no step size works.
        """
        h = self.dt if self.dt is not None else (self._next or self._first(state))
        grow = 5.0
        while True:
            h = min(h, self.max_step)
            rest = stop - state.t
            size, lands = (rest, True) if h >= rest * (1.0 - ALMOST) else (h, False)
            try:
                step = self._attempt(state, size)
                error = self._measure(step)
                if error <= 1.0:
                    end = self._finish(step)
                    if lands:
                        end = State(stop, end.q, end.v, end.a, end.multipliers)
                    if self.dt is None:
                        self._grow(size, error, grow, lands)
                    return step, end
                factor = max(0.2, 0.9 * error**-0.2)
            except StepFailure:
                if self.dt is not None:
                    raise
                factor = 0.25
            self.rejected += 1
            grow = 1.0
            h = size * factor
            if h < SMALLEST_STEP * max(abs(state.t), rest):
                stiff = (
                    "" if self.implicit else 'too stiff for this method ("rosenbrock" is for stiff ones), or '
                )
                raise SimulationError(
                    f"the step size fell to {h:.2g} s: the motion is {stiff}driven by forces that are not smooth or "
                    "not finite."
                )

    def _attempt(self, state: State, h: float) -> Step:
        with np.errstate(all="ignore"):  # overflow shows as a value that is not finite, which is checked
            step = self.method(self.system, state, h)
        if not (np.abs(step.y) < RUNAWAY).all():
            raise StepFailure(overflow(state.t))
        return step

    def _finish(self, step: Step) -> State:
        """Return the state at the end of a step, on the constraints."""
        system, nv = self.system, self.system.model.nv
        q, v = system.chart.move(step.start.q, step.y[:nv]), step.y[nv:]
        t = step.start.t + step.h
        if system.constraints.rows and self.project:
            try:
                q, v = system.project(q, v, t, step.h if self.implicit else 0.0)
            except SimulationError as error:
                raise StepFailure(str(error)) from error
        if step.a is not None and not system.constraints.rows:
            return State(t, q, v, step.a, np.zeros(0))
        try:
            return system.state(t, q, v)
        except ModelError as error:  # the start had an acceleration: the model is sound, the state overflowed
            raise StepFailure(
                f"the end of the step from t = {step.start.t:.9g} s has no acceleration."
            ) from error

    def _measure(self, step: Step) -> float:
        if self.dt is not None or step.error is None:
            return 0.0
        end = self.system.chart.move(step.start.q, step.y[: self.system.model.nv])
        error = _norm(step.error / self._scale(step.start, end, step.y))
        return error if np.isfinite(error) else np.inf

    def _scale(self, start: State, q: FloatArray, y: FloatArray) -> FloatArray:
        nv = self.system.model.nv
        size = np.maximum(self.system.size(start.q), self.system.size(q))
        speed = np.maximum(np.abs(start.v), np.abs(y[nv:]))
        return np.asarray(self.atol + self.rtol * np.concatenate([size, speed]))

    def _grow(self, size: float, error: float, grow: float, lands: bool) -> None:
        error = max(error, 1e-10)
        factor = 0.9 * error ** -(0.2 - 0.75 * self.damp) * self._error**self.damp
        wanted = size * min(grow, max(0.2, factor))
        # a step cut short by the end of a stretch says nothing against the size before it
        self._next = max(wanted, self._next or 0.0) if lands and error < 1.0 and grow > 1.0 else wanted
        self._error = max(error, 1e-4)

    def _first(self, state: State) -> float:
        """Return a first step from the sizes of y, dy/dt and d2y/dt2 (Solving ODEs I, section II.4)."""
        y, slope = beginning(state)
        scale = self._scale(state, state.q, y)
        size = np.concatenate([self.system.size(state.q), np.abs(state.v)])
        d0, d1 = _norm(size / scale), _norm(slope / scale)
        h = 0.01 * d0 / d1 if d0 > 1e-5 and d1 > 1e-5 else 1e-6
        h = min(h, 0.1 / (1e-300 + self.system.chart.largest_turn(state.v)), self.max_step)
        with np.errstate(all="ignore"):
            later = rate(self.system, state, state.t + h, y + h * slope)
        d2 = _norm((later - slope) / scale) / h
        steep = max(d1, d2)
        return min(100.0 * h, (0.01 / steep) ** 0.2 if steep > 1e-15 else max(1e-6, 1e-3 * h))


def _norm(values: FloatArray) -> float:
    return float(np.sqrt(np.mean(values**2)))
