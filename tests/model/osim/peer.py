"""OpenSim 4.6 beside the model that `read_osim` makes of the same file: poses, masses, M and bias."""

import numpy as np
import opensim as osim
from tests.oracles.opensim import OpenSim, pose_matrix

from softstride.model.formats.osim.context import Context
from softstride.model.formats.osim.coordinates import declare_coordinates
from softstride.model.formats.osim.versions import open_document, read_joints
from softstride.model.formats.xml import parse_xml


def rotation(axis, angle):
    """Return the rotation about a coordinate axis (0, 1, 2), (3, 3)."""
    c, s = np.cos(angle), np.sin(angle)
    i, j = (axis + 1) % 3, (axis + 2) % 3
    R = np.eye(3)
    R[i, i], R[i, j], R[j, i], R[j, j] = c, -s, s, c
    return R


def spin(q, v):
    """Return B and its rate times v: the angular velocity in the parent's axes of Rx Ry Rz is ω = B(q) v."""
    e = np.eye(3)
    R1, R12 = rotation(0, q[0]), rotation(0, q[0]) @ rotation(1, q[1])
    B = np.stack([e[0], R1 @ e[1], R12 @ e[2]], axis=1)
    first = v[0] * e[0]
    second = first + v[1] * B[:, 1]  # angular velocity of the frame after two turns
    return B, np.cross(first, B[:, 1]) * v[1] + np.cross(second, B[:, 2]) * v[2]


class Peer(OpenSim):
    """An OpenSim model, and how its speeds u follow from the coordinates of ours: u = G(q) v."""

    def __init__(self, path, model):
        super().__init__(path)
        self.model = model
        root, _ = parse_xml(path.read_bytes(), path)
        context: Context = open_document(root, path)
        declare_coordinates(context, read_joints(context))
        self.dependents = context.dependents
        coordinates = self.osim.getCoordinateSet()
        self.names = [coordinates.get(i).getName() for i in range(coordinates.getSize())]
        self.angular = []  # three angles whose speeds are an angular velocity in OpenSim
        for joint in self.joints:
            if joint.getConcreteClassName() in ("BallJoint", "FreeJoint", "EllipsoidJoint"):
                self.angular.append([self.names.index(joint.get_coordinates(i).getName()) for i in range(3)])

    def full(self, q, v):
        """Return all coordinates, G = du/dv and Gdot v, in OpenSim's order of coordinates."""
        own = {name: i for i, name in enumerate(self.model.coordinate_names)}
        n = len(self.names)
        values, G, drift = np.zeros(n), np.zeros((n, len(q))), np.zeros(n)
        for row, name in enumerate(self.names):
            source, function = self.dependents.get(name, (name, None))
            i = own[source]
            if function is None:
                values[row], G[row, i] = q[i], 1.0
            else:
                values[row], G[row, i] = function(q[i]), function(q[i], 1)
                drift[row] = function(q[i], 2) * v[i] ** 2
        for rows in self.angular:
            rates = G[rows] @ v
            B, rate = spin(values[rows], rates)
            drift[rows] = B @ drift[rows] + rate
            G[rows] = B @ G[rows]
        return values, G, drift

    def move(self, q, v):
        """Set OpenSim to a state of our model; return G and Gdot v."""
        values, G, drift = self.full(q, v)
        self.set(dict(zip(self.names, values, strict=True)), dict(zip(self.names, G @ v, strict=True)))
        return G, drift

    def body_poses(self):
        """Return T_world_body (4, 4) by name."""
        bodies = self.osim.getBodySet()
        found = [bodies.get(i) for i in range(bodies.getSize())]
        return {body.getName(): pose_matrix(body.getTransformInGround(self.state)) for body in found}

    @property
    def mass(self):
        """Mass of all bodies [kg]."""
        return self.osim.getTotalMass(self.state)

    def centre_of_mass(self):
        """Return the centre of mass in the world, (3,)."""
        self.osim.realizePosition(self.state)
        return self.osim.getMatterSubsystem().calcSystemMassCenterLocationInGround(self.state).to_numpy()

    def projected(self, q, v):
        """Return G'M G and G'(b + M Gdot v) of OpenSim at a state of our model."""
        G, drift = self.move(q, v)
        M = self.mass_matrix(self.names)
        b = self.inverse_dynamics(self.names, np.zeros(len(self.names)))
        return G.T @ M @ G, G.T @ (b + M @ drift)

    def projected_mass(self, q):
        """Return G'M G of OpenSim at rest."""
        G, _ = self.move(q, np.zeros(len(q)))
        M = self.mass_matrix(self.names)
        return G.T @ M @ G


__all__ = ["Peer", "osim"]
