"""Pages of the API reference: one for each public room, an index of `softstride`'s own names, one of commands.

Rooms list their names in `__all__` and import them on first use (`softstride.on_demand`), so that the pages are made
from the sources alone and nothing is compiled.
"""

import ast
from importlib import import_module
from pathlib import Path
from typing import Any

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files

import softstride

SOURCE = Path(softstride.__file__).parent
HIDDEN = frozenset({"cli"})  # commands have a page of their own
MARK = "<!-- public names -->"
COMMANDS = "<!-- commands -->"  # a link that leads nowhere in the sources, as the page is made here


def rooms() -> list[str]:
    """Return the packages and modules that say in `__all__` what they offer, in alphabetical order."""
    found = [file.parent.name for file in SOURCE.glob("*/__init__.py") if offers(file)]
    return sorted(name for name in (*found, "errors") if name not in HIDDEN)


def offers(file: Path) -> bool:
    """Return whether a module has a list of names."""
    tree = ast.parse(file.read_bytes())
    targets = [target for node in tree.body if isinstance(node, ast.Assign) for target in node.targets]
    return any(isinstance(target, ast.Name) and target.id == "__all__" for target in targets)


def first_line(room: str) -> str:
    """Return the first sentence of a room's docstring."""
    file = SOURCE / room / "__init__.py"
    text = (file if file.is_file() else SOURCE / f"{room}.py").read_bytes()
    return (ast.get_docstring(ast.parse(text)) or "").partition("\n\n")[0].replace("\n", " ")


def public(room: str) -> list[str]:
    """Return the names that a room offers."""
    return list(getattr(import_module(f"softstride.{room}"), "__all__", ()))


def defines(file: Path, name: str) -> bool:
    """Return whether a module has a function or class of this name."""
    tree = ast.parse(file.read_bytes())
    return any(isinstance(node, ast.FunctionDef | ast.ClassDef) and node.name == name for node in tree.body)


def shadowed(room: str) -> dict[str, str]:
    """Return where names live that a module on the way is called like; readers of sources see the module there."""
    file = SOURCE / room / "__init__.py"
    tree = ast.parse(file.read_bytes()) if file.is_file() else ast.Module([], [])
    homes = {
        alias.name: node.module
        for node in ast.walk(tree)
        if isinstance(node, ast.ImportFrom) and node.module
        for alias in node.names
    }
    found = {}
    for name in set(public(room)) & set(homes):
        module = SOURCE.parent.joinpath(*homes[name].split("."), f"{name}.py")
        if module.is_file():
            found[name] = f"{homes[name]}.{name}" + (f".{name}" if defines(module, name) else "")
        elif (file.parent / f"{name}.py").is_file() or (file.parent / name).is_dir():
            found[name] = f"{homes[name]}.{name}"
    return dict(sorted(found.items()))


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add a page for each room."""
    for room in rooms():
        page = f"# {room}\n\n::: softstride.{room}\n    options:\n      show_root_heading: false\n"
        page += "".join(f"\n::: {home}\n" for home in shadowed(room).values())
        files.append(File.generated(config, f"api/{room}.md", content=page))
    return files


def on_page_markdown(markdown: str, page: Any, **_: Any) -> str:
    """Put the list of rooms and names in its place."""
    if page.file.src_uri != "api/index.md":
        return markdown
    lines = ["| room | what it is for | names in `ss` |", "|---|---|---|"]
    for room in rooms():
        elsewhere = shadowed(room)
        names = [name for name in public(room) if softstride._HOME.get(name) == f"softstride.{room}"]
        links = (f"[`{name}`][{elsewhere.get(name, f'softstride.{room}.{name}')}]" for name in names)
        lines.append(f"| [{room}]({room}.md) | {first_line(room)} | {', '.join(links)} |")
    told = "The commands of the shell have [a page of their own](commands.md), and [options](options.md) too."
    return markdown.replace(MARK, "\n".join(lines)).replace(COMMANDS, told)
