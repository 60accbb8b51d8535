"""A scene for a page: small whole numbers in base64, and what is needed to make metres of them again."""

from __future__ import annotations

import base64
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from softstride.errors import InputError
from softstride.scene.scene import Scene

Floats = NDArray[np.float64]

FORM = "softstride scene 1"
MISSING = -32768
LARGEST = 32767


def pack(
    scene: Scene, *, precision: float = 1e-3, muscles: bool = True, markers: bool = True
) -> dict[str, Any]:
    """Return a scene as plain values for JSON.

    An array is {"shape": [...], "scale": s, "offset": o, "data": base64 of little-endian int16}: its values are
    o + s · i, i = -32768 means that there is none. `docs/view.md` lists the fields.

    Args:
        scene: The scene; take fewer frames with `at_rate`.
        precision: Of positions [m]; coarser where a trial is so long that 16 bits do not hold it.
        muscles: Whether to keep them.
        markers: Whether to keep them.

    Raises:
        InputError: A precision that is no positive length.
    """
    if not (np.isfinite(precision) and precision > 0.0):
        raise InputError(f"precision must be a positive length [m], however it is {precision!r}")

    def place(values: ArrayLike) -> dict[str, Any]:
        return packed(values, precision)

    page: dict[str, Any] = {
        "form": FORM,
        "name": scene.name,
        "time": packed(scene.time, 1e-4),
        "links": list(scene.links),
        "position": place(scene.poses[..., :3]),
        "quaternion": packed(scene.poses[..., 3:], 1.0 / LARGEST),
        "base": place(scene.base),
        "shapes": [
            {
                "kind": shape.kind,
                "link": scene.links.index(shape.link),
                "layer": shape.layer,
                "points": _rounded(shape.points),
                "radii": _rounded(shape.radii),
                **({"axes": _rounded(shape.axes)} if shape.kind == "ellipsoid" else {}),
            }
            for shape in scene.shapes
        ],
        "ribbons": [
            {
                "name": ribbon.name,
                "centre": place(ribbon.centre),
                "across": packed(ribbon.across, 1.0 / LARGEST),
                "half_width": _rounded(ribbon.half_width),
                "half_thickness": _rounded(ribbon.half_thickness),
            }
            for ribbon in scene.ribbons
        ],
        "arrows": [
            {
                "name": arrow.name,
                "source": arrow.source,
                "side": arrow.side,
                "point": place(arrow.point),
                "force": packed(arrow.force, 0.5),
            }
            for arrow in scene.arrows
        ],
        "plates": [{"name": plate.name, "corners": _rounded(plate.corners)} for plate in scene.plates],
        "floor": scene.floor,
        "weight": scene.weight,
        "events": [
            {"label": event.label, "time": round(event.time, 4), "side": event.side or ""}
            for event in scene.events
        ],
    }
    if markers and scene.markers is not None:
        page["markers"] = {
            "names": list(scene.markers.names),
            "model": place(scene.markers.model),
            "measured": place(scene.markers.measured),
        }
    if muscles and scene.muscles is not None:
        page["muscles"] = {
            "names": list(scene.muscles.names),
            "first": scene.muscles.first.tolist(),
            "points": place(scene.muscles.points),
            "activity": packed(scene.muscles.activity, 1e-3),
        }
    return page


def packed(values: ArrayLike, step: float) -> dict[str, Any]:
    """Return an array as steps from the middle of its range, coarser than `step` where 16 bits need it."""
    array = np.asarray(values, dtype=np.float64)
    known = np.isfinite(array)
    low, high = (float(array[known].min()), float(array[known].max())) if known.any() else (0.0, 0.0)
    offset = 0.5 * (low + high)
    scale = max(step, 0.5 * (high - low) / (LARGEST - 1))
    whole = np.full(array.shape, MISSING, dtype="<i2")
    whole[known] = np.rint((array[known] - offset) / scale).astype("<i2")
    text = base64.b64encode(whole.tobytes()).decode("ascii")
    return {"shape": list(array.shape), "scale": scale, "offset": offset, "data": text}


def unpack(page: dict[str, Any]) -> Floats:
    """Return the array that `packed` made a page of, to half a step."""
    whole = np.frombuffer(base64.b64decode(page["data"]), dtype="<i2").reshape(page["shape"])
    return np.where(whole == MISSING, np.nan, page["offset"] + page["scale"] * whole.astype(np.float64))


def _rounded(values: ArrayLike) -> Any:
    return np.round(np.asarray(values, dtype=np.float64), 5).tolist()
