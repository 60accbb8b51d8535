"""The tree of a model as rows to be printed: links with their joints, coordinates, ranges and masses."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

from softstride.model.coordinate import Coordinate
from softstride.model.joints import Custom, Free, Prismatic
from softstride.model.link import WORLD, Link
from softstride.model.model import Model
from softstride.model.rod import Rod

SHOWN = {"rad": (180.0 / math.pi, "°"), "m": (1000.0, " mm"), "1/m": (1.0, " 1/m"), "-": (1.0, "")}
"""Unit of a coordinate -> factor and unit that a person reads it in."""


@dataclass(frozen=True)
class Branch:
    """One row of the tree.

    Attributes:
        stem: Lines of the tree in front of the name. A link without a branch mark hangs on the one above it.
        name: Name of the link.
        joint: Kind of its joint.
        dof: Number of coordinates that it brings.
        coordinates: Its coordinates with their ranges, a line each.
        mass: Mass of the link [kg].
    """

    stem: str
    name: str
    joint: str
    dof: int
    coordinates: tuple[str, ...]
    mass: float


def branches(model: Model) -> list[Branch]:
    """Return the rows of the tree, each link before those that hang on it."""
    units = coordinate_units(model)
    hanging: dict[str, list[Link]] = {}
    for link in model.links:
        hanging.setdefault(link.parent, []).append(link)
    rows: list[Branch] = []
    waiting = _marked(hanging.get(WORLD, []), "")
    while waiting:
        link, stem, below = waiting.pop()
        slots = model.v_slice(link.name)
        rows.append(
            Branch(
                stem,
                link.name,
                _joint(link),
                slots.stop - slots.start,
                tuple(_coordinates(model, link, units)),
                link.mass,
            )
        )
        waiting += _marked(hanging.get(link.name, []), below)
    return rows


def _marked(links: list[Link], stem: str) -> list[tuple[Link, str, str]]:
    """Return links with the stems of their own rows and of the rows below them, the last one first."""
    if len(links) == 1:
        return [(links[0], stem, stem)]  # a chain is not indented: spines would leave the page
    last = len(links) - 1
    marked = [
        (link, stem + ("└─ " if i == last else "├─ "), stem + ("   " if i == last else "│  "))
        for i, link in enumerate(links)
    ]
    return marked[::-1]


def coordinate_units(model: Model) -> dict[str, str]:
    """Return the unit of each coordinate: "rad", "m", or for strains of rods "1/m" and "-".

    A coordinate of a custom joint is an angle if it drives any rotation, a length if it drives translations only.
    """
    units: dict[str, str] = {}
    for link in model.links:
        joint = link.joint
        for name in link.coordinate_names:
            if isinstance(joint, Custom):
                turns = any(name == driver for axis in joint.rotations for driver, _ in axis.terms)
                slides = any(name == driver for axis in joint.translations for driver, _ in axis.terms)
                if turns or name not in units:
                    units[name] = "m" if slides and not turns else "rad"
            elif isinstance(joint, Rod):
                units[name] = "1/m" if name.rpartition(".")[2].startswith("k") else "-"
            elif isinstance(joint, Prismatic):
                units[name] = "m"
            else:
                units[name] = "m" if isinstance(joint, Free) and name[-2:] in ("tx", "ty", "tz") else "rad"
    return units


def _joint(link: Link) -> str:
    if isinstance(link.joint, Rod):
        n = len(link.joint.segments)
        return f"rod, {n} segment{'' if n == 1 else 's'}, {1000.0 * link.joint.length:.0f} mm"
    return type(link.joint).__name__.lower()


def _coordinates(model: Model, link: Link, units: dict[str, str]) -> Iterator[str]:
    """Yield a line for each coordinate that has a range or the like, and one for all others together."""
    slots = model.v_slice(link.name)
    new = model.coordinate_names[slots]
    plain: list[str] = []
    for name in link.coordinate_names:
        short = name.removeprefix(f"{link.name}.")
        if name not in new:
            yield f"follows {name}"
            continue
        told = _told(model.coordinates[name], units[name])
        if told:
            yield told if name == link.name else f"{short} {told}"
        elif name != link.name:
            plain.append(short)
    if plain and isinstance(link.joint, Rod):
        yield ", ".join(dict.fromkeys(name.rpartition(".")[2] for name in plain)) + " of segments"
    elif plain:
        yield ", ".join(plain)


def _told(coordinate: Coordinate, unit: str) -> str:
    """Return range, default and lock of a coordinate in words; empty if it has none."""
    factor, sign = SHOWN[unit]
    default, low, high = (
        _round(x * factor) for x in (coordinate.default, coordinate.lower, coordinate.upper)
    )
    if coordinate.locked:
        return f"locked at {default}{sign}"
    words = ""
    if math.isfinite(coordinate.lower) and math.isfinite(coordinate.upper):
        words = f"{low} to {high}{sign}"
    elif math.isfinite(coordinate.lower):
        words = f"from {low}{sign}"
    elif math.isfinite(coordinate.upper):
        words = f"up to {high}{sign}"
    if default != "0":
        words += f"{', ' if words else ''}default {default}{sign}"
    return words


def _round(value: float) -> str:
    """Return a number with at most one digit behind the point."""
    text = f"{value:.1f}" if abs(value) < 1e6 else f"{value:.3g}"
    return {"-0.0": "0"}.get(text, text).removesuffix(".0")
