"""Sharing programs like those of legs, and the conditions a solution must meet, written down without the solver."""

import numpy as np

ROWS = 7  # coordinates of a leg


def two_legs(n, muscles=20, others=3, seed=0, load=0.3):
    """Matrix (n, m, k) and demand (n, k): two legs that know nothing of each other and rows that nothing moves."""
    rng = np.random.default_rng(seed)
    m, k = 2 * muscles, 2 * ROWS + others
    arms = np.zeros((m, k))
    for i in range(m):
        first, count = rng.integers(ROWS - 1), rng.integers(1, 4)
        stop = min(first + count, ROWS)
        arms[i, ROWS * (i % 2) + np.arange(first, stop)] = 0.04 * rng.normal(size=stop - first)
    t = np.linspace(0.0, 1.0, n)[:, None]
    strength = np.exp(rng.normal(6.5, 0.6, m)) * (1.0 + 0.3 * np.sin(2 * np.pi * t + rng.uniform(0, 6, m)))
    matrix = arms * strength[:, :, None]
    phase = rng.uniform(0.0, 6.0, k)
    wave = np.sin(2 * np.pi * t + phase) + 0.5 * np.sin(6 * np.pi * t + 2 * phase)
    return matrix, load * wave * np.where(np.abs(arms).any(axis=0), np.abs(matrix).sum(axis=1), 20.0)


def put(where, value):
    """Return what writes a value into an array."""

    def change(array):
        array[where] = value
        return array

    return change


def cost(x, s, weights, power, reserve, reference=None, pull=0.0, smoothness=0.0):
    """The criterion, summed over frames."""
    total = (weights * np.abs(x) ** power).sum() / power
    if reference is not None:
        total += 0.5 * np.nansum(pull * (x - reference) ** 2)
    on = reserve > 0.0
    total += 0.5 * ((s[:, on] / reserve[on]) ** 2).sum()
    return total + 0.5 * (smoothness * np.diff(x, axis=0) ** 2).sum()


def check_conditions(got, matrix, demand, weights, power, lower, upper, reserve, tolerance, slope=0.0):
    """Karush, Kuhn and Tucker, each on its own: rows, reserves, bounds, slopes, signs, complementarity."""
    x, y = got.x, got.multipliers
    made = np.einsum("tij,ti->tj", matrix, x)
    size = np.einsum("tij,ti->tj", np.abs(matrix), np.abs(x)) + np.abs(demand) + 1.0
    assert (np.abs(demand - made - got.reserve) <= tolerance * size).all()
    assert np.allclose(got.reserve, reserve**2 * y, rtol=1e-9, atol=0.0)
    assert ((x >= lower) & (x <= upper)).all()
    push = weights * np.abs(x) ** (power - 1) * np.sign(x) + slope - np.einsum("tij,tj->ti", matrix, y)
    scale = weights + np.einsum("tij,tj->ti", np.abs(matrix), np.abs(y))
    inside = (x > lower) & (x < upper)
    fixed = np.broadcast_to(lower == upper, x.shape)
    assert (np.abs(push)[inside] <= tolerance * scale[inside]).all()
    assert (push >= -tolerance * scale)[(x == lower) & ~fixed].all()  # bound multipliers have the right sign
    assert (push <= tolerance * scale)[(x == upper) & ~fixed].all()
