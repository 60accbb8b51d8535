"""Function-driven joints against OpenSim: one made up here, and every custom joint of the shared models."""

from pathlib import Path

import numpy as np
import pytest
from tests.model.shared_models import SHARED_MODELS as MODELS
from tests.oracles import manifold
from tests.oracles.errors import relative
from tests.oracles.reference import Snapshot

from softstride import engine
from softstride.model import Axis, Constant, Custom, Linear, ModelBuilder, Polynomial, SimmSpline

osim = pytest.importorskip("opensim")

from tests.oracles.opensim import OpenSim, write_joint  # noqa: E402

# Both sides evaluate the same polynomials in double precision.
TOLERANCE = 1e-12
# Whole trees: see test_pinocchio.
TREE = 1e-10
VALUES = 50

TREES = tuple(
    name for name in MODELS if "TTAmp" not in name
)  # the amputee models have a reversed joint, unknown here


def compare_joint(peer, joint, rng, values=VALUES):
    """Compare pose, body twist and Jacobian of one joint at random coordinates, beyond their ranges too."""
    model = peer.single(joint)
    names, link = model.coordinate_names, model.link_names[0]
    q = rng.uniform(-2.2, 2.2, (values, model.nq))
    v = rng.standard_normal((values, model.nv))
    poses, twists = engine.poses(model, q, link), engine.velocities(model, q, v, link)
    jacobians = engine.jacobian(model, q, link)
    for i in range(values):
        peer.set(dict(zip(names, q[i], strict=True)), dict(zip(names, v[i], strict=True)))
        assert relative(poses[i], peer.relative_pose(joint)) < TOLERANCE
        assert relative(twists[i], peer.relative_twist(joint)) < TOLERANCE
        if i % 10 == 0:  # one speed at a time: the columns
            columns = []
            for name in names:
                peer.set({}, {name: 1.0})
                columns.append(peer.relative_twist(joint))
            assert relative(jacobians[i], np.stack(columns, axis=1)) < TOLERANCE


@pytest.fixture(scope="module")
def made_up(tmp_path_factory):
    """A joint written here, so that this runs without any data: splines, polynomials, oblique axes."""
    path = tmp_path_factory.mktemp("osim") / "joint.osim"
    spline = osim.SimmSpline()
    for x, y in zip(np.linspace(-2, 2, 9), 0.3 * np.sin(1.3 * np.linspace(-2, 2, 9)), strict=True):
        spline.addPoint(float(x), float(y))
    coefficients = osim.Vector(4, 0.0)
    for i, c in enumerate((0.05, -0.1, 0.3, 0.2)):
        coefficients.set(i, c)
    inner = spline.clone()
    inner.thisown = False  # the multiplier owns it from here on
    functions = [
        ("flexion", osim.LinearFunction(1.1, 0.1)),
        ("flexion", spline),
        ("twist", osim.LinearFunction(-0.9, 0.0)),
        ("flexion", osim.MultiplierFunction(inner, 0.4)),
        ("slide", osim.LinearFunction(1.0, 0.0)),
        ("twist", osim.PolynomialFunction(coefficients)),
    ]
    axes = [(0, 0, 1), (1, 0.2, 0), (0.1, 1, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1)]
    axes = [np.array(a) / np.linalg.norm(a) for a in axes]
    write_joint(path, axes, functions)
    return OpenSim(path)


def test_made_up_joint_pose_velocity_and_jacobian(made_up):
    compare_joint(made_up, made_up.custom_joints[0], np.random.default_rng(1))


def test_made_up_joint_mass_matrix_and_inverse_dynamics(made_up):
    model, rng = made_up.tree(), np.random.default_rng(2)
    names = model.coordinate_names
    for _ in range(20):
        q, v, a = rng.uniform(-1.5, 1.5, 3), rng.standard_normal(3), rng.standard_normal(3)
        made_up.set(dict(zip(names, q, strict=True)), dict(zip(names, v, strict=True)))
        assert relative(engine.mass_matrix(model, q), made_up.mass_matrix(names)) < TOLERANCE
        assert relative(engine.inverse_dynamics(model, q, v, a), made_up.inverse_dynamics(names, a)) < TREE


@pytest.mark.parametrize("name", MODELS)
def test_custom_joints_of_the_shared_models(shared_data: Path, name):
    peer, rng = OpenSim(shared_data / name), np.random.default_rng(3)
    assert peer.joints
    for joint in peer.custom_joints:
        compare_joint(peer, joint, rng)


@pytest.mark.parametrize("name", TREES)
def test_whole_trees_of_the_shared_models(shared_data: Path, name):
    """Mass matrix and static inverse dynamics of all bodies; loops and forces are left out."""
    peer, rng = OpenSim(shared_data / name), np.random.default_rng(4)
    model = peer.tree()
    names, rest = model.coordinate_names, np.zeros(model.nv)
    for _ in range(5):
        q, a = rng.uniform(-0.8, 0.8, model.nq), rng.standard_normal(model.nv)
        peer.set(dict(zip(names, q, strict=True)))
        assert relative(engine.mass_matrix(model, q), peer.mass_matrix(names)) < TREE
        assert relative(engine.inverse_dynamics(model, q, rest, a), peer.inverse_dynamics(names, a)) < TREE


def three_rotations_of_one_coordinate(model):
    """Whether some coordinate drives all three rotations of a joint."""
    for link in model.links:
        if isinstance(link.joint, Custom):
            driven = [{name for name, f in axis.terms if name} for axis in link.joint.rotations]
            if set.intersection(*driven):
                return True
    return False


@pytest.mark.parametrize("name", TREES)
def test_moving_trees_of_the_shared_models(shared_data: Path, name):
    """Inverse dynamics in motion.

    OpenSim 4.6 (Simbody) is not consistent with its own mass matrix where one coordinate drives three
    rotations, as in the knees of the Rajagopal family: its velocity term departs from d/dt (M v) - d/dq
    (v'Mv/2) by about 1e-4 of the largest load. There, Lagrange's equations on OpenSim's own M are the
    reference.
    """
    peer, rng = OpenSim(shared_data / name), np.random.default_rng(5)
    model = peer.tree()
    names, zero = model.coordinate_names, np.zeros(model.nv)
    q, v = rng.uniform(0.05, 0.8, model.nq), rng.standard_normal(model.nv)
    got = engine.bias(model, q, v)
    if not three_rotations_of_one_coordinate(model):
        peer.set(dict(zip(names, q, strict=True)), dict(zip(names, v, strict=True)))
        assert relative(got, peer.inverse_dynamics(names, zero)) < TREE
        return

    def mass(x):
        peer.set(dict(zip(names, x, strict=True)))
        return peer.mass_matrix(names)

    peer.set(dict(zip(names, q, strict=True)))
    static = peer.inverse_dynamics(names, zero)
    rate = manifold.derivative(lambda t: mass(q + t * v) @ v, 1e-4)
    slope = manifold.gradient(model, q, lambda x: 0.5 * v @ mass(x) @ v, 1e-4)
    # differences across spline knots, where the third derivative jumps: h^2 = 1e-8 times that jump
    assert relative(got, static + rate - slope) < 1e-6


def test_shared_coordinate_as_a_patella():
    """A tibia and a patella on the femur follow one knee angle: M and tau are those of both together."""
    knots = np.linspace(-2.1, 0.2, 8)
    tibia = (Axis((0, 0, 1), (("knee", Linear(1.0)),)), Axis((1, 0, 0)), Axis((0, 1, 0)))
    slide = (
        Axis((1, 0, 0), (("knee", SimmSpline(knots, 0.01 * np.cos(knots))),)),
        Axis((0, 1, 0)),
        Axis((0, 0, 1)),
    )
    follow = (Axis((0, 0, 1), (("knee", Polynomial([0.02, 0.7, 0.05])),)), Axis((1, 0, 0)), Axis((0, 1, 0)))
    rise = (
        Axis((1, 0, 0), (("", Constant(0.05)),)),
        Axis((0, 1, 0), (("knee", Linear(0.02, -0.4)),)),
        Axis((0, 0, 1)),
    )
    builder = ModelBuilder("leg")
    builder.revolute("femur", axis=(0, 0, 1), mass=8, com=(0, -0.2, 0), inertia=(0.1, 0.02, 0.1))
    builder.custom(
        "tibia",
        parent="femur",
        position=(0, -0.4, 0),
        rotations=tibia,
        translations=slide,
        mass=3,
        com=(0, -0.2, 0),
        inertia=(0.05, 0.01, 0.05),
    )
    builder.custom(
        "patella", parent="femur", rotations=follow, translations=rise, mass=0.1, inertia=(1e-4, 1e-4, 1e-4)
    )
    model = builder.build()
    assert model.nv == 2
    q, v, a = np.array([0.3, -0.9]), np.array([1.0, -2.0]), np.array([3.0, 5.0])
    snap = Snapshot(model, q, v)
    assert relative(engine.mass_matrix(model, q), snap.mass_matrix) < TOLERANCE
    assert relative(engine.inverse_dynamics(model, q, v, a), snap.inverse_dynamics(a)) < TOLERANCE
    for method in ("aba", "crba"):
        got = engine.forward_dynamics(model, q, v, snap.inverse_dynamics(a), method=method)
        assert relative(got, a) < TOLERANCE
    # by hand: the patella's share of M[knee, knee] is J^T I J with J from a difference of its pose
    h = 1e-6
    ahead, behind = (engine.poses(model, q + np.array([0, s * h]), "patella") for s in (1, -1))
    spin, speed = 0.7 + 2 * 0.05 * q[1], np.linalg.norm(ahead[:3, 3] - behind[:3, 3]) / (2 * h)
    without = ModelBuilder("leg")
    for link in model.links[:2]:
        without.link(link)
    share = snap.mass_matrix[1, 1] - Snapshot(without.build(), q).mass_matrix[1, 1]
    assert share == pytest.approx(1e-4 * spin**2 + 0.1 * speed**2, rel=1e-6)
