"""Newton and Euler for every link by an independent engine, one frame at a time; blades and their sockets."""

import dataclasses

import numpy as np
import pytest
from tests.models import blade_runner, walker
from tests.muscles.reactions.machines import cable, forces, with_muscles
from tests.oracles import screws as sc
from tests.oracles.reference import Snapshot
from tests.trials import pushed, swinging

import softstride as ss
from softstride.capture import ExternalForce, Recording
from softstride.engine import plan
from softstride.model import Model
from softstride.model.link import WORLD
from softstride.muscles.reactions import certify
from softstride.muscles.reactions.joints import joints_of

TOLERANCE = 1e-9  # of the largest wrench; rounding over a dozen links


def own_needs(oracle, a, name):
    """Return the momentum rate of one link less its weight, in world axes about the world's origin, (6,)."""
    total = np.zeros(6)
    for s in oracle.stations:
        if s.link == name:
            twist = s.place.J @ oracle.v
            force = (
                s.inertia @ (s.place.J @ a + s.place.J_dot @ oracle.v) - sc.ad(twist).T @ s.inertia @ twist
            )
            total += sc.adjoint(sc.inverse(s.place.T)).T @ force
            weight = s.mass * np.asarray(oracle.model.gravity)
            total -= np.concatenate([np.cross((s.place.T @ np.append(s.com, 1.0))[:3], weight), weight])
    return total


def about_origin(force, moment, point):
    return np.concatenate([moment + np.cross(point, force), force])


def muscled_walker(root):
    model = walker(root)
    bands = [
        cable("quad", ("thigh_r", (0.05, 0.0, 0.0)), ("shank_r", (0.05, -0.05, 0.0))),
        cable(
            "hamstring",
            ("trunk", (-0.05, 0.0, 0.05)),
            ("thigh_r", (-0.04, -0.2, 0.0)),
            ("shank_r", (-0.03, -0.05, 0)),
        ),
        cable("calf", ("thigh_l", (-0.03, -0.3, 0.0)), ("foot_l", (-0.05, 0.0, 0.0))),
        cable("rope", ("world", (0.0, 2.0, 0.0)), ("trunk", (0.0, 0.2, 0.0))),
    ]
    return with_muscles(model, *bands)


@pytest.mark.parametrize("root", ["free", "custom"])
@pytest.mark.parametrize("frame", ["child", "parent", "ground"])
def test_every_link_is_in_balance(root, frame):
    """For each link: its joint, minus its children's, plus outside forces and muscles, is what moves it."""
    model = muscled_walker(root)
    motion = swinging(model)
    recording = pushed(model, motion)
    loads = ss.solve_id(model, motion, recording)
    rng = np.random.default_rng(2)
    tension = forces(
        tuple(model.muscles), motion.time, rng.uniform(0.0, 500.0, (len(motion), len(model.muscles)))
    )
    found = ss.joint_reactions(model, motion, loads, tension, frame=frame)
    pulls = ss.muscle_wrenches(model, motion.q, tension.force)
    axes = [
        joint.child if frame == "child" else joint.parent if frame == "parent" else WORLD
        for joint in found.joints
    ]
    for f in range(0, len(motion), 7):
        oracle = Snapshot(model, motion.q[f], motion.v[f])
        transmitted = {}
        for i, joint in enumerate(found.joints):
            T = oracle.pose(axes[i])
            R = T[:3, :3]
            point = T[:3, 3] + R @ found.point[f, i]
            transmitted[joint.child] = about_origin(R @ found.force[f, i], R @ found.moment[f, i], point)
        for link in model.links:
            total = transmitted[link.name] - sum(
                (transmitted[child.name] for child in model.children(link.name)), np.zeros(6)
            )
            for wrench in loads.wrenches.values():
                if wrench.link == link.name:
                    total = total + about_origin(wrench.force[f], wrench.moment[f], wrench.point[f])
            if link.name in pulls:
                w = pulls[link.name][f]
                total = total + about_origin(w[3:], w[:3], oracle.pose(link.name)[:3, 3])
            needs = own_needs(oracle, motion.a[f], link.name)
            scale = max(np.abs(x).max() for x in (needs, transmitted[link.name]))
            assert np.abs(total - needs).max() < TOLERANCE * scale
    assert found.balance < 1e-11


@pytest.mark.parametrize("root", ["free", "custom"])
def test_the_floating_base_is_given_the_residual(root):
    model = walker(root)
    motion = swinging(model)
    loads = ss.solve_id(model, motion, pushed(model, motion))
    base = ss.joint_reactions(model, motion, loads, frame="ground").joint(loads.base)
    T = ss.poses(model, motion.q, loads.base)
    arm = base.point - T[:, :3, 3]
    got = np.concatenate([base.moment + np.cross(arm, base.force), base.force], axis=1)
    np.testing.assert_allclose(got, loads.residual, atol=1e-9 * np.abs(loads.residual).max())


def test_muscles_between_links_do_not_change_the_base():
    model = muscled_walker("custom")
    motion = swinging(model)
    loads = ss.solve_id(model, motion, pushed(model, motion))
    inside = ("quad", "hamstring", "calf")
    given = forces(inside, motion.time, [300.0, 200.0, 500.0])
    plain, pulled = (ss.joint_reactions(model, motion, loads, each) for each in (None, given))
    np.testing.assert_allclose(pulled.joint("trunk").force, plain.joint("trunk").force, atol=1e-9)
    rope = ss.joint_reactions(model, motion, loads, forces(("rope",), motion.time, [100.0]))
    change = np.linalg.norm(rope.joint("trunk").force - plain.joint("trunk").force, axis=1)
    np.testing.assert_allclose(change, 100.0, rtol=1e-12)


def test_the_certificate_sees_a_wrong_force():
    model = muscled_walker("free")
    motion = swinging(model)
    loads = ss.solve_id(model, motion, pushed(model, motion))
    good = ss.joint_reactions(model, motion, loads)
    off = np.array(good.force)
    off[10, 2] += 1e-3 * np.abs(off).max()
    bad = dataclasses.replace(good, force=off)
    assert good.balance < 1e-11 < 1e-4 < bad.balance


def wrong_by(reactions, share, joint):
    """Return reactions with the moment of one joint off in one frame, by a share of the largest moment."""
    off = np.array(reactions.moment)
    off[10, reactions.index(joint), 1] += share * np.abs(off).max()
    return dataclasses.replace(reactions, moment=off)


@pytest.mark.parametrize("on", ["child", "parent"])
def test_the_certificate_sees_a_millionth_of_the_largest_moment_at_any_joint(on):
    model = muscled_walker("free")
    motion = swinging(model)
    loads = ss.solve_id(model, motion, pushed(model, motion))
    tension = forces(tuple(model.muscles), motion.time, [300.0, 200.0, 500.0, 100.0])
    good = ss.joint_reactions(model, motion, loads, tension, on=on, frame="ground")
    assert good.balance < 1e-11
    for joint in good.names:
        assert wrong_by(good, 1e-6, joint).balance > 1e-8


def test_the_certificate_is_of_known_frames_however_many_at_once(monkeypatch):
    model = muscled_walker("custom")
    motion = swinging(model)
    loads = ss.solve_id(model, motion, pushed(model, motion))
    bad = wrong_by(ss.joint_reactions(model, motion, loads), 1e-3, "shank_r")
    rest = np.array(bad.rest)
    rest[3:8] = np.nan
    bad = dataclasses.replace(bad, rest=rest)
    whole = bad.balance
    monkeypatch.setattr(certify, "_PIECE", 8)
    assert certify.largest_violation(bad) == whole > 1e-5
    rest[10] = np.nan  # where it is wrong
    assert certify.largest_violation(dataclasses.replace(bad, rest=rest)) < 1e-11


def test_the_certificate_makes_no_model_and_at_most_one_plan(monkeypatch):
    model = muscled_walker("free")
    motion = swinging(model)
    loads = ss.solve_id(model, motion, pushed(model, motion))
    tension = forces(tuple(model.muscles), motion.time, [300.0, 200.0, 500.0, 100.0])
    found = ss.joint_reactions(model, motion, loads, tension)
    made, make = [], plan.make_plan
    monkeypatch.setattr(Model, "__post_init__", lambda self: made.append("a model"))
    monkeypatch.setattr(plan, "make_plan", lambda *a, **k: made.append("a plan") or make(*a, **k))
    assert found.balance < 1e-11
    assert made in ([], ["a plan"])


@pytest.fixture(scope="module")
def athlete():
    return blade_runner()


@pytest.mark.slow
def test_the_joint_of_a_socket_transmits_its_wrench(athlete):
    """Rods, welded links and a force that wanders along the blade: as `Loads.socket`, which is found otherwise."""
    rng = np.random.default_rng(4)
    n = 40
    t = np.arange(n) / 100.0
    small = np.array([0.02 if "blade" in name else 0.1 for name in athlete.coordinate_names])
    phase, omega = rng.uniform(0, 6, athlete.nv), rng.uniform(3, 8, athlete.nv)
    x = small * np.sin(np.outer(t, omega) + phase)
    motion = ss.Motion(athlete, t, ss.integrate(athlete, np.tile(athlete.neutral(), (n, 1)), x))
    tip = ss.positions(athlete, motion.q, "blade_r")
    force = np.tile([30.0, 900.0, -20.0], (n, 1))
    point = tip + np.linspace(-0.1, 0.05, n)[:, None] * [1.0, 0.0, 0.0]
    plate = ExternalForce("plate", t, force, point, 0.1 * force, side="right")
    loads = ss.solve_id(athlete, motion, Recording("r", forces=(plate,)))
    found = ss.joint_reactions(athlete, motion, loads, frame="ground", on="parent")
    socket, wrench = found.joint("socket_r"), loads.socket["socket_r"]
    arm = socket.point - wrench.point
    moment = socket.moment + np.cross(arm, socket.force)
    assert np.abs(socket.force - wrench.force).max() < 1e-9 * np.abs(wrench.force).max()
    assert np.abs(moment - wrench.moment).max() < 1e-9 * np.abs(wrench.moment).max()
    assert found.balance < 1e-10
    on_child = ss.joint_reactions(athlete, motion, loads)
    assert on_child.balance < 1e-10
    rod = next(joint for joint in joints_of(athlete) if joint.child == "blade_r")
    assert found.labels[found.index("blade_r")] == "blade_r_on_clamp_r_in_ground" and rod.cut == "blade_r"
