"""What a page says about a frame: time, phase of gait, ground reaction, distance of markers."""

from __future__ import annotations

import html

import numpy as np

from softstride.scene.scene import Scene


def frame_words(scene: Scene, frame: int) -> str:
    """Return a few lines of HTML on a frame; what comes from files is escaped."""
    time = float(scene.time[frame])
    lines = [f"<b>{time:.3f} s</b>, frame {frame + 1} of {scene.n_frames}"]
    last = [event for event in scene.events if event.time <= time + 1e-9]
    if last:
        side = f"{last[-1].side} " if last[-1].side else ""
        lines[0] += f"; {1e3 * (time - last[-1].time):.0f} ms after {html.escape(side + last[-1].label)}"
    for source in ("estimated", "measured"):
        forces = _forces(scene, frame, source)
        if forces:
            lines.append(f"{source}: {', '.join(forces)}")
    if scene.markers is not None:
        gaps = np.linalg.norm(scene.markers.measured[frame] - scene.markers.model[frame], axis=1)
        if np.isfinite(gaps).any():
            worst = int(np.nanargmax(gaps))
            rms = float(np.sqrt(np.nanmean(gaps**2)))
            lines.append(
                f"markers: {1e3 * rms:.1f} mm rms, {html.escape(scene.markers.names[worst])} "
                f"{1e3 * float(gaps[worst]):.1f} mm"
            )
    if scene.doubtful is not None and scene.doubtful[frame]:
        lines.append("<b>loads of this frame are doubtful</b>")
    return "<br>".join(lines)


def _forces(scene: Scene, frame: int, source: str) -> list[str]:
    """Return the size of the force of each side, such as "right 1752 N (2.6 BW)"."""
    total: dict[str, np.ndarray] = {}
    for arrow in scene.arrows:
        if arrow.source == source and np.isfinite(arrow.force[frame]).all():
            total[arrow.side] = total.get(arrow.side, np.zeros(3)) + arrow.force[frame]
    words = []
    for side in sorted(total, key=lambda each: each != "right"):
        size = float(np.linalg.norm(total[side]))
        of_weight = f" ({size / scene.weight:.1f} BW)" if scene.weight > 0.0 else ""
        words.append(f"{side or 'force'} {size:.0f} N{of_weight}")
    return words
