"""Three axes of a segment that need not be orthogonal, and how they sit in an orthonormal frame.

A segment has a unit vector u (forward), the vector v from its distal to its proximal end (length L) and a unit vector w
(a functional axis, to the right). Their shape is L and three angles: alpha between v and w, beta between u and w, gamma
between u and v. The orthonormal segment frame (SCS) keeps u:

    X = u,    Z = (u x v) / |u x v|,    Y = Z x X

and B holds u, v, w in it as columns, so that components n in the triad become components x = B n in the SCS
[DumasCheze2007, eq. 7, with the sign s of det(u, v, w) in front of the root]:

    B = [[1, L cos g, cos b], [0, L sin g, wy], [0, 0, s sqrt(1 - cos^2 b - wy^2)]],  wy = (cos a - cos b cos g) / sin g
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike, NDArray

from softstride.errors import ModelError
from softstride.fields import Choice, Frozen, declared
from softstride.spatial.vectors import as_array, cross

Array = NDArray[np.float64]

FLAT = 1e-3
"""Volume of the unit vectors of a triad below which they are in one plane, as good as: 0.06 degrees off it."""

ROUNDING = 1e-9
"""By how much the square of a height may be negative and still count as zero."""


@dataclass(frozen=True)
class Triad(Frozen, of="a segment", raising=ModelError):
    """The constant shape of a segment's axes.

    Attributes:
        length: Of v, L [m].
        alpha: Between v and w [rad].
        beta: Between u and w [rad].
        gamma: Between u and v [rad].
        handed: 1 for a right-handed triad (u, v, w), -1 for a left-handed one.

    Raises:
        ModelError: Length or angles are no numbers in their range, contradict each other, or put the axes in one plane.
    """

    length: float = declared(..., unit="m", above=0.0)
    alpha: float = declared(..., unit="rad", above=0.0, below=np.pi)
    beta: float = declared(..., unit="rad", above=0.0, below=np.pi)
    gamma: float = declared(..., unit="rad", above=0.0, below=np.pi)
    handed: int = declared(1, rule=Choice((1, -1), "1 (right-handed) or -1 (left-handed)"))

    def check(self) -> None:
        """Check that such a triad exists."""
        square = self._height_squared()
        if square < -ROUNDING:
            raise ModelError(
                f"no three axes have the angles {self._degrees()}: alpha must be between |beta - gamma| and beta + "
                "gamma, and all three below 360 degrees together"
            )
        if np.sqrt(max(square, 0.0)) * np.sin(self.gamma) < FLAT:
            raise ModelError(
                f"axes with the angles {self._degrees()} are in one plane, so they span no space: choose another "
                "forward or across axis"
            )

    def _height_squared(self) -> float:
        """Return the square of the component of w along Z."""
        a, b, g = np.cos([self.alpha, self.beta, self.gamma])
        return float(1.0 - b**2 - ((a - b * g) / np.sin(self.gamma)) ** 2)

    def _degrees(self) -> str:
        angles = np.degrees([self.alpha, self.beta, self.gamma])
        return "alpha {:.2f}, beta {:.2f}, gamma {:.2f} degrees".format(*angles)

    @cached_property
    def basis(self) -> Array:
        """B: u, v, w as columns in the orthonormal frame, shape (3, 3); v in [m]."""
        a, b, g = np.cos([self.alpha, self.beta, self.gamma])
        sin_g = np.sin(self.gamma)
        across_y = (a - b * g) / sin_g
        across_z = self.handed * np.sqrt(self._height_squared())
        basis = np.array(
            [[1.0, self.length * g, b], [0.0, self.length * sin_g, across_y], [0.0, 0.0, across_z]]
        )
        basis.setflags(write=False)
        return basis

    @cached_property
    def inverse(self) -> Array:
        """B^-1, shape (3, 3)."""
        inverse = np.asarray(np.linalg.inv(self.basis), dtype=np.float64)
        inverse.setflags(write=False)
        return inverse

    @classmethod
    def of(cls, u: ArrayLike, v: ArrayLike, w: ArrayLike) -> Triad:
        """Return the mean shape of measured axes, over the frames in which all three are known.

        Args:
            u: Forward, shape (n, 3); u and w of any length but zero.
            v: From the distal to the proximal end, shape (n, 3), in [m].
            w: Across, shape (n, 3).

        Raises:
            ModelError: No frame is known, or the axes are in one plane, as good as.
        """
        axes = [np.atleast_2d(as_array(name, x, 3)) for name, x in (("u", u), ("v", v), ("w", w))]
        known = np.isfinite(np.concatenate(axes, axis=1)).all(axis=1)
        if not known.any():
            raise ModelError("the axes of a segment are known in no frame: a landmark is never seen")
        forward, long, across = (axis[known] for axis in axes)
        length = np.linalg.norm(long, axis=1)
        volume = np.sum(_unit(forward) * cross(_unit(long), _unit(across)), axis=1)
        return cls(
            length=float(length.mean()),
            alpha=float(_angle(long, across).mean()),
            beta=float(_angle(forward, across).mean()),
            gamma=float(_angle(forward, long).mean()),
            handed=1 if volume.mean() > 0.0 else -1,
        )


def orthonormal_frame(u: Array, v: Array) -> Array:
    """Return the SCS of measured axes, X = u, Z = unit(u x v), Y = Z x X, as columns, shape (n, 3, 3)."""
    x = _unit(u)
    z = _unit(cross(u, v))
    return np.stack([x, cross(z, x), z], axis=-1)


def _unit(x: Array) -> Array:
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.asarray(x / np.linalg.norm(x, axis=-1, keepdims=True))


def _angle(a: Array, b: Array) -> Array:
    """Return the angle between vectors [rad]; exact near 0 and pi too."""
    return np.arctan2(np.linalg.norm(cross(a, b), axis=-1), np.sum(a * b, axis=-1))
