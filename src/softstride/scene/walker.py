"""A simulated walk as a scene: the walker of seven segments lives in a plane; to be seen its legs are set apart."""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np

from softstride.capture.recording import Recording
from softstride.kinematics.motion import Motion
from softstride.model.link import Link
from softstride.model.model import Model
from softstride.scene.build import build_scene
from softstride.scene.scene import Scene

if TYPE_CHECKING:
    from softstride.gait.body import Body
    from softstride.gait.walk import Walk

APART = {"r": 0.085, "l": -0.085}
"""How far to the right each leg is drawn [m]."""


def walk_scene(walk: Walk, name: str = "walk") -> Scene:
    """Return what there is to see of a walk, with the ground reaction below each foot."""
    model = _spread(walk.body)
    motion = Motion(model, walk.time, walk.q, events=walk.events)
    given = walk.recording()
    forces = tuple(
        replace(force, point=force.point + np.array([0.0, 0.0, APART[(force.side or "r")[0]]]))
        for force in given.forces
    )
    scene = build_scene(model, motion, recording=Recording(name, forces=forces, events=given.events))
    return replace(scene, markers=None)


@lru_cache(maxsize=32)
def _spread(body: Body) -> Model:
    """Return the walker with its legs beside each other."""
    from softstride.gait.person_model import walker_model

    model = walker_model(body)
    return replace(model, links=tuple(_moved(link) for link in model.links))


def _moved(link: Link) -> Link:
    side = link.name.removeprefix("slide_x_")
    if side not in APART:
        return link
    placement = np.array(link.placement)
    placement[2, 3] += APART[side]
    return replace(link, placement=placement)
