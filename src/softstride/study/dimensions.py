"""Names of the dimensions of a study's arrays, so that other tools open them with labels.

They stand here for each field, and are not guessed from sizes: a person may have as many markers as coordinates.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from softstride.model.model import Model

Labels = tuple[str, ...]
Owners = tuple[tuple[Any, str], ...]
"""The dataclasses around an array, innermost last, with their paths in the study."""

AXES = ("x", "y", "z")
WRENCH = ("mx", "my", "mz", "fx", "fy", "fz")

T, X = "time", "axis"
BY_AXIS = dict.fromkeys(
    (
        "rmse",
        "rrmse",
        "correlation",
        "floor",
        "floor_shared",
        "rmse_corrected",
        "rrmse_corrected",
        "floor_corrected",
    ),
    (X,),
)

FIELDS: Mapping[str, Mapping[str, tuple[str, ...]]] = {
    "Points": {"values": (T, "label", X)} | dict.fromkeys(("residuals", "cameras", "filled"), (T, "label")),
    "Channels": {"values": (T, "label")},
    "Plate": {
        "corners": ("corner", X),
        "rotation": (X, "plate_axis"),
        "wrench": (T, "component"),
        "offset": ("channel",),
    },
    "ExternalForce": dict.fromkeys(("force", "point", "moment"), (T, X)),
    "Axes": {"rotation": (X, "lab_axis")},
    "Motion": {"q": (T, "configuration"), "rates": (T, "coordinate")},
    "MarkerFit": dict.fromkeys(("weights", "artefact", "spread"), ("marker",))
    | {
        "error": (T, "marker"),
        "turned": (T, "orientation"),
        "prior": ("coordinate",),
        "aims": ("coordinate",),
    }
    | dict.fromkeys(("objective", "converged", "iterations"), (T,)),
    "State": {"q": (T, "configuration"), "v": (T, "coordinate"), "a": (T, "coordinate")},
    "Frame": {"position": (X,), "rotation": (X, "frame_axis")},
    "Loads": dict.fromkeys(("tau", "elastic"), (T, "coordinate"))
    | {"residual": (T, "component"), "doubtful": (T,)},
    "Sole": {"points": ("place", X), "toes": ("place",), "ball": (X,)},
    "AppliedWrench": dict.fromkeys(("force", "point", "moment"), (T, X)),
    "Wrench": {"point": (T, X), "values": (T, "component")},
    "Ground": dict.fromkeys(("place", "force"), (T, "contact", X))
    | {"activation": (T, "contact"), "belt": (X,), "up": (X,), "converged": (T,)},
    "StrikeErrors": BY_AXIS,
    "Deviations": {"tau": (T, "coordinate"), "residual": (T, "component")},
    "WrenchStd": dict.fromkeys(("force", "point"), (T, X)),
    "BladeForce": {"covariance": (T, "load", "other_load"), "directions": (T, "load", "direction")}
    | {"direction_std": (T, "direction"), "misfit": (T,), "socket_std": (T, "component")},
    "MuscleForces": dict.fromkeys(("force", "activation"), (T, "muscle"))
    | dict.fromkeys(("demand", "moment", "reserve"), (T, "moment_of"))
    | {"reserve_size": ("moment_of",)}
    | dict.fromkeys(("actuator_force", "control"), (T, "actuator"))
    | dict.fromkeys(("stationarity", "feasibility", "converged", "iterations"), (T,)),
    "JointReactions": dict.fromkeys(("force", "moment", "point"), (T, "joint", X))
    | {"rest": (T, "coordinate")},
    "Evidence": {"pulls": (T, "component")},
    "KneeContact": dict.fromkeys(("total", "medial", "lateral"), (T,)) | {"points": ("compartment", X)},
}
"""Dimensions of the arrays of each class."""

OWN: Mapping[tuple[str, str], Callable[[Any], Labels]] = {
    ("Points", "label"): lambda owner: owner.labels,
    ("Channels", "label"): lambda owner: owner.labels,
    ("Plate", "channel"): lambda owner: owner.channels,
    ("MarkerFit", "marker"): lambda owner: owner.names,
    ("MarkerFit", "orientation"): lambda owner: tuple(owner.orientations),
    ("Ground", "contact"): lambda owner: owner.names,
    ("Sole", "place"): lambda owner: owner.names,
    ("BladeForce", "load"): lambda owner: owner.components,
    ("BladeForce", "other_load"): lambda owner: owner.components,
    ("MuscleForces", "muscle"): lambda owner: owner.names,
    ("MuscleForces", "moment_of"): lambda owner: owner.coordinates,
    ("MuscleForces", "actuator"): lambda owner: owner.actuators,
    ("JointReactions", "joint"): lambda owner: tuple(joint.name for joint in owner.joints),
}
"""Labels that the owner of an array gives."""

COMMON: Mapping[str, Labels] = {
    X: AXES,
    "component": WRENCH,
    "compartment": ("medial", "lateral"),
    "corner": ("1", "2", "3", "4"),
}


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
    known = FIELDS.get(type(owner).__name__, {}).get(field, (T,) if field == "time" else ())
    if len(known) != len(shape):
        return [(f"{name}_{i}", None) for i in range(len(shape))]
    found = [(each, _fitting(_labels(owners, each), size)) for each, size in zip(known, shape, strict=True)]
    return [("coordinate" if each == "configuration" and labels else each, labels) for each, labels in found]


def _labels(owners: Owners, name: str) -> Labels | None:
    owner = owners[-1][0]
    own = OWN.get((type(owner).__name__, name))
    if own is not None:
        return own(owner)
    if name in ("coordinate", "configuration"):
        models = [each.model for each, _ in owners if isinstance(getattr(each, "model", None), Model)]
        if not models or (name == "configuration" and models[-1].nq != models[-1].nv):
            return None
        return tuple(models[-1].coordinate_names)
    return COMMON.get(name)


def _fitting(labels: Labels | None, size: int) -> Labels | None:
    return labels if labels is not None and len(labels) == size == len(set(labels)) else None
