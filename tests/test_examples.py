"""Every example runs, prints, and finds the numbers that its docstring promises."""

import importlib.util
import re
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest
from matplotlib.figure import Figure
from scipy.optimize import brentq
from scipy.special import ellipe, ellipeinc, ellipk, ellipkinc

EXAMPLES = Path(__file__).resolve().parents[1] / "examples"
FILES = sorted(EXAMPLES.glob("*.py"))
G = 9.80665  # [m/s²]

# 06: the half sine under a foot [N]; a corner of it costs the mean by trapezoids of step h at most h² F₀ π/(12 D T)
WALK_PEAK = np.pi * 70.0 * G / (4.0 * 0.62)
WALK_CORNER = WALK_PEAK * np.pi / (12.0 * 0.682 * 1.1)  # [N/s²]

# 07: what is left of a shank, a frustum whose centre of mass is at 0.4395 of its length [kg]
SHANK, SHARE = 0.0433 * 78.0, 0.16 / (1.05 * 1.70 * 0.24463)
TAPER = np.roots([4.0 * 0.4395 - 3.0, 4.0 * 0.4395 - 2.0, 4.0 * 0.4395 - 1.0]).max()
NARROW = 1.0 + (TAPER - 1.0) * SHARE
STUMP = SHANK * SHARE * (1.0 + NARROW + NARROW**2) / (1.0 + TAPER + TAPER**2)
MARKER_NOISE = 1.25 * 0.002 / np.sqrt(300.0)  # of the medians of a marker [m]
STUMP_NOISE = STUMP * 3.0 * np.sqrt(2.0) * MARKER_NOISE / (1.05 * 1.70 * 0.24463)  # [kg]

# 12: the moment of forearm and ball about the elbow [N·m], and the lever of the muscle [m]
BALL, ARM = 1.6 * G * 0.15 + 3.0 * G * 0.32, 0.05 * 0.25 / np.hypot(0.25, 0.05)

# Tolerances. Rounding: sums of some hundred terms of size 1e2 to 1e3 leave 1e-12; a hundred times that is allowed.
ROUNDING = 1e-10

EXPECTED: dict[str, dict[str, tuple[float, float]]] = {  # file: number: (closed form, tolerance)
    "01_double_pendulum": {
        "held_hip_moment_Nm": (4.0 * G, ROUNDING),
        "largest_error_Nm": (0.0, ROUNDING),
    },
    "02_cantilever_blade": {
        # six digits are stated; the limit of 16 and 32 segments has order 4 and misses by about 1e-7
        "x_over_L": (0.839358, 1e-6),
        "y_over_L": (0.493457, 1e-6),
        "error_of_16_segments": (4.0e-4, 0.05e-4),  # the table in docs/theory/rods.md has two digits
        "order": (2.0, 0.02),  # 1/n² times 1 + O(1/n²), n = 16; the reference has six digits
    },
    "03_athlete_trial": {
        "imbalance": (0.0, ROUNDING),
        "mean_support_N": (70.86032 * G, 1e-8),  # forces of 1e3 N, summed over 148 coordinates, 2000 frames
    },
    "04_patella": {
        "gap_m_per_rad": (0.0, 1e-10),  # steps h = 1e-5: eps/h = 2e-11, h² f'''/6 = 1e-11
        "knee_arm_mm": (1e3 * (0.262 * 0.039 - 0.015 * 0.010) / np.hypot(0.015, 0.262), ROUNDING),
        "hip_arm_mm": (0.0, ROUNDING),
    },
    "05_four_bar": {
        # each of 50 steps is right to 1e-10
        "period_s": (4.0 * np.sqrt(8.0 * 0.4 / (9.0 * G)) * ellipk(0.5), 1e-8),
        "pin_force_N": (3.25 * G, 1e-7),  # l θ'² = 2 l E / I, I = 0.43 kg·m²: 1e-8 J are 2e-8 N
        "loop_gap_m": (0.0, 1e-12),  # each step ends with a projection
        "energy_drift_J": (0.0, 1e-8),  # of 11.8 J
    },
    "06_one_trial": {
        "peak_force_N": (WALK_PEAK, ROUNDING),  # a sample lies at the peak, and text keeps every bit
        # a chord of 1 ms misses the half sine by 20 N (π h/D)²/8 = 5e-5 N where it climbs by 4e3 N/s
        "stance_s": (0.682 * (1.0 - 2.0 / np.pi * np.arcsin(20.0 / WALK_PEAK)), 1e-7),
        "mean_over_cycle_N": (
            35.0 * G,
            2 * 0.011**2 * WALK_CORNER,
        ),  # steps of 1 % of 1.1 s, two corners a stride
        "body_weight_N": (70.0 * G, 4.01 * 0.001**2 * WALK_CORNER),  # steps of 1 ms, four corners of two feet
        "gap_error_m": (0.0, 5 / 384 * 0.09**4 * (4 * np.pi / 1.1) ** 4 * 0.02),  # of cubic splines: 0.29 mm
        "strikes_apart_s": (0.0, 0.010),  # no better than a frame can be asked of markers
    },
    "07_one_person": {
        # the noise of one marker over the 0.17 m of the pelvis is 9e-4, of which a mean over 22 links keeps a part;
        # in 20 other trials the worst factors were 6e-4 to 1.9e-3 off, the means up to 2.4e-4
        "mean_factor": (1.05, MARKER_NOISE / 0.17),
        "largest_factor_error": (0.0, 4.5 * MARKER_NOISE / 0.17),
        "mass_kg": (78.0, ROUNDING),
        # L of the shank is known to three times the noise of two markers; the stump shrinks by less than 1/L
        "stump_kg": (STUMP, STUMP_NOISE),
        "mass_without_blade_kg": (78.0 * (1.0 - 0.0137) - SHANK + STUMP + 0.9 + 0.15, STUMP_NOISE),
        "imbalance_kg": (0.0, ROUNDING),
        "osim_mass_error_kg": (0.0, ROUNDING),
        "osim_marker_gap_m": (0.0, ROUNDING),  # poses are written as angles, whose sines round
        "native_mass_error_kg": (0.0, 0.0),  # every bit
        "native_marker_gap_m": (0.0, 0.0),
    },
    "08_inverse_kinematics": {
        "clean_error_rad": (0.0, 1e-8),
        # 300 frames of 37 coordinates, of which some fifteen are independent: four deviations of a count
        "within_two_std": (0.9545, 4.0 * np.sqrt(0.9545 * 0.0455 / (300 * 15))),
        "noise_mm": (2.0, 4.0 * 2.0 / np.sqrt(2 * 300 * (3 * 49 - 37))),  # of a standard deviation
        # a knee known to 0.4° in each of 200 frames
        "knee_acceleration_rad_s2": (
            np.radians(25.0) * (2.0 * np.pi) ** 2,
            4.0 * np.radians(0.4) * np.sqrt(2.0 / 200.0) * (2.0 * np.pi) ** 2,
        ),
        "arms_undetermined": (14.0, 0.0),
        "file_error_rad": (0.0, ROUNDING),
    },
    "09_loads": {  # errors: none would be best, the bounds are what is promised
        "clean_forward_percent": (0.0, 5.0),
        "clean_up_percent": (0.0, 4.0),
        "clean_right_percent": (0.0, 10.0),
        "clean_blade_peak_percent": (0.0, 5.0),
        "noisy_forward_percent": (0.0, 15.0),
        "noisy_up_percent": (0.0, 11.0),
        "noisy_right_percent": (0.0, 20.0),
        "beyond_cones_body_weights": (0.0, 1e-8),
    },
    "10_muscles": {  # errors again, except for the last two
        **{f"plain_{name}_percent": (0.0, 15.0) for name in ("bflh_r", "semiten_r", "knee")},
        **{f"with_emg_{name}_percent": (0.0, 6.0) for name in ("bflh_r", "semiten_r")},
        "with_emg_knee_percent": (0.0, 15.0),
        "missing_Nm": (0.0, 1e-8),  # of 300 N·m, by two recursions over 24 links
        "kkt": (0.0, 1e-9),
    },
    "11_knee_valgus": {
        "projection_on_w_Nm": (131.2055751251, 1e-9),  # the last digit that is stated
        "component_along_w_Nm": (184.9931780815, 1e-9),
        "about_orthonormal_z_Nm": (161.9472512076, 1e-9),
        "methods_apart_Nm": (0.0, ROUNDING),
        "energy_gap": (
            0.0,
            1e-5,
        ),  # by differences of step h = 1e-4 s: h² (rate)²/6 with rates of some 200 rad/s
    },
    "12_planar_chain": {
        "tension_N": (BALL / ARM, ROUNDING),
        "elbow_upward_N": (BALL / ARM * 0.25 / np.hypot(0.25, 0.05) - 4.6 * G, ROUNDING),
        # the plate of the file is rounded to 0.1 N, and so is the sum of forces
        "wall_N": (308.2479, 0.1),
        "forms_apart_N": (0.0, ROUNDING),
        "direct_at_last_joint_N": (0.0, 0.0),
        "sum_error": (0.0, 1e-12),
        "energy_error_J": (0.0, 1e-8),  # of 5 J, steps right to 1e-10
    },
    "13_what_if": {
        # a standing leg multiplies: the last digit of a moment of the recipe, 1e-6 N m, moves heel strike by 0.1 ms
        "left_toe_off_s": (0.044, 1e-4),
        "right_foot_flat_s": (0.0715, 1e-4),
        "right_heel_off_s": (0.3135, 1e-4),
        "left_heel_strike_s": (0.55, 1e-3),
        "stronger_heel_strike_s": (0.45, 1e-3),
        "left_of_a_push_s": (0.0, 1e-5),  # 11 ms in the first step, 1 µs in the tenth
        "energy_error_J": (0.0, 1e-8),  # of 80 J, steps right to 1e-10
        "momentum_gap_N": (0.0, 1e-9),  # of 1e3 N, two ways to write the same equations
    },
}


def load(path: Path) -> ModuleType:
    """Import an example by its path; a name that starts with a digit has no import statement."""
    spec = importlib.util.spec_from_file_location(f"example_{path.stem}", path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_every_example_is_covered() -> None:
    assert [path.stem for path in FILES] == sorted(EXPECTED)
    assert [path.stem[:2] for path in FILES] == [f"{i:02d}" for i in range(1, len(FILES) + 1)]


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_numbers(path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    found = load(path).main()
    expected = EXPECTED[path.stem]
    assert found.keys() == expected.keys()
    for name, (value, tolerance) in expected.items():
        assert found[name] == pytest.approx(value, rel=0.0, abs=tolerance), name
    assert capsys.readouterr().out.count("\n") >= 3


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_docstring_promises_the_numbers(path: Path) -> None:
    """What the docstring and the printed lines call closed form is the closed form, and homework ends it."""
    text, module = path.read_text(encoding="utf-8"), load(path)
    assert 25 <= len(text.splitlines()) <= 120
    assert module.__doc__ is not None
    lines = module.__doc__.strip().splitlines()
    assert lines[-1].startswith("Homework: ") and any(line.startswith("Expected: ") for line in lines)
    numbers = {round(float(x), 4) for x in re.findall(r"\d+\.\d+", module.__doc__)}
    for name, (value, _) in EXPECTED[path.stem].items():
        assert value < 0.01 or round(value, 4) in numbers or name == "order", name


def test_the_picture_of_the_eleventh_example(tmp_path: Path) -> None:
    """Both panels are drawn, each curve by two methods that lie on each other, and the file is a picture."""
    module = load(EXAMPLES / "11_knee_valgus.py")
    figures: list[Figure] = []

    class Kept(Figure):
        def __init__(self, *args: object, **kwargs: object) -> None:
            super().__init__(*args, **kwargs)  # type: ignore[arg-type]
            figures.append(self)

    module.Figure = Kept
    module.main(tmp_path / "knee.png")
    assert (tmp_path / "knee.png").read_bytes().startswith(b"\x89PNG")
    (figure,) = figures
    left, right = figure.axes
    assert (len(left.lines), len(right.lines)) == (2 + 1, 6 + 1), (
        "two methods, one and three numbers, a line at zero"
    )
    for axes in (left, right):
        curves = [line for line in axes.lines if line.get_linestyle() != "None" and len(line.get_xdata()) > 2]
        dots = [line for line in axes.lines if line.get_linestyle() == "None"]
        for curve, dot in zip(curves, dots, strict=True):
            assert np.allclose(
                np.interp(dot.get_xdata(), curve.get_xdata(), curve.get_ydata()), dot.get_ydata()
            )
    assert [text.get_text() for text in right.get_legend().get_texts()] == [
        "w, projection", "w, component", "Z of orthonormal axes",
    ]  # fmt: skip


def test_the_stance_leg_of_the_twelfth_example(shared_data: Path) -> None:
    """A recorded step: torques as the published analysis has them, nearly all of the ankle's from the ground."""
    table = shared_data / "planar_gait" / "invdyn2d_reference" / "rawdata.txt"
    found = load(EXAMPLES / "12_planar_chain.py").main(table)
    assert found.keys() > EXPECTED["12_planar_chain"].keys()
    assert found["ankle_Nm_kg"] == pytest.approx(1.79, rel=0.05)  # of the reference, which filters otherwise
    assert found["ground_share"] == pytest.approx(1.0, abs=0.01) and found["stance_sum_error"] < 1e-12


def test_the_elastica_of_the_second_example() -> None:
    """Bisshopp and Drucker: α = √(P L²/EI) = K(k) - F(φ, k), 2 k² = 1 + sin θ, sin φ = 1/(k √2), θ the tip's slope."""
    alpha = np.sqrt(2.0)

    def moduli(slope: float) -> tuple[float, float]:
        m = (1.0 + np.sin(slope)) / 2.0  # k²
        return m, np.arcsin(1.0 / np.sqrt(2.0 * m))

    slope = brentq(lambda s: ellipk(moduli(s)[0]) - ellipkinc(*moduli(s)[::-1]) - alpha, 0.1, 1.5, xtol=1e-14)
    m, phi = moduli(slope)
    exact = np.sqrt(2.0 * np.sin(slope)) / alpha, 1.0 - 2.0 / alpha * (ellipe(m) - ellipeinc(phi, m))
    stated = load(EXAMPLES / "02_cantilever_blade.py").ELASTICA
    assert np.allclose(stated, exact, rtol=0.0, atol=0.5e-6)  # six digits
