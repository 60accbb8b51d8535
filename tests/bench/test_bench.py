"""The benchmark of the engine runs, returns what programs rely on, and finds that both engines agree."""

import math

import pytest

pytest.importorskip("pinocchio", reason="the benchmark needs its peer: pip install 'softstride[bench]'")

from bench import _compiling, _timing, engine
from tools import kernels

RATIOS = ("rnea_rigid", "rnea_blade", "crba", "aba", "rnea_derivatives", "jacobian")
MATRICES = ("crba", "jacobian", "rnea_derivatives")
OTHERS = (
    "compile_cold_s",
    "compile_warm_s",
    "import_s",
    "max_difference",
    "packed_share_min",
    "slope_frames",
    "slope_links",
    "threads_speedup",
)


@pytest.fixture
def compiled_before(monkeypatch):
    """Compiling all kernels anew is left to the night; what they are made of was counted when they were compiled."""
    before = _compiling.Compiling(1.0, 2.0, 0.1, 0.2, kernels.vector_counts())
    monkeypatch.setattr(_compiling, "measure_compiling", lambda: before)


@pytest.mark.nightly
def test_compiling_all_kernels():
    times = _compiling.measure_compiling()
    assert 0.0 < times.warm < times.warm_process, "a part of the whole"
    assert times.cold > 0.0 and times.cold_processor > 0.0
    assert times.counts == kernels.vector_counts()


@pytest.mark.slow
def test_a_quick_run_returns_every_figure(tmp_path, capsys, compiled_before):
    figures = engine.main(json=True, quick=True, out=tmp_path)
    expected = {f"{name}_{end}" for name in RATIOS for end in ("vs_pinocchio", "us", "pinocchio_us")}
    expected |= {f"{name}_unstored_vs_pinocchio" for name in MATRICES} | set(OTHERS)
    assert expected <= figures.keys()
    assert all(math.isfinite(value) for value in figures.values())
    assert all(figures[f"{name}_vs_pinocchio"] > 0 for name in RATIOS)
    assert figures["max_difference"] < engine.TOLERANCE
    assert (tmp_path / "engine_scaling.png").stat().st_size > 10_000
    assert capsys.readouterr().out == "", "with json the caller prints"


def test_the_best_turn_counts():
    times = iter([0.0, 1.0, 1.0, 6.0, 6.0, 8.0, 8.0, 11.0])  # warming up, then turns of 5, 2 and 3
    best = _timing.best_of({"task": lambda: None}, rounds=3, clock=lambda: next(times), least=0.5)
    assert best == {"task": 2.0}


def test_the_slope_of_a_power_law():
    assert _timing.slope([1.0, 2.0, 4.0], [3.0, 12.0, 48.0]) == pytest.approx(2.0)
