"""Locks: one holder at a time, on systems that lock in different words; what stood for a lock is cleared away."""

import importlib.util
import sys
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest

from softstride.batch import locks, run
from softstride.batch.task import LOCKS
from softstride.errors import SoftstrideError


class Windows(SimpleNamespace):
    """Its module of locks, told by the locks of this system: who comes second has no permission."""

    LK_NBLCK = 2

    @staticmethod
    def locking(number: int, mode: int, count: int) -> None:
        import fcntl

        assert (mode, count) == (Windows.LK_NBLCK, 1)
        try:
            fcntl.flock(number, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            raise PermissionError(13, "Permission denied") from error


@pytest.fixture(params=["here", "win32"])
def module(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    """The locks of this system, and those of Windows, where there is no fcntl."""
    if request.param == "here":
        return locks
    pytest.importorskip("fcntl", reason="here they are those of Windows")
    spec = importlib.util.spec_from_file_location("locks_of_windows", locks.__file__)
    assert spec is not None and spec.loader is not None
    loaded = importlib.util.module_from_spec(spec)
    with monkeypatch.context() as patch:
        patch.setattr(sys, "platform", "win32")
        patch.setitem(sys.modules, "fcntl", None)
        patch.setitem(sys.modules, "msvcrt", Windows())
        spec.loader.exec_module(loaded)
    return loaded


def test_two_do_not_hold_one_lock(module: Any, tmp_path: Path) -> None:
    file = tmp_path / "run" / ".locks" / "one"
    with module.hold(file, patience=0.0):
        with (
            pytest.raises(SoftstrideError, match="somebody else writes the same results"),
            module.hold(file, patience=0.0),
        ):
            pass
        with module.hold(file.with_name("two"), patience=0.0):
            pass
    with module.hold(file, patience=0.0):
        pass


@pytest.mark.parametrize("system", ["here", "win32"])
def test_a_batch_without_results_leaves_no_lock_behind(
    system: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """On Windows no file can be removed while it is open."""
    opened, unlink = [], Path.unlink
    real = Path.open

    def remember(self: Path, *arguments: Any, **options: Any) -> Any:
        opened.append(real(self, *arguments, **options))
        return opened[-1]

    def refuse_open(self: Path, missing_ok: bool = False) -> None:
        if any(not stream.closed and str(stream.name) == str(self) for stream in opened):
            raise PermissionError(13, "is used by another process", str(self))
        unlink(self, missing_ok=missing_ok)

    folder = tmp_path / "out"
    with monkeypatch.context() as patch:
        patch.setattr(Path, "open", remember)
        if system == "win32":
            patch.setattr(sys, "platform", system)
            patch.setattr(Path, "unlink", refuse_open)
        with run._reserved(folder):
            assert {file.name for file in folder.rglob("*")} == {LOCKS, "batch"}
    assert opened and not folder.exists()
