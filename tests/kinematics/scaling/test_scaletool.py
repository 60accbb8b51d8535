"""Measurement-based scaling beside OpenSim's ScaleTool on the same setup."""

import shutil
from dataclasses import replace
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest

import softstride as ss
from softstride.kinematics.scaling import fit_scaling, read_scale_setup
from softstride.model.formats.osim import read_osim

osim = pytest.importorskip("opensim")
SETUP, STATIC, MODEL = "subject01_Setup_Scale.xml", "subject01_static.trc", "gait2354_simbody.osim"

pytestmark = pytest.mark.slow


def copied(folder: Path, target: Path) -> None:
    """Copy the files of a folder, writable: the tool writes beside them."""
    for file in folder.iterdir():
        if file.is_file():
            shutil.copyfile(file, target / file.name)


@pytest.fixture(scope="module")
def theirs(shared_data, tmp_path_factory):
    """Folder in which the ScaleTool ran: scaled model, model with markers placed, factors, and its pose."""
    osim.Logger.setLevelString("off")
    folder = tmp_path_factory.mktemp("scaletool")
    copied(shared_data / "walk_gait2354", folder)
    (folder / "subject01_simbody.osim").unlink()
    tool = osim.ScaleTool(str(folder / SETUP))
    tool.setPathToSubject(f"{folder}/")
    assert tool.run()
    return folder


@pytest.fixture(scope="module")
def ours(shared_data):
    """The same by softstride."""
    folder = shared_data / "walk_gait2354"
    return fit_scaling(read_osim(folder / MODEL), ss.read(folder / STATIC), setup=folder / SETUP)


def test_factors(theirs, ours):
    """Required within 0.5 %; both average the same frames, so the six digits of the file decide."""
    found = {}
    for scale in ElementTree.parse(theirs / "subject01_scaleSet_applied.xml").iter("Scale"):
        found[scale.findtext("segment").strip()] = np.array(
            [float(x) for x in scale.findtext("scales").split()]
        )
    for name, factors in ours.factors.items():
        assert np.allclose(factors, found[name], rtol=6e-6), name
    assert np.allclose(ours.factors["torso"], 1.0797, atol=1e-4)  # not all ones
    assert np.allclose(ours.factors["femur_r"], 1.14724)  # set by hand in the file


def test_masses_joints_and_muscles(theirs, ours):
    """To the digits of the file."""
    model = read_osim(theirs / "subject01_simbody.osim")
    assert np.isclose(ours.model.mass, 72.6, rtol=1e-14)
    for a, b in zip(ours.model.links, model.links, strict=True):
        assert np.isclose(a.mass, b.mass, rtol=1e-10)
        assert np.allclose(a.placement, b.placement, rtol=0.0, atol=1e-12)
        assert np.allclose(a.offset, b.offset, rtol=0.0, atol=1e-12)
        assert np.allclose(a.inertia.com, b.inertia.com, rtol=0.0, atol=1e-12)
        assert np.allclose(a.inertia.matrix, b.inertia.matrix, rtol=1e-10, atol=1e-14)
    for name, muscle in model.muscles.items():
        mine = ours.model.muscles[name]
        assert np.isclose(mine.fibre_length, muscle.fibre_length, rtol=1e-9), name
        assert np.isclose(mine.tendon_length, muscle.tendon_length, rtol=1e-9), name


def test_markers_placed(theirs, ours):
    """Their pose stops at an accuracy of 1e-4, which leaves the light trunk markers a centimetre away from the minimum.

    The heavy markers of pelvis and legs agree within a millimetre; the pose itself is compared below.
    """
    model = read_osim(theirs / "subject01_simbody.osim")
    assert set(model.markers) == set(ours.model.markers)
    for name, marker in model.markers.items():
        apart = np.linalg.norm(marker.position - ours.model.markers[name].position)
        assert apart < (0.012 if marker.link == "torso" else 0.001), name
    assert ours.converged
    assert ours.placed_rms < 1e-9


def test_the_static_pose_is_opensims_minimum(theirs, shared_data):
    """OpenSim's inverse kinematics on the scaled model, asked for a tight accuracy: 1e-6 rad and m."""
    root = ElementTree.parse(theirs / SETUP).getroot()
    tasks = root.find(".//MarkerPlacer/IKTaskSet")
    tool = ElementTree.fromstring(
        "<OpenSimDocument Version='30000'><InverseKinematicsTool name='tight'>"
        "<model_file>subject01_scaledOnly.osim</model_file><constraint_weight>Inf</constraint_weight>"
        f"<accuracy>1e-10</accuracy><marker_file>{STATIC}</marker_file><coordinate_file/>"
        "<time_range>1.0 1.0</time_range><report_errors>false</report_errors>"
        "<output_motion_file>tight.mot</output_motion_file></InverseKinematicsTool></OpenSimDocument>"
    )
    tool[0].append(tasks)
    ElementTree.ElementTree(tool).write(theirs / "tight.xml")
    osim.Logger.setLevelString("off")
    solver = osim.InverseKinematicsTool(str(theirs / "tight.xml"))
    solver.setModel(_model := osim.Model(str(theirs / "subject01_scaledOnly.osim")))
    solver.setMarkerDataFileName(str(theirs / STATIC))
    solver.setOutputMotionFileName(str(theirs / "tight.mot"))
    assert solver.run()
    table = ss.read(theirs / "tight.mot").table
    folder = shared_data / "walk_gait2354"
    setup = replace(read_scale_setup(folder / SETUP), place_range=(1.0, 1.0))
    ours = fit_scaling(read_osim(folder / MODEL), ss.read(folder / STATIC), setup=setup)
    for name, value in zip(ours.model.coordinate_names, ours.q[0], strict=True):
        found = (
            table[name][0] if name in ("pelvis_tx", "pelvis_ty", "pelvis_tz") else np.radians(table[name][0])
        )
        assert np.isclose(found, value, rtol=0.0, atol=1e-6), name
