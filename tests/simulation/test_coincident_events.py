"""Several events at one instant: none is lost, none happens twice, whatever rounding makes of their order."""

import numpy as np
import pytest
from tests.simulation import mechanisms as mech

from softstride.model import ModelBuilder
from softstride.simulation import Event, SimulationStopped, simulate

HEIGHTS = np.linspace(0.5, 1.5, 60)
MASSES = (1.0, 2.3, 0.4)
E = 0.9


def balls(count):
    """Independent sliders along y, heights q."""
    builder = ModelBuilder("balls", gravity=mech.DOWN)
    for i in range(count):
        builder.prismatic(f"ball{i}", axis=(0, 1, 0), mass=MASSES[i])
    return builder.build()


def turned(i, factor=-E):
    """Return a map that multiplies the speed of one ball."""

    def apply(t, q, v):
        v[i] *= factor
        return q, v

    return apply


def bounce(i, **changes):
    options = {"name": f"ball{i}", "direction": -1, "map": turned(i), **changes}
    return Event(lambda t, q, v: q[i], **options)


def touch_downs(height, last):
    """Return the exact instants of a ball dropped from rest."""
    first = np.sqrt(2.0 * height / mech.G)
    times = first + 2.0 * first * np.cumsum(np.r_[0.0, E ** np.arange(1, 20)])
    return times[times < last]


def times_of(run, name):
    return np.array([hit.time for hit in run.events if hit.name == name])


def drop(height, count, events, last=1.8, **options):
    return simulate(
        balls(count), np.full(count, height), np.zeros(count), (0.0, last), events=events, **options
    )


@pytest.mark.slow
@pytest.mark.parametrize("count", [2, 3])
@pytest.mark.parametrize(
    ("options", "heights"),
    [
        ({"method": "dopri"}, HEIGHTS),
        ({"method": "rk4", "dt": 0.03}, HEIGHTS[::4]),
        ({"method": "rosenbrock"}, HEIGHTS[::6]),
    ],
    ids=lambda given: given["method"] if isinstance(given, dict) else "",
)
def test_balls_dropped_together_all_bounce(options, heights, count):
    for height in heights:
        run = drop(height, count, [bounce(i) for i in range(count)], **options)
        exact = touch_downs(height, 1.8)
        for i in range(count):
            found = times_of(run, f"ball{i}")
            assert len(found) == len(exact), (height, i)
            assert np.max(np.abs(found - exact)) < 1e-10
        assert run.completed and run.q.min() > -1e-10
        assert np.all(np.diff([hit.time for hit in run.events]) >= 0.0)


@pytest.mark.parametrize("delay", [3e-13, 3e-12, 2e-11, 3e-10, 1e-7])
def test_balls_dropped_almost_together_all_bounce(delay):
    for height in HEIGHTS[::10]:
        fall = mech.G * np.sqrt(2.0 * height / mech.G)
        heights = np.array([height + fall * delay, height])
        run = simulate(
            balls(2), heights, np.zeros(2), (0.0, 1.8), events=[bounce(0), bounce(1)], rtol=1e-11, atol=1e-13
        )
        for i in range(2):
            assert times_of(run, f"ball{i}") == pytest.approx(touch_downs(height, 1.8), abs=1e-6)
        assert run.q.min() > -1e-9


@pytest.mark.slow
@pytest.mark.parametrize("first", [0, 1])
def test_an_event_that_only_watches_is_reported_once_with_one_that_cuts(first):
    """A watcher of the same ball as often as the bounce; one of a ball that falls on exactly once."""
    for height in HEIGHTS[::2]:
        watchers = [
            Event(lambda t, q, v: q[0], "same", direction=-1),
            Event(lambda t, q, v: q[1], "through"),
            Event(lambda t, q, v: q[2], "slowed", map=turned(2, 0.5)),
        ]
        events = [*watchers, bounce(0)] if first else [bounce(0), *watchers]
        run = drop(height, 3, events)
        exact = touch_downs(height, 1.8)
        assert times_of(run, "ball0") == pytest.approx(exact, abs=1e-10)
        assert times_of(run, "same") == pytest.approx(exact, abs=1e-10)
        assert times_of(run, "through") == pytest.approx(exact[:1], abs=1e-10)
        assert times_of(run, "slowed") == pytest.approx(exact[:1], abs=1e-10)
        assert all(hit.v[0] < 0.0 for hit in run.events if hit.name in ("same", "ball0"))


@pytest.mark.parametrize("first", [0, 1])
def test_an_end_and_a_bounce_at_one_instant_both_happen(first):
    for height in HEIGHTS[::4]:
        end = Event(lambda t, q, v: q[1], "end", terminal=True)
        run = drop(height, 2, [end, bounce(0)] if first else [bounce(0), end])
        assert sorted(hit.name for hit in run.events) == ["ball0", "end"]
        assert not run.completed and run.time[-1] == pytest.approx(touch_downs(height, 1.8)[0], abs=1e-10)


def test_a_map_whose_event_was_undone_is_left_out():
    """Two bounces of the same ball: the first turns it round, the second would throw it down again."""
    for height in HEIGHTS[::4]:
        run = drop(height, 1, [bounce(0, name="one"), bounce(0, name="two")])
        assert np.array([hit.time for hit in run.events]) == pytest.approx(
            touch_downs(height, 1.8), abs=1e-10
        )
        assert run.q.min() > -1e-10


def test_a_ball_between_the_floor_and_another_ball():
    """Ball 1 meets ball 0 as that touches down, without losses: 0 may have to bounce twice at once."""
    light, heavy = MASSES[0], MASSES[1]

    def collide(t, q, v):
        mean = (light * v[0] + heavy * v[1]) / (light + heavy)
        return q, 2.0 * mean - v

    events = [
        bounce(0, map=turned(0, -1.0)),
        Event(lambda t, q, v: q[1] - q[0] - 0.1, "meet", direction=-1, map=collide),
    ]
    for order in (events, events[::-1]):
        for height in HEIGHTS[::4]:
            gap, fall = 0.2, np.sqrt(2.0 * height / mech.G)
            q0, v0 = [height, height + 0.1 + gap], [0.0, -gap / fall]
            run = simulate(balls(2), q0, v0, (0.0, fall + 0.2), events=order)
            at_once = [hit for hit in run.events if abs(hit.time - fall) < 1e-10]
            assert len(at_once) >= 2 and run.completed
            assert run.q[:, 0].min() > -1e-9 and np.min(run.q[:, 1] - run.q[:, 0]) > 0.1 - 1e-9
            assert run.energy_drift < 1e-7


def test_maps_that_drive_each_other_without_end_are_stopped():
    """Each of two balls throws the other one down as it bounces."""
    throw = [lambda t, q, v: (q, np.array([1.0, -1.0])), lambda t, q, v: (q, np.array([-1.0, 1.0]))]
    with pytest.raises(SimulationStopped, match="pile up"):
        drop(0.5, 2, [bounce(i, map=throw[i]) for i in range(2)])


def test_a_grazing_event_happens_at_most_once():
    """A ball whose highest point just touches a ceiling, with a cut at that very instant."""
    for speed in np.linspace(1.0, 3.0, 30):
        top = speed**2 / (2.0 * mech.G)
        events = [
            Event(lambda t, q, v: v[0], "apex", direction=-1, map=lambda t, q, v: (q, v)),
            Event(lambda t, q, v, top=top: top - q[0], "ceiling", direction=-1, map=lambda t, q, v: (q, v)),
        ]
        run = simulate(balls(1), [0.0], [speed], (0.0, 2.0 * speed / mech.G), events=events)
        assert len(times_of(run, "apex")) == 1 and len(times_of(run, "ceiling")) <= 1
        assert run.completed and run.q[-1, 0] == pytest.approx(0.0, abs=1e-8)


def test_a_short_crossing_before_a_cut_is_located():
    """Below zero from 0.60 to 0.65 s, between the points where signs are compared; the cut is in there."""
    events = [
        Event(lambda t, q, v: (t - 0.60) * (t - 0.65), "dip", direction=-1),
        Event(lambda t, q, v: t - 0.62, "end", terminal=True),
    ]
    run = simulate(balls(1), [0.0], [0.0], (0.0, 1.0), events=events, method="rk4", dt=1.0)
    assert [hit.name for hit in run.events] == ["dip", "end"]
    assert [hit.time for hit in run.events] == pytest.approx([0.60, 0.62], abs=1e-10)


@pytest.mark.parametrize("method", ["dopri", "rosenbrock"])
def test_functions_of_the_user_cannot_change_the_motion(method):
    """Controls, loads, events, maps and constraints that overwrite what they are given."""

    class Held:
        holonomic = (True,)

        def __init__(self, spoil):
            self.spoil = spoil

        def residual(self, model, q):
            out = q[:, :1] - q[:, 1:]
            self.spoil(q)
            return out

        def jacobian(self, model, q):
            self.spoil(q)
            return np.tile([[[1.0, -1.0]]], (len(q), 1, 1))

        def bias(self, model, q, v):
            self.spoil(q, v)
            return np.zeros((len(q), 1))

    def run(spoil):
        def spoiling(function):
            def call(t, q, v):
                out = function(t, q, v)
                spoil(q, v)
                return out

            return call

        bounce_both = spoiling(lambda t, q, v: (q.copy(), -v))
        return simulate(
            balls(2),
            [1.0, 1.0],
            [0.0, 0.0],
            (0.0, 0.8),
            method=method,
            controls=spoiling(lambda t, q, v: -0.01 * v),
            f_ext=spoiling(lambda t, q, v: {"ball0": np.array([0.0, 0.0, 0.0, 0.0, 0.1 * q[0], 0.0])}),
            constraints=[Held(spoil)],
            events=[
                Event(spoiling(lambda t, q, v: q[0] - 0.8), "watch"),
                Event(spoiling(lambda t, q, v: q[0]), "floor", direction=-1, map=bounce_both),
            ],
        )

    def erase(*arrays):
        for array in arrays:
            array[...] = 0.0

    clean, spoiled = run(lambda *arrays: None), run(erase)
    assert len(clean.events) == 3
    for name in ("time", "q", "v", "a", "multipliers"):
        assert np.array_equal(getattr(clean, name), getattr(spoiled, name)), name
    for one, two in zip(clean.events, spoiled.events, strict=True):
        assert one.name == two.name and np.array_equal(one.q, two.q)
        assert np.array_equal(one.v_after, two.v_after)
