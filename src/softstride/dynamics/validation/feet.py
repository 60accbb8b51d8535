"""What acts on each foot, as one wrench: the common ground on which loads and recordings are compared.

Several plates under one foot at a time are summed, and everything is a wrench about the origin of the world, so that
the point a file gives does not matter. Where the line of action meets a horizontal plane of height h is the centre of
pressure; for w = [M; F] about the origin (world x forward, y up, z right)

    x = (M_z + h F_x) / F_y,    z = (h F_z - M_x) / F_y,    T = M_y - (z F_x - x F_z)

with T the free moment about the vertical through it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from softstride.capture.recording import Recording
from softstride.dynamics.applied import GROUND
from softstride.dynamics.feet import named_link
from softstride.dynamics.loads import AppliedWrench
from softstride.dynamics.resample import at_frames
from softstride.errors import InputError
from softstride.model.model import Model
from softstride.naming import side_of
from softstride.signals.butterworth import butterworth

Array = NDArray[np.float64]
Mask = NDArray[np.bool_]

UP = 1
"""The vertical axis of the world."""

EVEN = 1e-3
"""Relative difference of steps of time up to which a low pass takes frames as evenly spaced."""


@dataclass(frozen=True, eq=False)
class FootLoad:
    """What acts on one foot.

    Attributes:
        foot: "right", "left", or the link where its name tells no side.
        wrench: [moment; force] about the origin of the world, shape (n, 6), [N·m] and [N]; NaN where not known.
        height: Of the points of application above the origin, weighted with the vertical force of the parts, shape
            (n,), [m]; NaN where nothing acts.
        parts: Vertical force of each force that the wrench is a sum of, by name, shape (n,), [N].
    """

    foot: str
    wrench: Array
    height: Array
    parts: Mapping[str, Array]

    @property
    def force(self) -> Array:
        """The force, shape (n, 3), [N]."""
        return self.wrench[:, 3:]

    @property
    def vertical(self) -> Array:
        """Its upward part, shape (n,), [N]."""
        return self.wrench[:, 3 + UP]

    def parts_in(self, frames: slice) -> str:
        """Return the names of the forces that give at least a twentieth of the impulse in some frames."""
        share = {name: float(np.nansum(np.abs(part[frames]))) for name, part in self.parts.items()}
        total = sum(share.values())
        return " + ".join(name for name, part in share.items() if part >= 0.05 * total and part > 0.0)

    def level(self, frames: slice) -> float:
        """Return the mean height of the points of application in some frames [m]; 0 where there are none."""
        height, weight = self.height[frames], np.maximum(self.vertical[frames], 0.0)
        seen = np.isfinite(height) & (weight > 0.0)
        return float(np.average(height[seen], weights=weight[seen])) if seen.any() else 0.0


def foot_loads(wrenches: Mapping[str, AppliedWrench]) -> dict[str, FootLoad]:
    """Return the sum of what acts on each foot, by side."""
    groups: dict[str, dict[str, AppliedWrench]] = {}
    for name, wrench in wrenches.items():
        groups.setdefault(foot_of(wrench.link), {})[name] = wrench
    return {foot: _sum(foot, parts) for foot, parts in groups.items()}


def foot_of(link: str) -> str:
    """Return the side that the name of a link tells, or else the name."""
    return side_of(link) or link


def measured_wrenches(model: Model, time: Array, recording: Recording) -> dict[str, AppliedWrench]:
    """Return the forces of a recording that tell body or side, at some instants, in world axes.

    Raises:
        InputError: There are none, one tells neither or is given in the axes of a body: then the motion is needed.
    """
    if not recording.forces:
        raise InputError(f"recording {recording.name!r} holds no forces to compare with")
    found: dict[str, AppliedWrench] = {}
    for force in recording.forces:
        link = named_link(model, force, {})
        if link is None or force.force_in not in GROUND or force.point_in not in GROUND:
            told = "tells neither body nor side" if link is None else "is given in the axes of a body"
            raise InputError(
                f"force {force.name!r} {told}, so that its foot is only known from the motion: give motion=..., or the "
                "loads of solve_id in place of the recording"
            )
        each = at_frames(force, time)
        unknown = ~each.known[:, None]
        found[force.name] = AppliedWrench(
            link,
            np.where(unknown, np.nan, each.force),
            np.where(each.acts[:, None], each.point, np.nan),
            np.where(unknown, np.nan, each.moment),
        )
    return found


def low_passed(load: FootLoad, time: Array, cutoff: float) -> FootLoad:
    """Return a load after a zero-phase Butterworth low pass of fourth order at a cut-off frequency [Hz].

    Raises:
        InputError: The frames are not evenly spaced, or the cut-off is not below half their rate.
    """
    steps = np.diff(time)
    if not len(steps) or np.ptp(steps) > EVEN * float(np.median(steps)):
        raise InputError("a low pass of forces needs frames at a constant rate")
    rate = 1.0 / float(np.median(steps))
    return FootLoad(load.foot, butterworth(load.wrench, rate, cutoff), load.height, load.parts)


def pressure_centre(wrench: Array, height: float, least: float) -> tuple[Array, Array]:
    """Return where wrenches act on the plane y = height, and the free moment there.

    Args:
        wrench: [moment; force] about the origin, shape (n, 6), [N·m] and [N].
        height: Of the plane [m].
        least: Vertical force below which nothing is told (NaN) [N].

    Returns:
        x and z, shape (n, 2), [m], and the free moment about the upward vertical, shape (n,), [N·m].
    """
    mx, my, mz, fx, fy, fz = wrench.T
    fy = np.where(fy > least, fy, np.nan)
    x, z = (mz + height * fx) / fy, (height * fz - mx) / fy
    return np.stack([x, z], axis=1), my - (z * fx - x * fz)


def contacts(load: FootLoad, time: Array, threshold: float, bridge: float) -> list[tuple[int, int]]:
    """Return first frame and the one after the last of each contact.

    Args:
        load: What acts on the foot.
        time: Instants [s], shape (n,).
        threshold: Vertical force of a contact [N].
        bridge: Breaks up to this long are no break [s].
    """
    on = np.nan_to_num(load.vertical) > threshold
    edges = np.flatnonzero(np.diff(np.concatenate([[False], on, [False]]).astype(np.int8)))
    found: list[tuple[int, int]] = []
    for start, stop in edges.reshape(-1, 2).tolist():
        if found and time[start] - time[found[-1][1] - 1] <= bridge and _seen(load, found[-1][1], start):
            found[-1] = (found[-1][0], stop)
        else:
            found.append((start, stop))
    return found


def _seen(load: FootLoad, start: int, stop: int) -> bool:
    return bool(np.isfinite(load.vertical[start:stop]).all())


def _sum(foot: str, parts: Mapping[str, AppliedWrench]) -> FootLoad:
    wrench = np.sum([part.about() for part in parts.values()], axis=0)
    weight = np.stack([np.nan_to_num(np.abs(part.force[:, UP])) for part in parts.values()])
    height = np.stack([part.point[:, UP] for part in parts.values()])
    weight[~np.isfinite(height)] = 0.0
    total = weight.sum(axis=0)
    mean = (weight * np.nan_to_num(height)).sum(axis=0) / np.where(total > 0.0, total, np.nan)
    return FootLoad(foot, wrench, mean, {name: part.force[:, UP] for name, part in parts.items()})
