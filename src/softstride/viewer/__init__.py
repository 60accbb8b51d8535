"""The 3D view in a browser, and a bench for forward walking.

A `Scene` is data; here it is drawn with viser, which serves a page on this machine. What the page does (`View`,
`WalkBench`) is kept apart from its buttons (`panel`, `walk_panel`): it can be used and tested without a browser.
"""

from typing import TYPE_CHECKING

from softstride.on_demand import on_demand

if TYPE_CHECKING:
    from softstride.viewer.curves import Curve, study_curves
    from softstride.viewer.player import Player
    from softstride.viewer.server import Address, start_server
    from softstride.viewer.show import show_scene, show_walk
    from softstride.viewer.view import View
    from softstride.viewer.walk_bench import WalkBench

__getattr__, __dir__ = on_demand(__name__, __file__)

__all__ = [
    "Address",
    "Curve",
    "Player",
    "View",
    "WalkBench",
    "show_scene",
    "show_walk",
    "start_server",
    "study_curves",
]
