"""The plan of a set of paths: tables of points, wraps and surfaces, and how tension reaches the coordinates."""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from softstride.engine.kept import Kept
from softstride.engine.kernels import path_tables as p
from softstride.engine.kernels import tables as t
from softstride.engine.kernels.path_arms import Climbs
from softstride.engine.kernels.tables import IntArray, Places
from softstride.engine.manifold import layout
from softstride.engine.path_climbs import make_climbs
from softstride.engine.places import Place
from softstride.engine.plan import Plan, make_plan
from softstride.errors import ModelError
from softstride.model import Frame, Model, Point
from softstride.model.functions import Constant, Function
from softstride.model.path import (
    ConditionalPathPoint,
    MovingPathPoint,
    Path,
    PathPoint,
    WrapCylinder,
    WrapEllipsoid,
    WrapSphere,
    WrapSurface,
    WrapTorus,
)

RANGE_TOLERANCE = 1e-5
"""By how much a coordinate may be outside the range of a conditional point [rad] or [m], as in OpenSim."""

Paths = Mapping[str, Path]


@dataclass(frozen=True, eq=False)
class Term:
    """One component of a moving point that a coordinate moves."""

    path: int
    point: int
    frame: int  # pose of its link among the poses
    axis: int
    q: int  # column of its coordinate in q
    v: int  # and in v
    function: Function


@dataclass(frozen=True, eq=False)
class PathPlan:
    """Tables of the paths of one model."""

    names: tuple[str, ...]
    plan: Plan
    tables: p.PathTables
    climbs: Climbs
    links: tuple[str, ...]  # of each slot
    owners: tuple[int, ...]  # path of each slot
    wraps: tuple[tuple[str, str], ...]  # path and surface of each wrap
    terms: tuple[Term, ...]
    constants: tuple[
        tuple[int, int, NDArray[np.float64]], ...
    ]  # moving points: point, frame, constant part (3,)
    n_positions: int
    n_poses: int

    @cached_property
    def places(self) -> tuple[Places, Places, Places]:
        """Points and origins of links; surfaces and links of moving points; slots."""
        seats = self.plan.places
        edges = np.cumsum([0, self.n_positions, self.n_poses, len(self.links)])
        return tuple(  # type: ignore[return-value]
            Places(seats.stations[a:b].copy(), seats.offsets[12 * a : 12 * b].copy())
            for a, b in itertools.pairwise(edges)
        )

    def moved_by(self, path: int) -> set[int]:
        """Return the columns in v of the coordinates that may change the length of a path."""
        tree, climbs = self.plan.tree, self.climbs
        first, count = climbs.ranges[path, 2:4].tolist()
        found = {term.v for term in self.terms if term.path == path}
        for station in climbs.climbs[first : first + count, 0].tolist():
            node = tree.nodes[tree.stations[station, t.NODE]]
            found.update(climbs.columns[node[t.IV] : node[t.IV] + node[t.N]].tolist())
        return found

    @cached_property
    def most_loads(self) -> int:
        """Largest number of loads that climb for one path."""
        return int(self.climbs.ranges[:, 4].max(initial=0))

    @cached_property
    def most_vertices(self) -> int:
        """Largest number of vertices of a path."""
        paths = self.tables.paths
        return int((paths[:, p.POINTS] + 2 * paths[:, p.WRAPS]).max(initial=0)) + 2


class _Writer:
    """The tables as they grow."""

    def __init__(self, model: Model, paths: Paths) -> None:
        self.model = model
        self.columns = _columns(model)
        self.paths: list[list[int]] = []
        self.points: list[list[int]] = []
        self.ranges: list[tuple[float, float]] = []
        self.wraps: list[list[int]] = []
        self.wrap_names: list[tuple[str, str]] = []
        self.slots: list[str] = []
        self.owners: list[int] = []
        self.slot_ranges: list[tuple[int, int]] = []
        self.places: list[Place] = []
        self.surfaces = {name: i for i, name in enumerate(_surfaces(model, paths))}
        self.frames: dict[str, int] = {}  # links of moving points: their pose
        self.terms: list[Term] = []
        self.constants: list[tuple[int, int, NDArray[np.float64]]] = []
        for name, path in paths.items():
            self.add(name, path)

    def add(self, name: str, path: Path) -> None:
        """Write one path down."""
        wraps = [wrap for wrap in path.wraps if self.model.wraps[wrap.surface].active]
        links = dict.fromkeys([*path.links, *(self.model.wraps[wrap.surface].link for wrap in wraps)])
        slots = {link: len(self.slots) + i for i, link in enumerate(links)}
        self.slot_ranges.append((len(self.slots), len(slots)))
        self.slots += slots
        self.owners += [len(self.paths)] * len(slots)
        self.paths.append([len(self.points), len(path.points), len(self.wraps), len(wraps)])
        for point in path.points:
            self.points.append([slots[point.link], -1, len(self.terms), 0])
            self.ranges.append((-np.inf, np.inf))
            if isinstance(point, MovingPathPoint):
                self._add_moving(name, point)
                continue
            self.places.append(Point(point.link, point.position))
            if isinstance(point, ConditionalPathPoint):
                self.points[-1][p.CONDITION] = self._column(name, point, point.coordinate)[0]
                self.ranges[-1] = point.lower - RANGE_TOLERANCE, point.upper + RANGE_TOLERANCE
        last = len(path.points) - 1
        for wrap in wraps:
            first, end = 0 if wrap.first is None else wrap.first, last if wrap.last is None else wrap.last
            if not 0 <= first <= end <= last:
                raise ModelError(
                    f"path of {name!r}: it wraps around {wrap.surface!r} between points {first} and {end}, "
                    f"however its points are 0 to {last}."
                )
            seat = slots[self.model.wraps[wrap.surface].link]
            self.wraps.append([self.surfaces[wrap.surface], first, end, seat])
            self.wrap_names.append((name, wrap.surface))

    def _add_moving(self, name: str, point: MovingPathPoint) -> None:
        index = len(self.points) - 1
        frame = self.frames.setdefault(point.link, len(self.surfaces) + len(self.frames))
        constant = np.zeros(3)
        for axis, (coordinate, function) in enumerate((point.x, point.y, point.z)):
            if isinstance(function, Constant) or not coordinate:
                constant[axis] = float(function(0.0))
                continue
            q, v = self._column(name, point, coordinate)
            self.terms.append(Term(len(self.paths) - 1, index, frame, axis, q, v, function))
            self.points[-1][p.TERMS] += 1
        self.constants.append((index, frame, constant))
        self.places.append(Point(point.link))

    def _column(self, name: str, point: PathPoint | MovingPathPoint, coordinate: str) -> tuple[int, int]:
        if coordinate not in self.columns:
            raise ModelError(
                f"path of {name!r}: point {point.name!r} depends on {coordinate!r}, which is part of a rotation by "
                f"quaternion and has no value of its own; use a Custom joint there."
            )
        return self.columns[coordinate]


def _columns(model: Model) -> dict[str, tuple[int, int]]:
    """Return the columns in q and v of every coordinate that is a plain number."""
    plain = layout(model)
    names = model.coordinate_names
    return {
        names[v]: (int(q), int(v))
        for q, v in zip(plain.plain_q.tolist(), plain.plain_v.tolist(), strict=True)
    }


def _surfaces(model: Model, paths: Paths) -> list[str]:
    """Return the names of the surfaces in use, each once."""
    names = dict.fromkeys(wrap.surface for path in paths.values() for wrap in path.wraps)
    return [name for name in names if model.wraps[name].active]


def _sizes(surface: WrapSurface) -> tuple[int, tuple[float, float, float]]:
    """Return form and sizes of a surface as kernels read them."""
    if isinstance(surface, WrapCylinder):
        return p.CYLINDER, (surface.radius, 0.5 * surface.length, 0.0)
    if isinstance(surface, WrapSphere):
        return p.SPHERE, (surface.radius, 0.0, 0.0)
    if isinstance(surface, WrapEllipsoid):
        return p.ELLIPSOID, (surface.a, surface.b, surface.c)
    if isinstance(surface, WrapTorus):
        return p.TORUS, (surface.inner, surface.outer, 0.0)
    raise ModelError(
        f"a surface on {surface.link!r} is a {type(surface).__name__}, which no path can wrap around."
    )


def _half(quadrant: str) -> tuple[int, int]:
    """Return axis and sign of the half that paths may touch; sign 0: all."""
    if quadrant == "all":
        return 0, 0
    return "xyz".index(quadrant[-1]), -1 if quadrant[0] == "-" else 1


def make_path_plan(model: Model, paths: Paths) -> PathPlan:
    """Return a new plan of paths by name."""
    w = _Writer(model, paths)
    links = list(dict.fromkeys(w.slots))
    surfaces = [model.wraps[name] for name in w.surfaces]
    positions: list[Place] = [*w.places, *(Point(link) for link in links)]
    frames: list[Place] = [Frame(each.link, each.pose[:3, 3], each.pose[:3, :3]) for each in surfaces]
    frames += [Frame(link) for link in w.frames]
    plan = make_plan(model, [*positions, *frames, *(Frame(link) for link in w.slots)], weighed=False)
    forms = [_sizes(each) for each in surfaces]
    tables = p.PathTables(
        paths=_ints(w.paths, p.PATH_COLUMNS),
        points=_ints(w.points, p.POINT_COLUMNS),
        ranges=np.array(w.ranges, dtype=np.float64).reshape(-1, 2),
        wraps=_ints(w.wraps, p.WRAP_COLUMNS),
        surfaces=_ints(
            [[f, *_half(s.quadrant)] for (f, _), s in zip(forms, surfaces, strict=True)], p.SURFACE_COLUMNS
        ),
        sizes=np.array([sizes for _, sizes in forms], dtype=np.float64).reshape(-1, 3),
        origins=np.array([len(w.places) + links.index(link) for link in w.slots], dtype=np.int64),
    )
    stations = plan.places.stations[len(positions) + len(frames) :]
    return PathPlan(
        names=tuple(paths),
        plan=plan,
        tables=tables,
        climbs=make_climbs(plan, stations, w.slot_ranges),
        links=tuple(w.slots),
        owners=tuple(w.owners),
        wraps=tuple(w.wrap_names),
        terms=tuple(w.terms),
        constants=tuple(w.constants),
        n_positions=len(positions),
        n_poses=len(frames),
    )


def _ints(rows: Sequence[Sequence[int]], columns: int) -> IntArray:
    return np.array(rows, dtype=np.int64).reshape(-1, columns)


_plans: Kept[PathPlan] = Kept(64)


def path_plan(model: Model, paths: Paths) -> PathPlan:
    """Return the plan of paths of a model, made once for the same paths by the same names."""
    key = (*paths, *paths.values())
    return _plans.get(model, key) or _plans.put(model, key, make_path_plan(model, paths))
