"""Every kind of joint of OpenSim: what it transmits on child and parent, in all axes."""

import numpy as np
import pytest
from tests.model.osim import documents

import softstride as ss

osim = pytest.importorskip("opensim", reason="the peer of these tests")
osim.Logger.setLevelString("off")

ANGULAR = ("BallJoint", "FreeJoint", "EllipsoidJoint")  # whose speeds are no rates of their angles in OpenSim
TOLERANCE = 1e-9  # of the largest number; file and API hold all digits


def peer_reactions(path, model, q, v, frame, on):
    """Return force, moment and point of OpenSim's joints by name, (9,), where nothing but weight acts."""
    peer = osim.Model(str(path))
    state = peer.initSystem()
    coordinates = peer.updCoordinateSet()
    for i in range(coordinates.getSize()):
        each = coordinates.get(i)
        column = model.coordinate_names.index(each.getName())
        each.setValue(state, float(q[column]), False)
        each.setSpeedValue(state, float(v[column]))
    peer.realizeAcceleration(state)
    rows = {}
    for i in range(peer.getJointSet().getSize()):
        joint = peer.getJointSet().get(i)
        ends = {"child": joint.getChildFrame(), "parent": joint.getParentFrame()}
        call = (
            joint.calcReactionOnChildExpressedInGround
            if on == "child"
            else joint.calcReactionOnParentExpressedInGround
        )
        reaction = call(state)
        axes = peer.getGround() if frame == "ground" else ends[frame].findBaseFrame()
        ground = peer.getGround()
        force, moment = (
            ground.expressVectorInAnotherFrame(state, reaction.get(k), axes).to_numpy() for k in (1, 0)
        )
        at = ends[on].getTransformInGround(state).p()
        point = ground.findStationLocationInAnotherFrame(state, at, axes).to_numpy()
        rows[joint.getName()] = np.concatenate([force, moment, point])
    return rows


def falling(tmp_path, kind, reverse):
    """Return (path, model, motion, loads) of two bodies that fall and swing freely, one frame of it."""
    path = tmp_path / f"{kind}.osim"
    path.write_text(documents.document(kind, 40000, reverse=reverse))
    model = ss.load_model(path)
    rng = np.random.default_rng(len(kind))
    q = rng.uniform(-0.5, 0.5, (1, model.nv))
    v = rng.uniform(-2.0, 2.0, (1, model.nv)) * (kind not in ANGULAR)
    a = ss.forward_dynamics(model, q, v, np.zeros((1, model.nv)))
    motion = ss.Motion(model, [0.0], q, rates=(v, a))
    return path, model, motion, ss.solve_id(model, motion)


def row(reactions, name):
    return np.concatenate([part[0] for part in reactions.joint(name)])


@pytest.mark.parametrize("kind", sorted(documents.KINDS))
def test_reactions_of_every_kind(tmp_path, kind):
    """The same motion for both, and the same wrench at both joints."""
    path, model, motion, loads = falling(tmp_path, kind, reverse=False)
    for frame in ("child", "parent", "ground"):
        for on in ("child", "parent"):
            ours = ss.joint_reactions(model, motion, loads, frame=frame, on=on)
            theirs = peer_reactions(path, model, motion.q[0], motion.v[0], frame, on)
            for name in ("base", "tested"):
                for part in (slice(0, 3), slice(3, 6), slice(6, 9)):
                    scale = max(1.0, np.abs(theirs[name][part]).max())
                    gap = np.abs(row(ours, name)[part] - theirs[name][part]).max()
                    assert gap < TOLERANCE * scale, (name, frame, on, part)


@pytest.mark.parametrize("kind", sorted(documents.KINDS))
def test_joints_that_lead_backwards(tmp_path, kind):
    """Of a joint whose child body hangs on the ground by another one, OpenSim reports that other joint's wrench.

    Ours is the joint's own: Newton and Euler hold for what lies beyond it, and the bodies are named in the columns.
    """
    path, model, motion, loads = falling(tmp_path, kind, reverse=True)
    ours = ss.joint_reactions(model, motion, loads, frame="ground")
    theirs = peer_reactions(path, model, motion.q[0], motion.v[0], "ground", "child")
    assert np.abs(theirs["tested"][:3] - theirs["base"][:3]).max() < 1e-12
    assert np.abs(row(ours, "base") - theirs["base"]).max() < TOLERANCE * np.abs(theirs["base"]).max()
    assert ours.labels == ("base_on_upper_in_ground", "tested_on_lower_in_ground")
    assert ours.balance < 1e-12
