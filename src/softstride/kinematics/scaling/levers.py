r"""Where the markers of a model are once its links have other sizes, from poses of the model as it is.

Scaling turns nothing (see `scaled`), so in any pose a marker is where the sum over the links l on its way from the
root puts it. With R_l the axes of link l in the world and S_l = diag(s_l) its factors,

    p(q, s) = p(q, 1) + Σ_l R_l (S_l - 1) a_l + Σ_j R_p t_j w_j · (s_p - 1) f_j(q),

a_l the way from the joint of link l to that of the next link or to the marker, in axes of the unscaled link [m]. The
second sum is over the translations of custom joints that grow: t_j their directions in the parent link p, f_j their
lengths [m], w_j the weights of p's factors (see `translation_weights`). Every term is fixed in one link but for f_j;
with u_l the sum of those that are fixed in link l and J_l its angular Jacobian, in world axes,

    ∂p/∂s_l = R_l diag(a_l) + Σ_j R_p t_j f_j w_jᵀ,
    J(q, s) = J(q, 1) + Σ_l -û_l J_l + Σ_j R_p t_j w_j · (s_p - 1) f_j'(q).

Positions and Jacobians are linear in s: nothing of the scaled model is needed, and nothing is approximate.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from softstride.kinematics.coordinates import Plain, plain_coordinates
from softstride.model import Custom, Link, Model
from softstride.model.functions import Function
from softstride.model.link import WORLD
from softstride.model.scaled_links import carriers
from softstride.model.scaling import is_free_translation, translation_weights
from softstride.spatial.so3 import hat

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Slide:
    """A translation of a custom joint that grows with the link that the joint is on.

    Attributes:
        parent: Number of that link.
        direction: Along which it leads, in axes of that link, shape (3,).
        weights: Of the link's factors, shape (3,).
        beyond: Which markers hang on the joint, shape (m,), 1 or 0.
        terms: Columns in q and v of coordinates and the lengths [m] that follow them; constants have no columns.
    """

    parent: int
    direction: Array
    weights: Array
    beyond: Array
    terms: tuple[tuple[int | None, int | None, Function], ...]

    def length(self, q: Array) -> Array:
        """Return f, shape (n,), [m]."""
        return sum(
            (f(np.zeros(len(q)) if i is None else q[:, i]) for i, _, f in self.terms), np.zeros(len(q))
        )

    def slopes(self, q: Array) -> Iterator[tuple[int, Array]]:
        """Yield columns in v and the derivatives of f, shape (n,)."""
        for i, j, f in self.terms:
            if i is not None and j is not None:
                yield j, f(q[:, i], 1)


class Levers:
    """The markers of a model on the links that they hang on.

    Rods, which the fit does not stretch, move nothing. Massless links inside a joint take the mean factor of the link
    that carries them, so what they add is the carrier's.
    """

    def __init__(self, model: Model, names: Sequence[str]) -> None:
        """Follow the markers of these names to the root."""
        self._arms = np.zeros((len(names), len(model.links), 3))
        beyond = {link.name: np.zeros(len(names)) for link in model.links}
        for m, name in enumerate(names):
            marker = model.markers[name]
            end = np.asarray(marker.position)
            here = None if marker.link == WORLD else model.link(marker.link)
            while here is not None:
                if not here.soft:
                    start = -here.offset[:3, :3].T @ here.offset[:3, 3]
                    self._arms[m, model.index(here.name)] = end - start
                beyond[here.name][m] = 1.0
                end, here = here.placement[:3, 3], model.parent(here.name)
        plain = plain_coordinates(model)
        self._slides = [
            each for link in model.links for each in _slides(model, link, beyond[link.name], plain)
        ]
        self._inside = [
            (model.index(name), None if carrier == WORLD else model.index(carrier))
            for name, carrier in carriers(model).items()
        ]

    def all_factors(self, factors: Array) -> Array:
        """Return factors, shape (n_links, 3), with those of links inside joints after their carriers."""
        full = factors.copy()
        for i, carrier in self._inside:
            full[i] = 1.0 if carrier is None else np.mean(factors[carrier])
        return full

    def own(self, q: Array, rotations: Array) -> Array:
        """Return ∂p/∂s with factors of their own for links inside joints, shape (n, m, 3, n_links, 3), [m].

        Args:
            q: Configurations, shape (n, nq).
            rotations: World axes of all links, shape (n, n_links, 3, 3).
        """
        out = np.einsum("flia,mla->fmila", rotations, self._arms)
        for slide in self._slides:
            way = (rotations[:, slide.parent] @ slide.direction) * slide.length(q)[:, None]  # (n, 3)
            out[:, :, :, slide.parent] += np.einsum("fi,m,a->fmia", way, slide.beyond, slide.weights)
        return out

    def shared(self, own: Array) -> Array:
        """Return ∂p/∂s with what links inside joints add at their carriers, shape (n, m, 3, n_links, 3), [m]."""
        out = own.copy()
        for i, carrier in self._inside:
            if carrier is not None:
                out[:, :, :, carrier] += own[:, :, :, i].sum(axis=-1, keepdims=True) / 3.0
            out[:, :, :, i] = 0.0
        return out

    def turned(self, q: Array, rotations: Array, spins: Array, fixed: Array, factors: Array) -> Array:
        """Return J(q, s) - J(q, 1), shape (n, m, 3, nv), world axes.

        Args:
            q: Configurations, shape (n, nq).
            rotations: World axes of all links, shape (n, n_links, 3, 3).
            spins: Angular Jacobians of all links in world axes, shape (n, n_links, 3, nv).
            fixed: u, by how much more than in the unscaled model each link leads to each marker, shape (n, m, n_links,
                3), world axes [m].
            factors: Of all links, shape (n_links, 3).
        """
        n, m, links, _ = fixed.shape
        turns = np.moveaxis(-hat(fixed), 2, 3).reshape(n, 3 * m, 3 * links)
        out = (turns @ spins.reshape(n, 3 * links, -1)).reshape(n, m, 3, -1)
        for slide in self._slides:
            way = rotations[:, slide.parent] @ slide.direction  # (n, 3)
            growth = float(slide.weights @ (factors[slide.parent] - 1.0))
            for column, slope in slide.slopes(q):
                out[..., column] += np.einsum("fi,f,m->fmi", way, growth * slope, slide.beyond)
        return out


def _slides(model: Model, link: Link, beyond: Array, plain: Plain) -> Iterator[Slide]:
    """Yield the translations of the joint of a link that grow with its parent."""
    parent = model.parent(link.name)
    if parent is None or parent.soft or not isinstance(link.joint, Custom):
        return
    R = link.placement[:3, :3]
    for axis in link.joint.translations:
        terms = tuple(
            (plain.q.get(name), plain.v.get(name), function)
            for name, function in axis.terms
            if not is_free_translation(function)
        )
        if terms:
            yield Slide(
                model.index(parent.name), R @ axis.direction, translation_weights(axis, R), beyond, terms
            )
