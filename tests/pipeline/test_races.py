"""Two analyses that begin at once in one folder: one of them writes it, whole, and the other is told so."""

import multiprocessing
from pathlib import Path

import pytest
from tests.campaign import size
from tests.pipeline import racing

import softstride as ss
from softstride.pipeline import Request
from softstride.pipeline.results import FIGURES

RACES = size(50, 4)

REFUSED = ("somebody else writes the same results", "holds results already")


@pytest.mark.slow
def test_two_analyses_into_one_folder(short: Request, tmp_path: Path) -> None:
    """In every second race results may be replaced: then both may come to an end, one after the other."""
    outs = [tmp_path / f"run {number}" for number in range(RACES)]
    context = multiprocessing.get_context("spawn")
    starts, told = context.Barrier(2), context.Queue()
    pair = [context.Process(target=racing.run, args=(short, outs, starts, told)) for _ in range(2)]
    for each in pair:
        each.start()
    ends = [told.get(timeout=1800.0) for _ in pair]
    for each in pair:
        each.join()
    for number, (out, *both) in enumerate(zip(outs, *ends, strict=True)):
        assert "done" in both, (number, both)
        assert all(end == "done" or any(words in end for words in REFUSED) for end in both), (number, both)
        assert (out / FIGURES).is_file() and ss.open_study(out / "running.study.nc").motion.n_frames == 21
    assert {file.name for file in tmp_path.iterdir()} == {out.name for out in outs}, (
        "nothing lies beside them"
    )
