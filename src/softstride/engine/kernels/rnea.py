"""Inverse dynamics by the recursive Newton-Euler algorithm, in body frames.

Forward: twist and acceleration of every station, and the wrench F = I acc - ad(twist)^T I twist that moves it;
backward: F_tip += children, tau = sum S_k^T F_k, F_base += sum Ad(g_k)^-T F_k (hybrid-link specification, section 4).
Gravity enters as the acceleration -g of the world. Stations at quadrature points have no children, so their share is
finished in the forward sweep.
"""

from __future__ import annotations

from typing import Any

from softstride.engine.jit import kernel
from softstride.engine.kernels.axes import evaluate_axes
from softstride.engine.kernels.joints import custom, rotation_quaternion, rotation_z
from softstride.engine.kernels.records import accumulate, mat, placement, put, rigid, vec
from softstride.engine.kernels.rods import (
    load_rates,
    load_seconds,
    load_strain,
    set_rate,
    set_rates,
    set_reference,
    set_second,
    set_strain,
    station_coefficients,
)
from softstride.engine.kernels.tables import (
    AXES,
    BASE,
    BASE_TWIST,
    BASE_WRENCH,
    COLUMNS,
    COUNT,
    CUSTOM,
    EXTRA,
    FIRST,
    FLAG,
    FORM,
    FREE,
    INERTIA,
    IQ,
    IV,
    KIND,
    LIVE,
    PARENT,
    PLACE,
    PRISMATIC,
    REAL,
    RECORD,
    REVOLUTE,
    SLOPES,
    SOFT,
    SOFT_ROWS,
    SPHERICAL,
    SUMS,
    TERM,
    TERMS,
    N,
)
from softstride.engine.lanes import LANES, Frames, Index, Params, Rows, straight
from softstride.spatial import segment
from softstride.spatial.small import Mat, Vec

# rows of a station: pose relative to its base, twist, acceleration, wrench, weights of a rod station
POSE, TWIST, ACCELERATION, WRENCH, WEIGHTS = 0, 12, 18, 24, 30
STATION_ROWS = 38


@straight
def begin(m: Rows, c: Params) -> None:
    """Set the world: at rest, accelerating against gravity."""
    put(m, TWIST, Vec.zero(), Vec.zero(), Vec.zero(), Vec(-c[0], -c[1], -c[2]))


def advance(motion: Any, R: Mat, p: Vec, j: tuple[Vec, Vec], b: tuple[Vec, Vec]) -> tuple[Vec, Vec, Vec, Vec]:
    """Return twist and acceleration of a frame at (R, p) that moves with j, b relative to its base."""
    w0, v0, dw0, dv0 = motion
    w = R.T @ w0 + j[0]
    v = R.T @ (v0 + w0.cross(p)) + j[1]
    dw = R.T @ dw0 + b[0] + w.cross(j[0])
    dv = R.T @ (dv0 + dw0.cross(p)) + b[1] + w.cross(j[1]) + v.cross(j[0])
    return w, v, dw, dv


def newton_euler(mass: Any, h: Vec, inertia: Mat, w: Vec, v: Vec, dw: Vec, dv: Vec) -> tuple[Vec, Vec]:
    """Return the wrench (n, f) about the origin that gives a rigid body this motion."""
    acceleration = dv + w.cross(v)
    f = acceleration * mass + dw.cross(h) + w.cross(w.cross(h))
    n = inertia @ dw + w.cross(inertia @ w) + h.cross(acceleration)
    return n, f


def motion_of(m: Rows, row: Index) -> tuple[Vec, Vec, Vec, Vec]:
    """Return the stored twist and acceleration."""
    return vec(m, row), vec(m, row + 3), vec(m, row + 6), vec(m, row + 9)


def settle(
    m: Rows, c: Params, me: Index, base: Index, place: tuple[Mat, Vec], ic: Index, form: int, **joint: Any
) -> None:
    """Store pose, motion and wrench of a one-station node."""
    Rt, pt = place
    R = Rt @ joint["R"] if "R" in joint else Rt
    p = pt + Rt @ joint["p"] if "p" in joint else pt
    zero = (Vec.zero(), Vec.zero())
    moving = advance(motion_of(m, base + TWIST), R, p, joint.get("j", zero), joint.get("b", zero))
    put(m, me + POSE, R, p, *moving)
    n, f = newton_euler(*rigid(c, ic, form), *moving) if form else zero
    put(m, me + WRENCH, n, f)


def revolute(
    m: Rows,
    me: Index,
    base: Index,
    c: Params,
    real: Index,
    ic: Index,
    q: Frames,
    v: Frames,
    a: Frames,
    f: Index,
    iq: Index,
    iv: Index,
    form: int,
) -> None:
    """Rotate about z."""
    j, b = Vec(0.0, 0.0, v[f, iv]), Vec(0.0, 0.0, a[f, iv])
    settle(
        m,
        c,
        me,
        base,
        placement(c, real),
        ic,
        form,
        R=rotation_z(q[f, iq]),
        j=(j, Vec.zero()),
        b=(b, Vec.zero()),
    )


def prismatic(
    m: Rows,
    me: Index,
    base: Index,
    c: Params,
    real: Index,
    ic: Index,
    q: Frames,
    v: Frames,
    a: Frames,
    f: Index,
    iq: Index,
    iv: Index,
    form: int,
) -> None:
    """Slide along z."""
    x, j, b = (Vec(0.0, 0.0, y) for y in (q[f, iq], v[f, iv], a[f, iv]))
    settle(m, c, me, base, placement(c, real), ic, form, p=x, j=(Vec.zero(), j), b=(Vec.zero(), b))


def spherical(
    m: Rows,
    me: Index,
    base: Index,
    c: Params,
    real: Index,
    ic: Index,
    q: Frames,
    v: Frames,
    a: Frames,
    f: Index,
    iq: Index,
    iv: Index,
    form: int,
    aligned: bool,
) -> None:
    """Rotate by a quaternion."""
    R = rotation_quaternion(*(q[f, iq + k] for k in range(4)))
    j, b = (Vec(*(x[f, iv + k] for k in range(3))) for x in (v, a))
    settle(m, c, me, base, placement(c, real, aligned), ic, form, R=R, j=(j, Vec.zero()), b=(b, Vec.zero()))


def free(
    m: Rows,
    me: Index,
    base: Index,
    c: Params,
    real: Index,
    ic: Index,
    q: Frames,
    v: Frames,
    a: Frames,
    f: Index,
    iq: Index,
    iv: Index,
    form: int,
) -> None:
    """Move freely; the velocity is the body twist."""
    R = rotation_quaternion(*(q[f, iq + 3 + k] for k in range(4)))
    p = Vec(*(q[f, iq + k] for k in range(3)))
    j, b = (
        (Vec(*(x[f, iv + k] for k in range(3))), Vec(*(x[f, iv + 3 + k] for k in range(3)))) for x in (v, a)
    )
    settle(m, c, me, base, placement(c, real), ic, form, R=R, p=p, j=j, b=b)


move_revolute, move_prismatic = (straight(kind, form=(0, 1, 2)) for kind in (revolute, prismatic))
move_spherical = straight(spherical, form=(0, 1, 2), aligned=(0, 1))
move_free = straight(free, form=1)


@straight
def custom_station(
    m: Rows, me: Index, base: Index, c: Params, place: Index, ic: Index, record: Index
) -> None:
    """Move a custom station by its axis values."""
    axes = [vec(c, place + 12 + 3 * i) for i in range(6)]
    x, dx, ddx = ([m[record + AXES + 6 * k + i] for i in range(6)] for k in range(3))
    motion = custom(axes, x, dx, ddx)
    put(m, record + COLUMNS, *motion.angular, *motion.linear)
    settle(m, c, me, base, placement(c, place), ic, 1, R=motion.R, p=motion.p, j=motion.j, b=motion.b)


@straight
def custom_torque(m: Rows, me: Index, record: Index, n: Index, a: Index, total: Index) -> None:
    """Add S_a^T F of a custom station to row ``total`` (column a of n)."""
    moment, force = vec(m, me + WRENCH), vec(m, me + WRENCH + 3)
    tau = m[total]
    for i in range(6):
        column = vec(m, record + COLUMNS + 3 * i)
        tau = tau + m[record + SLOPES + n * i + a] * column.dot(moment if i < 3 else force)
    m[total] = tau


@straight
def soft_base(m: Rows, node: Index, base: Index, c: Params, real: Index) -> None:
    """Carry the motion of the base station to the segment's base; clear its sums."""
    Rt, pt = placement(c, real)
    zero = (Vec.zero(), Vec.zero())
    put(m, node + BASE_TWIST, *advance(motion_of(m, base + TWIST), Rt, pt, zero, zero))
    for r in range(SUMS, SOFT_ROWS):
        m[node + r] = 0.0


def soft_motion(
    m: Rows, node: Index, k: segment.Coefficients, angular: bool
) -> tuple[Mat, Vec, tuple[Vec, ...]]:
    """Return pose relative to the segment's base and motion of the station with weights k."""
    kappa, eps = load_strain(m, node)
    rates, seconds = load_rates(m, node, angular), load_seconds(m, node, angular)
    R, p = segment.pose(kappa, eps, k)
    j, b = segment.velocity(rates, k), segment.acceleration(rates, seconds, k)
    return R, p, advance(motion_of(m, node + BASE_TWIST), R, p, j, b)


def soft_load(m: Rows, node: Index, k: segment.Coefficients, R: Mat, p: Vec, n: Vec, f: Vec) -> None:
    """Add a station's wrench to the base wrench and to the sums for the strains."""
    force = R @ f
    accumulate(m, node + BASE_WRENCH, R @ n + p.cross(force), force)
    accumulate(m, node + SUMS, *segment.weigh(n, f, k))


def soft_leaf(m: Rows, node: Index, c: Params, place: Index, ic: Index, form: int, angular: bool) -> None:
    """Add the inertia of a quadrature point."""
    k = station_coefficients(m, node, c[place])
    R, p, moving = soft_motion(m, node, k, angular)
    soft_load(m, node, k, R, p, *newton_euler(*rigid(c, ic, form), *moving))


load_leaf = straight(soft_leaf, form=(1, 2), angular=(0, 1))


@straight
def soft_live(m: Rows, me: Index, node: Index, c: Params, place: Index, ic: Index) -> None:
    """Store pose, motion, wrench and weights of a rod station on which something may hang."""
    k = station_coefficients(m, node, c[place])
    R, p, moving = soft_motion(m, node, k, False)
    put(m, me + POSE, R, p, *moving)
    put(m, me + WRENCH, *newton_euler(*rigid(c, ic, 1), *moving))
    for i, weight in enumerate(k):
        m[me + WEIGHTS + i] = weight


@straight
def soft_collect(m: Rows, me: Index, node: Index) -> None:
    """Add the finished wrench of a live station to its segment."""
    k = segment.Coefficients(*(m[me + WEIGHTS + i] for i in range(8)))
    soft_load(
        m, node, k, mat(m, me + POSE), vec(m, me + POSE + 9), vec(m, me + WRENCH), vec(m, me + WRENCH + 3)
    )


@straight
def soft_project(m: Rows, node: Index, base: Index, c: Params, real: Index) -> None:
    """Turn the sums into forces of the six strains (rows of the rates, free by now); pass the wrench on."""
    kappa, eps = load_strain(m, node)
    sums = segment.WrenchSums(*(vec(m, node + SUMS + 3 * i) for i in range(8)))
    put(m, node + SUMS, *segment.project(kappa, eps, sums))
    Rt, pt = placement(c, real)
    force = Rt @ vec(m, node + BASE_WRENCH + 3)
    accumulate(m, base + WRENCH, Rt @ vec(m, node + BASE_WRENCH) + pt.cross(force), force)


@straight
def pick(m: Rows, row: Index, out: Frames, f: Index, i: Index) -> None:
    """Write one row to a column of the result."""
    out[f, i] = m[row]


@straight
def clear(m: Rows, row: Index) -> None:
    """Set a row to zero."""
    m[row] = 0.0


def transmit(
    m: Rows, me: Index, base: Index, out: Frames, f: Index, iv: Index, start: int, count: int
) -> None:
    """Write the wanted entries of the wrench as torques and pass the wrench to the base."""
    n, force = vec(m, me + WRENCH), vec(m, me + WRENCH + 3)
    for k, x in enumerate((*n, *force)[start : start + count]):
        out[f, iv + k] = x
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
    sizes: Any,
    nodes: Any,
    stations: Any,
    strains: Any,
    terms: Any,
    c: Any,
    pieces: Any,
    q: Any,
    v: Any,
    a: Any,
    tau: Any,
    m: Any,
    first: int,
    last: int,
) -> None:
    """Inverse dynamics of blocks first .. last - 1 of LANES frames."""
    extra = stations.shape[0] * STATION_ROWS
    for block in range(first, last):
        f = block * LANES
        begin(m, c)
        for i in range(nodes.shape[0]):
            kind = nodes[i, KIND]
            iq = nodes[i, IQ]
            iv = nodes[i, IV]
            real = nodes[i, REAL]
            k = nodes[i, FIRST]
            me = k * STATION_ROWS
            base = nodes[i, PARENT] * STATION_ROWS
            ic = stations[k, INERTIA]
            form = stations[k, FORM]
            if kind == SPHERICAL:
                move_spherical(m, me, base, c, real, ic, q, v, a, f, iq, iv, form, nodes[i, FLAG])
            elif kind == REVOLUTE:
                move_revolute(m, me, base, c, real, ic, q, v, a, f, iq, iv, form)
            elif kind == PRISMATIC:
                move_prismatic(m, me, base, c, real, ic, q, v, a, f, iq, iv, form)
            elif kind == FREE:
                move_free(m, me, base, c, real, ic, q, v, a, f, iq, iv)
            elif kind == CUSTOM:
                n = nodes[i, N]
                for s in range(k, k + nodes[i, COUNT]):
                    record = extra + stations[s, RECORD]
                    evaluate_axes(
                        terms,
                        stations[s, TERM],
                        stations[s, TERMS],
                        pieces,
                        n,
                        q,
                        f,
                        iq,
                        v,
                        f,
                        a,
                        f,
                        iv,
                        m,
                        record,
                    )
                    custom_station(
                        m,
                        s * STATION_ROWS,
                        stations[s, BASE] * STATION_ROWS,
                        c,
                        stations[s, PLACE],
                        stations[s, INERTIA],
                        record,
                    )
            else:
                node = extra + nodes[i, EXTRA]
                soft_base(m, node, base, c, real)
                set_reference(m, node, c, real + 12)
                for j in range(nodes[i, N]):
                    strain = node + strains[iv + j]
                    set_strain(m, strain, q, f, iq + j)
                    set_rate(m, strain, v, f, iv + j)
                    set_second(m, strain, a, f, iv + j)
                set_rates(m, node)
                for s in range(k, k + nodes[i, COUNT]):
                    if stations[s, LIVE] == 1:
                        soft_live(m, s * STATION_ROWS, node, c, stations[s, PLACE], stations[s, INERTIA])
                    else:
                        load_leaf(
                            m,
                            node,
                            c,
                            stations[s, PLACE],
                            stations[s, INERTIA],
                            stations[s, FORM],
                            nodes[i, FLAG],
                        )
        for i in range(nodes.shape[0] - 1, -1, -1):
            kind = nodes[i, KIND]
            iv = nodes[i, IV]
            k = nodes[i, FIRST]
            me = k * STATION_ROWS
            base = nodes[i, PARENT] * STATION_ROWS
            if kind == SPHERICAL:
                transmit_spherical(m, me, base, tau, f, iv)
            elif kind == REVOLUTE:
                transmit_revolute(m, me, base, tau, f, iv)
            elif kind == PRISMATIC:
                transmit_prismatic(m, me, base, tau, f, iv)
            elif kind == FREE:
                transmit_free(m, me, base, tau, f, iv)
            elif kind == CUSTOM:
                n = nodes[i, N]
                total = extra + nodes[i, EXTRA]
                for j in range(n):
                    clear(m, total + j)
                for s in range(k + nodes[i, COUNT] - 1, k - 1, -1):
                    for j in range(n):
                        custom_torque(m, s * STATION_ROWS, extra + stations[s, RECORD], n, j, total + j)
                    transmit_only(m, s * STATION_ROWS, stations[s, BASE] * STATION_ROWS, tau, f, iv)
                for j in range(n):
                    pick(m, total + j, tau, f, iv + j)
            else:
                node = extra + nodes[i, EXTRA]
                for s in range(k, k + nodes[i, COUNT]):
                    if stations[s, LIVE] == 1:
                        soft_collect(m, s * STATION_ROWS, node)
                soft_project(m, node, base, c, nodes[i, REAL])
                for j in range(nodes[i, N]):
                    pick(m, node + SUMS + strains[iv + j], tau, f, iv + j)
