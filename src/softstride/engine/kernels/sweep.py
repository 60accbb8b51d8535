"""The forward sweep that all recursions but inverse dynamics share: every station in world axes.

Spatial vectors are in world axes about the station's own origin, so that passing them on costs one cross product and
no rotation, and nothing loses digits far from the world's origin. For each station: rotation R, position p, arm (from
the origin of the station on which the node hangs), twist columns s (one a coordinate of the node), and if moving the
twist V and the bias c with

    V = shift(V_parent, arm) + s v,        A = shift(A_parent, arm) + s a + c,        shift([w; u], d) = [w; u + w x d].
"""

from __future__ import annotations

from typing import Any

from softstride.engine.jit import inner
from softstride.engine.kernels.axes import evaluate_axes
from softstride.engine.kernels.joints import custom, rotation_quaternion, rotation_z
from softstride.engine.kernels.records import mat, placement, put, vec
from softstride.engine.kernels.rods import (
    load_rates,
    load_seconds,
    load_strain,
    set_rate,
    set_rates,
    set_reference,
    set_strain,
    station_coefficients,
)
from softstride.engine.kernels.tables import (
    AXES,
    BASE,
    COLUMN,
    COLUMNS,
    COUNT,
    CUSTOM,
    EXTRA,
    FIRST,
    FREE,
    IQ,
    IV,
    KIND,
    NODE,
    PARENT,
    PLACE,
    PRISMATIC,
    REAL,
    RECORD,
    REVOLUTE,
    SLOPES,
    SPHERICAL,
    SUMS,
    TERM,
    TERMS,
    N,
)
from softstride.engine.lanes import Frames, Index, Params, Rows, straight
from softstride.spatial import segment
from softstride.spatial.small import Mat, Vec

ROTATION, POSITION, ARM, TWIST, BIAS, ACCELERATION = 0, 9, 12, 15, 21, 27
STATION_ROWS = 33
COLUMN_ROWS = 6


def shift(w: Vec, u: Vec, d: Vec) -> tuple[Vec, Vec]:
    """Return a motion vector (angular w, linear u) about an origin moved by d."""
    return w, u + w.cross(d)


def pair(m: Rows, row: Index) -> tuple[Vec, Vec]:
    """Return the spatial vector at a row."""
    return vec(m, row), vec(m, row + 3)


@straight
def begin_world(m: Rows, c: Params) -> None:
    """Set the world: at the origin, at rest, accelerating against gravity."""
    put(m, ROTATION, Mat.identity(), *([Vec.zero()] * 7), Vec(-c[0], -c[1], -c[2]))


def settle(
    m: Rows,
    me: Index,
    base: Index,
    R: Mat,
    d: Vec,
    chain: bool,
    j: tuple[Vec, Vec] | None,
    b: tuple[Vec, Vec] | None,
) -> None:
    """Store pose and motion of a station at the world vector d from its base, with j = s v, b = (dS/dt) v in world axes."""
    put(m, me + ROTATION, R, vec(m, base + POSITION) + d, (vec(m, base + ARM) + d) if chain else d)
    if j is not None:
        w0, u0 = shift(*pair(m, base + TWIST), d)
        w, u = w0 + j[0], u0 + j[1]
        bias = w.cross(j[0]), w.cross(j[1]) + u.cross(j[0])
        if b is not None:
            bias = bias[0] + b[0], bias[1] + b[1]
        if chain:
            before = shift(*pair(m, base + BIAS), d)
            bias = bias[0] + before[0], bias[1] + before[1]
        put(m, me + TWIST, w, u, *bias)


def put_columns(m: Rows, column: Index, *columns: tuple[Vec, Vec]) -> None:
    """Store twist columns one behind the other."""
    for i, (w, u) in enumerate(columns):
        put(m, column + COLUMN_ROWS * i, w, u)


def carry(m: Rows, base: Index, c: Params, real: Index, aligned: bool = False) -> tuple[Mat, Vec]:
    """Return rotation of the joint frame and its world vector from the base station."""
    Rt, pt = placement(c, real, aligned)
    R0 = mat(m, base + ROTATION)
    return R0 @ Rt, R0 @ pt


def revolute(
    m: Rows,
    me: Index,
    base: Index,
    column: Index,
    c: Params,
    real: Index,
    q: Frames,
    f: Index,
    iq: Index,
    v: Frames,
    g: Index,
    iv: Index,
    moving: bool,
) -> None:
    """Rotate about z."""
    R, d = carry(m, base, c, real)
    axis = R.columns()[2]
    put_columns(m, column, (axis, Vec.zero()))
    j = (axis * v[g, iv], Vec.zero()) if moving else None
    settle(m, me, base, R @ rotation_z(q[f, iq]), d, False, j, None)


def prismatic(
    m: Rows,
    me: Index,
    base: Index,
    column: Index,
    c: Params,
    real: Index,
    q: Frames,
    f: Index,
    iq: Index,
    v: Frames,
    g: Index,
    iv: Index,
    moving: bool,
) -> None:
    """Slide along z."""
    R, d = carry(m, base, c, real)
    axis = R.columns()[2]
    put_columns(m, column, (Vec.zero(), axis))
    j = (Vec.zero(), axis * v[g, iv]) if moving else None
    settle(m, me, base, R, d + axis * q[f, iq], False, j, None)


def spherical(
    m: Rows,
    me: Index,
    base: Index,
    column: Index,
    c: Params,
    real: Index,
    q: Frames,
    f: Index,
    iq: Index,
    v: Frames,
    g: Index,
    iv: Index,
    moving: bool,
) -> None:
    """Rotate by a quaternion."""
    Rj, d = carry(m, base, c, real)
    R = Rj @ rotation_quaternion(*(q[f, iq + k] for k in range(4)))
    put_columns(m, column, *((axis, Vec.zero()) for axis in R.columns()))
    j = (R @ Vec(*(v[g, iv + k] for k in range(3))), Vec.zero()) if moving else None
    settle(m, me, base, R, d, False, j, None)


def free(
    m: Rows,
    me: Index,
    base: Index,
    column: Index,
    c: Params,
    real: Index,
    q: Frames,
    f: Index,
    iq: Index,
    v: Frames,
    g: Index,
    iv: Index,
    moving: bool,
) -> None:
    """Move freely."""
    Rj, d = carry(m, base, c, real)
    R = Rj @ rotation_quaternion(*(q[f, iq + 3 + k] for k in range(4)))
    axes = R.columns()
    put_columns(m, column, *((a, Vec.zero()) for a in axes), *((Vec.zero(), a) for a in axes))
    j = None
    if moving:
        j = R @ Vec(*(v[g, iv + k] for k in range(3))), R @ Vec(*(v[g, iv + 3 + k] for k in range(3)))
    settle(m, me, base, R, d + Rj @ Vec(*(q[f, iq + k] for k in range(3))), False, j, None)


def custom_station(
    m: Rows, me: Index, base: Index, c: Params, place: Index, record: Index, moving: bool, chain: bool
) -> None:
    """Move a custom station; its elementary columns go to its record in world axes."""
    Rj, d = carry(m, base, c, place)
    axes = [vec(c, place + 12 + 3 * i) for i in range(6)]
    x, dx, ddx = ([m[record + AXES + 6 * k + i] for i in range(6)] for k in range(3))
    motion = custom(axes, x, dx, ddx)
    R = Rj @ motion.R
    put(m, record + COLUMNS, *(R @ column for column in (*motion.angular, *motion.linear)))
    j, b = ((R @ w, R @ u) for w, u in (motion.j, motion.b))
    settle(m, me, base, R, d + Rj @ motion.p, chain, j if moving else None, b)


def custom_column(
    m: Rows,
    me: Index,
    base: Index,
    record: Index,
    n: Index,
    a: Index,
    column: Index,
    before: Index,
    chain: bool,
) -> None:
    """Combine the elementary columns of coordinate a; add what the base station does with it."""
    elementary = [vec(m, record + COLUMNS + 3 * i) for i in range(6)]
    slopes = [m[record + SLOPES + n * i + a] for i in range(6)]
    w = elementary[0] * slopes[0] + elementary[1] * slopes[1] + elementary[2] * slopes[2]
    u = elementary[3] * slopes[3] + elementary[4] * slopes[4] + elementary[5] * slopes[5]
    if chain:
        d = vec(m, me + ARM) - vec(m, base + ARM)
        w0, u0 = shift(*pair(m, before), d)
        w, u = w + w0, u + u0
    put_columns(m, column, (w, u))


def soft_station(
    m: Rows, me: Index, base: Index, node: Index, c: Params, real: Index, place: Index, moving: bool
) -> None:
    """Place a rod station; R D and R E of its tangent map go column by column to the node's record."""
    k = station_coefficients(m, node, c[place])
    kappa, eps = load_strain(m, node)
    Rj, d = carry(m, base, c, real)
    Rs, ps = segment.pose(kappa, eps, k)
    R = Rj @ Rs
    D, E = segment.tangent(kappa, eps, k)
    put(m, node + SUMS, *(R @ D).columns(), *(R @ E).columns())
    j = b = None
    if moving:
        rates = load_rates(m, node)
        j, b = segment.velocity(rates, k), segment.acceleration(rates, load_seconds(m, node), k)
        j, b = (R @ j[0], R @ j[1]), (R @ b[0], R @ b[1])
    settle(m, me, base, R, d + Rj @ ps, False, j, b)


@straight
def soft_angular(m: Rows, node: Index, strain: Index, column: Index) -> None:
    """Pick the twist column of an angular strain."""
    put_columns(m, column, (vec(m, node + SUMS + strain * 3), vec(m, node + SUMS + 9 + strain * 3)))


@straight
def soft_linear(m: Rows, node: Index, strain: Index, column: Index) -> None:
    """Pick the twist column of a linear strain (0 stretch, 1 and 2 shear)."""
    put_columns(m, column, (Vec.zero(), vec(m, node + SUMS + strain * 3)))


place_revolute, place_prismatic, place_spherical, place_free = (
    straight(kind, moving=(0, 1)) for kind in (revolute, prismatic, spherical, free)
)
place_station = straight(soft_station, moving=(0, 1))
place_link = straight(custom_station, moving=(0, 1), chain=(0, 1))
place_column = straight(custom_column, chain=(0, 1))


@inner
def place_custom(
    sizes: Any,
    nodes: Any,
    stations: Any,
    terms: Any,
    c: Any,
    pieces: Any,
    q: Any,
    f: int,
    v: Any,
    rest: Any,
    g: int,
    m: Any,
    i: int,
    moving: bool,
) -> None:
    """Place the stations of a custom node."""
    columns = stations.shape[0] * STATION_ROWS
    extra = columns + COLUMN_ROWS * sizes[0]
    n = nodes[i, N]
    for s in range(nodes[i, FIRST], nodes[i, FIRST] + nodes[i, COUNT]):
        me = s * STATION_ROWS
        base = stations[s, BASE] * STATION_ROWS
        record = extra + stations[s, RECORD]
        chain = stations[s, BASE] != nodes[i, PARENT]
        evaluate_axes(
            terms,
            stations[s, TERM],
            stations[s, TERMS],
            pieces,
            n,
            q,
            f,
            nodes[i, IQ],
            v,
            g,
            rest,
            0,
            nodes[i, IV],
            m,
            record,
        )
        place_link(m, me, base, c, stations[s, PLACE], record, moving, chain)
        for a in range(n):
            column = columns + COLUMN_ROWS * (stations[s, COLUMN] + a)
            before = columns + COLUMN_ROWS * (stations[stations[s, BASE], COLUMN] + a)
            place_column(m, me, base, record, n, a, column, before, chain)


@inner
def place_soft(
    sizes: Any,
    nodes: Any,
    stations: Any,
    strains: Any,
    c: Any,
    q: Any,
    f: int,
    v: Any,
    g: int,
    m: Any,
    i: int,
    moving: bool,
) -> None:
    """Place the stations of a rod segment."""
    columns = stations.shape[0] * STATION_ROWS
    node = columns + COLUMN_ROWS * sizes[0] + nodes[i, EXTRA]
    base = nodes[i, PARENT] * STATION_ROWS
    iv = nodes[i, IV]
    set_reference(m, node, c, nodes[i, REAL] + 12)
    for j in range(nodes[i, N]):
        set_strain(m, node + strains[iv + j], q, f, nodes[i, IQ] + j)
        if moving:
            set_rate(m, node + strains[iv + j], v, g, iv + j)
    if moving:
        set_rates(m, node)
    for s in range(nodes[i, FIRST], nodes[i, FIRST] + nodes[i, COUNT]):
        place_station(m, s * STATION_ROWS, base, node, c, nodes[i, REAL], stations[s, PLACE], moving)
        for j in range(nodes[i, N]):
            column = columns + COLUMN_ROWS * (stations[s, COLUMN] + j)
            strain = strains[iv + j]
            if strain < 3:
                soft_angular(m, node, strain, column)
            else:
                soft_linear(m, node, strain - 3, column)


@inner
def sweep(
    sizes: Any,
    nodes: Any,
    stations: Any,
    strains: Any,
    terms: Any,
    c: Any,
    pieces: Any,
    q: Any,
    f: int,
    v: Any,
    rest: Any,
    g: int,
    m: Any,
    moving: bool,
) -> None:
    """Place every station of LANES frames; velocities are read from frame g on, ``rest`` holds LANES frames of zeros."""
    columns = stations.shape[0] * STATION_ROWS
    begin_world(m, c)
    for i in range(nodes.shape[0]):
        kind = nodes[i, KIND]
        k = nodes[i, FIRST]
        me = k * STATION_ROWS
        base = nodes[i, PARENT] * STATION_ROWS
        column = columns + COLUMN_ROWS * stations[k, COLUMN]
        real = nodes[i, REAL]
        iq = nodes[i, IQ]
        iv = nodes[i, IV]
        if kind == SPHERICAL:
            place_spherical(m, me, base, column, c, real, q, f, iq, v, g, iv, moving)
        elif kind == REVOLUTE:
            place_revolute(m, me, base, column, c, real, q, f, iq, v, g, iv, moving)
        elif kind == PRISMATIC:
            place_prismatic(m, me, base, column, c, real, q, f, iq, v, g, iv, moving)
        elif kind == FREE:
            place_free(m, me, base, column, c, real, q, f, iq, v, g, iv, moving)
        elif kind == CUSTOM:
            place_custom(sizes, nodes, stations, terms, c, pieces, q, f, v, rest, g, m, i, moving)
        else:
            place_soft(sizes, nodes, stations, strains, c, q, f, v, g, m, i, moving)


@inner
def own_rows(sizes: Any, stations: Any) -> int:
    """Return the first scratch row behind the sweep's records, where a recursion keeps its own."""
    return stations.shape[0] * STATION_ROWS + COLUMN_ROWS * sizes[0] + sizes[1]


@straight
def carry_acceleration(m: Rows, me: Index, parent: Index) -> None:
    """Start a station's acceleration: the parent's, and the bias."""
    w, u = shift(*pair(m, parent + ACCELERATION), vec(m, me + ARM))
    b = pair(m, me + BIAS)
    put(m, me + ACCELERATION, w + b[0], u + b[1])


@straight
def add_acceleration(m: Rows, me: Index, column: Index, a: Frames, f: Index, i: Index) -> None:
    """Add s a of one coordinate."""
    s = pair(m, column)
    w, u = pair(m, me + ACCELERATION)
    put(m, me + ACCELERATION, w + s[0] * a[f, i], u + s[1] * a[f, i])


@inner
def accelerate(nodes: Any, stations: Any, a: Any, f: int, m: Any) -> None:
    """Compute the acceleration of every station after a moving sweep."""
    columns = stations.shape[0] * STATION_ROWS
    for k in range(1, stations.shape[0]):
        i = stations[k, NODE]
        me = k * STATION_ROWS
        carry_acceleration(m, me, nodes[i, PARENT] * STATION_ROWS)
        for j in range(nodes[i, N]):
            add_acceleration(m, me, columns + COLUMN_ROWS * (stations[k, COLUMN] + j), a, f, nodes[i, IV] + j)
