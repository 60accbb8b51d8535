"""The program of the contact forces against its cost, written out place by place and joint by joint."""

import numpy as np
import pytest
from tests.dynamics.estimate.people import (
    cell_errors,
    cost,
    gait,
    needed,
    plain,
    program,
    prosthetic,
    still,
    swaying,
)
from tests.trials import swinging

import softstride as ss
from softstride.dynamics.branch import branch_of
from softstride.dynamics.estimate.rows import assemble, wrench_jacobian

ONE = {"torque": 1e-9, "spread": 1e-9, "load": 1e-9}
WEIGHTS = {
    "as they are": {},
    "torques": ONE | {"torque": 1.0},
    "spread": ONE | {"spread": 1.0},
    "load": ONE | {"load": 1.0},
    "short reach": ONE | {"reach": 0.1},
}


def agrees(p, frames=(0, 3), count=12, seed=1):
    """Compare cost(f) - cost(0) with 1/2 f' H f + g' f for forces at random, each of one place or of all."""
    rng = np.random.default_rng(seed)
    H, g = assemble(p.model, p.state, p.contacts, p.demand, p.options, slice(0, len(p.state.time)))
    c = len(p.contacts.names)
    assert H.shape == (len(p.state.time), 3 * c, 3 * c)
    assert np.abs(H - np.swapaxes(H, 1, 2)).max() <= 1e-12 * np.abs(H).max()
    for frame in frames:
        zero = cost(p, frame, np.zeros((c, 3)))
        for trial in range(count):
            f = rng.normal(size=(c, 3))
            if trial >= 4:
                f *= (np.arange(c) == rng.integers(c))[:, None]
            x = f[:, [1, 0, 2]].ravel()  # up, forward, right
            expected = cost(p, frame, f) - zero
            found = 0.5 * x @ H[frame] @ x + g[frame] @ x
            scale = 0.5 * abs(x @ H[frame] @ x) + abs(g[frame] @ x)
            assert found == pytest.approx(
                expected, rel=0.0, abs=1e-7 * scale
            )  # a ridge of 1e-9 is no part of the cost


@pytest.mark.parametrize("weights", WEIGHTS)
def test_cost_of_a_person_with_places_of_contact(weights):
    agrees(program(gait(), swinging(gait(), n=4), **WEIGHTS[weights]))


@pytest.mark.parametrize("weights", WEIGHTS)
def test_cost_of_a_person_with_average_soles(weights):
    agrees(program(plain(), swinging(plain(), n=4), **WEIGHTS[weights]))


@pytest.mark.parametrize("changes", [{}, {"load_cell": False}, {"blade_error": 0.5, "strain_error": 1e-3}])
def test_cost_of_a_person_with_a_blade(changes):
    model = prosthetic()
    p = program(model, swinging(model, n=4, amplitude=0.1), **changes)
    agrees(p, frames=(2,))
    if p.options.load_cell:
        error = cell_errors(p, 2)
        assert np.isfinite(error).sum() == len(model.v_indices("blade_r"))


def test_joints_that_both_legs_load():
    """A torso as the base: the lumbar joint below it carries the loads of both feet, and their product is a cost."""
    agrees(program(plain("torso"), swinging(plain("torso"), n=4), **WEIGHTS["torques"]))


def test_a_blade_that_nothing_bends_says_so():
    """Undeformed, its rows ask for no force; the other foot carries the body."""
    p = program(prosthetic(), still(prosthetic(), n=1))
    assert np.abs(p.demand.elastic).max() == 0.0
    H, g = assemble(p.model, p.state, p.contacts, p.demand, p.options, slice(0, 1))
    free = -np.linalg.solve(H[0], g[0]).reshape(-1, 3)
    load = [free[p.contacts.foot == k, 0].sum() for k in (0, 1)]
    assert abs(load[0]) < 0.05 and load[1] > 0.9


def test_rows_of_some_frames_are_those_frames_of_all():
    p = program(gait(), swinging(gait(), n=9))
    H, g = assemble(p.model, p.state, p.contacts, p.demand, p.options, slice(0, 9))
    part = assemble(p.model, p.state, p.contacts, p.demand, p.options, slice(4, 7))
    np.testing.assert_allclose(part[0], H[4:7], rtol=0, atol=1e-12)
    np.testing.assert_allclose(part[1], g[4:7], rtol=0, atol=1e-12)


def test_needed_is_what_the_rows_of_the_base_ask_for():
    p = program(gait(), swinging(gait(), n=3))
    for frame in range(3):
        np.testing.assert_allclose(p.demand.needed[frame], needed(p, frame), rtol=0, atol=1e-8 * p.weight)
    assert p.demand.transmits.all()


def test_force_that_is_needed_is_that_of_the_centre_of_mass():
    """m (a - g), with the acceleration of the centre of mass by differences in time."""
    motion = swaying()
    p = program(gait(), motion)
    com = ss.centre_of_mass(gait(), motion.q)
    h = 1.0 / 100.0
    a = (com[2:] - 2.0 * com[1:-1] + com[:-2]) / h**2
    expected = gait().mass * (a - gait().gravity)
    middle = slice(10, -10)
    assert np.abs(p.demand.needed[1:-1, 3:] - expected)[middle].max() < 2e-3 * p.weight


@pytest.mark.parametrize("person", [gait, prosthetic])
def test_wrench_jacobian_is_that_of_the_engine(person):
    """G^T w of unit wrenches about a point beside the foot, against generalized_forces about the link or sections."""
    model = person()
    p = program(model, swinging(model, n=3, amplitude=0.1))
    rng = np.random.default_rng(2)
    for number, foot in enumerate(p.contacts.feet):
        part = branch_of(model, {foot.foothold.link})
        reference = p.contacts.place[:, p.contacts.foot == number].mean(axis=1) + 0.1
        G = wrench_jacobian(part, p.state.q, foot, foot.share, reference)
        w = rng.normal(size=(3, 6))
        x = ss.poses(model, p.state.q, list(foot.sections))[..., :3, 3]
        loads = {}
        for s, section in enumerate(foot.sections):
            share = foot.share[:, s : s + 1]
            moment = w[:, :3] + np.cross(reference - x[:, s], w[:, 3:])
            loads[section] = share * np.concatenate([moment, w[:, 3:]], axis=1)
        expected = ss.generalized_forces(model, p.state.q, loads)
        found = np.zeros_like(expected)
        found[:, part.v] = np.einsum("nik,ni->nk", G, w)
        np.testing.assert_allclose(found, expected, rtol=0, atol=1e-10 * np.abs(expected).max())
