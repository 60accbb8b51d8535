"""The pictures of docs/conventions.md, drawn from the packaged models: `python -m docs.drawings`.

What a picture says about a sign or an axis is computed, not remembered: persons are posed by their coordinates, blades
are drawn along their rods, walkers walk.
"""
