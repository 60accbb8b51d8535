"""A study of a stranger leads to no other file, and takes no more memory than it holds numbers for."""

import io
import tracemalloc
import zlib
from collections.abc import Callable
from pathlib import Path

import h5py
import numpy as np
import pytest
from tests.models import walker
from tests.study.studies import differences
from tests.trials import recorded, swinging

import softstride as ss
from softstride.capture.series import Points
from softstride.study import stored
from softstride.study.files import SEAL, decode_study, encode_study, sealed

Change = Callable[[h5py.File], None]
NAME = Path("stranger.study.nc")
SECRET = b"what nobody else should read"


@pytest.fixture(scope="module")
def walk() -> ss.Study:
    motion = swinging(walker(), n=120)
    return ss.Study("walk", recorded(walker(), motion.q), walker(), motion)


@pytest.fixture(scope="module")
def honest(walk: ss.Study) -> bytes:
    """Its file, unsealed."""
    data = encode_study(walk)
    return data[: -len(SEAL.search(data[-200:])[0])]


@pytest.fixture
def secret(tmp_path: Path) -> Path:
    """A file of the system, as HDF5 and as plain bytes."""
    with h5py.File(tmp_path / "secret.h5", "w") as file:
        file["q"] = np.arange(4.0)
    (tmp_path / "secret.bin").write_bytes(SECRET * 100)
    return tmp_path


def changed(data: bytes, change: Change) -> bytes:
    """Return a study that somebody changed and sealed again."""
    stream = io.BytesIO(data)
    with h5py.File(stream, "r+") as file:
        change(file)
    return sealed(stream.getvalue())


def put(file: h5py.File, name: str, **options: object) -> h5py.Dataset:
    """Put another array in the place of one."""
    old = file[name]
    shape, dtype = old.shape, old.dtype
    del file[name]
    return file.create_dataset(name, **{"shape": shape, "dtype": dtype, **options})


def external_link(file: h5py.File, secret: Path) -> None:
    del file["motion/q"]
    file["motion/q"] = h5py.ExternalLink(str(secret / "secret.h5"), "/q")


def external_group(file: h5py.File, secret: Path) -> None:
    file["more"] = h5py.ExternalLink(str(secret / "secret.h5"), "/")


def external_storage(file: h5py.File, secret: Path) -> None:
    put(file, "motion/q", external=[(str(secret / "secret.bin"), 0, h5py.h5f.UNLIMITED)])


def virtual(file: h5py.File, secret: Path) -> None:
    shape = file["motion/q"].shape
    del file["motion/q"]
    layout = h5py.VirtualLayout(shape=shape, dtype="f8")
    layout[0, :4] = h5py.VirtualSource(str(secret / "secret.h5"), "q", shape=(4,))
    file.create_virtual_dataset("motion/q", layout)


def soft_link(file: h5py.File, _: Path) -> None:
    file.move("motion/q", "motion/p")
    file["motion/q"] = h5py.SoftLink("/motion/p")


def soft_links_that_go_round(file: h5py.File, _: Path) -> None:
    file["motion/a"] = h5py.SoftLink("/motion/b")
    file["motion/b"] = h5py.SoftLink("/motion/a")


def a_group_in_itself(file: h5py.File, _: Path) -> None:
    file["motion/again"] = file["motion"]


def an_array_twice(file: h5py.File, _: Path) -> None:
    file["motion/again"] = file["motion/q"]


def references(file: h5py.File, _: Path) -> None:
    put(file, "motion/q", dtype=h5py.ref_dtype)


def region_references(file: h5py.File, _: Path) -> None:
    file.create_dataset("motion/more", shape=(2,), dtype=h5py.regionref_dtype)


def texts_of_any_length_in_numbers(file: h5py.File, _: Path) -> None:
    file.create_dataset("motion/more", shape=(2,), dtype=h5py.vlen_dtype(np.float64))


def a_type(file: h5py.File, _: Path) -> None:
    file["motion/type"] = np.dtype("f8")


def another_filter(file: h5py.File, _: Path) -> None:
    put(file, "motion/q", compression="lzf")


@pytest.mark.parametrize(
    ("change", "item", "words"),
    [
        (external_link, "motion/q", "is a link to something else"),
        (external_group, "more", "is a link to something else"),
        (external_storage, "motion/q", "keeps its numbers in another file"),
        (virtual, "motion/q", "is made of arrays of other files"),
        (soft_link, "motion/q", "is a link to something else"),
        (soft_links_that_go_round, "motion/a", "is a link to something else"),
        (a_group_in_itself, "motion/again", "stands elsewhere in the file too"),
        (an_array_twice, "motion/", "stands elsewhere in the file too"),
        (references, "motion/q", "references"),
        (region_references, "motion/more", "references"),
        (texts_of_any_length_in_numbers, "motion/more", "neither numbers nor labels"),
        (a_type, "motion/type", "neither a group nor an array"),
        (another_filter, "motion/q", "packed in a way that studies are not"),
    ],
    ids=lambda value: value.__name__ if callable(value) else "",
)
def test_what_leads_elsewhere_is_refused(
    honest: bytes, secret: Path, change: Callable[[h5py.File, Path], None], item: str, words: str
) -> None:
    data = changed(honest, lambda file: change(file, secret))
    with pytest.raises(ss.CaptureError, match=words) as caught:
        decode_study(data, NAME)
    assert caught.value.path == str(NAME) and caught.value.field.startswith(item)
    assert "ask for the study where it came from" in caught.value.fix


def test_bytes_before_the_first_are_refused() -> None:
    stream = io.BytesIO()
    with h5py.File(stream, "w", userblock_size=512):
        pass
    with pytest.raises(ss.CaptureError, match="before its first byte"):
        decode_study(sealed(stream.getvalue()), NAME)


# sizes ------------------------------------------------------------------------------------------------------------


def a_claim_without_numbers(file: h5py.File) -> None:
    put(file, "motion/q", shape=(1 << 28, 16))


def a_claim_of_pieces(file: h5py.File) -> None:
    put(file, "motion/q", shape=(1 << 28, 16), chunks=(1 << 10, 16), compression="gzip")[:2] = 1.0


def a_claim_of_a_large_piece(file: h5py.File) -> None:
    array = put(file, "motion/q", shape=(4, 4), maxshape=(None, 4), chunks=(1 << 26, 4), compression="gzip")
    array.id.write_direct_chunk((0, 0), zlib.compress(bytes(1 << 20)))


def many_pieces_in_few_bytes(file: h5py.File) -> None:
    """3 GB in 3 MB: every piece is a megabyte of zeros."""
    many = file.create_dataset("motion/more", shape=(3 << 30,), dtype="u1", chunks=(1 << 20,), compression=9)
    packed = zlib.compress(bytes(1 << 20), 9)
    for start in range(0, 3 << 30, 1 << 20):
        many.id.write_direct_chunk((start,), packed)


def a_piece_that_swells(file: h5py.File) -> None:
    """A piece of 8 kB whose bytes unpack to 200 MB."""
    array = put(file, "motion/q", chunks=file["motion/q"].shape, compression="gzip")
    array.id.write_direct_chunk((0, 0), zlib.compress(bytes(200 << 20), 9))


def a_long_text(file: h5py.File) -> None:
    del file["form"]
    file.create_dataset("form", data=np.zeros(100 << 20, np.uint8), compression=9)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("change", "item", "words"),
    [
        (a_claim_without_numbers, "motion/q", "missing"),
        (a_claim_of_pieces, "motion/q", "has 1 of the 262144 pieces"),
        (a_claim_of_a_large_piece, "motion/q", "too large: it claims"),
        (many_pieces_in_few_bytes, "motion/more", "too large: it claims"),
        (a_piece_that_swells, "motion/q", "a piece of another size"),
        (a_long_text, "form", "bytes of text"),
    ],
    ids=lambda value: value.__name__ if callable(value) else "",
)
def test_sizes_are_held_against_the_file(honest: bytes, change: Change, item: str, words: str) -> None:
    data = changed(honest, change)
    tracemalloc.start()
    try:
        with pytest.raises(ss.CaptureError, match=words) as caught:
            decode_study(data, NAME)
        assert tracemalloc.get_traced_memory()[1] < 3 * len(data) + (8 << 20)
    finally:
        tracemalloc.stop()
    assert item in str(caught.value)


def test_arrays_behind_the_end_of_the_file(honest: bytes) -> None:
    """The place of an array that is stored in one piece is a number in the file, like any other."""
    places = {}

    def find(name: str, item: object) -> None:
        if isinstance(item, h5py.Dataset) and item.id.get_offset() is not None and item.dtype.kind == "f":
            places[name] = item.id.get_offset()

    with h5py.File(io.BytesIO(honest), "r") as file:
        file.visititems(find)
    told = 0
    for place in places.values():
        word = place.to_bytes(8, "little")
        if honest.count(word) == 1:
            data = honest.replace(word, (len(honest) - 3).to_bytes(8, "little"))
            with pytest.raises(ss.CaptureError):
                decode_study(sealed(data), NAME)
            told += 1
    assert told


def test_too_many_items(honest: bytes, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stored, "MOST_ITEMS", 10)
    with pytest.raises(ss.CaptureError, match="one of more than 10 items"):
        decode_study(sealed(honest), NAME)


def test_an_array_may_be_wanted_once(honest: bytes) -> None:
    with h5py.File(io.BytesIO(honest), "r") as file:
        arrays = stored.Stored(honest, file, NAME)
        np.testing.assert_array_equal(arrays.take("motion/q"), file["motion/q"][...])
        with pytest.raises(KeyError, match="wanted twice"):
            arrays.take("motion/q")


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"chunks": (7, 3)},
        {"chunks": (7, 3), "compression": 9},
        {"chunks": (7, 3), "shuffle": True},
        {"chunks": (50, 5), "shuffle": True, "compression": 1, "maxshape": (None, None)},
    ],
)
@pytest.mark.parametrize("dtype", ["<f8", ">f4", "<i8", "u1"])
def test_numbers_are_those_that_hdf5_reads(options: dict, dtype: str) -> None:
    values = np.random.default_rng(3).integers(0, 200, (23, 4)).astype(dtype)
    stream = io.BytesIO()
    with h5py.File(stream, "w") as file:
        file.create_dataset("a/x", data=values, **options)
        file.create_dataset("a/none", data=values[:0])
        file.create_dataset("a/one", data=values[0, 0], dtype=dtype)
    with h5py.File(stream, "r") as file:
        arrays = stored.Stored(stream.getvalue(), file, NAME)
        for name, wanted in (("x", values), ("none", values[:0]), ("one", values[0, 0])):
            found = arrays.take(f"a/{name}")
            assert found.dtype == np.dtype(dtype) and found.flags.writeable
            np.testing.assert_array_equal(found, wanted)


@pytest.mark.slow
@pytest.mark.parametrize("moving", [True, False])
def test_an_hour_opens(moving: bool, tmp_path: Path) -> None:
    """Also an hour in which nobody moves, which is packed to a hundredth."""
    few = swinging(walker(), n=100)
    q = np.tile(few.q if moving else few.q[:1].repeat(100, axis=0), (3600, 1))
    time = np.arange(len(q)) / 100.0
    markers = Points(time, ("a", "b"), np.repeat(q[:, None, :3], 2, axis=1))
    recording = recorded(walker(), few.q).replace(markers=markers)
    hour = ss.Study("hour", recording, walker(), ss.Motion(walker(), time, q))
    hour.save(tmp_path / "hour.study.nc")
    assert differences(hour, ss.open_study(tmp_path / "hour.study.nc")) == []
