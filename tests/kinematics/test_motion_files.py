"""Files of motions: what is written comes back, what other programs write is read, and what is wrong is named."""

import numpy as np
import pytest
from tests.models import the_model

import softstride as ss
from softstride.capture.text import parse_storage
from softstride.errors import CaptureError, InputError
from softstride.kinematics.motion import Motion
from softstride.kinematics.motion_files import read_motion, save_motion
from softstride.model import Coordinate, Inertia, ModelBuilder, Rod, Segment
from softstride.notes import sentences

REFERENCES = {
    # file: (model, coordinates, in degrees, columns left out, coordinates at their default)
    "walk_gait2354/reference/subject01_walk1_ik.mot": (
        "walk_gait2354/subject01_simbody.osim",
        23,
        True,
        0,
        0,
    ),
    "walk_gait2354/reference/subject01_walk1_RRA_Kinematics_q.sto": (
        "walk_gait2354/subject01_simbody.osim",
        23,
        True,
        0,
        0,
    ),
    "walk_gait2354/planar10dof/subject01_walk_IK.mot": (
        "walk_gait2354/planar10dof/subject01.osim",
        10,
        True,
        0,
        0,
    ),
    "walk_rajagopal_emg/reference/coordinates.sto": (
        "walk_rajagopal_emg/subject_walk_scaled.osim",
        31,
        False,
        2,
        2,
    ),
    "run_hamner_s01/reference/run200_ik.mot": ("run_hamner_s01/final.osim", 37, False, 0, 0),
    "run_overground_bmc/reference/ik_output_run.mot": (
        "run_overground_bmc/Rajagopal2015_scaled.osim",
        37,
        True,
        2,
        0,
    ),
    "walk_opencap_s4/reference/walking1_manual_scaling_ik.mot": (
        "walk_opencap_s4/manually_scaled.osim",
        33,
        True,
        2,
        0,
    ),
    "knee_gc5_ps/reference/PS_ngait_og_ss1_kinematics.mot": ("knee_gc5_ps/GC5.osim", 23, True, 2, 0),
}


def person():
    """Every kind of column, defaults that are not zero, and a name that OpenSim does not allow."""
    builder = ModelBuilder("person")
    builder.free("pelvis", mass=30.0, inertia=(1, 1, 1), default=(0.1, 0.2, 0.3, 1.0, 2.0, 3.0))
    builder.spherical("hip", "pelvis", mass=7.0, inertia=(1, 1, 1))
    builder.revolute("shank", "hip", axis=(0, 0, 1), coordinate="knee", mass=3.0)
    builder.prismatic("sock et", "shank", axis=(0, 1, 0), mass=0.1)
    segment = Segment(0.2, density=Inertia(0.5, matrix=np.eye(3)), free=("ky",))
    builder.rod("blade", "sock et", rod=Rod((segment, segment)))
    builder.coordinate(Coordinate("knee", default=0.4))
    return builder.build()


def moving(model, n=50):
    t = 0.3 + np.cumsum(np.random.default_rng(0).uniform(0.005, 0.015, n))
    d = 1.3 * np.sin(np.outer(t, 1.0 + np.arange(model.nv)) * 4.0)
    return Motion(model, t, ss.integrate(model, np.broadcast_to(model.neutral(), (n, model.nq)), d))


def write(path, text):
    path.write_text(text.replace("    ", "\t"), encoding="utf-8")
    return path


HEADER = "Coordinates\nversion=1\ninDegrees=no\nendheader\n"


@pytest.mark.parametrize("degrees", [False, True])
@pytest.mark.parametrize("suffix", [".mot", ".sto"])
def test_there_and_back(tmp_path, degrees, suffix):
    model = person()
    motion = moving(model)
    path = tmp_path / f"walk{suffix}"
    motion.save(path, degrees=degrees)
    again = read_motion(path, model)
    assert np.abs(again.time - motion.time).max() == 0.0
    assert np.abs(ss.difference(model, again.q, motion.q)).max() < 1e-13
    sign = np.sign(np.sum(again.q[:1, 3:7] * motion.q[:1, 3:7]))
    assert np.abs(sign * again.q[:, 3:7] - motion.q[:, 3:7]).max() < 1e-12
    assert sentences(again.notes) == (
        "walk" + suffix + ": time steps are not even; the column is kept as it is",
    )


def test_the_file_is_opensims(tmp_path):
    motion = moving(person())
    notes = save_motion(motion, tmp_path / "walk.mot")
    lines = (tmp_path / "walk.mot").read_text().splitlines()
    assert lines[0] == "Coordinates"
    assert lines[1:5] == ["version=1", "nRows=50", "nColumns=14", "inDegrees=yes"]
    end = lines.index("endheader")
    assert "Angles are in degrees." in lines[:end]
    names = lines[end + 1].split("\t")
    assert names[0] == "time"
    assert names[10:] == ["knee", "sock_et", "blade.1.ky", "blade.2.ky"]
    assert len(lines) == end + 2 + 50
    first = dict(zip(names, map(float, lines[end + 2].split("\t")), strict=True))
    assert np.isclose(first["knee"], np.rad2deg(motion.coordinate("knee")[0]), rtol=1e-15)
    assert first["sock_et"] == motion.coordinate("sock et")[0]
    assert first["blade.1.ky"] == motion.coordinate("blade.1.ky")[0]
    assert any("Strains of rods" in str(note) and "blade.2.ky" in note.names for note in notes)
    assert any("x, y and z: pelvis.rx, pelvis.ry" in str(note) for note in notes)
    assert any("'sock et' as 'sock_et'" in str(note) for note in notes)
    assert all(str(note) in lines[:end] for note in notes)


def test_radians_are_said_to_be_radians(tmp_path):
    motion = moving(person())
    motion.save(tmp_path / "walk.sto", degrees=False)
    file = parse_storage((tmp_path / "walk.sto").read_bytes(), "walk.sto")
    assert file.in_degrees is False
    assert file.values[0, file.columns.index("knee")] == motion.coordinate("knee")[0]


def test_nothing_is_overwritten_unasked(tmp_path):
    motion = moving(person())
    path = tmp_path / "walk.mot"
    path.write_text("mine")
    with pytest.raises(CaptureError, match="exists already"):
        motion.save(path)
    assert path.read_text() == "mine"
    motion.save(path, overwrite=True)
    assert read_motion(path, motion.model).n_frames == 50
    assert [file.name for file in tmp_path.iterdir()] == ["walk.mot"]


@pytest.mark.parametrize("name", REFERENCES)
def test_files_of_other_programs(shared_data, name):
    """Every coordinate is found by its name and is the file's number, in radians; couplers' columns are left out."""
    model_file, n_coordinates, degrees, n_left_out, n_missing = REFERENCES[name]
    path = shared_data / name
    model = the_model(shared_data / model_file)
    motion = read_motion(path, model)
    file = parse_storage(path.read_bytes(), path)
    assert file.in_degrees is degrees
    assert (model.nv, motion.n_frames) == (n_coordinates, len(file.time))
    labels = {label: label.removesuffix("/value").rpartition("/")[2] for label in file.columns}
    known = [label for label in file.columns if labels[label] in model.coordinates]
    assert len(file.columns) - len(known) == n_left_out
    assert len(set(model.coordinate_names) - set(labels.values())) == n_missing
    for label in known:
        column = file.values[:, file.columns.index(label)]
        turns = labels[label] not in ("pelvis_tx", "pelvis_ty", "pelvis_tz")
        wanted = np.deg2rad(column) if degrees and turns else column
        assert np.allclose(motion.coordinate(labels[label]), wanted, rtol=1e-14, atol=0.0), label
    left_out = [note for note in motion.notes if note.code == "motion-file.columns-left-out"]
    assert len(left_out) == (n_left_out > 0)
    if n_left_out:
        other = next(label for label in file.columns if labels[label] not in model.coordinates)
        assert other in str(left_out[0]) and len(left_out[0].names) == n_left_out
    filled = [note for note in motion.notes if note.code == "motion-file.coordinates-at-default"]
    assert len(filled) == (n_missing > 0)
    for name in set(model.coordinate_names) - set(labels.values()):
        assert name in str(filled[0]) and name in filled[0].names
        assert (motion.coordinate(name) == model.coordinates[name].default).all()


def test_markers_of_a_reference_motion_are_where_they_were_measured(shared_data):
    """OpenSim's inverse kinematics of a walk, as read, meets the markers to 2 cm; angles in wrong units do not."""
    folder = shared_data / "walk_gait2354"
    model = the_model(folder / "subject01_simbody.osim")
    motion = read_motion(folder / "reference/subject01_walk1_ik.mot", model)
    recording = ss.read(folder / "subject01_walk1.trc")
    frames = np.searchsorted(recording.markers.time, motion.time - 1e-4)
    assert np.allclose(recording.markers.time[frames], motion.time, atol=1e-6)
    names = [name for name in recording.markers.labels if name in model.markers]
    measured = recording.markers.select(names).values[frames]
    wrong = read_motion(folder / "reference/subject01_walk1_ik.mot", model, degrees=False)
    rms = []
    for q in (motion.q, wrong.q):
        places = np.stack([ss.positions(model, q, model.markers[name]) for name in names], axis=1)
        rms.append(np.sqrt(np.nanmean(np.sum((places - measured) ** 2, axis=-1))))
    assert len(names) > 20
    assert rms[0] < 0.025
    assert rms[1] > 0.2


def test_paths_speeds_and_strangers(tmp_path):
    model = person()
    path = write(
        tmp_path / "states.sto",
        HEADER
        + "time    /jointset/knee_joint/knee/value    /jointset/knee_joint/knee/speed    soleus/activation\n"
        + "0.0    0.5    9    9\n0.1    0.6    9    9\n",
    )
    motion = read_motion(path, model)
    assert motion.coordinate("knee").tolist() == [0.5, 0.6]
    left, filled = map(str, motion.notes)
    assert "knee/speed" in left
    assert "soleus/activation" in left
    assert "at their default: pelvis.rx, pelvis.ry" in filled
    assert "knee" not in filled
    neutral = np.delete(model.neutral(), 11)
    assert np.allclose(np.delete(motion.q, 11, axis=1), neutral, rtol=0.0, atol=1e-15)


def test_a_default_turns_with_the_joint(tmp_path):
    """Degrees or not, missing columns mean the default pose; a rotation vector by default is three angles here."""
    model = person()
    for word, value in (("yes", np.rad2deg(0.5)), ("no", 0.5)):
        text = HEADER.replace("=no", f"={word}") + f"time    knee\n0.0    {value!r}\n1    {value!r}\n"
        motion = read_motion(
            write(tmp_path / f"{word}.mot", text.replace("np.float64(", "").replace(")", "")), model
        )
        wanted = model.neutral()
        wanted[11] = 0.5
        assert np.abs(ss.difference(model, motion.q[0], wanted)).max() < 1e-14


def test_long_lists_are_cut(tmp_path):
    columns = "    ".join(f"muscle{i}" for i in range(40))
    numbers = "    ".join("0" for _ in range(40))
    path = write(
        tmp_path / "a.sto", HEADER + f"time    knee    {columns}\n0    0    {numbers}\n1    0    {numbers}\n"
    )
    assert "muscle11 and 28 more" in str(read_motion(path, person()).notes[0])


def test_degrees_can_be_said(tmp_path):
    text = "Coordinates\nversion=1\nendheader\ntime    knee    pelvis.tx\n0    90    2\n1    90    2\n"
    path = write(tmp_path / "a.mot", text)
    with pytest.raises(CaptureError, match=r"a\.mot: inDegrees: the header does not say.*degrees=True"):
        read_motion(path, person())
    motion = read_motion(path, person(), degrees=True)
    assert np.isclose(motion.coordinate("knee")[0], np.pi / 2, rtol=1e-15)
    assert motion.coordinate("pelvis.tx")[0] == 2.0
    assert read_motion(path, person(), degrees=False).coordinate("knee")[0] == 90.0


def test_lengths_alone_need_no_word_about_degrees(tmp_path):
    path = write(tmp_path / "a.mot", "C\nversion=1\nendheader\ntime    pelvis.tx\n0    2\n1    2\n")
    assert read_motion(path, person()).coordinate("pelvis.tx").tolist() == [2.0, 2.0]


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        (
            "time    hip    foot\n0    1    2\n1    1    2\n",
            "none is a coordinate of 'person'; the file has hip, foot;",
        ),
        (
            "time    knee\n0.1    1\n0.2    1\n0.2    1\n0.3    1\n",
            "data row 3, column 'time': 0.2 s does not come after",
        ),
        (
            "time    knee\n0.1    1\n0.3    1\n0.2    1\n",
            "data row 3, column 'time': 0.2 s does not come after 0.3 s",
        ),
        ("time    knee\n0.1    1\n0.2    nan\n", "data row 2, column 'knee': holds no number"),
        ("time    knee    /j/knee/value\n0    1    1\n1    1    1\n", "both coordinate 'knee'"),
        ("time    knee\n", "none below the names"),
    ],
)
def test_what_is_wrong_with_a_file_is_named(tmp_path, rows, message):
    path = write(tmp_path / "bad.mot", HEADER + rows)
    with pytest.raises(CaptureError, match=message) as caught:
        read_motion(path, person())
    assert str(path) in str(caught.value)


def test_other_suffixes_and_missing_files(tmp_path):
    motion = moving(person())
    with pytest.raises(CaptureError, match=r"\.csv is not \.mot or \.sto"):
        motion.save(tmp_path / "a.csv")
    with pytest.raises(CaptureError, match=r"\.trc is not \.mot or \.sto"):
        read_motion(tmp_path / "a.trc", motion.model)
    with pytest.raises(CaptureError, match=r"a\.mot"):
        read_motion(tmp_path / "a.mot", motion.model)
    with pytest.raises(InputError, match="by its name"):
        read_motion(3, motion.model)


def test_followers_have_no_column(tmp_path, shared_data):
    """A knee moves shank and patella: OpenSim has a second coordinate for the patella, our model and file do not."""
    model = the_model(shared_data / "knee_gc5_ps/GC5.osim")
    notes = moving(model, n=3).save(tmp_path / "a.mot")
    assert len(notes) == 1
    assert str(notes[0]).startswith("Drive several links: knee_angle_r, knee_angle_l.")
    assert str(notes[0]) in (tmp_path / "a.mot").read_text()


def test_files_too_large_are_refused(tmp_path):
    motion = moving(person())
    motion.save(tmp_path / "a.mot")
    with pytest.raises(CaptureError, match=r"a\.mot"):
        read_motion(tmp_path / "a.mot", motion.model, max_bytes=1000)
    assert read_motion(tmp_path / "a.mot", motion.model, max_bytes=100_000).n_frames == 50


def test_one_frame(tmp_path):
    motion = moving(person(), n=1)
    motion.save(tmp_path / "a.mot")
    again = read_motion(tmp_path / "a.mot", motion.model)
    assert np.abs(ss.difference(motion.model, again.q, motion.q)).max() < 1e-14
    assert not again.v.any()
