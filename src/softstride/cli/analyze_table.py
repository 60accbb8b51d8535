"""What `softstride analyze` prints: steps, figures of merit with a verdict each, and where results are."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import typer

from softstride.cli.analyze_runs import Run
from softstride.cli.output import print_lines, print_table
from softstride.study.study import Study

COLUMNS = (  # figure, heading, format; of the table of several trials
    ("frames", "frames", ".0f"),
    ("marker_rms_mm", "markers mm", ".1f"),
    ("measured_residual_force_rms_percent_bw", "residual %BW", ".1f"),
    ("grf_rrmse_forward_percent", "GRF forward %", ".1f"),
    ("grf_rrmse_up_percent", "up %", ".1f"),
    ("grf_rrmse_right_percent", "right %", ".1f"),
    ("muscles_saturated_percent", "saturated %", ".1f"),
    ("moment_residual_rms_worst_percent_of_peak", "reserves %", ".1f"),
    ("knee_right_contact_peak_bw", "knee R BW", ".1f"),
    ("knee_left_contact_peak_bw", "knee L BW", ".1f"),
    ("knee_right_net_peak_bw", "net knee R BW", ".1f"),
    ("knee_left_net_peak_bw", "net knee L BW", ".1f"),
)

KNEES = {
    "contact": "peak contact force in the {} knee",
    "net": "peak net force in the {} knee, without muscles",
}


def figures_of(runs: Sequence[Run]) -> dict[str, Any]:
    """Return one flat object: figures of merit and what became of each trial; of several, behind its name and a dot."""
    found: dict[str, Any] = {}
    for run in runs:
        own: dict[str, Any] = {"name": run.name, "out": str(run.folder), "error": run.error}
        own |= {"seconds": run.seconds, "compiling_seconds": run.compiling, "already_done": run.known}
        if run.study is not None:
            own |= dict(run.study.figures)
            own["failed_steps"] = "; ".join(f"{each.name}: {each.words}" for each in run.study.failed)
            own["unwritten_files"] = "; ".join(f"{each.name}: {each.words}" for each in run.study.unwritten)
            own["report"] = str(run.report or "")
        found |= own if run.alone else {f"{run.name}.{key}": value for key, value in own.items()}
    if len(runs) > 1:
        found |= {"trials": len(runs), "trials_failed": sum(bool(run.error) for run in runs)}
    return found


def print_runs(runs: Sequence[Run]) -> None:
    """Print one trial at length, several as a table."""
    if len(runs) == 1 and runs[0].study is not None:
        _print_one(runs[0], runs[0].study)
        return
    known = {name for run in runs if run.study is not None for name in run.study.figures}
    columns = [column for column in COLUMNS if column[0] in known or not known]
    rows = []
    for run in runs:
        figures = {} if run.study is None else run.study.figures
        cells = [format(figures[name], layout) if name in figures else "–" for name, _, layout in columns]
        rows.append([run.name, *cells, "failed" if run.error else _state(run)])
    headings = ["trial", *(heading for _, heading, _ in columns), ""]
    print_table(headings, rows, title="Figures of merit", numbers=range(1, len(columns) + 1))
    typer.echo(
        f"all figures: {runs[0].folder.parent / 'index.html'}, {runs[0].folder.parent / 'figures.csv'}"
    )


def _print_one(run: Run, study: Study) -> None:
    from softstride.report.verdicts import WORDS, verdicts_of

    print_lines(
        _steps(study), title=f"{study.name}: {study.motion.n_frames} frames, {study.motion.duration:.2f} s"
    )
    verdicts = verdicts_of(study)
    rows = [(each.rule.name, f"{each.value:.3g}", each.rule.unit, WORDS[each.light]) for each in verdicts]
    typer.echo()
    print_table(("figure of merit", "value", "unit", "verdict"), rows, numbers=(1,))
    for side in study.knees:
        for kind, words in KNEES.items():
            peak = study.figures.get(f"knee_{side}_{kind}_peak_bw")
            if peak is not None:
                typer.echo(f"{words.format(side)}: {peak:.2f} body weights")
    typer.echo()
    typer.echo(f"results: {run.folder}{' (they were there already)' if run.known else ''}")
    if run.report is not None:
        typer.echo(f"report:  {run.report}")
    typer.echo(times([run]))


def times(runs: Sequence[Run], ahead: float = 0.0) -> str:
    """Return how long runs took in words, compilation apart, with what was compiled ahead of them [s]."""
    seconds, compiling = sum(run.seconds for run in runs), ahead + sum(run.compiling for run in runs)
    apart = f", and {compiling:.0f} s of compilation, once on this machine" if compiling > 0.5 else ""
    return f"took {seconds:.1f} s{apart}"


def _steps(study: Study) -> list[tuple[str, str, str]]:
    marks = {"done": ("done", "green"), "skipped": ("skipped", "yellow"), "failed": ("failed", "red")}
    marks |= {"unwritten": ("not written", "yellow")}
    return [
        (*marks[stage.state], f"{stage.name}{': ' if stage.words else ''}{stage.words}")
        for stage in study.stages
    ]


def _state(run: Run) -> str:
    study = run.study
    if study is None:
        return ""
    counts = ((study.failed, "steps failed"), (study.unwritten, "files not written"))
    return ", ".join(f"{len(stages)} {what}" for stages, what in counts if stages)
