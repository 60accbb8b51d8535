"""Radau IIA: coefficients against the book, conditions of order, and the order seen on an equation."""

import numpy as np
import pytest

from softstride.errors import InputError
from softstride.gait.optimise.radau import MOST_STAGES, radau_iia

ROUNDING = 1e-13


def test_three_stages_as_in_the_book() -> None:
    r = np.sqrt(6.0)
    book = [
        [(88 - 7 * r) / 360, (296 - 169 * r) / 1800, (-2 + 3 * r) / 225],
        [(296 + 169 * r) / 1800, (88 + 7 * r) / 360, (-2 - 3 * r) / 225],
        [(16 - r) / 36, (16 + r) / 36, 1 / 9],
    ]
    np.testing.assert_allclose(radau_iia(3).a, book, atol=1e-15)
    np.testing.assert_allclose(radau_iia(3).c, [(4 - r) / 10, (4 + r) / 10, 1.0], atol=1e-15)


@pytest.mark.parametrize("stages", range(2, MOST_STAGES + 1))
def test_polynomials_up_to_the_order_are_integrated_exactly(stages: int) -> None:
    method = radau_iia(stages)
    assert method.c[-1] == 1.0
    for power in range(2 * stages - 1):
        assert abs(method.b @ method.c**power - 1.0 / (power + 1)) < ROUNDING
    for power in range(stages):  # inside the step
        error = method.a @ method.c**power - method.c ** (power + 1) / (power + 1)
        assert np.max(np.abs(error)) < 10 * ROUNDING
    # one power more than the order is not
    assert abs(method.b @ method.c ** (2 * stages - 1) - 1.0 / (2 * stages)) > 1e-12


@pytest.mark.parametrize("stages", [2, 3])
def test_the_error_falls_with_the_order(stages: int) -> None:
    """Of y' = -(y - cos t) - sin t from y = 1, which is cos t."""
    method = radau_iia(stages)
    exact = np.cos(1.0)

    def run(steps: int) -> float:
        h, y = 1.0 / steps, 1.0
        for k in range(steps):
            t = h * (k + method.c)
            rate = np.linalg.solve(np.eye(stages) + h * method.a, -(y - np.cos(t)) - np.sin(t))
            y += h * method.b @ rate
        return abs(y - exact)

    seen = np.log2(run(2) / run(4))
    assert 2 * stages - 1.5 < seen < 2 * stages + 0.5


@pytest.mark.parametrize("stages", [0, 1, MOST_STAGES + 1])
def test_other_numbers_of_stages_are_refused(stages: int) -> None:
    with pytest.raises(InputError, match=f"2 to {MOST_STAGES} stages"):
        radau_iia(stages)
