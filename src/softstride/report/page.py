"""The page around the sections: head, navigation, styles and scripts, everything inside."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path
from typing import Any

from softstride.errors import InputError
from softstride.files import packaged_text, read_text
from softstride.report.context import Section
from softstride.report.html import script_json, text

LARGEST = 64_000_000
"""Bytes of the script of Plotly."""

POLICY = "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; img-src data: blob:"
"""What the browser lets the page do: nothing but run its own scripts; it cannot ask for anything from elsewhere."""

SWITCH = (
    '<fieldset class="switch"><legend>Figures</legend>'
    '<label><input type="radio" name="view" value="cycle" checked><span>over the gait cycle</span></label>'
    '<label><input type="radio" name="view" value="time"><span>over time</span></label></fieldset>'
)


def compose(
    name: str, sections: list[Section], replay: str, data: dict[str, Any], scene: dict[str, Any] | None
) -> str:
    """Return the page.

    Args:
        name: Of the trial.
        sections: In their order; the first one has the replay beside it.
        replay: HTML of the replay; "" for none.
        data: What figures are drawn from.
        scene: What the replay draws; None: there is none.
    """
    links = "".join(
        f'<a href="#{text(each.ident)}">{text(each.short or each.title)}</a>' for each in sections
    )
    switch = SWITCH if data["cycle"] else ""
    first, *others = sections
    lead = f'<div class="lead"><div>{first.html}</div>{replay}</div>' if replay else first.html
    body = _section(first, lead) + "".join(_section(each, each.html) for each in others)
    return "\n".join(
        (
            '<!DOCTYPE html><html lang="en"><head><meta charset="utf-8">',
            f'<meta http-equiv="Content-Security-Policy" content="{POLICY}">',
            '<meta name="viewport" content="width=device-width, initial-scale=1">',
            '<meta name="color-scheme" content="light dark">',
            f"<title>{text(name)} – softstride</title>",
            f"<style>{_asset('page.css')}</style></head><body>",
            '<a class="skip" href="#summary">To the summary</a>',
            f'<header class="top"><h1>{text(name)}</h1><nav aria-label="Sections">{links}</nav>{switch}</header>',
            f"<main>{body}</main>",
            "<noscript><p>Figures and replay need JavaScript; tables and text do not.</p></noscript>",
            "<footer>Made by softstride. Everything is inside this file; it asks nothing from the network.</footer>",
            _json("figures", data),
            _json("scene", scene) if scene is not None else "",
            f"<script>{_asset('unpack.js')}</script>",
            f"<script>{_asset('replay.js')}</script>" if scene is not None else "",
            f"<script>{plotly_script()}</script>",
            f"<script>{_asset('page.js')}</script></body></html>\n",
        )
    )


def plotly_script() -> str:
    """Return the script of Plotly.

    Raises:
        InputError: The package plotly is not installed.
    """
    found = find_spec("plotly")
    for folder in (found.submodule_search_locations if found is not None else None) or ():
        file = Path(folder) / "package_data" / "plotly.min.js"
        if file.is_file():
            return read_text(file, LARGEST, "the script of Plotly").replace("</script", "<\\/script")
    raise InputError("a report needs plotly, whose script goes into the page: pip install plotly")


def _section(section: Section, html: str) -> str:
    ident = text(section.ident)
    head = f'<h2 id="{ident}-title">{text(section.title)}</h2>'
    return f'<section id="{ident}" aria-labelledby="{ident}-title">{head}{html}</section>'


def _json(ident: str, value: Any) -> str:
    return f'<script type="application/json" id="{ident}">{script_json(value)}</script>'


def _asset(name: str) -> str:
    return packaged_text(__package__, "assets", name)
