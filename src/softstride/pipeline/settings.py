"""Settings of an analysis in a TOML file: read, checked, and a commented template."""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields
from difflib import get_close_matches
from pathlib import Path
from reprlib import repr as short
from typing import Any

from softstride.errors import CaptureError, SoftstrideError
from softstride.frozen import Table
from softstride.model.load import PACKAGED
from softstride.pipeline.options import SWITCHES, AnalyzeOptions
from softstride.toml_text import parse_toml

MAX_BYTES = 1 << 20


@dataclass(frozen=True)
class Kind:
    """What a setting may be.

    Attributes:
        expected: In words.
        way: How it is written.
        fits: Whether a value is of this kind.
    """

    expected: str
    way: str
    fits: Callable[[Any], bool]


def _is_text(value: object) -> bool:
    return isinstance(value, str)


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _is_list(value: object, fits: Callable[[object], bool]) -> bool:
    return isinstance(value, list) and all(map(fits, value))


FILE = Kind("the name of a file", "write it in quotes", _is_text)
TEXT = Kind("a word", "write it in quotes", _is_text)
NUMBER = Kind("a number", "write it without quotes", _is_number)
LOWPASS = Kind('a number of Hz or "auto"', "write 6.0", lambda value: value == "auto" or _is_number(value))
SWITCH = Kind("true or false", "write it without quotes", lambda value: isinstance(value, bool))
SPAN = Kind(
    "a start and an end",
    "write two numbers, such as [0.5, 1.8]",
    lambda value: _is_list(value, _is_number) and len(value) == 2,
)
NAMES = Kind(
    "a name or several",
    'write them in quotes, such as ["one", "two"]',
    lambda value: _is_text(value) or _is_list(value, _is_text),
)

PERSON = {"model": FILE, "static": FILE, "tasks": FILE, "mass": NUMBER, "height": NUMBER, "sex": TEXT}
PROSTHESIS = {"side": TEXT, "below_knee": NUMBER, "below_hip": NUMBER, "surgery": TEXT, "blade": TEXT}
TABLES = {"emg": NAMES, "mvc": NUMBER, "weights": NUMBER}
"""Options that are tables of their own, and the kind of their values."""

ANALYSIS = {each.name: NUMBER for each in fields(AnalyzeOptions) if each.name not in TABLES}
ANALYSIS |= dict.fromkeys((*SWITCHES, "passive"), SWITCH)
ANALYSIS |= {"lowpass": LOWPASS, "time_range": SPAN, "coordinates": NAMES, "emg_side": TEXT}

TEMPLATE = """\
# Settings of `softstride analyze TRIAL --options THIS.toml`. Everything is optional: what stands here behind a # is the
# default, or an example where the default is to find out. Names of files are relative to this file.

[person]
# model = "subject.osim"      # .osim or .json, or a packaged person: "gait", "human"; else found beside the trial
# static = "standing.c3d"     # a packaged person, or a model named here, is scaled to it
# tasks = "ik_tasks.xml"      # weights of markers, as OpenSim has them; else found beside the trial
# mass = 72.6                 # kg; else from the files
# height = 1.80               # m; else from the files
# sex = "female"              # or "male": which tables a packaged person is made from

[prosthesis]
# side = "right"
# below_knee = 0.13           # m from the knee to the cut; or below_hip
# surgery = "myodesis"        # or "myoplasty", "osteomyoplasty", "unattached", or a .toml file
# blade = "c-medium"          # a packaged blade, or a blade file; see softstride blade --help

[analysis]
# time_range = [0.5, 1.8]     # s; else all of the trial
# fill_gaps = true            # in the markers
# cutoff = 6.0                # Hz: couples the frames of the inverse kinematics; else frame by frame
# lowpass = "auto"            # Hz, of the coordinates; "auto": by residual analysis; 0: none
# plates = true               # loads with measured forces
# estimate = true             # ground reaction and loads without them
# friction = 0.8              # of the ground
# bands = true                # errors of markers, inertia and plates, carried on to loads
# muscles = true              # loads shared among muscles
# power = 2                   # of activations in the criterion; or 3
# passive = false             # passive forces of muscles
# coordinates = ["hip_flexion_r", "knee_angle_r"]   # whose moments muscles make; else all that they move but toes
# emg_side = "left"           # leg of EMG channels whose names do not say it
# emg_lowpass = 12.0          # Hz, of the envelopes of raw EMG; else the recipe of emg_envelopes
# emg_weight = 0.0            # above 0, with [mvc]: muscle forces are drawn to EMG
# emg_delay = 0.03            # s, from EMG to force
# reactions = true            # joint reactions

[weights]                     # of markers; only those named are used
# RASI = 10.0
# RKNE = 5.0

[emg]                         # which channel lies on which muscle; else by their names
# soleus_r = "EMG R soleus"

[mvc]                         # envelope of each channel in a maximal contraction, in the unit of the channel
# "EMG R soleus" = 0.00031
"""


def read_settings(path: str | Path) -> dict[str, Any]:
    """Return settings as fields of a `Request` but for the trial.

    Raises:
        CaptureError: The file cannot be read, is no TOML, or has a name that is not known.
    """
    file = Path(path)
    try:
        data = file.read_bytes()
    except OSError as error:
        reason = error.strerror or str(error)
        raise CaptureError(file, "file", f"cannot be read: {reason}", "check name and rights") from error
    if len(data) > MAX_BYTES:
        raise CaptureError(
            file, "size", f"{len(data)} bytes are more than {MAX_BYTES}", "it is no file of settings"
        )
    try:
        tables = parse_toml(data.decode("utf-8-sig"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise CaptureError(
            file, "text", f"is no TOML: {error}", "see softstride analyze --template"
        ) from error
    _check_names(file, "", tables, ("person", "prosthesis", "analysis", *TABLES))
    found = _table(file, tables, "person", PERSON)
    for name in ("model", "static", "tasks"):
        if name in found and found[name] not in PACKAGED:
            found[name] = str(file.parent / found[name])
    prosthesis = _table(file, tables, "prosthesis", PROSTHESIS)
    for name in ("surgery", "blade"):
        if str(prosthesis.get(name, "")).lower().endswith((".toml", ".json", ".csv")):
            prosthesis[name] = str(file.parent / prosthesis[name])
    found["prosthesis"] = Table(prosthesis)
    options = _table(file, tables, "analysis", ANALYSIS)
    if options.get("lowpass") == 0:
        options["lowpass"] = None
    for name in ("time_range", "coordinates"):
        if name in options:
            options[name] = tuple(options[name]) if isinstance(options[name], list) else options[name]
    for name in TABLES:
        given = _table(file, tables, name, TABLES[name])
        if given:
            options[name] = Table({key: tuple(v) if isinstance(v, list) else v for key, v in given.items()})
    try:
        found["options"] = AnalyzeOptions().changed(**options)
    except SoftstrideError as error:
        raise CaptureError(file, "analysis", str(error), "see softstride analyze --template") from error
    return found


def _table(
    file: Path, tables: Mapping[str, Any], name: str, kinds: Mapping[str, Kind] | Kind
) -> dict[str, Any]:
    """Return a table whose values are of their kinds, or all of one kind."""
    given = tables.get(name, {})
    if not isinstance(given, dict):
        problem = f"must be a table, however it is {short(given)}"
        raise CaptureError(file, name, problem, f"write [{name}] and lines below it")
    if not isinstance(kinds, Kind):
        _check_names(file, name, given, tuple(kinds))
    for key, value in given.items():
        kind = kinds if isinstance(kinds, Kind) else kinds[key]
        if not kind.fits(value):
            problem = f"must be {kind.expected}, however it is {short(value)}"
            raise CaptureError(file, f"[{name}] {key}", problem, kind.way)
    return dict(given)


def _check_names(file: Path, table: str, given: Mapping[str, Any], known: tuple[str, ...]) -> None:
    for name in given:
        if name not in known:
            near = get_close_matches(name, known, n=1)
            meant = f"did you mean {near[0]!r}? " if near else ""
            raise CaptureError(
                file, table or "file", f"{name!r} is not known", f"{meant}known are {', '.join(known)}"
            )
