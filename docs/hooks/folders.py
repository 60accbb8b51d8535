"""Entries of the navigation that name a folder, such as `decisions/`, become its pages, its index first."""

from typing import Any

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.plugins import event_priority
from mkdocs.structure.files import Files

FIRST = ("index.md", "README.md", "commands.md")


@event_priority(-100)  # after the hooks that make pages
def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Replace folders by lists of pages."""
    pages = sorted(file.src_uri for file in files.documentation_pages())
    config.nav = _expanded(config.nav, pages)
    return files


def _expanded(entry: Any, pages: list[str]) -> Any:
    if isinstance(entry, list):
        return [_expanded(each, pages) for each in entry]
    if isinstance(entry, dict):
        return {name: _expanded(value, pages) for name, value in entry.items()}
    if not entry.endswith("/"):
        return entry
    inside = [page for page in pages if page.startswith(entry)]
    return sorted(inside, key=lambda page: (_rank(page.removeprefix(entry)), page))


def _rank(name: str) -> int:
    return FIRST.index(name) if name in FIRST else len(FIRST)
