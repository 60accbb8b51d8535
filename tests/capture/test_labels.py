"""Labels of many protocols: their side and their part of the body, and nothing guessed."""

import pytest

from softstride.capture.emg_channels import find_emg, names_muscle
from softstride.capture.labels import (
    find_labels,
    find_pairs,
    is_virtual,
    preference,
    read_label,
    subject_of,
    subjects,
)
from softstride.capture.series import Channels


@pytest.mark.parametrize(
    ("label", "side", "part"),
    [
        ("RHEE", "right", "heel"),
        ("L.Heel", "left", "heel"),
        ("r_calc", "right", "heel"),
        ("heel_l", "left", "heel"),
        ("RightHeel", "right", "heel"),
        ("RCAL", "right", "heel"),
        ("A22:LTOE", "left", "toe"),
        ("L_5meta", "left", "toe"),
        ("R.Toe.Tip", "right", "toe"),
        ("LMT2", "left", "toe"),
        ("RLMAL", "right", "ankle"),
        ("LLMA", "left", "ankle"),
        ("L_mankle", "left", "ankle"),
        ("latAnkle", None, "ankle"),
        ("rASIS", "right", "asis"),
        ("RASI", "right", "asis"),
        ("LPsis", "left", "psis"),
        ("V.Sacral", None, "sacrum"),
        ("C7", None, "neck"),
        ("RFHD", "right", "head"),
        ("RTH1", "right", None),
        ("LShankLateral", "left", None),
        ("T10", None, None),
        ("Rib", None, None),  # R of a word, not of a side
        ("Left", None, None),
        ("R", None, None),
        ("H", None, None),
    ],
)
def test_side_and_part(label: str, side: str | None, part: str | None) -> None:
    assert read_label(label) == (side, part)


def test_pairs_differ_in_nothing_but_the_side() -> None:
    labels = ["r_toe", "L_toe", "RASI", "LASI", "C7", "RTH1", "R.Knee", "L.Elbow"]
    assert find_pairs(labels) == (("r_toe", "L_toe"), ("RASI", "LASI"))


def test_pairs_are_of_one_person() -> None:
    labels = ["A:RHEE", "B:LHEE", "B:RHEE", "A:RTOE", "A:LTOE"]
    assert find_pairs(labels) == (("B:RHEE", "B:LHEE"), ("A:RTOE", "A:LTOE"))


def test_whose_marker_it_is() -> None:
    assert [subject_of(label) for label in ("A22:LASI", "LASI", "lab:A:LASI", ":LASI")] == [
        "A22",
        "",
        "lab:A",
        "",
    ]
    assert subjects(["A22:LASI", "A22:RASI", "A22:RTH1", "*12", "wand:tip", "A22:RHJC"]) == ("A22",)
    assert subjects(["B:RHEE", "A:RHEE", "B:C7"]) == ("B", "A")
    assert subjects(["RHEE", "LTOE"]) == ("",) and subjects([]) == ()
    labels = ["A:RHEE", "B:RHEE", "RHEE"]
    assert find_labels(labels, "heel", "right") == tuple(labels)
    assert [find_labels(labels, "heel", "right", who) for who in ("A", "B", "")] == [(x,) for x in labels]


def test_the_marker_that_stands_for_an_end_of_a_foot() -> None:
    for part, labels in {
        "heel": ["RHeel", "RHindfoot"],
        "toe": ["L.Toe.Tip", "LHLX", "A:LMT2", "L_1meta", "LToeLateral"],
        "ankle": ["RLMAL", "RMMAL"],
    }.items():
        ranks = [preference(label, part) for label in labels]
        assert ranks == list(range(len(labels)))


def test_virtual_points_are_not_markers() -> None:
    assert all(
        map(is_virtual, ("*52", "V_Mid_ASIS", "RHJC", "L_HJC_reg", "R.HeelGround", "L.AnkleJoint", "MidASIS"))
    )
    assert not any(map(is_virtual, ("RASI", "V.Sacral", "R.Heel", "LJCX")))
    assert find_labels(["R.Heel", "R.HeelGround", "L.Heel"], "heel", "right") == ("R.Heel",)


@pytest.mark.parametrize(
    "label", ["SOL", "GAS", "TA", "RTGA", "LTIB", "gmax", "semimem", "soleus", "medgas", "Voltage.L Tib Ant"]
)
def test_muscles(label: str) -> None:
    assert names_muscle(label)


@pytest.mark.parametrize(
    "label", ["goniometer", "load cell", "CH13", "F1X", "LFS", "knee_angle_r", "Voltage.R Spare"]
)
def test_not_muscles(label: str) -> None:
    assert not names_muscle(label)


def test_emg_is_in_volts_and_not_of_a_plate() -> None:
    labels = ("Fz1", "RTIB", "sol", "EMG7", "gas", "goniometer")
    channels = Channels([0.0], labels, [[0.0] * 6], ("N", "V", "mV", "V", "N", "V"))
    assert find_emg(channels) == ("RTIB", "sol", "EMG7")
    assert find_emg(channels, frozenset({"EMG7"})) == ("RTIB", "sol")
