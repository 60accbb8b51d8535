"""Joint centres: regressions and the chord function against closed forms, and against what a file's own model found."""

from pathlib import Path

import numpy as np
import pytest
from tests.segments.people import standing

from softstride import read
from softstride.errors import InputError
from softstride.segments.build import build_segments
from softstride.segments.centres import chord_centre, joint_centres
from softstride.segments.hip_centres import hip_offset, pelvis_frame
from softstride.segments.inertia_table import Sex
from softstride.segments.landmarks import find_landmarks


def test_regressions_in_millimetres() -> None:
    """PW = 240, PD = 150, LL = 850 mm, worked by hand."""
    size = {"width": 0.240, "depth": 0.150, "leg_length": 0.850}
    by_hand = {
        "harrington": (-0.24 * 150 - 9.9, -0.30 * 240 - 10.9, 0.33 * 240 + 7.3),
        "hara": (11 - 0.063 * 850, -9 - 0.078 * 850, 8 + 0.086 * 850),
        "bell": (-0.19 * 240, -0.30 * 240, 0.36 * 240),
    }
    for method, place in by_hand.items():
        assert np.allclose(1e3 * hip_offset(method, **size), place)  # type: ignore[arg-type]
    assert np.allclose(hip_offset("reed", width=0.24, sex="male"), np.array([-0.208, -0.278, 0.361]) * 0.24)
    assert np.allclose(hip_offset("reed", width=0.24, sex="female"), np.array([-0.197, -0.270, 0.372]) * 0.24)
    reach, behind = 0.115 * 850 - 15.3, 0.1288 * 850 - 48.56 + 5.0
    theta, beta = np.radians([28.4, 18.0])
    davis = 1e3 * hip_offset("davis", **size, marker_radius=0.005)  # type: ignore[arg-type]
    assert davis[0] == pytest.approx(-behind * np.cos(beta) + reach * np.cos(theta) * np.sin(beta))
    assert davis[1] == pytest.approx(-behind * np.sin(beta) - reach * np.cos(theta) * np.cos(beta))
    assert davis[2] == pytest.approx(120.0 - reach * np.sin(theta))


def test_regressions_that_lack_something() -> None:
    with pytest.raises(InputError, match="'davis' need the length of the leg"):
        hip_offset("davis", width=0.24)
    with pytest.raises(InputError, match="'harrington' need the depth"):
        hip_offset("harrington", width=0.24)
    with pytest.raises(InputError, match="'reed' need the sex"):
        hip_offset("reed", width=0.24)
    with pytest.raises(InputError, match="hip must be one of harrington, hara"):
        hip_offset("tylkowski", width=0.24)  # type: ignore[arg-type]
    marks = find_landmarks(standing(without=("RASIS",)))
    with pytest.raises(InputError, match="missing: right ASIS"):
        joint_centres(marks, hip="bell")
    assert "right HJC" not in joint_centres(marks)
    with pytest.raises(InputError, match="no joint centres of another model"):
        joint_centres(find_landmarks(standing()), centres="file")


def test_the_chord_function_makes_a_right_angle() -> None:
    rng = np.random.default_rng(0)
    hip = rng.normal(0.0, 0.1, (30, 3)) + np.array([0.0, 0.9, 0.0])
    knee = rng.normal(0.0, 0.02, (30, 3)) + np.array([0.0, 0.5, 0.1])
    wand = knee + np.array([0.02, 0.1, 0.08])
    found = chord_centre(hip, knee, wand, 0.055)
    assert np.allclose(np.linalg.norm(found - knee, axis=1), 0.055)
    assert np.allclose(np.sum((knee - found) * (hip - found), axis=1), 0.0, atol=1e-15)
    normal = np.cross(hip - knee, wand - knee)
    assert np.allclose(np.sum((found - knee) * normal, axis=1), 0.0, atol=1e-15)  # in the plane
    assert (
        np.sum((found - knee) * (wand - knee), axis=1) < np.sum((hip - knee) * (wand - knee), axis=1)
    ).all()
    with pytest.raises(InputError, match="the chord function has no solution"):
        chord_centre(hip, knee, wand, 0.6)
    with pytest.raises(InputError, match="the chord function has no solution"):
        chord_centre(hip, knee, knee + 0.3 * (hip - knee), 0.05)


def test_centres_in_the_middle_of_landmarks() -> None:
    marks = find_landmarks(standing())
    found = joint_centres(marks, sex="male")
    assert np.allclose(found["right KJC"], 0.5 * (marks["right LFE"] + marks["right MFE"]))
    assert np.allclose(found["left AJC"], 0.5 * (marks["left LM"] + marks["left MM"]))
    frame = pelvis_frame(marks)
    assert frame.width == pytest.approx(0.24)
    assert np.allclose(found["LJC"][0], frame.place(np.array([-0.264, 0.126, 0.0]) * 0.24)[0])
    thorax = marks["SUP"] - marks["C7"]
    assert np.linalg.norm(found["CJC"] - marks["C7"], axis=1)[0] == pytest.approx(
        0.55 * np.linalg.norm(thorax[0])
    )
    assert found["CJC"][0, 1] > marks["C7"][0, 1] + 0.55 * thorax[0, 1]  # turned up
    assert found["right SJC"][0, 1] < marks["right ACR"][0, 1]
    both = joint_centres(marks)
    assert "both sexes" in both.sources["LJC"] and "confidence C" in both.sources["right SJC"]
    kept = joint_centres(marks.with_points({"right HJC": marks["right LFE"]}, "given"))
    assert kept.sources["right HJC"] == "given" and "regression" in kept.sources["left HJC"]


@pytest.mark.parametrize(
    ("sex", "lumbar", "cervical", "shoulder"),
    [
        ("male", (-0.264, 0.126), (0.55, 8.0), (0.43, 11.0)),
        ("female", (-0.289, 0.172), (0.53, 14.0), (0.53, 5.0)),
        (None, (-0.2765, 0.149), (0.54, 11.0), (0.48, 8.0)),
    ],
)
def test_centres_of_the_trunk(
    sex: Sex | None,
    lumbar: tuple[float, float],
    cervical: tuple[float, float],
    shoulder: tuple[float, float],
) -> None:
    """L5/S1, C7/T1 and the shoulders as shares of the pelvis and of C7 to SUP, turned up and down in the plane."""
    marks = find_landmarks(standing())
    found = joint_centres(marks, sex=sex)
    frame = pelvis_frame(marks)
    assert np.allclose(found["LJC"][0], frame.place(np.array([*lumbar, 0.0]) * frame.width)[0])
    ahead = (marks["SUP"] - marks["C7"])[0]

    def turned(share: float, degrees: float) -> np.ndarray:
        c, s = np.cos(np.radians(degrees)), np.sin(np.radians(degrees))
        return share * np.array([c * ahead[0] - s * ahead[1], s * ahead[0] + c * ahead[1], 0.0])

    assert np.allclose(found["CJC"][0] - marks["C7"][0], turned(*cervical))
    for side in ("right", "left"):
        offset = found[f"{side} SJC"][0] - marks[f"{side} ACR"][0]
        assert np.allclose(offset, turned(shoulder[0], -shoulder[1])), side


@pytest.mark.parametrize("file", ["HC030A05", "HC030A01"])
def test_against_the_centres_of_plug_in_gait(shared_data: Path, file: str) -> None:
    """The file's own model used the same formulas: hips to 0.4 mm (it has 0.5 rad for 28.4 degrees), knees to 0.1 mm.

    The standing trial also has the model's Harrington hip, from the depth of each frame not their mean: 0.2 mm.
    """
    recording = read(shared_data / "c3d_emg_pig" / f"{file}.c3d")
    marks = find_landmarks(recording)
    without = find_landmarks(
        recording.replace(
            markers=recording.markers.select([x for x in recording.markers.labels if not x.endswith("MMA")])
        )
    )
    own = joint_centres(without, hip="davis")
    for side, letter in (("right", "R"), ("left", "L")):
        for centre, point, error in (("HJC", "FEP", 4e-4), ("KJC", "FEO", 1e-4), ("AJC", "TIO", 1e-5)):
            gap = np.linalg.norm(own[f"{side} {centre}"] - recording.markers[letter + point], axis=1)
            assert np.nanmax(gap) < error, (side, centre)
        taken = joint_centres(marks, centres="file")
        assert np.array_equal(taken[f"{side} KJC"], recording.markers[f"{letter}FEO"], equal_nan=True)
    if file == "HC030A01":
        harrington = joint_centres(marks, hip="harrington")
        gap = np.linalg.norm(harrington["right HJC"] - recording.markers["RHJCHarrington"], axis=1)
        assert np.nanmax(gap) < 2e-4


def test_centres_of_the_file_fill_what_markers_do_not_tell(shared_data: Path) -> None:
    recording = read(shared_data / "c3d_formats" / "sample03" / "gait-pig.c3d")
    marks = find_landmarks(recording)
    assert "right KJC" in joint_centres(marks) and "right KJC" not in joint_centres(marks, centres="own")


LEGLESS = tuple(f"{s}{name}" for s in "RL" for name in ("ASIS", "PSIS"))


@pytest.mark.parametrize(
    ("without", "by"),
    [((), "LJC"), (LEGLESS, "XIP"), ((*LEGLESS, "PX"), "both ACR"), ((*LEGLESS, "PX", "LACR"), "right ACR")],
)
def test_shoulders_and_neck_need_no_pelvis(without: tuple[str, ...], by: str) -> None:
    """Somebody who stands symmetric has one sagittal plane, whatever shows it: the same centres, and an upper arm."""
    whole = joint_centres(find_landmarks(standing()), sex="male")
    found = joint_centres(find_landmarks(standing(without=without)), sex="male")
    assert np.allclose(found["right SJC"], whole["right SJC"], atol=5e-3 if by == "right ACR" else 1e-12)
    assert found.sources["right SJC"].endswith(f"upright by {by}")
    assert "right upper_arm" in build_segments(found)[0] and "right forearm" in build_segments(found)[0]
    if by == "right ACR":
        assert found.sources["CJC"] == "mid(C7, SUP)"  # nothing shows what is up at the neck
        assert np.allclose(found["CJC"], 0.5 * (found["C7"] + found["SUP"]))
    else:
        assert np.allclose(found["CJC"], whole["CJC"], atol=1e-12)


def test_a_notch_between_two_clavicles() -> None:
    marks = find_landmarks(standing(without=("IJ",)))
    assert "SUP" not in joint_centres(marks) and "CJC" not in joint_centres(marks)
    beside = {
        f"{side} SCJ": np.tile([0.05, 1.44, z], (20, 1)) for side, z in (("right", 0.02), ("left", -0.02))
    }
    found = joint_centres(marks.with_points(beside, "test"), sex="male")
    whole = joint_centres(find_landmarks(standing()), sex="male")
    assert all(np.allclose(found[x], whole[x], atol=1e-12) for x in ("SUP", "CJC", "left SJC"))
