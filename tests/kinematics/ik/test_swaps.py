"""Labels that changed places, found from fits that were made with the wrong labels."""

import time
import tracemalloc

import numpy as np
import pytest
from tests.models import the_model

import softstride as ss
from softstride.errors import InputError
from softstride.kinematics.ik.swaps import Swap, exchanged, find_swaps
from softstride.kinematics.scaling.pose import static_pose

TRIALS = {
    "walk_gait2354": ("subject01_simbody.osim", "subject01_walk1.trc"),
    "walk_rajagopal_emg": ("subject_walk_scaled.osim", "markers_walk.trc"),
    "walk_opencap_s4": ("manually_scaled.osim", "walking1.trc"),
    "run_overground_bmc": ("Rajagopal2015_scaled.osim", "motion_capture_run.trc"),
    "run_hamner_s01": ("final.osim", "run500.trc"),
    "knee_gc5_ps": ("GC5.osim", "PS_ngait_og_ss1.trc"),
}
THIGH_AND_SHANK = [
    ("walk_gait2354", "R.Thigh.Front", "R.Shank.Front"),
    ("walk_rajagopal_emg", "L.TH2", "L.SH2"),
    ("walk_opencap_s4", "r_thigh2", "L_shank_antsup"),
]


def fit(model, names, seen):
    """Least squares frame by frame, each from the pose before: the predicted markers, shape (n, m, 3)."""
    predicted, q = np.empty(seen.shape), None
    for i, target in enumerate(seen):
        q = static_pose(model, names, target, start=q, tolerance=1e-6).state
        predicted[i] = ss.positions(model, q, names)
    return predicted


def mislabel(seen, names, labels, frames):
    """Put what is labels[i + 1] under labels[i] in these frames, as `Swap.labels` says it."""
    out = seen.copy()
    ring = [names.index(label) for label in labels]
    out[np.ix_(frames, ring)] = seen[np.ix_(frames, np.roll(ring, -1))]
    return out


def lose(seen, share, seed=0):
    out = seen.copy()
    out[np.random.default_rng(seed).random(seen.shape[:2]) < share] = np.nan
    return out


@pytest.fixture(scope="module")
def trial(shared_data):
    known = {}

    def load(folder):
        if folder not in known:
            model_file, markers_file = TRIALS[folder]
            model = the_model(shared_data / folder / model_file)
            markers = ss.read(shared_data / folder / markers_file).markers
            seen = [
                name
                for name, gone in zip(markers.labels, markers.missing.all(axis=0), strict=True)
                if not gone
            ]
            names = [name for name in model.markers if name in seen]
            known[folder] = model, names, markers.values[:, [markers.labels.index(name) for name in names]]
        return known[folder]

    return load


def cloud(n=60, m=8, noise=0.005, seed=1):
    """Markers 0.1 to 0.8 m from each other on a body that turns and travels, and a fit that is right but for noise."""
    rng = np.random.default_rng(seed)
    corners = np.array([(x, y, z) for x in (0.0, 0.1) for y in (0.0, 0.4) for z in (0.0, 0.8)])[:m]
    angle = np.linspace(0.0, 1.0, n)
    turn = np.zeros((n, 3, 3))
    turn[:, 0, 0] = turn[:, 1, 1] = np.cos(angle)
    turn[:, 0, 1], turn[:, 1, 0], turn[:, 2, 2] = -np.sin(angle), np.sin(angle), 1.0
    predicted = corners @ turn.transpose(0, 2, 1) + np.linspace(0, 2, n)[:, None, None]
    return [f"M{i}" for i in range(m)], predicted + rng.normal(0.0, noise, predicted.shape), predicted


@pytest.mark.parametrize("lost", [0.0, 0.2])
@pytest.mark.parametrize("whole", [False, True])
@pytest.mark.parametrize(("folder", "thigh", "shank"), THIGH_AND_SHANK)
def test_a_thigh_and_a_shank_marker_exchanged_in_a_real_trial(trial, folder, thigh, shank, whole, lost):
    model, names, right = trial(folder)
    right = right[:30]
    frames = np.arange(30) if whole else np.arange(10, 20)
    seen = lose(mislabel(right, names, (thigh, shank), frames), lost)
    (swap,) = find_swaps(names, seen, fit(model, names, seen), rate=100.0)
    assert {swap.first, swap.second} == {thigh, shank}
    assert swap.gain > 0.5
    visible = np.isfinite(seen[:, [names.index(thigh), names.index(shank)], 0]).any(axis=1)
    assert set(swap.frames) - set(frames) <= set(
        np.flatnonzero(~visible)
    )  # exact, wherever one of them was seen
    assert set(frames) - set(swap.frames) <= set(np.flatnonzero(~visible))
    mended = exchanged(seen, names, [swap])
    both = np.isfinite(mended)
    assert np.array_equal(mended[both], right[both])  # tells a marker put into the wrong place, too
    if whole:
        assert f"{thigh} and {shank} are exchanged in frames" in str(swap)


@pytest.mark.parametrize("folder", TRIALS)
@pytest.mark.parametrize("lost", [0.0, 0.2])
def test_a_trial_as_it_was_recorded_has_no_swap_but_those_that_are_in_it(trial, folder, lost):
    model, names, seen = trial(folder)
    seen = lose(seen if folder == "run_overground_bmc" or not lost else seen[:40], lost)
    found = find_swaps(names, seen, fit(model, names, seen))
    if folder == "run_overground_bmc":  # the labels of two toe markers, 6 cm apart, go to and fro in the file
        (swap,) = found
        assert set(swap.labels) == {"RTOE", "RMT5"}
        assert swap.gain > 0.8
        assert len(swap.spans) > 5
    else:
        assert found == ()


@pytest.mark.parametrize("labels", [("RTHI", "RTIB"), ("RKNE", "LKNE"), ("RTHI", "LTIB", "RASI")])
def test_exchanged_labels_of_the_packaged_model(labels):
    model = the_model("gait")
    names = list(model.markers)
    still = static_pose(model, names, ss.positions(model, model.neutral(), names)).state
    velocity = np.zeros((25, model.nv))
    velocity += np.linspace(0.0, 0.3, 25)[:, None] * np.random.default_rng(2).uniform(0.0, 1.0, model.nv)
    right = ss.positions(model, ss.integrate(model, np.tile(still, (25, 1)), velocity), names)
    right = right + np.random.default_rng(3).normal(0.0, 0.003, right.shape)
    assert find_swaps(names, right, fit(model, names, right)) == ()
    seen = mislabel(right, names, labels, np.arange(8, 17))
    (swap,) = find_swaps(names, seen, fit(model, names, seen))
    assert set(swap.labels) == set(labels)
    assert swap.frames.tolist() == list(range(8, 17))
    assert np.array_equal(exchanged(seen, names, [swap]), right)  # a ring the wrong way round would not do


@pytest.mark.parametrize("labels", [("M0", "M3", "M6"), ("M0", "M6", "M3"), ("M0", "M7", "M2")])
def test_three_labels_in_a_ring_are_told_with_their_direction(labels):
    names, right, predicted = cloud()
    seen = mislabel(right, names, labels, np.arange(30, 60))
    (swap,) = find_swaps(names, seen, predicted)
    assert set(swap.labels) == set(labels)
    assert np.array_equal(exchanged(seen, names, [swap]), right)
    assert "in a ring" in str(swap)
    assert f"{labels[1]} is labelled {labels[0]}" in str(swap)


def test_one_frame_is_enough_for_markers_far_apart_and_not_for_close_ones():
    names, right, predicted = cloud(noise=0.01)
    (swap,) = find_swaps(names, mislabel(right, names, ("M0", "M1"), [12]), predicted)  # 0.8 m
    assert swap.frames.tolist() == [12]
    close = predicted.copy()
    close[:, 1] = close[:, 0] + (0.0, 0.0, 0.03)
    noisy = close + np.random.default_rng(5).normal(0.0, 0.01, close.shape)
    noisy[12, [0, 1]] = noisy[12, [1, 0]]
    moved = noisy[12, 0] - noisy[12, 1]
    assert moved @ (close[12, 0] - close[12, 1]) < 0.0  # the frame does look exchanged
    assert find_swaps(names, noisy, close) == ()


def test_two_swaps_at_a_time_and_one_pair_twice():
    names, right, predicted = cloud()
    frames = np.r_[5:20, 40:50]
    seen = mislabel(mislabel(right, names, ("M0", "M1"), frames), names, ("M2", "M7"), np.arange(10, 45))
    swaps = {
        frozenset(swap.labels): swap for swap in find_swaps(names, seen, predicted, rate=50.0, start=2.0)
    }
    assert set(swaps) == {frozenset(("M0", "M1")), frozenset(("M2", "M7"))}
    assert swaps[frozenset(("M0", "M1"))].spans == ((5, 19), (40, 49))
    assert "frames 5 to 19 and 40 to 49 (2.1 to 2.98 s)" in str(swaps[frozenset(("M0", "M1"))])
    assert np.array_equal(exchanged(seen, names, list(swaps.values())), right)


def test_outliers_and_a_misplaced_marker_are_no_swaps():
    names, seen, predicted = cloud()
    seen[10:30, 0] += (0.5, 0.3, 0.0)  # a ghost
    seen[:, 3] += (0.0, 0.0, 0.15)  # stuck on elsewhere
    seen[20, 5] = seen[20, 6]  # one label on the marker of another
    assert find_swaps(names, seen, predicted) == ()


def test_frames_with_one_of_the_two_seen_belong_to_the_swap():
    names, right, predicted = cloud()
    seen = mislabel(right, names, ("M0", "M1"), np.arange(20, 40))
    seen[[19, 20, 21, 30, 39, 40], 0] = np.nan
    seen[[25, 30], 1] = np.nan
    (swap,) = find_swaps(names, seen, predicted)
    assert swap.frames.tolist() == list(range(20, 40))


def test_a_stretch_with_one_marker_under_its_own_label_interrupts_the_swap():
    names, right, predicted = cloud()
    seen = mislabel(right, names, ("M0", "M1"), np.r_[10:20, 40:50])
    seen[20:40, 1] = np.nan
    (swap,) = find_swaps(names, seen, predicted)
    assert swap.spans == ((10, 19), (40, 49))


def test_the_sentence():
    swap = Swap("RTHI", "RTIB", np.arange(20, 120), 0.957, rate=100.0, start=1.0)
    assert str(swap) == (
        "RTHI and RTIB are exchanged in frames 20 to 119 (1.2 to 2.19 s): "
        "96 % of their squared error goes if the labels change places"
    )
    assert "in frame 7:" in str(Swap("A", "B", np.array([7]), 0.9))
    assert "in frame 7 (0.07 s):" in str(Swap("A", "B", np.array([7]), 0.9, rate=100.0))
    assert "in 5 of the frames 1 to 9:" in str(Swap("A", "B", np.array([1, 3, 5, 7, 9]), 0.9))
    with pytest.raises(ValueError, match="read-only"):
        swap.frames[0] = 1


def test_nothing_to_go_by():
    names, seen, predicted = cloud()
    assert find_swaps(names, np.full_like(seen, np.nan), predicted) == ()
    assert find_swaps(names, predicted, predicted) == ()
    assert find_swaps(names, seen[:0], predicted[:0]) == ()
    assert find_swaps(names[:1], seen[:, :1], predicted[:, :1]) == ()
    partly = predicted.copy()
    partly[30:] = np.nan  # frames that could not be fitted
    (swap,) = find_swaps(names, mislabel(seen, names, ("M0", "M1"), np.arange(20, 40)), partly)
    assert swap.frames.tolist() == list(range(20, 30))


def test_bad_input_is_told():
    names, seen, predicted = cloud()
    with pytest.raises(InputError, match=r"\(n_frames, 8, 3\).*\(60, 7, 3\)"):
        find_swaps(names, seen[:, :7], predicted)
    with pytest.raises(InputError, match="'X', which is not among the markers M0, M1"):
        exchanged(seen, names, [Swap("M0", "X", np.array([1]), 0.9)])
    with pytest.raises(InputError, match="in frame 60, but there are 60 frames"):
        exchanged(seen, names, [Swap("M0", "M1", np.array([60]), 0.9)])


def test_long_trials_take_time_in_proportion_and_little_memory():
    names, right, predicted = cloud(n=100_000)
    seen = mislabel(right, names, ("M0", "M1"), np.arange(20_000, 80_000))
    tracemalloc.start()
    begin = time.process_time()
    (swap,) = find_swaps(names, seen, predicted)
    took, (_, peak) = time.process_time() - begin, tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert (swap.frames[0], swap.frames[-1], len(swap.frames)) == (20_000, 79_999, 60_000)
    assert took < 5.0
    assert peak < 6 * seen.nbytes  # of which most are the two columns themselves
