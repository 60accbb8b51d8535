"""Writers: what is written reads back, other programs read it too, and nothing is ever written over unasked."""

from dataclasses import replace
from pathlib import Path

import ezc3d
import numpy as np
import pytest

import softstride as ss
from softstride.capture.c3d import decode_c3d, encode_c3d, text_parameter
from softstride.capture.recording import Axes, Event, Recording, Subject
from softstride.errors import CaptureError, InputError
from softstride.notes import codes, sentences

RNG = np.random.default_rng(11)
TIME = 0.5 + np.arange(40) / 100.0


def body() -> ss.Points:
    """A person of seven markers that walks along x, y up, with a gap."""
    at = {
        "RHEE": (0, 0.05, 0.1),
        "LHEE": (0, 0.05, -0.1),
        "RTOE": (0.2, 0.05, 0.1),
        "LTOE": (0.2, 0.05, -0.1),
    }
    at |= {"RASI": (0.1, 1.0, 0.1), "LASI": (0.1, 1.0, -0.1), "C7": (0, 1.5, 0)}
    values = np.array(list(at.values())) + RNG.normal(scale=1e-3, size=(40, 7, 3))
    values[:, :, 0] += 1.3 * (TIME[:, None] - 0.5)
    values[5:9, 2] = np.nan
    return ss.Points(TIME, tuple(at), values)


def push(name: str = "plate 1", side: str | None = "right") -> ss.ExternalForce:
    force, moment = RNG.normal(size=(2, 400, 3)) * 100.0
    point = RNG.normal(size=(400, 3))
    force[:50] = moment[:50] = 0.0
    point[:50] = np.nan
    return ss.ExternalForce(name, np.arange(400) / 1000.0, force, point, moment, side=side)  # type: ignore[arg-type]


C3D = [
    "c3d_formats/sample01/Eb015pi.c3d",
    "c3d_formats/sample01/Eb015sr.c3d",
    "c3d_formats/sample03/gait-pig.c3d",
]
C3D += ["c3d_formats/sample10/TYPE-3.c3d", "c3d_formats/sample10/type-4a.c3d", "c3d_emg_pig/HC030A05.c3d"]
C3D += [
    "c3d_emg_pig/Gait with EMG.c3d",
    "c3d_opensim_reference/walking2.c3d",
    "knee_gc5_ps/PS_ngait_og_ss1.c3d",
]


@pytest.mark.parametrize("name", C3D)
def test_a_c3d_file_survives(shared_data: Path, tmp_path: Path, name: str) -> None:
    """Bit for bit in the 24 bits of the format: points, channels, forces, events, subject, axes."""
    first = ss.read(shared_data / name)
    assert first.save(tmp_path / "again.c3d") == ()
    second = ss.read(tmp_path / "again.c3d")
    as_written = {"rtol": 2.0**-23, "atol": 1e-12}
    assert second.markers.labels == first.markers.labels
    np.testing.assert_allclose(second.markers.values, first.markers.values, **as_written)
    assert first.markers.residuals is not None and second.markers.residuals is not None
    np.testing.assert_allclose(second.markers.residuals, first.markers.residuals, **as_written)
    np.testing.assert_array_equal(second.markers.cameras, first.markers.cameras)
    np.testing.assert_allclose(second.markers.time, first.markers.time, atol=1e-9)
    assert second.outputs.keys() == first.outputs.keys()
    for kind, part in first.outputs.items():
        np.testing.assert_allclose(second.outputs[kind].values, part.values, **as_written)
    np.testing.assert_allclose(second.analog.values, first.analog.values, rtol=2.0**-23, atol=1e-30)
    assert second.analog.units == first.analog.units
    for one, other in zip(first.plates, second.plates, strict=True):
        scale = np.abs(one.wrench).max()
        np.testing.assert_allclose(other.wrench, one.wrench, rtol=0, atol=1e-6 * scale)
    assert [force.side for force in second.forces] == [force.side for force in first.forces]
    assert [(e.label, e.side) for e in second.events] == [(e.label, e.side) for e in first.events]
    np.testing.assert_allclose([e.time for e in second.events], [e.time for e in first.events], atol=1e-6)
    assert (second.subject.name, second.subject.mass) == (first.subject.name, first.subject.mass)
    np.testing.assert_array_equal(second.axes.rotation, first.axes.rotation)


@pytest.mark.parametrize("name", C3D)
def test_ezc3d_reads_what_we_write(shared_data: Path, tmp_path: Path, name: str) -> None:
    recording = ss.read(shared_data / name, axes="lab")
    recording.save(tmp_path / "again.c3d")
    theirs = ezc3d.c3d(str(tmp_path / "again.c3d"))
    labels = theirs["parameters"]["POINT"]["LABELS"]["value"]
    per_metre = {"mm": 1000.0, "m": 1.0}[theirs["parameters"]["POINT"]["UNITS"]["value"][0]]
    for label in recording.markers.labels[:20]:
        values = theirs["data"]["points"][:3, labels.index(label)].T / per_metre
        np.testing.assert_allclose(values, recording.markers[label], rtol=2.0**-23, atol=1e-9)
    channels = theirs["data"]["analogs"][0].T
    seen = ~np.isnan(recording.analog.values)  # a channel with a scale of zero was not measured
    assert seen.any()
    np.testing.assert_allclose(channels[seen], recording.analog.values[seen], rtol=2.0**-22, atol=1e-30)


def test_markers_of_text_files_become_c3d(tmp_path: Path) -> None:
    events = (Event("strike", 0.6, "right"), Event("clap", 0.8))
    first = Recording("walk", markers=body(), subject=Subject("A", 70.5, 1.7), events=events)
    assert first.save(tmp_path / "walk.c3d") == ()
    second = ss.read(tmp_path / "walk.c3d")
    np.testing.assert_allclose(second.markers.values, first.markers.values, rtol=2.0**-23, atol=1e-12)
    np.testing.assert_allclose(second.markers.time, first.markers.time, atol=1e-9)
    assert (second.subject.name, second.subject.mass) == ("A", 70.5)
    assert second.subject.height == pytest.approx(1.7)
    assert [(e.label, e.side) for e in second.events] == [("strike", "right"), ("clap", None)]
    np.testing.assert_array_equal(second.axes.rotation, np.eye(3))


def test_markers_go_back_to_the_laboratory_s_axes(tmp_path: Path) -> None:
    axes = ss.capture.make_axes("+Z", "-X")
    first = Recording("walk", markers=body(), axes=axes)
    first.save(tmp_path / "walk.c3d")
    in_lab = ss.read(tmp_path / "walk.c3d", axes="lab").markers
    np.testing.assert_allclose(in_lab.values, body_in_lab(first, axes), rtol=2.0**-23, atol=1e-12)
    np.testing.assert_array_equal(ss.read(tmp_path / "walk.c3d").axes.rotation, axes.rotation)


def body_in_lab(recording: Recording, axes: Axes) -> np.ndarray:
    return np.einsum("ji,nmj->nmi", axes.rotation, recording.markers.values)


def test_trc_reads_back_bit_for_bit(tmp_path: Path) -> None:
    first = Recording("walk", markers=body())
    assert first.save(tmp_path / "walk.trc") == ()
    second = ss.read(tmp_path / "walk.trc")
    np.testing.assert_array_equal(second.markers.values, first.markers.values)
    np.testing.assert_allclose(second.markers.time, first.markers.time, atol=1e-12)
    assert second.markers.labels == first.markers.labels


@pytest.mark.parametrize("suffix", [".mot", ".sto"])
def test_forces_read_back_bit_for_bit(tmp_path: Path, suffix: str) -> None:
    first = Recording("walk", forces=(push(), push("plate 2", "left"), push("plate 3", None)))
    first.save(tmp_path / f"grf{suffix}")
    second = ss.read(tmp_path / f"grf{suffix}", axes="lab")
    for one, other in zip(first.forces, second.forces, strict=True):
        np.testing.assert_array_equal(other.force, one.force)
        np.testing.assert_array_equal(other.point, one.point)
        np.testing.assert_array_equal(other.moment, one.moment)
        np.testing.assert_allclose(other.time, one.time, atol=1e-12)
        assert other.side == one.side


def test_a_table_keeps_its_degrees(tmp_path: Path) -> None:
    angles = ss.Channels(TIME, ("knee_angle_r", "pelvis_tx"), RNG.normal(size=(40, 2)), in_degrees=True)
    Recording("ik", table=angles).save(tmp_path / "ik.mot")
    again = ss.read(tmp_path / "ik.mot").table
    np.testing.assert_array_equal(again.values, angles.values)
    assert again.in_degrees is True and again.labels == angles.labels


def test_one_table_holds_one_part_and_says_so(tmp_path: Path) -> None:
    emg = ss.Channels(np.arange(10) / 1000, ("soleus",), RNG.normal(size=(10, 1)), ("V",))
    recording = Recording("walk", markers=body(), forces=(push(),), emg=emg)
    assert sentences(recording.save(tmp_path / "all.mot")) == ("one table holds one part; not written: emg",)
    ss.write(recording, tmp_path / "emg.sto", what="emg")
    np.testing.assert_array_equal(ss.read(tmp_path / "emg.sto").emg.values, emg.values)
    assert "trc.not-written" in codes(recording.save(tmp_path / "walk.trc"))
    assert "c3d.forces-not-written" in codes(recording.save(tmp_path / "walk.c3d"))
    with pytest.raises(InputError, match="what must be one of"):
        ss.write(recording, tmp_path / "x.sto", what="everything")
    with pytest.raises(CaptureError, match="table"):
        ss.write(recording, tmp_path / "x.sto", what="table")


def test_nothing_is_written_over_unasked(tmp_path: Path) -> None:
    recording, file = Recording("walk", markers=body()), tmp_path / "walk.trc"
    file.write_text("precious")
    with pytest.raises(CaptureError, match="exists already"):
        recording.save(file)
    assert file.read_text() == "precious"
    recording.save(file, overwrite=True)
    assert file.read_text().startswith("PathFileType")
    assert sorted(p.name for p in tmp_path.iterdir()) == ["walk.trc"]  # no rests


def test_what_a_format_cannot_hold_at_all(tmp_path: Path) -> None:
    uneven = ss.Points([0.0, 0.01, 0.03], ("a",), np.ones((3, 1, 3)))
    with pytest.raises(CaptureError, match="not evenly spaced"):
        Recording("x", markers=uneven).save(tmp_path / "x.c3d")
    analog = ss.Channels(np.arange(55) / 137.5, ("a",), np.zeros((55, 1)))
    with pytest.raises(CaptureError, match="do not divide evenly"):
        Recording("x", markers=body(), analog=analog).save(tmp_path / "x.c3d")
    for suffix in (".c3d", ".trc", ".mot"):
        with pytest.raises(CaptureError):
            Recording("nothing").save(tmp_path / f"x{suffix}")
    with pytest.raises(CaptureError, match=r"is not one of \.c3d"):
        Recording("x", markers=body()).save(tmp_path / "x.xlsx")
    assert list(tmp_path.iterdir()) == []


def test_what_a_c3d_file_cannot_tell_is_said(shared_data: Path, tmp_path: Path) -> None:
    walk = ss.read(shared_data / "c3d_emg_pig" / "HC030A05.c3d")
    assert ss.emg_envelopes(walk).save(tmp_path / "emg.c3d")[0].code == "c3d.processed-emg-not-written"
    zeroed = ss.read(shared_data / "c3d_opensim_reference" / "walking2.c3d", plate_zero="unloaded")
    assert zeroed.save(tmp_path / "zeroed.c3d")[0].code == "c3d.plates-before-zeroing"
    again = ss.read(tmp_path / "zeroed.c3d", plate_zero="unloaded")
    for one, other in zip(zeroed.plates, again.plates, strict=True):
        np.testing.assert_allclose(other.wrench, one.wrench, atol=1e-3)
    on_foot = push()
    on_foot = ss.ExternalForce(
        "heel", on_foot.time, on_foot.force, on_foot.point, on_foot.moment, force_in="calcn_r"
    )
    assert Recording("x", forces=(on_foot,)).save(tmp_path / "x.mot")[0].code == "storage.axes-lost"


def test_hundreds_of_events(tmp_path: Path) -> None:
    """A list of a C3D file has at most 255 entries; the rest goes on in LABELS2."""
    events = tuple(Event("strike", 0.5 + 0.001 * i, ("left", "right")[i % 2]) for i in range(300))  # type: ignore[arg-type]
    Recording("walk", markers=body(), events=events).save(tmp_path / "walk.c3d")
    again = ss.read(tmp_path / "walk.c3d").events
    assert [event.side for event in again] == [event.side for event in events]
    np.testing.assert_allclose([e.time for e in again], [e.time for e in events], atol=1e-7)


def test_a_file_that_lied_about_its_unit_is_put_right(shared_data: Path, tmp_path: Path) -> None:
    """Lengths in metres, called millimetres: what is written is millimetres throughout, plates too."""
    raw = decode_c3d((shared_data / "c3d_emg_pig" / "Gait with EMG.c3d").read_bytes(), "x")
    groups = {name: dict(group) for name, group in raw.groups.items()}
    groups["POINT"]["UNITS"] = text_parameter("UNITS", "mm")
    lying = tmp_path / "lying.c3d"
    lying.write_bytes(encode_c3d(replace(raw, point_units="mm", groups=groups)))
    honest, found = ss.read(shared_data / "c3d_emg_pig" / "Gait with EMG.c3d"), ss.read(lying)
    np.testing.assert_allclose(found.markers.values, honest.markers.values, rtol=1e-6)
    found.save(tmp_path / "right.c3d")
    theirs = ezc3d.c3d(str(tmp_path / "right.c3d"))["parameters"]
    assert theirs["POINT"]["UNITS"]["value"] == ["mm"]
    corners = theirs["FORCE_PLATFORM"]["CORNERS"]["value"]
    assert np.ptp(corners[:, :, 0], axis=1).max() == pytest.approx(1000.0, rel=0.01)  # a plate of a metre


def test_a_force_whose_point_is_unknown_stays_so(tmp_path: Path) -> None:
    time, force = np.arange(3) / 100.0, np.full((3, 3), 50.0)
    unknown = ss.ExternalForce("f", time, force, np.full((3, 3), np.nan), np.zeros((3, 3)))
    Recording("x", forces=(unknown,)).save(tmp_path / "x.mot")
    assert np.isnan(ss.read(tmp_path / "x.mot", axes="lab").forces[0].point).all()
