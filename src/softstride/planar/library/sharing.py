"""Tensions that give the torques which a motion requires, shared among muscles so that their stress is small."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from scipy.optimize import nnls

from softstride.planar.chain import Chain
from softstride.planar.frames import resolve
from softstride.planar.geometry import Geometry
from softstride.planar.results import Form
from softstride.planar.sources import muscle_spans
from softstride.planar.state import State
from softstride.planar.totals import torques
from softstride.planar.vectors import Floats, cross
from softstride.signals.derivatives import derivative

EXACT = 1e4
"""Weight of a torque [1/(N·m)] beside one unit of stress."""


def rates(time: Floats, theta: Floats) -> tuple[Floats, Floats]:
    """Return angular velocities and accelerations of splines through angles; exactly zero where nothing moves."""
    moves = np.ptp(theta, axis=0) > 0.0
    omega, alpha = (np.where(moves, derivative(time, theta, order=k), 0.0) for k in (1, 2))
    return omega, alpha


def moment_arms(chain: Chain, state: State) -> Floats:
    """Return the torque of one newton of each muscle, shape (n_frames, n, n_muscles), [m]."""
    place = Geometry.of(resolve(chain, state.changed(tension={m.name: 1.0 for m in chain.muscles})))
    lines = chain.lines
    ends = place.line_ends[1][:, None, :] - place.joint[:, 1:-1, None]
    each = cross(ends, place.line_force[:, None, :] * lines.spans(chain.n))
    arms = np.zeros((*each.shape[:2], len(chain.muscles)))
    for line, muscle in enumerate(lines.muscle):
        arms[:, :, muscle] += each[:, :, line]
    return arms * muscle_spans(chain)


def share(chain: Chain, state: State, strength: Mapping[str, float], form: Form = "distal") -> State:
    """Return the state with tensions that give the required torques.

    In each frame the least sum of (tension / strength)² under tension >= 0, torques weighted heavily.

    Args:
        chain: The chain.
        state: Motion and contacts, many frames; its tensions are not used.
        strength: Largest tension of each muscle by name [N].
        form: Which data the required torques are made from.
    """
    idle = state.changed(tension={m.name: 0.0 for m in chain.muscles})
    required = torques(chain, idle, form=form).required
    arms = moment_arms(chain, idle)
    scale = np.array([strength[m.name] for m in chain.muscles])
    found = np.empty((len(required), len(scale)))
    for frame, (wanted, arm) in enumerate(zip(required, arms, strict=True)):
        rows = np.concatenate([np.eye(len(scale)), EXACT * arm * scale])
        found[frame] = scale * nnls(rows, np.concatenate([np.zeros(len(scale)), EXACT * wanted]))[0]
    return state.changed(tension={m.name: found[:, k] for k, m in enumerate(chain.muscles)})
