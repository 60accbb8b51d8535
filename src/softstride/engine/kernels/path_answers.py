"""What a surface answers when a segment of a path is led over it."""

from __future__ import annotations

import math

from softstride.engine.jit import inlined

Triple = tuple[float, float, float]
Answer = tuple[int, int, float, Triple, Triple, float, Triple]
"""Answer, sense, angle on the surface, where the path meets it and leaves it, length on it, direction there."""

NOTHING, POSSIBLE, MANDATORY, HELD, ASTRAY = 0, 1, 2, 3, 4
"""No wrap; one that may be taken; one that must be, since the segment runs through; one kept the longer way; one over
the half that it should not touch."""
INSIDE_IT, UNFOUND = -1, -2
"""An end of the segment is inside the surface; the way over it was not found."""

WITHIN = 1.0 - 1e-9  # of the size: nearer ends are inside, those between count as on the surface
TURN = 2.0 * math.pi


@inlined
def side(x: float) -> int:
    """Return the sign of a number, +1 for zero."""
    return 1 if x >= 0.0 else -1


@inlined
def no_wrap(answer: int) -> Answer:
    """Return the answer of a surface that the segment does not touch."""
    nowhere = (0.0, 0.0, 0.0)
    return answer, 0, 0.0, nowhere, nowhere, 0.0, nowhere
