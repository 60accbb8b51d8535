"""A model with every kind of part that there is, with numbers that have no short decimals."""

import numpy as np
from tests.oracles.trees import pose, rotation, segment, unit

from softstride.model import (
    Axis,
    Composed,
    ConditionalPathPoint,
    Constant,
    ContactMesh,
    ContactPlane,
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
    MovingPathPoint,
    Muscle,
    Path,
    PathPoint,
    PathWrap,
    PiecewiseLinear,
    Point,
    PointActuator,
    Polynomial,
    Prismatic,
    Revolute,
    Rod,
    Scaled,
    Section,
    Segment,
    SimmSpline,
    Spherical,
    TorqueActuator,
    WrapCylinder,
    WrapEllipsoid,
    WrapSphere,
    WrapTorus,
)


def functions() -> list:
    """Return a function of every kind, nested ones included."""
    x, y = np.linspace(-2.0, 2.0, 9) / 3.0, np.sin(np.arange(9.0)) / 7.0
    spline, lines = SimmSpline(x, y), PiecewiseLinear(x, y)
    return [
        Constant(1.0 / 3.0),
        Linear(),
        Linear(-0.0, 5e-324),
        Polynomial([0.1, -0.0, 1e-300]),
        lines,
        spline,
        Scaled(spline, -1.0 / 3.0),
        Scaled(Scaled(Linear(2.0), 0.5)),
        Composed(spline, Linear(1.0 / 7.0, 0.1)),
        Composed(Composed(lines, Linear(3.0)), Scaled(PiecewiseLinear([0.0, 1.0], [0.0, 2.0]), 0.7)),
    ]


def zoo(seed: int = 1) -> Model:
    """Return the model."""
    rng = np.random.default_rng(seed)
    every = functions()
    third = len(every) // 3
    custom = Custom(
        (
            Axis(unit(rng), tuple(("bend", f) for f in every[:third])),
            Axis(unit(rng), (("", Constant(0.3)),)),
            Axis(unit(rng), tuple(("turn", f) for f in every[third : 2 * third])),
        ),
        (
            Axis(unit(rng), tuple(("slide", f) for f in every[2 * third :])),
            Axis(unit(rng)),
            Axis.along(unit(rng), "bend"),
        ),
        ("slide", "turn", "bend", "idle"),
    )
    rod = Rod((segment(rng), Segment(0.1), segment(rng, ("ex", "ky"))), 5)
    plain = Rod.uniform(0.6, 3, Section.rectangle(0.06, 0.009, 1600.0, 6e10, 5e9, 1e-4))
    lopsided = np.eye(4)
    lopsided[3, 1] = -0.0
    links = (
        Link("base", "world", Free(), pose(rng), inertia=Inertia(70.1, rng.random(3), (0.1, 0.2, 0.15))),
        Link("thigh", "base", Spherical(), lopsided, pose(rng)),
        Link("knee", "thigh", custom, pose(rng), inertia=Inertia(1.0, (0, 0, -0.0), np.eye(3) / 3.0)),
        Link("patella", "knee", Custom((Axis.along(unit(rng), "bend"), Axis((0, 1, 0)), Axis((0, 0, 1))))),
        Link("hinge", "knee", Revolute(unit(rng)), inertia=Inertia(0.1, matrix=[3.0, 1.0, 1.0], physical=False)),
        Link("piston", "hinge", Prismatic((0.0, 0.0, 2.0), "stroke")),
        Link("weld", "piston", Fixed()),
        Link("blade", "weld", rod, pose(rng), inertia=Inertia(0.1)),
        Link("toe", "blade", Revolute((1, 1, 1), "toe angle"), at=0.05, joint_name="mtp_r"),
        Link("pylon", "world", plain),
    )  # fmt: skip
    coordinates = {
        "slide": Coordinate("slide", 0.1, -0.2, 0.3, 100.0, 0.05, 3.0, 1e4, 10.0, True, True),
        "turn": Coordinate("turn", upper=1.0 / 3.0),
        "stroke": Coordinate("stroke", -0.0, lower=-0.1),
        "thigh.y": Coordinate("thigh.y", 1e-17),
    }
    curve = functions()[5]
    path = Path(
        (
            PathPoint("base", rng.random(3), "muscle-P1"),
            ConditionalPathPoint("thigh", rng.random(3), "", "bend", -1.0, 0.5),
            ConditionalPathPoint("thigh", rng.random(3), "P3", "turn"),
            MovingPathPoint("knee", ("bend", curve), ("", Constant(0.1)), ("turn", Linear(0.2)), "P4"),
            PathPoint("toe", (0.0, -0.0, 0.0)),
        ),
        (PathWrap("ball"), PathWrap("egg", "axial", 0, 2), PathWrap("ring", "midpoint", last=3)),
    )
    muscle = Muscle("glmax1_r", path, 1234.5, 0.1 / 3.0, 0.2, 0.3, 15.0, "thelen2003", 0.015, 0.05, 0.0, True, False,
                    {"FmaxTendonStrain": 0.033, "limit": np.inf, "other limit": -np.inf})  # fmt: skip
    short = Muscle(
        "soleus_l", Path((PathPoint("knee", (0, 0, 1)), PathPoint("toe", (1, 0, 0)))), 1.0, 0.1, 0.0
    )
    return Model(
        "zoo of parts: ü 足 \ud800 \"quoted\"\n",
        links,
        (0.1, -9.8, -0.0),
        coordinates,
        markers={"R.ASI": Point("base", rng.random(3)), "blade 1": Point("blade", (0, 0, 0.01), 0.1 / 3.0),
                 "ground": Point("world")},
        frames={"camera": Frame("world", rng.random(3), rotation(rng)), "tip": Frame("blade", at=0.0),
                "plain": Frame("toe"), "spot": Point("toe", (0, 0, 1)), "spot 2": Point("blade", at=0.1)},
        muscles={"glmax1_r": muscle, "soleus_l": short},
        wraps={
            "tube": WrapCylinder("thigh", pose(rng), "-x", False, radius=0.03, length=0.1),
            "usual tube": WrapCylinder("thigh", radius=0.03),
            "ball": WrapSphere("thigh", lopsided, "y", False, radius=1.0 / 3.0),
            "egg": WrapEllipsoid("base", pose(rng), "-z", False, a=0.1, b=0.2, c=0.3),
            "ring": WrapTorus("world", pose(rng), "+z", False, inner=0.01, outer=0.04),
        },
        ligaments={"acl": Ligament("acl", path, 0.03, 1000.0, curve, False)},
        actuators={
            "motor": CoordinateActuator("motor", 10.0, -1.0, 1.0, False, "bend"),
            "key": CoordinateActuator("other name", coordinate="idle"),
            "push": PointActuator("push", 5.0, -2.5, np.inf, False, "toe", rng.random(3), unit(rng), True, True),
            "pull": PointActuator("pull", upper=2.0, link="toe"),
            "twist": TorqueActuator("twist", 2.0, -1.0, 3.0, False, "toe", "base", unit(rng), False),
        },
        contacts={
            "heel": ContactSphere("toe", rng.random(3), 0.03),
            "sole": ContactSphere("blade", radius=0.001, at=0.2),
            "floor": ContactPlane("weld", pose(rng)),
            "bare floor": ContactPlane(),
            "stone": ContactMesh("base", pose(rng), "stone.obj"),
        },
        credits="A. Person and others",
        publications="in a journal",
        notes=("first note", "", "second\tnote with a very long text that goes on and on " * 4),
    )  # fmt: skip
