"""`save_study` and `open_study`: a study as one netCDF file.

Each part is a group with its arrays as labelled variables, so that xarray, MATLAB, R or Panoply open it:
`xarray.open_dataset("walk.study.nc", group="motion", engine="h5netcdf")`. How the parts hang together is JSON in the
variable `form`, and models are native model files in the variable `models` (see `softstride.study.codec`). Behind what
netCDF reads there is one line more, the seal: a digest of all that comes before it, so that a file that was cut or
damaged is known before any of it is believed. Nothing in a study file is run when it is opened; it leads to no other
file (see `softstride.study.stored`).
"""

from __future__ import annotations

import hashlib
import io
import json
import re
import zlib
from pathlib import Path

import numpy as np

from softstride._version import __version__
from softstride.errors import CaptureError, SoftstrideError
from softstride.files import read_bytes, write_whole
from softstride.harmless import storable
from softstride.model.formats.native import format_native, parse_native
from softstride.study.codec import Reader, Writer
from softstride.study.labelled import Labelled
from softstride.study.stored import Stored, StrangeItemError
from softstride.study.study import Study

FORMAT = "softstride study"
VERSION = 3
"""Of the layout of the file; raised by changes that older programs cannot read. The seal stays as it is.

1: notes are sentences. 2: notes are objects. 3: loads have their state and places of contact; the same array stands
once.
"""

SUFFIX = ".study.nc"

MAX_BYTES = 16 << 30
"""Largest file that is opened: two hours of everything at 100 Hz."""

BETWEEN = "\0"
"""Between two models: no JSON holds it."""

NETCDF = b"\x89HDF\r\n\x1a\n"
SEAL = re.compile(rb"\nsoftstride study, layout (\d{1,6}), softstride (\S{1,40}), sha256 ([0-9a-f]{64})\n\Z")
LONGEST_SEAL = 200


def save_study(study: Study, path: str | Path, *, overwrite: bool = False) -> None:
    """Write a study, whole or not at all.

    What a C3D file holds beside is left there: its parameters and its raw analog channels.

    Args:
        study: What to write.
        path: Where to, by custom `NAME.study.nc`; its folder must exist.
        overwrite: Whether an existing file may be replaced.

    Raises:
        CaptureError: The file exists or cannot be written.
    """
    write_whole(Path(path), encode_study(study), overwrite=overwrite)


def open_study(path: str | Path) -> Study:
    """Return the study of a file, with all its parts as they were.

    Raises:
        CaptureError: No such file, one that is damaged or no study, or one of a newer softstride.
    """
    file = Path(path)
    if file.is_dir():
        raise CaptureError(file, "file", "is a folder", f"give the file in it that ends in {SUFFIX}")
    return decode_study(read_bytes(file, MAX_BYTES, "a study"), file)


def encode_study(study: Study) -> bytes:
    """Return the bytes of a study file."""
    import h5py

    writer = Writer()
    form = writer.form(study)
    models = BETWEEN.join(format_native(model) for model in writer.models)
    stream = io.BytesIO()
    with h5py.File(stream, "w", track_order=True) as file:
        file.attrs["format"] = FORMAT
        file.attrs["version"] = np.int64(VERSION)
        file.attrs["softstride"] = __version__
        file.attrs["title"] = storable(study.name)
        labelled = Labelled(file)
        for name, text in (("form", json.dumps(form)), ("models", models)):
            labelled.put(name, np.frombuffer(text.encode("utf-8"), dtype=np.uint8), ())
        for where, array in writer.arrays.items():
            labelled.put(where, array, writer.owners[where])
    return sealed(stream.getvalue())


def sealed(data: bytes) -> bytes:
    """Return bytes with the seal behind them."""
    digest = hashlib.sha256(data).hexdigest()
    return (
        data + f"\nsoftstride study, layout {VERSION}, softstride {__version__}, sha256 {digest}\n".encode()
    )


def decode_study(data: bytes, file: Path) -> Study:
    """Return the study in the bytes of a study file.

    Raises:
        CaptureError: They are no study, damaged, of a newer softstride, or lead elsewhere.
    """
    import h5py

    inside = _unsealed(data, file)
    try:
        with h5py.File(io.BytesIO(inside), "r") as opened:
            arrays = Stored(inside, opened, file)
            models = [parse_native(text.encode()) for text in arrays.text("models").split(BETWEEN) if text]
            study = Reader(arrays.take, models).value(json.loads(arrays.text("form")))
    except StrangeItemError:
        raise
    except SoftstrideError as error:
        raise _damaged(file, str(error)) from error
    except (
        OSError,
        ValueError,
        LookupError,
        ArithmeticError,
        TypeError,
        AttributeError,
        RuntimeError,
        RecursionError,
        zlib.error,
    ) as error:
        raise _damaged(file, str(error) or type(error).__name__) from error
    if not isinstance(study, Study):
        raise _damaged(file, "it holds something else")
    return study


def _unsealed(data: bytes, file: Path) -> bytes:
    """Return what stands before the seal, if it is what was sealed, and if this softstride can read it."""
    found = SEAL.search(data[-LONGEST_SEAL:])
    if found is None:
        if not data.startswith(NETCDF):
            problem = "is empty" if not data else "is no study"
            raise CaptureError(file, "file", problem, f"give a file that softstride wrote, NAME{SUFFIX}")
        problem = "its end is missing, or it is netCDF of another program"
        raise CaptureError(
            file, "file", problem, "if it was copied, copy it once more; else analyse the trial again"
        )
    layout, made, digest = int(found[1]), found[2].decode(errors="replace"), found[3].decode()
    if layout > VERSION:
        problem = (
            f"it was written by softstride {made}, in layout {layout}; this softstride {__version__} reads layouts up "
            f"to {VERSION}"
        )
        raise CaptureError(file, "version", problem, "update softstride, or analyse the trial again")
    inside = data[: len(data) - len(found[0])]
    if hashlib.sha256(inside).hexdigest() != digest:
        raise _damaged(file, "some of its bytes are not those that were written")
    return inside


def _damaged(path: Path, reason: str) -> CaptureError:
    return CaptureError(
        path,
        "file",
        f"is damaged: {reason}",
        "copy it once more from where it came, or analyse the trial again",
    )
