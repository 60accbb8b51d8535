"""The results of a study: the study and its figures are there whatever becomes of the files that are made from it."""

import json
from dataclasses import replace
from pathlib import Path

import pytest

import softstride as ss
from softstride.pipeline import results
from softstride.pipeline.results import EXPORTS, FIGURES, write_results


def names(place: Path) -> set[str]:
    return {file.name for file in place.iterdir()}


@pytest.fixture(scope="module")
def whole(study, tmp_path_factory) -> set[str]:
    """Names of the files where nothing fails."""
    folder = tmp_path_factory.mktemp("whole")
    assert write_results(study, folder).unwritten == ()
    return names(folder)


@pytest.fixture
def broken(monkeypatch: pytest.MonkeyPatch):
    """The ground reaction fails when half of it is there, with a given error."""

    def break_it(error: Exception) -> None:
        def half(_: object, table: Path, document: Path) -> None:
            table.write_text("half")
            raise error

        monkeypatch.setattr(results, "save_ground", half)

    return break_it


@pytest.mark.slow
@pytest.mark.parametrize(
    ("error", "words"),
    [
        (ss.InputError("force 'board' has no side"), "force 'board' has no side"),
        (KeyError("calcn"), "something unexpected happened, please report it: KeyError: 'calcn'"),
        (MemoryError(), "there was not enough memory"),
    ],
)
def test_an_export_that_fails_costs_nothing_else(
    study, tmp_path: Path, whole, broken, error: Exception, words: str
) -> None:
    broken(error)
    told = write_results(study, tmp_path, "digest")
    assert names(tmp_path) == whole - {"running_grf_estimated.mot", "running_grf_estimated.xml"}
    figures = json.loads((tmp_path / FIGURES).read_text())
    assert figures["figures"] == pytest.approx(dict(study.figures)) and figures["digest"] == "digest"
    assert figures["stages"][-1] == vars(ss.Study.stage(told, "ground reaction for OpenSim"))
    assert (figures["stages"][-1]["state"], figures["stages"][-1]["words"]) == ("unwritten", words)
    assert ss.open_study(tmp_path / "running.study.nc").unwritten == told.unwritten
    assert told.failed == study.failed, "the analysis itself did not fail"


@pytest.mark.slow
def test_the_report_lists_what_could_not_be_written(study, tmp_path: Path, broken) -> None:
    from softstride.report import write_report

    broken(ss.InputError("force <board> has no side"))
    write_results(study, tmp_path, extra={"report": lambda told, at: write_report(told, at / "report.html")})
    page = (tmp_path / "report.html").read_text(encoding="utf-8")
    assert "not written</span> ground reaction for OpenSim: force &lt;board&gt; has no side" in page


@pytest.mark.slow
@pytest.mark.parametrize("name", EXPORTS)
def test_each_export_may_fail(study, tmp_path: Path, whole, monkeypatch, name: str) -> None:
    def fail(_: ss.Study, folder: Path) -> list[str]:
        (folder / "half").write_text("half")
        raise ss.CaptureError(folder / "half", "file", "cannot be written", "check the disk")

    monkeypatch.setattr(results, "EXPORTS", {**EXPORTS, name: fail})
    told = write_results(study, tmp_path)
    assert [(each.name, each.words) for each in told.unwritten] == [
        (name, "half: file: cannot be written; check the disk")
    ]
    assert names(tmp_path) < whole and {FIGURES, "running.study.nc"} <= names(tmp_path)


def test_without_study_or_figures_there_are_no_results(study, tmp_path: Path, monkeypatch) -> None:
    def full(*_: object, **__: object) -> None:
        raise ss.CaptureError(FIGURES, "file", "cannot be written", "check the disk")

    monkeypatch.setattr(results, "EXPORTS", {})
    monkeypatch.setattr(results, "_write_figures", full)
    with pytest.raises(ss.CaptureError, match="cannot be written"):
        write_results(study, tmp_path)


@pytest.mark.slow
def test_no_name_leads_out_of_the_folder(study, tmp_path: Path) -> None:
    """A trial and links that are called like other places, or alike once they are names of files."""
    (blade,) = study.blades.values()
    names_of = (str(tmp_path / "outside"), "../../up", "a/b", "a_b")
    evil = study.changed(name="../../walk", blades=dict.fromkeys(names_of, blade))
    folder = tmp_path / "one" / "two"
    folder.mkdir(parents=True)
    assert write_results(evil, folder).unwritten == ()
    assert names(tmp_path) == {"one"} and names(tmp_path / "one") == {"two"}
    assert {".._.._walk.study.nc", ".._.._walk_id.sto"} <= names(folder)
    assert {"a_b_force.csv", "a_b_force_2.csv", ".._.._up_force.csv"} <= names(folder / "csv")


@pytest.mark.slow
def test_no_name_is_a_formula_in_a_spreadsheet(study, tmp_path: Path) -> None:
    labels = ("=HYPERLINK(A1)", *study.emg.labels[1:])
    write_results(study.changed(emg=replace(study.emg, labels=labels)), tmp_path)
    head, first = (tmp_path / "csv" / "emg_envelopes.csv").read_text(encoding="utf-8").splitlines()[:2]
    assert head.startswith("time_s,'=HYPERLINK(A1),")
    assert float(first.split(",")[0]) == pytest.approx(study.emg.time[0])


@pytest.mark.parametrize("left", [1, 2])
def test_a_disk_that_fills_up_during_exports_costs_no_results(
    study, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, left: int
) -> None:
    """The study and its figures are written once, and then there is room for little more."""
    save, figures, room = results.save_study, results._write_figures, iter([True, True, *[False] * 9])
    full = ss.CaptureError("disk", "file", "cannot be written: No space left on device", "make room")

    def written(write):
        def once(*given, **options):
            if not next(room):
                raise full
            return write(*given, **options)

        return once

    def sheets(*_):
        raise full

    monkeypatch.setattr(results, "EXPORTS", dict.fromkeys(("sheets", "motion for OpenSim")[:left], sheets))
    monkeypatch.setattr(results, "save_study", written(save))
    monkeypatch.setattr(results, "_write_figures", written(figures))
    told = write_results(study, tmp_path)
    assert len(told.unwritten) == left and names(tmp_path) == {"running.study.nc", FIGURES}
    assert ss.open_study(tmp_path / "running.study.nc").motion.n_frames == study.motion.n_frames
