"""The appendix of the paper, n = 2 and n = 3, and its eq. 24, typed as printed, against the chain."""

import numpy as np
import pytest
from numpy import cos, sin

from softstride.planar import Chain, Contact, State, polar

G = 9.81


def case(n, seed):
    """A random chain in the paper's own symbols: polar points, forces by size and angle to the link."""
    rng = np.random.default_rng(seed)
    s = {
        "l": rng.uniform(0.2, 0.5, n + 1),
        "m": rng.uniform(1.0, 9.0, n + 1),
        "lC": rng.uniform(0.05, 0.3, n + 1),
        "eC": rng.uniform(-0.6, 0.6, n + 1),
        "IC": rng.uniform(0.01, 0.3, n + 1),
        "t": np.concatenate([[0.0], rng.uniform(-3.0, 3.0, n)]),
        "w": np.concatenate([[0.0], rng.uniform(-4.0, 4.0, n)]),
        "a": np.concatenate([[0.0], rng.uniform(-30.0, 30.0, n)]),
        "R": rng.uniform(10.0, 90.0, n + 1),
        "lR": rng.uniform(0.05, 0.2, n + 1),
        "eR": rng.uniform(-0.6, 0.6, n + 1),
        "gR": rng.uniform(-3.0, 3.0, n + 1),
    }
    s["IJ"] = s["IC"] + s["m"] * s["lC"] ** 2
    places = polar(s["lR"], s["eR"])
    chain = Chain(
        length=s["l"],
        mass=s["m"],
        com=polar(s["lC"], s["eC"]),
        inertia=s["IC"],
        contacts=[Contact(str(i), i, tuple(places[i])) for i in range(n + 1)],
        gravity=G,
    )
    forces = polar(s["R"], s["gR"] + s["t"])
    state = State(theta=s["t"], omega=s["w"], alpha=s["a"], force={str(i): forces[i] for i in range(n + 1)})
    return chain, state, s


@pytest.mark.parametrize("seed", range(3))
def test_two_links(seed):
    chain, state, s = case(2, seed)
    L, m, lC, eC, IJ, t, w, a, R, lR, eR, gR = (
        s[key] for key in ("l", "m", "lC", "eC", "IJ", "t", "w", "a", "R", "lR", "eR", "gR")
    )
    turn = t[2] + eC[2] - t[1]
    tau2 = (
        m[2] * G * lC[2] * cos(t[2] + eC[2])
        - R[2] * lR[2] * sin(gR[2] - eR[2])
        + m[2] * lC[2] * L[1] * (a[1] * cos(turn) + w[1] ** 2 * sin(turn))
        + IJ[2] * a[2]
    )
    tau1 = (
        sum(m[k] * G * lC[k] * cos(t[k] + eC[k]) - R[k] * lR[k] * sin(gR[k] - eR[k]) for k in (1, 2))
        + (m[2] * G * L[1] * cos(t[1]) - R[2] * L[1] * sin(gR[2] + t[2] - t[1]))
        + m[2] * lC[2] * L[1] * (a[1] * cos(turn) + w[1] ** 2 * sin(turn))
        + (IJ[1] + m[2] * L[1] ** 2) * a[1]
        + IJ[2] * a[2]
        + L[1] * m[2] * lC[2] * (a[2] * cos(turn) - w[2] ** 2 * sin(turn))
    )
    np.testing.assert_allclose(chain.torques(state).required, [tau1, tau2], rtol=1e-12)


@pytest.mark.parametrize("seed", range(3))
def test_three_links(seed):
    chain, state, s = case(3, seed)
    L, m, lC, eC, IJ, t, w, a, R, lR, eR, gR = (
        s[key] for key in ("l", "m", "lC", "eC", "IJ", "t", "w", "a", "R", "lR", "eR", "gR")
    )

    def ahead(i, angle):
        return a[i] * cos(angle - t[i]) + w[i] ** 2 * sin(angle - t[i])

    def behind(i, angle, k):
        return a[i] * cos(angle - t[k]) - w[i] ** 2 * sin(angle - t[k])

    c = t + eC
    own = [m[k] * G * lC[k] * cos(c[k]) - R[k] * lR[k] * sin(gR[k] - eR[k]) for k in range(4)]
    third = m[3] * lC[3] * sum(L[i] * ahead(i, c[3]) for i in (1, 2))
    tau3 = own[3] + third + IJ[3] * a[3]
    carried = (
        m[2] * lC[2] * L[1] * ahead(1, c[2])
        + third
        + L[2] * m[3] * L[1] * ahead(1, t[2])
        + (IJ[2] + m[3] * L[2] ** 2) * a[2]
        + IJ[3] * a[3]
        + L[2] * m[3] * lC[3] * behind(3, c[3], 2)
    )
    over2 = m[3] * G * L[2] * cos(t[2]) - R[3] * L[2] * sin(gR[3] + t[3] - t[2])
    tau2 = own[2] + own[3] + over2 + carried
    tau1 = (
        own[1]
        + own[2]
        + own[3]
        + sum(m[i] * G * L[1] * cos(t[1]) - R[i] * L[1] * sin(gR[i] + t[i] - t[1]) for i in (2, 3))
        + over2
        + carried
        + (IJ[1] + (m[2] + m[3]) * L[1] ** 2) * a[1]
        + L[1] * m[3] * L[2] * behind(2, t[2], 1)
        + L[1] * sum(m[i] * lC[i] * behind(i, c[i], 1) for i in (2, 3))
    )
    np.testing.assert_allclose(chain.torques(state).required, [tau1, tau2, tau3], rtol=1e-12)


def equation_24(s, n, j):
    """The paper's second expression of tau_j, with the force on the base from eq. 4."""
    L, m, lC, eC, IJ, t, w, a, R, lR, eR, gR = (
        s[key] for key in ("l", "m", "lC", "eC", "IJ", "t", "w", "a", "R", "lR", "eR", "gR")
    )
    c = t + eC
    total = sum(m[k] * G * lC[k] * cos(c[k]) - R[k] * lR[k] * sin(gR[k] - eR[k]) for k in range(j, n + 1))
    for k in range(j, n):
        total -= sum(
            m[i] * G * L[k] * cos(t[k]) - R[i] * L[k] * sin(gR[i] + t[i] - t[k]) for i in range(k + 1)
        )
        for i in range(k):
            mass = sum(m[r] for r in range(i + 1, k + 1))
            total -= L[k] * mass * L[i] * (a[i] * cos(t[k] - t[i]) + w[i] ** 2 * sin(t[k] - t[i]))
        for i in range(1, k + 1):
            total -= L[k] * m[i] * lC[i] * (a[i] * cos(t[k] - c[i]) + w[i] ** 2 * sin(t[k] - c[i]))
    for k in range(j, n + 1):
        total += IJ[k] * a[k]
        total += (
            m[k]
            * lC[k]
            * sum(L[i] * (a[i] * cos(c[k] - t[i]) + w[i] ** 2 * sin(c[k] - t[i])) for i in range(k))
        )
    return total


@pytest.mark.parametrize("n", [2, 3, 4])
def test_equation_24_holds_if_the_base_closes_the_balance_and_still_needs_distal_loads(n):
    chain, state, s = case(n, 10 + n)
    whole = chain.balanced(state, "0")
    ground = np.asarray(whole.force["0"])
    s["R"][0], s["gR"][0] = (
        np.hypot(*ground),
        np.arctan2(ground[1], ground[0]),
    )  # measured from u_0, at angle 0
    wanted = chain.torques(state.changed(force={**state.force, "0": ground})).required
    np.testing.assert_allclose([equation_24(s, n, j) for j in range(1, n + 1)], wanted, rtol=1e-11)
    s["R"][n] *= 1.1  # a load beyond all joints
    assert abs(equation_24(s, n, n) - wanted[-1]) > 1e-3
