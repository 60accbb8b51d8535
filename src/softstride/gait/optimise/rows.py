"""Constraints collected one by one, with their bounds and with words for them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from softstride.gait.optimise.blocks import Block, Integers
from softstride.gait.optimise.casadi import load_casadi

INF = float("inf")


class Rows:
    """Constraints lower ≤ g ≤ upper.

    Some are left out in the first or the last of the copies of a block: where a phase begins or ends with g = 0, to ask
    for g ≥ 0 as well leaves an interior-point method no interior.
    """

    def __init__(self) -> None:
        self.not_first: list[int] = []
        self.not_last: list[int] = []
        self.g: list[Any] = []
        self.lower: list[float] = []
        self.upper: list[float] = []
        self.labels: list[str] = []

    def zero(self, expression: Any, label: str) -> None:
        """Add g = 0."""
        self.between(expression, 0.0, 0.0, label)

    def positive(
        self, expression: Any, label: str, *, not_first: bool = False, not_last: bool = False
    ) -> None:
        """Add g ≥ 0, perhaps not in the first or not in the last copy."""
        if not_first:
            self.not_first.append(len(self.g))
        if not_last:
            self.not_last.append(len(self.g))
        self.between(expression, 0.0, INF, label)

    def between(self, expression: Any, lower: float, upper: float, label: str) -> None:
        """Add lower ≤ g ≤ upper."""
        self.g.append(expression)
        self.lower.append(float(lower))
        self.upper.append(float(upper))
        self.labels.append(label)

    def block(
        self,
        name: str,
        variables: Sequence[tuple[Any, Integers]],
        parameters: Sequence[tuple[Any, Any]] = (),
        costs: dict[str, Any] | None = None,
    ) -> Block:
        """Return the block of these constraints.

        Args:
            name: What it is about.
            variables: Columns (k,) with the numbers of their variables, (k,) for one copy or (n, k) for n of them.
            parameters: Columns (k,) with their values, (n, k) or one row for all copies.
            costs: Shares of the cost by term.
        """
        ca = load_casadi()
        copies = max(1, *(len(np.atleast_2d(index)) for _, index in variables))

        def stacked(pairs: Sequence[tuple[Any, Any]], dtype: Any) -> Any:
            parts = [
                np.broadcast_to(np.atleast_2d(values), (copies, column.numel())) for column, values in pairs
            ]
            return np.concatenate(parts, axis=1).astype(dtype) if parts else np.empty((copies, 0), dtype)

        def column(pairs: Sequence[tuple[Any, Any]]) -> Any:
            return ca.vertcat(*(each for each, _ in pairs)) if pairs else ca.SX(0, 1)

        lower = np.tile(self.lower, (copies, 1))
        lower[0, self.not_first] = -INF
        lower[-1, self.not_last] = -INF
        return Block(
            name,
            column(variables),
            column(parameters),
            ca.vertcat(*self.g) if self.g else ca.SX(0, 1),
            dict(costs or {}),
            stacked(variables, np.int64),
            stacked(parameters, np.float64),
            lower,
            np.tile(self.upper, (copies, 1)),
            tuple(self.labels),
        )
