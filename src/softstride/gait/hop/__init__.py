"""A hop on a running blade: a leg of the hybrid-link engine is dropped, and pushed off by its knee and its blade.

>>> from softstride.gait.hop import hop
>>> result = hop(height=0.1, contact="rolling")
>>> result.events, result.energy.returned, result.energy.return_ratio
"""

from softstride.gait.hop.control import LegControl, Muscles
from softstride.gait.hop.footing import outline_blade, rolling_blade, sphere_blade
from softstride.gait.hop.hop import hop
from softstride.gait.hop.leg import BladeLeg, blade_leg
from softstride.gait.hop.result import HopEnergy, HopResult

__all__ = [
    "BladeLeg",
    "HopEnergy",
    "HopResult",
    "LegControl",
    "Muscles",
    "blade_leg",
    "hop",
    "outline_blade",
    "rolling_blade",
    "sphere_blade",
]
