"""The engine against Pinocchio: random rigid trees of 1 to 60 links, every joint kind both know."""

import numpy as np
import pytest
from tests.oracles import trees
from tests.oracles.errors import relative
from tests.oracles.pinocchio import Pinocchio

from softstride import engine

# Both engines round in double precision; 60 links deep a few hundred roundings add up, 1e-10 leaves a
# hundredfold.
TOLERANCE = 1e-10
# Derivatives are sums of products of three such quantities.
DERIVATIVES = 1e-8
FRAMES = 3
SIZES = (1, 2, 3, 5, 8, 13, 20, 30, 45, 60)


class Case:
    """A random model, a few frames, and Pinocchio's opinion of each."""

    def __init__(self, n, base):
        rng = np.random.default_rng([n, 1])
        kinds = trees.RIGID if n > 1 else ("revolute", "prismatic", "spherical", "free")
        self.model = trees.random_model(rng, n, kinds, base=base, trees=1 + n // 10)
        self.q, self.v, self.a = trees.random_state(self.model, rng, FRAMES)
        self.oracle = Pinocchio(self.model)

    def each(self, method, *arrays):
        """Return the oracle's answers of all frames, stacked."""
        return np.stack([getattr(self.oracle, method)(*rows) for rows in zip(*arrays, strict=True)])


@pytest.fixture(
    scope="module",
    params=[(n, base) for n in SIZES for base in ("free", None)],
    ids=lambda p: f"{p[0]}-{p[1]}",
)
def case(request):
    return Case(*request.param)


def test_poses(case):
    assert relative(engine.poses(case.model, case.q), case.each("poses", case.q)) < TOLERANCE


def test_velocities(case):
    assert (
        relative(engine.velocities(case.model, case.q, case.v), case.each("velocities", case.q, case.v))
        < TOLERANCE
    )


def test_accelerations(case):
    got = engine.accelerations(case.model, case.q, case.v, case.a)
    assert relative(got, case.each("accelerations", case.q, case.v, case.a)) < TOLERANCE


def test_jacobians_of_all_links(case):
    got = engine.jacobian(case.model, case.q, list(case.model.link_names))
    want = [[case.oracle.jacobian(q, name) for name in case.model.link_names] for q in case.q]
    assert relative(got, want) < TOLERANCE


def test_mass_matrix(case):
    assert relative(engine.mass_matrix(case.model, case.q), case.each("mass_matrix", case.q)) < TOLERANCE


def test_bias(case):
    assert relative(engine.bias(case.model, case.q, case.v), case.each("bias", case.q, case.v)) < TOLERANCE


def test_inverse_dynamics(case):
    got = engine.inverse_dynamics(case.model, case.q, case.v, case.a)
    assert relative(got, case.each("inverse_dynamics", case.q, case.v, case.a)) < TOLERANCE


@pytest.mark.parametrize("method", ["aba", "crba"])
def test_forward_dynamics_solves_the_equation_of_motion(case, method):
    """Judge by the backward error |M a + b - tau|: M may be ill conditioned, the equation is not."""
    tau = np.random.default_rng(5).standard_normal(case.v.shape) * 10
    got = engine.forward_dynamics(case.model, case.q, case.v, tau, method=method)
    mass, bias = case.each("mass_matrix", case.q), case.each("bias", case.q, case.v)
    residual = np.einsum("fij,fj->fi", mass, got) + bias - tau
    scale = np.einsum("fij,fj->fi", np.abs(mass), np.abs(got)) + np.abs(bias) + np.abs(tau)
    assert np.max(np.abs(residual)) < TOLERANCE * np.max(scale, initial=1.0)


def test_derivatives_of_inverse_dynamics(case):
    got = engine.inverse_dynamics_derivatives(case.model, case.q, case.v, case.a)
    frames = [
        case.oracle.inverse_dynamics_derivatives(*row) for row in zip(case.q, case.v, case.a, strict=True)
    ]
    for part, want in zip(got, zip(*frames, strict=True), strict=True):
        assert relative(part, np.stack(want)) < DERIVATIVES


def test_energy(case):
    got = engine.energy(case.model, case.q, case.v)
    want = case.each("energy", case.q, case.v)
    assert relative(got.kinetic, want[:, 0]) < TOLERANCE
    assert relative(got.gravity, want[:, 1]) < TOLERANCE


def test_centre_of_mass_and_centroidal_map(case):
    assert (
        relative(engine.centre_of_mass(case.model, case.q), case.each("centre_of_mass", case.q)) < TOLERANCE
    )
    got = engine.momentum_matrix(case.model, case.q, about="com")
    assert relative(got, case.each("momentum_matrix", case.q)) < TOLERANCE
