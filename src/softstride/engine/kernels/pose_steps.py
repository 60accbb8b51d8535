"""Steps q [+] d of a pose fit, LANES poses at once, any retraction of first order being good enough.

Plain coordinates add; a quaternion is multiplied by (d / 2, 1) and normalised, which turns by 2 atan(|d| / 2); the
position of a free joint moves by R d.
"""

from __future__ import annotations

import numpy as np

from softstride.engine.jit import inner
from softstride.engine.kernels.joints import rotation_quaternion
from softstride.engine.kernels.records import take
from softstride.engine.kernels.tables import FREE, IQ, IV, KIND, SPHERICAL, Array, N, Tree
from softstride.engine.lanes import Frames, Index, Lane, sqrt, straight
from softstride.spatial.small import Vec


def put_quaternion(out: Frames, f: Index, i: Index, vector: Vec, scalar: Lane) -> None:
    """Write a quaternion of length one."""
    factor = 1.0 / sqrt(vector.dot(vector) + scalar * scalar)
    for k, x in enumerate((*vector, scalar)):
        out[f, i + k] = x * factor


@straight
def step_plain(q: Frames, d: Frames, out: Frames, f: Index, iq: Index, iv: Index) -> None:
    """Add."""
    out[f, iq] = q[f, iq] + d[f, iv]


@straight
def step_ball(q: Frames, d: Frames, out: Frames, f: Index, iq: Index, iv: Index) -> None:
    """Turn a ball joint."""
    # q o (d/2, 1) = (r + w d/2 + r x d/2, w - r . d/2): d is in child axes, so it stands on the right.
    half = take(d, f, iv) * 0.5
    r, w = take(q, f, iq), q[f, iq + 3]
    put_quaternion(out, f, iq, r * 1.0 + half * w + r.cross(half), w - r.dot(half))


@straight
def step_free(q: Frames, d: Frames, out: Frames, f: Index, iq: Index, iv: Index) -> None:
    """Turn and move a free joint."""
    half = take(d, f, iv) * 0.5
    r, w = take(q, f, iq + 3), q[f, iq + 6]
    # R d of the old orientation: velocities of a free joint are in body axes.
    p = take(q, f, iq) + rotation_quaternion(r.x, r.y, r.z, w) @ take(d, f, iv + 3)
    put_quaternion(out, f, iq + 3, r * 1.0 + half * w + r.cross(half), w - r.dot(half))
    for k, x in enumerate(p):
        out[f, iq + k] = x


@inner
def retract(tree: Tree, q: Array, d: Array, out: Array) -> None:
    """Write q [+] d of LANES poses."""
    nodes = tree.nodes
    for i in range(nodes.shape[0]):
        kind, iq, iv = nodes[i, KIND], nodes[i, IQ], nodes[i, IV]
        if kind == SPHERICAL:
            step_ball(q, d, out, 0, iq, iv)
        elif kind == FREE:
            step_free(q, d, out, 0, iq, iv)
        else:
            for j in range(nodes[i, N]):
                step_plain(q, d, out, 0, iq + j, iv + j)


@inner
def extrapolate(tree: Tree, before: Array, q: Array, out: Array, lane: int) -> None:
    """Write the pose of one lane that follows `before` and `q` at constant velocity."""
    nodes = tree.nodes
    for i in range(nodes.shape[0]):
        kind, iq = nodes[i, KIND], nodes[i, IQ]
        if kind == SPHERICAL:
            go_on(before, q, out, lane, iq)
        elif kind == FREE:
            for j in range(3):
                out[lane, iq + j] = 2.0 * q[lane, iq + j] - before[lane, iq + j]
            go_on(before, q, out, lane, iq + 3)
        else:
            for j in range(nodes[i, N]):
                out[lane, iq + j] = 2.0 * q[lane, iq + j] - before[lane, iq + j]


@inner
def go_on(before: Array, q: Array, out: Array, lane: int, i: int) -> None:
    """Turn a quaternion on: q o before⁻¹ o q = 2 (q . before) q - before."""
    # For unit quaternions that is `before` reflected in the line of q: no product, no inverse.
    twice = 0.0
    for k in range(4):
        twice += 2.0 * q[lane, i + k] * before[lane, i + k]
    square = 0.0
    for k in range(4):
        out[lane, i + k] = twice * q[lane, i + k] - before[lane, i + k]
        square += out[lane, i + k] ** 2
    for k in range(4):
        out[lane, i + k] /= np.sqrt(square)
