"""Which moments muscles are asked for where nobody says it: all that they move but those of toes.

Plates do not tell how much of the force is under the toes, and a shoe and the plantar fascia hold them. Asked for, the
moment of the toes would have the long flexors balanced by the extensors in every frame of push-off.
"""

from __future__ import annotations

import re

import numpy as np

from softstride.dynamics.loads import Loads
from softstride.dynamics.residual import floating_base
from softstride.engine.path_plan import path_plan
from softstride.model.actuator import CoordinateActuator
from softstride.model.model import Model
from softstride.muscles.paths.names import named_paths
from softstride.muscles.sharing.rows import moved_coordinates

TOES = re.compile(r"^mtp|toe", re.IGNORECASE)


def without_toes(model: Model, loads: Loads) -> tuple[str, ...] | None:
    """Return all coordinates whose moments muscles can make but those of toes; None: there are no toes, or no muscles.

    Muscles that are switched off make none.
    """
    paths = named_paths(model, None)
    toes = any(TOES.search(name) and not model.coordinates[name].locked for name in model.coordinate_names)
    if not toes or not paths:
        return None
    base = floating_base(model)
    motors = {
        motor.coordinate
        for motor in model.actuators.values()
        if motor.enabled and isinstance(motor, CoordinateActuator)
    }
    moved = moved_coordinates(model, path_plan(model, paths)) | motors
    known = np.asarray(np.isfinite(loads.tau).any(axis=0))
    return tuple(
        name
        for i, name in enumerate(model.coordinate_names)
        if name in moved
        and known[i]
        and not TOES.search(name)
        and not model.coordinates[name].locked
        and (base is None or name not in base.coordinate_names)
    )
