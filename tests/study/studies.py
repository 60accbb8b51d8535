"""Studies for tests: the digital athlete, part of the running trial, everything that can be had of it."""

from dataclasses import fields, is_dataclass
from functools import cache
from importlib.resources import files
from pathlib import Path

import numpy as np
from tests.once import once

import softstride as ss
from softstride.digital_athlete.emg import maximal_contractions
from softstride.digital_athlete.person import estimator_model
from softstride.model.model import Model
from softstride.study.codec import LEFT_OUT

SPAN = (0.05, 1.0)  # s: two strikes, and a phase of single support of each leg


def packaged(gait: str = "running") -> Path:
    return Path(str(files("softstride.digital_athlete").joinpath("data", f"{gait}.c3d")))


@cache
def running_study() -> ss.Study:
    """Everything but joint bands of the whole trial, analysed once a run."""
    return ss.open_study(once("running.study.nc", lambda file: analyze_running().save(file)))


def analyze_running() -> ss.Study:
    """The same, analysed here and now."""
    mvc = dict(maximal_contractions(noise=True))
    options = {"time_range": SPAN, "passive": True, "mvc": mvc, "emg_lowpass": 12.0}
    return ss.analyze(ss.read(packaged()), estimator_model(), **options)


def differences(one: object, two: object, path: str = "study") -> list[str]:
    """Where two values differ, bit by bit; what a study does not keep is left out."""
    if type(one) is not type(two):
        return [f"{path}: {type(one).__name__} and {type(two).__name__}"]
    if isinstance(one, np.ndarray):
        same = one.dtype == two.dtype and one.shape == two.shape and one.tobytes() == two.tobytes()
        return [] if same else [path]
    if isinstance(one, Model):
        from softstride.model.formats.native import format_native

        return [] if format_native(one) == format_native(two) else [path]
    if is_dataclass(one):
        names = [each.name for each in fields(one)]
        names = [name for name in names if name not in LEFT_OUT.get(type(one).__name__, ())]
        pairs = [(getattr(one, name), getattr(two, name), name) for name in names]
    elif hasattr(one, "items"):
        if list(one) != list(two):
            return [f"{path}: {list(one)} and {list(two)}"]
        pairs = [(one[key], two[key], str(key)) for key in one]
    elif isinstance(one, tuple):
        if len(one) != len(two):
            return [f"{path}: {len(one)} and {len(two)}"]
        pairs = [(a, b, str(i)) for i, (a, b) in enumerate(zip(one, two, strict=True))]
    else:
        return [] if one == two or (one != one and two != two) else [f"{path}: {one!r} and {two!r}"]
    return [found for a, b, name in pairs for found in differences(a, b, f"{path}.{name}")]
