"""`Walk`: a simulated walk, which is a `Motion` of the walker's model with forces, phases, steps and energies."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from softstride.capture.force import ExternalForce
from softstride.capture.recording import Recording
from softstride.dynamics.inverse import solve_id
from softstride.dynamics.loads import Loads
from softstride.errors import InputError
from softstride.gait.body import JOINTS, SEGMENTS, Body
from softstride.gait.moments import joint_index
from softstride.gait.records import PLANE, Certificate, PhaseRecord, Step, Transition
from softstride.gait.states import POINTS, joint_angles
from softstride.kinematics.motion import Motion
from softstride.naming import SIDES
from softstride.results import Labels, values

Floats = NDArray[np.float64]

STICKS = (
    "right_ankle", "right_toe", "right_heel", "right_ankle", "right_knee", "right_hip", "left_hip", "hat",
    "left_hip", "left_knee", "left_ankle", "left_heel", "left_toe", "left_ankle",
)  # fmt: skip
"""The stick figure as one line: right foot, right leg, trunk, left leg, left foot."""


class Walk(Motion, of="a walk", kw_only=True):
    """A walk; right and left are those of the person, whichever leg stands.

    As a `Motion` it has model (`walker_model`), time, q, v, a, events and notes.

    Attributes:
        body: The body that walked.
        theta: Angles of the segments, shape (n, 7), [rad], in the order of `SEGMENTS`.
        omega: Rates, shape (n, 7), [rad/s].
        alpha: Accelerations, shape (n, 7), [rad/s²].
        phase: 1 to 4, shape (n,).
        left_stance: Whether the left leg stands, shape (n,).
        moments: Joint moments, ligaments included, shape (n, 6), [N m], in the order of `JOINTS`.
        passive: The part of ligaments, shape (n, 6), [N m].
        ground_force: On the right and on the left foot, forward and up, shape (n, 2, 2), [N].
        ground_point: Where they act on the floor, shape (n, 2), [m] along x; NaN without load.
        points: Places in the order of `POINTS`, shape (n, 11, 2), [m].
        kinetic: Kinetic energy, shape (n,), [J].
        gravity: Potential energy above the floor, shape (n,), [J].
        elastic: Energy of the spring between the hips, shape (n,), [J].
        work: Work of each joint's muscles since the start, shape (n, 6), [J].
        hip_gap: Standing hip less that of the trunk in double support, shape (n, 2), [m].
        steps: One record a step.
        phases: One record a phase, with its balance of energy.
        transitions: One record an event.
        completed: Whether all steps were made.
        reason: Why not, "" if they were.
        certificate: How far it is to be trusted.
    """

    WHOLE: ClassVar[str] = "its steps, phases and balances are of the whole; `at` gives the motion of a part"

    body: Body
    theta: Floats = values("time segment", "rad")
    omega: Floats = values("time segment", "rad/s")
    alpha: Floats = values("time segment", "rad/s^2")
    phase: NDArray[np.int64] = values("time", dtype=int)
    left_stance: NDArray[np.bool_] = values("time", dtype=bool)
    moments: Floats = values("time joint", "N m")
    passive: Floats = values("time joint", "N m")
    ground_force: Floats = values("time side plane", "N")
    ground_point: Floats = values("time side", "m")
    points: Floats = values("time point plane", "m")
    kinetic: Floats = values("time", "J")
    gravity: Floats = values("time", "J")
    elastic: Floats = values("time", "J")
    work: Floats = values("time joint", "J")
    hip_gap: Floats = values("time plane", "m")
    steps: tuple[Step, ...]
    phases: tuple[PhaseRecord, ...]
    transitions: tuple[Transition, ...]
    completed: bool
    reason: str
    certificate: Certificate

    LABELS: ClassVar[Mapping[str, Labels]] = {
        "segment": lambda _: SEGMENTS,
        "joint": lambda _: JOINTS,
        "side": lambda _: SIDES,
        "plane": lambda _: PLANE,
        "point": lambda _: POINTS,
    }

    def __repr__(self) -> str:
        """Say what it is in one line."""
        made = sum(step.completed for step in self.steps)
        end = "" if self.completed else f", ended: {self.reason}"
        return f"Walk({made} steps, {self.n_frames} frames, {self.time[0]:.6g} to {self.time[-1]:.6g} s{end})"

    def at(self, start: float, stop: float) -> Motion:
        """Return the part from `start` to `stop` [s] as a plain `Motion`."""
        return self.plain.at(start, stop)

    @property
    def plain(self) -> Motion:
        """The motion alone."""
        return Motion(self.model, self.time, self.q, (self.v, self.a), None, self.events, self.notes)

    # by name

    @property
    def event_times(self) -> Mapping[str, float]:
        """Instants of the first step by name [s]; see `Step.events`."""
        return self.steps[0].events

    @property
    def stance(self) -> tuple[str, ...]:
        """The leg that stands, frame by frame: "right" or "left"."""
        return tuple(SIDES[int(left)] for left in self.left_stance)

    @property
    def energy(self) -> Floats:
        """Kinetic, potential and spring energy together, shape (n,), [J]."""
        return self.kinetic + self.gravity + self.elastic

    def point(self, name: str) -> Floats:
        """Return the places of a point, shape (n, 2), [m]; see `POINTS`."""
        if name not in POINTS:
            raise InputError(f"{name!r} is no point of the walker; there are: {', '.join(POINTS)}")
        return self.points[:, POINTS.index(name)]

    def angle(self, segment: str) -> Floats:
        """Return the angle of a segment, shape (n,), [rad]; see `SEGMENTS`."""
        if segment not in SEGMENTS:
            raise InputError(f"{segment!r} is no segment of the walker; there are: {', '.join(SEGMENTS)}")
        return self.theta[:, SEGMENTS.index(segment)]

    @cached_property
    def joint_angles(self) -> Floats:
        """Dorsiflexion of ankles, extension of knees, flexion of hips, shape (n, 6), [rad], as `JOINTS`."""
        return joint_angles(self.theta)

    def moment(self, joint: str) -> Floats:
        """Return the moment of a joint, shape (n,), [N m]; see `JOINTS`."""
        return self.moments[:, joint_index(joint)]

    # drawing

    def sticks(self) -> Floats:
        """Return the walker as one line to draw in each frame, shape (n, 14, 2), [m]; see `STICKS`."""
        return self.points[:, [POINTS.index(name) for name in STICKS]]

    # forces

    def recording(self) -> Recording:
        """Return the ground reactions as a `Recording`, for `solve_id` and for files."""
        zero = np.zeros(self.n_frames)
        forces = []
        for k, side in enumerate(SIDES):
            f, p = self.ground_force[:, k], self.ground_point[:, k]
            loaded = np.isfinite(p)
            force = np.stack([f[:, 0], f[:, 1], zero], axis=1)
            point = np.stack([p, np.where(loaded, 0.0, np.nan), np.where(loaded, 0.0, np.nan)], axis=1)
            name = f"{side} foot"
            forces.append(
                ExternalForce(name, self.time, force, point, np.zeros_like(force), f"foot_{side[0]}", side)
            )
        return Recording("walk", forces=tuple(forces), events=self.events)

    @cached_property
    def loads(self) -> Loads:
        """The loads of this motion under these ground reactions, by inverse dynamics of the model.

        Nothing is left for the trunk's own coordinates, and joints get the moments back that made the walk; sliders of
        the hips carry the force between trunk and thigh.
        """
        return solve_id(self.model, self.plain, self.recording())

    def table(self) -> dict[str, Floats]:
        """Return the frames as named columns: time, angles and moments of the joints, forces, energies."""
        columns: dict[str, Floats] = {"time": self.time, "phase": self.phase.astype(np.float64)}
        for j, name in enumerate(JOINTS):
            columns[f"{name}_angle"] = self.joint_angles[:, j]
        for j, name in enumerate(JOINTS):
            columns[f"{name}_moment"] = self.moments[:, j]
        for k, side in enumerate(SIDES):
            columns[f"{side}_force_x"] = self.ground_force[:, k, 0]
            columns[f"{side}_force_y"] = self.ground_force[:, k, 1]
            columns[f"{side}_point"] = self.ground_point[:, k]
        return columns | {"kinetic": self.kinetic, "gravity": self.gravity, "elastic": self.elastic}
