"""What must not matter: where and how the chain lies, how loads are split, where the last point is."""

import numpy as np
import pytest
from tests.oracles.planar_newton import random_chain, random_state

from softstride.planar import Contact, State
from softstride.planar.forward import mass_matrices, velocity_matrices


def rotated(xy, angle):
    c, s = np.cos(angle), np.sin(angle)
    return np.asarray(xy) @ np.array([[c, s], [-s, c]])


@pytest.fixture
def case():
    rng = np.random.default_rng(8)
    chain = random_chain(rng, 4)
    return chain, random_state(rng, chain, base=True)


def test_turning_everything_turns_reactions_and_keeps_torques(case):
    chain, state = case
    angle = 0.83
    turned_chain = chain.changed(gravity=rotated(chain.gravity, angle))
    turned = state.changed(
        theta=state.theta + angle,
        force={name: rotated(value, angle) for name, value in state.force.items()},
        base_acceleration=rotated(state.base_acceleration, angle),
    )
    np.testing.assert_allclose(
        turned_chain.reactions(turned).force, rotated(chain.reactions(state).force, angle), rtol=1e-11
    )
    np.testing.assert_allclose(
        turned_chain.torques(turned).required, chain.torques(state).required, rtol=1e-11, atol=1e-10
    )
    np.testing.assert_allclose(
        turned_chain.reactions(turned).compression, chain.reactions(state).compression, rtol=1e-11, atol=1e-10
    )


def test_where_the_chain_stands_changes_nothing(case):
    chain, state = case
    far = state.changed(base_position=(1234.5, -678.9))
    np.testing.assert_array_equal(chain.contributions(far).torque, chain.contributions(state).torque)


def test_the_last_point_of_the_last_link_is_free(case):
    """Lengthening link n along its line changes nothing at all."""
    chain, state = case
    longer = chain.changed(length=[*chain.length[:-1], 2.0 * chain.length[-1]])
    for name in ("force", "torque"):
        found, wanted = (getattr(body.contributions(state), name) for body in (longer, chain))
        np.testing.assert_allclose(found, wanted, rtol=1e-13, atol=1e-12)


def test_several_contacts_are_their_resultant(case):
    chain, state = case
    link = 3
    points = np.array([[0.05, 0.02], [0.15, -0.05], [0.1, 0.1]])
    forces = np.array([[30.0, -40.0], [-10.0, 80.0], [25.0, 5.0]])
    split = chain.changed(contacts=[Contact(f"p{k}", link, tuple(p)) for k, p in enumerate(points)])
    one = chain.changed(contacts=[Contact("all", link, (0.0, 0.0))])
    world = rotated(points, state.theta[link])
    couple = np.sum(world[:, 0] * forces[:, 1] - world[:, 1] * forces[:, 0])
    base = state.changed(force={}, couple={})
    many = split.torques(base.changed(force={f"p{k}": f for k, f in enumerate(forces)}, couple={"p1": 4.0}))
    single = one.torques(base.changed(force={"all": forces.sum(axis=0)}, couple={"all": couple + 4.0}))
    np.testing.assert_allclose(many.required, single.required, rtol=1e-12, atol=1e-12)


def test_a_couple_loads_every_joint_before_it_and_no_reaction(case):
    chain, state = case
    plain = chain.changed(contacts=[Contact("twist", 2)], muscles=())
    still = State(theta=state.theta)
    for amount in (0.0, 6.5):
        table = plain.contributions(still.changed(couple={"twist": amount}))
        column = table.column("contact:twist")
        np.testing.assert_array_equal(table.torque[:, column], [-amount, -amount, 0.0, 0.0])
        np.testing.assert_array_equal(table.force[:, column], 0.0)


def test_matrices_are_symmetric_positive_and_antisymmetric(case):
    chain, state = case
    M, S = mass_matrices(chain, state), velocity_matrices(chain, state)
    np.testing.assert_array_equal(M, M.T)
    np.testing.assert_array_equal(S, -S.T)
    assert np.linalg.eigvalsh(M).min() > 0.0


def test_motors_are_columns_of_their_own(case):
    chain, state = case
    torque = np.array([5.0, -3.0, 2.0, 1.0])
    table = chain.contributions(state.changed(torque=torque))
    columns = [table.column(f"torque:{joint}") for joint in chain.joints]
    np.testing.assert_array_equal(table.torque[:, columns], np.diag(torque))
    np.testing.assert_array_equal(table.force[:, columns], 0.0)
    given = chain.torques(state.changed(torque=torque)).given
    np.testing.assert_allclose(given - chain.torques(state).given, torque, rtol=1e-10)
