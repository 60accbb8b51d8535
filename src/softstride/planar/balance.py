"""One unknown contact from the balance of the whole chain."""

from __future__ import annotations

import numpy as np

from softstride.errors import InputError
from softstride.planar.chain import Chain
from softstride.planar.frames import resolve
from softstride.planar.geometry import Geometry
from softstride.planar.state import State
from softstride.planar.totals import link_forces, link_moments, squeezed
from softstride.planar.vectors import Floats, cross, to_xy


def balanced(chain: Chain, state: State, contact: str) -> State:
    """Return the state with the force and couple of one contact that balance the whole chain.

    Force by eq. 4, sum (m_i g + R_i) = sum m_i a_Ci; couple by the moments about J_1. Forces inside the chain do not
    matter. The couple about the contact's point says how far the line of action passes from it.

    Args:
        chain: The chain.
        state: Motion and forces; what it says of this contact is not used.
        contact: The contact to find, on the base (a seat, the ground) or on any link (a wall).

    Returns:
        The state with `force` and `couple` of the contact.

    Raises:
        InputError: No such contact, another one is unknown too, or none of them is on the base.

    References:
        [PlanarChain], eq. 4.
    """
    names = [each.name for each in chain.contacts]
    if contact not in names:
        raise InputError(f"{contact!r} is no contact of the chain; there are: {', '.join(names)}.")
    if 0 not in chain.contact_links:
        raise InputError(
            f"the balance of the whole needs the force on the base {chain.links[0]!r}, however no contact is on it: "
            "add a Contact on link 0."
        )
    others = {
        field: {name: value for name, value in getattr(state, field).items() if name != contact}
        for field in ("force", "couple")
    }
    bare = state.changed(**others)
    frames = resolve(chain, bare)
    k = names.index(contact)
    unknown = [name for name, known in zip(names, frames.known, strict=True) if not known and name != contact]
    if unknown:
        raise InputError(
            f"only one contact follows from the balance, however {unknown[0]!r} is unknown beside {contact!r}."
        )
    force = np.empty(len(frames), dtype=np.complex128)
    couple = np.empty(len(frames))
    for rows, part in frames.blocks(8 * chain.n):
        place = Geometry.of(part)
        needed = link_forces(place)
        moment = (link_moments(place) + cross(place.joint[:, :-1], needed)).sum(axis=1)
        force[rows] = -needed.sum(axis=1)
        couple[rows] = -moment - cross(place.contact_place[:, k], force[rows])
    found_force: Floats = squeezed(to_xy(force), state)
    found_couple: Floats = squeezed(couple, state)
    return state.changed(
        force={**others["force"], contact: found_force}, couple={**others["couple"], contact: found_couple}
    )
