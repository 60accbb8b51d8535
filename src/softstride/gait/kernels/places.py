"""Places of the walker's points for one state, after `turn`."""

from __future__ import annotations

import math

from softstride.engine.jit import inner
from softstride.gait.kernels.equations import double
from softstride.gait.kernels.walker import (
    ALPHA,
    BETA,
    COS,
    HEEL,
    PSIN,
    SHANK,
    SIN,
    SOLE,
    THIGH,
    TOE,
    TRUNK,
    Array,
    Walker,
)


@inner
def hip_height(walker: Walker, phase: int, m: Array) -> float:
    """Return the height of the hip that the trunk stands on [m], after `turn`."""
    size = walker.size
    # In double support the trunk belongs to the chain on the left toe; the right hip is apart from it by r.
    if double(phase):
        return size[TOE] * m[PSIN, 6] + size[SHANK] * m[SIN, 5] + size[THIGH] * m[SIN, 4]
    pivot = size[TOE] if phase == 4 else size[HEEL]
    return pivot * m[PSIN, 0] + size[SHANK] * m[SIN, 1] + size[THIGH] * m[SIN, 2]


@inner
def swinging_heel(walker: Walker, hip: float, m: Array) -> float:
    """Return the height of the left heel under a hip in single support [m], after `turn`."""
    size = walker.size
    # sin(θ_7 + β): heel to ankle, by the heel's triangle.
    sine = m[SIN, 6] * math.cos(size[BETA]) + m[COS, 6] * math.sin(size[BETA])
    return hip - size[THIGH] * m[SIN, 4] - size[SHANK] * m[SIN, 5] - size[HEEL] * sine


@inner
def place(
    walker: Walker, phase: int, separation: float, heel: float, theta: Array, m: Array, out: Array
) -> None:
    """Write the points of the walker, out (11, 2) [m], after `turn`; see `POINTS`.

    heel: Where the right heel stands, or stood when the foot was flat [m].
    """
    size = walker.size
    bc, bs = math.cos(size[BETA]), math.sin(size[BETA])
    ac, as_ = math.cos(size[ALPHA]), math.sin(size[ALPHA])
    for side in range(2):  # heel to ankle and toe to ankle of both feet, for now
        foot, h, t = 6 * side, 10 * side, 1 + 8 * side
        out[h, 0] = size[HEEL] * (m[COS, foot] * bc - m[SIN, foot] * bs)
        out[h, 1] = size[HEEL] * (m[SIN, foot] * bc + m[COS, foot] * bs)
        out[t, 0] = size[TOE] * (m[COS, foot] * ac - m[SIN, foot] * as_)
        out[t, 1] = size[TOE] * (m[SIN, foot] * ac + m[COS, foot] * as_)
    # Up from the pivot of the right foot; the left leg from its own in double support, else from the hip.
    for k in range(2):
        row = COS + k
        pivot = 0.0 if k == 1 else heel + size[SOLE] if phase == 4 else heel
        ankle = pivot + (out[1, k] if phase == 4 else out[0, k])
        knee = ankle + size[SHANK] * m[row, 1]
        hip = knee + size[THIGH] * m[row, 2]
        if double(phase):
            left_ankle = (heel - separation if k == 0 else 0.0) + out[9, k]
            left_knee = left_ankle + size[SHANK] * m[row, 5]
            left_hip = left_knee + size[THIGH] * m[row, 4]
        else:
            left_hip = hip
            left_knee = hip - size[THIGH] * m[row, 4]
            left_ankle = left_knee - size[SHANK] * m[row, 5]
        out[0, k] = ankle - out[0, k]
        out[1, k] = ankle - out[1, k]
        out[2, k], out[3, k], out[4, k] = ankle, knee, hip
        out[5, k] = left_hip + size[TRUNK] * m[row, 3]
        out[6, k], out[7, k], out[8, k] = left_hip, left_knee, left_ankle
        out[9, k] = left_ankle - out[9, k]
        out[10, k] = left_ankle - out[10, k]
