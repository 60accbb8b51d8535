"""Columns of the integer tables and sizes of the scratch records that kernels share.

The tree is data: a *node* owns coordinates, a *station* is a frame that they move. A rigid joint has one station; a
rod segment has its quadrature points, its tip and any point where something hangs or is looked at; links that share
the coordinates of a custom joint are stations of one node. Station 0 is the world.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
IntArray = NDArray[np.int64]


Table = Any
"""An array, or the traced view of one inside a straight function; likewise for a number."""


class Tree(NamedTuple):
    """A model as kernels see it."""

    nodes: Table  # (n_nodes, NODE_COLUMNS) integers
    stations: Table  # (n_stations, STATION_COLUMNS) integers
    strains: Table  # (nv,) which strain a velocity coordinate of a rod is
    terms: Table  # (n_terms, TERM_COLUMNS) integers
    constants: Table  # gravity (3), then placements, inertias, arc lengths
    pieces: Table  # piecewise polynomials of custom joints
    rest: Table  # (LANES, nv) zeros: the velocity of a tree at rest
    nv: Any
    n_columns: Any  # twist columns of all stations
    extra_rows: Any  # scratch rows beyond those of the stations
    partial_rows: Any  # scratch rows for derivatives of twist columns


class Places(NamedTuple):
    """Frames and points on a tree."""

    stations: Table  # (n_places,) integers
    offsets: Table  # (12 n_places,) rotation and position of each in its station


# kinds of nodes
REVOLUTE, PRISMATIC, SPHERICAL, FREE, CUSTOM, SOFT = 1, 2, 3, 4, 5, 6
TRAVEL = 7  # slides along x, y and z on the world; in chained plans alone, which inverse dynamics walks
FIXED = 8  # does not move, but what it transmits is wanted; in plans with cuts alone, likewise

# node table
KIND = 0
PARENT = 1  # station on which the node hangs
IQ = 2  # first position coordinate
IV = 3  # first velocity coordinate
N = 4  # number of velocity coordinates
FIRST = 5  # first station
COUNT = 6  # number of stations
REAL = 7  # its constants: placement (12), then by kind
EXTRA = 8  # first row of its own scratch record
FLAG = 9  # 1: placement without rotation (spherical, free); exactly the three angular strains are free (soft)
NODE_COLUMNS = 10

# station table
NODE = 0
BASE = 1  # the station that its own joint starts from: the node's parent, or an earlier station of the node
INERTIA = 2  # its ten inertia constants
FORM = 3  # 0 massless, 1 any rigid inertia, 2 mass and diagonal inertia at the origin
LIVE = 4  # 1 if anything may hang on it
COLUMN = 5  # its first column among all columns of the tree
PLACE = (
    6  # its own placement (12 constants), then for custom joints 18 axis constants; for rods the arc length
)
TERM = 7  # first of its terms (custom)
TERMS = 8  # number of its terms (custom)
RECORD = 9  # first row of its own scratch record (custom)
PARTIAL = 10  # first row of the derivatives of its columns (custom, soft)
STATION_COLUMNS = 11

# term table (custom joints): axis value += function(coordinate)
AXIS, COORDINATE, PIECE, PIECES, DEGREE = 0, 1, 2, 3, 4
TERM_COLUMNS = 5

# scratch of a soft node
STRAIN = 0  # kappa, eps, rates, second rates: 18 rows
BASE_TWIST = 18  # angular and linear velocity and acceleration of the segment's base: 12 rows
RATES = 30  # 15 rows
SECONDS = 45  # 18 rows
SUMS = 63  # 24 rows
BASE_WRENCH = 87  # 6 rows
SOFT_ROWS = 93

# scratch of one custom station with n coordinates
AXES = 0  # the six axis values, their rates, their second rates: 18 rows
COLUMNS = 18  # elementary columns: three angular, three linear: 18 rows
SLOPES = 36  # first, second, third derivatives of the axes by the coordinates: 3 * 6 n rows
# then, while a term is evaluated: where in its piece (1 row), value and derivatives (4), coefficients (degree + 1)
WITHIN, VALUES, COEFFICIENTS = 0, 1, 5


def custom_rows(n: int, degree: int) -> int:
    """Return the rows of one custom station's record, with terms of at most this degree."""
    return SLOPES + 18 * n + COEFFICIENTS + degree + 1
