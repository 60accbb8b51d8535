"""The format at a glance: every part that a model can hold and how its fields are written.

Keys are the names of the dataclass fields, in SI units and radians, so the docstrings of the dataclasses are also the
documentation of the file.
"""

from __future__ import annotations

from typing import Any

from softstride.model.actuator import CoordinateActuator, PointActuator, TorqueActuator
from softstride.model.contact_shape import ContactMesh, ContactPlane, ContactSphere
from softstride.model.coordinate import Coordinate
from softstride.model.formats.native.place import Place
from softstride.model.formats.native.records import List, Names, Record, Union
from softstride.model.formats.native.term import Term
from softstride.model.formats.native.values import (
    POSITION,
    ROTATION,
    Array,
    Flag,
    Number,
    Pose,
    Sentence,
    Text,
    Whole,
)
from softstride.model.frame import Frame, Point
from softstride.model.functions import (
    Composed,
    Constant,
    Linear,
    PiecewiseLinear,
    Polynomial,
    Scaled,
    SimmSpline,
)
from softstride.model.inertia import Inertia
from softstride.model.joints import Axis, Custom, Fixed, Free, Prismatic, Revolute, Spherical
from softstride.model.link import Link
from softstride.model.model import Model
from softstride.model.muscle import CURVES, Ligament, Muscle
from softstride.model.path import (
    QUADRANTS,
    WRAP_METHODS,
    ConditionalPathPoint,
    MovingPathPoint,
    Path,
    PathPoint,
    PathWrap,
    WrapCylinder,
    WrapEllipsoid,
    WrapSphere,
    WrapTorus,
)
from softstride.model.rod import STRAINS, Rod, Segment

FORMAT = "softstride-model"
VERSION = 1

MOST_PIECES = 100_000
"""Most pieces that one function inside another may make: small files could ask for billions."""

NAME, NUMBER, LIMIT, FLAG, POSE = Text(), Number(), Number(infinite=True), Flag(), Pose()
LINE = Array((-1,))
KNOTS: dict[str, Any] = {"x": LINE, "y": LINE}


def _few_pieces(composed: Any, place: Place) -> None:
    count = len(composed.outer.pieces().origins) * len(composed.inner.pieces().origins)
    if count > MOST_PIECES:
        raise place.fault(
            f"makes up to {count:,} pieces, more than {MOST_PIECES:,}: give it with fewer points."
        )


FUNCTION = Union(
    "function",
    Record(Constant, "constant", value=NUMBER),
    Record(Linear, "linear", slope=NUMBER, intercept=NUMBER),
    Record(Polynomial, "polynomial", coefficients=LINE),
    Record(PiecewiseLinear, "piecewise_linear", **KNOTS),
    Record(SimmSpline, "simm_spline", **KNOTS),
)
FUNCTION.add(
    Record(Scaled, "scaled", factor=NUMBER, function=FUNCTION),
    Record(Composed, "composed", outer=FUNCTION, inner=FUNCTION, check=_few_pieces),
)
TERM = Term(FUNCTION)

INERTIA = Record(
    Inertia,
    mass=NUMBER,
    com=POSITION,
    matrix=Array((3, 3), diagonal=True),
    physical=FLAG,
    exact=("matrix",),
)
AXIS = Record(Axis, direction=POSITION, terms=List(TERM), exact=("direction",))
SEGMENT = Record(
    Segment,
    length=NUMBER,
    free=List(Text(STRAINS)),
    reference=Array((6,)),
    density=INERTIA,
    stiffness=Array((6, 6), diagonal=True),
    damping=Array((6, 6), diagonal=True),
)
JOINT = Union(
    "joint",
    Record(Fixed, "fixed"),
    Record(Revolute, "revolute", coordinate=NAME, axis=POSITION, exact=("axis",)),
    Record(Prismatic, "prismatic", coordinate=NAME, axis=POSITION, exact=("axis",)),
    Record(Spherical, "spherical"),
    Record(Free, "free"),
    Record(Custom, "custom", coordinates=List(NAME), rotations=List(AXIS), translations=List(AXIS)),
    Record(Rod, "rod", quadrature=Whole(), segments=List(SEGMENT)),
)
LINK = Record(
    Link,
    name=NAME,
    parent=NAME,
    at=NUMBER,
    placement=POSE,
    joint_name=NAME,
    joint=JOINT,
    offset=POSE,
    inertia=INERTIA,
)

COORDINATE = Record(
    Coordinate,
    named=True,
    name=NAME,
    default=NUMBER,
    lower=LIMIT,
    upper=LIMIT,
    stiffness=NUMBER,
    rest=NUMBER,
    damping=NUMBER,
    limit_stiffness=NUMBER,
    limit_damping=NUMBER,
    locked=FLAG,
    clamped=FLAG,
)

POINT = Record(Point, link=NAME, at=NUMBER, position=POSITION)
FRAME = Union(
    "frame",
    Record(Frame, "frame", link=NAME, at=NUMBER, position=POSITION, rotation=ROTATION),
    Record(Point, "point", title="FramePoint", link=NAME, at=NUMBER, position=POSITION),
    usual="frame",
)

PATH = Record(
    Path,
    points=List(
        Union(
            "path point",
            Record(PathPoint, "point", name=NAME, link=NAME, position=POSITION),
            Record(
                ConditionalPathPoint,
                "conditional",
                name=NAME,
                link=NAME,
                position=POSITION,
                coordinate=NAME,
                lower=LIMIT,
                upper=LIMIT,
                required=("coordinate",),
            ),
            Record(MovingPathPoint, "moving", name=NAME, link=NAME, x=TERM, y=TERM, z=TERM),
            usual="point",
        )
    ),
    wraps=List(Record(PathWrap, surface=NAME, method=Text(WRAP_METHODS), first=Whole(), last=Whole())),
)
SURFACE: dict[str, Any] = {"link": NAME, "pose": POSE, "quadrant": Text(QUADRANTS), "active": FLAG}
WRAP = Union(
    "wrapping surface",
    Record(WrapCylinder, "cylinder", radius=NUMBER, length=NUMBER, required=("radius",), **SURFACE),
    Record(WrapSphere, "sphere", radius=NUMBER, required=("radius",), **SURFACE),
    Record(WrapEllipsoid, "ellipsoid", a=NUMBER, b=NUMBER, c=NUMBER, required=("a", "b", "c"), **SURFACE),
    Record(WrapTorus, "torus", inner=NUMBER, outer=NUMBER, required=("inner", "outer"), **SURFACE),
)
MUSCLE = Record(
    Muscle,
    named=True,
    name=NAME,
    max_force=NUMBER,
    fibre_length=NUMBER,
    tendon_length=NUMBER,
    pennation=NUMBER,
    max_velocity=NUMBER,
    curves=Text(CURVES),
    rise_time=NUMBER,
    fall_time=NUMBER,
    min_activation=NUMBER,
    rigid_tendon=FLAG,
    enabled=FLAG,
    parameters=Names(LIMIT),
    path=PATH,
)
LIGAMENT = Record(
    Ligament,
    named=True,
    name=NAME,
    resting_length=NUMBER,
    force=NUMBER,
    curve=FUNCTION,
    enabled=FLAG,
    path=PATH,
)
CONTROL: dict[str, Any] = {"optimal_force": NUMBER, "lower": LIMIT, "upper": LIMIT, "enabled": FLAG}
ACTUATOR = Union(
    "actuator",
    Record(
        CoordinateActuator,
        "coordinate",
        named=True,
        name=NAME,
        coordinate=NAME,
        required=("coordinate",),
        **CONTROL,
    ),
    Record(
        PointActuator,
        "point",
        named=True,
        name=NAME,
        link=NAME,
        point=POSITION,
        direction=POSITION,
        point_in_world=FLAG,
        direction_in_world=FLAG,
        required=("link",),
        exact=("direction",),
        **CONTROL,
    ),
    Record(
        TorqueActuator,
        "torque",
        named=True,
        name=NAME,
        link=NAME,
        reaction=NAME,
        axis=POSITION,
        axis_in_world=FLAG,
        required=("link",),
        exact=("axis",),
        **CONTROL,
    ),
)
CONTACT = Union(
    "contact shape",
    Record(ContactSphere, "sphere", link=NAME, at=NUMBER, position=POSITION, radius=NUMBER),
    Record(ContactPlane, "plane", link=NAME, pose=POSE),
    Record(ContactMesh, "mesh", link=NAME, pose=POSE, file=NAME),
)

MODEL = Record(
    Model,
    always=("gravity",),
    name=NAME,
    gravity=POSITION,
    credits=Text(),
    publications=Text(),
    notes=List(Sentence()),
    links=List(LINK),
    coordinates=Names(COORDINATE, named=True, sparse=True),
    markers=Names(POINT),
    frames=Names(FRAME),
    wraps=Names(WRAP),
    muscles=Names(MUSCLE, named=True),
    ligaments=Names(LIGAMENT, named=True),
    actuators=Names(ACTUATOR, named=True),
    contacts=Names(CONTACT),
)
