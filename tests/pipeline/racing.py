"""What each of two processes does that race for the same folders."""

from multiprocessing.synchronize import Barrier
from pathlib import Path
from queue import Queue

import softstride as ss
from softstride.pipeline import Request, analyze_to_folder


def run(request: Request, outs: list[Path], starts: Barrier, told: "Queue[list[str]]") -> None:
    """Analyse into one folder after the other, each when all are there; tell how each ended."""
    ends = []
    for number, out in enumerate(outs):
        starts.wait(600.0)
        try:
            analyze_to_folder(request, out, overwrite=number % 2 == 1)
            ends.append("done")
        except ss.SoftstrideError as error:
            ends.append(str(error))
        except Exception as error:  # noqa: BLE001 -- what the test is about
            ends.append(f"{type(error).__name__}: {error}")
    told.put(ends)
