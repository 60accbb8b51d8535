"""Derivatives with respect to sizes, and the Jacobian of the whole fit, against differences."""

from dataclasses import replace

import numpy as np
import pytest
from tests.models import the_model, walker
from tests.trials import recorded, standing

from softstride.engine import integrate, jacobian, positions
from softstride.kinematics.scaling.fit import FitProblem
from softstride.kinematics.scaling.priors import Widths
from softstride.kinematics.scaling.setup_xml import read_scale_setup
from softstride.kinematics.scaling.static import Targets, targets
from softstride.model import Axis, Constant, Linear, ModelBuilder, Polynomial, Rod, Scaled, Section
from softstride.model.library.athlete import athlete
from softstride.model.library.human.people import gait_person, human
from softstride.model.scaled_links import carriers
from softstride.model.scaling import scaled
from softstride.spatial.so3 import exp


def problem_of(model, q):
    """The fit of a model to its own markers."""
    seen = Targets(tuple(model.markers), positions(model, q, list(model.markers)), np.arange(float(len(q))))
    return FitProblem(model, seen, np.full(len(seen.names), 0.01), Widths(), q)


def check(model, q, factors, d):
    """Markers, their Jacobians and their derivatives by sizes beside those of the model that is really scaled."""
    problem = problem_of(model, q)
    u = factors.mean(axis=1)
    state = problem.state(q, u, factors - u[:, None], d)
    names = list(model.markers)
    sized = problem.factors(u, factors - u[:, None])
    real = scaled(model, dict(zip(model.link_names, sized, strict=True)))
    real = real.replace(
        markers={
            name: replace(point, position=point.position + step)
            for (name, point), step in zip(real.markers.items(), d, strict=True)
        }
    )
    scale = max(1.0, float(np.abs(positions(real, q, names)).max()))
    assert np.max(np.abs(state.markers - positions(real, q, names))) < 1e-13 * scale
    J = jacobian(real, q, names)
    assert np.max(np.abs(problem.in_poses(state) - J)) < 1e-13 * max(scale, float(np.abs(J).max()))
    shared = problem.levers.shared(state.levers)  # linear: what a step of the factors adds
    step = np.random.default_rng(4).uniform(-0.1, 0.1, factors.shape) * problem.sized[:, None]
    moved = problem.state(q, u, factors - u[:, None] + step, d)
    predicted = state.markers + np.einsum("fmila,la->fmi", shared, step)
    assert np.max(np.abs(moved.markers - predicted)) < 1e-13 * scale
    inside = [model.index(name) for name in carriers(model)]
    assert not shared[..., inside, :].any()


def check_at_random(model, seed=2, spread=0.4):
    """Three poses, three people."""
    rng = np.random.default_rng(seed)
    still = np.array([link.soft for link in model.links])
    for _ in range(3):
        q = integrate(model, np.tile(model.neutral(), (3, 1)), rng.uniform(-spread, spread, (3, model.nv)))
        factors = np.where(still[:, None], 1.0, rng.uniform(0.8, 1.2, (len(model.links), 3)))
        on_section = np.array([marker.at is not None for marker in model.markers.values()])  # they stay there
        d = np.where(on_section[:, None], 0.0, rng.normal(scale=0.02, size=(len(on_section), 3)))
        check(model, q, factors, d)


@pytest.mark.parametrize("root", ["free", "custom"])
def test_levers_of_a_small_person(root):
    check_at_random(walker(root))


@pytest.mark.parametrize("person", [gait_person, human, athlete])
def test_levers_of_packaged_people(person):
    check_at_random(person())


@pytest.mark.parametrize(
    "file",
    [
        "walk_opencap_s4/manually_scaled.osim",
        "walk_rajagopal_emg/subject_walk_scaled.osim",
        "walk_gait2354/gait2354_simbody.osim",
    ],
)
def test_levers_of_published_models(shared_data, file):
    model = the_model(shared_data / file)
    if "2354" in file:  # its markers are in the setup
        setup = read_scale_setup(shared_data / "walk_gait2354" / "subject01_Setup_Scale.xml")
        model = model.replace(markers={name: each.point for name, each in setup.markers.items()})
    assert len(model.markers) > 20
    check_at_random(model)


def test_levers_through_coupled_joints():
    """Two joints share a coordinate and slide along oblique axes as it tells, one with a constant, one freely."""
    builder = ModelBuilder("coupled")
    turn = exp(np.array([0.2, 0.4, 0.6]))
    builder.free("femur", mass=5.0, inertia=(1.0, 1.0, 1.0))
    bent = (Axis((0, 0, 1), (("knee", Linear(1.0)),)), Axis((1, 0, 0)), Axis((0, 1, 0)))
    oblique = (
        Axis((1, 1, 0), (("knee", Polynomial((0.02, 0.1, -0.03))), ("", Constant(0.05)))),
        Axis((0, 0, 1), (("slip", Linear(1.0)),)),
        Axis((1, -1, 0), (("slip", Linear(0.3, 0.1)), ("knee", Scaled(Polynomial((0.0, 0.2)), 0.5)))),
    )
    knee = {"position": (0.0, -0.4, 0.0), "rotation": turn}
    builder.custom("tibia", "femur", rotations=bent, translations=oblique, mass=2.0, **knee)
    half = (Axis((0, 1, 1), (("knee", Linear(-0.5)),)), Axis((1, 0, 0)), Axis((0, 1, 0)))
    builder.custom(
        "patella", "femur", rotations=half, translations=oblique, position=(0, -0.3, 0.05), mass=0.1
    )
    ankle = (*bent[1:], Axis.along((0, 0, 1), "ankle"))
    builder.custom("foot", "tibia", rotations=ankle, position=(0, -0.4, 0), mass=1.0)
    for i, link in enumerate(("femur", "tibia", "patella", "foot", "foot")):
        builder.marker(f"m{i}", link, (0.1 * i, -0.02, 0.03 * i))
    check_at_random(builder.build(), spread=0.8)


def test_levers_beside_a_blade():
    """Rods keep their size; what is on them is moved by the links that they hang on."""
    builder = ModelBuilder("blade")
    builder.free("shank", mass=3.0, com=(0, -0.1, 0), inertia=(0.03, 0.01, 0.03))
    section = Section.rectangle(0.06, 0.01, 1600.0, 5e10, 4e9)
    builder.rod("blade", parent="shank", rod=Rod.uniform(0.3, 2, section), position=(0, -0.3, 0))
    slide = (Axis((1, 0, 0), (("fin", Linear(0.1)),)), Axis((0, 1, 0)), Axis((0, 0, 1)))
    builder.custom("fin", parent="blade", at=0.2, translations=slide, position=(0.0, 0.1, 0.0), mass=0.1)
    builder.marker("s", "shank", (0.05, 0.1, 0.0))
    builder.marker("tip", "blade", (0.0, 0.0, 0.01))
    builder.marker("half", "blade", (0.0, 0.03, 0.0), at=0.15)
    builder.marker("end", "fin", (0.02, 0.0, 0.0))
    model = builder.build()
    rng = np.random.default_rng(5)
    q = integrate(model, np.tile(model.neutral(), (3, 1)), rng.uniform(-0.4, 0.4, (3, model.nv)))
    factors = np.ones((3, 3))
    factors[0], factors[2] = (0.8, 1.1, 1.3), (1.2, 0.9, 1.1)
    d = np.array([(0.01, 0.02, 0.03), (0.0, 0.0, 0.0), (0.0, 0.0, 0.0), (0.01, -0.02, 0.01)])
    check(model, q, factors, d)


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
    factors = {"trunk": (1.1, 0.9, 1.3), "upper": (0.8, 1.2, 1.0)}
    q = np.tile(model.neutral(), (3, 1))
    q[:, -2:] = np.random.default_rng(1).uniform(-1.0, 1.0, (3, 2))
    given = np.array([factors.get(name, (1.0, 1.0, 1.0)) for name in model.link_names])
    check(model, q, given, np.array([(0.01, 0.0, 0.02), (0.0, 0.03, 0.0)]))
    u = given.mean(axis=1)
    problem = problem_of(model, q)
    state = problem.state(q, u, given - u[:, None], np.zeros((2, 3)))
    assert np.allclose(
        state.markers, positions(scaled(model, factors), q, ["elbow", "neck"]), rtol=0.0, atol=1e-14
    )


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
