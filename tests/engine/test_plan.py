"""From models to tables: what melts together, what is shared, what depends on what."""

import gc
import threading
import weakref

import numpy as np
import pytest

from softstride.engine import jacobian, positions
from softstride.engine import plan as room
from softstride.engine.kept import Kept
from softstride.engine.kernels import tables as t
from softstride.engine.lanes import LANES
from softstride.engine.path_plan import path_plan
from softstride.engine.plan import plan
from softstride.engine.pose_fit import pose_fit
from softstride.errors import InputError
from softstride.model import (
    Axis,
    Frame,
    Linear,
    ModelBuilder,
    Path,
    PathPoint,
    Point,
    Polynomial,
    Rod,
    Section,
)


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


TURN = np.array([[0.0, -1.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, 1.0]])


def marked():
    model = branched()
    return model.replace(
        markers={"toe": Point("shoe", (0.1, 0.0, 0.0))}, frames={"cell": Frame("left", (0, 1, 0))}
    )


def rod_model():
    b = ModelBuilder("rod")
    b.rod("blade", rod=Rod.uniform(0.6, 3, Section.rectangle(0.02, 0.005, 1600.0, 5e10, 5e9)))
    return b.build()


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("left", Frame("left")),
        ("toe", Point("shoe", [0.1, 0.0, 0.0])),
        ("cell", Frame("left", (0.0, 1.0, 0.0), np.eye(3))),
        ("world", Frame("world")),
        (Point("left", (1, 2, 3)), Point("left", (1.0, 2.0, 3.0))),
        (Frame("left", (1, 2, 3), TURN), Frame("left", (1, 2, 3), TURN.copy())),
    ],
)
def test_places_that_say_the_same_have_one_plan(one, other):
    model = marked()
    found = plan(model, (one, "base"))
    assert plan(model, (other, "base")) is found
    assert plan(model, (other, Frame("base"))) is found
    assert plan(model, (other,)) is not found
    assert plan(marked(), (one, "base")) is not found  # a model of its own


PLACES = (
    Point("left"),
    Frame("left"),
    Point("right"),
    Point("left", (0.0, 0.0, 1e-300)),
    Frame("left", (0.0, 1.0, 0.0)),
    Frame("left", rotation=TURN),
    Point("world"),
)


def test_places_that_say_something_else_have_plans_of_their_own():
    model = branched()
    plans = [plan(model, (place,)) for place in PLACES]
    plans += [plan(model, (PLACES[0], PLACES[2])), plan(model, (PLACES[2], PLACES[0]))]
    plans += [
        plan(model),
        plan(model, chained=True),
        plan(model, cuts=("left",)),
        plan(model, cuts=("right",)),
    ]
    assert len(set(map(id, plans))) == len(plans)
    rod = rod_model()
    assert plan(rod, (Point("blade"),)) is not plan(rod, (Point("blade", at=0.6),))


def test_what_is_no_place_is_refused_every_time():
    model = branched()
    for _ in range(2):
        with pytest.raises(InputError, match="'nobody'"):
            plan(model, (Point("nobody"),))


def counted(monkeypatch):
    """Models and places that plans were made for."""
    made = []
    make = room.make_plan
    monkeypatch.setattr(
        room, "make_plan", lambda model, places, **more: made.append(places) or make(model, places, **more)
    )
    return made


def test_fresh_places_are_planned_once(monkeypatch):
    """A thousand calls with new objects that say the same make one plan, as many as are kept or more."""
    made = counted(monkeypatch)
    model = branched()
    for _ in range(1000):
        positions(model, model.neutral(), [Point("left", (0.1, 0.2, 0.3))])
    assert len(made) == 1
    jacobian(model, model.neutral(), Point("left", (0.1, 0.2, 0.3)))
    assert len(made) == 1


def test_the_plan_used_least_recently_goes_alone(monkeypatch):
    """One in steady use outlives any number of others; one that was dropped is made again, and right."""
    made = counted(monkeypatch)
    model = branched()
    steady = plan(model, (Point("left"),))
    for i in range(3 * room._KEPT):
        plan(model, (Point("right", (0.0, 0.0, float(i))),))
        assert plan(model, (Point("left"),)) is steady
    assert len(made) == 1 + 3 * room._KEPT
    for i in range(2 * room._KEPT + 1, 3 * room._KEPT):  # all others that are left are the latest
        plan(model, (Point("right", (0.0, 0.0, float(i))),))
    assert len(made) == 1 + 3 * room._KEPT
    again = positions(model, model.neutral(), Point("right", (0.0, 0.0, 0.0)))
    assert len(made) == 2 + 3 * room._KEPT
    np.testing.assert_array_equal(again, positions(model, model.neutral(), "right"))


def test_kept_values():
    kept: Kept[str] = Kept(2)
    one, other = branched(), branched()
    assert kept.get(one, "a") is None
    assert kept.put(one, "a", "A") == "A"
    assert kept.put(one, "a", "other") == "A"  # the first stays
    assert kept.put(one, "b", "B") == "B"
    assert kept.get(one, "a") == "A"
    assert kept.put(one, "c", "C") == "C"
    assert [kept.get(one, key) for key in "abc"] == ["A", None, "C"]
    assert kept.get(other, "a") is None


def test_threads_get_the_same_plan():
    """Eight threads ask for the same sixty places, as many as are kept, each in objects of its own."""
    model = branched()
    found = [[] for _ in range(8)]
    start = threading.Barrier(8)

    def ask(mine):
        start.wait()
        for i in range(60):
            mine.append(plan(model, (Point("left", (0.0, 0.0, float(i))),)))

    threads = [threading.Thread(target=ask, args=(mine,)) for mine in found]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for others in found[1:]:
        assert all(a is b for a, b in zip(found[0], others, strict=True))


def test_paths_have_one_plan_as_long_as_they_are_the_same_paths():
    model = branched()
    line = Path((PathPoint("left", (0.0, 0.1, 0.0)), PathPoint("right", (0.0, 0.0, 0.1))))
    bent = Path((PathPoint("left", (0.0, 0.1, 0.0)), PathPoint("base", (0.0, 0.0, 0.1))))
    found = path_plan(model, {"m": line})
    assert path_plan(model, {"m": line}) is found
    assert path_plan(model, {"n": line}).names == ("n",)
    assert path_plan(model, {"m": bent}) is not found
    assert path_plan(model, {"m": bent}).links == ("left", "base")
    for i in range(64):
        path_plan(model, {str(i): bent})
        assert path_plan(model, {"m": line}) is found


def test_fits_are_made_once():
    model = marked()
    found = pose_fit(model, ("toe",))
    assert pose_fit(model, ("toe",)) is found
    for i in range(16):
        pose_fit(model, (Point("left", (0.0, 0.0, float(i))),))
        assert pose_fit(model, ("toe",)) is found
