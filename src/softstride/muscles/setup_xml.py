"""Read setups of OpenSim's AnalyzeTool (XML): its StaticOptimization and JointReaction analyses."""

from __future__ import annotations

import math
from dataclasses import dataclass
from pathlib import Path
from xml.etree.ElementTree import Element

from softstride.errors import ModelError
from softstride.fields import Frozen
from softstride.harmless import file_name
from softstride.kinematics.task_xml import SetupReader
from softstride.model.formats.xml import read_xml
from softstride.notes import Note, Notes

TOOL = "AnalyzeTool"
KNOWN = {
    *("model_file", "force_set_files", "replace_force_set", "results_directory", "output_precision"),
    *("initial_time", "final_time", "AnalysisSet", "external_loads_file", "coordinates_file", "states_file"),
    *("lowpass_cutoff_frequency_for_coordinates", "solve_for_equilibrium_for_auxiliary_states"),
    *("maximum_number_of_integrator_steps", "maximum_integrator_step_size", "minimum_integrator_step_size"),
    *("integrator_error_tolerance", "integrator_fine_tolerance", "ControllerSet"),
}
OF_SHARING = {
    *("on", "start_time", "end_time", "in_degrees", "use_model_force_set", "activation_exponent"),
    *(
        "use_muscle_physiology",
        "optimizer_convergence_criterion",
        "optimizer_max_iterations",
        "step_interval",
    ),
}
OF_REACTIONS = {
    *("on", "start_time", "end_time", "in_degrees", "forces_file", "joint_names", "apply_on_bodies"),
    *("express_in_frame", "step_interval"),
}


@dataclass(frozen=True)
class SharingRequest:
    """A StaticOptimization.

    Attributes:
        power: Power of the activations, 2 or 3.
    """

    power: int


@dataclass(frozen=True)
class ReactionRequest:
    """A JointReaction analysis.

    Attributes:
        forces_file: Forces of the muscles; None: not named.
        joints: Names of joints; None: all.
        on: "child" or "parent".
        frame: "child", "parent", "ground", or a link or frame.
    """

    forces_file: Path | None
    joints: tuple[str, ...] | None
    on: str
    frame: str


@dataclass(frozen=True)
class AnalyzeSetup(Frozen):
    """The content of an AnalyzeTool setup. Paths are relative to the file's folder.

    Attributes:
        file: The file itself.
        output: Where results of the analysis are wanted: for a StaticOptimization the beginning of two names.
        model_file: The model (.osim); None: not named.
        motion_file: The coordinates, or the states in their place (.mot, .sto); None: not named.
        external_loads_file: The external loads (.xml); None: not named.
        actuator_files: Further actuators, reserves mostly (.xml).
        time_range: First and last instant [s]; None: all.
        lowpass: Cut-off frequency for the coordinates [Hz]; None: none.
        sharing: Its StaticOptimization; None: it has none that is on.
        reactions: Its JointReaction analysis; None: it has none that is on.
        notes: What of the file was not used.
    """

    file: Path
    output: Path
    model_file: Path | None = None
    motion_file: Path | None = None
    external_loads_file: Path | None = None
    actuator_files: tuple[Path, ...] = ()
    time_range: tuple[float, float] | None = None
    lowpass: float | None = None
    sharing: SharingRequest | None = None
    reactions: ReactionRequest | None = None
    notes: tuple[Note, ...] = ()


def read_analyze_setup(path: str | Path, analysis: str) -> AnalyzeSetup:
    """Read a setup of OpenSim's AnalyzeTool; the files it names are not opened.

    Args:
        path: The setup (.xml).
        analysis: Whose times count beside those of the tool: "StaticOptimization" or "JointReaction".

    Raises:
        ModelError: Not such a file, without that analysis, or a value in it that cannot be or is not offered.
    """
    file = Path(path)
    root, _ = read_xml(file)
    tool = root if root.tag == TOOL else root.find(TOOL)
    if tool is None:
        raise ModelError(f"{file}: has no <{TOOL}>; is it the setup of another tool?")
    reader = SetupReader(file)
    found = {each.tag: each for each in _analyses(tool, reader)}
    if analysis not in found:
        there = f"these are on: {', '.join(found)}" if found else "none is on"
        raise ModelError(f"{file}: <AnalysisSet> has no {analysis} that is on; {there}.")
    if reader.flag(tool, "replace_force_set", False):
        raise ModelError(
            f"{file}: <replace_force_set> leaves the model without its muscles; set it to false, and add actuators to "
            "the model's own."
        )
    folder = reader.path(tool, "results_directory") or file.parent
    named = folder / file_name("_".join(x for x in (_name(tool), _name(found[analysis]) or analysis) if x))
    sharing, reactions = found.get("StaticOptimization"), found.get("JointReaction")
    cutoff = reader.number(tool, "lowpass_cutoff_frequency_for_coordinates", infinite=True)
    coordinates, states = reader.path(tool, "coordinates_file"), reader.path(tool, "states_file")
    files = reader.text(tool, "force_set_files").split()
    return AnalyzeSetup(
        file=file,
        output=named if analysis == "StaticOptimization" else Path(f"{named}_ReactionLoads.sto"),
        model_file=reader.path(tool, "model_file"),
        motion_file=coordinates or states,
        external_loads_file=reader.path(tool, "external_loads_file"),
        actuator_files=tuple(each for each in map(reader.beside, files) if each is not None),
        time_range=_times(reader, tool, found[analysis]),
        lowpass=cutoff if cutoff is not None and 0.0 < cutoff < math.inf else None,
        sharing=None if sharing is None else _sharing(reader, sharing),
        reactions=None if reactions is None else _reactions(reader, reactions),
        notes=_notes(reader, tool, found[analysis]),
    )


def _analyses(tool: Element, reader: SetupReader) -> list[Element]:
    """Return the analyses that are on, the first of each kind."""
    group = tool.find("AnalysisSet/objects")
    found: dict[str, Element] = {}
    for each in () if group is None else group:
        if reader.flag(each, "on", True):
            found.setdefault(str(each.tag), each)
    return list(found.values())


def _times(reader: SetupReader, tool: Element, analysis: Element) -> tuple[float, float] | None:
    """Return the times that tool and analysis share."""
    firsts = [
        reader.number(tool, "initial_time", infinite=True),
        reader.number(analysis, "start_time", infinite=True),
    ]
    lasts = [
        reader.number(tool, "final_time", infinite=True),
        reader.number(analysis, "end_time", infinite=True),
    ]
    first = max((x for x in firsts if x is not None), default=-math.inf)
    last = min((x for x in lasts if x is not None), default=math.inf)
    if first > last:
        raise ModelError(
            f"{reader.file}: tool and analysis have no time in common: from {first:g} on, until {last:g} s."
        )
    return None if math.isinf(first) and math.isinf(last) else (first, last)


def _sharing(reader: SetupReader, analysis: Element) -> SharingRequest:
    power = reader.number(analysis, "activation_exponent")
    if power not in (None, 2.0, 3.0):
        raise ModelError(f"{reader.file}: <activation_exponent> must be 2 or 3, however it is {power:g}.")
    if not reader.flag(analysis, "use_muscle_physiology", True):
        raise ModelError(
            f"{reader.file}: <use_muscle_physiology> false asks for muscles whose strength does not depend on length "
            "and speed, which are not offered; set it to true."
        )
    if not reader.flag(analysis, "use_model_force_set", True):
        raise ModelError(
            f"{reader.file}: <use_model_force_set> false asks for forces of the analysis itself; put them into the "
            "model, or into <force_set_files>."
        )
    return SharingRequest(int(power or 2.0))


def _reactions(reader: SetupReader, analysis: Element) -> ReactionRequest:
    joints = tuple(reader.text(analysis, "joint_names").split())
    everything = not joints or joints[0].lower() == "all"
    return ReactionRequest(
        forces_file=reader.path(analysis, "forces_file"),
        joints=None if everything else joints,
        on=_one(reader, analysis, "apply_on_bodies", "child"),
        frame=_one(reader, analysis, "express_in_frame", "ground"),
    )


def _name(element: Element) -> str:
    """Return the name of a tool or analysis, by which OpenSim calls results."""
    return (element.get("name") or "").strip()


def _one(reader: SetupReader, analysis: Element, tag: str, otherwise: str) -> str:
    """Return what an element says of all joints."""
    words = reader.text(analysis, tag).split()
    if len(set(words)) > 1:
        raise ModelError(
            f"{reader.file}: <{tag}> must be the same for all joints, however it is {' '.join(words)[:80]!r}; ask for "
            "the others in a run of their own."
        )
    return words[0] if words else otherwise


def _notes(reader: SetupReader, tool: Element, analysis: Element) -> tuple[Note, ...]:
    """Say what was not used."""
    known = OF_SHARING if analysis.tag == "StaticOptimization" else OF_REACTIONS
    unused = [str(child.tag) for child in tool if child.tag not in KNOWN and (child.text or "").strip()]
    unused += [str(child.tag) for child in analysis if child.tag not in known and (child.text or "").strip()]
    notes, where = Notes(), f"setup {reader.file.name}"
    if unused:
        tags = tuple(dict.fromkeys(unused))
        notes.add("setup.not-used", f"{where}: not used: {', '.join(tags)}", topic="setup", names=tags)
    every = reader.number(analysis, "step_interval")
    if every is not None and every > 1.0:
        notes.add(
            "setup.every-frame",
            f"{where}: every frame is solved, not one in {every:g} (<step_interval>)",
            topic="setup",
            names=["step_interval"],
            values={"step_interval": every},
        )
    if reader.path(tool, "coordinates_file") is None and reader.path(tool, "states_file") is not None:
        notes.add(
            "setup.speeds-from-coordinates",
            f"{where}: of the states coordinates are read, speeds are found from them",
            topic="setup",
            names=["states_file"],
        )
    return tuple(notes)
