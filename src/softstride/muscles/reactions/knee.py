"""The force of a knee shared between its two compartments.

The femur presses on the tibia at two points, c_m and c_l, along the long axis e of the tibia. With d = c_l - c_m, the
normal n of the frontal plane along d x e, the midpoint c and the force f and moment m on the tibia about p,

    F_m + F_l = N = -f·e                         pressure along the axis
    (F_m - F_l) w / 2 = n·(m + (p - c) x f)      balance of moments in the frontal plane, w = |d - (d·e) e|

F_m and F_l press on the tibia, positive; a negative one would have to pull: that compartment lifts off, and ligaments,
which are not in the model, would carry the difference.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, overload

import numpy as np
from numpy.typing import ArrayLike, NDArray

from softstride.capture.labels import is_virtual, read_label
from softstride.errors import Blank, Either, InputError, Option
from softstride.kinematics.frames import spans
from softstride.model.leg import find_shank, side_letter
from softstride.model.model import Model
from softstride.model.posture import default_poses
from softstride.muscles.reactions.joints import joints_of
from softstride.muscles.reactions.result import JointReactions
from softstride.naming import LETTERS
from softstride.notes import Note, Notes
from softstride.results import Labels, Result, values
from softstride.spatial.vectors import cross

if TYPE_CHECKING:
    import pandas as pd

Array = NDArray[np.float64]
Mask = NDArray[np.bool_]

AXIS = (0.0, 1.0, 0.0)
"""Long axis of a tibia, upward, in its own axes: y, as OpenSim and the ISB have it."""

ACROSS = (0.0, 0.0, 1.0)
"""To the right in the axes of a tibia: z."""

SHARE = 0.5
"""Distance of the centres of contact to that of the markers on the epicondyles. An assumption, not a measurement: each
compartment is loaded in the middle of its half of the knee."""

PLAUSIBLE = (0.05, 0.2)
"""Distance of two markers that can be on the two sides of one knee [m]."""


PARTS = ("total", "medial", "lateral")
"""Forces of a knee."""


class KneeContact(Result, of="a knee"):
    """Forces in the compartments of a knee.

    Attributes:
        side: "right" or "left".
        time: Instants [s], shape (n,).
        total: Pressure along the axis of the tibia, shape (n,), [N]; negative would be traction.
        medial: Of the medial compartment, shape (n,), [N].
        lateral: Of the lateral compartment, shape (n,), [N]; medial and lateral add up to the total.
        points: Medial and lateral centre of contact in axes of the tibia, shape (2, 3), [m].
        body_weight: Weight of the model [N].
        notes: What was decided.
    """

    side: str
    time: Array = values("time", "s")
    total: Array = values("time", "N")
    medial: Array = values("time", "N")
    lateral: Array = values("time", "N")
    points: Array = values("compartment axis", "m")
    body_weight: float
    notes: tuple[Note, ...] = ()

    LABELS: ClassVar[Mapping[str, Labels]] = {"compartment": lambda _: ("medial", "lateral")}

    @property
    def lifts_off(self) -> Mask:
        """Frames in which a compartment would have to pull: medial and lateral, shape (n, 2)."""
        return np.stack([self.medial, self.lateral], axis=1) < 0.0

    def save(self, path: str | Path, *, overwrite: bool = False) -> None:
        """Write the three forces over time as .sto or .mot; see `save_knees`."""
        from softstride.muscles.reactions.knee_tables import save_knees

        save_knees([self], path, overwrite=overwrite)

    def _attrs(self) -> dict[str, Any]:
        return {"side": self.side, "body_weight_n": self.body_weight} | super()._attrs()

    def to_dataframe(self) -> pd.DataFrame:
        """Return a `pandas.DataFrame` indexed by time: total, medial and lateral force [N]."""
        import pandas as pd

        index = pd.Index(self.time, name="time")
        return pd.DataFrame({part: getattr(self, part) for part in PARTS}, index=index)


@overload
def knee_contact(
    reactions: JointReactions,
    side: str,
    *,
    medial: ArrayLike | None = None,
    lateral: ArrayLike | None = None,
    width: float | None = None,
    shank: str | None = None,
    axis: ArrayLike = AXIS,
) -> KneeContact: ...


@overload
def knee_contact(
    reactions: JointReactions,
    model: Model,
    side: str,
    *,
    medial: ArrayLike | None = None,
    lateral: ArrayLike | None = None,
    width: float | None = None,
    shank: str | None = None,
    axis: ArrayLike = AXIS,
) -> KneeContact: ...


def knee_contact(  # type: ignore[misc]  # what comes second has another name in each form
    reactions: JointReactions,
    model: Model | str | None = None,
    side: str | None = None,
    *,
    medial: ArrayLike | None = None,
    lateral: ArrayLike | None = None,
    width: float | None = None,
    shank: str | None = None,
    axis: ArrayLike = AXIS,
) -> KneeContact:
    """Share the axial force of a knee between its compartments, by its frontal moment: ``knee_contact(found, "left")``.

    Args:
        reactions: With the knee among the joints, acting on the tibia ("child") and in its axes ("child").
        side: "right" or "left".
        model: Before the side: a model of the same links, in place of that of the reactions.
        medial: Centre of contact of the medial compartment in axes of the tibia, shape (3,), [m]; with `lateral`.
        lateral: Of the lateral one.
        width: Distance of the two centres [m], in place of them: they lie beside the centre of the knee joint, to the
            right and left of the tibia. Neither: half the distance of the markers on the sides of the knee.
        shank: Name of the tibia, where it cannot be found by its name.
        axis: Long axis of the tibia in its own axes, upward, shape (3,).

    Raises:
        InputError: The reactions are of other bodies or in other axes, the points are missing or beside each other
            along the axis, or nothing says where the compartments are.
    """
    if isinstance(model, str) and side is None:
        model, side = None, model
    model = reactions.model if model is None else model
    if not isinstance(model, Model) or not isinstance(side, str):
        raise InputError(
            'knee_contact takes JointReactions and a side, "right" or "left", after them', parameter="side"
        )
    letter = side_letter(side)
    tibia = find_shank(model, side, shank)
    i = reactions.index(tibia)
    if reactions.on != "child" or reactions.axes[i] != tibia:
        raise InputError(
            f"knee_contact needs what acts on {tibia!r} in its own axes, however it was given "
            f'{reactions.labels[i]!r}: ask joint_reactions for on="child" and frame="child"'
        )
    if reactions.model is not model and reactions.model.link_names != model.link_names:
        raise InputError(f"the reactions are of model {reactions.model.name!r}, not of {model.name!r}")
    e = _unit(axis, "axis")
    force, moment, point = reactions.force[:, i], reactions.moment[:, i], reactions.point[:, i]
    points, notes = _points(model, tibia, letter, point[0], medial, lateral, width)
    d = points[1] - points[0]
    across = d - (d @ e) * e
    w = float(np.linalg.norm(across))
    if w < 1e-6:
        raise InputError(
            f"the centres of contact, {points[0].tolist()} and {points[1].tolist()}, lie above each other along the "
            "axis of the tibia: give points of both sides"
        )
    n = np.cross(across / w, e)
    total = -force @ e
    turning = (moment + cross(point - points.mean(axis=0), force)) @ n
    inner, outer = 0.5 * total + turning / w, 0.5 * total - turning / w
    name = LETTERS[letter]
    off = np.flatnonzero((inner < 0.0) | (outer < 0.0))
    if len(off):
        notes.add(
            "knees.lift-off",
            f"a compartment of the {name} knee lifts off in {len(off)} of {len(total)} frames, "
            f"{spans(off, reactions.time)}: ligaments, which are not in the model, would carry its force",
            severity="warning",
            topic="knees",
            names=[name],
            span=(reactions.time[off[0]], reactions.time[off[-1]]),
            values={"frames": len(off), "of_frames": len(total)},
        )
    return KneeContact(name, reactions.time, total, inner, outer, points, reactions.body_weight, tuple(notes))


def _points(
    model: Model,
    tibia: str,
    letter: str,
    centre: Array,
    medial: ArrayLike | None,
    lateral: ArrayLike | None,
    width: float | None,
) -> tuple[Array, Notes]:
    """Return the medial and the lateral centre of contact, (2, 3), and how they were found."""
    if medial is not None or lateral is not None:
        if medial is None or lateral is None or width is not None:
            raise InputError(
                "give both centres of contact, medial and lateral, or the width between them alone"
            )
        return np.stack([_vector(medial, "medial"), _vector(lateral, "lateral")]), Notes()
    notes = Notes()
    if width is None:
        width, pair = _marker_width(model, tibia, letter)
        ways = Either((Option("medial"), " and ", Option("lateral")), (Option("width"),))
        notes.add(
            "knees.width-assumed",
            f"centres of contact are {1e3 * width:.0f} mm apart, {SHARE:g} of the distance of markers "
            f"{' and '.join(map(repr, pair))}: an assumption",
            severity="warning",
            topic="knees",
            names=pair,
            values={"width_mm": 1e3 * width},
            fix=f"give {ways}",
            options=[ways],
        )
    elif not (np.isfinite(width) and width > 0.0):
        option = Option("width")
        raise InputError(
            f"{option} must be a length above zero, however it is {width!r}",
            parameter="width",
            value=width,
            options=[option],
        )
    outward = np.asarray(ACROSS) * (1.0 if letter == "r" else -1.0)
    return np.stack([centre - 0.5 * width * outward, centre + 0.5 * width * outward]), notes


def _marker_width(model: Model, tibia: str, letter: str) -> tuple[float, tuple[str, str]]:
    """Return `SHARE` of the distance across the knee of markers on the thigh, and their names."""
    thigh = next(joint.parent for joint in joints_of(model) if joint.child == tibia)
    beside = {
        name: marker
        for name, marker in model.markers.items()
        if marker.link == thigh and _is_beside_knee(name)
    }
    T = default_poses(model)
    turn = T[tibia][:3, :3].T @ T[thigh][:3, :3]
    across = {name: float((turn @ np.asarray(marker.position))[2]) for name, marker in beside.items()}
    if across:
        low, high = min(across, key=across.__getitem__), max(across, key=across.__getitem__)
        distance = across[high] - across[low]
        if PLAUSIBLE[0] < distance < PLAUSIBLE[1]:
            return SHARE * distance, (low, high)
    found = f"its markers there are {', '.join(map(repr, beside)) or 'none'}"
    place = (Blank("x"), Blank("y"), Blank("z"))
    centres = (Option("medial", place), " and ", Option("lateral", place), f" in axes of {tibia!r}")
    option = Either(centres, (Option("width", Blank()), " in metres"))
    raise InputError(
        f"nothing says where the compartments of the {LETTERS[letter]} knee are: {model.name!r} "
        f"has no pair of markers on both sides of it on {thigh!r} ({found}). Give {option}",
        parameter="width",
        names=list(beside),
        link=thigh,
        options=[option],
    )


def _is_beside_knee(label: str) -> bool:
    return not is_virtual(label) and ("knee" in label.lower() or read_label(label)[1] == "knee")


def _vector(value: ArrayLike, what: str) -> Array:
    array = np.asarray(value, dtype=np.float64)
    if array.shape != (3,) or not np.isfinite(array).all():
        raise InputError(f"{what} must be three finite numbers, however it is {value!r}")
    return array


def _unit(value: ArrayLike, what: str) -> Array:
    array = _vector(value, what)
    size = float(np.linalg.norm(array))
    if size == 0.0:
        raise InputError(f"{what} must be a direction, however it is {value!r}")
    return array / size
