"""The study behind `softstride demo`: a running blade on a swinging leg, hanging from a fixed hip.

Thigh and residual shank are rigid, in the sagittal plane; the blade is a J-shaped rod of six segments that
bend. The leg is let go with the hip and the knee flexed. It swings down, the knee runs into its extension
stop, and the blade rings. Nothing dissipates, so the drift of the total energy measures the simulation.
Masses, sizes and the shape of the blade are plausible round numbers, not measurements of a person or product.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import cast

import numpy as np
from numpy.typing import NDArray

from softstride import engine
from softstride.model import Model, ModelBuilder, Point, Rod, Section, centreline_frames
from softstride.simulation import Trajectory, simulate

FloatArray = NDArray[np.float64]

HIP = (0.0, 0.95, 0.0)  # [m]
THIGH = 0.42  # length [m]
SHANK = 0.16  # length of the residual shank with its socket [m]
SIDE = (0.0, 0.0, 1.0)  # the blade's width, and the axes of hip and knee: to the right
SEGMENTS = 6
RATE = 1000  # frames a second, of what is drawn and measured
STEP = 1.25e-4  # of the integration [s]; the fastest bending mode, 17 000 rad/s, allows RK4 up to 1.6e-4

CENTRELINE = np.array(  # of the unloaded blade, from the socket to the toe; shank axes [m]
    [
        [0.000, 0.000, 0.0],
        [0.000, -0.060, 0.0],
        [-0.014, -0.120, 0.0],
        [-0.042, -0.180, 0.0],
        [-0.062, -0.240, 0.0],
        [-0.050, -0.300, 0.0],
        [-0.006, -0.345, 0.0],
        [0.056, -0.364, 0.0],
        [0.120, -0.368, 0.0],
    ]
)

CARBON = Section.rectangle(
    width=0.065, thickness=0.0075, density=1600.0, young=55e9, shear=5e9
)  # [m], [m], [kg/m³], [Pa], [Pa]


@dataclass(frozen=True, eq=False)
class Swing:
    """What the swing was like; time is axis 0.

    Attributes:
        model: The leg.
        motion: Time, coordinates, velocities and energy.
        centreline: World positions along the blade, shape (n_frames, n_points, 3), [m].
        joints: World positions of hip, knee and socket, shape (n_frames, 3, 3), [m].
        tip_deflection: Distance of the toe from where a rigid blade would hold it, shape (n_frames,), [m].
        moments: Bending moment of each segment, shape (n_frames, n_segments), [N·m].
        shapes: The blade unloaded and at its largest deflection, in shank axes, shape (2, n_points, 3), [m].
    """

    model: Model
    motion: Trajectory
    centreline: FloatArray
    joints: FloatArray
    tip_deflection: FloatArray
    moments: FloatArray
    shapes: FloatArray

    def figures(self) -> dict[str, float]:
        """Return the key numbers by name, each with its unit at the end."""
        return {
            "duration_s": float(self.motion.time[-1]),
            "dof": self.model.nv,
            "mass_kg": self.model.mass,
            "peak_kinetic_energy_J": float(np.max(self.motion.energy.kinetic)),
            "energy_drift_J": self.motion.energy_drift,
            "max_tip_deflection_mm": 1e3 * float(np.max(self.tip_deflection)),
            "peak_blade_moment_Nm": float(np.max(np.abs(self.moments))),
        }


def swinging_leg() -> Model:
    """Return the leg: hip and knee hinges about z, a blade of six segments, a light sole on its toe."""
    b = ModelBuilder("leg with a blade")
    b.revolute(
        "thigh",
        axis=SIDE,
        coordinate="hip",
        position=HIP,
        mass=8.5,
        com=(0.0, -0.43 * THIGH, 0.0),
        inertia=(0.14, 0.035, 0.14),
    )
    b.revolute(
        "shank",
        parent="thigh",
        axis=SIDE,
        coordinate="knee",
        position=(0.0, -THIGH, 0.0),
        mass=2.2,
        com=(0.0, -0.5 * SHANK, 0.0),
        inertia=(0.008, 0.004, 0.008),
        range=(-2.4, 0.0),  # flexion is negative: the shank turns backward
        limit_stiffness=600.0,
    )
    base = centreline_frames(CENTRELINE, SIDE, SEGMENTS)[0][0]
    blade = Rod.from_centreline(CENTRELINE, SIDE, SEGMENTS, CARBON, free=("ky",))
    b.rod("blade", parent="shank", rod=blade, position=(0.0, -SHANK, 0.0), rotation=base[:3, :3], mass=0.12)
    return b.build()


def simulate_swing(duration: float = 1.5, hip: float = 1.1, knee: float = -1.3) -> Swing:
    """Let the leg go at rest and return what follows.

    Args:
        duration: How long [s].
        hip: Hip angle at the start [rad]; flexion is positive.
        knee: Knee angle at the start [rad]; flexion is negative.
    """
    model = swinging_leg()
    q0 = model.neutral()
    q0[[model.q_indices("thigh")[0], model.q_indices("shank")[0]]] = hip, knee
    times = np.linspace(0.0, duration, round(duration * RATE) + 1)
    motion = simulate(model, q0, np.zeros(model.nv), (0.0, duration), times=times, method="rk4", dt=STEP)
    return describe_swing(model, motion)


def describe_swing(model: Model, motion: Trajectory) -> Swing:
    """Return what is worth drawing and printing about a motion of the leg."""
    rod = cast(Rod, model.link("blade").joint)
    blade = list(model.q_indices("blade"))
    along = [Point("blade", at=float(s)) for s in np.linspace(0.0, rod.length, 41)]
    joints = [Point("thigh"), Point("shank"), Point("blade", at=0.0)]
    unloaded = motion.q.copy()
    unloaded[:, blade] = 0.0
    bent, straight = engine.positions(model, motion.q, along), engine.positions(model, unloaded, along)
    deflection = np.linalg.norm(bent[:, -1] - straight[:, -1], axis=-1)
    peak = int(np.argmax(deflection))
    T_world_shank = engine.poses(model, motion.q[peak], "shank")
    stiffness = np.array([segment.stiffness[1, 1] for segment in rod.segments])  # E Iy [N·m²]
    return Swing(
        model=model,
        motion=motion,
        centreline=bent,
        joints=engine.positions(model, motion.q, joints),
        tip_deflection=deflection,
        moments=stiffness * motion.q[:, blade],
        shapes=(np.stack([straight[peak], bent[peak]]) - T_world_shank[:3, 3]) @ T_world_shank[:3, :3],
    )
