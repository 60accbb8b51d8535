"""The peers of the closed form: all equations of Newton and Euler solved at once, and the engine's recursion."""

import numpy as np
from numpy.typing import NDArray

from softstride.model import Model, ModelBuilder
from softstride.planar import Chain, State

Array = NDArray[np.float64]


def simultaneous(chain: Chain, state: State) -> tuple[Array, Array]:
    """Return joint reactions (frames, n, 2) and torques (frames, n) of a chain without muscles, by one dense solve.

    Three equations a link, the base included: 3 (n + 1) unknowns, 12 for three links. Whole trial at once.
    """
    n, frames = chain.n, state.n_frames
    theta, omega, alpha = (np.asarray(x) for x in (state.theta, state.omega, state.alpha))
    u = np.stack([np.cos(theta), np.sin(theta)], axis=2)
    w = np.stack([-u[..., 1], u[..., 0]], axis=2)
    link = chain.length[:, None] * u
    arm = chain.com[:, :1] * u + chain.com[:, 1:] * w
    spin, square = alpha[..., None], omega[..., None] ** 2
    perp = lambda a: np.stack([-a[..., 1], a[..., 0]], axis=2)  # noqa: E731
    step = spin * perp(link) - square * link
    acceleration = np.cumsum(step, axis=1) - step + spin * perp(arm) - square * arm
    matrix = np.zeros((frames, 3 * (n + 1), 3 * (n + 1)))
    right = np.zeros((frames, 3 * (n + 1)))
    matrix[:, [0, 1, 2], [0, 1, 2]] = 1.0  # force and couple on the base
    for i in range(n + 1):
        row = 3 * i
        weight = chain.mass[i] * chain.gravity
        right[:, row : row + 2] = chain.mass[i] * acceleration[:, i] - weight
        right[:, row + 2] = chain.inertia[i] * alpha[:, i]
        for j, sign, d in ((i, -1.0, -arm[:, i]), (i + 1, 1.0, link[:, i] - arm[:, i])):
            if 1 <= j <= n:
                column = 3 * j
                matrix[:, row, column] = matrix[:, row + 1, column + 1] = sign
                matrix[:, row + 2, column] = -sign * d[:, 1]
                matrix[:, row + 2, column + 1] = sign * d[:, 0]
                matrix[:, row + 2, column + 2] = -sign
    for contact, i in zip(chain.contacts, chain.contact_links, strict=True):
        if i == 0:
            continue
        force = np.broadcast_to(np.asarray(state.force[contact.name]), (frames, 2))
        d = contact.point[0] * u[:, i] + contact.point[1] * w[:, i] - arm[:, i]
        right[:, 3 * i : 3 * i + 2] -= force
        right[:, 3 * i + 2] -= d[:, 0] * force[:, 1] - d[:, 1] * force[:, 0]
    found = np.linalg.solve(matrix, right[:, :, None])[:, 3:, 0].reshape(frames, n, 3)
    return found[:, :, :2], found[:, :, 2]


def tree(chain: Chain) -> Model:
    """Return the chain as a model of revolute joints; its coordinates are angles between neighbours."""
    builder = ModelBuilder(f"{chain.name} as a tree", gravity=(*chain.gravity, 0.0))
    parent, position = "world", (0.0, 0.0, 0.0)
    for i in range(1, chain.n + 1):
        builder.revolute(
            f"link{i}",
            parent,
            axis=(0, 0, 1),
            position=position,
            mass=chain.mass[i],
            com=(*chain.com[i], 0.0),
            inertia=chain.inertia[i] * np.array([0.5, 0.6, 1.0]),
        )
        parent, position = f"link{i}", (chain.length[i], 0.0, 0.0)
    return builder.build()


def joint_angles(angles: Array) -> Array:
    """Return angles between neighbours from those of links 0 to n, the base's left out."""
    return np.ascontiguousarray(np.diff(angles[:, 1:], axis=1, prepend=0.0))


def random_state(chain: Chain, frames: int, seed: int = 0) -> State:
    """Return a state of random frames with every muscle and contact at work."""
    rng = np.random.default_rng(seed)
    theta, omega, alpha = rng.standard_normal((3, frames, chain.n + 1))
    theta[:, 0] = omega[:, 0] = alpha[:, 0] = 0.0
    return State(
        theta=np.pi / 2 + 0.3 * np.where(np.arange(chain.n + 1) > 0, theta, 0.0),
        omega=3.0 * omega,
        alpha=30.0 * alpha,
        tension={muscle.name: 300.0 * rng.random(frames) for muscle in chain.muscles},
        force={contact.name: 50.0 * rng.standard_normal((frames, 2)) for contact in chain.contacts},
    )
