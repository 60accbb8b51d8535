"""Files of a gait laboratory become one `Recording` in SI units and world axes.

Names that need the filters of `signals` are imported on first use, so that reading a file does not wait for them.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from softstride.capture.axes import make_axes
from softstride.capture.force import ExternalForce, Plate, Side
from softstride.capture.quality import Finding, Quality, assess
from softstride.capture.reading import read
from softstride.capture.recording import Axes, Event, Recording, Subject
from softstride.capture.series import Channels, Points
from softstride.capture.writing import write

if TYPE_CHECKING:
    from softstride.capture.gait_events import find_events
    from softstride.capture.prepare import emg_envelopes, fill_gaps, smooth_markers

_LATER = {
    "emg_envelopes": "softstride.capture.prepare",
    "fill_gaps": "softstride.capture.prepare",
    "find_events": "softstride.capture.gait_events",
    "smooth_markers": "softstride.capture.prepare",
}

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


def __getattr__(name: str) -> Any:
    if name in _LATER:
        return getattr(import_module(_LATER[name]), name)
    raise AttributeError(f"module 'softstride.capture' has no attribute {name!r}")
