"""Text into HTML: everything that comes from files is escaped here, and JSON is put where no script can break out."""

from __future__ import annotations

import html
import json
import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

UNSAFE = {"<": "\\u003c", ">": "\\u003e", "&": "\\u0026", "\u2028": "\\u2028", "\u2029": "\\u2029"}
"""What must not stand in a script element as it is; in a string of JSON the escapes mean the same."""


def text(value: object) -> str:
    """Return text that HTML shows as it is, in elements and in quoted attributes.

    Control characters, which HTML does not allow, become a mark.
    """
    shown = "".join(
        c if c in "\t\n" or (ord(c) >= 32 and not 127 <= ord(c) < 160) else "\ufffd" for c in str(value)
    )
    return html.escape(shown.encode("utf-8", "replace").decode("utf-8"), quote=True)


def script_json(value: Any) -> str:
    """Return JSON that may stand in a script element; NaN and infinities become null."""
    plain = json.dumps(_plain(value), allow_nan=False, separators=(",", ":"))
    for sign, escape in UNSAFE.items():
        plain = plain.replace(sign, escape)
    return plain


def table(
    columns: Sequence[str],
    rows: Iterable[Sequence[str]],
    *,
    caption: str,
    raw: bool = False,
    kind: str = "",
) -> str:
    """Return a table whose first column heads its rows; it scrolls on its own where a screen is narrow.

    Args:
        columns: Headings.
        rows: Cells.
        caption: Above the table.
        raw: Whether cells are HTML already.
        kind: Class of the table.
    """
    put = (lambda cell: cell) if raw else text
    head = "".join(f'<th scope="col">{text(name)}</th>' for name in columns)
    body = "".join(
        f'<tr><th scope="row">{put(row[0])}</th>{"".join(f"<td>{put(cell)}</td>" for cell in row[1:])}</tr>'
        for row in rows
    )
    named = f' class="{kind}"' if kind else ""
    return (
        f'<div class="scroll" tabindex="0" role="region" aria-label="{text(caption)}"><table{named}>'
        f"<caption>{text(caption)}</caption><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table></div>"
    )


def paragraph(words: str, kind: str = "") -> str:
    """Return a paragraph of plain text."""
    named = f' class="{kind}"' if kind else ""
    return f"<p{named}>{text(words)}</p>"


def bullets(lines: Iterable[str]) -> str:
    """Return a list of plain texts."""
    return "<ul>" + "".join(f"<li>{text(line)}</li>" for line in lines) + "</ul>"


def folded(title: str, inside: str) -> str:
    """Return what is shown when it is asked for."""
    return f"<details><summary>{text(title)}</summary>{inside}</details>"


def _plain(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {str(key): _plain(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [_plain(item) for item in value]
    if isinstance(value, str):
        return value.encode("utf-8", "replace").decode("utf-8")
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    return value
