"""Damaged files: a consistent reading or a `CaptureError` that helps; never anything else, never slowly."""

import time
import tracemalloc
from collections import Counter
from contextlib import suppress
from pathlib import Path

import numpy as np
import pytest
from tests.capture.c3d.mutate import CHANGES, mutate
from tests.capture.c3d.synthetic import make_file

from softstride.capture.c3d import C3DFile, decode_c3d, encode_c3d
from softstride.errors import CaptureError
from softstride.notes import Note

SYNTHETIC = [(processor, storage) for processor in ("intel", "dec", "sgi") for storage in ("integer", "real")]
RECORDED = [
    "c3d_formats/sample01/Eb015pi.c3d",
    "c3d_formats/sample01/Eb015sr.c3d",
    "c3d_formats/sample01/Eb015vr.c3d",
    "c3d_formats/sample08/TESTDPI.c3d",
    "c3d_formats/sample03/gait-pig.c3d",
    "c3d_formats/sample10/TYPE-3.c3d",
    "c3d_formats/sample28/type1.C3D",
    "knee_gc5_ps/PS_ngait_og_ss1.c3d",
]
QUICK, SLOW_SYNTHETIC, SLOW_RECORDED = 200, 1300, 900  # of each file; the slow part repeats no quick one
SECONDS = 5.0


def check_consistent(file: C3DFile) -> None:
    n, m, c = file.n_frames, len(file.point_labels), len(file.analog_labels)
    assert file.points.shape == (n, m, 3) and file.residuals.shape == (n, m) and file.cameras.shape == (n, m)
    assert file.points.dtype == file.residuals.dtype == file.analog.dtype == np.float64
    assert file.analog.shape == (n * file.samples_per_frame, c)
    assert len(file.analog_units) == c and len(file.point_descriptions) == m
    assert len(set(file.point_labels)) == m and len(set(file.analog_labels)) == c
    assert all(file.point_labels) and all(file.analog_labels)
    assert 1e-3 <= file.rate <= 1e6 and np.isclose(file.analog_rate, file.rate * file.samples_per_frame)
    assert 0 <= file.first_frame < 2**33
    for values, limit in ((file.points, 1e9), (file.residuals, 1e9), (file.analog, 1e12)):
        assert np.all(np.isnan(values) | (np.abs(values) <= limit))
    missing = np.isnan(file.points)
    assert np.array_equal(missing.any(axis=-1), missing.all(axis=-1))
    assert np.array_equal(missing[..., 0], np.isnan(file.residuals))
    assert all(np.isfinite(event.time) for event in file.header_events)
    assert all(isinstance(note, Note) and str(note) for note in file.notes)


def check_damaged(data: bytes, seed: int) -> str:
    """Decode a damaged copy and return what came of it."""
    damaged = mutate(data, seed)
    start = time.thread_time()
    refusal: CaptureError | None = None
    try:
        file = decode_c3d(damaged, "damaged.c3d")
    except CaptureError as error:
        refusal = error
    assert time.thread_time() - start < SECONDS
    if refusal is not None:
        assert refusal.path == "damaged.c3d"
        assert refusal.field and refusal.problem and refusal.fix
        return "refused"
    check_consistent(file)
    return "noted" if file.notes else "read"


def run(data: bytes, seeds: range) -> Counter[str]:
    return Counter(check_damaged(data, seed) for seed in seeds)


@pytest.mark.parametrize(("processor", "storage"), SYNTHETIC)
def test_damaged_synthetic_files(processor: str, storage: str) -> None:
    outcomes = run(encode_c3d(make_file(processor, storage, n=40, m=5, k=4, c=6)), range(QUICK))
    assert set(outcomes) == {"read", "noted", "refused"}  # the damage reaches every branch


@pytest.mark.slow
@pytest.mark.parametrize(("processor", "storage"), SYNTHETIC)
def test_many_damaged_synthetic_files(processor: str, storage: str) -> None:
    run(encode_c3d(make_file(processor, storage, n=40, m=5, k=4, c=6)), range(QUICK, QUICK + SLOW_SYNTHETIC))


@pytest.mark.slow
@pytest.mark.parametrize("name", RECORDED)
def test_many_damaged_recorded_files(shared_data: Path, name: str) -> None:
    outcomes = run((shared_data / name).read_bytes(), range(SLOW_RECORDED))
    assert outcomes["refused"] and outcomes["noted"]


@pytest.mark.slow
@pytest.mark.parametrize(("processor", "storage"), SYNTHETIC)
def test_what_was_read_from_damage_can_be_written(processor: str, storage: str) -> None:
    data = encode_c3d(make_file(processor, storage, n=40, m=5, k=4, c=6))
    written = 0
    for seed in range(400):
        with suppress(CaptureError):
            file = decode_c3d(mutate(data, seed), "damaged.c3d")
            again = decode_c3d(encode_c3d(file), "again.c3d")
            check_consistent(again)
            np.testing.assert_array_equal(np.isnan(again.points), np.isnan(file.points))
            # floats of 24 bits; a scale of its own where header and parameters disagreed: half of 1/32000
            largest = np.nanmax(np.abs(file.points), initial=0.0)
            np.testing.assert_allclose(again.points, file.points, rtol=1e-7, atol=2e-5 * largest)
            assert again.point_labels == file.point_labels
            written += 1
    assert written > 100


@pytest.mark.slow
@pytest.mark.parametrize("storage", ["integer", "real"])
def test_memory_is_bounded_by_the_size_of_the_file(storage: str) -> None:
    """The parameters' objects take some kilobytes, the arrays at most ten times the bytes they come from."""
    data = encode_c3d(make_file("dec", storage, n=400, m=20, k=5, c=8))
    decode_c3d(data, "warm.c3d")
    tracemalloc.start()
    try:
        for seed in range(40 * len(CHANGES)):
            damaged = mutate(data, seed)
            tracemalloc.reset_peak()
            before, _ = tracemalloc.get_traced_memory()
            with suppress(CaptureError):
                decode_c3d(damaged, "damaged.c3d")
            _, peak = tracemalloc.get_traced_memory()
            assert peak - before < 20 * len(damaged) + 2_000_000, seed
    finally:
        tracemalloc.stop()


def test_random_bytes_are_refused() -> None:
    rng = np.random.default_rng(0)
    for size in (0, 1, 2, 511, 512, 1023, 1024, 5000, 100_000):
        for start in (b"", b"\x02\x50"):
            with pytest.raises(CaptureError):
                decode_c3d(start + rng.bytes(max(0, size - len(start))), "noise.c3d")
    for size in (0, 1024, 100_000):
        for byte in (0, 1, 2, 80, 255):
            with pytest.raises(CaptureError):
                decode_c3d(bytes([byte]) * size, "constant.c3d")
