"""The person of a trial: given, found or packaged; what no file says is asked for by its option."""

from pathlib import Path

import numpy as np
import pytest
from tests.models import the_model

import softstride as ss
from softstride.notes import Note
from softstride.pipeline import Request, person
from softstride.pipeline.person import find_person


@pytest.fixture
def scaled(monkeypatch) -> list:
    """Calls of `scale_model`, which takes seconds and has tests of its own."""
    calls: list = []

    def note(model, static, mass):
        calls.append((model, static, mass))
        return model

    monkeypatch.setattr(person, "scale_model", note)
    return calls


@pytest.fixture(scope="module")
def standing() -> ss.Recording:
    """Somebody of 70 kg who stands on a plate, with the markers of the packaged person."""
    model = the_model("gait", mass=70.0)
    labels = tuple(model.markers)
    places = ss.positions(model, np.tile(model.neutral(), (10, 1)), labels)
    time, up = np.arange(10) / 100.0, 70.0 * 9.80665
    wrench = np.tile([0.0, 0.0, 0.0, 0.0, up, 0.0], (10, 1))
    corners = np.array([[0.3, 0, 0.3], [-0.3, 0, 0.3], [-0.3, 0, -0.3], [0.3, 0, -0.3]])
    plate = ss.Plate("plate 1", "2", corners, np.eye(3), time, wrench)
    return ss.Recording("stand", markers=ss.Points(time, labels, places), plates=(plate,))


def test_mass_from_somebody_who_stands_on_plates(scaled, standing, tmp_path: Path) -> None:
    found = find_person(Request(tmp_path / "walk.c3d", height=1.75), standing)
    ((model, static, mass),) = scaled
    assert mass == pytest.approx(70.0) and model.mass == pytest.approx(70.0) and static is standing
    packaged, sizes = found.notes[-2:]
    assert (packaged.code, sizes.code) == ("model.packaged", "sizes.from-trial")
    assert str(packaged) == "model: the packaged person 'gait', 70.0 kg, 1.75 m"
    assert packaged.values == {"mass_kg": pytest.approx(70.0), "height_m": 1.75}
    assert "no standing trial (--static)" in str(sizes)


def test_mass_that_is_said_comes_first(scaled, standing, tmp_path: Path) -> None:
    said = standing.replace(subject=ss.capture.recording.Subject("p", 65.0, 1.7))
    find_person(Request(tmp_path / "walk.c3d"), said)
    find_person(Request(tmp_path / "walk.c3d", mass=60.0, sex="female"), said)
    assert [mass for _, _, mass in scaled] == [65.0, 60.0]
    assert any("female" in str(note) for note in scaled[1][0].notes)


def test_mass_that_nobody_says(scaled, standing, tmp_path: Path) -> None:
    restless = standing.plates[0].wrench.copy()
    restless[::2, 4] *= 1.3
    for plates in (
        (),
        (ss.Plate("p", "2", standing.plates[0].corners, np.eye(3), standing.plates[0].time, restless),),
    ):
        with pytest.raises(ss.InputError, match="give it with --mass"):
            find_person(Request(tmp_path / "walk.c3d"), standing.replace(plates=plates))


def test_markers_that_nobody_knows(scaled, tmp_path: Path) -> None:
    time = np.arange(3) / 100.0
    other = ss.Recording("x", markers=ss.Points(time, ("A", "B"), np.zeros((3, 2, 3))))
    with pytest.raises(
        ss.InputError, match=r"only 0 of its markers.*give the model that has its markers with --model"
    ):
        find_person(Request(tmp_path / "walk.c3d", mass=70.0), other)


def test_a_model_of_a_file_is_scaled_only_if_asked(
    scaled, standing, model_file: Path, tmp_path: Path
) -> None:
    request = Request(tmp_path / "walk.c3d", model=str(model_file), mass=90.0)
    found = find_person(request, standing)
    (told,) = [note for note in found.notes if isinstance(note, Note) and note.code == "mass.not-of-model"]
    assert scaled == [] and str(told) == (
        "mass: 90 kg was given, however the model has 69.7 kg; a standing trial (--static) would scale it"
    )
    assert told.severity == "warning" and told.values["given_kg"] == 90.0
    ss.write(standing, tmp_path / "stand.trc")
    find_person(request.changed(static=tmp_path / "stand.trc"), standing)
    assert [mass for _, _, mass in scaled] == [90.0]


def test_an_amputation_with_a_blade(scaled, standing, tmp_path: Path) -> None:
    wishes = {"side": "right", "below_knee": 0.15, "surgery": "myodesis", "blade": "c-medium"}
    found = find_person(Request(tmp_path / "walk.c3d", mass=70.0, prosthesis=wishes), standing)
    assert "blade_r" in found.link_names and "calcn_r" not in found.link_names
    assert found.notes[-1].code == "prosthesis.asked-for"
    assert str(found.notes[-1]).startswith("prosthesis: side right")
    with pytest.raises(ss.InputError, match="a prosthesis has side"):
        find_person(Request(tmp_path / "walk.c3d", mass=70.0, prosthesis={"below_knee": 0.1}), standing)
