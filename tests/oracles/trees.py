"""Random Models and states: every kind of link, branching, curved rods, mid-rod branches, shared coordinates.

All randomness comes from a seeded NumPy generator, so a failing example is its seed and its options.
"""

import numpy as np
from hypothesis import assume
from hypothesis import strategies as st
from scipy.spatial.transform import Rotation

from softstride.model.builder import ModelBuilder
from softstride.model.functions import Constant, Linear, PiecewiseLinear, Polynomial, Scaled, SimmSpline
from softstride.model.inertia import Inertia
from softstride.model.joints import Axis
from softstride.model.rod import Rod, Segment

from . import joints as jt
from . import screws as sc

RIGID = ("fixed", "revolute", "prismatic", "spherical", "free")
MUJOCO = ("fixed", "revolute", "prismatic", "spherical")  # free joints on the world only: see `base`
SOFT = ("rod",)
ALL = (*RIGID, "custom", "rod")
SMOOTH = (
    "linear",
    "polynomial",
    "spline",
    "scaled",
)  # twice differentiable almost everywhere and continuous slopes


def rotation(rng):
    """Return a uniformly random rotation matrix."""
    return Rotation.random(random_state=rng).as_matrix()


def pose(rng, scale=0.3):
    """Return a random rigid transform with positions of about `scale` metres."""
    return sc.transform(rotation(rng), scale * rng.standard_normal(3))


def unit(rng):
    """Return a random direction."""
    direction = rng.standard_normal(3)
    return direction / np.linalg.norm(direction)


def moments(rng, scale):
    """Return a rotational inertia (3, 3) of real mass: I = tr(C) E - C with C positive definite."""
    spread = rotation(rng) * rng.uniform(0.3, 1.0, 3)
    second = scale * spread @ spread.T
    return np.trace(second) * np.eye(3) - second


def body(rng, mass=None):
    """Return builder arguments mass, com and inertia of a random body."""
    mass = rng.uniform(0.2, 5.0) if mass is None else mass
    return {"mass": mass, "com": 0.1 * rng.standard_normal(3), "inertia": moments(rng, 0.01 * mass)}


def function(rng, kinds=SMOOTH, size=0.3):
    """Return a random function with values and slopes of about `size` for arguments within (-1, 1)."""
    name = rng.choice(kinds)
    knots = np.sort(rng.uniform(-1.2, 1.2, 7)) + 0.05 * np.arange(7)
    if name == "constant":
        return Constant(size * rng.standard_normal())
    if name == "linear":
        return Linear(size * rng.standard_normal(), size * rng.standard_normal())
    if name == "polynomial":
        return Polynomial(size * rng.standard_normal(rng.integers(2, 7)))
    if name == "piecewise":
        return PiecewiseLinear(knots, size * rng.standard_normal(7))
    if name == "spline":
        slope, bend = size * rng.standard_normal(2)
        return SimmSpline(knots, slope * knots + bend * np.sin(2 * knots))
    return Scaled(function(rng, ("polynomial", "spline"), size), rng.uniform(0.5, 2.0))


def axes(rng, coordinates, kinds=SMOOTH):
    """Return (rotations, translations) driven by the named coordinates.

    Each coordinate drives one axis of its own with a slope near one, so that the columns are independent;
    every axis may carry further functions of any coordinate, as OpenSim's knees do.
    """
    order = rng.permutation(6)
    terms = {i: [] for i in range(6)}
    for i, name in zip(order, coordinates, strict=False):
        terms[i].append(
            (name, Linear(rng.choice([-1, 1]) * rng.uniform(0.7, 1.3), 0.2 * rng.standard_normal()))
        )
    for i in range(6):
        if rng.random() < 0.5:
            terms[i].append((str(rng.choice(coordinates)), function(rng, kinds, 0.1)))
        if rng.random() < 0.2:
            terms[i].append(("", Constant(0.2 * rng.standard_normal())))
    frame = rotation(rng)
    # the three rotation axes are near-orthogonal, not exactly: OpenSim's are given to six digits and need
    # not be
    directions = [frame[:, i] + 0.2 * rng.standard_normal(3) for i in range(3)]
    other = [unit(rng) for _ in range(3)] if rng.random() < 0.3 else list(rotation(rng).T)
    built = [Axis(d / np.linalg.norm(d), tuple(terms[i])) for i, d in enumerate([*directions, *other])]
    return tuple(built[:3]), tuple(built[3:])


def segment(rng, free=None, curved=True):
    """Return a random rod segment with a curved, pre-strained reference and full section inertia."""
    length = rng.uniform(0.08, 0.35)
    reference = np.array([0, 0, 0, 1.0, 0, 0])
    if curved:
        reference[:3] = rng.uniform(-1, 1, 3) / length
        reference[3:] += 0.05 * rng.standard_normal(3)
    mass = rng.uniform(0.3, 3.0)
    density = Inertia(mass, 0.01 * rng.standard_normal(3), moments(rng, 2e-4 * mass))
    if free is None:
        chosen = rng.random(6) < 0.5
        chosen[rng.integers(6)] = True
        free = tuple(name for name, keep in zip(jt.STRAINS, chosen, strict=True) if keep)
    root = rng.standard_normal((6, 6)) * 0.2 + np.eye(6)
    scale = np.sqrt(np.array([8, 10, 200, 1e5, 4e4, 4e4]))
    stiffness = scale[:, None] * (root @ root.T) * scale
    return Segment(length, reference, density, stiffness, 1e-3 * stiffness, free)


class _Group:
    """Custom links that share coordinates: one outside parent, members, at most six names."""

    def __init__(self, parent, at, member, names):
        self.parent, self.at, self.members, self.names = parent, at, [member], list(names)

    def place(self, rng):
        """Return (parent, at) of a new member: the common parent or another member."""
        parent = str(rng.choice([self.parent, *self.members]))
        return parent, self.at if parent == self.parent else None

    def draw(self, rng, fresh):
        """Return names of a new member: one or two of the shared ones, and fresh ones while there is room."""
        shared = [str(name) for name in rng.permutation(self.names)[: int(rng.integers(1, 3))]]
        return shared + fresh[: min(6 - len(self.names), int(rng.integers(0, 3)))]

    def join(self, member, names):
        """Take in a member."""
        self.members.append(member)
        self.names += [name for name in names if name not in self.names]


def _custom(rng, name, group, functions):
    """Return (names, builder arguments) of a custom joint, of its own or in a group."""
    fresh = [f"{name}.c{i}" for i in range(int(rng.integers(1, 7)))]
    names = group.draw(rng, fresh) if group else fresh
    rotations, translations = axes(rng, names, functions)
    order = tuple(str(n) for n in rng.permutation(names)) if rng.random() < 0.3 else tuple(names)
    return names, {"rotations": rotations, "translations": translations, "coordinates": order}


def random_model(
    rng,
    n=10,
    kinds=ALL,
    base="free",
    trees=1,
    shared=True,
    mid_rod=True,
    branching=0.5,
    functions=SMOOTH,
    gravity=None,
    free_strains=None,
    quadrature=None,
    offsets=True,
):
    """Return a random Model of n links.

    Args:
        rng: Seeded generator.
        n: Number of links.
        kinds: Joint kinds to draw from.
        base: Kind of the first link of every tree ("free", "fixed", ...), or None to draw it.
        trees: Number of links on the world.
        shared: Whether custom links near each other share coordinates.
        mid_rod: Whether links may hang between the ends of a rod.
        branching: Chance that a link hangs anywhere instead of on the link before it.
        functions: Kinds of functions in custom joints.
        gravity: Gravity vector; random if None.
        free_strains: Free strains of rods; random subsets if None.
        quadrature: Gauss points of rods; random 3 to 5 if None.
        offsets: Whether links have offsets between joint and link frame.
    """
    gravity = rng.uniform(-10, 10, 3) if gravity is None else gravity
    builder = ModelBuilder(f"random {n}", gravity=gravity)
    lengths = {}  # rods and their lengths
    group, roots = None, 0
    for i in range(n):
        name = f"link{i}"
        root = i == 0 or (roots < trees and rng.random() < 0.3)
        parent = "world" if root else f"link{i - 1 if rng.random() > branching else rng.integers(i)}"
        roots += root
        kind = base if root and base else str(rng.choice(kinds))
        at = None
        if parent in lengths and mid_rod and rng.random() < 0.5:
            at = float(rng.choice([0.0, rng.uniform(0, 1), rng.uniform(0, 1), 1.0])) * lengths[parent]
        joins = kind == "custom" and shared and group is not None and not root and rng.random() < 0.6
        if joins:
            parent, at = group.place(rng)
        common = {
            "parent": parent,
            "position": 0.3 * rng.standard_normal(3),
            "rotation": rotation(rng),
        } | body(rng)
        common |= {"at": at, "offset": pose(rng, 0.1) if offsets and rng.random() < 0.5 else None}
        if kind in ("revolute", "prismatic"):
            getattr(builder, kind)(name, axis=unit(rng), **common)
        elif kind == "custom":
            names, drive = _custom(rng, name, group if joins else None, functions)
            builder.custom(name, **drive, **common)
            if joins:
                group.join(name, names)
            else:
                group = _Group(parent, at, name, names)
        elif kind == "rod":
            segments = tuple(segment(rng, free_strains) for _ in range(rng.integers(1, 4)))
            rod = Rod(segments, int(rng.integers(3, 6)) if quadrature is None else quadrature)
            lengths[name] = rod.length
            builder.rod(name, rod=rod, **common)
        else:
            getattr(builder, kind)(name, **common)
    return builder.build()


def random_q(model, rng, strain=1.0):
    """Return a random configuration, (nq,): unit quaternions, angles and bends of about one radian."""
    q = np.zeros(model.nq)
    for link in model.links:
        index, kind = list(model.q_indices(link.name)), jt.kind(link.joint)
        if kind in ("spherical", "free"):
            quaternion = rng.standard_normal(4)
            q[index] = [*rng.standard_normal(len(index) - 4), *(quaternion / np.linalg.norm(quaternion))]
        elif kind == "custom":
            q[index] = rng.uniform(-0.6, 0.6, len(index))
        elif kind == "rod":
            for seg, sl in zip(link.joint.segments, jt.segment_slices(link.joint), strict=True):
                scale = np.array([1 / seg.length] * 3 + [0.05] * 3)[jt.free_columns(seg)]
                q[index[sl]] = strain * scale * rng.uniform(-1, 1, len(scale))
        else:
            q[index] = rng.uniform(-1.5, 1.5, len(index))
    return q


def random_v(model, rng, scale=2.0):
    """Return random speeds or accelerations, (nv,)."""
    return scale * rng.standard_normal(model.nv)


def random_state(model, rng, frames=None):
    """Return random (q, v, a), with a leading axis of frames unless None."""
    if frames is None:
        return random_q(model, rng), random_v(model, rng), random_v(model, rng, 10.0)
    rows = [random_state(model, rng) for _ in range(frames)]
    return tuple(np.array(column) for column in zip(*rows, strict=True))


@st.composite
def models(draw, max_links=12, kinds=ALL, **options):
    """Draw (model, rng): a random model that can move, and the generator for its states."""
    seed = draw(st.integers(0, 2**32 - 1))
    subset = draw(st.sets(st.sampled_from(kinds), min_size=1))
    options = {"base": draw(st.sampled_from(["free", "fixed", None]))} | options
    rng = np.random.default_rng(seed)
    n = draw(st.integers(1, max_links))
    model = random_model(rng, n, tuple(sorted(subset)), trees=draw(st.integers(1, 3)), **options)
    assume(model.nv > 0)  # models that cannot move have a test of their own
    return model, rng
