"""Where the joints and landmarks of a person are in the neutral pose.

The person stands upright with hanging arms, palms forward; x forward, y up, z right. The origin is below the middle of
the front iliac spines, the soles are at y = 0. Points are those of the middle and the right side; the left mirrors z.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from softstride.model.checks import FloatArray
from softstride.model.library.human.tables import table

X, Y, _ = np.eye(3)

STERNOCLAVICULAR = (-0.008, 0.0, 0.014)
"""The joint from suprasternale, over stature; own choice, no table gives it."""

ACROMION = (-0.004, 0.022, -0.004)
"""The acromioclavicular joint from the shoulder's, over stature; own choice."""

VERTEBRAE = (("lumbar", 5), ("thoracic", 12), ("cervical", 7))
"""Levels from below; the first cervical vertebra goes with the head."""


@dataclass(frozen=True)
class Shape:
    """The neutral pose as points.

    Attributes:
        points: Joints and landmarks by name, shape (3,), [m].
        units: By part of the leg, the lengths along x, y, z that the leg and muscle tables are multiplied with [m].
    """

    points: Mapping[str, FloatArray]
    units: Mapping[str, FloatArray]


def build_shape(lengths: Mapping[str, Any]) -> Shape:
    """Lay out a person.

    The leg and the height of cervicale are those given; the spine, neck and head are stretched together by
    one factor (within about one percent) so that the vertex is at the height asked for.

    Args:
        lengths: As from `person.lengths` [m].
    """
    units = {
        part: np.ones(3) * np.asarray(lengths[part])
        for part in ("pelvis", "thigh", "shank", "foot", "patella")
    }
    points = _leg(lengths, units)
    points |= _spine(lengths, points)
    points |= _trunk(lengths, points)
    points |= _arm(lengths, points)
    names = {"femur": "thigh", "tibia": "shank", "calcn": "foot", "toes": "foot"}
    return Shape(points, units | {part: units[segment] for part, segment in names.items()})


def _vector(value: ArrayLike) -> FloatArray:
    return np.array(value, dtype=np.float64)


def _leg(lengths: Mapping[str, Any], units: Mapping[str, FloatArray]) -> dict[str, FloatArray]:
    leg = table("leg")
    hip = units["pelvis"] * leg["hip"]  # from the pelvis, so far
    knee = hip + units["thigh"] * leg["thigh"]
    ankle = knee + units["shank"] * leg["shank"]
    up = np.array([0.0, lengths["ankle_height"] - ankle[1], 0.0])
    pelvis, hip, knee, ankle = up, hip + up, knee + up, ankle + up
    foot, patella = units["foot"], leg["patella"]
    heel = np.array([ankle[0] + leg["heel_end"] * foot[0], 0.0, ankle[2]])
    return {
        "pelvis": pelvis,
        "hip": hip,
        "mid_hips": hip * (1.0, 1.0, 0.0),
        "back": pelvis + units["pelvis"] * leg["back"],
        "knee": knee,
        "patella": knee + units["thigh"] * [patella["x"][0], patella["y"][0], patella["z"]],
        "ankle": ankle,
        "subtalar": ankle + foot * leg["subtalar"],
        "chopart": ankle + foot * leg["chopart"],
        "mtp": ankle + foot * leg["mtp"],
        "heel": heel,
        "toe_tip": heel + foot * X,
    }


def _spine(lengths: Mapping[str, Any], points: Mapping[str, FloatArray]) -> dict[str, FloatArray]:
    """Return the joint below each vertebra, that of the head, C7/T1 and the vertex."""
    names, steps = _vertebrae(lengths)
    head = (1.0 - lengths["neck_share"]) * lengths["neck_head"]
    start = points["mid_hips"] + _vector([*lengths["lumbosacral"], 0.0])
    stretch = (lengths["height"] - start[1]) / (np.sum(steps[:, 1]) + head)
    joints = start + np.vstack([np.zeros(3), np.cumsum(stretch * steps, axis=0)])  # (n + 1, 3)
    result = dict(zip([*names, "head"], joints, strict=True))
    result["vertex"] = np.array([joints[-1, 0] + lengths["vertex_forward"], lengths["height"], 0.0])
    return result


def _vertebrae(lengths: Mapping[str, Any]) -> tuple[list[str], FloatArray]:
    """Return the vertebrae from below, and the step over each, shape (n, 3), [m], before stretching."""
    growth = np.linspace(lengths["thoracic_growth"], 1.0, 12)
    lumbar, thoracic = lengths["lumbar_share"], 1.0 - lengths["lumbar_share"]
    heights = {
        "lumbar": np.full(5, lumbar / 5.0) * lengths["spine"],
        "thoracic": thoracic * growth / np.sum(growth) * lengths["spine"],
        "cervical": np.full(6, lengths["neck_share"] / 6.0) * lengths["neck_head"],
    }
    names, steps = [], []
    for level, last in VERTEBRAE:
        leans = table("anthropometry")["lean"][level]
        for k, (height, lean) in enumerate(zip(heights[level], leans, strict=True)):
            angle = math.radians(lean)
            names.append(f"{level}_{last - k}")
            steps.append((height * math.sin(angle), height * math.cos(angle), 0.0))
    return names, _vector(steps)


def _trunk(lengths: Mapping[str, Any], points: Mapping[str, FloatArray]) -> dict[str, FloatArray]:
    """Return the end points of the trunk's segments, on the vertical above the hips, and the shoulder girdle."""
    hips, vertex, base = points["mid_hips"], points["vertex"], points["cervical_7"]
    top = lengths["height"] - lengths["cervicale"]
    parts = np.cumsum(lengths["trunk_parts"]) / np.sum(lengths["trunk_parts"])
    xiphion, omphalion = top + (hips[1] - top) * parts[:2]
    notch = top - lengths["suprasternale"]
    forward = math.sqrt(lengths["notch"] ** 2 - (base[1] - notch) ** 2)
    shoulders = hips[1] + lengths["mid_shoulders"] * (top - hips[1])
    shoulder = np.array([hips[0] + lengths["shoulder_forward"], shoulders, lengths["half_shoulders"]])
    joint = _vector(STERNOCLAVICULAR) * lengths["height"]
    top_of_sternum = np.array([base[0] + forward, notch, 0.0])
    return {
        "cervicale": np.array([hips[0], top, 0.0]),
        "head_base": np.array([vertex[0], top, 0.0]),
        "xiphion": np.array([hips[0], xiphion, 0.0]),
        "omphalion": np.array([hips[0], omphalion, 0.0]),
        "suprasternale": top_of_sternum,
        "sternoclavicular": top_of_sternum + joint,
        "acromioclavicular": shoulder + lengths["height"] * _vector(ACROMION),
        "shoulder": shoulder,
    }


def _arm(lengths: Mapping[str, Any], points: Mapping[str, FloatArray]) -> dict[str, FloatArray]:
    leg = table("leg")
    elbow = points["shoulder"] + lengths["upper_arm"] * _vector(leg["upper_arm"])
    wrist = elbow + lengths["forearm"] * _vector(leg["forearm"])
    return {
        "elbow": elbow,
        "radioulnar": elbow + lengths["forearm"] * _vector(leg["radioulnar"]),
        "wrist": wrist,
        "knuckle": wrist - lengths["hand"] * Y,
    }
