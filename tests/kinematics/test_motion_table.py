"""Columns of motions: successive angles to and fro, their continuity, units, and what is in degrees."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.spatial.transform import Rotation

import softstride as ss
from softstride.kinematics.motion_table import angles_of, describe_columns, q_of, quaternions_of, table_of
from softstride.model import Axis, Inertia, Linear, ModelBuilder, Rod, Segment, SimmSpline


def turned(angles):
    return Rotation.from_euler("XYZ", angles).as_quat()


def model():
    builder = ModelBuilder("all kinds")
    builder.free("pelvis", mass=30.0, inertia=(1, 1, 1))
    builder.spherical("hip", "pelvis", mass=7.0, inertia=(1, 1, 1))
    builder.revolute("shank", "hip", axis=(0, 0, 1), coordinate="knee", mass=3.0)
    builder.prismatic("socket", "shank", axis=(0, 1, 0), mass=0.1)
    curved = SimmSpline([-1.0, 0.0, 1.0, 2.0], [-0.5, 0.1, 0.4, 1.5])
    turn = Axis((0, 0, 1), (("flex", Linear(-1.0, 0.2)), ("roll", curved)))
    slide = Axis((1, 0, 0), (("flex", curved), ("shift", Linear(1.0))))
    rest = Axis((1, 0, 0)), Axis((0, 1, 0))
    builder.custom(
        "foot",
        "socket",
        rotations=(turn, *rest),
        translations=(slide, rest[1], Axis((0, 0, 1))),
        mass=1.0,
        inertia=(1, 1, 1),
    )
    segment = Segment(0.2, density=Inertia(0.5, matrix=np.eye(3)), free=("ky", "ex"))
    builder.rod("blade", "foot", rod=Rod((segment, segment)))
    return builder.build()


def wave(model, n=80):
    t = np.arange(n) / 40.0
    d = 1.2 * np.sin(np.outer(t, 1.0 + np.arange(model.nv)) + np.arange(model.nv))
    return ss.integrate(model, np.broadcast_to(model.neutral(), (n, model.nq)), d)


def test_units_and_order():
    units = {column.name: column.unit for column in describe_columns(model())}
    assert tuple(units) == model().coordinate_names
    assert [units[f"pelvis.{part}"] for part in ("rx", "ry", "rz", "tx", "ty", "tz")] == ["rad"] * 3 + [
        "m"
    ] * 3
    assert [units[f"hip.{part}"] for part in "xyz"] == ["rad"] * 3
    assert (units["knee"], units["socket"]) == ("rad", "m")
    assert (units["flex"], units["roll"], units["shift"]) == ("rad", "", "m")
    assert (units["blade.1.ky"], units["blade.2.ex"]) == ("1/m", "1")


@pytest.mark.parametrize("degrees", [False, True])
def test_there_and_back(degrees):
    """The same poses to rounding, and only angles are scaled."""
    m = model()
    q = wave(m)
    table = table_of(m, q, degrees=degrees)
    assert table.shape == (80, m.nv)
    assert np.abs(ss.difference(m, q_of(m, table, degrees=degrees), q)).max() < 2e-15 * (
        8.0 if degrees else 2.0
    )
    ratio = table_of(m, q, degrees=True) / table_of(m, q)
    scaled = [column.unit == "rad" for column in describe_columns(m)]
    assert np.allclose(ratio, np.where(scaled, 180.0 / np.pi, 1.0), rtol=1e-14)


@given(st.lists(st.floats(-20.0, 20.0), min_size=3, max_size=3))
def test_any_three_angles_come_back_as_the_same_rotation(angles):
    quat = quaternions_of(np.array([angles]))
    assert np.allclose(np.abs(np.sum(quat * turned([angles]))), 1.0, rtol=0.0, atol=1e-14)
    again = quaternions_of(angles_of(quat))
    assert min(np.abs(again - quat).max(), np.abs(again + quat).max()) < 1e-14


@pytest.mark.parametrize("b", [np.pi / 2, -np.pi / 2])
@pytest.mark.parametrize("away", [0.0, 1e-15, 1e-12, 1e-9, 1e-6, 1e-3])
def test_the_rotation_survives_where_two_angles_cannot_be_told_apart(b, away):
    quat = turned([[0.7, b - np.sign(b) * away, -1.1]])
    again = quaternions_of(angles_of(quat))
    assert min(np.abs(again - quat).max(), np.abs(again + quat).max()) < 1e-12


def test_angles_run_on_over_many_turns():
    """Each angle in turn runs on for three turns; the second passes its poles, where the kind of triple changes."""
    t = np.linspace(0.0, 6.0 * np.pi, 401)
    for axis in range(3):
        wanted = np.tile([0.3, 0.2, -0.4], (len(t), 1))
        wanted[:, axis] += t
        assert np.allclose(angles_of(turned(wanted)), wanted, rtol=0.0, atol=1e-9)


def test_a_frame_on_the_pole_has_the_first_angle_of_the_frame_before():
    """Exactly at 90 degrees about y only a + c is seen; no spike in a and c."""
    b = np.deg2rad([88.0, 89.0, 90.0, 91.0, 92.0])
    wanted = np.stack([np.full(5, 0.5), b, np.full(5, -0.3)], axis=-1)
    assert np.allclose(angles_of(turned(wanted)), wanted, rtol=0.0, atol=1e-9)


def test_a_motion_that_starts_on_the_pole():
    """The first frames have the first angle of the first frame that has one."""
    wanted = np.stack(
        [np.full(5, 0.5), np.deg2rad([90.0, 90.0, 89.0, 88.0, 87.0]), np.full(5, -0.3)], axis=-1
    )
    found = angles_of(turned(wanted))
    assert np.allclose(found, wanted, rtol=0.0, atol=1e-9)


def test_a_motion_that_stays_on_the_pole():
    quats = turned([[0.0, np.pi / 2, 0.1 * k] for k in range(4)])
    found = angles_of(quats)
    assert np.allclose(found[:, 2] - found[0, 2] + found[:, 0] - found[0, 0], 0.1 * np.arange(4), atol=1e-7)
    assert np.abs(found).max() < 4.0


def test_signs_and_lengths_of_quaternions_do_not_matter():
    rng = np.random.default_rng(0)
    wanted = 0.5 * np.cumsum(0.1 * rng.standard_normal((50, 3)), axis=0)
    quats = turned(wanted) * rng.choice([-2.0, 0.5], 50)[:, None]
    assert np.allclose(angles_of(quats), wanted, rtol=0.0, atol=1e-12)


def test_no_frames():
    m = model()
    assert table_of(m, np.empty((0, m.nq))).shape == (0, m.nv)
    assert q_of(m, np.empty((0, m.nv))).shape == (0, m.nq)
