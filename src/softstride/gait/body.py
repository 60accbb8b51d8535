"""A walker of seven segments in the sagittal plane: its constants, and the coefficients of its equations of motion.

Segments: 1 right foot, 2 right shank, 3 right thigh, 4 head, arms and trunk (HAT), 5 left thigh, 6 left shank, 7 left
foot. x is forward, y up, angles counter-clockwise from +x. Angles point up the leg: ankle to knee, knee to hip, hip to
centre of the HAT; angles of the feet are those of the sole, heel to toe: zero flat, above zero toe up.

Every phase has the form

    Σ_j c_ij [cos(φ_i − φ_j) θ̈_j + sin(φ_i − φ_j) θ̇_j²] = −g Re(z_i e^{iθ_i}) + Q_i,        φ_i = θ_i + offset_i,

with Q_i the joint moments (and, in double support, spring and damper between the hips); z_i is the first moment of all
that turns with segment i, as a complex number in the axes of the segment, so that the momentum of the body is
Σ i z_i e^{iθ_i} θ̇_i. Source: [Onyshko1980], appendix, with its misprints corrected.
"""

from __future__ import annotations

import cmath
import math
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from softstride.errors import ModelError
from softstride.fields import Frozen, declared

Floats = NDArray[np.float64]
Complexes = NDArray[np.complex128]

SEGMENTS = ("right_foot", "right_shank", "right_thigh", "hat", "left_thigh", "left_shank", "left_foot")
JOINTS = ("right_ankle", "right_knee", "right_hip", "left_hip", "left_knee", "left_ankle")
PHASES = (1, 2, 3, 4)
"""Double support; right heel; right foot flat; right toe."""


class Coefficients(NamedTuple):
    """What a phase needs of a body.

    Attributes:
        c: Inertia, symmetric, shape (7, 7), [kg m²].
        offset: From the angle of a segment to φ, shape (7,), [rad].
        z: First moments in segment axes, shape (7,), [kg m].
        gap: Arms of the distance between both hips, shape (7,), [m]; zero but in phase 1.
    """

    c: Floats
    offset: Floats
    z: Complexes
    gap: Floats


@dataclass(frozen=True)
class Body(Frozen, of="a body", raising=ModelError):
    """Lengths, masses and inertias of a walker; the defaults are those of Table A1 of [Onyshko1980], 79.9 kg.

    Attributes:
        heel_ankle: B, heel to ankle [m].
        heel_centre: C, heel to the centre of mass of the foot [m].
        toe_centre: A, toe to the centre of mass of the foot, half of toe to ankle [m].
        foot_mass: [kg].
        foot_inertia: About the centre of mass [kg m²]; so are the others.
        toe_angle: alpha, from the sole to the line toe to ankle [rad].
        heel_angle: beta, from the sole to the line heel to ankle [rad].
        centre_angle: gamma, from the sole to the line heel to centre of mass [rad].
        shank_below: D, ankle to centre of mass of the shank [m].
        shank_above: E, from there to the knee [m].
        shank_mass: [kg].
        shank_inertia: [kg m²].
        thigh_below: F, knee to centre of mass of the thigh [m].
        thigh_above: G, from there to the hip [m].
        thigh_mass: [kg].
        thigh_inertia: [kg m²].
        hat_centre: H, hip to centre of mass of head, arms and trunk [m].
        hat_mass: [kg].
        hat_inertia: [kg m²].
        gravity: [m/s²].
    """

    heel_ankle: float = declared(0.140, unit="m", above=0.0)
    heel_centre: float = declared(0.189, unit="m", above=0.0)
    toe_centre: float = declared(0.116, unit="m", above=0.0)
    foot_mass: float = declared(1.159, unit="kg", above=0.0)
    foot_inertia: float = declared(0.010, unit="kg m^2", above=0.0)
    toe_angle: float = declared(2.621, unit="rad", above=0.0)
    heel_angle: float = declared(0.967, unit="rad", above=0.0)
    centre_angle: float = declared(0.310, unit="rad", above=0.0)
    shank_below: float = declared(0.247, unit="m", above=0.0)
    shank_above: float = declared(0.188, unit="m", above=0.0)
    shank_mass: float = declared(3.717, unit="kg", above=0.0)
    shank_inertia: float = declared(0.064, unit="kg m^2", above=0.0)
    thigh_below: float = declared(0.227, unit="m", above=0.0)
    thigh_above: float = declared(0.173, unit="m", above=0.0)
    thigh_mass: float = declared(7.994, unit="kg", above=0.0)
    thigh_inertia: float = declared(0.133, unit="kg m^2", above=0.0)
    hat_centre: float = declared(0.325, unit="m", above=0.0)
    hat_mass: float = declared(54.2, unit="kg", above=0.0)
    hat_inertia: float = declared(3.591, unit="kg m^2", above=0.0)
    gravity: float = declared(9.807, unit="m/s^2", above=0.0)

    @classmethod
    def from_person(cls, mass: float, height: float, sex: str = "male", gravity: float = 9.80665) -> Body:
        """Return the walker of a person by mass [kg], height [m] and sex; see `softstride.gait.person`."""
        from softstride.gait.person import body_from_person

        return body_from_person(mass, height, sex, gravity)

    def with_consistent_foot(self) -> Body:
        """Return the body with a foot whose two triangles agree; those of Table A1 differ by 0.15 mm."""
        from softstride.gait.person import with_consistent_foot

        return with_consistent_foot(self)

    @property
    def shank(self) -> float:
        """Length of the shank [m]."""
        return self.shank_below + self.shank_above

    @property
    def thigh(self) -> float:
        """Length of the thigh [m]."""
        return self.thigh_below + self.thigh_above

    @property
    def mass(self) -> float:
        """Of the whole body [kg]."""
        return self.hat_mass + 2.0 * (self.foot_mass + self.shank_mass + self.thigh_mass)

    @property
    def mass_on_ankle(self) -> float:
        """What the ankle of a single support carries [kg]: all but the foot."""
        return self.mass - self.foot_mass

    @property
    def sole(self) -> float:
        """Length of the sole, heel to toe [m], by the line toe to ankle."""
        return self.heel_ankle * math.cos(self.heel_angle) - 2.0 * self.toe_centre * math.cos(self.toe_angle)

    def coefficients(self, phase: int) -> Coefficients:
        """Return the coefficients of a phase, 1 to 4.

        In phase 3 the foot rests: its row and column are those of a foot that turns alone, so that matrices stay
        regular; its angle must be held.
        """
        if phase not in PHASES:
            raise ModelError(f"phases are numbered from 1 to 4, however {phase!r} was asked for")
        return self._double_support() if phase == 1 else self._single_support(phase)

    def _double_support(self) -> Coefficients:
        """Two chains: the right leg stands on its heel, left leg and HAT on the left toe."""
        mf, ms, mt, mh = self.foot_mass, self.shank_mass, self.thigh_mass, self.hat_mass
        ls, lt, A, D, F = self.shank, self.thigh, self.toe_centre, self.shank_below, self.thigh_below
        turn = cmath.exp
        c = np.zeros((7, 7))
        right = [(ms + mt) * self.heel_ankle, ms * D + mt * ls, mt * F]
        arms = [self.heel_ankle, ls]
        for i in range(2):
            for j in range(i + 1, 3):
                c[i, j] = c[j, i] = arms[i] * right[j]
        c[0, 0] = mf * self.heel_centre**2 + self.foot_inertia + (ms + mt) * self.heel_ankle**2
        c[1, 1] = self.shank_inertia + ms * D**2 + mt * ls**2
        c[2, 2] = self.thigh_inertia + mt * F**2
        left = [mh * self.hat_centre, mh * lt + mt * F, (mh + mt) * ls + ms * D]
        arms = [lt, ls, 2.0 * A]  # of thigh, shank and foot below what they carry
        for i in range(3):
            for j in range(i + 1):
                c[3 + j, 4 + i] = c[4 + i, 3 + j] = arms[i] * left[j]
        c[3, 3] = self.hat_inertia + mh * self.hat_centre**2
        c[4, 4] = self.thigh_inertia + mt * F**2 + mh * lt**2
        c[5, 5] = self.shank_inertia + ms * D**2 + (mh + mt) * ls**2
        c[6, 6] = self.foot_inertia + mf * A**2 + 4.0 * A**2 * (mh + mt + ms)
        foot = mf * self.heel_centre * turn(1j * self.centre_angle) + right[0] * turn(1j * self.heel_angle)
        toe = (2.0 * A * (mh + mt + ms) + A * mf) * turn(1j * self.toe_angle)
        z = np.array([foot, right[1], right[2], *left, toe])
        offset = np.array([self.heel_angle, 0.0, 0.0, 0.0, 0.0, 0.0, self.toe_angle])
        gap = np.array([self.heel_ankle, ls, lt, 0.0, -lt, -ls, -2.0 * A])
        return Coefficients(c, offset, z, gap)

    def _single_support(self, phase: int) -> Coefficients:
        """One chain from the right foot through both hips to the left foot."""
        mf, ms, mt, mh = self.foot_mass, self.shank_mass, self.thigh_mass, self.hat_mass
        ls, lt, A = self.shank, self.thigh, self.toe_centre
        pivot = {2: self.heel_ankle, 3: 0.0, 4: 2.0 * A}[phase]
        centre = {2: self.heel_centre, 3: 0.0, 4: A}[phase]
        over = self.mass_on_ankle
        s = np.array(
            [
                pivot * over,
                ms * self.shank_below + (over - ms) * ls,
                mt * self.thigh_below + (over - ms - mt) * lt,
                mh * self.hat_centre,
                -(mt * self.thigh_above + (ms + mf) * lt),
                -(ms * self.shank_above + mf * ls),
                -mf * A,
            ]
        )
        c = np.zeros((7, 7))
        arms = np.array([pivot, ls, lt, 0.0, -lt, -ls, 0.0])
        for i in (0, 1, 2, 4, 5):
            c[i, i + 1 :] = arms[i] * s[i + 1 :]
        c[2, 3:] = lt * s[3:]
        c += c.T
        c[0, 0] = pivot**2 * over + mf * centre**2 + self.foot_inertia
        c[1, 1] = self.shank_inertia + ms * self.shank_below**2 + (over - ms) * ls**2
        c[2, 2] = self.thigh_inertia + mt * self.thigh_below**2 + (over - ms - mt) * lt**2
        c[3, 3] = self.hat_inertia + mh * self.hat_centre**2
        c[4, 4] = self.thigh_inertia + mt * self.thigh_above**2 + (ms + mf) * lt**2
        c[5, 5] = self.shank_inertia + ms * self.shank_above**2 + mf * ls**2
        c[6, 6] = self.foot_inertia + mf * A**2
        first = self.toe_angle if phase == 4 else self.heel_angle
        z = s.astype(np.complex128)
        z[6] *= cmath.exp(1j * self.toe_angle)
        if phase == 2:
            z[0] = z[0] * cmath.exp(1j * first) + mf * centre * cmath.exp(1j * self.centre_angle)
        elif phase == 4:
            z[0] = (z[0] + mf * centre) * cmath.exp(1j * first)
        offset = np.array([first, 0.0, 0.0, 0.0, 0.0, 0.0, self.toe_angle])
        return Coefficients(c, offset, z, np.zeros(7))


def moments_on_segments(moments: Floats) -> Floats:
    """Return what joint moments (..., 6) do to the segments, (..., 7), [N m].

    A moment is positive counter-clockwise on the distal segment: dorsiflexion of an ankle, extension of a knee, flexion
    of a hip. Order: right ankle, right knee, right hip, left hip, left knee, left ankle.
    """
    ra, rk, rh, lh, lk, la = np.moveaxis(np.asarray(moments, dtype=np.float64), -1, 0)
    return np.stack([ra, rk - ra, rh - rk, -rh - lh, lh - lk, lk - la, la], axis=-1)
