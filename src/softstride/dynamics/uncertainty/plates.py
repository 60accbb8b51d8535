r"""Errors of measured forces: a share of the force, an offset, and the centre of pressure.

A load f at p with the moment m about it has independent errors: of each component of f, hypot(share |f|, offset), since
the load along one axis leaks into the others; of p, along the two axes across the vertical; of m, share |m|. Moved to
p they are a wrench of error, [dm + dp x f; df], and the generalized forces change by -J^T of it.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from softstride.dynamics.loads import AppliedWrench
from softstride.spatial.so3 import hat

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class PlateErrors:
    """How well measured forces are known.

    Attributes:
        share: Of the length of the force.
        offset: Of each component [N].
        point: Of the centre of pressure, along each horizontal axis [m].
    """

    share: float
    offset: float
    point: float

    @property
    def any(self) -> bool:
        """Whether anything is uncertain."""
        return max(self.share, self.offset, self.point) > 0.0

    def factor(self, wrench: AppliedWrench, level: Array) -> tuple[Array, Array, Array]:
        """Return errors of a load, one standard deviation each, eight of them.

        Args:
            wrench: The load.
            level: Two horizontal axes as rows, shape (2, 3).

        Returns:
            Of the wrench [moment; force] about its point, shape (n, 6, 8); the deviation of the force, shape (n, 3),
            [N]; that of the point, shape (n, 3), [m], NaN where nothing acts.
        """
        n = len(wrench.force)
        f, m = np.nan_to_num(wrench.force), np.nan_to_num(wrench.moment)
        acts = wrench.acts
        size = np.hypot(self.share * np.linalg.norm(f, axis=1), self.offset) * acts
        out = np.zeros((n, 6, 8))
        for i in range(3):
            out[:, 3 + i, i] = size
            out[:, i, 5 + i] = self.share * np.linalg.norm(m, axis=1)
        out[:, :3, 3:5] = -self.point * (hat(f) @ level.T)  # dp x f = -f x dp
        force = np.repeat(size[:, None], 3, axis=1)
        point = np.where(acts[:, None], self.point * np.sqrt((level**2).sum(axis=0)), np.nan)
        return out, force, point
