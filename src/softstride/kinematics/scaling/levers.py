"""How marker positions depend on the sizes of links."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from softstride.kinematics.coordinates import plain_coordinates
from softstride.model import Axis, Custom, Link, Model
from softstride.model.scaled_links import carriers
from softstride.model.scaling import is_free_translation, translation_weights

Array = NDArray[np.float64]


def levers(model: Model, q: Array, rotations: Array, names: Sequence[str]) -> Array:
    """Return dp/ds of markers with respect to the scale factors of links, exact and independent of the factors.

    Scaling turns nothing, so a marker is where the sum over the links l on its way from the root puts it,

        p = Σ_l R_l S_l (exit_l - entry_l) + Σ_j R_j t_j (w_j · s_parent) f_j(q),

    entry_l the joint of link l and exit_l the joint of the next link or the marker, both in unscaled link axes; the
    second sum is over the translations of custom joints that grow (see `scaled`). It is linear in s.

    Args:
        model: The unscaled model.
        q: Configurations, shape (n, nq).
        rotations: World axes of all links, shape (n, n_links, 3, 3).
        names: Markers, m of them.

    Returns:
        Shape (n, m, 3, n_links, 3). Rods, which the fit does not stretch, have zeros, and so have massless links
        inside a joint: what they add stands with the link whose mean factor they take.
    """
    out = np.zeros((len(q), len(names), 3, len(model.links), 3))
    steps = {link.name: _joint_steps(model, link, q, rotations) for link in model.links}
    for m, name in enumerate(names):
        marker = model.markers[name]
        exit_: Array = np.asarray(marker.position)
        here = None if marker.link == "world" else model.link(marker.link)
        while here is not None:
            i = model.index(here.name)
            if not here.soft:
                entry = -here.offset[:3, :3].T @ here.offset[:3, 3]
                out[:, m, :, i, :] += rotations[:, i] * (exit_ - entry)
            parent = model.parent(here.name)
            if parent is not None and not parent.soft:
                out[:, m, :, model.index(parent.name), :] += steps[here.name]
            exit_ = here.placement[:3, 3]
            here = parent
    for name, carrier in carriers(model).items():
        i = model.index(name)
        if carrier != "world":
            out[:, :, :, model.index(carrier), :] += out[:, :, :, i, :].sum(axis=-1, keepdims=True) / 3.0
        out[:, :, :, i, :] = 0.0
    return out


def _joint_steps(model: Model, link: Link, q: Array, rotations: Array) -> Array:
    """Return what the translations of a joint add to dp/ds of its parent, shape (n, 3, 3)."""
    total = np.zeros((len(q), 3, 3))
    parent = model.parent(link.name)
    if parent is None or not isinstance(link.joint, Custom):
        return total
    place = plain_coordinates(model).q
    R = link.placement[:3, :3]
    for axis in link.joint.translations:
        value = _length(axis, q, place)
        direction = rotations[:, model.index(parent.name)] @ (R @ axis.direction)  # (n, 3)
        total += (value[:, None] * direction)[:, :, None] * translation_weights(axis, R)
    return total


def _length(axis: Axis, q: Array, place: Mapping[str, int]) -> Array:
    """Return the part of a translation that grows with the parent, shape (n,), [m]."""
    total = np.zeros(len(q))
    for name, function in axis.terms:
        if not is_free_translation(function):
            total += function(q[:, place[name]] if name else np.zeros(len(q)))
    return total
