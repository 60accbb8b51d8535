"""Paths as lines to draw: through their points, and along the surfaces that they wrap around."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

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
IntArray = NDArray[np.int64]

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
    blocks = [own[0] for own in path_lines(model, array, (muscle,), arc_points, threads)]
    lines = [line[:k] for points, count in blocks for line, k in zip(points, count.tolist(), strict=True)]
    return lines[0] if single else tuple(lines)


def path_lines(
    model: Model, q: Array, muscles: Sequence[str], arc_points: int, threads: int | None = None
) -> Iterator[list[tuple[Array, IntArray]]]:
    """Yield the lines of several muscles, which one plan is made for, some frames at a time in order.

    Args:
        model: The model.
        q: Configurations, shape (n_frames, nq).
        muscles: Names of muscles and ligaments.
        arc_points: As in `path_points`.
        threads: How many threads may be used.

    Yields:
        For each muscle the points of its lines in world axes, shape (n, k, 3), [m], and how many of them each line has,
        shape (n,): one that has fewer than k repeats its last.
    """
    check_count("arc_points", arc_points, 0)
    plan = path_plan(model, named_paths(model, muscles))
    for piece in paths.walk(model, plan, q, threads, recorded=True):
        yield [_lines(plan, piece, path, arc_points) for path in range(len(plan.names))]


def _lines(plan: PathPlan, piece: paths.Piece, path: int, arc_points: int) -> tuple[Array, IntArray]:
    """Return the lines of one path, shape (n, k, 3), and how many points each has, shape (n,)."""
    record = piece.record
    vertices, counts, owners = record.vertices[:, path], record.counts[:, path], record.marks[:, path, :, 2]
    each = np.arange(vertices.shape[1])
    there = each < counts[:, None]
    curved = np.zeros_like(there)  # whether the line comes to a vertex along a surface
    curved[:, 1:] = there[:, 1:] & (owners[:, 1:] >= 0) & (owners[:, 1:] == owners[:, :-1])
    row = each + arc_points * np.cumsum(curved, axis=1)
    count = counts + arc_points * curved.sum(axis=1)
    last = vertices[np.arange(len(counts)), counts - 1]
    points = np.repeat(last[:, None], int(count.max(initial=0)), axis=1)
    frame, vertex = np.nonzero(there)
    points[frame, row[frame, vertex]] = vertices[frame, vertex]
    frame, vertex = np.nonzero(curved)
    wrap = owners[frame, vertex]
    for w in np.unique(wrap).tolist():
        f, i = frame[wrap == w], vertex[wrap == w]
        surface = int(plan.tables.wraps[w, p.SURFACE])
        arcs = _arcs(plan, surface, record.traces[f, w], record.senses[f, w], arc_points)
        T = piece.poses[f].reshape(len(f), -1, 4, 4)[:, surface]
        on = row[f, i][:, None] + np.arange(-arc_points, 0)
        points[f[:, None], on] = arcs @ T[:, :3, :3].transpose(0, 2, 1) + T[:, None, :3, 3]
    return points, count


def _arcs(plan: PathPlan, surface: int, traces: Array, senses: IntArray, count: int) -> Array:
    """Return points between the ends of ways on a surface, in its axes, shape (n_ways, count, 3)."""
    form, sizes = int(plan.tables.surfaces[surface, p.FORM]), plan.tables.sizes[surface]
    meets, leaves, heading = (traces[:, first : first + 3] for first in (p.MEETS, p.LEAVES, p.HEADING))
    share = np.arange(1, count + 1) / (count + 1.0)
    angle, reach = traces[:, p.ANGLE, None] * share, traces[:, p.REACH, None] * share
    if form == p.CYLINDER:
        c, s = np.cos(senses[:, None] * angle), np.sin(senses[:, None] * angle)
        x, y = c * meets[:, :1] - s * meets[:, 1:2], s * meets[:, :1] + c * meets[:, 1:2]
        return np.stack([x, y, meets[:, 2:] + share * (leaves - meets)[:, 2:]], axis=2)
    if form == p.SPHERE:
        c, s = np.cos(angle)[..., None], np.sin(angle)[..., None]
        return np.asarray(c * meets[:, None] + s * sizes[0] * heading[:, None])
    points = _geodesics(form, sizes, meets, heading, reach)
    for way in np.flatnonzero(senses == p.TWICE):
        points[way] = _twice(form, sizes, traces[way], reach[way])
    return points


def _twice(form: int, sizes: Array, trace: Array, at: Array) -> Array:
    """Return points of a way that leaves its surface and touches it again, at growing distances, shape (count, 3)."""
    meets, heading = trace[p.MEETS : p.MEETS + 3], trace[p.HEADING : p.HEADING + 3]
    start, toward = trace[p.SECOND : p.SECOND + 3], trace[p.SECOND + 3 : p.SECOND + 6]
    one, other = (
        trace[p.SECOND + 6],
        trace[p.REACH] - trace[p.SECOND + 7],
    )  # lengths up to and from the straight part
    (first,) = _geodesics(form, sizes, meets[None], heading[None], np.append(at[at < one], one)[None])
    across = (at[(at >= one) & (at < other), None] - one) / (other - one)
    (last,) = _geodesics(form, sizes, start[None], toward[None], at[None, at >= other] - other)
    return np.concatenate([first[:-1], first[-1] + across * (start - first[-1]), last])


def _geodesics(form: int, sizes: Array, x: Array, t: Array, at: Array) -> Array:
    """Return points along geodesics, at growing distances, shape (n, k, 3); Runge-Kutta, good enough to draw."""
    points = np.empty((*at.shape, 3))
    state = np.concatenate([x, t], axis=1)
    for i, step in enumerate((np.diff(at, axis=1, prepend=0.0) / _STEPS).T):
        h = step[:, None]
        for _ in range(_STEPS):
            a = _rate(form, sizes, state)
            b = _rate(form, sizes, state + 0.5 * h * a)
            c = _rate(form, sizes, state + 0.5 * h * b)
            d = _rate(form, sizes, state + h * c)
            state = state + h / 6.0 * (a + 2.0 * b + 2.0 * c + d)
        points[:, i] = state[:, :3]
    return points


def _rate(form: int, sizes: Array, state: Array) -> Array:
    """Return velocity and acceleration along geodesics: x'' = -(x' F'' x' / |F'|^2) F'."""
    x, t = state[:, :3], state[:, 3:]
    if form == p.ELLIPSOID:
        gradient, bend = x / sizes**2, np.sum((t / sizes) ** 2, axis=1)
    else:
        rho = np.hypot(x[:, 0], x[:, 1])
        lean = 1.0 - sizes[1] / rho
        gradient = np.stack([lean * x[:, 0], lean * x[:, 1], x[:, 2]], axis=1)
        across = (t[:, 0] * x[:, 0] + t[:, 1] * x[:, 1]) ** 2 / rho**2
        bend = across + lean * (t[:, 0] ** 2 + t[:, 1] ** 2 - across) + t[:, 2] ** 2
    return np.concatenate([t, (-bend / np.sum(gradient**2, axis=1))[:, None] * gradient], axis=1)
