"""Which marker stands for which landmark: small tables, one for each protocol, in text files that a laboratory can add.

    title = "Our laboratory"
    sides = {right = "R", left = "L"}        # what {side} stands for in a label

    [landmarks]                              # a label, or several: the first that is seen wins
    LFE = "{side}KNL"
    MFE = ["{side}KNM", "{side}KNEE_MED"]
    C7 = "C7"                                # without {side}: in the middle of the body, or of all
    [computed]                               # joint centres that another model wrote into the file
    HJC = "{side}HJC"
    [clusters]                               # markers that move with a segment, for landmarks of a standing trial
    thigh = ["{side}TH1", "{side}TH2", "{side}TH3"]
    [wands]                                  # for joint centres by the chord function
    thigh = "{side}THI"
    [measures]                               # of the person, in mm, by their names in a C3D file
    knee_width = "{side}KneeWidth"

Labels are matched whole, without the prefix of their subject ("A22:") and without regard to case. docs/segments.md
lists the landmarks; any other name is refused.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from difflib import get_close_matches
from functools import cache
from pathlib import Path
from typing import Any

from softstride.errors import CaptureError, InputError
from softstride.files import packaged, packaged_names, packaged_text, parse_toml, read_toml
from softstride.frozen import Table
from softstride.naming import SIDES
from softstride.segments.landmark_definitions import definitions

LARGEST = 1_000_000
"""Bytes of a table of one's own; the largest packaged one has 3 kB."""

SIDED = ("landmarks", "computed", "clusters", "wands", "measures")
KNOWN = ("title", "source", "sides", *SIDED)

WANDS = ("thigh", "shank")
MEASURES = ("knee_width", "ankle_width", "leg_length", "asis_distance", "marker_diameter")

Labels = tuple[str, ...]


@dataclass(frozen=True)
class Protocol:
    """Labels of landmarks.

    Attributes:
        name: Of the table.
        title: Of the protocol.
        source: Where it is described.
        landmarks: Labels by landmark, such as "right LFE" or "C7", best first.
        computed: Labels of joint centres that a model computed, likewise.
        clusters: Labels of the markers that move with a segment, such as "right thigh".
        wands: Labels of the markers that show the plane of a segment, for the chord function.
        measures: Names of measures of the person, such as "right knee_width".
    """

    name: str
    title: str = ""
    source: str = ""
    landmarks: Mapping[str, Labels] = field(default_factory=Table)
    computed: Mapping[str, Labels] = field(default_factory=Table)
    clusters: Mapping[str, Labels] = field(default_factory=Table)
    wands: Mapping[str, Labels] = field(default_factory=Table)
    measures: Mapping[str, Labels] = field(default_factory=Table)

    def found(self, labels: Iterable[str]) -> dict[str, str]:
        """Return the marker of each landmark that some labels hold, by landmark."""
        return match(self.landmarks, labels)


def match(table: Mapping[str, Labels], labels: Iterable[str]) -> dict[str, str]:
    """Return the first of the labels of each entry that exists, by entry."""
    plain = plain_labels(labels)
    found = {}
    for name, candidates in table.items():
        hit = next((plain[c.casefold()] for c in candidates if c.casefold() in plain), None)
        if hit is not None:
            found[name] = hit
    return found


def plain_labels(labels: Iterable[str]) -> dict[str, str]:
    """Return labels by how they are compared: without the prefix of a subject, without case."""
    return {label.rpartition(":")[2].strip().casefold(): label for label in labels}


def protocols() -> tuple[str, ...]:
    """Return the names of the packaged tables."""
    return packaged_names(__package__, "data", "protocols")


def read_protocol(name: str | Path) -> Protocol:
    """Read a packaged table by its name, or a table of one's own by its path.

    Raises:
        InputError: No packaged table has this name.
        CaptureError: The file cannot be read, or is no such table.
    """
    found = packaged(name, protocols(), "protocol", ".toml")
    if isinstance(found, str):
        return _packaged(found)
    return _protocol(found.stem, read_toml(found, LARGEST, "a table of landmarks"), found)


@cache
def _packaged(name: str) -> Protocol:
    text = packaged_text(__package__, "data", "protocols", f"{name}.toml")
    return _protocol(name, parse_toml(text, name), name)


def _protocol(name: str, content: Mapping[str, Any], path: object) -> Protocol:
    unknown = [key for key in content if key not in KNOWN]
    if unknown:
        raise CaptureError(
            path, unknown[0], "is no part of a table of landmarks", f"known are: {', '.join(KNOWN)}"
        )
    words = content.get("sides", {"right": "R", "left": "L"})
    if (
        not isinstance(words, Mapping)
        or set(words) != set(SIDES)
        or not all(isinstance(w, str) for w in words.values())
    ):
        raise CaptureError(path, "sides", f"is {words!r}", 'write sides = {right = "R", left = "L"}')
    tables: dict[str, dict[str, Labels]] = {}
    for part in SIDED:
        entries = _entries(content.get(part, {}), part, path)
        _check_names(entries, part, path)
        tables[part] = {
            f"{side} {key}" if side else key: tuple(
                label.replace("{side}", words.get(side, "")) for label in labels
            )
            for key, labels in entries.items()
            for side in (SIDES if any("{side}" in label for label in labels) else ("",))
        }
    if not tables["landmarks"]:
        raise CaptureError(
            path, "landmarks", "there are none", 'write for example [landmarks] and LFE = "{side}KNE"'
        )
    return Protocol(
        name,
        str(content.get("title", name)),
        str(content.get("source", "")),
        **{part: Table(table) for part, table in tables.items()},
    )


def _check_names(entries: Iterable[str], part: str, path: object) -> None:
    """Refuse names that nothing is made of: a landmark that is misspelt would be missing somewhere else."""
    known = {
        "landmarks": definitions().landmarks(),
        "computed": definitions().landmarks(),
        "clusters": tuple(definitions().segments),
        "wands": WANDS,
        "measures": MEASURES,
    }[part]
    for key in entries:
        plain = key.removeprefix("right ").removeprefix("left ")
        if plain in known:
            continue
        alike, given = {name.casefold(): name for name in known}, plain.casefold()
        near = get_close_matches(given, list(alike), n=3, cutoff=0.5)
        near.sort(key=lambda name: sorted(name) != sorted(given))  # letters that changed places first
        hint = f"is {' or '.join(alike[name] for name in near)} meant? " if near else ""
        raise CaptureError(
            path, f"{part}.{key}", "is not known", f"{hint}known are: {', '.join(sorted(known))}"
        )


def _entries(given: object, part: str, path: object) -> dict[str, Labels]:
    if not isinstance(given, Mapping):
        raise CaptureError(path, part, f"is {given!r}", f"write a table [{part}] of names and labels")
    found: dict[str, Labels] = {}
    for key, labels in given.items():
        several = [labels] if isinstance(labels, str) else labels
        if not isinstance(several, list) or not several or not all(isinstance(x, str) and x for x in several):
            raise CaptureError(path, f"{part}.{key}", f"is {labels!r}", "write a label or a list of labels")
        found[str(key)] = tuple(several)
    return found


def choose_protocol(labels: Iterable[str]) -> tuple[Protocol, int]:
    """Return the packaged table that knows most landmarks of some labels, and how many.

    Raises:
        InputError: None knows any.
    """
    names = list(labels)
    tables = [read_protocol(name) for name in protocols()]
    ranked = [
        (len(table.found(names)), len(match(table.computed, names)), len(match(table.wands, names)))
        for table in tables
    ]
    best = tables[max(range(len(tables)), key=lambda i: ranked[i])]
    count = len(best.found(names))
    if count == 0:
        raise InputError(
            f"no packaged table of landmarks ({', '.join(protocols())}) knows any of {', '.join(names[:12])}: "
            "write a table of your own and give its path as protocol"
        )
    return best, count
