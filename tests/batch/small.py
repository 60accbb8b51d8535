"""Small trials that take a fraction of a second, runs of the command in a process of its own, and tables to compare."""

import os
import signal
import subprocess
import sys
import time as clock
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import pyarrow.parquet as parquet
from tests.models import walker
from tests.trials import pushed, recorded, swinging

from softstride.capture import write
from softstride.model.load import save_model

CHEAP = """\
[analysis]
estimate = false
bands = false
muscles = false
lowpass = 10.0
"""

FOLDERS = ("Zoé Ångström", "Bob", "Chen")
"""Of three people: each has trials of the same names."""

ROOT = Path(__file__).resolve().parents[2]

SECONDS = 900.0  # after which a process is given up, on a busy machine


def name_of(trial: int) -> str:
    """Return the name of a trial by its number: in turn of each person."""
    return f"{FOLDERS[trial % len(FOLDERS)]}/walk {trial // len(FOLDERS) + 1:02d}"


def make_trials(folder: Path, count: int, *, corrupt: int | None = None) -> Path:
    """Write trials of three people, each a file of markers with its forces beside it; one may be no trial at all."""
    model = walker("custom")
    for name in FOLDERS[: min(count, len(FOLDERS))]:
        (folder / name).mkdir(parents=True)
        save_model(model, folder / name / "model.json")
    for i in range(count):
        person, name = name_of(i).split("/")
        place = folder / person
        if i == corrupt:
            (place / f"{name}.c3d").write_bytes(b"\x02\x50 this is no recording" * 100)
            continue
        motion = swinging(model, n=24, seed=i)
        write(recorded(model, motion.q, noise=1e-3, seed=i), place / f"{name}.trc")
        write(pushed(model, motion, seed=i), place / f"{name}_grf.mot", what="forces")
    (folder / FOLDERS[0] / "standing.trc").write_text("left out\n")
    options = folder.parent / "cheap.toml"
    options.write_text(CHEAP)
    return options


@contextmanager
def started(
    *arguments: object, code: str = "from softstride.cli import main; main()"
) -> Iterator[subprocess.Popen[str]]:
    """Run `softstride`, or other code, in a group of processes of its own, of which none is left after the block."""
    with subprocess.Popen(
        [sys.executable, "-c", code, *map(str, arguments)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
        env=os.environ | {"NO_COLOR": "1", "COLUMNS": "200", "PYTHONPATH": str(ROOT)},
    ) as process:
        try:
            yield process
        finally:
            with suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)


def results(out: Path) -> dict[str, Path]:
    """Return the folders of results that are there, by the names of their trials; nothing hidden."""
    found = {}
    for place, folders, files in os.walk(out):
        folders[:] = [name for name in folders if not name.startswith(".")]
        if "figures.json" in files:
            found[Path(place).relative_to(out).as_posix()] = Path(place)
    return found


def leftovers(out: Path) -> list[Path]:
    """Return what is hidden in a folder of results."""
    return [
        Path(place, name)
        for place, folders, files in os.walk(out)
        for name in (*folders, *files)
        if name.startswith(".")
    ]


def rows(out: Path) -> list[dict]:
    """Return the rows of a table but for what a clock says."""
    table = parquet.read_table(out / "trials.parquet")
    return table.drop_columns(["seconds"]).to_pylist()


def gone(group: int) -> bool:
    """Return whether no process of a group lives."""
    try:
        os.killpg(group, 0)
    except ProcessLookupError:
        return True
    return False


def wait_for(
    what: Callable[[], bool], process: subprocess.Popen[str] | None = None, *, pause: float = 0.02
) -> None:
    """Wait until something is so, with a pause [s] between two looks.

    Fails if it takes too long, or if the process that is to bring it about ends before.
    """
    end = clock.monotonic() + SECONDS
    while not what():
        assert clock.monotonic() < end, "took too long"
        if process is not None and process.poll() is not None:
            raise AssertionError(f"ended too early:\n{process.stderr.read() if process.stderr else ''}")
        clock.sleep(pause)
