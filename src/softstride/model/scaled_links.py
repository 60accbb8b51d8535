"""Links that do not grow by themselves: massless ones inside a joint, and the parts of a prosthesis."""

from __future__ import annotations

import re
from collections.abc import Mapping

import numpy as np

from softstride.model.checks import FloatArray
from softstride.model.joints import Custom
from softstride.model.link import WORLD, Link
from softstride.model.model import Model

_NUMBERED = re.compile(r".+\.\d+")
_PROSTHETIC = ("socket_", "clamp_")


def carriers(model: Model) -> dict[str, str]:
    """Return the massless links inside joints, each with the link (or the world) whose size it takes.

    A joint that one link cannot express (an ellipsoid joint, one that leads from child to parent) is a chain of
    links "<joint>.1", "<joint>.2", ... without mass, markers or frames. Their arms are sizes of the link that the
    chain hangs on. If the chain ends in a translation the joint was turned round, and they are sizes of the link at
    its end.
    """
    used = {place.link for group in (model.markers, model.frames) for place in group.values()}
    inside = [link.name for link in model.links if _inside(link) and link.name not in used]
    found: dict[str, str] = {}
    for name in inside:  # parents come first
        parent = model.link(name).parent
        found[name] = found.get(parent, parent)
    for name in inside:
        end = _end(model, name, set(inside))
        if end is not None and isinstance(end.joint, Custom) and any(a.terms for a in end.joint.translations):
            found[name] = end.name
    return found


def _inside(link: Link) -> bool:
    return (
        not link.soft
        and link.mass == 0.0
        and not link.inertia.matrix.any()
        and _NUMBERED.fullmatch(link.name) is not None
    )


def _end(model: Model, name: str, inside: set[str]) -> Link | None:
    """Return the link at the end of a chain; None if the chain branches or ends in nothing."""
    while name in inside:
        children = model.children(name)
        if len(children) != 1:
            return None
        name = children[0].name
    return model.link(name)


def inherited(model: Model, factors: Mapping[str, FloatArray]) -> dict[str, FloatArray]:
    """Return factors with those of the links inside joints added, where none are given: the mean of their carrier's.

    The arms of an ellipsoid joint mix its half axes, so unequal factors can only be followed by their mean.
    """
    full = dict(factors)
    for name, carrier in carriers(model).items():
        if name not in full:
            mean = 1.0 if carrier == WORLD or carrier not in factors else float(np.mean(factors[carrier]))
            full[name] = np.full(3, mean)
    return full


def unequal_joints(model: Model, factors: Mapping[str, FloatArray]) -> list[str]:
    """Return the joints inside which unequal factors were followed by their mean."""
    found = carriers(model)
    bent = (name for name, link in found.items() if link in factors and np.ptp(factors[link]) > 1e-9)
    arms = (name.rsplit(".", 1)[0] for name in bent if model.link(name).offset[:3, 3].any())
    return list(dict.fromkeys(arms))


def prosthesis(model: Model) -> tuple[str, ...]:
    """Return the links of prostheses: rods, "socket_*" and "clamp_*" with all that hangs on these two."""
    found: list[str] = []
    mounts: set[str] = set()
    for link in model.links:  # parents come first
        below = link.parent in mounts
        if below or link.name.startswith(_PROSTHETIC):
            mounts.add(link.name)
        if below or link.soft or link.name in mounts:
            found.append(link.name)
    return tuple(found)
