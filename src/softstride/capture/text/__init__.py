"""Text formats, to and from plain values: TRC, MOT and STO, CSV, ANC, OpenSim's external loads.

Readers take the bytes of a file and return what it says in its own units and axes, with notes on what had to be
decided; what cannot be trusted is a `CaptureError`. Writers return bytes that read back bit for bit.
"""

from softstride.capture.text.anc import AncFile, parse_anc
from softstride.capture.text.csv import CsvFile, parse_csv
from softstride.capture.text.external_loads import (
    ExternalLoads,
    LoadEntry,
    parse_external_loads,
    resolve_datafile,
)
from softstride.capture.text.forces import ForceColumns, find_force_columns
from softstride.capture.text.marker_columns import MarkerColumns, find_marker_columns
from softstride.capture.text.storage import StorageFile, format_storage, parse_storage
from softstride.capture.text.table import NumberTable, read_numbers
from softstride.capture.text.trc import TrcFile, format_trc, parse_trc

__all__ = [
    "AncFile",
    "CsvFile",
    "ExternalLoads",
    "ForceColumns",
    "LoadEntry",
    "MarkerColumns",
    "NumberTable",
    "StorageFile",
    "TrcFile",
    "find_force_columns",
    "find_marker_columns",
    "format_storage",
    "format_trc",
    "parse_anc",
    "parse_csv",
    "parse_external_loads",
    "parse_storage",
    "parse_trc",
    "read_numbers",
    "resolve_datafile",
]
