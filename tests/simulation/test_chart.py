"""The chart on plain numbers against the manifold on arrays."""

import numpy as np
import pytest

from softstride.engine.manifold import chart_rate, difference, integrate, largest_turn
from softstride.model import ModelBuilder
from softstride.simulation import chart
from softstride.spatial.stumpff import inverse_tangent_coefficients, stumpff


def build_mixed():
    builder = ModelBuilder("mixed")
    builder.free("base", mass=2.0, inertia=(0.1, 0.2, 0.25))
    builder.spherical("hip", "base", mass=1.0)
    builder.revolute("knee", "hip", axis=(0, 0, 1), mass=1.0)
    builder.free("ball", mass=0.4)
    return builder.build()


@pytest.mark.parametrize("size", [0.0, 1e-12, 1e-6, 1e-3, 0.3, 1.0, 1.7])
def test_moves_and_rates_agree_with_the_manifold(size, monkeypatch):
    model = build_mixed()
    own = chart.Chart(model)
    rng = np.random.default_rng(2)
    for _ in range(20):
        q = integrate(model, model.neutral(), rng.normal(size=model.nv))
        x, v = rng.normal(size=model.nv), rng.normal(size=model.nv)
        x *= size / largest_turn(model, x)
        assert np.max(np.abs(difference(model, own.move(q, x), integrate(model, q, x)))) < 5e-15
        assert np.max(np.abs(own.rate(x, v) - chart_rate(model, x, v))) < 2e-14
        assert own.largest_turn(x) == pytest.approx(largest_turn(model, x), rel=1e-14)
    monkeypatch.setattr(chart, "MOST_BLOCKS", 0)
    arrays = chart.Chart(model)
    assert arrays.by_arrays and np.array_equal(arrays.move(q, x), integrate(model, q, x))
    assert np.array_equal(arrays.rate(x, v), chart_rate(model, x, v))


def test_coefficients_of_the_inverse_tangent_map():
    """Series and closed form against the Stumpff functions, on both sides of the switch at x = 1."""
    x = np.array([0.0, 1e-9, 0.1, 0.5, 0.999999, 1.0, 1.000001, 2.0, 5.0, 9.8, 20.0])
    b, db = inverse_tangent_coefficients(stumpff(x))
    mine = np.array([chart.inverse_tangent(float(value)) for value in x])
    assert np.allclose(mine[:, 0], b, rtol=1e-14) and np.allclose(mine[:, 1], db, rtol=2e-13)


def test_flat_models_pass_through():
    builder = ModelBuilder("flat")
    builder.revolute("rod", axis=(0, 0, 1), mass=1.0)
    own = chart.Chart(builder.build())
    assert own.move(np.array([1.0]), np.array([0.5])) == 1.5
    assert own.rate(np.array([7.0]), np.array([2.0])) == 2.0 and own.largest_turn(np.array([7.0])) == 0.0
