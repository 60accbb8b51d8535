"""Colours and style that the pictures of the commands share."""

from typing import Any

INK = "#22303c"
BLADE = "#c8442e"
BLUE = "#2f6690"
SAND = "#d9a441"
GREY = "#9aa5ad"
DPI = 200

STYLE: dict[Any, Any] = {
    "font.size": 9.0,
    "axes.titlesize": 9.5,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.edgecolor": INK,
    "axes.labelcolor": INK,
    "xtick.color": INK,
    "ytick.color": INK,
    "text.color": INK,
    "legend.frameon": False,
}
