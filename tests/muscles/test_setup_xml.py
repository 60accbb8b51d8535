"""Setups of OpenSim's AnalyzeTool: what is asked of static optimisation and joint reactions, and what is refused."""

from pathlib import Path

import numpy as np
import pytest
from tests.files import document, element, objects, setup_of
from tests.muscles.sharing.made import arm
from tests.refusals import bad_input

from softstride.errors import ModelError
from softstride.muscles.actuator_xml import add_actuators
from softstride.muscles.setup_xml import read_analyze_setup
from softstride.notes import codes, sentences

SHARING = {
    "on": "true",
    "start_time": "0.2",
    "end_time": "9",
    "activation_exponent": "3",
    "step_interval": "1",
}
REACTIONS = {
    "on": "true",
    "forces_file": "so_force.sto",
    "joint_names": " knee_r knee_l ",
    "apply_on_bodies": "parent",
    "express_in_frame": "ground",
}
TOOL = {
    "model_file": "subject.osim",
    "replace_force_set": "false",
    "force_set_files": "reserves.xml more\\residuals.xml",
    "results_directory": "results",
    "initial_time": "-1",
    "final_time": "1.5",
    "external_loads_file": "Unassigned",
    "coordinates_file": "ik.mot",
    "lowpass_cutoff_frequency_for_coordinates": "6",
}


def written(folder, tool=None, sharing=SHARING, reactions=REACTIONS):
    analyses = "" if sharing is None else element("StaticOptimization", name="SO", **sharing)
    analyses += "" if reactions is None else element("JointReaction", **reactions)
    file = folder / "setup.xml"
    parts = TOOL | (tool or {})
    file.write_text(setup_of("AnalyzeTool", objects("AnalysisSet", analyses), name="walk", **parts))
    return file


def test_what_a_setup_says(tmp_path):
    found = read_analyze_setup(written(tmp_path), "StaticOptimization")
    assert found.model_file == tmp_path / "subject.osim" and found.motion_file == tmp_path / "ik.mot"
    assert found.external_loads_file is None and found.lowpass == 6.0
    assert found.actuator_files == (tmp_path / "reserves.xml", tmp_path / "more/residuals.xml")
    assert found.time_range == (0.2, 1.5), "what tool and analysis have in common"
    assert found.sharing is not None and found.sharing.power == 3
    assert found.output == tmp_path / "results/walk_SO" and found.notes == ()
    found = read_analyze_setup(written(tmp_path), "JointReaction")
    asked = found.reactions
    assert asked is not None and asked.joints == ("knee_r", "knee_l")
    assert (asked.on, asked.frame, asked.forces_file) == ("parent", "ground", tmp_path / "so_force.sto")
    assert found.output == tmp_path / "results/walk_JointReaction_ReactionLoads.sto"
    assert found.time_range == (-1.0, 1.5)


def test_defaults_are_opensims(tmp_path):
    """All joints, on the child, in ground axes; squares."""
    file = written(tmp_path, sharing={}, reactions={"joint_names": "ALL"})
    assert read_analyze_setup(file, "StaticOptimization").sharing.power == 2
    asked = read_analyze_setup(file, "JointReaction").reactions
    assert (asked.joints, asked.on, asked.frame, asked.forces_file) == (None, "child", "ground", None)


def test_what_opensim_writes_is_read(tmp_path):
    osim = pytest.importorskip("opensim", reason="the peer of this test")
    tool = osim.AnalyzeTool()
    tool.setName("trial")
    tool.setModelFilename("subject.osim")
    tool.setCoordinatesFileName("ik.mot")
    tool.setExternalLoadsFileName("loads.xml")
    tool.setLowpassCutoffFrequency(6.0)
    tool.setInitialTime(0.4)
    tool.setFinalTime(1.6)
    sharing, reactions = osim.StaticOptimization(), osim.JointReaction()
    sharing.setActivationExponent(2.0)
    tool.updAnalysisSet().cloneAndAppend(sharing)
    tool.updAnalysisSet().cloneAndAppend(reactions)
    tool.printToXML(str(tmp_path / "setup.xml"))
    found = read_analyze_setup(tmp_path / "setup.xml", "StaticOptimization")
    assert found.motion_file.name == "ik.mot" and found.external_loads_file.name == "loads.xml"
    assert found.time_range == (0.4, 1.6) and found.lowpass == 6.0 and found.sharing.power == 2
    assert found.output.name == "trial_StaticOptimization"
    asked = read_analyze_setup(tmp_path / "setup.xml", "JointReaction").reactions
    assert (asked.joints, asked.on, asked.frame) == (None, "child", "ground")


def test_notes_on_what_is_not_used(tmp_path):
    file = written(
        tmp_path,
        {"speeds_file": "speeds.sto", "coordinates_file": "", "states_file": "states.sto"},
        SHARING | {"step_interval": "10", "wish": "more"},
    )
    found = read_analyze_setup(file, "StaticOptimization")
    assert found.motion_file == tmp_path / "states.sto"
    assert codes(found.notes) == ("setup.not-used", "setup.every-frame", "setup.speeds-from-coordinates")
    assert found.notes[0].names == ("speeds_file", "wish")
    unused, every, states = sentences(found.notes)
    assert "not used: speeds_file, wish" in unused and "not one in 10" in every
    assert "of the states coordinates are read" in states


@bad_input(
    ModelError,
    ({"sharing": None}, "has no StaticOptimization that is on; these are on: JointReaction"),
    ({"sharing": {"on": "false"}, "reactions": None}, "none is on"),
    ({"sharing": SHARING | {"activation_exponent": "4"}}, "<activation_exponent> must be 2 or 3"),
    ({"sharing": SHARING | {"use_muscle_physiology": "false"}}, "which are not offered"),
    ({"sharing": SHARING | {"use_model_force_set": "false"}}, "forces of the analysis itself"),
    ({"sharing": SHARING | {"start_time": "2"}}, "no time in common: from 2 on, until 1.5 s"),
    ({"tool": {"replace_force_set": "true"}}, "leaves the model without its muscles"),
    ({"reactions": REACTIONS | {"express_in_frame": "child ground"}}, "must be the same for all joints"),
)
def test_what_is_refused(refuses, tmp_path):
    refuses(lambda **changes: read_analyze_setup(written(tmp_path, **changes), "StaticOptimization"))


def test_another_document_is_refused(tmp_path):
    (tmp_path / "setup.xml").write_text(document("<CMCTool/>"))
    with pytest.raises(ModelError, match="has no <AnalyzeTool>"):
        read_analyze_setup(tmp_path / "setup.xml", "JointReaction")


def forces(folder, *motors):
    file = Path(folder) / "reserves.xml"
    file.write_text(document(objects("ForceSet", *motors)))
    return file


def motor(name, coordinate, **parts):
    return element("CoordinateActuator", name=name, coordinate=coordinate, **parts)


def test_actuators_beside_those_of_the_model(tmp_path):
    model = arm(actuators=[("motor", 30.0, -1.0, 1.0, "fore")])
    file = forces(
        tmp_path,
        motor("upper_reserve", "/jointset/shoulder/upper", optimal_force=2.5),
        motor("small", "fore", optimal_force=1, min_control=-2, max_control="Infinity", appliesForce="false"),
        motor("toe_reserve", "toe"),
        '<TorqueActuator name="residual"/>',
    )
    more, notes = add_actuators(model, [file])
    assert list(more.actuators) == ["motor", "upper_reserve", "small"]
    first, second = more.actuators["upper_reserve"], more.actuators["small"]
    assert (first.coordinate, first.optimal_force, first.lower, first.enabled) == (
        "upper",
        2.5,
        -np.inf,
        True,
    )
    assert (second.lower, second.upper, second.enabled) == (-2.0, np.inf, False)
    assert notes[0].names == ("toe_reserve", "residual")
    assert sentences(notes) == (
        "reserves.xml: not on a coordinate of 'arm', left out: 'toe_reserve', 'residual'",
    )
    assert add_actuators(model, []) == (model, ())
    with pytest.raises(ModelError, match="'motor' exists already"):
        add_actuators(model, [forces(tmp_path, motor("motor", "fore"))])
    (tmp_path / "reserves.xml").write_text("<Model/>")
    with pytest.raises(ModelError, match="has no <ForceSet>"):
        add_actuators(model, [tmp_path / "reserves.xml"])


def test_the_name_of_a_tool_stays_in_its_folder(tmp_path):
    analyses = objects("AnalysisSet", element("StaticOptimization", name="SO", **SHARING))
    file = tmp_path / "setup.xml"
    file.write_text(setup_of("AnalyzeTool", analyses, name="../../walk", **TOOL))
    found = read_analyze_setup(file, "StaticOptimization")
    assert found.output == tmp_path / "results" / ".._.._walk_SO"
