"""What joints transmit: cuts through any number of joints in one run of inverse dynamics."""

import numpy as np
import pytest
from tests.oracles import trees
from tests.oracles.errors import relative
from tests.oracles.pinocchio import Pinocchio
from tests.oracles.reference import Snapshot

from softstride import engine
from softstride.engine.cuts import Cut
from softstride.engine.dynamics import balance_of_forces
from softstride.engine.lanes import LANES
from softstride.errors import InputError, ModelError
from softstride.model import Constant, Frame, Linear, ModelBuilder, Point, Rod, Section
from softstride.model.joints import Axis, Custom

TOLERANCE = 1e-10  # as of inverse dynamics against the same oracles (test_pinocchio)
FRAMES = LANES + 3  # a block, and a rest
NOTHING = np.zeros((FRAMES, 0))


def shifted(wrench, point):
    """Return a wrench about the world's origin about a point."""
    return np.concatenate([wrench[:3] - np.cross(point, wrench[3:]), wrench[3:]])


@pytest.mark.parametrize("seed", range(12))
def test_every_joint_gives_what_all_beyond_it_needs(seed):
    """Newton and Euler for what hangs beyond each joint of random trees: rods, shared coordinates, welded links."""
    rng = np.random.default_rng([seed, 7])
    kinds = trees.ALL if seed % 2 else (*trees.RIGID, "custom")
    base = ("free", "fixed", None)[seed % 3]
    model = trees.random_model(rng, 11, kinds, base=base, trees=1 + seed % 2)
    q, v, a = trees.random_state(model, rng, FRAMES)
    loaded = [str(name) for name in rng.permutation(model.link_names)[:3]]
    loads = rng.normal(size=(FRAMES, 18))
    wrench = rng.normal(size=(FRAMES, 6))
    last = model.link_names[-1]
    point, axes = Point(last, (0.1, -0.2, 0.3)), Frame(loaded[0], (0.2, 0.0, -0.1), trees.rotation(rng))
    cuts = tuple(
        cut
        for name in model.link_names
        for cut in (Cut(name, name), Cut(name, point, axes), Cut(name, "world", name))
    )
    tau, shown, _ = balance_of_forces(model, q, v, a, loads, tuple(loaded[:2]), cuts, {loaded[2]: wrench})
    for f in range(0, FRAMES, 5):
        oracle = Snapshot(model, q[f], v[f])
        applied = {}
        for i, name in enumerate(loaded[:2]):
            m, force, p = loads[f, 9 * i : 9 * i + 9].reshape(3, 3)
            arm = p - oracle.pose(name)[:3, 3]
            applied[name] = np.concatenate([m + np.cross(arm, force), force])
        applied[loaded[2]] = wrench[f]
        assert relative(tau[f], oracle.inverse_dynamics(a[f], applied)) < TOLERANCE
        for i, name in enumerate(model.link_names):
            whole = oracle.carried(name, a[f], applied)
            for k, (about, frame) in enumerate(((name, "world"), (point, axes), ("world", name))):
                T = oracle.pose(frame)
                at = oracle.pose(about)[:3, 3]
                expected = shifted(whole, at).reshape(2, 3) @ T[:3, :3]
                place = T[:3, :3].T @ (at - T[:3, 3])
                assert relative(shown[f, 3 * i + k, :6], expected.ravel()) < TOLERANCE
                assert np.abs(shown[f, 3 * i + k, 6:] - place).max() < TOLERANCE * max(1.0, abs(place).max())


@pytest.mark.parametrize("n", [2, 7, 20, 45])
def test_forces_of_joints_as_pinocchio_has_them(n):
    rng = np.random.default_rng([n, 3])
    model = trees.random_model(rng, n, trees.RIGID, base="free")
    q, v, a = trees.random_state(model, rng, FRAMES)
    cuts = tuple(Cut(name, name) for name in model.link_names)
    _, shown, _ = balance_of_forces(model, q, v, a, NOTHING, (), cuts)
    peer = Pinocchio(model)
    for f in range(0, FRAMES, 4):
        for name, wrench in peer.transmitted(q[f], v[f], a[f]).items():
            assert relative(shown[f, model.index(name), :6], wrench) < TOLERANCE


def test_cuts_change_nothing_else():
    """Generalized forces and the rest of the cuts are the same with one cut, all or none, whatever the threads."""
    rng = np.random.default_rng(1)
    model = trees.random_model(rng, 14, trees.ALL, base="free")
    q, v, a = trees.random_state(model, rng, 300)
    nothing = np.zeros((300, 0))
    cuts = tuple(Cut(name, name) for name in model.link_names)
    tau, shown, _ = balance_of_forces(model, q, v, a, nothing, (), cuts)
    assert relative(engine.inverse_dynamics(model, q, v, a), tau) < 1e-12
    threaded = balance_of_forces(model, q, v, a, nothing, (), cuts, threads=2)
    assert np.array_equal(threaded[0], tau) and np.array_equal(threaded[1], shown)
    for i in (0, 5, len(cuts) - 1):
        _, one, _ = balance_of_forces(model, q, v, a, nothing, (), (cuts[i],))
        assert relative(one[:, 0], shown[:, i]) < 1e-12


def test_a_pendulum_at_rest_hangs_by_its_weight():
    b = ModelBuilder("pendulum", gravity=(0.0, -10.0, 0.0))
    b.revolute("rod", axis=(0, 0, 1), position=(1.0, 2.0, 0.0), mass=3.0, com=(0.5, 0.0, 0.0))
    model = b.build()
    q, still = np.array([[0.0], [-np.pi / 2]]), np.zeros((2, 1))
    _, shown, _ = balance_of_forces(model, q, still, still, np.zeros((2, 0)), (), (Cut("rod", "rod"),))
    level, down = shown[:, 0]
    np.testing.assert_allclose(level, [0, 0, 15.0, 0, 30.0, 0, 1, 2, 0], atol=1e-13)
    np.testing.assert_allclose(down, [0, 0, 0.0, 0, 30.0, 0, 1, 2, 0], atol=1e-13)


def test_two_links_swing_as_drawn_by_hand():
    """Both arms level and at rest relative to the first, which turns with w and dw: all by hand.

        O----1----A----2----B      masses m1, m2 at the middle, length l each, turning about O

    Link 2 moves like a part of link 1: its centre has the acceleration (-w^2, dw) 3 l / 2.
    """
    m1, m2, half, w, dw, g = 2.0, 1.5, 0.3, 4.0, -7.0, 9.81
    b = ModelBuilder("arms", gravity=(0.0, -g, 0.0))
    spin = {"com": (half, 0.0, 0.0), "inertia": (0.0, 0.02, 0.02)}
    b.revolute("upper", axis=(0, 0, 1), mass=m1, **spin)
    b.revolute("lower", parent="upper", position=(2 * half, 0, 0), axis=(0, 0, 1), mass=m2, **spin)
    model = b.build()
    q, v, a = np.zeros((1, 2)), np.array([[w, 0.0]]), np.array([[dw, 0.0]])
    cuts = (Cut("upper", "upper"), Cut("lower", "lower"))
    tau, shown, _ = balance_of_forces(model, q, v, a, np.zeros((1, 0)), (), cuts)
    f2 = m2 * np.array([-w * w * 3 * half, dw * 3 * half + g, 0.0])
    n2 = 0.02 * dw + half * f2[1]
    f1 = f2 + m1 * np.array([-w * w * half, dw * half + g, 0.0])
    n1 = 0.02 * dw + half * m1 * (dw * half + g) + n2 + 2 * half * f2[1]
    np.testing.assert_allclose(shown[0, 0, :6], [0, 0, n1, *f1], atol=1e-12)
    np.testing.assert_allclose(shown[0, 1, :6], [0, 0, n2, *f2], atol=1e-12)
    np.testing.assert_allclose(tau[0], [n1, n2], atol=1e-12)


def test_welded_links_are_kept_apart_and_weigh():
    """A post on the ground, a lamp welded to it and a hinged sign: each weld carries what is above it."""
    b = ModelBuilder("lamp", gravity=(0.0, -10.0, 0.0))
    b.fixed("post", mass=5.0, com=(0.0, 1.0, 0.0))
    b.fixed("lamp", parent="post", position=(0.5, 2.0, 0.0), mass=1.0)
    b.revolute("sign", parent="lamp", axis=(0, 0, 1), position=(0.2, 0.0, 0.0), mass=2.0)
    model = b.build()
    still = np.zeros((1, 1))
    cuts = tuple(Cut(name, name) for name in model.link_names)
    _, shown, _ = balance_of_forces(model, still, still, still, np.zeros((1, 0)), (), cuts)
    np.testing.assert_allclose(shown[0, :, 4], [80.0, 30.0, 20.0])
    np.testing.assert_allclose(shown[0, :, 2], [10.0 * 0.5 + 20.0 * 0.7, 20.0 * 0.2, 0.0], atol=1e-12)
    assert np.abs(engine.inverse_dynamics(model, still, still, still)).max() < 1e-12


def test_the_base_of_a_rod_carries_all_of_it():
    section = Section.rectangle(0.02, 0.005, 1600.0, 5e10, 5e9)
    rod = Rod.uniform(0.6, 2, section)
    b = ModelBuilder("blade", gravity=(0.0, -10.0, 0.0))
    b.rod("blade", rod=rod, position=(0.0, 1.0, 0.0))
    b.fixed("weight", parent="blade", at=0.3, mass=2.0)
    model = b.build()
    q = np.zeros((1, model.nq))
    still = np.zeros((1, model.nv))
    cuts = (Cut("blade", Frame("blade", at=0.0)), Cut("weight", "weight"))
    _, shown, _ = balance_of_forces(model, q, still, still, np.zeros((1, 0)), (), cuts)
    own = rod.mass * 10.0
    np.testing.assert_allclose(
        shown[0, 0], [0, 0, own * 0.3 + 20.0 * 0.3, 0, own + 20.0, 0, 0, 1, 0], atol=1e-9
    )
    np.testing.assert_allclose(shown[0, 1, :6], [0, 0, 0, 0, 20.0, 0], atol=1e-9)


def test_a_chain_of_massless_links_passes_one_wrench():
    """The joints of an ellipsoid joint, one behind the other, all transmit what the body behind them needs."""
    b = ModelBuilder("chain")
    turn = (Axis((1, 0, 0), (("a", Linear(2.0)),)), Axis((0, 1, 0)), Axis((0, 0, 1)))
    b.free("trunk", mass=2.0, inertia=(0.1, 0.1, 0.1))
    b.custom("joint.1", "trunk", rotations=turn, position=(0.1, 0.2, 0.3))
    b.revolute("joint.2", parent="joint.1", axis=(0, 0.6, 0.8), position=(0, 0.05, 0))
    b.revolute("arm", parent="joint.2", axis=(0, 0, 1), mass=1.0, com=(0.3, 0, 0), inertia=(0.1, 0.1, 0.1))
    model = b.build()
    rng = np.random.default_rng(3)
    q, v, a = trees.random_state(model, rng, FRAMES)
    names = ("joint.1", "joint.2", "arm")
    _, shown, _ = balance_of_forces(model, q, v, a, NOTHING, (), tuple(Cut(name, "arm") for name in names))
    assert relative(shown[:, 1], shown[:, 0]) < 1e-13
    assert relative(shown[:, 2], shown[:, 0]) < 1e-13


def test_joints_without_coordinates_may_be_custom():
    lift = Axis((1, 0, 0), (("", Constant(0.1)),))
    b = ModelBuilder("still", gravity=(0.0, -10.0, 0.0))
    b.revolute("arm", axis=(0, 0, 1), mass=1.0)
    b.custom(
        "hand", "arm", translations=(lift, Axis((0, 1, 0)), Axis((0, 0, 1))), position=(0.3, 0, 0), mass=2.0
    )
    model = b.build()
    assert isinstance(model.link("hand").joint, Custom)
    still = np.zeros((1, 1))
    _, shown, _ = balance_of_forces(
        model, still, still, still, np.zeros((1, 0)), (), (Cut("hand", "hand"), Cut("arm", "arm"))
    )
    np.testing.assert_allclose(shown[0, :, :6], [[0, 0, 0, 0, 20, 0], [0, 0, 8, 0, 30, 0]], atol=1e-12)


def test_bad_cuts_are_refused():
    model = trees.random_model(np.random.default_rng(0), 3, ("revolute",), base="free")
    q, v, a = trees.random_state(model, np.random.default_rng(0), FRAMES)
    with pytest.raises(ModelError, match="'tail' is no link"):
        balance_of_forces(model, q, v, a, NOTHING, (), (Cut("tail", "world"),))
    with pytest.raises(ModelError, match="'nose'"):
        balance_of_forces(model, q, v, a, NOTHING, (), (Cut("link1", "nose"),))
    with pytest.raises(InputError, match="wrench on 'link1'"):
        balance_of_forces(model, q, v, a, NOTHING, (), (), {"link1": np.zeros((FRAMES, 5))})
