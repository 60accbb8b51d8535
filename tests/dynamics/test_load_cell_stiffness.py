"""The stiffness of a blade from trials with plates."""

from dataclasses import replace

import numpy as np
import pytest
from tests.dynamics.blade_trials import ROD, noisy, pushes, runner, stance, usual_stance, without_a_blade
from tests.refusals import bad_input

from softstride.capture import ExternalForce, Recording
from softstride.dynamics.blade.fit import identify_blade
from softstride.dynamics.blade.load_cell import blade_force
from softstride.dynamics.blade.regression import fit_slope, series_error
from softstride.dynamics.blade.rows import with_stiffness
from softstride.errors import InputError
from softstride.kinematics import Motion
from softstride.model import Rod


@pytest.fixture(scope="module")
def model():
    return runner()


@pytest.fixture(scope="module")
def trial():
    return usual_stance()


def of(model, motion):
    """Return the motion as one of another model with the same coordinates."""
    return Motion(model, motion.time, motion.q, rates=motion.rates)


def scaled(model, factors):
    """Return the model with the stiffness and damping of each segment and strain multiplied, shape (segments, 6)."""
    rod = model.link(ROD).joint
    segments = tuple(
        replace(s, stiffness=np.diag(f * np.diag(s.stiffness)), damping=np.diag(f * np.diag(s.damping)))
        for s, f in zip(rod.segments, factors, strict=True)
    )
    links = tuple(
        replace(link, joint=Rod(segments, rod.quadrature)) if link.name == ROD else link
        for link in model.links
    )
    return model.replace(links=links)


@pytest.mark.parametrize("moving", [False, True])
@pytest.mark.parametrize("factor", [0.8, 1.0, 1.25])
def test_the_scale_of_the_truth_is_found(model, factor, moving):
    """Strains are those of a blade whose stiffness is scaled; inertia and damping take part where it moves."""
    truth = runner(factor)
    motion, recording = stance(truth, pushes(8), moving=moving)
    fit = identify_blade(model, of(model, motion), recording)
    assert fit.names == ("blade",) and fit.scale[0] == pytest.approx(factor, abs=1e-6 * factor)
    assert fit.std[0] < 1e-6 and fit.r2 == pytest.approx(1.0, abs=1e-9)
    assert fit.frames == 8 and fit.link == ROD
    assert fit.peak == pytest.approx(np.linalg.norm(recording.forces[0].force, axis=1).max())
    for found, given in zip(fit.model.link(ROD).joint.segments, truth.link(ROD).joint.segments, strict=True):
        assert np.allclose(found.stiffness, given.stiffness, rtol=1e-6)
        assert np.allclose(found.damping, given.damping, rtol=1e-6)
    force = blade_force(fit.model, of(fit.model, motion), point=recording.forces[0].point).force
    assert np.allclose(force, recording.forces[0].force, atol=1e-3)


def test_bending_and_torsion_have_factors_of_their_own(model):
    factors = np.tile([0.8, 1.2, 1.2, 1.2, 0.8, 0.8], (6, 1))
    truth = scaled(model, factors)
    motion, recording = stance(truth, pushes(8))
    fit = identify_blade(model, of(model, motion), recording, scales="moduli")
    assert fit.names == ("bending", "torsion")
    assert np.allclose(fit.scale, [1.2, 0.8], rtol=1e-6)
    stiffness = [np.diag(s.stiffness) for s in fit.model.link(ROD).joint.segments]
    assert np.allclose(stiffness, [np.diag(s.stiffness) for s in truth.link(ROD).joint.segments], rtol=1e-6)


def test_segments_have_factors_of_their_own_drawn_to_the_common_one(model):
    """Loaded segments are found; the sixth, beyond the load, takes the common factor."""
    given = np.array([0.9, 1.1, 1.0, 1.2, 0.95, 1.3])
    truth = scaled(model, np.repeat(given[:, None], 6, axis=1))
    motion, recording = stance(truth)
    same = of(model, motion)
    wide = identify_blade(model, same, recording, scales="segments", ridge=100.0)
    assert wide.names[0] == "segment 1" and np.allclose(wide.scale[:5], given[:5], rtol=1e-5)
    common = identify_blade(model, same, recording).scale[0]
    assert wide.scale[5] == pytest.approx(common) and wide.std[5] == np.inf
    assert "do not tell 'segment 6'" in str(wide.notes[0])
    narrow = identify_blade(model, same, recording, scales="segments", ridge=1e-4)
    assert np.allclose(narrow.scale, common, rtol=5e-3)
    default = identify_blade(model, same, recording, scales="segments")
    assert np.allclose(default.scale[:5], given[:5], rtol=5e-3)


@pytest.mark.slow
def test_noise_within_the_stated_error(model, trial):
    """By drawing: errors of the factor in units of its standard error, white noise and noise that lasts."""
    motion, recording = trial
    exact = {"strain_error": 0.02, "force_error": 0.0, "point_error": 0.0}
    for alike, widest in ((0.0, 1.4), (0.8, 1.8)):  # 40 frames are few for noise that lasts five
        fits = [
            identify_blade(model, noisy(motion, 0.02, seed, alike=alike), recording, **exact)
            for seed in range(40)
        ]
        z = np.array([(fit.scale[0] - 1.0) / fit.std[0] for fit in fits])
        assert 0.6 < np.sqrt(np.mean(z**2)) < widest
        assert abs(np.mean([fit.scale[0] for fit in fits]) - 1.0) < 2e-3
        assert np.mean([fit.std[0] for fit in fits]) < 0.01
        assert abs(np.mean([fit.correlation[0] for fit in fits]) - alike) < 0.25


def test_noise_of_strains_does_not_shift_torsion(model, trial):
    """Strains in error move the blade under the load, which twists it: without their share, torsion came out 5 % up."""
    motion, recording = trial
    exact = {"strain_error": 0.02, "force_error": 0.0, "point_error": 0.0}
    fits = [
        identify_blade(model, noisy(motion, 0.02, seed), recording, scales="moduli", **exact)
        for seed in range(30)
    ]
    mean = np.mean([fit.scale for fit in fits], axis=0)
    assert abs(mean[0] - 1.0) < 2e-3 and abs(mean[1] - 1.0) < 0.015


def test_noise_of_plates_within_the_stated_error(model, trial):
    motion, recording = trial
    force = recording.forces[0]
    z = []
    for seed in range(30):
        rng = np.random.default_rng(seed)
        off = replace(
            force,
            force=force.force + rng.normal(scale=10.0, size=force.force.shape),
            point=force.point + rng.normal(scale=0.004, size=force.point.shape),
        )
        fit = identify_blade(
            model,
            noisy(motion, 0.01, seed),
            recording.replace(forces=(off,)),
            strain_error=0.01,
            force_error=10.0,
            point_error=0.004,
        )
        z.append((fit.scale[0] - 1.0) / fit.std[0])
        assert 0.5 < fit.std[0] / fit.expected_std[0] < 4.0  # one error of a plate is in all rows of a frame
    assert 0.6 < np.sqrt(np.mean(np.square(z))) < 1.4


def test_errors_on_both_sides_do_not_pull_the_slope_down():
    """Plain least squares loses the share of the noise in e, here a third; the fit does not."""
    rng = np.random.default_rng(3)
    x = rng.normal(size=4000)
    e, y = x + np.sqrt(0.5) * rng.normal(size=4000), 1.5 * x + 0.3 * rng.normal(size=4000)
    plain = float(y @ e / (e @ e))
    assert plain == pytest.approx(1.0, abs=0.05)
    slope = fit_slope(y, e, np.full(4000, 0.09), np.full(4000, 0.5))
    assert slope.value == pytest.approx(1.5, abs=0.08)
    assert fit_slope(y, e, np.full(4000, 1.0), np.zeros(4000)).value == pytest.approx(plain)
    drawn = fit_slope(y, e, np.full(4000, 0.09), np.full(4000, 0.5), prior=(1.2, 1e-6))
    assert drawn.value == pytest.approx(1.2, abs=1e-4)


def test_standard_errors_of_a_series_that_lasts():
    """Draws of a slope with autoregressive noise: stated is what is found; independence would state far too little."""
    rng = np.random.default_rng(5)
    n, repeats, r = 600, 200, 0.8
    x = 1.0 + 0.2 * np.sin(np.arange(n) / 40.0)
    found, stated, naive = [], [], []
    for _ in range(repeats):
        noise = rng.normal(size=n)
        for i in range(1, n):
            noise[i] = r * noise[i - 1] + np.sqrt(1.0 - r**2) * noise[i]
        slope = fit_slope(x + 0.1 * noise, x, np.full(n, 0.01), np.zeros(n))
        error, lags, alike = series_error([slope.score], slope.curvature, n)
        found.append(slope.value)
        stated.append(error)
        naive.append(slope.expected_std)
        assert lags > 5 and abs(alike - r) < 0.15
    spread = float(np.std(found))
    assert np.mean(stated) == pytest.approx(spread, rel=0.25)
    assert np.mean(naive) < 0.5 * spread


def test_several_trials_at_once(model, trial):
    """A trial cut in two gives what the whole gives; another one adds its frames."""
    motion, recording = trial
    whole = identify_blade(model, noisy(motion, 0.02, 1), recording)
    part = noisy(motion, 0.02, 1)
    halves = [
        part.at(part.time[0], 0.5 * part.time[-1]),
        part.at(0.5 * part.time[-1] + 1e-6, part.time[-1]),
    ]
    both = identify_blade(model, halves, [recording, recording])
    assert both.scale[0] == pytest.approx(whole.scale[0], rel=1e-9)
    assert both.frames == whole.frames and [len(u) for u in both.used] == [len(h) for h in halves]
    again = identify_blade(
        model, [part, noisy(motion, 0.02, 2)], [recording, recording], bodies={"plate": ROD}
    )
    assert again.frames == 2 * whole.frames and again.std[0] < whole.std[0] * 1.2


def test_frames_of_small_load_are_left_out(model, trial):
    motion, recording = trial
    size = np.linalg.norm(recording.forces[0].force, axis=1)
    fit = identify_blade(model, motion, recording, least_load=1.0)
    assert np.array_equal(fit.used[0], size > 9.80665 * model.mass) and 0 < fit.frames < len(motion)
    force = recording.forces[0]
    swing = replace(
        force,
        force=np.where(size[:, None] < 400.0, 0.0, force.force),
        point=np.where(size[:, None] < 400.0, np.nan, force.point),
    )
    fit = identify_blade(model, motion, recording.replace(forces=(swing,)))
    assert fit.frames == int((size >= 400.0).sum()) and fit.scale[0] == pytest.approx(1.0, abs=1e-9)


def test_it_says_what_it_found(model, trial):
    fit = identify_blade(model, trial[0], trial[1])
    assert repr(fit).startswith("BladeFit('blade_r': blade 1 ± ") and "38 frames, R² = 1.0000" in repr(fit)


def limp(model, motion):
    model = with_stiffness(model, ROD, np.zeros((6, 6)))
    return model, of(model, motion)


def pressed(recording, factor):
    force = recording.forces[0]
    return Recording("pressed", forces=(replace(force, force=factor * force.force),))


@bad_input(
    InputError,
    (without_a_blade, "has no rod"),
    ({"bodies": {"plate": "calcn_l"}}, r"acts on the blade 'blade_r' \(forces: 'plate' on 'calcn_l'\)"),
    ({"bodies": {"plat": ROD}}, "bodies names the force 'plat'"),
    (lambda recording: pressed(recording, 0.01), "blade 'blade_r' is not loaded: its force is 12 N at most"),
    ({"recording": Recording("none")}, "holds no forces"),
    (lambda recording: pressed(recording, -1.0), "does not go with the force on it"),
    ({"scales": "all"}, "scales must be one of common, moduli, segments"),
    (lambda motion, recording: ([motion, motion], [recording]), "there are 2 and 1"),
    (lambda motion, recording: ([motion], [recording.forces[0]]), "a trial is a Motion and a Recording"),
    ({"ridge": 0.0}, "ridge must be a number above 0, however it is 0"),
    (limp, "has no stiffness"),
)
def test_bad_trials_are_refused(refuses, model, trial):
    motion, recording = trial
    refuses(identify_blade, model=model, motion=motion, recording=recording)


def test_a_rod_whose_bending_and_torsion_are_coupled(model, trial):
    """A laminate may couple them: two factors are refused, one is found."""
    motion, recording = trial
    rod = model.link(ROD).joint
    segments = []
    for segment in rod.segments:
        K = segment.stiffness.copy()
        K[0, 1] = K[1, 0] = 0.2 * np.sqrt(K[0, 0] * K[1, 1])
        segments.append(replace(segment, stiffness=K))
    links = tuple(
        replace(link, joint=Rod(tuple(segments), rod.quadrature)) if link.name == ROD else link
        for link in model.links
    )
    coupled = model.replace(links=links)
    moved, plate = stance(coupled, pushes(6))
    stiffer = with_stiffness(coupled, ROD, np.full((6, 6), 1.6))
    assert identify_blade(stiffer, of(stiffer, moved), plate).scale[0] == pytest.approx(1.0 / 1.6, rel=1e-6)
    with pytest.raises(InputError, match="bending and torsion of this rod are coupled"):
        identify_blade(coupled, of(coupled, motion), recording, scales="moduli")


def test_a_plate_without_a_name_for_its_foot_is_found_by_its_side(model, trial):
    motion, recording = trial
    force = recording.forces[0]
    sided = ExternalForce("fp 2", force.time, force.force, force.point, force.moment, side="right")
    assert identify_blade(model, motion, Recording("s", forces=(sided,))).scale[0] == pytest.approx(1.0)
