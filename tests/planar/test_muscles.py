"""Muscles: virtual work, spans, via points, and what a muscle does to joints that it does not cross."""

from itertools import pairwise

import numpy as np
import pytest

from softstride.planar import Chain, Muscle, State
from softstride.planar.forward import differences

N = 4
SPANS = [(i, j) for i in range(N) for j in range(i + 1, N + 1)]


def chain(*muscles):
    rng = np.random.default_rng(3)
    return Chain(
        length=rng.uniform(0.2, 0.5, N + 1),
        mass=rng.uniform(1.0, 9.0, N + 1),
        com=rng.uniform(-0.05, 0.2, (N + 1, 2)),
        inertia=rng.uniform(0.01, 0.2, N + 1),
        muscles=muscles,
    )


def length(body, muscle, theta):
    """Length of a path, for complex angles too: d/dtheta by a complex step."""
    x, y = [-body.length[0] * np.cos(theta[0]), 0.0], [-body.length[0] * np.sin(theta[0]), 0.0]
    for i in range(1, N + 1):
        x.append(x[i] + body.length[i] * np.cos(theta[i]))
        y.append(y[i] + body.length[i] * np.sin(theta[i]))
    places = [
        (
            x[link] + px * np.cos(theta[link]) - py * np.sin(theta[link]),
            y[link] + px * np.sin(theta[link]) + py * np.cos(theta[link]),
        )
        for link, px, py in muscle.path
    ]
    return sum(np.sqrt((bx - ax) ** 2 + (by - ay) ** 2) for (ax, ay), (bx, by) in pairwise(places))


PATHS = {f"{i}-{j}": ((i, 0.05, 0.04), (j, 0.12, -0.03)) for i, j in SPANS} | {
    "via": ((0, 0.05, 0.04), (1, 0.2, 0.05), (1, 0.25, 0.03), (3, 0.1, 0.04), (4, 0.02, 0.03)),
    "backward": ((4, 0.05, 0.04), (2, 0.1, 0.05), (3, 0.02, -0.04)),
    "skips": ((0, 0.1, 0.03), (4, 0.1, 0.05), (2, 0.1, -0.06)),
}


@pytest.mark.parametrize("name", PATHS)
def test_generalized_force_is_minus_tension_times_slope_of_length(name):
    muscle = Muscle(name, PATHS[name])
    body = chain(muscle)
    theta = np.array([0.4, 1.2, 2.0, 0.7, -0.5])
    state = State(theta=theta, tension={name: 350.0})
    given = body.torques(state).given
    Q = differences(given[None])[0]
    step = 1e-30
    for k in range(1, N + 1):
        shifted = theta.astype(complex)
        shifted[k] += 1j * step
        slope = np.imag(length(body, muscle, shifted)) / step
        assert Q[k - 1] == pytest.approx(-350.0 * slope, rel=1e-12, abs=1e-11)


@pytest.mark.parametrize(("i", "j"), SPANS)
def test_a_muscle_spans_the_joints_between_its_links(i, j):
    muscle = Muscle("m", ((i, 0.05, 0.04), (j, 0.12, -0.03)))
    body = chain(muscle)
    rng = np.random.default_rng(0)
    theta = np.concatenate([[0.1], rng.standard_normal(N)])
    omega = np.concatenate([[0.0], rng.standard_normal(N)])
    state = State(theta=theta, omega=omega, tension={"m": 100.0})
    state = state.changed(alpha=body.accelerations(state))
    table, causes = body.contributions(state), body.induced(state)
    direct = np.linalg.norm(table.force[:, 0], axis=1)
    indirect = np.linalg.norm(causes.force[:, 0], axis=1)
    spanned = np.array([i < joint <= j for joint in range(1, N + 1)])
    assert (direct[spanned] == pytest.approx(100.0)) and not direct[~spanned].any()
    assert (indirect > 1e-3).all(), "in motion it reaches every joint"
    groups = table.by("spanning")
    np.testing.assert_array_equal(groups.force[:, groups.column("other muscles")], 0.0)
    caused = causes.by("spanning")
    other = np.linalg.norm(caused.force[:, caused.column("other muscles")], axis=1)
    assert (other[~spanned] > 1e-3).all() and not other[spanned].any()


def test_a_posture_that_is_held_does_not_pass_a_muscle_on():
    """Statics: with the posture held, a muscle changes only the reactions of joints that it spans."""
    body = chain(Muscle("m", ((1, 0.05, 0.04), (2, 0.12, -0.03))))
    held = State(theta=[0.1, 1.0, 1.4, 0.9, 2.0], tension={"m": 0.0})
    change = body.reactions(held.changed(tension={"m": 500.0})).force - body.reactions(held).force
    assert np.linalg.norm(change[1]) == pytest.approx(500.0)
    np.testing.assert_array_equal(change[[0, 2, 3]], 0.0)


def test_a_line_within_one_link_changes_nothing():
    plain = Muscle("m", ((0, 0.05, 0.04), (2, 0.12, -0.03)))
    detour = Muscle("m", ((0, 0.3, 0.2), (0, 0.05, 0.04), (2, 0.12, -0.03), (2, 0.2, 0.2)))
    state = State(theta=[0.1, 1.0, 1.4, 0.9, 2.0], tension={"m": 200.0})
    for name in ("force", "torque"):
        found, wanted = (getattr(chain(m).contributions(state), name) for m in (detour, plain))
        np.testing.assert_array_equal(found, wanted)
