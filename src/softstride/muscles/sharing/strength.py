"""How hard each muscle can pull in every frame: force as a straight line in what is optimised.

    F = gain x + offset,     lower <= x <= upper

x is the activation, or for effort "force" the tension over the maximal isometric force. On rigid tendons the line is
exact. On elastic ones it runs between the forces at least and at greatest activation; the force is exact then, and the
activation that goes with it is found from the balance of fibre and tendon.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from softstride.errors import InputError, Option
from softstride.model.checks import names_hint
from softstride.muscles.hill import FibreState, HillMuscles, equilibrium, rigid_tendon
from softstride.muscles.sharing.options import MuscleOptions

Array = NDArray[np.float64]

INVERSIONS = 12
"""Steps in which the activation of a force on an elastic tendon is found."""


@dataclass(frozen=True, eq=False)
class Strength:
    """Force of muscles as a line in the unknowns, shape (n, m) each.

    Attributes:
        gain: Force of one unit of the unknown [N].
        offset: Force at zero [N].
        lower: Least unknown.
        upper: Greatest unknown.
        per_activation: Change of force with activation [N].
        at_rest: Force at activation zero [N], continued along the line.
        short: Where the path is too short for the fibre.
    """

    gain: Array
    offset: Array
    lower: Array
    upper: Array
    per_activation: Array
    at_rest: Array
    short: NDArray[np.bool_]


class Muscles:
    """Muscles that share: their strength in some frames, and the activation behind a force."""

    def __init__(self, hill: HillMuscles, options: MuscleOptions) -> None:
        self.hill = hill
        self.options = options
        self.least = by_muscle(options.lower, hill.names, "lower", hill.min_activation)
        self.most = by_muscle(options.upper, hill.names, "upper", np.ones(len(hill)))
        crossed = np.flatnonzero(self.least > self.most)
        if len(crossed):
            i = int(crossed[0])
            raise InputError(
                f"activation of {hill.names[i]!r} must be at least {self.least[i]:g} and at most {self.most[i]:g}: no "
                "number is"
            )

    def strength(self, length: Array, speed: Array) -> Strength:
        """Return what muscles can do at these lengths [m] and speeds [m/s], shape (n, m)."""
        least, most = (np.broadcast_to(x, length.shape) for x in (self.least, self.most))
        if self.options.tendon == "elastic":
            rest, full = (equilibrium(self.hill, length, speed, a) for a in (least, most))
            low, high = _tension(rest, least), _tension(full, most)
            span = most - least
            slope = np.divide(high - low, span, out=np.zeros_like(low), where=span > 0.0)
            at_rest = low - slope * least
            short = rest.short
        else:
            state = rigid_tendon(self.hill, length, speed, as_opensim=self.options.as_opensim)
            slope, short = state.active, state.short
            at_rest = np.zeros_like(slope)
            if self.options.passive:
                at_rest = np.maximum(state.passive + state.damping, -least * slope)
        if self.options.effort == "activation":
            return Strength(slope, at_rest, least, most, slope, at_rest, short)
        force = np.broadcast_to(self.hill.max_force, length.shape)
        lower, upper = (at_rest + slope * least) / force, (at_rest + slope * most) / force
        return Strength(force, np.zeros_like(slope), lower, upper, slope, at_rest, short)

    def references(self, strength: Strength, activation: Array) -> Array:
        """Return the unknowns that activations speak of, NaN where they are not known, within the bounds."""
        x = activation
        if self.options.effort == "force":
            x = (strength.at_rest + strength.per_activation * activation) / self.hill.max_force
        return np.where(np.isnan(x), np.nan, np.clip(x, strength.lower, strength.upper))

    def activations(self, strength: Strength, x: Array, length: Array, speed: Array) -> Array:
        """Return the activations behind the unknowns x, shape (n, m)."""
        least, most = (np.broadcast_to(b, x.shape) for b in (self.least, self.most))
        if self.options.effort == "activation":
            a = x
        else:
            rise = x * self.hill.max_force - strength.at_rest
            a = np.divide(
                rise, strength.per_activation, out=least.copy(), where=strength.per_activation > 0.0
            )
            a = np.clip(a, least, most)
        if self.options.tendon == "rigid":
            return a
        return self._inverted(strength.gain * x + strength.offset, a, length, speed)

    def _inverted(self, force: Array, guess: Array, length: Array, speed: Array) -> Array:
        """Return the activations whose balance has this force: secants in brackets, all at once, the best one seen."""
        low, high = (np.broadcast_to(b, force.shape).copy() for b in (self.least, self.most))
        below, above = (_tension(equilibrium(self.hill, length, speed, a), a) - force for a in (low, high))
        best, least = (
            np.where(np.abs(below) < np.abs(above), low, high),
            np.minimum(np.abs(below), np.abs(above)),
        )
        a = guess
        for k in range(INVERSIONS):
            off = _tension(equilibrium(self.hill, length, speed, a), a) - force
            better = np.abs(off) < least
            best, least = np.where(better, a, best), np.where(better, np.abs(off), least)
            up = off > 0.0
            high, above = np.where(up, a, high), np.where(up, off, above)
            low, below = np.where(up, low, a), np.where(up, below, off)
            rise = above - below
            part = np.divide(-below, rise, out=np.full_like(rise, 0.5), where=rise > 0.0)
            a = low + (0.5 if k % 3 == 2 else np.clip(part, 0.0, 1.0)) * (high - low)
        return best


def _tension(state: FibreState, activation: Array) -> Array:
    return state.tendon_force(activation)


def by_muscle(
    given: float | Mapping[str, float] | None, names: tuple[str, ...], what: str, otherwise: Array
) -> Array:
    """Return one number a muscle, shape (m,).

    Raises:
        InputError: A name that does not take part.
    """
    if given is None:
        return np.array(otherwise, dtype=np.float64)
    if not isinstance(given, Mapping):
        return np.full(len(names), float(given))
    for name in given:
        if name not in names:
            option = Option(what)
            raise InputError(
                f"{option} of {name!r}: no such muscle takes part; these do: {names_hint(names, name)}",
                parameter=what,
                names=[name],
                known=names,
                options=[option],
            )
    return np.array(
        [given.get(name, other) for name, other in zip(names, otherwise, strict=True)], dtype=np.float64
    )


def muscle_weights(hill: HillMuscles, options: MuscleOptions) -> Array:
    """Return the weights of muscles in the criterion, shape (m,)."""
    if isinstance(options.weights, str):
        volume = hill.max_force * hill.fibre_length
        return np.asarray(volume / volume.mean())
    return by_muscle(options.weights, hill.names, "weights", np.ones(len(hill)))
