"""Swapped sides, switched labels, collisions and frozen markers."""

import numpy as np
import pytest

from softstride.capture.quality import assess


def swap(first: str, second: str, start: int | None = None, stop: int | None = None):
    def change(values, markers) -> None:
        a, b = markers.index(first), markers.index(second)
        part = values[start:stop, a].copy()
        values[start:stop, a] = values[start:stop, b]
        values[start:stop, b] = part

    return change


@pytest.mark.parametrize(("right", "left"), [("RASI", "LASI"), ("RKNE", "LKNE"), ("RHEE", "LHEE")])
def test_a_pair_swapped_throughout(with_markers, right: str, left: str) -> None:
    quality = assess(with_markers(swap(right, left)))
    assert [(f.severity, f.topic, f.subject) for f in quality.findings] == [
        ("error", "sides", f"{right}/{left}")
    ]
    assert quality.findings[0].value > 90.0


def test_a_leg_swapped_blames_the_leg_and_not_the_pelvis(with_markers) -> None:
    def legs(values, markers) -> None:
        for part in ("KNE", "ANK", "HEE", "TOE"):
            swap("R" + part, "L" + part)(values, markers)

    subjects = {finding.subject for finding in assess(with_markers(legs)).errors}
    assert subjects == {"RKNE/LKNE", "RANK/LANK", "RHEE/LHEE", "RTOE/LTOE"}


def test_a_mirrored_recording_is_one_finding(with_markers) -> None:
    def mirror(values, markers) -> None:
        values[:, :, 2] *= -1.0

    (finding,) = assess(with_markers(mirror)).errors
    assert (finding.topic, finding.subject) == ("sides", "all pairs")


def test_without_feet_and_back_the_other_pairs_vote(walker, with_markers) -> None:
    swapped = with_markers(swap("RKNE", "LKNE"))
    kept = [label for label in walker.markers.labels if label[1:] in ("SHO", "ASI", "KNE", "ANK")]
    (finding,) = assess(swapped.replace(markers=swapped.markers.select(kept))).errors
    assert finding.subject == "RKNE/LKNE"
    assert assess(walker.replace(markers=walker.markers.select(kept))).errors == ()


def test_walking_the_other_way_swaps_nothing(with_markers) -> None:
    def turn(values, markers) -> None:
        values[:, :, [0, 2]] *= -1.0

    assert assess(with_markers(turn)).findings == ()


def test_feet_that_cross_slowly_are_not_swapped(with_markers) -> None:
    def cross(values, markers) -> None:
        way = 0.15 * np.sin(np.pi * np.arange(301) / 300.0)
        values[:, markers.index("RANK"), 2] -= way
        values[:, markers.index("LANK"), 2] += way

    assert assess(with_markers(cross)).errors == ()


def test_a_switch_of_labels_has_begin_and_end(with_markers) -> None:
    (finding,) = assess(with_markers(swap("RKNE", "RHEE", 100, 180))).errors
    assert (finding.topic, finding.subject) == ("switches", "RKNE/RHEE")
    assert (finding.start, finding.stop) == (pytest.approx(1.00), pytest.approx(1.79))


def test_a_switch_to_the_end(with_markers) -> None:
    (finding,) = assess(with_markers(swap("RASI", "C7", 222))).errors
    assert "do not change back" in finding.message
    assert (finding.start, finding.stop) == (pytest.approx(2.22), pytest.approx(3.00))


def test_a_switch_across_a_short_gap(with_markers) -> None:
    def change(values, markers) -> None:
        swap("RKNE", "RHEE", 104)(values, markers)
        values[100:104, [markers.index("RKNE"), markers.index("RHEE")]] = np.nan

    (finding,) = assess(with_markers(change)).about("switches")
    assert (finding.subject, finding.start) == ("RKNE/RHEE", pytest.approx(1.04))


def test_sides_that_switch_for_a_while_are_told_once(with_markers) -> None:
    (finding,) = assess(with_markers(swap("RASI", "LASI", 100, 200))).errors
    assert (finding.topic, finding.start, finding.stop) == (
        "switches",
        pytest.approx(1.0),
        pytest.approx(1.99),
    )


def test_sides_swapped_beyond_a_long_gap(with_markers) -> None:
    """Nobody can follow the markers across half a second, but the sides remain wrong behind it."""

    def change(values, markers) -> None:
        swap("RASI", "LASI", 200)(values, markers)
        values[150:200, [markers.index("RASI"), markers.index("LASI")]] = np.nan

    (finding,) = assess(with_markers(change)).errors
    assert (finding.topic, finding.subject) == ("sides", "RASI/LASI")
    assert (finding.start, finding.stop) == (pytest.approx(2.00), pytest.approx(3.00))


def test_a_label_that_takes_over_a_lost_marker(with_markers) -> None:
    def change(values, markers) -> None:
        values[120:, markers.index("RANK")] = values[120:, markers.index("RTOE")]
        values[120:, markers.index("RTOE")] = np.nan

    (finding,) = assess(with_markers(change)).about("switches")
    assert (finding.subject, finding.start) == ("RANK/RTOE", pytest.approx(1.20))


def test_a_pair_that_switches_again_and_again_is_one_line(with_markers) -> None:
    def change(values, markers) -> None:
        for start in range(100, 200, 20):
            swap("RHEE", "RTOE", start, start + 10)(values, markers)

    (finding,) = assess(with_markers(change)).about("switches")
    assert "10 times" in finding.message


def test_unsorted_trajectories_are_one_line(with_markers) -> None:
    random = np.random.default_rng(5)

    def shuffle(values, markers) -> None:
        for frame in range(100, 300):
            values[frame] = values[frame, random.permutation(values.shape[1])]

    (finding,) = assess(with_markers(shuffle)).about("switches")
    assert "never sorted" in finding.message


def test_two_labels_that_touch(with_markers) -> None:
    def touch(values, markers) -> None:
        near = values[140:150, markers.index("RTOE")] + (0.002, 0.0, 0.0)
        values[140:150, markers.index("RANK")] = near

    (finding,) = assess(with_markers(touch)).about("collisions")
    assert (finding.severity, finding.subject) == ("warning", "RANK/RTOE")
    assert (finding.start, finding.stop) == (pytest.approx(1.40), pytest.approx(1.49))
    assert finding.value == pytest.approx(2.0)


def test_one_trajectory_under_two_labels(with_markers) -> None:
    def copy(values, markers) -> None:
        values[:, markers.index("C7")] = values[:, markers.index("RASI")]

    (finding,) = assess(with_markers(copy)).about("collisions")
    assert (finding.severity, finding.message) == ("info", "are one trajectory under two labels")


def test_repeated_frames(with_markers) -> None:
    def repeat(values, markers) -> None:
        values[60:63] = values[59]

    (finding,) = assess(with_markers(repeat)).about("frozen")
    assert (finding.subject, finding.start, finding.stop) == (
        "all markers",
        pytest.approx(0.60),
        pytest.approx(0.62),
    )
    assert finding.message.startswith("3 frames repeat")


def test_a_frozen_marker(with_markers) -> None:
    def freeze(values, markers) -> None:
        values[100:140, markers.index("RSHO")] = values[99, markers.index("RSHO")]

    (finding,) = assess(with_markers(freeze)).about("frozen")
    assert (finding.severity, finding.subject, finding.start) == ("warning", "RSHO", pytest.approx(1.00))


def test_rounded_positions_of_somebody_who_stands_are_not_frozen(with_markers) -> None:
    def stand(values, markers) -> None:
        values[:] = np.round(values[:1], 3)
        values[::2, :3] += 1e-4

    assert assess(with_markers(stand)).about("frozen") == ()


def test_a_point_of_the_laboratory(with_markers) -> None:
    def fix(values, markers) -> None:
        values[:, markers.index("C7")] = (1.0, 0.5, 0.3)

    (finding,) = assess(with_markers(fix)).about("frozen")
    assert (finding.severity, finding.subject) == ("info", "C7")
