"""A bar on stderr for what takes a while; silent where nobody watches."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager


@contextmanager
def progress_bar(title: str, *, quiet: bool = False) -> Iterator[Callable[[float], None]]:
    """Show a bar while the block runs, on a terminal only; yield what moves it, called with a share from 0 to 1."""
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn, TimeRemainingColumn

    console = Console(stderr=True)
    bar = Progress(
        TextColumn("{task.description}"),
        BarColumn(),
        TaskProgressColumn(),
        TimeRemainingColumn(elapsed_when_finished=True),
        console=console,
        transient=True,
        disable=quiet or not console.is_terminal,
    )
    with bar:
        task = bar.add_task(title, total=1.0)
        yield lambda share: bar.update(task, completed=share)
