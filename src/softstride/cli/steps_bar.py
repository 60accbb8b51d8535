"""A bar on stderr that names the step of an analysis; silent where nobody watches."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from softstride.pipeline.analysis import Progress


@contextmanager
def steps_bar(title: str, *, quiet: bool = False) -> Iterator[Progress]:
    """Show a bar while the block runs, on a terminal only; yield what moves it, called with a step and a share.

    Lines on stderr meanwhile, such as those of kernels that are compiled, go above the bar.
    """
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn, TimeElapsedColumn

    console = Console(stderr=True)
    bar = Progress(
        TextColumn("[bold]{task.fields[trial]}", markup=True),
        BarColumn(),
        TaskProgressColumn(),
        TimeElapsedColumn(),
        TextColumn("{task.description}", markup=False),
        console=console,
        transient=True,
        disable=quiet or not console.is_terminal,
    )
    with bar:
        task = bar.add_task("", total=1.0, trial=title.replace("[", "\\["))
        yield lambda step, share: bar.update(task, description=step, completed=share)
