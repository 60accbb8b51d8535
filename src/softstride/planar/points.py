"""A chain from points that move: joint centres and centres of mass, with velocities and accelerations."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from softstride.errors import InputError
from softstride.planar.state import Shape
from softstride.planar.vectors import Complex, Floats, cross, dot, to_xy

SHORTEST = 1e-6
"""Two joints nearer than this have no direction [m]."""


@dataclass(frozen=True, eq=False)
class Track:
    """Points over time, complex, each (n_frames, n_points).

    Attributes:
        place: Positions [m].
        rate: Velocities [m/s].
        acceleration: Accelerations [m/s²].
    """

    place: Complex
    rate: Complex
    acceleration: Complex

    def __sub__(self, other: Track) -> Track:
        """Return the difference of two tracks."""
        return Track(self.place - other.place, self.rate - other.rate, self.acceleration - other.acceleration)

    def __getitem__(self, columns: slice | int | list[int]) -> Track:
        """Return some of the points."""
        return Track(self.place[:, columns], self.rate[:, columns], self.acceleration[:, columns])

    def toward(self, other: Track, share: float) -> Track:
        """Return the point at a share of the way to another."""
        pairs = zip(self.parts, other.parts, strict=True)
        return Track(*((1.0 - share) * a + share * b for a, b in pairs))

    @property
    def parts(self) -> tuple[Complex, Complex, Complex]:
        """Positions, velocities and accelerations."""
        return self.place, self.rate, self.acceleration

    @staticmethod
    def beside(tracks: list[Track]) -> Track:
        """Return tracks of one point each as one."""
        return Track(*(np.stack(parts, axis=1) for parts in zip(*(t.parts for t in tracks), strict=True)))


@dataclass(frozen=True, eq=False)
class Angles:
    """Angles and lengths of lines, each (n_frames, n_lines), [rad] and [m], with two derivatives."""

    theta: Floats
    omega: Floats
    alpha: Floats
    length: Floats
    length_rate: Floats
    length_acceleration: Floats


def line_angles(line: Track, names: tuple[str, ...]) -> Angles:
    """Return angles and lengths of lines with analytical derivatives; angles are continuous in time.

    With d the line, omega = d x d' / d² and alpha = d x d'' / d² - 2 omega (d . d') / d².

    Raises:
        InputError: A line has no length somewhere.
    """
    d, rate, acceleration = line.parts
    length = np.abs(d)
    if length.min() < SHORTEST:
        frame, which = np.argwhere(length < SHORTEST)[0]
        raise InputError(
            f"link {names[which]!r} has no length in frame {frame}: both of its ends are in one place."
        )
    square = length**2
    omega = cross(d, rate) / square
    length_rate = dot(d, rate) / length
    return Angles(
        np.unwrap(np.angle(d), axis=0),
        omega,
        cross(d, acceleration) / square - 2.0 * omega * length_rate / length,
        length,
        length_rate,
        (dot(rate, rate) + dot(d, acceleration) - length_rate**2) / length,
    )


def local(offset: Track, angles: Angles) -> Track:
    """Return points relative to turning lines, in the frames of the lines.

    r = c e^(i theta) gives c' = r' e^(-i theta) - i omega c and c'' = r'' e^(-i theta) - i alpha c - 2 i omega c' +
    omega² c.
    """
    back = np.exp(-1j * angles.theta)
    c = offset.place * back
    rate = offset.rate * back - 1j * angles.omega * c
    acceleration = (
        offset.acceleration * back - 1j * angles.alpha * c - 2j * angles.omega * rate + angles.omega**2 * c
    )
    return Track(c, rate, acceleration)


def with_base(values: Floats, base: float = 0.0) -> Floats:
    """Return columns of links 1 to n behind a constant column of the base."""
    return np.concatenate([np.full((len(values), 1), base), values], axis=1)


def shape_of(angles: Angles, com: Track, base_length: float = 0.0, turning: Floats | None = None) -> Shape:
    """Return the geometry of links frame by frame, with a rigid base whose centre of mass is in J_0."""
    place, rate, acceleration = (
        to_xy(np.concatenate([np.zeros((len(part), 1)), part], axis=1)) for part in com.parts
    )
    return Shape(
        with_base(angles.length, base_length),
        with_base(angles.length_rate),
        with_base(angles.length_acceleration),
        place,
        rate,
        acceleration,
        None if turning is None else with_base(turning),
    )
