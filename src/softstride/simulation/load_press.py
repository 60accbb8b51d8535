"""A blade pressed against the ground: one place of contact, found for every height of the ground.

The ground holds the sole where it is lowest. That place depends on how the blade bends, which depends on the place:
its arc length is the root of "how far beyond s is the sole lowest when the ground pushes at s", where every trial is
a static equilibrium with the sole held at the height of the ground (`equilibrium`). The ground is then raised until
it carries the load asked for.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike
from scipy.optimize import brentq

from softstride import engine
from softstride.errors import InputError, SimulationError
from softstride.model.blade import Blade, turned
from softstride.model.blade_shape import free_strains
from softstride.model.builder import ModelBuilder
from softstride.model.frame import Frame, Point
from softstride.model.model import Model
from softstride.model.rod import STRAINS, Rod
from softstride.simulation.constraints import PointConstraint
from softstride.simulation.equilibrium import equilibrium
from softstride.simulation.load_curve import BoolArray, FloatArray

Place = str | Frame | Point

TIGHT = 1e-6
"""Tolerance of the place of contact [m]."""

MATCH = 3e-5
"""Tolerance of the force, relative."""

MOST_SECANTS = 10
MOST_DOUBLINGS = 6
HALVINGS = 3

LEAST_PLACE = 0.02
"""A lowest point this near to the clamp, as a share of the length, leaves nothing that bends."""

LOOSE = 2e-3
"""A place of contact this far [m] from the lowest point is no solution: the blade touches in two places."""

SOFTENING = 2.5
"""A blade that gives this many times more per newton than between the loads before has left its branch."""

FIRST = 5.0
"""Likewise at the first load, against the compliance for small loads without friction."""

STRAY = 0.1
"""Likewise a place of contact that moves by this share of the length more than its trend allows."""

PLANAR = 1e-6
"""Largest twist and sideways bend [1/m] of a blade that counts as flat."""

NAMES = ("force", "deflection", "contact", "energy", "strain")


class Press:
    """One blade held at one angle; the ground is raised, and where it stands follows from the load asked for."""

    def __init__(self, blade: Blade, angle: float, contact: Literal["ground", "toe"] | float) -> None:
        self.blade, self.angle = blade, angle
        self.model, self.moving = _in_plane(blade, angle)
        self.fixed = _fixed_place(blade, contact)
        self.place = blade.lowest(angle=angle)[0] if self.fixed is None else self.fixed
        if self.place < LEAST_PLACE * blade.length:
            raise InputError(
                f"blade {blade.name!r} has no part below its clamp at {np.degrees(angle):g} degrees: its lowest point "
                f"is {self.place:.3g} m along it. Blade axes are x forward, y up; check the signs of its points."
            )
        self.q = np.zeros(blade.rod.nq)
        self.start = self.height(self.place, self.q)
        self.stiffness = blade.initial_stiffness(angle, self.place)  # slope of the curve here [N/m]
        self.compliance = 1.0 / self.stiffness
        self.trend = 0.0  # how the place of contact moves with the deflection
        self.deflection = self.force = 0.0

    def curve(self, loads: FloatArray, friction: float) -> dict[str, FloatArray]:
        """Return columns by name; friction is signed: positive against a toe that slides forward."""
        count = len(loads) + 1
        out: dict[str, FloatArray] = {name: np.full(count, np.nan) for name in NAMES}
        out["q"] = np.full((count, self.blade.rod.nq), np.nan)
        out["converged"] = np.zeros(count, dtype=bool)
        self._store(out, 0)
        for i, load in enumerate(loads, start=1):
            try:
                self._reach(float(load), -friction * float(load))
            except SimulationError:
                break
            self._store(out, i)
            if self._jumped(out, i):
                for name in (*NAMES, "q"):
                    out[name][i] = np.nan
                out["converged"][i] = False
                break
        nominal = np.concatenate([[0.0], loads])
        out["force"] = np.where(out["converged"], out["force"], nominal)
        return out

    def _jumped(self, out: dict[str, FloatArray], i: int) -> bool:
        """Whether the state at load i is on another branch than those before: the blade gave way between them.

        Along a branch the deflection rises with the load, by no more than `SOFTENING` times as much per newton as
        before (at first: as initially, without friction), and the place of contact moves little by little.
        """
        force, d, place = out["force"], out["deflection"], out["contact"]
        step = force[i] - force[i - 1]
        gives = (d[i] - d[i - 1]) / step
        moves = abs(place[i] - place[i - 1])
        if i == 1:
            usual, trend = FIRST / SOFTENING * self.compliance, np.inf
        else:
            before = force[i - 1] - force[i - 2]
            usual = (d[i - 1] - d[i - 2]) / before
            trend = abs(place[i - 1] - place[i - 2]) / before * step
        return bool(
            gives <= 0.0 or gives > SOFTENING * usual or moves > 3.0 * trend + STRAY * self.blade.length
        )

    def height(self, at: float, q: FloatArray) -> float:
        """Return the height of the sole at an arc length, clamp at zero [m]."""
        H = self.blade.poses([at], q, self.angle)[0]
        return float(H[1, 3] + H[1, :3] @ self.blade.sole_offset(at))

    def _store(self, out: dict[str, FloatArray], i: int) -> None:
        bent = np.abs(free_strains(self.blade.rod, self.q))
        strain = 0.5 * (bent[:, 1] * self.blade.thickness + bent[:, 2] * self.blade.width) + bent[:, 3]
        energy = float(engine.elastic_energy(self.model, self.q[self.moving]))
        values = (self.force, self.deflection, self.place, energy, float(strain.max()))
        for name, value in zip(NAMES, values, strict=True):
            out[name][i] = value
        out["q"][i] = self.q
        out["converged"][i] = True

    def _reach(self, load: float, drag: float) -> None:
        """Raise the ground until it carries a load [N] while a horizontal force `drag` [N] acts: secants."""
        known = self.deflection, self.force
        step = (load - self.force) / self.stiffness
        for _ in range(MOST_SECANTS):
            for part in range(HALVINGS):
                try:
                    place, q, force = self._raised(known[0] + step, drag)
                    break
                except SimulationError:
                    if part == HALVINGS - 1:
                        raise
                    step *= 0.5
            slope = (force - known[1]) / step
            if slope <= 0.0:
                raise SimulationError(f"the blade gives way at {force:.0f} N.")
            self.trend = (place - self.place) / (known[0] + step - self.deflection or 1.0)
            known = known[0] + step, force
            self.deflection, self.force, self.place, self.q, self.stiffness = *known, place, q, slope
            step = (load - force) / slope
            if abs(load - force) <= MATCH * load:
                return
        raise SimulationError(f"no ground height gives {load:.0f} N.")

    def _raised(self, deflection: float, drag: float) -> tuple[float, FloatArray, float]:
        """Return place of contact, strains and force with the ground raised by a deflection [m]."""
        known: dict[float, tuple[FloatArray, float]] = {}

        def ahead(s: float) -> float:
            """Return how far beyond s the sole is lowest when the ground pushes at s."""
            start = known[min(known, key=lambda other: abs(other - s))][0] if known else self.q
            known[s] = self._equilibrium(deflection, drag, s, start)
            return self.blade.lowest(known[s][0], self.angle)[0] - s

        if self.fixed is not None:
            ahead(self.fixed)
            return self.fixed, *known[self.fixed]
        place = self._search(ahead, self.place + self.trend * (deflection - self.deflection))
        if abs(self.blade.lowest(known[place][0], self.angle)[0] - place) > LOOSE:
            raise SimulationError(f"the blade touches the ground in two places at {1e3 * deflection:.0f} mm.")
        return place, *known[place]

    def _search(self, ahead: Callable[[float], float], here: float) -> float:
        """Return the root of `ahead`: by secants from a guess, or else by Brent's method."""
        tip = self.blade.length
        here = min(max(here, 0.0), tip)
        gap, slope = ahead(here), -1.0
        for _ in range(MOST_SECANTS):
            there = min(max(here - gap / slope, 0.0), tip)
            if abs(gap) <= TIGHT or there == here:
                return here
            new = ahead(there)
            slope = min((new - gap) / (there - here), -0.3)
            here, gap = there, new
        low, high, step = here, here, 0.01 * tip
        while low > 0.0 and ahead(low) < 0.0:
            low, step = max(low - step, 0.0), 2.0 * step
        while high < tip and ahead(high) > 0.0:
            high, step = min(high + step, tip), 2.0 * step
        if low == high:
            return low
        root = float(brentq(ahead, low, high, xtol=TIGHT))
        ahead(root)
        return root

    def _equilibrium(
        self, deflection: float, drag: float, s: float, q: FloatArray
    ) -> tuple[FloatArray, float]:
        """Return strains and force of the ground, which holds the sole at an arc length at its height."""
        point = Point("blade", self.blade.sole_offset(s), at=s)
        ground = PointConstraint(point, (0.0, self.start + deflection, 0.0), ((0.0, 1.0, 0.0),))
        push: dict[Place, ArrayLike] | None = {point: (0.0, 0.0, 0.0, drag, 0.0, 0.0)} if drag else None
        found = equilibrium(self.model, q[self.moving], push, (ground,))
        if not found.stable:
            raise SimulationError(f"the blade gives way at a deflection of {1e3 * deflection:.0f} mm.")
        strains = np.zeros_like(q)
        strains[self.moving] = found.q
        return strains, float(found.multipliers[0])


def carried(blade: Blade, angle: float, contact: Literal["ground", "toe"] | float, friction: float) -> float:
    """Return about how much a blade carries at an angle [rad] before it gives way [N].

    Loads rise in steps of 2 % of the force that would press the blade by its length if it stayed as stiff as at first,
    then of twice as much, and so on, until one is not carried.
    """
    most = 0.0
    for doubling in range(MOST_DOUBLINGS):
        press = Press(blade, angle, contact)
        run = press.curve(np.linspace(0.0, 2.0**doubling * press.stiffness * blade.length, 51)[1:], friction)
        most = float(np.max(run["force"][run["converged"]]))
        if not run["converged"].all():
            break
    return most


def held_blade(blade: Blade, angle: float = 0.0) -> Model:
    """Return a model of the blade alone, its clamp fixed in the world at an angle [rad], without gravity."""
    builder = ModelBuilder(f"blade {blade.name}", gravity=(0.0, 0.0, 0.0))
    T = turned(angle) @ blade.clamp
    builder.rod("blade", rod=blade.rod, position=T[:3, 3], rotation=T[:3, :3])
    return builder.build()


def _in_plane(blade: Blade, angle: float) -> tuple[Model, BoolArray]:
    """Return the blade held at an angle, and which of its strains move there.

    A blade without twist bends in its plane only: the ground, level across its width, keeps it from tipping over.
    """
    twist = max(float(np.max(np.abs(part.reference[[0, 2, 4]]))) for part in blade.rod.segments)
    kept = STRAINS if twist > PLANAR else ("ky", "ex", "ez")
    moving = np.array([name in kept for part in blade.rod.segments for name in part.free])
    if not moving.any():
        raise InputError(f"blade {blade.name!r} cannot bend: free its strain 'ky'.")
    segments = tuple(
        dataclasses.replace(part, free=tuple(name for name in part.free if name in kept))
        for part in blade.rod.segments
    )
    planar = dataclasses.replace(blade, rod=Rod(segments, blade.rod.quadrature))
    return held_blade(planar, angle), moving


def _fixed_place(blade: Blade, contact: Literal["ground", "toe"] | float) -> float | None:
    if contact == "ground":
        return None
    if contact == "toe":
        return blade.length
    if isinstance(contact, str) or not 0.0 < float(contact) <= blade.length:
        raise InputError(
            f"contact must be 'ground', 'toe' or an arc length up to {blade.length:.3g} m, however it is {contact!r}."
        )
    return float(contact)
