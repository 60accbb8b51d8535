"""Scaled models: hand arithmetic, clouds of points, rods, bad factors, and OpenSim's own scaling."""

import numpy as np
import pytest
from tests.models import the_model

import softstride as ss
from softstride.engine import poses, positions
from softstride.errors import ModelError
from softstride.model import (
    Axis,
    Constant,
    ContactPlane,
    ContactSphere,
    Frame,
    Inertia,
    Linear,
    Model,
    ModelBuilder,
    MovingPathPoint,
    Muscle,
    Path,
    PathPoint,
    Point,
    PointActuator,
    Polynomial,
    Rod,
    Section,
    WrapCylinder,
    WrapEllipsoid,
    WrapSphere,
    WrapTorus,
)
from softstride.model.scaled_inertia import scaled_inertia
from softstride.model.scaling import LENGTHS_KEPT, scaled
from softstride.notes import recognised
from softstride.spatial import so3

ROUNDING = 1e-14
S = np.array([1.1, 0.8, 1.3])


def turned(x, y, z):
    return np.asarray(so3.exp(np.array([x, y, z])))


def leg() -> Model:
    builder = ModelBuilder("leg")
    offset = np.eye(4)
    offset[:3, :3], offset[:3, 3] = turned(0.3, 0.1, -0.2), (0.02, 0.03, -0.01)
    builder.free("thigh", mass=8.0, com=(0.01, -0.2, 0.02), inertia=(0.13, 0.03, 0.14), offset=offset)
    builder.custom(
        "shank",
        parent="thigh",
        position=(0.01, -0.4, 0.02),
        rotations=(Axis.along((0, 0, 1), "knee"), Axis((0, 1, 0)), Axis((1, 0, 0))),
        translations=(
            Axis((1, 0, 0), (("knee", Polynomial([0.01, 0.02, 0.03])),)),
            Axis((0, 1, 0), (("", Constant(0.005)),)),
            Axis((0, 0, 1), (("slide", Linear(1.0)),)),
        ),
        mass=3.5,
        com=(0, -0.18, 0),
        inertia=(0.05, 0.005, 0.05),
    )
    builder.marker("knee", "thigh", (0.0, -0.4, 0.05))
    builder.marker("ankle", "shank", (0.0, -0.4, 0.04))
    builder.frame("socket", "shank", (0.01, -0.1, 0.0), turned(0.1, 0.2, 0.3))
    return builder.build()


def test_placements_offsets_and_points_by_hand():
    """x' = S x in the axes of the link that carries it; what is on other links stays."""
    model = leg()
    new = scaled(model, {"thigh": S})
    old_link, new_link = model.link("thigh"), new.link("thigh")
    joint = -old_link.offset[:3, :3].T @ old_link.offset[:3, 3]  # where the joint is in the thigh
    assert np.allclose(-new_link.offset[:3, :3].T @ new_link.offset[:3, 3], S * joint, atol=ROUNDING)
    assert np.array_equal(new_link.offset[:3, :3], old_link.offset[:3, :3])
    assert np.allclose(new.link("shank").placement[:3, 3], S * (0.01, -0.4, 0.02), atol=ROUNDING)
    assert np.allclose(new_link.inertia.com, S * (0.01, -0.2, 0.02), atol=ROUNDING)
    assert np.allclose(new.markers["knee"].position, S * (0.0, -0.4, 0.05), atol=ROUNDING)
    assert np.array_equal(new.markers["ankle"].position, model.markers["ankle"].position)
    assert np.array_equal(new.link("shank").inertia.matrix, model.link("shank").inertia.matrix)
    frame = scaled(model, {"shank": S}).frames["socket"]
    assert np.allclose(frame.position, S * (0.01, -0.1, 0.0), atol=ROUNDING)
    assert isinstance(frame, Frame)
    assert np.array_equal(frame.rotation, turned(0.1, 0.2, 0.3))


def test_translations_follow_the_parent_but_degrees_of_freedom_do_not():
    model = leg()
    x, y, z = scaled(model, {"thigh": S, "shank": 0.9}).link("shank").joint.translations
    assert np.isclose(float(x.terms[0][1](0.5)), 1.1 * (0.01 + 0.02 * 0.5 + 0.03 * 0.25), atol=ROUNDING)
    assert np.isclose(float(y.terms[0][1](0.0)), 0.8 * 0.005, atol=ROUNDING)
    assert float(z.terms[0][1](0.7)) == 0.7


def test_an_oblique_translation_grows_by_its_own_stretch():
    """t' S t: equal factors give that factor, in whatever direction the axis points (OpenSim's rule does not)."""
    builder = ModelBuilder("slide")
    builder.fixed("base", mass=1.0)
    axes = (Axis((1, 1, 0), (("s", Linear(2.0)),)), Axis((0, 0, 1)), Axis((1, -1, 0)))
    builder.custom("sledge", parent="base", translations=axes, mass=1.0)
    model = builder.build()
    for factors, expected in ((1.2, 1.2), ((1.2, 0.8, 5.0), 1.0)):
        axis = scaled(model, {"base": factors}).link("sledge").joint.translations[0]
        assert np.isclose(float(axis.terms[0][1](1.0)), 2.0 * expected, atol=ROUNDING)


def test_a_translation_in_a_turned_joint_follows_the_axes_of_the_parent():
    """The joint's x is the parent's y: its translation grows by the parent's second factor."""
    builder = ModelBuilder("turned")
    builder.fixed("base", mass=1.0)
    axes = (Axis((1, 0, 0), (("s", Linear(2.0)),)), Axis((0, 1, 0)), Axis((0, 0, 1)))
    turn = [[0, -1, 0], [1, 0, 0], [0, 0, 1]]
    builder.custom("sledge", parent="base", translations=axes, rotation=turn, mass=1.0)
    new = scaled(builder.build(), {"base": S})
    assert np.isclose(
        float(new.link("sledge").joint.translations[0].terms[0][1](1.0)), 2.0 * S[1], atol=ROUNDING
    )
    assert np.allclose(positions(new, [0.1], "sledge"), (0.0, 0.2 * S[1], 0.0), atol=ROUNDING)


def test_inertia_of_a_cloud_of_points():
    """The affine rule is exact: scale every point of a body, then sum up."""
    rng = np.random.default_rng(4)
    points, masses = rng.normal(size=(40, 3)) * (0.1, 0.3, 0.2), rng.uniform(0.1, 1.0, 40)

    def lumped(p):
        com = masses @ p / masses.sum()
        arm = p - com
        matrix = np.einsum("i,ijk->jk", masses, np.sum(arm**2, 1)[:, None, None] * np.eye(3))
        return Inertia(masses.sum(), com, matrix - np.einsum("i,ij,ik->jk", masses, arm, arm))

    new = scaled_inertia(lumped(points), S, masses.sum(), "affine")
    expected = lumped(S * points)
    assert np.allclose(new.com, expected.com, atol=1e-13)
    assert np.allclose(new.matrix, expected.matrix, atol=1e-13)  # 40 terms of order 1


def test_inertia_that_no_matter_has_stays_usable():
    toes = Inertia(0.2, (0.03, 0, 0), (1e-4, 5e-4, 2e-4), physical=False)
    new = scaled_inertia(toes, S, 0.4, "affine")
    assert np.allclose(new.matrix, 2.0 * np.prod(S) ** (2 / 3) * toes.matrix, atol=ROUNDING)


@pytest.mark.parametrize("keep", [True, False])
def test_mass_is_as_asked_and_distributed_as_asked(keep):
    model = leg()
    new = scaled(model, {"thigh": S}, mass=50.0, keep_mass_distribution=keep)
    ratio = 8.0 / 3.5 * (1.0 if keep else np.prod(S))
    assert np.isclose(new.mass, 50.0, rtol=1e-15)
    assert np.isclose(new.link("thigh").mass / new.link("shank").mass, ratio, rtol=1e-14)
    assert np.isclose(
        scaled(model, {"thigh": S}, keep_mass_distribution=keep).mass, 11.5 if keep else 8 * np.prod(S) + 3.5
    )


def test_twice_is_once_by_the_product():
    model, q = leg(), np.array([0.1, 0.2, 0.3, 0.0, 0.0, 0.0, 1.0, 0.4, 0.01])
    a, b = {"thigh": S, "shank": 1.1}, {"thigh": 1 / S, "shank": (0.9, 1.0, 1.2)}
    once = scaled(model, {name: np.multiply(a[name], b[name]) for name in a})
    twice = scaled(scaled(model, a), b)
    assert np.allclose(poses(twice, q), poses(once, q), atol=1e-14)
    assert np.allclose(twice.link("thigh").inertia.matrix, model.link("thigh").inertia.matrix, atol=1e-14)


def test_surfaces_contacts_and_points_of_force():
    """OpenSim's rules, by hand: |S e| along an axis of the surface, radii the mean over theirs."""
    turn = np.eye(4)
    turn[:3, :3], turn[:3, 3] = [[0, 0, 1], [1, 0, 0], [0, 1, 0]], (0.1, 0.2, 0.3)  # its x, y, z: our y, z, x
    muscle = Muscle(
        "m",
        Path(
            (
                PathPoint("thigh", [0.1, 0.2, 0.3]),
                MovingPathPoint(
                    "shank", ("knee", Polynomial([0.1, 0.2])), ("", Constant(0.3)), ("knee", Linear(0.5))
                ),
            )
        ),
        100.0,
        0.1,
        0.2,
    )
    model = leg().replace(
        wraps={
            "cylinder": WrapCylinder("thigh", turn, radius=0.02, length=0.3),
            "torus": WrapTorus("thigh", turn, inner=0.02, outer=0.04),
            "ellipsoid": WrapEllipsoid("thigh", turn, a=0.01, b=0.02, c=0.03),
            "sphere": WrapSphere("thigh", turn, radius=0.02),
        },
        contacts={"heel": ContactSphere("thigh", (0.1, 0.2, 0.3), 0.03), "floor": ContactPlane()},
        actuators={"push": PointActuator("push", link="thigh", point=(0.1, 0.2, 0.3))},
        muscles={"m": muscle},
    )
    new = scaled(model, {"thigh": S, "shank": S})
    wraps = new.wraps
    assert np.allclose(wraps["cylinder"].pose[:3, 3], S * (0.1, 0.2, 0.3), atol=ROUNDING)
    assert np.isclose(wraps["cylinder"].radius, 0.02 * (0.8 + 1.3) / 2)
    assert np.isclose(wraps["cylinder"].length, 0.3 * 1.1)
    assert np.isclose(wraps["torus"].outer, 0.04 * (0.8 + 1.3) / 2)
    assert np.isclose(wraps["torus"].inner, 0.02 * (0.8 + 1.3) / 2)
    assert np.allclose(
        [wraps["ellipsoid"].a, wraps["ellipsoid"].b, wraps["ellipsoid"].c], [0.008, 0.026, 0.033]
    )
    assert np.isclose(wraps["sphere"].radius, 0.02 * S.mean())
    assert np.allclose(new.contacts["heel"].position, S * (0.1, 0.2, 0.3))
    assert np.isclose(new.contacts["heel"].radius, 0.03 * S.mean())
    assert np.allclose(new.actuators["push"].point, S * (0.1, 0.2, 0.3))
    first, second = new.muscles["m"].path.points
    assert np.allclose(first.position, S * (0.1, 0.2, 0.3))
    assert np.allclose([float(f(0.5)) for _, f in (second.x, second.y, second.z)], S * (0.2, 0.3, 0.25))
    assert new.muscles["m"].fibre_length == 0.1
    assert LENGTHS_KEPT in recognised(new.notes)
    assert LENGTHS_KEPT not in recognised(model.notes)


def blade() -> Model:
    builder = ModelBuilder("blade")
    section = Section.rectangle(0.06, 0.01, 1600.0, 5e10, 4e9, damping=0.01)
    rod = Rod.uniform(0.3, 3, section, reference=(0.0, 4.0, 0.0, 1.0, 0.0, 0.0))
    builder.rod("blade", rod=rod, position=(0, 0.3, 0))
    builder.fixed("clip", parent="blade", at=0.2, position=(0.0, 0.0, 0.01), mass=0.1)
    builder.marker("tip", "blade", (0.0, 0.0, 0.01))
    builder.marker("middle", "blade", (0.0, 0.02, 0.0), at=0.15)
    return builder.build()


def test_a_rod_grows_in_shape():
    """Twice as large: every distance doubles, the load-free shape is similar, bending stiffness is 16 times."""
    model = blade()
    new = scaled(model, {"blade": 2.0})
    places = ["tip", "middle", "clip"]
    base = np.array([0.0, 0.3, 0.0])
    old_at = positions(model, model.neutral(), places) - base
    assert np.allclose(positions(new, new.neutral(), places) - base, 2.0 * old_at, atol=1e-14)
    b = new.link("blade").joint.segments[0]
    larger = Section.rectangle(0.12, 0.02, 1600.0, 5e10, 4e9, damping=0.01)
    assert np.allclose(b.stiffness, larger.stiffness, rtol=1e-13)
    assert np.allclose(b.damping, larger.damping, rtol=1e-13)
    assert np.isclose(new.mass, model.mass)
    volume = scaled(model, {"blade": 2.0}, keep_mass_distribution=False)
    assert np.isclose(volume.link("blade").mass, 8.0 * model.link("blade").mass)
    heavier = volume.link("blade").joint.segments[0].density
    assert np.isclose(heavier.mass, larger.density.mass)
    assert np.allclose(heavier.matrix, larger.density.matrix, rtol=1e-13)


def test_coordinates_of_a_rod_are_curvatures():
    model = blade()
    name = model.coordinate_names[1]
    model = model.replace(coordinates={name: type(model.coordinates[name])(name, default=2.0, lower=-4.0)})
    new = scaled(model, {"blade": 2.0}).coordinates[name]
    assert (new.default, new.lower, new.upper) == (1.0, -2.0, np.inf)


@pytest.mark.parametrize(
    ("factors", "words"),
    [
        ({"thumb": 1.1}, "no link"),
        ({"thigh": 0.0}, "between 0.05 and 20"),
        ({"thigh": -1.0}, "between"),
        ({"thigh": 1000.0}, "units"),
        ({"thigh": np.nan}, "finite"),
        ({"thigh": (1.0, 1.1)}, "shape"),
        ({"thigh": "large"}, "numbers"),
    ],
)
def test_factors_that_cannot_be_meant(factors, words):
    with pytest.raises(ModelError, match=words):
        scaled(leg(), factors)


def test_other_mistakes():
    with pytest.raises(ModelError, match="rod"):
        scaled(blade(), {"blade": (1.0, 1.1, 1.0)})
    with pytest.raises(ModelError, match="above zero"):
        scaled(leg(), {}, mass=-70.0)
    with pytest.raises(ModelError, match="affine"):
        scaled(leg(), {}, inertia="guess")


def athlete() -> Model:
    builder = ModelBuilder("athlete")
    builder.free("thigh", mass=8.0, com=(0, -0.2, 0), inertia=(0.13, 0.03, 0.13))
    builder.fixed("socket_r", parent="thigh", position=(0, -0.4, 0), mass=0.9, inertia=(0.01, 0.01, 0.01))
    builder.fixed("clamp_r", parent="socket_r", position=(0, -0.1, 0), mass=0.15)
    section = Section.rectangle(0.06, 0.01, 1600.0, 5e10, 4e9)
    builder.rod("blade_r", parent="clamp_r", rod=Rod.uniform(0.3, 2, section))
    builder.fixed("spike", parent="blade_r", mass=0.05)
    builder.fixed("trunk", parent="thigh", mass=40.0, inertia=(1.0, 1.0, 1.0))
    return builder.build()


def test_a_prosthesis_weighs_what_it_weighs():
    """8 + 40 kg of body reach 60 kg less 0.9 + 0.15 + 0.288 + 0.05 kg; blade 1600 * 0.06 * 0.01 * 0.3 = 0.288 kg."""
    model = athlete()
    new = scaled(model, {}, mass=60.0)
    for name in ("socket_r", "clamp_r", "blade_r", "spike"):
        assert new.link(name).mass == model.link(name).mass
        assert np.array_equal(new.link(name).inertia.matrix, model.link(name).inertia.matrix)
    assert np.isclose(new.link("thigh").mass, 8.0 / 48.0 * (60.0 - 1.388), rtol=1e-14)
    assert np.isclose(new.mass, 60.0, rtol=1e-14)
    (note,) = (note for note in new.notes if note.code == "scaling.prosthesis-kept")
    assert note.names == ("socket_r", "clamp_r", "blade_r", "spike")
    assert "socket_r, clamp_r, blade_r, spike" in str(note)
    assert scaled(model, {}, mass=model.mass).notes == ()
    with pytest.raises(ModelError, match="prosthesis"):
        scaled(model, {}, mass=1.0)


def test_a_point_of_the_world_stays():
    model = leg().replace(markers={"lab": Point("world", (1.0, 2.0, 3.0))})
    assert np.array_equal(scaled(model, {"thigh": 2.0}).markers["lab"].position, (1.0, 2.0, 3.0))


def test_a_model_that_was_saved_is_not_told_twice_that_lengths_were_kept(tmp_path) -> None:
    once = scaled(the_model("gait"), {"pelvis": 1.1})
    ss.save_model(once, tmp_path / "once.json")
    twice = scaled(ss.load_model(tmp_path / "once.json"), {"pelvis": 1.1})
    assert [str(note) for note in twice.notes].count(str(LENGTHS_KEPT)) == 1
