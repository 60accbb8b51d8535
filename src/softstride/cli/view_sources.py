"""What `softstride view` shows: a study, or a motion of a model; each as a scene with its curves."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from softstride.errors import InputError

if TYPE_CHECKING:
    from softstride.scene.scene import Scene
    from softstride.viewer.curves import Plots

MOST_FRAMES = 4000
"""Of a trial without --rate; the lines of its muscles take two milliseconds a frame."""


@dataclass(frozen=True, eq=False)
class Shown:
    """A trial to look at.

    Attributes:
        scene: What there is to see.
        plots: Curves beside it.
        note: What was left out; "" for nothing.
    """

    scene: Scene
    plots: Plots
    note: str = ""


def study_file(path: Path) -> Path:
    """Return the study file, also where the folder is given that an analysis wrote.

    Raises:
        InputError: A folder with none, or with several.
    """
    from softstride.study.files import SUFFIX

    if not path.is_dir():
        return path
    found = sorted(file for file in path.iterdir() if file.name.endswith(SUFFIX) and file.is_file())
    if len(found) == 1:
        return found[0]
    if not found:
        raise InputError(
            f"{path}: the folder has no study (*{SUFFIX}); give the folder that `softstride analyze` wrote, or the file"
        )
    names = ", ".join(file.name for file in found[:5]) + (", ..." if len(found) > 5 else "")
    raise InputError(f"{path}: the folder has {len(found)} studies; give one of them: {names}")


def from_study(path: Path, rate: float | None, muscles: bool) -> Shown:
    """Return a study to look at."""
    from softstride.scene.build import study_scene
    from softstride.study.files import open_study
    from softstride.viewer.curves import study_curves

    study = open_study(study_file(path))
    chosen = _rate(study.motion.time, rate)
    scene = study_scene(study, rate=chosen, muscles=muscles)
    return Shown(scene, study_curves(study, scene), _note(scene.n_frames, study.motion.n_frames, rate))


def from_motion(
    model: str,
    motion: Path,
    recording: Path | None,
    degrees: bool | None,
    rate: float | None,
    muscles: bool,
) -> Shown:
    """Return a motion of a model to look at, with what a recording has beside it."""
    from softstride.capture.reading import read
    from softstride.cli.files import read_movement
    from softstride.model.load import load_model
    from softstride.scene.build import build_scene
    from softstride.viewer.curves import curves

    person = load_model(model)
    moved = read_movement(motion, person, degrees)
    scene = build_scene(
        person,
        moved,
        recording=None if recording is None else read(recording),
        name=motion.stem,
        rate=_rate(moved.time, rate),
        muscles=muscles,
    )
    return Shown(scene, curves(scene, moved), _note(scene.n_frames, moved.n_frames, rate))


def _rate(time: object, rate: float | None) -> float | None:
    """Return the frames a second to show; None for all."""
    import numpy as np

    instants = np.asarray(time)
    if rate is not None or len(instants) <= MOST_FRAMES:
        return rate
    return float((MOST_FRAMES - 1) / (instants[-1] - instants[0]))


def _note(shown: int, there: int, rate: float | None) -> str:
    if shown == there:
        return ""
    way = "" if rate is not None else "; --rate HZ asks for more"
    return f"{shown} of {there} frames are shown{way}"
