"""`softstride report`: a study as one HTML page that opens offline."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from softstride.cli.files import OverwriteOption, QuietOption, check_targets
from softstride.cli.output import JsonOption, print_json, print_lines
from softstride.cli.view_sources import study_file

SUFFIXES = (".html", ".htm")

STYLES = {"good": "green", "look": "yellow", "bad": "red", "info": ""}


def command(
    study: Annotated[
        Path, typer.Argument(metavar="STUDY", help="A study (.study.nc), or the folder of an analysis.")
    ],
    out: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Where the page goes (.html); beside the study unless given."),
    ] = None,
    norms: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="A table of norms (.csv) to lay behind the curves; where the trial is walking, round angles of "
            "textbooks unless given.",
        ),
    ] = None,
    replay: Annotated[
        bool, typer.Option("--replay/--no-replay", help="Whether the page has a replay in 3D.")
    ] = True,
    overwrite: OverwriteOption = False,
    json: JsonOption = False,
    quiet: QuietOption = False,
) -> None:
    """Write a study as one HTML page: summary, data quality, curves over gait cycles, a replay in 3D.

    Everything is inside the page: it opens offline, from a mail too, and prints to PDF.

    For example:

    softstride report results/walk.study.nc

    softstride report results/walk.study.nc --norms laboratory.csv --out walk.html --overwrite
    """
    from softstride.report.build import write_report
    from softstride.report.verdicts import WORDS, verdicts_of, worst
    from softstride.study.files import SUFFIX, open_study

    file = study_file(study)
    target = out or file.with_name(f"{file.name.removesuffix(SUFFIX).removesuffix('.nc')}.html")
    sources = [file] if norms is None else [file, norms]
    opened = open_study(file)
    check_targets({"--out": target}, sources, overwrite, {"--out": SUFFIXES})
    write_report(opened, target, norms=norms, replay=replay, overwrite=overwrite)
    verdicts = verdicts_of(opened)
    if json:
        lights = [verdict.light for verdict in verdicts]
        figures: dict[str, Any] = {
            "out": str(target),
            "bytes": target.stat().st_size,
            "verdict": worst(lights),
        }
        figures |= {str(light): lights.count(light) for light in WORDS if light != "info"}
        print_json(figures | {"failed": len(opened.failed)})
    elif not quiet:
        wanting = [
            (WORDS[each.light], STYLES[each.light], f"{each.rule.name}: {each.value:.3g} {each.rule.unit}")
            for each in verdicts
            if each.light in ("look", "bad")
        ]
        wanting += [("failed", "red", f"{stage.name}: {stage.words}") for stage in opened.failed]
        wanting += [("not written", "yellow", f"{stage.name}: {stage.words}") for stage in opened.unwritten]
        size = target.stat().st_size / 1e6
        print_lines([("wrote", "", f"{target} ({size:.1f} MB)"), *wanting])
