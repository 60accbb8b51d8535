"""The virtual load test of a blade: the clamp is pressed down onto a flat ground, at several angles.

The blade is held by its clamp, turned toe-down by the angle of the test, and pressed against a flat, rigid ground by
forces that rise slowly. It touches the ground in one place, where its sole is lowest: beyond it the blade carries
nothing, keeps its curvature, and rises from the ground. That place moves along the sole with the load (`load_press`).

Measured blades are 10 to 39 % less stiff at 10 to 25 degrees than at 0, and parabolas describe their curves better than
lines (4.4 % more of the variance) [Beck2016].
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike
from scipy.optimize import minimize_scalar

from softstride.errors import InputError, SimulationError
from softstride.model.blade import MAX_LOAD, Blade
from softstride.simulation.load_curve import (
    CurveFit,
    FloatArray,
    LoadTest,
    fit_curve,
    pushed,
    viscous_loss,
    work,
)
from softstride.simulation.load_press import NAMES, Press, held_blade

STEPS = 15
"""Loads of a test, in equal steps up to the `max_load` of the blade."""

LOADS = tuple(float(force) for force in np.linspace(0.0, MAX_LOAD, STEPS + 1)[1:])
"""Those of a blade that says nothing else: up to about twice body weight [N], in steps of 100 N."""


def load_test(
    blade: Blade,
    angles_deg: Sequence[float] = (0.0, 10.0, 25.0),
    loads: ArrayLike | None = None,
    *,
    contact: Literal["ground", "toe"] | float = "ground",
    friction: float = 0.0,
    duration: float = 0.12,
) -> LoadTest:
    """Press a blade against the ground at several angles.

    Args:
        blade: The blade.
        angles_deg: Turn of the clamp in the sagittal plane [°]; positive turns the toe down, as a shank that leans
            forward.
        loads: Forces across the ground, rising from above zero, shape (m,), [N]; None: fifteen equal steps up to the
            `max_load` of the blade.
        contact: "ground": the force acts where the sole touches a flat ground; "toe", or an arc length [m]: there.
        friction: Coefficient of friction of the ground, against which the toe slides throughout: forward when
            loaded, backward when unloaded. Zero is a roller or a greased plate. Too much of it would hold the toe
            instead (`LoadTest.sticks`).
        duration: From no load to no load, for the energy lost to damping [s]; 0.12 s is a contact in sprinting.

    Returns:
        The curves, with fits, energy and strain; from the first load on that has no equilibrium, or one far off the
        curve (the blade gave way), numbers are NaN and not `converged`.

    Raises:
        InputError: Loads that do not rise, angles beyond ±60 degrees, a negative friction or duration, a blade that
            has no part below its clamp.
    """
    forces = _loads(np.linspace(0.0, blade.max_load, STEPS + 1)[1:] if loads is None else loads)
    angles = np.radians(np.atleast_1d(_numbers(angles_deg, "angles_deg")))
    if angles.ndim != 1 or not len(angles) or not np.all(np.abs(angles) <= np.radians(60.0)):
        raise InputError(
            f"angles_deg must be angles between -60 and 60 degrees, however they are {angles_deg!r}."
        )
    if not (np.isfinite(friction) and 0.0 <= friction < 2.0) or not (
        np.isfinite(duration) and duration > 0.0
    ):
        raise InputError(
            f"friction must be from 0 to 2 and duration above zero, however they are {friction!r} and {duration!r}."
        )
    runs = [Press(blade, float(angle), contact).curve(forces, friction) for angle in angles]
    dissipated, returned = [], []
    for angle, run in zip(angles, runs, strict=True):
        ok = run["converged"]
        d, f = run["deflection"][ok], run["force"][ok]
        if not ok.all() or (friction and pushed(f, d, run["energy"][ok])):
            dissipated.append(np.nan)
            returned.append(np.nan)
            continue
        lost, into = viscous_loss(blade, d, run["q"][ok], duration), work(d, f)
        back = _work_back(blade, float(angle), contact, forces, friction, d[-1]) if friction else into
        dissipated.append(lost)
        returned.append((back - 0.5 * lost) / (into + 0.5 * lost))
    table = {name: np.array([run[name] for run in runs]) for name in (*NAMES, "q", "converged")}
    return LoadTest(
        blade=blade,
        angles=angles,
        dissipated=np.array(dissipated),
        energy_return=np.array(returned),
        duration=float(duration),
        friction=float(friction),
        **table,
    )


def fit_stiffness(
    blade: Blade,
    table: ArrayLike,
    *,
    unknown: Literal["young", "thickness"] = "young",
    contact: Literal["ground", "toe"] | float = "ground",
) -> Blade:
    """Return the blade with the stiffness that explains a measured load-deflection table best.

    The shape of a loaded blade depends on force over modulus only, so that one virtual test gives the deflection
    d(F / c) for every factor c of the modulus; c minimises Σ (d(F_i / c) - δ_i)², large deflections and moving
    contact included. As a factor of thickness its cube root is taken (the blade bends in one plane), and the fit
    repeated, since the sole moves with the thickness.

    Args:
        blade: The blade to start from.
        table: Deflection [m], force [N] and, as a third column, the angle [°] if it was not zero; shape (m, 2) or
            (m, 3). Rows without load are passed over.
        unknown: What is scaled: the modulus or the thickness.
        contact: As in `load_test`.

    Raises:
        InputError: A table of another shape, or without three loaded rows.
        SimulationError: The virtual test did not reach the measured deflections.
    """
    rows = _numbers(table, "table")
    if rows.ndim != 2 or rows.shape[1] not in (2, 3) or not np.isfinite(rows).all():
        raise InputError(
            f"table must be rows of deflection [m], force [N] (and angle [°]), not of shape {rows.shape}."
        )
    rows = rows[rows[:, 1] > 0.0]
    if len(rows) < 3 or np.any(rows[:, 0] <= 0.0):
        raise InputError(
            f"table must have three rows or more with force and deflection above zero, not {len(rows)}."
        )
    most = float(np.max(rows[:, 0]))
    if most > blade.length:
        raise InputError(
            f"table has a deflection of {most:g} m, more than the blade is long ({blade.length:.3g} m): are its units "
            "millimetres? Deflections are metres."
        )
    if unknown not in ("young", "thickness"):
        raise InputError(f"unknown must be 'young' or 'thickness', however it is {unknown!r}.")
    for _ in range(1 if unknown == "young" else 3):
        factor = _factor(blade, rows, contact)
        blade = blade.stiffened(factor) if unknown == "young" else blade.thickened(factor ** (1.0 / 3.0))
    return blade


def _factor(blade: Blade, rows: FloatArray, contact: Literal["ground", "toe"] | float) -> float:
    """Return c of `fit_stiffness`."""
    degrees = rows[:, 2] if rows.shape[1] == 3 else np.zeros(len(rows))
    kinds = np.unique(degrees)
    guess = np.median(rows[:, 1] / rows[:, 0]) / blade.initial_stiffness(np.radians(kinds[0]))
    top = 2.0 * float(np.max(rows[:, 1])) / guess
    test = load_test(blade, tuple(kinds), np.linspace(0.0, top, 25)[1:], contact=contact)
    reach = min(float(f[ok][-1]) for f, ok in zip(test.force, test.converged, strict=True))
    if reach <= 0.0:
        raise InputError(
            f"the blade gives way before {test.force[0, 1]:.3g} N, as if its modulus were {1.0 / guess:.3g} times too "
            "great for the table: check the units of the table (deflection [m], force [N]) and the blade."
        )
    least = float(np.max(rows[:, 1])) / reach
    if not test.converged.all() and least > guess:
        raise SimulationError(
            f"the blade gives way at {reach:.0f} N, which the table exceeds: start from a stiffer blade."
        )
    from scipy.interpolate import PchipInterpolator

    curves = [
        PchipInterpolator(f[ok], d[ok])
        for f, d, ok in zip(test.force, test.deflection, test.converged, strict=True)
    ]

    def misfit(log_c: float) -> float:
        c = float(np.exp(log_c))
        gaps = [
            curve(rows[degrees == kind, 1] / c) - rows[degrees == kind, 0]
            for kind, curve in zip(kinds, curves, strict=True)
        ]
        return float(np.sum(np.concatenate(gaps) ** 2)) * 1e6

    bounds = (float(np.log(max(least, 0.2 * guess))), float(np.log(5.0 * guess)))
    found = minimize_scalar(misfit, bounds=bounds, method="bounded", options={"xatol": 1e-9})
    return float(np.exp(found.x))


def _work_back(
    blade: Blade,
    angle: float,
    contact: Literal["ground", "toe"] | float,
    loads: FloatArray,
    friction: float,
    deflection: float,
) -> float:
    """Return the work while friction acts the other way, from a deflection [m] back to zero [J].

    NaN if the curve of unloading is not known as far.
    """
    run = Press(blade, angle, contact).curve(loads, -friction)
    if not run["converged"].all() or run["deflection"][-1] < deflection:
        return float("nan")
    d = np.linspace(0.0, deflection, 101)
    force = np.interp(d, run["deflection"], run["force"])
    return float(np.trapezoid(force, d))


def _numbers(values: object, what: str) -> FloatArray:
    try:
        return np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise InputError(f"{what} must be numbers, however they are {values!r}.") from error


def _loads(loads: ArrayLike) -> FloatArray:
    forces = _numbers(loads, "loads").reshape(-1)
    if len(forces) < 3 or not np.isfinite(forces).all() or forces[0] <= 0.0 or np.any(np.diff(forces) <= 0.0):
        raise InputError("loads must be three forces or more [N], above zero and rising.")
    return forces


__all__ = ["LOADS", "CurveFit", "LoadTest", "fit_curve", "fit_stiffness", "held_blade", "load_test"]
