"""What all tests share: settings of the property tests, and the folder of recordings."""

import os
from pathlib import Path

# Two threads of BLAS on a small matrix wait for each other longer than they work, and for ever on a busy machine.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import pytest
from hypothesis import HealthCheck, settings

ROOT = Path(__file__).resolve().parents[1]

# The first example of a property may compile a kernel: no deadline. Derandomised: a run repeats exactly.
settings.register_profile(
    "softstride", deadline=None, derandomize=True, suppress_health_check=[HealthCheck.too_slow]
)
settings.load_profile("softstride")


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """The folder of recordings: SOFTSTRIDE_TEST_DATA, or ../shared/data; skips where missing."""
    folder = Path(os.environ.get("SOFTSTRIDE_TEST_DATA") or ROOT.parent / "shared" / "data")
    if not folder.is_dir():
        pytest.skip(f"no recordings at {folder}; set SOFTSTRIDE_TEST_DATA to their folder")
    return folder
