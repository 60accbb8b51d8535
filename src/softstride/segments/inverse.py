"""Net joint forces and moments of segments: one recursion from the free ends towards the root.

With (F0_i, M0_i) the wrench that the motion of segment i needs (`methods`), and everything that acts on it from outside
or comes from its distal neighbours k,

    F_i = F0_i - sum f_ext + sum F_k
    M_i = M0_i - sum (m_ext + (p_ext - rP_i) x f_ext) + sum (M_k + (rP_k - rP_i) x F_k)

acts on segment i at its proximal end P_i, from its parent. A segment without parent gets what nothing in the model
gives: the load of the trunk on a pelvis, or a residual.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from softstride.dynamics.loads import AppliedWrench
from softstride.errors import InputError
from softstride.notes import Notes
from softstride.segments.body import BodySegment
from softstride.segments.loads import SegmentLoads
from softstride.segments.methods import Method, Prepared, check_method, own_wrench, prepare
from softstride.segments.methods.nonorthonormal import solve_with_multipliers
from softstride.segments.motion import Differentiator, SegmentMotion
from softstride.spatial.vectors import cross

Array = NDArray[np.float64]

GRAVITY = (0.0, -9.80665, 0.0)
"""Of the world, [m/s^2]; y is up."""

BLOCK = 2048
"""Frames that are worked on at once: their arrays stay in the cache of a processor, so that a frame costs the same in a
trial of any length."""


def inverse_dynamics(
    segments: Sequence[BodySegment],
    motion: Mapping[str, SegmentMotion],
    external: Iterable[AppliedWrench] = (),
    *,
    method: Method = "nonorthonormal",
    gravity: ArrayLike = GRAVITY,
    multipliers: bool = False,
    differentiator: Differentiator = "spline",
    **options: Any,
) -> SegmentLoads:
    """Find the force and moment on each segment at its proximal end, all frames at once.

    Args:
        segments: Constants of the segments; `parent` says what each hangs on.
        motion: Natural coordinates of each by its name, on one clock. With derivatives they are used as they are;
            without, each method differentiates its own coordinates.
        external: What acts from outside, on the segment that `link` names, in world axes. NaN forces: not known.
        method: "nonorthonormal", "euler", "homogeneous" or "quaternion".
        gravity: Shape (3,), [m/s^2], world axes.
        multipliers: Whether to find the multipliers of the rigid-body constraints too (method "nonorthonormal").
        differentiator: "spline", "central" or "savgol", or a function (time, samples) -> (first, second derivative);
            used where derivatives are not given.
        **options: Of the differentiator, see `softstride.signals.derivative`.

    Returns:
        The loads. Frames in which a motion or a force is not known are NaN there and at all joints above.

    Raises:
        InputError: Names, clocks or options do not fit.
    """
    check_method(method)
    if multipliers and method != "nonorthonormal":
        raise InputError(f"only method 'nonorthonormal' has multipliers, however it is {method!r}")
    down = np.asarray(gravity, dtype=np.float64)
    if down.shape != (3,) or not np.isfinite(down).all():
        raise InputError(f"gravity must be three finite numbers [m/s^2], however it is {gravity!r}")
    ordered = leaves_first(segments)
    time = _clock(ordered, motion)
    wrenches = _by_segment(ordered, external, len(time))
    place = {segment.name: i for i, segment in enumerate(ordered)}
    n, k = len(time), len(ordered)
    force, moment = np.zeros((n, k, 3)), np.zeros((n, k, 3))
    lam = np.full((n, k, 6), np.nan) if multipliers else None
    point = np.stack([motion[segment.name].proximal for segment in ordered], axis=1)
    notes = Notes()
    for i, segment in enumerate(ordered):
        prepared = prepare(method, segment, motion[segment.name], differentiator, **options)
        notes.extend((*segment.notes, *prepared.notes))
        for part in _blocks(n):
            own = _own(method, segment, prepared.frames(part), down, None if lam is None else lam[part, i])
            force[part, i] += own[0]
            moment[part, i] += own[1]
        for wrench in wrenches.get(segment.name, ()):
            about = wrench.about(point[:, i])
            moment[:, i] -= about[:, :3]
            force[:, i] -= about[:, 3:]
        if segment.parent is not None and segment.parent in place:
            up = place[segment.parent]
            force[:, up] += force[:, i]
            moment[:, up] += moment[:, i] + cross(point[:, i] - point[:, up], force[:, i])
    return SegmentLoads(
        time=time,
        names=tuple(segment.name for segment in ordered),
        parents=tuple(segment.parent if segment.parent in place else None for segment in ordered),
        point=point,
        force=force,
        moment=moment,
        method=method,
        multipliers=lam,
        notes=tuple(notes),
    )


def leaves_first(segments: Sequence[BodySegment]) -> list[BodySegment]:
    """Return the segments in an order in which each comes before its parent.

    Raises:
        InputError: None, two of one name, or parents in a circle.
    """
    named = {segment.name: segment for segment in segments}
    if not named or len(named) != len(segments):
        raise InputError(
            f"segments must have different names, and there must be one at least; they are: {list(named)}"
        )
    depth: dict[str, int] = {}
    for name in named:
        path, above = [name], named[name].parent
        while above in named and above is not None:
            if above in path:
                raise InputError(f"segments hang on each other in a circle: {' - '.join([*path, above])}")
            path.append(above)
            above = named[above].parent
        depth[name] = len(path)
    return sorted(segments, key=lambda segment: -depth[segment.name])


def _own(
    method: Method, segment: BodySegment, prepared: Prepared, gravity: Array, lam: Array | None
) -> tuple[Array, Array]:
    if lam is None:
        return own_wrench(method, segment, prepared, gravity)
    force, moment, found = solve_with_multipliers(segment, prepared, gravity)
    lam[...] = found
    return force, moment


def _clock(segments: Sequence[BodySegment], motion: Mapping[str, SegmentMotion]) -> Array:
    missing = [segment.name for segment in segments if segment.name not in motion]
    if missing:
        raise InputError(
            f"no motion for segment {missing[0]!r}; there is one for: {', '.join(motion) or 'none'}"
        )
    first = motion[segments[0].name].time
    for segment in segments:
        if not np.array_equal(motion[segment.name].time, first):
            raise InputError(
                f"segments {segments[0].name!r} and {segment.name!r} must have the same instants"
            )
    return first


def _by_segment(
    segments: Sequence[BodySegment], external: Iterable[AppliedWrench], n: int
) -> dict[str, list[AppliedWrench]]:
    names = [segment.name for segment in segments]
    found: dict[str, list[AppliedWrench]] = {}
    for wrench in external:
        if wrench.link not in names:
            raise InputError(f"a load acts on {wrench.link!r}, which is none of: {', '.join(names)}")
        if len(wrench.force) != n:
            raise InputError(
                f"the load on {wrench.link!r} must have {n} frames as the motion, not {len(wrench.force)}"
            )
        found.setdefault(wrench.link, []).append(wrench)
    return found


def _blocks(n: int) -> list[slice]:
    return [slice(start, min(start + BLOCK, n)) for start in range(0, n, BLOCK)]
