"""Derivatives of loads by errors of a motion, beside differences of the whole inverse dynamics and estimate."""

from dataclasses import replace
from importlib import import_module

import numpy as np
import pytest
from tests.dynamics.uncertain_motions import person, standing
from tests.models import walker
from tests.trials import pushed, swinging

import softstride as ss
from softstride.dynamics import solve_id
from softstride.dynamics.estimate import EstimateOptions, estimate_loads, observe, rows
from softstride.dynamics.estimate.footholds import footholds
from softstride.dynamics.prepare import prepare
from softstride.dynamics.uncertainty import ground
from softstride.dynamics.uncertainty.estimate import EstimateResponse
from softstride.dynamics.uncertainty.ground import ground_shape
from softstride.dynamics.uncertainty.propagate import load_bands
from softstride.dynamics.uncertainty.response import MeasuredResponse
from softstride.dynamics.uncertainty.time import Spectrum
from softstride.engine import integrate, positions
from softstride.errors import InputError
from softstride.kinematics import Motion
from softstride.kinematics.curve import fit_rates
from softstride.model.library.blades import blade
from softstride.notes import codes

INSIDE = slice(15, -15)  # splines of moving axes end differently


def error(model, n, rate, seed=7):
    """Return a smooth error of each coordinate and its two rates, (3, n, nv)."""
    rng = np.random.default_rng(seed)
    t = np.arange(n) / rate
    omega, phase = rng.uniform(4.0, 20.0, model.nv), rng.uniform(0.0, 6.0, model.nv)
    angle = np.outer(t, omega) + phase
    return np.stack([np.sin(angle), omega * np.cos(angle), -(omega**2) * np.sin(angle)])


def moved(motion, d, step):
    """Return the motion with an error, v and a with what it does to them by the curve through the frames."""
    model = motion.model
    before = fit_rates(model, motion.time, motion.q)
    q = integrate(model, motion.q, step * d[0])
    after = fit_rates(model, motion.time, q)
    v, a = (r + y - x for r, x, y in zip((motion.v, motion.a), before, after, strict=True))
    return Motion(model, motion.time, q, rates=(v, a))


def rows_of(loads):
    parts = [loads.tau, loads.residual]
    if loads.ground is not None:
        for wrench in loads.wrenches.values():
            parts += [wrench.force, wrench.point]
    return np.concatenate(parts, axis=1)


def slope(solve, motion, d, step):
    there, back = (rows_of(solve(moved(motion, d, h))) for h in (step, -step))
    return (there - back) / (2.0 * step)


def answers(response, d):
    return np.einsum("niav,inv->na", response.direct, d)


def agree(found, expected, tolerance, share=1.0):
    """Hold in a share of all numbers that count, against the largest of each row."""
    scale = np.nan_to_num(np.abs(expected)).max(axis=0)
    used = scale > 1e-6 * scale.max()
    off = np.abs(found - expected)[:, used] / scale[used]
    assert np.mean(off[np.isfinite(off)] < tolerance) >= share, np.nan_to_num(off).max(axis=0)


@pytest.mark.parametrize("root", ["free", "custom"])
def test_measured_loads_answer_errors_of_the_motion(root):
    model = walker(root)
    motion = swinging(model, n=80, rate=200.0)
    recording = pushed(model, motion)
    loads = solve_id(model, motion, recording)
    d = error(model, 80, 200.0)
    found = MeasuredResponse(model, prepare(model, motion), loads).response(slice(0, 80))
    expected = slope(lambda m: solve_id(model, m, recording), motion, d, 1e-4)
    agree(answers(found, d)[INSIDE], expected[INSIDE], 1e-5)


def runner():
    return ss.attach_blade(ss.amputate(person(), "right", below_knee=0.15), "right", blade("c-medium"))


def swaying(model, n=60, rate=200.0):
    """Return small movements about a pose on a blade that is bent; strains by less."""
    rng = np.random.default_rng(5)
    t = np.arange(n) / rate
    size = np.full(model.nv, 0.03)
    for link in model.links:
        if link.soft:
            size[list(model.v_indices(link.name))] = 0.01
    d = size * np.sin(np.outer(t, rng.uniform(2.0, 5.0, model.nv)) + rng.uniform(0.0, 6.0, model.nv))
    rest = model.neutral()
    load = ss.generalized_forces(model, rest, {"blade_r": [0, 0, 0, 50, 500, 0]})
    stiffness = -ss.passive_derivatives(model, rest, np.zeros(model.nv))[0]
    own = list(model.q_indices("blade_r"))
    rest[own] += np.linalg.solve(stiffness[np.ix_(own, own)], load[own])
    return Motion(model, t, integrate(model, np.tile(rest, (n, 1)), d))


def test_measured_loads_on_a_blade_answer_errors_of_the_motion():
    model = runner()
    motion = swaying(model)
    n = len(motion)
    tip = positions(model, motion.q, ss.Frame("blade_r", at=0.9 * model.link("blade_r").joint.length))
    f = np.tile([100.0, 900.0, 30.0], (n, 1))
    recording = ss.Recording(
        "trial", ("x",), forces=(ss.ExternalForce("plate", motion.time, f, tip, 0 * f, body="blade_r"),)
    )
    loads = solve_id(model, motion, recording)
    d = error(model, n, 200.0)
    found = MeasuredResponse(model, prepare(model, motion), loads).response(slice(0, n))
    expected = slope(lambda m: solve_id(model, m, recording), motion, d, 1e-5)
    agree(answers(found, d)[INSIDE], expected[INSIDE], 1e-4)


def estimated(model, motion, options):
    loads = estimate_loads(model, motion, options)
    state = prepare(model, motion)
    response = EstimateResponse(model, state, loads, ground_shape(model, motion, state, loads, options))
    return loads, response.response(slice(0, len(motion)))


def held(options, model, motion, monkeypatch):
    """Return options with the belt as it was found, and keep the levels at which feet rest: all belong to a trial."""
    ground = estimate_loads(model, motion, options).ground
    up = np.array([0.0, 1.0, 0.0])
    found = observe._floor(model, footholds(model), prepare(model, motion), up, options)
    monkeypatch.setattr(observe, "_floor", lambda *_: found)
    return options.changed(belt=tuple(ground.belt))


def test_an_estimate_answers_errors_of_the_motion(monkeypatch):
    """Frames do not know each other: differences of the whole estimate are the derivative at its solution."""
    model = person()
    time, q = standing()
    motion = Motion(model, time, q)
    options = EstimateOptions(lowpass=None, smoothness=None, tolerance=1e-11)
    options = held(options, model, motion, monkeypatch)
    loads, found = estimated(model, motion, options)
    assert loads.ground.converged.all() and loads.ground.friction_used.max() < 1.0
    d = error(model, len(motion), 100.0)
    expected = slope(lambda m: estimate_loads(model, m, options), motion, d, 1e-6)
    agree(answers(found, d)[INSIDE], expected[INSIDE], 5e-3, share=0.97)  # a place may begin to bear load


@pytest.mark.slow
def test_an_estimate_with_a_blade_answers_errors_of_the_motion(monkeypatch):
    model = runner()
    motion = swaying(model)
    options = EstimateOptions(lowpass=None, smoothness=None, tolerance=1e-11)
    options = held(options, model, motion, monkeypatch)
    loads, found = estimated(model, motion, options)
    d = error(model, len(motion), 200.0)
    expected = slope(lambda m: estimate_loads(model, m, options), motion, d, 1e-7)
    assert np.median(loads.wrenches["ground_right"].force[:, 1]) > 200.0  # the blade tells
    agree(answers(found, d)[INSIDE], expected[INSIDE], 0.01, share=0.97)


@pytest.mark.slow
def test_a_stiffer_blade_says_that_there_is_more_force(monkeypatch):
    """Beside an estimate whose blades say two thousandths more, weighed as before."""
    model = runner()
    motion = swaying(model)
    options = EstimateOptions(lowpass=None, smoothness=None, tolerance=1e-11, blade_error=0.002)
    options = held(options, model, motion, monkeypatch)
    loads, found = estimated(model, motion, options)
    plain = rows._as_load_cell

    def louder(part, name, rod, W, tau, *more):
        before = tau.copy()
        plain(part, name, rod, W, tau, *more)
        tau -= 0.002 * (before - tau)

    with monkeypatch.context() as patch:
        patch.setattr(rows, "_as_load_cell", louder)
        change = rows_of(estimate_loads(model, motion, options)) - rows_of(loads)
    expected = np.nan_to_num(np.abs(change))
    agree(np.nan_to_num(np.sqrt(found.of_springs()))[INSIDE], expected[INSIDE], 0.01, share=0.95)
    bands = load_bands(model, motion, loads, noise=0.0, estimate=options)
    assert list(bands.sources) == ["inertia", "blades"]
    assert bands.std("ground_right", "blades")[:, 1] == pytest.approx(
        np.sqrt(found.of_springs())[:, model.nv + 7]
    )


def test_an_estimate_refuses_options_that_are_not_its_own():
    model = person()
    time, q = standing()
    motion = Motion(model, time, q)
    loads = estimate_loads(model, motion, lowpass=None, floor=0.02)
    with pytest.raises(InputError, match="estimate="):
        load_bands(model, motion, loads, estimate=EstimateOptions(lowpass=None))
    with pytest.raises(InputError, match="low pass of an estimate"):
        load_bands(model, motion, loads, lowpass=6.0)
    rough = load_bands(model, motion, loads, estimate=EstimateOptions(lowpass=None, floor=0.02))
    assert "bands.too-wide" in codes(rough.notes)  # a millimetre at 100 Hz
    assert list(rough.ground_std) == ["ground_right", "ground_left"]
    assert rough.to_xarray()["point_std"].shape == (3, len(time), 2, 3)


def test_smoothness_takes_away_what_is_too_fast():
    """Somebody stands still; one sine in all coordinates; the variance over whole periods is that of the response."""
    model = person()
    n, rate, periods = 400, 100.0, 20  # of 5 Hz
    t = np.arange(n) / rate
    motion = Motion(model, t, np.tile(standing()[1][40], (n, 1)))
    options = EstimateOptions(lowpass=None, smoothness=8.0, floor=0.0, belt=(0.0, 0.0), tolerance=1e-11)
    loads, response = estimated(model, motion, options)
    shape = np.random.default_rng(3).standard_normal(model.nv)
    omega, step = 2.0 * np.pi * periods * rate / n, 1e-7
    angle = omega * t[:, None]
    d, dd, ddd = np.sin(angle) * shape, omega * np.cos(angle) * shape, -(omega**2) * np.sin(angle) * shape
    shaken = Motion(model, t, integrate(model, motion.q, step * d), rates=(step * dd, step * ddd))
    change = (rows_of(estimate_loads(model, shaken, options)) - rows_of(loads)) / step
    middle = slice(100, 300)  # ten periods, far from the ends
    expected = change[middle].var(axis=0)
    z = np.array([1.0, 1j * omega, -(omega**2)])
    power = 0.5 * np.real(z[:, None] * np.conj(z[None]))
    spectrum = Spectrum(np.array([omega / rate]), power[None])
    F = np.tile(shape[:, None], (n, 1, 1))
    found = response.of_motion(F, spectrum)[200]
    rough = replace(response, leads=response.leads[..., :0], felt=response.felt[:, :0])
    free = rough.of_motion(F, spectrum)[200]
    used = expected > 1e-6 * expected.max()
    assert found[used] == pytest.approx(expected[used], rel=0.03)
    assert np.abs(free[used] / expected[used] - 1.0).max() > 0.2  # smoothness matters here


def test_bands_look_at_the_feet_by_the_plans_of_the_estimate(monkeypatch):
    """Places of contact are those that the loads know, and no foot is written down for the engine twice."""
    time, q = standing()
    loads = estimate_loads(person(), Motion(person(), time, q), lowpass=None)
    plan = import_module("softstride.engine.plan")  # the room has a function of this name
    plain, made = plan.make_plan, []

    def counted(*arguments, **named):
        made.append(arguments)
        return plain(*arguments, **named)

    def never(*_):
        raise AssertionError

    monkeypatch.setattr(plan, "make_plan", counted)
    monkeypatch.setattr(ground, "observe", never)
    first = load_bands(loads, noise=0.0)
    count = len(made)
    assert count <= 1, [arguments[1] for arguments in made]
    again = load_bands(loads, noise=0.0)
    assert len(made) == count and np.array_equal(first.tau_std, again.tau_std)
