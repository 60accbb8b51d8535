"""Write a model as an OpenSim document of format 4."""

from softstride.model.formats.osim_write.document import write_osim

__all__ = ["write_osim"]
