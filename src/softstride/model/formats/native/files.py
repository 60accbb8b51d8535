"""`read_native` and `write_native`: a model as one readable JSON file, exact in both directions."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from softstride.errors import ModelError, inside
from softstride.files import read_bytes, write_whole
from softstride.model.formats.native.layout import lay_out
from softstride.model.formats.native.parse import parse_json
from softstride.model.formats.native.parts import FORMAT, MODEL, VERSION
from softstride.model.formats.native.place import Place, shown
from softstride.model.formats.native.schema import SCHEMA_NAME
from softstride.model.formats.native.values import check_repeated
from softstride.model.model import Model
from softstride.model.plausible import check_plausible

MAX_BYTES = 64_000_000
"""Largest file that is read; the largest packaged model takes less than a hundredth."""

SCHEMA = Path(__file__).with_name("schema.json")
"""The JSON Schema of the format; copied as "softstride-model.schema.json" beside a model, editors use it."""

HEADER = ("$schema", "format", "version")


def read_native(path: str | Path, *, plausible: bool = True) -> Model:
    """Read a model from its native file.

    Args:
        path: The .json file.
        plausible: Whether to refuse lengths and masses that cannot be those of a body in metres and kilograms.

    Returns:
        The model, every number as it was written.

    Raises:
        ModelError: The file is missing, too large, no native model, or something in it cannot be; the message names
            the file, the place in it ("links[3].joint.axis") and the way out.
    """
    with inside(raising=ModelError):
        data = read_bytes(path, MAX_BYTES, "a model")
    return parse_native(data, str(path), plausible=plausible)


def write_native(model: Model, path: str | Path, overwrite: bool = False) -> None:
    """Write a model to its native file, whole or not at all.

    Args:
        model: Any model.
        path: Where to; its folder must exist.
        overwrite: Whether an existing file may be replaced.

    Raises:
        ModelError: The file exists already or cannot be written, or the model holds something that the format
            cannot: a function of a type of your own, or NaN.
    """
    data = format_native(model).encode()
    if len(data) > MAX_BYTES:
        raise ModelError(
            f"{len(data):,} bytes are more than the limit of {MAX_BYTES:,}: simplify the model.", file=path
        )
    with inside(raising=ModelError):
        write_whole(Path(path), data, overwrite=overwrite)


def format_native(model: Model) -> str:
    """Return the text of a model's native file.

    Raises:
        ModelError: The model holds something that the format cannot.
    """
    header: dict[str, Any] = {"$schema": SCHEMA_NAME, "format": FORMAT, "version": VERSION}
    return lay_out(header | MODEL.write(model, Place()))


def parse_native(data: bytes, name: str = "model", *, plausible: bool = True) -> Model:
    """Return the model that the content of a native file describes.

    Args:
        data: Content of the file, UTF-8.
        name: What errors call the file.
        plausible: Whether to refuse lengths and masses that cannot be right.

    Raises:
        ModelError: See `read_native`.
    """
    with inside(file=name):
        document = parse_json(data)
        _check_header(document)
        with np.errstate(all="ignore"):  # what overflows is found by the checks that follow
            body = {key: value for key, value in document.items() if key not in HEADER}
            model: Model = MODEL.read(body, Place())
        if plausible:
            check_plausible(model)
    return model


def _check_header(document: Any) -> None:
    what = f'a native model begins with {{"format": "{FORMAT}", "version": {VERSION}'
    if not isinstance(document, dict):
        raise ModelError(f"holds {shown(document)}, however {what}.")
    check_repeated(document, Place())
    given = document.get("format")
    if given != FORMAT:
        saying = "has no 'format'" if given is None else f"says 'format': {shown(given)}"
        raise ModelError(f"{saying}, however {what}; is it another kind of JSON file?")
    version = document.get("version")
    if type(version) is not int or version < 1:
        came = "missing" if version is None else shown(version)
        raise (Place() / "version").fault(f"must be {VERSION}, however it is {came}.")
    if version > VERSION:
        raise (Place() / "version").fault(
            f"is {version}, however this release of softstride reads up to {VERSION}: upgrade it."
        )
    schema = document.get("$schema", "")
    if not isinstance(schema, str):
        raise (Place() / "$schema").fault(f"must be a string, however it is {shown(schema)}.")
