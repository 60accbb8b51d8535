"""The closed form against the engine: the same chain as a tree of revolute joints in space."""

import numpy as np
import pytest
from tests.oracles.planar_newton import random_chain, random_state

import softstride as ss
from softstride.notes import codes
from softstride.planar import Chain, Contact
from softstride.planar.from_motion import chain_from_motion

Z = (0.0, 0.0, 1.0)


def tree(chain, base=False):
    """The chain as a model; its coordinates are angles between neighbours."""
    builder = ss.ModelBuilder("planar", gravity=(*chain.gravity, 0.0))
    parent, position = "world", (0.0, 0.0, 0.0)
    if base:
        builder.prismatic("slide_x", axis=(1, 0, 0))
        builder.prismatic("slide_y", "slide_x", axis=(0, 1, 0))
        parent = "slide_y"
    for i in range(1, chain.n + 1):
        name = f"link{i}"
        inertia = chain.inertia[i] * np.array([0.5, 0.6, 1.0])
        builder.revolute(
            name,
            parent,
            axis=Z,
            position=position,
            mass=chain.mass[i],
            com=(*chain.com[i], 0.0),
            inertia=inertia,
        )
        parent, position = name, (chain.length[i], 0.0, 0.0)
    return builder.build()


def relative(angles):
    """Joint angles from absolute angles, columns 1 to n."""
    return np.diff(angles[:, 1:], axis=1, prepend=0.0)


@pytest.mark.parametrize("n", [1, 2, 5, 12])
@pytest.mark.parametrize("base", [False, True], ids=["fixed", "moving"])
def test_torques_are_the_engine_s(n, base):
    rng = np.random.default_rng(n)
    chain = random_chain(rng, n, muscles=0)
    state = random_state(rng, chain, base=base, frames=50)
    model = tree(chain, base)
    q, v, a = (relative(np.asarray(x)) for x in (state.theta, state.omega, state.alpha))
    if base:
        q, v = (np.concatenate([np.zeros((50, 2)), x], axis=1) for x in (q, v))
        a = np.concatenate([state.base_acceleration, a], axis=1)
    wrenches = {}
    for contact, link in zip(chain.contacts, chain.contact_links, strict=True):
        if link == 0:
            continue
        force, couple = np.zeros((50, 3)), np.zeros((50, 3))
        force[:, :2] = state.force[contact.name]
        couple[:, 2] = state.couple.get(contact.name, 0.0)
        place = ss.Point(f"link{link}", (*contact.point, 0.0))
        wrenches[contact.name] = (place, np.concatenate([couple, force], axis=1))
    applied = sum(
        (ss.generalized_forces(model, q, {place: wrench}) for place, wrench in wrenches.values()),
        start=np.zeros((50, model.nv)),
    )
    tau = ss.inverse_dynamics(model, q, v, a) - applied
    found = chain.torques(state).required
    np.testing.assert_allclose(found, tau[:, -n:], rtol=0.0, atol=1e-11 * np.abs(tau).max())
    reaction = chain.reactions(state.changed(tension={})).force[:, 0]
    if base:  # the slides carry what joint 1 transmits: the force on link 1 is the opposite of phi_1
        np.testing.assert_allclose(-reaction, tau[:, :2], rtol=0.0, atol=1e-11 * np.abs(tau).max())


@pytest.mark.parametrize("n", [1, 3, 8])
def test_forward_dynamics_is_the_engine_s(n):
    rng = np.random.default_rng(40 + n)
    chain = random_chain(rng, n, muscles=0, contacts=0)
    state = random_state(rng, chain, frames=30).changed(torque=20.0 * rng.standard_normal((30, n)))
    q, v = relative(np.asarray(state.theta)), relative(np.asarray(state.omega))
    wanted = ss.forward_dynamics(tree(chain), q, v, state.torque)
    found = relative(chain.accelerations(state))
    np.testing.assert_allclose(found, wanted, rtol=1e-8, atol=1e-9 * np.abs(wanted).max())


def swinging(frames=80):
    """A leg that hangs on a moving pelvis, as a motion of a model."""
    chain = Chain(
        length=[0.1, 0.42, 0.40, 0.20],
        mass=[0.0, 8.0, 3.5, 1.0],
        com=[(0, 0), (0.18, 0.01), (0.17, -0.01), (0.08, 0.02)],
        inertia=[0.0, 0.13, 0.05, 0.006],
        links=("pelvis", "thigh", "shank", "foot"),
    )
    model = tree(chain, base=True)
    time = np.arange(frames) / 100.0
    phase = 2.0 * np.pi * time[:, None] * np.array([1.0, 1.0, 1.0, 2.0, 2.0])
    size, offset = np.array([0.1, 0.03, 0.4, 0.5, 0.3]), np.array([0.0, 0.9, -1.5, -0.4, 1.4])
    q = offset + size * np.sin(phase)
    rate = 2.0 * np.pi * np.array([1.0, 1.0, 1.0, 2.0, 2.0])
    rates = (size * rate * np.cos(phase), -size * rate**2 * np.sin(phase))
    return chain, ss.Motion(model, time, q, rates=rates)


@pytest.mark.parametrize("rigid", [False, True])
def test_a_motion_becomes_a_chain(rigid):
    """Down from the pelvis, with a wrench on the foot: torques are those of the engine, without differentiating."""
    _, motion = swinging()
    n = len(motion)
    force, point, moment = np.zeros((n, 3)), np.zeros((n, 3)), np.zeros((n, 3))
    force[:, 0], force[:, 1] = 40.0, 600.0 * np.sin(np.arange(n) / 20.0)
    point[:] = ss.positions(motion.model, motion.q, ss.Point("link3", (0.15, -0.05, 0.1)))
    moment[:, 2] = 3.0
    wrench = ss.AppliedWrench("link3", force, point, moment)
    case = chain_from_motion(
        motion,
        ["slide_y", "link1", "link2", "link3"],
        wrenches={"plate": wrench},
        end=ss.Point("link3", (0.2, 0, 0)),
        rigid=rigid,
    )
    tau = ss.inverse_dynamics(motion.model, motion.q, motion.v, motion.a)
    place = ss.Point("link3", (0.15, -0.05, 0.1))
    tau -= ss.generalized_forces(motion.model, motion.q, {place: np.concatenate([moment, force], axis=1)})
    scale = np.abs(tau).max()
    np.testing.assert_allclose(case.chain.torques(case.state).required, tau[:, 2:], atol=1e-11 * scale)
    np.testing.assert_allclose(-case.chain.reactions(case.state).force[:, 0], tau[:, :2], atol=1e-11 * scale)
    assert case.chain.joints == ("link1", "link2", "link3")


def test_a_motion_read_from_the_foot_up():
    """The other way round, with the foot as base: beyond the knee is the thigh alone."""
    chain, motion = swinging()
    up = chain_from_motion(motion, ["link3", "link2", "link1"], end=ss.Point("link1"))
    assert up.chain.joints == ("link3", "link2")
    com = ss.Point("link1", (*chain.com[1], 0.0))
    arm = ss.positions(motion.model, motion.q, com) - ss.positions(motion.model, motion.q, "link2")
    R = ss.poses(motion.model, motion.q, "link1")[:, :3, :3]
    twist = ss.velocities(motion.model, motion.q, motion.v, com)
    rate = ss.accelerations(motion.model, motion.q, motion.v, motion.a, com)
    linear = np.einsum("fij,fj->fi", R, rate[:, 3:] + np.cross(twist[:, :3], twist[:, 3:]))
    net = chain.mass[1] * (linear - motion.model.gravity)
    wanted = np.cross(arm, net)[:, 2] + chain.inertia[1] * rate[:, 2]
    found = up.chain.torques(up.state).required[:, 1]
    np.testing.assert_allclose(found, wanted, atol=1e-11 * np.abs(wanted).max())


def test_bodies_may_be_grouped():
    """Shank and foot as one link, which bend against each other: at the hip and at the knee nothing changes."""
    _, motion = swinging()
    apart = chain_from_motion(motion, ["slide_y", "link1", "link2", "link3"])
    together = chain_from_motion(motion, ["slide_y", "link1", ("link2", "link3")])
    assert together.chain.links == ("slide_y", "link1", "link2+link3")
    found, wanted = (case.chain.reactions(case.state).force for case in (together, apart))
    np.testing.assert_allclose(found, wanted[:, :2], atol=1e-9)
    found, wanted = (case.chain.torques(case.state).required for case in (together, apart))
    np.testing.assert_allclose(found, wanted[:, :2], atol=1e-9)
    inner = np.abs(together.state.shape.turning).max()
    assert inner > 0.5  # what the foot does against the shank [N·m]
    rigid = chain_from_motion(motion, ["slide_y", "link1", ("link2", "link3")], rigid=True)
    assert rigid.state.shape is None and any("the rest is lost" in str(note) for note in rigid.notes)


def test_a_group_has_the_inertia_of_its_bodies_about_their_common_centre():
    """Two bodies in one link: their own moments of inertia, and their masses times distances squared."""
    chain, motion = swinging()
    case = chain_from_motion(motion, ["slide_y", "link1", ("link2", "link3")])
    m2, m3 = chain.mass[2:]
    places = [ss.Point(f"link{i}", (*chain.com[i], 0.0)) for i in (2, 3)]
    first, second = (ss.positions(motion.model, motion.q, place) for place in places)
    distance = np.linalg.norm(first - second, axis=1)
    wanted = chain.inertia[2] + chain.inertia[3] + m2 * m3 / (m2 + m3) * distance**2
    np.testing.assert_allclose(case.chain.inertia[2], wanted.mean(), rtol=1e-12)


@pytest.mark.parametrize("group", [False, True], ids=["apart", "together"])
def test_a_leg_in_space_has_the_moments_of_space_about_the_normal(group):
    """A leg that abducts and turns: torques about z are those of the bodies in space, joint by joint."""
    builder = ss.ModelBuilder("leg")
    bodies = (("thigh", 8.0, 0.13), ("shank", 3.5, 0.05), ("foot", 1.0, 0.01))
    parent = "world"
    for name, mass, about in bodies:
        inertia = about * np.array([0.9, 0.2, 1.0])
        position = (0.0, 0.0, 0.0) if parent == "world" else (0.02, -0.4, 0.01)
        builder.spherical(
            name, parent, position=position, mass=mass, com=(0.01, -0.17, 0.02), inertia=inertia
        )
        parent = name
    model = builder.build()
    rng = np.random.default_rng(4)
    time = np.arange(40) / 100.0
    q = ss.integrate(model, np.tile(model.neutral(), (40, 1)), 0.4 * rng.standard_normal((40, model.nv)))
    rates = (2.0 * rng.standard_normal((40, model.nv)), 20.0 * rng.standard_normal((40, model.nv)))
    motion = ss.Motion(model, time, q, rates=rates)
    groups = ["world", "thigh", ("shank", "foot")] if group else ["world", "thigh", "shank", "foot"]
    case = chain_from_motion(motion, groups, end=ss.Point("foot", (0.0, -0.1, 0.0)))
    found = case.chain.torques(case.state).required
    tau = ss.inverse_dynamics(model, motion.q, motion.v, motion.a)
    for j, body in enumerate(("thigh", "shank", "foot")[: case.chain.n]):
        normal = ss.poses(model, motion.q, body)[
            :, 2, :3
        ]  # in the axes of the body, as the moment of its ball joint
        wanted = np.einsum("fi,fi->f", normal, tau[:, 3 * j : 3 * j + 3])
        np.testing.assert_allclose(found[:, j], wanted, atol=1e-10 * np.abs(tau).max())
    for form in ("distal", "proximal"):
        supported = case.chain.changed(contacts=[Contact("seat", "world")])
        state = supported.balanced(case.state, "seat")
        assert supported.contributions(state, form=form).sum_error(state) < 1e-12


@pytest.mark.parametrize(
    ("links", "words"),
    [
        (["slide_y"], "a base and one body or more"),
        (["slide_y", "link9"], "'link9' is no body"),
        (["slide_y", "link1", "link3"], "are not joined"),
        (["slide_y", "link1", "link1"], "occurs more than once"),
        (["link1", "world"], "only be the base"),
        (["world", "slide_x", "slide_y"], "has no mass"),
    ],
)
def test_bad_groups(links, words):
    _, motion = swinging(5)
    with pytest.raises(ss.InputError, match=words):
        chain_from_motion(motion, links)


def test_contacts_on_other_bodies_are_left_out():
    _, motion = swinging(5)
    zero = np.zeros((5, 3))
    wrenches = {"seat": ss.AppliedWrench("slide_x", zero, zero, zero)}
    case = chain_from_motion(motion, ["slide_y", "link1", "link2"], wrenches=wrenches)
    assert case.chain.contacts == () and not any("Loads on" in str(note) for note in case.notes)
    short = {"toe": ss.AppliedWrench("link2", zero[:3], zero[:3], zero[:3])}
    with pytest.raises(ss.InputError, match="5 frames"):
        chain_from_motion(motion, ["slide_y", "link1", "link2"], wrenches=short)


def test_a_force_without_a_point_is_refused():
    """A plate that does not know where it is pressed: the force must not act at the joint by accident."""
    _, motion = swinging(5)
    force, point = np.zeros((5, 3)), np.full((5, 3), np.nan)
    free = {"plate": ss.AppliedWrench("link2", force, point, 0.0 * force)}
    assert chain_from_motion(motion, ["slide_y", "link1", "link2"], wrenches=free).chain.contacts
    pressed = force.copy()
    pressed[3, 1] = 600.0
    lost = {"plate": ss.AppliedWrench("link2", pressed, point, 0.0 * force)}
    with pytest.raises(ss.InputError, match="'plate' has a force of 600 N and no point in frame 3"):
        chain_from_motion(motion, ["slide_y", "link1", "link2"], wrenches=lost)


def test_loads_that_are_left_out_are_told():
    """A force on a foot that is no part of the chain is missing there; one on the side of the base is not needed."""
    _, motion = swinging(5)
    push = np.tile([0.0, 700.0, 0.0], (5, 1))
    wrenches = {
        name: ss.AppliedWrench(link, push, 0.0 * push, 0.0 * push)
        for name, link in (("ground", "link3"), ("seat", "slide_x"), ("hand", "link2"))
    }
    case = chain_from_motion(motion, ["slide_y", "link1", "link2"], wrenches=wrenches)
    assert [contact.name for contact in case.chain.contacts] == ["hand"]
    told = [note for note in case.notes if note.topic == "loads"]
    assert codes(told) == ("loads.beyond-the-chain", "loads.on-the-base")
    assert [note.names for note in told] == [("ground",), ("seat",)]
    assert [str(note) for note in told] == [
        "Loads on bodies beyond the chain are left out, and their effect on it is missing: 'ground' on 'link3'.",
        "Loads on the side of the base are not needed and left out: 'seat' on 'slide_x'.",
    ]
    whole = chain_from_motion(motion, ["slide_y", "link1", "link2", "link3"], wrenches=wrenches)
    assert not any("missing" in str(note) for note in whole.notes)
