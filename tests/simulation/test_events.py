"""Events against closed forms: falling and bouncing bodies, swings, several events in one step."""

import numpy as np
import pytest
from tests.simulation import mechanisms as mech

from softstride.errors import InputError
from softstride.simulation import Event, PointConstraint, SimulationStopped, plastic_impact, simulate

METHODS = ({"method": "rk4", "dt": 0.03}, {"method": "dopri"}, {"method": "rosenbrock"})


@pytest.mark.parametrize("options", METHODS, ids=lambda o: o["method"])
def test_time_of_fall(options):
    """From 1.3 m at 0.4 m/s upwards: t = (v + sqrt(v^2 + 2 g h)) / g, to 1e-10 s."""
    floor = Event(lambda t, q, v: q[0], "floor", direction=-1, terminal=True)
    run = simulate(mech.ball(0.7), [1.3], [0.4], (0.0, 5.0), events=[floor], **options)
    exact = (0.4 + np.sqrt(0.16 + 2 * mech.G * 1.3)) / mech.G
    (hit,) = run.events
    assert abs(hit.time - exact) < 1e-10 and abs(hit.value) < 1e-10
    assert hit.name == "floor" and hit.index == 0 and np.array_equal(hit.q, hit.q_after)
    assert run.time[-1] == hit.time and not run.completed
    assert hit.v[0] == pytest.approx(0.4 - mech.G * exact, abs=1e-9)


def test_a_trajectory_is_constant_and_can_be_cut():
    run = simulate(mech.ball(0.7), [1.3], [0.4], (0.0, 0.2), method="rk4", dt=0.02)
    part = run.take(slice(2, 5))
    np.testing.assert_array_equal(part.q, run.q[2:5])
    np.testing.assert_array_equal(part.energy.total, run.energy.total[2:5])
    with pytest.raises(InputError, match="a trajectory has"):
        run.take(np.array([1000]))
    with pytest.raises(ValueError, match="read-only"):
        run.q[0] = 1.0


@pytest.mark.parametrize("options", METHODS, ids=lambda o: o["method"])
def test_bounces(options):
    """Restitution 0.8: touch-downs at t1 + (2 v1 / g) (e + e^2 + ...), to 1e-10 s each."""
    e, height = 0.8, 0.5
    floor = Event(lambda t, q, v: q[0], "bounce", direction=-1, map=lambda t, q, v: (np.zeros(1), -e * v))
    run = simulate(mech.ball(0.7), [height], [0.0], (0.0, 2.0), events=[floor], **options)
    first = np.sqrt(2 * height / mech.G)
    speed = mech.G * first
    exact = first + 2 * speed / mech.G * np.cumsum(np.r_[0.0, e ** np.arange(1, 6)])
    exact = exact[exact < 2.0]
    times = np.array([hit.time for hit in run.events])
    assert len(times) == len(exact) and np.max(np.abs(times - exact)) < 1e-10
    assert run.completed and run.time[-1] == 2.0
    hit = run.events[0]
    assert hit.v_after == pytest.approx(-e * hit.v)
    twice = np.flatnonzero(run.time == hit.time)  # the trajectory shows the state before and after
    assert len(twice) == 2 and run.v[twice[0], 0] < 0 < run.v[twice[1], 0]


def test_swing_passes_the_bottom_each_half_period():
    model = mech.pendulum()
    start, t = 1.2, np.linspace(0.0, 6.0, 60001)
    angle = mech.pendulum_angle(start, t)
    places = np.flatnonzero(angle[:-1] * angle[1:] < 0)
    bottom = Event(lambda t, q, v: q[0], "bottom")
    falling_only = Event(lambda t, q, v: q[0], "from the right", direction=-1)
    run = simulate(model, [start], [0.0], (0.0, 6.0), events=[bottom, falling_only], rtol=1e-11, atol=1e-13)
    times = [hit.time for hit in run.events if hit.name == "bottom"]
    assert len(times) == len(places) and np.allclose(times, t[places], atol=1.1e-4)
    assert np.allclose(np.diff(times), np.diff(times)[0], atol=1e-9)  # half a period each
    assert [hit.time for hit in run.events if hit.index == 1] == pytest.approx(times[::2], abs=1e-11)
    assert run.completed and len(np.unique(run.time)) == len(run.time)


def test_events_do_not_disturb_the_motion_they_watch():
    model = mech.pendulum()
    watched = simulate(model, [1.2], [0.0], (0.0, 2.0), events=[Event(lambda t, q, v: q[0])])
    alone = simulate(model, [1.2], [0.0], (0.0, 2.0))
    assert np.array_equal(watched.q, alone.q) and np.array_equal(watched.time, alone.time)


def test_a_step_that_crosses_twice_is_noticed():
    """A height 1 mm below the top of a ballistic arc (solved exactly) is passed up and down in one step."""
    dip = Event(lambda t, q, v: -(q[0] - 1.2**2 / (2 * mech.G) + 1e-3), "near the top")
    run = simulate(mech.ball(0.7), [0.0], [1.2], (0.0, 0.25), events=[dip], method="rk4", dt=0.25)
    exact = 1.2 / mech.G + np.array([-1, 1]) * np.sqrt(2e-3 / mech.G)
    assert [hit.time for hit in run.events] == pytest.approx(exact, abs=1e-10)


def test_several_events_in_one_step_come_in_time_order_up_to_the_one_that_ends_it():
    events = [
        Event(lambda t, q, v: t - 0.15, "late"),
        Event(lambda t, q, v: t - 0.10, "end", terminal=True),
        Event(lambda t, q, v: t - 0.05, "early"),
    ]
    run = simulate(mech.ball(0.7), [0.0], [0.0], (0.0, 1.0), events=events, method="rk4", dt=0.2)
    assert [hit.name for hit in run.events] == ["early", "end"]
    assert [hit.time for hit in run.events] == pytest.approx([0.05, 0.10], abs=1e-12)


def test_a_start_on_the_event_does_not_fire_but_the_return_does():
    floor = Event(lambda t, q, v: q[0], "floor", terminal=True)
    run = simulate(mech.ball(0.7), [0.0], [2.0], (0.0, 5.0), events=[floor])
    assert [hit.time for hit in run.events] == pytest.approx([4.0 / mech.G], abs=1e-10)


def test_output_instants_stop_at_a_terminal_event():
    floor = Event(lambda t, q, v: q[0], "floor", terminal=True)
    times = np.linspace(0.0, 1.0, 21)
    run = simulate(mech.ball(0.7), [0.5], [0.0], (0.0, 1.0), events=[floor], times=times)
    inside = times[times < np.sqrt(1.0 / mech.G)]
    assert np.array_equal(run.time, inside)
    assert np.allclose(run.q[:, 0], 0.5 - 0.5 * mech.G * inside**2, atol=1e-9)


def test_an_impact_as_the_map_of_an_event():
    """A falling bar is caught at one end by a plastic impact and swings on from there as a pendulum."""
    model = mech.free_body((0.06, 1e-3, 0.06), mass=2.0, com=(0.3, 0.0, 0.0))
    hook = PointConstraint("body", (0.0, 0.0, 0.0))
    caught = Event(
        lambda t, q, v: q[1],
        "hook",
        direction=-1,
        map=lambda t, q, v: (q, plastic_impact(model, q, v, [hook]).v),
    )
    start = model.neutral()
    start[1] = 0.2
    run = simulate(model, start, np.zeros(6), (0.0, 0.3), events=[caught])
    hit = run.events[0]
    assert hit.time == pytest.approx(np.sqrt(0.4 / mech.G), abs=1e-10)
    spin = 2.0 * 0.3 * hit.v[4] / (0.06 + 2.0 * 0.09)  # moment of momentum about the hook is kept
    assert np.allclose(hit.v_after, (0, 0, spin, 0, 0, 0), atol=1e-9)


def test_endless_bounces_are_stopped():
    """Zeno: every bounce takes half as long as the last; none is missed, and the pile-up is reported."""
    floor = Event(lambda t, q, v: q[0], "floor", direction=-1, map=lambda t, q, v: (q, -0.5 * v))
    with pytest.raises(SimulationStopped, match="pile up") as caught:
        simulate(mech.ball(0.7), [0.1], [0.0], (0.0, 5.0), events=[floor])
    first = np.sqrt(0.2 / mech.G)
    assert caught.value.time == pytest.approx(3 * first, abs=1e-7)  # t1 (1 + 2 (1/2 + 1/4 + ...))
    exact = first * (1 + 2 * np.cumsum(np.r_[0.0, 0.5 ** np.arange(1, 40)]))
    times = np.array([hit.time for hit in caught.value.partial.events])
    assert len(times) > 20 and np.max(np.abs(times - exact[: len(times)])) < 1e-9


@pytest.mark.parametrize(
    ("make", "word"),
    [
        (lambda: Event("q"), r"function of an event must be a function g\(t, q, v\), however it is 'q'"),
        (
            lambda: Event(lambda t, q, v: 0.0, map=3),
            r"map of an event must be a function \(t, q, v\), or None, however it is 3",
        ),
        (
            lambda: Event(lambda t, q, v: 0.0, direction=2),
            "direction of an event must be -1, 0 or 1, however it is 2",
        ),
        (lambda: _run(Event(lambda t, q, v: np.nan, "odd")), "event 'odd' is nan"),
        (lambda: _run(Event(lambda t, q, v: [1.0, 2.0], "odd")), "one number"),
        (lambda: _run(Event(lambda t, q, v: q[0], map=lambda t, q, v: (q, [1.0, 2.0]))), "v must have shape"),
    ],
)
def test_guards(make, word):
    with pytest.raises(InputError, match=word):
        make()


def _run(event):
    return simulate(mech.ball(0.7), [0.1], [0.0], (0.0, 1.0), events=[event])
