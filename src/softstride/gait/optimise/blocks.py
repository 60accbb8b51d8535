"""Nonlinear programs made of small pieces that repeat: exact derivatives of each piece, put together once.

A collocated movement is a few small functions evaluated many times, on different variables. Each is differentiated in
symbols once; the gradient, the Jacobian and the Hessian of the whole are gathered from its copies:

    f(x) = Σ_b Σ_n Σ_k c_bk(x[i_bn], p_bn),     g(x) = (g_b(x[i_bn], p_bn))_bn,     l ≤ g ≤ u.

To differentiate the whole at once costs ten times as much, at every iteration.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from softstride.gait.optimise.casadi import load_casadi

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Block:
    """A small function and the places where it stands.

    Attributes:
        name: What it is about.
        z: Its variables, a CasADi column (nz,).
        p: Its parameters, a column (np,), perhaps empty.
        g: Its constraints, a column (m,), perhaps empty.
        costs: Its shares of the cost by the name of the term.
        index: Which variables of the program each copy has, shape (n, nz), no number twice in a row.
        values: Parameters of each copy, shape (n, np).
        lower: Least values of the constraints of each copy, shape (n, m).
        upper: Largest ones, shape (n, m).
        labels: What each constraint says, m words.
    """

    name: str
    z: Any
    p: Any
    g: Any
    costs: dict[str, Any]
    index: Integers
    values: Floats
    lower: Floats
    upper: Floats
    labels: tuple[str, ...]

    @property
    def copies(self) -> int:
        """How often it stands in the program."""
        return len(self.index)

    @property
    def rows(self) -> int:
        """Constraints of one copy."""
        return int(self.lower.shape[1])


class Program:
    """A program of blocks over `n` variables; all functions take x (n,) and are CasADi functions.

    Attributes:
        n: Number of variables.
        blocks: The blocks.
        lower: Least values of the constraints, shape (m,).
        upper: Largest ones.
        terms: Names of the terms of the cost.
    """

    def __init__(self, n: int, blocks: Sequence[Block]) -> None:
        """Differentiate the blocks and put them together."""
        self.n, self.blocks = n, tuple(blocks)
        self.lower = np.concatenate([each.lower.ravel() for each in blocks])
        self.upper = np.concatenate([each.upper.ravel() for each in blocks])
        self.terms = tuple(dict.fromkeys(term for each in blocks for term in each.costs))
        self._assemble()

    def _assemble(self) -> None:
        """Build f and g, their first derivatives, and the Hessian of the Lagrangian."""
        ca = load_casadi()
        x, none = ca.MX.sym("x", self.n), ca.MX.sym("p", 0)
        lam_f, lam_g = ca.MX.sym("lam_f"), ca.MX.sym("lam_g", len(self.lower))
        costs: list[Any] = [0.0] * len(self.terms)
        g, grad, jac, hess = [], _Gather(ca), _Gather(ca), _Gather(ca)
        row = 0
        for block in self.blocks:
            value, gradient, first, second = _differentiate(ca, block)
            z = ca.reshape(x[block.index.ravel().tolist()], block.index.shape[1], block.copies)
            p = ca.DM(block.values.T)
            own_g, own_costs = value.map(block.copies)(z, p)
            for i, term in enumerate(block.costs):
                costs[self.terms.index(term)] += ca.sum2(own_costs[i, :])
            g.append(ca.vec(own_g))
            rows = row + block.rows * np.arange(block.copies)[:, None]
            jac.add(first.function.map(block.copies)(z, p), rows + first.rows, block.index[:, first.columns])
            if block.costs:
                touched = block.index[:, gradient.rows]
                grad.add(gradient.function.map(block.copies)(z, p), touched, np.zeros_like(touched))
            own_lam = ca.reshape(lam_g[row : row + block.rows * block.copies], block.rows, block.copies)
            own_hess = second.function.map(block.copies)(z, p, ca.repmat(lam_f, 1, block.copies), own_lam)
            ends = np.sort(np.stack([block.index[:, second.rows], block.index[:, second.columns]]), axis=0)
            hess.add(own_hess, ends[0], ends[1])
            row += block.rows * block.copies
        f, g = sum(costs), ca.vertcat(*g)
        self.nlp = {"x": x, "p": none, "f": f, "g": g}
        self.value = ca.Function("value", [x], [ca.vertcat(*costs), g])
        self.gradient = ca.Function("grad_f", [x, none], [f, grad.vector(self.n)])
        self.jacobian = ca.Function("jac_g", [x, none], [g, jac.matrix(row, self.n)])
        self.hessian = ca.Function("hess_lag", [x, none, lam_f, lam_g], [hess.matrix(self.n, self.n)])

    def evaluate(self, x: Floats) -> tuple[dict[str, float], Floats]:
        """Return the cost by term, and the constraints."""
        costs, g = self.value(x)
        return dict(zip(self.terms, costs.full().ravel().tolist(), strict=True)), g.full().ravel()

    def violation(self, g: Floats) -> Floats:
        """Return by how much constraints are missed, shape (m,)."""
        return np.maximum(0.0, np.maximum(self.lower - g, g - self.upper))

    def worst(self, g: Floats) -> tuple[float, str]:
        """Return the largest violation and what is violated."""
        missed = self.violation(g)
        at = int(np.argmax(missed))
        size, row = float(missed[at]), at
        for block in self.blocks:
            if row < block.rows * block.copies:
                return size, f"{block.name}: {block.labels[row % block.rows]}"
            row -= block.rows * block.copies
        return size, ""


@dataclass(frozen=True)
class _Derivative:
    """A function that gives nonzeros, and where they belong."""

    function: Any
    rows: Integers
    columns: Integers


def _differentiate(ca: Any, block: Block) -> tuple[Any, _Derivative, _Derivative, _Derivative]:
    """Return value, gradient of the cost, Jacobian of the constraints and Hessian of the Lagrangian of a block."""
    cost = sum(block.costs.values()) if block.costs else ca.SX(0.0)
    stacked = ca.vertcat(*block.costs.values()) if block.costs else ca.SX(0, 1)
    value = ca.Function("value", [block.z, block.p], [ca.densify(block.g), ca.densify(stacked)])
    jac = ca.jacobian(block.g, block.z)
    grad = ca.jacobian(cost, block.z).T
    slope = ca.Function("slope", [block.z, block.p], [_nonzeros(ca, grad)])
    first = ca.Function("first", [block.z, block.p], [_nonzeros(ca, jac)])
    lam_f, lam_g = ca.SX.sym("lam_f"), ca.SX.sym("lam_g", block.rows)
    lagrangian = lam_f * cost + ca.dot(lam_g, block.g)
    hess = ca.triu(ca.hessian(lagrangian, block.z)[0])
    second = ca.Function("second", [block.z, block.p, lam_f, lam_g], [_nonzeros(ca, hess)])
    return (
        value,
        _Derivative(slope, *_places(grad)),
        _Derivative(first, *_places(jac)),
        _Derivative(second, *_places(hess)),
    )


def _nonzeros(ca: Any, matrix: Any) -> Any:
    """Return the nonzeros of a sparse expression as a dense column."""
    return ca.densify(matrix.nz[:]) if matrix.nnz() else ca.SX(0, 1)


def _places(matrix: Any) -> tuple[Integers, Integers]:
    """Return rows and columns of the nonzeros."""
    rows, columns = matrix.sparsity().get_triplet()
    return np.array(rows, dtype=np.int64), np.array(columns, dtype=np.int64)


class _Gather:
    """Nonzeros of many copies, added up in one sparse matrix."""

    def __init__(self, ca: Any) -> None:
        self.ca = ca
        self.entries: list[Any] = []
        self.rows: list[Integers] = []
        self.columns: list[Integers] = []

    def add(self, entries: Any, rows: Integers, columns: Integers) -> None:
        """Add entries (nnz, n) at rows and columns (n, nnz)."""
        self.entries.append(self.ca.vec(entries))
        self.rows.append(rows.ravel())
        self.columns.append(columns.ravel())

    def matrix(self, n_rows: int, n_columns: int) -> Any:
        """Return the sum as a sparse expression (n_rows, n_columns)."""
        ca = self.ca
        rows, columns = np.concatenate(self.rows), np.concatenate(self.columns)
        # CasADi keeps columns compressed, rows sorted in each
        keys, place = np.unique(columns * n_rows + rows, return_inverse=True)
        pattern = ca.Sparsity.triplet(n_rows, n_columns, (keys % n_rows).tolist(), (keys // n_rows).tolist())
        add = ca.DM.triplet(
            place.tolist(), list(range(len(place))), ca.DM.ones(len(place)), len(keys), len(place)
        )
        return ca.MX(pattern, ca.mtimes(add, ca.vertcat(*self.entries)))

    def vector(self, n: int) -> Any:
        """Return the sum as a dense column (n,)."""
        return self.ca.densify(self.matrix(n, 1))
