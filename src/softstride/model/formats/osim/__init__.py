"""Models of OpenSim, formats 3 and 4: `read_osim` for a file, `parse_osim` for its bytes."""

from softstride.model.formats.osim.read import parse_osim, read_osim

__all__ = ["parse_osim", "read_osim"]
