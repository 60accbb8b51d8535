"""Muscles for the tests: a bar on a slider, and muscles with chosen numbers between it and the world."""

import numpy as np
from tests.models import slider

from softstride.model import Muscle
from softstride.model.path import Path, PathPoint

SETS = ("thelen2003", "millard2012", "degrootefregly2016", "schutte1993", "gaussian")


def muscle(name="m", curves="millard2012", **changes):
    numbers = {
        "max_force": 1000.0,
        "fibre_length": 0.1,
        "tendon_length": 0.2,
        "pennation": 0.3,
        "max_velocity": 10.0,
    } | changes
    path = Path((PathPoint("world", (0.0, 0.0, 0.0)), PathPoint("block", (0.0, 0.0, 0.0))))
    return Muscle(name, path, curves=curves, **numbers)


def model(*muscles):
    return slider().replace(muscles={each.name: each for each in muscles})


def random_states(hill, n, seed=0, shortest=0.5, longest=1.4, fastest=1.2):
    """Return path lengths and speeds that put fibres on rigid tendons between these lengths and speeds."""
    rng = np.random.default_rng(seed)
    along = np.sqrt(
        (hill.fibre_length * rng.uniform(shortest, longest, (n, len(hill)))) ** 2 - hill.height**2
    )
    speed = rng.uniform(-fastest, fastest, (n, len(hill))) * hill.fibre_length * hill.max_velocity
    return hill.tendon_length + along, speed
