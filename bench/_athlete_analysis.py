"""How muscles of the digital athlete are analysed by `athlete_muscles`: from a recording to forces and phases."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

import softstride as ss
from softstride.capture import Channels
from softstride.dynamics.prepare import prepare

Array = NDArray[np.float64]

ENVELOPE: dict[str, Any] = {
    "band": (50.0, None),
    "lowpass": 12.0,
    "lowpass_order": 4,
    "critically_damped": None,
}
EMG_WEIGHT = 10.0
SPAN = ("hip_flexion", "hip_adduction", "hip_rotation", "knee_angle", "ankle_angle", "subtalar_angle")
KNEE = "tibia_r"


@dataclass(frozen=True, eq=False)
class Phase:
    """A phase of single support: side of the foot that bears, and which frames of the loads."""

    side: str
    frames: NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class Analysis:
    """What an analyst finds before muscles: the model, the motion, and loads with plates or without."""

    trial: ss.AthleteTrial
    model: ss.Model
    motion: ss.Motion
    loads: ss.Loads

    def share(self, *, emg: bool = False, **changes: Any) -> ss.MuscleForces:
        """Share the loads with the settings above."""
        names = {f"{name}_{side}" for name in SPAN for side in ("r", "l")}
        given: dict[str, Any] = {"passive": True}
        given["coordinates"] = tuple(name for name in self.model.coordinate_names if name in names)
        if emg:
            given |= {"emg_muscles": self.trial.electrodes, "mvc": self.trial.mvc, "emg_weight": EMG_WEIGHT}
            given["emg_delay"] = self.trial.emg_delay
        heard = envelopes(self.trial) if emg else None
        return ss.solve_muscles(self.model, self.motion, self.loads, heard, **(given | changes))

    def emg_based(self) -> ss.EmgForces:
        """Return what EMG alone says of forces."""
        hill = ss.hill_muscles(self.model, tuple(self.trial.electrodes))
        state = prepare(self.model, self.motion, self.loads.lowpass)
        paths = ss.muscle_paths(self.model, state.q, state.v, hill.names)
        activation = ss.emg_activation(
            envelopes(self.trial),
            hill,
            self.trial.electrodes,
            mvc=self.trial.mvc,
            delay=self.trial.emg_delay,
            time=self.loads.time,
        )
        return ss.emg_forces(hill, activation, paths.length, paths.speed)

    def knee(self, forces: ss.MuscleForces) -> Array:
        """Return the force along the right tibia in the knee, compression positive, in body weights, shape (n,)."""
        return knee_force(self.model, self.motion, self.loads, forces)


def knee_force(model: ss.Model, motion: ss.Motion, loads: ss.Loads, forces: ss.MuscleForces) -> Array:
    """Return the force along the right tibia in the knee, compression positive, in body weights, shape (n,)."""
    found = ss.joint_reactions(model, motion, loads, forces, joints=KNEE)
    return np.asarray(-found.force[:, 0, 1] / (model.mass * float(np.linalg.norm(model.gravity))))


def analyse(trial: ss.AthleteTrial, model: ss.Model, *, plates: bool = True) -> Analysis:
    """Return motion and loads of the recording."""
    motion = ss.solve_ik(model, trial.recording)
    loads = ss.estimate_loads(model, motion)
    if plates:
        loads = ss.solve_id(model, motion, trial.recording, lowpass=loads.lowpass)
    return Analysis(trial, model, motion, loads)


def envelopes(trial: ss.AthleteTrial) -> Channels:
    """Return envelopes of the EMG [V]."""
    undivided = dict.fromkeys(trial.recording.emg.labels, 1.0)
    return ss.emg_envelopes(trial.recording, reference=undivided, **ENVELOPE).emg


def single_support(recording: ss.Recording, time: Array) -> list[Phase]:
    """Return the phases of single support that the trial has from strike or toe-off to toe-off or strike."""
    on = {side: np.zeros(len(time), dtype=bool) for side in ("left", "right")}
    for strike in (event for event in recording.events if event.label == "strike"):
        ends = [e.time for e in recording.events if e.label == "off" and e.side == strike.side]
        end = min((t for t in ends if t > strike.time), default=np.inf)
        on[str(strike.side)] |= (time >= strike.time) & (time <= end)
    first = {side: min((e for e in recording.events if e.side == side), key=lambda e: e.time) for side in on}
    for side, event in first.items():
        if event.label == "off":
            on[side] |= time <= event.time
    found = []
    for side, other in (("right", "left"), ("left", "right")):
        alone = np.concatenate([[False], on[side] & ~on[other], [False]])
        edges = np.flatnonzero(np.diff(alone.astype(int)))
        for start, end in zip(edges[::2], edges[1::2], strict=True):
            if start > 0 and end < len(time):
                frames = np.zeros(len(time), dtype=bool)
                frames[start:end] = True
                found.append(Phase(side, frames))
    return sorted(found, key=lambda phase: int(phase.frames.argmax()))


def rmse(model: ss.Model, muscle: str, one: Array, two: Array, frames: NDArray[np.bool_]) -> float:
    """Return the root mean square difference in % of the maximal isometric force."""
    off = float(np.sqrt(np.mean((one[frames] - two[frames]) ** 2)))
    return 100.0 * off / model.muscles[muscle].max_force
