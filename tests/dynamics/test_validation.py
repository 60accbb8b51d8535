"""Errors of ground reactions against closed forms, and what is compared at all."""

import math
from dataclasses import replace

import numpy as np
import pytest
from tests.models import planar, walker
from tests.trials import pushed, swinging

from softstride.capture import Recording
from softstride.capture.force import ExternalForce
from softstride.dynamics import AppliedWrench, Loads, solve_id
from softstride.dynamics.residual import transmitted
from softstride.dynamics.validation.feet import foot_of, pressure_centre
from softstride.dynamics.validation.validate import validate_loads
from softstride.errors import InputError

RATE, N = 200.0, 400
TIME = np.arange(N) / RATE
ROUNDING = 1e-9
STEPS = {"right": [(0.2, 0.8), (1.2, 1.8)], "left": [(0.7, 1.3)]}  # s
PEAK = np.array([60.0, 700.0, 30.0])  # N


@pytest.fixture(scope="module")
def model():
    return walker("custom")


def bump(start, stop, harmonic=1):
    """Return sin(k pi u) over a step, zero outside."""
    u = (TIME - start) / (stop - start)
    return np.where((u > 0.0) & (u < 1.0), np.sin(harmonic * np.pi * np.clip(u, 0.0, 1.0)), 0.0)


def curve(side):
    """Return the force of a foot, (n, 3): forward both ways, up, to one side."""
    steps = STEPS[side]
    return np.stack(
        [PEAK[i] * sum(bump(*step, harmonic=2 if i == 0 else 1) for step in steps) for i in range(3)], axis=1
    )


def wrench(side, force, point=(0.1, 0.0, 0.05), moment=(0.0, 0.0, 0.0)):
    at = np.tile(np.asarray(point, dtype=float), (N, 1)) if np.ndim(point) == 1 else np.asarray(point)
    about = np.tile(np.asarray(moment, dtype=float), (N, 1)) if np.ndim(moment) == 1 else np.asarray(moment)
    return AppliedWrench(f"foot_{side[0]}", force, at, about)


def loads(model, wrenches, residual=None, base="trunk"):
    residual = np.zeros((N, 6)) if residual is None else residual
    return Loads(model, TIME, np.zeros((N, model.nv)), wrenches=wrenches, residual=residual, base=base)


def both(change=lambda side, f: f, **fields):
    return {f"ground_{side}": wrench(side, change(side, curve(side)), **fields) for side in STEPS}


def frames(start, stop, threshold=20.0):
    """Return the frames of a step, by its closed form."""
    return np.flatnonzero(PEAK[1] * bump(start, stop) > threshold)


def test_nothing_is_wrong_with_the_truth(model):
    truth = loads(model, both())
    checked = validate_loads(truth, truth)
    assert [each.foot for each in checked] == ["right", "left", "right"]
    assert checked.scale == 1.0 and not checked.notes
    for each in checked:
        for name in ("rmse", "rrmse", "floor", "rmse_corrected", "rrmse_corrected"):
            assert np.array_equal(getattr(each, name), np.zeros(3))
        assert np.allclose(each.correlation, 1.0)
        assert each.cop == each.cop_single == each.free_moment == 0.0 and not each.partial
        assert each.peak == each.peak_measured


def test_the_strikes_are_the_contacts(model):
    checked = validate_loads(loads(model, both()), loads(model, both()))
    expected = sorted((*step, side) for side, steps in STEPS.items() for step in steps)
    for each, (start, stop, side) in zip(checked, expected, strict=True):
        rows = frames(start, stop)
        assert (each.foot, each.frames, each.force) == (side, len(rows), f"ground_{side}")
        assert (each.start, each.end) == (TIME[rows[0]], TIME[rows[-1]])


def test_figures_by_hand(model):
    """Equations 38 and 39, term by term, without arrays."""
    rng = np.random.default_rng(0)
    noise = {side: rng.normal(scale=(5.0, 30.0, 4.0), size=(N, 3)) for side in STEPS}
    found = both(lambda side, f: f + noise[side])
    first = validate_loads(loads(model, found), loads(model, both())).strikes[0]
    rows = frames(*STEPS["right"][0])
    for axis in range(3):
        f = [float(x) for x in found["ground_right"].force[rows, axis]]
        g = [float(x) for x in curve("right")[rows, axis]]
        rmse = math.sqrt(sum((a - b) ** 2 for a, b in zip(f, g, strict=True)) / len(f))
        half = 0.5 * (max(f) - min(f) + max(g) - min(g))
        assert first.rmse[axis] == pytest.approx(rmse, rel=1e-12)
        assert first.rrmse[axis] == pytest.approx(100.0 * rmse / half, rel=1e-12)
        assert first.correlation[axis] == pytest.approx(np.corrcoef(f, g)[0, 1], abs=1e-12)


def test_an_offset_is_its_own_error(model):
    offset = np.array([12.0, 0.0, -6.0])
    found = both(lambda side, f: np.where(f[:, 1:2] > 0.0, f + offset, 0.0))
    each = validate_loads(loads(model, found), loads(model, both())).strikes[0]
    rows = frames(*STEPS["right"][0])
    assert np.allclose(each.rmse, np.abs(offset), atol=ROUNDING)
    assert np.allclose(
        each.rrmse, 100.0 * np.abs(offset) / np.ptp(curve("right")[rows], axis=0), atol=ROUNDING
    )
    assert np.allclose(each.correlation, 1.0)


def test_a_wrong_mass_is_corrected(model):
    checked = validate_loads(loads(model, both(lambda side, f: 0.9 * f)), loads(model, both()))
    assert checked.scale == pytest.approx(1.0 / 0.9, rel=1e-12)
    for each in checked:
        assert (each.rrmse > 3.0).all() and np.abs(each.rrmse_corrected).max() < ROUNDING
    given = validate_loads(loads(model, both()), loads(model, both()), mass=2.0 * model.mass)
    assert given.scale == 2.0
    assert given.strikes[0].rmse_corrected == pytest.approx(
        np.sqrt(np.mean(curve("right")[frames(*STEPS["right"][0])] ** 2, axis=0))
    )


def test_the_floor_is_the_residual_over_the_same_range(model):
    rng = np.random.default_rng(1)
    residual = rng.normal(scale=10.0, size=(N, 6))
    measured = loads(model, both(), residual)
    found = both(lambda side, f: np.where(f[:, 1:2] > 0.0, f + residual[:, 3:], 0.0))
    checked = validate_loads(loads(model, found), measured)
    for each in checked:
        assert np.allclose(each.rrmse, each.floor, atol=ROUNDING)  # what a perfect balance gives in each foot
        assert (each.floor > 0.5).all()
    rows = frames(*STEPS["left"][0])
    assert checked.strikes[1].rmse == pytest.approx(np.sqrt(np.mean(residual[rows, 3:] ** 2, axis=0)))


def test_a_floor_that_only_lacks_mass_is_none(model):
    total = curve("right") + curve("left")
    residual = np.hstack([np.zeros((N, 3)), -0.1 * total])
    checked = validate_loads(loads(model, both(lambda side, f: 0.9 * f)), loads(model, both(), residual))
    assert (checked.means["floor"] > 2.0).all() and checked.means["floor_corrected"].max() < ROUNDING


def test_the_corrected_floor_is_what_a_perfect_balance_gives_after_correction(model):
    """One foot alone, so that nothing is shared; the residual adds weight, and its sign matters."""
    loaded = curve("right")[:, 1:2] > 0.0
    residual = np.hstack([np.zeros((N, 3)), loaded * np.array([12.0, 90.0, -8.0])])
    found = {"ground_right": wrench("right", curve("right") + residual[:, 3:])}
    checked = validate_loads(
        loads(model, found), loads(model, {"ground_right": wrench("right", curve("right"))}, residual)
    )
    assert checked.scale < 0.98
    for each in checked:
        assert (each.floor_corrected > 0.5).all()
        assert each.floor_corrected == pytest.approx(each.rrmse_corrected, rel=1e-9)


def test_without_base_or_motion_there_is_no_floor(model):
    truth = loads(model, both())
    assert np.isnan(validate_loads(truth, loads(model, both(), base=None)).means["floor"]).all()
    forces = [
        ExternalForce(name, TIME, w.force, w.point, w.moment, body=w.link)
        for name, w in truth.wrenches.items()
    ]
    checked = validate_loads(truth, Recording("trial", forces=tuple(forces)))
    assert np.isnan(checked.means["floor"]).all() and checked.means["rrmse"].max() < ROUNDING


def test_a_planar_base_has_no_floor_to_the_side(model):
    """The joint transmits nothing along z: a residual of zero there says nothing."""
    flat = planar()
    assert transmitted(flat, "trunk").tolist() == [True, True, False]
    assert transmitted(model, "trunk").all()
    residual = np.tile([0.0, 0.0, 0.0, 5.0, 8.0, 0.0], (N, 1))
    checked = validate_loads(loads(flat, both()), loads(flat, both(), residual))
    for name in ("floor", "floor_corrected"):
        assert np.isfinite(checked.means[name]).tolist() == [True, True, False]
    assert "nan" not in checked.table()
    assert np.isfinite(checked.means["rrmse"]).all()


def test_a_double_support_charges_the_whole_residual_to_each_foot(model):
    """An estimate that shares it between the feet lies below its floor there, and only there."""
    residual = np.tile([0.0, 0.0, 0.0, 5.0, 20.0, 3.0], (N, 1))
    on = {side: curve(side)[:, 1] > 0.0 for side in STEPS}
    share = 1.0 / np.maximum(on["right"].astype(float) + on["left"], 1.0)
    found = both(lambda side, f: f + (on[side] * share)[:, None] * residual[:, 3:])
    checked = validate_loads(loads(model, found), loads(model, both(), residual))
    assert (checked.strikes[1].rrmse < 0.97 * checked.strikes[1].floor).all()


def test_the_shared_floor_is_what_sharing_as_the_plates_do_gives(model):
    """Residual shared as the vertical forces: its error over the same range. Alone, a foot has all of it."""
    residual = np.tile([0.0, 0.0, 0.0, 5.0, 20.0, 3.0], (N, 1))
    up = {side: curve(side)[:, 1:2] for side in STEPS}
    total = np.maximum(up["right"] + up["left"], 1e-9)
    found = both(lambda side, f: f + up[side] / total * residual[:, 3:])
    for each in validate_loads(loads(model, found), loads(model, both(), residual)):
        assert each.floor_shared == pytest.approx(each.rrmse, rel=1e-9)
        assert (each.floor_shared < each.floor).all()
    alone = loads(model, {"plate": wrench("right", curve("right"))}, residual)
    for each in validate_loads(alone, alone):
        assert each.floor_shared == pytest.approx(each.floor, rel=1e-12)


# places


def test_pressure_centre_against_cross_products():
    rng = np.random.default_rng(2)
    force = rng.normal(size=(50, 3)) * 100.0 + [0.0, 600.0, 0.0]
    place = rng.normal(size=(50, 3))
    place[:, 1] = 0.3
    free = rng.normal(size=50)
    moment = np.cross(place, force) + free[:, None] * [0.0, 1.0, 0.0]
    at, left = pressure_centre(np.hstack([moment, force]), 0.3, 50.0)
    assert np.allclose(at, place[:, [0, 2]]) and np.allclose(left, free)
    faint = np.hstack([moment, 0.01 * force])
    assert np.isnan(pressure_centre(faint, 0.3, 50.0)[0]).all()


def test_the_centre_of_pressure_is_that_of_the_plane(model):
    shift = np.array([0.03, 0.0, -0.04])
    measured = loads(model, both())
    moved = loads(model, both(point=np.array([0.1, 0.0, 0.05]) + shift))
    for each in validate_loads(moved, measured):
        assert each.cop == pytest.approx(0.05, abs=1e-12) and each.cop_single == pytest.approx(
            0.05, abs=1e-12
        )
    # the same line of action, given by a point 0.2 m below the plane
    wrenches = {
        name: replace(w, point=w.point - 0.2 * w.force / np.maximum(w.force[:, 1:2], 1e-3))
        for name, w in measured.wrenches.items()
    }
    checked = validate_loads(loads(model, wrenches), measured)
    assert checked.means["cop"] < 1e-12 and checked.means["free_moment"] < ROUNDING


def test_single_support_is_without_the_other_foot(model):
    """The place is wrong in double support only."""
    other = {"right": curve("left"), "left": curve("right")}
    wrenches = {}
    for side in STEPS:
        point = np.tile([0.1, 0.0, 0.05], (N, 1))
        point[other[side][:, 1] >= 20.0, 0] += 0.1
        wrenches[f"ground_{side}"] = wrench(side, curve(side), point=point)
    for each in validate_loads(loads(model, wrenches), loads(model, both())):
        assert each.cop_single < 1e-12 < 0.02 < each.cop


def test_a_free_moment_is_told(model):
    turned = loads(model, both(moment=(0.0, 3.0, 0.0)))
    for each in validate_loads(turned, loads(model, both())):
        assert each.free_moment == pytest.approx(3.0, rel=1e-12) and each.cop < 1e-12


def test_plates_under_one_foot_are_summed(model):
    """A heel on one plate and toes on another are one strike, and so are their moments."""
    parts = {
        "heel": wrench("right", 0.25 * curve("right"), point=(0.0, 0.0, 0.05)),
        "toes": wrench("right", 0.75 * curve("right"), point=(0.2, 0.0, 0.05)),
        "other": wrench("left", curve("left")),
    }
    one = loads(model, both(point=(0.15, 0.0, 0.05)))
    first, second, third = validate_loads(one, loads(model, parts))
    assert (first.force, second.force) == ("heel + toes", "other") and third.foot == "right"
    assert first.rmse.max() < ROUNDING and first.cop < 1e-12
    assert second.cop == pytest.approx(0.05)


# what is compared


def test_a_strike_that_the_trial_cuts_is_partial(model):
    kept = slice(60, 300)  # 0.3 to 1.5 s: both right steps are cut, the left one is whole
    short = Loads(
        model,
        TIME[kept],
        np.zeros((240, model.nv)),
        wrenches={
            name: AppliedWrench(w.link, w.force[kept], w.point[kept], w.moment[kept])
            for name, w in both().items()
        },
        base="trunk",
    )
    checked = validate_loads(short, loads(model, both()))
    assert [each.partial for each in checked] == [True, False, True]
    assert "*" in checked.table() and "already in the first frame" in checked.table()
    whole = checked.mean_of(whole=True)
    assert whole["peak"] == checked.strikes[1].peak != checked.means["peak"]
    ends = [line.split("  ")[0] for line in checked.table().splitlines()[-3:-1]]
    assert ends == ["mean", "mean of whole strikes"]


def test_beside_what_was_not_measured_a_strike_is_partial(model):
    force = curve("right")
    force[frames(*STEPS["right"][1])[-20:]] = np.nan
    measured = loads(model, both() | {"ground_right": wrench("right", force)})
    checked = validate_loads(loads(model, both()), measured)
    assert [each.partial for each in checked] == [False, False, True]
    assert "say nothing of mass" in str(checked.notes[0])


def test_scraps_are_left_out_and_dips_bridged(model):
    force = curve("right")
    rows = frames(*STEPS["right"][0])
    force[rows[30:32]] = 0.0  # 15 ms without contact
    force[380:390, 1] = 100.0  # 50 ms
    measured = loads(
        model, {"ground_right": wrench("right", force), "ground_left": wrench("left", curve("left"))}
    )
    checked = validate_loads(loads(model, both()), measured)
    assert [each.foot for each in checked] == ["right", "left", "right"]
    assert checked.strikes[0].frames == len(rows)
    assert any("too short" in str(note) and "1.900 to 1.945" in str(note) for note in checked.notes)


def test_a_step_beside_the_plates_spoils_neither_mass_nor_floor(model):
    """The left foot's step is not measured: the residual holds all of it."""
    residual = np.hstack([np.zeros((N, 3)), curve("left")])
    measured = loads(model, {"plate": wrench("right", curve("right"))}, residual)
    checked = validate_loads(loads(model, both()), measured)
    assert [each.foot for each in checked] == ["right", "right"]
    assert checked.scale == pytest.approx(1.0, abs=1e-3)  # its first and last 20 N are no contact
    assert (checked.means["floor"] < 0.5).all()
    assert "not measured" in str(checked.notes[0])
    blind = validate_loads(loads(model, {"ground_right": wrench("right", curve("right"))}), measured)
    assert blind.means["floor"][1] > 10.0  # who finds no such step has no reason to leave it out


def test_forces_may_be_smoothed(model):
    rng = np.random.default_rng(3)
    shake = 40.0 * np.sin(2.0 * np.pi * 70.0 * TIME)[:, None] * rng.uniform(0.5, 1.0, 3)
    rough = loads(model, both(lambda side, f: np.where(f[:, 1:2] > 0.0, f + shake, 0.0)))
    as_measured, smooth = (
        validate_loads(loads(model, both()), rough, force_lowpass=cutoff) for cutoff in (None, 20.0)
    )
    assert len(smooth) == len(as_measured) and smooth.strikes[0].start == as_measured.strikes[0].start
    assert (smooth.means["rmse"] < 0.3 * as_measured.means["rmse"]).all()


def test_a_recording_with_and_without_its_motion(model):
    motion = swinging(model, n=80)
    recording = pushed(model, motion)
    measured = solve_id(model, motion, recording)
    with_motion = validate_loads(measured, recording, motion=motion)
    assert with_motion.means["rmse"].max() < ROUNDING
    alone = validate_loads(measured, recording)
    assert np.isnan(alone.means["floor"]).all() and alone.means["rmse"].max() < ROUNDING
    given = validate_loads(measured, recording, floor=measured)
    assert np.array_equal(given.means["floor"], with_motion.means["floor"])
    first = with_motion.strikes[0]
    rows = slice(*np.searchsorted(motion.time, [first.start, first.end + 1e-9]))
    force = measured.wrenches[f"plate {first.foot}"].force[rows]
    expected = 100.0 * np.sqrt(np.mean(measured.residual[rows, 3:] ** 2, axis=0)) / np.ptp(force, axis=0)
    assert first.floor == pytest.approx(expected)


# elsewhere


def test_tables(model):
    checked = validate_loads(loads(model, both(lambda side, f: 0.9 * f)), loads(model, both()))
    frame = checked.to_dataframe()
    assert len(frame) == 9 and set(frame["axis"]) == {"x", "y", "z"}
    row = frame[(frame["strike"] == 1) & (frame["axis"] == "y")].iloc[0]
    assert row["rrmse"] == checked.strikes[1].rrmse[1] and row["foot"] == "left"
    means = frame.groupby("axis")["rrmse"].mean()
    assert np.allclose(means, checked.means["rrmse"])
    assert repr(checked).startswith("Validation('") and "3 strikes" in repr(checked)
    lines = checked.table().splitlines()
    assert len(lines) == 5 and "mass x 1.111" in lines[0] and lines[-1].startswith("mean")


@pytest.mark.parametrize(
    ("link", "foot"), [("foot_r", "right"), ("calcn_l", "left"), ("right_foot", "right"), ("board", "board")]
)
def test_sides(link, foot):
    assert foot_of(link) == foot


@pytest.mark.parametrize(
    "options",
    [
        {"threshold": 0.0},
        {"least": -1.0},
        {"mass": 0.0},
        {"threshold": math.nan},
        {"mass": "70"},
        {"mass": "heavy"},
        {"shortest": -1.0},
        {"least": (1.0, 2.0)},
    ],
)
def test_options_that_make_no_sense(model, options):
    truth = loads(model, both())
    with pytest.raises(InputError, match=next(iter(options))):
        validate_loads(truth, truth, **options)


def test_what_cannot_be_compared(model):
    truth = loads(model, both())
    with pytest.raises(InputError, match="takes Loads"):
        validate_loads(None, truth)
    with pytest.raises(InputError, match="must be a Recording or Loads"):
        validate_loads(truth, None)
    with pytest.raises(InputError, match="no forces"):
        validate_loads(truth, Recording("empty"))
    with pytest.raises(InputError, match="no foot to compare"):
        validate_loads(
            loads(model, {"a": wrench("right", curve("right"))}),
            loads(model, {"b": wrench("left", curve("left"))}),
        )
    with pytest.raises(InputError, match="no strike"):
        validate_loads(truth, loads(model, both(lambda side, f: 0.0 * f)))
    nameless = ExternalForce("plate", TIME, curve("right"), np.zeros((N, 3)), np.zeros((N, 3)))
    with pytest.raises(InputError, match=r"neither body nor side.*motion="):
        validate_loads(truth, Recording("trial", forces=(nameless,)))
    other = Loads(model, TIME + 0.5 / RATE, np.zeros((N, model.nv)), wrenches=both(), base="trunk")
    with pytest.raises(InputError, match="other frames"):
        validate_loads(truth, other)
    with pytest.raises(InputError, match="cutoff"):
        validate_loads(truth, truth, force_lowpass=RATE)
