"""People at rest: what Newton and the lever rule say, without any program."""

import numpy as np
import pytest
from tests.dynamics.estimate.people import (
    G,
    column,
    gait,
    left_clearance,
    one_leg,
    plain,
    still,
    swaying,
    total,
)

import softstride as ss
from softstride.notes import codes

FINE = {
    "spread": 1e-7,
    "load": 1e-8,
    "torque": 1e-8,
    "reach": 1.0,
}  # costs that decide where nothing else does


def cop(loads):
    """Return the centre of pressure of both feet together, shape (n, 3)."""
    parts = loads.wrenches.values()
    up = [np.where(np.isfinite(w.point[:, :1]), w.force[:, 1:2], 0.0) for w in parts]
    return sum(w * np.nan_to_num(x.point) for w, x in zip(up, parts, strict=True)) / sum(up)


def admissible(loads):
    weight = loads.model.mass * G
    assert loads.ground.friction_margin.min() >= -1e-8 * weight
    assert loads.ground.normal.min() >= -1e-8 * weight


def tilted(angle):
    """Return the gait person standing with the trunk bent to a side."""
    q = gait().neutral().copy()
    q[column(gait(), "lumbar_bending")] = angle
    return q


@pytest.mark.parametrize("smoothness", [None, 30.0])
def test_standing_on_both_feet(smoothness):
    """Each foot bears half, the sum is the weight, friction between the feet cancels."""
    model = gait()
    loads = ss.estimate_loads(model, still(model), smoothness=smoothness)
    weight = model.mass * G
    right, left = loads.wrenches["ground_right"], loads.wrenches["ground_left"]
    np.testing.assert_allclose(total(loads)[:, 1], weight, rtol=1e-3)
    np.testing.assert_allclose(right.force[:, 1], left.force[:, 1], rtol=1e-6)
    assert np.abs(total(loads)[:, [0, 2]]).max() < 2e-3 * weight
    assert np.abs(right.force[:, [0, 2]]).max() < 0.02 * weight
    assert (right.link, left.link) == ("calcn_r", "calcn_l")
    np.testing.assert_allclose(right.point * [1, 1, -1], left.point, atol=1e-6)
    assert np.abs(right.point[:, 1]).max() < 1e-9
    admissible(loads)
    assert not loads.doubtful.any()


def test_the_centre_of_pressure_is_under_the_centre_of_mass():
    """At rest gravity and ground are one line, wherever the trunk leans."""
    model = gait()
    for angle in (0.0, 0.15, -0.2):
        q = tilted(angle)
        loads = ss.estimate_loads(model, still(model, q), **FINE)
        com = ss.centre_of_mass(model, q)
        np.testing.assert_allclose(cop(loads)[2, [0, 2]], com[[0, 2]], atol=1e-3)
        assert np.linalg.norm(loads.residual[2, :3]) < 1e-3 * model.mass * G
        admissible(loads)


def test_the_centre_of_pressure_with_costs_as_they_are():
    """Costs of torques and of the spread draw it towards the middle of the soles: some centimetres at rest."""
    model = gait()
    loads = ss.estimate_loads(model, still(model))
    offset = cop(loads)[0, [0, 2]] - ss.centre_of_mass(model, model.neutral())[[0, 2]]
    assert abs(offset[1]) < 1e-6
    assert abs(offset[0]) < 0.04


def test_lever_rule():
    """Leaning to a side: moments about the forward axis through one foot give the load of the other."""
    model = gait()
    q = tilted(0.2)
    loads = ss.estimate_loads(model, still(model, q), **FINE)
    z = ss.centre_of_mass(model, q)[2]
    right, left = (loads.wrenches[f"ground_{side}"] for side in ("right", "left"))
    weight = model.mass * G
    assert abs(z) > 0.01
    share = (z - left.point[0, 2]) / (right.point[0, 2] - left.point[0, 2])
    assert right.force[0, 1] / weight == pytest.approx(share, abs=2e-3)
    assert (share > 0.5) == (z > 0.0)


def test_load_goes_to_the_side_one_leans_to_with_costs_as_they_are():
    model = gait()
    shares = []
    for angle in (-0.2, 0.0, 0.2):
        q = tilted(angle)
        loads = ss.estimate_loads(model, still(model, q))
        right = loads.wrenches["ground_right"].force[0, 1] / (model.mass * G)
        shares.append((ss.centre_of_mass(model, q)[2], right))
    shares.sort()
    assert shares[1][1] == pytest.approx(0.5, abs=1e-3)
    assert shares[0][1] < 0.45 and shares[2][1] > 0.55


def test_standing_on_one_foot():
    """The other foot is well above the floor: nothing on it; the centre of pressure is where the mass is."""
    model, (q, middle) = gait(), one_leg()
    assert left_clearance(q) > 0.1
    loads = ss.estimate_loads(model, still(model, q))
    weight = model.mass * G
    right, left = loads.wrenches["ground_right"], loads.wrenches["ground_left"]
    np.testing.assert_allclose(right.force[:, 1], weight, rtol=3e-3)
    assert np.abs(left.force).max() < 2e-3 * weight
    assert (
        np.abs(right.point[0, [0, 2]] - middle[[0, 2]]).max() < 0.045
    )  # costs draw it to the middle of the sole
    admissible(loads)
    fine = ss.estimate_loads(model, still(model, q), **FINE)
    np.testing.assert_allclose(fine.wrenches["ground_right"].point[0, [0, 2]], middle[[0, 2]], atol=2e-3)


@pytest.mark.slow
def test_a_foot_that_stays_five_centimetres_up_bears_nothing():
    model, (q, _) = gait(), one_leg(0.75, 1.35)
    assert 0.045 < left_clearance(q) < 0.065
    loads = ss.estimate_loads(model, still(model, q))
    assert loads.wrenches["ground_left"].force[0, 1] < 0.01 * model.mass * G


def test_an_average_sole_stands_too():
    """A model without places of contact: soles found from where the feet rest."""
    model = plain()
    loads = ss.estimate_loads(model, still(model))
    np.testing.assert_allclose(total(loads)[:, 1], model.mass * G, rtol=1e-3)
    np.testing.assert_allclose(loads.wrenches["ground_right"].force[:, 1], 0.5 * model.mass * G, rtol=1e-3)
    admissible(loads)


def falling(n=41, height=0.5, speed=1.0):
    """Return the gait person in a ballistic flight, upright."""
    model = gait()
    t = np.arange(n) / 100.0
    q = np.tile(model.neutral(), (n, 1))
    v, a = np.zeros((n, model.nv)), np.zeros((n, model.nv))
    k = column(model, "pelvis_ty")
    q[:, k] += height + speed * t - 0.5 * G * t**2
    v[:, k], a[:, k] = speed - G * t, -G
    return ss.Motion(model, t, q, rates=(v, a))


@pytest.mark.parametrize("options", [{}, {"floor": 0.0}, {"smoothness": None}])
def test_flight(options):
    loads = ss.estimate_loads(gait(), falling(), lowpass=None, **options)
    for wrench in loads.wrenches.values():
        assert np.abs(wrench.force).max() < 5e-3 * gait().mass * G
    admissible(loads)
    assert not loads.doubtful.any()


def test_stance_and_flight_of_one_motion():
    """Standing, then the same person in free fall half a metre up: force of a weight, then none."""
    model = gait()
    fall, stand = falling(), still(model, n=60)
    q = np.concatenate([stand.q, fall.q])
    v, a = (np.concatenate([np.zeros((60, model.nv)), rate]) for rate in (fall.v, fall.a))
    loads = ss.estimate_loads(
        model, ss.Motion(model, np.arange(len(q)) / 100.0, q, rates=(v, a)), lowpass=None, smoothness=None
    )
    up = total(loads)[:, 1] / (model.mass * G)
    np.testing.assert_allclose(up[:60], 1.0, atol=1e-3)
    assert np.abs(up[60:]).max() < 5e-3
    assert np.all(loads.ground.activation[:60].max(axis=1) > 0.4)
    assert np.all(loads.ground.activation[60:] < 1e-3)


def test_hovering_is_not_believed():
    """Feet half a metre up without acceleration: nothing in reach bears the weight, and the frames say so."""
    model = gait()
    up = model.neutral().copy()
    up[column(model, "pelvis_ty")] += 0.5
    q = np.concatenate([np.tile(model.neutral(), (20, 1)), np.tile(up, (20, 1))])
    zero = np.zeros((40, model.nv))
    motion = ss.Motion(model, np.arange(40) / 100.0, q, rates=(zero, zero))
    loads = ss.estimate_loads(model, motion, lowpass=None, smoothness=None)
    assert loads.doubtful[20:].all() and not loads.doubtful[:20].any()
    assert "loads.residual-too-large" in codes(loads.notes)
    assert np.abs(total(loads)[20:, 1]).max() < 0.1 * model.mass * G


def test_sliding_ground_bears_no_friction():
    """friction = 0: forces are vertical."""
    loads = ss.estimate_loads(gait(), swaying(), friction=0.0)
    assert np.abs(loads.ground.force[..., [0, 2]]).max() < 1e-9 * gait().mass * G
    assert np.abs(total(loads)[:, 1] / (gait().mass * G) - 1.0).max() < 0.4
