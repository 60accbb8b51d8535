"""What cameras and people do wrong: gaps, exchanged labels, outliers, empty frames, wrong units, wrong names."""

import re

import numpy as np
import pytest
from tests.kinematics.ik import synthetic as syn
from tests.models import the_model

import softstride as ss
from softstride import engine
from softstride.errors import SoftstrideError
from softstride.notes import codes, sentences

NOISE = 1e-3  # [m]


@pytest.fixture(scope="module")
def gait():
    return the_model("gait")


@pytest.fixture(scope="module")
def walk(gait):
    return syn.noisy(syn.trial(gait, 120, seed=61), NOISE, seed=1)


def worst(motion, trial, frames=slice(None)):
    return np.abs(syn.error(trial.model, motion.q, trial.q))[frames].max()


def rms(motion, trial, frames=slice(None)):
    return np.sqrt((syn.error(trial.model, motion.q, trial.q)[frames] ** 2).mean())


# gaps and exchanged labels


@pytest.mark.slow
@pytest.mark.parametrize("name", ["gait", "athlete"])
def test_a_fifth_of_the_markers_is_missing_and_two_labels_are_exchanged(name):
    """The promise of the issue: it says what it found and where it failed, and puts it right where asked to."""
    model = the_model(name)
    thigh, shank = {"gait": ("RTHI", "RTIB"), "athlete": ("left_thigh_m1", "left_shank_m2")}[name]
    clean = syn.noisy(syn.trial(model, 120, seed=62), NOISE, seed=2)
    bad = syn.swapped(syn.with_gaps(clean, 0.2, seed=3), thigh, shank)
    motion = ss.solve_ik(model, bad.recording)
    failed = np.flatnonzero(~motion.fit.converged)
    told = [note for note in motion.notes if "no minimum was reached" in str(note)]
    if name == "gait":
        assert failed.size == 0 and not told
    elif failed.size:  # no posture comes near: frames may end without a minimum, and are counted
        (note,) = told
        count, first = re.search(r"in (\d+) frames?: (\d+)", str(note)).groups()
        assert (int(count), int(first)) == (failed.size, failed[0])
    else:
        assert not told
    assert [set(swap.labels) for swap in motion.fit.swaps] == [{thigh, shank}]
    (note,) = [note for note in motion.notes if note.code == "ik.labels-exchanged"]
    assert f"{thigh} and {shank} are exchanged in frames 0 to 119" in str(note)
    assert set(note.names) == {thigh, shank} and note.values["frames"] == 120
    assert note.span == pytest.approx((motion.time[0], motion.time[-1]))
    assert str(note) == f"{motion.fit.swaps[0]} (mend_swaps=True would do so)"
    assert motion.fit.swaps[0].frames.tolist() == list(range(120))  # also where one of the two was not seen
    mended = ss.solve_ik(model, bad.recording, mend_swaps=True)
    right = ss.solve_ik(model, syn.with_gaps(clean, 0.2, seed=3).recording)
    assert mended.converged
    assert f"mended: {mended.fit.swaps[0]}" in sentences(mended.notes)
    assert not {"ik.labels-exchanged", "ik.labels-not-mended"} & set(codes(mended.notes))
    assert [set(swap.labels) for swap in mended.fit.swaps] == [{thigh, shank}]
    leg = [i for i, n in enumerate(model.coordinate_names) if n in RIGHT_LEG + LEFT_LEG]
    wrong = np.abs(syn.error(model, motion.q, clean.q))[:, leg]
    good = np.abs(syn.error(model, mended.q, clean.q))[:, leg]
    reference = np.abs(syn.error(model, right.q, clean.q))[:, leg]
    assert wrong.mean() > 5.0 * good.mean()
    assert good.mean() < 1.05 * reference.mean() + 1e-4
    assert mended.marker_rms == pytest.approx(right.marker_rms, rel=1e-6)
    assert mended.marker_rms < 2.0 * NOISE < 0.05 * motion.marker_rms


RIGHT_LEG = ("hip_flexion_r", "hip_adduction_r", "hip_rotation_r", "knee_angle_r", "ankle_angle_r")
LEFT_LEG = ("left_thigh.x", "left_thigh.y", "left_thigh.z", "left_shank")


def test_labels_exchanged_for_a_while(gait, walk):
    bad = syn.swapped(walk, "LKNE", "LTIB", 40, 75)
    motion = ss.solve_ik(gait, bad.recording, mend_swaps=True)
    (swap,) = motion.fit.swaps
    assert set(swap.labels) == {"LKNE", "LTIB"}
    assert set(range(42, 73)) <= set(swap.frames.tolist()) <= set(range(38, 77))
    assert rms(motion, walk) < 1.2 * rms(ss.solve_ik(gait, walk.recording), walk)


def test_a_good_recording_has_no_swap(gait, walk):
    motion = ss.solve_ik(gait, walk.recording)
    assert motion.fit.swaps == ()
    assert motion.converged


@pytest.mark.parametrize("share", [0.1, 0.3])
def test_gaps_cost_no_more_than_their_information(gait, walk, share):
    full = ss.solve_ik(gait, walk.recording)
    less = ss.solve_ik(gait, syn.with_gaps(walk, share, seed=5).recording, noise=NOISE)
    assert less.converged
    assert np.isnan(less.fit.error).mean() == pytest.approx(share, abs=0.02)
    assert rms(less, walk) < 6.0 * rms(full, walk)


# outliers


def test_huber_against_gross_outliers(gait, walk):
    """One marker in twenty is 0.3 m off: squares follow it, Huber hardly."""
    bad, off = syn.with_outliers(walk, 0.05, 0.3, seed=4)
    assert 0.04 < off.mean() < 0.06
    clean = ss.solve_ik(gait, walk.recording)
    plain = ss.solve_ik(gait, bad.recording)
    robust = ss.solve_ik(gait, bad.recording, huber=0.005)
    assert robust.fit.converged.mean() > 0.95
    distance = [np.abs(syn.error(gait, m.q, clean.q)).mean() for m in (plain, robust)]
    assert distance[0] > 0.03
    assert distance[1] < 0.2 * distance[0]
    assert np.median(np.abs(syn.error(gait, robust.q, clean.q))) < 0.01
    # and who is off is seen in the errors
    assert robust.fit.error[off].min() > 0.1


# frames without anything


def test_a_frame_without_markers(gait, walk):
    values = walk.values
    values[50] = np.nan
    motion = ss.solve_ik(gait, walk.with_values(values).recording)
    assert not motion.converged
    np.testing.assert_array_equal(np.flatnonzero(~motion.fit.converged), [50])
    (note,) = [note for note in motion.notes if note.code == "ik.nothing-seen"]
    assert "1 frame: 50 (" in str(note) and note.span == (motion.time[50], motion.time[50])
    assert np.isfinite(motion.q).all()
    plain = ss.solve_ik(gait, walk.recording)
    beside = [i for i in range(120) if i != 50]
    assert np.abs(syn.error(gait, motion.q, plain.q))[beside].max() < 1e-4
    assert np.abs(syn.error(gait, motion.q, walk.q))[50].max() < 0.2  # between its neighbours


@pytest.mark.parametrize("frames", [(0, 4), (115, 120)], ids=["start", "end"])
def test_ends_without_markers(gait, walk, frames):
    values = walk.values
    values[slice(*frames)] = np.nan
    motion = ss.solve_ik(gait, walk.with_values(values).recording)
    np.testing.assert_array_equal(np.flatnonzero(~motion.fit.converged), np.arange(*frames))
    assert np.isfinite(motion.q).all()
    inside = np.setdiff1d(np.arange(120), np.arange(*frames))
    assert worst(motion, walk, inside) < 0.3


def test_half_a_coordinate_is_no_marker(gait, walk):
    """NaN in one axis only: the marker counts as not seen."""
    values = walk.values
    values[7, walk.names.index("RKNE"), 1] = np.nan
    motion = ss.solve_ik(gait, walk.with_values(values).recording)
    assert np.isnan(motion.fit.error[7, motion.fit.names.index("RKNE")])
    assert motion.converged


# coupling in time


def rates(trial):
    """Return v and a of the truth by differences of the coordinates, sixth order, shapes (n - 6, nv)."""
    q, h = trial.q, 1.0 / syn.RATE
    row = np.array([-1, 9, -45, 0, 45, -9, 1]) / (60.0 * h)
    second = np.array([2, -27, 270, -490, 270, -27, 2]) / (180.0 * h * h)
    windows = np.lib.stride_tricks.sliding_window_view(q, 7, axis=0)
    return windows @ row, windows @ second


@pytest.fixture(scope="module")
def slow_walk(gait):
    """0 to 2 Hz, as joints of a walking person; 1 mm noise."""
    clean = syn.trial(gait, 200, seed=63, fastest=2.0, speed=1.3)
    return clean, syn.noisy(clean, NOISE, seed=6)


def test_coupled_frames_have_accelerations_to_use(gait, slow_walk):
    clean, trial = slow_walk
    _, a = rates(clean)
    free, coupled = (ss.solve_ik(gait, trial.recording, cutoff=c) for c in (None, 6.0))
    assert coupled.converged
    error = [np.sqrt(((m.a[3:-3] - a) ** 2)[10:-10].mean(axis=0)) for m in (free, coupled)]
    assert np.median(error[1] / error[0]) < 0.05
    size = np.sqrt((a**2).mean(axis=0))
    assert np.median(error[1] / size) < 0.5
    assert coupled.marker_rms < 3.0 * NOISE


def test_a_gap_does_not_make_accelerations_explode(gait, slow_walk):
    """The whole right leg is hidden for 0.15 s."""
    clean, trial = slow_walk
    values = trial.values
    hidden = [
        i
        for i, n in enumerate(trial.names)
        if gait.markers[n].link in ("femur_r", "tibia_r", "calcn_r", "toes_r")
    ]
    values[80:110, hidden] = np.nan
    bad = trial.with_values(values)
    free, coupled = (ss.solve_ik(gait, bad.recording, cutoff=c) for c in (None, 6.0))
    columns = [list(gait.coordinate_names).index(n) for n in RIGHT_LEG]
    v, a = rates(clean)
    for motion, bound in ((coupled, 3.0), (free, 1500.0)):  # free frames jump into the gap: 700
        found = motion.a[3:-3]
        ratio = np.abs(found[70:115, columns]).max(axis=0) / np.abs(a[:, columns]).max(axis=0)
        assert ratio.max() < bound
    error = [np.sqrt(((m.a[3:-3] - a)[70:115, columns] ** 2).mean()) for m in (free, coupled)]
    assert error[1] < 0.1 * error[0]
    angle = np.abs(syn.error(gait, coupled.q, clean.q))[80:110, columns].max()
    assert angle < 0.25  # [rad], in the middle of the gap
    assert np.abs(coupled.v[3:-3] - v)[70:115, columns].max() < 4.0  # [rad/s]


def test_velocities_belong_to_the_motion(gait, slow_walk):
    """v and a of a coupled motion are the derivatives of its q."""
    _, trial = slow_walk
    motion = ss.solve_ik(gait, trial.recording, cutoff=6.0)
    v, a = rates(syn.Trial(gait, motion.time, motion.q, None))
    assert np.abs(motion.v[3:-3] - v)[20:-20].max() < 1e-3 * np.abs(v).max()
    assert np.abs(motion.a[3:-3] - a)[20:-20].max() < 2e-2 * np.abs(a).max()


def test_coupling_with_a_ball_joint():
    """Quaternions are smoothed on their manifold: unit length, near the truth."""
    model = the_model("athlete")
    clean = syn.trial(model, 100, seed=64, fastest=2.0)
    motion = ss.solve_ik(model, syn.noisy(clean, NOISE, seed=7).recording, cutoff=8.0)
    quaternion = motion.q[:, list(model.q_indices("left_thigh"))]
    np.testing.assert_allclose(np.linalg.norm(quaternion, axis=1), 1.0, atol=1e-12)
    thigh = list(model.v_indices("left_thigh"))
    assert np.abs(syn.error(model, motion.q, clean.q))[:, thigh].max() < 0.05


# what cannot work


def with_markers(trial, labels, values):
    return ss.Recording("odd", markers=ss.Points(trial.time, labels, values))


def test_no_common_names(gait, walk):
    other = with_markers(walk, tuple(f"*{i}" for i in range(49)), walk.values)
    with pytest.raises(SoftstrideError) as caught:
        ss.solve_ik(gait, other)
    message = str(caught.value)
    assert "*0" in message and "RFHD" in message  # what came, what was expected


@pytest.mark.parametrize("written", [str.lower, "subject:{}".format])
def test_names_that_differ_in_writing_are_pointed_out(gait, walk, written):
    name = next(name for name in walk.names if written(name) != name)
    other = with_markers(walk, tuple(map(written, walk.names)), walk.values)
    hint = f"letter by letter: {written(name)!r} is not {name!r}; rename them"
    with pytest.raises(SoftstrideError, match=re.escape(hint)):
        ss.solve_ik(gait, other)


def test_a_recording_without_markers(gait):
    with pytest.raises(SoftstrideError, match="marker"):
        ss.solve_ik(gait, ss.Recording("empty"))


@pytest.mark.parametrize("names", [("RASI",), ("RASI", "LASI")])
def test_fewer_markers_than_a_pose_needs(gait, walk, names):
    with pytest.raises(SoftstrideError, match="RASI"):
        ss.solve_ik(gait, walk.only(names).recording)


def test_three_markers_of_the_pelvis_are_a_pose(gait, walk):
    """Enough to place a person, too few to know its limbs: they are named."""
    motion = ss.solve_ik(gait, walk.only(("RASI", "LASI", "SACR")).recording)
    assert motion.converged
    pelvis = list(gait.v_indices("pelvis"))
    assert np.abs(syn.error(gait, motion.q, walk.q))[:, pelvis].max() < 0.1
    assert {"knee_angle_r", "arm_flex_l"} <= set(motion.undetermined)


@pytest.mark.parametrize("factor", [1000.0, 0.001], ids=["millimetres", "kilometres"])
def test_wrong_units(gait, walk, factor):
    other = walk.with_values(factor * walk.values)
    with pytest.raises(SoftstrideError, match=r"unit|metre|mm"):
        ss.solve_ik(gait, other.recording)


def test_nothing_was_seen(gait, walk):
    with pytest.raises(SoftstrideError, match=r"seen|NaN|frame"):
        ss.solve_ik(gait, walk.with_values(np.full_like(walk.values, np.nan)).recording)


def test_a_marker_that_is_never_seen_is_named(gait, walk):
    values = walk.values
    values[:, walk.names.index("RTIB")] = np.nan
    motion = ss.solve_ik(gait, walk.with_values(values).recording)
    assert any("RTIB" in str(note) for note in motion.notes)
    assert worst(motion, walk) < 0.3


@pytest.mark.parametrize(
    ("how", "word"),
    [
        ({"weights": {"NOSE": 1.0}}, "NOSE"),
        ({"weights": {"RASI": 0.0, "LASI": 0.0}}, "weight"),
        ({"locked": ("knee",)}, "knee"),
        ({"start": np.zeros(3)}, "start"),
        ({"time_range": (10.0, 11.0)}, "time_range"),
        ({"cutof": 6.0}, "cutoff"),
        ({"cutoff": 150.0}, "cutoff"),
        ({"artefact": {"NOSE": 0.01}}, "NOSE"),
    ],
)
def test_options_that_make_no_sense(gait, walk, how, word):
    with pytest.raises(SoftstrideError, match=word):
        ss.solve_ik(gait, walk.recording, **how)


def test_a_hard_stretch_does_not_spoil_the_rest(gait, walk):
    """Only the pelvis is seen for a while: those frames say what they have, the others are as before."""
    values = walk.values
    hidden = [i for i, n in enumerate(walk.names) if gait.markers[n].link != "pelvis"]
    values[30:60, hidden] = np.nan
    motion = ss.solve_ik(gait, walk.with_values(values).recording)
    plain = ss.solve_ik(gait, walk.recording)
    outside = np.r_[0:30, 60:120]
    assert np.abs(syn.error(gait, motion.q, plain.q))[outside].max() < 1e-3
    assert motion.fit.converged[outside].all()
    assert engine.positions(gait, motion.q, ["SACR"]).shape == (120, 1, 3)
