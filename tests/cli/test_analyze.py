"""`softstride analyze`: one folder for a trial, a page for several, and words that a clinician understands."""

import json
import shutil
from pathlib import Path

import pytest
from tests.study.studies import packaged

import softstride as ss
from softstride.cli.analyze_runs import plan
from softstride.digital_athlete.person import estimator_model
from softstride.pipeline import Request

QUICK = (
    "[analysis]\nlowpass = 8.0\nestimate = false\nbands = false\nreactions = false\ntime_range = [0.4, 0.5]\n"
)


@pytest.fixture(scope="module")
def lab(tmp_path_factory) -> Path:
    """A folder as a laboratory has it: a trial, the model of the person beside it, settings."""
    lab = tmp_path_factory.mktemp("labo") / "été 2026"
    lab.mkdir()
    shutil.copy(packaged(), lab / "course 1.c3d")
    ss.save_model(estimator_model().replace(muscles={}, wraps={}), lab / "athlete.json")
    (lab / "quick.toml").write_text(QUICK, encoding="utf-8")
    return lab


def test_one_trial(run, lab: Path, tmp_path: Path) -> None:
    out = tmp_path / "résultats"
    arguments = (
        "analyze",
        str(lab / "course 1.c3d"),
        "--options",
        str(lab / "quick.toml"),
        "--out",
        str(out),
    )
    done = run(*arguments, "--no-report")
    assert done.exit_code == 0, done.words
    for words in (
        "course 1: 21 frames, 0.10 s",
        "done kinematics",
        "skipped muscles: the model has no muscles",
    ):
        assert words in done.words
    for words in ("distance of markers, rms", "mm good", f"results: {out}"):
        assert words in done.words
    assert (out / "course 1.study.nc").is_file() and (out / "course 1_id.sto").is_file()
    again = run(*arguments, "--no-report", "--json")
    assert again.exit_code == 0 and again.figures["already_done"] is True
    assert (
        again.figures["marker_rms_mm"]
        == json.loads((out / "figures.json").read_text())["figures"]["marker_rms_mm"]
    )
    assert again.figures["out"] == str(out) and again.figures["failed_steps"] == ""
    assert all(not isinstance(value, (dict, list)) for value in again.figures.values()), "one flat object"
    other = run(*arguments, "--no-report", "--mass", "50")
    assert other.exit_code == 2 and "holds results already" in other.stderr and "--overwrite" in other.stderr


def test_it_is_silent_if_asked(run, lab: Path, tmp_path: Path) -> None:
    done = run(
        *(
            "analyze",
            str(lab / "course 1.c3d"),
            "--options",
            str(lab / "quick.toml"),
            "--time",
            "0.4",
            "0.45",
        ),
        *("--out", str(tmp_path / "run"), "--no-report", "--quiet"),
    )
    assert done.exit_code == 0 and done.stdout == ""
    assert ss.open_study(tmp_path / "run" / "course 1.study.nc").motion.n_frames == 11


@pytest.mark.slow
def test_several_trials_one_of_them_broken(run, lab: Path, tmp_path: Path, monkeypatch) -> None:
    """The others are done, and a page lists them all; names that markup would read are only text."""
    monkeypatch.chdir(tmp_path)
    for name in ("a<b>&c", "d"):
        shutil.copy(packaged(), lab / f"{name}.c3d")
    (lab / "broken.c3d").write_bytes(b"not a recording")
    trials = [str(lab / f"{name}.c3d") for name in ("a<b>&c", "broken", "d")]
    done = run("analyze", *trials, "--options", str(lab / "quick.toml"), "--json")
    assert done.exit_code == 2
    assert "broken: " in done.stderr and "Traceback" not in done.stderr
    figures = done.figures
    assert figures["trials"] == 3 and figures["trials_failed"] == 1 and figures["broken.error"]
    assert figures["d.frames"] == 21 and figures["a<b>&c.error"] == ""
    page = (tmp_path / "results" / "index.html").read_text(encoding="utf-8")
    assert "a&lt;b&gt;&amp;c" in page and "a<b>" not in page and "report.html" in page
    assert (tmp_path / "results" / "d" / "report.html").stat().st_size > 100_000
    assert not (tmp_path / "results" / "broken").exists()
    table = run("analyze", *trials[::2], "--options", str(lab / "quick.toml"))
    assert table.exit_code == 0 and "Figures of merit" in table.words and "index.html" in table.words


@pytest.mark.slow
def test_files_that_cannot_be_written_have_an_exit_code(run, lab: Path, tmp_path: Path, monkeypatch) -> None:
    """The results are there, also for whoever gives the same command again."""

    def fail(*_: object) -> None:
        raise ss.InputError("no paper")

    monkeypatch.setattr("softstride.pipeline.results.tables_of", fail)
    out = tmp_path / "run"
    arguments = ("analyze", str(lab / "course 1.c3d"), "--options", str(lab / "quick.toml"), "--no-report")
    for known in (False, True):
        done = run(*arguments, "--out", str(out), "--json")
        assert done.exit_code == 3 and "course 1: tables not written: no paper" in done.stderr
        assert done.figures["unwritten_files"] == "tables: no paper" and done.figures["failed_steps"] == ""
        assert done.figures["already_done"] is known
    assert (out / "course 1.study.nc").is_file() and not (out / "csv").exists()
    told = run(*arguments, "--out", str(out))
    assert told.exit_code == 3 and "not written tables: no paper" in told.words


def test_two_trials_of_one_name(run, lab: Path, tmp_path: Path) -> None:
    (tmp_path / "x").mkdir()
    same = str(lab / "course 1.c3d")
    done = run("analyze", same, same, "--out", str(tmp_path / "r"))
    assert done.exit_code == 2 and "two trials are called" in done.stderr


def test_the_template(run, tmp_path: Path, monkeypatch) -> None:
    monkeypatch.chdir(tmp_path)
    done = run("analyze", "--template")
    assert done.exit_code == 0 and "softstride.toml" in done.words
    from softstride.pipeline import template

    assert (tmp_path / "softstride.toml").read_text(encoding="utf-8") == template()
    again = run("analyze", "--template")
    assert again.exit_code == 2 and "exists already" in again.stderr
    assert run("analyze", "--template", "--options", "lab.toml", "--quiet").stdout == ""
    assert (tmp_path / "lab.toml").is_file()


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ((), "name a trial, such as softstride analyze walk.c3d"),
        (
            ("{lab}/gone.c3d",),
            "gone.c3d: file: cannot be read: No such file or directory; check the name and the rights",
        ),
        (("{lab}",), "is a folder: name a trial in it, a .c3d or .trc file, such as"),
        (("{lab}/course 1.c3d", "--options", "{lab}/gone.toml"), "gone.toml: file: cannot be read"),
        (("{lab}/course 1.c3d", "--model", "{lab}/gone.osim"), "gone.osim: no such file"),
        (("{lab}/course 1.c3d", "--sex", "x"), "sex must be male or female"),
        (("{lab}/course 1.c3d", "--mass", "-3"), "mass must be a number above 0"),
        (("{lab}/course 1.c3d", "--out", "{lab}/quick.toml"), "is a file, however results need a folder"),
        (("{lab}/course 1.c3d", "--out", "{lab}"), "holds other files than results of softstride"),
        (("a.trc", "b.trc", "--with", "c.mot"), "--with belongs to one trial"),
    ],
    ids=lambda value: "" if isinstance(value, tuple) else value[:20],
)
def test_what_is_refused_in_plain_words(
    run, lab: Path, tmp_path: Path, monkeypatch, arguments, words: str
) -> None:
    monkeypatch.chdir(tmp_path)
    done = run("analyze", *(text.replace("{lab}", str(lab)) for text in arguments))
    assert done.exit_code == 2 and words in done.stderr
    assert list(tmp_path.iterdir()) == [], "nothing is left"


def test_help_has_examples(run) -> None:
    done = run("analyze", "--help")
    assert done.exit_code == 0 and "Example: softstride analyze walk.c3d" in done.words
    for word in ("--template", "--options", "--with", "--static", "--no-report"):
        assert word in done.words


def test_trials_called_like_folders_above_have_results_of_their_own(tmp_path: Path) -> None:
    requests = [Request((tmp_path / name,)) for name in ("...c3d", "walk.c3d")]
    assert [run.folder for run in plan(requests, tmp_path)] == [tmp_path / "__", tmp_path / "walk"]
    assert plan(requests[:1], None)[0].folder.name == "___results"
