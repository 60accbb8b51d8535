"""The muscles of a model as arrays: numbers and curves of all of them, ready for whole trials."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from softstride.engine.kept import Kept
from softstride.engine.kernels.hill_curve import Tables, hill_curves
from softstride.engine.kernels.hill_fibre import (
    ACTIVE,
    CURVES,
    DAMPING,
    FORCE,
    HEIGHT,
    LEAST,
    LEAST_ALONG,
    NUMBERS,
    OPTIMAL,
    PASSIVE,
    RELAXED,
    RIGID,
    SLACK,
    SPEED,
    TENDON,
    VELOCITY,
    Muscles,
)
from softstride.engine.run import sealed
from softstride.errors import InputError
from softstride.model import Model, Muscle
from softstride.model.checks import names_hint
from softstride.muscles.hill.curve import Array, Curve, Nothing, Pair
from softstride.muscles.hill.inputs import matrix
from softstride.muscles.hill.sets import CurveSet, curve_set
from softstride.muscles.hill.table import pack
from softstride.notes import Note


@dataclass(frozen=True, eq=False)
class HillMuscles:
    """Hill muscles, one column each. Arrays have shape (m,) and cannot be written.

    Attributes:
        names: Their names.
        curves: The set of curves of each, see `softstride.model.muscle.CURVES`.
        max_force: Isometric force at optimal fibre length, fully active [N].
        fibre_length: Optimal fibre length [m].
        tendon_length: Tendon slack length [m].
        pennation: Angle at optimal fibre length [rad].
        max_velocity: Greatest shortening velocity [optimal lengths a second].
        height: Thickness of the muscle, fibre length times sine of pennation, which does not change [m].
        min_length: Least fibre length [m]: that at the greatest pennation angle, or the least of the curves.
        damping: Force of the fibre's damper over maximal force, at maximal velocity.
        rigid: Whether the tendon does not stretch.
        rise_time: Time constant of activation [s].
        fall_time: Time constant of deactivation [s].
        min_activation: Least activation.
        notes: What was decided.
        packed: All of it for compiled code.
    """

    names: tuple[str, ...]
    curves: tuple[str, ...]
    max_force: Array
    fibre_length: Array
    tendon_length: Array
    pennation: Array
    max_velocity: Array
    height: Array
    min_length: Array
    damping: Array
    rigid: NDArray[np.bool_]
    rise_time: Array
    fall_time: Array
    min_activation: Array
    notes: tuple[Note, ...]
    packed: Muscles = field(repr=False)

    def __len__(self) -> int:
        """Return the number of muscles."""
        return len(self.names)

    def __setstate__(self, state: dict[str, Any]) -> None:
        """Lock the arrays again after pickling: compiled code is made for arrays that cannot be written."""
        packed = state["packed"]
        tables = Tables(*(sealed(x) for x in packed.tables))
        locked = {name: sealed(x) if isinstance(x, np.ndarray) else x for name, x in state.items()}
        self.__dict__.update(locked, packed=Muscles(sealed(packed.numbers), sealed(packed.curves), tables))

    def column(self, name: str) -> int:
        """Return the column of a muscle."""
        try:
            return self.names.index(name)
        except ValueError:
            raise InputError(f"no muscle {name!r} here; there are {names_hint(self.names, name)}") from None

    def active_length(self, length: ArrayLike) -> Pair:
        """Return active force over maximal force, and its slope, at fibre lengths in optimal lengths, (n, m)."""
        return self._curve(ACTIVE, length, "length")

    def passive_length(self, length: ArrayLike) -> Pair:
        """Return passive force over maximal force, and its slope, at fibre lengths in optimal lengths, (n, m)."""
        return self._curve(PASSIVE, length, "length")

    def force_velocity(self, velocity: ArrayLike) -> Pair:
        """Return the factor of active force, and its slope, at fibre velocities over the greatest one, (n, m).

        Lengthening is positive. For thelen2003 the greatest velocity is that at the present activation.
        """
        return self._curve(VELOCITY, velocity, "velocity")

    def tendon_force(self, length: ArrayLike) -> Pair:
        """Return tendon force over maximal force, and its slope, at tendon lengths in slack lengths, (n, m).

        Zero for muscles whose curves know no tendon.
        """
        return self._curve(TENDON, length, "length")

    def _curve(self, which: int, x: ArrayLike, what: str) -> Pair:
        at, single = matrix(x, self.names, what)
        value, slope = np.empty(at.shape), np.empty(at.shape)
        column = np.ascontiguousarray(self.packed.curves[:, which])
        hill_curves(self.packed.tables, sealed(column), sealed(at), value, slope)
        return (value[0], slope[0]) if single else (value, slope)


_known: Kept[HillMuscles] = Kept(64)


def hill_muscles(model: Model, names: Iterable[str] | None = None) -> HillMuscles:
    """Return the muscles of a model as arrays.

    Args:
        model: With muscles.
        names: Which, in this order; None: all that are enabled, in the model's order.

    Raises:
        InputError: A name that the model does not have, or one given twice.
        ModelError: Numbers of a muscle that make no curve.
    """
    if names is None:
        chosen = tuple(name for name, muscle in model.muscles.items() if muscle.enabled)
    else:
        chosen = _checked(model, names)
    found = _known.get(model, chosen)
    if found is None:
        found = _known.put(model, chosen, _assembled(chosen, [model.muscles[name] for name in chosen]))
    return found


def _checked(model: Model, names: Iterable[str]) -> tuple[str, ...]:
    if isinstance(names, str):
        raise InputError(f"names must be a list of muscles, however they are the one text {names!r}")
    if not isinstance(names, Iterable):
        raise InputError(f"names must be a list of names of muscles, however they are {names!r}")
    chosen = tuple(names)
    for name in chosen:
        if not isinstance(name, str) or name not in model.muscles:
            raise InputError(
                f"model {model.name!r} has no muscle {name!r}; it has {names_hint(model.muscles, name)}"
            )
    if len(set(chosen)) < len(chosen):
        twice = next(name for name in chosen if chosen.count(name) > 1)
        raise InputError(f"muscle {twice!r} is named twice")
    return chosen


def _assembled(names: tuple[str, ...], muscles: list[Muscle]) -> HillMuscles:
    sets = [curve_set(muscle) for muscle in muscles]
    force = _column(muscle.max_force for muscle in muscles)
    optimal = _column(muscle.fibre_length for muscle in muscles)
    slack = _column(muscle.tendon_length for muscle in muscles)
    pennation = _column(muscle.pennation for muscle in muscles)
    velocity, damping = _column(each.max_velocity for each in sets), _column(each.damping for each in sets)
    height = optimal * np.sin(pennation)
    shortest = optimal * _column(each.shortest for each in sets)
    least = np.maximum(shortest, height / np.sin(_column(each.steepest for each in sets)))
    numbers = np.zeros((len(muscles), NUMBERS))
    numbers[:, FORCE], numbers[:, OPTIMAL], numbers[:, SLACK] = force, optimal, slack
    numbers[:, HEIGHT], numbers[:, LEAST] = height, least
    numbers[:, LEAST_ALONG] = np.sqrt(np.maximum(least**2 - height**2, 0.0))
    numbers[:, SPEED], numbers[:, DAMPING] = optimal * velocity, damping
    numbers[:, RELAXED] = _column(each.relaxed_speed for each in sets)
    unstretched = [_unstretched(muscle, each) for muscle, each in zip(muscles, sets, strict=True)]
    rigid = np.array([muscle.rigid_tendon for muscle in muscles], dtype=bool) | np.array(
        unstretched, dtype=bool
    )
    numbers[:, RIGID] = rigid
    tables, which = pack([curve for each in sets for curve in _four(each)])
    curves = np.array([[which[curve] for curve in _four(each)] for each in sets], dtype=np.int64)
    return HillMuscles(
        names=names,
        curves=tuple(muscle.curves for muscle in muscles),
        max_force=force,
        fibre_length=optimal,
        tendon_length=slack,
        pennation=pennation,
        max_velocity=velocity,
        height=sealed(height),
        min_length=sealed(least),
        damping=damping,
        rigid=sealed(rigid),
        rise_time=_column(muscle.rise_time for muscle in muscles),
        fall_time=_column(muscle.fall_time for muscle in muscles),
        min_activation=_column(muscle.min_activation for muscle in muscles),
        notes=tuple(_notes(names, muscles, sets)),
        packed=Muscles(sealed(numbers), sealed(curves.reshape(-1, CURVES)), tables),
    )


def _column(values: Iterable[float]) -> Array:
    return sealed(np.array(list(values), dtype=np.float64))


def _four(each: CurveSet) -> tuple[Curve, Curve, Curve, Curve]:
    """Return the curves in the order of the compiled code."""
    return each.active, each.passive, each.velocity, each.tendon or Nothing()


def _unstretched(muscle: Muscle, each: CurveSet) -> bool:
    """Whether there is nothing that could stretch: no curve, or no tendon."""
    return each.tendon is None or muscle.tendon_length == 0.0


def _notes(names: tuple[str, ...], muscles: list[Muscle], sets: list[CurveSet]) -> Iterator[Note]:
    rigid = [
        name
        for name, muscle, each in zip(names, muscles, sets, strict=True)
        if _unstretched(muscle, each) and not muscle.rigid_tendon
    ]
    if rigid:
        yield Note(
            "fibres.tendon-rigid",
            f"the tendon of {names_hint(rigid)} is taken as rigid: its curves know no tendon, or its slack length is "
            "zero",
            topic="fibres",
            names=tuple(rigid),
        )
