"""Loads in a blade and in its socket."""

from dataclasses import replace

import numpy as np
import pytest
from tests.dynamics.exact import agree
from tests.models import blade_runner
from tests.trials import pushed_walker

from softstride import engine
from softstride.capture import ExternalForce, Recording
from softstride.dynamics import solve_id
from softstride.errors import InputError
from softstride.kinematics import Motion
from softstride.model import Frame, Free


@pytest.fixture(scope="module")
def athlete():
    return blade_runner()


@pytest.mark.slow
def test_the_socket_against_a_free_joint_in_its_place(athlete):
    """What an inserted joint of six coordinates has to transmit is what the stump gives the socket."""
    motion = swinging_athlete(athlete)
    recording = under_blade(athlete, motion)
    loads = solve_id(athlete, motion, recording)
    found = loads.socket["socket_r"]
    links = tuple(replace(link, joint=Free()) if link.name == "socket_r" else link for link in athlete.links)
    opened = athlete.replace(links=links)
    at_q, at_v = opened.q_slice("socket_r"), opened.v_slice("socket_r")
    q = np.insert(motion.q, [at_q.start] * 7, np.zeros(7), axis=1)
    q[:, at_q.stop - 1] = 1.0
    v, a = (np.insert(x, [at_v.start] * 6, np.zeros(6), axis=1) for x in (motion.v, motion.a))
    wrench = loads.wrenches["plate"]
    tip = engine.positions(opened, q, "blade_r")
    tau = engine.inverse_dynamics(opened, q, v, a, {"blade_r": wrench.about(tip)})
    body = tau[:, at_v].reshape(-1, 2, 3)  # of the stump on the socket, in the axes of the socket
    R = engine.poses(opened, q, "socket_r")[:, :3, :3]
    expected = -np.einsum("nij,nkj->nki", R, body).reshape(-1, 6)
    agree(found.values, expected)
    assert (found.link, found.source) == ("tibia_r", "socket_r")
    assert np.allclose(found.point, engine.positions(athlete, motion.q, "socket_r"))


def test_the_socket_of_somebody_who_stands(athlete):
    """By hand: the stump carries the force under the blade less the weight of the prosthesis."""
    n = 6
    q = np.tile(athlete.neutral(), (n, 1))
    still = np.zeros((n, athlete.nv))
    motion = Motion(athlete, np.arange(n) / 10.0, q, rates=(still, still))
    point = engine.positions(athlete, q, "blade_r")
    force = np.tile([0.0, 400.0, 0.0], (n, 1))
    recording = Recording(
        "r", forces=(ExternalForce("p", motion.time, force, point, 0 * force, side="right"),)
    )
    found = solve_id(athlete, motion, recording).socket["socket_r"]
    parts = ("socket_r", "clamp_r", "blade_r")
    mass = sum(athlete.link(name).mass for name in parts)
    assert 1.0 < mass < 4.0
    assert np.allclose(found.force, [0.0, 400.0 - 9.80665 * mass, 0.0], atol=1e-9)
    light = solve_id(athlete, motion).socket["socket_r"]
    change = np.cross(point - found.point, force)
    assert np.allclose(found.moment - light.moment, change, atol=1e-9)


def test_sockets_can_be_named():
    model, motion, recording = pushed_walker()
    loads = solve_id(model, motion, recording, sockets=["foot_l"])
    assert list(loads.socket) == ["foot_l"] and loads.socket["foot_l"].link == "shank_l"
    only = solve_id(model, motion, recording.replace(forces=recording.forces[1:]), sockets=["foot_l"])
    assert np.allclose(
        loads.socket["foot_l"].values, only.socket["foot_l"].values, atol=1e-9
    )  # its own plate alone
    with pytest.raises(InputError, match="socket 'tail' is no link of 'walker'"):
        solve_id(model, motion, sockets=["tail"])
    with pytest.raises(InputError, match="hangs on the world"):
        solve_id(model, motion, sockets=["trunk"])
    assert len(solve_id(model, motion).socket) == 0


def swinging_athlete(model, n=20):
    rng = np.random.default_rng(8)
    q0 = np.tile(model.neutral(), (n, 1))
    q = engine.integrate(model, q0, 0.1 * rng.normal(size=(n, model.nv)))
    v, a = rng.normal(size=(2, n, model.nv))
    return Motion(model, np.arange(n) / 100.0, q, rates=(v, a))


def under_blade(model, motion, at=None):
    place = Frame("blade_r") if at is None else Frame("blade_r", at=at)
    rng = np.random.default_rng(9)
    n = len(motion)
    point = engine.positions(model, motion.q, place)
    force = rng.normal(scale=100.0, size=(n, 3))
    plate = ExternalForce("plate", motion.time, force, point, rng.normal(size=(n, 3)), side="right")
    return Recording("r", forces=(plate,))


@pytest.mark.parametrize("share", [0.25, 0.5, 1.0])
def test_a_load_on_a_blade_acts_on_its_section(athlete, share):
    """A load bends the blade only up to its section; to the rest of the body it is the same wrench."""
    motion = swinging_athlete(athlete)
    at = share * athlete.link("blade_r").joint.length
    recording = under_blade(athlete, motion, at)
    loads = solve_id(athlete, motion, recording)
    force = recording.forces[0]
    wrench = np.concatenate([force.moment, force.force], axis=1)
    expected = engine.inverse_dynamics(
        athlete, motion.q, motion.v, motion.a, {Frame("blade_r", at=at): wrench}
    )
    agree(loads.tau, expected, 1e-8)
    tip = engine.inverse_dynamics(
        athlete, motion.q, motion.v, motion.a, {"blade_r": force_at_tip(athlete, motion, force)}
    )
    strains = [i for i, name in enumerate(athlete.coordinate_names) if name.startswith("blade_r.")]
    others = [i for i in range(athlete.nv) if i not in strains]
    agree(loads.tau[:, others], tip[:, others], 1e-8)
    if share < 1.0:
        assert np.max(np.abs(loads.tau[:, strains] - tip[:, strains])) > 1e-2


def force_at_tip(model, motion, force):
    arm = force.point - engine.positions(model, motion.q, "blade_r")
    return np.concatenate([force.moment + np.cross(arm, force.force), force.force], axis=1)


def test_elastic_forces_are_apart(athlete):
    motion = swinging_athlete(athlete)
    loads = solve_id(athlete, motion, under_blade(athlete, motion))
    expected = engine.passive_forces(athlete, motion.q, motion.v)
    assert np.array_equal(loads.elastic, expected) and np.abs(expected).max() > 0.0
    assert np.array_equal(loads.active, loads.tau - expected)
