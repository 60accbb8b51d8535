"""The whole description: sizes, look-ups, defaults, copies and guards."""

import copy
import math
import pickle

import numpy as np
import pytest
from tests.refusals import bad_input

from softstride.errors import ModelError
from softstride.model import (
    Axis,
    Coordinate,
    Custom,
    Fixed,
    Frame,
    Free,
    Inertia,
    Link,
    Model,
    Muscle,
    Path,
    PathPoint,
    Point,
    Revolute,
    Rod,
    Section,
    Spherical,
)
from softstride.notes import SAID, Note

X, Y, Z = np.eye(3)
STRIP = Section.rectangle(0.1, 0.01, density=1000.0, young=60e9, shear=5e9)


def links():
    return (
        Link("pelvis", "world", Free(), inertia=Inertia(3.0)),
        Link("thigh", "pelvis", Spherical(), inertia=Inertia(1.0)),
        Link("shank", "thigh", Revolute(Z, "knee"), inertia=Inertia(0.5)),
        Link("patella", "thigh", Custom((Axis.along(Z, "slide"), Axis(X), Axis(Y)))),
        Link("blade", "shank", Rod.uniform(0.6, 2, STRIP, free=("ky",))),
        Link("spike", "blade", Fixed(), at=0.3),
    )


def model(**changes):
    return Model(**({"name": "leg", "links": links()} | changes))


def test_sizes():
    leg = model()
    assert (leg.nq, leg.nv) == (7 + 4 + 1 + 1 + 2, 6 + 3 + 1 + 1 + 2)
    assert leg.mass == pytest.approx(4.5 + 0.6)
    assert leg.link_names == ("pelvis", "thigh", "shank", "patella", "blade", "spike")
    assert tuple(leg.coordinates) == leg.coordinate_names and len(leg.coordinates) == leg.nv
    assert leg.coordinate_names[6:] == (
        "thigh.x",
        "thigh.y",
        "thigh.z",
        "knee",
        "slide",
        "blade.1.ky",
        "blade.2.ky",
    )
    np.testing.assert_array_equal(leg.gravity, [0, -9.80665, 0])
    assert repr(leg) == "Model('leg', 6 links, nq=15, nv=13, 5.1 kg)"


def test_an_empty_model_is_a_model():
    empty = Model("nothing", ())
    assert (empty.nq, empty.nv, empty.mass) == (0, 0, 0.0) and empty.neutral().shape == (0,)


def test_look_ups():
    leg = model()
    assert leg.link("shank") is leg.links[2] and leg.index("shank") == 2
    assert leg.parent("shank").name == "thigh" and leg.parent("pelvis") is None
    assert [link.name for link in leg.children("thigh")] == ["shank", "patella"]
    assert [link.name for link in leg.children("world")] == ["pelvis"] and leg.children("spike") == ()
    assert leg.q_indices("thigh") == (7, 8, 9, 10) and leg.v_indices("thigh") == (6, 7, 8)
    assert leg.q_slice("blade") == slice(13, 15) and leg.v_slice("blade") == slice(11, 13)
    assert leg.q_indices("spike") == () and leg.groups == ()


@pytest.mark.parametrize("name", ["hip", None, ["thigh"]])
def test_unknown_names_list_the_known_ones(name):
    for look_up in (model().link, model().children, model().q_indices, model().v_slice, model().parent):
        with pytest.raises(ModelError, match=r"is no link of 'leg'; known: 'pelvis', 'thigh'"):
            look_up(name)


def test_places_by_name_links_first():
    marker, frame = Point("shank", (1, 0, 0)), Frame("blade", at=0.1)
    leg = model(markers={"knee": marker, "thigh": Point("thigh", (1, 2, 3))}, frames={"middle": frame})
    assert leg.place("knee") is marker and leg.place("middle") is frame
    assert isinstance(leg.place("thigh"), Frame) and leg.place("world").link == "world"
    with pytest.raises(ModelError, match="'toe' is no link, frame or marker of 'leg'; known: 'pelvis'"):
        leg.place("toe")


def test_neutral_takes_the_defaults():
    turn = np.array([0.3, -0.2, 0.5])
    values = dict(zip(("thigh.x", "thigh.y", "thigh.z"), turn, strict=True))
    values |= {"knee": -0.4, "slide": 0.1, "blade.2.ky": 2.0, "pelvis.ty": 0.9, "pelvis.rz": math.pi / 2}
    q = model(coordinates={name: Coordinate(name, default=value) for name, value in values.items()}).neutral()
    angle = np.linalg.norm(turn)
    np.testing.assert_allclose(q[:7], [0, 0.9, 0, 0, 0, math.sqrt(0.5), math.sqrt(0.5)], atol=1e-15)
    np.testing.assert_allclose(
        q[7:11], [*(math.sin(angle / 2) / angle * turn), math.cos(angle / 2)], rtol=1e-14
    )
    np.testing.assert_allclose(q[11:], [-0.4, 0.1, 0, 2.0])


def test_neutral_without_defaults_is_the_neutral_of_the_joints():
    leg = model()
    np.testing.assert_array_equal(leg.neutral(), np.concatenate([link.joint.neutral() for link in leg.links]))


def test_given_coordinates_are_kept_and_sorted():
    knee = Coordinate("knee", stiffness=3.0)
    leg = model(coordinates={"slide": Coordinate("slide"), "knee": knee})
    assert leg.coordinates["knee"] is knee and list(leg.coordinates)[9:11] == ["knee", "slide"]


def test_models_are_compared_by_identity_and_cannot_change():
    leg = model()
    assert leg != model() and {leg: 1}[leg] == 1
    with pytest.raises(AttributeError):
        leg.name = "arm"
    with pytest.raises(TypeError):
        leg.coordinates["knee"] = Coordinate("knee")
    with pytest.raises(ValueError, match="read-only"):
        leg.gravity[0] = 1.0


def test_replace_returns_a_checked_copy():
    leg = model()
    moon = leg.replace(gravity=(0, -1.62, 0), notes=("on the moon",))
    assert leg.replace(credits="A. Person").replace(notes=()).credits == "A. Person"
    assert moon.links == leg.links and moon.gravity[1] == -1.62 and moon.notes == (Note(SAID, "on the moon"),)
    assert leg.gravity[1] == -9.80665
    with pytest.raises(ModelError, match="gravity"):
        leg.replace(gravity=(0, math.nan, 0))
    with pytest.raises(TypeError):
        leg.replace(weight=3)


@pytest.mark.parametrize(
    "clone", [lambda m: pickle.loads(pickle.dumps(m)), copy.deepcopy], ids=["pickle", "deepcopy"]
)
def test_models_survive_copying(clone):
    path = Path((PathPoint("thigh", (0, 0, 0)), PathPoint("blade", (0, 0, 0))))
    soleus = Muscle("soleus", path, 3000.0, 0.05, 0.25)
    leg = model(markers={"m": Point("blade", (0, 0, 1), at=0.1)}, muscles={"soleus": soleus})
    other = clone(leg)
    assert other.coordinate_names == leg.coordinate_names and other.mass == leg.mass
    assert other.coordinates == leg.coordinates and other.muscles["soleus"].path.links == ("thigh", "blade")
    np.testing.assert_array_equal(
        other.links[4].joint.segments[0].stiffness, leg.links[4].joint.segments[0].stiffness
    )
    assert (
        not other.gravity.flags.writeable and not other.links[4].joint.segments[0].stiffness.flags.writeable
    )


@bad_input(
    ModelError,
    ({"name": ""}, "name of a model"),
    ({"links": ("thigh",)}, "must be Link objects"),
    ({"links": links()[1:]}, "parent 'pelvis' is no link"),
    ({"links": links()[::-1]}, "comes before its parent"),
    ({"links": links() + links()[:1]}, "exists twice"),
    ({"gravity": (0, 0)}, "gravity must have shape"),
    (
        {"coordinates": {"hip": Coordinate("hip")}},
        "coordinate 'hip' belongs to no link; known: 'pelvis.rx'",
    ),
    (
        {"coordinates": {"knee": Coordinate("slide")}},
        "coordinate 'knee' must be a Coordinate of this name",
    ),
    ({"coordinates": {"knee": 3.0}}, "coordinate 'knee' must be a Coordinate of this name"),
    (
        {"coordinates": {"thigh.x": Coordinate("thigh.x", stiffness=1)}},
        "link 'thigh': the stiffness of a spherical",
    ),
    (
        {"coordinates": {"thigh.x": Coordinate("thigh.x", limit_stiffness=1)}},
        "link 'thigh': .* no limit forces",
    ),
    (
        {"coordinates": {"pelvis.ty": Coordinate("pelvis.ty", stiffness=1)}},
        "link 'pelvis': a free joint has no spring",
    ),
    ({"markers": {"m": Point("hip")}}, "marker 'm': 'hip' is no link; known: 'world', 'pelvis'"),
    ({"markers": {"m": Frame("thigh")}}, "marker 'm' must be a Point, however"),
    ({"markers": {3: Point("thigh")}}, "name of a marker"),
    ({"markers": {"m": Point("thigh", at=0.1)}}, "marker 'm': at=0.1 needs a rod"),
    ({"frames": {"f": Frame("blade", at=0.7)}}, "frame 'f': at=0.7 m lies beyond the rod"),
    ({"frames": {"f": "thigh"}}, "frame 'f' must be a Point or Frame"),
    ({"frames": {"thigh": Frame("shank")}}, "frame 'thigh': a link or marker has this name"),
    (
        {"frames": {"m": Frame("shank")}, "markers": {"m": Point("shank")}},
        "frame 'm': a link or marker has this name",
    ),
    ({"frames": {"world": Frame("shank")}}, "frame 'world': a link or marker has this name"),
)
def test_guards(refuses):
    refuses(model)


def test_equal_spherical_springs_and_dampers_are_fine():
    springs = {
        f"thigh.{a}": Coordinate(f"thigh.{a}", stiffness=2.0, damping=d)
        for a, d in zip("xyz", (1, 2, 3), strict=True)
    }
    assert model(coordinates=springs | {"pelvis.rx": Coordinate("pelvis.rx", damping=1.0)}).nv == 13


def test_points_of_the_world_are_fine():
    assert (
        model(markers={"lamp": Point("world", (0, 3, 0))}, frames={"lab": Frame("world")}).place("lab").link
        == "world"
    )
