"""Four ways to the wrench that a segment's motion needs; on exact derivatives they agree to rounding.

Each is a function (segment, motion, gravity) -> (force, moment about P), both of shape (n, 3) in world axes: what must
act on the segment at its proximal end if nothing else but its weight does. Loads from the distal side are added by one
recursion for all (`softstride.segments.inverse`), because they do not depend on how the segment's own part was found.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal, TypeAlias, get_args

import numpy as np
from numpy.typing import NDArray

from softstride.errors import InputError
from softstride.segments.body import BodySegment
from softstride.segments.methods.euler import euler
from softstride.segments.methods.homogeneous import homogeneous
from softstride.segments.methods.nonorthonormal import nonorthonormal
from softstride.segments.methods.prepare import Prepared, prepare
from softstride.segments.methods.quaternion import quaternion

Array = NDArray[np.float64]
Method = Literal["nonorthonormal", "euler", "homogeneous", "quaternion"]
OwnWrench: TypeAlias = Callable[[BodySegment, Prepared, Array], tuple[Array, Array]]

METHODS: tuple[Method, ...] = get_args(Method)

_FUNCTIONS: dict[str, OwnWrench] = {
    "nonorthonormal": nonorthonormal,
    "euler": euler,
    "homogeneous": homogeneous,
    "quaternion": quaternion,
}

__all__ = ["METHODS", "Method", "OwnWrench", "Prepared", "check_method", "own_wrench", "prepare"]


def check_method(method: str) -> None:
    """Refuse what is no method.

    Raises:
        InputError: With the methods that there are.
    """
    if method not in METHODS:
        raise InputError(f"method must be one of {', '.join(METHODS)}, however it is {method!r}")


def own_wrench(
    method: Method, segment: BodySegment, prepared: Prepared, gravity: Array
) -> tuple[Array, Array]:
    """Return force and moment about P that the motion of a segment needs, shape (n, 3) each, [N] and [N m]."""
    return _FUNCTIONS[method](segment, prepared, gravity)
