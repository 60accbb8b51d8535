"""Derivatives with respect to sizes, and the Jacobian of the whole fit, against differences."""

import numpy as np
import pytest
from tests.models import the_model, walker
from tests.trials import recorded, standing

from softstride.engine import poses, positions
from softstride.kinematics.scaling.fit import FitProblem, skeleton
from softstride.kinematics.scaling.levers import levers
from softstride.kinematics.scaling.priors import Widths
from softstride.kinematics.scaling.static import targets
from softstride.model import ModelBuilder
from softstride.model.scaled_links import carriers
from softstride.model.scaling import scaled


def check(model, q):
    """Positions are linear in the factors: p(s) = p(1) + lever (s - 1) to rounding."""
    names = list(model.markers)
    rng = np.random.default_rng(2)
    factors = rng.uniform(0.8, 1.2, (len(model.links), 3))
    lever = levers(model, q, poses(model, q)[..., :3, :3], names)
    moved = positions(scaled(model, dict(zip(model.link_names, factors, strict=True))), q, names)
    predicted = positions(model, q, names) + np.einsum("fmila,la->fmi", lever, factors - 1.0)
    assert np.max(np.abs(moved - predicted)) < 1e-13


def test_levers_of_a_small_person():
    model = walker()
    check(model, standing(model, 3))


@pytest.mark.parametrize(
    "file", ["walk_opencap_s4/manually_scaled.osim", "walk_rajagopal_emg/subject_walk_scaled.osim"]
)
def test_levers_of_published_models(shared_data, file):
    model = skeleton(the_model(shared_data / file))
    check(model, np.random.default_rng(0).uniform(-0.4, 0.4, (3, model.nq)))


def test_levers_through_the_links_inside_a_joint():
    """The arm of "shoulder.1" grows by the mean factor of the trunk, unless the chain ends in a translation."""
    builder = ModelBuilder("ellipsoid")
    arm = np.eye(4)
    arm[:3, 3] = (0.0, 0.02, 0.1)
    builder.free("trunk", mass=10.0, inertia=(1.0, 1.0, 1.0))
    builder.revolute("shoulder.1", parent="trunk", axis=(1, 0, 0), position=(0, 0.4, 0), offset=arm)
    builder.revolute("upper", parent="shoulder.1", axis=(0, 1, 0), mass=1.0, inertia=(0.1, 0.1, 0.1))
    builder.marker("elbow", "upper", (0.0, -0.3, 0.02))
    builder.marker("neck", "trunk", (0.0, 0.5, 0.0))
    model = builder.build()
    assert carriers(model) == {"shoulder.1": "trunk"}
    q = np.tile(model.neutral(), (3, 1))
    q[:, -2:] = np.random.default_rng(1).uniform(-1.0, 1.0, (3, 2))
    names, factors = ["elbow", "neck"], {"trunk": (1.1, 0.9, 1.3), "upper": (0.8, 1.2, 1.0)}
    lever = levers(model, q, poses(model, q)[..., :3, :3], names)
    assert not lever[..., model.index("shoulder.1"), :].any()
    step = np.array([np.subtract(factors.get(name, (1.0, 1.0, 1.0)), 1.0) for name in model.link_names])
    predicted = positions(model, q, names) + np.einsum("fmila,la->fmi", lever, step)
    assert np.allclose(positions(scaled(model, factors), q, names), predicted, rtol=0.0, atol=1e-14)


@pytest.mark.slow
@pytest.mark.parametrize("root", ["free", "custom"])
def test_jacobian_of_the_fit(root):
    """Central differences of the residual in every variable; their error at a step of 1e-6 is below 1e-5 of 1000."""
    model = walker(root)
    q = standing(model, 6)
    seen = targets(model, recorded(model, q), blocks=2)
    widths = np.full(len(seen.names), 0.01)
    widths[3] = 0.0
    problem = FitProblem(model, seen, widths, Widths(), q[:2])
    rng = np.random.default_rng(3)
    links, m = len(model.links), len(seen.names)
    state = problem.state(
        q[2:4],
        rng.uniform(0.9, 1.1, links),
        rng.normal(size=(links, 3)) * 0.02,
        rng.normal(size=(m, 3)) * 0.01,
    )
    J = problem.jacobian(state)
    size = J.shape[1]
    step = 1e-6
    for k in range(size):
        e = np.zeros(size)
        e[k] = step
        numeric = (problem.residual(problem.move(state, e)) - problem.residual(problem.move(state, -e))) / (
            2 * step
        )
        assert np.allclose(J[:, k], numeric, rtol=1e-6, atol=1e-4), k
    held = problem.held(state, np.zeros(size))[problem.parts[3]]
    assert held[9:12].all()
    assert held.sum() == 3
