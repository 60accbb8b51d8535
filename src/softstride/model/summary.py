"""`summarise`: a model in words that a person reads, with the tree, its freedoms, masses, muscles and notes."""

from __future__ import annotations

import textwrap
from collections import Counter
from collections.abc import Iterable, Iterator

import numpy as np

from softstride.model.branches import branches
from softstride.model.contact_shape import ContactMesh, ContactPlane, ContactSphere
from softstride.model.model import Model
from softstride.model.posture import height_of
from softstride.naming import SIDES, Side, side_of, split_side

WIDTH = 100  # columns
MOST_NAMES = 12  # in one line
COLUMNS = ("link", "joint", "dof", "coordinates", "mass [kg]")
NUMBERS = ("dof", "mass [kg]")
OTHERS = 20  # columns of dof, mass and the gaps
LEAST_ROOM = 24  # columns for coordinates, however long the names of the links are
ACTS = {
    "CoordinateActuator": "on coordinates",
    "PointActuator": "at points",
    "TorqueActuator": "between links",
}
Row = tuple[str, str, str, str, str]


def summarise(model: Model) -> str:
    """Return what a model holds, as text of at most 100 columns where names allow.

    First the whole (mass [kg], height [m], degrees of freedom), then the tree: each link with the kind of its joint,
    the ranges of its coordinates in [°] or [mm], and its mass [kg]; then markers, muscles and the rest, and the notes.
    """
    parts = [headline(model), "", *_table(tree_rows(model)), ""]
    lines = list(contents(model))
    margin = max((len(word) for word, _ in lines), default=0) + 2
    for word, prose in lines:
        parts += _hanging(word.ljust(margin), prose)
    if model.notes:
        parts += ["", "notes"]
        for note in model.notes:
            parts += _hanging("- ", str(note))
    return "\n".join(line.rstrip() for line in parts).rstrip() + "\n"


def tree_rows(model: Model) -> list[Row]:
    """Return the lines of the tree, a text for each of `COLUMNS`; long coordinates go on in lines below.

    The last row is the total.
    """
    tree = branches(model)
    taken = max((len(row.stem + row.name) for row in tree), default=0) + max(
        (len(row.joint) for row in tree), default=0
    )
    room = max(WIDTH - taken - OTHERS, LEAST_ROOM)
    rows: list[Row] = []
    for row in tree:
        told = [line for entry in row.coordinates for line in textwrap.wrap(entry, room)] or [""]
        rows.append((row.stem + row.name, row.joint, str(row.dof), told[0], f"{row.mass:.3f}"))
        below = row.stem.replace("├─", "│ ").replace("└─", "  ")
        rows += [(below, "", "", line, "") for line in told[1:]]
    return [*rows, ("total", f"nq {model.nq}", str(model.nv), "", f"{model.mass:.3f}")]


def headline(model: Model) -> str:
    """Return name, mass, height and degrees of freedom on one line."""
    height = height_of(model)
    tall = "" if height is None or not height > 0.0 else f", {height:.2f} m from lowest to highest landmark"
    return f"{model.name}: {model.mass:.2f} kg{tall}, {_counted(len(model.links), 'link')}, {model.nv} dof"


def contents(model: Model) -> Iterator[tuple[str, str]]:
    """Yield a word and a line of prose for each kind of part that the model holds."""
    yield "gravity", _gravity(model)
    if model.markers:
        on = len({point.link for point in model.markers.values()})
        yield "markers", f"{len(model.markers)} on {_counted(on, 'link')}: {_names(model.markers)}"
    if model.frames:
        yield "frames", f"{len(model.frames)}: {_names(model.frames)}"
    if model.muscles:
        yield "muscles", _muscles(model)
    if model.ligaments:
        yield "ligaments", f"{len(model.ligaments)}: {_names(model.ligaments)}"
    if model.wraps:
        kinds = Counter(type(wrap).__name__.removeprefix("Wrap").lower() for wrap in model.wraps.values())
        yield "wraps", _kinds(kinds)
    if model.contacts:
        yield "contacts", "; ".join(_contacts(model))
    if model.actuators:
        kinds = Counter(ACTS[type(each).__name__] for each in model.actuators.values())
        yield "actuators", ", ".join(f"{count} {acts}" for acts, count in kinds.most_common())


def _gravity(model: Model) -> str:
    size = float(np.linalg.norm(model.gravity))
    along = np.flatnonzero(model.gravity)
    if len(along) == 1:
        sign = "-" if model.gravity[along[0]] < 0.0 else "+"
        return f"{size:.3f} m/s² along {sign}{'xyz'[along[0]]}"
    x, y, z = model.gravity
    return f"{size:.3f} m/s² along ({x:.3g}, {y:.3g}, {z:.3g})" if size else "none"


def _muscles(model: Model) -> str:
    """Count muscles by side and by the links from which and to which they run."""
    sides: Counter[Side | None] = Counter()
    regions: Counter[str] = Counter()
    for muscle in model.muscles.values():
        sides[side_of(muscle.name)] += 1
        start, end = (split_side(muscle.path.points[i].link)[1] for i in (0, -1))
        regions[f"{start} to {end}" if start != end else f"on {start}"] += 1
    total = sum(muscle.max_force for muscle in model.muscles.values())
    split = ", ".join(f"{sides[side]} {side}" for side in SIDES if sides[side])
    runs = ", ".join(f"{region} {count}" for region, count in regions.most_common())
    return f"{len(model.muscles)}{f' ({split})' if split else ''}, {total / 1000.0:.1f} kN in all: {runs}"


def _contacts(model: Model) -> Iterator[str]:
    for kind, noun in ((ContactSphere, "sphere"), (ContactPlane, "plane"), (ContactMesh, "mesh")):
        found = [shape.link for shape in model.contacts.values() if isinstance(shape, kind)]
        if found:
            yield f"{_counted(len(found), noun)} on {_names(dict.fromkeys(found))}"


def _kinds(kinds: Counter[str]) -> str:
    return ", ".join(_counted(count, kind) for kind, count in kinds.most_common())


def _counted(count: int, noun: str) -> str:
    if count == 1:
        return f"1 {noun}"
    return f"{count} " + {"torus": "tori", "mesh": "meshes"}.get(noun, f"{noun}s")


def _names(names: Iterable[str]) -> str:
    known = list(names)
    if len(known) <= MOST_NAMES + 1:
        return ", ".join(known)
    return f"{', '.join(known[:MOST_NAMES])} and {len(known) - MOST_NAMES} more"


def _hanging(word: str, prose: str) -> list[str]:
    """Return prose behind a word, wrapped, going on below itself."""
    lines = textwrap.wrap(prose, max(WIDTH - len(word), 30), break_on_hyphens=False, break_long_words=False)
    return [word + (lines[0] if lines else "")] + [" " * len(word) + line for line in lines[1:]]


def _table(rows: list[Row]) -> Iterator[str]:
    """Yield the lines of a table: columns two spaces apart, numbers flush right."""
    widths = [max(map(len, column)) for column in zip(COLUMNS, *rows, strict=True)]
    for row in (COLUMNS, *rows):
        cells = zip(row, widths, COLUMNS, strict=True)
        yield "  ".join(
            text.rjust(width) if heading in NUMBERS else text.ljust(width) for text, width, heading in cells
        )
