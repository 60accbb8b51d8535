"""A folder of results is there whole or not at all, whatever goes wrong, and what was cut short goes on."""

import errno
import json
import os
from pathlib import Path

import pytest
from tests.study.studies import differences
from tests.systems import links

import softstride as ss
from softstride import files
from softstride.pipeline import analyze_to_folder, folder
from softstride.pipeline.folder import finished
from softstride.pipeline.results import FIGURES


def names(place: Path) -> set[str]:
    return {file.name for file in place.iterdir()}


def apart_from_times(one: ss.Study, two: ss.Study) -> list[str]:
    return [each for each in differences(one, two) if ".stages." not in each]


@pytest.fixture
def place(tmp_path: Path) -> Path:
    """A folder with a blank and an accent."""
    place = tmp_path / "été 2026, marche à pied"
    place.mkdir()
    return place


@pytest.fixture(scope="module")
def whole(short, tmp_path_factory) -> tuple[ss.Study, Path]:
    """An analysis that nothing disturbed."""
    out = tmp_path_factory.mktemp("whole") / "run"
    return analyze_to_folder(short, out), out


def test_one_folder_and_nothing_beside_it(short, place: Path, whole) -> None:
    out = place / "results" / "run é"
    study = analyze_to_folder(short, out)
    assert apart_from_times(study, whole[0]) == []
    assert names(out.parent) == {"run é"} and names(out) == names(whole[1])
    assert apart_from_times(ss.open_study(out / "running.study.nc"), whole[0]) == []


def test_finished_knows_its_inputs(short, whole) -> None:
    digest = short.completed().digest()
    assert finished(whole[1], digest) and not finished(whole[1], "other")
    assert not finished(whole[1].parent, digest)
    assert not finished(whole[1], short.changed(mass=1.0).completed().digest())


def test_results_are_not_replaced_unasked(short, place: Path, whole) -> None:
    out = place / "run"
    analyze_to_folder(short, out)
    (out / "mine.txt").write_text("notes")
    with pytest.raises(ss.InputError, match=r"holds results already.*--overwrite"):
        analyze_to_folder(short, out)
    assert (out / "mine.txt").exists()
    analyze_to_folder(short, out, overwrite=True)
    assert not (out / "mine.txt").exists() and names(place) == {"run"}


def test_a_folder_of_somebody_else_is_never_touched(short, place: Path) -> None:
    out = place / "photos"
    out.mkdir()
    (out / "me.jpg").write_text("x")
    with pytest.raises(
        ss.InputError, match="holds other files than results of softstride: choose another folder"
    ):
        analyze_to_folder(short, out, overwrite=True)
    (place / "file").write_text("x")
    with pytest.raises(ss.InputError, match="is a file, however results need a folder"):
        analyze_to_folder(short, place / "file")
    assert names(place) == {"photos", "file"} and names(out) == {"me.jpg"}


def test_an_empty_folder_may_be_filled(short, place: Path) -> None:
    (place / "run").mkdir()
    analyze_to_folder(short, place / "run")
    assert (place / "run" / FIGURES).is_file() and names(place) == {"run"}


def test_a_folder_that_cannot_be_made(short, place: Path) -> None:
    (place / "file").write_text("x")
    with pytest.raises(
        ss.CaptureError, match=r"cannot be written: (Not a directory|File exists).*choose another folder"
    ):
        analyze_to_folder(short, place / "file" / "run")
    assert names(place) == {"file"}


def test_no_permission(short, place: Path, monkeypatch) -> None:
    """As root nothing is forbidden, so that the system's answer is played."""

    def forbidden(*_: object, **__: object) -> None:
        raise PermissionError(errno.EACCES, "Permission denied")

    monkeypatch.setattr(Path, "mkdir", forbidden)
    with pytest.raises(ss.CaptureError, match="cannot be written: Permission denied; check rights and room"):
        analyze_to_folder(short, place / "run")
    assert names(place) == set()


@pytest.mark.slow
@pytest.mark.parametrize("first", [0, 4, 2])
def test_a_full_disk_leaves_nothing_half_written(short, place: Path, whole, monkeypatch, first: int) -> None:
    """The disk is full from the given write on; afterwards the same command does the rest."""
    monkeypatch.setattr(folder, "WORTH", 0.0)
    real, writes = os.fsync, iter(range(1000))

    def full(file: int) -> None:
        if next(writes) >= first:
            raise OSError(errno.ENOSPC, "No space left on device")
        real(file)

    with monkeypatch.context() as patch:
        patch.setattr(files.os, "fsync", full)
        with pytest.raises(ss.SoftstrideError, match="No space left on device"):
            analyze_to_folder(short, place / "run")
    assert not (place / "run").exists()
    left = [file for file in place.rglob("*") if file.is_file()]
    assert all(file.name in (folder.CHECKPOINT, folder.DIGEST) for file in left), left
    study = analyze_to_folder(short, place / "run")
    assert apart_from_times(study, whole[0]) == [] and names(place) == {"run"}


@pytest.mark.slow
def test_a_disk_that_is_full_after_the_results_costs_none(short, place: Path, whole, monkeypatch) -> None:
    """Study and figures have been written; what is made from them says that it is missing."""
    monkeypatch.setattr(folder, "WORTH", 0.0)
    real, writes = os.fsync, iter(range(1000))

    def full(file: int) -> None:
        if next(writes) >= 13:
            raise OSError(errno.ENOSPC, "No space left on device")
        real(file)

    with monkeypatch.context() as patch:
        patch.setattr(files.os, "fsync", full)
        told = analyze_to_folder(short, place / "run")
    assert told.unwritten and all("No space left" in stage.words for stage in told.unwritten)
    assert (place / "run" / FIGURES).is_file() and names(place) == {"run"}
    study = ss.open_study(place / "run" / "running.study.nc")
    assert apart_from_times(study, whole[0]) == []


@pytest.mark.slow
def test_a_checkpoint_of_other_inputs_is_not_believed(short, place: Path, monkeypatch) -> None:
    """Cut short with one mass, then cut short at once with other wishes: the first checkpoint must be gone."""
    monkeypatch.setattr(folder, "WORTH", 0.0)
    cut_short(short, place / "run", "comparison")
    other = short.changed(options=short.options.changed(time_range=(0.6, 0.7)))
    cut_short(other, place / "run", "files and model")
    study = analyze_to_folder(other, place / "run")
    assert study.motion.time[0] == pytest.approx(0.6) and names(place) == {"run"}


@pytest.mark.slow
def test_it_goes_on_where_it_was(short, place: Path, monkeypatch, whole) -> None:
    monkeypatch.setattr(folder, "WORTH", 0.0)
    cut_short(short, place / "run", "comparison")
    assert names(place) == {".run.part"}
    seen: list[str] = []
    done = ss.open_study(place / ".run.part" / folder.CHECKPOINT).stages
    study = analyze_to_folder(short, place / "run", progress=lambda name, _: seen.append(name))
    assert "kinematics" not in seen and "files and model" not in seen
    assert study.stages[: len(done)] == done and apart_from_times(study, whole[0]) == []
    assert names(place) == {"run"}


@pytest.mark.slow
def test_a_damaged_checkpoint_is_done_again(short, place: Path, monkeypatch, whole) -> None:
    monkeypatch.setattr(folder, "WORTH", 0.0)
    cut_short(short, place / "run", "comparison")
    file = place / ".run.part" / folder.CHECKPOINT
    file.write_bytes(file.read_bytes()[:-1000])
    assert apart_from_times(analyze_to_folder(short, place / "run"), whole[0]) == []


def test_short_work_is_not_worth_a_file(short, place: Path) -> None:
    cut_short(short, place / "run", "comparison")
    assert not (place / ".run.part" / folder.CHECKPOINT).exists()


@links
@pytest.mark.parametrize("there", [True, False])
def test_results_go_where_a_link_leads(short, place: Path, whole, there: bool) -> None:
    """To a folder that is there, or to one that is not yet; the link stays."""
    disk, link = place / "big disk" / "run", place / "run"
    if there:
        disk.mkdir(parents=True)
    link.symlink_to(disk, target_is_directory=True)
    for overwrite in (False, True):
        analyze_to_folder(short, link, overwrite=overwrite)
        assert link.is_symlink() and link.resolve() == disk.resolve()
        assert names(disk) == names(whole[1]) and names(disk.parent) == {"run"}
    assert names(place) == {"run", "big disk"}


def test_a_second_analysis_is_kept_out(short, place: Path) -> None:
    """While one is at work another is refused, whatever it is allowed to replace, and touches nothing."""
    refused = []

    def second(name: str, _: float) -> None:
        if name == "comparison":
            before = sorted(place.rglob("*"))
            with pytest.raises(ss.SoftstrideError, match="run: somebody else writes the same results"):
                analyze_to_folder(short, place / "run", overwrite=True)
            refused.append(sorted(place.rglob("*")) == before)

    analyze_to_folder(short, place / "run", progress=second)
    assert refused == [True] and names(place) == {"run"}


def test_files_of_others_that_appear_meanwhile_are_not_replaced(short, place: Path) -> None:
    def other(name: str, _: float) -> None:
        if name == "comparison":
            (place / "run").mkdir()
            (place / "run" / "me.jpg").write_text("x")

    with pytest.raises(ss.InputError, match="holds other files"):
        analyze_to_folder(short, place / "run", overwrite=True, progress=other)
    assert names(place) == {"run"} and names(place / "run") == {"me.jpg"}


def test_what_is_kept_is_told(short, place: Path, monkeypatch) -> None:
    assert folder.kept(place / "run") is None
    cut_short(short, place / "run", "comparison")
    assert folder.kept(place / "run") is None and names(place) == set(), "a moment is not worth a file"
    monkeypatch.setattr(folder, "WORTH", 0.0)
    cut_short(short, place / "run", "measured loads")
    work, steps = folder.kept(place / "run")
    assert work == (place / ".run.part").resolve() and steps == ("capture", "kinematics", "estimated loads")


def test_an_error_leaves_nothing_to_clear_away(short, place: Path) -> None:
    with pytest.raises(ss.SoftstrideError):
        analyze_to_folder(short.changed(model=str(place / "gone.osim")), place / "run")
    assert names(place) == set()


@pytest.mark.slow
def test_extra_files_are_part_of_the_whole(short, place: Path) -> None:
    def write(study: ss.Study, where: Path) -> None:
        assert not (place / "run").exists(), "the name comes last"
        (where / "report.html").write_text(study.name)

    analyze_to_folder(short, place / "run", extra={"report": write})
    assert (place / "run" / "report.html").read_text() == "running"


@pytest.mark.slow
def test_results_stay_when_an_export_fails(short, place: Path, whole) -> None:
    def fail(study: ss.Study, where: Path) -> None:
        (where / "report.html").write_text("half")
        raise ss.InputError("no ink")

    study = analyze_to_folder(short, place / "run", extra={"report": fail})
    assert [(each.name, each.words) for each in study.unwritten] == [("report", "no ink")]
    assert names(place) == {"run"} and names(place / "run") == names(whole[1])
    assert ss.open_study(place / "run" / "running.study.nc").unwritten == study.unwritten


def test_the_plug_pulled_while_results_are_replaced(short, place: Path, whole, monkeypatch) -> None:
    """Between the two renames the old results stand aside: the next run puts them back first."""
    analyze_to_folder(short, place / "run")
    (place / "run").rename(place / ".run.old")
    with pytest.raises(ss.InputError, match="holds results already"):
        analyze_to_folder(short, place / "run")
    assert json.loads((place / "run" / FIGURES).read_text())["name"] == "running"
    assert names(place) == {"run"}


@pytest.mark.slow
def test_old_results_stay_if_the_new_ones_cannot_take_their_place(short, place: Path, monkeypatch) -> None:
    analyze_to_folder(short, place / "run")
    real = Path.rename

    def stuck(self: Path, target: Path) -> Path:
        if self.name == folder.RESULTS:
            raise OSError(errno.EBUSY, "Device or resource busy")
        return real(self, target)

    with monkeypatch.context() as patch:
        patch.setattr(Path, "rename", stuck)
        with pytest.raises(ss.CaptureError, match="Device or resource busy"):
            analyze_to_folder(short, place / "run", overwrite=True)
    assert (place / "run" / FIGURES).is_file() and not (place / ".run.old").exists()


def cut_short(request, out: Path, step: str) -> None:
    """Interrupt an analysis as it comes to a step."""

    def stop(name: str, _: float) -> None:
        if name == step:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        analyze_to_folder(request, out, progress=stop)
