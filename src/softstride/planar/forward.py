"""The link equations M thdd = Q: what forces do to a chain."""

from __future__ import annotations

import numpy as np

from softstride.errors import InputError
from softstride.planar import matrices
from softstride.planar.chain import Chain
from softstride.planar.frames import resolve
from softstride.planar.geometry import Geometry
from softstride.planar.state import State
from softstride.planar.totals import beyond, checked, link_forces, link_moments, muscle_torques, squeezed
from softstride.planar.vectors import Floats


def accelerations(chain: Chain, state: State) -> Floats:
    """Return the angular accelerations that follow from forces, posture and velocities.

    M thdd = Q, with Q_k = tau_k - tau_(k+1) of what actuators give minus what is required at rest of accelerations
    (eq. 20). M is symmetric positive definite.

    Args:
        chain: The chain.
        state: Posture, velocities and forces; its accelerations are not used.

    Returns:
        Shape (n_frames, n+1), [rad/s²]; the base's column is zero.

    Raises:
        InputError: The state does not fit the chain, a contact is unknown, or a link beyond all mass has no inertia.

    References:
        [PlanarChain], eq. 20.
    """
    frames = checked(chain, state.changed(alpha=np.zeros(np.shape(state.theta))), "distal")
    result = np.zeros((len(frames), chain.n + 1))
    for rows, part in frames.blocks(chain.n**2):
        place = Geometry.of(part)
        result[rows, 1:] = solved(place, (_given(place) - _bias(place))[:, :, None])[:, :, 0]
    return squeezed(result, state)


def mass_matrices(chain: Chain, state: State) -> Floats:
    """Return M of the link equations, shape (n_frames, n, n), [kg·m²]."""
    return squeezed(matrices.mass_matrix(Geometry.of(resolve(chain, state))), state)


def velocity_matrices(chain: Chain, state: State) -> Floats:
    """Return S of the link equations, shape (n_frames, n, n), [kg·m²]."""
    return squeezed(matrices.velocity_matrix(Geometry.of(resolve(chain, state))), state)


def differences(torque: Floats) -> Floats:
    """Return tau_k - tau_(k+1) along axis 1, tau_(n+1) = 0: generalized forces of absolute angles."""
    result = torque.copy()
    result[:, :-1] -= torque[:, 1:]
    return result


def solved(place: Geometry, right: Floats) -> Floats:
    """Return M^-1 Q for columns Q of every frame, shape (f, n, columns).

    Raises:
        InputError: M has no inverse.
    """
    M = matrices.mass_matrix(place)
    try:
        np.linalg.cholesky(M)
    except np.linalg.LinAlgError as error:
        raise InputError(
            f"the mass matrix of {place.frames.chain.name!r} has no inverse: a link without inertia, or without mass "
            "beyond it, would accelerate without bound; give it mass or inertia."
        ) from error
    return np.asarray(np.linalg.solve(M, right))


def _given(place: Geometry) -> Floats:
    given = muscle_torques(place)
    if place.frames.torque is not None:
        given = given + place.frames.torque
    return differences(given)


def _bias(place: Geometry) -> Floats:
    """Return the generalized forces that a motion without accelerations requires."""
    return differences(-beyond(place, link_moments(place), link_forces(place)))
