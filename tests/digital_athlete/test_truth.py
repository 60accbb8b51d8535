"""The truth of the digital athlete obeys the laws of motion."""

import numpy as np
import pytest

import softstride as ss
from softstride.digital_athlete.foundation import elements, law, linearise, press
from softstride.engine.passive import elastic_energy

PARTS = ("ground_left", "ground_right")


@pytest.fixture(scope="module")
def truth(clean):
    return clean.truth


@pytest.fixture(scope="module")
def weight(truth):
    return truth.model.mass * float(np.linalg.norm(truth.model.gravity))


def test_nothing_drives_the_pelvis(truth, weight):
    tau = ss.inverse_dynamics(truth.model, truth.q, truth.v, truth.a, truth.external())
    base = list(truth.model.v_indices("pelvis"))
    assert np.abs(tau[:, base]).max() < 1e-6 * weight
    np.testing.assert_array_equal(tau, truth.tau)


def test_newton_and_euler_for_the_whole_body(truth, weight):
    """Momentum from the bodies' own motion, another route than inverse dynamics: dh/dt = weight + ground."""
    model = truth.model
    rate = ss.momentum_rate(model, truth.q, truth.v, truth.a)
    pull = model.mass * np.asarray(model.gravity)
    rate[:, 3:] -= pull
    rate[:, :3] -= np.cross(ss.centre_of_mass(model, truth.q), pull)
    for part in PARTS:
        rate -= truth.wrenches[part].about()
    assert np.abs(rate[:, 3:]).max() < 1e-6 * weight
    assert np.abs(rate[:, :3]).max() < 1e-6 * weight * 10.0  # about an origin that is up to 5 m away


def test_only_elasticity_drives_the_blade(truth, weight):
    rod = list(truth.model.v_indices("blade_r"))
    moment = np.abs(truth.elastic[:, rod]).max()
    assert moment > 1.0  # it is bent
    assert np.abs(truth.tau[:, rod] - truth.elastic[:, rod]).max() < 1e-6 * moment


def test_velocities_are_those_of_the_curve(truth):
    h = 1e-5
    inside = truth.time[2:-2]
    before, after = (truth.curve.at(inside + s)[0] for s in (-h, h))
    middle = truth.curve.at(inside)[0]
    np.testing.assert_allclose(middle, truth.q[2:-2], atol=1e-12)
    np.testing.assert_allclose((after - before) / (2 * h), truth.v[2:-2], atol=2e-4)
    speeds = [truth.curve.at(inside + s)[1] for s in (-h, h)]
    np.testing.assert_allclose((speeds[1] - speeds[0]) / (2 * h), truth.a[2:-2], atol=0.5, rtol=1e-4)


def test_ground_pushes_inside_its_cone(truth, weight):
    f = truth.element_forces
    assert f[..., 1].min() >= 0.0
    slack = truth.friction * f[..., 1] - np.hypot(f[..., 0], f[..., 2])
    assert slack.min() >= -1e-9
    for part in PARTS:
        force = truth.wrenches[part].force
        assert (np.hypot(force[:, 0], force[:, 2]) <= truth.friction * force[:, 1] + 1e-9).all()
        assert 1.5 * weight < force[:, 1].max() < 3.0 * weight


def test_flight_is_ballistic(truth):
    flight = ~(truth.wrenches["ground_left"].acts | truth.wrenches["ground_right"].acts)
    assert flight.sum() > 30
    rate = ss.momentum_rate(truth.model, truth.q, truth.v, truth.a)[flight, 3:]
    expected = np.broadcast_to(truth.model.mass * np.asarray(truth.model.gravity), rate.shape)
    np.testing.assert_allclose(rate, expected, atol=1e-3)


def test_stance_and_compression_are_those_of_a_runner(truth):
    for part in PARTS:
        on = np.concatenate([[0], truth.wrenches[part].acts.astype(int), [0]])
        lengths = (np.flatnonzero(np.diff(on) == -1) - np.flatnonzero(np.diff(on) == 1)) / 200.0
        whole = lengths[lengths > 0.1]
        assert len(whole) >= 2
        assert ((whole > 0.18) & (whole < 0.30)).all()
    speed = np.polyfit(truth.time, ss.centre_of_mass(truth.model, truth.q)[:, 0], 1)[0]
    assert 2.7 < speed < 3.3
    stored = elastic_energy(truth.model, truth.q)
    assert 15.0 < stored.max() < 80.0  # [J], at about 1700 N and 5 to 8 cm


def test_work_is_what_energy_gains(truth):
    """Power of joints, blade and ground integrates to the change of kinetic and gravitational energy."""
    f = press(truth.q, truth.v)
    T = ss.poses(truth.model, truth.q, truth.element_places)
    twist = ss.velocities(truth.model, truth.q, truth.v, truth.element_places)
    speed = np.einsum("nkij,nkj->nki", T[..., :3, :3], twist[..., 3:])
    power = (truth.tau * truth.v).sum(axis=1) + (f.force * speed).sum(axis=(1, 2))
    energy = ss.energy(truth.model, truth.q, truth.v)
    total = energy.kinetic + energy.gravity
    work = np.concatenate([[0.0], np.cumsum(0.5 * (power[1:] + power[:-1])) / 200.0])
    np.testing.assert_allclose(total - total[0], work, atol=0.02 * np.ptp(total) + 2.0)


def test_rubbing_loses_energy(truth):
    f = press(truth.q, truth.v)
    twist = ss.velocities(truth.model, truth.q, truth.v, truth.element_places)
    R = ss.poses(truth.model, truth.q, truth.element_places)[..., :3, :3]
    speed = np.einsum("nkij,nkj->nki", R, twist[..., 3:])
    assert (f.force[..., [0, 2]] * speed[..., [0, 2]]).sum(axis=-1).max() <= 0.0


def test_law_of_an_element():
    """Against the formula by hand, and derivatives against differences."""
    k, v = 2e6, np.array([0.3, -0.2, -0.1])
    f, by_y, by_v = law(np.array(-0.004), v, np.array(k))
    u = 0.2
    normal = k * 0.004**2 * (1 + u / np.sqrt(1 + u * u))
    assert f[1] == pytest.approx(normal)
    assert f[0] == pytest.approx(-0.75 * normal * 0.3 / np.sqrt(0.3**2 + 0.1**2 + 0.1**2))
    h = 1e-7
    up, down = (law(np.array(-0.004 + s), v, np.array(k))[0] for s in (h, -h))
    np.testing.assert_allclose((up - down) / (2 * h), by_y, rtol=1e-6)
    for i in range(3):
        d = h * np.eye(3)[i]
        up, down = (law(np.array(-0.004), v + s, np.array(k))[0] for s in (d, -d))
        np.testing.assert_allclose((up - down) / (2 * h), by_v[:, i], rtol=1e-5, atol=1e-6)
    assert not law(np.array(0.001), v, np.array(k))[0].any()


def test_linearised_contact_against_differences(truth):
    frames = np.flatnonzero(truth.wrenches["ground_right"].force[:, 1] > 500.0)[::15]
    q, v = truth.q[frames], truth.v[frames]
    there = linearise(q, v)
    h, columns = 1e-7, [0, 3, 4, 6, 9, len(truth.model.coordinate_names) - 1]
    for j in columns:
        d = h * np.eye(truth.model.nv)[j]
        change = (linearise(q + d, v).force - linearise(q - d, v).force) / (2 * h)
        size = max(np.abs(change).max(), 1.0)
        np.testing.assert_allclose(there.force_q[:, :, j], change, atol=0.05 * size)


def test_elements_lie_on_the_soles():
    from softstride.digital_athlete.person import true_model

    model = true_model()
    heights = ss.positions(model, model.neutral(), elements().places)[:, 1]
    assert abs(heights[elements().foot == 0]).max() < 1e-6  # the shoe stands on the ground
    assert -1e-3 < heights[elements().foot == 1].min() < 1e-3  # and so does the blade


def test_models_differ_as_told(clean):
    true, known = clean.truth_model, clean.model
    assert len(true.link("blade_r").joint.segments) == 24
    assert len(known.link("blade_r").joint.segments) == 6
    assert true.mass == pytest.approx(known.mass, rel=1e-6)
    ratios = [a.mass / b.mass for a, b in zip(true.links, known.links, strict=True) if not a.soft]
    assert 0.03 < max(abs(np.array(ratios) - 1.0)) < 0.06
    for name, point in known.markers.items():
        np.testing.assert_allclose(true.markers[name].position, point.position, atol=1e-9)
