"""The paper's step: recipes A and B, their perturbations, and how much hangs on the last digits."""

from dataclasses import replace

import numpy as np
import pytest

from softstride.gait import Limits, MomentHistory, SevenSegment, evaluate_states, load_recipe
from softstride.gait.maps import foot_flat
from softstride.notes import codes

EARLY = 1e-4  # [s], events before heel strike
STRIKE = 1e-3  # [s]
NAMES = ("left_toe_off", "right_foot_flat", "right_heel_off", "left_heel_strike")

# recipe, change of the left ankle moment in phase 1 [%]; instants [s]; step [m]; printed digits of the early events
TABLE = [
    ("A", 0, (0.044000, 0.071500, 0.313500, 0.549985), 0.7000),
    ("A", 20, (0.044800, 0.075500, 0.306000, 0.449999), 0.6530),
    ("B", 0, (0.044000, 0.071500, 0.313500, 0.550042), 0.6700),
    ("B", 20, (0.044800, 0.074500, 0.306000, 0.450003), 0.5855),
    ("A", 10, (0.04444, 0.07340, 0.31061, 0.46567), 0.6651),
    ("B", 10, (0.04444, 0.07296, 0.31107, 0.45063), 0.5653),
    ("A", -10, (0.04345, 0.06978, 0.31362, 0.50117), 0.6779),
    ("B", -10, (0.04344, 0.07011, 0.31058, 0.48271), 0.5948),
]
SAMPLES = """
A 0.02 1 0.22152378 1.8282862 1.8502679 1.4489269 1.4354098 0.86491482 -0.58752918 -4.389888 -1.470575 -0.8849418 -0.1330395 2.978831 -3.419633 -7.594692
A 0.06 2 0.04665276 1.7422155 1.8436451 1.4458222 1.5633757 0.75563048 -0.96190722 -4.18102 -2.814659 0.4806914 -0.03387137 3.206943 -2.200478 -11.11772
A 0.20 3 0 1.436706 1.7722054 1.4661491 1.8381897 0.76056062 -0.98899888 0 -1.250145 -1.546038 0.05144839 2.335242 2.695145 1.447561
A 0.40 4 -0.038623983 1.2246233 1.4101413 1.4702919 2.1674089 1.5566577 0.062274706 -1.164513 -1.900902 -0.6258659 -0.1730209 -1.615796 6.016738 5.109366
B 0.02 1 0.28025046 1.8512114 1.8725264 1.4405615 1.5832406 0.84729997 -0.56511007 -5.128755 -0.8233552 -0.8022448 0.1670428 2.566833 -2.92992 -6.906165
B 0.10 3 0 1.7206049 1.8234038 1.4727538 1.7467781 0.70986007 -1.2111833 0 -2.906185 -0.05385409 0.3237309 1.215078 -0.8929342 -2.490321
B 0.40 4 -0.034357462 1.2611367 1.4427236 1.4824407 2.1179688 1.4945821 0.079470118 -1.105154 -2.041379 -0.2222886 -0.284297 -1.361965 5.6477 5.90334
"""  # noqa: E501
LENIENT = SevenSegment(
    limits=Limits(knee_extension=3.0)
)  # the table counts heel strikes of collapsing walkers too


def walk(name, percent=0, **options):
    change = f"left_ankle:1={percent:+g}%" if percent else ()
    return SevenSegment().simulate(name, perturb=change, **options)


def strike(recipe):
    return LENIENT.simulate(recipe).event_times["left_heel_strike"]


@pytest.mark.parametrize(("name", "percent", "instants", "length"), TABLE)
def test_events_and_lengths(name, percent, instants, length):
    found = walk(name, percent)
    times = [found.event_times[event] for event in NAMES]
    np.testing.assert_allclose(times[:3], instants[:3], atol=EARLY, rtol=0)
    assert times[3] == pytest.approx(instants[3], abs=STRIKE)
    assert found.steps[0].length == pytest.approx(length, abs=1e-3)
    assert found.completed and found.reason == ""


def test_events_of_the_paper_as_shares_of_the_step():
    """8, 13, 57 and 100 % of 0.55 s, both recipes; +20 % of push-off: heel strike at 0.45 s."""
    for name in ("A", "B"):
        found = walk(name)
        shares = np.array([found.event_times[event] for event in NAMES]) / 0.55
        np.testing.assert_allclose(shares, (0.08, 0.13, 0.57, 1.0), atol=2e-4)
        assert walk(name, 20).steps[0].duration == pytest.approx(0.45, abs=STRIKE)
        assert walk(name, 20).steps[0].length < found.steps[0].length - 0.02


@pytest.mark.parametrize("line", SAMPLES.strip().splitlines(), ids=lambda line: line[:6])
def test_samples_on_the_way(line):
    name, instant, phase, *values = line.split()
    found = walk(name, times=[float(instant)])
    expected = np.array([float(x) for x in values])
    assert found.phase[0] == int(phase)
    # the print has eight digits, and a last digit of the recipe has grown by e^(25 t) on the way
    tolerance = 1e-6 * np.exp(25.0 * float(instant))
    np.testing.assert_allclose(np.r_[found.theta[0], found.omega[0]], expected, atol=tolerance, rtol=2e-7)


@pytest.mark.parametrize(
    ("name", "percent", "expected"), [("A", -1, 0.568), ("A", -5, 0.524), ("B", -1, 0.556), ("B", -5, 0.508)]
)
def test_less_push_off_ends_on_a_foot_that_has_turned_over(name, percent, expected):
    """Less push-off is no mirror of more: the right sole turns beyond -110 degrees, as no foot can."""
    found = walk(name, percent)
    assert found.steps[0].duration == pytest.approx(expected, abs=STRIKE)
    assert found.angle("right_foot").min() < np.radians(-110.0)
    assert "feet.pulled-down" in codes(found.notes)


def test_nominal_steps_are_possible_walking():
    """Clearance, pressure under the flat foot, forces and knees of the nominal runs, as they were measured."""
    for name, heel in (("A", -1.7e-3), ("B", 1.8e-3)):
        found = walk(name, rate=5000.0)
        single, flat = found.phase > 1, found.phase == 3
        assert found.point("left_toe")[single, 1].min() >= 1.4e-3 - 5e-5
        assert found.point("left_heel")[single & (found.time < 0.5195), 1].min() >= 6.9e-3 - 5e-5
        assert found.ground_point[flat, 0].min() == pytest.approx(heel, abs=2e-4)
        assert found.ground_point[flat, 0].max() == pytest.approx(0.280, abs=1e-3)
        upward = found.ground_force[single, 0, 1]
        assert upward.min() > 378.0 and upward.max() < 971.0
        assert np.abs(found.ground_force[single, 0, 0] / upward).max() <= 0.46
        flexion = -found.joint_angles[:, [1, 4]]
        assert flexion.min() > 0.0195 and flexion.max() < 1.115
        assert found.notes == ()
        upper = {"A": (0.0283, 0.241), "B": (0.0228, 0.13)}[name]
        recipe = load_recipe(name)
        assert np.abs(found.theta[-1, ::-1] - recipe.theta0).max() <= upper[0]
        assert np.abs(found.omega[-1, ::-1] - recipe.omega0).max() <= upper[1]


def test_more_push_off_keeps_the_stance_leg_up():
    for name in ("A", "B"):
        for percent in (10, 20):
            assert walk(name, percent).point("right_hip")[:, 1].min() >= 0.91


def test_hips_stay_within_millimetres():
    """LTO moves trunk and left leg by the gap that the spring has let open: 1 to 2 mm, up to 35 mm/s."""
    for name in ("A", "B"):
        found = walk(name, rate=5000.0)
        assert 1e-3 < found.certificate.hip_gap < 2e-3
        off = found.transitions[0]
        state = evaluate_states(
            SevenSegment().walker, 1, off.theta, off.omega, separation=load_recipe(name).separation
        )
        assert np.linalg.norm(state.gap_rate[0]) < 0.036


def test_kinetic_energy_at_foot_flat():
    """Recipe A: 108.4 J before; 58.3 J if only the foot stops, 104.7 J after a plastic impact of the sole."""
    model = SevenSegment()
    flat = model.simulate("A").transitions[1]
    before = evaluate_states(model.walker, 2, flat.theta, flat.omega).kinetic[0]
    assert before == pytest.approx(108.4, abs=0.05)
    for mode, energy in (("keep", 58.3), ("impulse", 104.7)):
        theta, omega = foot_flat(model.walker, flat.theta, flat.omega, mode)
        assert evaluate_states(model.walker, 3, theta, omega).kinetic[0] == pytest.approx(energy, abs=0.05)


@pytest.mark.parametrize(
    ("name", "instants"), [("A", (0.0715, 0.0745, 0.0792)), ("B", (0.0715, 0.0729, 0.0746))]
)
def test_more_dorsiflexion_delays_foot_flat(name, instants):
    """What the paper calls obvious: +1 and +2 N m at the right ankle in phases 1 and 2."""
    for added, expected in zip((0, 1, 2), instants, strict=True):
        found = SevenSegment().simulate(name, perturb=f"right_ankle:1-2=+{added}")
        assert found.event_times["right_foot_flat"] == pytest.approx(expected, abs=6e-5)


def test_more_push_off_loads_the_floor_more():
    """The other: upward force on the left toe at the start, left ankle moment +10 and +20 %."""
    forces = [walk("A", percent, times=[0.0]).ground_force[0, 1, 1] for percent in (0, 10, 20)]
    np.testing.assert_allclose(forces, (401.9, 447.1, 492.4), atol=0.06)


@pytest.mark.parametrize(
    ("name", "moments", "state"),
    [("A", (0.5502, 0.563, 0.465), (0.5511, 0.5511)), ("B", (0.5458, 0.678, 0.466), (0.5454, 0.516))],
)
def test_rounding_the_recipe_changes_the_step(name, moments, state):
    """Open loop the stance leg is an unstable column: moments of 4, 3, 2 decimals, a start of 7 and 6."""
    recipe = load_recipe(name)
    for decimals, expected in zip((4, 3, 2), moments, strict=True):
        rounded = replace(recipe, moments=recipe.moments.rounded(decimals))
        assert strike(rounded) == pytest.approx(expected, abs=STRIKE)
    for decimals, expected in zip((7, 6), state, strict=True):
        rounded = replace(
            recipe, theta0=np.round(recipe.theta0, decimals), omega0=np.round(recipe.omega0, decimals)
        )
        assert strike(rounded) == pytest.approx(expected, abs=STRIKE)


@pytest.mark.parametrize(("name", "slope"), [("A", 95.0), ("B", 121.0)])
def test_sensitivity_to_the_first_moments(name, slope):
    """Heel strike moves by about 100 s for each N m of a moment at the first node; the worst is the right knee."""
    recipe, small, slopes = load_recipe(name), 1e-6, []
    for joint in range(6):
        instants = []
        for sign in (-1.0, 1.0):
            values = recipe.moments.values.copy()
            values[0, joint] += sign * small
            instants.append(strike(replace(recipe, moments=MomentHistory(recipe.moments.time, values))))
        slopes.append(abs(instants[1] - instants[0]) / (2.0 * small))
    assert max(slopes) == pytest.approx(slope, rel=0.01)
    assert int(np.argmax(slopes)) == 1


def test_the_stance_leg_is_an_unstable_column():
    """Growth rates of the motion frozen in time: 15 to 33 1/s through phases 3 and 4."""
    model = SevenSegment()
    for name in ("A", "B"):
        found = walk(name, times=np.arange(0.1, 0.54, 0.05))
        rates = []
        for k in range(found.n_frames):
            phase = int(found.phase[k])
            y = np.r_[found.theta[k], found.omega[k]]
            states = y + 1e-6 * np.concatenate([np.eye(14), -np.eye(14)])
            alpha = evaluate_states(model.walker, phase, states[:, :7], states[:, 7:], found.moments[k]).alpha
            slope = (alpha[:14] - alpha[14:]).T / 2e-6
            jacobian = np.block([[np.zeros((7, 7)), np.eye(7)], [slope]])
            free = [i for i in range(14) if phase != 3 or i not in (0, 7)]
            rates.append(np.linalg.eigvals(jacobian[np.ix_(free, free)]).real.max())
        assert min(rates) > 15.0 and max(rates) < 33.0


@pytest.mark.parametrize(("step", "expected"), [(1e-3, 0.397), (1e-4, 0.454), (1e-5, 0.497)])
def test_euler_of_1980_is_far_from_converged(step, expected):
    """Recipe A with explicit Euler: heel strike where the adaptive integrator has 0.550 s."""
    found = LENIENT.simulate("A", method="euler", step=step)
    assert found.event_times["left_heel_strike"] == pytest.approx(expected, abs=6e-4)
