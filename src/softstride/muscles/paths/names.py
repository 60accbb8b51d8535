"""Which paths are meant."""

from __future__ import annotations

from collections.abc import Iterable

from softstride.errors import InputError
from softstride.model import Model
from softstride.model.checks import names_hint
from softstride.model.path import Path


def named_paths(model: Model, names: Iterable[str] | str | None) -> dict[str, Path]:
    """Return paths by name of muscle or ligament, in the order asked for; None: all muscles that are enabled."""
    if names is None:
        return {name: muscle.path for name, muscle in model.muscles.items() if muscle.enabled}
    if not isinstance(names, Iterable):
        raise InputError(
            f"muscles must be a list of names of muscles or ligaments, or one name, however they are {names!r}"
        )
    asked = [names] if isinstance(names, str) else list(names)
    found: dict[str, Path] = {}
    for name in asked:
        band = model.muscles.get(name) or model.ligaments.get(name) if isinstance(name, str) else None
        if band is None:
            known = names_hint([*model.muscles, *model.ligaments], name)
            raise InputError(f"{name!r} is no muscle or ligament of {model.name!r}; known: {known}")
        if name in found:
            raise InputError(f"{name!r} is asked for twice among the muscles")
        found[name] = band.path
    return found
