"""The replay in 3D: a canvas with its controls, and the scene that it draws."""

from __future__ import annotations

from typing import Any

import numpy as np

from softstride.naming import SIDES
from softstride.report.context import Context
from softstride.report.html import text
from softstride.report.strides import stretches
from softstride.scene.build import study_scene
from softstride.scene.colours import ACTIVITY, UNKNOWN

FASTEST = 60.0
"""Frames a second, at most [Hz]; the page fills in between."""

SLOWEST = 15.0
"""Frames a second, at least [Hz]: with fewer a step no longer looks like one."""

MOST = 240
"""Frames that a page holds; a trial that has more at the slowest rate is cut off."""

LAYERS = (
    ("body", "body"),
    ("bones", "bones"),
    ("muscles", "muscles"),
    ("markers", "markers"),
    ("measured", "measured forces"),
    ("estimated", "estimated forces"),
)
"""What can be switched, and how it is called."""

VIEWS = (("side", "side"), ("front", "front"), ("above", "above"))
SPEEDS = (1.0, 0.5, 0.25, 0.1)


def replay_scene(context: Context) -> tuple[dict[str, Any], str]:
    """Return the scene for the page, and what was left out in words."""
    duration = max(context.study.motion.duration, 1e-9)
    rate = float(np.clip(MOST / duration, SLOWEST, FASTEST))
    scene = study_scene(context.study, rate=rate)
    whole, words = scene.duration, ""
    if scene.n_frames > MOST:
        scene = scene.take(slice(0, MOST))
        words = f"The replay shows the first {scene.duration:.0f} of {whole:.0f} s."
    page = scene.to_json(hz=None)
    page["palette"] = [[int(c) for c in colour] for colour in (*ACTIVITY.tolist(), UNKNOWN)]
    page["doubtful"] = [] if scene.doubtful is None else stretches(scene.doubtful, scene.time)
    page["contacts"] = contacts_of(context)
    return page, words


def contacts_of(context: Context) -> dict[str, list[list[float]]]:
    """Return first and last instants of contacts by side [s], cut at the ends of the motion."""
    time = context.study.motion.time
    return {side: stretches(context.strides.on_ground(side, time), time) for side in SIDES}


def replay_html(page: dict[str, Any], words: str) -> str:
    """Return canvas and controls."""
    has = {
        "body": any(shape["layer"] == "body" for shape in page["shapes"]),
        "bones": True,
        "muscles": "muscles" in page,
        "markers": "markers" in page,
    }
    has |= {
        source: any(arrow["source"] == source for arrow in page["arrows"])
        for source in ("measured", "estimated")
    }
    layers = "".join(
        f'<label><input type="checkbox" data-layer="{key}"{"" if key == "markers" else " checked"}>'
        f'<i class="key {key}"></i>{text(name)}</label>'
        for key, name in LAYERS
        if has[key]
    )
    views = "".join(f'<button type="button" data-view="{key}">{text(name)}</button>' for key, name in VIEWS)
    speeds = "".join(
        f'<option value="{speed:g}"{" selected" if speed == 0.5 else ""}>{speed:g} ×</option>'
        for speed in SPEEDS
    )
    ramp = '<span class="ramp"><i></i>muscles from rest to fully active</span>' if has["muscles"] else ""
    note = f"<p>{text(words)}</p>" if words else ""
    return (
        '<div class="replay" id="replay">'
        '<canvas tabindex="0" role="img" aria-label="Replay of the motion in 3D. Space plays and pauses, the left and '
        "right arrow keys step through frames, up and down zoom, A and D turn. Drag to turn, wheel with Ctrl to "
        'zoom."></canvas>'
        '<div class="bar"><button type="button" class="play" aria-pressed="false">Play</button>'
        '<input type="range" class="scrub" min="0" max="1000" value="0" step="1" aria-label="Time of the replay">'
        '<output class="clock" aria-live="off">0.000 s</output>'
        f'<label class="speed">speed <select aria-label="Speed of the replay">{speeds}</select></label></div>'
        '<canvas class="track" aria-hidden="true"></canvas>'
        f'<div class="layers" role="group" aria-label="What is shown">{layers}</div>'
        f'<div class="views" role="group" aria-label="Camera">{views}{ramp}</div>{note}</div>'
    )
