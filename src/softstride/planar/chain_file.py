"""Chains from small text files (TOML): links, muscles, contacts, and how all of it changes over time.

    name = "arm"
    time = [0.0, 0.5, 1.0]       # instants of what follows; without it, one frame
    rate = 100.0                 # frames per second in between, along smooth curves; without it, those instants
    [[links]]                    # the base
    name = "trunk"
    length = 0.1
    angle_deg = -90.0
    [[links]]
    name = "arm"
    joint = "shoulder"
    length = 0.3
    mass = 2.0
    com = [0.13, 0.0]
    inertia = 0.02
    angle_deg = [-90.0, -45.0, -90.0]
    [[muscles]]
    name = "flexor"
    path = [["trunk", 0.05, 0.03], ["arm", 0.08, 0.02]]
    tension = [0.0, 200.0, 0.0]
    [[contacts]]
    name = "hand"
    link = "arm"
    point = [0.3, 0.0]
    force = [0.0, -20.0]         # or one pair for each instant; without force and couple it is unknown

SI units; angles in radians (`angle`) or degrees (`angle_deg`). A chain from markers is another file, see `marker_file`.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from softstride.errors import ModelError, inside
from softstride.model import checks
from softstride.planar.case import Case
from softstride.planar.chain import GRAVITY, Chain
from softstride.planar.course import Clock
from softstride.planar.parts import Contact, Muscle
from softstride.planar.reach import usual_reach
from softstride.planar.state import State
from softstride.planar.toml_table import check_keys, needed, parse, read_text, rows
from softstride.planar.vectors import to_complex

FILE = (
    "name", "source", "gravity", "form", "time", "rate", "ends", "base_acceleration", "links", "muscles", "contacts",
)  # fmt: skip
LINK = (
    "name", "joint", "length", "mass", "com", "inertia", "reach", "angle", "angle_deg", "velocity", "acceleration",
    "torque",
)  # fmt: skip
MUSCLE = ("name", "path", "tension")
CONTACT = ("name", "link", "point", "force", "couple")

Rows = list[Mapping[str, Any]]


def read_chain(path: str | Path) -> Case:
    """Read a chain from a TOML file.

    Args:
        path: The file.

    Returns:
        The chain with its state.

    Raises:
        ModelError: The file cannot be read, is too large, or describes a chain that cannot be; the message names the
            file and the part.
    """
    file = Path(path)
    return chain_from_text(read_text(file), str(path), file.stem)


def chain_from_text(text: str, origin: str, name: str) -> Case:
    """Return the chain that a TOML text describes.

    Args:
        text: The text.
        origin: Where it is from, for messages.
        name: Name of the chain unless the text has one.
    """
    table = parse(text, origin)
    with inside(file=origin, raising=ModelError):
        return _case(table, name)


def _case(table: Mapping[str, Any], name: str) -> Case:
    check_keys(table, FILE, "file")
    links, muscles, contacts = (
        rows(table, part, known)
        for part, known in (("links", LINK), ("muscles", MUSCLE), ("contacts", CONTACT))
    )
    if len(links) < 2:
        raise ModelError(f"a chain needs a base and a link, two [[links]] tables or more, not {len(links)}.")
    clock = Clock.of(table)
    form = table.get("form", "distal")
    if form not in ("distal", "proximal"):
        raise ModelError(f"form must be distal or proximal, however it is {form!r}.")
    chain = Chain(
        **_links(links),
        muscles=tuple(
            Muscle(needed(row, "name", f"muscles {i}"), needed(row, "path", f"muscle {row['name']!r}"))
            for i, row in enumerate(muscles)
        ),
        contacts=tuple(_contact(row, i, clock) for i, row in enumerate(contacts)),
        gravity=table.get("gravity", GRAVITY),
        name=checks.text(table.get("name", name), "name"),
    )
    state = _state(table, chain, links, muscles, contacts, clock)
    return Case(chain, state, form, str(table.get("source", "")), clock.notes)


def _links(links: Rows) -> dict[str, Any]:
    """Return the fields of a chain that its links give."""
    if "joint" in links[0]:
        raise ModelError("the first of links is the base: it has no joint of its own.")
    names, columns = [], []
    for i, row in enumerate(links):
        name = checks.text(needed(row, "name", f"links {i}"), f"name of links {i}")
        what = f"link {name!r}"
        length = checks.number(needed(row, "length", what), f"{what}: length")
        mass, inertia = (
            checks.number(row.get(key, 0.0) if i == 0 else needed(row, key, what), f"{what}: {key}")
            for key in ("mass", "inertia")
        )
        com = checks.array(row.get("com", (0.0, 0.0)), (2,), f"{what}: com")
        names.append(name)
        columns.append((length, mass, inertia, *com))
    table = np.array(columns)
    reach = zip(links, usual_reach(table[:, 0], to_complex(table[:, 3:])), strict=True)
    return {
        "length": table[:, 0],
        "mass": table[:, 1],
        "inertia": table[:, 2],
        "com": table[:, 3:],
        "links": tuple(names),
        "joints": tuple(str(row.get("joint", i)) for i, row in enumerate(links) if i),
        "reach": [
            checks.number(row.get("reach", usual), "reach of a link", lower=0.0) for row, usual in reach
        ],
    }


def _contact(row: Mapping[str, Any], number: int, clock: Clock) -> Contact:
    name = checks.text(needed(row, "name", f"contacts {number}"), f"name of contacts {number}")
    link = needed(row, "link", f"contact {name!r}")
    point = row.get("point", (0.0, 0.0))
    return Contact(name, link, point) if not clock.varies(point, 1) else Contact(name, link)


def _state(
    table: Mapping[str, Any], chain: Chain, links: Rows, muscles: Rows, contacts: Rows, clock: Clock
) -> State:
    motion = [clock.motion(row, f"link {name!r}") for row, name in zip(links, chain.links, strict=True)]
    theta, omega, alpha = (np.stack(columns, axis=-1) for columns in zip(*motion, strict=True))
    tension = {
        row["name"]: clock.course(
            needed(row, "tension", f"muscle {row['name']!r}"), 0, f"tension of {row['name']!r}"
        )
        for row in muscles
    }
    found: dict[str, dict[str, Any]] = {"force": {}, "couple": {}, "point": {}}
    for row in contacts:
        for key, width in (("force", 1), ("couple", 0), ("point", 1)):
            if key in row and (key != "point" or clock.varies(row[key], 1)):
                found[key][row["name"]] = clock.course(row[key], width, f"{key} of contact {row['name']!r}")
    torque = None
    if any("torque" in row for row in links):
        columns = [clock.course(row.get("torque", 0.0), 0, "torque") for row in links[1:]]
        torque = np.stack(np.broadcast_arrays(*columns), axis=-1)
    base = table.get("base_acceleration")
    return State(
        theta=theta,
        omega=omega,
        alpha=alpha,
        time=clock.time,
        tension=tension,
        force=found["force"],
        couple=found["couple"],
        point=found["point"],
        torque=torque,
        base_acceleration=None if base is None else clock.course(base, 1, "base_acceleration"),
    )
