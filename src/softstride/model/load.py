"""`load_model` and `save_model`: a model from a file or from the library, and back to a file."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from difflib import get_close_matches
from pathlib import Path
from typing import Any

from softstride.errors import ModelError
from softstride.model.model import Model
from softstride.notes import Note

SUFFIXES = (".osim", ".json")
"""Model files: OpenSim's and our own."""

PACKAGED = ("human", "gait", "athlete", "athlete-rigid")
"""Names of the models that come with the package."""


def load_model(source: str | Path, *, plausible: bool = True, **options: Any) -> Model:
    """Return a model from a file, or one that comes with the package.

    - "subject.osim": an OpenSim model, format 3 or 4.
    - "subject.json": a native model file, see `save_model`.
    - "human": a whole person of 50 links with muscles, and "gait", a lighter one for walking and running; both take
      `mass` [kg], `height` [m] and `sex`.
    - "athlete", "athlete-rigid": a schematic sprinter with and without a running blade.

    Args:
        source: Path of a file, or the name of a packaged model.
        plausible: Whether to refuse a file whose lengths and masses cannot be those of a body in metres and
            kilograms; robots and elephants need False.
        options: Options of a packaged model.

    Returns:
        The model; `notes` says what was assumed or changed on the way.

    Raises:
        ModelError: No such model or file, an option that it does not have, or a file that cannot be read.
    """
    if isinstance(source, str) and source in PACKAGED:
        return _make(source, options)
    path = Path(source)
    suffix = path.suffix.lower()
    if suffix not in SUFFIXES:
        raise ModelError(_refusal(str(source), suffix))
    if options:
        raise ModelError(
            f"{path}: a file takes no options, however {', '.join(options)} came; they are for packaged models: "
            f"{', '.join(PACKAGED)}."
        )
    if not path.exists():
        raise ModelError(_missing(path))
    if suffix == ".osim":
        from softstride.model.formats.osim import read_osim

        return read_osim(path, plausible=plausible)
    from softstride.model.formats.native import read_native

    return read_native(path, plausible=plausible)


def save_model(model: Model, path: str | Path, *, overwrite: bool = False) -> tuple[Note, ...]:
    """Write a model; the suffix chooses the format.

    - .json: the native file, which holds everything and reads back exactly.
    - .osim: OpenSim's format, for what it can express.

    Args:
        model: What to write.
        path: Where to; its folder must exist.
        overwrite: Whether an existing file may be replaced.

    Returns:
        Notes on what the format could not hold, empty if it holds everything.

    Raises:
        ModelError: The file exists or cannot be written, or the format cannot hold the model at all.
    """
    suffix = Path(path).suffix.lower()
    if suffix == ".json":
        from softstride.model.formats.native import write_native

        write_native(model, path, overwrite=overwrite)
        return ()
    if suffix == ".osim":
        from softstride.model.formats.osim_write import write_osim

        return write_osim(model, path, overwrite=overwrite)
    raise ModelError(
        f"{path}: suffix {suffix or 'none'} is not one of {', '.join(SUFFIXES)}; choose one of them."
    )


def _make(name: str, options: dict[str, Any]) -> Model:
    build = _builder(name)
    known = tuple(inspect.signature(build).parameters)
    for option in options:
        if option not in known:
            raise ModelError(
                f"model {name!r} has no option {option!r}; it takes: {', '.join(known) or 'none'}."
            )
    return build(**options)


def _builder(name: str) -> Callable[..., Model]:
    """Return what builds a packaged model; its parameters are the options."""
    if name.startswith("athlete"):
        from softstride.model.library.athlete import athlete

        def athlete_rigid() -> Model:
            return athlete(blade=False)

        return athlete if name == "athlete" else athlete_rigid
    from softstride.model.library.human import gait_person, human

    builders: dict[str, Callable[..., Model]] = {"human": human, "gait": gait_person}
    return builders[name]


def _refusal(source: str, suffix: str) -> str:
    near = get_close_matches(source.lower(), PACKAGED, 1, cutoff=0.7)
    guess = f" Did you mean {near[0]!r}?" if near else ""
    known = ", ".join(PACKAGED)
    if suffix:
        return f"{source}: no reader for {suffix} files; models are {' and '.join(SUFFIXES)} files, or: {known}.{guess}"
    return f"no packaged model {source!r}; there are: {known}; a file needs its suffix.{guess}"


def _missing(path: Path) -> str:
    if not path.parent.is_dir():
        return f"{path}: there is no folder {str(path.parent)!r}; check the path."
    try:
        names = [file.name for file in path.parent.iterdir() if file.suffix.lower() in SUFFIXES]
    except OSError:  # a folder that may be entered but not listed
        names = []
    near = get_close_matches(path.name, names, 3)
    if near:
        return f"{path}: no such file; did you mean {' or '.join(repr(name) for name in near)}?"
    if path.stem in PACKAGED:
        return f"{path}: no such file; the packaged model is {path.stem!r}, without a suffix."
    return f"{path}: no such file; check name and folder."
