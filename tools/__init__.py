"""Commands for those who work on softstride: `python -m tools.NAME`."""
