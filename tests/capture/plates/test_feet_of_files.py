"""Loads and feet of whole files, through `read`: walls, canes, two people, other axes, other thresholds."""

from pathlib import Path

import numpy as np
import pytest

import softstride as ss
from softstride.capture.c3d import C3DFile, encode_c3d, number_parameter

N, RATE = 300, 100.0
LABELS = ("RHEE", "RTOE", "LHEE", "LTOE", "RASI", "LASI", "RPSI", "LPSI", "C7")
PERSON = np.array(  # [mm], facing +y of the lab, z up; the feet point along y at x = 200 and x = -200
    [
        [200, -100, 40],
        [200, 100, 30],
        [-200, -100, 40],
        [-200, 100, 30],
        [100, 0, 950],
        [-100, 0, 950],
        [50, -100, 950],
        [-50, -100, 950],
        [0, -50, 1500.0],
    ]
)
FLOOR = [[400, 300, 0], [400, -300, 0], [0, -300, 0], [0, 300, 0]]  # under the right foot
WALL = [[500, 300, 1000], [500, -300, 1000], [500, -300, 600], [500, 300, 600]]
LOADED = slice(500, 1500)  # analog samples: 0.5 to 1.5 s


def make_file(
    path: Path, load: float, corners: list[list[int]], people: dict[str, float] | None = None
) -> Path:
    """Write a C3D file of people who stand beside each other along x, and a plate with one second of load."""
    people = people or {"": 0.0}
    still = [PERSON + np.array([beside, 0.0, 0.0]) for beside in people.values()]
    noise = np.random.default_rng(0).normal(0.0, 0.2, (N, len(LABELS) * len(people), 3))
    channels = np.zeros((10 * N, 6))
    channels[LOADED, 2] = -load  # what the person does to the plate is along its z axis, into it
    parameters = [
        number_parameter("USED", 1, 2),
        number_parameter("TYPE", [2], 2),
        number_parameter("ZERO", [1, 0], 2),
        number_parameter("CORNERS", np.array([corners], dtype=float)),
        number_parameter("ORIGIN", [(0.0, 0.0, -20.0)]),
        number_parameter("CHANNEL", np.arange(1, 7).reshape(1, 6), 2),
    ]
    labels = tuple(f"{who}:{label}" if who else label for who in people for label in LABELS)
    file = C3DFile(
        processor="intel",
        storage="real",
        first_frame=1,
        rate=RATE,
        groups={"FORCE_PLATFORM": {parameter.name: parameter for parameter in parameters}},
        point_labels=labels,
        point_descriptions=("",) * len(labels),
        point_units="mm",
        points=np.concatenate(still) + noise,
        residuals=np.zeros((N, len(labels))),
        cameras=np.zeros((N, len(labels)), np.uint8),
        analog=channels,
        analog_labels=("Fx", "Fy", "Fz", "Mx", "My", "Mz"),
        analog_units=("N", "N", "N", "Nmm", "Nmm", "Nmm"),
        analog_rate=10 * RATE,
    )
    path.write_bytes(encode_c3d(file))
    return path


def peak(force: ss.ExternalForce) -> float:
    return float(np.linalg.norm(force.force, axis=1).max())


def doubts(recording: ss.Recording) -> list[str]:
    return [str(note) for note in recording.notes if note.topic == "feet"]


def test_a_wall_that_is_pushed(tmp_path: Path) -> None:
    recording = ss.read(make_file(tmp_path / "wall.c3d", 200.0, WALL))
    (force,) = recording.forces
    assert peak(force) == pytest.approx(200.0) and force.loaded.sum() == 1000 and force.side is None
    assert doubts(recording) == ["feet: plate 1: 0.50 s to 1.50 s: the plate is not on the floor"]
    (finding,) = recording.quality().about("feet")
    assert (finding.subject, finding.message) == ("plate 1", "the plate is not on the floor")
    assert (finding.start, finding.stop) == (0.5, 1.5)


@pytest.mark.parametrize(("threshold", "stays"), [(5.0, True), (20.0, False), (0.0, True)])
def test_a_cane_of_15_newton(tmp_path: Path, threshold: float, stays: bool) -> None:
    recording = ss.read(make_file(tmp_path / "cane.c3d", 15.0, FLOOR), plate_threshold=threshold)
    assert peak(recording.forces[0]) == pytest.approx(15.0 if stays else 0.0)
    assert any("kept without a foot" in doubt for doubt in doubts(recording)) == stays
    assert recording.quality().about("feet") == ()  # said, but nothing to worry about


@pytest.mark.parametrize("threshold", [1.0, 20.0, 300.0])
def test_a_foot_is_found_whatever_the_threshold(tmp_path: Path, threshold: float) -> None:
    recording = ss.read(make_file(tmp_path / "stand.c3d", 450.0, FLOOR), plate_threshold=threshold)
    assert [(force.side, round(peak(force))) for force in recording.forces] == [("right", 450)]
    assert doubts(recording) == []


def test_a_foot_of_one_of_two_people(tmp_path: Path) -> None:
    """Each is at home in their own markers: the mean of both would stand a metre beside both."""
    for first, second in (("A", "B"), ("B", "A")):
        path = make_file(tmp_path / f"{first}.c3d", 700.0, FLOOR, {first: 0.0, second: 2000.0})
        recording = ss.read(path)
        assert [force.side for force in recording.forces] == ["right"]
        assert doubts(recording) == []


def test_a_load_between_two_people_names_both(tmp_path: Path) -> None:
    path = make_file(tmp_path / "two.c3d", 700.0, FLOOR, {"A": 600.0, "B": -900.0})
    recording = ss.read(path)
    assert [force.side for force in recording.forces] == [None]
    (doubt,) = doubts(recording)
    assert "A: no foot is at" in doubt and "B: no foot is at" in doubt


def test_one_prefix_is_one_person(tmp_path: Path) -> None:
    recording = ss.read(make_file(tmp_path / "one.c3d", 700.0, FLOOR, {"A22": 0.0}))
    assert [force.side for force in recording.forces] == ["right"] and doubts(recording) == []


def test_a_standing_child_in_lab_axes_keeps_its_weight(shared_data: Path) -> None:
    path = shared_data / "c3d_emg_pig" / "HC030A01.c3d"
    world, lab = ss.read(path), ss.read(path, axes="lab")
    assert [peak(force) for force in lab.forces] == pytest.approx([peak(force) for force in world.forces])
    assert peak(lab.forces[0]) > 400.0
