"""What one contact point adds to a step of the cone program, in lanes: second-order cones.

A point is scaled so that its cone is K = {x : x_0 >= |(x_1, x_2)|}, which is its own dual. Each step solves

    (H + B) d = r - (H x + g),        z+ = r - B d

and only B (3 x 3 for each point) and r differ between the modes:

    INTERIOR   Newton on the central path x o z = target e in the scaling of Nesterov and Todd, predictor and corrector;
    FINISH     semismooth Newton on H x + g = P(z - x / e), P the projection onto K, which settles quadratically and
               leaves points at rest exactly at zero;
    FRESH      B = 1, r = 0: a first guess;
    GIVEN      x of the caller, on its way to FINISH;
    IDLE       nothing to do.

Sources: Vandenberghe, "The CVXOPT linear and quadratic cone program solvers" (2010), sections 4 to 6, for the scaling,
the steps to the boundary and the corrector; Fukushima, Luo, Tseng, SIAM J. Optim. 12 (2002), for the projection.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from softstride.engine.kernels.tables import Table
from softstride.engine.lanes import Index, Lane, Rows, select, sqrt, straight

INTERIOR, FINISH, FRESH, IDLE, GIVEN = 0.0, 1.0, 2.0, 3.0, 4.0
AT_APEX = 0.75  # first number of the projection's derivative: 1 for a point at rest, at most 1/2 elsewhere


class ConeRows(NamedTuple):
    """First rows of what a block of frames keeps; three rows a point unless said otherwise."""

    h: Table  # matrix of blocks
    factor: Table  # of H + B
    g: Table
    x: Table
    z: Table
    y: Table  # multipliers of facets, `facets` rows a point
    slope: Table  # H x + g (and the temporal term)
    b: Table  # six rows a point
    r: Table
    d: Table  # change of x
    e: Table  # change of z
    f: Table  # change of y, `facets` rows a point
    frame: Table  # scaling: w and eta, four rows a point
    prox: Table  # e of the finish, one row a point
    kept: Table  # x, z, slope and y at the last return point
    scale: Table  # x in the units of the caller over x here
    one: Table  # rows of single numbers, see below
    trig: Table  # directions of the sides of a pyramid
    sums: Table  # of groups, three rows each
    columns: Table  # (H + B)^-1 S^T, as many columns as sums
    end: Table
    facets: Table  # 0: second-order cones


MODE, NEED, CROSS, SQUARE, TARGET, GAP, MISS, HIGH, PUSH, NATURAL, LENGTH, MOVED = range(12)
LEVEL, TRIES, FAILED, STEPS, FRAME, KNOWN, CONES, BEFORE, BEFORE_GAP = range(12, 21)
ONES = 21
"""Rows from `one` on: mode; 1 / step to the boundary; x.dz + z.dx; dx.dz; centring target; x.z; |slope - z|; max x_0;
max z_0; natural residual; step length; largest change of x; gap at which to finish; tries to finish; times that failed;
steps; frame; whether `kept` is set; number of products in the gap; residual and gap of `kept`."""


def three(m: Rows, row: Index) -> list[Lane]:
    """Return a vector."""
    return [m[row + k] for k in range(3)]


def put_three(m: Rows, row: Index, values: Any) -> None:
    """Store a vector."""
    for k, value in enumerate(values):
        m[row + k] = value


def dot(a: list[Lane], b: list[Lane]) -> Any:
    """Return a . b."""
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


def larger(a: Any, b: Any) -> Lane:
    """Return the larger of two, b if they cannot be compared."""
    return select(a - b, ">", 0.0, a, b)


def size(a: Lane) -> Lane:
    """Return the absolute value."""
    return select(a, "<", 0.0, -a, a)


def times_block(m: Rows, b: Index, d: list[Lane]) -> list[Any]:
    """Return B d of one point."""
    s = [m[b + k] for k in range(6)]
    return [
        s[0] * d[0] + s[1] * d[1] + s[2] * d[2],
        s[1] * d[0] + s[3] * d[1] + s[4] * d[2],
        s[2] * d[0] + s[4] * d[1] + s[5] * d[2],
    ]


def cone_projection(v: list[Lane]) -> tuple[list[Lane], list[Lane]]:
    """Return the projection of v onto K and the six numbers of its derivative."""
    # Outside K and -K the nearest point of K is on its surface, P(v) = (v_0 + t) / 2 g, g = (1, c, s), and P'
    # = g g^T / 2 + (v_0 + t) / (2 t) n n^T with n = (0, -s, c), the tangent of the circle.
    t = sqrt(v[1] * v[1] + v[2] * v[2])
    safe = select(t, ">", 0.0, t, 1.0)
    c, s = v[1] / safe, v[2] / safe
    half = 0.5 * (v[0] + t)
    round_ = half / safe  # of the circle's tangent
    middle = [half, half * c, half * s]
    turned: list[Any] = [0.5 + 0.0 * t, 0.5 * c, 0.5 * s]
    turned += [0.5 * c * c + round_ * s * s, (0.5 - round_) * c * s, 0.5 * s * s + round_ * c * c]
    unit = (1.0, 0.0, 0.0, 1.0, 0.0, 1.0)

    def choose(within: Any, between: Lane) -> Lane:
        return select(v[0] - t, ">=", 0.0, within, select(v[0] + t, "<=", 0.0, 0.0, between))

    return (
        [choose(a, b) for a, b in zip(v, middle, strict=True)],
        [choose(a, b) for a, b in zip(unit, turned, strict=True)],
    )


def determinant(x: list[Lane]) -> Lane:
    """Return x_0² - x_1² - x_2², with few digits lost near the boundary."""
    t = sqrt(x[1] * x[1] + x[2] * x[2])
    return (x[0] - t) * (x[0] + t)


def put_system(m: Rows, rows: Any, i: Index, inside: list[Any], finish: tuple[list[Any], list[Any]]) -> None:
    """Write B, r and the right-hand side of one point, by the mode of each lane."""
    mode = m[rows.one + MODE]
    rate = 1.0 / m[rows.prox + i]
    for k, (a, b, unit) in enumerate(zip(inside, finish[1], (1.0, 0.0, 0.0, 1.0, 0.0, 1.0), strict=True)):
        chosen = select(mode, "==", FINISH, b * rate, select(mode, "==", INTERIOR, a, unit))
        m[rows.b + 6 * i + k] = chosen
    # d holds the right-hand side r - (H x + g) until the system is solved in place.
    for k, value in enumerate(finish[0]):
        r = select(mode, "==", FINISH, value, 0.0)
        m[rows.r + 3 * i + k] = r
        m[rows.d + 3 * i + k] = r - m[rows.slope + 3 * i + k]


@straight
def cone_system(m: Rows, rows: ConeRows, i: Index) -> None:
    """Write B, r and the right-hand side of one point: predictor, finish or first guess."""
    x, z = three(m, rows.x + 3 * i), three(m, rows.z + 3 * i)
    rate = 1.0 / m[rows.prox + i]
    # FINISH: z = P(z - x / e) says x in K, z in K and x . z = 0 at once. z inside P stays that of the last
    # step, as in the method of multipliers with the penalty 1 / e; linearised in x, r = P and B = P' / e.
    finish = cone_projection([b - a * rate for a, b in zip(x, z, strict=True)])
    # INTERIOR: Nesterov and Todd's scaling W z = W^-1 x with W² = eta² (2 w w^T - J), J = diag(1, -1, -1),
    # w = (x' + J z') / sqrt(2 + 2 x' . z') of x' = x / sqrt(det x) and z' likewise, eta^4 = det x / det z.
    # x o z = 0, linearised in scaled x and z, is z + dz = -W^-2 d: the predictor has B = W^-2, r = 0.
    of_x, of_z = determinant(x), determinant(z)
    fx, fz = 1.0 / sqrt(of_x), 1.0 / sqrt(of_z)
    factor = 0.5 / sqrt(0.5 + 0.5 * (dot(x, z) * fx * fz))
    w = [(x[0] * fx + z[0] * fz) * factor, (x[1] * fx - z[1] * fz) * factor, (x[2] * fx - z[2] * fz) * factor]
    eta = sqrt(fz / fx)  # squared: sqrt(det x / det z)
    down = 1.0 / (eta * eta)
    inside = [
        (2.0 * w[0] * w[0] - 1.0) * down,
        -2.0 * w[0] * w[1] * down,
        -2.0 * w[0] * w[2] * down,
        (2.0 * w[1] * w[1] + 1.0) * down,
        2.0 * w[1] * w[2] * down,
        (2.0 * w[2] * w[2] + 1.0) * down,
    ]
    put_three(m, rows.frame + 4 * i, [*w, eta])
    put_system(m, rows, i, inside, finish)


def boundary(x: list[Lane], d: list[Lane]) -> Lane:
    """Return 1 / a for the largest a with x + a d in K (negative if there is none)."""
    # A hyperbolic turn, which keeps K, takes x to sqrt(det x) (1, 0, 0) and d to (along, side): x + a d is on
    # the boundary where sqrt(det x) + a along = a |side|.
    f = 1.0 / sqrt(determinant(x))
    n = [a * f for a in x]
    along = n[0] * d[0] - n[1] * d[1] - n[2] * d[2]
    back = (along + d[0]) / (n[0] + 1.0)
    side = [d[1] - back * n[1], d[2] - back * n[2]]
    return (sqrt(side[0] * side[0] + side[1] * side[1]) - along) * f


@straight
def cone_reach(m: Rows, rows: ConeRows, i: Index) -> None:
    """Write the change of z of one point and note how far the step may go."""
    x, z, d = three(m, rows.x + 3 * i), three(m, rows.z + 3 * i), three(m, rows.d + 3 * i)
    change = times_block(m, rows.b + 6 * i, d)
    e = [r - b - c for r, b, c in zip(three(m, rows.r + 3 * i), z, change, strict=True)]
    put_three(m, rows.e + 3 * i, e)
    # With steps of length a the gap becomes gap + a CROSS + a² SQUARE; 1 / NEED is the longest one within K.
    need = larger(boundary(x, d), m[rows.one + NEED])
    m[rows.one + NEED] = larger(boundary(z, e), need)
    m[rows.one + CROSS] = m[rows.one + CROSS] + dot(x, e) + dot(z, d)
    m[rows.one + SQUARE] = m[rows.one + SQUARE] + dot(d, e)


@straight
def aim_centre(m: Rows, rows: ConeRows) -> None:
    """Choose the target of the corrector from what the predictor reaches (Mehrotra)."""
    a = 1.0 / larger(m[rows.one + NEED], 1.0 + 0.0 * m[rows.one + NEED])
    gap = m[rows.one + GAP]
    # target = sigma mu with mu = gap / CONES and sigma = (gap the predictor would leave / gap)³.
    share = (gap + a * m[rows.one + CROSS] + a * a * m[rows.one + SQUARE]) / gap
    share = select(share, "<", 0.0, 0.0, select(share, ">", 1.0, 1.0, share))
    m[rows.one + TARGET] = share * share * share * gap / m[rows.one + CONES]


@straight
def cone_correct(m: Rows, rows: ConeRows, i: Index) -> None:
    """Write r and the right-hand side of the corrector of one point; other modes keep theirs."""
    x, z = three(m, rows.x + 3 * i), three(m, rows.z + 3 * i)
    d, e = three(m, rows.d + 3 * i), three(m, rows.e + 3 * i)
    w, eta = three(m, rows.frame + 4 * i), m[rows.frame + 4 * i + 3]
    # W = eta (2 v v^T - J) and W^-1 = (2 u u^T - J) / eta with v = (w + (1, 0, 0)) / sqrt(2 w_0 + 2),
    # u = J v, so `apply` is (2 n n^T - J) a times eta or 1 / eta.
    f = 1.0 / sqrt(2.0 * (w[0] + 1.0))
    v = [(w[0] + 1.0) * f, w[1] * f, w[2] * f]
    u = [v[0], -v[1], -v[2]]

    def apply(n: list[Any], a: list[Any], factor: Lane) -> list[Any]:
        twice = 2.0 * dot(n, a)
        return [
            (n[0] * twice - a[0]) * factor,
            (n[1] * twice + a[1]) * factor,
            (n[2] * twice + a[2]) * factor,
        ]

    down = 1.0 / eta
    # The predictor's neglected product (W^-1 d) o (W dz), divided by lambda = W z = W^-1 x in the Jordan
    # algebra of K, p o q = (p . q, p_0 q_1 + q_0 p_1, p_0 q_2 + q_0 p_2); W^-1 times the quotient is `bend`.
    p, q, middle = apply(u, d, down), apply(v, e, eta), apply(v, z, eta)
    product = [dot(p, q), p[0] * q[1] + q[0] * p[1], p[0] * q[2] + q[0] * p[2]]
    first = middle[0] * product[0] - middle[1] * product[1] - middle[2] * product[2]
    first = first / determinant(middle)
    rest = [(product[k] - first * middle[k]) / middle[0] for k in (1, 2)]
    bend = apply(u, [first, *rest], down)
    # x^-1 = J x / det x, so that z+ = target x^-1 - bend - W^-2 d.
    pull = m[rows.one + TARGET] / determinant(x)
    inverse = [x[0] * pull, -x[1] * pull, -x[2] * pull]
    # d held the predictor's solution: lanes of other modes get the right-hand side that they had.
    for k in range(3):
        r = select(m[rows.one + MODE], "==", INTERIOR, inverse[k] - bend[k], m[rows.r + 3 * i + k])
        m[rows.r + 3 * i + k] = r
        m[rows.d + 3 * i + k] = r - m[rows.slope + 3 * i + k]


@straight
def cone_move(m: Rows, rows: ConeRows, i: Index) -> None:
    """Take the step of one point; in the finish x is put back into the cone."""
    mode, length = m[rows.one + MODE], m[rows.one + LENGTH]
    x, d = three(m, rows.x + 3 * i), three(m, rows.d + 3 * i)
    new = [a + length * b for a, b in zip(x, d, strict=True)]
    # Full steps of the finish do not watch the boundary. Where z - x / e is inside K, P' = 1 and the point is
    # at rest: exactly zero, not zero but for rounding.
    inside, _ = cone_projection(new)
    moved = m[rows.one + MOVED]
    apex = m[rows.b + 6 * i] * m[rows.prox + i]
    for k in range(3):
        value = select(mode, "==", FINISH, select(apex, ">", AT_APEX, 0.0, inside[k]), new[k])
        value = select(mode, "==", IDLE, x[k], value)
        m[rows.x + 3 * i + k] = value
        moved = larger(size(value - x[k]), moved)
        z = m[rows.z + 3 * i + k]
        m[rows.z + 3 * i + k] = select(mode, "==", IDLE, z, z + length * m[rows.e + 3 * i + k])
    m[rows.one + MOVED] = moved


@straight
def cone_measure(m: Rows, rows: ConeRows, i: Index) -> None:
    """Add one point to gap, residuals and sizes."""
    x, z, slope = three(m, rows.x + 3 * i), three(m, rows.z + 3 * i), three(m, rows.slope + 3 * i)
    # |x - P(x - (H x + g))| vanishes at the solution and nowhere else, whatever z is: the certificate. MISS
    # is the dual residual |H x + g - z|, which interior points also bring to zero.
    nearest, _ = cone_projection([a - b for a, b in zip(x, slope, strict=True)])
    one = rows.one
    m[one + GAP] = m[one + GAP] + dot(x, z)
    for k in range(3):
        m[one + MISS] = larger(size(slope[k] - z[k]), m[one + MISS])
        m[one + NATURAL] = larger(size(x[k] - nearest[k]), m[one + NATURAL])
    # Points that are switched off (scale 0) rest at x = 1 and say nothing about sizes.
    on = select(m[rows.scale + 3 * i], ">", 0.0, x[0], 0.0)
    m[one + HIGH] = larger(on, m[one + HIGH])
    m[one + PUSH] = larger(z[0], m[one + PUSH])


@straight
def cone_excess(m: Rows, rows: ConeRows, i: Index) -> None:
    """Note by how much the first guess d lies outside the cone, and -d; NEED and CROSS, and its size in SQUARE."""
    d = three(m, rows.d + 3 * i)
    # d + a (1, 0, 0) is in K from a = t - d_0 on, -d + a (1, 0, 0) from a = t + d_0 on.
    t = sqrt(d[1] * d[1] + d[2] * d[2])
    one = rows.one
    m[one + NEED] = larger(t - d[0], m[one + NEED])
    m[one + CROSS] = larger(t + d[0], m[one + CROSS])
    for k in range(3):
        m[one + SQUARE] = larger(size(d[k]), m[one + SQUARE])
