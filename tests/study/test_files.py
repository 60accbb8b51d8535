"""A study file: everything comes back bit for bit, other tools open it, and damage is told and never believed."""

import hashlib
import io
from dataclasses import replace
from pathlib import Path

import h5py
import numpy as np
import pytest
from tests.models import walker
from tests.study.studies import differences
from tests.trials import recorded, swinging

import softstride as ss
from softstride.notes import SAID, Note, sentences
from softstride.report.context import Context
from softstride.study import codec, files, stored
from softstride.study.codec import Writer
from softstride.study.files import SEAL, decode_study, encode_study, sealed

QUICK, MANY = 40, 300  # mutations


@pytest.mark.slow
def test_everything_comes_back_bit_for_bit(study, tmp_path: Path) -> None:
    file = tmp_path / "été 1.study.nc"
    study.save(file)
    assert differences(study, ss.open_study(file)) == []


def test_the_comparison_above_sees_one_bit(study) -> None:
    q = study.motion.q.copy()
    q[3, 4] = np.nextafter(q[3, 4], 1.0)
    motion = ss.Motion(study.model, study.motion.time, q, None, study.motion.fit, study.motion.events)
    assert differences(study, study.changed(motion=motion))[:1] == ["study.motion.q"]


@pytest.mark.slow
def test_the_bytes_are_the_same_each_time_and_after_reading(study, encoded: bytes) -> None:
    assert encode_study(study) == encoded
    assert encode_study(decode_study(encoded, Path("walk.study.nc"))) == encoded


def test_parts_that_are_shared_stay_shared(encoded: bytes) -> None:
    again = decode_study(encoded, Path("walk.study.nc"))
    assert again.motion.model is again.model is again.measured.model is again.forces.model
    assert again.bands["measured"].loads is again.measured


def test_a_state_and_numbers_that_are_shared_are_stored_once(study, encoded: bytes) -> None:
    """Loads with plates and without have one state; places of contact stand with the ground that they are of."""
    assert study.measured.state is study.estimated.state is study.reactions.evidence.state
    assert study.measured.state.motion is study.motion
    again = decode_study(encoded, Path("walk.study.nc"))
    assert again.measured.state is again.estimated.state is again.reactions.evidence.state
    assert again.measured.state.motion is again.motion
    assert again.estimated.contacts.place is again.estimated.ground.place
    assert differences(study.estimated.contacts, again.estimated.contacts) == []
    with h5py.File(io.BytesIO(encoded), "r") as file:
        assert "q" in file["measured/state"] and "place" not in file["estimated/contacts"]
        assert "state" not in file["estimated"] and "state" not in file["reactions/evidence"]


def in_layout_2(study: ss.Study, monkeypatch) -> bytes:
    """Encode a study as before loads had a state."""
    with monkeypatch.context() as older:
        older.setattr(files, "VERSION", 2)
        older.setitem(codec.LEFT_OUT, "Loads", {"state", "contacts"})
        older.setitem(codec.LEFT_OUT, "State", {"motion"})
        return encode_study(study)


def test_a_file_of_layout_2_has_loads_without_a_state(study, monkeypatch) -> None:
    data = in_layout_2(study, monkeypatch)
    assert b", layout 2, " in data[-200:]
    old = decode_study(data, Path("walk.study.nc"))
    assert old.measured.state is None and old.estimated.contacts is None
    assert np.array_equal(old.measured.tau, study.measured.tau, equal_nan=True)
    assert old.reactions.evidence.state.motion is None
    assert decode_study(encode_study(old), Path("walk.study.nc")).measured.state is None


@pytest.mark.slow
def test_loads_of_layout_2_give_what_they_gave_with_model_and_motion(study, monkeypatch) -> None:
    old = decode_study(in_layout_2(study, monkeypatch), Path("walk.study.nc"))
    whole = old.model, old.motion
    reactions = ss.joint_reactions(*whole, old.measured, old.forces)
    known = study.reactions.known
    np.testing.assert_allclose(reactions.force[known], study.reactions.force[known], rtol=1e-9, atol=1e-6)
    for source in ("measured", "estimated"):
        bands = ss.load_bands(*whole, getattr(old, source))
        np.testing.assert_allclose(bands.tau_std, study.bands[source].tau_std, rtol=1e-6, atol=1e-9)
    options = {"coordinates": study.forces.coordinates, "passive": True}
    long, short = (
        ss.solve_muscles(*whole, old.measured, **options),
        ss.solve_muscles(study.measured, **options),
    )
    assert np.array_equal(long.force, short.force, equal_nan=True)
    assert np.array_equal(Context(old, None).state.a, Context(study, None).state.a)
    with pytest.raises(ss.InputError, match="do not know their motion"):
        ss.load_bands(old.measured)


@pytest.mark.slow
def test_what_is_computed_from_it_is_the_same(study, encoded: bytes) -> None:
    again = decode_study(encoded, Path("walk.study.nc"))
    assert dict(again.figures) == dict(study.figures)
    assert [replace(note, options=()) for note in again.all_notes] == [
        replace(note, options=()) for note in study.all_notes
    ]


@pytest.mark.slow
def test_an_existing_file_is_not_replaced_unasked(study, tmp_path: Path) -> None:
    file = tmp_path / "walk.study.nc"
    file.write_text("mine")
    with pytest.raises(ss.CaptureError, match="exists already"):
        study.save(file)
    assert file.read_text() == "mine"
    study.save(file, overwrite=True)
    assert ss.open_study(file).name == "running"


@pytest.mark.parametrize(
    ("group", "variable", "dims", "values"),
    [
        ("motion", "q", ("time", "coordinate"), lambda s: s.motion.q),
        ("measured", "tau", ("time", "coordinate"), lambda s: s.measured.tau),
        ("forces", "activation", ("time", "muscle"), lambda s: s.forces.activation),
        ("reactions", "force", ("time", "joint", "axis"), lambda s: s.reactions.force),
        ("recording/markers", "values", ("time", "label", "axis"), lambda s: s.recording.markers.values),
        ("estimated/ground", "force", ("time", "contact", "axis"), lambda s: s.estimated.ground.force),
        ("bands/measured/total", "tau", ("time", "coordinate"), lambda s: s.bands["measured"].total.tau),
        ("motion/fit", "prior", ("coordinate",), lambda s: s.motion.fit.prior),
        ("motion/fit", "weights", ("marker",), lambda s: s.motion.fit.weights),
    ],
)
def test_xarray_opens_groups_with_labels(study, encoded: bytes, group, variable, dims, values) -> None:
    import xarray as xr

    with xr.open_dataset(io.BytesIO(encoded), group=group, engine="h5netcdf") as opened:
        array = opened[variable]
        assert array.dims == dims
        np.testing.assert_array_equal(array.values, values(study))
        labelled = {"coordinate": study.model.coordinate_names, "marker": study.motion.fit.names}
        labelled |= {"muscle": study.forces.names, "axis": ("x", "y", "z")}
        for dim in set(dims) & set(labelled):
            assert tuple(opened[dim].values) == tuple(labelled[dim])
        if "time" in opened.coords:
            clock = study.recording.markers.time if group.startswith("recording") else study.motion.time
            np.testing.assert_array_equal(opened["time"].values, clock)


def test_curves_are_found_by_name_in_another_tool(study, encoded: bytes) -> None:
    import xarray as xr

    with xr.open_dataset(io.BytesIO(encoded), group="forces", engine="h5netcdf") as opened:
        found = opened["force"].sel(muscle="bflh_r").values
    np.testing.assert_array_equal(found, study.forces.muscle("bflh_r"))


@pytest.mark.slow
def test_the_whole_tree_opens(encoded: bytes, tmp_path: Path) -> None:
    import xarray as xr

    file = tmp_path / "walk.study.nc"
    file.write_bytes(encoded)
    with xr.open_datatree(file, engine="h5netcdf") as tree:
        assert {"motion", "measured", "estimated", "forces", "reactions", "recording"} <= set(tree.children)
        assert tree.attrs["title"] == "running"


def test_it_is_not_much_larger_than_its_numbers(encoded: bytes) -> None:
    total = 0

    def add(_: str, item: object) -> None:
        nonlocal total
        total += item.nbytes if isinstance(item, h5py.Dataset) and item.dtype.kind == "f" else 0

    with h5py.File(io.BytesIO(encoded), "r") as opened:
        opened.visititems(add)
    assert len(encoded) < 1.4 * total


# what is wrong with a file ---------------------------------------------------------------------------------------


def refused(data: bytes) -> str:
    with pytest.raises(ss.CaptureError) as caught:
        decode_study(data, Path("walk.study.nc"))
    return str(caught.value)


@pytest.mark.parametrize("share", [0.5, 0.01, 0.9, 0.9999])
def test_a_file_cut_short(encoded: bytes, share: float) -> None:
    assert "its end is missing" in refused(encoded[: int(share * len(encoded))])


def test_other_files(tmp_path: Path, encoded: bytes) -> None:
    assert "is empty" in refused(b"")
    assert "is no study" in refused(b"time,x\n0,1\n")
    stream = io.BytesIO()
    with h5py.File(stream, "w") as other:
        other["x"] = [1.0]
    assert "netCDF of another program" in refused(stream.getvalue())
    assert "is damaged" in refused(sealed(stream.getvalue())), "somebody sealed something else"
    with pytest.raises(ss.CaptureError, match=r"is a folder; give the file in it that ends in \.study\.nc"):
        ss.open_study(tmp_path)
    with pytest.raises(ss.CaptureError, match="No such file"):
        ss.open_study(tmp_path / "nothing.study.nc")


def test_a_file_of_a_newer_softstride_says_so(encoded: bytes, monkeypatch) -> None:
    inside = encoded[: -len(SEAL.search(encoded[-200:])[0])]
    with monkeypatch.context() as newer:
        newer.setattr(files, "VERSION", 7)
        newer.setattr(files, "__version__", "9.1")
        data = sealed(inside)
    words = refused(data)
    assert "softstride 9.1, in layout 7" in words and "update softstride" in words


def test_a_file_of_layout_1_has_sentences_for_notes(small_study, monkeypatch) -> None:
    notes = (Note("mine.shoes", "new shoes"), Note("mine.shoes", "old shoes"))
    study = small_study.changed(notes=notes)
    form = Writer.form

    def form_in_layout_1(writer: Writer, value: object, *place: object) -> object:
        return str(value) if isinstance(value, Note) else form(writer, value, *place)

    with monkeypatch.context() as older:
        older.setattr(files, "VERSION", 1)
        older.setattr(Writer, "form", form_in_layout_1)
        data = encode_study(study)
    assert b", layout 1, " in data[-200:]
    again = decode_study(data, Path("walk.study.nc"))
    assert again.notes == (Note(SAID, "new shoes"), Note(SAID, "old shoes"))
    assert sentences(again.all_notes) == sentences(study.all_notes)
    assert decode_study(encode_study(study), Path("walk.study.nc")).notes == notes


def test_no_permission(tmp_path: Path, encoded: bytes, monkeypatch) -> None:
    """As root nothing is forbidden, so that the system's answer is played."""
    file = tmp_path / "walk.study.nc"
    file.write_bytes(encoded)

    def forbidden(_: Path, mode: str) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(Path, "open", forbidden)
    with pytest.raises(
        ss.CaptureError, match="cannot be read: Permission denied; check the name and the rights"
    ):
        ss.open_study(file)


def test_a_file_that_is_too_large_is_not_read(tmp_path: Path, encoded: bytes, monkeypatch) -> None:
    file = tmp_path / "walk.study.nc"
    file.write_bytes(encoded)
    monkeypatch.setattr(files, "MAX_BYTES", 1000)
    with pytest.raises(ss.CaptureError, match="bytes are too many for a study; at most 1,000 are read"):
        ss.open_study(file)
    monkeypatch.setattr(stored, "SPARE", 0)
    monkeypatch.setattr(stored, "MOST_PACKED", 1)
    assert "too large" in refused(encoded), "nor are arrays that a small file claims to hold"


@pytest.mark.slow
def test_any_flipped_byte_is_noticed(encoded: bytes) -> None:
    draw = np.random.default_rng(5)
    for at in [0, 9, len(encoded) - 40, *draw.integers(len(encoded) - 200, size=200).tolist()]:
        data = bytearray(encoded)
        data[at] ^= 1 << int(draw.integers(8))
        words = refused(bytes(data))
        assert "damaged" in words or "its end is missing" in words or "is no study" in words


@pytest.mark.parametrize(
    ("count", "seed"), [(QUICK, 11), pytest.param(MANY, 12, marks=pytest.mark.slow)], ids=["quick", "many"]
)
def test_damage_under_a_valid_seal_is_an_error_or_harmless(small: bytes, count: int, seed: int) -> None:
    """Even bytes that somebody changed and sealed again end in a study or in one kind of error, never in a crash."""
    draw = np.random.default_rng(seed)
    told = 0
    for _ in range(count):
        data = bytearray(small)
        for at in draw.integers(len(data), size=int(draw.integers(1, 30))):
            data[at] = int(draw.integers(256))
        try:
            assert isinstance(decode_study(sealed(bytes(data)), Path("walk.study.nc")), ss.Study)
        except ss.CaptureError:  # the one kind of error that is allowed
            told += 1
    assert told > 0.2 * count


@pytest.fixture(scope="module")
def small_study(study) -> ss.Study:
    """A study of the motion alone."""
    return ss.Study("walk", study.recording.replace(plates=(), forces=()), study.model, study.motion)


@pytest.fixture(scope="module")
def small(small_study) -> bytes:
    """The same, unsealed: small enough that mutations meet its structure."""
    data = encode_study(small_study)
    return data[: -len(SEAL.search(data[-200:])[0])]


def test_the_seal_is_a_plain_digest(encoded: bytes) -> None:
    found = SEAL.search(encoded[-200:])
    assert hashlib.sha256(encoded[: -len(found[0])]).hexdigest() == found[3].decode()


@pytest.mark.parametrize(
    "keys", [("a/b", "a|b"), ("a/b", "a|b", "a/b_"), ("a\0b",), ("",), ("..", "··"), ("a\ud800",)], ids=repr
)
def test_keys_of_any_spelling_are_kept_apart(keys: tuple[str, ...]) -> None:
    """They are names of datasets too, where a slash leads elsewhere and NUL ends a text."""
    motion = swinging(walker(), n=30)
    walk = ss.Study("walk", recorded(walker(), motion.q), walker(), motion)
    walk = walk.changed(options={key: np.arange(5.0) + i for i, key in enumerate(keys)})
    again = decode_study(encode_study(walk), Path("walk.study.nc"))
    assert list(again.options) == list(keys)
    for i, key in enumerate(keys):
        np.testing.assert_array_equal(again.options[key], np.arange(5.0) + i)


def test_names_that_hdf5_cannot_hold_cost_nothing() -> None:
    """NUL in the label of a marker, and the name of a file that is no UTF-8."""
    motion = swinging(walker(), n=30)
    trial = recorded(walker(), motion.q)
    labels = ("odd\0label", *trial.markers.labels[1:])
    trial = trial.replace(markers=replace(trial.markers, labels=labels))
    walk = ss.Study("caf\udce9", trial, walker(), motion)
    again = decode_study(encode_study(walk), Path("walk.study.nc"))
    assert again.name == "caf\udce9" and again.recording.markers.labels == labels
