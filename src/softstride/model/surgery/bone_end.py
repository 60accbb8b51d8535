"""The end of a cut bone: where muscles are fixed on it, and the way over it.

All places are in axes of the stump: origin at the middle of the bone end, x forward, y along the bone towards the joint
above, z to the right, [m]. The bone is an elliptic cylinder that ends at y = 0.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np

from softstride.model.checks import FloatArray
from softstride.model.cut import Cut
from softstride.model.frame import Frame
from softstride.model.surgery.table import Surgery

ROUND = (0.25 * math.pi, 0.5 * math.pi, 0.75 * math.pi)
"""Where on the half ellipse below the bone end a path has points [rad]."""


@dataclass(frozen=True, eq=False)
class BoneEnd:
    """The end of a cut bone.

    Attributes:
        frame: The stump's frame on the link of the bone, its origin at the middle of the bone end.
        front: Half the thickness of the bone from front to back [m].
        side: Half its width [m].
        depth: How far below the bone a path over its end passes [m].
        height: How far above the end a muscle that was brought over it is fixed [m].
        stump: Length of the stump [m].
        outward: Sign of z on the lateral side.
    """

    frame: Frame
    front: float
    side: float
    depth: float
    height: float
    stump: float
    outward: float

    @classmethod
    def of(cls, cut: Cut, surgery: Surgery) -> BoneEnd:
        """Return the end that a cut leaves, with the sizes that a surgery states."""
        length = cut.bone.length
        outward = 1.0 if cut.letter == "r" else -1.0
        beside = length * np.array([surgery.forward, 0.0, outward * surgery.outward])
        return cls(
            replace(cut.stump, position=cut.stump.position + cut.stump.rotation @ beside),
            surgery.front * length,
            surgery.side * length,
            surgery.depth * length,
            surgery.height * cut.distance,
            cut.distance,
            outward,
        )

    def on_link(self, place: FloatArray) -> FloatArray:
        """Return a place in the axes of the link, shape (3,)."""
        return np.asarray(self.frame.position + self.frame.rotation @ place)

    def in_stump(self, place: FloatArray) -> FloatArray:
        """Return a place on the link in the axes of the stump, shape (3,)."""
        return np.asarray(self.frame.rotation.T @ (place - self.frame.position))

    def surface(self, direction: FloatArray) -> FloatArray:
        """Return the place on the edge of the bone end in a direction across the bone, shape (3,)."""
        e = np.array([direction[0], 0.0, direction[2]])
        return np.asarray(e / math.hypot(e[0] / self.front, e[2] / self.side))

    def outside(self, place: FloatArray) -> FloatArray:
        """Return a place at the level of the cut, moved away from the axis to the surface if it is in the bone."""
        across = np.array([place[0], 0.0, place[2]])
        size = math.hypot(across[0] / self.front, across[2] / self.side)
        if size < 1e-6:  # on the axis: no side is nearer than another
            return self.surface(np.array([-1.0, 0.0, 0.0]))
        return across if size >= 1.0 else across / size

    def insertion(
        self, to: str | tuple[float, float, float], turn: FloatArray
    ) -> tuple[FloatArray, list[FloatArray]]:
        """Return where a muscle is fixed, and the points between there and where it turns.

        A muscle whose place is on its own half of the bone goes straight to the edge of the bone end there; one whose
        place is on the other half is brought over the end, and fixed above it.

        Args:
            to: Where, as in `Treatment`.
            turn: Where the muscle reaches the level of the cut, shape (3,).
        """
        if to == "end":
            return np.zeros(3), []
        if to == "own":
            return self.surface(turn), []
        if isinstance(to, str):
            sides = {"front": (1.0, 0.0), "back": (-1.0, 0.0), "lateral": (0.0, 1.0), "medial": (0.0, -1.0)}
            x, z = sides[to]
            edge = self.surface(np.array([x, 0.0, self.outward * z]))
            place = edge + np.array([0.0, self.height, 0.0])
        else:
            place = np.array([self.front, self.stump, self.outward * self.side]) * to
            edge = place * (1.0, 0.0, 1.0)
        if edge @ turn < 0.0 and place[1] >= 0.0:
            return place, [*self.over(turn, edge), edge]
        return (edge if isinstance(to, str) else place), []

    def over(self, start: FloatArray, end: FloatArray) -> list[FloatArray]:
        """Return points under the bone end, from one place at the level of the cut to another.

        P(φ) = (A + B)/2 + (A - B)/2 cos φ - (0, depth, 0) sin φ, half an ellipse from A to B.
        """
        down = np.array([0.0, self.depth, 0.0])
        return [
            0.5 * (start + end) + 0.5 * math.cos(angle) * (start - end) - math.sin(angle) * down
            for angle in ROUND
        ]
