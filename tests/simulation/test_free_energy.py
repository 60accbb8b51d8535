"""Energy of free motion without damping: floating bodies with soft rods, and the athlete."""

import dataclasses

import numpy as np
import pytest
from scipy.linalg import eigh
from tests.campaign import size
from tests.simulation import mechanisms as mech

from softstride import engine
from softstride.model import ModelBuilder, Rod, Segment
from softstride.model.inertia import Inertia
from softstride.model.library.athlete import athlete
from softstride.simulation import simulate


def exchanged(run):
    """Return the drift of the total energy relative to the peak of the kinetic energy."""
    return run.energy_drift / np.max(run.energy.kinetic)


def floating_rod(segments, gravity):
    """A tumbling body of 1.5 kg that carries a soft rod of 0.6 m with a tip mass."""
    density = Inertia(0.8, (0, 0, 0), (2e-4, 1e-5, 1.9e-4))
    part = Segment(
        0.6 / segments,
        density=density,
        stiffness=(0.8, 1.0, 2.0, 1e6, 4e5, 4e5),
        damping=np.zeros(6),
        free=("kx", "ky", "kz"),
    )
    builder = ModelBuilder("floating rod", gravity=gravity)
    builder.free("body", mass=1.5, com=(-0.05, 0.02, 0.0), inertia=(0.01, 0.02, 0.015))
    builder.rod(
        "rod",
        "body",
        position=(0.1, 0, 0),
        rod=Rod((part,) * segments),
        mass=0.2,
        inertia=(1e-3, 1.5e-3, 2e-3),
    )
    return builder.build()


@pytest.mark.slow
@pytest.mark.parametrize(
    ("segments", "gravity"),
    [(2, (0.0, 0.0, 0.0)), (2, mech.DOWN), pytest.param(3, (0.0, 0.0, 0.0), marks=pytest.mark.nightly)],
    ids=["two weightless", "two falling", "three weightless"],
)
def test_energy_and_momentum_of_a_floating_body_with_a_rod(segments, gravity):
    """1 s from a bent rod on a turning body: drift 1e-8 of the kinetic and of the elastic energy exchanged."""
    model = floating_rod(segments, gravity)
    bends = np.tile([0.5, 1.0, -0.4, 0.2, -0.8, 0.3], 2)[: 3 * segments]
    q0 = np.concatenate([model.neutral()[:7], bends])
    v0 = np.concatenate([(0.5, -1.0, 0.8, 0.3, 0.2, -0.4), np.zeros(3 * segments)])
    run = simulate(model, q0, v0, (0.0, 1.0), rtol=1e-10, atol=1e-11)
    assert exchanged(run) < 1e-8 and run.energy_drift < 1e-8 * np.ptp(run.energy.elastic)
    if not any(gravity):
        momentum = engine.momentum(model, run.q, run.v)
        assert np.max(np.abs(momentum - momentum[0])) < 1e-8


def start(model, soft=slice(0, 0)):
    """Return a start of the athlete: joints off neutral by 0.2 rad and turning at 0.5 rad/s, rods at rest."""
    rng = np.random.default_rng(7)
    move, v = 0.2 * rng.normal(size=model.nv), 0.5 * rng.normal(size=model.nv)
    move[soft] = v[soft] = 0.0
    return engine.integrate(model, model.neutral(), move, 1.0), v


@pytest.mark.slow
def test_energy_of_the_athlete_without_blade():
    """130 degrees of freedom falling and tumbling for 1 s: 1e-10 of the peak kinetic energy, 3 kJ."""
    model = athlete(False)
    q0, v0 = start(model)
    run = simulate(model, q0, v0, (0.0, size(1.0, 0.4)), rtol=5e-10, atol=5e-10)
    assert model.nv == 130 and exchanged(run) < 1e-8
    assert run.energy_drift < 1e-8 * run.energy.kinetic[0]


def undamped_athlete():
    """The athlete with the blade, whose damping is taken away."""

    def bare(link):
        if not isinstance(link.joint, Rod):
            return link
        parts = tuple(dataclasses.replace(part, damping=np.zeros(6)) for part in link.joint.segments)
        return dataclasses.replace(link, joint=dataclasses.replace(link.joint, segments=parts))

    model = athlete(True)
    model = model.replace(links=tuple(bare(link) for link in model.links))
    return model, model.v_slice("blade")


@pytest.mark.slow
def test_energy_of_the_athlete_with_a_blade():
    """50 rigid links, floating base, six segments, 148 degrees of freedom without damping, for 1 s.

    Rosenbrock, steps of 1 ms: drift 2e-8 J, 5e-12 of the peak kinetic energy, 8e-10 of the first. The blade
    starts unbent and is stirred by the motion only: 1.6e-5 J of elastic energy. The method damps its modes
    above 1e3 rad/s, which these steps do not resolve; see the next test for a blade that swings.
    """
    model, blade = undamped_athlete()
    q0, v0 = start(model, blade)
    end = size(1.0, 0.2)
    run = simulate(model, q0, v0, (0.0, end), method="rosenbrock", dt=1e-3)
    assert model.nv == 148 and exchanged(run) < 1e-8
    assert run.energy_drift < 1e-8 * run.energy.kinetic[0]


@pytest.mark.slow
def test_energy_of_the_athlete_with_a_swinging_blade():
    """The same, let go with 8.9 J in the first mode of the blade (310 rad/s), for 0.05 s: 2.5 swings.

    Rosenbrock, steps of 50 us: drift 3.5e-8 J, 7e-10 of the peak kinetic energy (53 J) and 4e-9 of the
    elastic energy exchanged. The fastest mode has 1.1e5 rad/s; 1 s of this would be 20 times as long.
    """
    model, blade = undamped_athlete()
    q0, v0 = start(model, blade)
    stiffness = -engine.passive_derivatives(model, q0, 0.0 * v0)[0]
    _, shapes = eigh(stiffness, engine.mass_matrix(model, q0))
    shape = shapes[:, -18]
    q0 = engine.integrate(model, q0, shape / np.max(np.abs(shape[blade])), 1.0)
    run = simulate(model, q0, v0, (0.0, size(0.05, 0.025)), method="rosenbrock", dt=5e-5)
    swung = np.ptp(run.energy.elastic)
    assert swung > 8.0 and exchanged(run) < 1e-8
    assert run.energy_drift < 1e-8 * swung
