"""The blade as a load cell beside the truth: a rod of six segments read where the true one has 24."""

import numpy as np
import pytest
from tests.trials import the_athlete

import softstride as ss

pytestmark = pytest.mark.slow

LOADED = 100.0
"""Vertical force above which the blade stands on the ground [N]."""


@pytest.mark.parametrize(
    ("trial", "dirty", "factor", "share"),
    [
        ("running", False, 0.07, 0.08),
        ("running", True, 0.20, 0.15),
        ("walking", False, 0.07, 0.11),
        ("walking", True, 0.20, 0.19),
    ],
)
def test_stiffness_and_force_of_the_deformation(trial, dirty, factor, share):
    """The stiffness is the truth's to `factor`, the vertical force to `share` of its range; the fit tells its doubt."""
    athlete = the_athlete(trial, noise=dirty, artefact=dirty)
    motion = ss.solve_ik(athlete.model, athlete.recording)
    lowpass = ss.estimate_loads(athlete.model, motion).lowpass
    fit = ss.identify_blade(athlete.model, motion, athlete.recording, lowpass=lowpass)
    cell = ss.blade_force(athlete.model, motion, lowpass=lowpass)
    truth = athlete.truth
    true = np.stack([np.interp(cell.time, truth.time, truth.blade_force[:, i]) for i in range(3)], axis=1)
    stance = true[:, 1] > LOADED
    error = np.sqrt(np.mean((cell.force - true)[stance] ** 2, axis=0))
    print(
        f"{trial}, noise {dirty}: factor {fit.scale[0]:.2f} ± {fit.std[0]:.2f}, rms error {error.round()} N"
    )
    assert abs(fit.scale[0] - 1.0) < factor and fit.std[0] > 10.0 * fit.expected_std[0] / 3.0
    assert any("disagree by more than noise explains" in str(note) for note in fit.notes)
    assert error[1] < share * np.ptp(true[stance, 1])
    assert error[0] < 0.16 * np.ptp(true[stance, 0])
