"""How each kind of joint places its stations in world axes (see `sweep`)."""

from __future__ import annotations

from softstride.engine.jit import inner
from softstride.engine.kernels.axes import evaluate_axes
from softstride.engine.kernels.joints import custom, rotation_quaternion, rotation_z
from softstride.engine.kernels.records import (
    ARM,
    BIAS,
    COLUMN_ROWS,
    POSITION,
    ROTATION,
    STATION_ROWS,
    TWIST,
    Row,
    Spatial,
    mat,
    pair,
    placement,
    put,
    shift,
    take,
    vec,
)
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
    EXTRA,
    FIRST,
    IQ,
    IV,
    PARENT,
    PLACE,
    REAL,
    RECORD,
    SLOPES,
    SUMS,
    Array,
    N,
    Tree,
)
from softstride.engine.lanes import Frames, Index, Rows, straight
from softstride.spatial import segment
from softstride.spatial.small import Mat, Vec


def settle(
    m: Rows, me: Row, base: Row, R: Mat, d: Vec, chain: bool, j: Spatial | None, b: Spatial | None
) -> None:
    """Store a station at the world vector d from its base, moving with j = s v and b = (ds/dt) v in world axes."""
    # Arm and bias count from the node's parent, even where its stations form a chain.
    put(m, me + ROTATION, R, vec(m, base + POSITION) + d, (vec(m, base + ARM) + d) if chain else d)
    if j is None:
        return
    # V = shift(V_base, d) + s v, about the station's own origin.
    # c = R S' v + V x (s v): A is R times the component-wise rate of the body twist, hence this ad(eta) j.
    w0, u0 = shift(*pair(m, base + TWIST), d)
    w, u = w0 + j[0], u0 + j[1]
    bias = w.cross(j[0]), w.cross(j[1]) + u.cross(j[0])
    if b is not None:
        bias = bias[0] + b[0], bias[1] + b[1]
    if chain:
        before = shift(*pair(m, base + BIAS), d)
        bias = bias[0] + before[0], bias[1] + before[1]
    put(m, me + TWIST, w, u, *bias)


def put_columns(m: Rows, column: Row, *columns: Spatial) -> None:
    """Store twist columns one behind the other."""
    for i, (w, u) in enumerate(columns):
        put(m, column + COLUMN_ROWS * i, w, u)


class Joint:
    """Where a one-station node finds its things; its joint frame."""

    def __init__(self, tree: Tree, i: Index, m: Rows) -> None:
        """Look up node i and carry its joint frame to the world."""
        station = tree.nodes[i, FIRST]
        self.me = station * STATION_ROWS
        self.base = tree.nodes[i, PARENT] * STATION_ROWS
        self.column = tree.stations.shape[0] * STATION_ROWS + tree.stations[station, COLUMN] * COLUMN_ROWS
        self.iq, self.iv = tree.nodes[i, IQ], tree.nodes[i, IV]
        self.R, self.d = carry(m, self.base, tree, tree.nodes[i, REAL])


def carry(m: Rows, base: Row, tree: Tree, real: Row) -> tuple[Mat, Vec]:
    """Return rotation of the joint frame and its world vector from the base station."""
    Rt, pt = placement(tree.constants, real)
    R0 = mat(m, base + ROTATION)
    return R0 @ Rt, R0 @ pt


def revolute(tree: Tree, i: Index, m: Rows, q: Frames, f: Index, v: Frames, g: Index, moving: bool) -> None:
    """Rotate about z."""
    at = Joint(tree, i, m)
    # s = [axis; 0]: the origin of the station lies on the axis, which is z of the joint frame.
    axis = at.R.columns()[2]
    put_columns(m, at.column, (axis, Vec.zero()))
    j = (axis * v[g, at.iv], Vec.zero()) if moving else None
    settle(m, at.me, at.base, at.R @ rotation_z(q[f, at.iq]), at.d, False, j, None)


def prismatic(tree: Tree, i: Index, m: Rows, q: Frames, f: Index, v: Frames, g: Index, moving: bool) -> None:
    """Slide along z."""
    at = Joint(tree, i, m)
    # s = [0; axis]
    axis = at.R.columns()[2]
    put_columns(m, at.column, (Vec.zero(), axis))
    j = (Vec.zero(), axis * v[g, at.iv]) if moving else None
    settle(m, at.me, at.base, at.R, at.d + axis * q[f, at.iq], False, j, None)


def spherical(tree: Tree, i: Index, m: Rows, q: Frames, f: Index, v: Frames, g: Index, moving: bool) -> None:
    """Rotate by a quaternion."""
    at = Joint(tree, i, m)
    # s = [R; 0]: v is the angular velocity in child axes, so the columns are those axes in the world.
    R = at.R @ rotation_quaternion(*(q[f, at.iq + k] for k in range(4)))
    put_columns(m, at.column, *((axis, Vec.zero()) for axis in R.columns()))
    j = (R @ take(v, g, at.iv), Vec.zero()) if moving else None
    settle(m, at.me, at.base, R, at.d, False, j, None)


def free(tree: Tree, i: Index, m: Rows, q: Frames, f: Index, v: Frames, g: Index, moving: bool) -> None:
    """Move freely; the velocity is the body twist."""
    at = Joint(tree, i, m)
    # s = blockdiag(R, R) turns the body twist v to world axes; the position in q is in the joint frame.
    R = at.R @ rotation_quaternion(*(q[f, at.iq + 3 + k] for k in range(4)))
    axes = R.columns()
    put_columns(m, at.column, *((a, Vec.zero()) for a in axes), *((Vec.zero(), a) for a in axes))
    j = (R @ take(v, g, at.iv), R @ take(v, g, at.iv + 3)) if moving else None
    settle(m, at.me, at.base, R, at.d + at.R @ take(q, f, at.iq), False, j, None)


place_revolute, place_prismatic, place_spherical, place_free = (
    straight(kind, moving=(0, 1)) for kind in (revolute, prismatic, spherical, free)
)


def custom_station(tree: Tree, k: Index, m: Rows, record: Index, moving: bool, chain: bool) -> None:
    """Move a custom station; its elementary columns go to its record in world axes."""
    me, base = k * STATION_ROWS, tree.stations[k, BASE] * STATION_ROWS
    place = tree.stations[k, PLACE]
    Rj, d = carry(m, base, tree, place)
    # Second rates of the axes were evaluated with a = 0: motion.b is S' v, the joint's part of the bias.
    axes = [vec(tree.constants, place + 12 + 3 * i) for i in range(6)]
    motion = custom(axes, *([m[record + AXES + 6 * order + i] for i in range(6)] for order in range(3)))
    R = Rj @ motion.R
    put(m, record + COLUMNS, *(R @ column for column in (*motion.angular, *motion.linear)))
    j, b = ((R @ w, R @ u) for w, u in (motion.j, motion.b))
    settle(m, me, base, R, d + Rj @ motion.p, chain, j if moving else None, b)


def custom_column(tree: Tree, k: Index, m: Rows, record: Index, n: Index, a: Index, chain: bool) -> None:
    """Combine the elementary columns of coordinate a; add what the base station does with it."""
    # s_a = R sum_i e_i dx_i/dq_a; in a chain the coordinate moves the base too: + shift(s_a of the base).
    elementary = [vec(m, record + COLUMNS + 3 * i) for i in range(6)]
    slopes = [m[record + SLOPES + n * i + a] for i in range(6)]
    w = elementary[0] * slopes[0] + elementary[1] * slopes[1] + elementary[2] * slopes[2]
    u = elementary[3] * slopes[3] + elementary[4] * slopes[4] + elementary[5] * slopes[5]
    columns = tree.stations.shape[0] * STATION_ROWS
    if chain:
        base = tree.stations[k, BASE]
        d = vec(m, k * STATION_ROWS + ARM) - vec(m, base * STATION_ROWS + ARM)
        w0, u0 = shift(*pair(m, columns + (tree.stations[base, COLUMN] + a) * COLUMN_ROWS), d)
        w, u = w + w0, u + u0
    put_columns(m, columns + (tree.stations[k, COLUMN] + a) * COLUMN_ROWS, (w, u))


place_link = straight(custom_station, moving=(0, 1), chain=(0, 1))
place_column = straight(custom_column, chain=(0, 1))


@inner
def extra_row(tree: Tree) -> int:
    """Return the first scratch row of the records that nodes keep for themselves."""
    return tree.stations.shape[0] * STATION_ROWS + COLUMN_ROWS * tree.n_columns


@inner
def place_custom(tree: Tree, i: int, m: Array, q: Array, f: int, v: Array, g: int, moving: bool) -> None:
    """Place the stations of a custom node."""
    nodes, stations = tree.nodes, tree.stations
    n = nodes[i, N]
    for k in range(nodes[i, FIRST], nodes[i, FIRST] + nodes[i, COUNT]):
        record = extra_row(tree) + stations[k, RECORD]
        chain = stations[k, BASE] != nodes[i, PARENT]
        evaluate_axes(tree, i, k, q, f, v, g, tree.rest, 0, m, record)
        place_link(tree, k, m, record, moving, chain)
        for a in range(n):
            place_column(tree, k, m, record, n, a, chain)


def soft_station(tree: Tree, i: Index, k: Index, m: Rows, node: Index, moving: bool) -> None:
    """Place a rod station; R D and R E of its tangent map go column by column to the node's record."""
    weights = station_coefficients(m, node, tree.constants[tree.stations[k, PLACE]])
    kappa, eps = load_strain(m, node)
    base = tree.nodes[i, PARENT] * STATION_ROWS
    Rj, d = carry(m, base, tree, tree.nodes[i, REAL])
    Rs, ps = segment.pose(kappa, eps, weights)
    R = Rj @ Rs
    # s = blockdiag(R, R) T_R B, T_R = [[D, 0], [E, D]]: R D and R E, from which columns are picked by strain.
    D, E = segment.tangent(kappa, eps, weights)
    put(m, node + SUMS, *(R @ D).columns(), *(R @ E).columns())
    j = b = None
    if moving:
        # Second strain rates are zero in the sweep, so that b = T_R' xi'.
        rates = load_rates(m, node)
        j, b = segment.velocity(rates, weights), segment.acceleration(rates, load_seconds(m, node), weights)
        j, b = (R @ j[0], R @ j[1]), (R @ b[0], R @ b[1])
    settle(m, k * STATION_ROWS, base, R, d + Rj @ ps, False, j, b)


def soft_column(m: Rows, source: Index, strain: Index, column: Index, linear: bool) -> None:
    """Pick the twist column of a strain from 18 rows: three columns of an angular and of a linear block.

    An angular strain takes its columns of both; a linear one (0 stretch, 1 and 2 shear) moves by the angular block.
    """
    first = vec(m, source + strain * 3)
    put_columns(m, column, (Vec.zero(), first) if linear else (first, vec(m, source + 9 + strain * 3)))


place_station = straight(soft_station, moving=(0, 1))
pick_column = straight(soft_column, linear=(0, 1))


@inner
def place_soft(tree: Tree, i: int, m: Array, q: Array, f: int, v: Array, g: int, moving: bool) -> None:
    """Place the stations of a rod segment."""
    nodes, stations, strains = tree.nodes, tree.stations, tree.strains
    node = extra_row(tree) + nodes[i, EXTRA]
    iv = nodes[i, IV]
    set_reference(tree, i, m, node)
    for j in range(nodes[i, N]):
        set_strain(m, node + strains[iv + j], q, f, nodes[i, IQ] + j)
        if moving:
            set_rate(m, node + strains[iv + j], v, g, iv + j)
    if moving:
        set_rates(m, node)
    columns = stations.shape[0] * STATION_ROWS
    for k in range(nodes[i, FIRST], nodes[i, FIRST] + nodes[i, COUNT]):
        place_station(tree, i, k, m, node, moving)
        for j in range(nodes[i, N]):
            strain = strains[iv + j]
            pick_column(
                m, node + SUMS, strain % 3, columns + COLUMN_ROWS * (stations[k, COLUMN] + j), strain >= 3
            )
