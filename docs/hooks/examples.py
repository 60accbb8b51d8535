"""Each script of examples/ becomes a page: what its docstring says, then its code."""

import ast
import re
from pathlib import Path
from typing import Any

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files

FOLDER = Path(__file__).resolve().parents[2] / "examples"
LINK = re.compile(r"\]\((?:\.\./)+examples/(?P<name>\w+)\.py\)")


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add a page for each script."""
    for script in sorted(FOLDER.glob("*.py")):
        files.append(File.generated(config, f"examples/{script.stem}.md", content=page_of(script)))
    return files


def on_page_markdown(markdown: str, page: Any, **_: Any) -> str:
    """Lead links to scripts to their pages: outside of docs/ there is nothing in the site."""
    up = "../" * page.file.src_uri.count("/")
    return LINK.sub(lambda found: f"]({up}examples/{found['name']}.md)", markdown)


def page_of(script: Path) -> str:
    """Return the Markdown of a script."""
    code = script.read_text(encoding="utf-8")
    words = ast.get_docstring(ast.parse(code)) or ""
    title, _, rest = words.partition("\n")
    body = code.partition('"""\n')[2].lstrip("\n")
    run = f"`.venv/bin/python examples/{script.name}`"
    return f"# {title.rstrip('.')}\n{rest}\n\nRun it with {run}.\n\n```python\n{body}```\n"
