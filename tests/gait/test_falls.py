"""Bad input and falls: clear words, what was simulated, never a hang."""

import numpy as np
import pytest
from tests.refusals import bad_input

from softstride.errors import InputError
from softstride.gait import Body, Impedance, Limits, MomentHistory, Recipe, SevenSegment, Start, load_recipe
from softstride.gait.stability import longest_step, spring_roots

MODEL = SevenSegment()
B = load_recipe("B")


def start(theta=None, omega=None, separation=B.separation):
    angles, rates = B.theta0.copy(), B.omega0.copy()
    for place, value in (theta or {}).items():
        angles[place] = value
    for place, value in (omega or {}).items():
        rates[place] = value
    return Start(angles, rates, separation)


FOLDED = Start(np.array([0.0, 2.8, 0.3, 1.5, 0.3, 2.8, 0.0]), np.zeros(7))  # hips joined, feet right


@bad_input(
    InputError,
    ({"start": start({0: -0.1})}, r"right toe is 28 mm below the floor"),
    ({"start": start({6: 0.2})}, r"left heel is 55.8 mm below the floor"),
    (
        {"start": start(separation=0.4)},
        r"hips are not joined at the start: the right one is 30.77 mm ahead of and",
    ),
    ({"start": start({2: 1.9})}, r"hips are not joined"),
    ({"start": start(omega={2: 1.0})}, r"hips move apart at the start, by \(-0.5769, -0.1883\) m/s"),
    (
        {"start": start({0: np.nan})},
        r"theta0 must be finite numbers of shape \(7,\), however number 0 is nan",
    ),
    (
        {"start": Start(np.zeros(6), np.zeros(7))},
        r"theta0 must be finite numbers of shape \(7,\), however its shape is \(6,\)",
    ),
    ({"start": start(separation=np.inf)}, "separation must be finite"),
    ({"start": FOLDED}, r"the hip is 0.379 m above the floor at the start; a walker needs 0.475 m"),
    ({"start": 3.0}, "start must be a Recipe"),
    ({"start": "Z"}, "no recipe"),
    ({"start": start(), "moments": None}, "moments must be a MomentHistory"),
    ({"moments": "none"}, "moments must be a MomentHistory"),
    ({"steps": 0}, "steps must be a whole number of 1 or more, however it is 0"),
    ({"rate": 0.1}, "rate must be from 1 to 1e6"),
    ({"times": [0.1, 0.1]}, "times must be increasing"),
    ({"times": []}, "times must be increasing"),
    ({"method": "rk45"}, "method must be 'dop853', 'rk4' or 'euler', however it is 'rk45'"),
    ({"method": "rk4"}, "needs a step"),
    ({"method": "rk4", "step": -1.0}, r"step must be a number above 0 \[s\] or None, however it is -1"),
    ({"rtol": 0.0}, "rtol must be a number above 0, however it is 0"),
    ({"perturb": "left_elbow:1=+20%"}, "no joint of the walker"),
    ({"perturb": "left_ankle:5=+20%"}, "no perturbation"),
)
def test_walks_that_cannot_be(refuses):
    refuses(MODEL.simulate, start=start(), moments=B.moments)


@bad_input(
    InputError,
    ({"spring": 0.0}, r"spring must be a number above 0 \[N/m\], however it is 0"),
    ({"damper": -1.0}, r"damper must be a number of 0 or more \[N s/m\], however it is -1"),
    ({"rff": "bounce"}, "rff must be 'impulse', 'keep' or None, however it is 'bounce'"),
    ({"body": "mine"}, "body must be a Body"),
)
def test_models_that_cannot_be(refuses):
    refuses(SevenSegment)


def test_limits_that_cannot_be():
    with pytest.raises(
        InputError, match=r"lean of the limits must be a number above 0 \[rad\], however it is 0"
    ):
        Limits(lean=0.0)
    assert Limits(steps=1e6) == Limits(steps=1_000_000) and type(Limits(steps=1e6).steps) is int  # type: ignore[arg-type]
    with pytest.raises(InputError, match="steps of the limits must be a whole number above 0"):
        Limits(steps=0.5)  # type: ignore[arg-type]


def test_a_walker_without_moments_falls_and_says_when_and_how():
    found = MODEL.simulate(start(), MomentHistory.constant())
    assert not found.completed
    assert found.time[-1] < 1.0 and f"{found.time[-1]:.4f} s" in found.reason
    assert "phase 3 of step 1, the left heel struck before the right one rose" in found.reason
    assert found.n_frames > 20 and np.isfinite(found.q).all()
    assert "ended" in repr(found)
    assert not found.steps[0].completed and np.isnan(found.steps[0].length)


@pytest.mark.parametrize(
    ("joint", "moment", "limits", "words"),
    [
        ("right_knee", -150.0, Limits(), "the hip is"),
        ("right_knee", 150.0, Limits(), "right knee is bent backwards"),
        ("left_knee", -150.0, Limits(), "left knee is bent by"),
        ("right_hip", 200.0, Limits(lean=0.4), "trunk leans forward"),
        ("right_hip", -200.0, Limits(lean=0.4), "trunk leans backward"),
    ],
)
def test_falls_by_name(joint, moment, limits, words):
    history = B.moments.changed(**{joint: B.moments.joint(joint) + moment})
    found = SevenSegment(limits=limits).simulate(B, history)
    assert not found.completed and words in found.reason


def test_a_phase_that_never_ends():
    """A stiff ankle that holds the sole up: foot flat never comes, and the time limit says so."""
    limits = Limits(phase_time=0.05, lean=3.0)
    found = SevenSegment(limits=limits).simulate("B", perturb="right_ankle:1-2=+8")
    assert found.reason.endswith("the right sole never met the floor within 0.05 s")
    assert not found.completed
    short = SevenSegment(limits=Limits(phase_time=0.2)).simulate("B")
    assert short.reason == "at 0.2715 s, phase 3 of step 1, the right heel never rose within 0.2 s"


def test_reasons_name_the_legs_of_the_person():
    """In the second step the left leg stands."""
    feedback = Impedance.from_walk(MODEL.simulate("B"))
    model = SevenSegment(feedback=feedback, limits=Limits(phase_time=0.3))
    found = model.simulate("B", steps=2, perturb="left_ankle:1-2@2=+150")
    assert found.reason.endswith("phase 2 of step 2, the left sole never met the floor within 0.3 s")


def test_steps_are_limited():
    found = SevenSegment(limits=Limits(steps=50)).simulate("B")
    assert not found.completed and "more than 50 steps of the integrator" in found.reason


def test_frames_that_are_never_reached():
    found = MODEL.simulate("B", times=[0.2, 5.0])
    assert found.completed and list(found.time) == [0.2]
    none = MODEL.simulate("B", times=[5.0])
    assert none.n_frames == 1 and none.time[0] == none.event_times["left_heel_strike"]


def test_a_step_too_long_for_the_hip_spring_is_refused_before_it_blows_up():
    """The limit is that of the fastest mode of spring, damper and the masses that they move."""
    limit = longest_step(MODEL.walker, B.theta0, "euler")
    assert limit == pytest.approx(1000.0 / 274400.0, rel=1e-3)  # underdamped: damper over spring
    with pytest.raises(
        InputError, match=r"cannot hold the hip spring of 274400 N/m and 1000 N s/m.*0.0036 s or less"
    ):
        MODEL.simulate("B", method="euler", step=0.005)
    with pytest.raises(InputError, match="no step does: add damping"):
        SevenSegment(damper=0.0).simulate("B", method="euler", step=1e-5)
    stiff = SevenSegment(spring=274400e4, damper=1000.0)
    with pytest.raises(InputError, match="cannot hold"):
        stiff.simulate("B", method="rk4", step=1e-3)
    assert stiff.simulate("B", times=[0.03]).n_frames == 1  # errors are controlled: any spring


@pytest.mark.parametrize("method", ["euler", "rk4"])
def test_the_limit_is_where_it_blows_up(method):
    """Just below the limit the spring's motion dies out, just above it grows; tried on the spring alone."""
    roots = spring_roots(MODEL.walker, B.theta0)
    limit = longest_step(MODEL.walker, B.theta0, method)
    for factor, grows in ((0.98, False), (1.02, True)):
        h = factor * limit
        amplification = []
        for s in roots:
            z = h * s
            R = 1 + z if method == "euler" else 1 + z + z**2 / 2 + z**3 / 6 + z**4 / 24
            amplification.append(abs(R))
        assert bool(max(amplification) > 1.0) is grows


def test_a_recipe_for_another_body_says_what_is_wrong():
    with pytest.raises(InputError, match="hips are not joined"):
        SevenSegment(Body.from_person(50.0, 1.55, "female")).simulate("B")


def test_recipes_are_checked():
    with pytest.raises(InputError, match="rff must be 'impulse' or 'keep'"):
        Recipe(B.theta0, B.omega0, 0.3, B.moments, rff="bounce")
    with pytest.raises(InputError, match="must be a MomentHistory"):
        Recipe(B.theta0, B.omega0, 0.3, None)
