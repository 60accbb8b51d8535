"""Additions that do harm, in a module that worker processes find."""

import os
import signal
import time
from pathlib import Path

from softstride.errors import InputError


def results_of(path: Path) -> Path:
    """Return the folder of all results; those of a person lie in it, each begun in a hidden folder."""
    return next(folder.parent.parent for folder in path.parents if folder.name.endswith(".part"))


def obey(study, path: Path) -> None:
    """Kill the process of trials that are called so: one the first time, one whenever it comes here."""
    mark = results_of(path) / "killed"
    if study.name == "die always" or (study.name == "die once" and not mark.exists()):
        mark.touch()
        os.kill(os.getpid(), signal.SIGKILL)
    path.write_text("here")


def write_name(study, path: Path) -> None:
    path.write_text(study.name)


def refuse(study, path: Path) -> None:
    raise InputError("there is no paper in the printer")


def stumble(study, path: Path) -> None:
    raise ZeroDivisionError("stumbled")


def wait(study, path: Path) -> None:
    """Take longer than anybody waits for it; say in files when it begins and ends."""
    (results_of(path) / "waiting").touch()
    time.sleep(600.0)
    (results_of(path) / "waited").touch()
