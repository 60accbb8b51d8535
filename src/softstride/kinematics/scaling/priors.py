"""What is believed about a person before measuring: widths of the priors of the joint fit."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, fields

import numpy as np
from numpy.typing import NDArray

from softstride.errors import InputError
from softstride.kinematics.coordinates import floats
from softstride.model import Custom, Free, Link, Model, Prismatic
from softstride.model.scaled_links import carriers, prosthesis
from softstride.naming import mirrored

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Widths:
    """Standard deviations of the priors; each says how far the truth may well be from the model.

    Attributes:
        size: Of the size of the whole person, relative.
        segment: Of the size of a link against the one it hangs on, relative.
        unmarked: The same for a link without markers, which nothing else determines.
        axis: Of each axis of a link against its mean size, relative.
        side: Between left and right, relative.
        marker: Of the place of a marker on its link along each axis [m].
        noise: Of a measured marker, soft tissue of one posture included [m].
        pose: Of angles (and strains of rods) against their default [rad], [1/m].
        slide: Of coordinates that are lengths against their default [m].
        tail: Displacements of markers beyond this many `marker` widths weigh less and less (Student's t).
    """

    size: float = 0.2
    segment: float = 0.12
    unmarked: float = 0.02
    axis: float = 0.02
    side: float = 0.02
    marker: float = 0.01
    noise: float = 0.003
    pose: float = 1.0
    slide: float = 0.05
    tail: float = 2.0

    def __post_init__(self) -> None:
        """Check that all are above zero."""
        for field in fields(self):
            value = getattr(self, field.name)
            if not value > 0.0:
                raise InputError(f"width {field.name} must be above zero, however it is {value!r}")


def pose_widths(model: Model, widths: Widths) -> Array:
    """Return the width of the prior of each velocity coordinate, shape (nv,); infinite for a floating root."""
    out = np.full(model.nv, widths.pose)
    for link in model.links:
        joint, own = link.joint, list(model.v_indices(link.name))
        if link.parent == "world" and floats(link):
            out[own] = np.inf
        elif isinstance(joint, Free):
            out[own[3:]] = widths.slide
        elif isinstance(joint, Prismatic):
            out[own] = widths.slide
        elif isinstance(joint, Custom):
            turning = {name for axis in joint.rotations for name, _ in axis.terms}
            out[[i for i, name in zip(own, joint.coordinates, strict=True) if name not in turning]] = (
                widths.slide
            )
    return out


def pairs(names: Iterable[str]) -> list[tuple[int, int]]:
    """Return the index pairs (right, left) of names that mirror each other."""
    listed = list(names)
    index = {name: i for i, name in enumerate(listed)}
    found = ((i, index.get(mirrored(name) or "")) for i, name in enumerate(listed))
    return [(i, j) for i, j in found if j is not None]


@dataclass(frozen=True, eq=False)
class SizePrior:
    """Beliefs on the mean sizes u of links, residual A (u - 1) + b, and on their deviations by axis w, residual C w.

    Attributes:
        size: A, shape (k, n_links).
        offset: b, shape (k,).
        axis: C, shape (j, 3 n_links).
    """

    size: Array
    offset: Array
    axis: Array


def size_prior(model: Model, marked: Mapping[str, int], widths: Widths) -> SizePrior:
    """Return the rows for a model whose links carry `marked` measured markers each.

    (u_root - 1) / size, (u_l - u_parent) / segment; a link without markers goes with its marked child (talus and
    heel, ulna and radius) or else with its parent: (u_l - u_kin) / unmarked; ((u r)_right - (u r)_left) / side with
    r the size of the unscaled link over the mean of both sides, so that a lopsided model becomes even (1 beside a
    prosthesis: a stump stays short); w / axis. Prostheses and massless links inside joints have no rows of their own.
    """
    n = len(model.links)
    inside, artificial = carriers(model), set(prosthesis(model))
    rows: list[Array] = []

    def compare(i: int, j: int | None, width: float, left: float = 1.0, right: float = 1.0) -> Array:
        row = np.zeros(n)
        row[i] = left / width
        if j is not None:
            row[j] = -right / width
        return row

    for i, link in enumerate(model.links):
        if link.name in inside or link.name in artificial:
            continue
        parent = _past(model, link.parent, inside)
        kin = None if marked.get(link.name) else _marked_child(model, link, marked, inside)
        if kin is not None:
            rows.append(compare(i, model.index(kin), widths.unmarked))
        if parent == "world" or parent in artificial:
            rows.append(compare(i, None, widths.size))
            continue
        alone = not marked.get(link.name) and kin is None
        rows.append(compare(i, model.index(parent), widths.unmarked if alone else widths.segment))
    axis_rows: list[Array] = [np.eye(3 * n) / widths.axis]
    offsets = [0.0] * len(rows)
    for i, j in pairs(model.link_names):
        names = {model.links[i].name, model.links[j].name}
        if names & artificial or names & inside.keys():
            continue
        a, b = link_size(model, model.links[i]), link_size(model, model.links[j])
        if any(child.name in artificial for name in names for child in model.children(name)):
            a, b = 1.0, 1.0
        mean = 0.5 * (a + b)
        a, b = (a / mean, b / mean) if a > 0.0 and b > 0.0 else (1.0, 1.0)
        rows.append(compare(i, j, widths.side, a, b))
        offsets.append((a - b) / widths.side)
        both: Array = np.kron(compare(i, j, widths.side), np.eye(3)).astype(np.float64)
        axis_rows.append(both)
    return SizePrior(np.array(rows).reshape(-1, n), np.array(offsets), np.concatenate(axis_rows))


def _past(model: Model, name: str, inside: Mapping[str, str]) -> str:
    """Return the first of a link and those it hangs on that is not inside a joint."""
    while name in inside:
        name = model.link(name).parent
    return name


def _marked_child(
    model: Model, link: Link, marked: Mapping[str, int], inside: Mapping[str, str]
) -> str | None:
    children = [
        child.name
        for child in model.links
        if marked.get(child.name) and _past(model, child.parent, inside) == link.name
    ]
    return children[0] if len(children) == 1 else None


def link_size(model: Model, link: Link) -> float:
    """Return how far a link reaches from its joint [m]: to the farthest joint on it, or else its centre of mass."""
    entry = -link.offset[:3, :3].T @ link.offset[:3, 3]
    ends = [child.placement[:3, 3] for child in model.children(link.name)]
    reach = max((float(np.linalg.norm(end - entry)) for end in ends), default=0.0)
    return reach if reach > 0.0 else float(np.linalg.norm(link.inertia.com - entry))
