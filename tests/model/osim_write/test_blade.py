"""A rod written as rigid pieces bends in OpenSim like our rod, the better the more pieces there are."""

import re

import numpy as np
import pytest
from scipy.optimize import root

osim = pytest.importorskip("opensim")

from softstride import engine  # noqa: E402
from softstride.model.builder import ModelBuilder  # noqa: E402
from softstride.model.centreline import centreline_frames  # noqa: E402
from softstride.model.formats.osim_write import write_osim  # noqa: E402
from softstride.model.library.athlete import blade_centreline  # noqa: E402
from softstride.model.rod import Rod  # noqa: E402
from softstride.model.section import Section  # noqa: E402
from softstride.simulation.equilibrium import equilibrium  # noqa: E402

CARBON = Section.rectangle(0.065, 0.009, density=1600.0, young=60e9, shear=5e9, damping=2e-4)
PUSH = np.array(
    [150.0, 700.0, 40.0]
)  # at the tip, world axes [N]: about one body weight, out of the plane as well


def blade(split=1, free=("kx", "ky", "kz")):
    """Return the athlete's blade on the world, every one of six segments split in equal parts; no gravity."""
    points, across = blade_centreline(), (0.0, 0.0, 1.0)
    base = centreline_frames(points, across, 6)[0][0]
    rod = Rod.from_centreline(points, across, 6, CARBON, free=free)
    parts = tuple(
        type(s)(s.length / split, s.reference, s.density, s.stiffness, s.damping, s.free)
        for s in rod.segments
        for _ in range(split)
    )
    builder = ModelBuilder("blade", gravity=(0, 0, 0))
    builder.rod("blade", "world", rod=Rod(parts), position=base[:3, 3], rotation=base[:3, :3])
    builder.marker("tip", "blade", (0, 0, 0))
    return builder.build()


def our_tip(model):
    """Return where the tip comes to rest under the load, (3,)."""
    rest = equilibrium(model, model.neutral(), {"blade": np.concatenate([np.zeros(3), PUSH])})
    return engine.positions(model, rest.q, "tip")


class Chain:
    """The written blade in OpenSim with the load on its tip."""

    def __init__(self, path):
        self.model = osim.Model(str(path))
        self.push = osim.PrescribedForce("push", self.model.getBodySet().get("blade"))
        self.push.setForceIsInGlobalFrame(True)
        self.push.setPointIsInGlobalFrame(False)
        self.parts = [osim.Constant(float(value)) for value in PUSH]
        self.push.setForceFunctions(*self.parts)
        self.model.addForce(self.push)
        self.state = self.model.initSystem()
        self.solver = osim.InverseDynamicsSolver(self.model)

    def residual(self, x):
        """Return the generalized forces that would hold the chain at x."""
        self.state.setQ(osim.Vector.createFromMat(np.ascontiguousarray(x)))
        self.model.realizeVelocity(self.state)
        return self.solver.solve(self.state, osim.Vector(self.state.getNU(), 0.0)).to_numpy()

    def tip(self):
        """Return where the tip comes to rest, (3,)."""
        found = root(self.residual, np.zeros(self.state.getNQ()), tol=1e-12)
        assert np.max(np.abs(self.residual(found.x))) < 1e-7  # [N·m]; the load makes moments of 100
        self.model.realizePosition(self.state)
        return self.model.getMarkerSet().get("tip").getLocationInGround(self.state).to_numpy()


def chain_tip(model, path, pieces):
    write_osim(model, path, pieces=pieces)
    return Chain(path).tip()


@pytest.mark.slow
def test_converges_to_the_rod(tmp_path):
    """Second order in the length of a piece, towards the limit of our own rod split ever finer."""
    fine = [our_tip(blade(split)) for split in (8, 16)]
    limit = fine[1] + (fine[1] - fine[0]) / 3.0  # our rod is of second order too
    moved = np.linalg.norm(limit - engine.positions(blade(), blade().neutral(), "tip"))
    assert moved > 0.03  # [m]: far beyond small deflections
    errors = np.array(
        [np.linalg.norm(chain_tip(blade(), tmp_path / f"{m}.osim", m) - limit) / moved for m in (1, 2, 4)]
    )
    assert errors[0] < 0.02
    ratios = errors[:-1] / errors[1:]
    np.testing.assert_allclose(ratios, 4.0, rtol=0.15)


def test_stretch_and_shear_springs(tmp_path):
    """Joints with six degrees of freedom have K / l of the section, and unloaded they rest in the reference shape."""
    free = ("kx", "ky", "kz", "ex", "ey", "ez")
    model = blade(free=free)
    write_osim(model, tmp_path / "six.osim")
    peer = osim.Model(str(tmp_path / "six.osim"))
    state = peer.initSystem()
    assert state.getNU() == 36
    bushing = osim.BushingForce.safeDownCast(peer.getForceSet().get("blade_rigid_1_bushing"))
    length = model.links[0].joint.segments[0].length
    K, D = (np.diag(matrix) / length for matrix in (CARBON.stiffness, CARBON.damping))
    np.testing.assert_allclose(bushing.get_rotational_stiffness().to_numpy(), K[:3], rtol=1e-14)
    np.testing.assert_allclose(bushing.get_translational_stiffness().to_numpy(), K[3:], rtol=1e-14)
    np.testing.assert_allclose(bushing.get_rotational_damping().to_numpy(), D[:3], rtol=1e-14)
    np.testing.assert_allclose(bushing.get_translational_damping().to_numpy(), D[3:], rtol=1e-14)
    peer.realizePosition(state)
    tip = peer.getMarkerSet().get("tip").getLocationInGround(state).to_numpy()
    np.testing.assert_allclose(tip, engine.positions(model, model.neutral(), "tip"), rtol=0, atol=1e-12)


def test_the_document_says_so(tmp_path):
    """Names, a comment and the notes call the pieces an approximation."""
    notes = write_osim(blade(), tmp_path / "blade.osim", pieces=2)
    assert any("approximated by 13 rigid bodies" in str(note) for note in notes)
    text = (tmp_path / "blade.osim").read_text()
    assert re.search(r"<!--[^>]*Approximation[^>]*blade", text)
    assert len(re.findall(r'<Body name="blade_rigid_\d+"', text)) == 13
    assert len(re.findall(r"<BushingForce ", text)) == 12


def test_straight_cantilever_by_hand(tmp_path):
    """A straight rod under a small tip load: n joints give (1 - 1 / 4 n²) of F L³ / 3 E I."""
    E_I, length, force, n = 60e9 * 0.065 * 0.009**3 / 12, 0.6, 1e-3, 3
    builder = ModelBuilder("beam", gravity=(0, 0, 0))
    builder.rod("blade", "world", rod=Rod.uniform(length, n, CARBON, free=("ky",)))
    builder.marker("tip", "blade", (0, 0, 0))
    write_osim(builder.build(), tmp_path / "beam.osim")
    peer = osim.Model(str(tmp_path / "beam.osim"))
    state = peer.initSystem()
    angles = [force * (length - length * (i + 0.5) / n) * length / n / E_I for i in range(n)]
    state.setQ(osim.Vector.createFromMat(-np.array(angles)))
    peer.realizePosition(state)
    tip = peer.getMarkerSet().get("tip").getLocationInGround(state).to_numpy()
    expected = force * length**3 / (3 * E_I) * (1 - 1 / (4 * n**2))
    assert tip[2] == pytest.approx(expected, rel=1e-6)  # sines of small angles
