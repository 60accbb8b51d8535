"""What must not matter: where the body is, how frames are cut into pieces, how many threads work."""

import numpy as np
import pytest
from tests.models import the_model
from tests.muscles.paths import scenes

import softstride as ss


@pytest.fixture(scope="module")
def walker(shared_data):
    model = the_model(shared_data / "walk_rajagopal_emg/subject_walk_scaled.osim")
    motion = ss.read_motion(shared_data / "walk_rajagopal_emg/reference/coordinates.sto", model)
    return model, motion.q[::3], motion.v[::3]


def test_threads_do_not_matter(walker):
    model, q, v = walker
    one, two = (ss.muscle_paths(model, q, v, threads=n) for n in (1, 2))
    assert np.array_equal(one.length, two.length)
    assert np.array_equal(one.arms, two.arms)
    assert np.array_equal(one.speed, two.speed)
    assert one.notes == two.notes


def test_frames_on_their_own_are_the_same_where_nothing_is_ambiguous(walker):
    model, q, _ = walker
    whole = ss.muscle_paths(model, q)
    for frame in (0, 7, 200):
        alone = ss.muscle_paths(model, q[frame])
        assert alone.length == pytest.approx(whole.length[frame], abs=1e-11)
        assert alone.arms == pytest.approx(whole.arms[frame], abs=1e-9)
        assert alone.length.shape == (80,)


@pytest.mark.parametrize("n", [1, 3, 8, 127, 128, 129, 200])
def test_any_number_of_frames(walker, n):
    model, q, _ = walker
    whole, part = ss.muscle_paths(model, q), ss.muscle_paths(model, q[:n])
    assert np.array_equal(part.length, whole.length[:n])
    assert np.array_equal(part.arms, whole.arms[:n])


def test_no_frames_at_all(walker):
    model, q, _ = walker
    found = ss.muscle_paths(model, q[:0])
    assert found.length.shape == (0, 80)
    assert found.arms.shape == (0, 80, model.nv)


def test_moving_the_whole_body_changes_nothing(walker):
    """The pelvis far away and turned: lengths and arms about inner joints stay, arms about its own are zero."""
    model, q, _ = walker
    q = q[:40]
    moved = q.copy()
    names = list(model.coordinates)
    pelvis = [names.index(name) for name in names if name.startswith("pelvis")]
    moved[:, pelvis] += np.array([0.7, -0.4, 1.1, 300.0, -20.0, 150.0])
    a, b = ss.muscle_paths(model, q), ss.muscle_paths(model, moved)
    assert b.length == pytest.approx(a.length, abs=1e-12)
    assert b.arms == pytest.approx(a.arms, abs=1e-10)
    assert np.all(a.arms[:, :, pelvis] == 0.0)


def test_speed_is_the_rate_of_length(walker):
    model, q, v = walker
    dt = 1e-5
    found = ss.muscle_paths(model, q[:50], v[:50])
    later, earlier = (ss.muscle_paths(model, q[:50] + s * dt * v[:50]).length for s in (0.5, -0.5))
    assert found.speed == pytest.approx((later - earlier) / dt, abs=2e-6)


def test_some_muscles_are_like_all(walker):
    model, q, _ = walker
    names = ["soleus_r", "gaslat_l", "psoas_r"]
    whole, some = ss.muscle_paths(model, q[:30]), ss.muscle_paths(model, q[:30], muscles=names)
    at = [whole.names.index(name) for name in names]
    assert some.names == tuple(names)
    assert np.array_equal(some.length, whole.length[:, at])
    assert np.array_equal(some.arms, whole.arms[:, at])


def test_a_long_trial_is_walked_in_pieces_with_one_memory():
    """A path that keeps its side through several pieces and threads."""
    from softstride.model.path import WrapCylinder

    model = scenes.over(WrapCylinder("body", radius=0.02), (-0.1, 0.0, 0.0), (0.1, 0.0, 0.0))
    q = scenes.at_rest(model, 1500)
    q[:, 1] = 0.018 * np.cos(np.linspace(0.0, 20.0, 1500))  # the axis passes the segment again and again
    one, two = (ss.muscle_paths(model, q, threads=n) for n in (1, 2))
    assert np.array_equal(one.length, two.length)
    assert np.ptp(np.sign(one.arms[:, 0, 4])) == 0.0  # one side all the time
    assert one.notes[0].code == "paths.longer-way" and "keeps its side of 's'" in str(one.notes[0])
