"""What the shell offers, as its help lists it."""

from typing import Any

import typer
from typer.main import get_command

from softstride.cli.app import app


def flags_of(command: str) -> tuple[str, ...]:
    """Return the options of a command, "--lowpass", each by its first name."""
    group: Any = get_command(app)
    params = group.commands[command].get_params(typer.Context(group.commands[command]))
    options = (param.opts for param in params if param.param_type_name == "option" and param.name != "help")
    return tuple(next(name for name in names if name.startswith("--")) for names in options)
