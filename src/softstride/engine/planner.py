"""Writing a model down as the flat tables that kernels walk.

Fixed links melt into the station that carries them, axes of hinges and sliders are turned to z, offsets move into
what hangs behind them, and links that share custom coordinates become stations of one node.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from softstride.engine.chains import add_chain, chain_of, turn_to_z, use_columns
from softstride.engine.kernels import tables as t
from softstride.engine.kernels.tables import Array, Places, Tree
from softstride.engine.lanes import LANES
from softstride.engine.places import WORLD, Place
from softstride.errors import InputError
from softstride.model import Custom, Fixed, Frame, Free, Link, Model, Prismatic, Revolute, Rod, Spherical
from softstride.model.inertia import Inertia


@dataclass
class Planner:
    """The tables as they grow."""

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
    rods: dict[str, int] = field(default_factory=dict)  # rod -> node of its first segment
    cuts: tuple[str, ...] = ()  # links whose joints are cut
    q_order: list[int] = field(default_factory=list)
    v_order: list[int] = field(default_factory=list)
    columns: int = 0
    extra: int = 0
    partials: int = 0

    def add_constants(self, values: Any) -> int:
        """Append numbers to the constants and return where they stand."""
        first = len(self.constants)
        self.constants.extend(float(x) for x in np.ravel(values))
        return first

    def add_pose(self, T: Array) -> int:
        """Append rotation and position of a pose."""
        return self.add_constants(np.concatenate([T[:3, :3].ravel(), T[:3, 3]]))

    def add_node(
        self, kind: int, parent: int, q: Sequence[int], v: Sequence[int], real: int, flag: int = 0
    ) -> int:
        """Append a node that owns these columns of q and v; its stations follow."""
        first = len(self.stations)
        row = [kind, parent, len(self.q_order), len(self.v_order), len(v), first, 0, real, self.extra, flag]
        self.nodes.append(row)
        self.q_order.extend(q)
        self.v_order.extend(v)
        return len(self.nodes) - 1

    def add_station(
        self, node: int, base: int, place: int = 0, inertia: Inertia | None = None, live: bool = True
    ) -> int:
        """Append a station to the last node (-1: the world)."""
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
        """Write the inertias down: mass, first moment, matrix about the station's origin.

        What no coordinate moves (a rod without free strains on the world) counts as world and weighs nothing, unless
        joints are cut: they carry it.
        """
        moves = [False]
        for row, inertia in zip(self.stations, self.inertias, strict=True):
            if row[t.NODE] >= 0:
                moves.append(bool(self.cuts) or self.nodes[row[t.NODE]][t.N] > 0 or moves[row[t.BASE]])
            m, c = (inertia.mass, inertia.com) if moves[-1] else (0.0, np.zeros(3))
            about_origin = inertia.matrix * moves[-1] + m * ((c @ c) * np.eye(3) - np.outer(c, c))
            diagonal = not np.any(c) and not np.any(about_origin - np.diag(np.diag(about_origin)))
            row[t.INERTIA] = self.add_constants(
                np.concatenate([[m], m * c, about_origin[np.triu_indices(3)]])
            )
            row[t.FORM] = 0 if m == 0 and not np.any(about_origin) else 2 if diagonal else 1


def _add_rigid(b: Planner, link: Link) -> None:
    joint = link.joint
    parent, pose = b.carry(link)
    turn = np.eye(4)
    if isinstance(joint, Revolute | Prismatic):
        turn = turn_to_z(np.asarray(joint.axis))
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


def _add_rod(b: Planner, link: Link, wanted: dict[str, set[float]], weighed: bool) -> None:
    rod: Any = link.joint
    station, pose = b.carry(link)
    q, v = list(b.model.q_indices(link.name)), list(b.model.v_indices(link.name))
    points, weights = np.polynomial.legendre.leggauss(rod.quadrature)
    marks = [rod.locate(at) for at in sorted(wanted.get(link.name, ()))]
    b.rods[link.name] = len(b.nodes)
    for index, segment in enumerate(rod.segments):
        n, L = len(segment.free), segment.length
        real = b.add_pose(pose)
        b.add_constants(segment.reference)
        angular = segment.free == ("kx", "ky", "kz")
        node = b.add_node(t.SOFT, station, q[:n], v[:n], real, int(angular))
        del q[:n], v[:n]
        b.strains.extend(segment.free_indices)
        b.extra += t.SOFT_ROWS
        for x, w in zip(points, weights, strict=True) if weighed else ():
            d = segment.density
            inertia = Inertia(0.5 * w * L * d.mass, d.com, 0.5 * w * L * d.matrix, d.physical)
            b.add_station(node, station, b.add_constants(0.5 * L * (1.0 + x)), inertia, live=False)
        for s in sorted({s for i, s in marks if i == index and s < L}):
            b.on_rod[link.name, index, s] = b.add_station(node, station, b.add_constants(s))
        tip = b.add_station(node, station, b.add_constants(L))
        b.on_rod[link.name, index, L] = tip
        station, pose = tip, np.eye(4)
    b.where[link.name] = station, np.asarray(link.offset)


def _add_group(b: Planner, links: Sequence[Link], names: Sequence[str]) -> None:
    """Add custom links that share coordinates as stations of one node."""
    parent, _ = b.carry(links[0])
    where = {
        name: indices
        for link in links
        for name, *indices in zip(
            link.coordinate_names, b.model.q_indices(link.name), b.model.v_indices(link.name), strict=True
        )
    }
    q, v = zip(*(where[name] for name in names), strict=True)
    node = b.add_node(t.CUSTOM, parent, q, v, 0)
    n = len(names)
    b.extra += n  # sums of torques
    for link in links:
        joint: Any = link.joint
        base, pose = b.carry(link)
        place = b.add_pose(pose)
        axes = (*joint.rotations, *joint.translations)
        b.add_constants(np.stack([axis.direction for axis in axes]))
        station = b.add_station(node, base, place)
        row = b.stations[station]
        row[t.TERM], row[t.RECORD] = len(b.terms), b.extra
        for i, axis in enumerate(axes):
            for name, function in axis.terms:
                p = function.pieces()
                degree = p.coefficients.shape[1] - 1
                b.terms.append([i, names.index(name) if name else -1, len(b.pieces), len(p.origins), degree])
                b.pieces.extend(p.breaks.tolist())
                b.pieces.extend(np.column_stack([p.origins, p.coefficients]).ravel().tolist())
        row[t.TERMS] = len(b.terms) - row[t.TERM]
        b.extra += t.custom_rows(n, max((term[t.DEGREE] for term in b.terms[row[t.TERM] :]), default=0))
        b.where[link.name] = station, np.asarray(link.offset)


def _still_pose(link: Link) -> Array:
    """Return the constant pose of a custom joint without coordinates."""
    T = np.eye(4)
    joint: Any = link.joint
    values = [sum(float(f(0.0)) for _, f in axis.terms) for axis in (*joint.rotations, *joint.translations)]
    for axis, angle in zip(joint.rotations, values[:3], strict=True):
        x, y, z = axis.direction
        K = np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])
        T[:3, :3] = T[:3, :3] @ (np.eye(3) + np.sin(angle) * K + (1.0 - np.cos(angle)) * K @ K)
    T[:3, 3] = sum(x * axis.direction for axis, x in zip(joint.translations, values[3:], strict=True))
    return T


def _groups(model: Model) -> dict[str, tuple[list[Link], list[str]]]:
    """Return members and coordinates (in v order) of each group of custom links, under its first member."""
    shared = [[model.link(name) for name in group] for group in model.groups]
    grouped = {link.name for members in shared for link in members}
    moving = (link for link in model.links if isinstance(link.joint, Custom) and link.joint.nv)
    alone = [[link] for link in moving if link.name not in grouped]
    order = {name: i for i, name in enumerate(model.coordinates)}
    result = {}
    for members in (*shared, *alone):
        names = {name for link in members for name in link.coordinate_names}
        result[members[0].name] = (members, sorted(names, key=order.__getitem__))
    return result


def _add_still(b: Planner, link: Link) -> None:
    """Let a link without coordinates melt into the station that carries it; one that is cut off has its own."""
    station, pose = b.carry(link)
    still = _still_pose(link) if isinstance(link.joint, Custom) else np.eye(4)
    if link.name in b.cuts:
        real = b.add_pose(pose)
        station, pose = b.add_station(b.add_node(t.FIXED, station, (), (), real), station, real), np.eye(4)
    b.where[link.name] = station, pose @ still @ link.offset


def write_down(
    model: Model,
    places: Sequence[Place] = (),
    weighed: bool = True,
    chained: bool = False,
    cuts: tuple[str, ...] = (),
) -> tuple[Planner, Tree, Places]:
    """Return the tables of a model and of places; stations are added where a place lies within a rod segment.

    Where nothing needs to be weighed, rods have no quadrature points. Where it is `chained`, custom joints become
    hinges and sliders if they can (see `chains`), and columns keep the model's order if they can. The joints of links
    that are `cuts` are kept apart: fixed ones do not melt, and behind the places stand those of the wrenches they give.
    """
    b = Planner(model, cuts=cuts)
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
            _add_rod(b, link, wanted, weighed)
        elif link.name in groups:
            members, names = groups[link.name]
            chain = chain_of(joint) if chained and len(members) == 1 and isinstance(joint, Custom) else None
            if chain is None:
                _add_group(b, members, names)
            else:
                add_chain(b, link, chain)
        elif isinstance(joint, Fixed | Custom) and link.name not in grouped:
            _add_still(b, link)
        elif isinstance(joint, Revolute | Prismatic | Spherical | Free):
            _add_rigid(b, link)
        b.strains.extend([0] * (len(b.v_order) - len(b.strains)))
        if weighed:
            b.weigh(link)
    b.finish_inertias()
    if chained:
        use_columns(b)
    seats = _seat(b, places)
    tree = Tree(
        nodes=np.array(b.nodes, dtype=np.int64).reshape(-1, t.NODE_COLUMNS),
        stations=np.array(b.stations, dtype=np.int64),
        strains=np.array([*b.strains, 0], dtype=np.int64),
        terms=np.array(b.terms, dtype=np.int64).reshape(-1, t.TERM_COLUMNS),
        constants=np.array(b.constants),
        pieces=np.array([*b.pieces, 0.0]),
        rest=np.zeros((LANES, max(model.nv, 1))),
        nv=model.nv,
        n_columns=b.columns,
        extra_rows=b.extra,
        partial_rows=b.partials,
    )
    return b, tree, seats


def _seat(b: Planner, places: Sequence[Place]) -> Places:
    """Return the station of each place and its pose there; then those of the wrenches that cut joints transmit."""
    seats = np.zeros(len(places) + len(b.cuts), dtype=np.int64)
    offsets = np.zeros((len(seats), 12))
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
    for i, name in enumerate(b.cuts, len(places)):
        seats[i], pose = b.carry(b.model.link(name)) if name in b.rods else (b.where[name][0], np.eye(4))
        offsets[i] = np.concatenate([pose[:3, :3].ravel(), pose[:3, 3]])
    return Places(seats, offsets.ravel())
