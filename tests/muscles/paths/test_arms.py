"""Moment arms are the derivatives of length, on every kind of link and in every model of the recordings."""

import numpy as np
import pytest
from tests.models import the_model
from tests.muscles.paths import scenes

import softstride as ss
from softstride.model import ModelBuilder, Rod, Section
from softstride.model.functions import Linear, Polynomial
from softstride.model.joints import Axis
from softstride.model.path import WrapCylinder, WrapEllipsoid, WrapSphere, WrapTorus

MODELS = (
    "amputee_models/TTAmp_Left_passive_2D.osim",
    "amputee_models/TTAmp_Right_passive.osim",
    "knee_gc5_ps/GC5.osim",
    "muscle_arm26/arm26.osim",
    "planar_gait/moco_2d_walk/2D_gait.osim",
    "run_hamner_s01/final.osim",
    "run_overground_bmc/Rajagopal2015_scaled.osim",
    "walk_gait2354/gait2354_simbody.osim",
    "walk_gait2354/planar10dof/subject01.osim",
    "walk_gait2354/subject01_simbody.osim",
    "walk_opencap_s4/manually_scaled.osim",
    "walk_rajagopal_emg/subject_walk_scaled.osim",
)
STEP = 1e-5
TOLERANCE = 2e-6
"""Of arms [m]: where a path just meets a surface its second derivative jumps, by up to 0.3 m here, and a difference is
wrong by half of STEP times the jump."""


@pytest.mark.parametrize("name", MODELS)
def test_every_muscle_of_every_model(shared_data, name):
    model = the_model(shared_data / name)
    q = scenes.poses_in_range(model, 30, seed=4)
    by_differences, arms, _ = scenes.arms_by_differences(model, q, STEP)
    assert np.abs(by_differences - arms).max() < 1e-7


def chain():
    """All kinds of joints one behind the other, a muscle from the first to the last link over a cylinder between."""
    builder = ModelBuilder("chain")
    builder.free("base", mass=1.0)
    builder.spherical("ball", "base", position=(0.0, -0.1, 0.0))
    builder.custom(
        "bend",
        "ball",
        position=(0.0, -0.1, 0.0),
        rotations=(
            Axis((0, 0, 1), (("bend", Linear(1.0)),)),
            Axis((1, 0, 0), (("twist", Polynomial((0.0, 0.5, 0.2))),)),
            Axis((0, 1, 0)),
        ),
        translations=(
            Axis((1, 0, 0), (("bend", Polynomial((0.0, 0.01, 0.02))),)),
            Axis((0, 1, 0)),
            Axis((0, 0, 1)),
        ),
    )
    builder.prismatic("slide", "bend", axis=(0, 1, 0), position=(0.0, -0.1, 0.0))
    builder.fixed("end", "slide", position=(0.02, -0.1, 0.0))
    points = [("base", (0.05, 0.0, 0.01)), ("ball", (0.06, -0.02, 0.0)), ("end", (0.04, -0.05, 0.02))]
    surface = WrapCylinder("bend", radius=0.04, length=0.5)
    return builder.build().replace(wraps={"s": surface}, muscles={"m": scenes.muscle("m", points, ["s"])})


def test_every_kind_of_joint():
    model = chain()
    rng = np.random.default_rng(0)
    q = ss.integrate(model, scenes.at_rest(model, 30), rng.uniform(-0.5, 0.5, (30, model.nv)), 1.0)
    by_differences, arms, found = scenes.arms_by_differences(model, q)
    assert arms == pytest.approx(by_differences, abs=TOLERANCE)
    assert np.all(arms[:, 0, :6] == 0.0)  # the free base carries all of it, exactly
    assert np.abs(arms[:, 0, 6:]).max(axis=0).min() > 1e-3  # and everything behind moves it
    assert found.notes == ()


def test_a_muscle_on_a_blade():
    """One end on the tip of a soft rod: strains are coordinates like all others."""
    section = Section.rectangle(0.06, 0.006, density=1600.0, young=50e9, shear=20e9)
    rod = Rod.uniform(0.3, 3, section, free=("kx", "ky", "kz", "ex"))
    builder = ModelBuilder("blade")
    builder.revolute("leg", axis=(0, 0, 1), mass=1.0)
    builder.rod("blade", "leg", rod=rod, position=(0.0, -0.2, 0.0))
    points = [("world", (0.3, 0.2, 0.0)), ("leg", (0.05, -0.1, 0.0)), ("blade", (-0.02, 0.0, 0.03))]
    model = builder.build().replace(muscles={"m": scenes.muscle("m", points)})
    q = np.random.default_rng(1).uniform(-0.8, 0.8, (20, model.nv))
    by_differences, arms, _ = scenes.arms_by_differences(model, q)
    assert model.nv > 10
    assert arms == pytest.approx(by_differences, abs=1e-8)
    assert np.abs(arms).max(axis=(0, 1)).min() > 0.0


SURFACES = {
    "cylinder": WrapCylinder("body", radius=0.02),
    "half a cylinder": WrapCylinder("body", radius=0.02, quadrant="-x"),
    "sphere": WrapSphere("body", radius=0.02),
    "half a sphere": WrapSphere("body", radius=0.02, quadrant="+y"),
    "ellipsoid": WrapEllipsoid("body", a=0.03, b=0.025, c=0.02),
    "half an ellipsoid": WrapEllipsoid("body", a=0.03, b=0.025, c=0.02, quadrant="+x"),
    "torus": WrapTorus("body", inner=0.01, outer=0.03),
}


@pytest.mark.parametrize("surface", SURFACES.values(), ids=SURFACES)
def test_every_surface_in_any_attitude(surface):
    """Six coordinates of a body that carries the surface; most poses wrap."""
    model = scenes.over(surface, (-0.09, 0.0, 0.0), (0.11, 0.0, 0.01))
    q = scenes.random_poses(500, 0.01, seed=7)
    # short steps: where a segment passes near the centre the path swings round, third derivatives go beyond 1e6 m
    by_differences, arms, found = scenes.arms_by_differences(model, q, 3e-7)
    error = np.abs(by_differences - arms).max(axis=(1, 2))
    assert np.mean(found.length > np.hypot(0.2, 0.01) + 1e-9) > 0.6
    assert np.quantile(error, 0.9) < 1e-8
    assert error.max() < 1e-6


def test_two_surfaces_settle_so_that_arms_are_derivatives():
    """Two cylinders and a sphere on one path, coupled: what one does moves the others."""
    builder = ModelBuilder("three")
    builder.revolute("a", axis=(0, 0, 1))
    builder.revolute("b", "a", axis=(0, 0, 1), position=(0.1, 0.0, 0.0))
    builder.revolute("c", "b", axis=(0, 0, 1), position=(0.1, 0.0, 0.0))
    wraps = {
        "first": WrapCylinder("a", np.eye(4), "+y", radius=0.03),
        "second": WrapCylinder("b", np.eye(4), "+y", radius=0.025),
        "third": WrapSphere("c", np.eye(4), radius=0.02),
    }
    points = [("world", (-0.1, 0.01, 0.01)), ("c", (0.1, 0.005, 0.004))]
    model = builder.build().replace(wraps=wraps, muscles={"m": scenes.muscle("m", points, wraps)})
    q = np.random.default_rng(3).uniform(-0.6, 0.0, (40, 3))
    by_differences, arms, found = scenes.arms_by_differences(model, q)
    assert arms == pytest.approx(by_differences, abs=TOLERANCE)
    lines = ss.path_points(model, q, "m", arc_points=0)
    assert sum(len(line) == 8 for line in lines) > 10  # many poses with all three wrapped
    assert found.notes == ()
    for line in lines:
        assert np.all(np.isfinite(line))


def test_a_belt_over_two_cylinders_by_hand():
    """Both are touched on top: tangent, arc, outer common tangent, arc, tangent."""
    centres, radii = np.array([[-0.05, 0.0], [0.05, 0.01]]), np.array([0.02, 0.015])
    first, second = (
        WrapCylinder("body", _moved(*c), "+y", radius=r) for c, r in zip(centres, radii, strict=True)
    )
    start, end = np.array([-0.15, -0.02]), np.array([0.16, -0.01])
    model = scenes.over(first, (*start, 0.0), (*end, 0.0), second=second)
    between = centres[1] - centres[0]
    D = np.linalg.norm(between)
    normal = np.arctan2(between[1], between[0]) + np.arccos((radii[0] - radii[1]) / D)
    d1, d2 = start - centres[0], end - centres[1]
    far1, far2 = np.linalg.norm(d1), np.linalg.norm(d2)
    meets = np.arctan2(d1[1], d1[0]) % (2.0 * np.pi) - np.arccos(radii[0] / far1)
    leaves = np.arctan2(d2[1], d2[0]) + np.arccos(radii[1] / far2)
    by_hand = (
        np.sqrt(far1**2 - radii[0] ** 2)
        + radii[0] * (meets - normal)
        + np.sqrt(D**2 - (radii[0] - radii[1]) ** 2)
        + radii[1] * (normal - leaves)
        + np.sqrt(far2**2 - radii[1] ** 2)
    )
    found = ss.muscle_paths(model, model.neutral())
    assert found.length[0] == pytest.approx(by_hand, abs=1e-13)
    assert found.notes == ()


def _moved(x, y):
    pose = np.eye(4)
    pose[:2, 3] = x, y
    return pose


@pytest.mark.parametrize(
    "name", ["walk_rajagopal_emg/subject_walk_scaled.osim", "muscle_arm26/arm26.osim", "knee_gc5_ps/GC5.osim"]
)
def test_wrenches_on_links_do_what_arms_say(shared_data, name):
    model = the_model(shared_data / name)
    q = scenes.poses_in_range(model, 20, seed=1, widest=0.7)
    found = ss.muscle_paths(model, q)
    forces = np.random.default_rng(0).uniform(0.0, 500.0, (20, len(found.names)))
    wrenches = ss.muscle_wrenches(model, q, forces)
    tau = ss.generalized_forces(model, q, dict(wrenches))
    assert tau == pytest.approx(np.einsum("fmv,fm->fv", found.arms, forces), abs=1e-9)


def test_wrenches_of_a_muscle_add_up_to_nothing():
    model = chain()
    q = ss.integrate(
        model, scenes.at_rest(model, 5), np.random.default_rng(0).uniform(-0.5, 0.5, (5, model.nv)), 1.0
    )
    wrenches = ss.muscle_wrenches(model, q, np.full((5, 1), 100.0))
    origins = dict(zip(wrenches, ss.positions(model, q, list(wrenches)).transpose(1, 0, 2), strict=True))
    force = sum(w[:, 3:] for w in wrenches.values())
    moment = sum(w[:, :3] + np.cross(origins[link], w[:, 3:]) for link, w in wrenches.items())
    assert set(wrenches) == {"base", "ball", "bend", "end"}
    assert np.abs(force).max() < 1e-12
    assert np.abs(moment).max() < 1e-12
