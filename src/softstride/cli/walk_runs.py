"""The models of `softstride walk`: each simulates, and knows how to print itself and what to write."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from softstride.cli.walk_study import WalkOptions
from softstride.errors import InputError

MODELS = ("seven-segment", "planar-rolling", "planar-spheres", "blade")

_OPTIONS = {  # options beyond those of every model
    "planar-rolling": (),
    "planar-spheres": ("--exponent",),
    "blade": ("--drop", "--push", "--dt"),
}


@dataclass(frozen=True, eq=False)
class Run:
    """What a model did.

    Attributes:
        figures: Key numbers by name.
        show: Prints the tables.
        files: Returns files by name, with a picture of the form that it is given, "png" or "svg".
    """

    figures: dict[str, Any]
    show: Callable[[], None]
    files: Callable[[str], dict[str, bytes]]


def check_options(model: str, given: list[str]) -> None:
    """Refuse a model that is none, and options that it does not have."""
    if model not in MODELS:
        raise InputError(f"--model {model}: must be one of {', '.join(MODELS)}")
    foreign = {"--exponent", "--drop", "--push"}
    strange = [
        name for name in given if (name in foreign if model == MODELS[0] else name not in _OPTIONS[model])
    ]
    if strange:
        owners = [each for each in MODELS if strange[0] in _OPTIONS.get(each, ())] or [MODELS[0]]
        raise InputError(
            f"{strange[0]} is an option of --model {' and '.join(owners)}, however the model is {model}"
        )


def step_of(text: str | None) -> float | Literal["auto"] | None:
    """Return the step of --dt [s], "auto", or None where it is not given."""
    if text is None or text == "auto":
        return "auto" if text else None
    try:
        return float(text)
    except ValueError as error:
        raise InputError(f"--dt {text}: must be a number of seconds, or auto") from error


def run_seven_segment(options: WalkOptions, measured: Path | None) -> Run:
    """Walk with seven segments."""
    from softstride.cli.walk_measured import compare_measured, read_measured
    from softstride.cli.walk_study import simulate_walks
    from softstride.cli.walk_table import print_walk, walk_figures

    table = None if measured is None else read_measured(measured)
    study = simulate_walks(options)
    figures = walk_figures(study)
    if table is not None:
        figures |= {"measured": table.name, **compare_measured(study.walk, table)}
        if study.baseline is not None:
            compared = compare_measured(study.baseline, table)
            figures |= {f"baseline_{name}": value for name, value in compared.items()}

    def files(form: str) -> dict[str, bytes]:
        from softstride.cli.walk_figure import draw_walk
        from softstride.cli.walk_files import walk_files

        return {f"walk.{form}": draw_walk(study, table, form), **walk_files(study)}

    return Run(figures, lambda: print_walk(study, figures, "" if table is None else table.name), files)


def run_planar(contact: str, exponent: float | None) -> Run:
    """Simulate a stance of the planar walker."""
    from softstride.cli.walk_stance import print_stance, simulate_stance, stance_columns, stance_figures

    result, seconds = simulate_stance(contact, exponent)
    figures = stance_figures(result, seconds)

    def files(form: str) -> dict[str, bytes]:
        from softstride.cli.walk_files import frames_table, motion_file
        from softstride.cli.walk_stance_figure import draw_stance

        tables = {"walk.csv": frames_table(stance_columns(result)), "walk.mot": motion_file(result.motion)}
        return {f"walk.{form}": draw_stance(result, form), **tables}

    return Run(figures, lambda: print_stance(figures), files)


def run_blade(drop: float | None, push: float | None, dt: float | Literal["auto"] | None) -> Run:
    """Drop a leg on its blade."""
    from softstride.cli.walk_hop import hop_columns, hop_figures, print_hop, simulate_hop

    result, seconds = simulate_hop(drop, push, dt)
    figures = hop_figures(result, seconds)

    def files(form: str) -> dict[str, bytes]:
        from softstride.cli.walk_files import frames_table
        from softstride.cli.walk_hop_figure import draw_hop

        return {f"walk.{form}": draw_hop(result, form), "walk.csv": frames_table(hop_columns(result))}

    return Run(figures, lambda: print_hop(figures), files)
