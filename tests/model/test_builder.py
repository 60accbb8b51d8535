"""Writing a model down, and every way of getting it wrong."""

import doctest
import math

import numpy as np
import pytest

from softstride.errors import ModelError
from softstride.model import (
    Axis,
    Constant,
    Coordinate,
    Custom,
    Fixed,
    Frame,
    Free,
    Inertia,
    Link,
    ModelBuilder,
    Point,
    Prismatic,
    Revolute,
    Rod,
    Section,
    SimmSpline,
    Spherical,
)
from softstride.model import builder as module
from softstride.notes import SAID, Note

X, Y, Z = np.eye(3)
TURN = np.array([[0.0, -1, 0], [1, 0, 0], [0, 0, 1]])
BLADE = Rod.uniform(0.6, 2, Section.rectangle(0.06, 0.01, 1600.0, 60e9, 5e9), free=("ky",))

ADD = {
    "fixed": {},
    "revolute": {"axis": Z},
    "prismatic": {"axis": X},
    "spherical": {},
    "free": {},
    "custom": {"rotations": (Axis.along(Z, "u"), Axis(X), Axis(Y))},
    "rod": {"rod": BLADE},
}
KINDS = [Fixed, Revolute, Prismatic, Spherical, Free, Custom, Rod]
each_kind = pytest.mark.parametrize("kind", ADD)


def builder():
    return ModelBuilder("test")


@pytest.mark.parametrize(("kind", "joint"), list(zip(ADD, KINDS, strict=True)))
def test_every_kind_takes_the_body_options(kind, joint):
    b = builder()
    offset = np.eye(4)
    offset[:3, 3] = (1, 2, 3)
    b.rod("base", rod=BLADE)
    getattr(b, kind)(
        "link",
        "base",
        position=(1, 0, 0),
        rotation=TURN,
        mass=2.0,
        com=(0, 1, 0),
        inertia=(1, 1, 1),
        offset=offset,
        at=0.1,
        **ADD[kind],
    )
    link = b.build().link("link")
    assert isinstance(link.joint, joint) and link.parent == "base" and link.at == 0.1
    np.testing.assert_array_equal(link.placement[:3, :3], TURN)
    np.testing.assert_array_equal(link.placement[:3, 3], [1, 0, 0])
    np.testing.assert_array_equal(link.offset, offset)
    assert link.inertia.mass == 2.0 and link.inertia.com[1] == 1.0
    np.testing.assert_array_equal(link.inertia.matrix, np.eye(3))


@each_kind
def test_every_kind_has_defaults(kind):
    b = builder()
    getattr(b, kind)("link", **ADD[kind])
    link = b.build().link("link")
    assert link.parent == "world" and link.inertia.mass == 0.0 and link.at is None
    np.testing.assert_array_equal(link.placement, np.eye(4))
    np.testing.assert_array_equal(link.offset, np.eye(4))


def test_the_example_of_the_module_runs():
    assert doctest.testmod(module).attempted == 4 and doctest.testmod(module).failed == 0


def test_calls_may_come_in_any_order():
    b = builder()
    b.marker("tip", "toe", (1, 0, 0))
    b.revolute("toe", "foot", axis=Z)
    b.revolute("foot", "shank", axis=Z)
    b.free("shank")
    assert b.build().link_names == ("shank", "foot", "toe")


def test_a_whole_inertia_is_accepted():
    b = builder()
    body = Inertia(0.2, matrix=(1e-4, 2e-4, 1e-3), physical=False)
    b.fixed("toes", inertia=body)
    assert b.build().link("toes").inertia is body
    with pytest.raises(ModelError, match="link 'foot': an Inertia holds mass and com already"):
        b.fixed("foot", inertia=body, mass=1.0)


def test_passive_options_reach_the_coordinates():
    b = builder()
    b.revolute(
        "knee",
        axis=Z,
        stiffness=1,
        rest=2,
        damping=3,
        range=(-2, 0),
        limit_stiffness=4,
        limit_damping=5,
        default=-1,
    )
    b.spherical(
        "hip",
        stiffness=7,
        damping=(1, 2, 3),
        default=(0.1, 0.2, 0.3),
        range=[(-1, 1), (-2, 2), (-math.inf, 3)],
    )
    coordinates = b.build().coordinates
    assert coordinates["knee"] == Coordinate("knee", -1, -2, 0, 1, 2, 3, 4, 5)
    assert coordinates["hip.y"] == Coordinate("hip.y", default=0.2, lower=-2, upper=2, stiffness=7, damping=2)
    assert coordinates["hip.z"].lower == -math.inf


def test_coordinates_may_be_given_apart_and_then_win():
    for first in (True, False):
        b = builder()
        if first:
            b.coordinate(Coordinate("bend", damping=2.0))
        b.revolute("knee", axis=Z, coordinate="bend", damping=1.0, stiffness=1.0)
        if not first:
            b.coordinate(Coordinate("bend", damping=2.0))
        assert b.build().coordinates["bend"] == Coordinate("bend", damping=2.0)


def test_a_patella_shares_the_knee():
    knee = SimmSpline([-2, -1, 0], [0.1, 0.05, 0.0])
    b = builder()
    b.fixed("femur")
    b.custom("tibia", "femur", rotations=(Axis.along(Z, "knee"), Axis(X), Axis(Y)), stiffness=2.0)
    b.custom(
        "patella",
        "femur",
        rotations=(Axis(Z, (("knee", knee),)), Axis(X), Axis(Y)),
        translations=(Axis(X, (("", Constant(0.04)),)), Axis(Y), Axis(Z)),
    )
    model = b.build()
    assert model.nv == 1 and model.groups == (("tibia", "patella"),)
    assert model.v_indices("patella") == (0,) and model.coordinates["knee"].stiffness == 2.0
    with pytest.raises(
        ModelError, match="link 'fabella': another link describes coordinate 'knee' differently"
    ):
        b.custom("fabella", "femur", rotations=(Axis.along(Z, "knee"), Axis(X), Axis(Y)), stiffness=3.0)
    b.custom("fabella", "femur", rotations=(Axis.along(Z, "knee"), Axis(X), Axis(Y)), stiffness=2.0)
    assert b.build().nv == 1


def test_shared_coordinates_must_form_a_group():
    b = builder()
    b.fixed("femur")
    b.custom("tibia", "femur", rotations=(Axis.along(Z, "knee"), Axis(X), Axis(Y)))
    b.fixed("plate", "tibia")
    b.custom("patella", "plate", rotations=(Axis.along(Z, "knee"), Axis(X), Axis(Y)))
    with pytest.raises(
        ModelError, match="links 'tibia', 'patella' share coordinates but hang on different places"
    ):
        b.build()


def test_markers_frames_and_notes():
    b = ModelBuilder("test", gravity=(0, 0, -9.81))
    b.rod("blade", rod=BLADE)
    b.marker("m", "blade", (0, 0.03, 0), at=0.2)
    b.frame("f", "blade", rotation=TURN)
    b.note("made by hand")
    known = Note("sizes.measured", "the shank was measured")
    b.note(known)
    model = b.build()
    assert isinstance(model.markers["m"], Point) and model.markers["m"].at == 0.2
    assert isinstance(model.frames["f"], Frame) and model.notes == (Note(SAID, "made by hand"), known)
    np.testing.assert_array_equal(model.frames["f"].rotation, TURN)
    np.testing.assert_array_equal(model.gravity, [0, 0, -9.81])


def test_building_twice_gives_two_models():
    b = builder()
    b.revolute("a", axis=Z)
    first = b.build()
    b.revolute("b", "a", axis=Z)
    assert first.nv == 1 and b.build().nv == 2


@each_kind
@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"parent": 3}, "link 'thigh': parent"),
        ({"position": (1, 2)}, "link 'thigh': placement: position must have shape"),
        ({"position": (1, 2, math.nan)}, "link 'thigh': placement: position must be finite"),
        ({"rotation": np.ones((3, 3))}, "link 'thigh': placement: rotation"),
        ({"rotation": np.diag([1, 1, -1])}, "link 'thigh': placement: rotation .* reflection"),
        ({"mass": -1}, "link 'thigh': mass must be at least 0, however it is -1"),
        ({"mass": math.nan}, "link 'thigh': mass must be finite"),
        ({"mass": "heavy"}, "link 'thigh': mass must be a number"),
        ({"com": (0, 0, math.inf)}, "link 'thigh': centre of mass must be finite"),
        ({"inertia": (1, 2, 4)}, "link 'thigh': inertia matrix must obey the triangle inequality"),
        ({"inertia": (1, 1, -1)}, "link 'thigh': inertia matrix must have no negative"),
        ({"inertia": (1, 1)}, "link 'thigh': inertia matrix must have shape"),
        ({"offset": np.zeros((4, 4))}, "link 'thigh': offset"),
        ({"at": -1}, "link 'thigh': at must be at least 0"),
        ({"at": "tip"}, "link 'thigh': at must be a number"),
    ],
)
def test_body_guards_name_the_link(kind, options, message):
    with pytest.raises(ModelError, match=message):
        getattr(builder(), kind)("thigh", **ADD[kind], **options)


@pytest.mark.parametrize("kind", ["revolute", "prismatic", "spherical", "free", "custom"])
@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"stiffness": -1}, "link 'thigh': coordinate .*: stiffness must be at least 0"),
        ({"damping": math.nan}, "link 'thigh': damping must be finite"),
        ({"damping": np.ones(9)}, "link 'thigh': damping must have shape"),
        ({"range": (1, -1)}, "link 'thigh': coordinate .*: lower limit 1 must not be above"),
        ({"range": 3}, "link 'thigh': range must have shape"),
        ({"range": (math.nan, 1)}, "link 'thigh': range must be finite"),
        ({"rest": "slack"}, "link 'thigh': rest must be made of"),
    ],
)
def test_passive_guards_name_the_link(kind, options, message):
    with pytest.raises(ModelError, match=message):
        getattr(builder(), kind)("thigh", **ADD[kind], **options)


@pytest.mark.parametrize(
    ("kind", "options", "message"),
    [
        ("revolute", {"axis": (0, 0, 0)}, "link 'thigh': axis of Revolute must not be zero"),
        ("prismatic", {"axis": (0, math.nan, 0)}, "link 'thigh': axis of Prismatic must be finite"),
        ("revolute", {"axis": Z, "coordinate": 7}, "link 'thigh': coordinate of Revolute must be a name"),
        ("custom", {"rotations": (X, Y, Z)}, "link 'thigh': rotations of a Custom joint"),
        ("rod", {"rod": "steel"}, "link 'thigh': rod must be a Rod"),
    ],
)
def test_joint_guards_name_the_link(kind, options, message):
    with pytest.raises(ModelError, match=message):
        getattr(builder(), kind)("thigh", **options)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"axis": (0, 0, 0)}, "link 'thigh': axis of Revolute must not be zero"),
        ({"axis": Z, "parent": ""}, "link 'thigh': parent must be"),
        ({"axis": Z, "offset": np.ones((4, 4))}, "link 'thigh': offset: its rotation must be"),
        ({"axis": Z, "stiffness": -1.0}, "link 'thigh': coordinate 'thigh'"),
    ],
)
def test_links_are_named_once(options, words):
    with pytest.raises(ModelError, match=f"^{words}") as caught:
        builder().revolute("thigh", **options)
    assert str(caught.value).count("link 'thigh'") == 1


@each_kind
def test_unknown_options_are_named(kind):
    with pytest.raises(TypeError, match="link 'thigh': unknown option 'weight'; known: at, com,"):
        getattr(builder(), kind)("thigh", **ADD[kind], weight=3)


@pytest.mark.parametrize("kind", ["fixed", "rod"])
def test_links_without_springs_refuse_them(kind):
    with pytest.raises(TypeError, match="unknown option 'stiffness'"):
        getattr(builder(), kind)("thigh", **ADD[kind], stiffness=3)


def test_an_axis_is_needed():
    with pytest.raises(TypeError, match="axis"):
        builder().revolute("thigh")


def test_names_are_checked_at_once():
    b = builder()
    b.free("thigh")
    b.marker("m", "thigh")
    b.frame("f", "thigh")
    for again, message in (
        (lambda: b.fixed("thigh"), "link 'thigh' exists twice"),
        (lambda: b.link(Link("thigh", "world", Fixed())), "link 'thigh' exists twice"),
        (lambda: b.marker("m", "thigh"), "marker 'm' exists twice"),
        (lambda: b.frame("f", "thigh"), "frame 'f' exists twice"),
        (lambda: b.fixed("world"), "link 'world': this name belongs to the fixed world"),
        (lambda: b.fixed(""), "name of a link"),
        (lambda: b.fixed(["a"]), "name of a link"),
        (lambda: b.marker(None, "thigh"), "name of a marker"),
        (lambda: b.marker("n", 3), "marker 'n': link of a point or frame"),
        (lambda: b.marker("n", "thigh", (1, 2)), "marker 'n': Point on 'thigh': position"),
        (lambda: b.frame("g", "thigh", rotation=np.ones((3, 3))), "frame 'g': Frame on 'thigh': rotation"),
        (lambda: b.link("thigh"), "a link must be a Link"),
        (lambda: b.coordinate("knee"), "a coordinate must be a Coordinate"),
        (lambda: b.note(3), "note must be a string"),
        (lambda: ModelBuilder(""), "name of a model"),
        (lambda: ModelBuilder("m", gravity=(0, 0)), "gravity must have shape"),
    ):
        with pytest.raises(ModelError, match=message):
            again()
    assert b.build().link_names == ("thigh",)  # what failed left no trace


def test_a_link_that_failed_leaves_no_trace():
    b = builder()
    with pytest.raises(ModelError):
        b.revolute("knee", axis=Z, damping=1.0, range=(1, 0))
    b.revolute("knee", axis=Z, damping=2.0)
    assert b.build().coordinates["knee"].damping == 2.0


@pytest.mark.parametrize(
    ("write", "message"),
    [
        (lambda b: b.fixed("a", "b"), "link 'a': parent 'b' is no link"),
        (lambda b: (b.fixed("a", "b"), b.fixed("b", "a")), "cycle: 'a' -> 'b' -> 'a'"),
        (
            lambda b: (b.rod("r", rod=BLADE), b.fixed("a", "r", at=0.7)),
            "link 'a': at=0.7 m lies beyond the rod 'r'",
        ),
        (lambda b: (b.fixed("r"), b.fixed("a", "r", at=0.1)), "link 'a': at=0.1 needs a rod"),
        (lambda b: b.fixed("a", at=0.1), "link 'a': at=0.1 needs a rod as parent"),
        (
            lambda b: b.spherical("a", stiffness=(1, 2, 3)),
            "link 'a': the stiffness of a spherical joint must be equal",
        ),
        (lambda b: b.spherical("a", limit_stiffness=1), "link 'a': a spherical joint has no limit forces"),
        (lambda b: b.free("a", stiffness=1), "link 'a': a free joint has no spring"),
        (
            lambda b: (b.revolute("a", axis=Z), b.revolute("b", axis=Z, coordinate="a")),
            "coordinate 'a' belongs to link 'a'",
        ),
        (lambda b: b.marker("m", "a"), "marker 'm': 'a' is no link"),
        (lambda b: b.coordinate(Coordinate("knee")), "coordinate 'knee' belongs to no link"),
    ],
)
def test_build_guards(write, message):
    b = builder()
    write(b)
    with pytest.raises(ModelError, match=message):
        b.build()
