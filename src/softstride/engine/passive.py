r"""Passive generalized forces: springs, dampers, limits, and the elasticity and damping of rods.

    tau_passive(q, v) = - stiffness (q - rest) - damping v - limits(q, v) - L B^T (K B q + D B v),

the last term for each rod segment (docs/theory/rods.md). On a ball joint the spring acts on the
rotation vector from rest to the present rotation and is isotropic; the model refuses springs and limits where
they would be ambiguous (limits of ball joints, springs of free joints). The laws, and why the limits rise
smoothly, are in `passive_elements`. Derivatives are analytic, along q [+] d. The equation of motion is
M a + b = tau + tau_passive + sum J^T w.
"""

from __future__ import annotations

from collections.abc import Iterator
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import ArrayLike, NDArray

from softstride.engine import inputs
from softstride.engine.manifold import layout
from softstride.engine.passive_elements import (
    Dampers,
    Element,
    Law,
    PlainSprings,
    Rods,
    RotationSprings,
)
from softstride.model.model import Model
from softstride.model.rod import STRAINS, Rod
from softstride.spatial import so3

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.intp]

ONSET = 0.01
"""Width of the smooth onset of a limit: this fraction of the range, or this much where one side is open."""

_elements: WeakKeyDictionary[Model, tuple[Element, ...]] = WeakKeyDictionary()


def passive_forces(model: Model, q: ArrayLike, v: ArrayLike) -> FloatArray:
    """Return the generalized forces of springs, dampers, limits and rods.

    Args:
        model: The model.
        q: Configurations, shape (n_frames, nq) or (nq,).
        v: Velocities, shape (n_frames, nv) or (nv,).

    Returns:
        tau_passive, shape (n_frames, nv) or (nv,), in [N·m], [N], and [N·m²] or [N·m] for strains.

    Raises:
        InputError: If shapes do not fit.
    """
    q_rows, v_rows, single = _state(model, q, v)
    tau = np.zeros_like(v_rows)
    for element in elements(model):
        element.add_force(q_rows, v_rows, tau)
    return tau[0] if single else tau


def passive_derivatives(model: Model, q: ArrayLike, v: ArrayLike) -> tuple[FloatArray, FloatArray]:
    """Return the derivatives of `passive_forces` in the tangent space.

    Args:
        model: The model.
        q: Configurations, shape (n_frames, nq) or (nq,).
        v: Velocities, shape (n_frames, nv) or (nv,).

    Returns:
        d tau_passive / dq (along q [+] d) and d tau_passive / dv, each of shape (n_frames, nv, nv) or (nv,
        nv).

    Raises:
        InputError: If shapes do not fit.
    """
    q_rows, v_rows, single = _state(model, q, v)
    dq = np.zeros((len(q_rows), model.nv, model.nv))
    dv = np.zeros_like(dq)
    for element in elements(model):
        element.add_derivatives(q_rows, v_rows, dq, dv)
    return (dq[0], dv[0]) if single else (dq, dv)


def elastic_energy(model: Model, q: ArrayLike) -> FloatArray:
    """Return the energy stored in springs, limits and rods.

    Args:
        model: The model.
        q: Configurations, shape (n_frames, nq) or (nq,).

    Returns:
        Energy in [J], shape (n_frames,), or a scalar array for one configuration without a frame axis.

    Raises:
        InputError: If the shape does not fit.
    """
    rows, single = inputs.configuration(model, q)
    total = np.zeros(len(rows))
    for element in elements(model):
        total += element.energy(rows)
    return np.asarray(total[0]) if single else total


def elements(model: Model) -> tuple[Element, ...]:
    """Return the passive elements of a model, made once for a model; empty if nothing is passive."""
    found = _elements.get(model)
    if found is None:
        found = _elements[model] = (*_springs(model), *_dampers(model), *_rods(model))
    return found


def _state(model: Model, q: ArrayLike, v: ArrayLike) -> tuple[FloatArray, FloatArray, bool]:
    q_rows, single = inputs.configuration(model, q)
    return q_rows, inputs.tangent(model, v, "v", len(q_rows)), single


def _dampers(model: Model) -> Iterator[Element]:
    coefficient = np.array([coordinate.damping for coordinate in model.coordinates.values()])
    at = np.flatnonzero(coefficient)
    if at.size:
        yield Dampers(at, coefficient[at])


def _law(model: Model, at: IntArray) -> Law:
    """Collect the springs and limits of the coordinates at these places of v, any shape."""
    coordinates = list(model.coordinates.values())

    def field(name: str) -> FloatArray:
        values = [float(getattr(coordinates[i], name)) for i in at.ravel()]
        return np.array(values, dtype=np.float64).reshape(at.shape)

    lower, upper = field("lower"), field("upper")
    width = upper - lower
    usable = np.isfinite(width) & (width > 0.0)
    return Law(
        stiffness=field("stiffness"),
        rest=field("rest"),
        lower=lower,
        upper=upper,
        limit_stiffness=field("limit_stiffness"),
        limit_damping=field("limit_damping"),
        onset=ONSET * np.where(usable, width, 1.0),
    )


def _springs(model: Model) -> Iterator[Element]:
    places = layout(model)
    coordinates = list(model.coordinates.values())
    sprung = np.array([c.stiffness > 0.0 for c in coordinates], dtype=bool)
    limited = np.array([c.limit_stiffness > 0.0 or c.limit_damping > 0.0 for c in coordinates], dtype=bool)
    use = (sprung | limited)[places.plain_v]
    if use.any():
        yield PlainSprings(places.plain_q[use], places.plain_v[use], _law(model, places.plain_v[use]))
    use = sprung[places.spherical_v].any(axis=-1)
    if use.any():
        law = _law(model, places.spherical_v[use])  # the model made the three stiffnesses equal
        rest = so3.quat_exp(law.rest)
        yield RotationSprings(places.spherical_q[use], places.spherical_v[use], law.stiffness[:, 0], rest)


def _rods(model: Model) -> Iterator[Element]:
    q_at: list[int] = []
    v_at: list[int] = []
    blocks: list[tuple[FloatArray, FloatArray]] = []
    for link in model.links:
        if not isinstance(link.joint, Rod):
            continue
        q_at.extend(model.q_indices(link.name))
        v_at.extend(model.v_indices(link.name))
        for segment in link.joint.segments:
            free = [STRAINS.index(name) for name in segment.free]
            keep = np.ix_(free, free)
            blocks.append((segment.length * segment.stiffness[keep], segment.length * segment.damping[keep]))
    if not q_at:
        return
    stiffness, damping = np.zeros((len(q_at),) * 2), np.zeros((len(q_at),) * 2)
    start = 0
    for K, D in blocks:
        part = slice(start, start + len(K))
        stiffness[part, part], damping[part, part] = K, D
        start += len(K)
    yield Rods(np.array(q_at, dtype=np.intp), np.array(v_at, dtype=np.intp), stiffness, damping)
