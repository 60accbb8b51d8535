"""Amputation and blades on stumps: mass balance, inertia by integration, geometry, energy, refusals."""

import numpy as np
import pytest
from tests.campaign import size
from tests.models import the_model
from tests.refusals import bad_input

from softstride import engine
from softstride.errors import ModelError
from softstride.model.blade import Blade
from softstride.model.blade_shape import arc_points
from softstride.model.builder import ModelBuilder
from softstride.model.contact_shape import ContactSphere
from softstride.model.frame import Point
from softstride.model.library import athlete
from softstride.model.library.blades import blade
from softstride.model.muscle import Muscle
from softstride.model.path import Path, PathPoint, PathWrap, WrapCylinder
from softstride.model.prosthesis import amputate, attach_blade
from softstride.model.residual_limb import cut_segment
from softstride.simulation import simulate


def leg():
    """Thigh, shank and foot named as in OpenSim, with a muscle across the knee and one across the ankle."""
    b = ModelBuilder("leg")
    b.revolute(
        "femur_r", axis=(0, 0, 1), coordinate="hip", mass=8.0, com=(0, -0.2, 0), inertia=(0.1, 0.03, 0.1)
    )
    b.revolute(
        "tibia_r", "femur_r", axis=(0, 0, 1), coordinate="knee", position=(0, -0.4, 0), mass=3.5, com=(0, -0.18, 0),
        inertia=(0.05, 0.005, 0.05),
    )  # fmt: skip
    b.revolute(
        "patella_r",
        "tibia_r",
        axis=(0, 0, 1),
        coordinate="slide",
        position=(0.05, -0.02, 0),
        mass=0.1,
        com=(0, 0.03, 0),
    )
    b.revolute(
        "talus_r",
        "tibia_r",
        axis=(0, 0, 1),
        coordinate="ankle",
        position=(0, -0.42, 0),
        mass=1.0,
        com=(0.04, -0.04, 0),
    )
    b.marker("KNE", "tibia_r", (0, -0.05, 0.05))
    b.marker("ANK", "tibia_r", (0, -0.41, 0.05))
    b.marker("TOE", "talus_r", (0.2, -0.05, 0))
    model = b.build()

    def muscle(name, *points, wraps=()):
        path = Path(tuple(PathPoint(link, np.array(place)) for link, place in points), wraps)
        return Muscle(name, path, 1000.0, 0.1, 0.2)

    low = np.eye(4)
    low[1, 3] = -0.35
    wrapped = (PathWrap("low"),)
    return model.replace(
        muscles={
            "vasti": muscle(
                "vasti", ("femur_r", (0.03, -0.2, 0)), ("tibia_r", (0.03, -0.06, 0)), wraps=wrapped
            ),
            "soleus": muscle("soleus", ("tibia_r", (0, -0.1, 0)), ("talus_r", (-0.04, -0.03, 0))),
            "deep": muscle("deep", ("femur_r", (0, -0.3, 0)), ("tibia_r", (0, -0.3, 0))),
        },
        wraps={"low": WrapCylinder("tibia_r", low, radius=0.03)},
        contacts={
            "heel": ContactSphere("talus_r", (-0.04, -0.05, 0), 0.03),
            "shin": ContactSphere("tibia_r", (0.05, -0.1, 0), 0.01),
        },
    )


def test_the_packaged_athlete():
    model = athlete(blade=False)
    cut = amputate(model, "left", 0.13)
    gone = {"left_foot", "left_toes", "left_hallux"}
    assert set(model.link_names) - set(cut.link_names) == gone
    below = cut_segment(model.link("left_shank").inertia, np.zeros(3), np.array([0, -0.42, 0]), 0.13)[1]
    removed = below.mass + sum(model.link(name).mass for name in gone)
    assert cut.mass + removed == pytest.approx(model.mass, rel=1e-14)


@pytest.mark.parametrize(
    ("file", "muscle"),
    [
        ("walk_gait2354/subject01_simbody.osim", "tib_post_r"),
        ("walk_rajagopal_emg/subject_walk_scaled.osim", "tibant_r"),
        ("run_overground_bmc/Rajagopal2015_scaled.osim", "fdl_r"),
    ],
)
def test_opensim_models_get_a_blade(shared_data, file, muscle):
    """Published models: cut, mass in balance, muscles that were not secured gone and named, blade on, M definite."""
    model = the_model(shared_data / file)
    cut = amputate(model, "right", 0.13)
    gone = [model.link(name) for name in set(model.link_names) - set(cut.link_names)]
    shank = cut.frames["stump_r"].link
    talus = model.link("talus_r").placement[:3, 3]
    joint = model.link(shank).offset
    knee = -joint[:3, :3].T @ joint[:3, 3]
    below = cut_segment(model.link(shank).inertia, knee, talus, 0.13)[1]
    assert {link.name for link in gone} == {"talus_r", "calcn_r", "toes_r"}
    assert cut.mass + below.mass + sum(link.mass for link in gone) == pytest.approx(model.mass, rel=1e-12)
    assert muscle in model.muscles and muscle not in cut.muscles
    assert any(repr(muscle) in str(note) for note in cut.notes)
    assert {name for name in model.muscles if name.endswith("_l")} <= set(cut.muscles)
    for name in ("c-medium", "j-medium"):
        whole = attach_blade(cut, "right", blade(name))
        M = engine.mass_matrix(whole, whole.neutral())
        scale = np.sqrt(np.diag(M))
        assert np.linalg.eigvalsh(M / scale / scale[:, None])[0] > 1e-8


def short_blade(**options):
    points = arc_points([(0.05, 0.0), (0.10, -0.5), (0.08, 1.0), (0.08, 0.9), (0.08, 0.4)])
    return Blade.from_centreline(points, 0.065, 0.009, 60e9, 5e9, 1600.0, **options)


def lowest(model, name="blade_r"):
    rod = model.link(name)
    places = [Point(name, c.position, c.at) for c in model.contacts.values() if c.link == name]
    assert rod.soft and len(places) == 12
    return float(np.min(engine.positions(model, model.neutral(), places)[:, 1]))


def test_the_sole_reaches_the_ground():
    """Candidates are 1 to 2 cm apart on a sole of 0.1 m radius and more: the lowest is within 0.5 mm of the ground."""
    cut = amputate(leg(), "right", 0.15)
    for alignment in (0.0, 0.1):
        model = attach_blade(cut, "right", short_blade(), alignment=alignment)
        assert lowest(model) == pytest.approx(-0.4 - 0.5, abs=5e-4)
    longer = attach_blade(cut, "right", short_blade(), length=0.55)
    assert lowest(longer) == pytest.approx(-0.4 - 0.55, abs=5e-4)
    behind = attach_blade(cut, "right", short_blade(mount="posterior"))
    assert lowest(behind) == pytest.approx(-0.4 - 0.5, abs=5e-4)


def test_mass_markers_and_links_of_the_prosthesis():
    cut, own = amputate(leg(), "right", 0.15), short_blade()
    model = attach_blade(cut, "right", own, socket_mass=1.1, clamp_mass=0.2)
    assert model.mass == pytest.approx(cut.mass + 1.1 + 0.2 + own.mass, rel=1e-14)
    assert model.link_names[-3:] == ("socket_r", "clamp_r", "blade_r")
    assert {"blade_r_toe", "blade_r_1_medial"} <= set(model.markers)
    lateral = engine.positions(model, model.neutral(), ["blade_r_3_lateral"])[0]
    assert lateral[2] == pytest.approx(0.5 * 0.065)  # to the right on the right leg


def test_medial_and_lateral_change_sides_on_the_left():
    model = attach_blade(amputate(athlete(blade=False), "left", 0.13), "left", short_blade())
    hip = -0.085
    lateral = engine.positions(model, model.neutral(), ["blade_l_3_lateral"])[0]
    assert lateral[2] == pytest.approx(hip - 0.5 * 0.065)


@bad_input(
    ModelError,
    (lambda model: leg(), "not cut"),
    ({"side": "left"}, "not cut"),
    ({"blade": "c-medium", "length": 0.4}, "too long"),
    ({"blade": "j-medium", "length": 0.4}, "too long"),  # its clamp would be above the knee
    (lambda model: attach_blade(model, "right", short_blade()), "already"),
    ({"blade": None}, "must be a Blade"),
    ({"blade": "x-large"}, "c-medium"),
    ({"alignment": 5.0}, "alignment"),
    ({"shift": 20.0}, r"shift.*20 m: were millimetres"),
    ({"shift": -0.21}, "shift"),
    ({"length": 500.0}, "pylon.*millimetres"),
    ({"length": 1.2}, "pylon"),
    ({"socket_mass": 900.0}, "socket_mass.*900 kg: were grams"),
    ({"clamp_mass": 150.0}, "clamp_mass"),
    ({"clamp_mass": -0.1}, "clamp_mass"),
)
def test_what_cannot_be_attached(refuses):
    refuses(attach_blade, model=amputate(leg(), "right", 0.15), side="right", blade=short_blade())


def test_a_blade_too_long_however_the_leg_is_cut():
    """A posterior mount has as much room however the leg is cut: a cut is no way out."""
    cut = amputate(leg(), "right", 0.15)
    with pytest.raises(
        ModelError, match=r"too long.*take a shorter blade, or give a greater length"
    ) as refused:
        attach_blade(cut, "right", blade("j-medium"), length=0.4)
    assert "cut" not in str(refused.value)


def test_a_packaged_blade_by_name():
    cut = amputate(leg(), "right", 0.15)
    named, given = (attach_blade(cut, "right", one) for one in ("c-medium", blade("c-medium")))
    assert named.mass == given.mass and named.notes == given.notes


def test_a_blade_out_of_its_plane_is_not_put_on_the_left():
    """It would have to be mirrored; on the right it is as drawn."""
    flat = short_blade()
    points = arc_points([(0.05, 0.0), (0.10, -0.5), (0.08, 1.0), (0.08, 0.9), (0.08, 0.4)])
    points[:, 2] = 0.02 * np.linspace(0.0, 1.0, len(points)) ** 2
    bent = Blade.from_centreline(points, 0.065, 0.009, 60e9, 5e9, 1600.0)
    left, right = amputate(athlete(blade=False), "left", 0.13), amputate(leg(), "right", 0.15)
    assert "blade_l" in attach_blade(left, "left", flat).link_names
    assert "blade_r" in attach_blade(right, "right", bent).link_names
    with pytest.raises(ModelError, match="leaves the sagittal plane"):
        attach_blade(left, "left", bent)


def test_the_mass_matrix_is_symmetric_and_positive_definite():
    """At random poses and bends; strains carry 1/m and tiny twisting inertia: judged scaled to a unit diagonal."""
    model = attach_blade(amputate(athlete(blade=False), "left", 0.13), "left", blade("c-medium"))
    rng = np.random.default_rng(2)
    steps = rng.normal(0.0, 0.3, (8, model.nv))
    q = engine.integrate(model, np.tile(model.neutral(), (8, 1)), steps)
    M = engine.mass_matrix(model, q)
    assert np.max(np.abs(M - M.transpose(0, 2, 1))) < 1e-12 * np.max(M)
    scale = np.sqrt(np.einsum("kii->ki", M))
    lowest_eigenvalue = np.linalg.eigvalsh(M / scale[:, :, None] / scale[:, None, :])[:, 0]
    assert np.all(lowest_eigenvalue > 1e-8)


def undamped():
    points = arc_points([(0.05, 0.0), (0.10, -0.5), (0.08, 1.0), (0.08, 0.9), (0.08, 0.4)])
    return Blade.from_centreline(points, 0.065, 0.006, 60e9, 5e9, 1600.0, n=3, free=("ky",))


@pytest.mark.slow
def test_free_swing_of_a_leg_with_a_blade_conserves_energy():
    """Hip and knee let go from 60 degrees, 0.5 s, RK4. Relative to the largest kinetic energy."""
    model = attach_blade(amputate(leg(), "right", 0.15), "right", undamped())
    q = model.neutral()
    q[model.q_indices("femur_r")[0]], q[model.q_indices("tibia_r")[0]] = 1.0, -0.8
    run = simulate(model, q, np.zeros(model.nv), (0.0, 0.5), method="rk4", dt=1e-4)
    assert run.energy.kinetic.max() > 5.0
    assert np.ptp(run.energy.total) < 1e-6 * run.energy.kinetic.max()


@pytest.mark.slow
def test_free_swing_of_the_athlete_with_a_blade_conserves_energy():
    """The whole athlete thrown in the air, swinging the leg with the blade; 0.5 s by night."""
    model = attach_blade(amputate(athlete(blade=False), "left", 0.13), "left", undamped())
    rng = np.random.default_rng(5)
    q, v = model.neutral(), rng.normal(0.0, 0.3, model.nv)
    v[list(model.v_indices("blade_l"))] = 0.0
    v[list(model.v_indices("left_thigh"))] = (0.0, 0.0, 4.0)
    end = size(0.5, 0.1)
    run = simulate(model, q, v, (0.0, end), method="rk4", dt=1e-4, times=np.linspace(0.0, end, 51))
    assert np.ptp(run.energy.total) < 1e-6 * run.energy.kinetic.max()
