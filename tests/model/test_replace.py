"""Models made of a model: as if they were made anew, but that only what is new is checked."""

import itertools
import math

import numpy as np
import pytest

from softstride.errors import ModelError
from softstride.model import (
    Axis,
    ConditionalPathPoint,
    ContactMesh,
    ContactSphere,
    Coordinate,
    CoordinateActuator,
    Custom,
    Fixed,
    Frame,
    Free,
    Inertia,
    Ligament,
    Linear,
    Link,
    Model,
    Muscle,
    Path,
    PathPoint,
    PathWrap,
    Point,
    PointActuator,
    Revolute,
    Rod,
    Section,
    Spherical,
    TorqueActuator,
    WrapSphere,
)
from softstride.model import model as room
from softstride.notes import Note

X, Y, Z = np.eye(3)
STRIP = Section.rectangle(0.1, 0.01, density=1000.0, young=60e9, shear=5e9)


def blade(length=0.6):
    return Link("blade", "shank", Rod.uniform(length, 2, STRIP, free=("ky",)))


def links(**others):
    """The links of the leg, some of them others; None leaves one out."""
    every = {
        "pelvis": Link("pelvis", "world", Free(), inertia=Inertia(3.0)),
        "thigh": Link("thigh", "pelvis", Spherical(), inertia=Inertia(1.0)),
        "shank": Link(
            "shank", "thigh", Custom((Axis.along(Z, "knee"), Axis(X), Axis(Y))), inertia=Inertia(0.5)
        ),
        "patella": Link("patella", "thigh", Custom((Axis(Z, (("knee", Linear(0.5)),)), Axis(X), Axis(Y)))),
        "blade": blade(),
        "spike": Link("spike", "blade", Fixed(), at=0.3),
    } | others
    return tuple(link for link in every.values() if link is not None)


def band(kind, name="band", link="thigh", coordinate="knee", surface="ball"):
    points = (
        PathPoint(link, (0.0, 0.1, 0.0)),
        ConditionalPathPoint("thigh", (0.1, 0.0, 0.0), coordinate=coordinate, lower=0.0, upper=1.0),
        PathPoint("shank", (0.0, -0.1, 0.0)),
    )
    path = Path(points, (PathWrap(surface),))
    if kind == "muscle":
        return Muscle(name, path, 1000.0, 0.1, 0.2)
    return Ligament(name, path, 0.3, 100.0, Linear(1.0))


def leg():
    return Model(
        name="leg",
        links=links(),
        coordinates={"knee": Coordinate("knee", stiffness=3.0)},
        markers={"knob": Point("shank", X), "half": Point("blade", at=0.5), "wall": Point("world", Y)},
        frames={"cell": Frame("thigh", Y), "mid": Point("blade", at=0.55)},
        muscles={"band": band("muscle")},
        wraps={"ball": WrapSphere("thigh", radius=0.03)},
        ligaments={"strap": band("ligament", "strap")},
        actuators={
            "motor": CoordinateActuator("motor", coordinate="knee"),
            "push": PointActuator("push", link="blade"),
            "twist": TorqueActuator("twist", link="shank", reaction="thigh"),
        },
        contacts={"tip": ContactSphere("blade", at=0.59), "skin": ContactMesh("shank")},
        notes=("said",),
        credits="somebody",
        publications="somewhere",
    )


STIFF = tuple(
    Coordinate(f"thigh.{axis}", stiffness=k) for axis, k in zip("xyz", (1.0, 2.0, 3.0), strict=True)
)
SHIFTED = np.eye(4)
SHIFTED[:3, 3] = 1.0, 2.0, 3.0
VALUES = {
    "name": ("arm", "", "  ", None, 3),
    "links": (
        links(),
        list(links()),
        links(thigh=Link("thigh", "pelvis", Spherical(), SHIFTED, inertia=Inertia(2.0))),  # nobody feels it
        links(blade=blade(0.7)),
        links(blade=blade(0.58)),  # too short for the contact
        links(blade=blade(0.52)),  # for the frame
        links(blade=blade(0.45)),  # for the marker
        links(blade=blade(0.2)),  # for a link
        links(blade=Link("blade", "shank", Fixed()), spike=None),  # no rod
        links(spike=None),
        links(spike=None, blade=None),
        links(patella=None),
        links(shank=None, blade=None, spike=None),
        links(shank=Link("shank", "thigh", Revolute(Z, "knee")), patella=None),
        links(shank=Link("shank", "thigh", Revolute(Z, "knee"))),  # may not share its coordinate
        links(shank=Link("shank", "thigh", Revolute(Z, "bend")), patella=None),  # another coordinate
        links(patella=Link("patella", "pelvis", Custom((Axis.along(Z, "knee"), Axis(X), Axis(Y))))),
        links(thigh=Link("thigh", "pelvis", Fixed())),
        links(thigh=Link("thigh", "nobody", Spherical())),
        links(spike=Link("spike", "blade", Fixed(), at=0.7)),
        links(spike=Link("knob", "blade", Fixed())),  # the name of a marker is free
        links(spike=Link("cell", "blade", Fixed())),  # that of a frame is not
        links()[::-1],
        (*links(), links()[0]),
        (*links(), Link("more", "spike", Revolute(Z))),
        (*links(), "spike"),
        (),
        3,
    ),
    "gravity": ((0.0, 0.0, -9.81), (0.0, math.nan, 0.0), (1.0, 2.0), "down", None),
    "coordinates": (
        {},
        {"knee": Coordinate("knee", default=0.3)},
        {"toe": Coordinate("toe")},
        {"knee": Coordinate("hip")},
        {"knee": 3.0},
        {each.name: each for each in STIFF},
        {"thigh.x": Coordinate("thigh.x", limit_stiffness=1.0)},
        {"pelvis.tx": Coordinate("pelvis.tx", stiffness=1.0)},
        3,
        None,
    ),
    "markers": (
        {},
        {"new": Point("shank", Z)},
        {"new": Point("blade", at=0.6)},
        {"new": Point("blade", at=0.61)},
        {"new": Point("shank", at=0.1)},
        {"new": Point("nobody")},
        {"new": Frame("shank")},
        {"new": (0.0, 0.0, 0.0)},
        {"cell": Point("shank")},  # the name of a frame
        {"thigh": Point("shank")},
        {"": Point("shank")},
        {3: Point("shank")},
        3,
        None,
    ),
    "frames": (
        {},
        {"new": Frame("shank", Z)},
        {"new": Point("blade", at=0.6)},
        {"new": Frame("blade", at=0.61)},
        {"new": Frame("shank", at=0.1)},
        {"new": Frame("nobody")},
        {"new": "shank"},
        {"knob": Frame("shank")},
        {"thigh": Frame("shank")},
        {"world": Frame("shank")},
        {" ": Frame("shank")},
        3,
    ),
    "muscles": (
        {},
        {"band": band("muscle")},
        {"other": band("muscle")},
        {"band": band("ligament")},
        {"band": "muscle"},
        {"band": band("muscle", link="nobody")},
        {"band": band("muscle", link="world")},
        {"band": band("muscle", coordinate="toe")},
        {"band": band("muscle", surface="post")},
        3,
    ),
    "wraps": ({"ball": WrapSphere("shank", radius=0.1)}, {"ball": WrapSphere("nobody", radius=0.1)}, {}, 3),
    "ligaments": (
        {},
        {"strap": band("ligament", "strap")},
        {"strap": band("muscle", "strap")},
        {"strap": band("ligament", "strap", link="nobody")},
        {"strap": band("ligament", "strap", coordinate="toe")},
        {"strap": band("ligament", "strap", surface="post")},
        {"strap": None},
        3,
    ),
    "actuators": (
        {},
        {"motor": CoordinateActuator("motor", coordinate="toe")},
        {"push": PointActuator("push", link="nobody")},
        {"twist": TorqueActuator("twist", link="nobody")},
        {"twist": TorqueActuator("twist", link="shank", reaction="nobody")},
        3,
    ),
    "contacts": (
        {},
        {"tip": ContactSphere("blade", at=0.6)},
        {"tip": ContactSphere("blade", at=0.61)},
        {"tip": ContactSphere("shank", at=0.1)},
        {"tip": ContactSphere("nobody")},
        {"tip": ContactSphere("world", at=0.1)},
        {"skin": ContactMesh("nobody")},
        3,
    ),
    "notes": ((), ("new",), (Note("a.b", "c"),), (3,), "text", 3),
    "credits": ("", "me", None, 3),
    "publications": ("", "here", None, 3),
}


def outcome(make):
    """What comes out: the model, or kind, sentence and facts of the refusal."""
    try:
        return make()
    except (ModelError, TypeError, ValueError, AttributeError) as refusal:
        return type(refusal), str(refusal), {k: repr(v) for k, v in vars(refusal).items()}


def same(a, b):
    """Both are one refusal, or models with the same parts and the same of all that is found from them."""
    if isinstance(a, tuple) or isinstance(b, tuple):
        return a == b
    parts = [name for name in VALUES if name != "gravity"]
    whole = all(_equal(getattr(a, name), getattr(b, name)) for name in parts)
    found = ("mass", "groups", "_layout", "_index", "nq", "nv", "link_names", "coordinate_names")
    return (
        whole
        and np.array_equal(a.gravity, b.gravity)
        and all(getattr(a, name) == getattr(b, name) for name in found)
        and np.array_equal(a.neutral(), b.neutral())
    )


def _equal(a, b):
    """Tables with the same things in the same order; default coordinates are made for each model."""
    if type(a) is not type(b):
        return False
    if not hasattr(a, "items"):
        return a == b
    return list(a) == list(b) and all(
        x is y or (isinstance(x, Coordinate) and x == y) for x, y in pairs(a, b)
    )


def pairs(a, b):
    return zip(a.values(), b.values(), strict=True)


def anew(model, changes):
    return Model(**{name: getattr(model, name) for name in VALUES} | changes)


CASES = [(name, i) for name, values in VALUES.items() for i in range(len(values))]


@pytest.mark.parametrize(("name", "which"), CASES)
def test_a_changed_field_is_taken_and_refused_as_by_a_new_model(name, which):
    model, changes = leg(), {name: VALUES[name][which]}
    _ = model.mass
    assert same(outcome(lambda: model.replace(**changes)), outcome(lambda: anew(model, changes)))


@pytest.mark.parametrize("names", list(itertools.combinations(VALUES, 2)))
def test_two_changed_fields_are_taken_and_refused_as_by_a_new_model(names):
    model = leg()
    for values in itertools.product(*(VALUES[name] for name in names)):
        changes = dict(zip(names, values, strict=True))
        ours, theirs = outcome(lambda: model.replace(**changes)), outcome(lambda: anew(model, changes))  # noqa: B023
        assert same(ours, theirs), changes


KINDS = {name: name.removesuffix("s") for name in room._TABLES} | {"wraps": "wrapping surface"}


@pytest.mark.parametrize("table", room._TABLES)
def test_a_table_alone_feels_what_it_refers_to(table):
    """Nothing else is there that could be refused before it."""
    kept = {table, "wraps"} if table in ("muscles", "ligaments") else {table}
    model = leg().replace(**{name: {} for name in room._TABLES if name not in kept})
    refused = 0
    for name in ("links", "wraps", "markers", "name"):
        for value in VALUES[name]:
            changes = {name: value} | ({"coordinates": {}} if table != "coordinates" else {})
            ours, theirs = outcome(lambda: model.replace(**changes)), outcome(lambda: anew(model, changes))  # noqa: B023
            assert same(ours, theirs), changes
            refused += isinstance(ours, tuple) and ours[1].startswith(KINDS[table])
    assert refused


def test_the_values_are_good_and_bad():
    """Half of each at least, or the two tests above would say little."""
    model = leg()
    assert set(VALUES) == set(room._FIELDS)
    good = [not isinstance(outcome(lambda n=n, i=i: anew(model, {n: VALUES[n][i]})), tuple) for n, i in CASES]
    assert 30 < sum(good) < len(good) - 60


def test_a_change_of_a_change():
    """What was kept from the first model is not kept when it no longer holds."""
    model = leg().replace(name="a", gravity=(0.0, 0.0, 0.0))
    heavy = model.replace(links=links(pelvis=Link("pelvis", "world", Free(), inertia=Inertia(30.0))))
    assert heavy.mass == model.mass + 27.0
    assert heavy.groups == model.groups == (("shank", "patella"),)
    short = heavy.replace(links=links(patella=None))
    assert short.groups == ()
    assert short.link_names == ("pelvis", "thigh", "shank", "blade", "spike")
    assert short.nv == heavy.nv
    with pytest.raises(ModelError, match="'patella' is no link"):
        short.index("patella")


def test_replace_checks_nothing_twice(monkeypatch):
    """A new name, and links that only weigh more, leave every path, place and surface unasked."""
    model = leg()

    def refuse(*_):
        raise AssertionError("checked again")

    for check in ("_check_links", "_check_places", "_check_paths", "_check_wraps", "_check_contacts"):
        monkeypatch.setattr(Model, check, refuse)
    monkeypatch.setattr(Model, "__post_init__", refuse)
    changed = model.replace(
        name="other",
        links=links(thigh=Link("thigh", "pelvis", Spherical(), SHIFTED, inertia=Inertia(9.0))),
        markers=model.markers,
    )
    assert changed.name == "other"
    assert changed.mass == model.mass + 8.0
    assert changed.markers is model.markers
    with pytest.raises(AssertionError, match="checked again"):
        model.replace(markers={})


def test_unknown_fields_are_named():
    with pytest.raises(
        TypeError, match="'weight' is no field of a model; its fields are name, links, gravity"
    ):
        leg().replace(name="a", weight=3)


@pytest.mark.parametrize(
    "names", [("patella",), ("spike", "patella"), ("pelvis",), (), ("world",), ("shank",)]
)
def test_only_some_links(names):
    """As a new model of these links, without anything on them."""
    model = leg()
    part = model.only(names)
    wanted = {
        "patella": ("pelvis", "thigh", "patella"),
        "spike": ("pelvis", "thigh", "shank", "blade", "spike"),
        "shank": ("pelvis", "thigh", "shank"),
        "pelvis": ("pelvis",),
    }
    every = {each for name in names for each in wanted.get(name, ())}
    kept = tuple(link for link in model.links if link.name in every)
    assert same(part, Model(model.name, kept, model.gravity))
    with pytest.raises(ModelError, match="'toe' is no link of 'leg'"):
        model.only(("toe",))
