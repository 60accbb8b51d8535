"""Tables of landmarks: packaged ones and one's own, and what is said about those at fault."""

import re
from pathlib import Path

import numpy as np
import pytest
from scipy.spatial.transform import Rotation
from tests.segments.people import SIDED

from softstride import read
from softstride.capture import Points, Recording
from softstride.errors import CaptureError, InputError
from softstride.segments import analyze
from softstride.segments.landmark_definitions import definitions
from softstride.segments.landmarks import find_landmarks
from softstride.segments.protocol import choose_protocol, protocols, read_protocol

LEGS = [f"{side} {kind}" for side in ("right", "left") for kind in ("thigh", "shank", "foot")]


def test_packaged_tables_use_landmarks_that_segments_know() -> None:
    """Reading refuses others; and each table has the clusters that a standing or a movement trial of legs needs."""
    assert len(protocols()) >= 5
    known = definitions().landmarks()
    guide = (Path(__file__).parents[2] / "docs" / "segments.md").read_text(encoding="utf-8")
    assert all(re.search(rf"\b{name}\b", guide) for name in known), "docs/segments.md lists the landmarks"
    for name in protocols():
        table = read_protocol(name)
        assert table.title and table.source
        assert set(table.clusters) >= {"pelvis", *LEGS}, name
        for landmark in (*table.landmarks, *table.computed):
            assert landmark.removeprefix("right ").removeprefix("left ") in known, landmark


@pytest.mark.parametrize("protocol", ["isb", "plug_in_gait"])
def test_standing_and_movement_trials_work_with_every_table(protocol: str) -> None:
    """Labels of ISB landmarks, and of Plug-in Gait with the markers of CGM2: medial markers carried, a hip found."""
    still, moving = people_with_clusters(protocol)
    medial = {"isb": ("RMFE", "RMM"), "plug_in_gait": ("RMKN", "RMED")}[protocol]
    seen = [name for name in still.markers.labels if name not in medial]
    trial = still.replace(markers=still.markers.select(seen))
    study = analyze(trial, still, lowpass=None, protocol=protocol, functional={"right hip": moving})
    for landmark, label in zip(("right MFE", "right MM"), medial, strict=True):
        assert np.allclose(study.landmarks[landmark], still.markers[label], atol=1e-9)
    assert study.landmarks.sources["right HJC"] == "functional, score"
    assert np.allclose(study.landmarks["right HJC"], HIP, atol=1e-6)


HIP = np.array([-0.01, 0.92, 0.09])
THIGH = {"TH1": (0.06, 0.75, 0.12), "TH2": (0.0, 0.68, 0.16), "TH3": (0.05, 0.62, 0.14)}
SHANK = {"SK1": (0.05, 0.35, 0.11), "SK2": (0.0, 0.30, 0.14), "SK3": (0.04, 0.22, 0.12)}
PLUG = {"ASIS": "ASI", "PSIS": "PSI", "LFE": "KNE", "MFE": "MKN", "LM": "ANK", "MM": "MED", "CAL": "HEE"}
PLUG |= {"M1": "MT1", "M2": "TOE", "M5": "MT5", "TH1": "THI", "TH2": "THAP", "TH3": "THAD"}
PLUG |= {"SK1": "TIB", "SK2": "TIAP", "SK3": "TIAD"}


def people_with_clusters(protocol: str) -> tuple[Recording, Recording]:
    """Somebody who stands still, and who circles the right leg in the hip, with labels of a table."""
    places = {f"{s}{k}": (x, y, z if s == "R" else -z) for s in "RL" for k, (x, y, z) in LEG_PLACES.items()}
    labels = tuple(x if protocol == "isb" else x[0] + PLUG[x[1:]] for x in places)
    n = 120
    t = np.arange(n) / 100.0
    still = np.tile(list(places.values()), (n, 1, 1))
    turn = Rotation.from_rotvec(
        0.4 * np.stack([np.sin(9 * t), 0.5 * np.sin(5 * t), np.cos(9 * t) - 1.0], axis=1)
    )
    moved = still.copy()
    for i, name in enumerate(places):
        if name[0] == "R" and name[1:] not in ("ASIS", "PSIS"):
            moved[:, i] = HIP + turn.apply(still[:, i] - HIP)
    first, second = (Recording("x", markers=Points(t, labels, values)) for values in (still, moved))
    return first, second


LEG_PLACES = {name: place for name, place in (SIDED | THIGH | SHANK).items() if name in PLUG}


def test_the_trunk_of_opencap(shared_data: Path) -> None:
    """Its markers beside the notch of the sternum are the sternal ends of the clavicles, so that a trunk is built."""
    study = analyze(read(shared_data / "walk_opencap_s4" / "static1.trc"), lowpass=None)
    assert (
        study.landmarks.protocol == "opencap" and study.landmarks.sources["SUP"] == "mid(right SCJ, left SCJ)"
    )
    assert "lumbar" in study.joints and "right shoulder" in study.joints
    assert 0.35 < study.segments["trunk"].triad.length < 0.55


@pytest.mark.parametrize(
    ("file", "table", "landmarks"),
    [
        ("c3d_emg_pig/HC030A05.c3d", "plug_in_gait", ("right LFE", "left FH", "SACRUM", "C7", "right M5")),
        ("c3d_emg_pig/Static Pose.c3d", "full_body", ("right LFE", "left MM", "right CAL")),
        ("c3d_opensim_reference/walking2.c3d", "full_body", ("right LFE", "left MFE", "right LM", "left MM")),
        ("knee_gc5_ps/Static_for_scaling.trc", "cluster_words", ("right LFE", "right MM", "left M5")),
        ("walk_gait2354/subject01_static.trc", "helen_hayes", ("right MFE", "left MM", "right M1", "VERTEX")),
        ("walk_opencap_s4/static1.trc", "opencap", ("right LFE", "left MFE", "right MM", "left M5")),
        ("walk_rajagopal_emg/static_walk_1.trc", "helen_hayes", ("right MFE", "left MM", "right M5")),
        ("run_overground_bmc/motion_capture_run.trc", "full_body", ("right MFE", "left MM", "right ME")),
        ("c3d_formats/sample03/gait-pig.c3d", "plug_in_gait", ("right ASIS", "SACRUM", "left LM")),
    ],
)
def test_recordings_find_their_table(
    shared_data: Path, file: str, table: str, landmarks: tuple[str, ...]
) -> None:
    found = find_landmarks(read(shared_data / file))
    assert found.protocol == table
    for name in landmarks:
        assert np.isfinite(found[name]).any(), name


OWN = """
title = "Our laboratory"
sides = {right = "Re_", left = "Li_"}
[landmarks]
LFE = ["{side}KniAussen", "{side}Knie"]
C7 = "C7"
"right TTIP" = "Zehe"
[computed]
HJC = "{side}Huefte"
[clusters]
thigh = ["{side}O1", "{side}O2", "{side}O3"]
pelvis = ["B1", "B2", "B3"]
[measures]
knee_width = "{side}Kniebreite"
marker_diameter = "Kugel"
"""


def test_a_table_of_ones_own(tmp_path: Path) -> None:
    file = tmp_path / "own.toml"
    file.write_text(OWN, encoding="utf-8")
    table = read_protocol(file)
    assert table.name == "own" and table.landmarks["left LFE"] == ("Li_KniAussen", "Li_Knie")
    labels = ("S1:re_knie", "S1:C7", "S1:Zehe", "S1:Li_Huefte", "S1:Re_O1", "S1:Re_O2", "S1:Re_O3")
    markers = Points(np.arange(3.0), labels, np.arange(63.0).reshape(3, 7, 3))
    recording = Recording("trial", markers=markers)
    found = find_landmarks(recording, file)
    assert set(found.points) == {"right LFE", "C7", "right TTIP"}
    assert found.sources["right LFE"] == "marker S1:re_knie"
    assert set(found.computed) == {"left HJC"}
    assert found.clusters["right thigh"][0] == ("S1:Re_O1", "S1:Re_O2", "S1:Re_O3")
    assert found.to_dataframe().shape == (3, 9) and found.to_xarray().sizes["landmark"] == 3


@pytest.mark.parametrize(
    ("text", "field"),
    [
        ("landmarks = 3", "landmarks"),
        ("[landmarks]\nLFE = 3", "landmarks.LFE"),
        ("[landmarks]\nLFE = []", "landmarks.LFE"),
        ("sides = 1\n[landmarks]\nLFE = 'x'", "sides"),
        ("[markers]\nLFE = 'x'", "markers"),
        ("title = 'x'", "there are none"),
        ("[landmarks\n", "text: is no TOML"),
        ("[landmarks]\nMEF = '{side}MFE'", "landmarks.MEF: is not known; is MFE"),
        ("[landmarks]\nlfe = 'x'", "landmarks.lfe: is not known; is LFE"),
        ("[landmarks]\nLFE = 'x'\n[computed]\n'right HCJ' = 'y'", "computed.right HCJ: is not known; is HJC"),
        ("[landmarks]\nLFE = 'x'\n[clusters]\ntigh = ['y', 'z']", "clusters.tigh: is not known; is thigh"),
        ("[landmarks]\nLFE = 'x'\n[wands]\nfoot = 'y'", "wands.foot: is not known"),
        ("[landmarks]\nLFE = 'x'\n[measures]\nknee = 'y'", "measures.knee: is not known; is knee_width"),
    ],
)
def test_tables_at_fault(tmp_path: Path, text: str, field: str) -> None:
    file = tmp_path / "bad.toml"
    file.write_text(text, encoding="utf-8")
    with pytest.raises(CaptureError) as caught:
        read_protocol(file)
    assert field in str(caught.value) and "bad.toml" in str(caught.value)


def test_names_that_no_table_has(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"no protocol 'vicon'; there are: .*plug_in_gait"):
        read_protocol("vicon")
    with pytest.raises(CaptureError, match=r"absent\.toml: file: cannot be read: No such file"):
        read_protocol(tmp_path / "absent.toml")
    with pytest.raises(InputError, match="knows any of marker1, marker2: write a table of your own"):
        choose_protocol(["marker1", "marker2"])
    nothing = Recording("empty", markers=Points(np.arange(2.0), ("marker1",), np.zeros((2, 1, 3))))
    with pytest.raises(InputError, match="table 'isb' knows none of the markers marker1"):
        find_landmarks(nothing, "isb")
    with pytest.raises(InputError, match="has no markers"):
        find_landmarks(Recording("none"))


def test_people_are_told_apart() -> None:
    labels = tuple(f"{who}:{name}" for who in "AB" for name in ("RASIS", "LASIS", "C7"))
    recording = Recording("two", markers=Points(np.arange(2.0), labels, np.arange(36.0).reshape(2, 6, 3)))
    with pytest.raises(InputError, match="the markers are of A, B: choose one"):
        find_landmarks(recording)
    assert find_landmarks(recording, subject="B").sources["C7"] == "marker B:C7"
    with pytest.raises(InputError, match="subject must be one of A, B, not 'C'"):
        find_landmarks(recording, subject="C")
