"""People whose markers and loads are to be doubted, for the tests of bands."""

from functools import cache

import numpy as np
from tests.models import the_model

import softstride as ss
from softstride.capture import ExternalForce, Points, Recording
from softstride.engine import positions

FOOT = ("calcn", "toes", "talus")
LEG = (*FOOT, "tibia", "femur", "patella")


@cache
def person():
    return the_model("gait", mass=70.0, height=1.70, sex="male")


def labels():
    return tuple(person().markers)


def seen(time, q):
    """Return where the markers are, (n, m, 3)."""
    return positions(person(), q, list(labels()))


def recording(time, places, forces=()):
    return Recording("trial", ("trial.trc",), markers=Points(time, labels(), places), forces=forces)


@cache
def standing(n=80, rate=100.0):
    """Return instants and poses of somebody who stands on both feet and sways, crouching."""
    model = person()
    t = np.arange(n) / rate
    goal = seen(t, np.tile(model.neutral(), (n, 1)))
    sway = np.stack(
        [0.03 * np.sin(6.3 * t), -0.08 + 0.04 * np.cos(5.0 * t), 0.03 * np.sin(4.4 * t + 1.0)], axis=1
    )
    weights = {}
    for i, (name, marker) in enumerate(model.markers.items()):
        part = marker.link.split("_")[0]
        if part not in LEG:
            goal[:, i] += sway
            weights[name] = 1.0
        elif part in FOOT:
            weights[name] = 100.0
    return t, ss.solve_ik(model, recording(t, goal), weights=weights).q


@cache
def striding(n=50, rate=100.0):
    """Return instants and poses of somebody who swings arms and legs, and a force under the right foot."""
    model = person()
    t = np.arange(n) / rate
    q = np.tile(model.neutral(), (n, 1))
    for name, mean, size, phase in (
        ("pelvis_list", 0, 4, 0.0),
        ("pelvis_rotation", 5, 8, 1.0),
        ("hip_flexion_r", 10, 25, 0.0),
        ("hip_flexion_l", 10, 25, np.pi),
        ("knee_angle_r", 30, 25, -1.5),
        ("knee_angle_l", 30, 25, np.pi - 1.5),
        ("ankle_angle_r", 0, 10, 2.0),
        ("elbow_flex_r", 40, 20, 1.0),
    ):
        column = model.coordinate_names.index(name)
        q[:, column] = np.radians(mean + size * np.sin(2 * np.pi * t + phase))
    q[:, model.coordinate_names.index("pelvis_tx")] = 1.2 * t
    f = np.stack([50.0 * np.sin(6.0 * t), np.full(n, 700.0), np.full(n, 30.0)], axis=1)
    point = positions(model, q, "calcn_r") * [1.0, 0.0, 1.0] + [0.1, 0.0, 0.0]
    return t, q, ExternalForce("plate", t, f, point, np.zeros((n, 3)), body="calcn_r")
