"""The wrench that crosses a socket, or any joint: Newton and Euler for all that hangs beyond it.

With h the momentum of the links beyond the socket, and all moments about one point,

    dh/dt = w_stump + w_gravity + sum w_external,

so w_stump is what the stump gives the prosthesis, and the prosthesis gives the stump the opposite. dh/dt is the sum of
those of the links beyond.
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from softstride.dynamics.loads import AppliedWrench, Wrench
from softstride.dynamics.prepare import State
from softstride.engine.kinematics import positions
from softstride.engine.newton_euler import needed_by_links
from softstride.errors import InputError
from softstride.model.checks import names_hint
from softstride.model.link import WORLD
from softstride.model.model import Model
from softstride.spatial.vectors import cross

Array = NDArray[np.float64]

SOCKETS = ("socket_r", "socket_l")
"""Names that `attach_blade` gives."""


def socket_wrenches(
    model: Model, state: State, wrenches: Iterable[AppliedWrench], sockets: tuple[str, ...] | None = None
) -> dict[str, Wrench]:
    """Return the wrench of each prosthesis on its stump, about the origin of the socket link, in world axes.

    Args:
        model: The model.
        state: Its motion.
        wrenches: External loads; NaN where they are not known makes NaN here.
        sockets: Links whose joint is a socket; None: those of `attach_blade`, if there are any.

    Raises:
        InputError: A link that does not exist, or hangs on the world.
    """
    names = tuple(name for name in SOCKETS if name in model.link_names) if sockets is None else sockets
    applied = list(wrenches)
    return {name: _socket(model, state, applied, name) for name in names}


def _socket(model: Model, state: State, wrenches: list[AppliedWrench], name: str) -> Wrench:
    if name not in model.link_names:
        raise InputError(
            f"socket {name!r} is no link of {model.name!r}; links are {names_hint(model.link_names)}"
        )
    stump = model.link(name).parent
    if stump == WORLD:
        raise InputError(f"socket {name!r} hangs on the world, not on a stump")
    beyond = links_beyond(model, name)
    at = positions(model, state.q, name)
    given = needed_beyond(model, state, name)
    for wrench in wrenches:
        if wrench.link in beyond:
            given = given - wrench.about()
    given[:, :3] -= cross(at, given[:, 3:])
    return Wrench(stump, name, at, -given)


def needed_beyond(model: Model, state: State, name: str) -> Array:
    """Return the wrench that a link and all that hang on it need but for their weight, dh/dt - w_gravity.

    Returns:
        [moment; force] about the world's origin in world axes, shape (n, 6), [N·m] and [N].
    """
    beyond = links_beyond(model, name)
    links = [link for link in model.link_names if link in beyond]
    return np.asarray(needed_by_links(model, state.q, state.v, state.a, links).sum(axis=1))


def links_beyond(model: Model, name: str) -> set[str]:
    """Return a link and all that hang on it."""
    found = {name}
    for link in model.links:
        if link.parent in found:
            found.add(link.name)
    return found
