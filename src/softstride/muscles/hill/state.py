"""What the fibres of a trial do: lengths, velocities and the forces that reach the tendon."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from softstride.engine.kernels.hill_fibre import Fibres
from softstride.kinematics.frames import in_words
from softstride.muscles.hill.curve import Array
from softstride.muscles.hill.inputs import activations
from softstride.muscles.hill.muscles import HillMuscles
from softstride.notes import Note
from softstride.results import Labels, Result, owned, values


class FibreState(Result, of="a state of fibres"):
    """Fibres and forces of muscles m in frames n. Arrays have shape (n, m); forces are along the tendon.

    The force that a muscle pulls with is activation · active + passive + damping, and never below zero.

    Attributes:
        muscles: Whose they are; the columns are in the order of `muscles.names`.
        length: Of the whole path [m], as given.
        fibre_length: [m].
        fibre_velocity: Lengthening positive [m/s].
        cosine: Of the pennation angle.
        active: Force at activation 1 [N]. On an elastic tendon some curves go on below zero where a fibre shortens
            faster than it can by itself.
        passive: Force of the parallel spring [N].
        damping: Force of the fibre's damper, below zero while it shortens [N]; on an elastic tendon no more than what
            makes the whole zero.
        short: Where the fibre would be shorter than its least length: it rests there. A rigid tendon is slack then; the
            force of an elastic one counts as passive.
        residual: Tendon force minus fibre force along the tendon [N]; zero on a rigid tendon, or a short fibre.
        converged: Where the residual is as small as was asked for; not where nothing is known.
        notes: What was decided.
    """

    muscles: HillMuscles
    length: Array = values("time muscle", "m")
    fibre_length: Array = values("time muscle", "m")
    fibre_velocity: Array = values("time muscle", "m/s")
    cosine: Array = values("time muscle")
    active: Array = values("time muscle", "N")
    passive: Array = values("time muscle", "N")
    damping: Array = values("time muscle", "N")
    short: NDArray[np.bool_] = values("time muscle", dtype=bool)
    residual: Array = values("time muscle", "N")
    converged: NDArray[np.bool_] = values("time muscle", dtype=bool)
    notes: tuple[Note, ...] = ()

    LABELS: ClassVar[Mapping[str, Labels]] = {"muscle": lambda own: own.names}

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the muscles."""
        return self.muscles.names

    @property
    def pennation(self) -> Array:
        """Pennation angle, shape (n, m), [rad]."""
        with np.errstate(invalid="ignore", divide="ignore"):
            sine = np.where(
                self.fibre_length > 0.0, self.muscles.height / self.fibre_length, 0.0 * self.fibre_length
            )
        return np.arcsin(np.minimum(sine, 1.0))

    @property
    def tendon_length(self) -> Array:
        """Length of the tendon, shape (n, m), [m]; below its slack length where the fibre is `short`."""
        return self.length - self.fibre_length * self.cosine

    def tendon_force(self, activation: ArrayLike) -> Array:
        """Return the force that each muscle pulls with, shape (n, m), [N].

        Args:
            activation: 0 to 1: one number, one for each muscle, or shape (n, m). For a state that was solved for an
                activation it is that one.
        """
        a = activations(activation, self.length.shape, self.names)
        return np.maximum(a * self.active + self.passive + self.damping, 0.0)


def new_fibres(shape: tuple[int, ...]) -> Fibres:
    """Return arrays for compiled code to write into."""
    empty = {name: np.empty(shape) for name in Fibres._fields if name != "short"}
    return Fibres(short=np.empty(shape, dtype=bool), **empty)


def fibre_state(
    hill: HillMuscles, length: Array, found: Fibres, notes: tuple[Note, ...] = (), tolerance: float = np.inf
) -> FibreState:
    """Return what compiled code found as a state.

    Args:
        hill: The muscles.
        length: Of their paths, shape (n, m), [m].
        found: Filled arrays.
        notes: What was decided.
        tolerance: Residual that counts as converged, over the maximal force.
    """
    with np.errstate(invalid="ignore"):
        missed = np.abs(found.residual) > tolerance * hill.max_force
    return FibreState(
        muscles=hill,
        length=length,
        fibre_length=owned(found.length),
        fibre_velocity=owned(found.velocity),
        cosine=owned(found.cosine),
        active=owned(found.active),
        passive=owned(found.passive),
        damping=owned(found.damping),
        short=owned(found.short),
        residual=owned(found.residual),
        converged=owned(~missed & ~np.isnan(found.length)),
        notes=(
            *notes,
            *_short_notes(hill.names, found.short),
            *_missed_notes(hill.names, missed, found.residual),
        ),
    )


def _short_notes(names: tuple[str, ...], short: NDArray[np.bool_]) -> Iterator[Note]:
    """Say which muscles cannot reach their least fibre length, and when."""
    for j in np.flatnonzero(short.any(axis=0)):
        yield Note(
            "fibres.too-short",
            f"muscle {names[j]!r} cannot reach its minimum fibre length in {_frames(short[:, j])}: its path is too "
            "short, and its fibre rests there",
            severity="warning",
            topic="fibres",
            names=(names[j],),
            values={"frames": int(short[:, j].sum())},
        )


def _missed_notes(names: tuple[str, ...], missed: NDArray[np.bool_], residual: Array) -> Iterator[Note]:
    """Say where fibre and tendon were not brought to balance."""
    for j in np.flatnonzero(missed.any(axis=0)):
        most = float(np.nanmax(np.abs(residual[:, j])))
        yield Note(
            "fibres.no-balance",
            f"muscle {names[j]!r}: fibre and tendon differ by up to {most:.2g} N in {_frames(missed[:, j])}",
            severity="warning",
            topic="fibres",
            names=(names[j],),
            values={"most_n": most, "frames": int(missed[:, j].sum())},
        )


def _frames(where: NDArray[np.bool_]) -> str:
    return in_words(np.flatnonzero(where))
