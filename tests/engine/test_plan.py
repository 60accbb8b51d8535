"""From models to tables: what melts together, what is shared, what depends on what."""

import gc
import weakref

import numpy as np

from softstride.engine.kernels import tables as t
from softstride.engine.lanes import LANES
from softstride.engine.plan import plan
from softstride.model import Axis, Linear, ModelBuilder, Point, Polynomial, Rod, Section


def branched():
    """A free base with two legs, one fixed link, and a mass fixed to the world."""
    b = ModelBuilder("branched")
    b.fixed("ground", mass=99.0)
    b.free("base", mass=2.0, inertia=(0.1, 0.1, 0.1))
    b.revolute("left", parent="base", axis=(0, 1, 0), mass=1.0, inertia=(0.1, 0.1, 0.1))
    b.fixed("shoe", parent="left", position=(0, -0.5, 0), mass=0.5)
    b.spherical("right", parent="base", mass=1.0, inertia=(0.1, 0.1, 0.1))
    return b.build()


def test_fixed_links_melt_into_their_carrier():
    tree = plan(branched()).tree
    assert len(tree.nodes) == 3 and len(tree.stations) == 4
    masses = tree.constants[tree.stations[1:, t.INERTIA]]
    np.testing.assert_allclose(masses, [2.0, 1.5, 1.0])


def test_related_coordinates_are_those_on_one_path():
    p = plan(branched())
    bits = p.related
    full = np.array([[bits[i, j // LANES] >> (j % LANES) & 1 for j in range(10)] for i in range(10)])
    expected = np.ones((10, 10), dtype=int)
    expected[6, 7:] = expected[7:, 6] = 0  # the legs do not feel each other
    np.testing.assert_array_equal(full, expected)


def test_links_that_share_a_coordinate_are_one_node():
    b = ModelBuilder("knee")
    b.free("femur", mass=1.0, inertia=(0.1, 0.1, 0.1))
    turn = Axis((0, 0, 1), (("knee", Linear(1.0)),))
    slide = Axis((1, 0, 0), (("knee", Polynomial((0.0, 0.1, 0.02))),))
    still = (Axis((0, 1, 0)), Axis((0, 0, 1)))
    b.custom("tibia", "femur", rotations=(turn, *still), mass=1.0, inertia=(0.1, 0.1, 0.1))
    b.custom("patella", "femur", translations=(slide, *still), mass=0.1, inertia=(0.01, 0.01, 0.01))
    tree = plan(b.build()).tree
    assert tree.nv == 7
    assert [int(n) for n in tree.nodes[:, t.KIND]] == [t.FREE, t.CUSTOM]
    assert tree.nodes[1, t.COUNT] == 2


def test_rods_have_quadrature_points_tips_and_places():
    b = ModelBuilder("rod")
    section = Section.rectangle(0.02, 0.005, 1600.0, 5e10, 5e9)
    b.rod("blade", rod=Rod.uniform(0.6, 3, section, quadrature=4))
    b.revolute("fin", parent="blade", at=0.3, axis=(0, 0, 1), mass=0.1, inertia=(1e-3, 1e-3, 1e-3))
    model = b.build()
    places = (Point("blade", at=0.25), Point("blade", at=0.2), Point("blade"))
    p = plan(model, places)
    live = p.tree.stations[:, t.LIVE]
    # three segments: four quadrature points each; tips, the fin's branch, one place in mid-segment; fin; world
    assert len(live) == 3 * 4 + 3 + 1 + 1 + 1 + 1
    assert p.places.stations[1] != p.places.stations[2]  # the end of the first segment, and the tip


def test_plans_are_made_once_and_die_with_their_model():
    model = branched()
    assert plan(model) is plan(model)
    assert plan(model, ("left",)) is plan(model, ("left",))
    watched = weakref.ref(model)
    del model
    gc.collect()
    assert watched() is None
