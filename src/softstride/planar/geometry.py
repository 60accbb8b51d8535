"""Where links, centres of mass and muscles are, and how they accelerate, in every frame.

Places are relative to J_1, so that results do not depend on where the chain stands.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from softstride.errors import InputError
from softstride.planar.frames import Frames
from softstride.planar.vectors import Complex, Floats, suffix_sums

SHORTEST = 1e-9
"""A line of a muscle shorter than this has no direction [m]."""


@dataclass(frozen=True, eq=False)
class Geometry:
    """Places of a chain; vectors are complex, columns are links 0 to n unless said otherwise, [m].

    Attributes:
        frames: The frames.
        turn: Directions u_i, shape (f, n+1).
        link: J_i J_(i+1), shape (f, n+1).
        arm: J_i C_i, shape (f, n+1).
        joint: J_0 to J_(n+1), shape (f, n+2); J_1 is zero.
    """

    frames: Frames
    turn: Complex
    link: Complex
    arm: Complex
    joint: Complex

    @staticmethod
    def of(frames: Frames) -> Geometry:
        """Place the links of all frames."""
        turn = np.empty(frames.theta.shape, dtype=np.complex128)  # e^(i theta), faster by its parts
        np.cos(frames.theta, out=turn.real)
        np.sin(frames.theta, out=turn.imag)
        link, arm = frames.length * turn, frames.com * turn
        joint = np.empty((len(frames), frames.chain.n + 2), dtype=np.complex128)
        joint[:, 0], joint[:, 1] = -link[:, 0], 0.0
        np.cumsum(link[:, 1:], axis=1, out=joint[:, 2:])
        return Geometry(frames, turn, link, arm, joint)

    @property
    def n(self) -> int:
        """Number of joints."""
        return self.frames.chain.n

    @cached_property
    def centre(self) -> Complex:
        """Centres of mass C_i, shape (f, n+1)."""
        return np.asarray(self.joint[:, :-1] + self.arm)

    @cached_property
    def distal_mass(self) -> Floats:
        """mu_i, the mass beyond link i, shape (n+1,), [kg]."""
        mass = self.frames.chain.mass
        return np.append(np.cumsum(mass[:0:-1])[::-1], 0.0)

    @cached_property
    def proximal_mass(self) -> Floats:
        """Mass of links 0 to i, shape (n+1,), [kg]."""
        return np.cumsum(self.frames.chain.mass)

    @cached_property
    def moment(self) -> Complex:
        """p_i = m_i J_i C_i + mu_i J_i J_(i+1), first moment of the augmented link, shape (f, n+1), [kg·m]."""
        return np.asarray(self.frames.chain.mass * self.arm + self.distal_mass * self.link)

    @cached_property
    def distal_moment(self) -> Complex:
        """P_j = sum_(i>=j) p_i = sum_(i>=j) m_i (C_i - J_j), j = 0 to n+1, shape (f, n+2), [kg·m]."""
        zero = np.zeros((len(self.frames), 1), dtype=np.complex128)
        return np.concatenate([suffix_sums(self.moment), zero], axis=1)

    @cached_property
    def stretch(self) -> tuple[Complex, Complex] | None:
        """Accelerations of J_(i+1) and C_i against J_i that rotation alone does not give, each (f, n+1), [m/s²]."""
        if self.frames.stretch is None:
            return None
        rate, com_rate, acceleration, com_acceleration = self.frames.stretch
        twice = 2j * self.frames.omega
        return self.turn * (twice * rate + acceleration), self.turn * (twice * com_rate + com_acceleration)

    @cached_property
    def acceleration(self) -> Complex:
        """Accelerations of the centres of mass, shape (f, n+1), [m/s²] (eq. 5)."""
        spin = 1j * self.frames.alpha - self.frames.omega**2
        along, own = spin * self.link, spin * self.arm
        if self.stretch is not None:
            along, own = along + self.stretch[0], own + self.stretch[1]
        own[:, 1:] += np.cumsum(along, axis=1)[:, :-1]
        if self.frames.base is not None:
            own += self.frames.base[:, None]
        return np.asarray(own)

    @cached_property
    def contact_place(self) -> Complex:
        """Points of the contacts, shape (f, n_contacts)."""
        links = list(self.frames.chain.contact_links)
        return np.asarray(self.joint[:, links] + self.frames.point * self.turn[:, links])

    @cached_property
    def line_ends(self) -> tuple[Complex, Complex]:
        """Proximal and distal ends of the muscles' lines, each (f, n_lines)."""
        lines = self.frames.chain.lines
        start = self.joint[:, lines.low] + lines.start * self.turn[:, lines.low]
        end = self.joint[:, lines.high] + lines.end * self.turn[:, lines.high]
        return start, end

    @cached_property
    def line_force(self) -> Complex:
        """Force of each line of a muscle on its distal link, shape (f, n_lines), [N].

        Raises:
            InputError: Both ends of a line are in one place, so that it has no direction.
        """
        lines = self.frames.chain.lines
        start, end = self.line_ends
        pull = start - end
        distance = np.abs(pull)
        if len(lines) and distance.min() < SHORTEST:
            frame, line = np.argwhere(distance < SHORTEST)[0]
            name = self.frames.chain.muscles[lines.muscle[line]].name
            raise InputError(
                f"muscle {name!r} has no length in frame {self.frames.first + frame}: two points of its path on "
                "different links are in one place, so its direction is not known."
            )
        return np.asarray(self.frames.tension[:, lines.muscle] * pull / distance)
