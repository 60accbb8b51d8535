"""Inverse dynamics by the recursive Newton-Euler algorithm, in body frames.

Forward: twist and acceleration of every station, and the wrench F = I acc - ad(twist)^T I twist that moves it;
backward: F_tip += children, tau = sum S_k^T F_k, F_base += sum Ad(g_k)^-T F_k (docs/theory/engine.md).
Gravity enters as the acceleration -g of the world. Body frames need no rotation of inertias and no world poses, which
is why this recursion, the one that is called most, does not stand on `sweep`.
"""

from __future__ import annotations

from softstride.engine.jit import kernel
from softstride.engine.kernels.axes import evaluate_axes
from softstride.engine.kernels.joints import custom, rotation_quaternion, rotation_z
from softstride.engine.kernels.matrices import clear_row, put_one
from softstride.engine.kernels.records import Row, Spatial, accumulate, mat, placement, put, rigid, take, vec
from softstride.engine.kernels.rnea_loads import (
    ABOUT_PLACE,
    ABOUT_POINT,
    SHOWN,
    orient,
    pull,
    put_origin,
    show_cut,
    stand_upright,
)
from softstride.engine.kernels.rnea_rods import load_segment, project_segment
from softstride.engine.kernels.rnea_stations import (
    POSE,
    STATION_ROWS,
    TWIST,
    WRENCH,
    ZERO,
    advance,
    motion_of,
    newton_euler,
)
from softstride.engine.kernels.tables import (
    AXES,
    BASE,
    BASE_WRENCH,
    COLUMNS,
    COUNT,
    CUSTOM,
    EXTRA,
    FIRST,
    FIXED,
    FLAG,
    FORM,
    FREE,
    INERTIA,
    IQ,
    IV,
    KIND,
    NODE,
    PLACE,
    PRISMATIC,
    REAL,
    RECORD,
    REVOLUTE,
    SLOPES,
    SOFT,
    SPHERICAL,
    TRAVEL,
    Array,
    IntArray,
    N,
    Places,
    Tree,
)
from softstride.engine.lanes import LANES, Frames, Index, Rows, straight
from softstride.spatial.small import Mat, Vec


@straight
def begin(tree: Tree, m: Rows) -> None:
    """Set the world: at rest, accelerating against gravity."""
    put(m, TWIST, Vec.zero(), Vec.zero(), Vec.zero(), -vec(tree.constants, 0))


class Joint:
    """Where a one-station node finds its things."""

    def __init__(self, tree: Tree, i: Index, aligned: bool = False) -> None:
        """Look up node i."""
        self.station = tree.nodes[i, FIRST]
        self.iq, self.iv = tree.nodes[i, IQ], tree.nodes[i, IV]
        self.place = placement(tree.constants, tree.nodes[i, REAL], aligned)


def settle(
    tree: Tree,
    m: Rows,
    k: Row,
    place: tuple[Mat, Vec],
    form: int,
    *,
    R: Mat | None = None,
    p: Vec | None = None,
    j: Spatial = ZERO,
    b: Spatial = ZERO,
) -> None:
    """Store pose, motion and wrench of station k, moved by (R, p) behind a constant placement."""
    # g = (Rt, pt) (R, p), the constant placement and then the joint: the pose relative to the base station.
    me, base = k * STATION_ROWS, tree.stations[k, BASE] * STATION_ROWS
    Rt, pt = place
    R = Rt if R is None else Rt @ R
    p = pt if p is None else pt + Rt @ p
    moving = advance(motion_of(m, base + TWIST), R, p, j, b)
    put(m, me + POSE, R, p, *moving)
    # F_k of the own body; loads and children come to it later.
    inertia = tree.stations[k, INERTIA]
    put(m, me + WRENCH, *(newton_euler(*rigid(tree.constants, inertia, form), *moving) if form else ZERO))


def revolute(tree: Tree, i: Index, m: Rows, q: Frames, v: Frames, a: Frames, f: Index, form: int) -> None:
    """Rotate about z."""
    at = Joint(tree, i)
    # S = [e_z; 0], constant in the moving axes: j = S v, b = S a.
    j, b = ((Vec(0.0, 0.0, x[f, at.iv]), Vec.zero()) for x in (v, a))
    settle(tree, m, at.station, at.place, form, R=rotation_z(q[f, at.iq]), j=j, b=b)


def prismatic(tree: Tree, i: Index, m: Rows, q: Frames, v: Frames, a: Frames, f: Index, form: int) -> None:
    """Slide along z."""
    at = Joint(tree, i)
    # S = [0; e_z]
    j, b = ((Vec.zero(), Vec(0.0, 0.0, x[f, at.iv])) for x in (v, a))
    settle(tree, m, at.station, at.place, form, p=Vec(0.0, 0.0, q[f, at.iq]), j=j, b=b)


def spherical(
    tree: Tree, i: Index, m: Rows, q: Frames, v: Frames, a: Frames, f: Index, form: int, aligned: bool
) -> None:
    """Rotate by a quaternion."""
    at = Joint(tree, i, aligned)
    R = rotation_quaternion(*(q[f, at.iq + k] for k in range(4)))
    # S = [E; 0]: v is the angular velocity in child axes.
    j, b = ((take(x, f, at.iv), Vec.zero()) for x in (v, a))
    settle(tree, m, at.station, at.place, form, R=R, j=j, b=b)


def free(tree: Tree, i: Index, m: Rows, q: Frames, v: Frames, a: Frames, f: Index, form: int) -> None:
    """Move freely; the velocity is the body twist."""
    at = Joint(tree, i)
    R = rotation_quaternion(*(q[f, at.iq + 3 + k] for k in range(4)))
    # S = E, while the position in q is in the axes of the placement: p is taken as it is.
    j, b = ((take(x, f, at.iv), take(x, f, at.iv + 3)) for x in (v, a))
    settle(tree, m, at.station, at.place, form, R=R, p=take(q, f, at.iq), j=j, b=b)


def fixed(tree: Tree, i: Index, m: Rows, form: int) -> None:
    """Stay where the placement says."""
    at = Joint(tree, i)
    settle(tree, m, at.station, at.place, form)


def travel(tree: Tree, i: Index, m: Rows, q: Frames, v: Frames, a: Frames, f: Index, aligned: bool) -> None:
    """Slide along x, y and z on the world, which does not move; massless."""
    at = Joint(tree, i, aligned)
    R, p = at.place
    # Nothing turns: eta' = [0; a - R^T g], the -g of the world in the axes of the slides, without ad(eta) j.
    still, gravity = Vec.zero(), R.T @ vec(tree.constants, 0)
    moving = still, take(v, f, at.iv), still, take(a, f, at.iv) - gravity
    put(m, at.station * STATION_ROWS + POSE, R, p + R @ take(q, f, at.iq), *moving)
    put(m, at.station * STATION_ROWS + WRENCH, *ZERO)


@straight
def finish_travel(m: Rows, me: Index, out: Frames, f: Index, iv: Index) -> None:
    """Write the three forces; the world needs no wrench."""
    # tau = S^T F with S = [0; E]
    for k in range(3):
        out[f, iv + k] = m[me + WRENCH + 3 + k]


move_travel = straight(travel, aligned=(0, 1))
move_revolute, move_prismatic, move_free = (
    straight(kind, form=(0, 1, 2)) for kind in (revolute, prismatic, free)
)
move_fixed = straight(fixed, form=(0, 1, 2))
move_spherical = straight(spherical, form=(0, 1, 2), aligned=(0, 1))


@straight
def move_custom(tree: Tree, k: Index, m: Rows, record: Index) -> None:
    """Move a custom station by its axis values."""
    place = tree.stations[k, PLACE]
    # The axis record holds x, x', x'' of six axes: j = S v, b = S a + S' v by the chain rule.
    axes = [vec(tree.constants, place + 12 + 3 * i) for i in range(6)]
    motion = custom(axes, *([m[record + AXES + 6 * order + i] for i in range(6)] for order in range(3)))
    put(m, record + COLUMNS, *motion.angular, *motion.linear)
    settle(tree, m, k, placement(tree.constants, place), 1, R=motion.R, p=motion.p, j=motion.j, b=motion.b)


@straight
def custom_torque(m: Rows, me: Index, record: Index, n: Index, a: Index, total: Index) -> None:
    """Add S_a^T F of a custom station to row ``total`` (column a of n)."""
    # S_a = sum_i e_i dx_i/dq_a over the elementary columns e_i, three angular ones, then three linear ones.
    moment, force = vec(m, me + WRENCH), vec(m, me + WRENCH + 3)
    tau = m[total]
    for i in range(6):
        column = vec(m, record + COLUMNS + 3 * i)
        tau = tau + m[record + SLOPES + n * i + a] * column.dot(moment if i < 3 else force)
    m[total] = tau


def transmit(tree: Tree, k: Index, m: Rows, out: Frames, f: Index, iv: Index, start: int, count: int) -> None:
    """Write entries of station k's wrench as torques and pass the wrench to its base."""
    me, base = k * STATION_ROWS, tree.stations[k, BASE] * STATION_ROWS
    # tau = S^T F: columns of S are unit vectors, so S^T picks entries of [n; f].
    n, force = vec(m, me + WRENCH), vec(m, me + WRENCH + 3)
    for entry, x in enumerate((*n, *force)[start : start + count]):
        out[f, iv + entry] = x
    # F_base += Ad(g)^-T F = [R n + p x R f; R f]
    R, p = mat(m, me + POSE), vec(m, me + POSE + 9)
    force = R @ force
    accumulate(m, base + WRENCH, R @ n + p.cross(force), force)


transmit_revolute = straight(transmit, start=2, count=1)
transmit_prismatic = straight(transmit, start=5, count=1)
transmit_spherical = straight(transmit, start=0, count=3)
transmit_free = straight(transmit, start=0, count=6)
transmit_only = straight(transmit, start=0, count=0)


@kernel
def rnea(
    tree: Tree,
    places: Places,
    paths: IntArray,
    cuts: IntArray,
    q: Array,
    v: Array,
    a: Array,
    loads: Array,
    wrenches: Array,
    tau: Array,
    shown: Array,
    origins: Array,
    m: Array,
    first: int,
    last: int,
) -> None:
    """Inverse dynamics of blocks first .. last - 1 of LANES frames.

    ``loads`` about points are on the first places, ``wrenches`` about their own places on the next. Each of ``cuts``
    is a station, or -1 minus a node that is the first of a rod: the wrench that its joint gives it goes to ``shown``,
    about a place and in the axes of another, a pair of places for each cut behind those of the loads; where the joint
    has it are the last places. Where the first places are goes to ``origins``, as far as it has columns. ``paths`` are
    the stations whose poses these need.
    """
    nodes, stations = tree.nodes, tree.stations
    extra = stations.shape[0] * STATION_ROWS
    # Places in order: those of loads, those of wrenches, (about, axes) of each cut, the seats of the cuts.
    pointed = loads.shape[1] // ABOUT_POINT
    loaded = pointed + wrenches.shape[1] // ABOUT_PLACE
    seats = loaded + 2 * cuts.shape[0]
    for block in range(first, last):
        f = block * LANES
        # Forward: eta_k, eta'_k and F_k from the world to the leaves [Featherstone2008, table 5.1].
        begin(tree, m)
        for i in range(nodes.shape[0]):
            kind = nodes[i, KIND]
            k = nodes[i, FIRST]
            form = stations[k, FORM]
            if kind == SPHERICAL:
                move_spherical(tree, i, m, q, v, a, f, form, nodes[i, FLAG])
            elif kind == REVOLUTE:
                move_revolute(tree, i, m, q, v, a, f, form)
            elif kind == PRISMATIC:
                move_prismatic(tree, i, m, q, v, a, f, form)
            elif kind == FREE:
                move_free(tree, i, m, q, v, a, f, form)
            elif kind == TRAVEL:
                move_travel(tree, i, m, q, v, a, f, nodes[i, FLAG])
            elif kind == CUSTOM:
                for s in range(k, k + nodes[i, COUNT]):
                    record = extra + stations[s, RECORD]
                    evaluate_axes(tree, i, s, q, f, v, f, a, f, m, record)
                    move_custom(tree, s, m, record)
            elif kind == FIXED:
                move_fixed(tree, i, m, form)
            else:
                load_segment(tree, i, m, q, v, a, f, extra + nodes[i, EXTRA])
        # Loads: F_k -= load, before anything is passed on. World poses for the stations on their paths alone.
        if places.stations.shape[0]:
            stand_upright(m)
        for j in range(paths.shape[0]):
            orient(tree, paths[j], m, nodes[stations[paths[j], NODE], KIND] == SOFT)
        for i in range(pointed):
            pull(places, i, m, loads, f, ABOUT_POINT * i, ABOUT_POINT)
        for i in range(pointed, loaded):
            pull(places, i, m, wrenches, f, ABOUT_PLACE * (i - pointed), ABOUT_PLACE)
        for i in range(origins.shape[1] // 3):
            put_origin(places, i, m, origins, f)
        # Backward, leaves first: tau = sum S_k^T F_k, F_base += sum Ad(g_k)^-T F_k.
        for i in range(nodes.shape[0] - 1, -1, -1):
            kind = nodes[i, KIND]
            k = nodes[i, FIRST]
            iv = nodes[i, IV]
            if kind == SPHERICAL:
                transmit_spherical(tree, k, m, tau, f, iv)
            elif kind == REVOLUTE:
                transmit_revolute(tree, k, m, tau, f, iv)
            elif kind == PRISMATIC:
                transmit_prismatic(tree, k, m, tau, f, iv)
            elif kind == FREE:
                transmit_free(tree, k, m, tau, f, iv)
            elif kind == TRAVEL:
                finish_travel(m, k * STATION_ROWS, tau, f, iv)
            elif kind == FIXED:
                transmit_only(tree, k, m, tau, f, iv)
            elif kind == CUSTOM:
                n = nodes[i, N]
                total = extra + nodes[i, EXTRA]
                for j in range(n):
                    clear_row(m, total + j)
                # Stations of a node may hang on earlier ones, so the last is finished first.
                for s in range(k + nodes[i, COUNT] - 1, k - 1, -1):
                    for j in range(n):
                        custom_torque(m, s * STATION_ROWS, extra + stations[s, RECORD], n, j, total + j)
                    transmit_only(tree, s, m, tau, f, iv)
                for j in range(n):
                    put_one(m, total + j, tau, f, iv + j)
            else:
                # All six strains have a force; tau takes the free ones, B^T [tau_kappa; tau_eps].
                total = project_segment(tree, i, m, extra + nodes[i, EXTRA])
                for j in range(nodes[i, N]):
                    put_one(m, total + tree.strains[iv + j], tau, f, iv + j)
        # F is complete now. A rod is cut at its base: that wrench is in the record of its first segment.
        for i in range(cuts.shape[0]):
            k = cuts[i]
            row = k * STATION_ROWS + WRENCH if k >= 0 else extra + nodes[-1 - k, EXTRA] + BASE_WRENCH
            pair = loaded + 2 * i
            show_cut(places, seats + i, pair, pair + 1, row, m, shown, f, SHOWN * i)
