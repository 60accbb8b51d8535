"""Rooms that import their names when they are asked for."""

import importlib
import subprocess
import sys
from pathlib import Path

import pytest

import softstride

ROOMS = [
    ".".join(["softstride", *file.parent.relative_to(Path(softstride.__file__).parent).parts])
    for file in sorted(Path(softstride.__file__).parent.rglob("__init__.py"))
    if "on_demand(__name__" in file.read_text(encoding="utf-8")
]


def test_there_are_such_rooms():
    assert {"softstride.capture", "softstride.dynamics", "softstride.kinematics"} <= set(ROOMS)


@pytest.mark.parametrize("room", ROOMS)
def test_every_name_is_there(room):
    package = importlib.import_module(room)
    assert sorted(package.__all__) == sorted(set(package.__all__))
    for name in package.__all__:
        assert getattr(package, name) is not None and name in dir(package)
    with pytest.raises(AttributeError, match="has no attribute 'nothing'"):
        package.nothing  # noqa: B018


@pytest.mark.parametrize("room", ROOMS)
def test_no_name_is_that_of_a_module(room):
    """Importing such a module would put it in the place of the name."""
    package = importlib.import_module(room)
    modules = {file.stem for file in Path(package.__file__).parent.iterdir()}
    assert not modules & set(package.__all__)


def test_inverse_dynamics_does_not_load_filters_and_statistics():
    code = "import sys; import softstride.dynamics.inverse; print(*[m for m in sys.modules if m.startswith('scipy.s')])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert "scipy.signal" not in done.stdout.split() and "scipy.stats" not in done.stdout.split()
