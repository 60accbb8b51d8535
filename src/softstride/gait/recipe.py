"""Recipes: all that a step of the seven-segment walker needs, in one small text file."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from softstride.errors import InputError, Option
from softstride.fields import Choice, Limits, Number, checked
from softstride.files import packaged_text, toml_value
from softstride.gait.body import SEGMENTS
from softstride.gait.moments import MomentHistory
from softstride.planar.toml_table import check_keys, needed, parse, read_text
from softstride.results import Labels, Result, values

Floats = NDArray[np.float64]

FOOT_FLAT = ("impulse", "keep")
"""What happens when the sole meets the floor: a plastic impact, or the foot alone stops."""

_KEYS = ("name", "source", "rff", "separation", "theta0", "omega0", "moments")


class Recipe(Result, of="a recipe"):
    """Start and moments of a step that begins as the right heel strikes.

    Attributes:
        theta0: Angles of the segments, shape (7,), [rad], in the order of `SEGMENTS`; of the feet those of the sole.
        omega0: Their rates, shape (7,), [rad/s].
        separation: S, from the left toe forward to the right heel [m].
        moments: Joint moments over time.
        rff: "impulse" or "keep", what happens at foot flat.
        name: What to call it.
        source: Where it comes from.
    """

    theta0: Floats = values("segment", "rad", finite=True)
    omega0: Floats = values("segment", "rad/s", finite=True)
    separation: float
    moments: MomentHistory
    rff: str = "impulse"
    name: str = ""
    source: str = ""

    LABELS: ClassVar[Mapping[str, Labels]] = {"segment": lambda _: SEGMENTS}

    def check(self) -> None:
        """Check what is no array."""
        separation = checked(Number(Limits("m")), self.separation, "separation", of=self.OF)
        object.__setattr__(self, "separation", separation)
        if not isinstance(self.moments, MomentHistory):
            raise InputError(
                f"moments of a recipe must be a MomentHistory, however they are {self.moments!r}",
                parameter="moments",
                value=self.moments,
            )
        checked(Choice(FOOT_FLAT), self.rff, "rff")

    def to_toml(self) -> str:
        """Return the recipe as TOML; every digit is kept."""
        head = {"name": self.name, "source": self.source, "rff": self.rff}
        lines = [f"{key} = {toml_value(value)}" for key, value in head.items()]
        lines.append(f"separation = {self.separation!r}")
        lines += [f"{key} = {toml_value(getattr(self, key).tolist())}" for key in ("theta0", "omega0")]
        return "\n".join(lines) + "\n\n[moments]\n" + self.moments.to_toml()

    @classmethod
    def from_toml(cls, text: str, origin: str = "recipe") -> Recipe:
        """Return the recipe of a text as `to_toml` writes it.

        Raises:
            ModelError: No valid TOML, missing or unknown keys.
            InputError: Values that do not fit.
        """
        table = parse(text, origin)
        check_keys(table, _KEYS, origin)
        moments = needed(table, "moments", origin)
        if not isinstance(moments, dict):
            raise InputError(f"{origin}: moments must be a table [moments] with rows by the names of joints")
        return cls(
            theta0=needed(table, "theta0", origin),
            omega0=needed(table, "omega0", origin),
            separation=needed(table, "separation", origin),
            moments=MomentHistory.from_table(moments),
            rff=str(table.get("rff", "impulse")),
            name=str(table.get("name", "")),
            source=str(table.get("source", "")),
        )


def load_recipe(name: str | Path) -> Recipe:
    """Return a packaged recipe, "A", "B" or "natural", or one of a TOML file.

    A and B are steps of 0.55 s with the event times that [Onyshko1980] reports; A keeps the rates at foot flat, B takes
    it as a plastic impact. "natural" is fitted to norms of natural walking, 1.33 m/s, and ends as it began, legs
    exchanged.

    Raises:
        InputError: Neither a packaged recipe nor a file.
    """
    packaged = {each.lower(): each for each in RECIPES}.get(str(name).lower())
    if packaged is not None:
        return _packaged(packaged)
    file = Path(name)
    if not file.is_file():
        option = Option("recipe", str(name), named=False)
        raise InputError(
            f"{option} is no recipe; there are {', '.join(RECIPES)}, or give a TOML file",
            parameter="name",
            value=str(name),
            known=RECIPES,
            options=[option],
        )
    return Recipe.from_toml(read_text(file, "a recipe"), str(file))


@cache
def _packaged(name: str) -> Recipe:
    text = packaged_text(__package__, "data", f"recipe_{name.lower()}.toml")
    return Recipe.from_toml(text, f"recipe {name}")


RECIPES = ("A", "B", "natural")
"""Packaged recipes."""
