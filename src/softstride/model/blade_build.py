"""How the parts of a blade are made from points, sizes and material, and its stiffness for small loads."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from softstride.errors import ModelError
from softstride.model import checks
from softstride.model.blade_shape import (
    Profile,
    along,
    arc_lengths,
    check_crossing,
    mean_sections,
    section_poses,
)
from softstride.model.centreline import centreline_frames
from softstride.model.checks import FloatArray
from softstride.model.contact_shape import ContactSphere
from softstride.model.frame import Point
from softstride.model.inertia import Inertia
from softstride.model.rod import Rod
from softstride.model.section import Section

if TYPE_CHECKING:
    from softstride.model.blade import Blade

ROD = "blade"
"""Link that markers and contacts of a blade name until it is attached."""

ACROSS = (0.0, 0.0, 1.0)
"""The width of a blade: to the right."""

SOLE_ROWS = 240
CONTACTS = 12
STEEPEST = np.cos(np.radians(60.0))
"""The sole may touch the ground where it is inclined by less than 60 degrees."""

STATIONS = 5
"""Stations of the markers, besides the toe."""

MATERIAL_LIMITS = {"young": (1e6, 2e12), "shear": (1e5, 1e12), "density": (100.0, 25000.0)}
"""From rubber to stiffer than diamond [Pa]; from foam to heavier than tungsten [kg/m³]."""

WIDEST, THICKEST, SHORTEST, STOUTEST, HEAVIEST = 0.15, 0.03, 0.05, 0.1, 3.0
"""Bounds of width, thickness and arc length [m], of thickness over arc length, and of mass [kg]."""

COLUMNS = ("width", "thickness", "young", "shear", "density")


def build(
    points: ArrayLike,
    width: Profile,
    thickness: Profile,
    young: Profile,
    shear: Profile,
    density: Profile,
    n: int | Sequence[float],
    free: Sequence[str],
    damping: float,
    longest: float,
) -> dict[str, Any]:
    """Return the fields of a blade; see `Blade.from_centreline`."""
    knots = planar_points(points)
    time = checks.number(damping, "damping of a blade", lower=0.0)
    profiles = [
        along(given, f"{name} of a blade")
        for name, given in zip(COLUMNS, (width, thickness, young, shear, density), strict=True)
    ]
    frames, lengths = centreline_frames(knots, ACROSS, n)
    total = float(np.sum(lengths))
    if total > longest:
        raise ModelError(
            f"a blade of {total:.3g} m is longer than a leg ({longest} m at most): check the units of its points, "
            "which are metres."
        )
    dense, _ = centreline_frames(knots, ACROSS, SOLE_ROWS)
    at = np.linspace(0.0, total, SOLE_ROWS + 1)
    sizes = [profile(at) for profile in profiles]
    for name, values in zip(COLUMNS[2:], sizes[2:], strict=True):
        for value in (values.min(), values.max()):
            check_material(float(value), name, "")
    check_sizes("a blade", total, sizes[0], sizes[1])
    check_crossing(dense[:, :3, 3], total, float(sizes[1].max()))

    def section(s: float) -> Section:
        w, t, E, G, rho = (float(profile(np.array(s))) for profile in profiles)
        return Section.rectangle(w, t, rho, E, G, time)

    rod = Rod.from_centreline(knots, ACROSS, n, mean_sections(lengths, section), free)
    sole = _sole(rod, frames[0], dense, at, sizes[1])
    middles = np.cumsum(lengths) - 0.5 * lengths
    material = {name: float(values.mean()) for name, values in zip(COLUMNS[2:], sizes[2:], strict=True)}
    return {
        "rod": rod,
        "clamp": frames[0],
        "sole": sole,
        "width": profiles[0](middles),
        "thickness": profiles[1](middles),
        "material": material | {"damping": time},
        "markers": _markers(total, np.interp(at, at, sizes[0]), np.interp(at, at, sizes[1]), at, sole),
        "contacts": _contacts(dense, at, sole),
    }


def planar_points(points: ArrayLike) -> FloatArray:
    """Return points (m, 3) from points (m, 2) in the plane z = 0 or (m, 3)."""
    knots = checks.any_array(points, "points of a blade")
    if knots.ndim == 2 and knots.shape[1] == 2:
        return np.column_stack([knots, np.zeros(len(knots))])
    return knots


def check_material(value: float, name: str, blade: str) -> None:
    """Refuse a modulus or density that cannot be right."""
    low, high = MATERIAL_LIMITS[name]
    if not low <= value <= high:
        unit = "kg/m³" if name == "density" else "Pa"
        raise ModelError(
            f"{name} of a blade{f' {blade!r}' if blade else ''} must be from {low:g} to {high:g} {unit}, however it "
            f"is {value:g}: check its unit (1 GPa is 1e9 Pa)."
        )


def check_sizes(what: str, length: float, width: FloatArray, thickness: FloatArray) -> None:
    """Refuse sizes that no blade has: mostly millimetres or centimetres in place of metres.

    Args:
        what: The blade, for messages.
        length: Arc length [m].
        width: Along the blade [m].
        thickness: Likewise.
    """
    if length < SHORTEST:
        raise ModelError(
            f"{what} is {length:.3g} m long, however {SHORTEST} m is the least: check the units of its points, which "
            "are metres."
        )
    for name, values, most in (("width", width, WIDEST), ("thickness", thickness, THICKEST)):
        value = float(np.max(values))
        if value > most:
            raise ModelError(
                f"{what}: {name} must be {most} m at most, however it is {value:g} m: was it given in millimetres?"
            )
    ratio = float(np.max(thickness)) / length
    if ratio > STOUTEST:
        raise ModelError(
            f"{what}: a thickness of {float(np.max(thickness)):g} m on a length of {length:.3g} m is no blade "
            f"({STOUTEST:g} of the length at most): was one of them given in millimetres or centimetres?"
        )


def _sole(
    rod: Rod, base: FloatArray, frames: FloatArray, at: FloatArray, thickness: FloatArray
) -> FloatArray:
    """Return rows (arc length, offset in section axes): the sole lies half a thickness off the true centreline."""
    lowest = int(np.argmin(frames[:, 1, 3]))
    side = -1.0 if frames[lowest, 1, 2] > 0.0 else 1.0  # section z up there: the sole is on the other side
    points = frames[:, :3, 3] + side * 0.5 * thickness[:, None] * frames[:, :3, 2]
    H = base @ section_poses(rod, at)
    offsets = np.einsum("kji,kj->ki", H[:, :3, :3], points - H[:, :3, 3])
    return np.column_stack([at, offsets])


def _contacts(frames: FloatArray, at: FloatArray, sole: FloatArray) -> dict[str, ContactSphere]:
    """Return points at equal distances along the part of the sole that may touch the ground."""
    down = -np.sign(sole[:, 3].mean()) * frames[:, 1, 2]
    facing = np.flatnonzero(down > STEEPEST)
    first = at[facing[0]] if len(facing) else at[len(at) // 2]
    places = np.linspace(first, at[-1], CONTACTS)
    offsets = np.column_stack([np.interp(places, at, column) for column in sole[:, 1:].T])
    return {
        f"sole_{i}": ContactSphere(ROD, offset, 0.0, float(s))
        for i, (s, offset) in enumerate(zip(places, offsets, strict=True), start=1)
    }


def _markers(
    total: float, width: FloatArray, thickness: FloatArray, at: FloatArray, sole: FloatArray
) -> dict[str, Point]:
    """Return markers on both edges at equal distances and one on the toe, on the side away from the sole."""
    away = -float(np.sign(sole[:, 3].mean()))
    markers = {}
    for station in range(1, STATIONS + 1):
        s = total * station / (STATIONS + 1)
        w, t = np.interp(s, at, width), np.interp(s, at, thickness)
        for name, side in (("medial", -0.5), ("lateral", 0.5)):
            markers[f"{station}_{name}"] = Point(ROD, np.array([0.0, side * w, away * 0.5 * t]), float(s))
    markers["toe"] = Point(ROD, np.array([0.0, 0.0, away * 0.5 * thickness[-1]]), total)
    return markers


def read_columns(table: Mapping[str, ArrayLike]) -> tuple[FloatArray, list[Profile]]:
    """Return the centreline (m, 3) and the profiles of `COLUMNS` of a table of sections."""
    if not isinstance(table, Mapping):
        raise ModelError(
            f"sections of a blade must be columns by name, however they are {type(table).__name__}."
        )
    missing = [name for name in ("x", "y", *COLUMNS) if name not in table]
    if missing:
        raise ModelError(
            f"sections of a blade lack {', '.join(map(repr, missing))}; they have {checks.names_hint(table)}."
        )
    columns = {
        name: checks.any_array(values, f"column {name!r} of a blade") for name, values in table.items()
    }
    rows = columns["x"].shape
    for name, values in columns.items():
        if len(rows) != 1 or (values.shape != rows and (values.ndim or name in ("x", "y", "z"))):
            raise ModelError(
                f"column {name!r} of a blade must have one number for each section, shape {rows}, however its shape is "
                f"{values.shape}."
            )
    z = columns.get("z", np.zeros(rows))
    points = np.column_stack([columns["x"], columns["y"], z])
    if len(points) < 3:
        raise ModelError(f"a blade needs three sections or more, however it has {len(points)}.")
    s = arc_lengths(points)
    tables: list[Profile] = [
        columns[name] if columns[name].ndim == 0 else np.column_stack([s, columns[name]]) for name in COLUMNS
    ]
    return points, tables


def initial_slope(measured: ArrayLike) -> float:
    """Return the stiffness at zero load [N/m] of a number or of a table (m, 2) of deflection [m] and force [N].

    The table is fitted by F = k δ + c δ².
    """
    values = checks.any_array(measured, "measured stiffness of a blade")
    if values.ndim == 0:
        slope = float(values)
    elif values.ndim == 2 and values.shape[1] == 2 and len(values) >= 3:
        size = float(np.max(np.abs(values[:, 0]))) or 1.0
        x = values[:, 0] / size
        slope = float(np.linalg.lstsq(np.column_stack([x, x * x]), values[:, 1], rcond=None)[0][0]) / size
    else:
        raise ModelError(
            "measured stiffness of a blade must be a number [N/m] or a table (m, 2) of deflection [m] and force [N] "
            f"with three rows or more, however its shape is {values.shape}."
        )
    if slope <= 0.0:
        raise ModelError(f"measured stiffness of a blade must be above zero, however it is {slope:g} N/m.")
    return slope


def castigliano_stiffness(blade: Blade, angle: float, at: float) -> float:
    """Return k with 1/k = ∫ m(s)ᵀ K⁻¹ m(s) ds up to the arc length `at`; see `Blade.initial_stiffness`."""
    here = blade.poses([at], angle=angle)[0]
    point = here[:3, 3] + here[:3, :3] @ blade.sole_offset(at)
    up = np.array([0.0, 1.0, 0.0])
    nodes, weights = np.polynomial.legendre.leggauss(12)
    compliance, start = 0.0, 0.0
    for segment in blade.rod.segments:
        end = min(start + segment.length, at)
        if end <= start:
            break
        s = start + 0.5 * (end - start) * (nodes + 1.0)
        H = blade.poses(s, angle=angle)
        R = H[:, :3, :3]
        moment = np.cross(point - H[:, :3, 3], up)
        wrench = np.concatenate([np.einsum("kji,kj->ki", R, moment), np.einsum("kji,j->ki", R, up)], axis=1)
        free = list(segment.free_indices)
        inverse = np.linalg.inv(segment.stiffness[np.ix_(free, free)])
        density = np.einsum("ki,ij,kj->k", wrench[:, free], inverse, wrench[:, free])
        compliance += 0.5 * (end - start) * float(weights @ density)
        start += segment.length
    if compliance <= 0.0:
        raise ModelError(
            f"blade {blade.name!r} cannot give under a force on its lowest point, {at:.3g} m along it: it has no part "
            "below its clamp that bends. Blade axes are x forward, y up, from the clamp; check the signs of its points."
        )
    return 1.0 / compliance


def thicker(density: Inertia, factor: float) -> Inertia:
    """Return the inertia per metre of a rectangle whose thickness is multiplied: ρ Iy with its third power."""
    Iy, Iz = density.matrix[1, 1] * factor**3, density.matrix[2, 2] * factor
    return Inertia(density.mass * factor, density.com, np.array([Iy + Iz, Iy, Iz]))
