"""`import softstride` is light, and every public name exists."""

import json
import subprocess
import sys

import pytest

import softstride as ss

IMPORT_SECONDS = 0.5  # on a busy two-core machine; alone it takes a few milliseconds

PROBE = """
import json, sys, time
start = time.perf_counter()
import softstride
seconds = time.perf_counter() - start
dir(softstride)
loaded = sorted({name.partition(".")[0] for name in sys.modules})
print(json.dumps({"seconds": seconds, "loaded": loaded}))
"""


def test_import_loads_no_compiler_and_is_fast() -> None:
    """A fresh interpreter imports softstride without Numba, SciPy or NumPy, well under half a second."""
    run = subprocess.run([sys.executable, "-c", PROBE], capture_output=True, text=True, check=True)
    probe = json.loads(run.stdout)
    assert not {"numba", "llvmlite", "scipy", "numpy", "matplotlib", "typer", "rich"} & set(probe["loaded"])
    assert probe["seconds"] < IMPORT_SECONDS


@pytest.mark.parametrize("name", ss.__all__)
def test_every_public_name_exists(name: str) -> None:
    assert getattr(ss, name) is not None


def test_public_names_are_sorted_once_each_and_listed() -> None:
    assert len(set(ss.__all__)) == len(ss.__all__)
    assert dir(ss) == sorted(ss.__all__)


def test_the_lazy_table_and_the_public_list_agree() -> None:
    """A name in one and not in the other would be invisible, or impossible to import."""
    eager = {
        "__version__",
        "errors",
        "CaptureError",
        "InputError",
        "ModelError",
        "SimulationError",
        "SoftstrideError",
    }
    assert set(ss._HOME) | set(ss._LAZY_ROOMS) | eager == set(ss.__all__)


def test_an_unknown_name_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="no attribute 'inverse_dynamic'"):
        ss.inverse_dynamic  # noqa: B018
