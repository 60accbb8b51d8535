"""Activation that follows excitation with separate time constants. See `softstride.muscles.activation`.

Each instant needs the one before it, and which time constant holds differs from muscle to muscle: no lanes.
"""

from __future__ import annotations

import math

from softstride.engine.jit import inner, kernel
from softstride.engine.kernels.tables import Array

CONSTANT, LENGTHENING = (
    0,
    1,
)  # time constants that stay, or that grow with activation in rising and shrink in falling
STAGE = 1.0 - 1.0 / math.sqrt(2.0)  # of a step of time


@inner
def relaxed(gap: float, rise: float, tau: float, span: float) -> float:
    """Return what is left of a gap u - a after a time, while u rises at a constant rate."""
    if tau == 0.0:
        return 0.0
    # dgap/dt = rise - gap / tau: the gap goes to rise tau by 1 - exp(-t / tau).
    gone = -math.expm1(-span / tau)
    return gap - gone * (gap - rise * tau)


@inner
def follow(before: float, after: float, a: float, span: float, rise_time: float, fall_time: float) -> float:
    """Return activation at the end of a line of excitation, exactly: the gap closes, and may change sign once."""
    slope = (after - before) / span
    gap = before - a
    # da/dt = (u - a) / tau with tau of rising where u > a, of falling where u < a. Only where u moves toward
    # a can the gap change sign, once, at t = tau log(1 - gap / (slope tau)); from there on the other tau
    # holds.
    upward = gap > 0.0 or (gap == 0.0 and slope >= 0.0)
    tau = rise_time if upward else fall_time
    if gap * slope < 0.0:
        crossing = tau * math.log1p(-gap / (slope * tau)) if tau > 0.0 else 0.0
        if crossing < span:
            other = fall_time if upward else rise_time
            return after - relaxed(0.0, slope, other, span - crossing)
    return after - relaxed(gap, slope, tau, span)


@inner
def stage_of(base: float, excitation: float, span: float, rise_time: float, fall_time: float) -> float:
    """Return a with a = base + span da/dt at a: a root of a quadratic on either side of the excitation.

    Rising: (a - base) rise_time (0.5 + 1.5 a) = span (e - a).
    Falling: (a - base) fall_time = span (e - a) (0.5 + 1.5 a).
    """
    # Both are square a² + linear a - constant = 0; the root above zero, written without cancellation.
    if excitation >= base:
        square = 1.5 * rise_time
        linear = rise_time * (0.5 - 1.5 * base) + span
        constant = 0.5 * rise_time * base + span * excitation
    else:
        square = 1.5 * span
        linear = fall_time + span * (0.5 - 1.5 * excitation)
        constant = fall_time * base + 0.5 * span * excitation
    root = math.sqrt(max(linear * linear + 4.0 * square * constant, 0.0))
    if linear >= 0.0:
        return 2.0 * constant / (linear + root) if linear + root > 0.0 else excitation
    return (root - linear) / (2.0 * square)


@kernel
def activation_steps(
    time: Array,
    excitation: Array,
    rise_time: Array,
    fall_time: Array,
    first: Array,
    form: int,
    substeps: int,
    activation: Array,
) -> None:
    """Follow excitations through a trial, lines between instants.

    A muscle begins at ``first``, or at its excitation where that is NaN, and so it begins again after instants that are
    not known.
    """
    for j in range(excitation.shape[1]):
        a, known = first[j], False
        rise, fall = rise_time[j], fall_time[j]
        for f in range(excitation.shape[0]):
            now = excitation[f, j]
            if math.isnan(now):
                activation[f, j] = math.nan
                known = False
                continue
            if not known:
                if f > 0 or math.isnan(a):
                    a = now
                known = True
            else:
                span, before = time[f] - time[f - 1], excitation[f - 1, j]
                if form == CONSTANT:
                    a = follow(before, now, a, span, rise, fall)
                else:
                    h = span / substeps
                    for k in range(substeps):
                        middle = before + (k + STAGE) / substeps * (now - before)
                        end = before + (k + 1.0) / substeps * (now - before)
                        # [Alexander1977], two implicit stages as for fibres: da/dt is stiff.
                        half = stage_of(a, middle, STAGE * h, rise, fall)
                        base = a + (1.0 - STAGE) / STAGE * (half - a)
                        a = min(max(stage_of(base, end, STAGE * h, rise, fall), 0.0), 1.0)
            activation[f, j] = a
