"""Segments from landmarks: axes where anatomy has them, both sides, and clear words where landmarks do not do."""

from dataclasses import replace

import numpy as np
import pytest
from tests.segments.people import SIDED, standing

from softstride.capture import Points
from softstride.errors import InputError
from softstride.notes import codes
from softstride.segments.build import build_segment, build_segments
from softstride.segments.centres import joint_centres
from softstride.segments.landmark_definitions import definitions
from softstride.segments.landmarks import find_landmarks
from softstride.segments.triad import orthonormal_frame

MIRROR = np.array([1.0, 1.0, -1.0])


def landmarks(**changes):  # type: ignore[no-untyped-def]
    return joint_centres(find_landmarks(standing(**changes)))


def test_all_segments_of_a_body() -> None:
    """u points forward and w to the right in everybody who stands; v points up in all but trunk and head."""
    built, notes = build_segments(landmarks())
    assert set(built) == set(definitions().names()) and notes == ()
    for name, each in built.items():
        u, v, w = (x[0] for x in (each.motion.forward, each.motion.long, each.motion.across))
        rises = each.definition.rises
        assert u[0] > 0.8, name
        assert w[2] > 0.8, name
        if each.definition.kind != "foot":  # whose ends are ankle and toes
            assert (v[1] > 0.0) == rises, name
        assert each.triad.handed == (1 if rises else -1), name
        assert np.linalg.norm(u) == pytest.approx(1.0) and np.linalg.norm(w) == pytest.approx(1.0)
        frame = orthonormal_frame(each.motion.forward, each.motion.long)[0]
        assert (frame[2, 2] > 0.0) == rises or each.definition.kind == "foot", name


def test_a_left_segment_is_the_mirror_image_with_its_axis_to_the_right() -> None:
    built, _ = build_segments(landmarks())
    for kind, each in definitions().segments.items():
        if not each.sided:
            continue
        right, left = built[f"right {kind}"].motion, built[f"left {kind}"].motion
        assert np.allclose(left.forward, right.forward * MIRROR), kind
        assert np.allclose(left.proximal, right.proximal * MIRROR), kind
        assert np.allclose(left.distal, right.distal * MIRROR), kind
        assert np.allclose(left.across, -right.across * MIRROR), kind
        assert built[f"left {kind}"].triad.length == pytest.approx(built[f"right {kind}"].triad.length)


@pytest.mark.parametrize("side", ["right", "left"])
@pytest.mark.parametrize(
    ("kind", "pair", "words"),
    [
        ("thigh", ("LFE", "MFE"), "MFE -> LFE points to the left of the pelvis"),
        ("shank", ("LM", "MM"), "MM -> LM points to the left of the {side} thigh"),
        ("foot", ("M5", "M1"), "M1 -> M5 points to the left of the {side} shank"),
    ],
)
def test_exchanged_landmarks_are_refused(side: str, kind: str, pair: tuple[str, str], words: str) -> None:
    """Medial and lateral exchanged turn a segment back to front: by 165 degrees and more."""
    first, second = (f"{side[0].upper()}{name}" for name in pair)
    stood = standing()
    swap = {first: second, second: first}
    labels = tuple(swap.get(label, label) for label in stood.markers.labels)
    swapped = stood.replace(markers=Points(stood.markers.time, labels, stood.markers.values))
    with pytest.raises(
        InputError, match=rf"segment '{side} {kind}': {words.format(side=side)}, 1[5-8]\d degrees"
    ):
        build_segments(joint_centres(find_landmarks(swapped)))


def test_a_functional_axis_does_not_hide_exchanged_epicondyles() -> None:
    """The axis still points to the right, and the normal to the plane of the epicondyles points back."""
    swapped = landmarks(RLFE=SIDED["MFE"], RMFE=SIDED["LFE"])
    to_the_right = np.tile([0.0, 0.0, 1.0], (len(swapped), 1))
    with pytest.raises(InputError, match=r"segment 'right thigh' faces backwards: normal\(HJC, LFE, MFE\)"):
        build_segments(swapped.with_directions({"right knee": to_the_right}, "given"))


def test_a_deep_squat_with_turned_feet_is_not_refused() -> None:
    """Thighs level, feet turned out by 60 degrees: across axes are far from the pelvis's, and still to the right."""
    turn = np.radians(-60.0)
    places = {}
    for name in ("CAL", "M1", "M2", "M5"):
        x, y, z = np.array(SIDED[name]) - SIDED["LM"]
        out = np.array([x * np.cos(turn) + z * np.sin(turn), y, z * np.cos(turn) - x * np.sin(turn)])
        places[f"R{name}"] = tuple(out + SIDED["LM"])
    for name in ("LFE", "MFE"):  # the knee as high as the hip, in front of it
        x, _, z = SIDED[name]
        places[f"R{name}"] = (x + 0.42, 0.92, z)
    built, _ = build_segments(landmarks(**places))
    assert {"right thigh", "right shank", "right foot"} <= set(built)


def test_landmarks_that_are_not_in_metres_are_refused() -> None:
    marks = find_landmarks(standing())
    for factor, words in ((1000.0, "are 4.. m apart"), (100.0, "are 4... m apart")):
        wrong = replace(marks, points={name: factor * x for name, x in marks.points.items()})
        with pytest.raises(
            InputError, match=rf"is too long for a body: .* {words}; landmarks must be in metres"
        ):
            build_segment(joint_centres(wrong), "right shank")


def test_a_segment_without_length_is_told_as_such() -> None:
    """The ends in one place are on a line with anything; what is told is that there is no length."""
    same = SIDED["LM"]
    marks = landmarks(RLFE=same, RMFE=SIDED["MM"])
    with pytest.raises(
        InputError, match=r"segment 'right shank' has no length: its ends KJC and AJC are 0\.0 mm"
    ):
        build_segment(marks, "right shank")
    point = landmarks(RLM=SIDED["MM"])
    with pytest.raises(InputError, match=r"segment 'right shank': LM and MM are in one place at 0\.000 s"):
        build_segment(point, "right shank")


@pytest.mark.parametrize(
    ("without", "recipes"),
    [
        (("RM1",), {"distal": "M2", "forward": "CAL -> M2", "across": "normal(CAL, M2, AJC)"}),
        ((), {"distal": "mid(M1, M5)", "forward": "CAL -> mid(M1, M5)", "across": "M1 -> M5"}),
    ],
)
def test_the_foot_does_with_what_there_is(without: tuple[str, ...], recipes: dict[str, str]) -> None:
    built = build_segment(landmarks(without=without), "right foot")
    assert {part: built.recipes[part] for part in recipes} == recipes
    assert built.motion.across[0, 2] > 0.8 and built.motion.forward[0, 0] > 0.8


def test_axes_from_fallbacks_point_the_same_way() -> None:
    """Without the head of the fibula, or with one malleolus and a centre: forward stays forward on both sides."""
    for without in (("RFH", "LFH"), ("RM1", "LM1", "RFH", "LFH")):
        built, _ = build_segments(landmarks(without=without))
        for name in ("right shank", "left shank", "right foot", "left foot"):
            assert built[name].motion.forward[0, 0] > 0.8 and built[name].motion.across[0, 2] > 0.8


def test_a_missing_landmark_names_the_segment_and_what_would_do() -> None:
    marks = landmarks(without=("RMM",))
    with pytest.raises(InputError) as caught:
        build_segment(marks, "right shank")
    text = str(caught.value)
    assert "segment 'right shank' lacks its distal end" in text
    assert "a functional ankle" in text and "LM and MM of either trial" in text and "ankle width" in text
    with pytest.raises(InputError, match="segment 'right foot' lacks its proximal end"):
        build_segment(marks, "right foot")
    with pytest.raises(
        InputError, match=r"lacks its forward axis\. What would do: CAL -> mid\(M1, M5\), where CAL"
    ):
        build_segment(landmarks(without=("RCAL",)), "right foot")
    marks = find_landmarks(standing(without=("RLFE", "RMFE")))
    marks = joint_centres(marks.with_points({"right KJC": marks["right TT"]}, "test"))
    with pytest.raises(
        InputError, match=r"normal\(HJC, LFE, MFE\), where LFE and MFE are missing; or .*LFE is missing"
    ):
        build_segment(marks, "right thigh")


def test_segments_that_cannot_be_built_are_left_out_with_the_reason() -> None:
    built, notes = build_segments(landmarks(without=("RMM", "VERTEX")))
    assert "right shank" not in built and "left shank" in built
    assert any("segment 'right shank' lacks its distal end" in str(note) for note in notes)
    assert any("segment 'head' lacks its distal end. What would do: VERTEX" in str(note) for note in notes)
    assert set(codes(notes)) == {"segments.left-out"}
    assert {name for note in notes for name in note.names} == set(definitions().names()) - set(built)


def test_landmarks_on_a_line_are_refused() -> None:
    with pytest.raises(InputError, match=r"segment 'right shank': FH, LM, MM are on a line at 0\.000 s"):
        build_segments(landmarks(RFH=(-0.02, 0.06, 0.195), RLM=(-0.01, 0.075, 0.13), RMM=(0.0, 0.09, 0.065)))


def test_ends_in_one_place_are_refused() -> None:
    with pytest.raises(
        InputError, match=r"segment 'right shank' has no length: its ends KJC and AJC are \d+\.\d mm"
    ):
        build_segments(landmarks(RLM=(0.01, 0.50, 0.14), RMM=(0.00, 0.51, 0.05)))
    with pytest.raises(InputError, match=r"CAL and mid\(M1, M5\) are in one place"):
        build_segments(landmarks(RCAL=(0.12, 0.02, 0.095)))


def test_axes_in_one_plane_are_refused() -> None:
    marks = landmarks(RPSIS=(-0.12, 1.0, 0.05), LPSIS=(-0.12, 1.0, -0.05))
    centre = 0.5 * (marks["right HJC"] + marks["left HJC"])
    level = marks.with_points({"LJC": centre + np.array([0.1, 0.0, 0.05])}, "test")  # as high as the hips
    with pytest.raises(InputError, match=r"segment 'pelvis': axes with the angles .* are in one plane"):
        build_segment(level, "pelvis")


def test_a_functional_axis_comes_first() -> None:
    marks = landmarks()
    axis = np.tile([0.3, 0.1, 0.9], (len(marks), 1))
    built = build_segment(marks.with_directions({"left knee": axis}, "test"), "left thigh")
    assert built.recipes["across"] == "axis(knee)"
    assert np.allclose(
        built.motion.across, axis / np.linalg.norm(axis[0])
    )  # to the right as given, not mirrored
