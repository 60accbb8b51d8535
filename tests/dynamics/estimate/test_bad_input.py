"""What an estimate refuses, and what it says then."""

import dataclasses

import numpy as np
import pytest
from tests.dynamics.estimate.people import gait, plain, still, swaying
from tests.models import walker
from tests.refusals import bad_input

import softstride as ss
from softstride.errors import InputError, ModelError
from softstride.notes import codes


def still_free(model, n=4):
    zero = np.zeros((n, model.nv))
    return ss.Motion(model, np.arange(n) / 100.0, np.tile(model.neutral(), (n, 1)), rates=(zero, zero))


@bad_input(
    InputError,
    ({"friction": -0.1}, r"friction must be finite and at least 0.*-0\.1"),
    ({"friction": "much"}, "friction must be a number"),
    ({"friction": np.nan}, "friction must be a number"),
    ({"friction": np.inf}, "friction"),
    ({"facets": 3}, "facets.*from 4 on.*3"),
    ({"facets": 4.5}, "facets"),
    ({"facets": True}, "facets"),
    ({"lowpass": 0.0}, "lowpass"),
    ({"lowpass": "some"}, "lowpass must be a number"),
    ({"smoothness": 0.0}, "smoothness"),
    ({"smoothness": -3.0}, "smoothness"),
    ({"reach": 0.0}, "reach"),
    ({"tolerance": 0.0}, "tolerance"),
    ({"max_iterations": 0}, "max_iterations"),
    ({"torque": -1.0}, "torque must be finite and at least 0"),
    ({"load": 0.0}, "load must be finite and above 0"),
    ({"spread": -1.0}, "spread"),
    ({"floor": np.inf}, "floor"),
    ({"floor": "ground"}, "floor must be a number"),
    ({"belt": 1.3}, "belt must be a velocity"),
    ({"belt": (1.0,)}, "belt must have two components"),
    ({"belt": (np.nan, 0.0)}, "belt"),
    ({"time_range": (1.0, 0.0)}, "time_range"),
    ({"time_range": 3.0}, "time_range must be a start and an end"),
    ({"links": {"middle": "calcn_r"}}, "links must be given by side"),
    ({"soles": ["right"]}, "soles must be given by side"),
    ({"frictoin": 0.5}, "'frictoin' is no option.*known: .*friction.*smoothness"),
    ({"belt": ("fast", 0.0)}, "belt"),
    ({"belt": (np.inf, 0.0)}, "belt"),
    ({"soles": {"right": "large"}}, "sole"),
    (
        lambda motion, time_range: (swaying(), (7.0, 8.0)),
        r"no frame lies from 7 to 8 s; the motion runs from 0 to 1\.2 s",
    ),
    (lambda motion, lowpass: (swaying(), 60.0), "lowpass must be below half the rate"),
    (lambda motion, lowpass: (still_free(walker()), None), r"walker.*gait person"),
    (lambda motion: still_free(walker(), n=60), r"walker.*gait person"),
    (lambda model, motion: (swaying(), model), "takes a Model and a Motion"),
    (lambda motion: swaying().q, "takes a Model and a Motion"),
)
def test_what_makes_no_sense(refuses):
    refuses(ss.estimate_loads, model=gait(), motion=still(gait()), lowpass="auto", time_range=None)


def test_options_in_an_object_and_on_top():
    options = ss.EstimateOptions(friction=0.3)
    assert ss.estimate_loads(gait(), still(gait()), options).ground.friction == 0.3
    assert ss.estimate_loads(gait(), still(gait()), options, friction=0.4).ground.friction == 0.4
    assert options.friction == 0.3
    with pytest.raises(dataclasses.FrozenInstanceError):
        options.friction = 1.0


def test_nan_in_the_motion():
    """A motion of such frames cannot be made."""
    q = still(gait()).q.copy()
    q[3, 7] = np.nan
    with pytest.raises(InputError, match="frame 3"):
        ss.estimate_loads(gait(), ss.Motion(gait(), np.arange(len(q)) / 100.0, q))
    a = np.zeros((len(q), gait().nv))
    a[2, 1] = np.inf
    with pytest.raises(InputError, match=r"a must be finite.*frame 2"):
        ss.Motion(gait(), np.arange(len(q)) / 100.0, still(gait()).q, rates=(np.zeros_like(a), a))


def test_nobody_at_all():
    weightless = dataclasses.replace(gait(), gravity=np.zeros(3))
    with pytest.raises(ModelError, match="no weight"):
        ss.estimate_loads(weightless, still(weightless))
    builder = ss.ModelBuilder("ghost")
    builder.free("trunk")
    for side, z in (("r", 0.1), ("l", -0.1)):
        builder.revolute(f"foot_{side}", parent="trunk", axis=(0, 0, 1), position=(0, -0.9, z))
    ghost = builder.build()
    with pytest.raises(ModelError, match="no weight: give its links their masses"):
        ss.estimate_loads(ghost, still_free(ghost))


def test_no_floating_base():
    builder = ss.ModelBuilder("bolted")
    builder.fixed("trunk", mass=50.0, inertia=(1, 1, 1))
    for side, z in (("r", 0.1), ("l", -0.1)):
        builder.revolute(f"foot_{side}", parent="trunk", axis=(0, 0, 1), position=(0, -0.9, z), mass=1.0)
    bolted = builder.build()
    with pytest.raises(InputError, match=r"no floating base.*solve_id") as caught:
        ss.estimate_loads(bolted, still_free(bolted))
    assert caught.value.told(lambda option: "softstride id").endswith("Use softstride id.")


def test_times_within_the_motion():
    """The frames are those of the whole, but for what the ends of a smooth solution do."""
    whole = ss.estimate_loads(gait(), swaying(), smoothness=None, lowpass=None)
    part = ss.estimate_loads(
        gait(), swaying(), time_range=(0.3, 0.6), smoothness=None, lowpass=None, floor=0.0
    )
    assert part.time[0] == pytest.approx(0.3) and part.time[-1] == pytest.approx(0.6)
    np.testing.assert_allclose(part.tau, whole.tau[30:61], rtol=0, atol=1e-5 * np.abs(whole.tau).max())


def test_iterations_that_do_not_suffice_are_told():
    """One step is not enough: frames are marked, nothing is raised, and forces stay within their cones."""
    loads = ss.estimate_loads(
        gait(), swaying(), max_iterations=1, tolerance=1e-12, friction=0.02, smoothness=None
    )
    assert not loads.ground.converged.all()
    assert "ground.not-converged" in codes(loads.notes)
    assert loads.ground.friction_margin.min() > -1e-8 * 75.0 * 9.81


def test_a_model_that_lies_down():
    """Gravity along -z, as a model of another program has it: soles are not where they seem, and it is said."""
    turned = dataclasses.replace(plain(), gravity=np.array([0.0, 0.0, -9.80665]))
    loads = ss.estimate_loads(turned, still(turned))
    assert loads.doubtful.all()
