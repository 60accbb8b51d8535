"""What there is to see of a motion, as data: bodies, blades, markers, forces, muscles; a backend draws it.

    scene = build_scene(model, motion, recording=recording, loads=loads, forces=forces)
    page = scene.to_json(hz=30.0)

`softstride.viewer` draws a scene in a browser, and a report replays it from its JSON; `docs/view.md` has its form.
"""

from typing import TYPE_CHECKING

from softstride.on_demand import on_demand

if TYPE_CHECKING:
    from softstride.scene.build import build_scene, study_scene
    from softstride.scene.colours import activity_colours
    from softstride.scene.compact import unpack
    from softstride.scene.parts import Arrow, Markers, Muscles, Patch, Ribbon
    from softstride.scene.scene import Scene
    from softstride.scene.shapes import Shape

__getattr__, __dir__ = on_demand(__name__, __file__)

__all__ = [
    "Arrow",
    "Markers",
    "Muscles",
    "Patch",
    "Ribbon",
    "Scene",
    "Shape",
    "activity_colours",
    "build_scene",
    "study_scene",
    "unpack",
]
