"""The files of a study: for OpenSim, for spreadsheets, and figures of merit for programs."""

from __future__ import annotations

import json
from pathlib import Path

from softstride.capture.writing import write_whole
from softstride.dynamics.ground_files import save_ground
from softstride.model.load import save_model
from softstride.pipeline.tables import tables_of
from softstride.study.files import SUFFIX
from softstride.study.study import Study

FIGURES = "figures.json"

TABLES = "csv"
"""Folder of the tables for spreadsheets."""


def write_results(study: Study, folder: Path, digest: str = "") -> None:
    """Write all files of a study into an empty folder.

    Args:
        study: The study.
        folder: Where to.
        digest: Of what it was made from, kept with the figures.
    """
    name = study.name
    study.save(folder / f"{name}{SUFFIX}")
    notes = [*_opensim(study, folder, name)]
    save_model(study.model, folder / "model.json")
    tables = folder / TABLES
    tables.mkdir()
    for label, table in tables_of(study).items():
        text = table.to_csv(float_format="%.9g", lineterminator="\n")
        write_whole(tables / f"{label}.csv", text.encode("utf-8"))
    figures = {
        "name": name,
        "softstride": study.version,
        "digest": digest,
        "figures": dict(study.figures),
        "stages": [vars(stage) for stage in study.stages],
        "notes": [*study.all_notes, *notes],
    }
    write_whole(folder / FIGURES, (json.dumps(figures, indent=1) + "\n").encode("utf-8"))


def _opensim(study: Study, folder: Path, name: str) -> list[str]:
    """Write motion, loads, forces and reactions in OpenSim's formats; return what they cannot hold."""
    notes = [*study.motion.save(folder / f"{name}_ik.mot")]
    if study.measured is not None:
        notes += study.measured.save(folder / f"{name}_id.sto")
    if study.estimated is not None:
        notes += study.estimated.save(folder / f"{name}_id_estimated.sto")
        notes += save_ground(
            study.estimated, folder / f"{name}_grf_estimated.mot", folder / f"{name}_grf_estimated.xml"
        )
    if study.forces is not None:
        study.forces.save(folder / f"{name}_muscles")
    if study.reactions is not None:
        notes += study.reactions.save(folder / f"{name}_reactions.sto")
    return notes


__all__ = ["FIGURES", "TABLES", "write_results"]
