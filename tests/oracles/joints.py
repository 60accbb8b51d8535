"""Pose, motion subspace and its rate for each joint kind, from the definitions.

``steps(joint, q, v)`` yields the elementary motions of a link in order: one for a rigid joint, one a
segment for a rod. Each is ``(H, S, S_dot, columns)`` with H the (4, 4) motion, ``vee(H^-1
dH/dt) = S v[columns]``.
"""

from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from . import screws as sc

STRAINS = ("kx", "ky", "kz", "ex", "ey", "ez")


@dataclass(frozen=True)
class Step:
    """One elementary motion: pose H, columns S and their rate, and which of the joint's speeds drive it."""

    H: np.ndarray  # (4, 4)
    S: np.ndarray  # (6, k)
    S_dot: np.ndarray  # (6, k)
    columns: tuple[int, ...]  # into the joint's own speeds


def kind(joint):
    """Return the lower-case name of a joint kind ("rod", "custom", ...)."""
    return type(joint).__name__.lower()


def free_columns(segment):
    """Return the rows of the strain vector that a rod segment may change."""
    return np.array([STRAINS.index(name) for name in segment.free], dtype=int)


def segment_step(segment, q, v, columns, s=None):
    """Return the Step of a constant-strain piece of length s (default: the whole segment)."""
    s = segment.length if s is None else s
    rows = free_columns(segment)
    xi = np.array(segment.reference, dtype=float)
    xi[rows] += q
    xi_dot = np.zeros(6)
    xi_dot[rows] = v
    return Step(
        sc.exp_twist(s * xi),
        sc.tangent_right(xi, s)[:, rows],
        sc.tangent_right_rate(xi, xi_dot, s)[:, rows],
        tuple(columns),
    )


def segment_slices(joint):
    """Return the slice of the rod's coordinates that belongs to each segment."""
    edges = np.cumsum([0] + [len(segment.free) for segment in joint.segments])
    return [slice(int(a), int(b)) for a, b in pairwise(edges)]


def _custom_pose(joint, x):
    """Return T(x) of six axis values: successive rotations, outer translation. Complex capable."""
    rotation = np.eye(3)
    for axis, value in zip(joint.rotations, x[:3], strict=True):
        rotation = rotation @ sc.rotation_about(axis.direction, value)
    pose = np.eye(4, dtype=rotation.dtype)
    pose[:3, :3] = rotation
    pose[:3, 3] = sum(
        np.asarray(axis.direction) * value for axis, value in zip(joint.translations, x[3:], strict=True)
    )
    return pose


def _axis_derivative(joint, x, i):
    """Return dT/dx_i by replacing factor i with its derivative."""
    if i >= 3:
        out = np.zeros((4, 4), dtype=np.result_type(x))
        out[:3, 3] = joint.translations[i - 3].direction
        return out
    rotation = np.eye(3)
    for j, (axis, value) in enumerate(zip(joint.rotations, x[:3], strict=True)):
        rotation = rotation @ sc.rotation_about(axis.direction, value)
        if j == i:
            rotation = rotation @ sc.skew(axis.direction)
    out = np.zeros((4, 4), dtype=rotation.dtype)
    out[:3, :3] = rotation
    return out


def axis_values(joint, q, order):
    """Return d^order x / dq^order for the six axes: (6,) for order 0, (6, n_coordinates) for higher ones.

    Each axis value is a sum of one-argument functions, so mixed derivatives vanish.
    """
    names = list(joint.coordinates)
    out = np.zeros((6, len(names)))
    value = np.zeros(6)
    for i, axis in enumerate((*joint.rotations, *joint.translations)):
        for name, function in axis.terms:
            argument = q[names.index(name)] if name else 0.0
            if order == 0:
                value[i] += float(function(argument))
            elif name:
                out[i, names.index(name)] += float(function(argument, order))
    return value if order == 0 else out


def _custom_columns(joint, x, slopes):
    """Return S = vee(T^-1 dT/dx_i) slopes_i, shape (6, n_coordinates). Complex capable."""
    back = np.linalg.inv(_custom_pose(joint, x))
    per_axis = np.stack([sc.vee(back @ _axis_derivative(joint, x, i)) for i in range(6)], axis=1)  # (6, 6)
    return per_axis @ slopes


def custom_step(joint, q, v):
    """Return the Step of a function-driven joint; the rate of S by a complex step along v."""
    x, slope, bend = (axis_values(joint, q, order) for order in (0, 1, 2))
    h = sc.COMPLEX_STEP
    stepped = _custom_columns(joint, x + 1j * h * (slope @ v), slope + 1j * h * bend * v)
    return Step(
        _custom_pose(joint, x),
        _custom_columns(joint, x, slope),
        stepped.imag / h,
        tuple(range(len(joint.coordinates))),
    )


def steps(joint, q, v):
    """Return the list of Steps of a joint at its own coordinates q and speeds v."""
    name = kind(joint)
    if name == "fixed":
        return [Step(np.eye(4), np.zeros((6, 0)), np.zeros((6, 0)), ())]
    if name in ("revolute", "prismatic"):
        column = np.zeros((6, 1))
        column[slice(0, 3) if name == "revolute" else slice(3, 6), 0] = joint.axis
        return [Step(sc.exp_twist(column[:, 0] * q[0]), column, np.zeros((6, 1)), (0,))]
    if name == "spherical":
        return [Step(sc.transform(sc.quaternion_matrix(q)), np.eye(6)[:, :3], np.zeros((6, 3)), (0, 1, 2))]
    if name == "free":
        return [
            Step(
                sc.transform(sc.quaternion_matrix(q[3:]), q[:3]), np.eye(6), np.zeros((6, 6)), tuple(range(6))
            )
        ]
    if name == "custom":
        return [custom_step(joint, q, v)]
    if name == "rod":
        pieces = zip(joint.segments, segment_slices(joint), strict=True)
        return [segment_step(seg, q[sl], v[sl], range(sl.start, sl.stop)) for seg, sl in pieces]
    raise NotImplementedError(name)
