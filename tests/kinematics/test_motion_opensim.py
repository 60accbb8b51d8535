"""OpenSim 4.6 takes our motions: the same numbers, the same poses, the same joint moments from its own tools."""

import numpy as np
import pytest
from tests.files import element, objects, setup_of
from tests.models import the_model

import softstride as ss
from softstride.capture.text import parse_storage
from softstride.kinematics.motion import Motion
from softstride.kinematics.motion_files import read_motion
from softstride.kinematics.motion_table import describe_columns
from softstride.model import Axis, Linear, ModelBuilder, Polynomial, Scaled, SimmSpline

osim = pytest.importorskip("opensim")

from tests.model.osim_write.peer import pose_matrix  # noqa: E402

osim.Logger.setLevelString("Off")

pytestmark = pytest.mark.slow  # importing OpenSim alone takes seconds

ROTATIONAL = 1
CURVED = SimmSpline([-1.0, 0.0, 1.0, 2.0], [-1.0, 0.1, 1.0, 2.5])
DRIVES = {  # which axes (0 to 5) a coordinate drives, and how
    "turn": {2: Linear(1.0)},
    "back": {2: Linear(-1.0)},
    "twice": {2: Linear(2.0)},
    "ahead": {0: Linear(1.0, 0.1)},
    "curved": {2: CURVED},
    "knee": {2: Linear(1.0), 3: CURVED, 4: CURVED},
    "screw": {2: Linear(1.0), 3: Linear(1.0)},
    "worm": {2: Linear(1.0), 3: Linear(0.01)},
    "slide": {4: Linear(1.0)},
    "slow": {4: Linear(0.5)},
    "glide": {3: CURVED},
    "gear": {2: Linear(2.0), 5: Linear(1.0)},
    "pair": {0: Linear(2.0), 2: Linear(1.0)},
    "mirror": {1: Scaled(Linear(1.0), -1.0)},
    "power": {1: Polynomial([0.3, 1.0])},
}


def ballast(name):
    return {"mass": 1.0 + len(name), "com": (0.01, -0.1, 0.02), "inertia": (0.1, 0.12, 0.09)}


def athlete():
    """A free pelvis and two balls, placed askew, beside a hinge, a slider and a custom knee."""
    builder = ModelBuilder("athlete")
    askew = ss.spatial.so3.exp([0.3, -0.4, 0.2])
    builder.free("pelvis", rotation=askew, position=(0.1, 0.2, 0.3), **ballast("pelvis"))
    builder.spherical("hip", "pelvis", rotation=askew, position=(0, -0.1, 0.1), **ballast("hip"))
    knee = Axis.along((0, 0, 1), "knee")
    glide = Axis((1, 0, 0), (("knee", Polynomial([0.0, 0.0, 0.01])),))
    rest = Axis((1, 0, 0)), Axis((0, 1, 0))
    builder.custom(
        "shank",
        "hip",
        rotations=(knee, *rest),
        translations=(glide, rest[1], Axis((0, 0, 1))),
        position=(0, -0.4, 0),
        **ballast("shank"),
    )
    builder.prismatic("socket", "shank", axis=(0, 1, 0), **ballast("socket"))
    builder.spherical("trunk", "pelvis", position=(0, 0.1, 0), **ballast("trunk"))
    builder.revolute("elbow", "trunk", axis=(1, 2, 2), position=(0, 0.3, 0.2), **ballast("elbow"))
    return builder.build()


def moving(model, n=40):
    """Large motions: every ball passes its poles and turns over."""
    t = 0.5 + np.arange(n) / 100.0
    d = 2.0 * np.sin(np.outer(t, 3.0 + np.arange(model.nv)) + np.arange(model.nv))
    return Motion(model, t, ss.integrate(model, np.broadcast_to(model.neutral(), (n, model.nq)), d))


def storage(path):
    """Return (labels without time, times, values, inDegrees) as OpenSim's Storage reads them."""
    table = osim.Storage(str(path))
    names = table.getColumnLabels()
    labels = [names.get(i) for i in range(names.getSize())]
    times = osim.ArrayDouble()
    table.getTimeColumn(times)
    rows = []
    for i in range(table.getSize()):
        vector = table.getStateVector(i)
        data = vector.getData()
        rows.append([data.get(k) for k in range(data.getSize())])
    return labels[1:], [times.get(i) for i in range(times.getSize())], np.array(rows), table.isInDegrees()


@pytest.mark.parametrize("degrees", [True, False])
def test_storage_and_tables_hold_our_numbers(tmp_path, degrees):
    motion = moving(athlete())
    path = tmp_path / "walk.mot"
    motion.save(path, degrees=degrees)
    file = parse_storage(path.read_bytes(), path)
    labels, times, values, in_degrees = storage(path)
    assert in_degrees is degrees
    assert tuple(labels) == motion.model.coordinate_names
    assert np.array_equal(times, motion.time)
    assert np.array_equal(values, file.values)
    table = osim.TimeSeriesTable(str(path))
    assert tuple(table.getColumnLabels()) == motion.model.coordinate_names
    matrix = table.getMatrix()
    assert np.array_equal(matrix.to_numpy(), file.values)
    assert table.getTableMetaDataString("inDegrees") == ("yes" if degrees else "no")


@pytest.mark.parametrize("degrees", [True, False])
def test_poses_of_balls_and_free_joints(tmp_path, degrees):
    """Our file, OpenSim's own conversion to radians, our document: every body is where our engine has it, to 1e-12."""
    model = athlete()
    motion = moving(model)
    motion.save(tmp_path / "walk.sto", degrees=degrees)
    ss.save_model(model, tmp_path / "athlete.osim")
    peer = osim.Model(str(tmp_path / "athlete.osim"))
    state = peer.initSystem()
    table = osim.TimeSeriesTable(str(tmp_path / "walk.sto"))
    if degrees:
        engine = peer.getSimbodyEngine()
        engine.convertDegreesToRadians(table)
    labels, matrix = list(table.getColumnLabels()), table.getMatrix().to_numpy()
    coordinates = peer.updCoordinateSet()
    worst = 0.0
    for frame in range(0, len(motion), 3):
        for i in range(coordinates.getSize()):
            coordinate = coordinates.get(i)
            coordinate.setClamped(state, False)
            coordinate.setValue(state, float(matrix[frame, labels.index(coordinate.getName())]), False)
        peer.realizePosition(state)
        for link in model.link_names:
            theirs = pose_matrix(peer.getBodySet().get(link).getTransformInGround(state))
            worst = max(worst, np.abs(theirs - ss.poses(model, motion.q[frame], link)).max())
    assert worst < 1e-12


def driven():
    builder = ModelBuilder("driven")
    parent = "world"
    for name, drives in DRIVES.items():
        axes = [
            Axis(row, ((name, drives[i]),) if i in drives else ())
            for i, row in enumerate(np.tile(np.eye(3), (2, 1)))
        ]
        options = {"rotations": tuple(axes[:3]), "translations": tuple(axes[3:])}
        builder.custom(f"{name}_link", parent, **options, **ballast(name))
        parent = f"{name}_link"
    return builder.build()


def rotational(path):
    model = osim.Model(str(path))
    model.initSystem()
    coordinates = model.getCoordinateSet()
    every = [coordinates.get(i) for i in range(coordinates.getSize())]
    return {coordinate.getName(): coordinate.getMotionType() == ROTATIONAL for coordinate in every}


def test_what_opensim_calls_rotational(tmp_path):
    """By its own word on every kind of custom coordinate that we write."""
    model = driven()
    ss.save_model(model, tmp_path / "driven.osim")
    ours = {column.name: column.rotational for column in describe_columns(model)}
    assert ours == rotational(tmp_path / "driven.osim")
    assert 5 < sum(ours.values()) < len(ours) - 5


@pytest.mark.parametrize(
    "name",
    [
        "walk_gait2354/subject01_simbody.osim",
        "walk_gait2354/planar10dof/subject01.osim",
        "walk_rajagopal_emg/subject_walk_scaled.osim",
        "run_hamner_s01/final.osim",
        "run_overground_bmc/Rajagopal2015_scaled.osim",
        "walk_opencap_s4/manually_scaled.osim",
        "knee_gc5_ps/GC5.osim",
        "amputee_models/TTAmp_Right_passive.osim",
        "amputee_models/TTAmp_Left_passive_2D.osim",
    ],
)
def test_what_opensim_calls_rotational_in_published_models(shared_data, name):
    theirs = rotational(shared_data / name)
    for column in describe_columns(the_model(shared_data / name)):
        assert column.rotational == theirs[column.name], column.name


def inverse_dynamics(model, motion, folder):
    """Run OpenSim's InverseDynamicsTool; return labels and values."""
    tool = osim.InverseDynamicsTool()
    tool.setModelFileName(str(model))
    tool.setCoordinatesFileName(str(motion))
    excluded = osim.ArrayStr()
    excluded.append("Muscles")
    tool.setExcludedForces(excluded)
    tool.setStartTime(0.5)
    tool.setEndTime(1.5)
    tool.setResultsDir(str(folder))
    tool.setOutputGenForceFileName("id.sto")
    assert tool.run()
    return parse_storage((folder / "id.sto").read_bytes(), "id.sto")


def test_inverse_dynamics_tool_takes_our_file(shared_data, tmp_path):
    """Moments from our copy of OpenSim's own motion are those from the motion itself, to the digits of its file."""
    folder = shared_data / "walk_gait2354"
    source = folder / "reference/subject01_walk1_ik.mot"
    model = the_model(folder / "subject01_simbody.osim")
    read_motion(source, model).save(tmp_path / "ours.mot")
    (tmp_path / "a").mkdir()
    (tmp_path / "b").mkdir()
    ours = inverse_dynamics(folder / "subject01_simbody.osim", tmp_path / "ours.mot", tmp_path / "a")
    theirs = inverse_dynamics(folder / "subject01_simbody.osim", source, tmp_path / "b")
    assert ours.columns == theirs.columns
    assert ours.values.shape == theirs.values.shape
    assert np.abs(theirs.values).max() > 500.0
    assert (
        np.abs(ours.values - theirs.values).max() < 1e-2
    )  # [N], [N·m]: times of the file have eight decimals


def test_analyze_tool_takes_our_file(tmp_path):
    """Positions of bodies by OpenSim's BodyKinematics, through balls and a free joint, from our file in degrees."""
    model = athlete()
    motion = moving(model)
    motion.save(tmp_path / "walk.mot")
    ss.save_model(model, tmp_path / "athlete.osim")
    (tmp_path / "setup.xml").write_text(
        setup_of(
            "AnalyzeTool",
            objects("AnalysisSet", element("BodyKinematics", name="BodyKinematics")),
            name="walk",
            model_file="athlete.osim",
            results_directory=".",
            initial_time=float(motion.time[0]),
            final_time=float(motion.time[-1]),
            coordinates_file="walk.mot",
        )
    )
    tool = osim.AnalyzeTool(str(tmp_path / "setup.xml"))
    assert tool.run()
    found = parse_storage((tmp_path / "walk_BodyKinematics_pos_global.sto").read_bytes(), "pos")
    assert len(found.time) == len(motion)
    for link in model.links:
        column = found.columns.index(f"{link.name}_X")
        com = ss.positions(model, motion.q, ss.Point(link.name, link.inertia.com))
        assert np.abs(found.values[:, column : column + 3] - com).max() < 1e-6, link.name
