"""Events of whole recordings: thresholds of plates, directions, axes, lost markers, several people."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import softstride as ss
from softstride.capture.landmarks import facing, one_marker, steady_mean
from softstride.capture.series import Points
from softstride.errors import InputError
from softstride.notes import codes

SIDES = ("right", "left")
LABELS = ("strike", "off")


def instants(recording: ss.Recording, source: str) -> list[np.ndarray]:
    return [recording.events_of(label, side, source) for side in SIDES for label in LABELS]


def walk(shared_data: Path, **options: object) -> ss.Recording:
    folder = shared_data / "walk_rajagopal_emg"
    return ss.read(folder / "markers_walk.trc", folder / "grf_walk.mot", **options)


def backward(recording: ss.Recording) -> ss.Recording:
    """The same trial as a film that runs backward."""
    flip = ("force", "point", "moment")
    forces = tuple(
        replace(force, **{name: getattr(force, name)[::-1].copy() for name in flip})
        for force in recording.forces
    )
    markers = replace(recording.markers, values=recording.markers.values[::-1].copy())
    return recording.replace(markers=markers, forces=forces)


def test_walking_backward_strikes_where_the_plates_say(shared_data: Path) -> None:
    """Strikes and offs would change places, 0.6 s away; within 40 ms as measured on reversed trials."""
    trial = backward(walk(shared_data))
    found, truth = ss.find_events(trial, "markers"), ss.find_events(trial, "plates")
    for side in SIDES:
        assert any(note.code == "events.backward" and note.names == (side,) for note in found.notes)
        for label in LABELS:
            ours, plates = found.events_of(label, side), truth.events_of(label, side)
            assert len(plates) > 0
            assert (np.abs(ours[:, None] - plates).min(axis=0) < 0.04).all(), (side, label)


@pytest.mark.parametrize("angle", [90.0, 180.0, -135.0])
def test_the_heading_does_not_matter(shared_data: Path, angle: float) -> None:
    """Text files are not turned, so the walker may face -x: that is not walking backward."""
    trial = walk(shared_data)
    c, s = np.cos(np.radians(angle)), np.sin(np.radians(angle))
    turn = np.array([[c, 0.0, s], [0.0, 1.0, 0.0], [-s, 0.0, c]])
    turned = trial.replace(markers=trial.markers.rotated(turn))
    straight, found = ss.find_events(trial, "markers"), ss.find_events(turned, "markers")
    for one, other in zip(instants(straight, "markers"), instants(found, "markers"), strict=True):
        np.testing.assert_allclose(other, one, atol=0.01)  # the walker goes 3 degrees off x
    assert "events.along-the-feet" in codes(found.notes)
    assert "events.along-the-feet" not in codes(straight.notes)
    assert "events.backward" not in codes(found.notes)


def test_axes_that_were_kept_do_not_matter(shared_data: Path) -> None:
    path = shared_data / "c3d_emg_pig" / "HC030A05.c3d"
    world = ss.read(path)
    lab = world.replace(
        markers=world.markers.rotated(world.axes.rotation.T),
        plates=tuple(plate.rotated(world.axes.rotation.T) for plate in world.plates),
        forces=tuple(force.rotated(world.axes.rotation.T) for force in world.forces),
        axes=ss.Axes(up=world.axes.up, forward=world.axes.forward),
    )
    for source in ("markers", "plates"):
        pairs = zip(*(instants(ss.find_events(trial, source), source) for trial in (world, lab)), strict=True)
        for one, other in pairs:
            np.testing.assert_allclose(other, one, atol=0.003)  # found along the feet, 5 degrees off the axis


@pytest.mark.parametrize("threshold", [0.0, 5.0, 100.0, 400.0])
def test_the_threshold_of_reading_moves_no_event(shared_data: Path, threshold: float) -> None:
    """The force is zero below it, the plate is not."""
    path = shared_data / "knee_gc5_ps" / "PS_ngait_og_ss1.c3d"
    usual, other = (
        ss.find_events(ss.read(path, plate_threshold=value), "plates") for value in (20.0, threshold)
    )
    for one, two in zip(instants(usual, "plates"), instants(other, "plates"), strict=True):
        np.testing.assert_array_equal(two, one)
        assert len(one) > 0


def test_a_lower_threshold_finds_earlier_strikes(shared_data: Path) -> None:
    recording = ss.read(shared_data / "c3d_emg_pig" / "HC030A05.c3d", plate_threshold=50.0)
    low, high = (ss.find_events(recording, "plates", threshold=value) for value in (10.0, 50.0))
    assert (low.events_of("strike", source="plates") < high.events_of("strike", source="plates")).all()
    assert (low.events_of("off", source="plates") > high.events_of("off", source="plates")).all()


def test_one_plate_for_both_feet_gives_each_its_own() -> None:
    """Right from 0.2 to 0.6 s, left from 0.8 to 1.2 s, 10 N of something at 1.4 s that is nobody's."""
    time = np.arange(2000) / 1000.0
    down = np.array([[1.0, 0.0, 0.0], [0.0, 0.0, -1.0], [0.0, 1.0, 0.0]])  # plate z into the floor
    corners = np.array([[0.3, 0.0, -0.2], [-0.3, 0.0, -0.2], [-0.3, 0.0, 0.2], [0.3, 0.0, 0.2]])
    load = np.interp(time, [0.2, 0.25, 0.55, 0.6, 0.8, 0.85, 1.15, 1.2], [0, 500, 500, 0, 0, 500, 500, 0])
    load = np.where((time > 1.4) & (time < 1.6), 10.0, load)
    wrench = np.zeros((len(time), 6))
    wrench[:, 4] = load
    plate = ss.Plate("plate 1", 2, corners, down, time, wrench)

    def part(side: str, first: float, last: float) -> ss.ExternalForce:
        rows = (time > first) & (time < last) & (load >= 100.0)  # as read with a threshold of 100 N
        force = np.where(rows[:, None], wrench[:, 3:], 0.0)
        return ss.ExternalForce(
            side, time, force, np.zeros_like(force), np.zeros_like(force), side=side, plate="plate 1"
        )

    forces = (part("right", 0.0, 0.7), part("left", 0.7, 1.3))
    found = ss.find_events(ss.Recording("x", forces=forces, plates=(plate,)), "plates", threshold=8.0)
    for side, strike, off in (("right", 0.2, 0.6), ("left", 0.8, 1.2)):
        ramp = 0.05 * 8.0 / 500.0
        assert found.events_of("strike", side) == pytest.approx([strike + ramp], abs=1e-6)
        assert found.events_of("off", side) == pytest.approx([off - ramp], abs=1e-6)


def test_a_marker_that_is_lost_moves_no_event(shared_data: Path) -> None:
    """One of two toe markers, and one of the pelvis, are lost for 60 ms again and again."""
    trial = ss.read(shared_data / "run_hamner_s01" / "run500.trc")
    values = trial.markers.values.copy()
    for label in ("LMT5", "RMT5", "RASI"):
        for start in range(20, len(values) - 20, 25):
            values[start : start + 6, trial.markers.index(label)] = np.nan
    holed = trial.replace(markers=replace(trial.markers, values=values))
    pairs = zip(*(instants(ss.find_events(x, "markers"), "markers") for x in (trial, holed)), strict=True)
    for one, other in pairs:
        np.testing.assert_allclose(
            other, one, atol=0.003
        )  # the pelvis turns, so three markers differ a little


def test_a_mean_that_does_not_jump() -> None:
    """Two markers 0.2 m apart that move together; each is lost for a while, both once."""
    time = np.arange(50) / 100.0
    path = np.stack([np.sin(time), 1.0 + 0 * time, time], axis=1)
    apart = np.array([0.1, 0.0, 0.0])
    values = np.stack([path + apart, path - apart, path + 9.0], axis=1)
    values[10:13, 0], values[30:33, 1], values[40:42, :2], values[5:, 2] = np.nan, np.nan, np.nan, np.nan
    points = Points(time, ("RASI", "LASI", "SACR"), values)
    mean = steady_mean(points, points.labels)  # the third is hardly ever seen and left out
    seen = ~np.isnan(mean).any(axis=1)
    np.testing.assert_array_equal(np.flatnonzero(~seen), [40, 41])
    np.testing.assert_allclose(mean[seen], path[seen], atol=1e-12)
    never = values.copy()
    never[:25, 0], never[25:, 1] = np.nan, np.nan
    alone = steady_mean(Points(time, points.labels, never), points.labels)
    np.testing.assert_array_equal(alone, never[:, 1])
    assert np.isnan(
        steady_mean(Points(time, points.labels, np.full_like(values, np.nan)), points.labels)
    ).all()


def test_the_marker_that_stands_for_a_foot_is_seen() -> None:
    time = np.arange(20) / 100.0
    values = np.zeros((20, 4, 3))
    values[:, 1:, 0] = 0.2
    labels = ("RHEE", "RTOE", "RMT5", "RHLX")
    assert one_marker(Points(time, labels, values), "toe", "right") == "RTOE"
    np.testing.assert_allclose(facing(Points(time, labels, values)), [1.0, 0.0, 0.0])
    values[:5, 1] = np.nan
    assert one_marker(Points(time, labels, values), "toe", "right") == "RHLX"
    values[:, 1:] = np.nan
    assert one_marker(Points(time, labels, values), "toe", "right") is None
    assert facing(Points(time, labels, values)) is None


def two_people(shared_data: Path) -> ss.Recording:
    """A walks; B is A 0.3 s later and two metres beside."""
    one = walk(shared_data).markers
    labels = tuple(f"{who}:{label}" for who in "AB" for label in one.labels)
    late = np.roll(one.values, 30, axis=0) + np.array([0.0, 0.0, 2.0])
    late[:30] = np.nan
    return ss.Recording("two", markers=Points(one.time, labels, np.concatenate([one.values, late], axis=1)))


def test_two_people_are_not_one(shared_data: Path) -> None:
    both, alone = two_people(shared_data), ss.find_events(walk(shared_data), "markers")
    with pytest.raises(InputError, match="the markers are of A, B; choose one with subject="):
        ss.find_events(both)
    first, second = (ss.find_events(both, subject=who) for who in "AB")
    for one, other in zip(instants(alone, "markers"), instants(first, "markers"), strict=True):
        np.testing.assert_array_equal(other, one)
    for side in SIDES:
        late = second.events_of("strike", side) - 0.3
        strikes = first.events_of("strike", side)
        assert len(late) > 0
        assert (np.abs(late[:, None] - strikes).min(axis=1) < 0.01).all()
    with pytest.raises(InputError, match="does not say that it is A's"):
        ss.find_events(both, "plates", subject="A")
    with pytest.raises(InputError, match="subject must be one of A, B"):
        ss.find_events(both, subject="C")
