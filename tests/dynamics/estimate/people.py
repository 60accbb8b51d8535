"""People who stand, sway and lean with their feet held, and the program of an estimate by its definition."""

from functools import cache
from types import SimpleNamespace

import numpy as np
from tests.models import the_model

import softstride as ss
from softstride.dynamics.estimate.demand import demand_of
from softstride.dynamics.estimate.footholds import FootSole, footholds
from softstride.dynamics.estimate.observe import observe
from softstride.dynamics.prepare import prepare
from softstride.dynamics.residual import floating_base
from softstride.model import Axis

RATE = 100.0
G = 9.80665
STRAIN = 0.04  # [1/m], of blades in a motion without markers


@cache
def gait():
    return the_model("gait")


@cache
def prosthetic():
    """The gait person with a blade on the right."""
    return ss.attach_blade(ss.amputate(gait(), side="right", below_knee=0.13), blade="j-medium")


@cache
def plain(base="pelvis"):
    """A person as OpenSim's models are, without places of contact; the base may be the torso, above a lumbar joint."""
    builder = ss.ModelBuilder(f"plain on {base}")
    rotations = (Axis.along((0, 0, 1), "tilt"), Axis.along((1, 0, 0), "list"), Axis.along((0, 1, 0), "turn"))
    slides = tuple(Axis.along(row, name) for row, name in zip(np.eye(3), ("tx", "ty", "tz"), strict=True))
    torso = {"mass": 35.0, "com": (0.0, 0.3, 0.0), "inertia": (1.5, 0.5, 1.4)}
    pelvis = {"mass": 12.0, "com": (0.0, 0.05, 0.0), "inertia": (0.1, 0.1, 0.1)}
    if base == "pelvis":
        builder.custom("pelvis", rotations=rotations, translations=slides, **pelvis)
        builder.revolute("torso", parent="pelvis", axis=(0, 0, 1), coordinate="lumbar", **torso)
    else:
        builder.custom("torso", rotations=rotations, translations=slides, **torso)
        builder.revolute("pelvis", parent="torso", axis=(0, 0, 1), coordinate="lumbar", **pelvis)
    for side, z in (("r", 1.0), ("l", -1.0)):
        builder.custom(
            f"femur_{side}",
            parent="pelvis",
            position=(0.0, -0.05, 0.09 * z),
            rotations=(
                Axis.along((0, 0, 1), f"flex_{side}"),
                Axis.along((z, 0, 0), f"add_{side}"),
                Axis.along((0, z, 0), f"rot_{side}"),
            ),
            mass=8.0,
            com=(0.0, -0.2, 0.0),
            inertia=(0.13, 0.03, 0.13),
        )
        hinges = (
            ("tibia", "femur", "knee", (0.0, -0.41, 0.0), 3.5, (0.0, -0.18, 0.0), 0.05),
            ("calcn", "tibia", "ankle", (0.0, -0.42, 0.0), 1.0, (0.06, -0.02, 0.0), 0.004),
            ("toes", "calcn", "mtp", (0.14, -0.03, 0.01 * z), 0.2, (0.03, 0.0, 0.0), 0.0005),
        )
        for name, parent, coordinate, position, mass, com, inertia in hinges:
            builder.revolute(
                f"{name}_{side}",
                parent=f"{parent}_{side}",
                axis=(0, 0, 1),
                coordinate=f"{coordinate}_{side}",
                position=position,
                mass=mass,
                com=com,
                inertia=(inertia,) * 3,
            )
    return builder.build()


def column(model, name):
    return model.coordinate_names.index(name)


def still(model, q=None, n=6, rate=RATE):
    """Return a motion at rest in one pose."""
    q = model.neutral() if q is None else q
    zero = np.zeros((n, model.nv))
    return ss.Motion(model, np.arange(n) / rate, np.tile(q, (n, 1)), rates=(zero, zero))


def lowest_at_zero(model, q, points):
    """Return a pose moved vertically (coordinate "..ty") so that the lowest of points is at height 0."""
    q = np.array(q)
    names = [name for name in model.coordinate_names if name == "ty" or name.endswith("_ty")]
    q[column(model, names[0])] -= ss.positions(model, q, points)[:, 1].min()
    return q


def held(model, q, coordinates, points, targets, steps=60):
    """Return q with `coordinates` changed least so that points are at targets (k, 3) in every frame (Gauss-Newton)."""
    q = np.array(q, dtype=float)
    columns = [column(model, name) for name in coordinates]
    for _ in range(steps):
        error = (targets - ss.positions(model, q, points)).reshape(len(q), -1)
        J = np.concatenate([ss.jacobian(model, q, point) for point in points], axis=1)[:, :, columns]
        q[:, columns] += np.einsum("nij,nj->ni", np.linalg.pinv(J, rcond=1e-9), error)
        if np.abs(error).max() < 1e-13:
            return q
    raise AssertionError(f"feet are not held: {np.abs(error).max()}")


KNEE = 1.0  # sign of bending
THREE = ((0.0, 0.0, 0.0), (0.15, 0.0, 0.04), (0.15, 0.0, -0.04))
LEG = ("hip_flexion", "hip_adduction", "hip_rotation", "knee_angle", "ankle_angle", "subtalar_angle")


def feet_points(sides="rl"):
    return [ss.Point(f"calcn_{side}", np.array(place)) for side in sides for place in THREE]


@cache
def swaying(n=121, rate=RATE, size=1.0, symmetric=False):
    """Return the gait person who squats, sways and swings the arms, all by sines, with both feet held on y = 0."""
    model = gait()
    t = np.arange(n) / rate
    q = np.tile(model.neutral(), (n, 1))
    bent = q[0].copy()
    standing = ss.positions(model, bent, feet_points())
    moves = {
        "pelvis_ty": (-0.09, 0.03, 1.3, 0.0),
        "pelvis_tx": (0.0, 0.02, 0.7, 0.4),
        "lumbar_extension": (-0.1, 0.08, 1.1, 0.2),
    }
    if not symmetric:
        moves |= {
            "pelvis_tz": (0.0, 0.03, 0.6, 1.0),
            "pelvis_rotation": (0.0, 0.05, 0.9, 0.3),
            "lumbar_bending": (0.0, 0.1, 1.2, 0.5),
            "arm_flex_r": (0.3, 0.3, 1.0, 0.1),
            "arm_add_l": (-0.4, 0.2, 0.8, 0.7),
        }
    for name, (mean, amplitude, hertz, phase) in moves.items():
        q[:, column(model, name)] += mean + size * amplitude * np.sin(2.0 * np.pi * hertz * t + phase)
    for side in "rl":  # knees bent to begin with: straight ones do not know where to go
        q[:, [column(model, f"{name}_{side}") for name in ("hip_flexion", "ankle_angle")]] = [0.4, 0.3]
        q[:, column(model, f"knee_angle_{side}")] = KNEE * 0.7
    legs = [f"{name}_{side}" for side in "rl" for name in LEG]
    q = held(model, q, legs, feet_points(), standing)
    return ss.Motion(model, t, q)


@cache
def swaying_loads():
    """Return the estimate for it, as it comes."""
    return ss.estimate_loads(gait(), swaying())


def total(loads):
    """Return the force of the ground on both feet, shape (n, 3)."""
    return sum(wrench.force for wrench in loads.wrenches.values())


@cache
def one_leg(hip=1.0, knee=1.6):
    """Return a pose of the gait person on the right foot, the centre of mass over the middle of its sole.

    The left foot is raised by bending hip and knee.
    """
    model = gait()
    q = np.tile(model.neutral(), (1, 1))
    flat = ss.positions(model, q[0], feet_points("r"))
    q[0, column(model, "hip_flexion_l")] = hip
    q[0, column(model, "knee_angle_l")] = KNEE * knee
    legs = [f"{name}_r" for name in LEG]
    middle = flat[1:].mean(axis=0) * 0.5 + flat[0] * 0.5
    for _ in range(30):
        com = ss.centre_of_mass(model, q)[0]
        q[0, column(model, "pelvis_tx")] += middle[0] - com[0]
        q[0, column(model, "pelvis_tz")] += middle[2] - com[2]
        q[0, column(model, "pelvis_ty")] = model.neutral()[column(model, "pelvis_ty")] - 0.05
        q[0, [column(model, f"{name}_r") for name in ("hip_flexion", "ankle_angle")]] = [0.3, 0.2]
        q[0, column(model, "knee_angle_r")] = KNEE * 0.5
        q = held(model, q, legs, feet_points("r"), flat)
    return q[0], middle


# the program, by its definition


@cache
def standing_on(model):
    """Return the footholds of a model, always the same objects: the engine keeps plans for sections it knows."""
    return footholds(model)


def program(model, motion, **changes):
    """Return what goes into the program of an estimate: contacts, demand, state, options."""
    options = ss.EstimateOptions(**({"lowpass": None, "smoothness": None} | changes))
    feet = standing_on(model)
    state = prepare(model, motion, None, None)
    up = np.array([0.0, 1.0, 0.0])
    contacts = observe(model, feet, state, up, options)
    base = floating_base(model).name
    weight = model.mass * G
    given = STRAIN if options.strain_error is None else options.strain_error
    demand = demand_of(model, base, state, up, weight, np.full(model.nv, given), None)
    return SimpleNamespace(
        model=model, state=state, contacts=contacts, demand=demand, options=options, base=base, weight=weight
    )


def base_columns(model, base):
    return list(model.v_indices(base))


def balance(p, frame, f):
    """Return the wrench [moment; force] of forces f (c, 3) [N] about the origin of the base, by cross products."""
    origin = ss.poses(p.model, p.state.q[frame], p.base)[:3, 3]
    moment, total = np.zeros(3), np.zeros(3)
    for place, force in zip(p.contacts.place[frame], f, strict=True):
        moment += np.cross(place - origin, force)
        total += force
    return np.concatenate([moment, total])


def pushed(p, frame, f):
    """Return the generalized forces (nv,) of forces f (c, 3) [N]: on the link of each foot, on sections of a blade."""
    q = p.state.q[frame : frame + 1]
    tau = np.zeros(p.model.nv)
    for number, foot in enumerate(p.contacts.feet):
        own = p.contacts.foot == number
        rigid = isinstance(foot.foothold, FootSole)
        sections = [foot.foothold.link] if rigid else list(foot.sections)
        shares = [1.0] if rigid else foot.share[frame]
        at = ss.poses(p.model, q, sections)[0][..., :3, 3].reshape(-1, 3)
        for section, share, origin in zip(sections, shares, at, strict=True):
            wrench = np.zeros(6)
            for place, force in zip(p.contacts.place[frame][own], f[own], strict=True):
                wrench += share * np.concatenate([np.cross(place - origin, force), force])
            tau += ss.generalized_forces(p.model, q, {section: wrench[None]})[0]
    return tau


def cell_errors(p, frame):
    """Return for each velocity the error [body weights] of a blade's row, NaN for joints."""
    error = np.full(p.model.nv, np.nan)
    for link in p.model.links:
        if not link.soft or not p.options.load_cell:
            continue
        rows = list(p.model.v_indices(link.name))
        stiffness = [
            segment.length * segment.stiffness[free, free]
            for segment in link.joint.segments
            for free in segment.free_indices
        ]
        given = p.options.blade_error * p.demand.elastic[frame, rows]
        seen = (STRAIN if p.options.strain_error is None else p.options.strain_error) * np.array(stiffness)
        error[rows] = np.sqrt(given**2 + seen**2) / p.weight
    return error


def cost(p, frame, f):
    """Return half the sum of the docstring of `rows` for forces f (c, 3) [body weights], world axes."""
    o, W = p.options, p.weight
    tau_id, elastic = p.demand.tau[frame] / W, p.demand.elastic[frame] / W
    left = needed(p, frame) / W - balance(p, frame, f)
    left[:3] /= o.reach
    total = left @ left
    tau = tau_id - pushed(p, frame, f)
    base, error = base_columns(p.model, p.base), cell_errors(p, frame)
    on_the_way = carrying(p)
    for k in range(p.model.nv):
        if k in base or k not in on_the_way:
            continue
        if np.isnan(error[k]):
            total += o.torque * tau[k] ** 2
        else:
            total += (0.03 * (tau[k] - elastic[k]) / error[k]) ** 2
    for number in range(len(p.contacts.feet)):
        own = np.flatnonzero(p.contacts.foot == number)
        a = p.contacts.activation[frame, own]
        F = f[own].sum(axis=0)
        for each, i in zip(a, own, strict=True):
            difference = f[i] - each * F / a.sum()
            total += o.spread * difference @ difference / each
        total += o.load * F @ F / (1.0 - np.prod(1.0 - a))
    return 0.5 * total


def needed(p, frame):
    """Return the wrench [moment; force] [N·m, N] about the origin of the base that the motion asks for.

    The one whose generalized forces are the rows of the base of inverse dynamics.
    """
    q, v, a = (x[frame : frame + 1] for x in (p.state.q, p.state.v, p.state.a))
    base = base_columns(p.model, p.base)
    tau = ss.inverse_dynamics(p.model, q, v, a)[0, base]
    columns = [ss.generalized_forces(p.model, q, {p.base: unit[None]})[0, base] for unit in np.eye(6)]
    return np.linalg.solve(np.array(columns).T, tau)


def left_clearance(q):
    """Return the height of the lowest place of the left foot above those of the right one [m]."""
    model = gait()
    low = {
        side: ss.positions(
            model,
            q,
            [ss.Point(c.link, c.position) for name, c in model.contacts.items() if name.endswith(side)],
        )[:, 1].min()
        for side in ("_r", "_l")
    }
    return low["_l"] - low["_r"]


def carrying(p):
    """Return the velocities of all joints between the feet and the world."""
    found = set()
    for foot in p.contacts.feet:
        name = foot.foothold.link
        while name != "world":
            found |= set(p.model.v_indices(name))
            name = p.model.link(name).parent
    return found
