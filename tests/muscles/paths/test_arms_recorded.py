"""Moment arms equal central differences of length: every frame of every recorded motion, every muscle and coordinate.

A whole trial is moved by a step of one coordinate, so that each path keeps the side that it chose along the trial.
Where nothing was recorded of a model, random poses stand in its place. With -s the largest difference of each is
printed.
"""

import numpy as np
import pytest
from tests.models import the_model
from tests.muscles.paths import recorded, scenes

import softstride as ss

STEP = 1e-6  # [rad] or [m]; short, since a point of gait2354 moves by a spline with knots 2e-4 rad apart
NEAR = 1e-8  # [m]; at most 1e-9 was found, rounding of a length over twice the step
POSES = 200  # where there is no motion


@pytest.mark.slow
@pytest.mark.parametrize(("file", "motion"), recorded.MOTIONS, ids=recorded.NAMES)
def test_arms_are_derivatives_of_length(shared_data, file, motion):
    model = the_model(shared_data / file)
    if motion is None:
        q = scenes.poses_in_range(model, POSES, seed=1)
        by_differences, arms, _ = scenes.arms_by_differences(model, q, STEP)
    else:
        q = recorded.read(shared_data, model, motion).q
        arms = ss.muscle_paths(model, q).arms
        by_differences = np.stack([-slope(model, q, j) for j in range(model.nv)], axis=2)
    off = np.abs(by_differences - arms)
    frame, muscle, coordinate = np.unravel_index(off.argmax(), off.shape)
    print(
        f"\n{motion or file}: {off.size} arms in {len(q)} poses, off by at most {off.max():.1e} m "
        f"({list(model.muscles)[muscle]}, {model.coordinate_names[coordinate]}, frame {frame})"
    )
    assert off.max() < NEAR
    assert np.abs(arms).max() > 0.01, "there is something to compare"


def slope(model, q, j):
    """Return dL/dq of one coordinate by central differences over a whole trial, (n, m)."""
    step = np.zeros(model.nv)
    step[j] = STEP
    ahead, behind = (
        ss.muscle_paths(model, ss.integrate(model, q, sign * np.tile(step, (len(q), 1)), 1.0)).length
        for sign in (1.0, -1.0)
    )
    return (ahead - behind) / (2.0 * STEP)
