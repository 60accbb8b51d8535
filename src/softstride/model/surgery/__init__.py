"""What becomes of the muscles that an amputation cuts: tables that a surgeon can correct, and their mechanics."""

from softstride.model.surgery.file import format_surgery, parse_surgery, read_surgery, surgery_from
from softstride.model.surgery.table import Surgery, Treatment

__all__ = ["Surgery", "Treatment", "format_surgery", "parse_surgery", "read_surgery", "surgery_from"]
