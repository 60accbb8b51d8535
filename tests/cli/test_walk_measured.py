"""Measured angles beside a walk: whose stride is where, tables of two kinds, and what is no such table."""

from pathlib import Path

import numpy as np
import pytest

from softstride.cli.walk_measured import clinical_angles, compare_measured, read_measured, stride_percent
from softstride.errors import CaptureError
from softstride.gait import JOINTS, Impedance, SevenSegment

NATURAL = "planar_gait/winter_normative/winter_natural.csv"


@pytest.fixture(scope="module")
def two_steps():
    """Two steps of recipe B with feedback: half a stride of each leg twice."""
    model = SevenSegment()
    return model.changed(feedback=Impedance.from_walk(model.simulate("B"))).simulate(
        "B", steps=2, rate=2000.0
    )


def table_of(walk, shift: float) -> str:
    """Return the stride of the right leg, which two steps hold in one piece, shifted by so many degrees."""
    percent = np.arange(0.0, 100.5, 0.5)
    columns = {"percent": percent}
    for j, name in enumerate(JOINTS[:3]):
        own = np.interp(percent, stride_percent(walk)[:, 0], clinical_angles(walk)[:, j])
        columns[f"{name}_angle_deg"] = own + shift
    rows = np.stack(list(columns.values()), axis=1)
    return "\n".join([",".join(columns), *(",".join(map(repr, row)) for row in rows.tolist())])


def test_the_leg_that_stands_is_in_the_first_half_of_its_stride(two_steps) -> None:
    percent = stride_percent(two_steps)
    first, second = two_steps.steps
    begin, end = percent[0], percent[-1]
    np.testing.assert_allclose(begin, [0.0, 50.0], atol=1e-9)
    np.testing.assert_allclose(end, [100.0, 50.0], atol=1e-9)
    later = np.searchsorted(two_steps.time, 0.5 * (second.start + second.heel_strike))
    assert percent[later, 0] == pytest.approx(75.0, abs=0.2) and percent[later, 1] == pytest.approx(
        25.0, abs=0.2
    )
    assert first.stance == "right" and second.stance == "left"


def test_a_step_that_was_not_completed_has_no_place_in_the_stride() -> None:
    fell = SevenSegment().simulate("B", perturb="right_knee=-150")
    assert not np.isfinite(stride_percent(fell)).any()


def test_flexion_is_positive(two_steps) -> None:
    angles = clinical_angles(two_steps)
    assert angles[:, JOINTS.index("left_knee")].max() > 55.0, "a swinging knee is bent"
    np.testing.assert_allclose(
        angles[:, JOINTS.index("right_hip")],
        np.degrees(two_steps.angle("right_thigh") - two_steps.angle("hat")),
    )


def test_a_walk_compared_with_itself_and_with_itself_shifted(two_steps, tmp_path: Path) -> None:
    """Rows are 6 ms apart; where an impact changes a rate at once, curves through them miss a little."""
    file = tmp_path / "own.csv"
    for shift in (0.0, 3.0):
        file.write_text(table_of(two_steps, shift))
        found = compare_measured(two_steps, read_measured(file))
        assert set(found) == {f"{name}_rms_deg" for name in JOINTS[:3]}
        for name, rms in found.items():
            assert rms == pytest.approx(shift, abs=0.02), name


@pytest.mark.slow
def test_one_column_serves_both_legs(run, tmp_path: Path) -> None:
    percent = np.arange(0.0, 101.0, 10.0)
    lines = ["pct_stride,knee_angle_deg_mean,knee_angle_deg_sd", *(f"{x},0.0,5.0" for x in percent)]
    (tmp_path / "zero.csv").write_text("\n".join(lines))
    done = run("walk", "--measured", str(tmp_path / "zero.csv"), "--json", "--out", str(tmp_path / "out"))
    walk = SevenSegment().simulate("B")
    for name in ("right_knee", "left_knee"):
        flexion = clinical_angles(walk)[:, JOINTS.index(name)]
        assert done.figures[f"{name}_rms_deg"] == pytest.approx(np.sqrt(np.mean(flexion**2)), rel=1e-9)
    assert "right_hip_rms_deg" not in done.figures and done.figures["measured"] == "zero.csv"


def test_the_cycles_of_softstride_segments(tmp_path: Path, two_steps) -> None:
    lines = ["side,curve,unit,percent,mean,sd,cycles"]
    for side, flexion in (("right", 20.0), ("left", 30.0)):
        for percent in range(0, 101, 5):
            lines.append(f"{side},knee extension angle,degrees,{percent},{-flexion},2.0,3")
            lines.append(f"{side},knee extension moment,N·m/kg,{percent},0.1,0.1,3")
    (tmp_path / "cycles.csv").write_text("\n".join(lines))
    measured = read_measured(tmp_path / "cycles.csv")
    assert set(measured.angles) == {"right_knee", "left_knee"}
    assert set(measured.angles["left_knee"]) == {30.0} and set(measured.bands["right_knee"]) == {2.0}
    found = compare_measured(two_steps, measured)
    right = clinical_angles(two_steps)[:, JOINTS.index("right_knee")]
    assert found["right_knee_rms_deg"] == pytest.approx(np.sqrt(np.mean((right - 20.0) ** 2)), rel=1e-6)


@pytest.mark.slow
def test_a_person_who_was_measured(run, shared_data: Path, tmp_path: Path) -> None:
    """What `softstride segments` writes of a walk is taken as it is: six joints that bend as people's do."""
    trial = shared_data / "c3d_emg_pig" / "HC030A05.c3d"
    assert run("segments", str(trial), "--no-pictures", "--out", str(tmp_path)).exit_code == 0
    measured = read_measured(tmp_path / "cycles.csv")
    assert set(measured.angles) == set(JOINTS)
    assert all(40.0 < np.nanmax(measured.angles[f"{side}_knee"]) < 80.0 for side in ("right", "left"))
    assert not measured.bands, "one cycle has no band"
    request = ("walk", "--recipe", "natural", "--measured", str(tmp_path / "cycles.csv"))
    figures = run(*request, "--json", "--out", str(tmp_path / "out")).figures
    assert all(figures[f"{name}_rms_deg"] < 20.0 for name in JOINTS)


def test_natural_walking_against_its_norms(run, shared_data: Path) -> None:
    figures = run("walk", "--recipe", "natural", "--measured", str(shared_data / NATURAL), "--json").figures
    assert all(figures[f"{name}_rms_deg"] < 5.0 for name in JOINTS)
    assert figures["vertical_force_rrmse_percent"] < 10.0


@pytest.mark.slow
def test_both_walks_against_norms(run, shared_data: Path, tmp_path: Path) -> None:
    request = ("walk", "--perturb", "left_ankle:1=+20%", "--measured", str(shared_data / NATURAL))
    done = run(*request, "--out", str(tmp_path / "out"))
    assert "rms against winter_natural.csv as it is changed unit" in done.words
    figures = run(*request, "--json").figures
    assert figures["right_knee_rms_deg"] != figures["baseline_right_knee_rms_deg"]


def test_a_fall_before_the_first_heel_strike_has_nothing_to_compare(run, shared_data: Path) -> None:
    done = run("walk", "--perturb", "right_knee=-150", "--measured", str(shared_data / NATURAL), "--json")
    assert done.exit_code == 0
    assert "right_knee_rms_deg" not in done.figures and "baseline_right_knee_rms_deg" in done.figures


GOOD = ["percent,knee_angle_deg", *(f"{x},{y}" for x, y in zip(range(0, 101, 10), [20.0] * 11, strict=True))]


@pytest.mark.parametrize(
    ("lines", "words"),
    [
        (["time,knee_angle_deg", *GOOD[1:]], "none is called pct_stride or percent"),
        (["percent,elbow_angle_deg", *GOOD[1:]], "no angle of hip, knee or ankle is there"),
        (GOOD[:5], "does not increase from 0 to 100"),
        ([GOOD[0], *GOOD[:0:-1]], "does not increase from 0 to 100"),
        ([GOOD[0], *(line.replace(",", ",-") for line in GOOD[1:])], "counts flexion negative"),
        (["side,curve,percent,mean", "right,knee extension angle,0,1"], "there is no sd"),
        ([GOOD[0], *(f"{x}," for x in range(0, 91, 10)), "100,3"], "fewer than 8 numbers"),
    ],
)
def test_tables_that_are_refused(lines, words, tmp_path: Path) -> None:
    file = tmp_path / "bad.csv"
    file.write_text("\n".join(lines))
    with pytest.raises(CaptureError, match=words) as told:
        read_measured(file)
    assert "bad.csv" in str(told.value)


def test_a_good_table_is_taken(tmp_path: Path) -> None:
    (tmp_path / "good.csv").write_text("\n".join(GOOD))
    assert set(read_measured(tmp_path / "good.csv").angles) == {"right_knee", "left_knee"}
