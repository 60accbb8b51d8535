"""What one contact point adds to a step of the cone program, in lanes: pyramids within the cones.

With m sides, r = cos(pi / m) and directions u_k at the angles (2 k + 1) pi / m, the pyramid is {x : a_k . x >= 0 for
all k}, a_k = (r, -u_k). Its edges touch the cone, the first of them along the first tangential axis. Interior points
have a multiplier y_k for each side, and z = sum of y_k a_k; the finish knows only z and the projection onto the
pyramid. Within the sector of the side that is nearest to a vector, that projection is the vector itself, or lies on the
side, on one of its edges or at the apex.

The rows `trig` hold r, sin(pi / m), and cosine and sine of every side's direction.
"""

from __future__ import annotations

from typing import Any

from softstride.engine.kernels.cone_points import (
    AT_APEX,
    CROSS,
    FINISH,
    GAP,
    HIGH,
    IDLE,
    INTERIOR,
    LENGTH,
    MISS,
    MODE,
    MOVED,
    NATURAL,
    NEED,
    PUSH,
    SQUARE,
    TARGET,
    ConeRows,
    dot,
    larger,
    put_system,
    put_three,
    size,
    three,
    times_block,
)
from softstride.engine.lanes import Index, Lane, Rows, select, straight

NEVER = -1e300


def side(m: Rows, rows: Any, t: Index) -> list[Any]:
    """Return a_k."""
    return [m[rows.trig], -m[t], -m[t + 1]]


def sought(m: Rows, rows: Any, i: Index, stage: str) -> list[Any]:
    """Return the vector that a stage projects onto the pyramid."""
    x = three(m, rows.x + 3 * i)
    # x + length d after a step; x - (H x + g) for the natural residual; x / e - z for the finish.
    if stage == "move":
        return [a + m[rows.one + LENGTH] * b for a, b in zip(x, three(m, rows.d + 3 * i), strict=True)]
    if stage == "measure":
        return [a - b for a, b in zip(x, three(m, rows.slope + 3 * i), strict=True)]
    rate = 1.0 / m[rows.prox + i]
    return [a * rate - b for a, b in zip(x, three(m, rows.z + 3 * i), strict=True)]


def pyramid_projection(m: Rows, rows: Any, i: Index, v: list[Any]) -> tuple[list[Any], list[Any]]:
    """Return the projection of v onto the pyramid and the six numbers of its derivative; `frame` names the side."""
    r, s = m[rows.trig], m[rows.trig + 1]
    c, d = m[rows.frame + 4 * i + 1], m[rows.frame + 4 * i + 2]
    # v in the axes of the nearest side: p along its direction u, q across; a . v = r v_0 - p.
    p, q = c * v[1] + d * v[2], c * v[2] - d * v[1]
    within = p - r * v[0]
    # Foot on the plane of the side: v - a (a . v) / |a|², |a|² = 1 + r². `height` is its first number.
    share = 1.0 / (1.0 + r * r)
    height = v[0] + r * within * share
    # At that height the side is 2 s `height` wide. A foot farther out belongs to the edge on its side, which
    # is a generator of the cone; a negative length along the edge means the apex.
    beside = size(q) - s * height
    sign = select(q, "<", 0.0, -s, s)
    edge = [1.0 + 0.0 * r, c * r - d * sign, d * r + c * sign]  # of length sqrt 2
    along = 0.5 * dot(v, edge)
    along_on = select(along, ">", 0.0, along, 0.0)
    half = select(along, ">", 0.0, 0.5 + 0.0 * along, 0.0)
    flat = [height, c * r * height - d * q, d * r * height + c * q]
    # P' is 1 inside, 1 - a a^T / |a|² on the side, edge edge^T / 2 on the edge, 0 at the apex.
    normal = [-r, c, d]
    pairs = ((0, 0), (0, 1), (0, 2), (1, 1), (1, 2), (2, 2))

    def choose(inside: Any, on_side: Any, on_edge: Any) -> Lane:
        return select(within, "<=", 0.0, inside, select(beside, "<=", 0.0, on_side, on_edge))

    return (
        [choose(v[k], flat[k], along_on * edge[k]) for k in range(3)],
        [
            choose(float(a == b), float(a == b) - normal[a] * normal[b] * share, half * edge[a] * edge[b])
            for a, b in pairs
        ],
    )


@straight
def side_begin(m: Rows, rows: ConeRows, i: Index) -> None:
    """Forget the nearest side."""
    m[rows.frame + 4 * i] = NEVER


def _side_search(m: Rows, rows: ConeRows, i: Index, t: Index, stage: str) -> None:
    """Note the side if it is the nearest so far."""
    v = sought(m, rows, i, stage)
    # The nearest side is the one of the largest u_k . v; its direction is kept with it, lane by lane.
    p = m[t] * v[1] + m[t + 1] * v[2]
    at = rows.frame + 4 * i
    ahead = p - m[at]
    for k, value in enumerate((p, m[t], m[t + 1])):
        m[at + k] = select(ahead, ">", 0.0, value, m[at + k])


search_system = straight(_side_search, stage="system")
search_move = straight(_side_search, stage="move")
search_measure = straight(_side_search, stage="measure")


@straight
def side_system(m: Rows, rows: ConeRows, i: Index, t: Index, y: Index, f: Index) -> None:
    """Add a side to B of the interior points."""
    # y_k (a_k . x) = target for every side; with the y_k eliminated, B = sum of y_k / (a_k . x) a_k a_k^T. f
    # = 0: the predictor aims at the boundary.
    a, x = side(m, rows, t), three(m, rows.x + 3 * i)
    rate = m[y] / dot(a, x)
    for k, (p, q) in enumerate(((0, 0), (0, 1), (0, 2), (1, 1), (1, 2), (2, 2))):
        m[rows.b + 6 * i + k] = m[rows.b + 6 * i + k] + rate * a[p] * a[q]
    m[f] = 0.0


@straight
def pyramid_system(m: Rows, rows: ConeRows, i: Index) -> None:
    """Write B, r and the right-hand side of one point."""
    # z = projection of z - x / e onto the dual, as for cones, but a pyramid is not its own dual: by Moreau
    # r = P(v) - v and B = (1 - P') / e with v = x / e - z.
    v = sought(m, rows, i, "system")
    nearest, turned = pyramid_projection(m, rows, i, v)
    unit = (1.0, 0.0, 0.0, 1.0, 0.0, 1.0)
    finish = (
        [a - b for a, b in zip(nearest, v, strict=True)],
        [a - b for a, b in zip(unit, turned, strict=True)],
    )
    put_system(m, rows, i, [m[rows.b + 6 * i + k] for k in range(6)], finish)


@straight
def side_reach(m: Rows, rows: ConeRows, i: Index, t: Index, y: Index, f: Index) -> None:
    """Write the change of a multiplier and note how far the step may go."""
    a = side(m, rows, t)
    slack, change = dot(a, three(m, rows.x + 3 * i)), dot(a, three(m, rows.d + 3 * i))
    # slack y + y dslack + slack dy = target less the second-order term; f is the right side over slack.
    pull = m[f] - m[y] - m[y] / slack * change
    m[f] = pull
    one = rows.one
    m[one + NEED] = larger(-pull / m[y], larger(-change / slack, m[one + NEED]))
    m[one + CROSS] = m[one + CROSS] + slack * pull + m[y] * change
    m[one + SQUARE] = m[one + SQUARE] + change * pull


@straight
def pyramid_reach(m: Rows, rows: ConeRows, i: Index) -> None:
    """Write the change of z of one point."""
    change = times_block(m, rows.b + 6 * i, three(m, rows.d + 3 * i))
    z, r = three(m, rows.z + 3 * i), three(m, rows.r + 3 * i)
    put_three(m, rows.e + 3 * i, [a - b - c for a, b, c in zip(r, z, change, strict=True)])


@straight
def side_correct(m: Rows, rows: ConeRows, i: Index, t: Index, y: Index, f: Index) -> None:
    """Add a side to r of the corrector."""
    a = side(m, rows, t)
    slack, change = dot(a, three(m, rows.x + 3 * i)), dot(a, three(m, rows.d + 3 * i))
    # (target - dslack dy) / slack with the changes of the predictor; r is the sum of this times a_k.
    pull = (m[rows.one + TARGET] - change * m[f]) / slack
    m[f] = pull
    for k in range(3):
        m[rows.frame + 4 * i + k] = m[rows.frame + 4 * i + k] + pull * a[k]


@straight
def pyramid_correct(m: Rows, rows: ConeRows, i: Index) -> None:
    """Write r and the right-hand side of the corrector of one point; other modes keep theirs."""
    for k in range(3):
        r = select(m[rows.one + MODE], "==", INTERIOR, m[rows.frame + 4 * i + k], m[rows.r + 3 * i + k])
        m[rows.r + 3 * i + k] = r
        m[rows.d + 3 * i + k] = r - m[rows.slope + 3 * i + k]


@straight
def side_move(m: Rows, rows: ConeRows, y: Index, f: Index) -> None:
    """Change a multiplier."""
    changed = m[y] + m[rows.one + LENGTH] * m[f]
    m[y] = select(m[rows.one + MODE], "==", INTERIOR, changed, m[y])


@straight
def pyramid_move(m: Rows, rows: ConeRows, i: Index) -> None:
    """Take the step of one point; in the finish x is put back into the pyramid."""
    mode, length = m[rows.one + MODE], m[rows.one + LENGTH]
    x, new = three(m, rows.x + 3 * i), sought(m, rows, i, "move")
    # As in `cone_move`: the finish ends in the pyramid, and points at rest are exactly zero.
    inside, _ = pyramid_projection(m, rows, i, new)
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
def side_measure(m: Rows, rows: ConeRows, i: Index, t: Index, y: Index) -> None:
    """Add a side to the gap."""
    m[rows.one + GAP] = m[rows.one + GAP] + dot(side(m, rows, t), three(m, rows.x + 3 * i)) * m[y]


@straight
def pyramid_measure(m: Rows, rows: ConeRows, i: Index) -> None:
    """Add one point to residuals and sizes."""
    x, z, slope = three(m, rows.x + 3 * i), three(m, rows.z + 3 * i), three(m, rows.slope + 3 * i)
    nearest, _ = pyramid_projection(m, rows, i, sought(m, rows, i, "measure"))
    one = rows.one
    for k in range(3):
        m[one + MISS] = larger(size(slope[k] - z[k]), m[one + MISS])
        m[one + NATURAL] = larger(size(x[k] - nearest[k]), m[one + NATURAL])
    on = select(m[rows.scale + 3 * i], ">", 0.0, x[0], 0.0)
    m[one + HIGH] = larger(on, m[one + HIGH])
    m[one + PUSH] = larger(z[0], m[one + PUSH])
