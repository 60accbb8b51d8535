"""Which foot is on which plate: walkers made up with a known answer, and trials whose sides are published."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from softstride.capture.force import ExternalForce, Plate
from softstride.capture.plates import FeetDoubt, assign_feet, plate_force
from softstride.capture.plates.contacts import FootLimits
from softstride.capture.series import Points
from softstride.errors import InputError

LENGTH = 0.18  # heel marker to toe marker [m]
TIME = np.arange(0.0, 2.0, 0.01)
FAST = np.arange(0.0, 2.0, 0.001)

Stance = tuple[float, float, float, float]  # from, to [s], heel at x, z [m]


def walk(stances: Sequence[Stance], time: np.ndarray = TIME) -> tuple[np.ndarray, np.ndarray]:
    """Heel and toe of a foot that stands at these places and swings between them; it points along x."""
    knots = sorted(stances)
    times = np.array([t for start, stop, _, _ in knots for t in (start, stop)])
    x, z = (np.interp(time, times, [s[k] for s in knots for _ in range(2)]) for k in (2, 3))
    lift = np.full(len(time), 0.15)
    for start, stop, _, _ in knots:
        away = np.maximum(np.maximum(start - time, time - stop), 0.0)
        lift = np.minimum(lift, 0.04 + 1.5 * away)
    heel = np.stack([x, lift, z], axis=1)
    return heel, heel + np.array([LENGTH, 0.0, 0.0])


def make_markers(right: Sequence[Stance], left: Sequence[Stance]) -> Points:
    values = np.stack([*walk(right), *walk(left)], axis=1)
    return Points(TIME, ("RHEE", "RTOE", "LHEE", "LTOE"), values)


def make_plate(name: str, x: float, z: float, load: Sequence[tuple[float, float, np.ndarray]]) -> Plate:
    """A plate of 0.6 m by 0.4 m around (x, 0, z); each load is from, to [s] and the path of its pressure centre."""
    rotation = np.array([[1.0, 0.0, 0.0], [0.0, 0.0, -1.0], [0.0, 1.0, 0.0]])
    local = np.array([[0.3, 0.2, 0.0], [-0.3, 0.2, 0.0], [-0.3, -0.2, 0.0], [0.3, -0.2, 0.0]])
    corners = np.array([x, 0.0, z]) + local @ rotation.T
    wrench = np.zeros((len(FAST), 6))
    for start, stop, path in load:
        rows = (start <= FAST) & (stop >= FAST)
        force = 700.0 * np.sin(np.pi * (FAST[rows] - start) / (stop - start))[:, None] * [0.05, 1.0, 0.02]
        at = np.stack(
            [np.interp(np.linspace(0, 1, rows.sum()), [0, 1], path[:, k]) for k in range(3)], axis=1
        )
        wrench[rows] += np.concatenate([np.cross(at - corners.mean(axis=0), force), force], axis=1)
    return Plate(name, 2, corners, rotation, FAST, wrench)


def step(stance: Stance) -> tuple[float, float, np.ndarray]:
    """The load under a stance: from the heel to the toes."""
    start, stop, x, z = stance
    return start, stop, np.array([[x, 0.0, z], [x + LENGTH, 0.0, z]])


RIGHT, LEFT = (0.2, 0.8, 0.0, 0.1), (0.7, 1.3, 0.65, -0.1)
RIGHT_AGAIN, LEFT_BEFORE = (1.2, 1.8, 1.3, 0.1), (0.0, 0.3, -0.65, -0.1)
RIGHT_WALK, LEFT_WALK = (RIGHT, RIGHT_AGAIN), (LEFT_BEFORE, LEFT)


def told(
    forces: Sequence[ExternalForce], plates: Sequence[Plate], markers: Points, **kwargs: object
) -> tuple[tuple[ExternalForce, ...], tuple[str, ...]]:
    """The forces with their feet, and the notes as text, without what all of them begin with."""
    found, notes = assign_feet(forces, plates, markers, **kwargs)  # type: ignore[arg-type]
    assert all(note.topic == "feet" and str(note).startswith("feet: ") for note in notes)
    return found, tuple(str(note).removeprefix("feet: ") for note in notes)


def assign(
    plates: Sequence[Plate], markers: Points, **kwargs: object
) -> tuple[tuple[ExternalForce, ...], tuple[str, ...]]:
    return told([plate_force(plate) for plate in plates], plates, markers, **kwargs)


def test_one_foot_a_plate() -> None:
    plates = [make_plate("plate 1", 0.1, 0.1, [step(RIGHT)]), make_plate("plate 2", 0.75, -0.1, [step(LEFT)])]
    forces, doubts = assign(plates, make_markers(RIGHT_WALK, LEFT_WALK))
    assert [(force.name, force.side) for force in forces] == [("plate 1", "right"), ("plate 2", "left")]
    assert doubts == ()
    np.testing.assert_array_equal(forces[0].force, plate_force(plates[0]).force)


def test_axes_and_sides_do_not_depend_on_the_walking_direction() -> None:
    plates = [make_plate("plate 1", 0.1, 0.1, [step(RIGHT)])]
    markers = make_markers(RIGHT_WALK, LEFT_WALK)
    for angle in (0.4, 1.9, 3.1):
        c, s = np.cos(angle), np.sin(angle)
        turn = np.array([[c, 0.0, s], [0.0, 1.0, 0.0], [-s, 0.0, c]])
        forces, doubts = assign([plate.rotated(turn) for plate in plates], markers.rotated(turn))
        assert [force.side for force in forces] == ["right"] and doubts == ()


def test_one_plate_under_both_feet_in_turn_is_split() -> None:
    late = (1.2, 1.8, 0.05, 0.1)  # the left foot comes back to where the right one was
    plate = make_plate("plate 1", 0.1, 0.1, [step(RIGHT), step(late)])
    markers = make_markers([RIGHT, (1.1, 1.9, 1.0, 0.1)], [(0.0, 0.9, -0.65, -0.1), late])
    forces, doubts = assign([plate], markers)
    assert [(force.name, force.side) for force in forces] == [
        ("plate 1 right", "right"),
        ("plate 1 left", "left"),
    ]
    whole = plate_force(plate)
    np.testing.assert_array_equal(forces[0].force + forces[1].force, whole.force)
    np.testing.assert_array_equal(forces[0].moment + forces[1].moment, whole.moment)
    assert not (forces[0].loaded & forces[1].loaded).any()
    assert np.isnan(forces[0].point[~forces[0].loaded]).all()
    assert all(force.plate == "plate 1" for force in forces)
    assert doubts == ("plate 1: split by side: 0.21 s to 0.79 s right, 1.21 s to 1.79 s left",)


def test_two_feet_on_one_plate_are_reported() -> None:
    beside = (0.3, 0.7, 0.05, -0.05)
    plate = make_plate("plate 1", 0.1, 0.05, [step(RIGHT), step(beside)])
    forces, doubts = assign(
        [plate], make_markers([RIGHT], [(0.0, 0.1, -0.65, -0.1), beside, (0.9, 1.9, 1.0, -0.1)])
    )
    assert [force.side for force in forces] == [None]
    assert len(doubts) == 1 and doubts[0].startswith("plate 1: 0.21 s to 0.79 s: both feet are on the plate")


def test_a_foot_that_swings_over_the_plate_does_not_stand_on_it() -> None:
    """At 0.5 s the left foot passes the right one with its toe low: 1.3 m in 0.4 s, a fast and low swing."""
    markers = make_markers(RIGHT_WALK, LEFT_WALK)
    values = markers.values.copy()
    values[:, 2:, 1] = np.minimum(values[:, 2:, 1], 0.055)
    low = Points(TIME, markers.labels, values)
    forces, doubts = assign([make_plate("plate 1", 0.1, 0.05, [step(RIGHT)])], low)
    assert [force.side for force in forces] == ["right"] and doubts == ()


def test_toes_over_the_edge_are_reported() -> None:
    for shift, over in ((0.27, True), (0.1, False)):  # the toe marker at 0.27 + 0.18 m, the edge at 0.4 m
        stance = (0.2, 0.8, shift, 0.1)
        plate = make_plate("plate 1", 0.1, 0.1, [step((0.2, 0.8, min(shift, 0.2), 0.1))])
        forces, doubts = assign([plate], make_markers([stance], LEFT_WALK))
        assert (forces[0].side is None) == over
        assert any("right foot reaches 5 cm over the edge" in doubt for doubt in doubts) == over


def test_a_load_without_a_foot_is_reported() -> None:
    plate = make_plate("plate 1", 0.1, 0.7, [(0.2, 0.8, np.array([[0.1, 0.0, 0.7], [0.1, 0.0, 0.7]]))])
    forces, doubts = assign([plate], make_markers(RIGHT_WALK, LEFT_WALK))
    assert forces[0].side is None and "no foot is at the centre of pressure" in doubts[0]


def test_a_foot_above_the_pressure_but_in_the_air_is_reported() -> None:
    high = make_markers(RIGHT_WALK, LEFT_WALK)
    values = high.values.copy()
    during = (TIME > 0.15) & (TIME < 0.85)
    values[during, :2, 1] += 0.2
    forces, doubts = assign(
        [make_plate("plate 1", 0.1, 0.1, [step(RIGHT)])], Points(TIME, high.labels, values)
    )
    assert forces[0].side is None and "in the air" in doubts[0]


def as_loads(plate: Plate, **changes: object) -> ExternalForce:
    return replace(plate_force(plate), plate=None, **changes)  # type: ignore[arg-type]


def test_feet_side_by_side_are_too_close_to_tell() -> None:
    right, left = (0.0, 1.9, 0.0, 0.06), (0.0, 1.9, 0.0, -0.06)
    middle = np.array([[0.0, 0.0, 0.0], [LENGTH, 0.0, 0.0]])
    force = as_loads(make_plate("both", 0.1, 0.0, [(0.2, 0.8, middle)]))
    forces, doubts = told([force], (), make_markers([right], [left]))
    assert forces[0].side is None and "equally near" in doubts[0]


def test_forces_without_a_plate() -> None:
    force = as_loads(make_plate("grf_1", 0.1, 0.1, [step(RIGHT)]))
    forces, doubts = told([force], (), make_markers(RIGHT_WALK, LEFT_WALK))
    assert forces[0].side == "right" and doubts == ()


@pytest.mark.parametrize(
    "given", [{"side": "right"}, {"body": "calcn_r"}, {"body": "foot.Right"}, {"body": "right_foot"}]
)
def test_what_is_given_is_kept(given: dict[str, str]) -> None:
    force = as_loads(make_plate("grf", 0.1, 0.1, [step(RIGHT)]), **given)
    forces, doubts = told([force], (), make_markers(RIGHT_WALK, LEFT_WALK))
    assert forces[0].side == "right" and forces[0].body == given.get("body") and doubts == ()
    swapped = make_markers(LEFT_WALK, RIGHT_WALK)
    forces, doubts = told([force], (), swapped)
    assert forces[0].side == "right"
    assert doubts == ("grf: 0.21 s to 0.79 s: the left foot is there, not the right as given",)


@pytest.mark.parametrize("body", [None, "ground", "pelvis", "torso", "l", "heel", "L5"])
def test_bodies_without_a_side(body: str | None) -> None:
    force = as_loads(make_plate("grf", 0.1, 0.1, [step(RIGHT)]), body=body)
    assert told([force], (), Points.none())[0][0].side is None


def test_missing_markers_are_reported() -> None:
    plate = make_plate("plate 1", 0.1, 0.1, [step(RIGHT)])
    markers = make_markers(RIGHT_WALK, LEFT_WALK)
    for seen, words in [
        (markers.select(["RHEE", "RTOE", "LHEE"]), "missing: left"),
        (markers.select(["RTOE", "LTOE"]), "missing: right and left"),
        (Points.none(), "missing: right and left"),
    ]:
        forces, doubts = assign([plate], seen)
        assert forces[0].side is None and words in doubts[0]
    values = markers.values.copy()
    values[(TIME > 0.25) & (TIME < 0.7), 2] = np.nan
    forces, doubts = assign([plate], Points(TIME, markers.labels, values))
    assert forces[0].side is None and "% of the load only" in doubts[0]
    short = (TIME > 0.45) & (TIME < 0.5)
    values = markers.values.copy()
    values[short] = np.nan  # a short gap is bridged
    assert assign([plate], Points(TIME, markers.labels, values))[0][0].side == "right"


def test_ankles_stand_in_for_heels() -> None:
    markers = make_markers(RIGHT_WALK, LEFT_WALK)
    values = markers.values.copy()
    values[:, [0, 2]] += [0.05, 0.05, 0.0]
    ankles = Points(TIME, ("RANK", "RTOE", "LANK", "LTOE"), values)
    assert assign([make_plate("plate 1", 0.1, 0.1, [step(RIGHT)])], ankles)[0][0].side == "right"


def test_a_plate_that_rings_is_no_step() -> None:
    plate = make_plate(
        "plate 1", 0.1, 0.1, [step(RIGHT), (1.5, 1.515, np.array([[0.1, 0, 0.1], [0.1, 0, 0.1]]))]
    )
    forces, doubts = assign([plate], make_markers(RIGHT_WALK, LEFT_WALK))
    assert forces[0].side == "right" and not forces[0].loaded[FAST > 1.4].any()
    assert doubts == (
        "plate 1: a load of less than 0.04 s between 1.50 s and 1.51 s, 697 N at most: no step, set to zero",
    )


@pytest.mark.parametrize("threshold", [0.0, 5.0])
def test_a_lower_threshold_keeps_the_first_and_last_instants_of_a_step(threshold: float) -> None:
    late = (1.2, 1.8, 0.05, 0.1)
    plate = make_plate("plate 1", 0.1, 0.1, [step(RIGHT), step(late)])
    markers = make_markers([RIGHT, (1.1, 1.9, 1.0, 0.1)], [(0.0, 0.9, -0.65, -0.1), late])
    whole = plate_force(plate, threshold=threshold)
    forces, doubts = told([whole], [plate], markers)
    np.testing.assert_array_equal(forces[0].force + forces[1].force, whole.force)
    assert len(doubts) == 1 and "split" in doubts[0]
    noisy = replace(plate, wrench=plate.wrench + 0.01)  # never quite unloaded
    whole = plate_force(noisy, threshold=0.0)
    forces, _ = told([whole], [plate], markers)
    assert [force.side for force in forces] == ["right", "left"]
    np.testing.assert_array_equal(forces[0].force + forces[1].force, whole.force)


def test_an_offset_is_suspected_where_the_load_has_no_end() -> None:
    plate = make_plate("plate 1", 0.1, 0.1, [step(RIGHT)])
    offset = replace(plate, wrench=plate.wrench + np.array([0.0, 0.0, 20.0, 0.0, 40.0, 0.0]))
    _, doubts = assign([offset], make_markers(RIGHT_WALK, LEFT_WALK))
    assert len(doubts) == 1 and "zeroing may help" in doubts[0]


def test_an_unloaded_plate_and_a_point_in_a_body() -> None:
    markers = make_markers(RIGHT_WALK, LEFT_WALK)
    forces, doubts = assign([make_plate("plate 1", 0.1, 0.1, [])], markers)
    assert forces[0].side is None and doubts == ()
    force = as_loads(make_plate("grf", 0.1, 0.1, [step(RIGHT)]), point_in="calcn_r")
    assert "frame of calcn_r" in told([force], (), markers)[1][0]


def test_a_hand_on_a_wall_is_no_foot_and_stays() -> None:
    """A plate upright in front of the walker, pushed with 200 N for a second, the vertical force zero."""
    upright = np.array([[0.0, 0.0, 1.0], [0.0, 1.0, 0.0], [-1.0, 0.0, 0.0]])  # its normal is -x
    corners = np.array([2.0, 1.3, 0.0]) + 0.2 * np.array([[0, 1, 1], [0, 1, -1], [0, -1, -1], [0, -1, 1.0]])
    wrench = np.zeros((len(FAST), 6))
    wrench[(FAST >= 0.5) & (FAST < 1.5), 3] = -200.0
    wall = Plate("wall", 2, corners, upright, FAST, wrench)
    forces, doubts = assign([wall], make_markers(RIGHT_WALK, LEFT_WALK))
    np.testing.assert_array_equal(forces[0].force, wrench[:, 3:])
    assert doubts == ("wall: 0.50 s to 1.50 s: the plate is not on the floor",)


def lab(plates: Sequence[Plate], markers: Points) -> tuple[list[Plate], Points, np.ndarray]:
    """Everything with z up, as in most laboratories."""
    turn = np.array([[1.0, 0.0, 0.0], [0.0, 0.0, -1.0], [0.0, 1.0, 0.0]])
    return [plate.rotated(turn) for plate in plates], markers.rotated(turn), turn


def test_another_axis_may_point_up() -> None:
    plate = make_plate("plate 1", 0.1, 0.1, [step(RIGHT)])
    plates, markers, turn = lab([plate], make_markers(RIGHT_WALK, LEFT_WALK))
    for up in (2, turn @ [0.0, 1.0, 0.0], [0.0, 0.0, 3.0]):
        forces, doubts = assign(plates, markers, up=up)
        assert [force.side for force in forces] == ["right"] and doubts == ()
        np.testing.assert_allclose(forces[0].force, plate_force(plate).force @ turn.T)
    forces, _ = assign(plates, markers)  # y, which is wrong here: no foot is found, but nothing is lost
    np.testing.assert_allclose(forces[0].force, plate_force(plate).force @ turn.T)
    for up in (3, [0.0, 0.0, 0.0], "y", np.nan):
        with pytest.raises(InputError, match="up must"):
            assign(plates, markers, up=up)


def test_a_light_touch_above_the_threshold_of_reading_stays() -> None:
    """A cane presses with 15 N for one second; the caller reads from 5 N on."""
    plate = make_plate("plate 1", 0.1, 0.1, [])
    wrench = plate.wrench.copy()
    wrench[(FAST >= 0.5) & (FAST < 1.5), 4] = 15.0
    cane = plate_force(replace(plate, wrench=wrench), threshold=5.0)
    markers = make_markers(RIGHT_WALK, LEFT_WALK)
    forces, doubts = told([cane], [plate], markers)
    np.testing.assert_array_equal(forces[0].force, wrench[:, 3:])
    assert forces[0].side is None
    assert doubts == ("plate 1: 15 N at most between 0.50 s and 1.50 s, no step: kept without a foot",)
    stepped = make_plate("plate 1", 0.1, 0.1, [(0.2, 0.45, step(RIGHT)[2])]).wrench + wrench
    both = plate_force(replace(plate, wrench=stepped), threshold=5.0)
    forces, _ = told([both], [plate], markers)
    assert [(force.name, force.side) for force in forces] == [
        ("plate 1 right", "right"),
        ("plate 1 unassigned", None),
    ]
    np.testing.assert_array_equal(forces[0].force + forces[1].force, both.force)


def test_a_load_that_the_recording_cuts_is_of_unknown_length_and_stays() -> None:
    plate = make_plate("plate 1", 0.1, 0.1, [])
    wrench = plate.wrench.copy()
    wrench[-20:, 4] = 300.0
    forces, doubts = assign([replace(plate, wrench=wrench)], make_markers(RIGHT_WALK, LEFT_WALK))
    np.testing.assert_array_equal(forces[0].force, wrench[:, 3:])
    assert "kept without a foot" in doubts[0]


def test_many_contacts_with_one_reason_are_one_doubt() -> None:
    """Six contacts of 0.2 s where no foot is; the reasons differ in their distances only."""
    places = [np.array([[0.1, 0.0, 0.7 + 0.01 * i]] * 2) for i in range(6)]
    plate = make_plate("plate 1", 0.1, 0.7, [(0.3 * i, 0.3 * i + 0.2, at) for i, at in enumerate(places)])
    still = make_markers([(0.0, 1.9, 0.0, 0.1)], [(0.0, 1.9, 0.0, -0.1)])
    forces, (note,) = assign_feet([plate_force(plate)], [plate], still)
    doubt = FeetDoubt.of(note)
    assert doubt is not None and (note.code, note.names) == ("feet.foot-away", ("plate 1", "right"))
    assert note.values == {"contacts": 6.0, "least_away_cm": 55.0, "most_away_cm": 60.0}
    assert (doubt.force, doubt.count) == ("plate 1", 6)
    assert doubt.reason == "no foot is at the centre of pressure, the right one is 55 to 60 cm away"
    assert str(doubt).startswith("plate 1: 6 contacts from 0.0")
    assert (doubt.start, doubt.stop) == (pytest.approx(0.0, abs=0.01), pytest.approx(1.7, abs=0.01))
    assert len(forces) == 1


def test_a_long_split_is_counted_not_listed() -> None:
    stances = [(0.1 + 0.2 * i, 0.22 + 0.2 * i) for i in range(9)]
    right = [(a - 0.05, b + 0.04, 0.0, 0.1) for a, b in stances[::2]]
    left = [(a - 0.05, b + 0.04, 0.0, -0.1) for a, b in stances[1::2]]
    at = {
        0.1: np.array([[0.0, 0.0, 0.1], [0.18, 0.0, 0.1]]),
        -0.1: np.array([[0.0, 0.0, -0.1], [0.18, 0.0, -0.1]]),
    }
    plate = make_plate(
        "grf", 0.1, 0.0, [(a, b, at[0.1 if i % 2 == 0 else -0.1]) for i, (a, b) in enumerate(stances)]
    )
    _, doubts = told([as_loads(plate)], (), make_markers(right, left))
    assert doubts == ("grf: split by side: 9 contacts, 5 right, 4 left",)


def two_people(apart: float) -> Points:
    """A walks as everybody here; B walks the same way beside A, so many metres to the right."""
    one = make_markers(RIGHT_WALK, LEFT_WALK)
    labels = tuple(f"{who}:{label}" for who in "AB" for label in one.labels)
    return Points(
        TIME, labels, np.concatenate([one.values, one.values + np.array([0.0, 0.0, apart])], axis=1)
    )


def test_of_two_people_the_one_who_is_there_has_it() -> None:
    markers = two_people(2.0)
    mine, theirs = make_plate("plate 1", 0.1, 0.1, [step(RIGHT)]), step((0.2, 0.8, 0.0, 2.1))
    forces, doubts = assign([mine], markers)
    assert [force.side for force in forces] == ["right"] and doubts == ()
    forces, doubts = assign([mine, make_plate("plate 2", 0.1, 2.1, [theirs])], markers)
    assert [force.side for force in forces] == [None, None]
    assert ["right foot of A" in doubts[0], "right foot of B" in doubts[1]] == [True, True]
    np.testing.assert_array_equal(forces[0].force, plate_force(mine).force)


def test_of_two_people_on_one_plate_nobody_has_it() -> None:
    """B's right foot is 0.3 m beside A's, on the same plate and standing."""
    plate = make_plate("plate 1", 0.1, 0.2, [step(RIGHT)])
    forces, doubts = assign([plate], two_people(0.25))
    assert forces[0].side is None
    assert "A: a foot of B is on the plate too; B: both feet are on the plate" in doubts[0]


def test_limits_can_be_changed() -> None:
    plate = make_plate("plate 1", 0.1, 0.1, [step(RIGHT)])
    markers = make_markers(RIGHT_WALK, LEFT_WALK)
    _, doubts = assign([plate], markers, limits=FootLimits(margin=5.0))
    assert "equally near" in doubts[0]


def test_what_was_not_measured_stays_unknown() -> None:
    late = (1.2, 1.8, 0.05, 0.1)
    plate = make_plate("plate 1", 0.1, 0.1, [step(RIGHT), step(late)])
    wrench = plate.wrench.copy()
    wrench[1000] = np.nan
    markers = make_markers([RIGHT, (1.1, 1.9, 1.0, 0.1)], [(0.0, 0.9, -0.65, -0.1), late])
    forces, _ = assign([replace(plate, wrench=wrench)], markers)
    assert [np.isnan(force.force[1000]).all() for force in forces] == [True, True]


def test_frames_out_of_order_do_not_matter() -> None:
    markers = make_markers(RIGHT_WALK, LEFT_WALK)
    order = np.random.default_rng(0).permutation(np.r_[np.arange(len(TIME)), 50, 51])
    shuffled = Points(TIME[order], markers.labels, markers.values[order])
    forces, doubts = assign([make_plate("plate 1", 0.1, 0.1, [step(RIGHT)])], shuffled)
    assert forces[0].side == "right" and doubts == ()


@given(seed=st.integers(0, 2**32 - 1))
def test_garbage_never_crashes(seed: int) -> None:
    rng = np.random.default_rng(seed)

    def spoil(values: np.ndarray) -> np.ndarray:
        garbage = rng.choice([0.0, np.nan, np.nan, 1e6, -3.0], values.shape)
        return np.where(rng.random(values.shape) < rng.choice([0.0, 0.01, 0.9, 1.0]), garbage, values)

    markers = make_markers(RIGHT_WALK, LEFT_WALK)
    markers = Points(spoil(TIME), markers.labels, spoil(markers.values))
    plate = make_plate("plate 1", 0.1, 0.1, [step(RIGHT)])
    force = plate_force(plate)
    rows = slice(0, rng.choice([0, 1, 2, 2000]))
    parts = (spoil(part[rows]) for part in (force.time, force.force, force.point, force.moment))
    forces, _ = told([ExternalForce("f", *parts, plate="plate 1")], [plate], markers)
    assert len(forces) >= 1
