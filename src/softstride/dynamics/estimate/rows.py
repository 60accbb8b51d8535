r"""The quadratic program of the contact forces, torques eliminated.

Joint rows hold exactly, tau = tau_id - J^T f, so that torques are no unknowns but costs (spec of the hybrid link,
section 6). With f_i the forces at the places of contact, in body weights, the sum of

    |n - A f|^2                        balance of the base; A f: wrench about it, moments divided by `reach`
    torque |tau_id - J^T f|^2          joint torques: legs share a double support as cheaply as they can
    |(tau_id - J^T f - tau_el)/s|^2    rows of a blade: what its deformation says, within its error s
    spread sum_i |f_i - a_i F/A|^2/a_i distribution over the sole other than that of the activations a_i, A = sum a_i
    load |F|^2 / a                     load F of a foot of activation a

is halved and minimised, f_i in friction cones. Loads of one foot act through few places of the model, so that the
torques they cause need a wrench Jacobian G (6, k) of these alone: J^T f = G^T P f, with P f the wrench of the foot.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from softstride.dynamics.branch import Branch, branch_of
from softstride.dynamics.estimate.observe import Contacts, FootContact
from softstride.dynamics.estimate.options import EstimateOptions
from softstride.dynamics.prepare import State
from softstride.engine.kinematics import jacobian, poses
from softstride.model.model import Model
from softstride.model.rod import Rod

Array = NDArray[np.float64]

BALANCE_ERROR = 0.03
"""Standard deviation of the balance of the base [body weights]: what one unit of cost stands for where other rows come
with errors of their own."""

RIDGE = 1e-9
"""Least curvature, against that of the balance."""


@dataclass(frozen=True, eq=False)
class Demand:
    """What the motion asks for in the frames of a trial.

    Attributes:
        weight: Of the body [N].
        base: Origin of the base link, shape (n, 3), [m].
        needed: Wrench about it that the ground has to give, [moment; force], world axes, shape (n, 6).
        transmits: Which of its components the joint of the base lets through, shape (6,).
        tau: Generalized forces without any ground, shape (n, nv).
        elastic: Generalized forces of springs and rods, shape (n, nv).
        axes: Rows: up, forward, right, shape (3, 3).
        strain: Standard deviation of each coordinate, used for the strains of blades, shape (nv,), [1/m].
    """

    weight: float
    base: Array
    needed: Array
    transmits: NDArray[np.bool_]
    tau: Array
    elastic: Array
    axes: Array
    strain: Array


def assemble(
    model: Model, state: State, contacts: Contacts, demand: Demand, options: EstimateOptions, frames: slice
) -> tuple[Array, Array]:
    """Return H (n, 3c, 3c) and g (n, 3c) of the forces [body weights], each as (up, forward, right).

    The cost is 1/2 f^T H f + g^T f for each frame.
    """
    place = contacts.place[frames]
    c = place.shape[1]
    scale = np.where(demand.transmits, 1.0, 0.0)
    scale[:3] /= options.reach
    A = wrench_of(place - demand.base[frames, None], demand.axes) * scale[:, None]
    across = np.swapaxes(A, 1, 2)
    H = across @ A
    g = -(across @ (demand.needed[frames] * scale / demand.weight)[..., None])[..., 0]
    act = contacts.activation[frames]
    start = 0
    through: list[Through] = []
    for number, foot in enumerate(contacts.feet):
        stop = start + len(foot.names)
        block = slice(3 * start, 3 * stop)
        reference = place[:, start:stop].mean(axis=1)
        P = wrench_of(place[:, start:stop] - reference[:, None], demand.axes)
        joints = through_joints(model, state, foot, reference, demand, options, frames)
        turned = np.swapaxes(P, 1, 2)
        weighted = joints.G * joints.weight[:, None]
        H[:, block, block] += turned @ (weighted @ np.swapaxes(joints.G, 1, 2)) @ P
        g[:, block] -= (turned @ (weighted @ joints.tau[..., None]))[..., 0]
        for other in through:
            _add_shared(H, other, joints, turned, block)
        through.append(replace(joints, P=P, block=block))
        own = act[:, start:stop]
        taking = contacts.foot_activation[frames, number]
        both = options.load / taking - options.spread / own.sum(axis=1)
        weight = options.spread * (1.0 / own)[:, :, None] * np.eye(stop - start) + both[:, None, None]
        for k in range(3):
            H[:, 3 * start + k : 3 * stop : 3, 3 * start + k : 3 * stop : 3] += weight
        start = stop
    H[:, np.arange(3 * c), np.arange(3 * c)] += RIDGE
    return H, g


def wrench_of(arm: Array, axes: Array) -> Array:
    """Return the map of forces (3c,) in `axes` at arms (n, c, 3) to their wrench, shape (n, 6, 3c)."""
    n, c = arm.shape[:2]
    moment = np.cross(arm[:, :, None, :], axes[None, None])  # (n, c, axis, 3)
    both = np.empty((n, 6, c, 3))
    both[:, :3] = np.moveaxis(moment, 3, 1)
    both[:, 3:] = axes.T[None, :, None, :]
    return both.reshape(n, 6, 3 * c)


@dataclass(frozen=True, eq=False)
class Through:
    """The joints that carry the load of a foot.

    Attributes:
        v: Their columns in v of the whole model, shape (k,).
        G: Generalized forces of a wrench w of the foot are G^T w, shape (n, 6, k).
        weight: Of each, shape (n, k); zero for the base, whose rows are the balance.
        tau: What they have to bear without the foot, less what they should, in body weights, shape (n, k).
        P: Wrench of the forces at the places, shape (n, 6, 3c).
        block: Of these forces among all.
    """

    v: NDArray[np.intp]
    G: Array
    weight: Array
    tau: Array
    P: Array = field(default_factory=lambda: np.zeros((0, 6, 0)))
    block: slice = field(default_factory=lambda: slice(0))


def through_joints(
    model: Model,
    state: State,
    foot: FootContact,
    reference: Array,
    demand: Demand,
    options: EstimateOptions,
    frames: slice,
) -> Through:
    """Return the joints between the base and a foot, whose loads are counted about a point, shape (n, 3), [m]."""
    part = branch_of(model, {foot.foothold.link})
    G = wrench_jacobian(part, state.q[frames], foot, foot.share[frames], reference)
    tau = demand.tau[frames][:, part.v] / demand.weight
    weight = np.full(len(part.v), options.torque)
    weight[_base_columns(part)] = 0.0
    W = np.broadcast_to(weight, tau.shape).copy()
    for link in part.model.links:
        if isinstance(link.joint, Rod) and options.load_cell:
            _as_load_cell(part, link.name, link.joint, W, tau, demand, options, frames)
    return Through(part.v, G, W, tau)


def _add_shared(H: Array, one: Through, other: Through, turned: Array, block: slice) -> None:
    """Add what joints cost that carry the loads of two feet, a lumbar joint below a base that is the trunk."""
    _, mine, theirs = np.intersect1d(one.v, other.v, return_indices=True)
    loaded = one.weight[:, mine].any(axis=0)
    mine, theirs = mine[loaded], theirs[loaded]
    if not len(mine):
        return
    both = (other.G[:, :, theirs] * other.weight[:, None, theirs]) @ np.swapaxes(one.G[:, :, mine], 1, 2)
    shared = turned @ both @ one.P
    H[:, block, one.block] += shared
    H[:, one.block, block] += np.swapaxes(shared, 1, 2)


def _as_load_cell(
    part: Branch,
    name: str,
    rod: Rod,
    W: Array,
    tau: Array,
    demand: Demand,
    options: EstimateOptions,
    frames: slice,
) -> None:
    """Put the rows of a blade to what its deformation says, each with its error, in place."""
    own = np.array(part.model.v_indices(name))
    elastic = demand.elastic[frames][:, part.v[own]] / demand.weight
    stiffness = np.concatenate(
        [segment.length * np.diag(segment.stiffness)[list(segment.free_indices)] for segment in rod.segments]
    )
    if not (stiffness > 0.0).any():
        return
    error = np.hypot(options.blade_error * elastic, demand.strain[part.v[own]] * stiffness / demand.weight)
    tau[:, own] -= elastic
    W[:, own] = np.where(
        error > 0.0, (BALANCE_ERROR / np.where(error > 0.0, error, 1.0)) ** 2, options.torque
    )


def _base_columns(part: Branch) -> list[int]:
    root = part.model.children("world")[0]
    return list(part.model.v_indices(root.name))


def wrench_jacobian(part: Branch, q: Array, foot: FootContact, share: Array, reference: Array) -> Array:
    """Return G, shape (n, 6, k): generalized forces of a wrench w about a point are G^T w.

    Args:
        part: The branch that carries the foot, k velocities.
        q: Configurations of the whole model, shape (n, nq).
        foot: The foot; its sections carry a load by their shares.
        share: Shape (n, s).
        reference: The point, shape (n, 3), [m].
    """
    at = part.take(q)
    sections = list(foot.sections)
    J = jacobian(part.model, at, sections)  # (n, s, 6, k), body axes
    T = poses(part.model, at, sections)
    R, x = T[..., :3, :3], T[..., :3, 3]
    turning = R @ J[..., :3, :]
    moving = R @ J[..., 3:, :] + np.cross(turning, (reference[:, None] - x)[..., None], axis=2)
    if len(sections) == 1:
        return np.concatenate([turning[:, 0], moving[:, 0]], axis=1)
    both = np.concatenate([turning, moving], axis=2)
    return np.einsum("ns,nsik->nik", share, both)
