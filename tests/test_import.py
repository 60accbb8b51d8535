"""`import softstride` is light, and every public name exists."""

import json
import subprocess
import sys

import pytest

import softstride as ss

PROBE = """
import json, sys
before = set(sys.modules)
import softstride
dir(softstride)
print(json.dumps(sorted(set(sys.modules) - before)))
"""


def test_import_loads_no_compiler_and_little_else() -> None:
    """A fresh interpreter imports softstride without Numba, SciPy or NumPy; counted in modules, not in seconds."""
    run = subprocess.run([sys.executable, "-c", PROBE], capture_output=True, text=True, check=True)
    loaded = json.loads(run.stdout)
    heavy = {"numba", "llvmlite", "scipy", "numpy", "matplotlib", "typer", "rich"}
    assert not heavy & {name.partition(".")[0] for name in loaded}
    assert len(loaded) < 60


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
