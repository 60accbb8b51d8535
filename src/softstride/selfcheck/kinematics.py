"""Checks of inverse kinematics: motions of known models from their own markers."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from softstride import engine
from softstride.capture.recording import Recording
from softstride.capture.series import Points
from softstride.engine.pose_fit import pose_fit
from softstride.kinematics import Motion, solve_ik
from softstride.model import Model, ModelBuilder, athlete
from softstride.model.load import load_model

FloatArray = NDArray[np.float64]

RATE, NOISE = 100.0, 1e-3  # [Hz], [m]


def moving(model: Model, n_frames: int) -> FloatArray:
    """Return poses (n_frames, nq) that swing by up to 0.2 [rad], [m], [1/m] inside all limits, at 1.5 Hz."""
    random = np.random.default_rng(5)
    amplitude, phase = random.uniform(-0.2, 0.2, model.nv), random.uniform(0.0, 2.0 * np.pi, model.nv)
    wave = amplitude * np.sin(3.0 * np.pi * np.arange(n_frames)[:, None] / RATE + phase)
    middle = np.zeros(model.nv)
    for i, coordinate in enumerate(model.coordinates.values()):
        if coordinate.clamped:
            low, high = coordinate.lower - coordinate.default, coordinate.upper - coordinate.default
            middle[i] = np.clip(0.0, low + 0.2, high - 0.2)
    return engine.integrate(model, np.tile(model.neutral(), (n_frames, 1)), middle + wave)


def solved(model: Model, q: FloatArray, noise: float = 0.0) -> Motion:
    """Return the motion found from the model's own markers."""
    places = engine.positions(model, q, list(model.markers))
    places += noise * np.random.default_rng(6).standard_normal(places.shape)
    points = Points(np.arange(len(q)) / RATE, tuple(model.markers), places)
    return solve_ik(model, Recording("selfcheck", markers=points))


def round_trip() -> float:
    """Return the largest error of a motion found from clean markers of the gait person [rad], [m]."""
    model = load_model("gait")
    q = moving(model, 60)
    return float(np.abs(engine.difference(model, q, solved(model, q).q)).max())


def variance() -> float:
    """Return the largest relative error of the diagonal of (J^T W J + 1)^-1, athlete with a blade, 51 markers."""
    model = athlete()
    q, points = moving(model, 4), tuple(model.markers.values())
    weights = np.random.default_rng(7).uniform(0.5, 2.0, (len(q), len(points)))
    found = pose_fit(model, points).variances(q, weights, np.ones(model.nv))
    largest = 0.0
    for f, pose in enumerate(q):
        J = engine.jacobian(model, pose, points)
        H = np.einsum("mki,m,mkj->ij", J, weights[f], J) + np.eye(model.nv)
        largest = max(largest, float(np.abs(found[f] / np.diag(np.linalg.inv(H)) - 1.0).max()))
    return largest


def noise() -> float:
    """Return the noise that the residuals of noisy markers of the gait person show, over the noise that was added."""
    model = load_model("gait")
    fit = solved(model, moving(model, 60), NOISE).fit
    return float("nan") if fit is None else fit.noise / NOISE


def undetermined() -> float:
    """Return how many coordinates of a double pendulum on a ball with three markers on its first link are unknown.

    The ball is determined, the two hinges behind it are not.
    """
    b = ModelBuilder("chain")
    b.spherical("arm", mass=1.0, com=(0.0, -0.2, 0.0))
    b.revolute("forearm", "arm", position=(0.0, -0.4, 0.0), axis=(0, 0, 1), mass=1.0, com=(0.0, -0.2, 0.0))
    b.revolute("hand", "forearm", position=(0.0, -0.4, 0.0), axis=(1, 0, 0), mass=0.5, com=(0.0, -0.1, 0.0))
    for name, place in (("a", (0.1, -0.1, 0.0)), ("b", (-0.1, -0.2, 0.0)), ("c", (0.0, -0.3, 0.1))):
        b.marker(name, "arm", place)
    model = b.build()
    return float(len(solved(model, moving(model, 20)).undetermined))
