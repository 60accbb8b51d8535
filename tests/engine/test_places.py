"""Names, frames and points: who is meant, what shape the result has, and what happens along a rod."""

from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from tests.oracles import trees
from tests.oracles.errors import relative
from tests.oracles.reference import Snapshot

from softstride import engine
from softstride.model import Frame, ModelBuilder, Point

# The same numbers by two ways through the same engine.
ROUNDING = 1e-13
F = 5


@pytest.fixture(scope="module")
def model():
    rng = np.random.default_rng(1)
    builder = ModelBuilder("places")
    builder.free("base", **trees.body(rng))
    rod = trees.Rod(tuple(trees.segment(rng) for _ in range(3)))
    builder.rod("blade", parent="base", rod=rod, offset=trees.pose(rng, 0.05), **trees.body(rng))
    builder.revolute("toe", parent="blade", axis=(0, 0, 1), at=0.5 * rod.length, **trees.body(rng))
    builder.marker("on toe", "toe", (0.1, 0.2, 0.3))
    builder.marker("on blade", "blade", (0.01, 0.02, 0.03), at=0.3 * rod.length)
    builder.frame("sole", "toe", (0.0, -0.1, 0.0), trees.rotation(rng))
    return builder.build()


@pytest.fixture(scope="module")
def state(model):
    return trees.random_state(model, np.random.default_rng(2), F)


class TestShapes:
    def test_poses(self, model, state):
        q = state[0]
        assert engine.poses(model, q).shape == (F, 3, 4, 4)
        assert engine.poses(model, q, "toe").shape == (F, 4, 4)
        assert engine.poses(model, q, ["toe"]).shape == (F, 1, 4, 4)
        assert engine.poses(model, q, ["toe", Frame("blade"), "sole", "on toe"]).shape == (F, 4, 4, 4)
        assert engine.poses(model, q[0]).shape == (3, 4, 4)
        assert engine.poses(model, q[0], "toe").shape == (4, 4)

    def test_positions(self, model, state):
        q = state[0]
        assert engine.positions(model, q, "on toe").shape == (F, 3)
        assert engine.positions(model, q, list(model.markers)).shape == (F, 2, 3)
        assert engine.positions(model, q[0], ["on toe"]).shape == (1, 3)

    def test_twists(self, model, state):
        q, v, a = state
        assert engine.velocities(model, q, v).shape == (F, 3, 6)
        assert engine.accelerations(model, q, v, a, "toe").shape == (F, 6)
        assert engine.jacobian_dot_v(model, q, v, "toe").shape == (F, 6)
        assert engine.jacobian_dot_v(model, q, v, "on toe").shape == (F, 3)

    def test_jacobians(self, model, state):
        q, nv = state[0], model.nv
        assert engine.jacobian(model, q, "toe").shape == (F, 6, nv)
        assert engine.jacobian(model, q, "sole").shape == (F, 6, nv)
        assert engine.jacobian(model, q, "on toe").shape == (F, 3, nv)
        assert engine.jacobian(model, q, Point("toe")).shape == (F, 3, nv)
        assert engine.jacobian(model, q, ["toe", "sole"]).shape == (F, 2, 6, nv)
        assert engine.jacobian(model, q[0], ["on toe", "on blade"]).shape == (2, 3, nv)

    def test_dynamics(self, model, state):
        q, v, a = state
        nv = model.nv
        assert engine.inverse_dynamics(model, q, v, a).shape == (F, nv)
        assert engine.forward_dynamics(model, q[0], v[0], a[0]).shape == (nv,)
        assert engine.mass_matrix(model, q).shape == (F, nv, nv)
        assert [x.shape for x in engine.inverse_dynamics_derivatives(model, q, v, a)] == [(F, nv, nv)] * 3
        assert engine.energy(model, q, v).total.shape == (F,)
        assert engine.momentum(model, q, v).shape == (F, 6)
        assert engine.momentum_matrix(model, q).shape == (F, 6, nv)
        assert engine.centre_of_mass(model, q).shape == (F, 3)
        assert engine.com_jacobian(model, q).shape == (F, 3, nv)


class TestNames:
    def test_a_registered_name_is_its_frame(self, model, state):
        q = state[0]
        assert np.array_equal(engine.poses(model, q, "sole"), engine.poses(model, q, model.frames["sole"]))
        for name in model.markers:
            point = model.markers[name]
            assert np.array_equal(engine.positions(model, q, name), engine.positions(model, q, point))
            assert np.array_equal(engine.jacobian(model, q, name), engine.jacobian(model, q, point))

    def test_a_link_is_its_frame(self, model, state):
        q = state[0]
        assert np.array_equal(engine.jacobian(model, q, "toe"), engine.jacobian(model, q, Frame("toe")))

    def test_the_order_of_places_is_kept(self, model, state):
        q = state[0]
        places = ["sole", "base", Frame("blade", at=0.1), "toe"]
        together = engine.poses(model, q, places)
        for i, place in enumerate(places):
            assert np.array_equal(together[:, i], engine.poses(model, q, place))

    def test_the_world_stands_still(self, model, state):
        q, v, a = state
        assert np.array_equal(engine.poses(model, q, "world"), np.tile(np.eye(4), (F, 1, 1)))
        assert not np.any(engine.velocities(model, q, v, "world"))
        assert not np.any(engine.accelerations(model, q, v, a, Frame("world", (1, 2, 3))))
        assert not np.any(engine.jacobian(model, q, Point("world", (1, 2, 3))))

    def test_wrenches_by_name_frame_and_point(self, model, state):
        """One wrench for all frames, and each way to name the place, give the same load."""
        q, v, a = state
        wrench = np.random.default_rng(3).standard_normal(6)
        by_name = engine.generalized_forces(model, q, {"on blade": wrench})
        by_point = engine.generalized_forces(model, q, {model.markers["on blade"]: np.tile(wrench, (F, 1))})
        assert np.array_equal(by_name, by_point)
        tau = engine.inverse_dynamics(model, q, v, a)
        assert (
            relative(engine.inverse_dynamics(model, q, v, a, f_ext={"on blade": wrench}), tau - by_name)
            < ROUNDING
        )
        assert np.array_equal(engine.inverse_dynamics(model, q, v, a, f_ext={}), tau)


class TestAlongARod:
    def test_segment_ends_belong_to_both_segments(self, model, state):
        """Poses and Jacobians are continuous along the rod, also where segments meet."""
        q = state[0]
        end = model.link("blade").joint.segments[0].length
        for function in (engine.poses, engine.jacobian):
            at, before, after = (
                function(model, q, Frame("blade", at=end + step)) for step in (0, -1e-9, 1e-9)
            )
            assert relative(before, at) < 1e-7
            assert relative(after, at) < 1e-7

    def test_base_and_tip(self, model, state):
        q = state[0]
        blade = model.link("blade")
        base = engine.poses(model, q, "base") @ blade.placement
        assert relative(engine.poses(model, q, Frame("blade", at=0.0)), base) < ROUNDING
        tip = engine.poses(model, q, Frame("blade", at=blade.joint.length)) @ blade.offset
        assert relative(engine.poses(model, q, "blade"), tip) < ROUNDING

    def test_sections_of_a_bent_rod_match_the_oracle(self, model, state):
        q, v, a = state
        snaps = [Snapshot(model, *row) for row in zip(q, v, strict=True)]
        for share in np.linspace(0, 1, 13):
            frame = Frame("blade", (0.01, 0.02, 0.03), trees.rotation(np.random.default_rng(4)))
            frame = Frame(
                frame.link, frame.position, frame.rotation, share * model.link("blade").joint.length
            )
            assert relative(engine.poses(model, q, frame), [s.pose(frame) for s in snaps]) < 1e-12
            assert relative(engine.jacobian(model, q, frame), [s.jacobian(frame) for s in snaps]) < 1e-12
            want = [s.acceleration(frame, x) for s, x in zip(snaps, a, strict=True)]
            assert relative(engine.accelerations(model, q, v, a, frame), want) < 1e-11


def test_calls_from_several_threads_do_not_disturb_each_other():
    """Scratch belongs to a thread: models of different size at the same time give what they give alone."""
    rng = np.random.default_rng(5)
    cases = []
    for n in (2, 5, 11, 20):
        model = trees.random_model(rng, n)
        cases.append((model, *trees.random_state(model, rng, 40)))
    alone = [engine.inverse_dynamics(*case) for case in cases]
    with ThreadPoolExecutor(4) as pool:
        for _ in range(5):
            together = list(pool.map(lambda case: engine.inverse_dynamics(*case), cases))
            assert all(np.array_equal(x, y) for x, y in zip(alone, together, strict=True))


def test_a_new_model_is_not_mistaken_for_an_old_one():
    """Whatever is kept for a model goes with it: many short-lived models, each with its own answer."""
    rng = np.random.default_rng(6)
    for _ in range(30):
        model = trees.random_model(rng, 3, ("revolute", "spherical", "custom"), base="revolute")
        q, v, a = trees.random_state(model, rng)
        want = Snapshot(model, q, v).inverse_dynamics(a)
        assert relative(engine.inverse_dynamics(model, q, v, a), want) < 1e-11
