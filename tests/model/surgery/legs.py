"""A leg whose paths can be worked out by hand, and lengths and moment arms by code of their own."""

import numpy as np

from softstride import engine
from softstride.model import (
    ConditionalPathPoint,
    ModelBuilder,
    MovingPathPoint,
    Muscle,
    Path,
    PathPoint,
    Point,
)

KNEE, ANKLE = 0.40, 0.42  # below hip and knee [m]


def leg(side="r", **more):
    """Pelvis, thigh, shank and foot in a plane, turning about z; the knee bends back for negative angles.

    Args:
        side: "r" or "l"; z is turned round for "l".
        **more: Further muscles: points (link without its side, place), ...
    """
    b = ModelBuilder("leg")
    b.revolute("pelvis", axis=(0, 0, 1), coordinate="tilt", mass=10.0, inertia=(0.1, 0.1, 0.1))
    down = {"mass": 8.0, "com": (0, -0.17, 0), "inertia": (0.1, 0.03, 0.1)}
    b.revolute(f"femur_{side}", "pelvis", axis=(0, 0, 1), coordinate=f"hip_{side}", **down)
    low = {"mass": 3.5, "com": (0, -0.18, 0), "inertia": (0.05, 0.005, 0.05)}
    b.revolute(
        f"tibia_{side}",
        f"femur_{side}",
        axis=(0, 0, 1),
        coordinate=f"knee_{side}",
        position=(0, -KNEE, 0),
        **low,
    )
    b.revolute(
        f"calcn_{side}",
        f"tibia_{side}",
        axis=(0, 0, 1),
        coordinate=f"ankle_{side}",
        position=(0, -ANKLE, 0),
        mass=1.0,
    )
    z = 1.0 if side == "r" else -1.0
    paths = {
        "gasmed": (("femur", (-0.02, -0.38, -0.01)), ("calcn", (-0.05, 0.0, -0.005))),
        "soleus": (("tibia", (-0.01, -0.08, 0.01)), ("calcn", (-0.05, 0.0, 0.0))),
        "tibant": (
            ("tibia", (0.03, -0.10, 0.01)),
            ("tibia", (0.03, -0.38, 0.0)),
            ("calcn", (0.08, 0.0, 0.0)),
        ),
        "fhl": (("tibia", (-0.02, -0.20, 0.01)), ("calcn", (0.0, 0.0, 0.0))),
        "semiten": (("pelvis", (-0.06, -0.05, 0.0)), ("tibia", (-0.03, -0.05, -0.01))),
        "recfem": (("pelvis", (0.05, 0.03, 0.01)), ("tibia", (0.04, -0.06, 0.0))),
        "vasint": (("femur", (0.03, -0.15, 0.02)), ("tibia", (0.04, -0.06, 0.0))),
        "iliacus": (("pelvis", (0.04, 0.05, 0.02)), ("femur", (0.02, -0.05, 0.01))),
        **more,
    }
    muscles = {}
    for number, (name, points) in enumerate(paths.items(), start=1):
        links = [
            (link if link == "pelvis" else f"{link}_{side}", np.array(place) * (1, 1, z))
            for link, place in points
        ]
        path = Path(tuple(PathPoint(link, place, f"{name}{i}") for i, (link, place) in enumerate(links)))
        muscles[f"{name}_{side}"] = Muscle(
            f"{name}_{side}", path, 500.0 * number, 0.04 + 0.005 * number, 0.1, 0.05 * number
        )
    return b.build().replace(muscles=muscles)


def places(model, q, muscle):
    """World places, shape (m, 3), of the points of a muscle's path at one configuration."""
    assert model.nq == model.nv, "q is made of the coordinates"
    values = dict(zip(model.coordinate_names, q, strict=True))
    found = []
    for point in model.muscles[muscle].path.points:
        if isinstance(point, MovingPathPoint):
            where = [float(f(values.get(name, 0.0))) for name, f in (point.x, point.y, point.z)]
        elif (
            isinstance(point, ConditionalPathPoint)
            and not point.lower <= values[point.coordinate] <= point.upper
        ):
            continue
        else:
            where = point.position
        found.append(Point(point.link, where))
    return engine.positions(model, q, found)


def straight(model, q, muscle):
    """Length of a muscle's path from point to point [m]."""
    return float(np.sum(np.linalg.norm(np.diff(places(model, q, muscle), axis=0), axis=1)))


def arm(model, q, muscle, coordinate, step=1e-5):
    """Moment arm -dL/dq about a coordinate by central differences of the straight path: [m]."""
    i = model.coordinate_names.index(coordinate)
    low, high = q.copy(), q.copy()
    low[i] -= step
    high[i] += step
    return -(straight(model, high, muscle) - straight(model, low, muscle)) / (2.0 * step)
