"""How the program of an estimated ground reaction depends on the motion it is found from."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from softstride.dynamics.branch import branch_of
from softstride.dynamics.estimate.demand import demand_of, strain_error
from softstride.dynamics.estimate.footholds import FootSole, footholds
from softstride.dynamics.estimate.observe import Contacts, FootContact, observe, pressed
from softstride.dynamics.estimate.options import EstimateOptions
from softstride.dynamics.estimate.rows import Demand, assemble, through_joints, wrench_of
from softstride.dynamics.estimate.solve import time_weight
from softstride.dynamics.ground import Ground
from softstride.dynamics.loads import AppliedWrench, Loads
from softstride.dynamics.prepare import State, frames_of, prepare
from softstride.dynamics.uncertainty.motion import applied_forces
from softstride.engine.kinematics import poses
from softstride.engine.manifold import integrate
from softstride.engine.passive import elements, passive_forces
from softstride.errors import InputError
from softstride.kinematics.motion import Motion
from softstride.model.model import Model

Array = NDArray[np.float64]

STEP_Q, STEP_V = 1e-6, 1e-5
"""Of differences along coordinates [rad], [m] and velocities [rad/s], [m/s]."""

SAME = 1e-6
"""How far places of contact may be from those of the estimate [m]."""


@dataclass(frozen=True, eq=False)
class Moved:
    """What a motion that changes does to the program of the forces x, as they are, in n frames.

    Attributes:
        hessian: H, shape (n, 3c, 3c).
        gradient: H x + g, shape (n, 3c).
        gradient_q: Its derivative by d, for given torques and wrench of the base, shape (n, 3c, nv).
        gradient_v: By v.
        applied: Derivative of the generalized forces of x by d, shape (n, nv, nv).
        points: Of the centre of pressure of each foot by d, shape (n, 3, nv) each.
    """

    hessian: Array
    gradient: Array
    gradient_q: Array
    gradient_v: Array
    applied: Array
    points: tuple[Array, ...]


@dataclass(frozen=True, eq=False)
class GroundShape:
    """The program of an estimate and its solution.

    Attributes:
        model: The model.
        base: Its floating base link.
        state: Its motion.
        contacts: Places of contact.
        demand: What the motion asks for.
        options: Of the estimate.
        x: The forces, shape (n, c, 3), [body weights], (up, forward, right).
        smoothness: Weight of squared second differences in time.
        held: Slope of that cost at the solution, shape (n, c, 3).
        sums: S, sums of the forces of each foot, shape (3 feet, 3c).
        threads: How many threads may be used.
    """

    model: Model
    base: str
    state: State
    contacts: Contacts
    demand: Demand
    options: EstimateOptions
    x: Array
    smoothness: float
    held: Array
    sums: Array
    threads: int | None = None

    def blocks(self) -> Iterator[tuple[FootContact, slice]]:
        """Go through the feet, each with its part of the 3c numbers."""
        start = 0
        for foot in self.contacts.feet:
            stop = start + len(foot.names)
            yield foot, slice(3 * start, 3 * stop)
            start = stop

    def wrench_of(self, arm: Array) -> Array:
        """Return the map of forces at arms (n, c, 3) to their wrench, shape (n, 6, 3c)."""
        return wrench_of(arm, self.demand.axes)

    def slopes(self, frames: slice) -> tuple[Array, Array]:
        """Return the derivatives of g by the torques (n, 3c, nv) and by the wrench of the base (n, 3c, 6)."""
        model, demand, options = self.model, self.demand, self.options
        place = self.contacts.place[frames]
        n = len(place)
        scale = np.where(demand.transmits, 1.0, 0.0)
        scale[:3] /= options.reach
        A = self.wrench_of(place - demand.base[frames, None]) * scale[:, None]
        by_need = -np.swapaxes(A, 1, 2) * (scale / demand.weight)
        by_tau = np.zeros((n, 3 * place.shape[1], model.nv))
        for foot, block in self.blocks():
            own = place[:, block.start // 3 : block.stop // 3]
            reference = own.mean(axis=1)
            joints = through_joints(model, self.state, foot, reference, demand, options, frames)
            turned = np.swapaxes(self.wrench_of(own - reference[:, None]), 1, 2)
            by_tau[:, block, joints.v] = -(turned @ (joints.G * joints.weight[:, None])) / demand.weight
        return by_tau, by_need

    def moved(self, frames: slice) -> Moved:
        """Return what changes with the motion, by differences along the coordinates of the legs."""
        model = self.model
        q, v = self.state.q[frames], self.state.v[frames]
        n, nv, size = len(q), model.nv, 3 * self.x.shape[1]
        columns = self._columns()
        k = len(columns)
        unit = np.eye(nv)[columns]
        along = np.repeat(np.concatenate([np.zeros((1, nv)), STEP_Q * unit]), n, axis=0)
        at_q = integrate(model, np.tile(q, (1 + k, 1)), along)
        seen = self._at(at_q, np.tile(v, (1 + k, 1)))
        H, gradient = self._gradient(seen, frames)
        forces, points = self._effects(seen, frames)
        faster = np.tile(v, (k, 1)) + np.repeat(STEP_V * unit, n, axis=0)
        by_v = self._by_activation(self._at(np.tile(q, (k, 1)), faster)[1], frames)
        by_v = by_v.reshape(k, n, size) - self._by_activation(self.contacts, frames, frames)
        gradient = gradient.reshape(1 + k, n, size)
        gradient_v = np.zeros((n, size, nv))
        gradient_v[:, :, columns] = np.moveaxis(by_v, 0, 2) / STEP_V
        return Moved(
            H[:n],
            gradient[0],
            _slopes(gradient, columns, nv),
            gradient_v,
            _slopes(forces.reshape(1 + k, n, nv), columns, nv),
            tuple(_slopes(point.reshape(1 + k, n, 3), columns, nv) for point in points),
        )

    def _columns(self) -> NDArray[np.intp]:
        links = {foot.foothold.link for foot in self.contacts.feet}
        for foot in self.contacts.feet:
            if isinstance(foot.foothold, FootSole):
                links |= {place.link for place in foot.foothold.places}
        return branch_of(self.model, links).v

    def _at(self, q: Array, v: Array) -> tuple[State, Contacts]:
        """Return places of contact of other poses and velocities of the same frames."""
        state = State(np.zeros(len(q)), q, v, np.zeros_like(v))
        return state, self.contacts.at(self.model, state, self.threads)

    def _gradient(self, seen: tuple[State, Contacts], frames: slice) -> tuple[Array, Array]:
        """Return H and H x + g at other places of contact, for the torques and the wrench of the base as they are."""
        state, contacts = seen
        demand, count = self.demand, len(state.q) // len(self.x[frames])
        part = branch_of(self.model, (self.base,))
        base = poses(part.model, part.take(state.q), self.base)[:, :3, 3]
        elastic = np.tile(demand.elastic[frames], (count, 1))
        if elements(self.model):
            elastic = passive_forces(self.model, state.q, state.v)
        there = replace(
            demand,
            base=base,
            needed=np.tile(demand.needed[frames], (count, 1)),
            tau=np.tile(demand.tau[frames], (count, 1)),
            elastic=elastic,
        )
        H, g = assemble(self.model, state, contacts, there, self.options, slice(0, len(state.q)))
        x = np.tile(self.x[frames].reshape(-1, g.shape[1]), (count, 1))
        return H, (H @ x[..., None])[..., 0] + g

    def _by_activation(self, contacts: Contacts, frames: slice, taken: slice = slice(None)) -> Array:
        """Return the part of H x + g that the activations weigh, the only one that velocities change, (n, 3c)."""
        act, taking = contacts.activation[taken], contacts.foot_activation[taken]
        x = np.tile(self.x[frames], (len(act) // len(self.x[frames]), 1, 1))
        out = self.options.spread * x / act[..., None]
        for number in range(len(contacts.feet)):
            own = contacts.foot == number
            both = self.options.load / taking[:, number] - self.options.spread / act[:, own].sum(axis=1)
            out[:, own] += (both[:, None] * x[:, own].sum(axis=1))[:, None]
        return np.asarray(out.reshape(len(act), -1))

    def _effects(self, seen: tuple[State, Contacts], frames: slice) -> tuple[Array, list[Array]]:
        """Return generalized forces and centres of pressure of the forces at other places of contact."""
        state, contacts = seen
        count = len(state.q) // len(self.x[frames])
        up = self.demand.axes[0]
        force = np.tile(self.demand.weight * (self.x[frames] @ self.demand.axes), (count, 1, 1))
        wrenches, points = {}, []
        for number, foot in enumerate(contacts.feet):
            own = contacts.foot == number
            total, point, moment, _ = pressed(contacts.place[:, own], force[:, own], up)
            wrenches[str(number)] = AppliedWrench(foot.foothold.link, total, point, moment)
            points.append(point)
        return applied_forces(self.model, state.q, wrenches, self.threads), points


def ground_shape(
    model: Model,
    motion: Motion,
    state: State,
    loads: Loads,
    options: EstimateOptions,
    threads: int | None = None,
) -> GroundShape:
    """Return the program that an estimate solved.

    Args:
        model: The model.
        motion: Its motion.
        state: The motion as the loads were estimated from it, in their frames.
        loads: The estimate.
        options: Its options.
        threads: How many threads may be used.

    Raises:
        InputError: The estimate does not belong to this motion and these options.
    """
    ground = loads.ground
    if ground is None or loads.base is None:
        raise InputError("these loads are no estimate: they have no ground")
    contacts = _contacts(model, motion, state, loads, ground, options, threads)
    weight = model.mass * float(np.linalg.norm(model.gravity))
    strain = strain_error(model, motion, options)
    demand = demand_of(model, loads.base, state, ground.up, weight, strain, threads)
    x = ground.force @ demand.axes.T / weight
    _, smoothness = time_weight(state.time, options)
    sums = np.zeros((len(contacts.feet), 3, len(contacts.names), 3))
    for i in range(3):
        sums[contacts.foot, i, np.arange(len(contacts.names)), i] = 1.0
    S = sums.reshape(3 * len(contacts.feet), -1)
    total = x.reshape(len(x), -1) @ S.T
    held = np.zeros_like(total)
    if len(x) > 2:
        bend = np.diff(total, 2, axis=0)
        held[:-2] += bend
        held[1:-1] -= 2.0 * bend
        held[2:] += bend
    held = smoothness * (held @ S).reshape(x.shape)
    return GroundShape(model, loads.base, state, contacts, demand, options, x, smoothness, held, S, threads)


def _contacts(
    model: Model,
    motion: Motion,
    state: State,
    loads: Loads,
    ground: Ground,
    options: EstimateOptions,
    threads: int | None,
) -> Contacts:
    """Return the places of contact of an estimate: those it knows, or else those that its options lead to again."""
    own = loads.options
    same = (
        loads.model is model and loads.state is state and own is not None and own.plain() == options.plain()
    )
    if loads.contacts is not None and same:
        contacts = loads.contacts
    else:
        feet = footholds(model, options.links, options.soles)
        frames = frames_of(motion.time, (float(state.time[0]), float(state.time[-1])))
        whole = prepare(model, motion, state.lowpass)
        contacts = observe(model, feet, whole, ground.up, options, threads).take(frames)
    if contacts.names != ground.names or not np.allclose(contacts.place, ground.place, rtol=0.0, atol=SAME):
        raise InputError(
            "the places of contact differ from those of the estimate: give the options that it was made with as "
            "estimate=EstimateOptions(...)"
        )
    return contacts


def _slopes(values: Array, columns: NDArray[np.intp], nv: int) -> Array:
    """Return one-sided differences of (1 + k, n, rows) as derivatives (n, rows, nv)."""
    out = np.zeros((*values.shape[1:], nv))
    out[..., columns] = np.moveaxis(values[1:] - values[0], 0, 2) / STEP_Q
    return out
