"""`softstride bench` runs scripts of the checkout and says clearly when they are not there."""

from pathlib import Path

import pytest

from softstride.cli import bench
from softstride.errors import InputError

SCRIPT = """
def main(json=False, quick=False):
    if not json:
        print("a table for people")
    return {"ours_vs_theirs": 5.0 if quick else 4.0}
"""


@pytest.fixture
def checkout(monkeypatch, tmp_path: Path) -> Path:
    folder = tmp_path / "bench"
    folder.mkdir()
    (folder / "engine.py").write_text(SCRIPT)
    (folder / "_helpers.py").write_text("")
    monkeypatch.setattr(bench, "__file__", str(tmp_path / "src" / "softstride" / "cli" / "bench.py"))
    return folder


def test_one_benchmark_for_programs(run, checkout: Path) -> None:
    done = run("bench", "engine", "--json", "--quick")
    assert done.exit_code == 0
    assert done.figures == {"ours_vs_theirs": 5.0}


def test_all_benchmarks_carry_their_names(run, checkout: Path) -> None:
    assert run("bench", "--json").figures == {"engine.ours_vs_theirs": 4.0}


def test_people_get_the_table_of_the_benchmark(run, checkout: Path) -> None:
    assert run("bench", "engine").stdout.strip() == "a table for people"


def test_an_unknown_name_lists_the_known_ones(run, checkout: Path) -> None:
    done = run("bench", "speed")
    assert done.exit_code == 2
    assert "there are: engine" in done.stderr


def test_without_a_checkout_it_says_so(run, checkout: Path, monkeypatch, tmp_path: Path) -> None:
    for file in checkout.glob("*.py"):
        file.unlink()
    monkeypatch.chdir(tmp_path)
    done = run("bench", "engine")
    assert done.exit_code == 2
    assert "source checkout" in done.stderr


def test_the_working_folder_may_be_the_checkout(run, checkout: Path, monkeypatch, tmp_path: Path) -> None:
    monkeypatch.setattr(bench, "__file__", "/nowhere/lib/softstride/cli/bench.py")
    monkeypatch.chdir(tmp_path)
    assert run("bench", "engine", "--json").figures == {"ours_vs_theirs": 4.0}


def test_a_missing_peer_is_named_with_the_way_out(checkout: Path, monkeypatch) -> None:
    (checkout / "engine.py").write_text("def main(json, quick):\n    import pinocchio_is_not_here")
    monkeypatch.setattr(bench, "PEERS", frozenset({"pinocchio_is_not_here"}))
    with pytest.raises(InputError, match=r"pip install 'softstride\[bench\]'"):
        bench.run_benchmark(checkout / "engine.py")


def test_another_missing_module_is_not_hidden(checkout: Path) -> None:
    (checkout / "engine.py").write_text("import nothing_of_that_name")
    with pytest.raises(ModuleNotFoundError):
        bench.run_benchmark(checkout / "engine.py")


def test_a_script_without_main_is_refused(checkout: Path) -> None:
    (checkout / "engine.py").write_text("x = 1")
    with pytest.raises(InputError, match="no main"):
        bench.run_benchmark(checkout / "engine.py")


def test_the_benchmarks_of_this_checkout_are_found() -> None:
    assert {"engine", "ik", "read"} <= bench.find_benchmarks().keys()
