"""Names of the dimensions of a study's arrays, so that other tools open them with labels.

Results declare them, for other classes they stand here: they are not guessed from sizes, for a person may have as many
markers as coordinates.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from softstride.model.model import Model
from softstride.results import AXES, Result

Labels = tuple[str, ...]
Owners = tuple[tuple[Any, str], ...]
"""The dataclasses around an array, innermost last, with their paths in the study."""

T, X, COORDINATE = "time", "axis", "coordinate"

FIELDS: Mapping[str, Mapping[str, tuple[str, ...]]] = {
    "Frame": {"position": (X,), "rotation": (X, "frame_axis")},
    "Point": {"position": (X,)},
    "FootSole": {"axes": (X, "foot_axis")},
    "BladeEdge": {"sole": ("section", X)},
}
"""Dimensions of the arrays of each class that does not declare them itself."""


def dimensions(
    owners: Owners, name: str, field: str, shape: tuple[int, ...]
) -> list[tuple[str, Labels | None]]:
    """Return name and labels of each dimension of an array; those of time are left to the caller.

    Args:
        owners: The dataclasses around it.
        name: Of the array.
        field: Of its owner, that it is or is in.
        shape: Of the array.

    Returns:
        For each dimension its name, and labels if they are known and as many as needed, each only once.
    """
    owner = owners[-1][0] if owners else None
    if isinstance(owner, Result) and field in owner.ARRAYS:
        known = owner.ARRAYS[field].dims
    else:
        known = FIELDS.get(type(owner).__name__, {}).get(field, (T,) if field == T else ())
    if len(known) != len(shape):
        return [(f"{name}_{i}", None) for i in range(len(shape))]
    found = [(each, _fitting(_labels(owners, each), size)) for each, size in zip(known, shape, strict=True)]
    return [(COORDINATE if each == "configuration" and labels else each, labels) for each, labels in found]


def _labels(owners: Owners, name: str) -> Labels | None:
    """Return what stands along a dimension by its owner, for coordinates by the innermost one that knows a model."""
    owner = owners[-1][0]
    if name in (COORDINATE, "configuration"):  # of q, if each coordinate has one place there
        asked = (each for each, _ in reversed(owners))
        return next((labels for each in asked if (labels := _coordinates(each)) is not None), None)
    if isinstance(owner, Result):
        return owner.labels_of(name)
    return AXES if name == X else None


def _coordinates(owner: Any) -> Labels | None:
    if isinstance(owner, Result):
        return owner.labels_of(COORDINATE)
    model = getattr(owner, "model", None)
    return tuple(model.coordinate_names) if isinstance(model, Model) else None


def _fitting(labels: Labels | None, size: int) -> Labels | None:
    return labels if labels is not None and len(labels) == size == len(set(labels)) else None
