"""Tables of the load cell."""

import numpy as np
import pytest
from tests.dynamics.blade_trials import pushes, runner, stance

from softstride.cli.load_cell_table import (
    blade_fit_figures,
    blade_force_figures,
    print_blade_fit,
    print_blade_force,
)
from softstride.dynamics.blade.fit import identify_blade
from softstride.dynamics.blade.load_cell import blade_force


def test_force_and_stiffness_are_told(capsys):
    model = runner()
    motion, recording = stance(model, pushes(6, peak=1000.0))
    found = blade_force(model, motion, point=recording.forces[0].point, unknown="wrench")
    figures = blade_force_figures(found)
    size = np.linalg.norm(recording.forces[0].force, axis=1)
    assert figures["force_peak_n"] == pytest.approx(size.max())
    assert figures["force_at_peak_n"] == pytest.approx(recording.forces[0].force[size.argmax()].tolist())
    assert figures["frames_not_seen_in_all_directions"] == 0
    print_blade_force(found)
    told = capsys.readouterr().out
    assert "moment_x" in told and "force_y" in told and "100%" in told
    fit = identify_blade(model, motion, recording, scales="moduli")
    assert blade_fit_figures(fit)["scales"] == pytest.approx({"bending": 1.0, "torsion": 1.0})
    print_blade_fit(fit)
    told = capsys.readouterr().out
    assert "bending" in told and "1.0000" in told and "6 frames of 1 trials" in told
