"""The feet of real recordings: published sides from geometry alone, doubts where there are any."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from tests.capture.plates.test_feet import told

from softstride.capture import read
from softstride.capture.series import Points

PUBLISHED = {
    ("walk_gait2354/subject01_walk1.trc", "walk_gait2354/subject01_walk1_grf.xml"): ["right", "left"],
    ("walk_rajagopal_emg/markers_walk.trc", "walk_rajagopal_emg/grf_walk.mot"): ["right", "left"],
    ("run_overground_bmc/motion_capture_run.trc", "run_overground_bmc/grf_run.mot"): ["right", "left"],
    ("run_hamner_s01/run200.trc", "run_hamner_s01/run200_grf.mot"): ["right", "left"],
    ("run_hamner_s01/run500.trc", "run_hamner_s01/run500_grf.mot"): ["right", "left"],
    ("walk_opencap_s4/walking1.trc", "walk_opencap_s4/walking1_grf.mot"): ["right", "left"],
    ("knee_gc5_ps/PS_ngait_og_ss1.trc", "knee_gc5_ps/PS_ngait_og_ss1_kinetics.mot"): [
        "left",
        "right",
        "right",
    ],
    ("knee_gc5_ps/PS_ngait_og_ss11.trc", "knee_gc5_ps/PS_ngait_og_ss11_kinetics.mot"): [
        "left",
        "right",
        "right",
    ],
    ("knee_gc5_ps/PS_ngait_og_ss1.c3d",): ["left", "right", "right"],
    ("knee_gc5_ps/PS_ngait_og_ss11.c3d",): ["left", "right", "right"],
}


@pytest.mark.parametrize("files", PUBLISHED, ids=lambda files: Path(files[-1]).name)
def test_published_sides_are_found_from_geometry_alone(shared_data: Path, files: tuple[str, ...]) -> None:
    recording = read(*(shared_data / file for file in files))
    nameless = [replace(force, side=None, body=None) for force in recording.forces]
    forces, doubts = told(nameless, recording.plates, recording.markers)
    assert [force.side for force in forces] == PUBLISHED[files]
    assert doubts == ()


@pytest.mark.parametrize("trial", ["ss1", "ss11"])
def test_the_knee_that_was_measured_is_loaded_by_its_own_foot(shared_data: Path, trial: str) -> None:
    """The left knee holds the sensor, so its force goes with the plate under the left foot and with no other."""
    folder = shared_data / "knee_gc5_ps"
    recording = read(folder / f"PS_ngait_og_{trial}.trc", folder / f"PS_ngait_og_{trial}_kinetics.mot")
    table = np.genfromtxt(folder / f"etibia_{trial}.csv", delimiter=",", names=True)
    knee = table[next(name for name in table.dtype.names if "total" in name.lower())]
    times = np.linspace(*recording.markers.time[[0, -1]], len(knee))
    loads = [np.interp(times, force.time, force.force[:, 1]) for force in recording.forces]
    related = [float(np.corrcoef(knee, load)[0, 1]) for load in loads]
    assert [value > 0.8 for value in related] == [force.side == "left" for force in recording.forces]


def test_sides_agree_with_the_events_of_the_file(shared_data: Path) -> None:
    """Each plate is first loaded within 40 ms of a strike of the foot it was given to (events are in frames)."""
    recording = read(shared_data / "c3d_emg_pig/HC030A05.c3d")
    assert [force.side for force in recording.forces] == ["left", "right"]
    for force in recording.forces:
        first = force.time[force.loaded][0]
        assert np.abs(recording.events_of("strike", force.side) - first).min() < 0.04
        assert (
            np.abs(recording.events_of("strike", "left" if force.side == "right" else "right") - first).min()
            > 0.3
        )


def test_swapped_labels_of_a_real_walk_contradict_the_given_sides(shared_data: Path) -> None:
    folder = shared_data / "walk_gait2354"
    recording = read(folder / "subject01_walk1.trc", folder / "subject01_walk1_grf.xml")
    markers = recording.markers
    swap = {"R.": "L.", "L.": "R."}
    labels = tuple(swap.get(label[:2], label[:2]) + label[2:] for label in markers.labels)
    forces, doubts = told(recording.forces, (), Points(markers.time, labels, markers.values))
    assert [force.side for force in forces] == ["right", "left"]
    assert len(doubts) == 2 and all("as given" in doubt and " contacts from " in doubt for doubt in doubts)


def test_doubtful_contacts_of_real_files(shared_data: Path) -> None:
    for file, words in [
        ("c3d_emg_pig/HC030A01.c3d", "both feet are on the plate"),  # a child stands on one plate
        (
            "c3d_opensim_reference/walking2.c3d",
            "left foot reaches 17 cm over the edge",
        ),  # peak 747 N of 951 N
        ("c3d_formats/sample10/TYPE-3.c3d", "over the edge"),
    ]:
        recording = read(shared_data / file)
        assert any(words in str(note) for note in recording.notes), file


def test_a_zeroed_plate_is_given_to_its_foot(shared_data: Path) -> None:
    """Plate 1 of this file carries 21 N of offset, above the threshold, so without zeroing its load has no end."""
    path = shared_data / "c3d_emg_pig/Gait with EMG.c3d"
    assert [force.side for force in read(path).forces] == [None, "right"]
    assert [force.side for force in read(path, plate_zero="unloaded").forces] == ["left", "right"]
