"""The digital athlete's tables: every figure is there, and one cause costs less than all."""

import pytest

from bench import athlete


@pytest.mark.slow
def test_a_quick_run_returns_every_figure():
    figures = athlete.main(json=True, quick=True)
    for axis in "xyz":
        assert 0.0 < figures[f"running_contact_{axis}"] < figures[f"running_noise_and_soft_tissue_{axis}"]
        assert figures[f"running_rrmse_{axis}"] == figures[f"running_noise_and_soft_tissue_{axis}"]
    assert abs(figures["running_blade_peak"]) < 5.0
