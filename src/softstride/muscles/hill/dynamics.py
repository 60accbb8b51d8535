"""Fibres followed through a trial: the tendon stretches, and the fibre's velocity follows from the balance."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from softstride.engine.kernels.hill_balance import hill_dynamics
from softstride.engine.run import sealed
from softstride.errors import InputError
from softstride.muscles.hill.balance import TOLERANCE
from softstride.muscles.hill.curve import Array
from softstride.muscles.hill.inputs import activations, instants, like, matrix
from softstride.muscles.hill.muscles import HillMuscles
from softstride.muscles.hill.state import FibreState, fibre_state, new_fibres
from softstride.notes import Note

SUBSTEPS = 4
"""Steps between two frames."""

_DIFFERENCES = Note(
    "fibres.speeds-from-lengths", "speeds of the paths are differences of their lengths", topic="fibres"
)


def fibre_dynamics(
    hill: HillMuscles,
    time: ArrayLike,
    length: ArrayLike,
    speed: ArrayLike | None = None,
    activation: ArrayLike = 1.0,
    *,
    initial: ArrayLike | None = None,
    substeps: int = SUBSTEPS,
    tolerance: float = TOLERANCE,
) -> FibreState:
    """Return fibres on elastic tendons through a trial, with given activations.

    At every instant fibre and tendon are in balance (see `equilibrium`), and the fibre's velocity is the one that this
    takes. The fibre length is the state; it is integrated by the L-stable, singly diagonally implicit Runge-Kutta
    method of two stages and second order (γ = 1 - 1/√2) [Alexander1977], whose stages are balances. They need no
    inverse of the force-velocity curve and hence have no singularity, neither without activation nor without damping.
    Halving the steps quarters the error.

    Args:
        hill: The muscles; those with a rigid tendon are treated by `rigid_tendon`.
        time: Instants, shape (n,), increasing, [s].
        length: Of the paths, shape (n, m), [m]; cubics in between. NaN stays NaN; after it a fibre begins anew.
        speed: Lengthening of the paths, shape (n, m), [m/s]; None: from differences of the lengths.
        activation: 0 to 1: one number, one for each muscle, or shape (n, m); straight lines in between.
        initial: Fibre lengths in the first frame, shape (m,), [m]; NaN or None: in balance at rest.
        substeps: Steps between two frames.
        tolerance: Residual that counts as converged, over the maximal force.

    Raises:
        InputError: Shapes that do not fit, times that do not increase, infinite numbers.
    """
    L, single = matrix(length, hill.names, "length")
    if single:
        raise InputError(
            f"length must have shape (n_frames, {len(hill)}) for a trial, however it has {L.shape[1:]}"
        )
    t = instants(time, len(L))
    if isinstance(substeps, bool) or not isinstance(substeps, int | np.integer) or substeps < 1:
        raise InputError(f"substeps must be a whole number from 1 on, however it is {substeps!r}")
    V = _differences(t, L) if speed is None else like(speed, L.shape, hill.names, "speed", 0.0)
    a = activations(activation, L.shape, hill.names)
    first = _first_along(hill, initial)
    found = new_fibres(L.shape)
    hill_dynamics(hill.packed, *(sealed(x) for x in (t, L, V, a, first)), int(substeps), found)
    return fibre_state(hill, L, found, (_DIFFERENCES,) if speed is None else (), tolerance)


def _differences(t: Array, L: Array) -> Array:
    """Return speeds by central differences; one-sided beside gaps."""
    if len(t) == 1:
        return np.zeros(L.shape)
    slope = np.diff(L, axis=0) / np.diff(t)[:, None]
    before, after = np.vstack([slope[:1] * np.nan, slope]), np.vstack([slope, slope[:1] * np.nan])
    h = np.concatenate([[1.0], np.diff(t), [1.0]])[:, None]
    central = (h[1:] * before + h[:-1] * after) / (h[:-1] + h[1:])
    sided = np.where(np.isnan(before), after, before)
    return np.where(np.isnan(L), np.nan, np.where(np.isnan(central), np.nan_to_num(sided), central))


def _first_along(hill: HillMuscles, initial: ArrayLike | None) -> Array:
    """Return fibre lengths along the tendon to begin with, NaN for those that begin in balance."""
    if initial is None:
        return np.full(len(hill), np.nan)
    fibres, single = matrix(initial, hill.names, "initial")
    if not single and len(fibres) != 1:
        raise InputError(f"initial must have shape ({len(hill)},), however it has {fibres.shape}")
    fibres = fibres[0]
    below = np.flatnonzero(fibres < hill.min_length)
    if len(below):
        j = int(below[0])
        raise InputError(
            f"initial fibre length of {hill.names[j]!r} must be at least {hill.min_length[j]:.4g} m, however it is "
            f"{fibres[j]:.4g} m"
        )
    return np.sqrt(fibres**2 - hill.height**2)
