"""Joint reaction forces and torques of a chain, from what is beyond a joint or from what is before it.

Both are sums over links that run once along the chain, so a frame costs O(n). They do not use the closed form of
`contributions`, which must add up to them.
"""

from __future__ import annotations

import numpy as np

from softstride.errors import InputError
from softstride.notes import Note
from softstride.planar.chain import Chain
from softstride.planar.frames import Frames, resolve
from softstride.planar.geometry import Geometry
from softstride.planar.parts import Contact
from softstride.planar.results import Form, Reactions, Torques
from softstride.planar.state import State
from softstride.planar.vectors import Complex, Floats, cross, empty_vectors, suffix_sums, to_complex
from softstride.results import owned

FORMS = ("distal", "proximal")


def reactions(chain: Chain, state: State, *, form: Form = "distal") -> Reactions:
    """Return the joint reaction forces of all frames.

        distal    phi_j = sum_span F + sum_(i>=j) (m_i g + R_i - m_i a_Ci)             (eqs. 2, 9)
        proximal  phi_j = sum_span F - sum_(i<j)  (m_i g + R_i - m_i a_Ci)             (eqs. 3, 10)

    F is the force of a muscle that spans the joint on its distal link. The distal form needs contacts beyond the joint;
    the proximal one those before it and the force on the base, and the motion of links before it only.

    Args:
        chain: The chain.
        state: Motion and forces.
        form: "distal" or "proximal".

    Returns:
        Forces on link j-1 by link j, world axes, with the residual of eq. 4.

    Raises:
        InputError: The state does not fit the chain, or a contact that the form needs is unknown.

    References:
        [PlanarChain], eqs. 2 to 4 and 8 to 12.
    """
    frames = checked(chain, state, form)
    force, plane_force = empty_vectors(len(frames), chain.n)
    direction, plane_direction = empty_vectors(len(frames), chain.n)
    residual, plane_residual = empty_vectors(len(frames))
    for rows, part in frames.blocks(4 * (chain.n + len(chain.lines))):
        place = Geometry.of(part)
        needed = link_forces(place)
        total = needed.sum(axis=1)
        beyond = suffix_sums(needed)[:, 1:] if form == "distal" else -np.cumsum(needed, axis=1)[:, :-1]
        plane_force[rows] = beyond + place.line_force @ chain.lines.spans(chain.n).T
        plane_direction[rows] = place.turn[:, 1:]
        plane_residual[rows] = total
    return Reactions(
        chain=chain,
        time=state.time,
        form=form,
        force=squeezed(force, state),
        direction=squeezed(direction, state),
        residual=squeezed(residual, state) if closed(frames) else None,
        notes=_notes(frames),
    )


def torques(chain: Chain, state: State, *, form: Form = "distal") -> Torques:
    """Return the torques of all frames: of actuators (eq. 22) and required.

        distal    tau_j = sum_(i>=j) [ (C_i - J_j) x m_i (a_Ci - g) + I_Ci thdd_i - (P_i - J_j) x R_i - couple_i ]
        proximal  tau_j = sum_(i<j)  [ (C_i - J_j) x m_i (g - a_Ci) - I_Ci thdd_i + (P_i - J_j) x R_i + couple_i ]

    The proximal form needs the force on the base with its line of action. (Eq. 24 of the paper, called proximal there,
    needs distal loads all the same; it is not offered.)

    Args:
        chain: The chain.
        state: Motion and forces.
        form: "distal" or "proximal".

    Returns:
        Torques on the links beyond each joint, with the balance of moments of the whole.

    Raises:
        InputError: The state does not fit the chain, or a contact that the form needs is unknown.

    References:
        [PlanarChain], eqs. 13, 22 and 23.
    """
    frames = checked(chain, state, form)
    given = np.empty((len(frames), chain.n))
    required = np.empty_like(given)
    residual = np.empty(len(frames)) if closed(frames) else None
    for rows, part in frames.blocks(4 * (chain.n + len(chain.lines))):
        place = Geometry.of(part)
        given[rows] = muscle_torques(place)
        if part.torque is not None:
            given[rows] += part.torque
        moment, force = link_moments(place), link_forces(place)
        required[rows] = -beyond(place, moment, force) if form == "distal" else before(place, moment, force)
        if residual is not None:
            about = cross(place.joint[:, :-1], force)  # moments about J_i become moments about J_1
            residual[rows] = (moment + about).sum(axis=1)
    return Torques(
        chain=chain,
        time=state.time,
        form=form,
        given=squeezed(given, state),
        required=squeezed(required, state),
        residual=None if residual is None else squeezed(residual, state),
        notes=_notes(frames),
    )


def muscle_torques(place: Geometry) -> Floats:
    """Return tau_j of the muscles, sum_span (b - J_j) x F, shape (f, n), [N·m]."""
    spans = place.frames.chain.lines.spans(place.n).T.astype(np.float64)
    force, end = place.line_force, place.line_ends[1]
    return np.asarray(cross(end, force) @ spans - cross(place.joint[:, 1:-1], force @ spans))


def beyond(place: Geometry, moment: Floats, force: Complex) -> Floats:
    """Return moments about J_j of what acts on links j to n, from moments about J_i and forces of each link."""
    onward = suffix_sums(force)[:, 1:]  # on links j+1 to n, through the lever of link j
    own = moment[:, 1:].copy()
    own[:, :-1] += cross(place.link[:, 1:-1], onward[:, 1:])
    return np.asarray(np.cumsum(own[:, ::-1], axis=1)[:, ::-1])


def before(place: Geometry, moment: Floats, force: Complex) -> Floats:
    """Return moments about J_j of what acts on links 0 to j-1, from moments about J_i and forces of each link."""
    upto = np.cumsum(force, axis=1)  # on links 0 to i
    own = moment - cross(place.link, upto)  # the way from J_i to J_(i+1)
    return np.asarray(np.cumsum(own, axis=1)[:, :-1])


def checked(chain: Chain, state: State, form: Form) -> Frames:
    """Return the frames after checking that the form has what it needs."""
    frames = resolve(chain, state)
    if form not in FORMS:
        raise InputError(f"form must be one of {', '.join(FORMS)}, however it is {form!r}.")
    open_contact = lacking(frames, form)
    if open_contact is not None:
        contact, link = open_contact
        other = "proximal" if form == "distal" else "distal"
        raise InputError(
            f"contact {contact.name!r} on link {chain.links[link]!r} has neither force nor couple, however the {form} "
            f"form needs it: give it, or take form={other!r}, or find it with chain.balanced(state, {contact.name!r})."
        )
    if form == "proximal" and 0 not in chain.contact_links:
        raise InputError(
            f"the proximal form needs the force on the base {chain.links[0]!r}, however no contact is on it: add a "
            "Contact on link 0, for instance of a force plate, or take form='distal'."
        )
    return frames


def lacking(frames: Frames, form: Form) -> tuple[Contact, int] | None:
    """Return the first contact that a form needs and that is not known, with the number of its link; None: none."""
    chain = frames.chain
    for contact, link, known in zip(chain.contacts, chain.contact_links, frames.known, strict=True):
        if not known and (link >= 1 if form == "distal" else link < chain.n):
            return contact, link
    return None


def closed(frames: Frames) -> bool:
    """Return whether everything that acts from outside is known, the base's support included."""
    return all(frames.known) and 0 in frames.chain.contact_links


def squeezed(values: Floats, state: State) -> Floats:
    """Return values without the frame axis if the state has none."""
    return values[0] if state.single else owned(values)


def link_forces(place: Geometry) -> Complex:
    """Return m_i g + R_i - m_i a_Ci of each link, shape (f, n+1), [N]."""
    chain = place.frames.chain
    net = chain.mass * (complex(to_complex(chain.gravity)) - place.acceleration)
    for k, link in enumerate(chain.contact_links):
        net[:, link] += place.frames.force[:, k]
    return np.asarray(net)


def link_moments(place: Geometry) -> Floats:
    """Return the moments about J_i of weight, contacts and inertia of each link, shape (f, n+1), [N·m]."""
    chain = place.frames.chain
    fall = complex(to_complex(chain.gravity)) - place.acceleration
    own = cross(place.arm, chain.mass * fall) - chain.inertia * place.frames.alpha
    if place.frames.turning is not None:
        own = own - place.frames.turning
    for k, link in enumerate(chain.contact_links):
        arm = place.frames.point[:, k] * place.turn[:, link]
        own[:, link] += cross(arm, place.frames.force[:, k]) + place.frames.couple[:, k]
    return np.asarray(own)


def _notes(frames: Frames) -> tuple[Note, ...]:
    chain = frames.chain
    unknown = [c.name for c, known in zip(chain.contacts, frames.known, strict=True) if not known]
    notes = [
        Note(
            "contacts.not-known",
            f"Contact {name!r} is not known; what is given here does not need it.",
            topic="contacts",
            names=(name,),
        )
        for name in unknown
    ]
    if frames.stretch is not None:
        words = "Links are not quite rigid: what their change of shape adds is called stretch."
        notes.append(Note("links.not-rigid", words, topic="links"))
    return tuple(notes)
