"""Markers as point masses: the normal equations of a pose fit as articulated bodies.

The matrix J^T W J of marker positions is the joint-space inertia of the tree with a point mass w at every marker and
nothing else, and J^T W e is the generalized force of forces w e; a measured orientation is an isotropic inertia w
with a torque, a diagonal prior is armature. So (J^T W J + Λ) d = J^T W e is forward dynamics of a tree at rest
[Hybrid2026, eq. 32], in O(n), without a Jacobian.

The cost of a pose is a sum of squares,

    Σ w |e|² + Σ w_o (3 - tr R_rel) + Σ κ (goal - q)² + Σ 4 κ |vec(goal⁻¹ o quat)|²,

where 3 - tr R = 4 sin²(angle / 2) and 4 |vec|² likewise; both have at most unit curvature, so that the unit matrix
bounds their second derivative and steps do not overshoot.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from softstride.engine.jit import inner
from softstride.engine.kernels.aba import (
    BODY_ROWS,
    NODE_ROWS,
    add_still,
    move_station,
    reduce_node,
    solve_node,
)
from softstride.engine.kernels.composite import add_rows
from softstride.engine.kernels.joints import rotation_quaternion
from softstride.engine.kernels.matrices import clear_row, clear_rows
from softstride.engine.kernels.records import (
    POSITION,
    ROTATION,
    STATION_ROWS,
    Row,
    accumulate,
    mat,
    take,
    vec,
)
from softstride.engine.kernels.sweep import columns_of
from softstride.engine.kernels.tables import (
    COUNT,
    FIRST,
    FREE,
    IQ,
    IV,
    KIND,
    PARENT,
    SPHERICAL,
    Array,
    N,
    Table,
    Tree,
)
from softstride.engine.lanes import Frames, Index, Lane, Rows, select, sqrt, straight
from softstride.spatial.small import Mat, Vec


class Sights(NamedTuple):
    """What is seen of a tree: markers, and frames whose orientation is measured."""

    stations: Table  # (n_markers,) integers
    offsets: Table  # (3 n_markers,) in the axes of the station
    frames: Table  # (n_frames,) integers: stations
    turns: Table  # (9 n_frames,) rotation of each frame in its station
    huber: Table  # (1,) distance from which a marker counts linearly


TARGET_ROWS = 4  # of a marker: where it was seen, its weight
TURN_ROWS = 10  # of a frame: its measured axes, row by row, and its weight


class Rooms(NamedTuple):
    """First scratch row of each thing, behind the sweep's own."""

    bodies: Any
    nodes: Any
    targets: Any
    turns: Any
    goals: Any  # nq rows
    strengths: Any  # nv rows: κ
    held: Any  # nv rows: extra armature that holds a coordinate
    pushes: Any  # nv rows: force that takes a held coordinate to where it is held
    scales: Any  # nv rows: what damping of one means
    damping: Any  # one row: λ
    cost: Any  # one row
    gain: Any  # one row: what the step promises
    end: Any


def lay_rooms(first: int, tree: Tree, nq: int, markers: int, frames: int) -> Rooms:
    """Return the rooms of a tree whose sweep ends at row `first`."""
    sizes = (
        BODY_ROWS * len(tree.stations),
        (NODE_ROWS + 6) * tree.nv,
        TARGET_ROWS * markers,
        TURN_ROWS * frames,
        nq,
        tree.nv,
        tree.nv,
        tree.nv,
        tree.nv,
        1,
        1,
        1,
    )
    starts = [first]
    for size in sizes:
        starts.append(starts[-1] + size)
    return Rooms(*starts)


def point_mass(
    sights: Sights, i: Index, m: Rows, target: Index, bodies: Index, cost: Index, robust: bool
) -> None:
    """Add marker i to the body of its station, its force and its cost."""
    station = sights.stations[i]
    me, row = station * STATION_ROWS, bodies + station * BODY_ROWS
    # World axes: x from the station's origin to the marker, residual e = target - marker.
    x = mat(m, me + ROTATION) @ vec(sights.offsets, i * 3)
    e = vec(m, target) - (vec(m, me + POSITION) + x)
    weight, square = m[target + 3], e.dot(e)
    if robust:
        # Beyond the limit c the cost is w c (2 r - c), and its gradient that of a weight w c / r. The root is
        # kept above zero for lanes that do not use c / r.
        limit = sights.huber[0]
        distance = sqrt(square + 1e-300)
        beyond = distance - limit
        m[cost] = m[cost] + weight * select(beyond, ">", 0.0, limit * (2.0 * distance - limit), square)
        weight = weight * select(beyond, ">", 0.0, limit / distance, 1.0)
    else:
        m[cost] = m[cost] + weight * square
    # A += w (|x|^2 E - x x^T), B += w hat(x), C += w E; upper triangles of A and C.
    h = x * weight
    xx, yy, zz = h.x * x.x, h.y * x.y, h.z * x.z
    add_rows(m, row, (yy + zz, -(h.x * x.y), -(h.x * x.z), xx + zz, -(h.y * x.z), xx + yy))
    add_rows(m, row + 6, [value for line in Mat.hat(h) for value in line])
    for k in (15, 18, 20):
        m[row + k] = m[row + k] + weight
    # The force w e on the marker is [h x e; w e]; among bias forces an applied wrench has a minus.
    accumulate(m, row + 21, e.cross(h), -(e * weight))


def turned_mass(sights: Sights, i: Index, m: Rows, target: Index, bodies: Index, cost: Index) -> None:
    """Add a measured orientation to the body of its station, its torque and its cost."""
    station = sights.frames[i]
    row = bodies + station * BODY_ROWS
    R = mat(m, station * STATION_ROWS + ROTATION) @ mat(sights.turns, i * 9)
    # rel turns the frame onto what was measured, in world axes: 3 - tr rel = 4 sin^2(angle / 2).
    rel = mat(m, target) @ R.T
    weight = m[target + 9]
    m[cost] = m[cost] + weight * (3.0 - (rel[0, 0] + rel[1, 1] + rel[2, 2]))
    # axis = 2 sin(angle) n: torque w sin(angle) n, about the body with the inertia w E and no mass.
    axis = Vec(rel[2, 1] - rel[1, 2], rel[0, 2] - rel[2, 0], rel[1, 0] - rel[0, 1])
    for k in (0, 3, 5):
        m[row + k] = m[row + k] + weight
    accumulate(m, row + 21, axis * (weight * -0.5))


add_marker = straight(point_mass, robust=(0, 1))
add_turn = straight(turned_mass)


def pull(m: Rows, row: Row, cost: Row, force: Any, energy: Any) -> None:
    """Set the force on a coordinate and add the cost of its goal."""
    m[row + 6] = force
    m[cost] = m[cost] + energy


@straight
def pull_plain(
    m: Rows, row: Index, cost: Index, goal: Index, strength: Index, q: Frames, f: Index, iq: Index
) -> None:
    """Pull a plain coordinate to its goal: force κ (goal - q), cost κ (goal - q)²."""
    # The cost has no factor 1/2: forces are minus half its gradient, as J^T W e is.
    short = m[goal] - q[f, iq]
    force = m[strength] * short
    pull(m, row, cost, force, force * short)


def turn_short(m: Rows, goal: Row, q: Frames, f: Index, iq: Row) -> tuple[Vec, Lane]:
    """Return vector and scalar part of goal⁻¹ o quat."""
    # (-g, g_w) o (r, r_w), for quaternions of length one.
    g, gw = -vec(m, goal), m[goal + 3]
    r, rw = take(q, f, iq), q[f, iq + 3]
    return r * gw + g * rw + g.cross(r), gw * rw - g.dot(r)


def pull_turn(
    m: Rows, rows: Sequence[Row], cost: Row, goal: Row, strength: Row, q: Frames, f: Index, iq: Row
) -> None:
    """Pull a quaternion to its goal: torque -2 κ w vec in child axes, cost 4 κ |vec|²."""
    vector, scalar = turn_short(m, goal, q, f, iq)
    # Minus half the gradient by d in q o (d / 2, 1).
    pulls = vector * (m[strength] * scalar * -2.0)
    m[cost] = m[cost] + vector.dot(vector) * m[strength] * 4.0
    for row, force in zip(rows, pulls, strict=True):
        m[row + 6] = force


@straight
def pull_ball(
    m: Rows, node: Index, cost: Index, goal: Index, strength: Index, q: Frames, f: Index, iq: Index
) -> None:
    """Pull a ball joint to its goal."""
    pull_turn(m, [node + (NODE_ROWS + 3) * a for a in range(3)], cost, goal, strength, q, f, iq)


@straight
def pull_free(
    m: Rows, node: Index, cost: Index, goal: Index, strength: Index, q: Frames, f: Index, iq: Index
) -> None:
    """Pull a free joint to its goal; one strength for its three angles, one for its position."""
    rows = [node + (NODE_ROWS + 6) * a for a in range(6)]
    pull_turn(m, rows[:3], cost, goal + 3, strength, q, f, iq + 3)
    R = rotation_quaternion(*(q[f, iq + 3 + k] for k in range(4)))
    # In body axes, as the velocity of a free joint is.
    short = R.T @ (vec(m, goal) - take(q, f, iq))
    m[cost] = m[cost] + short.dot(short) * m[strength + 3]
    for row, force in zip(rows[3:], short * m[strength + 3], strict=True):
        m[row + 6] = force


@inner
def weigh_poses(tree: Tree, sights: Sights, rooms: Rooms, robust: int, q: Array, f: int, m: Array) -> None:
    """After a still sweep: bodies, forces and cost of all that is seen and aimed at."""
    nodes = tree.nodes
    # Seen things make bodies and bias forces; goals make the forces on coordinates, from which u starts.
    clear_row(m, rooms.cost)
    clear_rows(m, rooms.bodies, BODY_ROWS * tree.stations.shape[0])
    for i in range(sights.stations.shape[0]):
        add_marker(sights, i, m, rooms.targets + TARGET_ROWS * i, rooms.bodies, rooms.cost, robust)
    for i in range(sights.frames.shape[0]):
        add_turn(sights, i, m, rooms.turns + TURN_ROWS * i, rooms.bodies, rooms.cost)
    for i in range(nodes.shape[0]):
        iq, iv, kind = nodes[i, IQ], nodes[i, IV], nodes[i, KIND]
        node, goal, strength = rooms.nodes + (NODE_ROWS + 6) * iv, rooms.goals + iq, rooms.strengths + iv
        if kind == SPHERICAL:
            pull_ball(m, node, rooms.cost, goal, strength, q, f, iq)
        elif kind == FREE:
            pull_free(m, node, rooms.cost, goal, strength, q, f, iq)
        else:
            size = nodes[i, N]
            for j in range(size):
                row = node + (NODE_ROWS + size) * j
                pull_plain(m, row, rooms.cost, goal + j, strength + j, q, f, iq + j)


@straight
def add_armature(m: Rows, rooms: Rooms, pivot: Index, force: Index, j: Index) -> None:
    """Add goal, damping and hold of coordinate j to its pivot, and its push to the force on it."""
    damping = m[rooms.damping] * m[rooms.scales + j]
    m[pivot] = m[pivot] + m[rooms.strengths + j] + damping + m[rooms.held + j]
    m[force] = m[force] + m[rooms.pushes + j]


@straight
def add_gain(m: Rows, gain: Index, y: Index, held: Index) -> None:
    """Add the square of a reduced force: their sum is what the step promises, g^T (J^T W J + Λ)^-1 g.

    What is held promises nothing, whatever pulls at it.
    """
    m[gain] = m[gain] + select(m[held], ">", 0.0, 0.0, m[y] * m[y])


@inner
def eliminate(tree: Tree, rooms: Rooms, m: Array) -> None:
    """Reduce all bodies from the leaves to the root; factors stay in the rows of the nodes."""
    # As in `aba`, for a tree at rest. Λ is armature: it joins the diagonal of D after all stations.
    nodes = tree.nodes
    clear_row(m, rooms.gain)
    for i in range(nodes.shape[0] - 1, -1, -1):
        size, iv = nodes[i, N], nodes[i, IV]
        node = rooms.nodes + (NODE_ROWS + 6) * iv
        parent = rooms.bodies + BODY_ROWS * nodes[i, PARENT]
        for k in range(nodes[i, FIRST], nodes[i, FIRST] + nodes[i, COUNT]):
            row = rooms.bodies + BODY_ROWS * k
            add_still(m, k * STATION_ROWS, columns_of(tree, k), row, node, parent, size, k > nodes[i, FIRST])
        for j in range(size):
            row = node + (NODE_ROWS + size) * j
            add_armature(m, rooms, row + NODE_ROWS + j, row + 6, iv + j)
        reduce_node(m, node, parent, size)
        for j in range(size):
            add_gain(m, rooms.gain, node + (NODE_ROWS + size) * j + 6, rooms.held + iv + j)


@inner
def step_poses(tree: Tree, rooms: Rooms, m: Array, d: Array) -> None:
    """Solve for the step d (LANES, nv) from the root to the leaves."""
    nodes = tree.nodes
    for i in range(nodes.shape[0]):
        size = nodes[i, N]
        node = rooms.nodes + (NODE_ROWS + 6) * nodes[i, IV]
        parent = nodes[i, PARENT] * STATION_ROWS
        # d = L^-T (y - W A_parent) and A = shift(A_parent) + s d; here A is the step of a station's twist.
        solve_node(m, node, parent, d, 0, nodes[i, IV], size)
        for k in range(nodes[i, FIRST], nodes[i, FIRST] + nodes[i, COUNT]):
            move_station(m, k * STATION_ROWS, parent, columns_of(tree, k), node, size)
