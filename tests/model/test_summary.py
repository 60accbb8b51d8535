"""What a person reads about a model."""

import math

import pytest
from tests.model.native.zoo import zoo

from softstride.model import (
    ContactMesh,
    ContactPlane,
    ContactSphere,
    Coordinate,
    Model,
    ModelBuilder,
    Muscle,
    Path,
    PathPoint,
    WrapCylinder,
    WrapTorus,
    athlete,
)
from softstride.model.branches import branches, coordinate_units
from softstride.model.summary import summarise, tree_rows


def leg() -> Model:
    builder = ModelBuilder("leg")
    builder.free("pelvis", mass=10.0, inertia=(0.1, 0.1, 0.1), default=(0, 0, 0, 0, 0.9, 0))
    builder.revolute("femur_r", "pelvis", axis=(0, 0, 1), position=(0, -0.1, 0.1), mass=8.0)
    builder.revolute("femur_l", "pelvis", axis=(0, 0, 1), position=(0, -0.1, -0.1), mass=8.0)
    builder.prismatic("tibia_r", "femur_r", axis=(0, 1, 0), position=(0, -0.4, 0), mass=3.5)
    builder.fixed("foot_r", "tibia_r", position=(0, -0.4, 0), mass=1.0)
    builder.marker("RASI", "pelvis", position=(0.1, 0.1, 0.1))
    builder.note("a note on where the numbers come from, long enough to be wrapped: " + "words " * 20)
    model = builder.build()
    path = Path((PathPoint("pelvis", (0, 0, 0)), PathPoint("femur_r", (0, 0, 0))))
    left = Path((PathPoint("pelvis", (0, 0, 0)), PathPoint("femur_l", (0, 0, 0))))
    low = Path((PathPoint("tibia_r", (0, 0, 0)), PathPoint("foot_r", (0, 0, 0))))
    runs = (("glmax_r", path), ("glmax_l", left), ("psoas_r", path), ("soleus_r", low))
    return model.replace(
        coordinates={
            "femur_r": Coordinate("femur_r", lower=-math.pi / 6, upper=2 * math.pi / 3),
            "femur_l": Coordinate("femur_l", 0.1, locked=True),
            "tibia_r": Coordinate("tibia_r", lower=-0.005),
            "pelvis.ty": model.coordinates["pelvis.ty"],
        },
        muscles={name: Muscle(name, run, 1500.0, 0.1, 0.1) for name, run in runs},
        wraps={
            "a": WrapCylinder("pelvis", radius=0.1),
            "b": WrapCylinder("pelvis", radius=0.1),
            "c": WrapTorus("pelvis", inner=0.1, outer=0.2),
        },
        contacts={"h": ContactSphere("foot_r"), "p": ContactPlane(), "m": ContactMesh("foot_r")},
    )


def test_leg_word_by_word() -> None:
    """Masses, degrees and millimetres by hand: 30° is π/6, 5 mm is 0.005 m, 0.1 rad is 5.7°, 4 × 1500 N is 6 kN.

    From the sole's link at 0.9 - 0.1 - 0.4 - 0.4 = 0 m to the marker at 1 m it is 1 m high.
    """
    text = summarise(leg())
    assert text.startswith("leg: 30.50 kg, 1.00 m from lowest to highest landmark, 5 links, 9 dof\n\n")
    for line in (
        "link           joint      dof  coordinates         mass [kg]",
        "pelvis         free         6  ty default 900 mm      10.000",
        "                               rx, ry, rz, tx, tz",
        "├─ femur_r     revolute     1  -30 to 120°             8.000",
        "│  tibia_r     prismatic    1  from -5 mm              3.500",
        "│  foot_r      fixed        0                          1.000",
        "└─ femur_l     revolute     1  locked at 5.7°          8.000",
        "total          nq 10        9                         30.500",
    ):
        assert " ".join(line.split()) in [" ".join(row.split()) for row in text.splitlines()], line
    for line in (
        "gravity   9.807 m/s² along -y",
        "markers   1 on 1 link: RASI",
        "muscles   4 (3 right, 1 left), 6.0 kN in all: pelvis to femur 3, tibia to foot 1",
        "wraps     2 cylinders, 1 torus",
        "contacts  1 sphere on foot_r; 1 plane on world; 1 mesh on foot_r",
        "- a note on where the numbers come from, long enough to be wrapped: words words words words words",
        "  words words words words words words words words words words words words words words words",
    ):
        assert line in text.splitlines(), line


@pytest.mark.parametrize("model", [athlete(), athlete(False), leg()], ids=lambda model: model.name)
def test_fits_on_a_page(model: Model) -> None:
    lines = summarise(model).splitlines()
    assert max(map(len, lines)) <= 100
    words = set(" ".join(lines).split())
    assert words >= set(model.link_names)


def test_the_tree_holds_everything_once() -> None:
    for model in (athlete(), zoo(), leg()):
        rows = branches(model)
        assert sorted(row.name for row in rows) == sorted(model.link_names)
        assert sum(row.dof for row in rows) == model.nv
        assert sum(row.mass for row in rows) == pytest.approx(model.mass, rel=1e-12)  # the order of a sum
        order = [row.name for row in rows]
        for link in model.links:
            assert link.parent == "world" or order.index(link.parent) < order.index(link.name)


def test_the_stem_shows_the_parent() -> None:
    """A branch mark hangs on the nearest row above with a shorter stem; without one, on the row above."""
    for model in (athlete(), leg()):
        rows = branches(model)
        for i, row in enumerate(rows[1:], start=1):
            if row.stem.endswith("─ "):
                parent = next(
                    r for r in rows[i - 1 :: -1] if len(r.stem) < len(row.stem) and _leads(rows, r, i)
                )
            else:
                parent = rows[i - 1]
            assert model.link(row.name).parent == parent.name


def _leads(rows, row, i: int) -> bool:
    """Whether nothing between a row and row i is on the same chain, so that it is the chain's last link."""
    start = rows.index(row)
    return all(len(r.stem) > len(row.stem) for r in rows[start + 1 : i])


def test_every_kind_of_part() -> None:
    text = summarise(zoo())
    for words in (
        "follows bend",
        "slide locked at 100 mm",
        "turn up to 19.1°",
        "rod, 3 segments",
        "ligaments  1: acl",
        "wraps      2 cylinders, 1 sphere, 1 ellipsoid, 1 torus",
        "actuators  2 on coordinates, 2 at points, 1 between links",
        "first note",
    ):
        assert words in text, words


def test_units_of_coordinates() -> None:
    units = coordinate_units(zoo())
    expected = {"slide": "m", "bend": "rad", "turn": "rad", "idle": "rad", "stroke": "m", "hinge": "rad"}
    expected |= {"base.rx": "rad", "base.tx": "m", "thigh.x": "rad", "pylon.1.ky": "1/m", "blade.3.ex": "-"}
    assert {name: units[name] for name in expected} == expected
    assert set(units) == set(zoo().coordinate_names)


def test_a_model_without_anything() -> None:
    assert "0 links, 0 dof" in summarise(Model("nothing", ()))
    assert len(tree_rows(Model("nothing", ()))) == 1
