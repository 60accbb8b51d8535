"""The checks that ship with the package pass here; each is an answer known from elsewhere."""

from dataclasses import replace

import numpy as np
import pytest
from tests.models import the_model

from softstride.selfcheck import CHECKS, kinematics, run_checks


@pytest.mark.parametrize("name", CHECKS)
def test_check_passes(name: str) -> None:
    (result,) = run_checks([name])
    assert result.ok, f"{result.what}: {result.value} instead of {result.reference} ± {result.tolerance}"


def test_a_room_has_its_checks() -> None:
    assert {"kinematics.round_trip", "kinematics.variance"} <= {c.name for c in run_checks(["kinematics"])}


def test_the_motion_of_the_check_of_kinematics_stays_inside_its_limits() -> None:
    """So that the round trip shows the solver and not the limits."""
    model = the_model("gait")
    q = kinematics.moving(model, 60)
    assert np.ptp(q, axis=0).min() > 1e-3
    for i, coordinate in enumerate(model.coordinates.values()):
        assert not coordinate.clamped or (
            q[:, i].min() >= coordinate.lower and q[:, i].max() <= coordinate.upper
        )


def test_a_solver_that_is_off_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    right = kinematics.solve_ik

    def off(model, recording):  # type: ignore[no-untyped-def]
        motion = right(model, recording)
        return replace(motion, q=motion.q + 1e-6)

    monkeypatch.setattr(kinematics, "solve_ik", off)
    (result,) = run_checks(["kinematics.round_trip"])
    assert not result.ok
