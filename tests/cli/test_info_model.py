"""`softstride info` on models: files and packaged ones."""

import pytest
from tests.model.native.zoo import zoo

from softstride.model import athlete
from softstride.model.load import save_model


def test_native_file(run, tmp_path) -> None:
    model, file = athlete(), str(tmp_path / "subject.json")
    save_model(model, file)
    shown = run("info", file)
    assert shown.exit_code == 0
    for words in (
        "athlete with a blade: 70.86 kg, 1.74 m from lowest to highest landmark, 51 links, 148 dof",
        "left_shank revolute 1 -137.5 to 2.9° 3.100",
        "blade rod, 6 segments, 620 mm 18 kx, ky, kz of segments 0.580",
        "total nq 187 148 70.860",
        "gravity 9.807 m/s² along -y",
        "markers 51 on 23 links: head_m1,",
        "Notes: what was assumed or changed - Schematic anthropometry",
    ):
        assert words in shown.words, words
    assert max(map(len, shown.stdout.splitlines())) <= 100


def test_figures(run, tmp_path) -> None:
    file = str(tmp_path / "zoo.json")
    save_model(zoo(), file)
    shown = run("info", file, "--json")
    figures = shown.figures
    assert len(shown.stdout.strip().splitlines()) == 1
    model = zoo()
    assert figures["coordinates"] == list(model.coordinate_names)
    assert figures["notes"] == [str(note) for note in model.notes]
    assert figures["mass"] == model.mass
    counts = {
        "links": 10,
        "markers": 3,
        "muscles": 2,
        "wraps": 5,
        "ligaments": 1,
        "actuators": 5,
        "contacts": 5,
    }
    counts |= {"nq": model.nq, "nv": model.nv, "joints_custom": 2, "joints_rod": 2, "joints_revolute": 2}
    counts |= {"joints_free": 1, "joints_spherical": 1, "joints_prismatic": 1, "joints_fixed": 1}
    assert {key: figures[key] for key in counts} == counts
    assert not any(isinstance(value, dict) for value in figures.values())  # flat


def test_every_key_of_a_model(run) -> None:
    """Programs rely on them."""
    figures = run("info", "athlete", "--json").figures
    assert set(figures) >= {
        *("name", "links", "nq", "nv", "mass", "markers", "muscles", "joints_free", "joints_rod"),
        *("wraps", "ligaments", "actuators", "contacts", "coordinates", "notes", "height"),
    }


@pytest.mark.parametrize("name", ["human", "gait"])
def test_packaged_people(run, name: str) -> None:
    library = pytest.importorskip("softstride.model.library.human")
    if not (hasattr(library, "human") and hasattr(library, "gait_person")):
        pytest.skip("no packaged person")
    assert run("info", name, "--json").figures["muscles"] >= 80
    shown = run("info", name)
    assert shown.exit_code == 0
    assert "muscles" in shown.words


def test_opensim_file(run, shared_data) -> None:
    osim = pytest.importorskip("softstride.model.formats.osim")
    if not hasattr(osim, "read_osim"):
        pytest.skip("no reader of .osim files")
    file = str(shared_data / "walk_gait2354" / "gait2354_simbody.osim")
    figures = run("info", file, "--json").figures
    assert figures["muscles"] == 54
    assert figures["nv"] == 23
    shown = run("info", file)
    assert shown.exit_code == 0
    assert "muscles 54 (" in shown.words
    assert "hip_flexion_r -120 to 120°" in shown.words


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("none.osim",), "none.osim: no such file"),
        (("none.json",), "none.json: no such file"),
        (("athlet",), "Did you mean 'athlete'?"),
        (("a.osim", "b.c3d"), "a model is shown alone, however these came: a.osim, b.c3d"),
        (("athlete", "human"), "a model is shown alone"),
    ],
)
def test_requests_at_fault(run, monkeypatch, tmp_path, arguments: tuple[str, ...], message: str) -> None:
    monkeypatch.chdir(tmp_path)
    shown = run("info", *arguments)
    assert shown.exit_code == 2
    assert message in shown.stderr
    assert shown.stdout == ""


def test_a_broken_file(run, tmp_path) -> None:
    file = tmp_path / "broken.json"
    file.write_text('{"format": "softstride-model", "version": 1, "name": "x", "links": [{"name": "a"}]}')
    shown = run("info", str(file))
    assert shown.exit_code == 2
    assert "broken.json: links[0]: 'parent' is missing; Link needs it." in shown.stderr
