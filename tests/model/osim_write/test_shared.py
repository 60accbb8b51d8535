"""Shared files: read, written again, and both opened in OpenSim 4.6: the same bodies, markers, muscles and lengths."""

import numpy as np
import pytest

osim = pytest.importorskip("opensim")

from tests.model.osim import bands  # noqa: E402
from tests.model.osim_write.peer import couplers, value  # noqa: E402
from tests.model.shared_models import SHARED_MODELS  # noqa: E402
from tests.oracles.opensim import pose_matrix  # noqa: E402

from softstride.model.formats.osim import read_osim  # noqa: E402
from softstride.model.formats.osim_write import write_osim  # noqa: E402

POSES = 20
LENGTH = 1e-9
"""Of paths over points [m]; 1e-14 is measured."""

WRAPPED = 1e-6
"""Of paths over surfaces [m]: OpenSim finds points of contact by iteration."""

HILL = (
    "max_isometric_force",
    "optimal_fiber_length",
    "tendon_slack_length",
    "pennation_angle_at_optimal",
    "max_contraction_velocity",
    "ignore_tendon_compliance",
    "appliesForce",
)


class Opened:
    """An OpenSim model that can be posed by the names of its independent coordinates."""

    def __init__(self, path):
        self.model = osim.Model(str(path))
        self.state = self.model.initSystem()
        self.coordinates = self.model.updCoordinateSet()
        self.names = [self.coordinates.get(i).getName() for i in range(self.coordinates.getSize())]
        for i in range(self.coordinates.getSize()):
            self.coordinates.get(i).setLocked(self.state, False)
            self.coordinates.get(i).setClamped(self.state, False)
        self.couplers = couplers(self.model)
        self.muscles = bands.components(self.model, osim.Muscle)

    def pose(self, values):
        """Set the coordinates, those that follow others too."""
        values = dict(values)
        for dependent, independent, function in self.couplers:
            values[dependent] = value(function, values[independent])
        assert set(self.names) <= set(values)
        for name in self.names:
            self.coordinates.get(name).setValue(self.state, values[name], False)
        self.model.realizePosition(self.state)

    def lengths(self):
        """Return the length of every muscle [m]."""
        return np.array([muscle.getLength(self.state) for muscle in self.muscles.values()])

    def bodies(self):
        """Return the pose of every body, by name."""
        table = self.model.getBodySet()
        found = [table.get(i) for i in range(table.getSize())]
        return {body.getName(): pose_matrix(body.getTransformInGround(self.state)) for body in found}

    def markers(self):
        """Return the position of every marker, by name."""
        table = self.model.getMarkerSet()
        found = [table.get(i) for i in range(table.getSize())]
        return {m.getName(): m.getLocationInGround(self.state).to_numpy() for m in found}


@pytest.fixture(scope="module", params=SHARED_MODELS, ids=lambda file: file.rsplit("/", 1)[-1])
def trio(request, shared_data, tmp_path_factory):
    """Our model, the original in OpenSim, and what we wrote.

    OpenSim rounds the joint frames of format 3 to six digits when it opens a file, so of those files the original is
    OpenSim's own conversion to format 4: both sides then start from the same numbers.
    """
    folder = tmp_path_factory.mktemp("written")
    source = shared_data / request.param
    if b'Version="3' in source.read_bytes()[:500]:
        first, _ = bands.opened(source, folder)
        source = folder / "converted.osim"
        first.printToXML(str(source))
    model = read_osim(source)
    write_osim(model, folder / "written.osim")
    return model, Opened(source), Opened(folder / "written.osim")


def random_values(model, rng):
    """Return values of all independent coordinates, inside their ranges where these are narrow."""
    lower = [max(c.lower, -1.5) for c in model.coordinates.values()]
    upper = [min(c.upper, 1.5) for c in model.coordinates.values()]
    return dict(zip(model.coordinates, rng.uniform(lower, upper), strict=True))


def test_lengths_and_poses(trio):
    """Bodies, markers and muscle lengths at random poses are those of the original."""
    model, original, written = trio
    rng = np.random.default_rng(11)
    limits = np.array([WRAPPED if m.path.wraps else LENGTH for m in model.muscles.values()])
    assert list(original.muscles) == list(written.muscles) == list(model.muscles)
    for _ in range(POSES):
        values = random_values(model, rng)
        original.pose(values)
        written.pose(values)
        for name, T in original.bodies().items():
            np.testing.assert_allclose(written.bodies()[name], T, rtol=0, atol=1e-9)
        assert np.all(np.abs(original.lengths() - written.lengths()) <= limits)
        ours = written.markers()
        for name, point in original.markers().items():
            np.testing.assert_allclose(ours[name], point, rtol=0, atol=1e-9)


def test_muscles_keep_their_parameters(trio):
    """Hill parameters and curves are those of the original."""
    _, original, written = trio
    for name, muscle in original.muscles.items():
        other = written.muscles[name]
        assert other.getConcreteClassName() == muscle.getConcreteClassName()
        for tag in HILL:
            assert bands.number(other, tag) == bands.number(muscle, tag)
        count = muscle.getNumProperties()
        for i in range(count):
            found = muscle.getPropertyByIndex(i)
            if found.getTypeName() == "double":
                tag = found.getName()
                assert bands.number(other, tag) == bands.number(muscle, tag), tag


def test_mass_and_ranges(trio):
    """Masses and the ranges of coordinates are those of the original."""
    model, original, written = trio
    mass = original.model.getTotalMass(original.state)
    assert written.model.getTotalMass(written.state) == pytest.approx(mass, rel=1e-12)
    for name in model.coordinates:
        pair = [side.coordinates.get(name) for side in (original, written)]
        for ask in ("getRangeMin", "getRangeMax", "getDefaultValue", "getDefaultLocked", "getDefaultClamped"):
            assert getattr(pair[0], ask)() == getattr(pair[1], ask)(), (name, ask)


def test_read_again(trio, tmp_path):
    """What we write reads back as the same model, muscle by muscle."""
    model, _, _ = trio
    write_osim(model, tmp_path / "again.osim")
    again = read_osim(tmp_path / "again.osim")
    assert again.coordinate_names == model.coordinate_names
    assert list(again.muscles) == list(model.muscles)
    assert set(again.wraps) == set(model.wraps)
    assert set(again.actuators) == set(model.actuators)
    assert set(again.contacts) == set(model.contacts)
    assert again.mass == pytest.approx(model.mass, rel=1e-15)
