"""Small OpenSim documents written by hand, one joint kind each, in the spelling of format 3 and of format 4."""

KINDS = {
    "WeldJoint": 0,
    "PinJoint": 1,
    "SliderJoint": 1,
    "UniversalJoint": 2,
    "PlanarJoint": 3,
    "BallJoint": 3,
    "GimbalJoint": 3,
    "EllipsoidJoint": 3,
    "FreeJoint": 6,
    "CustomJoint": 4,
}

PARENT = ("0.1 -0.2 0.3", "0.3 0.2 -0.4")
CHILD = ("-0.1 0.05 0.02", "-0.2 0.5 0.1")

SPLINE = "<SimmSpline><x>-2 -1.2 -0.4 0.3 1.1 2</x><y>0.02 -0.1 0.05 0.2 -0.15 0.1</y></SimmSpline>"
CUSTOM = (
    ("{0}", "0 0 1", "<LinearFunction><coefficients>1.1 0.1</coefficients></LinearFunction>"),
    ("{1}", "0.6 0.8 0", SPLINE),
    (
        "",
        "0 1 0",
        "<MultiplierFunction><function><Constant><value>0.2</value></Constant></function><scale>-0.5</scale>"
        "</MultiplierFunction>",
    ),
    (
        "{2}",
        "1 0 0",
        "<PiecewiseLinearFunction><x>-2 -0.5 0.7 3</x><y>-0.3 0.1 0.4 -0.2</y></PiecewiseLinearFunction>",
    ),
    (
        "{0}",
        "0 1 0",
        f"<MultiplierFunction><function>{SPLINE}</function><scale>0.7</scale></MultiplierFunction>",
    ),
    (
        "{3}",
        "0 0.6 0.8",
        "<PolynomialFunction><coefficients>0.05 -0.1 0.3 0.2</coefficients></PolynomialFunction>",
    ),
)


def custom_transform(names):
    """Return a spatial transform with every kind of function."""
    order = [f"{kind}{i}" for kind in ("rotation", "translation") for i in (1, 2, 3)]
    axes = [
        f'<TransformAxis name="{name}"><coordinates>{driver.format(*names)}</coordinates><axis>{axis}</axis>'
        f"<function>{function}</function></TransformAxis>"
        for name, (driver, axis, function) in zip(order, CUSTOM, strict=True)
    ]
    return f"<SpatialTransform>{''.join(axes)}</SpatialTransform>"


def inside(kind, names):
    """Return what only this kind of joint has."""
    if kind == "CustomJoint":
        return custom_transform(names)
    return "<radii_x_y_z>0.3 0.2 0.45</radii_x_y_z>" if kind == "EllipsoidJoint" else ""


def coordinate(name, default=0.0):
    """Return a coordinate."""
    return (
        f'<Coordinate name="{name}"><default_value>{default}</default_value><range>-1.5 2.5</range>'
        f"<clamped>true</clamped><locked>false</locked></Coordinate>"
    )


def inertia(version):
    """Return mass and inertia of a body."""
    mass = "<mass>1.5</mass><mass_center>0.1 0.2 -0.1</mass_center>"
    moments = (0.02, 0.03, 0.025, 0.001, -0.002, 0.003)
    if version >= 40000:
        return f"{mass}<inertia>{' '.join(map(str, moments))}</inertia>"
    tags = ("xx", "yy", "zz", "xy", "xz", "yz")
    return mass + "".join(f"<inertia_{tag}>{m}</inertia_{tag}>" for tag, m in zip(tags, moments, strict=True))


def joint3(name, kind, parent, names, reverse=False):
    """Return a joint in the spelling of format 3."""
    coordinates = "".join(map(coordinate, names))
    return (
        f'<Joint><{kind} name="{name}"><parent_body>{parent}</parent_body>'
        f"<location_in_parent>{PARENT[0]}</location_in_parent>"
        f"<orientation_in_parent>{PARENT[1]}</orientation_in_parent>"
        f"<location>{CHILD[0]}</location><orientation>{CHILD[1]}</orientation>"
        f"<CoordinateSet><objects>{coordinates}</objects></CoordinateSet><reverse>{str(reverse).lower()}</reverse>"
        f"{inside(kind, names)}</{kind}></Joint>"
    )


def joint4(name, kind, parent, child, names):
    """Return a joint in the spelling of format 4."""
    frames = "".join(
        f'<PhysicalOffsetFrame name="{end}_offset"><socket_parent>{path}</socket_parent>'
        f"<translation>{place[0]}</translation><orientation>{place[1]}</orientation></PhysicalOffsetFrame>"
        for end, path, place in (("p", parent, PARENT), ("c", child, CHILD))
    )
    return (
        f'<{kind} name="{name}"><socket_parent_frame>p_offset</socket_parent_frame>'
        f"<socket_child_frame>c_offset</socket_child_frame><coordinates>{''.join(map(coordinate, names))}</coordinates>"
        f"<frames>{frames}</frames>{inside(kind, names)}</{kind}>"
    )


def names_of(kind, prefix):
    """Return names for the coordinates of a kind."""
    return [f"{prefix}_{i}" for i in range(KINDS[kind])]


def document(kind, version, *, reverse=False, extra=""):
    """Return two bodies, the upper on the ground by a gimbal and the lower on it by a joint of this kind."""
    first, second = names_of("GimbalJoint", "a"), names_of(kind, "b")
    if version < 40000:
        bodies = (
            '<Body name="ground"><mass>0</mass><Joint/></Body>'
            f'<Body name="upper">{inertia(version)}{joint3("base", "GimbalJoint", "ground", first)}</Body>'
            f'<Body name="lower">{inertia(version)}{joint3("tested", kind, "upper", second, reverse)}</Body>'
        )
        joints, ground = "", ""
    else:
        bodies = "".join(f'<Body name="{name}">{inertia(version)}</Body>' for name in ("upper", "lower"))
        ends = ("/bodyset/lower", "/bodyset/upper") if reverse else ("/bodyset/upper", "/bodyset/lower")
        joints = joint4("base", "GimbalJoint", "/ground", "/bodyset/upper", first)
        joints = f"<JointSet><objects>{joints}{joint4('tested', kind, *ends, second)}</objects></JointSet>"
        ground = '<Ground name="ground"/>'
    return wrap(f"{ground}<BodySet><objects>{bodies}</objects></BodySet>{joints}{extra}", version)


def wrap(content, version):
    """Return a document around the content of a model."""
    return (
        f'<?xml version="1.0" encoding="UTF-8"?><OpenSimDocument Version="{version}"><Model name="small">'
        f"<gravity>0.5 -9.7 0.3</gravity>{content}</Model></OpenSimDocument>"
    )
