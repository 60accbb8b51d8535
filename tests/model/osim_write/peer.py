"""A written document in OpenSim, beside the model that it came from."""

import numpy as np
import opensim as osim
from tests.oracles.opensim import OpenSim, pose_matrix

from softstride.model.formats.osim_write.elements import angles
from softstride.model.joints import Free, Spherical
from softstride.spatial import quat_to_matrix


def couplers(model):
    """Return (dependent, independent, OpenSim function) of every coupler of an OpenSim model."""
    found = []
    constraints = model.getConstraintSet()
    for i in range(constraints.getSize()):
        coupler = osim.CoordinateCouplerConstraint.safeDownCast(constraints.get(i))
        if coupler is not None:
            names = coupler.getIndependentCoordinateNames()
            found.append((coupler.getDependentCoordinateName(), names.get(0), coupler.getFunction()))
    return found


def value(function, x, derivative=0):
    """Return the value or first derivative of an OpenSim function of one argument."""
    at = osim.Vector(1, float(x))
    return function.calcDerivative(osim.StdVectorInt(1, 0), at) if derivative else function.calcValue(at)


def rates(turn):
    """Return B of ω = B(q) dq/dt: angular velocity, in the turned axes, of R = Rx Ry Rz."""
    (_, b, c) = turn
    return np.array(
        [
            [np.cos(b) * np.cos(c), np.sin(c), 0.0],
            [-np.cos(b) * np.sin(c), np.cos(c), 0.0],
            [np.sin(b), 0.0, 1.0],
        ]
    )


class Written(OpenSim):
    """OpenSim's model of a document that `write_osim` made of a model without rods."""

    def __init__(self, path, model):
        super().__init__(path)
        self.model = model
        coordinates = self.osim.getCoordinateSet()
        self.names = [coordinates.get(i).getName() for i in range(coordinates.getSize())]
        for i in range(coordinates.getSize()):
            coordinates.get(i).setClamped(self.state, False)
        self.couplers = couplers(self.osim)

    def full(self, q):
        """Return the value of every coordinate of the document, and G of u = G v, shape (nu, nv)."""
        values, rows = {}, {}
        for link in self.model.links:
            own, at_q = link.coordinate_names, list(self.model.q_indices(link.name))
            at_v, x = list(self.model.v_indices(link.name)), q[list(self.model.q_indices(link.name))]
            part = np.zeros((len(own), self.model.nv))
            if isinstance(link.joint, Spherical | Free):
                R = quat_to_matrix(x[-4:])
                turn = angles(R)
                part[np.ix_(range(3), at_v[:3])] = np.linalg.inv(rates(turn))
                if isinstance(link.joint, Free):
                    part[np.ix_(range(3, 6), at_v[3:])] = R
                x = [*turn, *x[:-4]]
            else:
                part[range(len(own)), at_v] = 1.0
            del at_q
            for name, number, row in zip(own, x, part, strict=True):
                values.setdefault(name, float(number))
                rows.setdefault(name, row)
        for dependent, independent, function in self.couplers:
            values[dependent] = value(function, values[independent])
            rows[dependent] = value(function, values[independent], 1) * rows[independent]
        return values, np.array([rows[name] for name in self.names])

    def move(self, q):
        """Set OpenSim to a configuration of the model; return G."""
        values, G = self.full(q)
        assert set(values) == set(self.names)
        self.set(values)
        return G

    def poses(self):
        """Return T_world_body of every link, shape (n, 4, 4)."""
        bodies = [self.osim.getBodySet().get(name) for name in self.model.link_names]
        return np.array([pose_matrix(body.getTransformInGround(self.state)) for body in bodies])

    def markers(self):
        """Return the position of every marker in the world, shape (n, 3)."""
        found = [self.osim.getMarkerSet().get(name) for name in self.model.markers]
        return np.array([marker.getLocationInGround(self.state).to_numpy() for marker in found])

    def projected(self, G):
        """Return G' M G."""
        return G.T @ self.mass_matrix(self.names) @ G
