"""Activation dynamics: how a muscle's activation follows the excitation of its nerve.

    da/dt = (u - a) / τ

Two forms of the time constant, each with one constant for rising (u > a) and one for falling:

- "constant": τ = τ_rise or τ_fall [Hybrid2026, eqs 41 and 42]. Solved exactly for an excitation of straight lines.
- "thelen2003": τ = τ_rise (0.5 + 1.5 a) or τ_fall / (0.5 + 1.5 a) [Thelen2003, eqs 1 and 2], which OpenSim uses for
  its Thelen2003 and Millard2012 muscles. Solved by implicit steps of second order [Alexander1977]: each stage is the
  root of a quadratic.
"""

from __future__ import annotations

from typing import Literal, get_args

import numpy as np
from numpy.typing import ArrayLike, NDArray

from softstride.engine.kernels.activation import CONSTANT, LENGTHENING, activation_steps
from softstride.engine.run import sealed
from softstride.errors import InputError
from softstride.muscles.hill.inputs import numbers

Array = NDArray[np.float64]
Form = Literal["constant", "thelen2003"]

SUBSTEPS = 4
"""Steps of the form "thelen2003" between two instants."""


def activation_dynamics(
    time: ArrayLike,
    excitation: ArrayLike,
    rise_time: ArrayLike,
    fall_time: ArrayLike,
    *,
    form: Form = "thelen2003",
    least: ArrayLike = 0.0,
    initial: ArrayLike | None = None,
    substeps: int = SUBSTEPS,
) -> Array:
    """Return activations that follow excitations.

    Args:
        time: Instants, shape (n,), increasing, [s].
        excitation: 0 to 1, shape (n,) or (n, m); straight lines in between. NaN stays NaN; after it activation begins
            anew at the excitation.
        rise_time: Time constant of rising, one or one for each muscle, [s].
        fall_time: Time constant of falling, likewise.
        form: How time constants depend on activation, see above.
        least: Excitation is not less than this (OpenSim's minimum activation), one or one for each muscle.
        initial: Activation at the first instant, one or one for each muscle; NaN or None: the excitation.
        substeps: Steps between two instants, for "thelen2003"; halving the steps quarters the error.

    Returns:
        Activations, of the shape of excitation.

    Raises:
        InputError: Shapes that do not fit, excitations or activations beyond 0 to 1, time constants below zero.
    """
    u, t, shape = _excitations(time, excitation)
    m = u.shape[1]
    constants = [_numbers(x, m, what) for x, what in ((rise_time, "rise_time"), (fall_time, "fall_time"))]
    u = np.clip(u, _numbers(least, m, "least", most=1.0), 1.0)
    first = np.full(m, np.nan)
    if initial is not None:
        first = _numbers(initial, m, "initial", most=1.0, missing=True)
    if isinstance(substeps, bool) or not isinstance(substeps, int | np.integer) or substeps < 1:
        raise InputError(f"substeps must be a whole number from 1 on, however it is {substeps!r}")
    result = np.empty(u.shape)
    arrays = (sealed(np.ascontiguousarray(x)) for x in (t, u, *constants, first))
    activation_steps(*arrays, CONSTANT if _known(form) == "constant" else LENGTHENING, int(substeps), result)
    return result.reshape(shape)


def excitation_from_activation(
    time: ArrayLike,
    activation: ArrayLike,
    rise_time: ArrayLike,
    fall_time: ArrayLike,
    *,
    form: Form = "thelen2003",
    rate: ArrayLike | None = None,
) -> Array:
    """Return the excitations that activations follow: u = a + τ da/dt.

    What cannot be followed within 0 to 1 gives excitations beyond; nothing is clipped.

    Args:
        time: Instants, shape (n,), increasing, [s].
        activation: Shape (n,) or (n, m).
        rise_time: Time constant of rising, one or one for each muscle, [s].
        fall_time: Time constant of falling, likewise.
        form: How time constants depend on activation.
        rate: da/dt, of the shape of activation, [1/s]; None: central differences.

    Raises:
        InputError: Shapes that do not fit, activations beyond 0 to 1, time constants below zero.
    """
    a, t, shape = _excitations(time, activation, "activation")
    rise, fall = (
        _numbers(x, a.shape[1], what) for x, what in ((rise_time, "rise_time"), (fall_time, "fall_time"))
    )
    da: Array = np.zeros(a.shape)
    if rate is not None:
        given = numbers(rate, "rate")
        if given.shape != shape:
            raise InputError(f"rate must have the shape of activation, {shape}, however it has {given.shape}")
        da = given.reshape(a.shape)
    elif len(t) > 1:
        da = np.gradient(a, t, axis=0, edge_order=2 if len(t) > 2 else 1)
    slower = 0.5 + 1.5 * a if _known(form) == "thelen2003" else np.ones(a.shape)
    return (a + np.where(da >= 0.0, rise * slower, fall / slower) * da).reshape(shape)


def _known(form: str) -> str:
    if form not in get_args(Form):
        raise InputError(f"form must be one of {', '.join(get_args(Form))}, however it is {form!r}")
    return form


def _excitations(
    time: ArrayLike, x: ArrayLike, what: str = "excitation"
) -> tuple[Array, Array, tuple[int, ...]]:
    """Return (n, m), the instants, and the shape that was given."""
    u, t = numbers(x, what), numbers(time, "time")
    if u.ndim not in (1, 2) or t.shape != u.shape[:1]:
        raise InputError(
            f"{what} must have shape (n,) or (n, m) and time (n,), however they have {u.shape} and {t.shape}"
        )
    if not len(t):
        raise InputError(f"time and {what} must hold at least one instant, however they are empty")
    if not np.isfinite(t).all() or not (np.diff(t) > 0.0).all():
        raise InputError("time must be finite and increase from instant to instant")
    bad = (u < -1e-9) | (u > 1.0 + 1e-9)
    if bad.any():
        row = int(np.argwhere(bad)[0, 0])
        raise InputError(f"{what} must be between 0 and 1, however it is {u[bad][0]:g} at {t[row]:g} s")
    return u.reshape(len(u), -1), t, u.shape


def _numbers(x: ArrayLike, m: int, what: str, *, most: float = np.inf, missing: bool = False) -> Array:
    """Return one number for each muscle, not below zero and not above the most."""
    values = numbers(x, what)
    if values.shape not in ((), (m,)):
        raise InputError(
            f"{what} must be one number or {m}, one for each muscle, however its shape is {values.shape}"
        )
    if not ((values >= 0.0) | (np.isnan(values) & missing)).all() or np.isinf(values).any():
        raise InputError(f"{what} must be finite and not below zero, however it is {values.tolist()}")
    if (values > most).any():
        raise InputError(f"{what} must be between 0 and {most:g}, however it is {values.tolist()}")
    return np.ascontiguousarray(np.broadcast_to(values, (m,)))
