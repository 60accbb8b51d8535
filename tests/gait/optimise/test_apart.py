"""Processes of their own: for functions, and for the tests that need CasADi itself, which OpenSim shuts out."""

import os
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest
from tests.gait.optimise.needs import needs_casadi

from softstride.errors import InputError, SimulationError
from softstride.gait import load_recipe
from softstride.gait.optimise import apart

FILES = sorted(Path(__file__).parent.glob("apart_*.py"))


@pytest.mark.slow
@needs_casadi
@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_in_a_process_without_opensim(file: Path) -> None:
    words = [sys.executable, "-m", "pytest", "-q", "-p", "no:xdist", "-p", "no:cacheprovider", str(file)]
    done = subprocess.run(
        words,
        capture_output=True,
        text=True,
        check=False,
        cwd=Path(__file__).parents[3],
        env=apart.environment(),
    )
    assert done.returncode == 0 and " passed" in done.stdout and "skipped" not in done.stdout, done.stdout[
        -4000:
    ]


def test_there_are_such_files() -> None:
    assert [file.stem for file in FILES] == ["apart_blocks", "apart_course", "apart_expressions"]


@pytest.mark.slow
def test_answers_and_errors_come_back() -> None:
    recipe = apart.run_apart(load_recipe, "A")
    assert recipe.to_toml() == load_recipe("A").to_toml()
    with pytest.raises(InputError, match="'C'"):
        apart.run_apart(load_recipe, "C")


def test_a_process_that_dies_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(apart, "CHILD", "raise SystemExit(7)")
    with pytest.raises(
        SimulationError, match=r"load_recipe was run in a process of its own, .* ended with code 7"
    ):
        apart.run_apart(load_recipe, "A")


def test_a_child_does_not_look_where_opensim_is(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    there = tmp_path / "opensim"
    monkeypatch.setitem(sys.modules, "opensim", SimpleNamespace(__file__=str(there / "__init__.py")))
    monkeypatch.setenv("LD_LIBRARY_PATH", os.pathsep.join([str(there), "/elsewhere"]))
    monkeypatch.setenv("DYLD_LIBRARY_PATH", str(there))
    found = apart.environment()
    assert found["LD_LIBRARY_PATH"] == "/elsewhere" and "DYLD_LIBRARY_PATH" not in found


def test_apart_where_opensim_is_loaded_or_could_be(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "opensim", sys)
    monkeypatch.delitem(sys.modules, "casadi", raising=False)
    assert apart.must_run_apart()
    monkeypatch.setitem(sys.modules, "casadi", sys)
    assert not apart.must_run_apart()
    monkeypatch.delitem(sys.modules, "casadi")
    monkeypatch.delitem(sys.modules, "opensim")
    for installed in (True, False):
        monkeypatch.setattr(apart, "find_spec", lambda name, there=installed: sys.__spec__ if there else None)
        assert apart.must_run_apart() is installed
