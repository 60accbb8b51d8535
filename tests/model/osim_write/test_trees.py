"""What we write opens in OpenSim 4.6 and stands, weighs and resists acceleration as our engine says."""

import numpy as np
import pytest
from tests.oracles import trees

pytest.importorskip("opensim")

from tests.model.osim_write.peer import Written

from softstride import engine
from softstride.model.formats.osim_write import write_osim
from softstride.model.formats.osim_write.rods import without_rods
from softstride.model.frame import Frame, Point
from softstride.model.library import athlete

POSE = 1e-9  # [m], and of rotation matrices; measured 4e-15
MATRIX = 1e-9  # relative to the largest entry; measured 5e-15, more near the singular angle of a ball joint
KINDS = ("fixed", "revolute", "prismatic", "spherical", "free", "custom")


def centre(model, poses):
    """Return the centre of mass of all links, those fixed to the world included."""
    masses = [link.mass for link in model.links]
    points = [T[:3, :3] @ link.inertia.com + T[:3, 3] for T, link in zip(poses, model.links, strict=True)]
    return np.average(points, axis=0, weights=masses)


def compare(model, path, rng, poses=4):
    """Write, open, and compare poses, markers, masses and mass matrices at random poses."""
    rigid = without_rods(model, 1).model
    write_osim(model, path)
    peer = Written(path, rigid)
    assert peer.osim.getTotalMass(peer.state) == pytest.approx(model.mass, rel=1e-12)
    for _ in range(poses):
        q = trees.random_q(rigid, rng)
        G = peer.move(q)
        ours = engine.poses(rigid, q)
        np.testing.assert_allclose(peer.poses(), ours, rtol=0, atol=POSE)
        M = engine.mass_matrix(rigid, q)
        np.testing.assert_allclose(peer.projected(G), M, rtol=0, atol=MATRIX * np.max(np.abs(M)))
        if rigid.markers:
            seen = [engine.positions(rigid, q, name) for name in rigid.markers]
            np.testing.assert_allclose(peer.markers(), seen, rtol=0, atol=POSE)
        com = peer.osim.calcMassCenterPosition(peer.state).to_numpy()
        np.testing.assert_allclose(com, centre(rigid, ours), rtol=0, atol=POSE)
    return peer


def marked(model, rng):
    """Return the model with a marker on every link and two frames."""
    links = [*model.link_names, "world"]
    markers = {f"m{i}": Point(name, 0.2 * rng.standard_normal(3)) for i, name in enumerate(links)}
    frames = {
        "f1": Frame(links[0], 0.1 * rng.standard_normal(3), trees.rotation(rng)),
        "f2": Point("world", rng.standard_normal(3)),
    }
    return model.replace(markers=markers, frames=frames)


@pytest.mark.parametrize("seed", [*range(11), 27])  # 27: a constant turn that has no coordinate
def test_random_trees(tmp_path, seed):
    """Every kind of rigid joint, branching, offsets and shared coordinates."""
    rng = np.random.default_rng(seed)
    model = marked(trees.random_model(rng, 8, KINDS, base=None, trees=2), rng)
    compare(model, tmp_path / "tree.osim", rng)


@pytest.mark.parametrize("seed", range(4))
def test_random_trees_with_rods(tmp_path, seed):
    """Rods become chains; OpenSim and our engine agree on the chain, markers between the ends included."""
    rng = np.random.default_rng(100 + seed)
    model = trees.random_model(rng, 6, ("revolute", "rod", "spherical"), base="free")
    rods = [link for link in model.links if link.soft]
    markers = {
        f"{link.name}{i}": Point(link.name, 0.05 * rng.standard_normal(3), at=share * link.joint.length)
        for link in rods
        for i, share in enumerate((0.0, 0.3, 0.77, 1.0))
    }
    compare(model.replace(markers=markers), tmp_path / "rods.osim", rng, 2)


@pytest.mark.slow
def test_athlete_with_a_blade(tmp_path):
    """The packaged athlete, blade as rigid pieces."""
    compare(athlete(), tmp_path / "athlete.osim", np.random.default_rng(1), 2)


def test_athlete_falls(tmp_path):
    """At rest and in the air nothing but the pelvis accelerates: forces and massless bodies do no harm."""
    import opensim as osim

    model = athlete()
    write_osim(model, tmp_path / "athlete.osim")
    peer = osim.Model(str(tmp_path / "athlete.osim"))
    state = peer.initSystem()
    peer.realizeAcceleration(state)
    coordinates = peer.getCoordinateSet()
    for i in range(coordinates.getSize()):
        expected = model.gravity[1] if coordinates.get(i).getName() == "pelvis.ty" else 0.0
        # bushings of 1e4 N·m/rad on poses of 1e-16 rad and bodies of 1e-4 kg·m² leave 1e-8
        assert coordinates.get(i).getAccelerationValue(state) == pytest.approx(expected, abs=1e-7)


def test_default_pose_and_frames(tmp_path):
    """OpenSim's default pose is ours; frames stand where they stood."""
    rng = np.random.default_rng(3)
    model = marked(trees.random_model(rng, 6, KINDS, base="free"), rng)
    changes = {
        name: type(c)(name, default=float(rng.uniform(-0.5, 0.5)), lower=-1.0, upper=1.2, clamped=True)
        for name, c in model.coordinates.items()
    }
    model = model.replace(coordinates=changes)
    path = tmp_path / "default.osim"
    write_osim(model, path)
    import opensim as osim

    peer = osim.Model(str(path))
    state = peer.initSystem()
    peer.realizePosition(state)
    q = model.neutral()
    for name, pose in zip(model.link_names, engine.poses(model, q), strict=True):
        body = peer.getBodySet().get(name)
        np.testing.assert_allclose(body.getPositionInGround(state).to_numpy(), pose[:3, 3], atol=1e-7)
    found = peer.getComponent(f"/bodyset/{model.links[0].name}/f1")
    frame = osim.PhysicalOffsetFrame.safeDownCast(found)
    np.testing.assert_allclose(
        frame.getPositionInGround(state).to_numpy(), engine.positions(model, q, "f1"), rtol=0, atol=1e-7
    )
    coordinate = peer.getCoordinateSet().get(model.coordinate_names[0])
    assert (coordinate.getRangeMin(), coordinate.getRangeMax()) == (-1.0, 1.2)
    assert coordinate.getDefaultClamped()
