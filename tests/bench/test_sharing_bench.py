"""The benchmark of force sharing runs, returns what programs rely on, and all solvers find the same."""

import math

import pytest

pytest.importorskip("daqp", reason="the benchmark needs its peers")
pytest.importorskip("clarabel", reason="the benchmark needs its peers")


@pytest.mark.slow
def test_a_quick_run_returns_every_figure(capsys):
    from bench import sharing

    figures = sharing.main(json=True, quick=True)
    pairs = [(2, "daqp"), (2, "clarabel"), (3, "clarabel")]
    wanted = {"power2_us", "power3_us"}
    for power, name in pairs:
        wanted |= {f"power{power}_{name}_{end}" for end in ("us", "difference", "lost")} | {
            f"power{power}_vs_{name}"
        }
        quotient = figures[f"power{power}_{name}_us"] / figures[f"power{power}_us"]
        assert figures[f"power{power}_vs_{name}"] == pytest.approx(quotient)
    assert figures.keys() == wanted
    assert all(math.isfinite(value) and value >= 0.0 for value in figures.values())
    assert figures["power2_daqp_lost"] == figures["power2_clarabel_lost"] == 0
    assert figures["power2_daqp_difference"] < 1e-12
    assert figures["power2_clarabel_difference"] < 1e-6  # its tolerance is of gap and residuals
    assert (
        figures["power3_clarabel_difference"] < 1e-4
    )  # where its power cones leave it: a cube is flat at zero
    assert capsys.readouterr().out == "", "with json the caller prints"
