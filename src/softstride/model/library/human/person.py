"""Who is to be modelled: mass, height, sex, and what follows from the tables about lengths."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

from softstride.errors import ModelError
from softstride.model import checks
from softstride.model.library.human.tables import table
from softstride.notes import Note, Notes

Sex = Literal["male", "female"]
SEXES = ("male", "female")

MASSES = (15.0, 250.0)
"""Accepted mass [kg]."""

HEIGHTS = (1.0, 2.3)
"""Accepted height [m]."""

USUAL_INDEX = (16.0, 35.0)
"""Body mass index [kg/m²] outside of which a note is made: the tables come from adults of normal build."""

ADULT_HEIGHT = 1.4
"""Height [m] below which a note is made: a child is no small adult."""


@dataclass(frozen=True)
class Person:
    """A person to be modelled.

    Attributes:
        mass: [kg].
        height: Standing height [m].
        sex: Which tables are taken.
    """

    mass: float
    height: float
    sex: Sex

    def __post_init__(self) -> None:
        """Check the fields: units that cannot be right are refused."""
        for name, unit, (lower, upper) in (("mass", "kg", MASSES), ("height", "m", HEIGHTS)):
            value = checks.number(getattr(self, name), f"{name} of a person")
            object.__setattr__(self, name, value)
            if not lower <= value <= upper:
                raise ModelError(
                    f"{name} of a person must be between {lower:g} and {upper:g} {unit}, however it is {value:g}; "
                    f"give it in {unit}."
                )
        if self.sex not in SEXES:
            raise ModelError(f"sex of a person must be one of {', '.join(SEXES)}, not {self.sex!r}.")

    @property
    def mass_index(self) -> float:
        """Body mass index, mass over height squared [kg/m²]."""
        return self.mass / self.height**2

    def notes(self) -> tuple[Note, ...]:
        """Return what a user should know about the tables for this person."""
        notes = Notes()
        notes.add(
            "person.of-tables",
            f"{self.sex}, {self.mass:g} kg, {self.height:g} m: means of tables of adults, no measurement.",
            values={"mass_kg": self.mass, "height_m": self.height},
        )
        low, high = USUAL_INDEX
        if not low <= self.mass_index <= high:
            notes.add(
                "person.unusual-build",
                f"Body mass index {self.mass_index:.1f} kg/m²: outside {low:g} to {high:g}, mass distribution and "
                f"muscle strength go beyond their sources.",
                severity="warning",
                values={"mass_index_kg_m2": self.mass_index},
            )
        if self.height < ADULT_HEIGHT:
            notes.add(
                "person.child",
                f"Height below {ADULT_HEIGHT:g} m: a child has other proportions than these of adults.",
                severity="warning",
                values={"height_m": self.height},
            )
        return tuple(notes)


def lengths(person: Person) -> dict[str, Any]:
    """Return the lengths of the tables for this person [m]; lists stay lists, shares and angles stay as they are.

    Besides those of `anthropometry.toml`: "height", and "pelvis", the three units of the pelvis.
    """
    h = person.height
    data = table("anthropometry")
    result: dict[str, Any] = {"height": h}
    shares = ("mid_shoulders", "neck_share", "lumbar_share", "thoracic_growth")
    for name, value in (data[person.sex] | data["common"]).items():
        if name in ("centre_of_mass", "trunk_parts", *shares):
            result[name] = value
        elif isinstance(value, list):
            result[name] = [h * entry for entry in value]
        else:
            result[name] = h * value
    result["pelvis"] = [result["hip_drop"], result["hip_drop"], result["half_hips"]]
    result["patella"] = result["thigh"]
    return result


def muscle_volume_ratio(person: Person) -> float:
    """Return the lower-limb muscle volume over that of the person whose strengths `muscles.toml` holds.

    V = slope · mass · height + offset [Handsfield2014].
    """
    data = table("muscles")
    slope, offset, reference = data["volume_slope"], data["volume_offset"], data["reference"]
    own = slope * person.mass * person.height + offset
    return float(own / (slope * reference["mass"] * reference["height"] + offset))
