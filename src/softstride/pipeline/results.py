"""The files of a study: what must not be lost first, then exports, of which one that fails stops no other.

The study file and the figures of merit are the results. Everything else can be made from the study again: files for
OpenSim, tables for spreadsheets, the model, a report. An export that fails leaves none of its files, and becomes a step
of the study whose state is "unwritten".
"""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path

from softstride.dynamics.ground_files import save_ground
from softstride.errors import SoftstrideError
from softstride.files import write_whole
from softstride.harmless import csv_text, file_name, file_names
from softstride.model.load import save_model
from softstride.notes import Note
from softstride.pipeline.tables import tables_of
from softstride.study.files import SUFFIX, save_study
from softstride.study.study import Stage, Study

FIGURES = "figures.json"

LARGEST = 16_000_000
"""Of a file of figures that is read [bytes]."""

TABLES = "csv"
"""Folder of the tables for spreadsheets."""

SCRATCH = ".export"
"""Folder that an export writes into; its files are moved to their places when all are there."""

Extra = Callable[[Study, Path], object]
"""Writes files of a study into a folder."""

Export = Callable[[Study, Path], tuple[Note, ...]]
"""The same, and returns what the files cannot hold."""


def write_results(
    study: Study, folder: Path, digest: str = "", extra: Mapping[str, Extra] | None = None
) -> Study:
    """Write all files of a study into an empty folder.

    Args:
        study: The study.
        folder: Where to.
        digest: Of what it was made from, kept with the figures.
        extra: More exports by name, such as a report; they come last and are given a study that tells of the others.

    Returns:
        The study, with a step for each export that failed; see `Study.unwritten`.

    Raises:
        SoftstrideError: The study file or the figures of merit cannot be written.
    """
    file = folder / f"{file_name(study.name)}{SUFFIX}"
    save_study(study, file)
    _write_figures(study, folder, digest, ())
    notes: list[Note] = []
    exports: dict[str, Export] = {**EXPORTS}
    exports |= {name: _silent(write) for name, write in (extra or {}).items()}
    for name, write in exports.items():
        told, words = _export(study, folder, write)
        notes += told
        if words:
            study = study.changed(stages=(*study.stages, Stage(name, "unwritten", words)))
    try:
        if study.unwritten:
            save_study(study, file, overwrite=True)
        _write_figures(study, folder, digest, notes)
    except SoftstrideError:
        if not study.unwritten:
            raise
        # The disk is full: study and figures stay as they were first written, and the caller is told what is missing.
    return study


def unexpected(error: Exception) -> str:
    """Return what is said of an error that nobody meant to raise."""
    text = " ".join(str(error).split())
    return f"something unexpected happened, please report it: {type(error).__name__}: {text}"


def _export(study: Study, folder: Path, write: Export) -> tuple[tuple[Note, ...], str]:
    """Write all files of an export or none; return its notes, and why it failed ("": it did not)."""
    scratch = folder / SCRATCH
    try:
        scratch.mkdir()
        notes = write(study, scratch)
        for file in sorted(scratch.iterdir()):
            file.rename(folder / file.name)
    except SoftstrideError as error:
        return (), str(error).replace(f"{scratch}{os.sep}", "")
    except MemoryError:
        return (), "there was not enough memory"
    except Exception as error:  # noqa: BLE001 -- a mistake of ours in a file that can be made again costs no results
        return (), unexpected(error)
    finally:
        shutil.rmtree(scratch, ignore_errors=True)
    return notes, ""


def _write_figures(study: Study, folder: Path, digest: str, notes: Iterable[Note]) -> None:
    figures = {
        "name": study.name,
        "softstride": study.version,
        "digest": digest,
        "figures": dict(study.figures),
        "stages": [vars(stage) for stage in study.stages],
        "notes": [str(note) for note in (*study.all_notes, *notes)],
    }
    write_whole(folder / FIGURES, (json.dumps(figures, indent=1) + "\n").encode("utf-8"), overwrite=True)


def _silent(write: Extra) -> Export:
    def silent(study: Study, folder: Path) -> tuple[Note, ...]:
        write(study, folder)
        return ()

    return silent


def _motion(study: Study, folder: Path) -> tuple[Note, ...]:
    return study.motion.save(folder / f"{file_name(study.name)}_ik.mot")


def _measured(study: Study, folder: Path) -> tuple[Note, ...]:
    loads = study.measured
    return () if loads is None else loads.save(folder / f"{file_name(study.name)}_id.sto")


def _estimated(study: Study, folder: Path) -> tuple[Note, ...]:
    loads = study.estimated
    return () if loads is None else loads.save(folder / f"{file_name(study.name)}_id_estimated.sto")


def _ground(study: Study, folder: Path) -> tuple[Note, ...]:
    if study.estimated is None:
        return ()
    table = folder / f"{file_name(study.name)}_grf_estimated.mot"
    return save_ground(study.estimated, table, table.with_suffix(".xml"))


def _forces(study: Study, folder: Path) -> tuple[Note, ...]:
    if study.forces is not None:
        study.forces.save(folder / f"{file_name(study.name)}_muscles")
    return ()


def _reactions(study: Study, folder: Path) -> tuple[Note, ...]:
    reactions = study.reactions
    return () if reactions is None else reactions.save(folder / f"{file_name(study.name)}_reactions.sto")


def _model(study: Study, folder: Path) -> tuple[Note, ...]:
    save_model(study.model, folder / "model.json")
    return ()


def _tables(study: Study, folder: Path) -> tuple[Note, ...]:
    tables = folder / TABLES
    tables.mkdir()
    found = tables_of(study)
    for name, table in zip(file_names(found), found.values(), strict=True):
        text = csv_text(table, float_format="%.9g")
        write_whole(tables / f"{name}.csv", text.encode("utf-8"))
    return ()


EXPORTS: Mapping[str, Export] = {
    "motion for OpenSim": _motion,
    "loads with plates for OpenSim": _measured,
    "loads without plates for OpenSim": _estimated,
    "ground reaction for OpenSim": _ground,
    "muscle forces for OpenSim": _forces,
    "joint reactions for OpenSim": _reactions,
    "model file": _model,
    "tables": _tables,
}
"""What is written beside the results: each writes its files into a folder and returns what they cannot hold."""


__all__ = ["EXPORTS", "FIGURES", "TABLES", "Extra", "unexpected", "write_results"]
