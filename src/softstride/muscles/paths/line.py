"""Paths as lines to draw: through their points, and along the surfaces that they wrap around."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from softstride.engine import inputs, paths
from softstride.engine.kernels import path_tables as p
from softstride.engine.path_plan import PathPlan, path_plan
from softstride.errors import InputError
from softstride.model import Model
from softstride.muscles.paths.names import named_paths
from softstride.signals.inputs import check_count

Array = NDArray[np.float64]

_STEPS = 8  # of the integration between two points of a line on a surface


def path_points(
    model: Model, q: ArrayLike, muscle: str, *, arc_points: int = 7, threads: int | None = None
) -> tuple[Array, ...] | Array:
    """Return the line that a muscle takes in each frame.

    Args:
        model: The model.
        q: Configurations, shape (n_frames, nq), or (nq,) for one frame.
        muscle: Name of a muscle or ligament.
        arc_points: Number of points on a surface between where the path meets it and where it leaves it.
        threads: How many threads may be used.

    Returns:
        For each frame the points of the line in world axes, shape (k, 3), [m]; k differs from frame to frame, as
        surfaces are wrapped or not. For a single frame its array.

    Raises:
        InputError: No such muscle; q of the wrong shape or not finite; no number of points.
    """
    array, single = inputs.configuration(model, q)
    if not isinstance(muscle, str):
        raise InputError(f"muscle must be the name of one muscle, however it is {muscle!r}")
    check_count("arc_points", arc_points, 0)
    plan = path_plan(model, named_paths(model, muscle))
    lines: list[Array] = []
    for piece in paths.walk(model, plan, array, threads, recorded=True):
        lines += [_line(plan, piece, f, arc_points) for f in range(len(piece.length))]
    return lines[0] if single else tuple(lines)


def _line(plan: PathPlan, piece: paths.Piece, f: int, arc_points: int) -> Array:
    """Return the line of the only path of a plan in one frame."""
    record = piece.record
    n = int(record.counts[f, 0])
    vertices, owners = record.vertices[f, 0, :n], record.marks[f, 0, :n, 2]
    points = [vertices[:1]]
    for i in range(1, n):
        w = int(owners[i])
        if w >= 0 and owners[i - 1] == w:
            surface = int(plan.tables.wraps[w, p.SURFACE])
            T = piece.poses[f].reshape(-1, 4, 4)[surface]
            arc = _arc(plan, surface, record.traces[f, w], int(record.senses[f, w]), arc_points)
            points.append(arc @ T[:3, :3].T + T[:3, 3])
        points.append(vertices[i : i + 1])
    return np.concatenate(points)


def _arc(plan: PathPlan, surface: int, trace: Array, sense: int, count: int) -> Array:
    """Return points between the ends of a way on a surface, in its axes, shape (count, 3)."""
    form, sizes = int(plan.tables.surfaces[surface, p.FORM]), plan.tables.sizes[surface]
    meets, leaves = trace[p.MEETS : p.MEETS + 3], trace[p.LEAVES : p.LEAVES + 3]
    share = np.arange(1, count + 1) / (count + 1.0)
    if form == p.CYLINDER:
        angle = sense * trace[p.ANGLE] * share
        c, s = np.cos(angle), np.sin(angle)
        x, y = c * meets[0] - s * meets[1], s * meets[0] + c * meets[1]
        return np.stack([x, y, meets[2] + share * (leaves[2] - meets[2])], axis=1)
    heading = trace[p.HEADING : p.HEADING + 3]
    if form == p.SPHERE:
        angle = trace[p.ANGLE] * share[:, None]
        return np.asarray(np.cos(angle) * meets + np.sin(angle) * sizes[0] * heading)
    at = trace[p.REACH] * share
    if sense != p.TWICE:
        return _geodesic(form, sizes, meets, heading, at)
    start, toward = trace[p.SECOND : p.SECOND + 3], trace[p.SECOND + 3 : p.SECOND + 6]
    one, other = (
        trace[p.SECOND + 6],
        trace[p.REACH] - trace[p.SECOND + 7],
    )  # lengths up to and from the straight part
    first = _geodesic(form, sizes, meets, heading, np.append(at[at < one], one))
    across = (at[(at >= one) & (at < other), None] - one) / (other - one)
    last = _geodesic(form, sizes, start, toward, at[at >= other] - other)
    return np.concatenate([first[:-1], first[-1] + across * (start - first[-1]), last])


def _geodesic(form: int, sizes: Array, x: Array, t: Array, at: Array) -> Array:
    """Return points along a geodesic, at growing distances; classical Runge-Kutta, good enough to draw."""
    points = np.empty((len(at), 3))
    state = np.concatenate([x, t])
    for i, h in enumerate(np.diff(at, prepend=0.0) / _STEPS):
        for _ in range(_STEPS):
            a = _rate(form, sizes, state)
            b = _rate(form, sizes, state + 0.5 * h * a)
            c = _rate(form, sizes, state + 0.5 * h * b)
            d = _rate(form, sizes, state + h * c)
            state = state + h / 6.0 * (a + 2.0 * b + 2.0 * c + d)
        points[i] = state[:3]
    return points


def _rate(form: int, sizes: Array, state: Array) -> Array:
    """Return velocity and acceleration along a geodesic: x'' = -(x' F'' x' / |F'|^2) F'."""
    x, t = state[:3], state[3:]
    if form == p.ELLIPSOID:
        gradient, bend = x / sizes**2, float(np.sum((t / sizes) ** 2))
    else:
        rho = np.hypot(x[0], x[1])
        lean = 1.0 - sizes[1] / rho
        gradient = np.array([lean * x[0], lean * x[1], x[2]])
        across = (t[0] * x[0] + t[1] * x[1]) ** 2 / rho**2
        bend = float(across + lean * (t[0] ** 2 + t[1] ** 2 - across) + t[2] ** 2)
    return np.concatenate([t, -bend / (gradient @ gradient) * gradient])
