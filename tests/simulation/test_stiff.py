"""Stiff rods: all six strains, EA of 1e6 N, at steps that an explicit method cannot take."""

import numpy as np
import pytest
from tests.simulation import mechanisms as mech

from softstride import engine
from softstride.simulation import SimulationStopped, equilibrium, simulate

TIP = "rod"


def released(free, segments=2, damping=1e-3):
    """A damped rod bent by a tip force and let go: model and start, at rest."""
    model = mech.soft_rod(segments=segments, free=free, damping=damping)
    bent = equilibrium(model, np.zeros(model.nv), {TIP: (0.0, 0.0, 0.05, 0.0, 1.5, 0.8)})
    return model, bent.q


@pytest.mark.slow
def test_large_implicit_steps_agree_with_a_fine_reference():
    """Six strains a segment, stretching waves above 1e4 rad/s, steps of 2.5 ms against a tight solution."""
    model, start = released(mech.STRAINS)
    rest = np.zeros(model.nv)
    stiffness = -engine.passive_derivatives(model, start, rest)[0]
    waves = np.sqrt(
        np.max(np.abs(np.linalg.eigvals(np.linalg.solve(engine.mass_matrix(model, start), stiffness))))
    )
    assert waves > 1e4  # an explicit method needs steps below 3 / waves
    times = np.linspace(0.0, 0.2, 5)
    fine = simulate(model, start, rest, (0.0, 0.2), method="rosenbrock", rtol=1e-9, atol=1e-11, times=times)
    place = engine.positions(model, fine.q, [TIP])[:, 0]
    errors = []
    for dt in (5e-3, 2.5e-3):
        run = simulate(model, start, rest, (0.0, 0.2), method="rosenbrock", dt=dt, times=times)
        errors.append(np.max(np.abs(engine.positions(model, run.q, [TIP])[:, 0] - place)))
    assert np.ptp(place[:, 1]) > 0.05
    assert errors[1] < 1e-6 and errors[1] < errors[0] / 4  # 1.3e-8 m after 80 steps


def test_an_explicit_method_confirms_the_reference_on_a_short_stretch():
    model, start = released(mech.STRAINS, segments=1, damping=1e-4)
    rest = np.zeros(model.nv)
    explicit = simulate(model, start, rest, (0.0, 4e-3), rtol=1e-8, atol=1e-10)
    implicit = simulate(model, start, rest, (0.0, 4e-3), method="rosenbrock", rtol=1e-8, atol=1e-10)
    assert np.max(np.abs(explicit.q[-1] - implicit.q[-1])) < 1e-7


def test_stiff_strains_follow_the_model_without_them():
    """With EA and GA of 1e6 N the six-strain rod moves as the one with bends only, to 0.2 mm."""
    soft, start = released(("kx", "ky", "kz"))
    full, full_start = released(mech.STRAINS)
    times = np.linspace(0.0, 0.2, 5)
    one = simulate(soft, start, np.zeros(soft.nv), (0.0, 0.2), method="rosenbrock", times=times, rtol=1e-7)
    two = simulate(
        full, full_start, np.zeros(full.nv), (0.0, 0.2), method="rosenbrock", times=times, rtol=1e-7
    )
    gap = engine.positions(soft, one.q, [TIP]) - engine.positions(full, two.q, [TIP])
    assert np.max(np.abs(gap)) < 2e-4


def test_the_implicit_method_finishes_where_the_explicit_one_does_not():
    model, start = released(mech.STRAINS, segments=1)
    with pytest.raises(SimulationStopped, match="max_steps"):
        simulate(model, start, np.zeros(model.nv), (0.0, 1.0), max_steps=500)
    simulate(
        model, start, np.zeros(model.nv), (0.0, 1.0), max_steps=500, method="rosenbrock", rtol=1e-5, atol=1e-7
    )
