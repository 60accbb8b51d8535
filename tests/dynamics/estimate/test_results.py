"""What an estimate hands over: places, wrenches, residual, marks."""

import dataclasses

import numpy as np
import pytest
from tests.dynamics.estimate.people import (
    G,
    column,
    gait,
    one_leg,
    program,
    prosthetic,
    pushed,
    still,
    swaying,
    swaying_loads,
)
from tests.trials import swinging

import softstride as ss
from softstride.dynamics.ground import LOADED, Ground
from softstride.errors import InputError

W = 75.0 * G


@pytest.fixture(scope="module")
def loads():
    return swaying_loads()


def test_fields_of_the_ground(loads):
    ground, n = loads.ground, len(swaying())
    c = len(ground.names)
    assert c == 12 and len(set(ground.names)) == c
    assert ground.foot == ("right",) * 6 + ("left",) * 6
    assert all(name.startswith(side) for name, side in zip(ground.names, ground.foot, strict=True))
    assert ground.place.shape == ground.force.shape == (n, c, 3)
    assert ground.activation.shape == (n, c)
    assert ground.converged.all() and ground.iterations >= 1
    np.testing.assert_array_equal(ground.up, [0, 1, 0])
    assert ground.friction == 0.8 and ground.floor == 0.0 and not ground.belt.any()
    assert ((ground.activation > 0) & (ground.activation < 1)).all()
    assert ground.normal.min() >= -1e-8 * W and ground.friction_margin.min() >= -1e-8 * W
    for array in (ground.place, ground.force, ground.activation, ground.belt, ground.converged):
        assert not array.flags.writeable
    assert "12 places" in repr(ground)


def test_wrenches_are_the_sums_of_the_places(loads):
    """Force and moment about any point are those of the forces at the places; about its own only a vertical is left."""
    ground = loads.ground
    pole = np.array([0.3, 1.0, -0.2])
    for side in ("right", "left"):
        own = [k for k, each in enumerate(ground.foot) if each == side]
        f, x = ground.force[:, own], ground.place[:, own]
        wrench = loads.wrenches[f"ground_{side}"]
        np.testing.assert_allclose(wrench.force, f.sum(axis=1), atol=1e-9 * W)
        assert not wrench.moment[:, [0, 2]].any()
        loaded = np.isfinite(wrench.point).all(axis=1)
        assert loaded.sum() > 60
        assert not np.any(wrench.force[~loaded])
        expected = np.cross(x - pole, f).sum(axis=1)
        found = wrench.moment + np.cross(wrench.point - pole, wrench.force)
        np.testing.assert_allclose(found[loaded], expected[loaded], atol=1e-9 * W)
        heavy = loaded & (wrench.force[:, 1] > 0.01 * W)
        low, high = x.min(axis=1) - 1e-9, x.max(axis=1) + 1e-9
        assert ((wrench.point >= low) & (wrench.point <= high))[heavy].all()  # under the foot


def test_residual_is_what_the_rows_of_the_base_are_left_with(loads):
    """[moment; force] about the pelvis, from tau of its coordinates, by power: tau'v = w'(twist) for any v."""
    rng = np.random.default_rng(0)
    base = list(gait().v_indices("pelvis"))
    q = swaying().q
    v = np.zeros((len(q), gait().nv))
    v[:, base] = rng.normal(size=(len(q), 6))
    twist = ss.velocities(gait(), q, v, "pelvis").reshape(len(q), 6)
    R = ss.poses(gait(), q, "pelvis").reshape(len(q), 4, 4)[:, :3, :3]
    turning, moving = (np.einsum("nij,nj->ni", R, part) for part in (twist[:, :3], twist[:, 3:]))
    power = np.sum(loads.tau[:, base] * v[:, base], axis=1)
    expected = np.sum(loads.residual[:, :3] * turning + loads.residual[:, 3:] * moving, axis=1)
    np.testing.assert_allclose(power, expected, rtol=0, atol=1e-9 * W)
    assert loads.base == "pelvis"


def test_force_that_is_left_is_what_the_motion_asked_for_and_the_ground_does_not_give(loads):
    """Base rows without ground (solve_id with nothing) less the forces of the feet."""
    bare = ss.solve_id(gait(), swaying())
    given = sum(w.force for w in loads.wrenches.values())
    np.testing.assert_allclose(loads.residual[:, 3:], bare.residual[:, 3:] - given, rtol=0, atol=1e-9 * W)


@pytest.mark.parametrize("person", [gait, prosthetic])
def test_inverse_dynamics_under_the_estimated_forces(person, tmp_path):
    """Saved as OpenSim's files, read again, applied: the same torques and residual."""
    model = person()
    motion = swaying() if person is gait else standing_on_blade()
    loads = ss.estimate_loads(model, motion, lowpass=None)
    ss.save_ground(loads, tmp_path / "grf.mot", tmp_path / "loads.xml")
    again = ss.solve_id(model, motion, ss.read(tmp_path / "loads.xml"))
    scale = np.abs(loads.tau).max()
    np.testing.assert_allclose(again.tau, loads.tau, rtol=0, atol=1e-5 * scale)
    np.testing.assert_allclose(again.residual, loads.residual, rtol=0, atol=1e-5 * W)
    np.testing.assert_allclose(again.elastic, loads.elastic)
    bare = ss.solve_id(model, motion)
    assert np.abs(bare.tau - loads.tau).max() > 0.1 * scale  # the forces do something


def standing_on_blade(n=20):
    """Return the person with the blade, which is bent as under some load."""
    model = prosthetic()
    rod = list(model.v_indices("blade_r"))
    motion = swinging(model, n=n, amplitude=0.02)
    q = motion.q.copy()
    q[:, rod] = model.neutral()[rod]
    return ss.Motion(model, motion.time, q, rates=(motion.v, motion.a))


def test_a_socket_bears_the_load_of_its_blade():
    loads = ss.estimate_loads(prosthetic(), standing_on_blade())
    assert len(loads.socket) == 1
    assert set(loads.wrenches) == {"ground_right", "ground_left"}


def bent(load):
    """Return the person standing with the blade bent as under a vertical load [N] on its patch, in equilibrium."""
    model = prosthetic()
    rod = list(model.v_indices("blade_r"))
    segments = model.link("blade_r").joint.segments
    stiffness = np.concatenate([s.length * np.diag(s.stiffness)[list(s.free_indices)] for s in segments])
    q = model.neutral().copy()
    for _ in range(12 if load else 0):
        p = program(model, still(model, q, n=1))
        f = np.zeros((len(p.contacts.names), 3))
        f[:4, 1] = load / 4
        q[rod] += 0.9 * (model.neutral()[rod] + pushed(p, 0, f)[rod] / stiffness - q[rod])
    return q


@pytest.mark.parametrize("load", [0.0, 200.0, 500.0])
def test_a_bent_blade_tells_of_its_load(load):
    """A blade in equilibrium under a load bears that load; without load cell its bend says nothing."""
    model, q = prosthetic(), bent(load)
    loads = ss.estimate_loads(model, still(model, q))
    right, left = (loads.wrenches[f"ground_{side}"].force[0] for side in ("right", "left"))
    weight = model.mass * G
    assert right[1] == pytest.approx(load, abs=0.005 * weight)
    assert right[1] + left[1] == pytest.approx(weight, rel=0.03)
    blind = ss.estimate_loads(model, still(model, q), load_cell=False)
    assert blind.wrenches["ground_right"].force[0, 1] == pytest.approx(0.5 * weight, rel=0.1)


@pytest.mark.slow
def test_feet_that_are_elsewhere_are_marked():
    """Standing on one leg, however the links are said to be swapped: nothing on the floor explains that."""
    q, _ = one_leg()
    q = np.concatenate([np.tile(gait().neutral(), (10, 1)), np.tile(q, (30, 1))])
    zero = np.zeros((40, gait().nv))
    motion = ss.Motion(gait(), np.arange(40) / 100.0, q, rates=(zero, zero))
    fine = ss.estimate_loads(gait(), motion, smoothness=None, lowpass=None)
    assert not fine.doubtful.any()
    hands = ss.estimate_loads(
        gait(),
        motion,
        smoothness=None,
        lowpass=None,
        links={"right": "calcn_l", "left": "hand_l"},
        soles={"left": ss.contact.sole.Sole.foot(-0.05, 0.15, "left")},
    )
    assert hands.doubtful[10:].all()
    assert any("no force of the feet explains" in str(note) for note in hands.notes)


def test_a_floor_a_metre_below_the_feet_is_not_believed():
    up = gait().neutral().copy()
    up[column(gait(), "pelvis_ty")] += 1.0
    loads = ss.estimate_loads(gait(), still(gait(), up), floor=0.0)
    assert loads.doubtful.all()


def test_nothing_more_than_its_share_of_friction(loads):
    used = loads.ground.friction_used
    assert np.nanmax(used) <= 1.0 + 1e-6
    right = loads.wrenches["ground_right"].force
    left = loads.wrenches["ground_left"].force
    with np.errstate(invalid="ignore", divide="ignore"):
        each = [
            np.where(f[:, 1] > LOADED, np.hypot(f[:, 0], f[:, 2]) / (0.8 * f[:, 1]), np.nan)
            for f in (right, left)
        ]
    expected = np.nanmax(np.where(np.isfinite(each), each, np.nan), axis=0)
    np.testing.assert_allclose(used, expected, rtol=1e-6)


def test_numbers_of_the_ground_by_hand():
    """Two places, forces written down; the third frame hardly touches."""
    force = 10.0 * np.array(
        [
            [[3.0, 10.0, 4.0], [0.0, 5.0, -6.0]],
            [[0.0, 0.0, 0.0], [0.0, 0.0, 0.0]],
            [[0.1, 0.2, 0.0], [0, 0, 0]],
        ]
    )
    ground = Ground(
        ("a", "b"),
        ("right", "left"),
        np.zeros((3, 2, 3)),
        force,
        np.full((3, 2), 0.5),
        0.0,
        np.array([-1.5, 0.0, 0.0]),
        np.array([0.0, 1.0, 0.0]),
        0.8,
        np.array([True, False, True]),
        3,
    )
    np.testing.assert_allclose(ground.normal, [[100, 50], [0, 0], [2, 0]])
    np.testing.assert_allclose(ground.tangential, [[50, 60], [0, 0], [1, 0]])
    np.testing.assert_allclose(ground.friction_margin, [40 - 60, 0, 0])
    np.testing.assert_allclose(ground.friction_used, [6 / 4, np.nan, np.nan])
    assert "belt 1.50 m/s" in repr(ground) and "2 of 3 frames converged" in repr(ground)
    with pytest.raises(InputError, match="activation of the ground must have shape"):
        dataclasses.replace(ground, activation=np.zeros((3, 3)))


def test_solve_id_has_no_ground():
    assert ss.solve_id(gait(), still(gait())).ground is None


def test_an_estimate_knows_where_the_feet_could_touch(loads):
    """The same places from the state that it was found from, without looking for floor and soles again."""
    found, ground = loads.contacts, loads.ground
    assert (
        found.names == ground.names and found.place is ground.place and found.activation is ground.activation
    )
    assert loads.state.motion.model is loads.model and np.array_equal(loads.state.time, loads.time)
    again = found.at(loads.model, loads.state)
    for name in ("place", "activation", "foot_activation"):
        assert np.array_equal(getattr(again, name), getattr(found, name)), name
    assert again.floor == ground.floor and again.belt is found.belt
    part = ss.estimate_loads(loads.model, loads.state.motion, time_range=(0.1, 0.2))
    assert len(part.contacts.place) == len(part) == len(part.state.time) < len(loads)
    assert dataclasses.replace(part, lowpass=1.0).contacts is None
