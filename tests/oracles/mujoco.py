"""MuJoCo as an oracle for rigid Models (fixed, revolute, prismatic, spherical; free on the world only).

Differences of convention, all handled here. MuJoCo puts w first in quaternions. Its free joint has the
world position of the body and, as speeds, the linear velocity in world axes and then the angular one in
body axes, so that ``v_mujoco = B(q) v`` with ``B = [[0, R], [E, 0]]``, hence ``M = B^T M' B`` and ``b = B^T
(b' + M' B_dot v)``. A MuJoCo body is placed at the joint's moving frame; our link frame is ``offset`` away.
"""

from xml.etree.ElementTree import Element, SubElement, tostring

import mujoco
import numpy as np
from scipy.spatial.transform import Rotation

from . import joints as jt
from . import screws as sc


def _text(values):
    return " ".join(repr(float(x)) for x in np.ravel(values))


def _quaternion(rotation):
    """Return (w, x, y, z) of a rotation matrix."""
    x, y, z, w = Rotation.from_matrix(rotation).as_quat()
    return w, x, y, z


def _inertial(body, link):
    """Write mass, centre and principal moments (our own diagonalisation: MuJoCo's stops at 1e-12)."""
    if link.inertia.mass == 0:
        return
    offset = np.asarray(link.offset)
    moments, axes = np.linalg.eigh(offset[:3, :3] @ np.asarray(link.inertia.matrix) @ offset[:3, :3].T)
    axes[:, 2] *= np.sign(np.linalg.det(axes))
    centre = (offset @ np.append(link.inertia.com, 1.0))[:3]
    SubElement(
        body,
        "inertial",
        pos=_text(centre),
        quat=_text(_quaternion(axes)),
        mass=_text(link.inertia.mass),
        diaginertia=_text(moments),
    )


def mjcf(model):
    """Return the MJCF text of a rigid Model."""
    root = Element("mujoco", model="oracle")
    SubElement(root, "compiler", angle="radian", balanceinertia="false", boundmass="0", boundinertia="0")
    option = SubElement(root, "option", gravity=_text(model.gravity))
    SubElement(option, "flag", contact="disable", constraint="disable")
    bodies = {"world": (SubElement(root, "worldbody"), np.eye(4))}
    for link in model.links:
        parent, inner = bodies[link.parent]
        name = jt.kind(link.joint)
        if name == "free" and link.parent != "world":
            raise ValueError("MuJoCo has free joints on the world only")
        pose = inner @ np.asarray(link.placement)
        body = SubElement(
            parent, "body", name=link.name, pos=_text(pose[:3, 3]), quat=_text(_quaternion(pose[:3, :3]))
        )
        bodies[link.name] = (body, np.asarray(link.offset))
        _inertial(body, link)
        if name in ("revolute", "prismatic"):
            kind = {"revolute": "hinge", "prismatic": "slide"}[name]
            SubElement(body, "joint", name=link.name, type=kind, axis=_text(link.joint.axis), pos="0 0 0")
        elif name == "spherical":
            SubElement(body, "joint", name=link.name, type="ball", pos="0 0 0")
        elif name == "free":
            SubElement(body, "freejoint", name=link.name)
    return tostring(root, encoding="unicode")


class MuJoCo:
    """A Model in MuJoCo, spoken to in softstride's conventions. One frame at a time."""

    def __init__(self, model):
        self.source = model
        self.model = mujoco.MjModel.from_xml_string(mjcf(model))
        self.data = mujoco.MjData(self.model)
        self.moving = [link for link in model.links if jt.kind(link.joint) != "fixed"]

    def _joint(self, name):
        index = mujoco.mj_name2id(self.model, mujoco.mjtObj.mjOBJ_JOINT, name)
        return int(self.model.jnt_qposadr[index]), int(self.model.jnt_dofadr[index])

    def set(self, q, v):
        """Set the state and keep B (nv', nv) and B_dot v (nv',)."""
        nv = self.source.nv
        self.B, self.B_dot_v = np.zeros((nv, nv)), np.zeros(nv)
        for link in self.moving:
            iq, iv = list(self.source.q_indices(link.name)), list(self.source.v_indices(link.name))
            at_q, at_v = self._joint(link.name)
            name = jt.kind(link.joint)
            if name == "free":
                pose = np.asarray(link.placement) @ sc.transform(sc.quaternion_matrix(q[iq[3:]]), q[iq[:3]])
                R, (w, u) = pose[:3, :3], (v[iv[:3]], v[iv[3:]])
                self.data.qpos[at_q : at_q + 7] = [*pose[:3, 3], *_quaternion(R)]
                self.B[at_v : at_v + 3, iv[3:]] = R
                self.B[at_v + 3 : at_v + 6, iv[:3]] = np.eye(3)
                self.B_dot_v[at_v : at_v + 3] = R @ np.cross(w, u)
            elif name == "spherical":
                self.data.qpos[at_q : at_q + 4] = q[[iq[3], *iq[:3]]]
                self.B[at_v : at_v + 3, iv] = np.eye(3)
            else:
                self.data.qpos[at_q] = q[iq[0]]
                self.B[at_v, iv[0]] = 1.0
        self.data.qvel[:] = self.B @ v
        mujoco.mj_forward(self.model, self.data)

    def poses(self, q):
        """Return world poses of all links in order, (n, 4, 4)."""
        self.set(q, np.zeros(self.source.nv))
        out = []
        for link in self.source.links:
            body = self.data.body(link.name)
            out.append(sc.transform(body.xmat.reshape(3, 3), body.xpos) @ np.asarray(link.offset))
        return np.stack(out)

    def jacobian(self, q, name):
        """Return the body Jacobian of a link, angular first, (6, nv)."""
        pose = self.poses(q)[self.source.link_names.index(name)]
        linear, angular = np.zeros((3, self.model.nv)), np.zeros((3, self.model.nv))
        mujoco.mj_jac(self.model, self.data, linear, angular, pose[:3, 3].copy(), self.data.body(name).id)
        return np.vstack([pose[:3, :3].T @ angular, pose[:3, :3].T @ linear]) @ self.B

    def _mass(self):
        nv = self.model.nv
        out = np.zeros((nv, nv))
        for i in range(nv):
            mujoco.mj_mulM(self.model, self.data, out[i], np.eye(nv)[i].copy())
        return out

    def mass_matrix(self, q):
        """Return M, (nv, nv)."""
        self.set(q, np.zeros(self.source.nv))
        return self.B.T @ self._mass() @ self.B

    def bias(self, q, v):
        """Return the bias force with gravity, (nv,)."""
        self.set(q, v)
        return self.B.T @ (self.data.qfrc_bias + self._mass() @ self.B_dot_v)

    def inverse_dynamics(self, q, v, a):
        """Return tau, (nv,)."""
        self.set(q, v)
        self.data.qacc[:] = self.B @ a + self.B_dot_v
        mujoco.mj_inverse(self.model, self.data)
        return self.B.T @ self.data.qfrc_inverse

    def forward_dynamics(self, q, v, tau):
        """Return accelerations, (nv,)."""
        self.set(q, v)
        self.data.qfrc_applied[:] = np.linalg.solve(self.B.T, tau)
        mujoco.mj_forward(self.model, self.data)
        acceleration = self.data.qacc.copy()
        self.data.qfrc_applied[:] = 0.0
        return np.linalg.solve(self.B, acceleration - self.B_dot_v)
