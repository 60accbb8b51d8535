"""A page and a table that list the figures of merit of several trials."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from pathlib import Path
from urllib.parse import quote

from softstride.cli.analyze_runs import Run
from softstride.files import write_whole
from softstride.harmless import csv_line

PAGE, TABLE = "index.html", "figures.csv"

STYLE = """
body { font: 15px/1.45 system-ui, sans-serif; margin: 2rem; color: #22303c; background: #fff; }
table { border-collapse: collapse; } caption { text-align: left; padding-bottom: .6rem; color: #5b6770; }
th, td { padding: .25rem .7rem; border-bottom: 1px solid #dfe4e8; text-align: right; white-space: nowrap; }
thead th { position: sticky; top: 0; background: #fff; vertical-align: bottom; }
tbody th { text-align: left; font-weight: 500; position: sticky; left: 0; background: #fff; }
tbody tr:hover td, tbody tr:hover th { background: #f4f7f9; } .failed { color: #b3261e; }
.scroll { overflow-x: auto; } td:empty::after { content: "–"; color: #9aa5ad; }
"""


def write_page(runs: Sequence[Run], folder: Path) -> None:
    """Write a page (index.html) and a table (figures.csv): a row for each figure, a column for each trial."""
    names = list(dict.fromkeys(key for run in runs if run.study is not None for key in run.study.figures))
    write_whole(folder / TABLE, _table(runs, names).encode("utf-8"), overwrite=True)
    write_whole(folder / PAGE, _page(runs, names).encode("utf-8"), overwrite=True)


def _table(runs: Sequence[Run], names: list[str]) -> str:
    lines = [csv_line(["figure", *(run.name for run in runs)])]
    lines += [csv_line([name, *(_value(run, name, ".9g") for run in runs)]) for name in names]
    lines.append(csv_line(["error", *(run.error for run in runs)]))
    return "\n".join(lines) + "\n"


def _page(runs: Sequence[Run], names: list[str]) -> str:
    heads = "".join(f"<th>{_link(run)}</th>" for run in runs)
    rows = "".join(_row(runs, name) for name in names)
    failed = "".join(f'<p class="failed">{escape(run.error)}</p>\n' for run in runs if run.error)
    return (
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<title>Figures of merit</title><style>{STYLE}</style></head>\n<body><h1>Figures of merit</h1>\n{failed}"
        f'<div class="scroll"><table><caption>{len(runs)} trials; the name of a trial leads to its report.</caption>'
        f"<thead><tr><th></th>{heads}</tr></thead>\n<tbody>{rows}</tbody></table></div></body></html>\n"
    )


def _row(runs: Sequence[Run], name: str) -> str:
    cells = "".join(f"<td>{_value(run, name, '.4g')}</td>" for run in runs)
    return f"<tr><th>{escape(_words(name))}</th>{cells}</tr>\n"


def _link(run: Run) -> str:
    if run.report is None:
        return escape(run.name)
    return f'<a href="{quote(run.folder.name)}/{quote(run.report.name)}">{escape(run.name)}</a>'


def _value(run: Run, name: str, layout: str) -> str:
    figures = {} if run.study is None else run.study.figures
    return format(figures[name], layout) if name in figures else ""


def _words(name: str) -> str:
    """Return the name of a figure in words: units in brackets."""
    for end, unit in (
        ("_percent_bw", "% of body weight"),
        ("_percent_of_peak", "% of peak"),
        ("_percent", "%"),
    ):
        if name.endswith(end):
            return f"{name.removesuffix(end).replace('_', ' ')} [{unit}]"
    words, _, unit = name.rpartition("_")
    known = {"mm": "mm", "s": "s", "kg": "kg", "N": "N", "Nm": "N·m", "bw": "body weights"}
    return f"{words.replace('_', ' ')} [{known[unit]}]" if unit in known and words else name.replace("_", " ")
