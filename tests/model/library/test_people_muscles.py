"""The leg muscles of the packaged people against the model they come from, in OpenSim, and against plain anatomy."""

import numpy as np
import pytest

from softstride.engine import poses, positions
from softstride.model.frame import Point
from softstride.model.library.human import gait_person, human
from softstride.model.library.human.people import build_person
from softstride.model.library.human.person import Person, lengths
from softstride.model.library.human.tables import table

PEOPLE = {"human": human, "gait": gait_person}
each = pytest.mark.parametrize("build", PEOPLE.values(), ids=PEOPLE)
both = pytest.mark.parametrize("sex", ["male", "female"])

ROUNDING = 6e-6
"""Tables have five decimals of a segment length: 5e-6 · 0.41 m for each coordinate, and both ends of a chain [m]."""


def path_points(model, q):
    """Return the points of every muscle in the world, by muscle, shape (..., n, 3): one call of the engine for all."""
    muscles = model.muscles.values()
    places = [Point(point.link, point.position) for muscle in muscles for point in muscle.path.points]
    cuts = np.cumsum([len(muscle.path.points) for muscle in muscles])[:-1]
    return dict(zip(model.muscles, np.split(positions(model, q, places), cuts, axis=-2), strict=True))


def straight_length(world):
    return float(np.sum(np.linalg.norm(np.diff(world, axis=0), axis=1)))


# plausible for anyone


@each
@both
def test_fibre_and_tendon_fit_the_path(build, sex):
    """Unstretched fibre and tendon are as long as the straight path within a third: (l cos a + t) / L."""
    model = build(sex=sex)
    world = path_points(model, model.neutral())
    ratios = {
        name: (m.fibre_length * np.cos(m.pennation) + m.tendon_length) / straight_length(world[name])
        for name, m in model.muscles.items()
    }
    assert len(ratios) == 80
    # measured 0.89 (bfsh) to 1.27 (addmagMid, which wraps and so is longer than its straight path)
    assert min(ratios.values()) > 0.85 and max(ratios.values()) < 1.3
    assert np.median(list(ratios.values())) == pytest.approx(1.0, abs=0.02)


BONES = {  # ends of the bone, as frames of the model, and how far a point may be off it over the height
    "femur": ("hip", "knee", 0.046),
    "tibia": ("knee", "ankle", 0.035),
    "foot": ("heel", "toe_tip", 0.065),
}


@each
@both
def test_every_path_runs_close_to_the_bones_of_its_links(build, sex):
    model = build(height=1.7, sex=sex)
    q = model.neutral()
    world_points = path_points(model, q)
    stems = ("hip", "knee", "ankle", "heel", "toe_tip")
    names = [f"{stem}_{side}" for stem in stems for side in "rl"]
    joints = dict(zip(names, positions(model, q, names), strict=True))
    feet = ("calcn", "toes", "hindfoot", "midfoot", "forefoot")
    for name, muscle in model.muscles.items():
        side = name[-1]
        for point, world in zip(muscle.path.points, world_points[name], strict=True):
            bone = point.link.removesuffix(f"_{side}")
            if bone == "pelvis":
                assert np.linalg.norm(world - joints[f"hip_{side}"]) < 0.12 * 1.7, (
                    name
                )  # iliac crest: 19 cm from the hip
                continue
            if bone == "patella":
                assert np.linalg.norm(point.position) < 0.035 * 1.7, name
                continue
            first, second, far = BONES["foot" if bone in feet else bone]
            a, b = joints[f"{first}_{side}"], joints[f"{second}_{side}"]
            along = np.clip((world - a) @ (b - a) / ((b - a) @ (b - a)), 0.0, 1.0)
            assert np.linalg.norm(world - a - along * (b - a)) < far * 1.7, (name, point.link)
            assert world[1] > 0.0  # above the sole


@each
def test_muscles_grow_with_the_person(build):
    """All lengths scale with height; force follows volume over fibre length, volume = 47 m h + 1285 cm³."""
    small, large = build(mass=60.0, height=1.6), build(mass=90.0, height=1.92)
    for name, muscle in small.muscles.items():
        twin = large.muscles[name]
        assert twin.fibre_length / muscle.fibre_length == pytest.approx(1.2, rel=1e-9)
        assert twin.tendon_length / muscle.tendon_length == pytest.approx(1.2, rel=1e-9)
        volume = (47 * 90 * 1.92 + 1285) / (47 * 60 * 1.6 + 1285)
        assert twin.max_force / muscle.max_force == pytest.approx(volume / 1.2, rel=1e-9)


def test_volume_of_the_muscles_is_that_of_the_regression():
    """Σ F l / (60 N/cm²) of the table against 47 m h + 1285 cm³ of a leg; a few small muscles are not modelled."""
    data = table("muscles")
    volume = sum(100 * row["force"] * row["reference_fibre"] / 60 for row in data["muscles"].values())
    assert volume == pytest.approx(47 * 75.337 * 1.70 + 1285, rel=0.05)


def test_both_people_have_the_same_muscles_in_the_neutral_pose():
    full, light = human(), gait_person()
    here, there = (path_points(model, model.neutral()) for model in (full, light))
    for name, muscle in full.muscles.items():
        twin = light.muscles[name]
        assert np.max(np.abs(here[name] - there[name])) < 1e-12
        assert muscle.max_force == pytest.approx(twin.max_force, rel=1e-12)
    moved = {
        p.link for m in full.muscles.values() for p in m.path.points if p.link.startswith(("mid", "fore"))
    }
    assert moved == {"midfoot_r", "midfoot_l", "forefoot_r", "forefoot_l"}


# the source


def vector(v):
    return np.array([v.get(i) for i in range(3)])


def joint_place(model, joint, frame):
    osim = pytest.importorskip("opensim")
    place = osim.PhysicalOffsetFrame.safeDownCast(model.getJointSet().get(joint).get_frames(frame))
    return vector(place.get_translation())


@pytest.fixture(scope="module")
def source(shared_data):
    """The source in OpenSim, and our gait person with its lengths."""
    osim = pytest.importorskip("opensim")
    osim.Logger.setLevelString("Off")
    model = osim.Model(str(shared_data / "run_overground_bmc" / "Rajagopal2015_scaled.osim"))
    leg = table("leg")
    person = Person(70.0, 1.66, "male")
    hip, knee = joint_place(model, "hip_r", 0), joint_place(model, "walker_knee_r", 0)
    shank = joint_place(model, "ankle_r", 0) - joint_place(model, "walker_knee_r", 1)
    toes = joint_place(model, "subtalar_r", 0) + joint_place(model, "mtp_r", 0)
    sizes = lengths(person) | {
        "pelvis": list(hip / leg["hip"]),
        "thigh": np.linalg.norm(knee),
        "shank": np.linalg.norm(shank),
        "foot": np.linalg.norm(toes) / np.linalg.norm(leg["mtp"]),
        "patella": 0.40805,  # the copy left the patella's own points unscaled: thigh of the unscaled model
    }
    return osim, model, model.initSystem(), build_person("gait", person, sizes)


def source_poses(ours, n):
    """Return the neutral pose and n - 1 random ones within our limits, knees up to the 120 deg of the tables."""
    rng = np.random.default_rng(7)
    q = np.tile(ours.neutral(), (n, 1))
    for k, name in enumerate(ours.coordinate_names):
        c = ours.coordinates[name]
        if np.isfinite(c.lower):
            low, high = (0.0, 2.09) if name.startswith("knee") else (c.lower, c.upper)
            q[1:, k] = rng.uniform(low, high, n - 1)
    return q


def set_pose(model, state, names, q):
    coordinates = model.getCoordinateSet()
    for name in names:
        coordinates.get(name).setLocked(state, False)
        coordinates.get(name).setClamped(state, False)
    for name, value in zip(names, q, strict=True):
        coordinates.get(name).setValue(state, float(value), False)
        if name.startswith("knee"):
            coordinates.get(f"{name}_beta").setValue(state, float(value), False)
    model.realizePosition(state)


def test_paths_are_those_of_the_source_at_20_poses(source):
    """Every point of every muscle and every wrapping cylinder, so that lengths and moment arms are equal too."""
    osim, model, state, ours = source
    surfaces = {
        part.getName(): osim.WrapCylinder.safeDownCast(part)
        for part in model.getComponentsList()
        if osim.WrapCylinder.safeDownCast(part)
    }
    q = source_poses(ours, 21)
    paths = path_points(ours, q)
    links = {link: poses(ours, q, link) for link in {surface.link for surface in ours.wraps.values()}}
    for frame, pose in enumerate(q):
        set_pose(model, state, ours.coordinate_names, pose)
        for name, world in paths.items():
            given = model.getMuscles().get(name).getGeometryPath().getPathPointSet()
            there = [vector(given.get(i).getLocationInGround(state)) for i in range(given.getSize())]
            assert np.max(np.abs(world[frame] - there)) < ROUNDING, name
        for name, surface in ours.wraps.items():
            twin = surfaces[name]
            T = links[surface.link][frame] @ surface.pose
            body = twin.getFrame().getTransformInGround(state)
            centre = vector(body.shiftFrameStationToBase(twin.get_translation()))
            a, b, _ = vector(twin.get_xyz_body_rotation())
            axis = np.array([np.sin(b), -np.sin(a) * np.cos(b), np.cos(a) * np.cos(b)])  # Rx(a) Ry(b) z
            axis = vector(body.xformFrameVecToBase(osim.Vec3(*map(float, axis))))
            assert np.max(np.abs(T[:3, 3] - centre)) < ROUNDING, name
            assert abs(T[:3, 2] @ axis) == pytest.approx(1.0, abs=1e-8)  # a cylinder has no front
            assert surface.radius == pytest.approx(twin.get_radius(), rel=2e-4)  # five decimals
            assert surface.length == pytest.approx(twin.get_length(), rel=2e-4)


def test_hill_parameters_are_those_of_the_source(source):
    _, model, _, ours = source
    assert set(ours.muscles) == {muscle.getName() for muscle in model.getMuscles()}
    for name, muscle in ours.muscles.items():
        twin = model.getMuscles().get(name)
        assert muscle.fibre_length == pytest.approx(
            twin.getOptimalFiberLength(), rel=1e-3
        )  # five decimals of a share
        assert muscle.tendon_length == pytest.approx(twin.getTendonSlackLength(), rel=1e-3)
        assert muscle.pennation == pytest.approx(twin.getPennationAngleAtOptimalFiberLength(), abs=1e-5)
        wraps = twin.getGeometryPath().getWrapSet()
        given = [wraps.get(i).getWrapObjectName() for i in range(wraps.getSize())]
        assert [wrap.surface for wrap in muscle.path.wraps] == given


@pytest.mark.slow
def test_lengths_and_moment_arms_are_those_of_the_source(source, shared_data):
    """Our points and surfaces put into a copy of the source: OpenSim then wraps and differentiates both alike."""
    osim, model, state, ours = source
    copy = osim.Model(str(shared_data / "run_overground_bmc" / "Rajagopal2015_scaled.osim"))
    knee = joint_place(copy, "walker_knee_r", 1)  # our shank frame is in the knee, the source's beside it
    for name, muscle in ours.muscles.items():
        given = copy.getMuscles().get(name).getGeometryPath().updPathPointSet()
        for i, point in enumerate(muscle.path.points):
            shift = knee * (1, 1, 1 if name.endswith("_r") else -1) if point.link.startswith("tibia") else 0.0
            osim.PathPoint.safeDownCast(given.get(i)).setLocation(
                osim.Vec3(*map(float, point.position + shift))
            )
    for name, surface in ours.wraps.items():
        twin = osim.WrapCylinder.safeDownCast(
            copy.getBodySet().get(surface.link).getWrapObjectSet().get(name)
        )
        twin.set_radius(surface.radius)
        twin.set_length(surface.length)
    other = copy.initSystem()
    worst_length = worst_arm = 0.0
    for q in source_poses(ours, 21):
        set_pose(model, state, ours.coordinate_names, q)
        set_pose(copy, other, ours.coordinate_names, q)
        for name in ours.muscles:
            a, b = model.getMuscles().get(name), copy.getMuscles().get(name)
            worst_length = max(worst_length, abs(a.getLength(state) - b.getLength(other)))
            for joint in ("hip_flexion", "hip_adduction", "hip_rotation", "knee_angle", "ankle_angle"):
                arm, twin = (
                    muscle.computeMomentArm(s, m.getCoordinateSet().get(f"{joint}_{name[-1]}"))
                    for muscle, s, m in ((a, state, model), (b, other, copy))
                )
                worst_arm = max(worst_arm, abs(arm - twin))
    assert worst_length < 2e-5  # measured 6e-6 m: rounding of up to eight points
    assert worst_arm < 5e-5  # measured 1e-5 m
