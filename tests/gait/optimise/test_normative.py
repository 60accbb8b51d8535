"""The step fitted to norms of natural walking: packaged, and found again."""

from pathlib import Path

import numpy as np
import pytest
from tests.gait.optimise.needs import needs_casadi

from softstride.errors import CaptureError, InputError
from softstride.gait import SevenSegment, load_recipe
from softstride.gait.optimise import GaitNorms, NormComparison, compare_with_norms, fit_normative
from softstride.gait.optimise.norms import COLUMNS

STEP_TIME = 0.555  # [s], half of a stride of 1.11 s
ANGLES = np.radians(5.0)  # [rad], rms
VERTICAL = 10.0  # [%], rRMSE


@pytest.fixture(scope="session")
def norms(shared_data: Path) -> GaitNorms:
    return GaitNorms.read(shared_data / "planar_gait" / "winter_normative" / "winter_natural.csv")


def near(comparison: NormComparison) -> bool:
    return max(comparison.angle_rms.values()) < ANGLES and comparison.vertical_rrmse < VERTICAL


def test_the_packaged_step_is_near_the_norms(norms: GaitNorms) -> None:
    walk = SevenSegment().simulate("natural")
    assert walk.completed and walk.steps[0].duration == pytest.approx(STEP_TIME, abs=1e-4)
    comparison = compare_with_norms(walk, norms)
    assert near(comparison)
    # as the head of its file says
    assert np.degrees(max(comparison.angle_rms.values())) == pytest.approx(4.2, abs=0.05)
    assert comparison.vertical_rrmse == pytest.approx(5.8, abs=0.05)
    # other recipes are not
    assert not near(compare_with_norms(SevenSegment().simulate("B"), norms))


def test_the_packaged_step_repeats() -> None:
    recipe = load_recipe("natural")
    walk = SevenSegment().simulate(recipe, steps=2)
    strike = next(each for each in walk.transitions if each.name == "left_heel_strike")
    np.testing.assert_allclose(strike.theta[::-1], recipe.theta0, atol=1e-4)
    np.testing.assert_allclose(strike.omega_after[::-1], recipe.omega0, atol=1e-3)
    assert walk.steps[0].toe_impulse[1] > -1e-4
    assert walk.steps[0].heel_impulse[1] > 0.1


@pytest.mark.slow
@needs_casadi
def test_the_step_is_found_again(norms: GaitNorms) -> None:
    fit = fit_normative(norms, step_time=STEP_TIME)
    assert fit.found.converged and fit.found.replay_error < 1e-4
    assert near(fit.comparison)
    assert fit.found.length == pytest.approx(load_recipe("natural").separation + 0.28, abs=0.05)


def synthetic() -> GaitNorms:
    """Norms that recipe B's walk would be drawn from."""
    walk = SevenSegment().simulate("B")
    percent = np.linspace(0.0, 100.0, 51)
    s = walk.time / walk.time[-1] * 50.0
    angles = walk.joint_angles

    def stride(right: int, left: int) -> np.ndarray:
        first, second = (
            np.interp(percent - shift, s, angles[:, k]) for shift, k in ((0.0, right), (50.0, left))
        )
        return np.where(percent <= 50.0, first, second)

    def force(axis: int) -> np.ndarray:
        first, second = (
            np.interp(percent - 50.0 * k, s, walk.ground_force[:, k, axis]) / walk.body.mass for k in (0, 1)
        )
        return np.where(percent <= 50.0, first, second)

    return GaitNorms(percent, stride(0, 5), -stride(1, 4), stride(2, 3), force(1), force(0))


def test_a_walk_is_near_its_own_norms() -> None:
    own, walk = synthetic(), SevenSegment().simulate("B")
    same = compare_with_norms(walk, own)
    # norms jump from one leg to the other at 50 %, and a spline through a jump swings
    assert max(same.angle_rms.values()) < np.radians(0.5)
    assert same.vertical_rrmse < 0.1 and same.forward_rrmse < 0.1
    shifted = GaitNorms(own.percent, own.ankle, own.knee + 0.1, own.hip, own.vertical + 1.0, own.forward)
    other = compare_with_norms(walk, shifted)
    assert other.angle_rms["right_knee"] == pytest.approx(0.1, abs=0.01)
    assert other.angle_rms["right_ankle"] == pytest.approx(same.angle_rms["right_ankle"])
    span = np.ptp(own.vertical[own.percent <= 62.0])
    assert other.vertical_rrmse == pytest.approx(100.0 / span, rel=1e-2)


def test_a_fall_is_not_compared() -> None:
    walk = SevenSegment().simulate("B", perturb="right_knee=-200")
    assert not walk.completed
    with pytest.raises(InputError, match="a whole step"):
        compare_with_norms(walk, synthetic())


def test_norms_must_be_whole(tmp_path: Path) -> None:
    with pytest.raises(CaptureError, match="cannot be read: No such file"):
        GaitNorms.read(tmp_path / "none.csv")
    file = tmp_path / "norms.csv"
    file.write_text("pct_stride,ankle_angle_deg_mean\n0,1\n", encoding="utf-8")
    with pytest.raises(CaptureError, match="no column knee_angle_deg_mean"):
        GaitNorms.read(file)
    rows = [",".join(COLUMNS.values())] + [",".join(["x" if k == 3 else str(10 * k)] * 6) for k in range(11)]
    file.write_text("\n".join(rows), encoding="utf-8")
    with pytest.raises(CaptureError, match="no number"):
        GaitNorms.read(file)
    rows[4] = ",".join(["30"] * 6)
    file.write_text("\n".join(rows), encoding="utf-8")
    np.testing.assert_allclose(GaitNorms.read(file).ankle, np.radians(10.0 * np.arange(11)))
    with pytest.raises(InputError, match="from 0 to 100"):
        GaitNorms(*[np.linspace(0.0, 90.0, 11)] * 6)


def test_a_time_is_needed() -> None:
    with pytest.raises(InputError, match="step_time"):
        fit_normative(synthetic(), step_time=0.0)
