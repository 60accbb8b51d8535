"""Pieces of a spline surface: polynomials of the tilt, and what rolls over them. See `spline` for the equations."""

from __future__ import annotations

import numpy as np

from softstride.contact.inputs import FloatArray
from softstride.contact.surface import Roll

TERMS = 16  # of the series: π^(2 TERMS) / (2 TERMS)! is below the rounding error


def sine_integrals(u: FloatArray, count: int) -> FloatArray:
    """Return S_k(u) = ∫_0^u t^k sin(u − t) dt for k = 0 … count − 1, shape (count, ...), |u| up to π."""
    top = count + 2 * TERMS
    S = np.zeros((top + 2, *np.shape(u)))
    power = u ** np.arange(top + 2).reshape(-1, *[1] * np.ndim(u))
    for k in reversed(range(top)):
        S[k] = (power[k + 2] - S[k + 2]) / ((k + 1) * (k + 2))
    return S[:count]


def shifted(c: FloatArray, by: FloatArray) -> FloatArray:
    """Return the coefficients of the same polynomials about points `by` further on, lowest power first, (m, k)."""
    out = np.array(c)
    for last in range(len(c) - 1):
        for k in range(len(c) - 2, last - 1, -1):
            out[k] += by * out[k + 1]
    return out


def least_radius(breaks: FloatArray, c: FloatArray) -> tuple[float, float]:
    """Return the least value of piecewise polynomials and where it is; less than rounding below zero counts as zero."""
    widths = np.diff(breaks)
    least, at = np.inf, 0.0
    for j, width in enumerate(widths):
        piece = np.polynomial.Polynomial(c[:, j])
        turns: FloatArray = np.real(piece.deriv().roots()) if len(c) > 2 else np.zeros(0)
        u = np.concatenate([[0.0, width], turns[(turns > 0.0) & (turns < width)]])
        values = piece(u)
        if values.min() < least:
            least, at = float(values.min()), float(breaks[j] + u[values.argmin()])
    return (0.0 if -1e-12 * np.abs(c[0]).max() < least < 0.0 else least), at


def on_piece(u: FloatArray, c: FloatArray, start: FloatArray) -> Roll:
    """Return s, h, h' and ρ at u from the start (s, h, h') of a piece, (3, ...), and its coefficients, (m, ...)."""
    s, h, dh = start
    k = np.arange(len(c)).reshape(-1, *[1] * np.ndim(u))
    terms, S, sine, cosine = c * u**k, sine_integrals(u, len(c)), np.sin(u), np.cos(u)
    return Roll(
        s=np.asarray(s + u * np.sum(terms / (k + 1), axis=0)),
        h=np.asarray(h * cosine + dh * sine + np.sum(c * S, axis=0)),
        dh=np.asarray((dh * cosine - h * sine) + c[0] * sine + np.sum((k * c)[1:] * S[:-1], axis=0)),
        rho=np.asarray(np.sum(terms, axis=0)),
    )


def polynomial(u: FloatArray, c: FloatArray) -> FloatArray:
    """Return Σ c_k u^k, of the shape of u; c of shape (m, ...)."""
    total = np.zeros_like(u)
    for coefficient in c[::-1]:
        total = total * u + coefficient
    return total
