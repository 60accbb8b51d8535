"""Velocity terms of OpenSim beside those that its own mass matrix asks for.

From the kinetic energy T = v' M(q) v / 2 follow, by Lagrange,

    c(q, v) = d/ds M(q + s v) v  -  dT/dq

OpenSim 4.6 does not return these where one coordinate drives several rotations of a joint by curved functions, as the
knees of Rajagopal's model do: gravity and mass matrix agree with ours to 1e-13, and with the knees at rest everything
does, but a moving knee brings up to 1 N m into hip and pelvis, and its power breaks the balance of energy by watts.
`defect` is what is missing in OpenSim's forces. All numbers in it are OpenSim's; derivatives are central differences.
"""

import numpy as np

from . import opensim_id
from .installed import osim
from .opensim import OpenSim

STEP = 1e-5  # rad, m: of the differences; what it leaves is 1e-7 N m


class VelocityTerms:
    """Velocity terms of a model whose coupled coordinates follow.

    Args:
        path: Model file.
        names: Independent coordinates, in the order of the results.
    """

    def __init__(self, path, names):
        self.peer = OpenSim(path)
        couplers = opensim_id.read_couplers(self.peer.osim)
        every = [*names, *(each.dependent for each in couplers)]
        self.follow = np.zeros((len(every), len(names)))  # dependent on independent coordinates
        self.follow[: len(names)] = np.eye(len(names))
        self.shift = np.zeros(len(every))
        for row, each in enumerate(couplers, start=len(names)):
            self.follow[row, names.index(each.independent)] = each.slope
            self.shift[row] = each.intercept
        self.order = np.argsort(self.peer.speed_index(every))  # OpenSim's u[k] is every[order[k]]
        if len(self.order) != self.peer.state.getNU() or len(self.order) != self.peer.state.getNQ():
            raise RuntimeError("coordinates of OpenSim are missing, or its q is no copy of them")
        self.solver = osim.InverseDynamicsSolver(self.peer.osim)

    def _set(self, q, v):
        state = self.peer.state
        state.setQ(osim.Vector.createFromMat((self.follow @ q + self.shift)[self.order]))
        state.setU(osim.Vector.createFromMat((self.follow @ v)[self.order]))
        return state

    def _back(self, vector):
        tau = np.empty(len(self.order))
        tau[self.order] = vector
        return self.follow.T @ tau

    def energy(self, q, v):
        """Return the kinetic energy [J]."""
        state = self._set(q, v)
        self.peer.osim.realizeVelocity(state)
        return self.peer.osim.calcKineticEnergy(state)

    def momentum(self, q, v):
        """Return M v, (nv,)."""
        matrix = osim.Matrix()
        self.peer.osim.realizeVelocity(self._set(q, v))
        self.peer.osim.getMatterSubsystem().calcM(self.peer.state, matrix)
        return self._back(matrix.to_numpy() @ (self.follow @ v)[self.order])

    def theirs(self, q, v):
        """Return OpenSim's velocity terms: inverse dynamics with and without velocities, (nv,)."""
        rest = osim.Vector(len(self.order), 0.0)
        with_v, without = (
            self._back(self.solver.solve(self._set(q, u), rest).to_numpy()) for u in (v, np.zeros_like(v))
        )
        return with_v - without

    def consistent(self, q, v):
        """Return c(q, v) of the kinetic energy, (nv,)."""
        ahead = (self.momentum(q + STEP * v, v) - self.momentum(q - STEP * v, v)) / (2.0 * STEP)
        gradient = np.empty(len(v))
        for i, step in enumerate(STEP * np.eye(len(v))):
            gradient[i] = (self.energy(q + step, v) - self.energy(q - step, v)) / (2.0 * STEP)
        return ahead - gradient

    def defect(self, q, v):
        """Return what OpenSim's forces lack in each frame, (n, nv)."""
        return np.stack([self.consistent(*each) - self.theirs(*each) for each in zip(q, v, strict=True)])
