"""Muscles, points, wrap objects, actuators and contact geometry of every shared file against OpenSim 4.6."""

import numpy as np
import pytest
from tests.models import the_model

osim = pytest.importorskip("opensim")

from tests.model.osim import bands  # noqa: E402
from tests.model.shared_models import SHARED_MODELS  # noqa: E402

from softstride.model import path as paths  # noqa: E402
from softstride.model.actuator import CoordinateActuator  # noqa: E402
from softstride.model.contact_shape import ContactPlane, ContactSphere  # noqa: E402

PROPERTIES = {
    "max_force": "max_isometric_force",
    "fibre_length": "optimal_fiber_length",
    "tendon_length": "tendon_slack_length",
    "pennation": "pennation_angle_at_optimal",
    "max_velocity": "max_contraction_velocity",
    "rise_time": "activation_time_constant",
    "fall_time": "deactivation_time_constant",
    "min_activation": "minimum_activation",
    "rigid_tendon": "ignore_tendon_compliance",
    "enabled": "appliesForce",
}
CLASSES = {
    "thelen2003": "Thelen2003Muscle",
    "millard2012": "Millard2012EquilibriumMuscle",
    "degrootefregly2016": "DeGrooteFregly2016Muscle",
}

ROUNDING = 1e-15
"""Poses [m] and [-]: OpenSim multiplies sines and cosines in another order."""

SPLINE = 1e-13
"""Moving points [m]: the same spline, in another order."""


@pytest.fixture(scope="module", params=SHARED_MODELS, ids=lambda file: file.rsplit("/", 1)[-1])
def pair(request, shared_data, tmp_path_factory):
    """Our model, OpenSim's and its state, of one file."""
    file = shared_data / request.param
    theirs, state = bands.opened(file, tmp_path_factory.mktemp("osim"))
    return the_model(file), theirs, state


def muscles_of(pair):
    ours, theirs, state = pair
    table = bands.components(theirs, osim.Muscle)
    assert list(ours.muscles) == list(table)
    return [(ours.muscles[name], table[name]) for name in table], state


def test_every_hill_parameter(pair):
    """All parameters are the numbers of the file, or the defaults of OpenSim, exactly."""
    muscles, _ = muscles_of(pair)
    assert len(muscles) >= 6
    for muscle, peer in muscles:
        assert peer.getConcreteClassName() == CLASSES[muscle.curves]
        for ours, theirs in PROPERTIES.items():
            if muscle.curves == "degrootefregly2016" and theirs == "minimum_activation":
                assert muscle.min_activation == peer.getMinControl()
                continue
            if ours == "min_activation" and muscle.min_activation == 0.0:  # the copy of arm26
                continue
            assert getattr(muscle, ours) == bands.number(peer, theirs), (muscle.name, ours)
        for name, value in muscle.parameters.items():
            if name == "min_control" and value < 0.01:  # OpenSim, or the copy of arm26, raises it
                assert bands.number(peer, name) == 0.01
                continue
            assert value == bands.number(peer, name), (muscle.name, name)


def clamped(model, values, name):
    """Return the value that OpenSim puts into the functions of a moving point: kept inside the coordinate's range."""
    return (
        np.clip(values[name], model.coordinates[name].lower, model.coordinates[name].upper) if name else 0.0
    )


def test_every_path_point(pair):
    """Points stand on the same bodies at the same places; ranges of conditional ones are those of the file."""
    ours, theirs, state = pair
    muscles, _ = muscles_of(pair)
    rng = np.random.default_rng(4)
    coordinates = theirs.updCoordinateSet()
    moving = 0
    for _ in range(5):
        values = {}
        for i in range(coordinates.getSize()):
            coordinate = coordinates.get(i)
            coordinate.setLocked(state, False)
            coordinate.setClamped(state, False)
            values[coordinate.getName()] = float(rng.uniform(-1.5, 1.5))
            coordinate.setValue(state, values[coordinate.getName()], False)
        theirs.realizePosition(state)
        for muscle, peer in muscles:
            points = peer.getGeometryPath().getPathPointSet()
            assert [p.name for p in muscle.path.points] == [
                points.get(i).getName() for i in range(points.getSize())
            ]
            for i, point in enumerate(muscle.path.points):
                other = points.get(i)
                assert type(point).__name__ == other.getConcreteClassName()
                link, T = bands.link(other.getParentFrame())
                expected = T[:3, :3] @ other.getLocation(state).to_numpy() + T[:3, 3]
                assert point.link == link
                if isinstance(point, paths.MovingPathPoint):
                    moving += 1
                    axes = (point.x, point.y, point.z)
                    found = [float(function(clamped(ours, values, name))) for name, function in axes]
                    np.testing.assert_allclose(found, expected, rtol=0, atol=SPLINE)
                else:
                    np.testing.assert_allclose(point.position, expected, rtol=0, atol=ROUNDING)
                if isinstance(point, paths.ConditionalPathPoint):
                    down = osim.ConditionalPathPoint.safeDownCast(other)
                    assert [point.lower, point.upper] == list(bands.numbers(down, "range", 2))
                    assert point.coordinate == down.getCoordinate().getName()
    kinds = {type(p) for m in ours.muscles.values() for p in m.path.points}
    assert (moving > 0) == (paths.MovingPathPoint in kinds)


def test_every_wrap(pair):
    """Surfaces stand on the same bodies with the same pose, sizes, quadrant; paths name them in the same order."""
    ours, theirs, _ = pair
    table = bands.components(theirs, osim.WrapObject)
    assert set(ours.wraps) == set(table)
    sizes = {"radius": "radius", "length": "length", "inner": "inner_radius", "outer": "outer_radius"}
    for name, surface in ours.wraps.items():
        peer = table[name]
        assert type(surface).__name__ == peer.getConcreteClassName()
        link, T = bands.link(peer.getFrame())
        assert surface.link == link
        pose = T @ bands.pose_matrix(peer.getTransform())
        np.testing.assert_allclose(surface.pose, pose, rtol=0, atol=ROUNDING)
        assert surface.active == peer.get_active()
        assert surface.quadrant == bands.text(peer, "quadrant").lower().replace("unassigned", "all")
        if isinstance(surface, paths.WrapEllipsoid):
            assert [surface.a, surface.b, surface.c] == list(bands.numbers(peer, "dimensions", 3))
        else:
            for size in surface.sizes:
                assert getattr(surface, size) == bands.number(peer, sizes[size])
    for muscle, peer in muscles_of(pair)[0]:
        wraps = peer.getGeometryPath().getWrapSet()
        assert len(muscle.path.wraps) == wraps.getSize()
        for i, wrap in enumerate(muscle.path.wraps):
            assert wrap.surface == wraps.get(i).getWrapObjectName()
            assert wrap.method == wraps.get(i).getMethodName()
            ends = [-1 if end is None else end + 1 for end in (wrap.first, wrap.last)]
            assert ends == [wraps.get(i).getStartPoint(), wraps.get(i).getEndPoint()]


def test_every_actuator_and_contact(pair):
    """Coordinate actuators and contact geometry have the numbers of the file."""
    ours, theirs, _ = pair
    actuators = bands.components(theirs, osim.CoordinateActuator)
    assert set(ours.actuators) == set(actuators)
    for name, peer in actuators.items():
        found = ours.actuators[name]
        assert isinstance(found, CoordinateActuator)
        assert found.coordinate == peer.getCoordinate().getName()
        assert (found.optimal_force, found.lower, found.upper, found.enabled) == (
            peer.getOptimalForce(),
            peer.getMinControl(),
            peer.getMaxControl(),
            peer.get_appliesForce(),
        )
    contacts = bands.components(theirs, osim.ContactGeometry)
    assert set(ours.contacts) == set(contacts)
    for name, peer in contacts.items():
        shape = ours.contacts[name]
        link, T = bands.link(peer.getFrame())
        T = T @ bands.pose_matrix(peer.getTransform())
        assert shape.link == link
        if isinstance(shape, ContactSphere):
            np.testing.assert_allclose(shape.position, T[:3, 3], rtol=0, atol=ROUNDING)
            assert shape.radius == bands.number(peer, "radius")
        else:
            assert isinstance(shape, ContactPlane)
            np.testing.assert_allclose(shape.pose, T, rtol=0, atol=ROUNDING)


def test_nothing_is_dropped_in_silence(pair):
    """Every force that is no muscle, ligament, actuator or spring is named in the notes."""
    ours, theirs, _ = pair
    held = {*ours.muscles, *ours.ligaments, *ours.actuators}
    for name, force in bands.components(theirs, osim.Force).items():
        kind = force.getConcreteClassName()
        assert name in held or any(f"{kind} {name!r}" in str(note) for note in ours.notes), (kind, name)


def test_limit_forces_are_missed_by_name(shared_data):
    """Numbers of the file; the law has another shape than ours, so it is said what is limp."""
    notes = the_model(shared_data / SHARED_MODELS[0]).notes
    found = [note for note in notes if note.code == "osim.limit-left-out"]
    assert found == [note for note in notes if str(note).startswith("CoordinateLimitForce")]
    assert len(found) == 9
    hip = next(note for note in found if note.names == ("hip_limit_r", "hip_flexion_r"))
    assert "coordinate 'hip_flexion_r' is limp at its limits" in str(hip)
    assert "stiffness 20 below -30 and 10 above 120" in str(hip)
    assert str(hip).endswith("; set its limit_stiffness") and hip.values["upper"] == 120.0
