"""C3D files: bytes to `C3DFile` and back, every processor, integers and floats, in the units of the file.

>>> from pathlib import Path
>>> from softstride.capture.c3d import decode_c3d
>>> path = "walk.c3d"
>>> file = decode_c3d(Path(path).read_bytes(), path)  # doctest: +SKIP
>>> file.points.shape, file.groups["POINT"]["UNITS"].strings()  # doctest: +SKIP
((450, 26, 3), ('mm',))
"""

from softstride.capture.c3d.decode import decode_c3d
from softstride.capture.c3d.encode import encode_c3d
from softstride.capture.c3d.file import (
    C3DFile,
    GroupHeader,
    HeaderEvent,
    Parameter,
    number_parameter,
    text_parameter,
)
from softstride.capture.c3d.point_kinds import LISTS, point_kinds, texts_of

__all__ = [
    "LISTS",
    "C3DFile",
    "GroupHeader",
    "HeaderEvent",
    "Parameter",
    "decode_c3d",
    "encode_c3d",
    "number_parameter",
    "point_kinds",
    "text_parameter",
    "texts_of",
]
