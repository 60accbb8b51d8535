"""The benchmark of planar chains runs, returns what programs rely on, and its peers compute the same."""

import math

import numpy as np
import pytest
from bench._planar_solve import random_state, simultaneous

from bench import chain as bench
from softstride.selfcheck.planar import reference_chain


@pytest.mark.slow
def test_a_quick_run_returns_every_figure(capsys):
    figures = bench.main(json=True, quick=True)
    wanted = {
        "spine_table_s",
        "spine_sum_error",
        "chain_vs_solve",
        "chain_vs_engine",
        "contributions_flatness",
    }
    assert wanted <= figures.keys()
    assert all(math.isfinite(value) and value >= 0.0 for value in figures.values())
    assert max(figures[key] for key in ("spine_sum_error", "solve_difference", "engine_difference")) < 1e-12
    assert capsys.readouterr().out == "", "with json the caller prints"


def test_the_dense_solve_is_the_closed_form():
    chain = reference_chain().changed(muscles=())
    state = random_state(chain, 50)
    force, torque = simultaneous(chain, state)
    np.testing.assert_allclose(force, chain.reactions(state).force, rtol=1e-9, atol=1e-9)
    np.testing.assert_allclose(torque, chain.torques(state).required, rtol=1e-9, atol=1e-9)
    assert force.shape == (50, 3, 2)


def test_a_part_of_a_state():
    chain = reference_chain()
    state = random_state(chain, 20)
    part = bench.grown(state, 7)
    np.testing.assert_array_equal(chain.contributions(part).force, chain.contributions(state).force[:7])
