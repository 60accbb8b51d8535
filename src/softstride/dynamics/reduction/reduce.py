"""Residual reduction: small, bounded changes of masses and of the base's motion, so that recording and plates agree.

The wrench W that the base lacks (`Loads.residual`) depends on the masses and their centres, and on how the base moves.
Both are changed together, within bounds, so that

    mean_t (|f|² / F² + |n|² / N²) + mean_t (|d|² + l² |r|²) / s² + w sum_j (y_j / y_j,max)²

is least: f and n are force and moment of W; F and N what Hicks et al. allow of them [Hicks2015]; d and r the change of
the base, slow splines of time, and l how far a turn moves the links on it; y the changes of the links' shares of the
mass and of their centres. The total mass is found first, from the forces alone. Gauss-Newton steps, each a least
squares within bounds. The changes cost something, so that what the plates do not ask for stays as it was, and what they
ask for beyond the bounds stays a residual.

Joint angles stay as they are: OpenSim's RRA changes them too, by tracking [Delp2007]; AddBiomechanics changes masses
and the whole motion [Werling2023]. Here what changed is the base, a few numbers by frame, and can be read.

References:
    [Delp2007] Delp et al., IEEE Trans Biomed Eng 54:1940-1950.
    [Hicks2015] Hicks, Uchida, Seth, Rajagopal, Delp, J Biomech Eng 137:020905.
    [Werling2023] Werling et al., PLoS ONE 18:e0295152.
"""

from __future__ import annotations

from typing import Unpack

import numpy as np
from numpy.typing import NDArray

from softstride.capture.recording import Recording
from softstride.dynamics.inverse import solve_id
from softstride.dynamics.loads import Loads
from softstride.dynamics.prepare import State, lower, prepare
from softstride.dynamics.reduction.base import put_back, take_off
from softstride.dynamics.reduction.bounds import minimise
from softstride.dynamics.reduction.inertia import TOTAL, masses_of
from softstride.dynamics.reduction.markers import marker_rms
from softstride.dynamics.reduction.options import ReductionChanges, ReductionOptions
from softstride.dynamics.reduction.outside import outside_of
from softstride.dynamics.reduction.problem import Problem, allowed_residual, state_problem
from softstride.dynamics.reduction.result import Reduction
from softstride.dynamics.reduction.spline import even_splines
from softstride.errors import InputError, Option
from softstride.kinematics.motion import Motion
from softstride.model.model import Model
from softstride.notes import Note, Notes

Array = NDArray[np.float64]
Mask = NDArray[np.bool_]

LEAST = 6
"""Frames to go by that are needed at least: fewer say less than the base alone may be changed."""

FEW = (20, 0.2)
"""Frames to go by, and seconds that they span, below which masses are not told from accelerations."""

SHORTEST = 2.0**-10
"""Part of a Gauss-Newton step below which no decrease is looked for."""

TOPIC = "residual reduction"
TOTAL_MASS, TOTAL_CHANGE = Option("total_mass"), Option("total_change")


def reduce_residuals(
    model: Model,
    motion: Motion,
    recording: Recording,
    options: ReductionOptions | None = None,
    *,
    threads: int | None = None,
    **changes: Unpack[ReductionChanges],
) -> Reduction:
    """Change masses and the base's motion a little, so that the measured forces explain the motion better.

    Args:
        model: The model, with a floating base.
        motion: Its motion. With a low pass, what is changed and returned is the motion after it.
        recording: The forces; and markers, if the change of their fit is to be known.
        options: Bounds, weights and the options of the inverse dynamics; see `ReductionOptions`.
        threads: How many threads may be used; None: as set by `set_threads`; 0: all cores.
        **changes: Options by name: ``reduce_residuals(model, motion, trial, lowpass=6.0, total_mass=82.0)``.

    Returns:
        The new model and motion, the loads before and after, and every change.

    Raises:
        InputError: No floating base, no forces, no frame to go by; what `solve_id` refuses; an unknown option or link.
        ModelError: The model has no mass.
    """
    chosen = (options or ReductionOptions()).changed(**changes)
    if not isinstance(recording, Recording):
        raise InputError(
            f"residuals are reduced by the forces of a Recording, however it was given {recording!r}"
        )
    before = solve_id(model, motion, recording, chosen.inverse, threads=threads)
    if before.base is None:
        raise InputError(f"model {model.name!r} has no floating base, and so no residual to reduce")
    used = _frames(before, chosen)
    state = prepare(model, motion, chosen.inverse.lowpass, chosen.inverse.time_range, before.state)
    body = take_off(model, model.link(before.base), state, threads)
    allowed = allowed_residual(model, state.q, before.wrenches)
    problem = state_problem(
        body,
        masses_of(model, body, chosen),
        even_splines(state.time, chosen.cutoff),
        outside_of(recording, before.wrenches, body.pose),
        used,
        allowed,
        chosen,
        threads,
    )
    problem, x, history, converged, limits = _solved(problem, chosen)
    new_model = problem.masses.model(model, problem.split(x)[1])
    new_motion = _motion(new_model, motion, put_back(model, problem.body_at(x), state), state.lowpass)
    plain = chosen.inverse.changed(lowpass=None, time_range=None)
    after = solve_id(new_model, new_motion, recording, plain, threads=threads)
    shift, y = problem.split(x)
    links = problem.masses.links
    world = (shift[0].reshape(-1, 2, 3) @ body.axes.T).reshape(-1, 6)
    return Reduction(
        new_model,
        new_motion,
        before,
        after,
        {name: new_model.link(name).inertia.mass - link.inertia.mass for name, link in links.items()},
        dict(zip(links, problem.masses.parts(y)[1], strict=True)),
        world,
        used,
        limits,
        allowed,
        marker_rms(motion, new_motion, recording),
        tuple(history),
        converged,
        tuple(_notes(chosen, before, problem, new_model.mass, limits, converged)),
    )


def _frames(loads: Loads, options: ReductionOptions) -> Mask:
    used = loads.known if options.frames == "known" else loads.known & ~loads.doubtful
    if not used.any():
        raise InputError(
            "no frame has a residual that can be believed, so that there is nothing to go by: is a force missing, "
            'or in other axes, units or time? frames="known" takes them all the same'
        )
    if int(used.sum()) < LEAST:
        raise InputError(
            f"{int(used.sum())} of {len(loads)} frames can be believed, too few to go by: at least {LEAST} are needed, "
            "and some tenths of a second of motion; give a longer part of the trial"
        )
    return np.asarray(used)


def _solved(
    problem: Problem, options: ReductionOptions
) -> tuple[Problem, Array, list[float], bool, tuple[str, ...]]:
    """Return the problem at its end, the change, the course of the objective, whether it is steady, and limits reached.

    A free total mass is found first, from the forces alone: they are the weight and its acceleration, whereas moments
    would trade mass against arms.
    """
    x = problem.start()
    history, limits = [problem.objective(x)], []
    if options.total_mass == "free":
        by_forces = problem.of_forces()
        x, *_ = _steady(by_forces, x, options)
        limits = [name for name in by_forces.reached(x) if name == TOTAL]
        problem = problem.with_total(x)
    x, values, converged = _steady(problem, x, options)
    return problem, x, [*history, *values[1:]], converged, (*limits, *problem.reached(x))


def _steady(problem: Problem, x: Array, options: ReductionOptions) -> tuple[Array, list[float], bool]:
    """Return the change after Gauss-Newton steps, the objective after each, and whether it is steady."""
    history = [problem.objective(x)]
    for _ in range(options.iterations):
        x, value = _step(problem, x, history[-1], options.tolerance)
        steady = history[-1] - value <= options.tolerance * history[-1]
        history.append(value)
        if steady:
            return x, history, True
    return x, history, False


def _step(problem: Problem, x: Array, value: float, tolerance: float) -> tuple[Array, float]:
    """Return the change after a Gauss-Newton step, shortened until the objective falls, and the objective there.

    A step that promises less than the tolerance is not shortened.
    """
    near = problem.quadratic(x)
    target = minimise(near, problem.low, problem.high, problem.even)
    promised = 2.0 * (near.value(x) - near.value(target))
    least = SHORTEST if promised > tolerance * value else 1.0
    part = 1.0
    while part >= least:
        trial = np.clip(x + part * (target - x), problem.low, problem.high)
        found = problem.objective(trial)
        if found < value:
            return trial, found
        part *= 0.5
    return x, value


def _motion(model: Model, old: Motion, state: State, lowpass: float | None) -> Motion:
    first, last = state.time[0], state.time[-1]
    return Motion(
        model,
        state.time,
        state.q,
        rates=(state.v, state.a),
        events=tuple(event for event in old.events if first <= event.time <= last),
        notes=(*old.notes, Note("motion.base-moved", "the base was moved to reduce residuals", topic=TOPIC)),
        lowpass=lower(lowpass, old.lowpass),
    )


def _total(options: ReductionOptions, old: float, new: float, limits: tuple[str, ...]) -> list[Note]:
    """Return a note on the total mass [kg]; none where it stayed."""
    away = 100.0 * (new - old) / old
    values = {"mass_kg": new, "change_percent": away}
    if options.total_mass == "free" and TOTAL in limits:
        told = f"the total mass, {new:.2f} kg, is at its bound, {away:+.3g} %: the forces ask for more of it"
        return [
            Note(
                "reduction.total-mass-at-bound",
                told,
                severity="warning",
                topic=TOPIC,
                values=values,
                fix=f"weigh the person and give {TOTAL_MASS}, or more {TOTAL_CHANGE}",
                options=(TOTAL_MASS, TOTAL_CHANGE),
            )
        ]
    if options.total_mass == "free":
        told = f"the total mass, {new:.2f} kg, was found from the forces"
        return [Note("reduction.total-mass-found", told, topic=TOPIC, values=values)]
    if abs(away) > 100.0 * options.total_change * (1.0 + 1e-9):
        told = (
            f"the given total mass, {new:.2f} kg, is {away:+.3g} % from the model's {old:.2f} kg, beyond "
            f"{TOTAL_CHANGE}, {100.0 * options.total_change:g} %: is it the right person?"
        )
        return [
            Note(
                "reduction.total-mass-far",
                told,
                severity="warning",
                topic=TOPIC,
                values=values,
                options=(TOTAL_CHANGE,),
            )
        ]
    return []


def _few(time: Array, used: Mask) -> list[Note]:
    """Return a note where the frames are too few to tell masses; none where they are not."""
    count, span = int(used.sum()), float(np.ptp(time[used]))
    if count >= FEW[0] and span >= FEW[1]:
        return []
    told = (
        f"{count} frames over {span:.3g} s do not determine masses: what was changed explains these frames, and says "
        f"nothing of the person; {FEW[0]} frames and {FEW[1]:g} s are needed at least"
    )
    values = {"frames": count, "seconds": span}
    return [Note("reduction.too-few-frames", told, severity="warning", topic=TOPIC, values=values)]


def _notes(
    options: ReductionOptions,
    before: Loads,
    problem: Problem,
    mass: float,
    limits: tuple[str, ...],
    converged: bool,
) -> Notes:
    notes = Notes()
    known, used = int(before.known.sum()), int(problem.used.sum())
    if used < known:
        notes.add(
            "reduction.frames-left-out",
            f"{known - used} of {known} frames were left out: their residual is too large to believe, so that a "
            "force is missing there; in them the change of the base leaves the residual as it was",
            severity="warning",
            topic=TOPIC,
            values={"frames": known - used},
        )
    notes.extend(_few(before.time, problem.used))
    notes.extend(_total(options, before.model.mass, mass, limits))
    cutoff = options.inverse.lowpass
    if cutoff is not None:
        told = f"the motion is that after the low pass at {cutoff:g} Hz: do not filter it again"
        notes.add("reduction.after-low-pass", told, topic=TOPIC, values={"cutoff_hz": cutoff})
    if not problem.body.movable.all():
        base = problem.body.link.name
        told = f"the joint of {base!r} does not move along all axes: only those that it has are reduced"
        notes.add("reduction.some-axes-only", told, topic=TOPIC, names=(base,))
    soft = [link.name for link in problem.body.model.links if link.soft]
    if soft:
        told = f"rods and what is lumped on them keep their mass: {', '.join(soft)}"
        notes.add("reduction.rods-keep-mass", told, topic=TOPIC, names=tuple(soft))
    if not converged:
        steps = Option("iterations")
        notes.add(
            "reduction.not-steady",
            f"not steady after {options.iterations} steps: give more with {steps}",
            severity="warning",
            topic=TOPIC,
            values={"steps": options.iterations},
            options=(steps,),
        )
    return notes
