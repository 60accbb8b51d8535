"""A planar chain by Newton and Euler alone: three equations a link, all forces at their own points, one dense solve.

Nothing is shared with `softstride.planar` but the description: real numbers in place of complex ones, loops over links,
both ends of every line of a muscle, and unknowns (force and couple on the base, joint forces, joint couples) found
together. For three links that is a system of 12 equations.
"""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from softstride.planar import Chain, State


def rotate(angle, point):
    c, s = np.cos(angle), np.sin(angle)
    return np.array([c * point[0] - s * point[1], s * point[0] + c * point[1]])


def cross(a, b):
    return a[0] * b[1] - a[1] * b[0]


def perp(a):
    return np.array([-a[1], a[0]])


class Links:
    """Places and accelerations of one frame, link by link."""

    def __init__(self, chain: Chain, state: State) -> None:
        self.chain, self.state = chain, state
        theta, omega, alpha = state.theta, state.omega, state.alpha
        a = np.zeros(2) if state.base_acceleration is None else np.asarray(state.base_acceleration)
        n = chain.n
        self.J = [np.zeros(2)] * (n + 2)
        self.J[0] = -rotate(theta[0], (chain.length[0], 0.0))
        self.C, self.a = [], []
        for i in range(n + 1):
            arm = rotate(theta[i], chain.com[i])
            span = rotate(theta[i], (chain.length[i], 0.0))
            self.C.append(self.J[i] + arm)
            self.a.append(a + alpha[i] * perp(arm) - omega[i] ** 2 * arm)
            if i > 0:
                self.J[i + 1] = self.J[i] + span
                a = a + alpha[i] * perp(span) - omega[i] ** 2 * span

    def place(self, link, point):
        return self.J[link] + rotate(self.state.theta[link], point)

    def point_forces(self):
        """Yield link, place, force, couple of weights, contacts and both ends of every line of a muscle."""
        chain, state = self.chain, self.state
        for i in range(chain.n + 1):
            yield i, self.C[i], chain.mass[i] * chain.gravity, 0.0
        for contact in chain.contacts:
            link = chain.link_number(contact.link)
            if link == 0:
                continue  # the solve finds it
            force = np.asarray(state.force.get(contact.name, (0.0, 0.0)))
            point = np.asarray(state.point.get(contact.name, contact.point))
            yield link, self.place(link, point), force, float(state.couple.get(contact.name, 0.0))
        for muscle in chain.muscles:
            tension = float(state.tension[muscle.name])
            path = [
                (chain.link_number(link), self.place(chain.link_number(link), (x, y)))
                for link, x, y in muscle.path
            ]
            for (i, p), (j, q) in pairwise(path):
                if i == j:
                    continue
                pull = tension * (q - p) / np.linalg.norm(q - p)
                yield i, p, pull, 0.0
                yield j, q, -pull, 0.0


def solve(chain: Chain, state: State):
    """Return joint forces on link j-1 (n, 2), couples on link j (n,), force and couple about J_1 on the base."""
    links, n = Links(chain, state), chain.n
    # unknowns: base force 2, base couple about J_1, then (phi_x, phi_y, tau) of each joint
    matrix, right = np.zeros((3 * (n + 1), 3 * (n + 1))), np.zeros(3 * (n + 1))
    for i in range(n + 1):
        row = 3 * i
        right[row : row + 2] += chain.mass[i] * links.a[i]
        right[row + 2] += chain.inertia[i] * state.alpha[i]
        if i == 0:
            matrix[0, 0] = matrix[1, 1] = matrix[2, 2] = 1.0
            d = links.J[1] - links.C[0]
            matrix[2, 0], matrix[2, 1] = -d[1], d[0]
        for j, sign in ((i, -1.0), (i + 1, 1.0)):  # phi_j acts on j-1, its opposite on j; tau_j on j
            if not 1 <= j <= n:
                continue
            column = 3 * j
            d = links.J[j] - links.C[i]
            matrix[row, column] = matrix[row + 1, column + 1] = sign
            matrix[row + 2, column], matrix[row + 2, column + 1] = -sign * d[1], sign * d[0]
            matrix[row + 2, column + 2] = -sign
    for link, place, force, couple in links.point_forces():
        right[3 * link : 3 * link + 2] -= force
        right[3 * link + 2] -= cross(place - links.C[link], force) + couple
    x = np.linalg.solve(matrix, right).reshape(n + 1, 3)
    return x[1:, :2], x[1:, 2], x[0, :2], x[0, 2]


def random_chain(rng, n, *, muscles=6, contacts=4, gravity=9.81) -> Chain:
    """Return a chain of any shape with muscles of any span, via points and contacts."""
    from softstride.planar import Contact, Muscle

    paths = []
    for k in range(muscles):
        links = rng.integers(0, n + 1, size=rng.integers(2, 5))
        if len(set(links)) == 1:
            links[-1] = (links[0] + 1) % (n + 1)
        paths.append(Muscle(f"m{k}", [(int(i), *rng.uniform(-0.1, 0.3, 2)) for i in links]))
    places = [
        Contact(f"c{k}", int(rng.integers(1, n + 1)), tuple(rng.uniform(-0.1, 0.2, 2)))
        for k in range(contacts)
    ]
    return Chain(
        length=rng.uniform(0.2, 0.5, n + 1),
        mass=rng.uniform(0.5, 12.0, n + 1),
        com=rng.uniform(-0.1, 0.3, (n + 1, 2)),
        inertia=rng.uniform(0.01, 0.5, n + 1),
        muscles=paths,
        contacts=[*places, Contact("ground", 0, (0.05, -0.04))],
        gravity=gravity,
        reach=np.full(n + 1, 0.5),
    )


def random_state(rng, chain: Chain, *, base=False, frames=None) -> State:
    """Return a random frame, or many; without ground reaction."""
    lead = () if frames is None else (frames,)
    theta, omega, alpha = rng.standard_normal((3, *lead, chain.n + 1)) * np.array([1.5, 3.0, 20.0]).reshape(
        3, *[1] * (len(lead) + 1)
    )
    theta[..., 0] = 0.7
    omega[..., 0] = alpha[..., 0] = 0.0
    loaded = [c.name for c in chain.contacts if c.name != "ground"]
    return State(
        theta=theta,
        omega=omega,
        alpha=alpha,
        tension={m.name: rng.uniform(0.0, 900.0, lead) for m in chain.muscles},
        force={name: 100.0 * rng.standard_normal((*lead, 2)) for name in loaded},
        couple={name: 5.0 * rng.standard_normal(lead) for name in loaded[:2]},
        base_acceleration=3.0 * rng.standard_normal((*lead, 2)) if base else None,
    )
