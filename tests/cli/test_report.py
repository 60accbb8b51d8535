"""`softstride report` writes the page of a study, says what to look at, and refuses what it cannot do."""

from collections.abc import Callable
from pathlib import Path

import pytest
from tests.cli.conftest import Run
from tests.trials import pushed_walker

from softstride.dynamics import solve_id
from softstride.study import Stage, Study


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the study of a person of a few links, pushed at both feet."""
    made = tmp_path_factory.mktemp("results with spaces é")
    model, motion, recording = pushed_walker("free")
    stages = (Stage("measured loads"), Stage("muscles", "failed", "the model has no muscles"))
    loads = solve_id(model, motion, recording)
    Study("trial", recording, model, motion, measured=loads, stages=stages).save(made / "trial.study.nc")
    return made


def test_the_page_goes_beside_the_study(run: Callable[..., Run], folder: Path) -> None:
    done = run("report", str(folder / "trial.study.nc"), "--overwrite")
    page = folder / "trial.html"
    assert done.exit_code == 0 and page.read_text(encoding="utf-8").startswith("<!DOCTYPE html>")
    assert f"wrote {page}" in done.words and "MB)" in done.words
    assert "failed muscles: the model has no muscles" in done.words
    assert "do not rely on it frames with an unbelievable residual" in done.words  # forces are random numbers


def test_the_folder_of_an_analysis_will_do(run: Callable[..., Run], folder: Path, tmp_path: Path) -> None:
    out = tmp_path / "new" / "page.html"
    done = run("report", str(folder), "--out", str(out), "--no-replay", "--json")
    assert done.exit_code == 0 and 'id="scene"' not in out.read_text(encoding="utf-8")
    assert done.figures["out"] == str(out) and done.figures["bytes"] == out.stat().st_size
    assert done.figures["verdict"] == "bad" and done.figures["failed"] == 1
    assert done.figures["bad"] >= 1 and {"good", "look"} <= set(done.figures)


def test_norms_are_taken_from_a_file(run: Callable[..., Run], folder: Path, tmp_path: Path) -> None:
    norms, out = tmp_path / "norms.csv", tmp_path / "page.html"
    norms.write_text("pct_stride,grf_vertical_N_per_kg_mean\n0,1\n100,2\n", encoding="utf-8")
    assert run("report", str(folder), "--out", str(out), "--norms", str(norms), "--quiet").words.strip() == ""
    assert "Norm: norms.csv." in out.read_text(encoding="utf-8")
    refused = run(
        "report", str(folder), "--out", str(tmp_path / "x.html"), "--norms", str(tmp_path / "none.csv")
    )
    assert refused.exit_code == 2 and "none.csv: file: cannot be read" in refused.words


def test_what_cannot_be_written_is_refused(run: Callable[..., Run], folder: Path, tmp_path: Path) -> None:
    taken = tmp_path / "taken.html"
    taken.write_text("mine", encoding="utf-8")
    refused = run("report", str(folder), "--out", str(taken))
    assert refused.exit_code == 2 and "--overwrite" in refused.words and taken.read_text() == "mine"
    assert "must end in .html" in run("report", str(folder), "--out", str(tmp_path / "page.pdf")).words


def test_what_is_no_study_is_refused(run: Callable[..., Run], tmp_path: Path) -> None:
    nowhere = tmp_path / "nowhere" / "x.study.nc"
    refused = run("report", str(nowhere))
    assert refused.exit_code == 2 and "No such file" in refused.words and not nowhere.parent.exists()
    broken = tmp_path / "x.study.nc"
    broken.write_bytes(b"no study")
    assert run("report", str(broken)).exit_code == 2
    assert not (tmp_path / "x.html").exists()
