"""Which tests `make check` runs for a change, and what it says where there are none."""

import subprocess
from pathlib import Path

import pytest
from tools.check import changed_files, concerned

from tools import check

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture
def repository(tmp_path):
    def git(*words):
        subprocess.run(["git", "-c", "user.name=a", "-c", "user.email=a@b", *words], cwd=tmp_path, check=True)

    git("init", "-q")
    for name in ("old.py", "gone.py", "same.py"):
        (tmp_path / name).write_text("x = 1\n", encoding="utf-8")
    git("add", ".")
    git("commit", "-qm", "first")
    return tmp_path, git


def test_changed_new_and_no_deleted_files_are_found(repository):
    folder, _ = repository
    (folder / "old.py").write_text("x = 2\n", encoding="utf-8")
    (folder / "gone.py").unlink()
    (folder / "nëw file.py").write_text("x = 3\n", encoding="utf-8")
    assert changed_files(folder) == ["nëw file.py", "old.py"]


def test_in_a_clean_tree_the_last_commit_counts(repository):
    folder, git = repository
    (folder / "old.py").write_text("x = 2\n", encoding="utf-8")
    git("commit", "-qam", "second")
    assert changed_files(folder) == ["old.py"]


@pytest.mark.slow
def test_the_test_that_mirrors_a_module_comes_first_then_its_room():
    first, rest = concerned(["src/softstride/signals/gaps.py"])
    assert first[0] == "tests/signals/test_gaps.py"
    assert "tests/signals/test_emg.py" in rest
    assert not set(first) & set(rest)


@pytest.mark.parametrize(
    ("changed", "test"),
    [
        ("src/softstride/report/assets/page.js", "tests/report/test_page.py"),
        ("src/softstride/segments/data/segments.toml", "tests/segments/test_recipes.py"),
    ],
)
def test_data_and_scripts_of_a_room_have_the_tests_of_the_room(changed, test):
    assert any(test in files for files in concerned([changed]))


def test_a_page_of_the_documentation_has_no_tests():
    assert concerned(["docs/start.md", "README.md"]) == []


@pytest.mark.slow
def test_a_change_without_quick_tests_is_no_failure(monkeypatch, capfd):
    slow = "tests/pipeline/test_interrupts.py"
    monkeypatch.setattr(check, "changed_files", lambda: [slow])
    assert check.main(["--seconds", "60"]) == 0
    out = capfd.readouterr().out
    assert "none of them is quick" in out
    assert "failed" not in out


@pytest.mark.slow
def test_a_test_that_fails_ends_it(monkeypatch, tmp_path, capfd):
    broken = tmp_path / "test_broken.py"
    broken.write_text("def test_it():\n    assert False\n", encoding="utf-8")
    monkeypatch.setattr(check, "changed_files", lambda: ["x"])
    monkeypatch.setattr(check, "concerned", lambda _: [(str(broken),), ("tests/signals/test_gaps.py",)])
    assert check.main(["--seconds", "60"]) == 1
    out = capfd.readouterr().out
    assert "again: make check" in out
    assert "tests of its rooms" not in out
