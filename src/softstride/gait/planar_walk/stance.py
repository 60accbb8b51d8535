"""One stance of the planar walker: joints driven or under computed torque, a foot that rolls or stands on spheres."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from softstride.contact import SphereContact, Surface
from softstride.errors import InputError, SimulationError
from softstride.gait.planar_walk.actuation import ComputedTorque, Gains, GivenForce
from softstride.gait.planar_walk.body import PlanarBody
from softstride.gait.planar_walk.footing import Footing, rolling_footing, sphere_footing
from softstride.gait.planar_walk.model import driven_names, planar_model
from softstride.gait.planar_walk.reference import StanceReference
from softstride.gait.planar_walk.result import StanceResult, build_result
from softstride.model.frame import Frame
from softstride.model.model import Model
from softstride.naming import LETTERS
from softstride.simulation import (
    DrivenCoordinates,
    Event,
    SimulationStopped,
    largest_stable_step,
    simulate,
)
from softstride.simulation.constraints import AnyConstraint
from softstride.simulation.fields import ForceField
from softstride.simulation.stability import POLYNOMIALS

Floats = NDArray[np.float64]
Contact = Literal["rolling", "spheres"]

WINDOW = (0.03, 0.35)
"""Shares of the gait cycle between which the contact models are compared in [Caspers]."""

FALLEN = 0.6
"""The walker has fallen when its hips are lower than this share of their height in standing."""

MOST_STEPS = 50_000

SAMPLES = 9
"""Instants of the window at which the largest stable step is looked for."""


@dataclass(frozen=True, eq=False)
class Task:
    """All that `simulate` needs for a stance.

    Attributes:
        model: The walker.
        reference: What it is given.
        footing: How it meets the ground.
        q: Start, shape (nq,).
        v: Start, shape (nv,).
        fields: Forces.
        constraints: Driven joints, then the foot.
        span: First and last instant [s].
        floor: Height of the ground [m].
    """

    model: Model
    reference: StanceReference
    footing: Footing
    q: Floats
    v: Floats
    fields: tuple[ForceField, ...]
    constraints: tuple[AnyConstraint, ...]
    span: tuple[float, float]
    floor: float


def simulate_stance(
    body: PlanarBody,
    reference: StanceReference,
    *,
    contact: Contact = "rolling",
    surface: Surface | None = None,
    origin: float = 0.0,
    floor: float = 0.0,
    spheres: SphereContact | None = None,
    gains: Gains | None = None,
    window: tuple[float, float] = WINDOW,
    friction: float = 0.9,
    method: str | None = None,
    dt: float | None = None,
    rtol: float | None = None,
    max_steps: int = MOST_STEPS,
) -> StanceResult:
    """Simulate a part of a stance with either contact model; all else is the same.

    Trunk, hips, knees and the ankle of the swinging leg are driven along the reference; the pelvis and the ankle that
    stands are under computed torque; the other foot gets its measured force. At the start angles and their rates are
    those of the reference; the pelvis is shifted so that the foot touches the ground, at rest where it does.

    Args:
        body: The walker's sizes.
        reference: Its motion and the forces on its feet.
        contact: "rolling" or "spheres".
        surface: The sole that rolls.
        origin: Where on the ground its contact is counted from [m].
        floor: Height of the ground [m].
        spheres: Heel, metatarsal and tip; None: those of Table 2 of [Caspers] with exponent 1.
        gains: Of the computed torque.
        window: Shares of the gait cycle where to begin and to end.
        friction: Coefficient of the ground, for the friction margin of the rolling foot.
        method: Of `simulate`; None: "dopri" for rolling, "rosenbrock" for spheres.
        dt: Fixed step [s]; None: the error is controlled.
        rtol: Relative tolerance; None: 1e-6 for rolling, 1e-3 for spheres.
        max_steps: Largest number of steps.

    Returns:
        Motion, loads, events and how well it went; where the walker falls or the simulation cannot go on, what there is
        up to then, and why.

    Raises:
        InputError: A foot that starts below the floor or far above it, a reference that does not cover the window, a
            step that an explicit method cannot hold.
    """
    task = stance_task(body, reference, contact, surface, origin, floor, spheres, gains or Gains(), window)
    stiff = contact == "spheres"
    method = method or ("rosenbrock" if stiff else "dopri")
    if dt is not None and method in POLYNOMIALS:
        check_step(task, method, dt)
    lowest = floor + FALLEN * body.hip_height
    falls = Event(lambda t, q, v: q[1] - lowest, "fell", direction=-1, terminal=True)
    ended = ""
    try:
        run = simulate(
            task.model,
            task.q,
            task.v,
            task.span,
            fields=task.fields,
            constraints=task.constraints,
            events=[falls],
            method=method,
            dt=dt,
            rtol=rtol or (1e-3 if stiff else 1e-6),
            atol=np.repeat([1e-6, 1e-3] if stiff else [1e-8, 1e-7], task.model.nv),
            max_steps=max_steps,
        )
        if run.events:
            ended = f"the walker fell at {run.events[0].time:.4g} s: its hips are below {lowest:.3g} m"
    except SimulationStopped as stop:
        run, ended = stop.partial, str(stop)
        if len(run.time) < 2:
            raise SimulationError(f"a stance could not begin: {stop}") from stop
    return build_result(
        task.model, reference, task.footing, run, task.fields, task.constraints, floor, friction, ended
    )


def stance_task(
    body: PlanarBody,
    reference: StanceReference,
    contact: str,
    surface: Surface | None,
    origin: float,
    floor: float,
    spheres: SphereContact | None,
    gains: Gains,
    window: tuple[float, float],
) -> Task:
    """Return model, forces, constraints and start of a stance; see `simulate_stance`."""
    side = reference.side
    footing: Footing
    if contact == "rolling":
        if surface is None:
            raise InputError(
                "a rolling foot needs a surface: fit one with fit_rollover, or give a RollingSurface"
            )
        footing = rolling_footing(side, body, surface, origin, floor)
    elif contact == "spheres":
        footing = sphere_footing(side, body, floor, spheres)
    else:
        raise InputError(f"contact must be 'rolling' or 'spheres', however it is {contact!r}")
    first, last = _span(reference, window)
    model = planar_model(body, metatarsal=footing.metatarsal)
    names = driven_names(side)
    driven: list[AnyConstraint] = [DrivenCoordinates(names, reference.part(names))]
    if footing.metatarsal:
        other = "l" if side == "r" else "r"
        driven.append(DrivenCoordinates((f"mtp_{other}",), _still))
    feet = {each: Frame(f"foot_{each}") for each in LETTERS}
    other_foot = "l" if side == "r" else "r"
    fields: tuple[ForceField, ...] = (
        ComputedTorque(reference, f"ankle_{side}", gains, feet),
        GivenForce(feet[other_foot], reference.forces[other_foot]),
        *footing.fields(),
    )
    load = max(float(reference.forces[side](first)[1]), 0.0)
    q, v = footing.settle(model, *reference.state(model, first), load)
    return Task(
        model, reference, footing, q, v, fields, (*driven, *footing.constraints()), (first, last), floor
    )


def check_step(task: Task, method: str, dt: float) -> None:
    """Refuse a fixed step that an explicit method cannot hold with the foot as it stands along the window.

    Raises:
        InputError: With the largest stable step.
    """
    largest = min(
        largest_stable_step(
            task.model, q, v, t=t, method=method, fields=task.fields, constraints=task.constraints
        )
        for t, q, v in _stood(task)
    )
    if dt > largest:
        raise InputError(
            f"method {method!r} cannot hold this contact with steps of {dt:g} s: the largest stable step is "
            f'{largest:.3g} s; take it, or method="rosenbrock"'
        )


def _stood(task: Task) -> Iterator[tuple[float, Floats, Floats]]:
    """Yield states in which the foot carries the measured load: the start, and the reference along the window."""
    yield task.span[0], task.q, task.v
    for t in np.linspace(*task.span, SAMPLES)[1:]:
        start = task.reference.state(task.model, float(t))
        load = max(float(task.reference.forces[task.reference.side](t)[1]), 0.0)
        try:
            yield float(t), *task.footing.settle(task.model, *start, load)
        except InputError:  # the foot is off the ground there
            continue


def _span(reference: StanceReference, window: tuple[float, float]) -> tuple[float, float]:
    low, high = (float(share) for share in window)
    if not (np.isfinite([low, high]).all() and 0.0 <= low < high):
        raise InputError(f"window must be two rising shares of the gait cycle, however it is {window!r}")
    first, last = reference.instant(low), reference.instant(high)
    begin, end = float(reference.time[0]), float(reference.time[-1])
    if first < begin or last > end:
        raise InputError(
            f"the reference covers {begin:g} to {end:g} s, however the window runs from {first:g} to {last:g} s"
        )
    return first, last


def _still(t: Floats, nu: int) -> Floats:
    return np.zeros((len(t), 1))
