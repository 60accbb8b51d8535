"""Whatever is wrong with a native file is a ModelError that says where and what to do; never another exception."""

import json
import random
import re
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.campaign import examples
from tests.model.native.compare import differences
from tests.model.native.test_schema import changed, places
from tests.model.native.zoo import zoo

from softstride.errors import ModelError
from softstride.model import athlete
from softstride.model.formats.native import files, format_native, parse_native, read_native

SMALL = format_native(athlete(False))
ZOO = format_native(zoo())


def link(text: str, name: str) -> int:
    return next(i for i, each in enumerate(json.loads(text)["links"]) if each["name"] == name)


KNEE = link(SMALL, "left_shank")


@pytest.mark.parametrize(
    ("place", "value", "message"),
    [
        (("links", KNEE, "joint", "axis"), [0, 0], r"links[%d].joint.axis: must be a list of 3 numbers"),
        (("links", KNEE, "joint", "axis", 1), "up", r"links[%d].joint.axis[1]: must be a finite number"),
        (("links", KNEE, "joint", "axis"), [0, 0, 0], r"links[%d].joint: axis of Revolute must not be zero"),
        (("links", KNEE, "joint", "axes"), [0, 0, 1], r"links[%d].joint: unknown key 'axes'; did you mean 'axis'?"),
        (("links", KNEE, "joint", "axis"), ..., r"links[%d].joint: 'axis' is missing; Revolute needs it"),
        (("links", KNEE, "joint", "kind"), "pin", r"links[%d].joint.kind: must be one of fixed, revolute, prismatic"),
        (("links", KNEE, "joint", "kind"), ..., r"links[%d].joint: 'kind' is missing; a joint is one of fixed"),
        (("links", KNEE, "joint", "kind"), ["pin"], r"links[%d].joint.kind: must be one of"),
        (("links", KNEE, "joint"), "revolute", r"links[%d].joint: must be an object {...}, however it is 'revolute'"),
        (("links", KNEE, "inertia", "mass"), -3.1, r"links[%d].inertia: mass must be at least 0, however it is -3.1"),
        (("links", KNEE, "inertia", "mass"), True, "inertia.mass: must be a finite number, however it is true"),
        (("links", KNEE, "inertia", "mass"), None, "inertia.mass: must be a finite number, however it is null"),
        (("links", KNEE, "parent"), "thigh", "link 'left_shank': parent 'thigh' is no link"),
        (("links", KNEE, "name"), "head", "link 'head' exists twice"),
        (("links", KNEE, "at"), 0.1, "at=0.1 needs a rod"),
        (("links",), {}, "links: must be a list [...], however it is an object {...}"),
        (("coordinates", "left_shank", "lower"), "low", 'left_shank.lower: must be a finite number, "inf" or "-inf"'),
        (("coordinates", "left_shank", "lower"), 9, "coordinates.left_shank: coordinate 'left_shank': lower limit 9"),
        (("coordinates", "left_shank", "locked"), 1, "left_shank.locked: must be true or false, however it is 1"),
        (("coordinates", "knee"), {}, "coordinate 'knee' belongs to no link"),
        (("coordinates", "left_shank", "name"), "knee", "coordinate 'left_shank' must be a Coordinate of this name"),
        (("markers", "a b"), {"link": "toe"}, "marker 'a b': 'toe' is no link"),
        (("markers", "a b"), {}, "markers['a b']: 'link' is missing"),
        (("markers",), [], "markers: must be an object {...}, however it is a list of 0"),
        (("gravity",), "down", "gravity: must be a list of 3 numbers"),
        (("name",), "", "name of a model must be a string that is not empty"),
        (("name",), 7, "name: must be a string, however it is 7"),
        (("name",), ..., "'name' is missing"),
        (("notes",), "one", "notes: must be a list [...], however it is 'one'"),
        (("muscle",), {}, "top level: unknown key 'muscle'; did you mean 'muscles'?"),
        (("format",), "gltf", "says 'format': 'gltf', however a native model begins with"),
        (("format",), ..., "has no 'format', however a native model begins with"),
        (("version",), 2, "version: is 2, however this release of softstride reads up to 1: upgrade it"),
        (("version",), 0, "version: must be 1, however it is 0"),
        (("version",), True, "version: must be 1, however it is true"),
        (("version",), ..., "version: must be 1, however it is missing"),
        (("$schema",), 3, "$schema: must be a string"),
    ],
)  # fmt: skip
def test_message(place: tuple[Any, ...], value: Any, message: str) -> None:
    data = json.dumps(changed(SMALL, place, value)).encode()
    with pytest.raises(ModelError, match="^file.json: .*" + re.escape(message.replace("%d", str(KNEE)))):
        parse_native(data, "file.json")


@pytest.mark.parametrize(
    ("place", "value", "message"),
    [
        (("wraps", "ball", "radius"), ..., "wraps.ball: 'radius' is missing"),
        (("wraps", "ball", "radius"), 0, "wraps.ball: WrapSphere on 'thigh': radius must be above zero"),
        (("wraps", "ball", "quadrant"), "up", "wraps.ball.quadrant: must be one of all, x, -x"),
        (("muscles", "soleus_l", "curves"), "hill", "muscles.soleus_l.curves: must be one of thelen2003"),
        (("muscles", "soleus_l", "path", "points"), [], "muscles.soleus_l.path: a path needs two points or more"),
        (("muscles", "soleus_l", "path", "wraps"), [{"surface": "x"}], "'x' is no wrapping surface"),
        (("actuators", "motor", "coordinate"), ..., "actuators.motor: 'coordinate' is missing"),
        (("contacts", "heel", "radius"), -1, "contacts.heel: contact sphere on 'toe': radius must be at least 0"),
        (("frames", "camera", "rotation"), [[1, 0, 0]] * 3, "frames.camera: Frame on 'world': rotation must be"),
        (("frames", "camera", "rotation", 1), [1, 0], "frames.camera.rotation[1]: must be a list of 3 numbers"),
        (("links", 0, "placement"), {"angle": 1}, "links[0].placement: unknown key 'angle'; known: position, rotation"),
        (("links", 0, "placement"), {"rotation": [[2, 0, 0], [0, 1, 0], [0, 0, 1]]}, "link 'base': placement"),
        (("links", 7, "joint", "quadrature"), 4.5, "joint.quadrature: must be a whole number, however it is 4.5"),
        (("links", 7, "joint", "segments", 0, "free"), ["kq"], "links[7].joint.segments[0].free[0]: must be one of kx"),
        (("links", 2, "joint", "rotations", 0, "terms", 0), {}, "joint.rotations[0].terms[0]: 'function' is missing"),
        (("links", 2, "joint", "rotations"), [], "links[2].joint: rotations of a Custom joint must be three Axis"),
        (("links", 2, "joint", "rotations", 0, "terms", 0, "function", "kind"), "sine", "one of constant, linear"),
    ],
)  # fmt: skip
def test_message_on_parts(place: tuple[Any, ...], value: Any, message: str) -> None:
    data = json.dumps(changed(ZOO, place, value)).encode()
    with pytest.raises(ModelError, match="^file.json: .*" + re.escape(message)):
        parse_native(data, "file.json")


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ('"mass": 8,', '"mass": NaN,', "links[0].inertia.mass: must be a finite number, however it is NaN"),
        ('"mass": 8,', '"mass": -Infinity,', "must be a finite number, however it is -Infinity"),
        ('"mass": 8,', '"mass": 1e999,', "must be a finite number, however it is 1e999"),
        ('"mass": 8,', '"mass": ' + "9" * 5000 + ",", "must be a finite number, however it is 9999"),
        ('"lower": 0,', '"lower": NaN,', "coordinates.left_ulna.lower: must be a finite number"),
        ('"mass": 8,', '"mass": 8, "mass": 9,', "links[0].inertia: key 'mass' is given twice; keep one"),
        ('"gravity"', '"name": "x", "gravity"', "top level: key 'name' is given twice"),
        ('"left_ulna": {"lower"', '"left_ulna": {}, "left_ulna": {"lower"', "coordinates: key 'left_ulna' is given"),
        ('"mass": 8,', '"mass": 8', "column 9: Expecting ',' delimiter; the file is no JSON from there on"),
        ("{", "[" * 100_000 + "{", "nested too deep"),
        ("{", "", "Extra data"),
    ],
)  # fmt: skip
def test_message_on_text(old: str, new: str, message: str) -> None:
    assert old in SMALL
    with pytest.raises(ModelError, match="^file.json: .*" + re.escape(message)):
        parse_native(SMALL.replace(old, new, 1).encode(), "file.json")


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"", "line 1, column 1: Expecting value"),
        (b"\xff\xfe{", "is no text in UTF-8: byte 0 is 0xff"),
        (b"[]", "holds a list of 0, however a native model begins with"),
        (b"null", "holds null"),
        (SMALL.encode()[:5000], "the file is no JSON from there on; it may be cut short"),
        (b'{"format": "softstride-model", "version": 1}', "'name' is missing"),
    ],
)
def test_other_content(data: bytes, message: str) -> None:
    with pytest.raises(ModelError, match=re.escape(message)):
        parse_native(data)


def test_a_byte_order_mark_is_no_fault() -> None:
    assert list(differences(parse_native(b"\xef\xbb\xbf" + SMALL.encode()), athlete(False))) == []


def test_deep_functions_are_refused() -> None:
    function: dict[str, Any] = {"kind": "linear"}
    for _ in range(70):
        function = {"kind": "scaled", "function": function}
    place = ("links", 2, "joint", "rotations", 0, "terms", 0, "function")
    with pytest.raises(ModelError, match="is nested too deep; at most 60 levels"):
        parse_native(json.dumps(changed(ZOO, place, function)).encode())


def test_too_many_parts_are_refused_at_once() -> None:
    many = {"notes": ["note"] * 20_001}
    with pytest.raises(ModelError, match="notes: has 20,001 entries, more than 20,000: simplify the model"):
        parse_native(json.dumps(json.loads(SMALL) | many).encode())
    with pytest.raises(ModelError, match="notes: has 20,001 entries"):
        format_native(athlete().replace(notes=many["notes"]))


def test_files(tmp_path, monkeypatch) -> None:
    with pytest.raises(ModelError, match=r"none\.json: file: cannot be read: No such file"):
        read_native(tmp_path / "none.json")
    with pytest.raises(ModelError, match="it is a folder, not a plain file"):
        read_native(tmp_path)
    with pytest.raises(ModelError, match="cannot be read"):
        read_native("a\0b.json")
    file = tmp_path / "large.json"
    file.write_text(SMALL)
    monkeypatch.setattr(files, "MAX_BYTES", 1000)
    with pytest.raises(ModelError, match=r"bytes are too many for a model; at most 1,000 are read"):
        read_native(file)
    with pytest.raises(ModelError, match="bytes are more than the limit of 1,000"):
        files.write_native(athlete(), tmp_path / "new.json")


# anything at all


def outcome(data: bytes) -> bool:
    """Return whether a model came out; it then reads back equal. Anything but a ModelError fails the test."""
    try:
        model = parse_native(data)
    except ModelError:
        return False
    assert list(differences(parse_native(format_native(model).encode()), model)) == []
    return True


@pytest.mark.slow
@pytest.mark.parametrize("text", [SMALL, ZOO], ids=["athlete", "zoo"])
def test_flipped_bytes(text: str) -> None:
    rng, data = random.Random(4), text.encode()
    survived = 0
    for _ in range(500):
        broken = bytearray(data)
        for _ in range(rng.choice((1, 1, 1, 2, 5))):
            broken[rng.randrange(len(broken))] = rng.choice(
                (rng.randrange(256), ord(rng.choice('0123456789-.eE"{}[],: ')))
            )
        survived += outcome(bytes(broken))
    assert 0 < survived < 500


@pytest.mark.parametrize("text", [SMALL, ZOO], ids=["athlete", "zoo"])
def test_cut_and_doubled(text: str) -> None:
    rng, data = random.Random(5), text.encode()
    for _ in range(250):
        a, b = sorted(rng.randrange(len(data)) for _ in range(2))
        outcome(data[:a] + data[b:])
        outcome(data[:b] + data[a : a + 200] + data[b:])


json_values = st.recursive(
    st.one_of(
        st.none(),
        st.booleans(),
        st.integers(),
        st.floats(),
        st.text(max_size=5),
        st.sampled_from(
            ["inf", "-inf", "world", "base", "knee", "bend", "blade", 0.0, -0.0, 1e308, 5e-324, 1e-160]
        ),
    ),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(
            st.sampled_from(
                ["kind", "link", "position", "function", "coordinate", "name", "x", "y", "value", "mass"]
            ),
            inner,
            max_size=4,
        )
    ),
    max_leaves=8,
)

anywhere = st.sampled_from(list(places(json.loads(ZOO))))


@pytest.mark.slow
@examples(2000)
@given(anywhere, json_values)
def test_any_value_anywhere(place: tuple[Any, ...], value: Any) -> None:
    outcome(json.dumps(changed(ZOO, place, value)).encode())


@pytest.mark.slow
@examples(1000)
@given(anywhere, anywhere)
def test_exchanged_parts(place: tuple[Any, ...], other: tuple[Any, ...]) -> None:
    value = json.loads(ZOO)
    for key in other:
        value = value[key]
    outcome(json.dumps(changed(ZOO, place, value)).encode())
