"""Induced effects: sums, residuals, and contacts that hold their point."""

import numpy as np
import pytest
from tests.oracles.planar_newton import random_chain, random_state

from softstride.errors import InputError
from softstride.planar import Chain, Contact, Muscle, State


@pytest.fixture
def case():
    rng = np.random.default_rng(21)
    chain = random_chain(rng, 5)
    on = {"c0": 3, "c1": 5, "c2": 4, "c3": 1, "ground": 0}  # a point on link 1 moves along a circle only
    chain = chain.changed(contacts=[Contact(c.name, on[c.name], c.point) for c in chain.contacts])
    state = random_state(rng, chain, base=True, frames=6)
    return chain, state.changed(torque=rng.standard_normal((6, 5)))


def test_sums_are_totals_also_where_forces_do_not_explain_the_motion(case):
    chain, state = case
    found = chain.induced(state)
    np.testing.assert_allclose(found.total_force, chain.reactions(state).force, rtol=1e-9, atol=1e-8)
    np.testing.assert_allclose(found.total_acceleration, state.alpha[:, 1:], rtol=1e-9, atol=1e-8)
    residual = found.acceleration[..., found.column("residual")]
    np.testing.assert_allclose(
        residual, (state.alpha - chain.accelerations(state))[:, 1:], rtol=1e-8, atol=1e-8
    )
    assert not any(label.startswith("alpha") for label in found.labels)


@pytest.mark.parametrize("grouping", ["kind", "link", "spanning"])
def test_groups_keep_the_sums(case, grouping):
    chain, state = case
    found, whole = chain.induced(state, fixed=("c0",)).by(grouping), chain.induced(state, fixed=("c0",))
    np.testing.assert_allclose(found.total_force, whole.total_force, rtol=1e-10, atol=1e-8)
    if grouping != "spanning":
        np.testing.assert_allclose(
            found.contact_force.sum(axis=-2), whole.contact_force.sum(axis=-2), atol=1e-8
        )
    np.testing.assert_allclose(found.total_acceleration, whole.total_acceleration, atol=1e-8)


def test_each_cause_alone_accelerates_by_its_column(case):
    """One muscle and nothing else, from rest and without weight: forward dynamics gives its column."""
    chain, state = case
    found = chain.induced(state)
    alone = chain.changed(gravity=0.0).accelerations(
        state.changed(
            omega=None,
            alpha=None,
            torque=None,
            base_acceleration=None,
            tension={name: value if name == "m2" else 0.0 for name, value in state.tension.items()},
            force=dict.fromkeys(state.force, (0.0, 0.0)),
            couple={},
        )
    )
    np.testing.assert_allclose(
        found.acceleration[..., found.column("muscle:m2")], alone[:, 1:], rtol=1e-9, atol=1e-9
    )


def test_fixed_contacts_give_back_the_force_of_the_state(case):
    """With the residual among the causes, forces of held points add up to what the state says they are."""
    chain, state = case
    found = chain.induced(state, fixed=("c0", "c1"))
    for k, name in enumerate(("c0", "c1")):
        np.testing.assert_allclose(
            found.contact_force[:, k].sum(axis=-2), state.force[name], rtol=1e-6, atol=1e-6
        )
    np.testing.assert_allclose(found.total_force, chain.reactions(state).force, rtol=1e-8, atol=1e-7)
    np.testing.assert_allclose(found.total_acceleration, state.alpha[:, 1:], rtol=1e-8, atol=1e-7)


def test_a_held_tip_does_not_accelerate():
    """Every cause but the residual leaves the point where it is, velocities apart; by hand from the Jacobian."""
    chain = Chain(
        length=[0.1, 0.4, 0.4, 0.3],
        mass=[1, 5, 4, 2],
        com=np.tile((0.2, 0.0), (4, 1)),
        inertia=[0.1, 0.1, 0.1, 0.05],
        muscles=[Muscle("m", [(0, 0.0, 0.05), (1, 0.1, 0.04)])],
        contacts=[Contact("hand", 3, (0.3, 0.0))],
    )
    state = State(theta=[0.0, 1.2, 0.4, -0.6], tension={"m": 300.0}, force={"hand": (0.0, 0.0)})
    found = chain.induced(state, fixed=("hand",))
    links = chain.length[1:] * np.exp(1j * state.theta[1:])
    for label in ("muscle:m", "weight:2"):
        tip = np.sum(1j * links * found.acceleration[:, found.column(label)])
        assert abs(tip) < 1e-12
    assert np.linalg.norm(found.contact_force[0, found.column("muscle:m")]) > 1.0
    free = chain.induced(state)
    assert abs(np.sum(1j * links * free.acceleration[:, free.column("muscle:m")])) > 0.1


def test_bad_requests(case):
    chain, state = case
    with pytest.raises(InputError, match="'nose'"):
        chain.induced(state, fixed=("nose",))
    with pytest.raises(InputError, match="on the base"):
        chain.induced(chain.balanced(state, "ground"), fixed=("ground",))
    with pytest.raises(InputError, match="cannot be held"):
        chain.induced(state, fixed=("c0", "c1", "c2"))
    with pytest.raises(InputError, match="cannot be held"):
        chain.induced(state, fixed=("c3",))
    with pytest.raises(InputError, match="no source 'muscle:x'"):
        chain.induced(state).column("muscle:x")
    massless = chain.changed(mass=[*chain.mass[:-1], 0.0], inertia=[*chain.inertia[:-1], 0.0])
    with pytest.raises(InputError, match="has no inverse"):
        massless.induced(state)
