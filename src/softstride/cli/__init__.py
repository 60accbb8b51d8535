"""The command `softstride`: one file a command; each parses, calls, prints, and holds no mathematics."""

from softstride.cli.app import app, main

__all__ = ["app", "main"]
