"""Pinocchio as an oracle for rigid Models (fixed, revolute, prismatic, spherical, free).

Differences of convention, all handled here: Pinocchio's free flyer and spatial vectors are linear first;
joints must be added depth first; a link's inertia and frame are attached to the joint at the link's
``offset``.
"""

import numpy as np
import pytest

from . import joints as jt

try:
    import pinocchio as pin
except ModuleNotFoundError:  # whoever asks it skips: Windows has no wheel
    pin = None

SWAP = [3, 4, 5, 0, 1, 2]  # linear-first <-> angular-first


def depth_first(model):
    """Yield links so that every subtree is contiguous."""
    children = {}
    for link in model.links:
        children.setdefault(link.parent, []).append(link)
    stack = list(reversed(children.get("world", [])))
    while stack:
        link = stack.pop()
        yield link
        stack.extend(reversed(children.get(link.name, [])))


def _joint(joint):
    name = jt.kind(joint)
    if name == "revolute":
        return pin.JointModelRevoluteUnaligned(np.asarray(joint.axis))
    if name == "prismatic":
        return pin.JointModelPrismaticUnaligned(np.asarray(joint.axis))
    return {"spherical": pin.JointModelSpherical, "free": pin.JointModelFreeFlyer}[name]()


class Pinocchio:
    """A Model in Pinocchio, spoken to in softstride's conventions. One frame at a time."""

    def __init__(self, model):
        pytest.importorskip("pinocchio", reason="the peer of this test")
        self.source = model
        self.model = pin.Model()
        self.model.gravity.linear = np.array(model.gravity)
        home = {"world": (0, pin.SE3.Identity())}  # link -> (joint id, link frame in that joint)
        q_map, v_map = [], []
        self.frame = {}
        for link in depth_first(model):
            parent, base = home[link.parent]
            placement = base * pin.SE3(np.array(link.placement))
            offset = pin.SE3(np.array(link.offset))
            if jt.kind(link.joint) == "fixed":
                home[link.name] = (parent, placement * offset)
            else:
                home[link.name] = (
                    self.model.addJoint(parent, _joint(link.joint), placement, link.name),
                    offset,
                )
                q_map += list(model.q_indices(link.name))
                columns = list(model.v_indices(link.name))
                v_map += [columns[i] for i in SWAP] if jt.kind(link.joint) == "free" else columns
            joint, pose = home[link.name]
            body = link.inertia
            self.model.appendBodyToJoint(
                joint, pin.Inertia(body.mass, np.array(body.com), np.array(body.matrix)), pose
            )
            self.frame[link.name] = self.model.addFrame(
                pin.Frame("link " + link.name, joint, 0, pose, pin.OP_FRAME)
            )
        self.q_map, self.v_map = np.array(q_map, dtype=int), np.array(v_map, dtype=int)
        self.data = self.model.createData()

    def _q(self, q):
        return np.ascontiguousarray(q[self.q_map])

    def _v(self, v):
        return np.ascontiguousarray(v[self.v_map])

    def _back(self, tau):
        out = np.zeros(self.source.nv)
        out[self.v_map] = tau
        return out

    def _back_matrix(self, matrix):
        out = np.zeros((self.source.nv,) * 2)
        out[np.ix_(self.v_map, self.v_map)] = matrix
        return out

    def poses(self, q):
        """Return world poses of all links in order, (n, 4, 4)."""
        pin.framesForwardKinematics(self.model, self.data, self._q(q))
        return np.stack([self.data.oMf[self.frame[n]].homogeneous.copy() for n in self.source.link_names])

    def jacobian(self, q, name):
        """Return the body Jacobian of a link, angular first, (6, nv)."""
        local = pin.computeFrameJacobian(
            self.model, self.data, self._q(q), self.frame[name], pin.ReferenceFrame.LOCAL
        )
        out = np.zeros((6, self.source.nv))
        out[:, self.v_map] = local.reshape(6, -1)[SWAP]  # pinocchio squeezes one column
        return out

    def velocities(self, q, v):
        """Return body twists of all links, (n, 6)."""
        pin.forwardKinematics(self.model, self.data, self._q(q), self._v(v))
        get = pin.getFrameVelocity
        frames = [self.frame[n] for n in self.source.link_names]
        return np.stack(
            [get(self.model, self.data, f, pin.ReferenceFrame.LOCAL).vector[SWAP] for f in frames]
        )

    def accelerations(self, q, v, a):
        """Return derivatives of the body twists of all links, (n, 6)."""
        pin.forwardKinematics(self.model, self.data, self._q(q), self._v(v), self._v(a))
        get = pin.getFrameAcceleration
        frames = [self.frame[n] for n in self.source.link_names]
        return np.stack(
            [get(self.model, self.data, f, pin.ReferenceFrame.LOCAL).vector[SWAP] for f in frames]
        )

    def mass_matrix(self, q):
        """Return M, (nv, nv)."""
        upper = np.triu(pin.crba(self.model, self.data, self._q(q)))
        return self._back_matrix(upper + np.triu(upper, 1).T)

    def bias(self, q, v):
        """Return the bias force with gravity, (nv,)."""
        return self._back(pin.nonLinearEffects(self.model, self.data, self._q(q), self._v(v)))

    def inverse_dynamics(self, q, v, a):
        """Return tau, (nv,)."""
        return self._back(pin.rnea(self.model, self.data, self._q(q), self._v(v), self._v(a)))

    def transmitted(self, q, v, a):
        """Return the wrench that each moving joint gives its body, by link, in world axes about the link's origin."""
        pin.rnea(self.model, self.data, self._q(q), self._v(v), self._v(a))
        pin.framesForwardKinematics(self.model, self.data, self._q(q))
        out = {}
        for link in self.source.links:
            if jt.kind(link.joint) == "fixed":
                continue
            joint = self.model.getJointId(link.name)
            wrench = self.data.oMi[joint].act(self.data.f[joint])  # about the world's origin, force first
            at = self.data.oMf[self.frame[link.name]].translation
            out[link.name] = np.concatenate([wrench.angular - np.cross(at, wrench.linear), wrench.linear])
        return out

    def forward_dynamics(self, q, v, tau):
        """Return accelerations, (nv,)."""
        return self._back(pin.aba(self.model, self.data, self._q(q), self._v(v), self._v(tau)))

    def inverse_dynamics_derivatives(self, q, v, a):
        """Return (dtau/dq, dtau/dv, dtau/da) in the tangent space, each (nv, nv)."""
        pin.computeRNEADerivatives(self.model, self.data, self._q(q), self._v(v), self._v(a))
        mass = np.triu(self.data.M)
        parts = (self.data.dtau_dq, self.data.dtau_dv, mass + np.triu(mass, 1).T)
        return tuple(self._back_matrix(part) for part in parts)

    def centre_of_mass(self, q):
        """Return the centre of mass, (3,)."""
        return pin.centerOfMass(self.model, self.data, self._q(q)).copy()

    def momentum_matrix(self, q):
        """Return the centroidal momentum matrix, angular first, (6, nv)."""
        pin.computeCentroidalMap(self.model, self.data, self._q(q))
        out = np.zeros((6, self.source.nv))
        out[:, self.v_map] = self.data.Ag.reshape(6, -1)[SWAP]
        return out

    def energy(self, q, v):
        """Return (kinetic, gravity) energies."""
        kinetic = pin.computeKineticEnergy(self.model, self.data, self._q(q), self._v(v))
        return kinetic, pin.computePotentialEnergy(self.model, self.data, self._q(q))
