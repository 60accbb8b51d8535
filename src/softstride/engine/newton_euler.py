"""Newton and Euler for each link alone: what moves it as it moves, but for its weight.

A body of mass m, with its centre of mass at c and the inertia I about it, turns by w while its origin moves by u, all
in the axes of its frame. Its centre accelerates by

    a_c = du/dt + w x u + dw/dt x c + w x (w x c),

so that all that acts on it but gravity g must come to

    f = m (a_c - g),    n = I dw/dt + w x I w    about the centre.

This asks where bodies are and how they move, and shares nothing with the recursions that carry forces along the tree.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import ArrayLike, NDArray

from softstride.engine import inputs
from softstride.engine.kinematics import accelerations, poses, velocities
from softstride.engine.places import PlaceLike
from softstride.model import Frame, Link, Model, Rod
from softstride.model.inertia import Inertia
from softstride.spatial.small import Mat, Vec
from softstride.spatial.vectors import from_vec

Array = NDArray[np.float64]

_PIECE = 256
"""Frames at once, so that what is computed on the way stays small."""


class _Body(NamedTuple):
    """Something rigid: a link, or a point of a rod's quadrature."""

    place: PlaceLike
    inertia: Inertia
    share: float  # of the inertia: 1, or the length that a point of a rod stands for [m]


_bodies: WeakKeyDictionary[Model, dict[str, tuple[_Body, ...]]] = WeakKeyDictionary()


def needed_by_links(
    model: Model,
    q: ArrayLike,
    v: ArrayLike,
    a: ArrayLike,
    links: Sequence[str] | None = None,
    *,
    threads: int | None = None,
) -> Array:
    """Return what each link needs from all that acts on it, its weight aside: dh/dt - w_gravity of the link alone.

    Args:
        model: The model.
        q: Configurations, shape (n_frames, nq).
        v: Velocities, shape (n_frames, nv).
        a: Accelerations, shape (n_frames, nv).
        links: Names of links, one at least; None: all in order.
        threads: How many threads may be used.

    Returns:
        [moment; force] about the world's origin in world axes, shape (n_frames, n_links, 6), [N·m] and [N].
    """
    array, single = inputs.configuration(model, q)
    v, a = inputs.tangent(model, v, "v", len(array)), inputs.tangent(model, a, "a", len(array))
    kept = _bodies.get(model)
    if kept is None:
        kept = _bodies[model] = {link.name: _bodies_of(link) for link in model.links}
    chosen = [kept[name] for name in (model.link_names if links is None else links)]
    bodies = [body for own in chosen for body in own]
    first = np.cumsum([0, *(len(own) for own in chosen[:-1])])
    out = np.empty((len(array), len(chosen), 6))
    for start in range(0, len(array), _PIECE):
        frames = slice(start, start + _PIECE)
        needed = _needed(model, array[frames], v[frames], a[frames], bodies, threads)
        out[frames] = needed if len(bodies) == len(chosen) else np.add.reduceat(needed, first, axis=1)
    return out[0] if single else out


def _bodies_of(link: Link) -> tuple[_Body, ...]:
    """Return the link itself, and behind it the points of a rod's quadrature."""
    bodies = [_Body(link.name, link.inertia, 1.0)]
    if isinstance(link.joint, Rod):
        points, weights = np.polynomial.legendre.leggauss(link.joint.quadrature)
        base = 0.0
        for segment in link.joint.segments:
            half = 0.5 * segment.length
            bodies += [
                _Body(Frame(link.name, at=base + half * (1.0 + x)), segment.density, half * w)
                for x, w in zip(points.tolist(), weights.tolist(), strict=True)
            ]
            base += segment.length
    return tuple(bodies)


def _needed(model: Model, q: Array, v: Array, a: Array, bodies: list[_Body], threads: int | None) -> Array:
    """Return what each body needs, shape (n_frames, n_bodies, 6)."""
    places = [body.place for body in bodies]
    T = np.ascontiguousarray(np.moveaxis(poses(model, q, places, threads=threads), (2, 3), (0, 1)))
    R, origin = Mat(*(Vec(*row[:3]) for row in T[:3])), Vec(*T[:3, 3])
    w, u = _halves(velocities(model, q, v, places, threads=threads))
    w_rate, u_rate = _halves(accelerations(model, q, v, a, places, threads=threads))
    share = np.array([body.share for body in bodies])
    mass = share * [body.inertia.mass for body in bodies]
    c = Vec(*np.array([body.inertia.com for body in bodies]).T)
    about_c = np.moveaxis(share[:, None, None] * [body.inertia.matrix for body in bodies], 0, 2)
    inertia = Mat(*(Vec(*row) for row in about_c))

    at_centre = u_rate + w.cross(u) + w_rate.cross(c) + w.cross(w.cross(c))
    force = (R @ at_centre - Vec(*model.gravity)) * mass
    turning = inertia @ w_rate + w.cross(inertia @ w)
    moment = R @ turning + (origin + R @ c).cross(force)
    out = np.empty((len(q), len(bodies), 6))
    from_vec(moment, out.shape[:2], out[..., :3])
    from_vec(force, out.shape[:2], out[..., 3:])
    return out


def _halves(twists: Array) -> tuple[Vec, Vec]:
    """Return the angular and the linear parts of twists, one array a component."""
    parts = np.ascontiguousarray(np.moveaxis(twists, 2, 0))
    return Vec(*parts[:3]), Vec(*parts[3:])
