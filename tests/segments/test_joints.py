"""Joint coordinate systems, powers, work, energy and normalisation."""

from pathlib import Path

import numpy as np
import pytest

from softstride.errors import InputError
from softstride.segments.body_size import UNITS, Size, normalise
from softstride.segments.components import express, segment_axes
from softstride.segments.inverse import inverse_dynamics
from softstride.segments.jcs import joint_angles
from softstride.segments.motion import SegmentMotion
from softstride.segments.power import joint_power, segment_energy, work
from softstride.segments.reference import reference_limb

T = np.linspace(0.0, 1.0, 4001)


@pytest.mark.parametrize("sequence", ["zxy", "zyx", "isb"])
@pytest.mark.parametrize("side", ["right", "left"])
def test_rates_about_the_axes_add_up_to_the_relative_angular_velocity(sequence: str, side: str) -> None:
    limb = reference_limb(T)
    pair = (
        (limb.motion["shank"], limb.motion["foot"])
        if sequence != "zxy"
        else (limb.motion["thigh"], limb.motion["shank"])
    )
    joint = joint_angles(*pair, sequence=sequence, side=side)
    rates = np.gradient(joint.angles, T, axis=0)
    turn = pair[1].angular_velocity() - pair[0].angular_velocity()
    summed = np.einsum("nk,nkj->nj", rates, joint.axes)
    assert (
        np.abs(summed - turn)[2:-2].max() < 2e-5
    )  # differences of step h = 2.5e-4: h^2 |t'''| / 6 = 2e-8 * 500


def test_projections_are_conjugate_to_the_angles_and_components_are_not() -> None:
    limb = reference_limb(T)
    loads = inverse_dynamics(limb.segments, limb.motion, limb.external, gravity=limb.gravity)
    moment = loads.moment_on("shank")
    knee = joint_angles(limb.motion["thigh"], limb.motion["shank"])
    rates = np.gradient(knee.angles, T, axis=0)
    power = joint_power(loads.force_on("shank"), moment, limb.motion["shank"], limb.motion["thigh"])
    assert np.abs(power.translation).max() < 1e-9  # the joint does not come apart
    by_projection = np.sum(express(moment, knee.axes) * rates, axis=1)
    by_component = np.sum(express(moment, knee.axes, "component") * rates, axis=1)
    scale = np.abs(power.rotation).max()
    assert np.abs(by_projection - power.rotation)[2:-2].max() < 1e-5 * scale
    assert np.abs(by_component - power.rotation).max() > 0.1 * scale


def test_components_rebuild_the_vector_and_projections_do_not() -> None:
    limb = reference_limb([0.3])
    M = np.array([[10.0, -20.0, 30.0]])
    axes = segment_axes(limb.motion["thigh"])
    assert np.allclose(np.einsum("nk,nkj->nj", express(M, axes, "component"), axes), M)
    assert not np.allclose(np.einsum("nk,nkj->nj", express(M, axes), axes), M, rtol=0.1)
    square = segment_axes(limb.motion["thigh"], "orthonormal")
    assert np.allclose(express(M, square), express(M, square, "component"))
    assert np.allclose(express(M, segment_axes(limb.motion["thigh"], "world")), M)
    flat = np.array([[[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [1.0, 0.0, 0.0]]])
    assert np.isnan(express(M, flat, "component")).all()
    with pytest.raises(InputError, match="kind must be one of projection, component"):
        express(M, axes, "covariant")  # type: ignore[arg-type]


def test_signs_of_a_right_and_of_a_left_limb() -> None:
    """A leg that hangs down, then is turned by hand: flexion, adduction, internal rotation are positive on both
    sides."""
    t = np.zeros(1)

    def segment(u, v, w):  # type: ignore[no-untyped-def]
        return SegmentMotion.of(t, [u], [v], [[0.0, 0.0, 0.0]], [w])

    pelvis = segment([1.0, 0.0, 0.0], [0.0, 0.1, 0.0], [0.0, 0.0, 1.0])
    c, s = np.cos(0.3), np.sin(0.3)
    forward = segment([c, s, 0.0], [-0.4 * s, 0.4 * c, 0.0], [0.0, 0.0, 1.0])  # the knee goes forward
    assert np.allclose(joint_angles(pelvis, forward, side="right").angles, [[0.3, 0.0, 0.0]])
    assert np.allclose(joint_angles(pelvis, forward, side="left").angles, [[0.3, 0.0, 0.0]])
    to_the_left = segment([1.0, 0.0, 0.0], [0.0, 0.4 * c, 0.4 * s], [0.0, -s, c])  # the knee goes to the left
    assert np.allclose(joint_angles(pelvis, to_the_left, side="right").angles, [[0.0, 0.3, 0.0]])
    assert np.allclose(joint_angles(pelvis, to_the_left, side="left").angles, [[0.0, -0.3, 0.0]])
    toes_left = segment([c, 0.0, -s], [0.0, 0.4, 0.0], [s, 0.0, c])  # toes to the left
    assert np.allclose(joint_angles(pelvis, toes_left, side="right").angles, [[0.0, 0.0, 0.3]])
    assert np.allclose(joint_angles(pelvis, toes_left, side="left").angles, [[0.0, 0.0, -0.3]])
    bowed = segment(
        [c, -s, 0.0], [-0.4 * s, -0.4 * c, 0.0], [0.0, 0.0, 1.0]
    )  # a trunk leaning forward, v down
    assert np.allclose(joint_angles(pelvis, bowed, rises=(True, False)).angles, [[-0.3, 0.0, 0.0]])


def test_energy_balances() -> None:
    """Joint powers, the power of the ground and that of the hip add up to the rate of energy of the limb."""
    limb = reference_limb(T)
    loads = inverse_dynamics(limb.segments, limb.motion, limb.external, gravity=limb.gravity)
    energy = sum(sum(segment_energy(s, limb.motion[s.name], limb.gravity)) for s in limb.segments)
    total = np.zeros_like(T)
    for name, parent in (("foot", "shank"), ("shank", "thigh"), ("thigh", None)):
        above = None if parent is None else limb.motion[parent]
        total += joint_power(loads.force_on(name), loads.moment_on(name), limb.motion[name], above).total
    (ground,) = limb.external
    foot = limb.motion["foot"]
    omega = foot.angular_velocity()
    at_ground = foot.jet().d[:, 1] + np.cross(omega, ground.point - foot.proximal)
    total += np.sum(ground.force * at_ground + ground.moment * omega, axis=1)
    # the rate of energy by a quintic spline: h^5 of 2.5e-4 s is nothing
    from scipy.interpolate import make_interp_spline

    rate = make_interp_spline(T, energy, k=5)(T, 1)
    assert np.abs(rate - total)[5:-5].max() < 1e-9 * np.abs(total).max()


def test_work_is_split_where_power_changes_sign() -> None:
    t = np.array([0.0, 1.0, 2.0, 4.0])
    found = work(t, [2.0, -2.0, 0.0, 1.0])
    assert found.positive == pytest.approx(0.5 + 1.0)
    assert found.negative == pytest.approx(-0.5 - 1.0)
    assert found.net == pytest.approx(float(np.trapezoid([2.0, -2.0, 0.0, 1.0], t)))
    with pytest.raises(InputError, match="two instants or more"):
        work([0.0, 1.0], [1.0, np.nan])


def test_normalisation() -> None:
    person = Size(mass=80.0, height=1.75, leg=0.9, gravity=10.0)
    assert normalise(160.0, "moment", "mass", person) == pytest.approx(2.0)
    assert normalise(140.0, "moment", "bw_height", person) == pytest.approx(10.0)
    assert normalise(72.0, "moment", "bw_leg", person) == pytest.approx(10.0)
    assert normalise(72.0, "moment", "dimensionless", person) == pytest.approx(0.1)
    assert normalise(400.0, "force", "bw_height", person) == pytest.approx(50.0)
    assert normalise(2400.0, "power", "dimensionless", person) == pytest.approx(1.0)
    assert normalise([1.0, 2.0], "power", "none", Size()).tolist() == [1.0, 2.0]
    assert set(UNITS) == {"none", "mass", "bw_height", "bw_leg", "dimensionless"}
    with pytest.raises(InputError, match="needs the height of the person"):
        normalise(1.0, "moment", "bw_height", Size(mass=80.0))
    with pytest.raises(InputError, match="must be one of none, mass"):
        normalise(1.0, "moment", "bodyweight", person)  # type: ignore[arg-type]
    limb = reference_limb([0.0])
    with pytest.raises(InputError, match="sequence must be one of"):
        joint_angles(limb.motion["thigh"], limb.motion["shank"], sequence="xyz")  # type: ignore[arg-type]


def hinged(second: float) -> tuple[SegmentMotion, SegmentMotion]:
    """Two segments, the distal one turned about the forward axis of the other by some degrees, in three frames."""
    time, still = np.arange(3) / 100.0, np.ones((3, 1))
    turn = np.radians(second)
    v = np.array([0.0, np.cos(turn), np.sin(turn)])
    w = np.array([0.0, -np.sin(turn), np.cos(turn)])
    x, y, z = np.eye(3)
    proximal = SegmentMotion.of(time, still * x, still * 0.8 * y, still * 0.4 * y, still * z)
    distal = SegmentMotion.of(time, still * x, still * 0.4 * y, still * (0.4 * y - 0.4 * v), still * w)
    return proximal, distal


@pytest.mark.parametrize(("second", "locked"), [(0.0, False), (84.0, False), (86.0, True), (-89.0, True)])
def test_a_gimbal_lock_is_seen(second: float, locked: bool) -> None:
    found = joint_angles(*hinged(second))
    assert np.degrees(found.angles[:, 1]) == pytest.approx(second)
    assert (found.gimbal == locked).all()


def test_angles_are_saved(tmp_path: Path) -> None:
    limb = reference_limb(np.arange(5) / 100.0)
    found = joint_angles(limb.motion["thigh"], limb.motion["shank"])
    found.save(tmp_path / "knee.csv")
    rows = np.genfromtxt(tmp_path / "knee.csv", delimiter=",", names=True)
    assert rows.dtype.names == ("time", "e1", "e2", "e3") and np.array_equal(rows["e2"], found.angles[:, 1])
    assert found.to_dataframe().loc[0.02, "e3"] == found.angles[2, 2]
    assert found.to_xarray()["axes"].sel(joint_axis="e1", axis="z").shape == (5,)
