"""The closed form, column by column: which muscle, weight, contact or motion loads which joint.

Each entry (joint, source) costs O(1), so a frame costs O(n² + n sources).
"""

from __future__ import annotations

import numpy as np

from softstride.notes import Note
from softstride.planar import matrices
from softstride.planar.chain import Chain
from softstride.planar.frames import Frames
from softstride.planar.geometry import Geometry
from softstride.planar.results import Form
from softstride.planar.sources import (
    Source,
    link_sources,
    load_sources,
    muscle_sources,
    torque_sources,
)
from softstride.planar.state import State
from softstride.planar.table import Contributions
from softstride.planar.totals import checked, squeezed
from softstride.planar.vectors import Complex, Floats, cross, empty_vectors, to_complex


def contributions(chain: Chain, state: State, *, form: Form = "distal") -> Contributions:
    """Return what each source adds to every joint reaction and torque.

    Distal: with e_ji and K_ji of `matrices`,

        force   muscle F if it spans j;  weight m_i g and contact R_i for i >= j;  omega2 thd_i^2 e_ji;
                alpha -thdd_i perp(e_ji);  base_acceleration -mu_(j-1) a
        torque  muscle (b - J_j) x F if it spans j;  weight -(C_i - J_j) x m_i g;  contact -(P_i - J_j) x R_i - couple;
                omega2 thd_i^2 Im K_ji;  alpha thdd_i Re K_ji;  base_acceleration P_j x a

    Proximal: the same sums over links before the joint, with the opposite sign.

    Args:
        chain: The chain.
        state: Motion and forces.
        form: "distal" or "proximal".

    Returns:
        Columns by source.

    Raises:
        InputError: The state does not fit the chain, or a contact that the form needs is unknown.

    References:
        [PlanarChain], eqs. 8 to 13, 22 and 23; the proximal torque and the columns of base and stretch are our own.
    """
    frames = checked(chain, state, form)
    sources = named_sources(frames)
    n, count = chain.n, len(sources)
    force, plane_force = empty_vectors(len(frames), n, count)
    direction, plane_direction = empty_vectors(len(frames), n)
    torque = np.empty((len(frames), n, count))
    for rows, part in frames.blocks(n * (n + count)):
        place = Geometry.of(part)
        fill(place, form, plane_force[rows], torque[rows])
        plane_direction[rows] = place.turn[:, 1:]
    words = f"Columns are those of the {form} form; another form has the same sums."
    return Contributions(
        chain=chain,
        time=state.time,
        form=form,
        sources=tuple(sources),
        force=squeezed(force, state),
        torque=squeezed(torque, state),
        direction=squeezed(direction, state),
        notes=(Note("sources.of-a-form", words, topic="sources"),),
    )


def named_sources(frames: Frames) -> list[Source]:
    """Return the sources in the order of the columns."""
    chain = frames.chain
    return [
        *muscle_sources(chain),
        *(torque_sources(chain) if frames.torque is not None else ()),
        *load_sources(chain),
        *link_sources(chain, "omega2"),
        *link_sources(chain, "alpha"),
        *([Source("base_acceleration", "base_acceleration")] if frames.base is not None else ()),
        *(link_sources(chain, "stretch") if frames.stretch is not None else ()),
    ]


def fill(place: Geometry, form: Form, force: Complex, torque: Floats) -> None:
    """Write all columns of a block, in the order of `named_sources`."""
    frames, n = place.frames, place.n
    first = 0

    def columns(count: int) -> slice:
        nonlocal first
        first += count
        return slice(first - count, first)

    at = columns(len(frames.chain.muscles))
    _muscles(place, force[:, :, at], torque[:, :, at])
    if frames.torque is not None:
        at = columns(n)
        force[:, :, at] = 0.0
        torque[:, :, at] = frames.torque[:, :, None] * np.eye(n)
    at = columns(n + 1 + len(frames.chain.contacts))
    _loads(place, form, force[:, :, at], torque[:, :, at])
    distal = form == "distal"
    e = matrices.distal_force(place) if distal else matrices.proximal_force(place)
    K = matrices.distal_torque(place) if distal else matrices.proximal_torque(place)
    square, alpha = (frames.omega**2)[:, None, 1:], frames.alpha[:, None, 1:]
    at = columns(n)
    np.multiply(e, square, out=force[:, :, at])
    np.multiply(K.imag, square, out=torque[:, :, at])
    at = columns(n)
    np.multiply(e, -1j * alpha, out=force[:, :, at])
    np.multiply(K.real, alpha, out=torque[:, :, at])
    if frames.base is not None:
        at = columns(1)
        _base(place, frames.base, form, force[:, :, at.start], torque[:, :, at.start])
    if place.stretch is not None:
        at = columns(n)
        _stretch(place, *place.stretch, form, force[:, :, at], torque[:, :, at])


def _muscles(place: Geometry, force: Complex, torque: Floats) -> None:
    lines = place.frames.chain.lines
    spans = lines.spans(place.n)
    ends = place.line_ends[1][:, None, :] - place.joint[:, 1:-1, None]
    pull = place.line_force[:, None, :] * spans
    turn = cross(ends, pull)
    force[...] = 0.0
    torque[...] = 0.0
    order = np.arange(len(lines)) - np.searchsorted(
        lines.muscle, lines.muscle
    )  # 0 for the first line of a muscle
    for k in range(int(order.max(initial=-1)) + 1):
        chosen = np.flatnonzero(order == k)
        muscles = lines.muscle[chosen]
        force[:, :, muscles] += pull[:, :, chosen]
        torque[:, :, muscles] += turn[:, :, chosen]


def _loads(place: Geometry, form: Form, force: Complex, torque: Floats) -> None:
    """Fill the columns of weights and contacts."""
    chain, frames, n = place.frames.chain, place.frames, place.n
    gravity = complex(to_complex(chain.gravity))
    links = np.array([*range(n + 1), *chain.contact_links])
    where = np.concatenate([place.centre, place.contact_place], axis=1)
    acts = np.concatenate([np.broadcast_to(chain.mass * gravity, (len(frames), n + 1)), frames.force], axis=1)
    joints = np.arange(1, n + 1)[:, None]
    side = np.where(links >= joints, 1.0, 0.0) if form == "distal" else np.where(links < joints, -1.0, 0.0)
    np.multiply(acts[:, None, :], side, out=force)
    np.multiply(-cross(where[:, None, :] - place.joint[:, 1:-1, None], acts[:, None, :]), side, out=torque)
    if frames.couple.shape[1]:
        torque[:, :, n + 1 :] -= frames.couple[:, None, :] * side[:, n + 1 :]


def _base(place: Geometry, base: Complex, form: Form, force: Complex, torque: Floats) -> None:
    """Fill the column of the base's acceleration."""
    if form == "distal":
        force[...] = -place.distal_mass[:-1] * base[:, None]
        torque[...] = cross(place.distal_moment[:, 1:-1], base[:, None])
        return
    mass = place.proximal_mass[:-1]
    moment = np.cumsum(place.frames.chain.mass * place.centre, axis=1)[:, :-1] - mass * place.joint[:, 1:-1]
    force[...] = mass * base[:, None]
    torque[...] = -cross(moment, base[:, None])


def _stretch(
    place: Geometry, along: Complex, own: Complex, form: Form, force: Complex, torque: Floats
) -> None:
    """Fill the columns of links that change their shape: masses times accelerations of J_(i+1) and C_i, and turning."""
    n = place.n
    turning = 0.0 if place.frames.turning is None else place.frames.turning[:, None, 1:]
    inner = np.tri(n, k=-1, dtype=bool)  # i < j
    mass, joint = place.frames.chain.mass[1:], place.joint[:, 1:-1]
    offset = place.centre[:, None, 1:] - joint[:, :, None]
    push = (mass * own[:, 1:])[:, None, :]
    carry = along[:, None, 1:]
    if form == "distal":
        carried = np.where(inner, place.distal_mass[:-1, None], place.distal_mass[None, 1:])
        beyond = place.distal_mass[1:] * (place.joint[:, None, 2:] - joint[:, :, None])
        moment = np.where(
            inner, place.distal_moment[:, 1:-1, None], place.distal_moment[:, None, 2:] + beyond
        )
        force[...] = -carried * carry - np.where(inner, 0.0, push)
        torque[...] = cross(moment, carry) + np.where(inner, 0.0, cross(offset, push) + turning)
        return
    between = place.proximal_mass[:-1, None] - place.proximal_mass[None, 1:]
    force[...] = np.where(inner, push + between * carry, 0.0)
    moment = matrices.between_moment(place)
    torque[...] = np.where(inner, -cross(offset, push) - cross(moment, carry) - turning, 0.0)
