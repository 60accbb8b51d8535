"""Which formula leads a segment over a surface."""

from __future__ import annotations

import math

from softstride.engine.jit import inlined
from softstride.engine.kernels.path_answers import Answer, Triple
from softstride.engine.kernels.path_cylinder import wrap_cylinder
from softstride.engine.kernels.path_ellipsoid import wrap_ellipsoid
from softstride.engine.kernels.path_geodesic import PAIR
from softstride.engine.kernels.path_sphere import wrap_sphere
from softstride.engine.kernels.path_surface_shape import along3
from softstride.engine.kernels.path_tables import (
    ANGLE,
    AXIS,
    CYLINDER,
    ELLIPSOID,
    FORM,
    HEADING,
    MEETS,
    REACH,
    SECOND,
    SIGN,
    SPHERE,
    TRACE_COLUMNS,
    PathTables,
)
from softstride.engine.kernels.path_torus import wrap_torus
from softstride.engine.kernels.tables import Array


@inlined
def wrap_surface(
    t: PathTables, s: int, p1: Triple, p2: Triple, sense: int, trace: Array, w: int, m: Array
) -> Answer:
    """Lead the segment p1 p2, in the axes of surface s, over it; wrap w may be kept with its sense."""
    form, axis, sign = t.surfaces[s, FORM], t.surfaces[s, AXIS], t.surfaces[s, SIGN]
    size = t.sizes[s, 0], t.sizes[s, 1], t.sizes[s, 2]
    meets = trace[w, MEETS], trace[w, MEETS + 1], trace[w, MEETS + 2]
    if form == CYLINDER:
        return wrap_cylinder(size[0], size[1], axis, sign, p1, p2, sense, trace[w, ANGLE])
    heading = trace[w, HEADING], trace[w, HEADING + 1], trace[w, HEADING + 2]
    if form == SPHERE:
        c, n = math.cos(0.5 * trace[w, ANGLE]), size[0] * math.sin(0.5 * trace[w, ANGLE])
        middle = along3((c * meets[0], c * meets[1], c * meets[2]), n, heading)
        return wrap_sphere(size[0], axis, sign, p1, p2, sense, middle)
    if form == ELLIPSOID:
        return wrap_ellipsoid(form, size, axis, sign, p1, p2, sense != 0, meets, heading, trace[w, REACH], m)
    for k in range(TRACE_COLUMNS - SECOND):
        m[PAIR, k] = trace[w, SECOND + k]
    return wrap_torus(form, size, axis, sign, p1, p2, sense, meets, heading, trace[w, REACH], m)
