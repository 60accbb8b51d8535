"""Files of a gait laboratory become one `Recording` in SI units and world axes.

Names are imported on first use, so that reading a file does not wait for filters.
"""

from typing import TYPE_CHECKING

from softstride.on_demand import on_demand

if TYPE_CHECKING:
    from softstride.capture.axes import make_axes
    from softstride.capture.force import ExternalForce, Plate
    from softstride.capture.gait_events import find_events
    from softstride.capture.prepare import emg_envelopes, fill_gaps, smooth_markers
    from softstride.capture.quality import Finding, Quality, assess
    from softstride.capture.reading import read
    from softstride.capture.recording import Axes, Event, Recording, Subject
    from softstride.capture.series import Channels, Points
    from softstride.capture.writing import write
    from softstride.naming import Side

__all__ = [
    "Axes",
    "Channels",
    "Event",
    "ExternalForce",
    "Finding",
    "Plate",
    "Points",
    "Quality",
    "Recording",
    "Side",
    "Subject",
    "assess",
    "emg_envelopes",
    "fill_gaps",
    "find_events",
    "make_axes",
    "read",
    "smooth_markers",
    "write",
]

__getattr__, __dir__ = on_demand(__name__, __file__)
