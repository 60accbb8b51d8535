"""Meshes end where phases and nodes end, and weigh nodes as the moments of the simulator do."""

import numpy as np
import pytest

from softstride.gait.moments import MomentHistory
from softstride.gait.optimise.mesh import make_knots, make_mesh

TIMES = np.array([0.044, 0.0715, 0.3135, 0.55])
LONGEST = np.array([0.008, 0.012, 0.02, 0.02])


@pytest.mark.parametrize("at_phase_ends", [False, True])
def test_no_interval_reaches_over_a_node_or_a_phase(at_phase_ends: bool) -> None:
    knots = make_knots(TIMES, 0.05, at_phase_ends)
    ends = np.append(0.0, TIMES)
    nodes = []
    for k, part in enumerate(make_mesh(TIMES, knots, LONGEST)):
        span = ends[k + 1] - ends[k]
        assert np.all(part.length * span <= LONGEST[k] * (1 + 1e-9))
        np.testing.assert_allclose(part.start[1:], (part.start + part.length)[:-1], atol=1e-12)
        assert part.start[0] == 0.0
        assert abs(part.start[-1] + part.length[-1] - 1.0) < 1e-12
        nodes += (ends[k] + span * part.start).tolist()
    nodes.append(TIMES[-1])
    for instant in (*knots, *TIMES):
        assert np.min(np.abs(np.array(nodes) - instant)) < 1e-12
    assert at_phase_ends == all(np.min(np.abs(knots - t)) < 1e-12 for t in TIMES)


@pytest.mark.parametrize("last", [0.55, 0.4])
def test_weights_give_the_moments_of_the_history(last: float) -> None:
    rng = np.random.default_rng(1)
    knots = np.linspace(0.0, last, 9)
    history = MomentHistory(knots, rng.normal(size=(9, 6)))
    ends = np.append(0.0, TIMES)
    for k, part in enumerate(make_mesh(TIMES, knots, LONGEST)):
        span = ends[k + 1] - ends[k]
        for c in (0.0, 0.3, 1.0):
            share = (part.weight[:, 0] + c * (part.weight[:, 1] - part.weight[:, 0]))[:, None]
            mixed = (1.0 - share) * history.values[part.knot] + share * history.values[part.knot + 1]
            instants = ends[k] + span * (part.start + c * part.length)
            np.testing.assert_allclose(mixed, history.at(instants), atol=1e-12)
