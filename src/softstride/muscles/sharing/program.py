"""The program of a trial, piece by piece: muscles, actuators and reserves against moments, solved and gathered."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
from numpy.typing import NDArray

from softstride.engine.force_sharing import share_forces
from softstride.errors import InputError, Option
from softstride.model.model import Model
from softstride.muscles.sharing.demand import Demand
from softstride.muscles.sharing.pieces import PathPiece
from softstride.muscles.sharing.rows import Rows
from softstride.muscles.sharing.strength import Muscles, Strength, by_muscle, muscle_weights
from softstride.solvers.force_sharing import SharingSolution

Array = NDArray[np.float64]
Mask = NDArray[np.bool_]

UNEVEN = 1e-3
"""Relative difference of steps of time that smoothness takes for none."""

MARGIN = 1e-9
"""Of what muscles can do about a coordinate: moments beyond it by less are within reach."""


class Program:
    """Takes the paths of a trial in pieces of frames, and gives the forces of all of it.

    Columns of the program are muscles, then actuators, then, where reserves are raised to a power above 2, reserves.

    Args:
        model: The model.
        muscles: Who pulls.
        rows: What is to be met.
        demand: By how much.
        reference: Activations that EMG speaks of, shape (n, m), or None.
        threads: How many threads may be used.
    """

    def __init__(
        self,
        model: Model,
        muscles: Muscles,
        rows: Rows,
        demand: Demand,
        reference: Array | None,
        threads: int | None,
    ) -> None:
        self.model = model
        self.muscles, self.rows, self.demand = muscles, rows, demand
        self.reference, self.threads = reference, threads
        self.options = muscles.options
        wanted = np.ascontiguousarray(demand.active[:, rows.columns])
        self.known: Mask = np.asarray(np.isfinite(wanted).all(axis=1))
        self.wanted = wanted
        n, m, k = len(wanted), len(muscles.hill), len(rows.names)
        self.motors = _Motors(rows, self.options.power == 3 and self.options.as_opensim)
        self.weights = np.concatenate(
            [muscle_weights(muscles.hill, self.options), np.ones(self.motors.count)]
        )
        self.pull = np.concatenate(
            [
                by_muscle(self.options.emg_weight, muscles.hill.names, "emg_weight", np.ones(m)),
                np.ones(self.motors.count),
            ]
        )
        self._check_weights()
        self.found: dict[str, Any] = {
            name: np.full((n, width), np.nan)
            for name, width in (("force", m), ("activation", m), ("demand", k), ("moment", k), ("reserve", k))
        }
        self.found |= {
            name: np.full((n, len(rows.actuators)), np.nan) for name in ("actuator_force", "control")
        }
        self.found |= {name: np.full(n, np.nan) for name in ("stationarity", "feasibility")}
        self.found |= {"converged": np.zeros(n, dtype=bool), "iterations": np.zeros(n, dtype=np.int64)}
        self.short: Mask = np.zeros((n, m), dtype=bool)
        self.at_most: Mask = np.zeros((n, m), dtype=bool)
        self.beyond: Mask = np.zeros((n, k), dtype=bool)
        self._waiting: list[tuple[slice, PathPiece, Strength]] = []

    def _check_weights(self) -> None:
        """Refuse muscles that cost nothing: neither effort nor a difference from EMG, in some frame."""
        names = self.muscles.hill.names
        heard = np.zeros(len(names), dtype=bool)
        if self.reference is not None:
            heard = np.isfinite(self.reference).all(axis=0) & (self.pull[: len(names)] > 0.0)
        for i in np.flatnonzero((self.weights[: len(names)] == 0.0) & ~heard):
            option = Option("weights")
            raise InputError(
                f"{option} of {names[i]!r} must be above 0, however it is 0 and EMG does not speak of this muscle in "
                "every frame: nothing would say how hard it pulls",
                parameter="weights",
                value=0.0,
                names=[names[i]],
                options=[option],
            )

    def add(self, piece: PathPiece) -> None:
        """Take the next frames; solve them unless they have to wait for all others."""
        frames = piece.frames
        strength = self.muscles.strength(piece.length, piece.speed)
        self.short[frames] = strength.short
        if self.options.smoothness > 0.0:
            self._waiting.append((frames, piece, strength))
        elif self.known[frames].any():
            matrix, wanted, given = self._columns(frames, piece, strength)
            solution = self._solve(matrix, wanted, given, 0.0)
            self._gather(frames, piece, strength, solution, 0)

    def finish(self) -> dict[str, Any]:
        """Return all results by the names of fields of `MuscleForces`."""
        if self._waiting:
            self._solve_smoothly()
        self.found["demand"] = self.wanted
        for name, array in self.found.items():
            if array.dtype == np.float64 and name != "demand":
                array[~self.known] = np.nan
        self.found["converged"][~self.known] = False
        self.at_most[~self.known] = False
        return self.found

    def _columns(
        self, frames: slice, piece: PathPiece, strength: Strength
    ) -> tuple[Array, Array, dict[str, Any]]:
        """Return matrix (n, columns, k), demand (n, k), and bounds and references of the columns."""
        n = len(piece.length)
        pull = np.matmul(strength.offset[:, None, :], piece.arms)[:, 0] if strength.offset.any() else 0.0
        wanted = np.where(self.known[frames, None], self.wanted[frames], 0.0) - pull
        m = piece.arms.shape[1]
        matrix = np.zeros((n, m + self.motors.count, piece.arms.shape[2]))
        np.multiply(piece.arms, strength.gain[:, :, None], out=matrix[:, :m])
        matrix[:, m:] = self.motors.matrix
        given: dict[str, Any] = {
            name: _beside(getattr(strength, name), getattr(self.motors, name)) for name in ("lower", "upper")
        }
        if self.reference is not None:
            known = self.muscles.references(strength, self.reference[frames])
            given["reference"] = _beside(known, np.full(self.motors.count, np.nan))
        return matrix, wanted, given

    def _solve(
        self, matrix: Array, wanted: Array, given: dict[str, Any], smoothness: Array | float
    ) -> SharingSolution:
        return share_forces(
            matrix,
            wanted,
            self.weights,
            power=self.options.power,
            reserve=self.motors.reserve,
            pull=self.pull,
            smoothness=smoothness,
            tolerance=self.options.tolerance,
            threads=self.threads,
            **given,
        )

    def _gather(
        self, frames: slice, piece: PathPiece, strength: Strength, solution: SharingSolution, first: int
    ) -> None:
        """Write the results of some frames, those of the solution from `first` on."""
        count, m, motors = len(piece.length), piece.arms.shape[1], len(self.rows.actuators)
        mine = slice(first, first + count)
        x = solution.x[mine]
        pulls = x[:, :m]
        force = strength.gain * pulls + strength.offset
        self.found["force"][frames] = force
        self.found["activation"][frames] = self.muscles.activations(
            strength, pulls, piece.length, piece.speed
        )
        self.found["moment"][frames] = np.matmul(force[:, None, :], piece.arms)[:, 0]
        self.found["control"][frames] = x[:, m : m + motors]
        self.found["actuator_force"][frames] = x[:, m : m + motors] * self.motors.force[:motors]
        self.found["reserve"][frames] = (
            solution.reserve[mine] + x[:, m + motors :] @ self.motors.matrix[motors:]
        )
        for name in ("stationarity", "feasibility", "converged", "iterations"):
            self.found[name][frames] = getattr(solution, name)[mine]
        self.at_most[frames] = (pulls >= strength.upper) & (strength.upper > strength.lower)
        stuck = np.flatnonzero(~solution.converged[mine])
        if len(stuck):
            self.beyond[frames.start + stuck] = self._out_of_reach(
                frames.start + stuck, piece, strength, stuck
            )

    def _out_of_reach(
        self, frames: NDArray[np.intp], piece: PathPiece, strength: Strength, mine: NDArray[np.intp]
    ) -> Mask:
        """Return which moments would be out of reach even if no other were asked for, in some frames, shape (f, k)."""
        arms, gain, offset = piece.arms[mine], strength.gain[mine], strength.offset[mine]
        ends = [
            arms * (gain * x[mine] + offset)[:, :, None]
            for x in (np.broadcast_to(b, strength.gain.shape) for b in (strength.lower, strength.upper))
        ]
        low, high = np.minimum(*ends).sum(axis=1), np.maximum(*ends).sum(axis=1)
        for row, force, least, most in zip(
            self.rows.actuator_rows, self.motors.force, self.motors.lower, self.motors.upper, strict=False
        ):
            low[:, row] += min(force * least, force * most)
            high[:, row] += max(force * least, force * most)
        wanted, margin = self.wanted[frames], MARGIN * np.maximum(np.abs(low), np.abs(high))
        return np.asarray((wanted < low - margin) | (wanted > high + margin))

    def _solve_smoothly(self) -> None:
        """Solve all frames together, each stretch of known ones for itself."""
        time = self.demand.time
        steps = np.diff(time)
        if len(steps) and np.ptp(steps) > UNEVEN * steps.mean():
            option = Option("smoothness")
            raise InputError(
                f"{option} needs frames at a constant rate, however steps of time are {steps.min():.3g} to "
                f"{steps.max():.3g} s",
                parameter="smoothness",
                value=self.options.smoothness,
                options=[option],
            )
        rate = 1.0 / float(steps.mean()) if len(steps) else 1.0
        c = np.concatenate([self.weights[: len(self.muscles.hill)], np.zeros(self.motors.count)])
        c *= (self.options.smoothness * rate) ** 2
        parts = [self._columns(*each) for each in self._waiting]
        matrix, wanted = (np.concatenate([part[i] for part in parts]) for i in (0, 1))
        names = list(parts[0][2])
        given = {name: np.concatenate([part[2][name] for part in parts]) for name in names}
        edges = [0, *(np.flatnonzero(np.diff(self.known)) + 1).tolist(), len(time)]
        for first, last in itertools.pairwise(edges):
            if self.known[first]:
                cut = {name: array[first:last] for name, array in given.items()}
                solution = self._solve(matrix[first:last], wanted[first:last], cut, c)
                for frames, piece, strength in self._waiting:
                    self._gather_stretch(first, last, frames, piece, strength, solution)

    def _gather_stretch(
        self,
        first: int,
        last: int,
        frames: slice,
        piece: PathPiece,
        strength: Strength,
        solution: SharingSolution,
    ) -> None:
        """Write the frames of a piece that lie in a stretch."""
        start, stop = max(first, frames.start), min(last, frames.stop)
        if start >= stop:
            return
        cut = slice(start - frames.start, stop - frames.start)
        part = PathPiece(
            slice(start, stop), piece.length[cut], piece.speed[cut], piece.arms[cut], piece.status[cut]
        )
        fields = {name: getattr(strength, name)[cut] for name in Strength.__dataclass_fields__}
        self._gather(part.frames, part, Strength(**fields), solution, start - first)


class _Motors:
    """Columns beside the muscles: actuators, and reserves if they are raised to a power."""

    def __init__(self, rows: Rows, powered: bool) -> None:
        k = len(rows.names)
        sizes, at = [motor.optimal_force for motor in rows.actuators], list(rows.actuator_rows)
        lower, upper = ([getattr(motor, name) for motor in rows.actuators] for name in ("lower", "upper"))
        self.reserve = rows.reserve
        if powered:
            backed = np.flatnonzero(rows.reserve > 0.0).tolist()
            sizes, at = [*sizes, *rows.reserve[backed].tolist()], [*at, *backed]
            lower, upper = [*lower, *[-np.inf] * len(backed)], [*upper, *[np.inf] * len(backed)]
            self.reserve = np.zeros(k)
        self.count = len(sizes)
        self.force = np.array(sizes, dtype=np.float64)
        self.matrix = np.zeros((self.count, k))
        self.matrix[range(self.count), at] = self.force
        self.lower, self.upper = np.array(lower, dtype=np.float64), np.array(upper, dtype=np.float64)


def _beside(muscles: Array, motors: Array) -> Array:
    return np.concatenate([muscles, np.broadcast_to(motors, (len(muscles), len(motors)))], axis=1)
