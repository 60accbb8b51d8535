"""OpenSim's external loads: which columns of a table are a force, on which body, in which frame."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from xml.etree.ElementTree import Element

from softstride.capture.text.table import is_number
from softstride.errors import CaptureError
from softstride.fields import Frozen
from softstride.files import parse_xml
from softstride.notes import Note, Notes

MAX_BYTES = 8 * 2**20  # a setup with ten thousand forces is smaller
_NOTHING = ("", "unassigned", "none", "null")


@dataclass(frozen=True)
class LoadEntry:
    """One external force; identifiers are the beginnings of column names, to which x, y, z are added.

    Attributes:
        name: Its name.
        body: The body that it acts on.
        force_in: The body in whose axes the force is given.
        point_in: The body in whose frame the point is given.
        force_id: Identifier of the force; "" if there is none.
        point_id: Identifier of the point of application; "" if there is none.
        torque_id: Identifier of the torque; "" if there is none.
        data_source: The table it comes from, where it names one; else "".
        enabled: Whether it is switched on.
    """

    name: str
    body: str
    force_in: str
    point_in: str
    force_id: str
    point_id: str
    torque_id: str
    data_source: str
    enabled: bool


@dataclass(frozen=True)
class ExternalLoads(Frozen):
    """The content of an external-loads file.

    Attributes:
        name: Its name.
        entries: The forces.
        datafile: The table as the file names it, often a path on another machine; "" if it names none.
        kinematics_file: Motion for points that are not given in ground; "" if there is none.
        lowpass: Cutoff for that motion [Hz]; None if it is not to be filtered.
        notes: What had to be decided.
    """

    name: str
    entries: tuple[LoadEntry, ...]
    datafile: str
    kinematics_file: str
    lowpass: float | None
    notes: tuple[Note, ...]


def parse_external_loads(data: bytes, path: object, max_bytes: int = MAX_BYTES) -> ExternalLoads:
    """Read an external-loads file of OpenSim 2 to 4, alone or inside a larger document.

    Document types, entities and references to other files are refused before anything is expanded.

    Args:
        data: The whole file.
        path: Its name, for errors.
        max_bytes: Refuse larger files.

    Returns:
        The content.

    Raises:
        CaptureError: Not such a file, or one that is broken, hostile or too large.
    """
    root = parse_xml(data, path, max_bytes, "a file of external loads", padding=b"\x00\x1a \t\r\n")
    loads = next(root.iter("ExternalLoads"), None)
    if loads is None:
        named = next((_text(e.text) for e in root.iter("external_loads_file") if _text(e.text)), "")
        fix = f"read {named!r}, which it names, instead" if named else "give the file with the ExternalLoads"
        raise CaptureError(path, "ExternalLoads", "there is no such element", fix)
    notes = Notes()
    objects = loads.find("objects")
    forces = (loads if objects is None else objects).findall("ExternalForce")
    if not forces:
        raise CaptureError(path, "ExternalForce", "the file holds none", "add one for each foot")
    entries = tuple(_entry(force, i, path) for i, force in enumerate(forces, 1))
    cutoff = _child(loads, "lowpass_cutoff_frequency_for_load_kinematics")
    if cutoff and not is_number(cutoff):
        name = "lowpass_cutoff_frequency_for_load_kinematics"
        said = f"{name} is {cutoff!r}, no number: not used"
        notes.add("external-loads.cutoff-no-number", said, topic="external-loads", names=(name,))
    lowpass = float(cutoff) if is_number(cutoff) else -1.0
    return ExternalLoads(
        name=loads.get("name", ""),
        entries=entries,
        datafile=_child(loads, "datafile"),
        kinematics_file=_child(loads, "external_loads_model_kinematics_file"),
        lowpass=lowpass if 0 < lowpass < 1e9 else None,
        notes=tuple(notes),
    )


def _text(text: str | None) -> str:
    word = (text or "").strip()
    return "" if word.lower() in _NOTHING else word


def _child(parent: Element, tag: str) -> str:
    return _text(parent.findtext(tag))


def _entry(force: Element, index: int, path: object) -> LoadEntry:
    name = force.get("name", "") or f"force_{index}"
    entry = LoadEntry(
        name=name,
        body=_child(force, "applied_to_body"),
        force_in=_child(force, "force_expressed_in_body") or "ground",
        point_in=_child(force, "point_expressed_in_body") or "ground",
        force_id=_child(force, "force_identifier"),
        point_id=_child(force, "point_identifier"),
        torque_id=_child(force, "torque_identifier"),
        data_source=_child(force, "data_source_name"),
        enabled=_flag(force, "appliesForce", True, path) and not _flag(force, "isDisabled", False, path),
    )
    if entry.enabled and not entry.body:
        raise CaptureError(
            path, f"applied_to_body of {name}", "names no body", "name the body, such as calcn_r"
        )
    if entry.enabled and not (entry.force_id or entry.torque_id):
        problem = "neither a force nor a torque is named"
        raise CaptureError(path, f"force_identifier of {name}", problem, "name its columns, or disable it")
    return entry


def _flag(force: Element, tag: str, default: bool, path: object) -> bool:
    word = (force.findtext(tag) or "").strip().lower()
    if not word:
        return default
    if word not in ("true", "false", "1", "0"):
        raise CaptureError(
            path, f"{tag} of {force.get('name', '')}", f"{word!r} is not true or false", "write one"
        )
    return word in ("true", "1")


def resolve_datafile(xml_path: str | Path, datafile: str) -> Path:
    """Return the table that an external-loads file means: below its folder, or beside it by its bare name.

    Files come from strangers, and name paths of other machines: an absolute path or one with ".." is never
    followed; the file of the same name beside the XML is taken instead.

    Args:
        xml_path: The external-loads file.
        datafile: What it names, with slashes of either kind.

    Raises:
        CaptureError: No such file.
    """
    folder = Path(xml_path).parent
    named = PurePosixPath(datafile.strip().replace("\\", "/"))
    base = named.name.rpartition(":")[2]  # "C:grf.mot" is relative to a drive
    if not base or base in (".", "..") or "\x00" in datafile:
        raise CaptureError(xml_path, "datafile", f"{datafile!r} names no file", "name the table of forces")
    inside = not named.is_absolute() and ".." not in named.parts and ":" not in str(named)
    for candidate in ([folder / named] if inside else []) + [folder / base]:
        if _is_file(candidate):
            return candidate
    others = sorted(folder.iterdir()) if folder.is_dir() else []
    same = [file for file in others if file.name.lower() == base.lower() and _is_file(file)]
    if len(same) == 1:
        return same[0]
    raise CaptureError(
        xml_path,
        "datafile",
        f"{base!r} is not beside it (it names {datafile.strip()!r})",
        f"put {base} into its folder",
    )


def _is_file(path: Path) -> bool:
    try:
        return path.is_file()
    except OSError:  # a name too long for the file system
        return False
