"""The rolling foot of exponentials for one tilt: an exponential a term, one sine, one cosine."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from softstride.contact.inputs import FloatArray
from softstride.contact.rolling import RollingSurface
from softstride.engine.jit import inlined

SWITCH, TURN, K1, K2 = range(4)  # places of the head of the table
HEAD, TERM = 4, 4  # numbers of the head, and of each term: C, A, A C, A C/(1 + C²)


def rolling_table(surface: RollingSurface) -> FloatArray:
    """Return the numbers of a surface as `roll_exponential` takes them, shape (4 + 8m,) for m terms a branch."""
    A, C = np.asarray(surface.A), np.asarray(surface.C)
    switch = surface.switch if np.isfinite(surface.switch) else 1e300
    head = [switch, -1.0 if surface.mirrored else 1.0, *surface.correction]
    terms = np.stack([C, A, A * C, A * C / (1.0 + C**2)], axis=1)
    return np.concatenate([head, terms.ravel()])


@inlined
def roll_exponential(table: Any, a: float) -> tuple[float, float, float, float]:
    """Return s, h, h' and ρ at one tilt [rad], [m]; see `softstride.contact.rolling`."""
    turn = table[TURN]
    tilt = turn * a
    second = tilt > table[SWITCH]
    sign = -1.0 if tilt < 0.0 else 1.0
    size = sign * tilt
    half = math.sin(0.5 * tilt)
    versine = 2.0 * half * half  # 1 − cos, free of cancellation
    sine, cosine = 2.0 * half * math.cos(0.5 * tilt), 1.0 - versine
    r, first, bend, star = 0.0, 0.0, 0.0, 0.0
    half_of_terms = (table.shape[0] - HEAD) // (2 * TERM)
    first_term = half_of_terms if second else 0
    # Per term, E = e^{−C|a|}: A (1 − E) of |r|, A C E of r', A C² E of |r''|, A C/(1 + C²) [sin a E + C
    # sgn(a) (1 − cos a E)] of r*, where 1 − cos a E = E (1 − cos a) + (1 − E) loses no digits near zero.
    for i in range(first_term, first_term + half_of_terms):
        at = HEAD + TERM * i
        C = table[at]
        fall = math.expm1(-C * size)
        decay = 1.0 + fall
        r -= table[at + 1] * fall
        slope = table[at + 2] * decay
        first += slope
        bend += C * slope
        star += table[at + 3] * (sine * decay + sign * C * (decay * versine - fall))
    r, bend = sign * r, -sign * bend
    # h = r sin a and h' = r' sin a + r cos a; beyond the switch the second disk's centre has moved by k1, k2.
    h, dh = r * sine, first * sine + r * cosine
    if second:
        h += table[K1] * cosine + table[K2] * sine
        dh += table[K2] * cosine - table[K1] * sine
    # s = r* + r' sin a, ρ = 2 r' cos a + r'' sin a; s and h' change sign with a mirrored tilt.
    return turn * (star + first * sine), h, turn * dh, 2.0 * first * cosine + bend * sine
