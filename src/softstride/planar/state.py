"""`State`: how a chain moves and what acts on it, frame by frame."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike

from softstride.errors import InputError
from softstride.fields import changed
from softstride.frozen import Table
from softstride.planar.vectors import AXES, Floats
from softstride.results import Labels, Result, frozen_floats, owned, values
from softstride.signals.inputs import as_time

STILL = 1e-9
"""Largest change of the base's angle that counts as none [rad]."""


class Shape(Result, of="a shape"):
    """Links that are not quite rigid, as markers on skin show them: their geometry frame by frame.

    Rates are time derivatives in the frame of the link. Columns of the base must not change.

    Attributes:
        length: |J_i J_(i+1)|, shape (n_frames, n+1), [m].
        length_rate: Its first derivative, [m/s].
        length_acceleration: Its second derivative, [m/s²].
        com: Centres of mass, shape (n_frames, n+1, 2), [m].
        com_rate: Their first derivatives, [m/s].
        com_acceleration: Their second derivatives, [m/s²].
        turning: Rate of the angular momentum about the centre of mass beyond I_Ci thdd_i, shape (n_frames, n+1), [N·m]:
            of links made of bodies that move against each other or turn out of the plane; None: none, zeros.
    """

    length: Floats = values("time link", "m", finite=True)
    length_rate: Floats = values("time link", "m/s", finite=True)
    length_acceleration: Floats = values("time link", "m/s^2", finite=True)
    com: Floats = values("time link axis", "m", finite=True)
    com_rate: Floats = values("time link axis", "m/s", finite=True)
    com_acceleration: Floats = values("time link axis", "m/s^2", finite=True)
    turning: Floats | None = values("time link", "N m", default=None, finite=True)

    LABELS: ClassVar[Mapping[str, Labels]] = {"axis": lambda _: AXES}

    def __repr__(self) -> str:
        """Say what it is in one line."""
        return f"Shape({len(self.length)} frames of {self.length.shape[1] - 1} links)"

    def check(self) -> None:
        """Check the links: they have a length, and the base is rigid."""
        if self.turning is None:
            object.__setattr__(self, "turning", owned(np.zeros(self.length.shape)))
        if not (self.length[:, 1:] > 0.0).all():
            frame, link = np.argwhere(~(self.length[:, 1:] > 0.0))[0]
            raise InputError(
                f"length of link {link + 1} must be above zero, however it is not in frame {frame}."
            )
        for name in ("length_rate", "length_acceleration", "com_rate", "com_acceleration", "turning"):
            if getattr(self, name)[:, 0].any():
                raise InputError(f"{name} of link 0 must be zero: the base is rigid.")


@dataclass(frozen=True, eq=False, repr=False)
class State:
    """Motion and forces of a chain, one frame or many.

    Angles are those of the lines J_i J_(i+1) from the x axis of the world, counter-clockwise. A one-dimensional `theta`
    is one frame, and results then have no frame axis. Forces, couples, tensions and points may be one value for all
    frames. A contact of the chain that has neither force nor couple here is *unknown*: what needs it is refused.

    Attributes:
        theta: Angles of links 0 to n, shape (n_frames, n+1) or (n+1,), [rad]; that of the base does not change.
        omega: Angular velocities, as theta, [rad/s]; zero unless given. That of the base is zero.
        alpha: Angular accelerations, as theta, [rad/s²]; zero unless given. That of the base is zero.
        time: Instants, shape (n_frames,), [s]; None: frames have numbers only.
        tension: Tension of each muscle by name, shape () or (n_frames,), [N].
        force: Force on the chain at each contact by name, world axes, shape (2,) or (n_frames, 2), [N].
        couple: Couple on the chain at each contact by name, shape () or (n_frames,), [N·m].
        point: Points of contacts that move, by name, in the frame of the link, shape (2,) or (n_frames, 2), [m].
        torque: Ideal motors at the joints, acting on the distal links, shape (n,) or (n_frames, n), [N·m].
        base_position: Position of J_1, shape (2,) or (n_frames, 2), [m]; the origin unless given. Nothing but places
            in the world depends on it.
        base_acceleration: Acceleration of J_1 of a base that translates, shape (2,) or (n_frames, 2), [m/s²].
        shape: Links that are not quite rigid; None: those of the chain.
    """

    theta: Floats
    omega: Floats | None = None
    alpha: Floats | None = None
    time: Floats | None = None
    tension: Mapping[str, ArrayLike] = field(default_factory=Table)
    force: Mapping[str, ArrayLike] = field(default_factory=Table)
    couple: Mapping[str, ArrayLike] = field(default_factory=Table)
    point: Mapping[str, ArrayLike] = field(default_factory=Table)
    torque: Floats | None = None
    base_position: Floats | None = None
    base_acceleration: Floats | None = None
    shape: Shape | None = None

    def __post_init__(self) -> None:
        """Copy the arrays and check what can be checked without a chain."""
        theta = numbers(self.theta, "theta")
        if theta.ndim not in (1, 2) or theta.shape[-1] < 2:
            raise InputError(
                f"theta must have the shape (n_frames, n+1), the base's angle first, however it has {theta.shape}."
            )
        if not theta.size:
            raise InputError("a state needs at least one frame, however theta has none.")
        object.__setattr__(self, "theta", frozen_floats(theta))
        frames = np.atleast_2d(theta)
        if np.ptp(frames[:, 0]) > STILL:
            raise InputError(
                f"theta of the base must not change, however it does by {np.ptp(frames[:, 0]):.3g} rad: a base "
                "translates (base_acceleration), it does not turn."
            )
        for name in ("omega", "alpha"):
            given = getattr(self, name)
            rate = np.zeros(theta.shape) if given is None else numbers(given, name)
            if rate.shape != theta.shape:
                raise InputError(f"{name} must have the shape of theta, {theta.shape}, not {rate.shape}.")
            if rate[..., 0].any():
                raise InputError(
                    f"{name} of the base, its first column, must be zero: the base does not turn."
                )
            object.__setattr__(self, name, frozen_floats(rate))
        if self.time is not None:
            object.__setattr__(self, "time", frozen_floats(as_time(np.atleast_1d(self.time), self.n_frames)))
        self._check_forces()
        if self.shape is not None and self.shape.length.shape != frames.shape:
            raise InputError(
                f"shape must have {self.n_frames} frames of {frames.shape[1]} links, not {self.shape.length.shape}."
            )

    def _check_forces(self) -> None:
        for name, width in (("tension", ()), ("force", (2,)), ("couple", ()), ("point", (2,))):
            given = getattr(self, name)
            if not isinstance(given, Mapping):
                raise InputError(f"{name} must map names to values, however it is {given!r}.")
            table = {key: self._series(value, f"{name} of {key!r}", width) for key, value in given.items()}
            object.__setattr__(self, name, Table(table))
        for key, tension in self.tension.items():
            low = np.min(np.asarray(tension))
            if low < 0.0:
                raise InputError(
                    f"tension of {key!r} must not be negative, however it is {low:g} N: muscles pull."
                )
        vectors: tuple[tuple[str, tuple[int, ...]], ...] = (
            ("torque", (np.shape(self.theta)[-1] - 1,)),
            ("base_position", (2,)),
            ("base_acceleration", (2,)),
        )
        for name, shape in vectors:
            if getattr(self, name) is not None:
                object.__setattr__(self, name, self._series(getattr(self, name), name, shape))

    def _series(self, value: ArrayLike, what: str, width: tuple[int, ...]) -> Floats:
        """Return one value for all frames, or one for each, checked."""
        array = numbers(value, what)
        many = (self.n_frames, *width)
        if array.shape not in ((width, many) if not self.single else (width,)):
            wanted = f"{width}" if self.single else f"{width} or {many}"
            raise InputError(f"{what} must have the shape {wanted}, however it has {array.shape}.")
        return frozen_floats(array)

    def __repr__(self) -> str:
        """Say what it is in one line."""
        span = "" if self.time is None else f", {self.time[0]:.6g} to {self.time[-1]:.6g} s"
        return f"State({self.n_frames} frames of {np.shape(self.theta)[-1] - 1} links{span})"

    @property
    def single(self) -> bool:
        """Whether it is one frame without a frame axis."""
        return np.ndim(self.theta) == 1

    @property
    def n_frames(self) -> int:
        """Number of frames."""
        return 1 if self.single else len(self.theta)

    def changed(self, **changes: Any) -> State:
        """Return a state with some fields changed; an unknown field is an error that lists the known ones."""
        found: State = changed(self, changes, "a state")
        return found


def numbers(value: ArrayLike, what: str) -> Floats:
    """Return an array of finite real numbers.

    Raises:
        InputError: It holds something else; a NaN is named by its frame.
    """
    try:
        raw = np.asarray(value)
    except ValueError as error:
        raise InputError(f"{what} must be an array of numbers: {error}.") from error
    if raw.dtype.kind not in "buif":
        raise InputError(f"{what} must be made of real numbers, however it has the type {raw.dtype}.")
    array = np.asarray(raw, dtype=np.float64)
    if not np.isfinite(array).all():
        place = np.argwhere(~np.isfinite(array))[0] if array.ndim else np.zeros(1, dtype=int)
        where = "" if array.ndim == 0 else f" at {tuple(int(i) for i in place)}"
        raise InputError(
            f"{what} must be finite, however it is {float(array[tuple(place)] if array.ndim else array)}{where}: fill "
            "or leave out frames that were not measured; a contact that is not known gets no value at all."
        )
    return array
