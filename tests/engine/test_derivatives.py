"""Derivatives of inverse dynamics in the tangent space against sixth-order differences of the oracle."""

import numpy as np
import pytest
from tests.oracles import joints as jt
from tests.oracles import manifold, trees
from tests.oracles.errors import relative
from tests.oracles.reference import Snapshot

from softstride import engine

# Sixth-order differences with h = 1e-3: truncation about h^6 times the seventh derivative (1e-11 to 1e-9 on
# curved rods), rounding about 1e-15 / h.
TOLERANCE = 2e-8
# M is exact on both sides.
EXACT = 1e-10

# Third derivatives enter: polynomials only. Splines have theirs piecewise, see the test of their own.
POLYNOMIAL = ("linear", "polynomial")
CASES = {
    "revolute": {"kinds": ("revolute",), "base": "revolute", "n": 4},
    "prismatic": {"kinds": ("prismatic", "revolute"), "base": "prismatic", "n": 4},
    "spherical": {"kinds": ("spherical",), "base": "spherical", "n": 3},
    "free": {"kinds": ("free", "fixed"), "base": "free", "n": 3},
    "rod, bends": {"kinds": ("rod",), "base": "free", "n": 2, "free_strains": ("kx", "ky", "kz")},
    "rod, all strains": {"kinds": ("rod",), "base": "rod", "n": 2, "free_strains": jt.STRAINS},
    "mid-rod branches": {"kinds": ("rod", "spherical"), "base": "rod", "n": 4, "branching": 1.0},
    "custom": {"kinds": ("custom",), "base": "custom", "n": 2, "shared": False, "functions": POLYNOMIAL},
    "shared": {"kinds": ("custom", "revolute"), "base": "custom", "n": 5, "functions": POLYNOMIAL},
    "shared on rods": {"kinds": ("custom", "rod"), "base": "rod", "n": 5, "functions": POLYNOMIAL},
    "all": {"kinds": trees.ALL, "base": "free", "n": 7, "functions": POLYNOMIAL},
}


def differences(model, q, v, a):
    """Return (dtau/dq, dtau/dv) of the oracle by differences."""
    by_q = manifold.gradient(model, q, lambda x: Snapshot(model, x, v).inverse_dynamics(a))
    flat = [manifold.derivative(lambda t, e=e: Snapshot(model, q, v + t * e).bias) for e in np.eye(model.nv)]
    return by_q, np.stack(flat, axis=-1)


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=pytest.mark.slow if name == "all" else ()) for name in CASES]
)
def test_derivatives_of_inverse_dynamics(name):
    rng = np.random.default_rng([4, list(CASES).index(name)])
    model = trees.random_model(rng, **CASES[name])
    q, v, a = (
        trees.random_q(model, rng, strain=0.7),
        trees.random_v(model, rng, 1.0),
        trees.random_v(model, rng, 2.0),
    )
    by_q, by_v, mass = engine.inverse_dynamics_derivatives(model, q, v, a)
    want_q, want_v = differences(model, q, v, a)
    assert relative(by_q, want_q) < TOLERANCE
    assert relative(by_v, want_v) < TOLERANCE
    assert relative(mass, Snapshot(model, q).mass_matrix) < EXACT


@pytest.mark.parametrize("seed", range(3))
def test_derivatives_with_splines_between_their_knots(seed):
    """The third derivative of a spline jumps at knots; away from them the differences hold."""
    rng = np.random.default_rng([5, seed])
    model = trees.random_model(rng, 2, ("custom",), base="custom", functions=("spline",), shared=False)
    knots = [
        k
        for link in model.links
        for axis in (*link.joint.rotations, *link.joint.translations)
        for _, function in axis.terms
        for k in function.pieces().breaks
    ]
    q = trees.random_q(model, rng)
    while np.min(np.abs(np.subtract.outer(q, knots))) < 4e-3:  # wider than the stencil
        q = trees.random_q(model, rng)
    v, a = trees.random_v(model, rng, 1.0), trees.random_v(model, rng, 2.0)
    by_q, by_v, _ = engine.inverse_dynamics_derivatives(model, q, v, a)
    want_q, want_v = differences(model, q, v, a)
    assert relative(by_q, want_q) < TOLERANCE
    assert relative(by_v, want_v) < TOLERANCE


def test_derivatives_at_zero_strain_and_at_rest():
    """A straight rod at rest: every series near zero strain is in play, nothing divides by the curvature."""
    rng = np.random.default_rng(6)
    model = trees.random_model(rng, 2, ("rod",), base="rod", free_strains=jt.STRAINS, mid_rod=False)
    q = -np.concatenate([s.reference for link in model.links for s in link.joint.segments])
    q += np.tile(
        [0, 0, 0, 1.0, 0, 0], len(q) // 6
    )  # now every segment is straight: strain (0, 0, 0, 1, 0, 0)
    v, a = np.zeros(model.nv), trees.random_v(model, rng, 1.0)
    by_q, by_v, _ = engine.inverse_dynamics_derivatives(model, q, v, a)
    want_q, want_v = differences(model, q, v, a)
    assert relative(by_q, want_q) < TOLERANCE
    assert relative(by_v, want_v) < TOLERANCE


def test_frames_of_a_batch_are_independent():
    rng = np.random.default_rng(7)
    model = trees.random_model(rng, 8)
    q, v, a = trees.random_state(model, rng, 5)
    batch = engine.inverse_dynamics_derivatives(model, q, v, a)
    for i in range(5):
        alone = engine.inverse_dynamics_derivatives(model, q[i], v[i], a[i])
        assert all(np.array_equal(x[i], y) for x, y in zip(batch, alone, strict=True))
