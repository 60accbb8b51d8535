"""The part of a tree that some links depend on: where they are, and what loads on them do, needs no other link."""

from __future__ import annotations

import threading
from collections.abc import Iterable
from dataclasses import dataclass
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray

from softstride.model.model import Model

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Branch:
    """Some links of a model and all that they hang on.

    Attributes:
        model: These links alone, without anything on them.
        q: Where its coordinates are in q of the whole, shape (nq of the branch,).
        v: Where its velocities are in v of the whole, shape (nv of the branch,).
    """

    model: Model
    q: NDArray[np.intp]
    v: NDArray[np.intp]

    def take(self, q: Array) -> Array:
        """Return the branch's part of configurations of the whole, shape (n, nq of the branch)."""
        return np.ascontiguousarray(q[:, self.q])


_branches: WeakKeyDictionary[Model, dict[frozenset[str], Branch]] = WeakKeyDictionary()
_lock = threading.Lock()


def branch_of(model: Model, links: Iterable[str]) -> Branch:
    """Return the branch of some links, made once for a model: links that hang on the same ones have the same branch."""
    wanted = frozenset(links)
    with _lock:
        known = _branches.setdefault(model, {})
        if wanted not in known:
            part = model.only(wanted)
            whole = frozenset(part.link_names)
            known[wanted] = known.get(whole) or known.setdefault(whole, _placed(model, part))
        return known[wanted]


def _placed(model: Model, part: Model) -> Branch:
    q, v = np.empty(part.nq, dtype=np.intp), np.empty(part.nv, dtype=np.intp)
    for link in part.links:
        q[list(part.q_indices(link.name))] = model.q_indices(link.name)
        v[list(part.v_indices(link.name))] = model.v_indices(link.name)
    return Branch(part, q, v)
