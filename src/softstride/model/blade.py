"""Running blades: a curved rod with its clamp, its sole, markers and places that may touch the ground.

Blade axes: x forward, y up, z right, origin where the blade is clamped, the way it stands on the ground unloaded. Along
the blade, section axes are those of a rod: x tangent, y width (to the right), z thickness.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from softstride.errors import ModelError
from softstride.frozen import Table
from softstride.model import blade_build, checks
from softstride.model.blade_build import MATERIAL_LIMITS, ROD
from softstride.model.blade_shape import Profile, section_poses
from softstride.model.checks import FloatArray, Frozen
from softstride.model.contact_shape import ContactSphere
from softstride.model.frame import Point
from softstride.model.rod import BENDS, Rod

Mount = Literal["distal", "posterior"]
MOUNTS = ("distal", "posterior")

MAX_LOAD = 1500.0
"""About twice body weight [N]."""

LONGEST = 1.2
"""Arc length [m] above which a blade is longer than a leg."""


@dataclass(frozen=True, eq=False)
class Blade(Frozen):
    """A running blade.

    Attributes:
        name: Its name.
        rod: The rod, from the clamp to the toe.
        clamp: Pose of the base of the rod in blade axes, shape (4, 4), [m].
        sole: The surface that faces the ground: rows of arc length [m] and the offset of the sole in section axes [m],
            shape (k, 4). The offset is half the thickness and what the piecewise constant strain of the rod leaves
            between its own curve and the centreline.
        width: Mean width of each segment, shape (n,), [m].
        thickness: Mean thickness of each segment, shape (n,), [m].
        material: "young", "shear" [Pa], "density" [kg/m³], "damping" (retardation time [s]): means over the blade.
        mount: "distal": under the socket on a pylon (C shapes); "posterior": behind the socket (J shapes).
        markers: Markers on a link called "blade"; `attach_blade` puts them on the link it makes.
        contacts: Places on the sole that may touch the ground, likewise.
        source: Where its sizes are from.
        max_load: Load up to which it is tested unless another is asked for [N].
    """

    name: str
    rod: Rod
    clamp: FloatArray
    sole: FloatArray
    width: FloatArray
    thickness: FloatArray
    material: Mapping[str, float] = field(default_factory=Table)
    mount: Mount = "distal"
    markers: Mapping[str, Point] = field(default_factory=Table)
    contacts: Mapping[str, ContactSphere] = field(default_factory=Table)
    source: str = ""
    max_load: float = MAX_LOAD

    def __post_init__(self) -> None:
        """Copy and check the fields."""
        what = f"blade {checks.text(self.name, 'name of a blade')!r}"
        if not isinstance(self.rod, Rod):
            raise ModelError(f"{what}: rod must be a Rod, however it is {self.rod!r}.")
        if self.rod.length > LONGEST:
            raise ModelError(
                f"{what} is {self.rod.length:.3g} m long, longer than a leg ({LONGEST} m at most): check the units of "
                "its points, which are metres."
            )
        n = len(self.rod.segments)
        sizes = {
            name: checks.array(getattr(self, name), (n,), f"{what}: {name}")
            for name in ("width", "thickness")
        }
        for name, values in sizes.items():
            if np.any(values <= 0.0):
                raise ModelError(
                    f"{what}: {name} must be above zero, however it is {float(values.min()):g} m."
                )
        blade_build.check_sizes(what, self.rod.length, sizes["width"], sizes["thickness"])
        if self.rod.mass > blade_build.HEAVIEST:
            raise ModelError(
                f"{what}: its mass must be {blade_build.HEAVIEST:g} kg at most, however it is {self.rod.mass:.4g} kg: "
                "check the units of its sizes [m] and density [kg/m³]."
            )
        load = checks.number(self.max_load, f"{what}: max_load")
        if load <= 0.0:
            raise ModelError(f"{what}: max_load must be above zero, however it is {load:g} N.")
        sole = checks.any_array(self.sole, f"{what}: sole")
        if sole.ndim != 2 or sole.shape[1] != 4 or len(sole) < 4 or np.any(np.diff(sole[:, 0]) <= 0.0):
            raise ModelError(f"{what}: sole must be rows (arc length, x, y, z), its arc lengths increasing.")
        if self.mount not in MOUNTS:
            raise ModelError(f"{what}: mount must be one of {', '.join(MOUNTS)}, not {self.mount!r}.")
        for table, kind in ((self.markers, Point), (self.contacts, ContactSphere)):
            for name, place in table.items():
                if not isinstance(place, kind) or place.link != ROD:
                    raise ModelError(f"{what}: {name!r} must be a {kind.__name__} on the link {ROD!r}.")
        self._set(
            clamp=checks.pose(self.clamp, f"{what}: clamp"),
            sole=sole,
            material=Table({name: float(value) for name, value in self.material.items()}),
            markers=Table(self.markers),
            contacts=Table(self.contacts),
            max_load=load,
            **sizes,
        )

    @classmethod
    def from_centreline(
        cls,
        points: ArrayLike,
        width: Profile,
        thickness: Profile,
        young: Profile,
        shear: Profile,
        density: Profile,
        *,
        n: int | Sequence[float] = 6,
        free: Sequence[str] = BENDS,
        damping: float = 0.0,
        name: str = "blade",
        mount: Mount = "distal",
        source: str = "",
    ) -> Blade:
        """Return a blade with rectangular sections along a curve.

        The unloaded shape is that of `Rod.from_centreline`: ends of segments on the curve, ξ0 = log(H⁻¹H')/L between;
        each segment has the mean of its sections, K = 1/L ∫ diag(GJ, EIy, EIz, EA, kGA, kGA) ds, and damping K times
        `damping` (hybrid-link specification, section 3).

        Args:
            points: Points from the clamp to the toe in blade axes, shape (m, 2) or (m, 3), [m].
            width: A number [m], a table (m, 2) of arc length and value, or a function of arc length.
            thickness: Likewise [m].
            young: Young's modulus along the blade [Pa]; a number, table or function.
            shear: Shear modulus [Pa]; likewise.
            density: [kg/m³]; likewise.
            n: Number of equal segments, or the length of each as a share of the whole.
            free: Strains that move.
            damping: Retardation time of the material [s]: stress = E (strain + damping · strain rate).
            name: Name of the blade.
            mount: How it is clamped to the socket, "distal" or "posterior".
            source: Where its sizes are from.

        Raises:
            ModelError: A size that is not above zero, a blade longer than a leg, sizes that no blade has
                (millimetres?), a centreline that crosses itself, a modulus or density that no material of a blade has.
        """
        parts = blade_build.build(points, width, thickness, young, shear, density, n, free, damping, LONGEST)
        return cls(name=name, mount=mount, source=source, **parts)

    @classmethod
    def from_sections(
        cls,
        table: Mapping[str, ArrayLike],
        *,
        n: int | Sequence[float] = 6,
        free: Sequence[str] = BENDS,
        damping: float = 0.0,
        name: str = "blade",
        mount: Mount = "distal",
        source: str = "",
    ) -> Blade:
        """Return a blade from a table of cross-sections along it.

        Args:
            table: Columns by name, one row for each section from the clamp to the toe: "x", "y" and, if it leaves the
                plane, "z" of the centreline [m]; "width", "thickness" [m]; "young", "shear" [Pa], "density" [kg/m³],
                each a column or one number.
            n: As in `from_centreline`, and so are the others.
            free: Strains that move.
            damping: Retardation time [s].
            name: Name of the blade.
            mount: "distal" or "posterior".
            source: Where its sizes are from.

        Raises:
            ModelError: A missing column, columns of different length, or what `from_centreline` refuses.
        """
        points, columns = blade_build.read_columns(table)
        return cls.from_centreline(
            points, *columns, n=n, free=free, damping=damping, name=name, mount=mount, source=source
        )

    @classmethod
    def from_stiffness(
        cls,
        points: ArrayLike,
        width: Profile,
        thickness: Profile,
        young: float,
        shear: float,
        density: float,
        *,
        measured: ArrayLike,
        angle: float = 0.0,
        unknown: Literal["young", "thickness"] = "young",
        n: int | Sequence[float] = 6,
        free: Sequence[str] = BENDS,
        damping: float = 0.0,
        name: str = "blade",
        mount: Mount = "distal",
        source: str = "",
    ) -> Blade:
        """Return a blade whose stiffness for small loads is a measured one.

        The stiffness of the shape as given follows from Castigliano's theorem (`initial_stiffness`); it is proportional
        to the modulus and to the third power of the thickness, which are scaled accordingly. To fit a whole measured
        curve, large deflection included, use `softstride.simulation.fit_stiffness`.

        Args:
            points: As in `from_centreline`, and so are the others.
            width: [m].
            thickness: [m]; where it is unknown, its distribution matters only.
            young: [Pa]; where it is unknown, its ratio to `shear` matters only.
            shear: [Pa].
            density: [kg/m³].
            measured: Stiffness against a flat, frictionless ground [N/m], or a table (m, 2) of deflection [m] and force
                [N], whose slope at zero is taken (quadratic fit through the origin).
            angle: Of the test [rad]; positive turns the toe down.
            unknown: What is scaled.
            n: Segments.
            free: Strains that move.
            damping: Retardation time [s].
            name: Name of the blade.
            mount: "distal" or "posterior".
            source: Where its sizes are from.
        """
        target = blade_build.initial_slope(measured)
        options = {"n": n, "free": free, "damping": damping, "name": name, "mount": mount, "source": source}
        start = cls.from_centreline(points, width, thickness, young, shear, density, **options)  # type: ignore[arg-type]
        ratio = target / start.initial_stiffness(angle)
        if unknown == "young":
            return start.stiffened(ratio)
        if unknown == "thickness":
            for _ in range(4):  # the sole moves with the thickness, by a millimetre: twice is enough
                start = start.thickened(ratio ** (1.0 / 3.0))
                ratio = target / start.initial_stiffness(angle)
            return start
        raise ModelError(f"unknown of a blade must be 'young' or 'thickness', however it is {unknown!r}.")

    # sizes

    @property
    def length(self) -> float:
        """Arc length [m]."""
        return self.rod.length

    @property
    def mass(self) -> float:
        """Mass [kg]."""
        return self.rod.mass

    def height(self, angle: float = 0.0) -> float:
        """Return how far below the clamp its sole reaches, unloaded and turned toe-down by an angle [rad]; [m]."""
        return -float(self.sole_points(angle=angle)[:, 1].min())

    def poses(self, at: ArrayLike, q: ArrayLike | None = None, angle: float = 0.0) -> FloatArray:
        """Return poses of sections in blade axes at arc lengths [m], shape (k, 4, 4).

        Args:
            at: Arc lengths, shape (k,), [m].
            q: Strains, shape (nq,); None: unloaded.
            angle: Turn of the whole blade [rad]; positive turns the toe down.
        """
        return turned(angle) @ self.clamp @ section_poses(self.rod, at, q)

    def sole_points(self, q: ArrayLike | None = None, angle: float = 0.0) -> FloatArray:
        """Return the points of the sole in blade axes, shape (k, 3), [m]; arguments as in `poses`."""
        H = self.poses(self.sole[:, 0], q, angle)
        return H[:, :3, 3] + np.einsum("kij,kj->ki", H[:, :3, :3], self.sole[:, 1:])

    def lowest(self, q: ArrayLike | None = None, angle: float = 0.0) -> tuple[float, float]:
        """Return the arc length where the sole is lowest, and the height of the sole there [m].

        Between the rows of `sole` a parabola runs through three neighbours; it ends at the toe.
        """
        s, y = self.sole[:, 0], self.sole_points(q, angle)[:, 1]
        i = min(max(int(np.argmin(y)), 1), len(y) - 2)
        left, right = s[i - 1] - s[i], s[i + 1] - s[i]
        slope_left, slope_right = (y[i - 1] - y[i]) / left, (y[i + 1] - y[i]) / right
        bend = (slope_right - slope_left) / (right - left)
        slope = slope_left - bend * left
        step = (
            min(max(-slope / (2.0 * bend), left), right) if bend > 0.0 else (left if slope > 0.0 else right)
        )
        return float(s[i] + step), float(y[i] + step * (slope + bend * step))

    def sole_offset(self, at: float) -> FloatArray:
        """Return the offset of the sole in section axes at an arc length [m], shape (3,), [m]."""
        return np.array([np.interp(at, self.sole[:, 0], column) for column in self.sole[:, 1:].T])

    def initial_stiffness(self, angle: float = 0.0, at: float | None = None) -> float:
        """Return the stiffness for small loads against a flat, frictionless ground [N/m], by Castigliano's theorem.

        1/k = ∫ m(s)ᵀ K⁻¹ m(s) ds, m the wrench in section axes of a unit force upward at the lowest point of the sole,
        K⁻¹ restricted to the free strains. The integral runs along the continuous blade: a rod of n segments, whose
        strains are constant in each, is stiffer by a part that falls with 1/n².

        Args:
            angle: Turn of the blade [rad]; positive turns the toe down.
            at: Arc length of the force [m]; None: where the unloaded sole is lowest.
        """
        return blade_build.castigliano_stiffness(
            self, angle, self.lowest(angle=angle)[0] if at is None else at
        )

    # changes

    def stiffened(self, factor: float) -> Blade:
        """Return the blade with all stiffness, and damping with it, multiplied: another modulus, the same mass."""
        f = checks.number(factor, "factor of stiffness", lower=0.0)
        segments = tuple(
            dataclasses.replace(part, stiffness=f * part.stiffness, damping=f * part.damping)
            for part in self.rod.segments
        )
        material = {k: v * f if k in ("young", "shear") else v for k, v in self.material.items()}
        for key in ("young", "shear"):
            if key in material:
                blade_build.check_material(material[key], key, self.name)
        return dataclasses.replace(self, rod=Rod(segments, self.rod.quadrature), material=material)

    def thickened(self, factor: float) -> Blade:
        """Return the blade with its thickness multiplied everywhere and the same centreline.

        EIy grows with the third power, EIz, EA, GA and the mass with the first; GJ with the third as for a wide strip.
        """
        f = checks.number(factor, "factor of thickness", lower=1e-3)
        scale = np.array([f**1.5, f**1.5, f**0.5, f**0.5, f**0.5, f**0.5])
        segments = tuple(
            dataclasses.replace(
                part,
                density=blade_build.thicker(part.density, f),
                stiffness=part.stiffness * np.outer(scale, scale),
                damping=part.damping * np.outer(scale, scale),
            )
            for part in self.rod.segments
        )
        grown = (0.5 * (f - 1.0)) * np.interp(self.sole[:, 0], self._middles(), self.thickness)
        sole = self.sole.copy()
        sole[:, 3] += self._side() * grown
        contacts = {}
        for name, sphere in self.contacts.items():
            more = self._side() * np.interp(sphere.at or 0.0, self.sole[:, 0], grown)
            contacts[name] = dataclasses.replace(
                sphere, position=sphere.position + np.array([0.0, 0.0, more])
            )
        return dataclasses.replace(
            self,
            rod=Rod(segments, self.rod.quadrature),
            sole=sole,
            thickness=f * self.thickness,
            contacts=contacts,
        )

    def _middles(self) -> FloatArray:
        lengths = np.array([part.length for part in self.rod.segments])
        return np.cumsum(lengths) - 0.5 * lengths

    def _side(self) -> float:
        """Return the sign of section z on which the sole is."""
        return math.copysign(1.0, float(np.mean(self.sole[:, 3])))


def turned(angle: float) -> FloatArray:
    """Return the pose of blade axes turned toe-down by an angle [rad]: a rotation by -angle about z, shape (4, 4)."""
    c, s = math.cos(angle), math.sin(angle)
    return np.array([[c, s, 0.0, 0.0], [-s, c, 0.0, 0.0], [0.0, 0.0, 1.0, 0.0], [0.0, 0.0, 0.0, 1.0]])


__all__ = ["LONGEST", "MATERIAL_LIMITS", "MAX_LOAD", "MOUNTS", "Blade", "turned"]
