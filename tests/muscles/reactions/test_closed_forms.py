"""Reactions that can be worked out by hand: pendulum, crane, elbow."""

import numpy as np
import pytest
from tests.muscles.reactions.machines import G, at_rest, cable, crane, elbow, forces, with_muscles

import softstride as ss
from softstride.notes import codes

EXACT = 1e-11


def solved(model, q, tensions=None, **options):
    """Reactions of a model at rest under tensions by name of muscle."""
    motion = at_rest(model, q)
    loads = ss.solve_id(model, motion)
    given = None if tensions is None else forces(tuple(tensions), motion.time, list(tensions.values()))
    return ss.joint_reactions(model, motion, loads, given, **options)


def test_a_pendulum_hangs_by_its_weight():
    b = ss.ModelBuilder("pendulum", gravity=(0.0, -G, 0.0))
    b.revolute("rod", axis=(0, 0, 1), position=(1.0, 2.0, 0.0), mass=3.0, com=(0.5, 0.0, 0.0))
    model = b.build()
    level = solved(model, [0.0], frame="ground").joint("rod")
    np.testing.assert_allclose(level.force, np.tile([0.0, 30.0, 0.0], (4, 1)), atol=EXACT)
    np.testing.assert_allclose(level.moment, np.tile([0.0, 0.0, 15.0], (4, 1)), atol=EXACT)
    np.testing.assert_allclose(level.point, np.tile([1.0, 2.0, 0.0], (4, 1)), atol=EXACT)
    hanging = solved(model, [-np.pi / 2]).joint("rod")  # in its own axes: x points down
    np.testing.assert_allclose(hanging.force, np.tile([-30.0, 0.0, 0.0], (4, 1)), atol=EXACT)
    np.testing.assert_allclose(hanging.moment, 0.0, atol=EXACT)


def test_the_cable_of_a_crane_presses_the_boom_on_its_pin():
    """The cable at 45 degrees carries sqrt(2) 1000 N; the pin is pushed by 1000 N along the boom, without a moment."""
    model = crane()
    tension = 1000.0 * np.sqrt(2.0)
    found = solved(model, [0.0], {"cable": tension}, frame="ground")
    pin = found.joint("boom")
    np.testing.assert_allclose(pin.force, np.tile([1000.0, 0.0, 0.0], (4, 1)), atol=1e-9)
    np.testing.assert_allclose(pin.moment, 0.0, atol=1e-9)
    np.testing.assert_allclose(found.rest, 0.0, atol=1e-9)
    assert found.balance < 1e-12
    assert "reactions.carried-inside" not in codes(found.notes)


def test_what_the_cable_does_not_carry_the_pin_must():
    """With half the tension a motor at the pin holds the other half of the moment, and says so."""
    found = solved(crane(), [0.0], {"cable": 500.0 * np.sqrt(2.0)}, frame="ground")
    pin = found.joint("boom")
    np.testing.assert_allclose(pin.force, np.tile([500.0, 500.0, 0.0], (4, 1)), atol=1e-9)
    np.testing.assert_allclose(pin.moment, np.tile([0.0, 0.0, 1500.0], (4, 1)), atol=1e-9)
    np.testing.assert_allclose(found.rest, 1500.0, atol=1e-9)
    assert any(
        "carried inside the joints: at most 1.5e+03 of 3e+03 in 'boom'" in str(note)
        for note in found.notes
        if note.code == "reactions.carried-inside"
    )


@pytest.mark.parametrize("angle", [np.pi / 2, np.pi / 3, 2.0])
def test_a_muscle_loads_the_joint_it_crosses_by_much_more_than_the_weight(angle):
    """20 N at 0.2 m against a muscle at 0.04 m: 100 N across the forearm; the rest of its pull presses along it."""
    model = elbow(angle)
    tension = 20.0 * 0.2 / (0.04 * np.sin(angle))
    found = solved(model, [0.0, 0.0], {"brachialis": tension}, frame="ground")
    lower = found.joint("forearm")
    pull = tension * np.array([np.cos(angle), np.sin(angle), 0.0])
    np.testing.assert_allclose(lower.force, np.tile([0.0, 20.0, 0.0] - pull, (4, 1)), atol=1e-9)
    np.testing.assert_allclose(lower.moment, 0.0, atol=1e-9)
    upper = found.joint("arm")  # the muscle does not cross the shoulder
    np.testing.assert_allclose(upper.force, np.tile([0.0, 50.0, 0.0], (4, 1)), atol=1e-9)
    np.testing.assert_allclose(upper.moment, np.tile([0.0, 0.0, 4.0], (4, 1)), atol=1e-9)
    net = solved(model, [0.0, 0.0], frame="ground")
    np.testing.assert_allclose(net.joint("forearm").force, np.tile([0.0, 20.0, 0.0], (4, 1)), atol=1e-9)
    np.testing.assert_allclose(net.joint("forearm").moment, np.tile([0.0, 0.0, 4.0], (4, 1)), atol=1e-9)


def test_two_muscles_of_opposite_moment_only_press():
    """Co-contraction makes no moment, and loads the joint by both tensions."""
    model = elbow()
    twin = model.muscles["brachialis"]
    other = twin.path.points[0]
    both = with_muscles(
        model,
        twin,
        cable("triceps", ("arm", -np.array(other.position) * [1, -1, 1]), ("forearm", (-0.04, 0.0, 0.0))),
    )
    tension = 20.0 * 0.2 / 0.04
    found = solved(both, [0.0, 0.0], {"brachialis": tension + 50.0, "triceps": 50.0}, frame="ground")
    np.testing.assert_allclose(found.rest[:, 1], 0.0, atol=1e-9)
    lower = found.joint("forearm")
    np.testing.assert_allclose(lower.force, np.tile([0.0, 20.0 - tension - 100.0, 0.0], (4, 1)), atol=1e-9)


def test_a_swinging_pendulum_pulls_with_its_speed():
    """At the bottom, with angular velocity w: m g + m w^2 l."""
    b = ss.ModelBuilder("pendulum", gravity=(0.0, -G, 0.0))
    b.revolute("bob", axis=(0, 0, 1), mass=2.0, com=(0.0, -0.7, 0.0))
    model = b.build()
    v = np.array([[0.0], [3.0], [-5.0]])
    motion = ss.Motion(model, np.arange(3) / 100.0, np.zeros((3, 1)), rates=(v, np.zeros((3, 1))))
    found = ss.joint_reactions(model, motion, ss.solve_id(model, motion))
    np.testing.assert_allclose(found.force[:, 0, 1], 2.0 * (G + 0.7 * v[:, 0] ** 2), rtol=1e-13)
    np.testing.assert_allclose(found.force_bw[:, 0, 1], 1.0 + 0.07 * v[:, 0] ** 2, rtol=1e-13)
