"""Every kind of joint, written by hand in both formats, against OpenSim's own poses, mass matrix and bias."""

import numpy as np
import pytest
from tests.model.osim.documents import KINDS, document
from tests.oracles.errors import relative

from softstride import engine
from softstride.model.formats.osim import read_osim

pytest.importorskip("opensim")

from tests.model.osim.peer import Peer

# Both sides multiply the same rotations and evaluate the same polynomials in double precision; an ellipsoid's path is a
# sum of seven turns here and a product of sines there.
TOLERANCE = 1e-12
VERSIONS = (30000, 40500)


def compare(path, rng, poses=20):
    """Compare poses, mass, centre of mass, M and bias at random states."""
    model = read_osim(path)
    peer = Peer(path, model)
    assert model.mass == pytest.approx(peer.mass, abs=1e-12)
    for _ in range(poses):
        q, v = rng.uniform(-1.2, 1.2, model.nq), rng.standard_normal(model.nv)
        M, b = peer.projected(q, v)
        for name, T in peer.body_poses().items():
            assert np.max(np.abs(engine.poses(model, q, name) - T)) < TOLERANCE
        assert np.max(np.abs(engine.centre_of_mass(model, q) - peer.centre_of_mass())) < TOLERANCE
        assert relative(engine.mass_matrix(model, q), M) < TOLERANCE
        assert relative(engine.bias(model, q, v), b) < TOLERANCE
    return model, peer


@pytest.mark.parametrize("version", VERSIONS)
@pytest.mark.parametrize("kind", KINDS)
def test_kind_of_joint(tmp_path, kind, version):
    path = tmp_path / "small.osim"
    path.write_text(document(kind, version))
    model, _ = compare(path, np.random.default_rng(1))
    assert model.coordinate_names == tuple(f"a_{i}" for i in range(3)) + tuple(
        f"b_{i}" for i in range(KINDS[kind])
    )
    assert model.gravity.tolist() == [0.5, -9.7, 0.3]


@pytest.mark.parametrize("version", VERSIONS)
@pytest.mark.parametrize("kind", KINDS)
def test_kind_of_joint_backwards(tmp_path, kind, version):
    """The transform leads from the child of the tree to its parent (reverse in format 3, swapped ends in 4)."""
    path = tmp_path / "small.osim"
    path.write_text(document(kind, version, reverse=True))
    model, _ = compare(path, np.random.default_rng(2))
    assert model.link("lower").name == "lower"
