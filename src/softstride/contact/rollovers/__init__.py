"""Rollovers of real feet that come with the package: tilt against centre of pressure of walking people, fitted.

| name | foot |
|---|---|
| walk_gait2354_right, _left | shod, treadmill at 1.1 m/s, 72.6 kg |
| walk_rajagopal_emg_right, _left | overground at 1.25 m/s, 85.3 kg |
| walk_opencap_s4_right, _left | overground at 1.3 m/s, 62.6 kg |
| knee_gc5_ps_ss1_left, knee_gc5_ps_ss11_left | overground, 75 kg; of the right foot no contact is whole |

Each is a `SplineSurface` and a `RollingSurface` with what they miss; recordings are not part of the package.
`python -m softstride.contact.rollovers.generate RECORDINGS [FOLDER]` makes the files again.
"""

from __future__ import annotations

from pathlib import Path

from softstride.contact.rollovers.figure import rollover_figure
from softstride.contact.rollovers.measure import Rollover, measure_rollover
from softstride.contact.rollovers.measured import MeasuredRollover, from_toml
from softstride.errors import InputError, inside
from softstride.files import packaged, packaged_names, packaged_text, read_text

__all__ = [
    "MeasuredRollover",
    "Rollover",
    "load_rollover",
    "measure_rollover",
    "rollover_figure",
    "rollover_names",
]

LARGEST = 1_000_000
"""Bytes of a file; the largest packaged one has 2 kB."""


def rollover_names() -> tuple[str, ...]:
    """Return the names of the packaged rollovers."""
    return packaged_names(__package__)


def load_rollover(name: str | Path) -> MeasuredRollover:
    """Return a packaged rollover by name, or one from a file.

    Args:
        name: One of `rollover_names()`, or a TOML file, known by its suffix.

    Raises:
        InputError: There is none of that name, or the file is no rollover.
    """
    found = packaged(name, rollover_names(), "rollover", ".toml")
    if isinstance(found, str):
        return from_toml(packaged_text(__package__, f"{found}.toml"), found)
    with inside(raising=InputError):
        text = read_text(found, LARGEST, "a rollover")
    return from_toml(text, str(found))
