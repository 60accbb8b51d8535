"""Locks: one holder at a time, on systems that lock in different words; what stood for a lock is cleared away."""

import errno
import importlib.util
import sys
from contextlib import ExitStack
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest
from tests.systems import links

from softstride import locks
from softstride.batch import run
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
        assert [each.name for each in file.parent.iterdir()] == ["one"]
    assert list(tmp_path.iterdir()) == [], "what was made for a lock is removed with it"


def test_whoever_waited_for_a_lock_that_was_removed_takes_the_new_one(module: Any, tmp_path: Path) -> None:
    """The second opens the file, the first removes it and lets go, a third makes it anew: only one may hold it."""
    file = tmp_path / "lock"
    real = module._take
    first, third = ExitStack(), ExitStack()
    first.enter_context(module.hold(file, patience=0.0))

    def slow(stream: Any) -> None:
        module._take = real
        first.close()
        third.enter_context(module.hold(file, patience=0.0))
        real(stream)

    module._take = slow
    try:
        with (
            pytest.raises(SoftstrideError, match="somebody else"),
            module.hold(file, patience=0.0),
        ):
            pass
    finally:
        module._take = real
        third.close()
    assert not file.exists()


def test_a_lock_in_a_folder_that_others_remove(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file, real, left = tmp_path / "locks" / "one", Path.open, [3]

    def gone(self: Path, *arguments: Any, **options: Any) -> Any:
        if left[0]:
            left[0] -= 1
            self.parent.rmdir()
        return real(self, *arguments, **options)

    monkeypatch.setattr(Path, "open", gone)
    with locks.hold(file, patience=0.0):
        assert file.exists() and left == [0]


def test_a_file_system_without_locks_keeps_nobody_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(_: object) -> None:
        raise OSError(errno.ENOLCK, "No locks available")

    monkeypatch.setattr(locks, "_take", refuse)
    with locks.hold(tmp_path / "one", patience=0.0), locks.hold(tmp_path / "one", patience=0.0):
        pass
    assert list(tmp_path.iterdir()) == []


@links
def test_a_folder_is_locked_where_a_link_leads(tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(tmp_path / "below" / "run", target_is_directory=True)
    with locks.writing(tmp_path / "link") as folder:
        assert folder == (tmp_path / "below" / "run").resolve() and not folder.exists()
        assert (tmp_path / "below" / ".run.lock").is_file()
        with (
            pytest.raises(SoftstrideError, match="run: somebody else writes"),
            locks.writing(tmp_path / "below" / "run"),
        ):
            pass
    assert [each.name for each in tmp_path.iterdir()] == ["link"]


def test_files_of_two_commands_do_not_mix(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(locks, "SHORT", 0.0)
    with locks.filling(tmp_path):
        with pytest.raises(SoftstrideError, match="somebody else writes"), locks.filling(tmp_path):
            pass
        assert [each.name for each in tmp_path.iterdir()] == [".softstride.lock"]
    assert list(tmp_path.iterdir()) == []


def test_a_folder_that_files_go_into_is_not_replaced(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(locks, "SHORT", 0.0)
    run = tmp_path / "run"
    run.mkdir()
    with (
        locks.filling(run),
        pytest.raises(SoftstrideError, match="run: somebody else writes"),
        locks.writing(run),
    ):
        pass
    with (
        locks.writing(run),
        pytest.raises(SoftstrideError, match="run: somebody else writes"),
        locks.filling(run),
    ):
        pass
    assert [each.name for each in tmp_path.rglob("*")] == ["run"]


def test_files_go_into_a_folder_that_cannot_be_replaced(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = tmp_path / "run"
    run.mkdir()
    monkeypatch.setattr(locks.os, "access", lambda folder, rights: Path(folder) != tmp_path)
    with locks.filling(run):
        assert [each.name for each in tmp_path.rglob("*")] == ["run", ".softstride.lock"]


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


def test_nobody_writes_the_whole_file_system(tmp_path: Path) -> None:
    with (
        pytest.raises(SoftstrideError, match="holds the whole file system: choose a folder in it"),
        locks.writing("/"),
    ):
        pass


def test_the_lock_of_who_was_killed_is_cleared_and_no_other(tmp_path: Path) -> None:
    left = tmp_path / ".walk 02.lock"
    left.touch()
    locks.clear(tmp_path / "walk 02")
    locks.clear(tmp_path / "walk 03")
    assert list(tmp_path.iterdir()) == []
    with locks.writing(tmp_path / "walk 02"):
        locks.clear(tmp_path / "walk 02")
        assert left.exists()
