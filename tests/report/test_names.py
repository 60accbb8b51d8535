"""Names of models tell sides and joints."""

import pytest

from softstride.naming import split_side
from softstride.report.names import by_base, common_words, in_words


@pytest.mark.parametrize(
    ("name", "base", "side"),
    [
        ("knee_angle_r", "knee_angle", "right"),
        ("left_knee", "knee", "left"),
        ("hip_l.x", "hip.x", "left"),
        ("EMG R biceps femoris", "EMG biceps femoris", "right"),
        ("pelvis_tilt", "pelvis_tilt", None),
        ("r_l_swap", "r_l_swap", None),  # both sides are no side
        ("r", "r", None),  # a radius
    ],
)
def test_sides(name, base, side):
    assert split_side(name) == (side, base)


def test_pairs_stand_together():
    assert by_base(["a_r", "b", "a_l"]) == {"a": {"right": "a_r", "left": "a_l"}, "b": {None: "b"}}


def test_words():
    assert in_words("hip_flexion") == "hip flexion"
    assert common_words(["hip_flexion", "hip_rotation"]) == "hip"
    assert common_words(["hip.x", "knee.x"]) == ""
