"""The shape of a running blade from many markers and from few, with elastic energy as prior knowledge.

The truth is a blade under a ground reaction that swells and fades, in static equilibrium in every frame. Bends count
as angles of a segment, curvature times length [rad].
"""

from functools import cache

import numpy as np
import pytest
from tests.kinematics.ik import synthetic as syn
from tests.models import the_model

import softstride as ss
from softstride import engine
from softstride.model import Fixed, Free, Link, Model, Point
from softstride.model.rod import STRAINS
from softstride.simulation import equilibrium

NOISE = 5e-4  # [m], of good cameras
FORCE = np.array([200.0, 1100.0, 60.0])  # [N] at the tip
FRAMES = 24
# What dense least squares leave of that noise, rounded up. The blade is 65 mm wide: twist is known least.
TWIST, BEND, TIP = 0.1, 0.04, 4e-3  # [rad] of a segment, [m]
ENERGY = 8.0  # [J], of which the noise of stiff strains makes some in an unloaded blade too
THREE = ("blade_2_mid", "blade_5_out", "blade_7_mid")


@cache
def leg(all_six=False):
    """Return (on the bench, free): shank, socket and blade of the athlete, with three more markers on the shank."""
    whole = the_model("athlete")
    whole = syn.all_strains(whole) if all_six else whole
    rest = (whole.link("right_socket"), whole.link("blade"))
    markers = {n: p for n, p in whole.markers.items() if p.link in ("right_shank", "right_socket", "blade")}
    for j, place in enumerate([(0.05, -0.1, 0.0), (-0.05, -0.2, 0.03), (0.0, -0.3, -0.05)]):
        markers[f"shank_{j}"] = Point("right_shank", place)
    return tuple(
        Model("leg", (Link("right_shank", "world", joint), *rest), gravity=(0, 0, 0), markers=markers)
        for joint in (Fixed(), Free())
    )


@cache
def loaded(all_six=False):
    """Return a trial of the leg: it swings as the load on its tip swells and fades."""
    bench, model = leg(all_six)
    time = np.arange(FRAMES) / syn.RATE
    strains, q = [], np.zeros(bench.nq)
    for share in np.sin(np.pi * np.arange(FRAMES) / (FRAMES - 1)) ** 2:
        q = equilibrium(bench, q, {"blade": np.concatenate([np.zeros(3), share * FORCE])}).q
        strains.append(q)
    _, swing = syn.movement(model, FRAMES, seed=1)
    q = np.column_stack([swing[:, :7], strains])
    return syn.Trial(model, time, q, syn.record(model, time, q))


def strains(model, q):
    return q[:, list(model.q_indices("blade"))]


def bends(model, q):
    """Return the angle by which every free strain bends its segment [rad] (or stretches it [m])."""
    at = list(model.v_indices("blade"))
    return strains(model, q) * syn.scales(model)[at]


def tip_error(trial, motion):
    found, true = (engine.positions(trial.model, q, ["blade"])[:, 0] for q in (motion.q, trial.q))
    return np.linalg.norm(found - true, axis=1).max()


def test_the_load_is_that_of_a_sprint():
    trial = loaded()
    energy = engine.elastic_energy(trial.model, trial.q)
    assert 10.0 < energy.max() < 300.0
    assert 0.5 < np.abs(strains(trial.model, trial.q)).max() < 10.0  # [1/m]
    assert energy[0] < 1e-9


def test_21_markers_give_the_shape():
    trial = syn.noisy(loaded(), NOISE, seed=1)
    motion = ss.solve_ik(trial.model, trial.recording)
    assert motion.converged
    error = np.abs(bends(trial.model, motion.q) - bends(trial.model, trial.q))
    assert error[:, 0::3].max() < TWIST
    assert error[:, 1::3].max() < BEND
    assert tip_error(trial, motion) < TIP
    energy = [engine.elastic_energy(trial.model, q) for q in (motion.q, trial.q)]
    assert np.abs(energy[0] - energy[1]).max() < ENERGY


def test_three_markers_give_a_sane_shape():
    """Two on the midline, one on the edge: the energy chooses among all shapes that meet them the most relaxed."""
    names = [n for n in loaded().names if not n.startswith("blade") or n in THREE]
    trial = syn.noisy(loaded(), NOISE, seed=1).only(names)
    motion = ss.solve_ik(trial.model, trial.recording)
    assert motion.converged
    assert np.nanmax(motion.fit.error) < 4e-3
    energy = [engine.elastic_energy(trial.model, q) for q in (motion.q, trial.q)]
    assert (energy[0] < energy[1] + ENERGY).all()
    assert energy[0].max() > 0.8 * energy[1].max()
    assert tip_error(trial, motion) < 2.0 * TIP
    error = np.abs(bends(trial.model, motion.q) - bends(trial.model, trial.q))
    assert error[:, 0::3].max() < 1.5 * TWIST
    assert error[:, 1::3].max() < 2.0 * BEND
    assert any(name.startswith("blade.") for name in motion.undetermined)


def test_all_six_strains_from_21_markers():
    """Stretch and shear of carbon fibre are far below what noise would make of them; the energy knows."""
    trial = syn.noisy(loaded(all_six=True), NOISE, seed=1)
    model = trial.model
    motion = ss.solve_ik(model, trial.recording)
    assert motion.converged
    assert tip_error(trial, motion) < TIP
    stiff = [i for i, name in enumerate(STRAINS * 6) if name[0] == "e"]
    truth, found = strains(model, trial.q)[:, stiff], strains(model, motion.q)[:, stiff]
    assert np.abs(truth).max() < 2e-3
    assert np.abs(found - truth).max() < 0.01
    free = ss.solve_ik(model, trial.recording, elastic=0.0)
    assert np.abs(strains(model, free.q)[:, stiff] - truth).max() > 4.0 * np.abs(found - truth).max()
    soft = [i for i, name in enumerate(STRAINS * 6) if name == "ky"]
    error = np.abs(bends(model, motion.q) - bends(model, trial.q))
    assert error[:, soft].max() < BEND
    energy = [engine.elastic_energy(model, q) for q in (motion.q, trial.q)]
    assert np.abs(energy[0] - energy[1]).max() < 2.0 * ENERGY
    assert engine.elastic_energy(model, free.q).max() > 1e3 * energy[0].max()


def test_all_six_strains_from_three_markers():
    names = [n for n in loaded().names if not n.startswith("blade") or n in THREE]
    trial = syn.noisy(loaded(all_six=True), NOISE, seed=1).only(names)
    motion = ss.solve_ik(trial.model, trial.recording)
    assert motion.converged
    stiff = [i for i, name in enumerate(STRAINS * 6) if name[0] == "e"]
    assert np.abs(strains(trial.model, motion.q)[:, stiff]).max() < 0.01
    energy = [engine.elastic_energy(trial.model, q) for q in (motion.q, trial.q)]
    assert (energy[0] < energy[1] + ENERGY).all()
    assert tip_error(trial, motion) < 2.0 * TIP


@pytest.mark.parametrize("all_six", [False, True])
def test_clean_markers_give_every_strain_back(all_six):
    """7 stations of three markers do not end at the segments' ends: every strain is found all the same."""
    model = syn.fully_marked(leg(all_six)[1])
    time, q = loaded(all_six).time, loaded(all_six).q
    clean = syn.Trial(model, time, q, syn.record(model, time, q))
    motion = ss.solve_ik(model, clean.recording, elastic=0.0)
    assert motion.converged
    assert np.abs(syn.error(model, motion.q, q)).max() < 1e-8


def test_more_weight_on_energy_makes_a_straighter_blade():
    trial = syn.noisy(loaded(), NOISE, seed=1)
    energy = [
        engine.elastic_energy(trial.model, ss.solve_ik(trial.model, trial.recording, elastic=w).q).max()
        for w in (0.0, 5e-8, 1e-5, 1e-2)
    ]
    assert energy[0] > energy[1] > energy[2] > energy[3]
    assert energy[3] < 0.02 * energy[0]


def test_no_marker_on_the_blade():
    """Then it is unloaded as far as anybody knows, and that is said."""
    trial = loaded().only([n for n in loaded().names if not n.startswith("blade")])
    motion = ss.solve_ik(trial.model, trial.recording)
    assert motion.converged
    assert np.abs(bends(trial.model, motion.q)).max() < 1e-6
    assert sum(name.startswith("blade.") for name in motion.undetermined) == 18


def test_the_blade_of_a_whole_athlete():
    """Under 51 noisy markers the blade is as good as on its own."""
    model = the_model("athlete")
    time, q = syn.movement(model, FRAMES, seed=2)
    q[:, list(model.q_indices("blade"))] = strains(loaded().model, loaded().q)
    trial = syn.noisy(syn.Trial(model, time, q, syn.record(model, time, q)), NOISE, seed=3)
    motion = ss.solve_ik(model, trial.recording)
    assert motion.converged
    error = np.abs(bends(model, motion.q) - bends(model, q))
    assert error[:, 0::3].max() < 1.5 * TWIST
    assert error[:, 1::3].max() < 1.5 * BEND
    assert tip_error(trial, motion) < 2.0 * TIP
