"""The benchmark of segments runs, and returns what programs rely on."""

import math

import pytest

from bench import segments


@pytest.mark.slow
def test_a_quick_run_returns_every_figure(capsys):
    figures = segments.main(json=True, quick=True)
    names = ("nonorthonormal", "euler", "homogeneous", "quaternion", "multipliers", "sampled", "engine")
    wanted = {f"{name}_{n}_us" for name in names for n in segments.SIZES[:2]}
    wanted |= {f"{name}_growth" for name in names} | {"cost_flat", "methods_apart", "engine_apart"}
    wanted |= {
        f"{name}_over_closed" for name in ("euler", "homogeneous", "quaternion", "multipliers", "engine")
    }
    assert figures.keys() == wanted
    assert all(math.isfinite(value) and value >= 0.0 for value in figures.values())
    assert figures["methods_apart"] < 1e-12 and figures["engine_apart"] < 1e-11
    assert capsys.readouterr().out == "", "with json the caller prints"
