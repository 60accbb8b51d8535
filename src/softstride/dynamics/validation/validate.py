"""Ground reactions beside measured ones, strike by strike, as in tables 1 and 2 of the hybrid-link paper.

A *strike* is a continuous contact of one foot on a measured force. With f the estimated and g the measured force
of the foot along an axis, over the n frames of the strike,

    RMSE  = sqrt(sum (f - g)^2 / n)                                                                     (38)
    rRMSE = 100 RMSE / ((range(f) + range(g)) / 2),    range(f) = max f - min f                         (39)

[Hybrid2026]. Beside each stands its *floor*: rms(r) in place of the RMSE, over the same frames and the same range, with
r the base residual that the same model and motion leave under the measured forces. What a method that balances the body
finds is g + r in sum over both feet, so that in single support it cannot come closer on this motion. In double support
r is of both feet, and all of it is charged to each: there an estimate, which shares it between them, may lie below its
floor. The *shared* floor charges each foot with s r instead, s its share of the measured vertical force: what an
estimate reaches that balances the body and shares as the plates saw it. Along axes that the base does not transmit (z
of a planar model) there is no residual to see, and no floor.

*Corrected* is a load times the ratio of masses: the given one over that of the model, or else the mean vertical force
that was measured over the mean that was estimated, both feet together. The floor is corrected in the same way: of the
whole force g + r that the motion asks for.

Frames in which a foot stands where nothing is measured say nothing about mass and floor. They are told by the loads
that are compared: an estimated step of which no part was measured.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from softstride.capture.recording import Recording
from softstride.dynamics.inverse import solve_id
from softstride.dynamics.loads import AppliedWrench, Loads
from softstride.dynamics.validation.errors import StrikeErrors, Validation
from softstride.dynamics.validation.feet import (
    UP,
    contacts,
    foot_loads,
    measured_wrenches,
    pressure_centre,
)
from softstride.dynamics.validation.pair import BRIDGE, Pair, pair_loads
from softstride.errors import InputError
from softstride.fields import ABOVE_0, checked
from softstride.kinematics.frames import spans
from softstride.kinematics.motion import Motion
from softstride.notes import Note

__all__ = ["StrikeErrors", "Validation", "validate_loads"]

Array = NDArray[np.float64]

SHORTEST = 0.08
"""Strikes shorter than this are left out [s]: a sprinter's lasts 0.09 s, and a scrap of one has no range."""

SAME = 1e-6
"""Instants that differ by less are one frame [s]."""


def validate_loads(
    loads: Loads,
    recording: Recording | Loads,
    *,
    motion: Motion | None = None,
    floor: Loads | None = None,
    lowpass: float | None = None,
    force_lowpass: float | None = None,
    mass: float | None = None,
    threshold: float = 20.0,
    least: float = 50.0,
    shortest: float = SHORTEST,
) -> Validation:
    """Compare ground reactions with measured ones: RMSE, rRMSE, correlation, floor and centre of pressure.

    Centres of pressure are compared on the plane of the measured points, in frames in which both vertical forces
    exceed `least`; support is single while no other foot has a measured force above `threshold`.

    Args:
        loads: What is judged, as `estimate_loads` returns it; its wrenches are the ground reactions.
        recording: What was measured: a recording, or the loads of `solve_id` with it, which are the floor too.
        motion: The motion of the loads, for the feet that forces are under and for the floor.
        floor: Loads of `solve_id` with the measured forces; None: solved here if there is a motion, else there is no
            floor.
        lowpass: Cut-off frequency of the coordinates for a floor that is solved here [Hz]; None: the one of `loads`,
            if that is an estimate.
        force_lowpass: Cut-off frequency of a low pass of the measured forces [Hz], zero phase, at the frames; None: as
            measured. Strikes are those of the forces as measured.
        mass: Of the person [kg]; None: from the vertical forces.
        threshold: Vertical force of a contact [N].
        least: Vertical force above which a centre of pressure is known well enough [N].
        shortest: Strikes shorter than this are left out [s].

    Returns:
        The errors, with their means.

    Raises:
        InputError: Nothing measured at these frames or on these feet, no strike, or an option that makes no sense.
    """
    _check(loads, mass, threshold, least, shortest)
    floor, wrenches = _measured(loads, recording, motion, floor, lowpass)
    given, ours = foot_loads(wrenches), foot_loads(loads.wrenches)
    feet = [foot for foot in given if foot in ours]
    if not feet:
        raise InputError(
            f"the loads act on {', '.join(ours) or 'nothing'}, the measured forces on {', '.join(given) or 'nothing'}: "
            "there is no foot to compare"
        )
    time = loads.time
    spells = {foot: contacts(given[foot], time, threshold, BRIDGE) for foot in feet}
    both = pair_loads(loads, ours, given, floor, force_lowpass, mass, threshold, least)
    notes = _coverage(both)
    strikes: list[StrikeErrors] = []
    for foot in feet:
        for start, stop in spells[foot]:
            if time[stop - 1] - time[start] >= shortest:
                strikes.append(_strike(both, foot, start, stop))
            else:
                when = f"{time[start]:.3f} to {time[stop - 1]:.3f} s"
                told = f"the {foot} foot's contact from {when} is too short to compare: left out"
                span = (time[start], time[stop - 1])
                notes.append(
                    Note("validation.contact-too-short", told, topic="feet", names=(foot,), span=span)
                )
    if not strikes:
        raise InputError(
            f"from {time[0]:g} to {time[-1]:g} s no foot is on a measured force above {threshold:g} N for {shortest:g} "
            "s: there is no strike to compare"
        )
    strikes.sort(key=lambda each: each.start)
    return Validation(loads.model.name, tuple(strikes), both.scale, threshold, least, tuple(notes))


def _check(loads: Loads, mass: float | None, threshold: float, least: float, shortest: float) -> None:
    if not isinstance(loads, Loads):
        raise InputError(f"validate_loads takes Loads, however it was given {type(loads).__name__}")
    given = (("threshold", threshold), ("least", least), ("mass", 1.0 if mass is None else mass))
    for name, value in (*given, ("shortest", shortest)):
        checked(ABOVE_0, value, name)


def _measured(
    loads: Loads,
    recording: Recording | Loads,
    motion: Motion | None,
    floor: Loads | None,
    lowpass: float | None,
) -> tuple[Loads | None, Mapping[str, AppliedWrench]]:
    """Return the loads that are the floor, if any, and the measured wrenches, at the frames of `loads`."""
    if isinstance(recording, Loads):
        source: Loads | None = recording
    elif not isinstance(recording, Recording):
        raise InputError(f"what was measured must be a Recording or Loads, however it is {recording!r}")
    elif floor is None and motion is not None:
        span = (float(loads.time[0]), float(loads.time[-1]))
        if lowpass is None and loads.ground is not None:
            lowpass = loads.ground.cutoff
        source = solve_id(loads.model, motion, recording, state=loads.state, lowpass=lowpass, time_range=span)
    else:
        source = floor
    if source is None:
        return None, measured_wrenches(loads.model, loads.time, recording)  # type: ignore[arg-type]
    below = source if floor is None else floor
    return _at(below, loads.time), _at(source, loads.time).wrenches


def _at(loads: Loads, time: Array) -> Loads:
    """Return loads at some of their frames.

    Raises:
        InputError: They have no such frames.
    """
    rows = np.clip(np.searchsorted(loads.time, time - SAME), 0, max(len(loads.time) - 1, 0))
    if not len(loads.time) or np.abs(loads.time[rows] - time).max() > SAME:
        raise InputError(
            f"the measured loads have other frames ({len(loads.time)}) than those they are compared with "
            f"({len(time)}, {time[0]:g} to {time[-1]:g} s): solve both for the same motion"
        )
    wrenches = {
        name: AppliedWrench(each.link, each.force[rows], each.point[rows], each.moment[rows])
        for name, each in loads.wrenches.items()
    }
    return Loads(
        loads.model, time, loads.tau[rows], wrenches=wrenches, residual=loads.residual[rows], base=loads.base
    )


def _coverage(both: Pair) -> list[Note]:
    missing = np.flatnonzero(~both.complete)
    if not len(missing):
        return []
    share = f"{len(missing)} of {len(both.time)} frames"
    told = (
        f"{share} have a foot whose force was not measured, and say nothing of mass, floor and single support: "
        f"{spans(missing, both.time)}"
    )
    span, values = (both.time[missing[0]], both.time[missing[-1]]), {"frames": len(missing)}
    return [Note("validation.not-measured", told, topic="forces", span=span, values=values)]


def _strike(both: Pair, foot: str, start: int, stop: int) -> StrikeErrors:
    """Return the errors of a foot from frame start to stop (excluded)."""
    frames, n = slice(start, stop), len(both.time)
    raw, given, ours = both.raw[foot], both.given[foot], both.ours[foot]
    f, g = ours.force[frames], given.force[frames]
    rmse, extent, correlation = _errors(f, g)
    rmse_corrected, extent_corrected, _ = _errors(both.scale * f, g)
    left, shared, left_corrected = _left(both, foot, frames)
    others = [x.vertical[frames] < both.threshold for name, x in both.raw.items() if name != foot]
    single = np.logical_and.reduce([both.complete[frames], *others])
    level = raw.level(frames)
    place, moment = pressure_centre(given.wrench[frames], level, both.least)
    place_ours, moment_ours = pressure_centre(ours.wrench[frames], level, both.least)
    away = np.linalg.norm(place_ours - place, axis=1)
    inside = start > 0 and stop < n and bool(np.isfinite(raw.vertical[[start - 1, stop]]).all())
    return StrikeErrors(
        foot=foot,
        force=raw.parts_in(frames),
        start=float(both.time[start]),
        end=float(both.time[stop - 1]),
        frames=int(np.isfinite(f[:, UP]).sum()),
        partial=not inside,
        rmse=rmse,
        rrmse=100.0 * rmse / extent,
        correlation=correlation,
        floor=100.0 * left / extent,
        floor_shared=100.0 * shared / extent,
        rmse_corrected=rmse_corrected,
        rrmse_corrected=100.0 * rmse_corrected / extent_corrected,
        floor_corrected=100.0 * left_corrected / extent_corrected,
        cop=_rms(away),
        cop_single=_rms(away[single]),
        free_moment=_rms(moment_ours - moment),
        peak=float(np.nan_to_num(f[:, UP]).max()),
        peak_measured=float(g[:, UP].max()),
    )


def _errors(f: Array, g: Array) -> tuple[Array, Array, Array]:
    """Return RMSE [N], mean range [N] and correlation of each axis, shape (3,), over the frames that both have."""
    use = np.isfinite(f).all(axis=1) & np.isfinite(g).all(axis=1)
    if not use.any():
        nothing = np.full(3, np.nan)
        return nothing, nothing, nothing
    f, g = f[use], g[use]
    rmse = np.sqrt(np.mean((f - g) ** 2, axis=0))
    extent = 0.5 * (np.ptp(f, axis=0) + np.ptp(g, axis=0))
    df, dg = f - f.mean(axis=0), g - g.mean(axis=0)
    size = np.sqrt((df**2).sum(axis=0) * (dg**2).sum(axis=0))
    correlation = (df * dg).sum(axis=0) / np.where(size > 0.0, size, np.nan)
    return rmse, np.where(extent > 0.0, extent, np.nan), correlation


def _left(both: Pair, foot: str, frames: slice) -> tuple[Array, Array, Array]:
    """Return the rms residual of each axis [N], shape (3,) each; NaN if not known.

    All of it, as it is; the share of the foot, as the measured vertical forces share the load; all of it, with the
    mass corrected. Of a double support the first and the last are of both feet.
    """
    use = both.complete[frames]
    if both.asked is None or not use.any():
        return np.full(3, np.nan), np.full(3, np.nan), np.full(3, np.nan)
    asked, total = both.asked[frames][use], both.total[frames][use]
    up = {name: np.maximum(load.vertical[frames][use], 0.0) for name, load in both.raw.items()}
    share = up[foot] / np.maximum(np.sum(list(up.values()), axis=0), 1e-9)
    raw, shared, corrected = (
        np.sqrt(np.mean((s * (k * asked - total)) ** 2, axis=0))
        for s, k in ((1.0, 1.0), (share[:, None], 1.0), (1.0, both.floor_scale))
    )
    return raw, shared, corrected


def _rms(x: Array) -> float:
    x = x[np.isfinite(x)]
    return float(np.sqrt(np.mean(x * x))) if len(x) else float("nan")
