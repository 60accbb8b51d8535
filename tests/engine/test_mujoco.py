"""The engine against MuJoCo: random rigid trees of 1 to 60 links, free joints on the world only."""

import numpy as np
import pytest
from tests.oracles import trees
from tests.oracles.errors import relative
from tests.oracles.mujoco import MuJoCo

from softstride import engine

# Double precision on both sides; MuJoCo's converter writes 17 digits and normalises quaternions once more.
TOLERANCE = 1e-10
FRAMES = 3
SIZES = (1, 2, 4, 8, 15, 30, 60)


@pytest.fixture(scope="module", params=[(n, base) for n in SIZES for base in ("free", "spherical")], ids=str)
def case(request):
    n, base = request.param
    rng = np.random.default_rng([n, 2])
    model = trees.random_model(rng, n, trees.MUJOCO, base=base, trees=1 + n // 10)
    return model, MuJoCo(model), *trees.random_state(model, rng, FRAMES)


def test_poses_and_jacobians(case):
    model, oracle, q, _, _ = case
    assert relative(engine.poses(model, q), [oracle.poses(row) for row in q]) < TOLERANCE
    last = model.link_names[-1]
    assert relative(engine.jacobian(model, q, last), [oracle.jacobian(row, last) for row in q]) < TOLERANCE


def test_mass_matrix_and_bias(case):
    model, oracle, q, v, _ = case
    assert relative(engine.mass_matrix(model, q), [oracle.mass_matrix(row) for row in q]) < TOLERANCE
    want = [oracle.bias(*row) for row in zip(q, v, strict=True)]
    assert relative(engine.bias(model, q, v), want) < TOLERANCE


def test_inverse_dynamics(case):
    model, oracle, q, v, a = case
    want = [oracle.inverse_dynamics(*row) for row in zip(q, v, a, strict=True)]
    assert relative(engine.inverse_dynamics(model, q, v, a), want) < TOLERANCE


@pytest.mark.parametrize("method", ["aba", "crba"])
def test_forward_dynamics_solves_mujocos_equation(case, method):
    model, oracle, q, v, a = case
    tau = np.array([oracle.inverse_dynamics(*row) for row in zip(q, v, a, strict=True)])
    got = engine.forward_dynamics(model, q, v, tau, method=method)
    back = np.array([oracle.inverse_dynamics(*row) for row in zip(q, v, got, strict=True)])
    assert relative(back, tau) < TOLERANCE
