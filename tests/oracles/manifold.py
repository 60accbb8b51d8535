"""Integration on the configuration manifold and high-order differences along it, from the definitions."""

import numpy as np

from . import joints as jt
from . import screws as sc

# central differences of order 6: offsets 1, 2, 3 and their weights; f' = sum w (f(+o h) - f(-o h)) / h
OFFSETS = (1, 2, 3)
WEIGHTS = (3 / 4, -3 / 20, 1 / 60)


def integrate(model, q, d):
    """Return q [+] d: base H exp(d), quaternions q o exp(d/2), the rest adds. Shapes (nq,), (nv,)."""
    out = np.array(q, dtype=float)
    for link in model.links:
        iq, iv = list(model.q_indices(link.name)), list(model.v_indices(link.name))
        name = jt.kind(link.joint)
        if name == "spherical":
            out[iq] = sc.quaternion_product(q[iq], sc.quaternion_exp(d[iv]))
            out[iq] /= np.linalg.norm(out[iq])
        elif name == "free":
            step = sc.exp_twist(d[iv])
            out[iq[:3]] = q[iq[:3]] + sc.quaternion_matrix(q[iq[3:]]) @ step[:3, 3]
            out[iq[3:]] = sc.quaternion_product(q[iq[3:]], sc.quaternion_exp(d[iv[:3]]))
            out[iq[3:]] /= np.linalg.norm(out[iq[3:]])
        else:
            out[iq] = q[iq] + d[iv]
    return out


def derivative(function, h=1e-3):
    """Return d function(t) / dt at t = 0 by a sixth-order central difference."""
    return sum(w * (function(o * h) - function(-o * h)) for o, w in zip(OFFSETS, WEIGHTS, strict=True)) / h


def gradient(model, q, function, h=1e-3):
    """Return d function(q [+] d) / dd at d = 0, last axis nv, by sixth-order differences."""
    unit = np.eye(model.nv)
    columns = [derivative(lambda t, e=e: function(integrate(model, q, t * e)), h) for e in unit]
    return np.stack(columns, axis=-1)
