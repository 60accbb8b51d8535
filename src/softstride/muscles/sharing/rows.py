"""Which coordinates muscles have to serve, and what actuators and reserves stand beside them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray

from softstride.dynamics.residual import floating_base
from softstride.engine.path_plan import PathPlan
from softstride.errors import InputError, Option
from softstride.model.actuator import CoordinateActuator
from softstride.model.checks import names_hint
from softstride.model.link import WORLD
from softstride.model.model import Model
from softstride.muscles.sharing.options import DEFAULT_RESERVE, OTHERS, MuscleOptions
from softstride.notes import Note, Notes

Array = NDArray[np.float64]

_moved: WeakKeyDictionary[PathPlan, frozenset[str]] = WeakKeyDictionary()


@dataclass(frozen=True, eq=False)
class Rows:
    """Coordinates whose moments are to be met, k of them, and actuators that move them.

    Attributes:
        names: The coordinates.
        columns: Where they are in v, shape (k,).
        reserve: Optimal force of their reserves, shape (k,); zero for none.
        actuators: Coordinate actuators of the model that take part.
        actuator_rows: Which row each moves.
        notes: What was decided.
    """

    names: tuple[str, ...]
    columns: NDArray[np.intp]
    reserve: Array
    actuators: tuple[CoordinateActuator, ...]
    actuator_rows: tuple[int, ...]
    notes: tuple[Note, ...]


def find_rows(model: Model, plan: PathPlan, known: NDArray[np.bool_], options: MuscleOptions) -> Rows:
    """Return the coordinates to serve.

    Args:
        model: The model.
        plan: The paths of the muscles.
        known: Coordinates whose loads are known, shape (nv,).
        options: May name them.

    Raises:
        InputError: A coordinate that does not exist, of the floating base, that nothing moves, or without loads; or
            no coordinate at all.
    """
    motors = [a for a in model.actuators.values() if a.enabled and isinstance(a, CoordinateActuator)]
    if not options.actuators:
        motors = []
    moved = moved_coordinates(model, plan) | {motor.coordinate for motor in motors}
    base = floating_base(model)
    afloat = set(() if base is None else base.coordinate_names)
    names, told = _chosen(model, moved, afloat, known, options)
    notes = Notes(told)
    taking = tuple(motor for motor in motors if motor.coordinate in names)
    reserve, told = _reserves(names, taking, options)
    notes.extend(told)
    others = [a.name for a in model.actuators.values() if a.enabled and not isinstance(a, CoordinateActuator)]
    if others and options.actuators:
        notes.add(
            "actuators.left-out",
            f"actuators that are not on a coordinate are left out: {names_hint(others)}",
            topic="actuators",
            names=others,
        )
    bands = [band.name for band in model.ligaments.values() if band.enabled]
    if bands:
        notes.add(
            "sharing.ligaments-left-out",
            f"ligaments are left out, what they give counts as the muscles' part: {names_hint(bands)}",
            topic="muscles",
            names=bands,
        )
    index = {name: i for i, name in enumerate(model.coordinate_names)}
    return Rows(
        names,
        np.array([index[name] for name in names], dtype=np.intp),
        reserve,
        taking,
        tuple(names.index(motor.coordinate) for motor in taking),
        tuple(notes),
    )


def moved_coordinates(model: Model, plan: PathPlan) -> set[str]:
    """Return the names of coordinates that change the length of some path; kept with the plan."""
    if plan not in _moved:
        links: dict[int, list[str]] = {}
        for link, owner in zip(plan.links, plan.owners, strict=True):
            links.setdefault(owner, []).append(link)
        found = {model.coordinate_names[term.v] for term in plan.terms}
        for own in links.values():
            chains = [_chain(model, link) for link in own]
            for link in chains[0].union(*chains) - chains[0].intersection(*chains):
                found.update(model.link(link).coordinate_names)
        _moved[plan] = frozenset(found)
    return set(_moved[plan])


def _chain(model: Model, link: str) -> set[str]:
    """Return a link and all that it hangs on."""
    chain = set()
    while link != WORLD:
        chain.add(link)
        link = model.link(link).parent
    return chain


def _chosen(
    model: Model, moved: set[str], afloat: set[str], known: NDArray[np.bool_], options: MuscleOptions
) -> tuple[tuple[str, ...], tuple[Note, ...]]:
    has_loads = dict(zip(model.coordinate_names, known.tolist(), strict=True))
    if options.coordinates is None:
        able = [name for name in model.coordinate_names if name in moved and name not in afloat]
        locked = [name for name in able if model.coordinates[name].locked]
        able = [name for name in able if name not in locked]
        names = tuple(name for name in able if has_loads[name])
        lost = [name for name in able if not has_loads[name]]
        if not names:
            raise InputError(
                f"no coordinate of {model.name!r} has loads that are known and a muscle that moves it: nothing to share"
            )
        notes = Notes()
        if lost:
            notes.add(
                "sharing.not-met-unknown",
                f"not met, their loads are not known: {names_hint(lost)}",
                topic="muscles",
                names=lost,
            )
        if locked:
            notes.add(
                "sharing.not-met-locked",
                f"not met, what locks them holds their loads: {names_hint(locked)}",
                topic="muscles",
                names=locked,
            )
        return names, tuple(notes)
    for name in options.coordinates:
        if name not in has_loads:
            known_names = names_hint(model.coordinate_names)
            raise InputError(f"{name!r} is no coordinate of {model.name!r}; known: {known_names}")
        if name in afloat:
            raise InputError(
                f"{name!r} is a coordinate of the floating base, which no muscle moves: leave it out"
            )
        if name not in moved:
            raise InputError(f"{name!r} is moved by no muscle and no actuator that takes part: leave it out")
        if not has_loads[name]:
            raise InputError(f"the loads of {name!r} are not known in any frame: leave it out")
    left = [name for name in model.coordinate_names if name in moved - afloat - set(options.coordinates)]
    note = Note(
        "sharing.not-asked-for",
        f"moments about these are not asked for, whatever muscles give to them: {names_hint(left)}",
        topic="muscles",
        names=tuple(left),
    )
    return options.coordinates, (note,) if left else ()


def _reserves(
    names: tuple[str, ...], motors: tuple[CoordinateActuator, ...], options: MuscleOptions
) -> tuple[Array, tuple[Note, ...]]:
    """Return the optimal force of reserves, none beside an actuator without limits."""
    free = {motor.coordinate for motor in motors if not np.isfinite([motor.lower, motor.upper]).any()}
    given = options.reserve
    if isinstance(given, Mapping):
        others = given.get(OTHERS, DEFAULT_RESERVE)
        for name in given:
            if name not in (OTHERS, *names):
                option = Option("reserve")
                raise InputError(
                    f"{option} of {name!r}: no such coordinate is met; these are: {names_hint(names)}",
                    parameter="reserve",
                    names=[name],
                    known=names,
                    options=[option],
                )
        sizes = [given.get(name, 0.0 if name in free else others) for name in names]
    else:
        sizes = [0.0 if name in free else given for name in names]
    notes = Notes()
    if free:
        notes.add(
            "sharing.no-reserve",
            f"no reserve beside actuators of the model without limits, on {names_hint(sorted(free))}",
            topic="muscles",
            names=sorted(free),
        )
    return np.array(sizes, dtype=np.float64), tuple(notes)
