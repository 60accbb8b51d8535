"""Which files are trials, and where the results of each go."""

from pathlib import Path

import pytest

from softstride.batch.task import Task
from softstride.batch.trials import find_trials
from softstride.errors import CaptureError, InputError


def make(folder: Path, *names: str) -> Path:
    for name in names:
        file = folder / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.touch()
    return folder


def names(found) -> list[str]:
    return [trial.name for trial in found.trials]


def test_trials_are_called_after_their_places(tmp_path: Path) -> None:
    make(tmp_path, "b/walk.c3d", "a/walk.C3D", "a/été 1.trc", "top.c3d", "a/walk_grf.mot", "notes.txt")
    found = find_trials([tmp_path])
    assert names(found) == ["a/walk", "a/été 1", "b/walk", "top"]
    assert [trial.path for trial in found.trials][3] == tmp_path / "top.c3d"
    assert found.trials[0].request.trial == (tmp_path / "a" / "walk.C3D",)


def test_standing_trials_and_hidden_files_are_left_out(tmp_path: Path) -> None:
    make(tmp_path, "walk.c3d", "Static01.c3d", "subject_T-pose.trc", ".walk.c3d", ".walk.part/x.trc")
    found = find_trials([tmp_path])
    assert names(found) == ["walk"]
    assert sorted(path.name for path, _ in found.left_out) == ["Static01.c3d", "subject_T-pose.trc"]
    assert {why for _, why in found.left_out} == {"a standing trial"}


def test_the_standing_trial_of_the_wishes_is_none(tmp_path: Path) -> None:
    make(tmp_path, "walk.c3d", "cal.c3d")
    found = find_trials([tmp_path], wishes={"static": tmp_path / "cal.c3d"})
    assert names(found) == ["walk"]
    assert found.trials[0].request.static == tmp_path / "cal.c3d"


def test_a_file_that_is_named_is_a_trial(tmp_path: Path) -> None:
    make(tmp_path, "walk.c3d", "walk.trc", "static.c3d")
    assert names(find_trials([tmp_path])) == ["walk"]
    both = find_trials([tmp_path, tmp_path / "static.c3d", tmp_path / "walk.trc"])
    assert names(both) == ["static", "walk.c3d", "walk.trc"]
    assert both.left_out == ()


def test_markers_beside_a_recording_of_the_same_name_are_the_same_trial(tmp_path: Path) -> None:
    make(tmp_path, "walk.c3d", "walk.trc", "run.C3D", "run.trc")
    found = find_trials([tmp_path])
    assert names(found) == ["run", "walk"]
    assert {why for _, why in found.left_out} == {"the same trial as walk.c3d", "the same trial as run.c3d"}


def test_results_of_a_trial_never_hold_those_of_another(tmp_path: Path) -> None:
    """A trial `a.c3d` beside a folder `a` with trials: results of one in the results of the other would be lost."""
    make(tmp_path, "a.c3d", "a/walk.c3d", "a/walk/run.c3d", "trials.csv.c3d")
    assert names(find_trials([tmp_path])) == ["a.c3d", "a/walk.c3d", "a/walk/run", "trials.csv.c3d"]


def test_several_sources_are_told_apart_by_what_they_have_not_in_common(tmp_path: Path) -> None:
    make(tmp_path, "x/data/walk.c3d", "y/data/walk.c3d")
    assert names(find_trials([tmp_path / "x" / "data", tmp_path / "y" / "data"])) == [
        "x/data/walk",
        "y/data/walk",
    ]
    assert names(find_trials([tmp_path / "x/data/walk.c3d", tmp_path / "y"])) == [
        "x/data/walk",
        "y/data/walk",
    ]


def test_a_trial_that_is_named_twice_is_one(tmp_path: Path) -> None:
    make(tmp_path, "walk.c3d")
    try:
        (tmp_path / "link.c3d").symlink_to(tmp_path / "walk.c3d")
    except OSError:
        pytest.skip("no right to make links here")  # Windows asks for one
    found = find_trials([tmp_path, tmp_path / "walk.c3d", tmp_path / ".." / tmp_path.name / "walk.c3d"])
    assert names(found) == ["link", "walk"]  # a link is a trial of its own


def test_results_inside_the_folder_of_the_trials_are_no_trials(tmp_path: Path) -> None:
    make(tmp_path, "walk.c3d", "results/walk/walk.trc")
    assert names(find_trials([tmp_path], out=tmp_path / "results")) == ["walk"]


def test_results_among_the_trials_are_refused(tmp_path: Path) -> None:
    make(tmp_path, "a/walk.c3d")
    for source in (tmp_path, tmp_path / "a"):
        with pytest.raises(
            InputError, match=r"results would lie among the trials in .*, such as walk.c3d: choose"
        ):
            find_trials([source], out=tmp_path / "a")


def test_wishes_go_to_every_trial(tmp_path: Path) -> None:
    make(tmp_path, "a.c3d", "b.c3d")
    found = find_trials([tmp_path], wishes={"model": "gait", "mass": 70.0})
    assert {(trial.request.model, trial.request.mass) for trial in found.trials} == {("gait", 70.0)}


@pytest.mark.parametrize(
    ("files", "sources", "words"),
    [
        ((), (), "name folders or files"),
        ((), (".",), "no file there ends in .c3d or .trc"),
        (("static.c3d",), (".",), "of the 1 files .* none is one; static.c3d is a standing trial"),
        ((), ("nowhere",), "nowhere does not exist"),
        (("model.osim",), ("model.osim",), "is no file of markers: a trial ends in .c3d or .trc"),
    ],
)
def test_what_holds_no_trials_says_so(tmp_path: Path, files, sources, words: str) -> None:
    make(tmp_path, *files)
    with pytest.raises(InputError, match=words):
        find_trials([tmp_path / source for source in sources])


def test_a_folder_that_may_not_be_read_is_no_empty_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Trials behind it would be missing without a word. (Simulated: whoever runs tests may be allowed everything.)"""
    make(tmp_path, "a/walk.c3d", "secret/walk.c3d")
    import os

    scan = os.scandir

    def guarded(path):
        if str(path).endswith("secret"):
            raise PermissionError(13, "Permission denied", str(path))
        return scan(path)

    monkeypatch.setattr(os, "scandir", guarded)
    with pytest.raises(
        CaptureError, match="secret: folder: cannot be read: Permission denied; check its rights"
    ):
        find_trials([tmp_path])


def test_no_trial_is_the_folder_above(tmp_path: Path) -> None:
    """A file of dots keeps its ending, and whoever names a trial by hand stays in the folder of the results."""
    make(tmp_path, "in/...c3d")
    (trial,) = find_trials([tmp_path / "in" / "...c3d"]).trials
    assert trial.name == "...c3d"
    out = tmp_path / "out"
    for name, folder in (("../up", "__/up"), ("/etc/x", "_/etc/x"), ("Anna/walk 03", "Anna/walk 03")):
        assert Task(name, "walk.c3d", trial.request, out).folder == out / folder
