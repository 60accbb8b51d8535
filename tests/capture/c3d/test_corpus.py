"""Sample files of c3d.org and of other readers: what ezc3d can read, we read, and sample by sample the same.

The files are not ours to pass on. SOFTSTRIDE_TEST_C3D names a folder of them.
"""

import hashlib
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import ezc3d
import numpy as np
import pytest
from tests.capture.c3d.oracle import assert_ezc3d_agrees

from softstride.capture.c3d import C3DFile, decode_c3d
from softstride.errors import CaptureError

VARIABLE = "SOFTSTRIDE_TEST_C3D"
MISREAD = {  # by ezc3d 1.7.2
    "type1.C3D": "it has no ANALOG:RATE: channels are taken for points",
    "standing.C3D": "the same",
    "dynamic.C3D": "the same",
    "561xxa01_anonym.C3D": "the same",
    "evart.c3d": "17 samples a frame are taken for 16, because ANALOG:RATE is 16.7 times POINT:RATE",
    "kyowadengyo.c3d": "11 points are taken for 12, so that markers jump by 72 mm in a frame",
    "phasespace_sample.c3d": "none of its 40 points is seen",
}


@pytest.fixture(scope="module")
def corpus() -> list[Path]:
    """Return the sample files, each contents once; skips where there are none."""
    named = os.environ.get(VARIABLE)
    if not named:
        pytest.skip(f"no sample files: set {VARIABLE} to their folder")
    found = {}
    for path in sorted(Path(named).rglob("*")):
        if path.suffix.lower() == ".c3d":
            found.setdefault(hashlib.sha256(path.read_bytes()).hexdigest(), path)
    if not found:
        pytest.skip(f"no C3D files in the folder that {VARIABLE} names")
    return list(found.values())


def readings(corpus: list[Path]) -> Iterator[tuple[Path, C3DFile | CaptureError]]:
    for path in corpus:
        reading: C3DFile | CaptureError
        try:
            reading = decode_c3d(path.read_bytes(), path.name)
        except CaptureError as error:
            reading = error
        yield path, reading


def read_by_ezc3d(path: Path) -> Any:
    """Return what ezc3d sees; None where it refuses the file."""
    try:
        return ezc3d.c3d(str(path))
    except (OSError, RuntimeError, ValueError):
        return None


@pytest.mark.slow
def test_what_ezc3d_can_read_is_read_the_same(corpus: list[Path]) -> None:
    wrong, compared = [], 0
    for path, reading in readings(corpus):
        if (theirs := read_by_ezc3d(path)) is None:
            continue
        if isinstance(reading, CaptureError):
            wrong.append(f"{path.name} is refused: {reading}")
            continue
        if path.name in MISREAD:
            continue
        try:
            assert_ezc3d_agrees(reading, theirs)
        except AssertionError as error:
            wrong.append(f"{path.name} is read otherwise: {str(error)[:200]}")
        compared += 1
    assert not wrong, "\n".join(wrong)
    assert compared


@pytest.mark.slow
def test_all_encodings_of_a_trial_are_one(corpus: list[Path]) -> None:
    """c3d.org's sample 2, of which the SGI files exchange the bytes of the last parameter's length."""
    encodings = {
        path.name.lower().removesuffix(".c3d"): reading
        for path, reading in readings(
            [path for path in corpus if path.name.lower()[-8:-4] in ("_int", "real")]
        )
        if isinstance(reading, C3DFile)
    }
    if not {"sgi_int", "sgi_real", "pc_int", "pc_real"} <= set(encodings):
        pytest.skip("sample 2 of c3d.org is not in the folder")
    for kind in ("int", "real"):
        sgi, intel = encodings[f"sgi_{kind}"], encodings[f"pc_{kind}"]
        assert sgi.point_labels == intel.point_labels and sgi.analog_labels == intel.analog_labels
        np.testing.assert_array_equal(sgi.points, intel.points)
        np.testing.assert_array_equal(sgi.residuals, intel.residuals)
        np.testing.assert_array_equal(sgi.cameras, intel.cameras)
        np.testing.assert_array_equal(sgi.analog, intel.analog)
