"""Typed keywords for the functions that take options by name: `IdChanges` beside `IdOptions`.

    python -m tools.keywords           write them anew, in the modules of the options
    python -m tools.keywords --check   say which are out of date; exit code 1 if any is

A function such as ``solve_id(model, motion, **changes: Unpack[IdChanges])`` shows every option with its type in an
editor, and a type checker refuses a wrong one. The options themselves are declared once, in the class that is derived
from `Options`; the typed dictionary that follows it is made from there.
"""

from __future__ import annotations

import argparse
import ast
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
PACKAGE = ROOT / "src" / "softstride"
BASE = "Options"


def option_classes(tree: ast.Module) -> Iterator[ast.ClassDef]:
    """Yield the classes of a module that are derived from `Options`."""
    for node in tree.body:
        if isinstance(node, ast.ClassDef) and any(
            isinstance(base, ast.Name) and base.id == BASE for base in node.bases
        ):
            yield node


def keywords_of(node: ast.ClassDef, source: str) -> str:
    """Return the typed dictionary of a class of options."""
    kinds = {
        field.target.id: ast.get_source_segment(source, field.annotation) or ""
        for field in node.body
        if isinstance(field, ast.AnnAssign) and isinstance(field.target, ast.Name)
    }
    also = [ast.literal_eval(word.value) for word in node.keywords if word.arg == "also"]
    base = changes_name(kinds[also[0]]) if also else "TypedDict"
    lines = [
        f"class {changes_name(node.name)}({base}, total=False):",
        f'    """The fields of `{node.name}` as keywords; written by tools/keywords.py."""',
        "",
    ]
    lines += [f"    {name}: {kind}" for name, kind in kinds.items() if not kind.startswith("ClassVar")]
    return "\n".join(lines) + "\n"


def changes_name(name: str) -> str:
    """Return the name of the typed dictionary: IdOptions, IdChanges."""
    return name.removesuffix(BASE) + "Changes"


def renewed(source: str) -> str:
    """Return the source of a module with its typed dictionaries as they have to be."""
    tree = ast.parse(source)
    lines = source.splitlines(keepends=True)
    old = {node.name: node for node in tree.body if isinstance(node, ast.ClassDef)}
    changes: list[tuple[int, int, str]] = []
    for node in option_classes(tree):
        text = keywords_of(node, source)
        there = old.get(changes_name(node.name))
        if there is None:
            end = node.end_lineno or node.lineno
            changes.append((end, end, f"\n\n{text}"))
        else:
            changes.append((there.lineno - 1, there.end_lineno or there.lineno, text))
    for start, stop, text in sorted(changes, reverse=True):
        lines[start:stop] = [text]
    return "".join(lines)


def modules() -> Iterator[Path]:
    """Yield the modules that declare options."""
    for file in sorted(PACKAGE.rglob("*.py")):
        source = file.read_text(encoding="utf-8")
        if f"({BASE}" in source and any(option_classes(ast.parse(source))):
            yield file


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command."""
    parser = argparse.ArgumentParser(
        prog="python -m tools.keywords",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--check", action="store_true", help="write nothing")
    given = parser.parse_args(arguments)
    late = []
    for file in modules():
        source = file.read_text(encoding="utf-8")
        new = renewed(source)
        if new != source:
            late.append(file.relative_to(ROOT).as_posix())
            if not given.check:
                file.write_text(new, encoding="utf-8", newline="\n")
    print("\n".join(late) or "all typed keywords are those of their options")
    return 1 if late and given.check else 0


if __name__ == "__main__":
    sys.exit(main())
