"""Garbage in: an error that says so, or a valid model; never another exception."""

import math

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from tests.campaign import examples

from softstride.errors import ModelError
from softstride.model import (
    STRAINS,
    Axis,
    Constant,
    Linear,
    Model,
    ModelBuilder,
    PiecewiseLinear,
    Polynomial,
    Rod,
    Section,
    Segment,
    SimmSpline,
)

number = st.one_of(
    st.floats(allow_nan=True, allow_infinity=True),
    st.integers(-(10**400), 10**400),
    st.sampled_from([0, 1, -1, 0.5, 1e-320, 1e308, math.nan, math.inf]),
)
garbage = st.recursive(
    st.one_of(
        number, st.text(max_size=3), st.none(), st.booleans(), st.complex_numbers(), st.binary(max_size=2)
    ),
    lambda inner: st.one_of(
        st.lists(inner, max_size=6),
        st.tuples(inner, inner),
        st.dictionaries(st.text(max_size=2), inner, max_size=2),
    ),
    max_leaves=8,
)


def mostly(good, bad=garbage):
    """Return a strategy that draws from `good` nine times in ten, so that models get built."""
    return st.integers(0, 9).flatmap(lambda k: bad if k == 9 else good)


def triple(of):
    return st.lists(of, min_size=3, max_size=3)


small = st.floats(-3, 3)
positive = st.floats(0, 3)
name = mostly(st.sampled_from(["a", "b", "c", "d", "world", ""]))
parent = mostly(st.sampled_from(["world", "world", "a"]), name)
vector = mostly(triple(small) | st.just((0, 0, 1)), triple(number) | garbage)
matrix = mostly(st.just(np.eye(3)), triple(triple(number)) | garbage)
pose = mostly(st.just(np.eye(4)), st.just(np.ones((4, 4))) | garbage)
strip = Section.rectangle(0.06, 0.01, 1600.0, 60e9, 5e9)
segment = st.builds(
    lambda length, bend, stretch, free: Segment(
        length, [*bend, 1.0, *stretch], strip.density, strip.stiffness, strip.damping, free
    ),
    st.floats(0.05, 0.5),
    triple(small),
    st.lists(st.floats(-0.1, 0.1), min_size=2, max_size=2),
    st.sets(st.sampled_from(STRAINS)).map(lambda chosen: tuple(s for s in STRAINS if s in chosen)),
)
rod = mostly(
    st.just(Rod.uniform(0.5, 2, strip))
    | st.builds(lambda s, n: Rod(tuple(s), n), st.lists(segment, min_size=1, max_size=3), st.integers(1, 5))
)
limits = mostly(st.just((-1, 1)) | st.just((0, math.inf)), st.tuples(number, number) | garbage)
points = st.lists(small | number, min_size=1, max_size=5)


def quiet(make, *arguments):
    """Return what `make` returns, or None if it refuses: with ModelError, or TypeError for an unknown keyword."""
    try:
        return make(*arguments)
    except ModelError:
        return None
    except TypeError as error:
        if "unknown option" not in str(error):
            raise
        return None


knots = st.sets(st.integers(-20, 20), min_size=2, max_size=6).map(lambda x: [k / 10 for k in sorted(x)])
function = mostly(
    st.one_of(
        small.map(Constant),
        st.builds(Linear, small, small),
        st.lists(small, min_size=1, max_size=7).map(Polynomial),
        st.builds(lambda x, kind: kind(x, np.sin(x)), knots, st.sampled_from([SimmSpline, PiecewiseLinear])),
    ),
    st.one_of(
        number.map(lambda x: quiet(Constant, x)),
        st.builds(lambda a, b: quiet(Linear, a, b), number, number),
        st.builds(lambda x, y: quiet(SimmSpline, sorted(map(float_or_zero, x)), y), points, points),
        st.builds(lambda x, y: quiet(PiecewiseLinear, sorted(map(float_or_zero, x)), y), points, points),
        garbage,
    ),
)


def axes(coordinates):
    """Return a strategy for the three axes of a custom joint that these coordinates drive."""
    term = st.tuples(mostly(st.sampled_from(coordinates), name | st.just("")), function)
    axis = st.builds(
        lambda d, t: quiet(Axis, d, t), mostly(triple(small) | st.just((0, 1, 0))), st.lists(term, max_size=3)
    ) | st.builds(lambda c: Axis.along((1, 0, 0), c), st.sampled_from(coordinates))
    return mostly(triple(axis) | st.none())


body = {
    "position": vector,
    "rotation": matrix,
    "offset": pose,
    "at": mostly(st.none() | st.floats(0, 0.5)),
    "mass": mostly(positive),
    "com": vector,
    "inertia": mostly(positive.map(lambda x: (x, x, x)), triple(number) | matrix),
    "nonsense": garbage,
}
passive = {
    "default": mostly(small, number),
    "stiffness": mostly(positive, number | vector),
    "rest": mostly(small),
    "damping": mostly(positive, vector),
    "limit_stiffness": mostly(positive, number),
    "limit_damping": mostly(positive, number),
    "range": limits,
}
joint = {
    "fixed": {},
    "revolute": {"axis": vector, "coordinate": mostly(st.just(""))},
    "prismatic": {"axis": vector},
    "spherical": {},
    "free": {},
    "custom": {"coordinates": mostly(st.just(()))},
    "rod": {"rod": rod},
}


def float_or_zero(value):
    try:
        return float(value)
    except OverflowError:
        return 0.0


@st.composite
def calls(draw, names=name, parents=parent, coordinates=("u", "v", "w"), places=body["at"]):
    """Return one call of the builder: method name, positional arguments, options."""
    kind = draw(st.sampled_from(["custom", "rod", *joint, "marker", "frame", "note"]))
    if kind == "note":
        return kind, (draw(mostly(st.text())),), {}
    if kind in ("marker", "frame"):
        return kind, (draw(names), draw(parents), draw(vector)), {"at": draw(places)}
    options = {**body, **(passive if kind not in ("fixed", "rod") else {})}
    chosen = draw(st.lists(st.sampled_from(sorted(options)), max_size=2, unique=True))
    drawn = {key: draw(options[key]) for key in chosen} | {key: draw(s) for key, s in joint[kind].items()}
    if kind == "custom":
        drawn |= {key: draw(axes(coordinates)) for key in ("rotations", "translations")}
    if places is not body["at"]:
        drawn["at"] = draw(places)
    return kind, (draw(names), draw(parents)), drawn


def built(title, gravity, script):
    """Return the model of these calls, those that are refused left out; None if the whole is refused."""
    builder = quiet(ModelBuilder, title, gravity) or ModelBuilder("fuzz")
    for method, arguments, options in script:
        quiet(lambda m=method, a=arguments, o=options: getattr(builder, m)(*a, **o))
    return quiet(builder.build)


@st.composite
def models(draw, max_calls=10):
    """Draw a model that was accepted, grown call by call on any of its links, so that it is seldom small."""
    gravity, script = draw(vector), []
    model = built("fuzz", gravity, script)
    for i in range(draw(st.integers(3, max_calls))):
        on = draw(st.sampled_from(["world", *model.link_names[::-1]]))
        carrier = model.link(on).joint if on != "world" else None
        along = [s * carrier.length for s in (0.0, 0.3, 0.5, 1.0)] if isinstance(carrier, Rod) else []
        call = draw(
            calls(
                mostly(st.just(f"part{i}"), name),
                mostly(st.just(on), name),
                draw(st.sampled_from([("u", "v"), (f"x{i}", f"y{i}", f"z{i}")])),  # shared, or its own
                mostly(st.sampled_from([None, *along])) if along else st.none(),
            )
        )
        larger = built("fuzz", gravity, [*script, call])
        if larger is not None:
            model, script = larger, [*script, call]
    return model


@examples(400)
@given(name, vector, st.lists(calls(), max_size=6))
def test_builder(title, gravity, script):
    model = built(title, gravity, script)
    if model is not None:
        check_valid(model)


def check_valid(model):
    """A model that was accepted is whole: sizes fit, everything is finite, parents come first."""
    assert isinstance(model, Model)
    assert len(model.coordinates) == model.nv and model.neutral().shape == (model.nq,)
    assert np.all(np.isfinite(model.neutral())) and np.all(np.isfinite(model.gravity)) and model.mass >= 0
    seen = {"world"}
    for link in model.links:
        assert link.parent in seen
        seen.add(link.name)
        assert np.all(np.isfinite(link.placement)) and np.all(np.isfinite(link.inertia.matrix))
        assert (
            len(model.q_indices(link.name)) == link.joint.nq
            and len(model.v_indices(link.name)) == link.joint.nv
        )
    assert repr(model)


@examples(300)
@given(
    st.one_of(st.lists(st.lists(number, min_size=3, max_size=3), min_size=2, max_size=5), garbage),
    vector,
    st.one_of(st.integers(1, 5), garbage),
    st.one_of(st.just(strip), garbage),
)
def test_centreline(points, width, n, section):
    rod = quiet(Rod.from_centreline, points, width, n, section)
    assert rod is None or all(np.all(np.isfinite(s.reference)) and s.length > 0 for s in rod.segments)


@examples(300)
@given(st.lists(number, min_size=7, max_size=7))
def test_rectangle(sizes):
    section = quiet(Section.rectangle, *sizes)
    assert section is None or np.all(np.isfinite(section.stiffness))


@examples(300)
@given(number, garbage, garbage, garbage, garbage)
def test_segment(length, reference, stiffness, damping, free):
    segment = quiet(lambda: Segment(length, reference, stiffness=stiffness, damping=damping, free=free))
    assert segment is None or segment.length > 0
