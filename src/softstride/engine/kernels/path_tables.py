"""Columns of the tables that describe paths: muscles, their points, wraps and surfaces."""

from __future__ import annotations

from typing import NamedTuple

from softstride.engine.kernels.tables import Table

# a path
POINT, POINTS = 0, 1  # its first point and their number
WRAP, WRAPS = 2, 3  # its first wrap and their number
PATH_COLUMNS = 4

# a point of a path
SLOT = 0  # the link of its path that it is on
CONDITION = 1  # column of q that decides whether the path runs through it; -1: always
TERM, TERMS = 2, 3  # its first moving component and their number
POINT_COLUMNS = 4

# a wrap of a path around a surface
SURFACE = 0
FIRST, LAST = 1, 2  # points of the path between which it may wrap, counted in the path
SEAT = 3  # slot of the surface's link
WRAP_COLUMNS = 4

# a surface
FORM = 0
AXIS, SIGN = 1, 2  # the half of it that paths may touch: axis 0, 1, 2 and sign; sign 0: all of it
SURFACE_COLUMNS = 3
CYLINDER, SPHERE, ELLIPSOID, TORUS = 0, 1, 2, 3

# what is remembered of a wrap from frame to frame
SEGMENT = 0  # which segment it took: the point it starts from, or -2 - the wrap that it starts from; -1: none
SENSE = 1  # which way round: +1 or -1; 0: not wrapped; TWICE: a torus touched twice
MEMORY_COLUMNS = 2
TWICE = 2
ANGLE = 0  # how far round
MEETS, LEAVES = 1, 4  # where the path meets the surface and where it leaves it
HEADING, REACH = 7, 10  # of a geodesic: its direction where it begins, its length
SECOND = 11  # of a path that touches a torus twice: where the second geodesic begins, its direction, lengths of both
TRACE_COLUMNS = 19

# what became of a wrap in a frame
WRAPPED, INSIDE, LONGER, OFFSIDE, UNSETTLED, THROUGH = 1, 2, 4, 8, 16, 32  # bits


class PathTables(NamedTuple):
    """Paths as the kernel sees them."""

    paths: Table  # (n_paths, PATH_COLUMNS)
    points: Table  # (n_points, POINT_COLUMNS)
    ranges: Table  # (n_points, 2) least and greatest value of the coordinate of a conditional point
    wraps: Table  # (n_wraps, WRAP_COLUMNS)
    surfaces: Table  # (n_surfaces, SURFACE_COLUMNS)
    sizes: Table  # (n_surfaces, 3) radius, half length; radius; half axes; radii of tube and ring
    origins: Table  # (n_slots,) which position is the origin of a slot's link


class Record(NamedTuple):
    """Paths vertex by vertex."""

    counts: Table  # (n_frames, n_paths) number of vertices
    vertices: Table  # (n_frames, n_paths, n, 3) world axes
    marks: Table  # (n_frames, n_paths, n, 3) slot, point, wrap
    senses: Table  # (n_frames, n_wraps)
    traces: Table  # (n_frames, n_wraps, TRACE_COLUMNS)
