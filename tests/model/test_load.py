"""Models by name or from files, and back to files."""

import inspect

import pytest
from tests.model.native.compare import differences
from tests.model.native.zoo import zoo

from softstride.errors import ModelError
from softstride.model import ModelBuilder, athlete
from softstride.model.load import PACKAGED, load_model, save_model
from softstride.notes import Note


@pytest.mark.parametrize(("name", "blade"), [("athlete", True), ("athlete-rigid", False)])
def test_packaged_athlete(name: str, blade: bool) -> None:
    assert list(differences(load_model(name), athlete(blade))) == []


def test_options_reach_the_builder() -> None:
    assert list(differences(load_model("athlete", blade=False), athlete(False))) == []


@pytest.mark.parametrize("name", ["human", "gait"])
def test_packaged_people(name: str) -> None:
    library = pytest.importorskip("softstride.model.library.human")
    build = {"human": "human", "gait": "gait_person"}[name]
    if not hasattr(library, build):
        pytest.skip("no packaged person")
    model = load_model(name, mass=61.0, height=1.62, sex="female")
    assert model.mass == pytest.approx(61.0, rel=1e-6)  # what was asked for
    assert list(differences(model, getattr(library, build)(mass=61.0, height=1.62, sex="female"))) == []
    with pytest.raises(
        ModelError, match=f"model '{name}' has no option 'weight'; it takes: mass, height, sex"
    ):
        load_model(name, weight=61.0)


def test_native_files(tmp_path) -> None:
    model = zoo()
    assert save_model(model, tmp_path / "zoo.JSON") == ()
    assert list(differences(load_model(tmp_path / "zoo.JSON"), model)) == []
    assert list(differences(load_model(str(tmp_path / "zoo.JSON")), model)) == []
    with pytest.raises(ModelError, match="exists already"):
        save_model(athlete(), tmp_path / "zoo.JSON")
    save_model(athlete(), tmp_path / "zoo.JSON", overwrite=True)
    assert load_model(tmp_path / "zoo.JSON").name == athlete().name


def test_opensim_files(shared_data) -> None:
    osim = pytest.importorskip("softstride.model.formats.osim")
    if not hasattr(osim, "read_osim"):
        pytest.skip("no reader of .osim files")
    file = shared_data / "walk_gait2354" / "gait2354_simbody.osim"
    model = load_model(file)
    assert list(differences(model, osim.read_osim(file))) == []
    assert "femur_r" in model.link_names


def test_files_of_other_bodies(tmp_path) -> None:
    """A crane of 2000 kg, in both formats."""
    builder = ModelBuilder("crane")
    builder.revolute("boom", axis=(0, 0, 1), mass=2000.0)
    for name in ("crane.json", "crane.osim"):
        save_model(builder.build(), tmp_path / name)
        with pytest.raises(ModelError, match=f"{name}: the model weighs 2000 kg"):
            load_model(tmp_path / name)
        assert load_model(tmp_path / name, plausible=False).mass == 2000.0


def test_opensim_files_are_written(tmp_path) -> None:
    writer = pytest.importorskip("softstride.model.formats.osim_write")
    if not hasattr(writer, "write_osim"):
        pytest.skip("no writer of .osim files")
    notes = save_model(athlete(False), tmp_path / "athlete.osim")
    assert all(isinstance(note, Note) for note in notes)
    assert load_model(tmp_path / "athlete.osim").mass == pytest.approx(athlete(False).mass, rel=1e-12)


@pytest.mark.parametrize(
    ("source", "message"),
    [
        ("acrobat", "no packaged model 'acrobat'; there are: human, gait, athlete, athlete-rigid; a file needs"),
        ("Humam", "Did you mean 'human'?"),
        ("athlete_rigid", "Did you mean 'athlete-rigid'?"),
        ("model.urdf", "no reader for .urdf files; models are .osim and .json files, or: human, gait"),
        ("", "no packaged model ''"),
    ],
)  # fmt: skip
def test_what_is_no_model(source: str, message: str) -> None:
    with pytest.raises(ModelError) as error:
        load_model(source)
    assert message in str(error.value)


def test_misspelt_files(tmp_path) -> None:
    save_model(athlete(), tmp_path / "subject01.json")
    with pytest.raises(ModelError, match=r"subjekt01\.json: no such file; did you mean 'subject01\.json'\?"):
        load_model(tmp_path / "subjekt01.json")
    with pytest.raises(ModelError, match=r"subject01\.osim: no such file; did you mean 'subject01\.json'\?"):
        load_model(tmp_path / "subject01.osim")
    with pytest.raises(
        ModelError, match=r"gait\.osim: no such file; the packaged model is 'gait', without a suffix"
    ):
        load_model(tmp_path / "gait.osim")
    with pytest.raises(ModelError, match=r"zzz\.json: no such file; check name and folder"):
        load_model(tmp_path / "zzz.json")
    with pytest.raises(ModelError, match="there is no folder"):
        load_model(tmp_path / "nowhere" / "subject01.json")


def test_a_path_is_never_a_packaged_name(tmp_path) -> None:
    with pytest.raises(ModelError, match="no packaged model"):
        load_model(tmp_path / "human")


@pytest.mark.parametrize(
    ("source", "options", "message"),
    [
        ("athlete", {"mass": 70.0}, "model 'athlete' has no option 'mass'; it takes: blade"),
        ("athlete-rigid", {"blade": True}, "model 'athlete-rigid' has no option 'blade'; it takes: none"),
        ("subject.json", {"mass": 70.0}, "a file takes no options, however mass came"),
    ],
)
def test_options_that_do_not_exist(source: str, options: dict, message: str) -> None:
    with pytest.raises(ModelError, match=message):
        load_model(source, **options)


def test_other_suffixes_are_not_written(tmp_path) -> None:
    for name in ("model.xml", "model"):
        with pytest.raises(ModelError, match=r"is not one of \.osim, \.json; choose one of them"):
            save_model(athlete(), tmp_path / name)
    assert list(tmp_path.iterdir()) == []


def test_the_documentation_names_every_packaged_model() -> None:
    assert all(f'"{name}"' in inspect.getdoc(load_model) for name in PACKAGED)
