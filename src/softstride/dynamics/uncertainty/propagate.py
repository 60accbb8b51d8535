r"""How well loads are known: marker noise, soft tissue, inertia and plates, propagated to first order.

Each source gives the loads a variance in every frame, and the variances of independent sources add:

* markers: errors of poses from those of markers (`pose`), of velocities and accelerations from those of
  poses (`time`), and of loads from those of the motion (`motion`);
* artefact: the same for errors of markers that go slowly, as soft tissue does;
* inertia: masses, centres and moments of inertia of the links (`inertia`);
* plates: measured forces and their centres of pressure (`plates`);
* blades: the stiffness of what serves an estimate as a load cell.

An estimated ground reaction answers all but the plates (`estimate`). Bands know nothing of errors that are
none of these: joint centres in the wrong place, a wrong friction or floor, a motion that a low pass rounded off.
"""

from __future__ import annotations

from typing import Any, Unpack, overload

import numpy as np
from numpy.typing import NDArray

from softstride.dynamics.estimate.observe import level_axes
from softstride.dynamics.estimate.options import EstimateOptions
from softstride.dynamics.loads import Loads
from softstride.dynamics.loads_state import check_same, state_of, takes_loads
from softstride.dynamics.prepare import State
from softstride.dynamics.uncertainty.bands import Deviations, LoadBands, WrenchStd, together
from softstride.dynamics.uncertainty.estimate import EstimateResponse, blades
from softstride.dynamics.uncertainty.ground import ground_shape
from softstride.dynamics.uncertainty.inertia import inertia_columns, inertia_errors
from softstride.dynamics.uncertainty.motion import wrench_map
from softstride.dynamics.uncertainty.options import BandChanges, BandOptions
from softstride.dynamics.uncertainty.plates import PlateErrors
from softstride.dynamics.uncertainty.pose import pose_factor
from softstride.dynamics.uncertainty.response import MeasuredResponse, Responding, Response, taken
from softstride.dynamics.uncertainty.sources import MarkerErrors, marker_errors
from softstride.errors import InputError, Option
from softstride.kinematics.motion import Motion
from softstride.model.model import Model
from softstride.notes import Note

Array = NDArray[np.float64]

BLOCK = 64
"""Frames that are propagated at once."""

WIDE = 0.1
"""Standard deviation of a foot's force [body weights] from which on first order is not enough."""


@overload
def load_bands(
    loads: Loads,
    options: BandOptions | None = None,
    *,
    threads: int | None = None,
    **changes: Unpack[BandChanges],
) -> LoadBands: ...


@overload
def load_bands(
    model: Model,
    motion: Motion,
    loads: Loads,
    options: BandOptions | None = None,
    *,
    threads: int | None = None,
    **changes: Unpack[BandChanges],
) -> LoadBands: ...


@takes_loads
def load_bands(
    model: Model,
    motion: Motion,
    loads: Loads,
    options: BandOptions | None = None,
    *,
    threads: int | None = None,
    **changes: Unpack[BandChanges],
) -> LoadBands:
    """Return how well the loads of a motion are known, by propagating errors to first order: ``load_bands(loads)``.

    Args:
        loads: Of `solve_id` or `estimate_loads`, from a motion of `solve_ik`, if the markers that were seen, and their
            weights, are to count. Loads of a file know no motion: ``load_bands(model, motion, loads)``.
        model: Before the loads: their model.
        motion: Before the loads: the motion that they were found from.
        options: How uncertain what is; see `BandOptions`.
        threads: How many threads may be used; None: as set by `set_threads`; 0: all cores.
        **changes: Options by name: ``load_bands(loads, noise=0.002)``.

    Returns:
        Standard deviations of generalized forces, residual and ground reaction, by source and in total.

    Raises:
        InputError: The loads are not those of this motion (a low pass that was not said, other options of the
            estimate), an estimate has pyramids in place of friction cones (`facets`), nothing says where markers are,
            or an option is wrong.
    """
    chosen = (options or BandOptions()).changed(**changes)
    remembered = loads.options if isinstance(loads.options, EstimateOptions) else None
    estimate = chosen.estimate or remembered or EstimateOptions()
    if loads.ground is not None:
        if chosen.lowpass is not None:
            raise InputError(
                "the low pass of an estimate is one of its options: estimate=EstimateOptions(lowpass=...)"
            )
        if estimate.facets is not None or loads.ground.facets is not None:
            raise InputError(
                f"bands know friction cones, however this estimate has pyramids of "
                f"{estimate.facets or loads.ground.facets} facets: estimate the loads without facets, and give these"
            )
        if estimate.lowpass not in ("auto", loads.lowpass):
            raise InputError(
                f"the estimate was made with {_low_pass(loads.lowpass)}, however estimate=EstimateOptions(...) says "
                f"{_low_pass(estimate.lowpass)}: leave it out, the loads remember how they were estimated",
                parameter="estimate",
            )
    frames = _frames(motion, loads)
    state = state_of(model, motion, loads, chosen.lowpass)
    check_same(model, state, loads)
    responding: Responding = MeasuredResponse(model, state, loads, threads)
    if loads.ground is not None:
        shape = ground_shape(model, motion, state, loads, estimate, threads)
        responding = EstimateResponse(model, state, loads, shape, threads)
    markers = marker_errors(model, motion, chosen, state.lowpass, frames)
    return _bands(model, state, loads, responding, markers, chosen, estimate, threads)


def _frames(motion: Motion, loads: Loads) -> slice:
    first = int(np.argmin(np.abs(motion.time - loads.time[0])))
    frames = slice(first, first + len(loads))
    if frames.stop > len(motion) or not np.allclose(motion.time[frames], loads.time, rtol=0.0, atol=1e-9):
        raise InputError(
            f"loads from {loads.time[0]:g} to {loads.time[-1]:g} s have other instants than the motion, "
            f"{motion.time[0]:g} to {motion.time[-1]:g} s: give the motion that they were found from"
        )
    return frames


def _low_pass(cutoff: object) -> str:
    return f"a low pass of {cutoff:g} Hz" if isinstance(cutoff, float) else "no low pass"


def _bands(
    model: Model,
    state: State,
    loads: Loads,
    responding: Responding,
    markers: list[MarkerErrors],
    options: BandOptions,
    estimate: EstimateOptions,
    threads: int | None,
) -> LoadBands:
    n = len(loads)
    inertia = inertia_errors(
        model,
        options.mass_error,
        options.centre_error,
        options.inertia_error,
        options.total_mass_error,
        options.weighed,
    )
    plates = PlateErrors(*options.force_error, options.point_error)
    measured = bool(loads.wrenches) and loads.ground is None and plates.any
    names = [each.name for each in markers]
    names += ["inertia"] if inertia.any else []
    names += ["plates"] if measured else []
    stiff = blades(model, estimate) if loads.ground is not None and estimate.blade_error > 0.0 else []
    names += ["blades"] if stiff else []
    rows = model.nv + 6 + (0 if loads.ground is None else 6 * len(loads.wrenches))
    variance = {name: np.empty((n, rows)) for name in names}
    for start in range(0, n, BLOCK):
        block = slice(start, min(start + BLOCK, n))
        part = state.take(block)
        response = responding.response(block)
        for each in markers:
            there = slice(each.frames.start + block.start, each.frames.start + block.stop)
            F = pose_factor(model, part.q, each.seen, there, each.deviation, each.turn_deviation, threads)
            gram = None if each.gram is None else each.gram[there]
            variance[each.name][block] = response.of_motion(F, each.spectrum, gram)
        if inertia.any:
            columns = inertia_columns(model, part, inertia, threads)
            variance["inertia"][block] = response.of_forces(columns)
        if measured:
            variance["plates"][block] = _of_plates(model, part, loads, block, plates, response, threads)
        if stiff:
            variance["blades"][block] = response.of_springs()
    sources = {name: _sorted(loads, variance[name], name, plates) for name in names}
    notes = [note for each in markers for note in each.notes]
    if inertia.any:
        weighed = "" if inertia.total is None else f", the whole body to {100 * inertia.total:g} %"
        told = (
            f"inertia: masses to {100 * inertia.mass:g} %{weighed}, centres to {1000 * inertia.centre:g} mm, moments "
            f"of inertia to {100 * inertia.inertia:g} %"
        )
        values = {"mass_share": inertia.mass, "centre_m": inertia.centre, "inertia_share": inertia.inertia}
        values |= {} if inertia.total is None else {"total_mass_share": inertia.total}
        notes.append(Note("bands.inertia", told, topic="bands", values=values))
    if stiff:
        told = f"stiffness of {', '.join(stiff)} to {100 * estimate.blade_error:g} %"
        values = {"stiffness_share": estimate.blade_error}
        notes.append(Note("bands.blade-stiffness", told, topic="bands", names=tuple(stiff), values=values))
    if measured:
        told = (
            f"plates: forces to {100 * plates.share:g} % and {plates.offset:g} N, centres of pressure to "
            f"{1000 * plates.point:g} mm"
        )
        values = {"force_share": plates.share, "force_n": plates.offset, "point_m": plates.point}
        notes.append(Note("bands.plates", told, topic="bands", values=values))
    total = together(sources, n, model.nv)
    return LoadBands(loads, sources, total, (*notes, *_too_wide(loads, total)))


def _too_wide(loads: Loads, total: Deviations) -> list[Note]:
    """Return a note where errors are as large as the forces that they are a small change of."""
    if loads.ground is None:
        return []
    weight = loads.model.mass * float(np.linalg.norm(loads.model.gravity))
    widest = max(float(np.nanmedian(std.force.max(axis=1))) for std in total.ground.values())
    if widest <= WIDE * weight:
        return []
    smooth = Option("solve_ik")
    told = (
        f"the ground reaction is known to {widest:.0f} N only, enough for feet to leave the ground or slip: what is "
        f"linear in the errors is no more than a guess there. Smooth the motion, in {smooth} or by a low pass."
    )
    facts: dict[str, Any] = {"values": {"widest_n": widest}, "options": (smooth,)}
    return [Note("bands.too-wide", told, severity="warning", topic="bands", **facts)]


def _of_plates(
    model: Model,
    state: State,
    loads: Loads,
    block: slice,
    plates: PlateErrors,
    response: Response,
    threads: int | None,
) -> Array:
    level = level_axes(_up(model))
    total = np.zeros(response.constant.shape[:2])
    for wrench in loads.wrenches.values():
        part = taken(wrench, block)
        errors, _, _ = plates.factor(part, level)
        columns = wrench_map(model, state.q, part.link, part.point, threads) @ errors
        total += response.of_forces(columns)
    return total


def _up(model: Model) -> Array:
    size = float(np.linalg.norm(model.gravity))
    return -np.asarray(model.gravity) / size if size > 0.0 else np.array([0.0, 1.0, 0.0])


def _sorted(loads: Loads, variance: Array, source: str, plates: PlateErrors) -> Deviations:
    """Return variances of rows as deviations of what the rows are."""
    nv = loads.model.nv
    std = np.sqrt(variance)
    std[~loads.known] = np.nan
    ground = {}
    for k, (name, wrench) in enumerate(loads.wrenches.items()):
        if loads.ground is not None:
            row = nv + 6 + 6 * k
            ground[name] = WrenchStd(std[:, row : row + 3], std[:, row + 3 : row + 6])
        elif source == "plates":
            _, force, point = plates.factor(wrench, level_axes(_up(loads.model)))
            unknown = ~np.isfinite(wrench.force).all(axis=1, keepdims=True)
            ground[name] = WrenchStd(np.where(unknown, np.nan, force), point)
        else:
            nothing = np.where(wrench.acts[:, None], np.zeros((1, 3)), np.nan)
            ground[name] = WrenchStd(np.zeros_like(wrench.force), nothing)
    return Deviations(std[:, :nv], std[:, nv : nv + 6], ground)
