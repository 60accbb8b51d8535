"""Ground forces by the names of their columns: five styles, and nothing by order."""

import pytest

from softstride.capture.text import find_force_columns
from softstride.naming import side_of


def xyz(*prefixes):
    return tuple(prefix + axis for prefix in prefixes for axis in "xyz")


def both(force, point, torque, feet):
    return xyz(*(part.format(foot) for foot in feet for part in (force, point, torque)))


@pytest.mark.parametrize(
    ("columns", "expected"),
    [
        (
            both("{}ground_force_v", "{}ground_force_p", "{}ground_torque_", ("", "1_")),
            [("ground_force", "ground_torque_x", None), ("1_ground_force", "1_ground_torque_x", None)],
        ),
        (
            both("{}_ground_force_v", "{}_ground_force_p", "{}_ground_torque_", "RL"),
            [
                ("R_ground_force", "R_ground_torque_x", "right"),
                ("L_ground_force", "L_ground_torque_x", "left"),
            ],
        ),
        (
            both("ground_force_{}_v", "ground_force_{}_p", "ground_torque_{}_", "rl"),
            [
                ("ground_force_r", "ground_torque_r_x", "right"),
                ("ground_force_l", "ground_torque_l_x", "left"),
            ],
        ),
        (
            both("ground_force_{}_v", "ground_force_{}_p", "ground_force_{}_m", "12"),
            [("ground_force_1", "ground_force_1_mx", None), ("ground_force_2", "ground_force_2_mx", None)],
        ),
        (
            both("ground_force_{}_v", "ground_force_{}_p", "ground_force_{}_m", ("calcn_r",)),
            [("ground_force_calcn_r", "ground_force_calcn_r_mx", "right")],
        ),
    ],
)
def test_five_styles(columns, expected):
    for order in (columns, tuple(reversed(columns)), tuple(sorted(columns))):
        found = find_force_columns(("pelvis_tilt", *order, "emg"))
        assert {(f.name, f.torque[0], f.side) for f in found} == set(expected)
        for force in found:
            assert all(name.endswith(axis) for name, axis in zip(force.force, "xyz", strict=True))
            assert force.point[0].endswith("px")
            assert {*force.force, *force.point, *force.torque} <= set(columns)
    assert [f.name for f in find_force_columns(columns)] == [name for name, _, _ in expected]


def test_parts_that_are_missing():
    (force,) = find_force_columns(xyz("ground_force_r_v"))
    assert force.point is None and force.torque is None
    assert find_force_columns(xyz("ground_force_r_v")[:2]) == ()
    (force,) = find_force_columns((*xyz("ground_force_r_v", "ground_force_r_p")[:5], "ground_torque_r_x"))
    assert force.point is None and force.torque is None


def test_only_certain_names_count():
    names = (
        *xyz("F", "v", "hip_v", "force_v", "ground_reaction_v", "ground_force_", "my_ground_forcev"),
        "f1_1",
        "f1_2",
        "f1_3",
    )
    assert find_force_columns(names) == ()
    assert find_force_columns(()) == ()


@pytest.mark.parametrize(
    ("name", "side"),
    [
        ("ground_force_r", "right"), ("Left_GRF", "left"), ("plate1", None), ("ground_force", None),
        ("r_and_l", None), ("calcn_l", "left"), ("FORCE.RIGHT", "right"), ("rear", None),
    ],
)  # fmt: skip
def test_side(name, side):
    assert side_of(name) == side
