"""Read setups of OpenSim's InverseDynamicsTool (XML)."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from softstride.errors import ModelError
from softstride.fields import Frozen
from softstride.kinematics.task_xml import SetupReader
from softstride.model.formats.xml import read_xml
from softstride.notes import Note

TOOL = "InverseDynamicsTool"
KNOWN = {
    *("model_file", "coordinates_file", "external_loads_file", "results_directory", "output_gen_force_file"),
    *("time_range", "lowpass_cutoff_frequency_for_coordinates", "forces_to_exclude", "input_directory"),
}


@dataclass(frozen=True)
class IdSetup(Frozen):
    """The content of an InverseDynamicsTool setup. Paths are relative to the file's folder.

    Attributes:
        file: The file itself.
        model_file: The model (.osim); None: not named.
        coordinates_file: The motion (.mot, .sto); None: not named.
        external_loads_file: The external loads (.xml); None: not named.
        output_gen_force_file: Where the generalized forces are wanted; None: not named.
        time_range: First and last instant [s], an end may be infinite; None: all.
        lowpass: Cut-off frequency for the coordinates [Hz]; None: none.
        notes: What of the file was not used.
    """

    file: Path
    model_file: Path | None = None
    coordinates_file: Path | None = None
    external_loads_file: Path | None = None
    output_gen_force_file: Path | None = None
    time_range: tuple[float, float] | None = None
    lowpass: float | None = None
    notes: tuple[Note, ...] = ()


def read_id_setup(path: str | Path) -> IdSetup:
    """Read a setup of OpenSim's InverseDynamicsTool; the files it names are not opened.

    Args:
        path: The setup (.xml).

    Raises:
        ModelError: Not such a file, or a value in it that cannot be.
    """
    file = Path(path)
    root, _ = read_xml(file)
    tool = root if root.tag == TOOL else root.find(TOOL)
    if tool is None:
        raise ModelError(f"{file}: has no <{TOOL}>; is it the setup of another tool?")
    reader = SetupReader(file)
    cutoff = reader.number(tool, "lowpass_cutoff_frequency_for_coordinates", infinite=True)
    folder = reader.path(tool, "results_directory") or file.parent
    name = reader.text(tool, "output_gen_force_file").replace("\\", "/")
    unused = dict.fromkeys(str(child.tag) for child in tool if child.tag not in KNOWN)
    told = f"setup {file.name}: not used: {', '.join(list(unused)[:20])}"
    notes = (Note("setup.not-used", told, topic="setup", names=tuple(unused)),) if unused else ()
    return IdSetup(
        file=file,
        model_file=reader.path(tool, "model_file"),
        coordinates_file=reader.path(tool, "coordinates_file"),
        external_loads_file=reader.path(tool, "external_loads_file"),
        output_gen_force_file=folder / name if name and name.lower() != "unassigned" else None,
        time_range=reader.range(tool),
        lowpass=cutoff if cutoff is not None and 0.0 < cutoff < float("inf") else None,
        notes=notes,
    )
