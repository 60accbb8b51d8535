"""How the values of a chain file run over time: at its instants, or along smooth curves between them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.interpolate import PchipInterpolator, make_interp_spline

from softstride.errors import ModelError
from softstride.model import checks
from softstride.notes import Note
from softstride.planar.vectors import Floats
from softstride.signals.derivatives import derivative
from softstride.signals.inputs import as_time

MOST_FRAMES = 100_000
"""Frames of a file."""

QUINTIC = 5
ENDS = ("free", "rest")


@dataclass(frozen=True, eq=False)
class Clock:
    """Instants of a file.

    Attributes:
        knots: Instants at which the file gives values [s], shape (k,); None for one frame.
        time: Instants of the frames [s], shape (n_frames,); None for one frame.
        dense: Whether frames lie between the knots.
        ends: "rest": the motion starts and ends without velocity and acceleration; "free".
        notes: What was decided.
    """

    knots: Floats | None
    time: Floats | None
    dense: bool
    ends: str
    notes: tuple[Note, ...]

    @staticmethod
    def of(table: Mapping[str, Any]) -> Clock:
        """Read `time`, `rate` and `ends` of a file."""
        ends = table.get("ends", "free")
        if ends not in ENDS:
            raise ModelError(f"ends must be free or rest, however it is {ends!r}.")
        if "time" not in table:
            if "rate" in table:
                raise ModelError("rate needs time, the instants at which values are given.")
            return Clock(None, None, False, ends, ())
        given = checks.any_array(table["time"], "time")
        if given.ndim != 1 or not 2 <= len(given) <= MOST_FRAMES:
            raise ModelError(f"time must be a list of 2 to {MOST_FRAMES} instants.")
        knots = as_time(given, len(given))
        if "rate" not in table:
            words = "Angular velocities and accelerations are those of quintic splines through the frames."
            note = Note("motion.splines-through-frames", words, topic="motion")
            return Clock(knots, knots, False, ends, (note,))
        rate = checks.number(table["rate"], "rate")
        count = int(np.floor((knots[-1] - knots[0]) * rate + 1e-9)) + 1 if rate > 0.0 else 0
        if not 2 <= count <= MOST_FRAMES:
            raise ModelError(
                f"rate must give 2 to {MOST_FRAMES} frames from first to last instant, not {rate:g} Hz."
            )
        words = (
            f"Angles run along quintic splines through {len(knots)} instants, forces along monotone cubics."
        )
        note = Note("motion.splines-through-instants", words, topic="motion", values={"instants": len(knots)})
        return Clock(knots, knots[0] + np.arange(count) / rate, True, ends, (note,))

    def varies(self, value: Any, width: int) -> bool:
        """Return whether a value is given for each instant; `width` is the number of axes of one value."""
        return self.knots is not None and checks.any_array(value, "a value over time").ndim == width + 1

    def course(self, value: Any, width: int, what: str) -> Floats:
        """Return a value of all frames: a constant, or one along the instants.

        Args:
            value: Of the file: a number (width 0) or a pair (width 1), or a list of them.
            width: Number of axes of one value.
            what: How messages call it.
        """
        array = checks.any_array(value, what)
        tail = () if width == 0 else (2,)
        if array.shape == tail:
            return array
        if self.knots is None or array.shape != (len(self.knots), *tail):
            wanted = "a number" if width == 0 else "a pair of numbers"
            many = "" if self.knots is None else f", or {len(self.knots)} of them, one for each instant"
            raise ModelError(f"{what} must be {wanted}{many}, however it has the shape {array.shape}.")
        if not self.dense:
            return array
        return np.asarray(PchipInterpolator(self.knots, array, axis=0)(self.time))

    def motion(self, row: Mapping[str, Any], what: str) -> tuple[Floats, Floats, Floats]:
        """Return angle, angular velocity and acceleration of a link, each () or (n_frames,)."""
        if ("angle" in row) == ("angle_deg" in row):
            raise ModelError(f"{what} needs either 'angle' [rad] or 'angle_deg'.")
        angle = checks.any_array(row["angle"] if "angle" in row else row["angle_deg"], f"{what}: angle")
        angle = angle if "angle" in row else np.radians(angle)
        if self.knots is None or self.time is None:
            rates = [
                checks.number(row.get(key, 0.0), f"{what}: {key}") for key in ("velocity", "acceleration")
            ]
            if angle.ndim:
                raise ModelError(f"{what}: angle must be one number, since the file has no time.")
            return angle, np.array(rates[0]), np.array(rates[1])
        if angle.shape not in ((), self.knots.shape):
            raise ModelError(
                f"{what}: angle must be one number, or one for each of {len(self.knots)} instants."
            )
        curve = np.broadcast_to(angle, self.knots.shape)
        if "velocity" in row or "acceleration" in row:
            if self.dense:
                raise ModelError(f"{what}: velocity and acceleration follow from rate; leave them out.")
            whole = [
                np.broadcast_to(self.course(row.get(key, 0.0), 0, f"{what}: {key}"), curve.shape)
                for key in ("velocity", "acceleration")
            ]
            return curve, whole[0], whole[1]
        if angle.ndim == 0:
            still = np.zeros(len(self.time))
            return still + angle, still, still
        return self._along(self.knots, curve)

    def _along(self, knots: Floats, curve: Floats) -> tuple[Floats, Floats, Floats]:
        if self.ends == "free" and not self.dense:
            return curve, derivative(knots, curve), derivative(knots, curve, order=2)
        rest = ([(1, 0.0), (2, 0.0)],) * 2
        if self.ends == "rest":
            spline = make_interp_spline(knots, curve, k=QUINTIC, bc_type=rest)
        else:
            spline = make_interp_spline(knots, curve, k=min(QUINTIC, len(curve) - 1))
        return spline(self.time), spline(self.time, 1), spline(self.time, 2)
