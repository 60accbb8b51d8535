"""Damaged files, all the way through `read` and the quality report: right, noted, or refused with the way out."""

import itertools
import time
import tracemalloc
from collections import Counter
from pathlib import Path

import numpy as np
import pytest
from tests.campaign import size
from tests.capture.c3d.mutate import mutate as damage_c3d
from tests.capture.c3d.synthetic import make_file
from tests.capture.text.test_text_fuzz import DAMAGE
from tests.files import storage, trc

import softstride as ss
from softstride.capture.c3d import encode_c3d
from softstride.errors import CaptureError

SECONDS = 5.0
LABORATORY = 50.0  # [m]; what lies outside is no measurement and must have been said
C3D = (
    "c3d_formats/sample10/type-4a.c3d",
    "c3d_formats/sample10/TYPE-3.c3d",
    "knee_gc5_ps/PS_ngait_og_ss1.c3d",
)
TRC = (
    "knee_gc5_ps/PS_ngait_og_ss1.trc",
    "odd_text/dataWithNaNsOfDifferentCases.trc",
    "odd_text/exampleFormat.trc",
)
MOT = ("planar_gait/moco_2d_walk/referenceGRF.sto", "run_hamner_s01/run500_grf.mot")


def damage_text(data: bytes, seed: int) -> bytes:
    rng = np.random.default_rng(seed)
    damaged = DAMAGE[seed % len(DAMAGE)](data, rng)
    return DAMAGE[rng.integers(len(DAMAGE))](damaged, rng) if damaged and rng.random() < 0.3 else damaged


def check(recording: ss.Recording) -> str:
    """Everything fits together, every number is finite or missing, and what is absurd was said."""
    assert recording.markers.values.shape == (len(recording.markers), len(recording.markers.labels), 3)
    arrays = [recording.markers.values, recording.analog.values, recording.table.values]
    for force in recording.forces:
        arrays += [force.force, force.moment, force.point]
        known = np.isfinite(np.concatenate([force.force, force.moment, force.point], axis=1)).all(axis=1)
        assert np.isfinite(force.wrench()[known]).all()
    assert not any(np.isinf(array).any() for array in arrays)
    assert np.linalg.det(recording.axes.rotation) == pytest.approx(1.0)
    quality = recording.quality()
    said = bool(recording.notes) or bool(quality.errors) or bool(quality.warnings)
    if np.nanmax(np.abs(recording.markers.values), initial=0.0) > LABORATORY:
        assert said
    return "said" if said else "read"


def run(data: bytes, name: str, seeds: range, folder: Path) -> Counter[str]:
    damage = damage_c3d if name.endswith(".c3d") else damage_text
    file = folder / name
    outcomes: Counter[str] = Counter()
    for seed in seeds:
        file.write_bytes(damage(data, seed))
        start, refusal = time.process_time(), None
        try:
            outcomes[check(ss.read(file))] += 1
        except CaptureError as error:
            refusal = error
        assert time.process_time() - start < SECONDS, seed
        if refusal is not None:
            assert refusal.path.endswith(name), seed
            assert refusal.field and refusal.problem and refusal.fix, seed
            outcomes["refused"] += 1
    return outcomes


def body_trc() -> bytes:
    at = {"RHEE": (0, 50, 100), "LHEE": (0, 50, -100), "RASI": (100, 1000, 100), "LASI": (100, 1000, -100)}
    forward = np.outer(13.0 * np.arange(30), [1, 0, 0])
    return trc({name: place + forward for name, place in at.items()}).encode()


def force_mot() -> bytes:
    names = [f"ground_force_{side}_{kind}{axis}" for side in "rl" for kind in "vp" for axis in "xyz"]
    names += [f"ground_torque_{side}_{axis}" for side in "rl" for axis in "xyz"]
    values = np.random.default_rng(0).normal(100, 50, (30, len(names))).round(3)
    return storage(names, np.arange(30) / 100, values, name="grf").encode()


MADE = {
    "made.c3d": lambda: encode_c3d(make_file("intel", "real", n=40, m=5, k=4, c=12)),
    "sgi.c3d": lambda: encode_c3d(make_file("sgi", "integer", n=40, m=5, k=4, c=12)),
    "made.trc": body_trc,
    "made.mot": force_mot,
}


@pytest.mark.slow
@pytest.mark.parametrize("name", MADE)
def test_damaged_files(tmp_path: Path, name: str) -> None:
    outcomes = run(MADE[name](), name, range(150), tmp_path)
    assert outcomes["refused"] and outcomes["said"] + outcomes["read"]


@pytest.mark.slow
@pytest.mark.parametrize("name", MADE)
def test_many_damaged_files(tmp_path: Path, name: str) -> None:
    run(MADE[name](), name, range(150, size(1500, 285)), tmp_path)


@pytest.mark.slow
@pytest.mark.parametrize("name", [*C3D, *TRC, *MOT])
def test_many_damaged_recordings(shared_data: Path, tmp_path: Path, name: str) -> None:
    source = shared_data / name
    outcomes = run(source.read_bytes(), "damaged" + source.suffix.lower(), range(size(700, 70)), tmp_path)
    assert outcomes["refused"]


@pytest.mark.slow
def test_memory_stays_far_below_a_gigabyte(tmp_path: Path) -> None:
    tracemalloc.start()
    try:
        for (name, make), seed in itertools.product(MADE.items(), range(0, 300, 2)):
            data = make()
            tracemalloc.reset_peak()
            run(data, name, range(seed, seed + 1), tmp_path)
            assert tracemalloc.get_traced_memory()[1] < 50_000_000, (name, seed)
    finally:
        tracemalloc.stop()
