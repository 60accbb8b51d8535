"""OpenSim's files for tests, spelt here and not by our own writers: tables, markers, documents."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np


def storage(
    columns: Sequence[str],
    time: Sequence[float] | np.ndarray,
    values: Any,
    *,
    name: str = "table",
    degrees: bool | None = False,
) -> str:
    """Return a table of .mot or .sto.

    Args:
        columns: Names, without time.
        time: Instants, shape (n,).
        values: Numbers, shape (n, columns), or (n,) of one column.
        name: First line.
        degrees: What the header says of angles; None says nothing.
    """
    rows = np.column_stack([time, values])
    head = [name, "version=1", f"nRows={len(rows)}", f"nColumns={len(columns) + 1}"]
    head += [] if degrees is None else [f"inDegrees={'yes' if degrees else 'no'}"]
    return _lines(*head, "endheader", _row("time", *columns), *(_row(*_digits(row)) for row in rows))


def table(path: Path, *content: Any, **header: Any) -> Path:
    """Write the table that `storage` returns for the same arguments; return its path."""
    path.write_text(storage(*content, **header))
    return path


def trc(markers: Mapping[str, Any], *, rate: float = 100.0, units: str = "mm", name: str = "walk.trc") -> str:
    """Return a file of markers, each of shape (n, 3), in its units."""
    places = np.hstack([np.asarray(each, dtype=float) for each in markers.values()])
    n, m = len(places), len(markers)
    fields = "DataRate CameraRate NumFrames NumMarkers Units OrigDataRate OrigDataStartFrame OrigNumFrames"
    return _lines(
        _row("PathFileType", 4, "(X/Y/Z)", name),
        _row(*fields.split()),
        _row(rate, rate, n, m, units, rate, 1, n),
        _row("Frame#", "Time", *(f"{label}\t\t" for label in markers)),
        _row("", "", *(f"{axis}{i + 1}" for i in range(m) for axis in "XYZ")),
        "",
        *(_row(i + 1, *_digits([i / rate, *row])) for i, row in enumerate(places)),
    )


def element(tag: str, *inside: str, name: str = "", **parts: Any) -> str:
    """Return an element: first what is given as text, then one element for each part."""
    given = "".join(f"<{part}>{value}</{part}>" for part, value in parts.items())
    attribute = f' name="{name}"' if name else ""
    return f"<{tag}{attribute}>{''.join(inside)}{given}</{tag}>"


def objects(tag: str, *each: str, name: str = "", **parts: Any) -> str:
    """Return a set of OpenSim's: its objects, and its own parts."""
    return element(tag, element("objects", *each), name=name, **parts)


def document(*inside: str, version: int = 40000) -> str:
    """Return a document of OpenSim's."""
    return f'<OpenSimDocument Version="{version}">{"".join(inside)}</OpenSimDocument>'


def setup_of(tool: str, *inside: str, name: str = "", **parts: Any) -> str:
    """Return the setup of a tool."""
    return document(element(tool, *inside, name=name, **parts))


def external_loads(
    forces: Mapping[str, tuple[str, str]], datafile: str = "forces.mot", **expressed: str
) -> str:
    """Return a document of external loads.

    Args:
        forces: Link, and what its columns `_f`, `_p` and `_t` begin with, by the name of each force.
        datafile: Table with the columns.
        expressed: More parts of each force, such as `force_expressed_in_body`.
    """
    each = (
        element(
            "ExternalForce",
            name=name,
            applied_to_body=link,
            **expressed,
            force_identifier=f"{start}_f",
            point_identifier=f"{start}_p",
            torque_identifier=f"{start}_t",
        )
        for name, (link, start) in forces.items()
    )
    return document(objects("ExternalLoads", *each, name="loads", datafile=datafile))


def columns_of(*forces: Any) -> tuple[list[str], np.ndarray]:
    """Return columns and values of forces as `external_loads` calls them: r_fx, ... right, l_fx, ... left."""
    names = [f"{force.side[0]}_{part}{axis}" for force in forces for part in "fpt" for axis in "xyz"]
    return names, np.hstack([part for force in forces for part in (force.force, force.point, force.moment)])


def _digits(row: Any) -> list[str]:
    return [f"{value:.15g}" for value in row]


def _row(*cells: Any) -> str:
    return "\t".join(map(str, cells))


def _lines(*lines: str) -> str:
    return "\n".join(lines) + "\n"
