"""Measured rollovers: a foot that truly rolls is found again, the packaged fits are what a recording gives."""

import matplotlib
import numpy as np
import pytest
from tests.contact.surfaces import reference

from softstride.contact import (
    RollingJoint,
    fit_rolling_surface,
    fit_spline_surface,
    load_rollover,
    measure_rollover,
    rollover_figure,
    rollover_names,
)
from softstride.contact.rollovers import generate
from softstride.contact.rollovers.measure import dwelled
from softstride.contact.rollovers.measured import from_toml, place_foot, to_toml
from softstride.errors import InputError

HEEL = np.array([-0.09, 0.04])  # of the made-up foot link, in foot axes
DIP = 0.1  # by which its axes dip when the foot is flat


def walk(belt=0.0, n=240):
    """A foot that rolls over the reference surface for a second, in the air before and after."""
    t = np.linspace(0.0, 1.0, n)
    tilt = np.interp(t, [0.0, 0.2, 0.35, 0.6, 0.8, 1.0], [-0.3, -0.2, -0.01, 0.02, 0.5, 0.7])
    joint = RollingJoint(reference(), origin=0.8)
    pose = np.tile(np.eye(4), (n, 1, 1))
    a = tilt + DIP
    pose[:, 0, 0], pose[:, 0, 1], pose[:, 1, 0], pose[:, 1, 1] = np.cos(a), np.sin(a), -np.sin(a), np.cos(a)
    pose[:, :2, 3] = joint.point(tilt, HEEL)
    point = np.zeros((n, 3))
    point[:, 0] = joint.force_point(tilt)[:, 0]
    pose[:, 0, 3] += belt * t
    point[:, 0] += belt * t
    force = np.zeros((n, 3))
    pressed = (t >= 0.2) & (t <= 0.8)
    force[pressed, 1] = 700.0
    point[~pressed] = np.nan
    return t, pose, force, point, tilt[pressed]


@pytest.mark.parametrize("belt", [0.0, -1.2])
def test_a_foot_that_rolls_is_found_again(belt):
    t, pose, force, point, tilt = walk(belt)
    found = measure_rollover(t, pose, force, point, belt=belt)
    assert found.complete and len(found.time) == len(tilt)
    np.testing.assert_allclose(found.tilt + found.flat, tilt + DIP, atol=1e-12)
    assert found.flat == pytest.approx(DIP, abs=0.02), "it dwells near the flat foot"
    np.testing.assert_allclose(found.place, 0.8 + reference().s(tilt), atol=1e-12)
    fit = fit_spline_surface(found.tilt + found.flat - DIP, found.place)
    assert fit.rms < 1e-3
    foot, missed = place_foot(found, fit)
    np.testing.assert_allclose(foot, HEEL, atol=2e-3)
    assert missed < 2e-3, "the heel moves as rolling has it"


def test_a_foot_that_slips_is_told():
    """The centre of pressure rolls, but the foot slides forward by 10 cm: its link is not where rolling has it."""
    t, pose, force, point, _ = walk()
    pose[:, 0, 3] += 0.1 * t
    found = measure_rollover(t, pose, force, point)
    _, missed = place_foot(found, fit_spline_surface(found.tilt, found.place))
    assert missed > 0.01


def test_a_contact_that_is_cut_is_told():
    t, pose, force, point, _ = walk()
    late = slice(80, None)
    assert not measure_rollover(t[80:], pose[late], force[late], np.nan_to_num(point[late])).complete


def test_of_two_contacts_the_wider_counts():
    t, pose, force, point, _ = walk()
    force[100:110] = 0.0  # lifts for a moment
    point[100:110] = np.nan
    found = measure_rollover(t, pose, force, point)
    assert found.time[0] > t[109] and np.ptp(found.tilt) > 0.4


def test_where_a_foot_dwells():
    tilt = np.concatenate([np.linspace(-0.3, 0.0, 30), np.linspace(0.1, 0.12, 40), np.linspace(0.2, 0.9, 30)])
    assert 0.1 <= dwelled(tilt) <= 0.12


def test_tilts_that_turn_back_are_moved_a_little():
    """A flat foot: the contact runs on while the tilt wavers; exact tilts miss it by much."""
    a = np.linspace(-0.25, 0.6, 120)
    true = reference().scaled(1.3).s(a)
    wavering = a + 0.02 * np.sin(40.0 * np.arange(120)) * np.exp(-((a / 0.05) ** 2))
    exact = fit_spline_surface(wavering, true, smoothing=1e-5)
    moved = fit_spline_surface(wavering, true, smoothing=1e-5, tilt_noise=0.01)
    assert exact.rms > 3e-3 and moved.rms < 0.3 * exact.rms
    assert 1e-3 < moved.tilt_rms < 0.01
    np.testing.assert_allclose(moved.tilt_rms, np.sqrt(np.mean((moved.tilts - wavering) ** 2)))
    np.testing.assert_allclose(
        moved.rms, np.sqrt(np.mean((moved.offset + moved.surface.s(moved.tilts) - true) ** 2)), rtol=1e-6
    )


# --- the packaged ones ----------------------------------------------------------------------------


@pytest.mark.parametrize("name", rollover_names())
def test_a_packaged_rollover(name):
    """Convex everywhere, a foot of plausible size, fitted to a millimetre, rolling as the heel did."""
    rollover = load_rollover(name)
    low, high = rollover.tilt
    assert rollover.name == name and rollover.source and rollover.samples >= 40
    small = "hc030a" in name  # a person of 1.48 m, whose left foot comes down flatter
    assert low < (-0.13 if small else -0.15) and high > 0.7
    assert rollover.spline.rho(np.linspace(low, high, 2001)).min() >= generate.RHO_MIN - 1e-9
    length = np.ptp(rollover.spline.s([low, high]))
    assert (0.16 if small else 0.2) < length < 0.35, "the contact runs over the length of a foot"
    assert rollover.spline_rms < 1e-3 and rollover.spline_tilt_rms < 0.01
    assert rollover.foot_rms < 0.016 and -0.15 < rollover.foot[0] < -0.08 < 0.0 < rollover.foot[1] < 0.06
    inside = np.linspace(*rollover.exponential_tilt, 101)
    assert rollover.exponential.rho(inside).min() > 0.0
    away = rollover.exponential_offset + rollover.exponential.s(inside) - rollover.spline.s(inside)
    assert np.abs(away).max() < 0.04
    assert rollover.exponential_rms > rollover.spline_rms


def test_the_packaged_ones_are_those_of_the_trials():
    names = {f"{trial}_{side}" for trial, each in generate.TRIALS.items() for side in each.sides}
    assert set(rollover_names()) == names and len(names) == 10


@pytest.mark.parametrize("trial", ["walk_opencap_s4", "walk_hc030a"])
def test_a_recording_gives_the_packaged_numbers(shared_data, trial):
    """Markers and plates of one walk, from the files on, to the digits of the file; by a model, and by two markers."""
    (name, right), (_, left) = generate.measure(shared_data, trial)
    packaged = load_rollover(name)
    fit = fit_spline_surface(
        right.tilt,
        right.place,
        rho_min=generate.RHO_MIN,
        smoothing=generate.SMOOTHING,
        tilt_noise=generate.TILT_NOISE,
        place_noise=generate.PLACE_NOISE,
    )
    a = np.linspace(*packaged.tilt, 201)
    np.testing.assert_allclose(fit.surface.s(a), packaged.spline.s(a), atol=1e-6)
    assert fit.rms == pytest.approx(packaged.spline_rms, rel=1e-3)
    foot, missed = place_foot(right, fit)
    np.testing.assert_allclose(foot, packaged.foot, atol=1e-6)
    assert missed == pytest.approx(packaged.foot_rms, rel=1e-4)
    low, high = packaged.exponential_tilt
    within = (fit.tilts >= low - 1e-9) & (fit.tilts <= high + 1e-9)
    away = packaged.exponential_offset + packaged.exponential.s(fit.tilts) + fit.offset - right.place
    assert np.sqrt(np.mean(away[within] ** 2)) == pytest.approx(packaged.exponential_rms, rel=1e-4)
    assert left.complete


def test_text_and_back(tmp_path):
    t, pose, force, point, _ = walk()
    rollover = measure_rollover(t, pose, force, point)
    spline, exponential = generate.fit(rollover, starts=2)
    text = to_toml("mine", "made up", rollover, spline, exponential)
    file = tmp_path / "mine.toml"
    file.write_text(text, encoding="utf-8")
    back = load_rollover(file)
    a = np.linspace(*back.tilt, 51)
    np.testing.assert_allclose(back.spline.s(a), spline.surface.s(a), atol=1e-9)
    np.testing.assert_allclose(back.exponential.s(a), exponential.surface.s(a), atol=1e-7)
    assert back.name == "mine" and back.source == "made up" and back.samples == len(rollover.time)


def test_the_picture(tmp_path):
    t, pose, force, point, _ = walk()
    found = measure_rollover(t, pose, force, point)
    fits = {
        "spline": fit_spline_surface(found.tilt, found.place),
        "exponentials": fit_rolling_surface(found.tilt, found.place, rho0=None, shift=True, starts=2),
    }
    before = dict(matplotlib.rcParams)
    figure = rollover_figure(found.tilt, found.place, fits, title="a foot")
    assert dict(matplotlib.rcParams) == before
    places, radii, sole = figure.get_axes()
    assert len(places.get_lines()) == 4 and len(places.collections) == 2, (
        "data, two fits and their bands, zero"
    )
    data = places.get_lines()[0].get_xydata()
    np.testing.assert_allclose(data[:, 0], np.degrees(found.tilt))
    np.testing.assert_allclose(data[:, 1], 1e3 * (found.place - fits["spline"].offset))
    labels = [text.get_text() for text in places.get_legend().get_texts()]
    assert labels[1] == f"spline, rms {1e3 * fits['spline'].rms:.1f} mm"
    assert radii.get_yscale() == "log" and sole.get_aspect() == 1.0
    figure.savefig(tmp_path / "rollover.png")
    assert (tmp_path / "rollover.png").stat().st_size > 10_000


def nothing_presses():
    t, pose, force, point, _ = walk()
    return measure_rollover(t, pose, 0.0 * force, point)


def too_short():
    t, pose, force, point, _ = walk(n=12)
    return measure_rollover(t, pose, force, point)


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (nothing_presses, "at least 8 samples.*the largest force is 0 N"),
        (too_short, "at least 8 samples"),
        (lambda: measure_rollover([0.0], np.eye(4)[None], [[0.0, 1.0]], [[0.0] * 3]), r"shape \(1, 3\)"),
        (lambda: measure_rollover([0.0], np.eye(3)[None], [[0.0] * 3], [[0.0] * 3]), "pose of a rollover"),
        (lambda: load_rollover("barefoot"), "no rollover 'barefoot'.*walk_opencap_s4_right"),
        (lambda: load_rollover("missing.toml"), "cannot be read"),
        (lambda: from_toml("name = ", "mine"), "mine: text: is no TOML"),
        (lambda: from_toml('name = "x"', "mine"), "mine is no rollover: 'spline'"),
        (lambda: rollover_figure([0.0] * 9, [0.0] * 9, {}), "shows 1 to 3 fits, however there are 0"),
        (lambda: rollover_figure([0.0] * 3, [0.0] * 3, {}), "at least 8 numbers"),
        (lambda: fit_spline_surface([0.0] * 9, [0.0] * 9, tilt_noise=-1.0), "tilt_noise must be at least 0"),
    ],
)
def test_what_is_no_rollover_is_refused(call, words):
    with pytest.raises(InputError, match=words):
        call()
