"""`softstride batch`: what it prints, how it ends, and what it refuses."""

import io
import json
from collections.abc import Callable
from pathlib import Path

import pytest
from rich.console import Console
from tests.batch.small import make_trials, results
from tests.cli.conftest import Run

import softstride.batch.run as module
from softstride.batch.outcome import Batch, Outcome
from softstride.batch.table import write_tables
from softstride.cli.batch import REPORT, write_report
from softstride.cli.batch_display import Display

DONE = Outcome("walk 1", "in/walk 1.c3d", "done", "", 1.5, {"frames": 100.0}, compiling=3.0)
EARLIER = Outcome("walk 2", "in/walk 2.c3d", "done", "", 1.5, {"frames": 90.0}, compiling=4.0, earlier=True)
PARTIAL = Outcome("walk 3", "in/walk 3.c3d", "partial", "muscles: [none] are there", 2.0, {"frames": 3.0})
FAILED = Outcome("walk 4", "in/walk 4.c3d", "failed", "there are no markers", 0.1)


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> dict:
    """What a stand-in for the batch was asked for; `outcomes` is what it gives."""
    kept: dict = {"outcomes": (DONE, EARLIER, PARTIAL)}

    def run_batch(trials, out, **options):
        kept.update(options, trials=trials)
        watcher = options["watcher"]
        watcher.begins(len(kept["outcomes"]), 1)
        watcher.says("walk 1", "softstride: compiling rnea once ...")
        for outcome in kept["outcomes"]:
            if not outcome.earlier:
                watcher.ended(outcome)
        watcher.ends()
        out.mkdir()
        batch = Batch(out, kept["outcomes"], 12.0)
        write_tables(batch)
        return batch

    monkeypatch.setattr(module, "run_batch", run_batch)
    return kept


@pytest.fixture
def trials(tmp_path: Path) -> Path:
    folder = tmp_path / "in"
    folder.mkdir()
    for name in ("walk 1.c3d", "static.c3d"):
        (folder / name).touch()
    return folder


def test_the_summary_is_for_people(
    run: Callable[..., Run], trials: Path, asked: dict, tmp_path: Path
) -> None:
    ran = run("batch", str(trials), "--out", str(tmp_path / "out"))
    assert ran.exit_code == 0
    assert "done 2 of 3 trials (1 from an earlier run), 12 s" in ran.words
    assert "compiled kernels, once on this machine, in 3 s" in ran.words
    assert "partial walk 3: muscles: [none] are there" in ran.words
    assert f"table{tmp_path / 'out' / 'trials.parquet'}" in "".join(
        ran.words.split()
    )  # long paths are broken
    assert f"left out: {trials / 'static.c3d'}, a standing trial; name a file itself" in ran.stderr
    assert "softstride: compiling rnea once ..." in ran.stderr
    assert "2 of 3: walk 1 done, 1.5 s" in ran.stderr
    assert [each.file for each in asked["additions"]] == [REPORT]


def test_failures_are_listed_and_are_the_exit_code(
    run: Callable[..., Run], trials: Path, asked: dict, tmp_path: Path
) -> None:
    many = [Outcome(f"t{i}", "x", "failed", "no markers") for i in range(25)]
    asked["outcomes"] = (DONE, FAILED, *many)
    ran = run("batch", str(trials), "--out", str(tmp_path / "out"), "--no-report")
    assert ran.exit_code == 1
    assert "failed walk 4: there are no markers" in ran.words
    assert "t18: no markers" in ran.stdout and "t19" not in ran.stdout
    assert "and 6 more, see the file below" in ran.stdout
    assert "failures.txt" in "".join(ran.stdout.split()), "a long path is broken where the line ends"
    assert asked["additions"] == ()


def test_json_is_one_flat_object(run: Callable[..., Run], trials: Path, asked: dict, tmp_path: Path) -> None:
    asked["outcomes"] = (DONE, EARLIER, PARTIAL, FAILED)
    out = tmp_path / "out"
    ran = run("batch", str(trials), "--out", str(out), "--json", "--jobs", "3", "--scheduler", "tcp://x:1")
    assert ran.exit_code == 1
    assert ran.figures == {
        "trials": 4, "done": 2, "partial": 1, "failed": 1, "earlier": 1, "seconds": 12.0, "compile_s": 3.0,
        "out": str(out), "table": str(out / "trials.parquet"), "csv": str(out / "trials.csv"),
        "failures": str(out / "failures.txt"), "failed_trials": ["walk 4"],
    }  # fmt: skip
    assert (asked["jobs"], asked["scheduler"], asked["overwrite"]) == (3, "tcp://x:1", False)


def test_quiet_says_only_what_went_wrong(
    run: Callable[..., Run], trials: Path, asked: dict, tmp_path: Path
) -> None:
    asked["outcomes"] = (DONE, FAILED)
    ran = run("batch", str(trials), "--out", str(tmp_path / "out"), "--quiet")
    assert (ran.exit_code, ran.stdout) == (1, "")
    assert ran.stderr == "softstride: walk 4: there are no markers\n"


def test_settings_and_model_go_to_every_trial(
    run: Callable[..., Run], trials: Path, asked: dict, tmp_path: Path
) -> None:
    (tmp_path / "lab.toml").write_text('[person]\nmodel = "gait"\nmass = 70.0\n[analysis]\nbands = false\n')
    options = ("batch", str(trials), "--options", str(tmp_path / "lab.toml"), "--overwrite", "--out")
    assert run(*options, str(tmp_path / "one")).exit_code == 0
    (trial,) = asked["trials"]
    assert (trial.request.model, trial.request.mass, trial.request.options.bands) == ("gait", 70.0, False)
    assert asked["overwrite"]
    assert run(*options, str(tmp_path / "two"), "--model", "human").exit_code == 0
    assert asked["trials"][0].request.model == "human"


def test_who_interrupts_is_told_how_to_go_on(
    run: Callable[..., Run], trials: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    def run_batch(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(module, "run_batch", run_batch)
    ran = run("batch", str(trials), "--out", str(tmp_path / "out"))
    assert ran.exit_code == 130
    assert ran.stderr.endswith("softstride: interrupted; the same command goes on where it was\n")


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("nowhere", "--out", "o"), "nowhere does not exist: check its name"),
        (("empty", "--out", "o"), "there are no trials in empty: no file there ends in .c3d or .trc"),
        (("in", "--out", "in"), "results would lie among the trials in"),
        (("in", "--out", "file"), "is a file, however results need a folder"),
        (("in", "--out", "o", "--scheduler", "here"), "a scheduler has an address such as tcp://"),
        (("in", "--out", "o", "--options", "none.toml"), "none.toml: file: cannot be read"),
    ],
)
def test_what_is_refused(
    run: Callable[..., Run],
    trials: Path,
    monkeypatch: pytest.MonkeyPatch,
    arguments: tuple[str, ...],
    words: str,
) -> None:
    monkeypatch.chdir(trials.parent)
    Path("empty").mkdir()
    Path("file").touch()
    ran = run("batch", *arguments)
    assert ran.exit_code == 2
    assert words in ran.words
    assert "Traceback" not in ran.words
    assert not Path("o").exists()  # nothing is left of what never began


def test_help_has_examples(run: Callable[..., Run]) -> None:
    ran = run("batch", "--help")
    assert "softstride batch recordings --out results" in ran.words
    assert "--scheduler tcp://10.0.0.5:8786" in ran.words


@pytest.mark.slow
def test_trials_with_reports_end_to_end(run: Callable[..., Run], tmp_path: Path) -> None:
    """A path with spaces and accents; the second run has nothing left to do."""
    options = make_trials(tmp_path / "Mesures été", 1)
    command = (
        "batch", str(tmp_path / "Mesures été"), "--out", str(tmp_path / "Résultats"), "--options", str(options),
        "--jobs", "1", "--json",
    )  # fmt: skip
    first = run(*command)
    assert first.exit_code == 0, first.stderr
    (folder,) = results(tmp_path / "Résultats").values()
    assert (folder / REPORT).read_text(encoding="utf-8").lstrip().lower().startswith("<!doctype html>")
    stamp = (folder / REPORT).stat().st_mtime_ns
    second = run(*command)
    assert (second.exit_code, second.figures["earlier"]) == (0, 1)
    assert (folder / REPORT).stat().st_mtime_ns == stamp


def test_bars_on_a_terminal() -> None:
    """One bar for all trials, one for each that runs; what fails is printed above them, brackets and all."""
    display = Display(quiet=False)
    screen = io.StringIO()
    console = Console(file=screen, force_terminal=True, width=100, highlight=False, markup=False)
    display.console = display.bars.live.console = console
    display.bars.disable = False
    display.begins(5, 1)
    display.step("a/" + "very " * 12 + "long [name]", "muscles", 0.4)
    display.step("b", "bands", 0.2)
    display.bars.refresh()
    display.ended(Outcome("b", "b.c3d", "failed", "no [red] markers"))
    display.bars.refresh()
    display.ends()
    shown = screen.getvalue()
    assert "1 of 5" in shown and "2 of 5, 1 failed, 0:00:0" in shown
    assert "...y very very very very long [name]" in shown and "muscles" in shown
    assert "2 of 5: b failed, 0.0 s: no [red] markers" in shown


def test_the_report_is_found_by_other_processes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import softstride.report

    monkeypatch.setattr(
        softstride.report, "write_report", lambda study, path: path.write_text(json.dumps(study))
    )
    write_report("study", tmp_path / "r.html")
    assert (tmp_path / "r.html").read_text() == '"study"'
