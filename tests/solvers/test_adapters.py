"""Other people's solvers behind one signature."""

import importlib

import numpy as np
import pytest
from tests.solvers._programs import random_programs

from softstride.errors import InputError
from softstride.solvers import adapters, solve_with_clarabel, solve_with_daqp


@pytest.mark.parametrize("mask", [None, np.array([True, False, True]), np.zeros(3, dtype=bool)])
def test_both_agree_on_pyramids(mask):
    pytest.importorskip("clarabel")
    pytest.importorskip("daqp")
    H, g = random_programs(5, 3, 1e2, seed=1)
    for t in range(5):
        one = solve_with_clarabel(H[t], g[t], 0.5, facets=6, mask=mask)
        two = solve_with_daqp(H[t], g[t], 0.5, facets=6, mask=mask)
        assert np.abs(one - two).max() < 1e-6
        if mask is not None:
            assert (two.reshape(3, 3)[~mask] == 0.0).all()


def test_bad_input_is_refused():
    H, g = random_programs(1, 2, 1e2)
    with pytest.raises(InputError, match="friction"):
        solve_with_clarabel(H[0], g[0], -1.0)
    with pytest.raises(InputError, match="facets"):
        solve_with_daqp(H[0], g[0], 0.5, facets=3)


@pytest.mark.parametrize("name", ["clarabel", "daqp"])
def test_a_solver_that_is_missing_says_how_to_get_it(monkeypatch, name):
    def missing(wanted):
        raise ImportError(wanted)

    monkeypatch.setattr(importlib, "import_module", missing)
    H, g = random_programs(1, 2, 1e2)
    solve = getattr(adapters, f"solve_with_{name}")
    with pytest.raises(InputError, match=f"pip install {name}"):
        solve(H[0], g[0], 0.5, facets=4)
