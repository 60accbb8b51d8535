"""Colours of the page, light and dark."""

from __future__ import annotations

from dataclasses import dataclass

Rgb = tuple[int, int, int]


@dataclass(frozen=True)
class Theme:
    """What depends on light and dark.

    Attributes:
        name: "light" or "dark".
        bones: Of the skeleton.
        body: Of the body around it.
        prosthesis: Of sockets, clamps and blades.
        model: Of markers as the model has them.
        ghost: Of a second trial.
        cells: Of the lines of the floor.
        sections: Of every metre of them.
        ground: Of the floor between them.
        plate: Of force plates.
        brand: Of buttons and sliders.
        ink: Of curves that have no colour of their own, as CSS has it.
    """

    name: str
    bones: Rgb
    body: Rgb
    prosthesis: Rgb
    model: Rgb
    ghost: Rgb
    cells: Rgb
    sections: Rgb
    ground: Rgb
    plate: Rgb
    brand: Rgb
    ink: str


LIGHT = Theme(
    "light",
    bones=(230, 218, 192),
    body=(176, 120, 92),
    prosthesis=(34, 40, 50),
    model=(110, 116, 124),
    ghost=(120, 132, 150),
    cells=(226, 229, 233),
    sections=(206, 211, 217),
    ground=(244, 246, 248),
    plate=(196, 208, 224),
    brand=(11, 114, 133),
    ink="#343a40",
)
DARK = Theme(
    "dark",
    bones=(206, 196, 172),
    body=(150, 124, 110),
    prosthesis=(70, 80, 94),
    model=(176, 182, 190),
    ghost=(140, 156, 186),
    cells=(46, 49, 54),
    sections=(66, 70, 77),
    ground=(30, 32, 36),
    plate=(28, 37, 52),
    brand=(21, 154, 178),
    ink="#ced4da",
)
THEMES = {theme.name: theme for theme in (LIGHT, DARK)}
