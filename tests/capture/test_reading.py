"""`read` on the recordings: every encoding alike, every force as published, every trap met."""

import tempfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import softstride as ss
from softstride.capture import make_axes
from softstride.errors import CaptureError, InputError
from softstride.notes import SAID, codes

G = 9.80665  # [m/s²]


def same(first: ss.Recording, second: ss.Recording) -> None:
    np.testing.assert_array_equal(first.markers.values, second.markers.values)
    assert first.markers.labels == second.markers.labels
    np.testing.assert_array_equal(first.markers.time, second.markers.time)
    np.testing.assert_array_equal(first.analog.values, second.analog.values)
    for one, other in zip(first.forces, second.forces, strict=True):
        np.testing.assert_array_equal(one.force, other.force)
        np.testing.assert_array_equal(one.point, other.point)


@pytest.mark.parametrize("kind", ["pr", "si", "sr", "vi", "vr"])
def test_one_trial_in_six_encodings_is_one_recording(shared_data: Path, kind: str) -> None:
    """Integers hold a multiple of the scale; the floats of the same trial hold that very number rounded to 24 bits."""
    folder = shared_data / "c3d_formats" / "sample01"
    reference = ss.read(folder / "Eb015pi.c3d")
    other = ss.read(folder / f"Eb015{kind}.c3d")
    assert reference.markers.values.shape == (450, 26, 3)
    if kind[1] == "i":
        same(reference, other)
        return
    np.testing.assert_array_equal(np.isnan(reference.markers.values), np.isnan(other.markers.values))
    np.testing.assert_allclose(other.markers.values, reference.markers.values, rtol=2.0**-23, atol=0)
    np.testing.assert_allclose(other.analog.values, reference.analog.values, rtol=2.0**-22, atol=1e-9)


@pytest.mark.parametrize("letter", "ABCD")
def test_blocks_may_lie_anywhere(shared_data: Path, letter: str) -> None:
    folder = shared_data / "c3d_formats"
    same(ss.read(folder / "sample08" / f"TEST{letter}PI.c3d"), ss.read(folder / "sample01" / "Eb015pi.c3d"))


# file(s), peak vertical force of each force [N], as the notes of the recordings give it
PEAKS = {
    "c3d_formats/sample01/Eb015pi.c3d": (839, 836),
    "c3d_formats/sample10/TYPE-2.C3D": (397,),
    "c3d_formats/sample10/TYPE-4.C3D": (390,),
    "c3d_formats/sample10/type-2a.c3d": (522, 583),
    "c3d_formats/sample10/type-4a.c3d": (521, 583),
    "c3d_formats/sample10/TYPE-3.c3d": (727, 578, 515, 607),
    "c3d_emg_pig/HC030A05.c3d": (501, 483),
    "c3d_emg_pig/Gait with EMG.c3d": (714, 713),
    "walk_gait2354/subject01_walk1_grf.xml": (1.13 * 72.6 * G, 1.14 * 72.6 * G),
    "walk_rajagopal_emg/grf_walk.xml": (1.13 * 85.27 * G, 1.11 * 85.27 * G),
    "run_overground_bmc/grf_setup.xml": (2.55 * 70.0 * G, 2.36 * 70.0 * G),
    "run_hamner_s01/run200_external_forces.xml": (2.24 * 72.94 * G, 2.21 * 72.94 * G),
    "run_hamner_s01/run500_external_forces.xml": (2.73 * 72.94 * G, 2.68 * 72.94 * G),
    "planar_gait/moco_2d_walk/referenceGRF.xml": (1.87 * 62.0 * G,),  # the heel strike of the right foot
    "walk_opencap_s4/walking1_grf.mot": (1.20 * 62.6 * G, 1.11 * 62.6 * G),
}


@pytest.mark.parametrize("name", PEAKS)
def test_peaks_of_the_vertical_force(shared_data: Path, name: str) -> None:
    """Within 1 % of the published figures, which have three digits."""
    forces = ss.read(shared_data / name).forces
    peaks = [force.force[:, 1].max() for force in forces][: len(PEAKS[name])]
    assert peaks == pytest.approx(PEAKS[name], rel=0.01)


def test_every_note_says_what_it_is_and_what_it_is_about(shared_data: Path) -> None:
    for name in ("c3d_opensim_reference/walking2.c3d", "c3d_emg_pig/Gait with EMG.c3d"):
        notes = ss.find_events(ss.read(shared_data / name, plate_zero="unloaded"), "markers").notes
        assert {"axes.found", "plates.threshold", "plates.zeroed", "events.found"} <= set(codes(notes)), name
        assert SAID not in codes(notes) and all(note.topic for note in notes), name


def test_standing_on_a_plate_weighs_what_the_subject_does(shared_data: Path) -> None:
    static = ss.read(shared_data / "c3d_emg_pig" / "HC030A01.c3d")
    assert np.median(static.forces[0].force[:, 1]) == pytest.approx(451, rel=0.01)
    opencap = ss.read(shared_data / "walk_opencap_s4" / "static1_grf.mot")
    assert np.median(sum(force.force[:, 1] for force in opencap.forces)) == pytest.approx(589, rel=0.01)
    assert static.subject.mass == pytest.approx(45.8) and static.subject.height == pytest.approx(1.48)


@pytest.mark.parametrize(("trial", "first"), [("ss1", 7), ("ss11", 9)])
def test_c3d_and_trc_of_one_trial_agree(shared_data: Path, trial: str, first: int) -> None:
    """(x, y, z) = (-X, Z, Y) of the laboratory, found from the data; the TRC is rounded to 1e-5 mm."""
    c3d = ss.read(shared_data / "knee_gc5_ps" / f"PS_ngait_og_{trial}.c3d")
    trc = ss.read(shared_data / "knee_gc5_ps" / f"PS_ngait_og_{trial}.trc")
    np.testing.assert_array_equal(c3d.axes.rotation, [[-1, 0, 0], [0, 0, 1], [0, 1, 0]])
    shared = [label for label in trc.markers.labels if label in c3d.markers]
    assert len(shared) >= 36
    part = c3d.markers.select(shared).values[first : first + len(trc.markers)]
    np.testing.assert_allclose(part, trc.markers.select(shared).values, rtol=0, atol=0.51e-8)


def test_opensim_s_conversion_of_a_c3d(shared_data: Path) -> None:
    """Lab axes; markers every 10th, analog every 1000th sample, and the last; to the digits that OpenSim printed."""
    folder = shared_data / "c3d_opensim_reference"
    ours = ss.read(folder / "walking2.c3d", axes="lab")
    markers = ss.read(folder / "std_walking2_markers.trc", axes="lab").markers
    analog = ss.read(folder / "std_walking2_analog.sto").table
    assert (ours.markers.labels, ours.analog.labels) == (markers.labels, analog.labels)
    frames, samples = [*range(0, 1249, 10), 1248], [*range(0, 9992, 1000), 9991]
    seen = ~np.isnan(markers.values)
    np.testing.assert_array_equal(seen, ~np.isnan(ours.markers.values[frames]))
    exact, printed = 1000.0 * ours.markers.values[frames][seen], 1000.0 * markers.values[seen]
    fifth_digit = 10.0 ** (np.floor(np.log10(np.abs(exact))) - 4)
    off = np.abs(exact - printed) / fifth_digit
    assert off.max() <= 0.55  # the file was rounded to six digits, then to five
    assert (off <= 0.5).mean() > 0.999
    np.testing.assert_allclose(ours.analog.values[samples], analog.values, rtol=2.0**-22, atol=0)
    np.testing.assert_allclose(ours.analog.time[samples], analog.time, rtol=0, atol=1e-12)


def test_axes_of_one_recording_serve_another(shared_data: Path) -> None:
    walk = ss.read(shared_data / "c3d_emg_pig" / "HC030A05.c3d")
    static = ss.read(shared_data / "c3d_emg_pig" / "HC030A01.c3d", axes=walk.axes)
    np.testing.assert_array_equal(static.axes.rotation, walk.axes.rotation)
    assert (walk.axes.up, walk.axes.forward) == ("+Z", "+Y")
    kept = ss.read(shared_data / "c3d_emg_pig" / "HC030A05.c3d", axes="lab")
    np.testing.assert_array_equal(kept.markers.rotated(walk.axes.rotation).values, walk.markers.values)


def test_everybody_walks_forward_upright_in_the_world(shared_data: Path) -> None:
    for name in (
        "knee_gc5_ps/PS_ngait_og_ss1.c3d",
        "c3d_emg_pig/HC030A05.c3d",
        "c3d_formats/sample03/gait-pig.c3d",
    ):
        markers = ss.read(shared_data / name).markers
        label = next(x for x in markers.labels if x.upper().endswith(("RASIS", "RASI")))
        seen = markers[label][~np.isnan(markers[label]).any(axis=1)]
        assert seen[-1, 0] - seen[0, 0] > 0.5, name  # [m]
        assert 0.5 < np.median(seen[:, 1]) < 1.3, name
        assert np.median(seen[:, 2]) > np.nanmedian(markers[label.replace("R", "L", 1)][:, 2]), name


def test_point_groups_are_converted_by_kind(shared_data: Path) -> None:
    """A knee bends by radians, a moment is in newton metres: not everything in a C3D file is a length."""
    recording = ss.read(shared_data / "c3d_emg_pig" / "HC030A05.c3d")
    raw = ss.capture.c3d.decode_c3d((shared_data / "c3d_emg_pig" / "HC030A05.c3d").read_bytes(), "x")
    index = {label: i for i, label in enumerate(raw.point_labels)}
    assert {kind: part.unit for kind, part in recording.outputs.items()} == {
        "angle": "rad",
        "force": "N",
        "moment": "N m",
        "power": "W",
        "scalar": "m",
    }
    for kind, label, per_si in (
        ("angle", "LKneeAngles", 180 / np.pi),
        ("moment", "LKneeMoment", 1000.0),
        ("force", "LKneeForce", 1.0),
        ("power", "LKneePower", 1.0),
    ):
        series = recording.outputs[kind][label]
        np.testing.assert_allclose(series, raw.points[:, index[label]] / per_si, rtol=1e-15)
        assert np.isfinite(series).any()
    assert np.nanmax(recording.outputs["angle"]["LKneeAngles"][:, 0]) == pytest.approx(
        np.radians(60), rel=0.25
    )
    assert "LKneeAngles" not in recording.markers


def test_events_are_on_the_clock_of_the_frames(shared_data: Path) -> None:
    """The file starts at frame 286; its events lie beside the frames, where the plates see them too."""
    recording = ss.read(shared_data / "c3d_emg_pig" / "HC030A05.c3d")
    assert recording.markers.time[0] == pytest.approx(2.85)
    plates = ss.find_events(recording, "plates")
    for side in ("left", "right"):
        on_plate = plates.events_of("strike", side, "plates")
        assert np.abs(on_plate - recording.events_of("strike", side, "file")[0]).min() < 0.02


def test_several_files_make_one_trial(shared_data: Path) -> None:
    folder = shared_data / "walk_rajagopal_emg"
    trial = ss.read(folder / "markers_walk.trc", folder / "grf_walk.xml", folder / "emg_walk_raw.anc")
    assert trial.files == ("markers_walk.trc", "grf_walk.xml", "grf_walk.mot", "emg_walk_raw.anc")
    assert [(force.body, force.side) for force in trial.forces] == [("calcn_r", "right"), ("calcn_l", "left")]
    assert trial.emg.labels == ("SOL", "GAS", "TA", "MH", "BF", "VL", "VM", "RF", "GMAX", "GMED")
    with pytest.raises(InputError, match="both hold markers"):
        ss.read(folder / "markers_walk.trc", folder / "static_walk_1.trc")


@pytest.mark.parametrize(
    ("markers", "forces", "sides"),
    [
        ("walk_gait2354/subject01_walk1.trc", "walk_gait2354/subject01_walk1_grf.mot", ("right", "left")),
        ("walk_opencap_s4/walking1.trc", "walk_opencap_s4/walking1_grf.mot", ("right", "left")),
        (
            "knee_gc5_ps/PS_ngait_og_ss1.trc",
            "knee_gc5_ps/PS_ngait_og_ss1_kinetics.mot",
            ("left", "right", "right"),
        ),
    ],
)
def test_feet_by_geometry(shared_data: Path, markers: str, forces: str, sides: tuple[str, ...]) -> None:
    """No column says which foot it belongs to; the external-loads files and the plates of the C3D do."""
    recording = ss.read(shared_data / markers, shared_data / forces)
    assert tuple(force.side for force in recording.forces) == sides


def test_the_force_acts_where_the_foot_is(shared_data: Path) -> None:
    recording = ss.read(shared_data / "c3d_emg_pig" / "HC030A05.c3d")
    for side, heel, toe in (("left", "LHEE", "LTOE"), ("right", "RHEE", "RTOE")):
        force = recording.force(side)
        loaded = force.force[:, 1] > 200.0
        time, point = force.time[loaded], force.point[loaded]
        foot = [
            [np.interp(time, recording.markers.time, recording.markers[label][:, axis]) for axis in (0, 2)]
            for label in (heel, toe)
        ]
        assert (point[:, 0] > foot[0][0] - 0.05).all() and (point[:, 0] < foot[1][0] + 0.08).all()
        assert np.abs(point[:, 2] - np.mean([foot[0][1], foot[1][1]], axis=0)).max() < 0.06


def test_units_of_the_header_that_lie(shared_data: Path, tmp_path: Path) -> None:
    text = (shared_data / "walk_gait2354" / "subject01_walk1.trc").read_text()
    lying = tmp_path / "walk.trc"
    lying.write_text(text.replace("\tmm\t", "\tm\t", 1))
    honest = ss.read(shared_data / "walk_gait2354" / "subject01_walk1.trc")
    recording = ss.read(lying)
    np.testing.assert_array_equal(recording.markers.values, honest.markers.values)
    assert any(note.topic == "units" and "read as mm" in str(note) for note in recording.notes)


def test_z_up_text_is_turned_upright_and_said(shared_data: Path) -> None:
    recording = ss.read(shared_data / "c3d_opensim_reference" / "std_walking2_markers.trc")
    assert recording.axes.up == "+Z"
    assert "axes.turned-upright" in codes(recording.notes)
    assert np.nanmedian(recording.markers["RASI"][:, 1]) > np.nanmedian(recording.markers["RCAL"][:, 1]) + 0.5
    facing_aside = ss.read(shared_data / "walk_rajagopal_emg" / "static_walk_1.trc")
    np.testing.assert_array_equal(facing_aside.axes.rotation, np.eye(3))
    assert any("forward is +Z" in str(note) for note in facing_aside.notes)


def test_zeroing_takes_the_offset_of_a_plate_away(shared_data: Path) -> None:
    path = shared_data / "c3d_opensim_reference" / "walking2.c3d"
    raw, zeroed = ss.read(path), ss.read(path, plate_zero="unloaded")
    before = [np.median(plate.wrench[:200, 4]) for plate in raw.plates]
    after = [np.median(plate.wrench[:200, 4]) for plate in zeroed.plates]
    assert before == pytest.approx([-14, -20], abs=1.5)  # [N] as published
    assert after == pytest.approx([0, 0], abs=1.0)
    for plate, was in zip(zeroed.plates, before, strict=True):
        assert plate.offset[4] == pytest.approx(was, abs=1.0)


def test_the_threshold_is_the_caller_s(shared_data: Path) -> None:
    path = shared_data / "c3d_emg_pig" / "HC030A05.c3d"
    low, high = (ss.read(path, plate_threshold=at).forces[0] for at in (20.0, 200.0))
    assert low.loaded.sum() > high.loaded.sum() > 0
    assert low.force[low.loaded, 1].min() >= 20.0 and high.force[high.loaded, 1].min() >= 200.0
    assert np.isnan(high.point[~high.loaded]).all() and np.isfinite(high.point[high.loaded]).all()


def test_markers_in_a_csv(tmp_path: Path) -> None:
    file = tmp_path / "body.csv"
    file.write_text(
        "time (ms),RHEE_x (mm),RHEE_y (mm),RHEE_z (mm),C7_x,C7_y,C7_z\n0,1,2,3,0,0,0\n10,10,20,30,100,1500,0\n"
    )
    recording = ss.read(file)
    np.testing.assert_array_equal(recording.markers.time, [0.0, 0.01])
    np.testing.assert_allclose(recording.markers["RHEE"], [[0.001, 0.002, 0.003], [0.01, 0.02, 0.03]])
    assert np.isnan(recording.markers["C7"][0]).all()


def test_a_table_without_time_is_counted_and_said(tmp_path: Path) -> None:
    file = tmp_path / "norms.csv"
    file.write_text("cycle,force,who\n0,1.5,a\n50,2.5,b\n")
    recording = ss.read(file)
    np.testing.assert_array_equal(recording.table["force"], [1.5, 2.5])
    assert "time.rows-counted" in codes(recording.notes)
    assert any("who" in str(note) for note in recording.notes)


@pytest.mark.parametrize(
    ("name", "content", "words"),
    [
        ("none.c3d", None, "cannot be read"),
        ("empty.trc", b"", "is empty"),
        ("model.osim", b"<x/>", "is not one of .c3d"),
        ("text.c3d", b"this is not a C3D file at all" * 50, "text.c3d"),
    ],
)
def test_what_is_no_recording(tmp_path: Path, name: str, content: bytes | None, words: str) -> None:
    if content is not None:
        (tmp_path / name).write_bytes(content)
    with pytest.raises(CaptureError, match=words) as caught:
        ss.read(tmp_path / name)
    assert all((caught.value.path, caught.value.field, caught.value.problem, caught.value.fix))


def test_size_limit(tmp_path: Path) -> None:
    (tmp_path / "big.sto").write_bytes(b"x" * 2000)
    with pytest.raises(CaptureError, match="max_bytes"):
        ss.read(tmp_path / "big.sto", max_bytes=1000)


def test_options_that_do_not_exist(tmp_path: Path) -> None:
    bad = [{"axes": "yup"}, {"axes": np.eye(3)}, {"plate_threshold": -1.0}, {"plate_threshold": float("nan")}]
    bad += [
        {"plate_threshold": "a"},
        {"plate_zero": "foo"},
        {"plate_zero": ("a", "b")},
        {"plate_zero": np.zeros(2)},
    ]
    bad += [{"plate_zero": (2.0, 1.0)}, {"max_bytes": None}]
    for options in bad:
        with pytest.raises(InputError):
            ss.read(tmp_path / "x.trc", **options)
    with pytest.raises(InputError, match="by its name"):
        ss.read(123)  # type: ignore[arg-type]
    with pytest.raises(CaptureError, match="null"):
        ss.read(tmp_path / "x\0.trc")
    assert make_axes("+Z", "+X").up == "+Z"


def test_a_laboratory_and_opensim_s_axes_meet_in_the_world(shared_data: Path) -> None:
    """The C3D is turned from z up, the MOT beside it is in world axes already; the foot's force stays upright."""
    folder = shared_data / "knee_gc5_ps"
    c3d = ss.read(folder / "PS_ngait_og_ss1.c3d")
    bare = ss.Recording("bare", markers=c3d.markers, axes=c3d.axes, parameters=c3d.parameters)
    trial = _saved_and_read(bare, folder / "PS_ngait_og_ss1_kinetics.mot")
    np.testing.assert_array_equal(trial.axes.rotation, c3d.axes.rotation)
    for force in trial.forces:
        peak = force.force[np.nanargmax(np.linalg.norm(force.force, axis=1))]
        assert peak[1] > 0.9 * np.linalg.norm(peak)
    with pytest.raises(InputError, match="both hold forces"):
        ss.read(folder / "PS_ngait_og_ss1.c3d", folder / "PS_ngait_og_ss1_kinetics.mot")


def _saved_and_read(recording: ss.Recording, beside: Path, **options: Any) -> ss.Recording:
    with tempfile.TemporaryDirectory() as folder:
        without_plates = {k: v for k, v in recording.parameters.items() if k != "FORCE_PLATFORM"}
        recording.replace(parameters=without_plates).save(Path(folder) / "bare.c3d")
        return ss.read(Path(folder) / "bare.c3d", beside, **options)


def test_clocks_without_a_common_instant_are_told(shared_data: Path, tmp_path: Path) -> None:
    early = ss.read(shared_data / "walk_gait2354" / "subject01_walk1_grf.xml").forces
    late = [ss.ExternalForce(f.name, f.time + 100.0, f.force, f.point, f.moment) for f in early]
    ss.Recording("late", forces=tuple(late)).save(tmp_path / "late.mot")
    trial = ss.read(shared_data / "walk_gait2354" / "subject01_walk1.trc", tmp_path / "late.mot")
    assert "time.nothing-in-common" in codes(trial.notes)


def test_given_axes_are_the_laboratory_s(shared_data: Path) -> None:
    """They turn the C3D file and leave the OpenSim file beside it alone."""
    folder = shared_data / "knee_gc5_ps"
    c3d = ss.read(folder / "PS_ngait_og_ss1.c3d")
    bare = ss.Recording("bare", markers=c3d.markers, axes=c3d.axes, parameters=c3d.parameters)
    trial = _saved_and_read(bare, folder / "PS_ngait_og_ss1_kinetics.mot", axes=c3d.axes)
    peak = trial.forces[0].force[np.nanargmax(np.linalg.norm(trial.forces[0].force, axis=1))]
    assert peak[1] > 0.9 * np.linalg.norm(peak)


def test_kept_axes_keep_the_feet(shared_data: Path) -> None:
    """In lab axes, z up, the same feet are found as in world axes."""
    path = shared_data / "c3d_emg_pig" / "HC030A05.c3d"
    world, lab = ss.read(path), ss.read(path, axes="lab")
    assert [force.side for force in lab.forces] == [force.side for force in world.forces] == ["left", "right"]
    assert lab.axes.up == "+Z"
    for one, other in zip(world.forces, lab.forces, strict=True):
        np.testing.assert_allclose(one.force, other.force @ world.axes.rotation.T, atol=1e-9)
