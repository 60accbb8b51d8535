"""`Request`: what it refuses, and a digest that changes with all that results depend on, and with nothing else."""

import shutil
from pathlib import Path

import pytest
from tests.files import document, element, objects
from tests.refusals import bad_input
from tests.study.studies import packaged

import softstride as ss
from softstride.pipeline import Request, prepare_trial


@bad_input(
    ss.InputError,
    ({"trial": ()}, "there is no trial to analyse"),
    ({"mass": -1}, "mass must be a number above 0"),
    ({"height": "tall"}, "height must be a number above 0"),
    ({"sex": "other"}, "sex must be male or female"),
    ({"speed": 1}, "'speed' is no field of a request"),
)
def test_what_is_refused(refuses) -> None:
    refuses(Request("walk.c3d").changed)


@pytest.fixture
def folder(tmp_path: Path, model_file: Path) -> Path:
    shutil.copy(packaged(), tmp_path / "run.c3d")
    shutil.copy(model_file, tmp_path / "athlete.json")
    return tmp_path


def digest(folder: Path, **changes) -> str:
    return Request(folder / "run.c3d", **changes).completed().digest()


def test_the_digest_is_of_contents_and_wishes(folder: Path, tmp_path_factory) -> None:
    first = digest(folder)
    assert first == digest(folder), "the same again"
    changed = [
        digest(folder, mass=70.0),
        digest(folder, sex="male"),
        digest(folder, model="gait"),
        digest(folder, prosthesis={"side": "right"}),
        digest(folder, options=ss.AnalyzeOptions(power=3)),
        digest(folder, options=ss.AnalyzeOptions(mvc={"a": 1.0})),
    ]
    assert len({first, *changed}) == len(changed) + 1
    elsewhere = tmp_path_factory.mktemp("other place é")
    shutil.copytree(folder, elsewhere, dirs_exist_ok=True)
    assert digest(elsewhere) == first, "where files lie does not matter"
    (folder / "notes.txt").write_text("x")
    (folder / "run2.c3d").write_bytes(b"x")
    assert digest(folder) == first, "nor do other files"


@pytest.mark.parametrize("name", ["run.c3d", "athlete.json", "static.c3d"])
def test_the_digest_changes_with_each_file(folder: Path, name: str) -> None:
    first = digest(folder)
    with (folder / name).open("ab") as stream:
        stream.write(b" ")
    assert digest(folder) != first


def test_the_digest_knows_the_tables_of_external_loads(tmp_path: Path) -> None:
    (tmp_path / "run.trc").write_text("x")
    (tmp_path / "run_grf.xml").write_text(element("ExternalLoads", datafile="run_grf.mot"))
    (tmp_path / "run_grf.mot").write_text("1")
    request = Request(tmp_path / "run.trc")
    assert [file.name for file in request.completed().trial] == ["run.trc", "run_grf.xml"]
    first = request.completed().digest()
    (tmp_path / "run_grf.mot").write_text("2")
    assert request.completed().digest() != first


def test_a_trial_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(ss.CaptureError, match="No such file"):
        Request(tmp_path / "walk.c3d").digest()


def test_a_folder_in_the_place_of_a_trial(folder: Path, tmp_path_factory) -> None:
    with pytest.raises(
        ss.InputError, match=r"is a folder: name a trial in it, a \.c3d or \.trc file, such as run\.c3d"
    ):
        prepare_trial(Request(folder))
    with pytest.raises(ss.InputError, match="there is none in this one"):
        prepare_trial(Request(tmp_path_factory.mktemp("empty")))


def test_the_model_beside_is_found_and_told(folder: Path) -> None:
    recording, model, options = prepare_trial(Request(folder / "run.c3d"))
    assert recording.name == "run" and model.nv == 52 and options.weights is None
    assert model.notes[-1].code == "model.found-beside"
    assert "athlete.json, found beside the trial" in str(model.notes[-1])


def test_weights_of_tasks_beside(folder: Path) -> None:
    weights = {"RASI": 10.0, "LASI": 5.0, "RKNE": 0.0, "Nobody": 1.0}
    tasks = (element("IKMarkerTask", name=name, apply="true", weight=each) for name, each in weights.items())
    (folder / "ik.xml").write_text(document(objects("IKTaskSet", *tasks, name="t")))
    _, model, options = prepare_trial(Request(folder / "run.c3d"))
    assert dict(options.weights) == {"RASI": 10.0, "LASI": 5.0}
    assert model.notes[-1].code == "markers.weights-from-tasks"
    assert str(model.notes[-1]) == "weights of 2 markers: ik.xml"
    own = ss.AnalyzeOptions(weights={"RASI": 1.0})
    assert prepare_trial(Request(folder / "run.c3d", options=own))[2].weights == {"RASI": 1.0}
    (folder / "ik.xml").write_text((folder / "ik.xml").read_text().replace("ASI", "XXX"))
    with pytest.raises(ss.InputError, match=r"no marker with a weight.*--tasks"):
        prepare_trial(Request(folder / "run.c3d"))
