"""A packaged blade along its rod: axes of its sections, and its shape under a load."""

from __future__ import annotations

import numpy as np
from docs.drawings.sheet import ACTIVE, AXES, BONE, INK, Array, Sheet, draw_frame, oblique, shifted

import softstride as ss
from softstride.model.library.blades import blade

LOAD = 500.0
"""What presses up on the sole [N]."""


def blade_frames() -> Sheet:
    """Draw a blade at rest with section axes, and its centreline under load."""
    sheet = Sheet(720, 480)
    one = blade("c-medium")
    builder = ss.ModelBuilder("blade")
    builder.rod("blade", rod=one.rod, position=one.clamp[:3, 3], rotation=one.clamp[:3, :3])
    model = builder.build()
    view = oblique(1150.0, (330.0, 85.0), azimuth=0.42, elevation=0.22)
    arc = np.linspace(0.0, one.rod.length, 120)
    rest, bent = sections(model, model.neutral(), arc), sections(model, loaded(model), arc)
    half = 0.5 * float(one.width.mean())
    edges = [view(rest[:, :3, 3] + side * half * rest[:, :3, 1]) for side in (1.0, -1.0)]
    sheet.area([*edges[0], *edges[1][::-1]], BONE, 0.28)
    for edge in edges:
        sheet.line(edge, BONE, 1.5)
    sheet.line(view(bent[:, :3, 3]), ACTIVE, 2.0, "7 6")
    sheet.line(view(rest[:, :3, 3]), INK, 2.0)
    for k in (0, 24, 48, 72, 96, 119):
        draw_frame(sheet, view, rest[k], 0.055, labels=k in (0, 72, 119))
    sheet.text(shifted(view(rest[0, :3, 3]), -16, -44), "clamp, s = 0", INK, 14.0, "end")
    sheet.text(
        shifted(view(rest[-1, :3, 3]), 30, 34), "toe, s = L: the frame of the link", INK, 14.0, "start"
    )
    sheet.text(shifted(view(bent[-1, :3, 3]), 10, -14), f"under {LOAD:g} N", ACTIVE, 13.0, "start")
    meanings = {"x": "tangent, from clamp to toe", "y": "across, the width", "z": "the thickness"}
    for row, (name, words) in enumerate(meanings.items()):
        sheet.text((450, 60 + 22 * row), name, AXES[name], 15.0, "start", True)
        sheet.text((470, 60 + 22 * row), words, INK, 14.0, "start")
    sheet.text((450, 136), "ky: curvature about y, the bend", INK, 14.0, "start")
    sheet.text((450, 156), "in the plane of the blade", INK, 14.0, "start")
    return sheet


def sections(model: ss.Model, q: Array, arc: Array) -> Array:
    """Return poses of sections at arc lengths [m], shape (n, 4, 4)."""
    return ss.poses(model, q, [ss.Frame("blade", at=float(s)) for s in arc])


def loaded(model: ss.Model) -> Array:
    """Return the strains under a dead load near the toe: load and elasticity balance."""
    length = model.link("blade").joint.length
    load = {ss.Frame("blade", at=0.93 * length): np.array([0.0, 0.0, 0.0, 0.0, LOAD, 0.0])}
    q, still = model.neutral().copy(), np.zeros(model.nv)
    stiffness = -ss.passive_derivatives(model, q, still)[0]
    for _ in range(200):
        gap = ss.inverse_dynamics(model, q, still, still, load) - ss.passive_forces(model, q, still)
        q = q - 0.3 * np.linalg.solve(stiffness, gap)
    return q
