"""Which joints a model has, what they are called, where their frames are, and in whose axes results come."""

import numpy as np
import pytest
from tests.model.osim import documents
from tests.models import the_model
from tests.trials import pushed_walker

import softstride as ss
from softstride.errors import InputError
from softstride.model import Link, Model, Rod, Section
from softstride.model.inertia import Inertia
from softstride.model.joints import Fixed, Revolute
from softstride.muscles.reactions.joints import chosen_joints, joints_of


def chained():
    """A trunk, and an arm on a joint of three links of which two have no mass; then a hand on a welded wrist."""
    body = Inertia(1.0, (0.0, -0.1, 0.0), (0.01, 0.01, 0.01))
    lift = np.eye(4)
    lift[:3, 3] = (0.1, 0.2, 0.0)
    links = (
        Link("trunk", "world", Revolute((0, 0, 1)), inertia=body, joint_name="hip"),
        Link("shoulder.1", "trunk", Revolute((1, 0, 0), "a"), lift, joint_name="shoulder"),
        Link("shoulder.2", "shoulder.1", Revolute((0, 1, 0), "b"), joint_name="shoulder"),
        Link("arm", "shoulder.2", Revolute((0, 0, 1), "c"), offset=lift, inertia=body, joint_name="shoulder"),
        Link("hand", "arm", Fixed(), lift, inertia=body),
    )
    return Model("chained", links)


def test_a_joint_of_several_links_is_one():
    model = chained()
    hip, shoulder, wrist = joints_of(model)
    assert [joint.name for joint in (hip, shoulder, wrist)] == ["hip", "shoulder", "hand"]
    assert (shoulder.parent, shoulder.child, shoulder.cut) == ("trunk", "arm", "shoulder.1")
    assert (shoulder.parent_frame.link, shoulder.child_frame.link) == ("trunk", "arm")
    np.testing.assert_allclose(shoulder.parent_frame.position, [0.1, 0.2, 0.0])
    np.testing.assert_allclose(shoulder.child_frame.position, [-0.1, -0.2, 0.0])
    assert joints_of(model) is joints_of(model)


def test_links_with_mass_or_branches_end_a_joint():
    model = chained()
    heavy = tuple(
        Link(x.name, x.parent, x.joint, x.placement, x.offset, Inertia(0.1), joint_name=x.joint_name)
        if x.name == "shoulder.1"
        else x
        for x in model.links
    )
    names = [joint.name for joint in joints_of(model.replace(links=heavy))]
    assert names == ["hip", "shoulder.1", "arm", "hand"]  # one name for two joints: the links' names


def test_joints_are_chosen_by_name_or_link():
    model = chained()
    assert [j.name for j in chosen_joints(model, "shoulder")] == ["shoulder"]
    assert [j.name for j in chosen_joints(model, ["hand", "arm"])] == ["hand", "shoulder"]
    with pytest.raises(
        InputError, match="'knee' is no joint of 'chained'; joints are 'hip', 'shoulder', 'hand'"
    ):
        chosen_joints(model, ["knee"])
    with pytest.raises(InputError, match="'shoulder' is asked for twice"):
        chosen_joints(model, ["arm", "shoulder"])


def test_opensim_names_joints(shared_data):
    model = the_model(shared_data / "knee_gc5_ps" / "GC5.osim")
    names = {joint.name: (joint.parent, joint.child) for joint in joints_of(model)}
    assert names["walker_knee_l"] == ("femur_l", "tibia_l") and names["ground_pelvis"] == ("world", "pelvis")
    assert names["patellofemoral_r"] == ("femur_r", "patella_r") and len(names) == 14


def test_names_of_joints_survive_files(tmp_path, shared_data):
    source = shared_data / "walk_rajagopal_emg" / "subject_walk_scaled.osim"
    model = the_model(source)
    for name in ("copy.osim", "copy.json"):
        ss.save_model(model, tmp_path / name)
        again = ss.load_model(tmp_path / name)
        assert [joint.name for joint in joints_of(again)] == [joint.name for joint in joints_of(model)]


def test_an_ellipsoid_joint_of_a_file_is_one_joint(tmp_path):
    path = tmp_path / "ellipsoid.osim"
    path.write_text(documents.document("EllipsoidJoint", 40000))
    model = ss.load_model(path)
    base, tested = joints_of(model)
    assert len(model.links) > 2 and (base.name, tested.name) == ("base", "tested")
    assert (tested.parent, tested.child, tested.cut) == ("upper", "lower", "tested.1")


@pytest.fixture(scope="module")
def trial():
    model, motion, recording = pushed_walker()
    return model, motion, ss.solve_id(model, motion, recording)


def test_axes_and_sides_are_views_of_one_wrench(trial):
    model, motion, loads = trial
    ground = ss.joint_reactions(model, motion, loads, frame="ground")
    T = {name: ss.poses(model, motion.q, name) for name in model.link_names}
    T["world"] = np.tile(np.eye(4), (len(motion), 1, 1))
    for frame in ("child", "parent", "ground", "trunk"):
        for on in ("child", "parent"):
            view = ss.joint_reactions(model, motion, loads, frame=frame, on=on)
            for i, joint in enumerate(view.joints):
                axes = T[{"child": joint.child, "parent": joint.parent, "ground": "world"}.get(frame, frame)]
                R = axes[:, :3, :3]
                force = np.einsum("nij,nj->ni", R, view.force[:, i])
                point = np.einsum("nij,nj->ni", R, view.point[:, i]) + axes[:, :3, 3]
                moment = np.einsum("nij,nj->ni", R, view.moment[:, i])
                sign = 1.0 if on == "child" else -1.0
                arm = point - ground.point[:, i]
                np.testing.assert_allclose(sign * force, ground.force[:, i], atol=1e-9)
                np.testing.assert_allclose(
                    sign * (moment + np.cross(arm, force)), ground.moment[:, i], atol=1e-9
                )
                frame_on = joint.child_frame if on == "child" else joint.parent_frame
                np.testing.assert_allclose(point, ss.positions(model, motion.q, frame_on), atol=1e-12)


def test_columns_are_named_as_opensim_names_them(trial):
    model, motion, loads = trial
    found = ss.joint_reactions(model, motion, loads, joints=["shank_r", "trunk"], on="parent")
    assert found.labels == ("shank_r_on_thigh_r_in_shank_r", "trunk_on_ground_in_trunk")
    assert found.columns[:9] == tuple(f"shank_r_on_thigh_r_in_shank_r_{x}{y}" for x in "fmp" for y in "xyz")
    assert found.table.shape == (len(motion), 18)
    np.testing.assert_array_equal(found.table[:, 9:12], found.force[:, 1])
    with pytest.raises(InputError, match='frame must be "child", "parent", "ground" or a link or frame'):
        ss.joint_reactions(model, motion, loads, frame="moon")
    with pytest.raises(InputError, match='on must be "child" or "parent"'):
        ss.joint_reactions(model, motion, loads, on="both")
    with pytest.raises(InputError, match="'knee' is none of the joints"):
        found.joint("knee")


def test_a_chain_transmits_one_wrench_at_both_its_ends():
    model = chained()
    rng = np.random.default_rng(0)
    q, v, a = (rng.normal(size=(5, model.nv)) for _ in range(3))
    motion = ss.Motion(model, np.arange(5) / 10.0, q, rates=(v, a))
    found = ss.joint_reactions(model, motion, ss.solve_id(model, motion))
    assert found.names == ("hip", "shoulder", "hand") and found.balance < 1e-12
    tau = ss.inverse_dynamics(model, q, v, a)
    R = ss.poses(model, q, "arm")[:, :3, :3]
    axis = np.einsum("nij,j->ni", R, [0.0, 0.0, 1.0])  # of the last turn, through the origin of M
    ground = ss.joint_reactions(model, motion, ss.solve_id(model, motion), frame="ground").joint("shoulder")
    np.testing.assert_allclose(np.einsum("ni,ni->n", ground.moment, axis), tau[:, 3], atol=1e-12)


def test_joints_on_rods_are_at_their_sections():
    section = Section.rectangle(0.02, 0.005, 1600.0, 5e10, 5e9)
    b = ss.ModelBuilder("mast")
    b.rod("mast", rod=Rod.uniform(0.6, 2, section), position=(0.0, 1.0, 0.0))
    b.revolute("flag", parent="mast", at=0.3, axis=(0, 0, 1), position=(0.0, 0.05, 0.0), mass=1.0)
    model = b.build()
    mast, flag = joints_of(model)
    assert mast.child_frame.link == "world" and flag.parent_frame.at == 0.3
    motion = ss.Motion(model, np.arange(4) / 10.0, np.zeros((4, model.nq)))
    found = ss.joint_reactions(model, motion, ss.solve_id(model, motion), frame="parent")
    assert found.axes == ("ground", "mast") and found.balance < 1e-12
    np.testing.assert_allclose(found.joint("flag").point, np.tile([0.0, 0.05, 0.0], (4, 1)), atol=1e-12)
    np.testing.assert_allclose(found.joint("mast").point, np.tile([0.0, 1.0, 0.0], (4, 1)), atol=1e-12)
