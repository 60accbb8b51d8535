"""How far a coordinate may be trusted: `motion.std` against the truth and against dense matrices."""

import numpy as np
import pytest
from tests.kinematics.ik import synthetic as syn
from tests.models import the_model
from tests.oracles.dense_ik import DenseIk

import softstride as ss
from softstride import engine
from softstride.model import Spherical

NOISE = 1e-3  # [m]
ARTEFACT = 0.01  # [m]
COVERED = 0.95  # within two standard deviations; a normal distribution has 0.9545


@pytest.fixture(scope="module")
def athlete():
    return the_model("athlete")


def oracle(motion, recording, frame, **more):
    names = list(motion.fit.names)
    target = recording.markers.select(names).values[frame]
    return DenseIk(motion.model, names, target, weights=motion.fit.weights, **more)


def determined(trial, frames=(0, -1)):
    """Return which coordinates the rank of the Jacobian shows as determined in some frames, shape (nv,)."""
    out = np.ones(trial.model.nv, dtype=bool)
    for frame in frames:
        problem = DenseIk(trial.model, list(trial.names), trial.values[frame])
        lost = problem.undetermined(trial.q[frame], syn.scales(trial.model))
        out &= [name not in lost for name in trial.model.coordinate_names]
    return out


def width(model):
    """Return what is known without any marker, shape (nv,): 10 rad, 10 m, a strain that bends its segment by it."""
    out = np.full(model.nv, 10.0)
    for link in model.links:
        if link.soft:
            lengths = [segment.length for segment in link.joint.segments for _ in segment.free]
            out[list(model.v_indices(link.name))] = 10.0 / np.array(lengths)
    return out


def ratios(motion, trial, columns):
    """Return error / std of some coordinates, shape (n, k)."""
    d = engine.difference(trial.model, trial.q, motion.q)
    return np.abs(d / motion.std)[:, columns]


@pytest.mark.parametrize("how", [{}, {"prior": 1e-5}], ids=["default", "small prior"])
def test_two_standard_deviations_hold_the_truth(athlete, how):
    trial = syn.noisy(syn.trial(athlete, 160, seed=21), NOISE, seed=1)
    motion = ss.solve_ik(athlete, trial.recording, **how)
    assert motion.fit.converged.mean() > 0.95
    seen = determined(trial)
    assert seen.sum() == 42
    ratio = ratios(motion, trial, seen)
    assert (ratio < 2.0).mean() >= COVERED
    # nor is it a bound that says nothing: half of the errors are beyond a quarter of a standard deviation
    assert np.median(ratio) > 0.25
    # what the prior bends adds to the residuals: a tenth at its default, nothing to speak of at a hundredth of it
    assert motion.fit.noise == pytest.approx(NOISE, rel=0.15 if not how else 0.05)


@pytest.mark.parametrize("name", ["gait", "athlete"])
def test_all_coordinates_are_covered_where_all_are_determined(name):
    trial = syn.noisy(syn.trial(syn.fully_marked(the_model(name)), 100, seed=22), NOISE, seed=2)
    motion = ss.solve_ik(trial.model, trial.recording)
    assert motion.undetermined == ()
    assert motion.fit.noise == pytest.approx(NOISE, rel=0.03)
    ratio = ratios(motion, trial, slice(None))
    assert 0.94 < (ratio < 2.0).mean() < 0.97  # a tight one: the model is linear at 1 mm
    assert (ratio < 1.0).mean() == pytest.approx(0.6827, abs=0.02)


def test_noise_that_is_given_scales_the_deviation():
    trial = syn.noisy(syn.trial(the_model("gait"), 10, seed=22), NOISE, seed=2)
    one, ten = (ss.solve_ik(trial.model, trial.recording, noise=s) for s in (1e-4, 1e-3))
    assert one.fit.noise == 1e-4
    np.testing.assert_allclose(ten.std, 10.0 * one.std, rtol=0.01)  # but for what is known beforehand


@pytest.mark.slow
@pytest.mark.parametrize("skip", [("blade",), ()], ids=["skin", "all markers"])
def test_artefact_is_reported_and_covered(athlete, skip):
    """Offsets and slow motion of 10 mm, over several people: 1 mm of noise explains none of it."""
    moved = {name: ARTEFACT for name, p in athlete.markers.items() if p.link not in skip}
    honest, naive, rms = [], [], []
    for seed in range(20):
        clean = syn.trial(athlete, 3, seed=30 + seed)
        trial = syn.noisy(syn.soft_tissue(clean, ARTEFACT, seed=seed, skip=skip), NOISE, seed=seed)
        seen = determined(clean, (0,))
        motion = ss.solve_ik(athlete, trial.recording, noise=NOISE, artefact=moved)
        plain = ss.solve_ik(athlete, trial.recording, noise=NOISE)
        honest.append(ratios(motion, trial, seen))
        naive.append(ratios(plain, trial, seen))
        rms.append(plain.marker_rms)
        np.testing.assert_allclose(motion.fit.artefact, [moved.get(n, 0.0) for n in motion.fit.names])
    assert min(rms) > 3.0 * NOISE  # the error is reported
    assert (np.concatenate(naive) < 2.0).mean() < 0.8  # and noise alone would promise too much
    # errors of one person hardly change: 20 people, not 60 samples; a standard deviation of 0.01 over all coordinates
    assert (np.concatenate(honest) < 2.0).mean() >= COVERED - 0.01


def test_artefact_without_a_given_noise_shows_in_the_noise(athlete):
    clean = syn.trial(athlete, 20, seed=40)
    trial = syn.noisy(syn.soft_tissue(clean, ARTEFACT), NOISE)
    motion = ss.solve_ik(athlete, trial.recording, prior=1e-6)
    assert motion.fit.noise > 2.0 * NOISE


NAMED, UNNAMED = 0.05, 1e-6  # share in the null space (norm) from which, and below which, there is no doubt


@pytest.mark.parametrize("name", ["athlete", "human"])
def test_what_markers_do_not_determine_is_named(name):
    trial = syn.noisy(syn.trial(the_model(name), 10, seed=23), NOISE, seed=3)
    motion = ss.solve_ik(trial.model, trial.recording)
    null = oracle(motion, trial.recording, 5).null_space(motion.q[5], syn.scales(trial.model))
    share = dict(zip(trial.model.coordinate_names, np.linalg.norm(null, axis=0), strict=True))
    assert {n for n, x in share.items() if x > NAMED} <= set(motion.undetermined)
    assert {n for n, x in share.items() if x < UNNAMED}.isdisjoint(motion.undetermined)
    assert len(motion.undetermined) > 80
    assert motion.fit.undetermined == motion.undetermined
    # the prior is on those, and only on those; a ball joint has one prior for its three angles
    named = np.isin(trial.model.coordinate_names, motion.undetermined)
    for link in trial.model.links:
        if isinstance(link.joint, Spherical):
            own = list(trial.model.v_indices(link.name))
            named[own] = named[own].any()
    np.testing.assert_array_equal(motion.fit.prior > 0.0, named)


def test_no_false_precision(athlete):
    """A thumb without a marker, a chain of vertebrae with one at its end: nobody knows, and it is said."""
    trial = syn.noisy(syn.trial(athlete, 10, seed=23), NOISE, seed=3)
    motion = ss.solve_ik(athlete, trial.recording)
    names = list(athlete.coordinate_names)
    for name in ("left_thumb.x", "right_fingers", "lumbar_3.y", "left_toes"):
        assert (motion.std[:, names.index(name)] > 0.15).all(), name
    seen = determined(trial)
    assert (
        motion.std[:, seen] * syn.scales(athlete)[seen] < 0.5
    ).all()  # forearms 0.3 rad: one marker a bone


def test_a_marker_that_is_gone_is_felt_in_its_frame():
    """Without the toe marker the toes are not known in that frame; in the others they are."""
    model = the_model("gait")
    trial = syn.noisy(syn.trial(model, 20, seed=24), NOISE, seed=4)
    toes = [n for n, p in model.markers.items() if p.link == "toes_r"]
    values = trial.values
    values[8:12, [trial.names.index(n) for n in toes]] = np.nan
    motion = ss.solve_ik(model, trial.with_values(values).recording, noise=NOISE)
    std = motion.std[:, list(model.coordinate_names).index("mtp_angle_r")]
    assert (std[8:12] > 10.0 * std[[0, 7, 12, 19]].max()).all()


@pytest.mark.parametrize("name", ["gait", "human", "athlete"])
def test_against_the_dense_inverse(name):
    """Covariance from the inverse of the normal equations, noise and artefact of each marker carried through."""
    trial = syn.noisy(syn.trial(the_model(name), 6, seed=25), NOISE, seed=5)
    model = trial.model
    rng = np.random.default_rng(0)
    weights = {
        n: float(w) for n, w in zip(model.markers, rng.uniform(0.5, 4.0, len(model.markers)), strict=True)
    }
    artefact = {
        n: float(a) for n, a in zip(model.markers, rng.uniform(0.0, 0.02, len(model.markers)), strict=True)
    }
    for how in ({}, {"artefact": artefact}):
        motion = ss.solve_ik(model, trial.recording, weights=weights, noise=2e-3, **how)
        for frame in (0, 5):
            problem = oracle(motion, trial.recording, frame, prior=motion.fit.prior, elastic=5e-8)
            w = np.array([weights[n] for n in motion.fit.names])
            spread = np.sqrt(
                2e-3**2 / w + np.array([how.get("artefact", {}).get(n, 0.0) for n in weights]) ** 2
            )
            want = problem.deviations(motion.q[frame], spread, width(model))
            np.testing.assert_allclose(
                motion.std[frame], want, rtol=1e-7
            )  # differences, and 10 rad of ignorance
