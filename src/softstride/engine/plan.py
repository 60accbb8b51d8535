"""From a Model to the flat tables that kernels walk.

Fixed links melt into the station that carries them, axes of hinges and sliders are turned to z, offsets move into
what hangs behind them, and links that share custom coordinates become stations of one node. A plan is made once for a
model and a set of places looked at, and kept as long as the model lives.
"""

from __future__ import annotations

import threading
import weakref
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from softstride.engine.kernels import tables as t
from softstride.engine.kernels.sweep import COLUMN_ROWS, STATION_ROWS
from softstride.engine.lanes import LANES
from softstride.engine.places import Place, PlaceLike, resolve
from softstride.errors import InputError
from softstride.model import Custom, Fixed, Frame, Free, Link, Model, Prismatic, Revolute, Rod, Spherical
from softstride.model.inertia import Inertia

Array = NDArray[np.float64]
WORLD = "world"


@dataclass(frozen=True, eq=False)
class Plan:
    """Tables of one model, and of the places at which results are wanted."""

    nodes: NDArray[np.int64]  # (n_nodes, NODE_COLUMNS)
    stations: NDArray[np.int64]  # (n_stations, STATION_COLUMNS)
    strains: NDArray[np.int64]  # (nv,) which strain a velocity coordinate of a rod is
    terms: NDArray[np.int64]  # (n_terms, TERM_COLUMNS)
    constants: Array  # gravity (3), then placements and inertias
    pieces: Array  # piecewise polynomials of custom joints
    kinds: tuple[type[Place], ...]  # whether each place is a point or a frame
    places: NDArray[np.int64]  # (n_places,) station of each place
    offsets: Array  # (12 n_places,) pose of each place in its station
    q_order: NDArray[np.intp] | None  # columns of q in node order, if that is not the model's order
    v_order: NDArray[np.intp] | None
    nq: int
    nv: int
    n_columns: int  # twist columns of all stations
    extra_rows: int  # scratch beyond the station records
    partial_rows: int  # scratch for derivatives of twist columns

    @cached_property
    def tables(self) -> tuple[NDArray[Any], ...]:
        """The arguments that every kernel begins with."""
        return self.sizes, self.nodes, self.stations, self.strains, self.terms, self.constants, self.pieces

    @cached_property
    def weightless(self) -> tuple[NDArray[Any], ...]:
        """The same tables without gravity."""
        constants = self.constants.copy()
        constants[:3] = 0.0
        return (*self.tables[:5], constants, self.pieces)

    @property
    def sweep_rows(self) -> int:
        """Scratch rows of the forward sweep."""
        return len(self.stations) * STATION_ROWS + COLUMN_ROWS * self.n_columns + self.extra_rows

    def q_in(self, q: Array) -> Array:
        """Return positions in node order."""
        return q if self.q_order is None else np.ascontiguousarray(q[:, self.q_order])

    def v_in(self, v: Array) -> Array:
        """Return velocities (or forces) in node order."""
        return v if self.v_order is None else np.ascontiguousarray(v[:, self.v_order])

    def v_out(self, x: Array, axes: int = 1) -> Array:
        """Bring a result back to the model's order along its last axis or axes, in place."""
        if self.v_order is not None:
            back = np.argsort(self.v_order)
            x[...] = x[..., back] if axes == 1 else x[..., back[:, None], back]
        return x

    @cached_property
    def sizes(self) -> NDArray[np.int64]:
        """Columns of all stations, extra scratch rows, velocity coordinates, rows of partial derivatives."""
        return np.array([self.n_columns, self.extra_rows, self.nv, self.partial_rows], dtype=np.int64)

    @cached_property
    def rest(self) -> Array:
        """LANES frames of zero velocity."""
        return np.zeros((LANES, max(self.nv, 1)))

    def path(self, station: int) -> NDArray[np.int64]:
        """Return the coordinates that move a station."""
        found: list[int] = []
        while station:
            node = self.nodes[self.stations[station, t.NODE]]
            found.extend(range(node[t.IV], node[t.IV] + node[t.N]))
            station = node[t.PARENT]
        return np.array(found, dtype=np.int64)

    @cached_property
    def related(self) -> NDArray[np.int64]:
        """Where a matrix over pairs of coordinates may differ from zero: bits, shape (nv, ceil(nv / LANES))."""
        support = np.zeros((self.nv, self.nv), dtype=np.int64)
        for node in self.nodes:
            mine = slice(node[t.IV], node[t.IV] + node[t.N])
            above = self.path(node[t.FIRST])
            support[mine, above] = support[above, mine] = 1
        return _bits(support)

    def supports(self, rows: int) -> NDArray[np.int64]:
        """Where the Jacobians of the places may differ from zero: bits, shape (n_places rows, ceil(nv / LANES))."""
        support = np.zeros((len(self.places), self.nv), dtype=np.int64)
        for i, station in enumerate(self.places):
            support[i, self.path(station)] = 1
        return np.ascontiguousarray(np.repeat(_bits(support), rows, axis=0))


def _bits(support: NDArray[np.int64]) -> NDArray[np.int64]:
    """Pack zeros and ones along the last axis, LANES in a number."""
    n, width = support.shape
    padded = np.zeros((n, -(-width // LANES) * LANES), dtype=np.int64)
    padded[:, :width] = support
    return np.ascontiguousarray(padded.reshape(n, -1, LANES) @ (1 << np.arange(LANES)))


@dataclass
class _Builder:
    model: Model
    nodes: list[list[int]] = field(default_factory=list)
    stations: list[list[int]] = field(default_factory=list)
    strains: list[int] = field(default_factory=list)
    terms: list[list[int]] = field(default_factory=list)
    constants: list[float] = field(default_factory=list)
    pieces: list[float] = field(default_factory=list)
    inertias: list[Inertia] = field(default_factory=list)
    forms: list[int] = field(default_factory=list)
    where: dict[str, tuple[int, Array]] = field(
        default_factory=dict
    )  # link -> station, pose of the link in it
    on_rod: dict[tuple[str, int, float], int] = field(default_factory=dict)  # (rod, segment, s) -> station
    q_order: list[int] = field(default_factory=list)
    v_order: list[int] = field(default_factory=list)
    columns: int = 0
    extra: int = 0
    partials: int = 0

    def add_constants(self, values: Any) -> int:
        first = len(self.constants)
        self.constants.extend(float(x) for x in np.ravel(values))
        return first

    def add_pose(self, T: Array) -> int:
        return self.add_constants(np.concatenate([T[:3, :3].ravel(), T[:3, 3]]))

    def add_node(
        self, kind: int, parent: int, q: Sequence[int], v: Sequence[int], real: int, flag: int = 0
    ) -> int:
        first = len(self.stations)
        row = [kind, parent, len(self.q_order), len(self.v_order), len(v), first, 0, real, self.extra, flag]
        self.nodes.append(row)
        self.q_order.extend(q)
        self.v_order.extend(v)
        return len(self.nodes) - 1

    def add_station(
        self, node: int, base: int, place: int = 0, inertia: Inertia | None = None, live: bool = True
    ) -> int:
        row = [0] * t.STATION_COLUMNS
        row[t.NODE], row[t.BASE], row[t.PLACE], row[t.LIVE], row[t.COLUMN] = (
            node,
            base,
            place,
            int(live),
            self.columns,
        )
        if node >= 0:
            self.nodes[node][t.COUNT] += 1
            n = self.nodes[node][t.N]
            self.columns += n
            if self.nodes[node][t.KIND] in (t.CUSTOM, t.SOFT):
                row[t.PARTIAL] = self.partials
                self.partials += 6 * n * n
        self.stations.append(row)
        self.inertias.append(inertia or Inertia())
        return len(self.stations) - 1

    def carry(self, link: Link) -> tuple[int, Array]:
        """Return the station under a link and the pose of its joint frame in it."""
        if link.parent == WORLD:
            return 0, np.asarray(link.placement)
        parent = self.model.link(link.parent)
        if link.at is not None and isinstance(parent.joint, Rod):
            segment, s = parent.joint.locate(link.at)
            return self.on_rod[parent.name, segment, s], np.asarray(link.placement)
        station, pose = self.where[link.parent]
        return station, pose @ link.placement

    def weigh(self, link: Link) -> None:
        """Add a link's inertia to its station."""
        station, pose = self.where[link.name]
        if station and (link.inertia.mass > 0 or np.any(link.inertia.matrix)):
            self.inertias[station] = self.inertias[station] + link.inertia.shifted(pose)

    def finish_inertias(self) -> None:
        for row, inertia in zip(self.stations, self.inertias, strict=True):
            m, c = inertia.mass, inertia.com
            about_origin = inertia.matrix + m * ((c @ c) * np.eye(3) - np.outer(c, c))
            diagonal = not np.any(c) and not np.any(about_origin - np.diag(np.diag(about_origin)))
            row[t.INERTIA] = self.add_constants(
                np.concatenate([[m], m * c, about_origin[np.triu_indices(3)]])
            )
            row[t.FORM] = 0 if m == 0 and not np.any(about_origin) else 2 if diagonal else 1


def _turn_to_z(axis: Array) -> Array:
    """Return a rotation (as a pose) that takes z to a unit axis."""
    T = np.eye(4)
    k = int(np.argmin(np.abs(axis)))
    x = np.cross(np.eye(3)[k], axis)
    x /= np.linalg.norm(x)
    T[:3, :3] = np.stack([x, np.cross(axis, x), axis], axis=1)
    return np.eye(4) if np.allclose(axis, [0.0, 0.0, 1.0], atol=0.0, rtol=0.0) else T


def _add_rigid(b: _Builder, link: Link) -> None:
    joint = link.joint
    parent, pose = b.carry(link)
    turn = np.eye(4)
    if isinstance(joint, Revolute | Prismatic):
        turn = _turn_to_z(np.asarray(joint.axis))
        kind = t.REVOLUTE if isinstance(joint, Revolute) else t.PRISMATIC
    else:
        kind = t.SPHERICAL if isinstance(joint, Spherical) else t.FREE
    pose = pose @ turn
    aligned = bool(np.array_equal(pose[:3, :3], np.eye(3)))
    real = b.add_pose(pose)
    node = b.add_node(
        kind, parent, b.model.q_indices(link.name), b.model.v_indices(link.name), real, int(aligned)
    )
    b.where[link.name] = b.add_station(node, parent, real), turn.T @ link.offset


def _add_rod(b: _Builder, link: Link, wanted: dict[str, set[float]]) -> None:
    rod = link.joint
    assert isinstance(rod, Rod)
    station, pose = b.carry(link)
    q, v = list(b.model.q_indices(link.name)), list(b.model.v_indices(link.name))
    points, weights = np.polynomial.legendre.leggauss(rod.quadrature)
    marks = [rod.locate(at) for at in sorted(wanted.get(link.name, ()))]
    for index, segment in enumerate(rod.segments):
        n, L = len(segment.free), segment.length
        real = b.add_pose(pose)
        b.add_constants(segment.reference)
        angular = segment.free == ("kx", "ky", "kz")
        node = b.add_node(t.SOFT, station, q[:n], v[:n], real, int(angular))
        del q[:n], v[:n]
        b.strains.extend(segment.free_indices)
        b.extra += t.SOFT_ROWS
        for x, w in zip(points, weights, strict=True):
            d = segment.density
            inertia = Inertia(0.5 * w * L * d.mass, d.com, 0.5 * w * L * d.matrix, d.physical)
            b.add_station(node, station, b.add_constants(0.5 * L * (1.0 + x)), inertia, live=False)
        for s in sorted({s for i, s in marks if i == index and s < L}):
            b.on_rod[link.name, index, s] = b.add_station(node, station, b.add_constants(s))
        tip = b.add_station(node, station, b.add_constants(L))
        b.on_rod[link.name, index, L] = tip
        station, pose = tip, np.eye(4)
    b.where[link.name] = station, np.asarray(link.offset)


def _add_group(b: _Builder, links: Sequence[Link], names: Sequence[str]) -> None:
    """Add custom links that share coordinates as stations of one node."""
    parent, _ = b.carry(links[0])
    first = b.model.coordinates
    order = {name: i for i, name in enumerate(first)}
    v = [order[name] for name in names]
    q = [_q_index(b.model, links, name) for name in names]
    node = b.add_node(t.CUSTOM, parent, q, v, 0)
    n = len(names)
    b.extra += n  # sums of torques
    for link in links:
        joint = link.joint
        assert isinstance(joint, Custom)
        base, pose = b.carry(link)
        place = b.add_pose(pose)
        axes = (*joint.rotations, *joint.translations)
        b.add_constants(np.stack([axis.direction for axis in axes]))
        station = b.add_station(node, base, place)
        row = b.stations[station]
        row[t.TERM], row[t.RECORD] = len(b.terms), b.extra
        b.extra += t.custom_rows(n)
        for i, axis in enumerate(axes):
            for name, function in axis.terms:
                p = function.pieces()
                degree = p.coefficients.shape[1] - 1
                b.terms.append([i, names.index(name) if name else -1, len(b.pieces), len(p.origins), degree])
                b.pieces.extend(p.breaks.tolist())
                b.pieces.extend(np.column_stack([p.origins, p.coefficients]).ravel().tolist())
        row[t.TERMS] = len(b.terms) - row[t.TERM]
        b.where[link.name] = station, np.asarray(link.offset)


def _q_index(model: Model, links: Sequence[Link], name: str) -> int:
    for link in links:
        if name in link.coordinate_names:
            return model.q_indices(link.name)[link.coordinate_names.index(name)]
    raise AssertionError  # the group was collected from these links


def _still_pose(link: Link) -> Array:
    """Return the constant pose of a custom joint without coordinates."""
    T = np.eye(4)
    joint = link.joint
    assert isinstance(joint, Custom)
    values = [sum(float(f(0.0)) for _, f in axis.terms) for axis in (*joint.rotations, *joint.translations)]
    for axis, angle in zip(joint.rotations, values[:3], strict=True):
        x, y, z = axis.direction
        K = np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])
        T[:3, :3] = T[:3, :3] @ (np.eye(3) + np.sin(angle) * K + (1.0 - np.cos(angle)) * K @ K)
    T[:3, 3] = sum(x * axis.direction for axis, x in zip(joint.translations, values[3:], strict=True))
    return T


def _groups(model: Model) -> dict[str, tuple[list[Link], list[str]]]:
    """Return, for the first link of each group of custom links, its members and their coordinates in v order."""
    owner: dict[str, str] = {}  # coordinate -> first link of its group
    groups: dict[str, tuple[list[Link], list[str]]] = {}
    for link in model.links:
        if not isinstance(link.joint, Custom) or link.joint.nv == 0:
            continue
        heads = list(dict.fromkeys(owner[c] for c in link.coordinate_names if c in owner))
        head = heads[0] if heads else link.name
        members, names = groups.setdefault(head, ([], []))
        members.append(link)
        for other in heads[1:]:  # this link ties two groups together
            more, also = groups.pop(other)
            members[:0] = more
            names.extend(also)
        names.extend(c for c in link.coordinate_names if c not in names)
        owner.update(dict.fromkeys(names, head))
    order = {name: i for i, name in enumerate(link.name for link in model.links)}
    result = {}
    for members, names in groups.values():
        members.sort(key=lambda link: order[link.name])
        result[members[0].name] = (members, sorted(names, key=list(model.coordinates).index))
    return result


def build(model: Model, places: Sequence[Place] = ()) -> Plan:
    """Return the tables of a model; stations are added where a place lies within a rod segment."""
    b = _Builder(model)
    b.add_constants(model.gravity)
    b.add_station(-1, 0)
    wanted: dict[str, set[float]] = {}
    for item in (*model.links, *places):
        rod = item.parent if isinstance(item, Link) else item.link
        if item.at is not None:
            wanted.setdefault(rod, set()).add(float(item.at))
    groups = _groups(model)
    grouped = {link.name for members, _ in groups.values() for link in members}
    for link in model.links:
        joint = link.joint
        if isinstance(joint, Rod):
            _add_rod(b, link, wanted)
        elif link.name in groups:
            _add_group(b, *groups[link.name])
        elif isinstance(joint, Fixed | Custom) and link.name not in grouped:
            station, pose = b.carry(link)
            still = _still_pose(link) if isinstance(joint, Custom) else np.eye(4)
            b.where[link.name] = station, pose @ still @ link.offset
        elif isinstance(joint, Revolute | Prismatic | Spherical | Free):
            _add_rigid(b, link)
        if not isinstance(joint, Rod):
            b.strains.extend([0] * (len(b.v_order) - len(b.strains)))
        b.weigh(link)
    b.finish_inertias()
    seats, offsets = _seat(b, places)
    return Plan(
        nodes=np.array(b.nodes, dtype=np.int64).reshape(-1, t.NODE_COLUMNS),
        stations=np.array(b.stations, dtype=np.int64),
        strains=np.array([*b.strains, 0], dtype=np.int64),
        terms=np.array(b.terms, dtype=np.int64).reshape(-1, t.TERM_COLUMNS),
        constants=np.array(b.constants),
        pieces=np.array([*b.pieces, 0.0]),
        kinds=tuple(type(place) for place in places),
        places=seats,
        offsets=offsets,
        q_order=None if b.q_order == list(range(model.nq)) else np.array(b.q_order, dtype=np.intp),
        v_order=None if b.v_order == list(range(model.nv)) else np.array(b.v_order, dtype=np.intp),
        nq=model.nq,
        nv=model.nv,
        n_columns=b.columns,
        extra_rows=b.extra,
        partial_rows=b.partials,
    )


def _seat(b: _Builder, places: Sequence[Place]) -> tuple[NDArray[np.int64], Array]:
    """Return the station of each place and its pose there."""
    seats = np.zeros(len(places), dtype=np.int64)
    offsets = np.zeros((len(places), 12))
    for i, place in enumerate(places):
        station, pose = 0, np.eye(4)
        if place.link != WORLD:
            link = b.model.link(place.link)
            if place.at is not None:
                if not isinstance(link.joint, Rod) or place.at > link.joint.length * (1 + 1e-12):
                    raise InputError(
                        f"no point at arc length {place.at:g} m on link {place.link!r}: not on a rod there"
                    )
                segment, s = link.joint.locate(place.at)
                station = b.on_rod[place.link, segment, s]
            else:
                station, pose = b.where[place.link]
        here = np.eye(4)
        here[:3, 3] = place.position
        if isinstance(place, Frame):
            here[:3, :3] = place.rotation
        pose = pose @ here
        seats[i] = station
        offsets[i] = np.concatenate([pose[:3, :3].ravel(), pose[:3, 3]])
    return seats, offsets.ravel()


_plans: weakref.WeakKeyDictionary[Model, dict[tuple[PlaceLike, ...], Plan]] = weakref.WeakKeyDictionary()
_lock = threading.Lock()
_KEPT = 64  # plans of one model


def plan(model: Model, places: tuple[PlaceLike, ...] = ()) -> Plan:
    """Return the plan of a model and places, made once: a name or an object stands for the same place every time."""
    with _lock:
        known = _plans.setdefault(model, {})
        found = known.get(places)
    if found is None:
        found = build(model, [resolve(model, place) for place in places])
        with _lock:
            if len(known) >= _KEPT:
                known.clear()
            known[places] = found
    return found
