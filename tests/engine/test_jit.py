"""The cache of kernels: its own folder, kept while used, and nothing else touched."""

import gc
import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from softstride.engine import jit

MONTHS = 90 * 86400


def old(folder, *names):
    """Make a folder that nobody has used for three months."""
    folder.mkdir()
    for name in names:
        (folder / name).write_text("x")
    os.utime(folder, (time.time() - MONTHS,) * 2)
    return folder


def test_only_unused_kernels_are_removed(tmp_path):
    mine = tmp_path / "kernels-0123456789abcdef"
    mine.mkdir()
    unused = old(tmp_path / "kernels-fedcba9876543210", "rnea.rnea-1.nbi", "rnea.rnea-1.nbc")
    foreign = old(tmp_path / "kernels-mine", "work.txt")
    mixed = old(tmp_path / "kernels-00000000000000ff", "rnea.rnea-1.nbi", "work.txt")
    recent = tmp_path / "kernels-aaaaaaaaaaaaaaaa"
    recent.mkdir()
    jit._remove_unused(mine)
    assert not unused.exists()
    assert mine.exists() and foreign.exists() and mixed.exists() and recent.exists()


@pytest.mark.parametrize(
    ("system", "given", "folder"),
    [
        ("linux", {}, "home/.cache/softstride"),
        ("darwin", {}, "home/Library/Caches/softstride"),
        ("win32", {}, "home/AppData/Local/softstride"),
        ("win32", {"LOCALAPPDATA": "local"}, "local/softstride"),
        ("linux", {"LOCALAPPDATA": "local"}, "home/.cache/softstride"),
        *((system, {"XDG_CACHE_HOME": "xdg"}, "xdg/softstride") for system in ("linux", "darwin", "win32")),
        *(
            (system, {"SOFTSTRIDE_CACHE_DIR": "own", "XDG_CACHE_HOME": "xdg"}, "own")
            for system in ("linux", "darwin", "win32")
        ),
    ],
)
def test_each_system_has_its_own_place_for_a_cache(monkeypatch, system, given, folder):
    for name in ("SOFTSTRIDE_CACHE_DIR", "XDG_CACHE_HOME", "LOCALAPPDATA"):
        monkeypatch.delenv(name, raising=False)
    for name, value in given.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setattr(Path, "home", lambda: Path("home"))
    monkeypatch.setattr(sys, "platform", system)
    assert jit.cache_root() == Path(folder)


ONE_CALL = """
import numpy as np
import softstride as ss
builder = ss.ModelBuilder("pendulum")
builder.revolute("arm", axis=(0, 0, 1), mass=1.0, com=(0, -1, 0), inertia=(0.1, 0.1, 0.1))
print(ss.inverse_dynamics(builder.build(), [0.1], [0.2], [0.3])[0])
"""


def test_a_kernel_is_kept_by_what_it_is_made_from():
    import softstride.engine  # noqa: F401  loads all kernels

    rnea = set(jit._sources("softstride.engine.kernels.rnea"))
    cones = set(jit._sources("softstride.engine.kernels.cone_qp"))
    kernels = "softstride.engine.kernels"
    assert {f"{kernels}.{name}" for name in ("rnea", "rnea_rods", "rods", "tables")} <= rnea
    assert {"softstride.engine.jit", "softstride.engine.lanes", "softstride.spatial.small"} <= rnea
    assert f"{kernels}.cone_points" in cones and not any("rnea" in name for name in cones)
    assert jit.cache_folder(f"{kernels}.rnea") != jit.cache_folder(f"{kernels}.aba")


def run(**changes):
    environment = {**os.environ, **changes}
    return subprocess.run(
        [sys.executable, "-c", ONE_CALL], env=environment, capture_output=True, text=True, check=False
    )


@pytest.mark.slow
def test_kernels_are_compiled_once_and_said_so(tmp_path):
    first = run(SOFTSTRIDE_CACHE_DIR=str(tmp_path))
    again = run(SOFTSTRIDE_CACHE_DIR=str(tmp_path))
    assert "compiling rnea once" in first.stderr
    assert again.stderr == "" and again.stdout == first.stdout


@pytest.mark.slow
def test_without_a_folder_to_write_to_kernels_still_run(tmp_path):
    blocked = tmp_path / "file"
    blocked.write_text("no folder")
    result = run(SOFTSTRIDE_CACHE_DIR=str(blocked))
    assert result.returncode == 0, result.stderr


def test_interpreted_kernels_are_refused(tmp_path):
    result = run(NUMBA_DISABLE_JIT="1")
    assert "SoftstrideError" in result.stderr and "NUMBA_DISABLE_JIT" in result.stderr


def test_odd_numbers_of_lanes_are_refused():
    for bad in ("3", "abc"):
        result = run(SOFTSTRIDE_LANES=bad)
        assert "InputError" in result.stderr and "SOFTSTRIDE_LANES" in result.stderr


def test_collection_of_garbage_is_as_it_was_after_compiling():
    with jit._no_collection():
        assert not gc.isenabled()
    assert gc.isenabled()
    gc.disable()
    try:
        with jit._no_collection():
            pass
        assert not gc.isenabled()  # who had it off keeps it off
    finally:
        gc.enable()
