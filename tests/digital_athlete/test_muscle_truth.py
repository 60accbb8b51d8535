"""The true muscle forces of the digital athlete: they make its torques, as muscles can, and as it wants to."""

import dataclasses

import numpy as np
import pytest
from tests.trials import the_athlete

import softstride as ss
from softstride.digital_athlete import load_athlete, strength
from softstride.digital_athlete.co_contraction import LEVEL, TONE, floor
from softstride.digital_athlete.muscle_truth import MUSCLED, stances
from softstride.digital_athlete.person import estimator_model
from softstride.muscles import activation_dynamics, equilibrium

LEGS = tuple(name for names in MUSCLED.values() for name in names)


@pytest.fixture(scope="module", params=["running", "walking"])
def trial(request):
    return the_athlete(request.param, noise=False, artefact=False)


@pytest.fixture(scope="module")
def truth(trial):
    return trial.truth


def column(truth, name):
    return truth.model.coordinate_names.index(name)


def sizes(truth):
    """The largest torque of each coordinate."""
    return np.abs(truth.tau - truth.elastic).max(axis=0)


def test_muscles_alone_make_the_torques_of_the_legs(truth):
    for name in LEGS:
        i = column(truth, name)
        assert np.abs(truth.reserve[:, i]).max() < 1e-6 * sizes(truth)[i], name


def test_motors_are_at_toes_trunk_and_arms_only(truth):
    known = (*LEGS, "mtp_angle_l")
    moved = np.abs(truth.pull.arms).max(axis=(0, 1)) > 0.0
    assert {truth.model.coordinate_names[i] for i in np.flatnonzero(moved)} == set(known)
    for i, name in enumerate(truth.model.coordinate_names):
        if name.startswith(("lumbar", "arm", "elbow", "pro_sup", "wrist")):
            np.testing.assert_allclose(truth.reserve[:, i], truth.tau[:, i], atol=1e-9)
    blade = list(truth.model.v_indices("blade_r"))
    assert np.abs(truth.reserve[:, blade]).max() < 1e-6 * np.abs(truth.elastic).max()


def test_forces_on_the_bones_make_the_torques(truth):
    """Another route than moment arms: wrenches of the muscles on the links, through the Jacobians of the links."""
    some = slice(None, None, 7)
    q = truth.q[some]
    wrenches = ss.muscle_wrenches(truth.model, q, truth.muscle_force[some])
    made = ss.generalized_forces(truth.model, q, dict(wrenches))
    for name in LEGS:
        i = column(truth, name)
        wanted = (truth.tau - truth.elastic)[some, i]
        np.testing.assert_allclose(made[:, i], wanted, atol=1e-6 * sizes(truth)[i])


def test_moment_arms_are_slopes_of_lengths(truth):
    h = 1e-6
    k = np.array([20, 100, 200])
    for name in LEGS:
        i = column(truth, name)
        moved = []
        for sign in (-1.0, 1.0):
            q = truth.q[k].copy()
            q[:, i] += sign * h
            moved.append(ss.muscle_paths(truth.model, q).length)
        slope = (moved[1] - moved[0]) / (2.0 * h)
        np.testing.assert_allclose(truth.pull.arms[k, :, i], -slope, atol=1e-6)


def test_forces_are_those_of_hill_muscles(truth):
    hill = ss.hill_muscles(truth.model)
    paths = ss.muscle_paths(truth.model, truth.q, truth.v)
    state = equilibrium(hill, paths.length, paths.speed, truth.activation)
    np.testing.assert_allclose(state.tendon_force(truth.activation), truth.muscle_force, rtol=1e-9, atol=1e-6)
    assert truth.muscle_force.min() >= 0.0
    assert truth.muscle_names == hill.names


def test_activations_are_physiological(truth):
    assert truth.activation.min() > 0.0 and truth.activation.max() < 1.0
    assert truth.excitation.min() >= 0.0 and truth.excitation.max() <= 1.0
    muscles = truth.model.muscles.values()
    rise, fall = (np.array([getattr(x, name) for x in muscles]) for name in ("rise_time", "fall_time"))
    rate = np.diff(truth.activation, axis=0) * 200.0
    assert (rate <= 1.0 / rise).all() and (rate >= -1.0 / fall).all()


def test_activation_follows_excitation(truth):
    """By the package's own dynamics, which take straight lines: steps of excitation that last a microsecond."""
    muscles = truth.model.muscles.values()
    rise, fall = (np.array([getattr(x, name) for x in muscles]) for name in ("rise_time", "fall_time"))
    edges = np.repeat(truth.time, 2)[1:]
    edges[2::2] += 1e-6
    steps = np.repeat(truth.excitation, 2, axis=0)[:-1]
    found = activation_dynamics(edges, steps, rise, fall, form="constant", initial=truth.activation[0])
    np.testing.assert_allclose(np.concatenate([found[:1], found[1::2]]), truth.activation, atol=2e-4)


def test_antagonists_are_tensed_around_strikes(trial, truth):
    spans = {s[0]: stances(truth.time, truth.wrenches[f"ground_{s}"]) for s in ("left", "right")}
    least = floor(truth.muscle_names, truth.time, spans, LEVEL[trial.name])
    assert (truth.activation >= least - 1e-5).all()
    assert least.min() == pytest.approx(TONE)
    for side in ("r", "l"):
        strike = next(start for start, _ in spans[side] if start > 0.1)
        k = int(np.argmin(np.abs(truth.time - strike)))
        for name in (f"bflh_{side}", f"semiten_{side}"):
            assert truth.activation[k, truth.muscle_names.index(name)] > 0.13 * LEVEL[trial.name]
        assert truth.activation[k, truth.muscle_names.index(f"vaslat_{side}")] > 0.03 * LEVEL[trial.name]
    assert np.abs(np.diff(least, n=2, axis=0)).max() < 0.02  # smooth in time


def test_the_estimator_would_choose_otherwise(truth):
    """On the true model and the true loads: what OpenSim's criterion wants has less effort, and other forces."""
    motion = ss.Motion(truth.model, truth.time, truth.q, rates=(truth.v, truth.a))
    loads = ss.Loads(truth.model, truth.time, truth.tau, elastic=truth.elastic)
    found = ss.solve_muscles(
        truth.model, motion, loads, coordinates=LEGS, passive=True, reserve=0.0, lower=0.0
    )
    np.testing.assert_allclose(
        found.moment, (truth.tau - truth.elastic)[:, [column(truth, n) for n in found.coordinates]], atol=0.05
    )
    effort = (found.activation**2).sum(axis=1), (truth.activation**2).sum(axis=1)
    assert (effort[0] < effort[1]).all()
    assert effort[0].mean() < 0.8 * effort[1].mean()
    force = np.array([muscle.max_force for muscle in truth.model.muscles.values()])
    assert np.sqrt(np.mean(((found.force - truth.muscle_force) / force) ** 2)) > 0.03
    knee = column(truth, "knee_angle_r")
    both = [np.minimum(*_flexion_extension(truth, f, knee)).mean() for f in (truth.muscle_force, found.force)]
    assert both[0] > 1.3 * both[1], "the athlete tenses flexors and extensors of the knee together"


def _flexion_extension(truth, force, i):
    moment = truth.pull.arms[:, :, i] * force
    return np.maximum(moment, 0.0).sum(axis=1), np.maximum(-moment, 0.0).sum(axis=1)


def test_the_analyst_has_other_muscles_on_the_same_paths(trial, truth):
    ours, true = trial.model.muscles, truth.model.muscles
    assert ours.keys() == true.keys()
    off = {
        name: np.array([getattr(true[m], name) / getattr(ours[m], name) - 1.0 for m in ours])
        for name in strength.SPREAD
    }
    for name, spread in strength.SPREAD.items():
        assert np.abs(off[name]).max() <= spread + 1e-12 and np.abs(off[name]).max() > 0.8 * spread
    slack = [(true[m].tendon_length - ours[m].tendon_length) / ours[m].fibre_length for m in ours]
    assert 0.8 * strength.SLACK < np.abs(slack).max() <= strength.SLACK + 1e-12
    q = truth.q[::50]
    model = trial.model
    mapped = np.tile(model.neutral(), (len(q), 1))
    for i, name in enumerate(model.coordinate_names):
        if name in truth.model.coordinate_names and "blade" not in name:
            mapped[:, i] = q[:, column(truth, name)]
    np.testing.assert_allclose(
        ss.muscle_paths(model, mapped).length, ss.muscle_paths(truth.model, q).length, atol=1e-9
    )


def test_the_surgery(trial):
    names = set(trial.model.muscles)
    assert {"gasmed_r", "gaslat_r", "soleus_r"} <= names and len(names) == 72
    assert not {"tibant_r", "perlong_r", "edl_r"} & names
    assert "gasmed_r" not in estimator_model("unattached").muscles
    assert "gasmed_tibant_r" in estimator_model("myoplasty").muscles


def test_same_at_every_load(trial, truth):
    again = load_athlete(trial.name, noise=False, artefact=False).truth
    np.testing.assert_array_equal(again.activation, truth.activation)
    with pytest.raises(ValueError):
        truth.activation[0, 0] = 1.0
    with pytest.raises(dataclasses.FrozenInstanceError):
        truth.activation = truth.activation


@pytest.mark.slow
def test_packaged_activations_are_what_the_command_makes(tmp_path):
    from softstride.digital_athlete.__main__ import main

    assert main([str(tmp_path), "walking", "--keep-motion"]) == 0
    packaged = load_athlete("walking").truth
    with np.load(tmp_path / "walking_truth.npz") as made:
        np.testing.assert_array_equal(made["coefficients"], packaged.curve.coefficients)
        np.testing.assert_allclose(made["activation"], packaged.activation, atol=1e-4)
    assert main([str(tmp_path), "swimming"]) == 2
