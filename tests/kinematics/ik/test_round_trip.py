"""From a known motion to markers and back.

Errors are in [rad] and [m]; a strain counts times the length of its segment (see `synthetic.error`).
"""

import numpy as np
import pytest
from scipy.spatial.transform import Rotation
from tests.kinematics.ik import synthetic as syn
from tests.models import the_model

import softstride as ss
from softstride import engine

# What double precision leaves of an angle after a chain of twenty links: the promise of the documentation.
EXACT = 1e-8
# With fewer markers than degrees of freedom and a prior of 1e-7 m²/rad²: the promise is a tenth of a millimetre.
MET = 1e-4
SMALL_PRIOR = 1e-7

HEADINGS = [k * np.pi / 4 for k in range(8)]
ATTITUDES = {
    "back": syn.ON_THE_BACK,
    "face": syn.ON_THE_BACK.inv(),
    "side": Rotation.from_euler("x", 80, degrees=True),
    "head": syn.UPSIDE_DOWN,
    "head, turned": Rotation.from_euler("z", 170, degrees=True),
}
EXACTLY = {"elastic": 0.0}  # no prior that would pull an unloaded shape out of exact markers


@pytest.fixture(scope="module")
def full():
    """The packaged models with at least three markers on every link."""
    return {name: syn.fully_marked(the_model(name)) for name in ("athlete", "gait", "human")}


def worst(motion, clean):
    return np.max(np.abs(syn.error(clean.model, motion.q, clean.q)))


@pytest.mark.parametrize("speed", [0.0, 5.0], ids=["treadmill", "overground"])
@pytest.mark.parametrize("name", ["athlete", "gait", "human"])
def test_three_markers_on_every_link_give_the_motion_back(full, name, speed):
    clean = syn.trial(full[name], 120, seed=3, speed=speed)
    motion = ss.solve_ik(clean.model, clean.recording, **EXACTLY)
    assert motion.converged and motion.fit.converged.all()
    assert motion.undetermined == ()
    assert worst(motion, clean) < EXACT
    assert motion.marker_rms < EXACT
    np.testing.assert_array_equal(motion.time, clean.time)


def test_the_athletes_trial_is_what_it_says(full):
    """50 links and a blade of six segments, 148 degrees of freedom at 200 Hz; nobody stands still."""
    clean = syn.trial(full["athlete"], 120, seed=3)
    assert (clean.model.nv, len(clean.model.links), clean.recording.rate) == (148, 51, 200.0)
    moved = np.ptp(syn.error(clean.model, clean.q, clean.q[:1]), axis=0)
    assert moved.min() > 1e-4  # [rad], [m]: the stiffest strain of the blade
    assert np.median(moved) > 0.02
    energy = engine.elastic_energy(clean.model, clean.q)
    assert 5.0 < energy.max() < 200.0  # [J], as in a sprint


@pytest.mark.parametrize("name", ["gait", "human"])
@pytest.mark.parametrize("heading", HEADINGS)
def test_any_heading(full, name, heading):
    clean = syn.trial(full[name], 4, seed=5, heading=heading)
    motion = ss.solve_ik(clean.model, clean.recording)
    assert motion.converged
    assert worst(motion, clean) < EXACT


@pytest.mark.parametrize("heading", HEADINGS)
def test_any_heading_of_the_gait_model_with_its_own_markers(heading):
    """49 markers, all 37 coordinates determined, some by one marker alone."""
    clean = syn.trial(the_model("gait"), 4, seed=7, heading=heading)
    motion = ss.solve_ik(clean.model, clean.recording)
    assert motion.converged
    assert worst(motion, clean) < EXACT


def test_angles_of_the_root_are_the_small_ones():
    """Tilt, list and rotation of somebody upright are near zero, not half a turn each, which would be the same pose."""
    model = the_model("gait")
    for seed in range(6):
        clean = syn.with_gaps(syn.noisy(syn.trial(model, 6, seed=seed), 0.004, seed=seed), 0.15, seed=seed)
        motion = ss.solve_ik(model, clean.recording)
        assert np.abs(motion.q[:, :3]).max() < 1.0


@pytest.mark.parametrize("name", ["athlete", "gait"])
@pytest.mark.parametrize("attitude", list(ATTITUDES))
def test_any_attitude(full, name, attitude):
    clean = syn.trial(full[name], 4, seed=6, attitude=ATTITUDES[attitude], heading=2.5)
    motion = ss.solve_ik(clean.model, clean.recording, **EXACTLY)
    assert motion.converged
    assert worst(motion, clean) < EXACT


@pytest.mark.parametrize("heading", HEADINGS[::2])
def test_any_heading_of_the_athlete_with_51_markers(heading):
    """A person seen from behind must not be taken for one seen from the front: markers are met all the same."""
    clean = syn.trial(the_model("athlete"), 3, seed=9, heading=heading, attitude=syn.ON_THE_FEET)
    motion = ss.solve_ik(clean.model, clean.recording)
    assert motion.converged
    pelvis = engine.poses(clean.model, motion.q, "pelvis"), engine.poses(clean.model, clean.q, "pelvis")
    turn = Rotation.from_matrix(pelvis[0][:, :3, :3]) * Rotation.from_matrix(pelvis[1][:, :3, :3]).inv()
    assert np.rad2deg(turn.magnitude()).max() < 5.0
    assert motion.marker_rms < 0.01


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("name", ["gait", "athlete"])
def test_a_start_far_off(full, name, seed):
    """Five metres away, turned any way, joints anywhere within their ranges."""
    clean = syn.trial(full[name], 3, seed=8)
    away = Rotation.random(random_state=seed)
    _, start = syn.movement(clean.model, 1, seed=100 + seed, attitude=away, heading=seed)
    root = list(clean.model.q_indices("pelvis"))
    start[0, root[:3] if name == "athlete" else root[3:]] += (5.0, -3.0, 4.0)
    motion = ss.solve_ik(clean.model, clean.recording, start=start[0], **EXACTLY)
    assert motion.converged
    assert worst(motion, clean) < EXACT


def test_51_markers_are_met_with_a_small_prior():
    """Rank deficient: 75 of 148 directions are seen. The prior is stepped down, and the markers are met."""
    clean = syn.trial(the_model("athlete"), 60, seed=3)
    motion = ss.solve_ik(clean.model, clean.recording, prior=SMALL_PRIOR, elastic=1e-11)
    assert motion.converged
    assert np.nanmax(motion.fit.error) < MET
    default = ss.solve_ik(clean.model, clean.recording)
    assert default.converged
    assert default.marker_rms > motion.marker_rms  # the bias of a prior is reported, not hidden


def test_51_markers_and_the_default_prior():
    clean = syn.trial(the_model("athlete"), 60, seed=3)
    motion = ss.solve_ik(clean.model, clean.recording)
    assert motion.converged
    assert motion.marker_rms < 5e-3
    found = engine.positions(clean.model, motion.q, list(motion.fit.names))
    error = np.linalg.norm(found - clean.recording.markers.select(motion.fit.names).values, axis=2)
    np.testing.assert_allclose(motion.fit.error, error, atol=1e-12)
    assert motion.marker_rms == pytest.approx(np.sqrt((error**2).mean()), rel=1e-9)


def test_names_connect_markers_not_columns(full):
    """Shuffled columns and markers that nobody knows change nothing."""
    clean = syn.trial(full["gait"], 10, seed=2)
    rng = np.random.default_rng(0)
    order = rng.permutation(len(clean.names))
    labels = [clean.names[i] for i in order] + ["ball"]
    values = np.concatenate([clean.values[:, order], rng.normal(size=(10, 1, 3))], axis=1)
    recording = ss.Recording("shuffled", markers=ss.Points(clean.time, labels, values))
    motion = ss.solve_ik(clean.model, recording)
    assert worst(motion, clean) < EXACT
    assert any("ball" in str(note) for note in motion.notes)


def test_a_turn_through_180_degrees_has_no_jump(full):
    """Angles and quaternions go on as they were, so that velocities are those of the person."""
    for name in ("gait", "athlete"):
        clean = syn.trial(full[name], 80, seed=4, heading=np.pi - 0.1)  # turns by 0.3 rad
        motion = ss.solve_ik(clean.model, clean.recording, **EXACTLY)
        assert worst(motion, clean) < EXACT
        step = engine.difference(clean.model, motion.q[:-1], motion.q[1:])
        # midway between two frames the mean velocity differs from that at the frames by a'' h²: some percent
        middle = 0.5 * (motion.v[1:] + motion.v[:-1])
        assert np.abs(step * syn.RATE - middle)[5:-5].max() < 0.05 * np.abs(middle).max()
        assert np.abs(np.diff(motion.q, axis=0)).max() < 0.3  # no jump of 2 pi, no change of sign


def test_one_frame_and_threads(full):
    clean = syn.trial(full["gait"], 30, seed=2)
    alone = ss.solve_ik(clean.model, clean.cut(17, 18).recording)
    assert alone.q.shape == (1, clean.model.nq)
    assert np.max(np.abs(syn.error(clean.model, alone.q, clean.q[17:18]))) < EXACT
    one, two = (ss.solve_ik(clean.model, clean.recording, threads=k) for k in (1, 2))
    assert np.max(np.abs(syn.error(clean.model, one.q, two.q))) < EXACT


def test_a_part_of_the_trial(full):
    clean = syn.trial(full["gait"], 40, seed=2)
    motion = ss.solve_ik(clean.model, clean.recording, time_range=(clean.time[10], clean.time[19]))
    np.testing.assert_array_equal(motion.time, clean.time[10:20])
    assert np.max(np.abs(syn.error(clean.model, motion.q, clean.q[10:20]))) < EXACT
