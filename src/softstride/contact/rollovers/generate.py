"""Make the packaged rollovers again: `python -m softstride.contact.rollovers.generate RECORDINGS [FOLDER]`.

RECORDINGS is the folder of the public recordings that the sources name, FOLDER where the files go (the package itself
unless given). Of each trial: markers to a motion by inverse kinematics with the subject's scaled model, the heel bone's
pose and the force under it to a rollover, the rollover to two surfaces. Without a model the heel bone is seen by two
markers: its axis runs from the heel to the forefoot.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from softstride.capture import read
from softstride.capture.recording import Recording
from softstride.contact.floor import ground_velocity
from softstride.contact.inputs import FloatArray
from softstride.contact.rolling_fit import RollingFit, fit_rolling_surface
from softstride.contact.rollovers.measure import Rollover, measure_rollover
from softstride.contact.rollovers.measured import to_toml
from softstride.contact.spline_fit import SplineFit, fit_spline_surface
from softstride.engine import poses
from softstride.kinematics import solve_ik
from softstride.model import load_model

RHO_MIN = 0.01  # [m]
TILT_NOISE, PLACE_NOISE, SMOOTHING = 0.01, 0.002, 1e-5  # [rad], [m]: the same for all
EXPONENTIAL_TILT = (-0.25, 0.6)  # [rad] within which exponentials are fitted
EXPONENTIAL_RHO_MIN = 0.005  # [m]
HEELS = {"right": "calcn_r", "left": "calcn_l"}
PRESSES = 10.0  # [N] from which a plate's centre of pressure is used


@dataclass(frozen=True)
class Trial:
    """A walk in the folder of recordings.

    Attributes:
        folder: Its folder.
        model: Scaled model; "": none, and the heel bone is seen by markers.
        markers: Marker file.
        forces: Force file or external-loads document.
        source: Where it came from.
        sides: Feet of which a whole contact was recorded, by the end of the heel bone's name.
        bodies: Which heel bone is on which force, where no document says so.
        foot: Markers of heel and forefoot without the letter of their side, where there is no model.
    """

    folder: str
    model: str
    markers: str
    forces: str
    source: str
    sides: tuple[str, ...] = ("right", "left")
    bodies: dict[str, str] = field(default_factory=dict)
    foot: tuple[str, str] = ("HEE", "TOE")


GC5 = "Grand Challenge 5, subject PS, SimTK kneeloads, by way of modenaxe/femoral_anteversion_paper (GPL-3.0)"
PLATES = {"1_ground_force": "calcn_l", "2_ground_force": "calcn_r", "3_ground_force": "calcn_r"}
TRIALS = {
    "walk_gait2354": Trial(
        "walk_gait2354",
        "subject01_simbody.osim",
        "subject01_walk1.trc",
        "subject01_walk1_grf.xml",
        "subject01, treadmill walk, opensim-org/opensim-models (gait2354 example; model CC BY 3.0)",
    ),
    "walk_rajagopal_emg": Trial(
        "walk_rajagopal_emg",
        "subject_walk_scaled.osim",
        "markers_walk.trc",
        "grf_walk.xml",
        "overground walk of the Rajagopal examples, opensim-org/opensim-core (Apache-2.0)",
    ),
    "walk_opencap_s4": Trial(
        "walk_opencap_s4",
        "manually_scaled.osim",
        "walking1.trc",
        "walking1_grf.mot",
        "OpenCap validation set, subject 4, walking1, by way of keenon/nimblephysics (BSD-2)",
        bodies={"ground_force_1": "calcn_r", "ground_force_2": "calcn_l"},
    ),
    "walk_hc030a": Trial(
        "c3d_emg_pig",
        "",
        "HC030A05.c3d",
        "HC030A05.c3d",
        "subject HC030A, walk 05, mcgillmotionlab/biomechzoo (MIT)",
        bodies={"plate 1": "calcn_l", "plate 2": "calcn_r"},
    ),
    **{
        f"knee_gc5_ps_{each}": Trial(
            "knee_gc5_ps",
            "GC5.osim",
            f"PS_ngait_og_{each}.trc",
            f"PS_ngait_og_{each}_kinetics.mot",
            f"{GC5}, trial {each}",
            ("left",),
            PLATES,
        )
        for each in ("ss1", "ss11")
    },
}


def measure(recordings: Path, name: str) -> Iterator[tuple[str, Rollover]]:
    """Yield the name and the rollover of each foot of a trial."""
    trial = TRIALS[name]
    folder = recordings / trial.folder
    recording = read(folder / trial.markers)
    time, pose = _by_model(folder, trial, recording) if trial.model else _by_markers(trial, recording)
    height = np.stack([each[:, 1, 3] for each in pose.values()], axis=1)
    speed = [np.gradient(each[:, [0, 2], 3], time, axis=0) for each in pose.values()]
    belt = ground_velocity(height, np.stack(speed, axis=1))[0]
    loads = read(folder / trial.forces)
    for side in trial.sides:
        force, point = _under(loads, HEELS[side], trial.bodies, time)
        yield f"{name}_{side}", measure_rollover(time, pose[side], force, point, belt=belt)


def _by_model(folder: Path, trial: Trial, recording: Recording) -> tuple[FloatArray, dict[str, FloatArray]]:
    """Return instants, and poses of both heel bones by inverse kinematics, shape (n, 4, 4)."""
    model = load_model(folder / trial.model)
    motion = solve_ik(model, recording)
    return motion.time, {side: np.asarray(poses(model, motion.q, heel)) for side, heel in HEELS.items()}


def _by_markers(trial: Trial, recording: Recording) -> tuple[FloatArray, dict[str, FloatArray]]:
    """Return instants, and poses of both feet by two markers: x from heel to forefoot, z level, shape (n, 4, 4)."""
    found = {}
    for side in HEELS:
        heel, front = (recording.markers[f"{side[0].upper()}{name}"] for name in trial.foot)
        x = (front - heel) / np.linalg.norm(front - heel, axis=1, keepdims=True)
        z = np.cross(x, [0.0, 1.0, 0.0])
        z = z / np.linalg.norm(z, axis=1, keepdims=True)
        pose = np.tile(np.eye(4), (len(x), 1, 1))
        pose[:, :3, :] = np.stack([x, np.cross(z, x), z, heel], axis=-1)
        found[side] = pose
    return recording.markers.time, found


def fit(rollover: Rollover, starts: int = 16) -> tuple[SplineFit, RollingFit]:
    """Return both surfaces of a rollover as they are packaged."""
    spline = fit_spline_surface(
        rollover.tilt,
        rollover.place,
        rho_min=RHO_MIN,
        smoothing=SMOOTHING,
        tilt_noise=TILT_NOISE,
        place_noise=PLACE_NOISE,
    )
    low, high = EXPONENTIAL_TILT
    within = (spline.tilts > low) & (spline.tilts < high)
    exponential = fit_rolling_surface(
        spline.tilts[within],
        rollover.place[within] - spline.offset,
        rho0=None,
        switch=None,
        rho_min=EXPONENTIAL_RHO_MIN,
        shift=True,
        starts=starts,
    )
    return spline, exponential


def main(recordings: Path, folder: Path) -> None:
    """Write all files into a folder."""
    for trial in TRIALS:
        for name, rollover in measure(recordings, trial):
            text = to_toml(name, TRIALS[trial].source, rollover, *fit(rollover))
            (folder / f"{name}.toml").write_text(text, encoding="utf-8")


def _under(
    loads: Recording, heel: str, bodies: dict[str, str], time: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """Return force and centre of pressure under a heel bone at instants, (n, 3) each; forces of two plates add up."""
    force, moment = np.zeros((len(time), 3)), np.zeros((len(time), 3))
    for each in loads.forces:
        if bodies.get(each.name, each.body) != heel:
            continue
        pressed = (each.force[:, 1] > PRESSES) & np.isfinite(each.point).all(axis=1)
        if not pressed.any():
            continue
        f, p = (
            np.stack([np.interp(time, at, column, left=end, right=end) for column in values.T], axis=1)
            for at, values, end in (
                (each.time, each.force, 0.0),
                (each.time[pressed], each.point[pressed], None),
            )
        )
        share = np.where(f[:, 1:2] > PRESSES, f, 0.0)
        force += share
        moment += share[:, 1:2] * p
    with np.errstate(invalid="ignore"):
        return force, np.where(force[:, 1:2] > 0.0, moment / force[:, 1:2], np.nan)


if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit("usage: python -m softstride.contact.rollovers.generate RECORDINGS [FOLDER]")
    main(Path(sys.argv[1]), Path(sys.argv[2]) if len(sys.argv) > 2 else Path(__file__).parent)
