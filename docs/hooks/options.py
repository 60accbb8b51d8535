"""The page of options: those of every step, what each may be and what it means, from where they are declared."""

from importlib import import_module

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files

from softstride.options import Options

ROOMS = ("pipeline", "kinematics", "dynamics", "muscles", "segments")
HEAD = """\
# Options

What each step may be told, by name, `solve_id(model, motion, lowpass=6.0)`, or as an object that is kept and changed,
`IdOptions(lowpass=6.0)`. What does not fit is refused by name before anything is computed. Brackets hold the unit.
"""


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add the page."""
    files.append(File.generated(config, "api/options.md", content=page()))
    return files


def page() -> str:
    """Return the Markdown of all options."""
    return "\n".join([HEAD, *(section(room, kind) for room in ROOMS for kind in classes(room))])


def classes(room: str) -> list[type[Options]]:
    """Return the classes of options that a room offers, in alphabetical order."""
    module = import_module(f"softstride.{room}")
    found = [getattr(module, name) for name in sorted(module.__all__) if name.endswith("Options")]
    return [kind for kind in found if issubclass(kind, Options)]


def section(room: str, kind: type[Options]) -> str:
    """Return the Markdown of a class."""
    name = kind.__name__
    return f"## {name}\n\nOf {kind.OF}, [`softstride.{room}.{name}`][softstride.{room}.{name}].\n\n{kind.table()}\n"
