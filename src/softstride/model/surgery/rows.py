"""Which row of a table is for which muscle of a model."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from softstride.errors import ModelError, inside
from softstride.model import checks
from softstride.model.cut import Cut
from softstride.model.surgery.names import common_name, known_names, plain_name
from softstride.model.surgery.table import Surgery, Treatment


@dataclass(frozen=True, eq=False)
class Rows:
    """The treatments of the muscles of one model.

    Attributes:
        severed: Treatment of every muscle that is cut, by name, in the order of the model.
        weakened: Strength of muscles that are not cut, where a row says "keep".
        removed: Muscles that are not cut and are to be left out all the same.
        names: Names in the model by the names that tables use, of the muscles of this side.
    """

    severed: dict[str, Treatment] = field(default_factory=dict)
    weakened: dict[str, float] = field(default_factory=dict)
    removed: list[str] = field(default_factory=list)
    names: dict[str, list[str]] = field(default_factory=dict)

    def named(self, name: str) -> list[str]:
        """Return the muscles of the model that a table calls so."""
        return self.names.get(name) or self.names.get(common_name(name) or name, [])


def matched(cut: Cut, surgery: Surgery, changes: Mapping[str, Mapping[str, Any]]) -> Rows:
    """Return what is done to each muscle.

    A row under the muscle's own name in the model goes before one under the name that tables use.

    Args:
        cut: The cut.
        surgery: The table.
        changes: What differs from the table, by name of the muscle in the model or in tables, as rows of a file.

    Raises:
        ModelError: A name that is no muscle, a row that cannot be, or one that does not fit what the cut does.
    """
    rows = Rows()
    for name in cut.model.muscles:
        plain = plain_name(name, cut.letter)
        for word in dict.fromkeys((name, plain, common_name(plain or name))) if plain else (name,):
            if word:
                rows.names.setdefault(word, []).append(name)
    table = _by_muscle(rows, surgery.muscles, f"surgery {surgery.name!r}", needed=False)
    own = _by_muscle(rows, changes, "muscles", needed=True)
    for treatment in (*surgery.muscles.values(), surgery.others):
        for partner in treatment.partners:
            _check_known(rows, partner, f"surgery {surgery.name!r}")
    for name, muscle in cut.model.muscles.items():
        is_cut = cut.path_lost(muscle.path)
        treatment = table.get(name, surgery.others)
        if name in own:
            with inside(part=f"muscles: {name!r}"):
                start = treatment if is_cut else Treatment("keep")
                changed = start.changed(own[name])
            if not is_cut and changed.deed not in ("keep", "remove"):
                raise ModelError(
                    f"muscles: {name!r} is not cut, so do must be 'keep' or 'remove', however it is {changed.deed!r}."
                )
            for partner in changed.partners:
                _check_known(rows, partner, f"muscles: {name!r}")
            treatment = changed
        if is_cut:
            if treatment.deed == "keep":
                raise ModelError(
                    f"surgery {surgery.name!r}: {name!r} is cut and cannot be kept as it is; secure, join or remove it."
                )
            rows.severed[name] = treatment
        elif treatment.deed == "keep" and treatment.strength != 1.0:
            rows.weakened[name] = treatment.strength
        elif treatment.deed == "remove" and name in own:
            rows.removed.append(name)
    return rows


def _by_muscle(rows: Rows, table: Mapping[str, Any], what: str, *, needed: bool) -> dict[str, Any]:
    """Return rows by name in the model; those under the muscle's own name go before the others."""
    found: dict[str, Any] = {}
    exact: set[str] = set()
    for word, row in table.items():
        _check_known(rows, word, what, needed=needed)
        for name in rows.named(word):
            if name not in exact:
                found[name] = row
            if name == word:
                found[name] = row
                exact.add(name)
    return found


def _check_known(rows: Rows, word: str, what: str, *, needed: bool = False) -> None:
    """Refuse the name of a muscle that neither this leg nor, unless `needed`, the packaged tables have."""
    if rows.named(word) or (not needed and common_name(word) is not None):
        return
    on_leg = dict.fromkeys(name for group in rows.names.values() for name in group)
    raise ModelError(
        f"{what}: no muscle {word!r} on this side of the model; known: {checks.names_hint(on_leg)}; names that tables "
        f"use: {', '.join(known_names())}."
    )
