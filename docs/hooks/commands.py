"""The page of commands: what `softstride --help` and its relatives say, as Typer writes it down."""

import re

import typer
from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files
from typer.cli import get_docs_for_click

from softstride.cli.app import app

EXAMPLE = re.compile(r"^Example: (softstride .*)$", flags=re.MULTILINE)
SPOKEN = re.compile(r"^(softstride .*)$", flags=re.MULTILINE)
SUMMARY = re.compile(r"\*\*Commands\*\*:\n\n.*?\n\n(?=## )", flags=re.DOTALL)


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add the page."""
    files.append(File.generated(config, "api/commands.md", content=page()))
    return files


def page() -> str:
    """Return the Markdown of all commands."""
    command = typer.main.get_command(app)
    text = get_docs_for_click(obj=command, ctx=typer.Context(command), name="softstride", title="Commands")
    text = SUMMARY.sub("", text)  # the table of contents is beside it
    text = EXAMPLE.sub(r"For example:\n\n```console\n$ \1\n```", text)
    return SPOKEN.sub(r"```console\n$ \1\n```", text)
