"""Random chains against an independent solve of Newton's and Euler's equations of all links at once."""

import numpy as np
import pytest
from tests.oracles.planar_newton import cross, random_chain, random_state, rotate, solve

SEEDS = [(n, seed) for n in range(1, 8) for seed in range(3)]
RTOL = 1e-12  # of the largest: a dense solve of up to 24 equations keeps 13 digits


def close(found, wanted, scale=None):
    size = np.abs(wanted).max() if scale is None else scale
    np.testing.assert_allclose(found, wanted, rtol=0.0, atol=RTOL * max(size, 1.0) * 10)


def cases(n, seed, base=False):
    rng = np.random.default_rng(1000 * n + seed)
    chain = random_chain(rng, n)
    return chain, random_state(rng, chain, base=base)


@pytest.mark.parametrize(("n", "seed"), SEEDS)
@pytest.mark.parametrize("base", [False, True], ids=["fixed", "moving"])
def test_both_forms_are_newton_and_euler(n, seed, base):
    chain, state = cases(n, seed, base)
    phi, couple, ground, about = solve(chain, state)
    scale = max(np.abs(phi).max(), np.abs(ground).max())
    torques = chain.torques(state)
    close(chain.reactions(state).force, phi, scale)
    close(torques.required - torques.given, couple, scale)  # what joints must give beyond the muscles
    whole = chain.balanced(state, "ground")
    close(whole.force["ground"], ground, scale)
    arm = rotate(state.theta[0], np.array([0.05, -0.04]) - (chain.length[0], 0.0))  # from J_1 to the contact
    close(whole.couple["ground"] + cross(arm, ground), about, scale)
    proximal = chain.reactions(whole, form="proximal")
    close(proximal.force, phi, scale)
    close(chain.torques(whole, form="proximal").required, torques.required, scale)
    assert proximal.consistency <= RTOL * scale
    assert chain.torques(whole).consistency <= RTOL * scale


@pytest.mark.parametrize(("n", "seed"), SEEDS)
@pytest.mark.parametrize("base", [False, True], ids=["fixed", "moving"])
def test_columns_add_up(n, seed, base):
    chain, state = cases(n, seed, base)
    whole = chain.balanced(state, "ground")
    for form in ("distal", "proximal"):
        table = chain.contributions(whole, form=form)
        assert table.sum_error(whole) < 1e-12
        table.check(whole)
        for grouping in ("kind", "link", "spanning"):
            assert table.by(grouping).sum_error(whole) < 1e-12


@pytest.mark.parametrize(("n", "seed"), SEEDS)
def test_forces_and_motion_agree_after_forward_dynamics(n, seed):
    chain, state = cases(n, seed, base=True)
    moving = state.changed(alpha=chain.accelerations(state))
    torques = chain.torques(moving)
    close(torques.given, torques.required, np.abs(chain.contributions(moving).torque).max())
    found = chain.induced(moving)
    assert np.abs(found.acceleration[:, found.column("residual")]).max() < 1e-9 * np.abs(moving.alpha).max()


def test_a_residual_that_does_not_close_is_told():
    chain, state = cases(3, 0)
    whole = chain.balanced(state, "ground")
    wrong = whole.changed(force={**whole.force, "ground": whole.force["ground"] + np.array([7.0, 0.0])})
    np.testing.assert_allclose(chain.reactions(wrong).residual, (7.0, 0.0), atol=1e-9)
    assert chain.reactions(wrong).consistency == pytest.approx(7.0)
    gap = chain.reactions(wrong).force - chain.reactions(wrong, form="proximal").force
    np.testing.assert_allclose(gap, np.tile((7.0, 0.0), (3, 1)), atol=1e-9)


def test_an_unknown_wall_is_found_from_the_ground():
    """Hide one contact, find it from the balance, and everything is as before."""
    chain, state = cases(4, 1)
    whole = chain.balanced(state, "ground")
    force = {name: value for name, value in whole.force.items() if name != "c0"}
    couple = {name: value for name, value in whole.couple.items() if name != "c0"}
    found = chain.balanced(whole.changed(force=force, couple=couple), "c0")
    np.testing.assert_allclose(found.force["c0"], state.force["c0"], rtol=1e-10)
    np.testing.assert_allclose(found.couple["c0"], state.couple.get("c0", 0.0), rtol=1e-8, atol=1e-9)


@pytest.mark.parametrize("frames", [1, 17, 9001])
def test_all_frames_at_once_are_a_loop(frames):
    """Also where frames fall into several blocks."""
    rng = np.random.default_rng(5)
    chain = random_chain(rng, 3)
    state = random_state(rng, chain, base=True, frames=frames)
    state = chain.balanced(state, "ground")
    many = {
        "phi": chain.reactions(state).force,
        "near": chain.reactions(state, form="proximal").force,
        "tau": chain.torques(state).required,
        "table": chain.contributions(state).force,
        "cause": chain.induced(state).force,
        "alpha": chain.accelerations(state),
    }
    for frame in {0, frames // 2, frames - 1}:
        one = state.changed(
            theta=state.theta[frame],
            omega=state.omega[frame],
            alpha=state.alpha[frame],
            base_acceleration=state.base_acceleration[frame],
            **{
                field: {name: np.asarray(value)[frame] for name, value in getattr(state, field).items()}
                for field in ("tension", "force", "couple")
            },
        )
        alone = {
            "phi": chain.reactions(one).force,
            "near": chain.reactions(one, form="proximal").force,
            "tau": chain.torques(one).required,
            "table": chain.contributions(one).force,
            "cause": chain.induced(one).force,
            "alpha": chain.accelerations(one),
        }
        for name, value in alone.items():
            np.testing.assert_allclose(value, many[name][frame], rtol=1e-10, atol=1e-9, err_msg=name)
