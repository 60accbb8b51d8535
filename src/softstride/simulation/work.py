r"""The energy balance of a simulated motion: who did work, and what is left over.

    E(t) - E(0) = sum of the works of controls, loads, fields, dampers and driven constraints + what maps of events took

E is kinetic, gravity and elastic energy. Each work is the integral of a power along the motion: between two stored
frames q and v follow Hermite's cubics through (q, v) and (v, a), and Gauss' rule with three points integrates. The
error falls with the fourth power of the distance of frames; store every step (`times=None`) to see the balance of the
integrator.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from softstride.engine.manifold import chart_rate, difference, integrate, layout
from softstride.engine.passive import elements, passive_forces
from softstride.errors import InputError
from softstride.frozen import Table
from softstride.model.model import Model
from softstride.simulation.constraints import AnyConstraint, ConstraintSet
from softstride.simulation.fields import ForceField
from softstride.simulation.system import Controls, Loads, System
from softstride.simulation.trajectory import Trajectory

FloatArray = NDArray[np.float64]
Power = Callable[[FloatArray, FloatArray, FloatArray], FloatArray]

NODES, WEIGHTS = np.array([-1.0, 0.0, 1.0]) * np.sqrt(0.15) + 0.5, np.array([5.0, 8.0, 5.0]) / 18.0


@dataclass(frozen=True, eq=False)
class EnergyBalance:
    """Energy and the works that changed it, since the first frame.

    Attributes:
        time: Instants [s], shape (n,).
        energy: Kinetic, gravity and elastic energy, shape (n,), [J].
        work: By name, each of shape (n,), [J]: "controls", "loads" (wrenches), "fields", "damping" (of springs, limits
            and rods, never above zero), "drives" (constraints that move) and "maps" (jumps at events).
    """

    time: FloatArray
    energy: FloatArray
    work: Mapping[str, FloatArray]

    @property
    def gap(self) -> FloatArray:
        """Energy that nothing explains, shape (n,), [J]."""
        return np.asarray(self.energy - self.energy[0] - sum(self.work.values()))

    @property
    def exchanged(self) -> float:
        """Largest energy that was in play: of the changes of energy and of every work [J]."""
        changes = [self.energy - self.energy[0], *self.work.values()]
        return float(max(np.max(np.abs(change)) for change in changes))

    @property
    def relative_gap(self) -> float:
        """Largest gap over `exchanged`; zero where nothing happened."""
        size = self.exchanged
        return float(np.max(np.abs(self.gap))) / size if size > 0.0 else 0.0


def energy_balance(
    model: Model,
    run: Trajectory,
    *,
    controls: Controls | None = None,
    f_ext: Loads | None = None,
    fields: Sequence[ForceField] = (),
    constraints: Sequence[AnyConstraint] = (),
    passive: bool = True,
) -> EnergyBalance:
    """Return the energy balance of a trajectory; the arguments are those that `simulate` had.

    Args:
        model: The model.
        run: Its trajectory.
        controls: As in `simulate`, and so are the others.
        f_ext: Wrenches.
        fields: Force fields.
        constraints: Constraints; those that do not move do no work.
        passive: Whether springs, dampers and rods act.

    Raises:
        InputError: The trajectory has fewer than two frames.
    """
    if len(run.time) < 2:
        raise InputError("an energy balance needs a trajectory of two frames or more.")
    held = ConstraintSet(model, constraints)
    parts = {
        "controls": System(model, controls),
        "loads": System(model, None, f_ext),
        "fields": System(model, fields=tuple(fields)),
    }
    acting = {"controls": controls is not None, "loads": bool(f_ext), "fields": bool(fields)}
    work = {name: np.zeros(len(run.time)) for name in (*parts, "damping", "drives", "maps")}
    for name, part in parts.items():
        if acting[name]:
            work[name] = work_along(model, run, _power_of(part))
    if passive and elements(model):
        work["damping"] = work_along(model, run, lambda t, q, v: damping_power(model, q, v))
    if held.timed:
        system = System(model, controls, f_ext, held, passive, fields=tuple(fields))
        work["drives"] = work_along(model, run, lambda t, q, v: _drive_power(system, t, q, v))
    total = np.asarray(run.energy.total)
    jumps = np.where(np.diff(run.time) == 0.0, np.diff(total), 0.0)
    work["maps"] = np.concatenate([[0.0], np.cumsum(jumps)])
    return EnergyBalance(run.time, total, Table(work))


def work_along(model: Model, run: Trajectory, power: Power) -> FloatArray:
    """Return the integral of a power(t, q, v) -> (F,) [W] along a trajectory since its first frame, shape (n,), [J]."""
    h = np.diff(run.time)
    moving = np.flatnonzero(h > 0.0)
    t, q, v = _between(model, run, moving)
    each = power(t.reshape(-1), q.reshape(-1, model.nq), v.reshape(-1, model.nv)).reshape(t.shape)
    gains = np.zeros(len(h))
    gains[moving] = h[moving] * (each @ WEIGHTS)
    return np.concatenate([[0.0], np.cumsum(gains)])


def _between(
    model: Model, run: Trajectory, frames: NDArray[np.intp]
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Return t (m, 3), q (m, 3, nq) and v (m, 3, nv) at Gauss' points behind these frames."""
    h = (run.time[frames + 1] - run.time[frames])[:, None]
    start, end = run.q[frames], run.q[frames + 1]
    reach = difference(model, start, end)
    arrival = run.v[frames + 1] if layout(model).flat else chart_rate(model, reach, run.v[frames + 1])
    x = _hermite(np.zeros_like(reach), reach, h * run.v[frames], h * arrival)
    v = _hermite(run.v[frames], run.v[frames + 1], h * run.a[frames], h * run.a[frames + 1])
    q = np.stack([integrate(model, start, x[:, i]) for i in range(len(NODES))], axis=1)
    return run.time[frames, None] + h * NODES, q, v


def _hermite(first: FloatArray, last: FloatArray, leaving: FloatArray, arriving: FloatArray) -> FloatArray:
    """Return Hermite's cubic at the nodes, shape (m, 3, nv); slopes are multiplied by the length of the interval."""
    s = NODES[:, None]
    u = 1.0 - s
    first, last, leaving, arriving = (part[:, None] for part in (first, last, leaving, arriving))
    return np.asarray(
        u * u * (1.0 + 2.0 * s) * first
        + s * s * (3.0 - 2.0 * s) * last
        + s * u * u * leaving
        - s * s * u * arriving
    )


def _power_of(system: System) -> Power:
    return lambda t, q, v: np.einsum("fi,fi->f", system.loads(t, q, v), v)


def damping_power(model: Model, q: FloatArray, v: FloatArray) -> FloatArray:
    """Return the power of what passive forces lose: those at this velocity less those at rest, shape (F,)."""
    lost = passive_forces(model, q, v) - passive_forces(model, q, np.zeros_like(v))
    return np.asarray(np.einsum("fi,fi->f", lost, v))


def _drive_power(system: System, t: FloatArray, q: FloatArray, v: FloatArray) -> FloatArray:
    """Return lambda^T J v = -lambda^T dphi/dt, shape (F,)."""
    _, multipliers = system.acceleration(t, q, v)
    return np.asarray(-np.einsum("fr,fr->f", multipliers, system.constraints.drift(q, t)))


__all__ = ["EnergyBalance", "energy_balance", "work_along"]
