"""A sheet of paper for drawings: lines, arrows, words and views of points in space, written as SVG."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

INK, FAINT, BONE, GRID = "#37474f", "#b0bec5", "#78909c", "#eceff1"
ACTIVE, SECOND = "#e65100", "#6a1b9a"
AXES = {"x": "#c62828", "y": "#2e7d32", "z": "#1565c0"}

Array = NDArray[np.float64]


@dataclass
class Sheet:
    """A drawing of a given size [px] under way; y points down, as SVG has it."""

    width: float
    height: float
    parts: list[str] = field(default_factory=list)

    def line(
        self, points: Iterable[Sequence[float]], colour: str = INK, width: float = 2.0, dash: str = ""
    ) -> None:
        """Join points by straight lines."""
        path = " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
        dashed = f' stroke-dasharray="{dash}"' if dash else ""
        self.parts.append(
            f'<polyline points="{path}" fill="none" stroke="{colour}" stroke-width="{width:g}" '
            f'stroke-linecap="round" stroke-linejoin="round"{dashed}/>'
        )

    def arrow(
        self, start: Sequence[float], end: Sequence[float], colour: str, width: float = 2.5, head: float = 9.0
    ) -> None:
        """Draw an arrow; one that points at the reader is a dot."""
        a, b = np.asarray(start, float), np.asarray(end, float)
        along = b - a
        if np.hypot(*along) < head:
            self.dot(a, colour, 3.0)
            return
        along /= np.hypot(*along)
        across = np.array([-along[1], along[0]])
        base = b - head * along
        self.line([a, base], colour, width)
        self.area([b, base + 0.42 * head * across, base - 0.42 * head * across], colour)

    def arc(
        self, centre: Sequence[float], radius: float, start: float, end: float, colour: str = ACTIVE
    ) -> None:
        """Draw a round arrow from one angle to another [rad], counter-clockwise from the right."""
        angles = np.linspace(start, end, 24)
        points = np.stack([centre[0] + radius * np.cos(angles), centre[1] - radius * np.sin(angles)], axis=1)
        self.line(points[:-2], colour, 2.0)
        self.arrow(points[-3], points[-1] + 0.6 * (points[-1] - points[-3]), colour, 2.0, 7.0)

    def area(self, points: Iterable[Sequence[float]], colour: str, opacity: float = 1.0) -> None:
        """Fill a polygon."""
        path = " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
        self.parts.append(f'<polygon points="{path}" fill="{colour}" fill-opacity="{opacity:g}"/>')

    def dot(self, centre: Sequence[float], colour: str = INK, radius: float = 3.5) -> None:
        """Draw a disc."""
        self.parts.append(
            f'<circle cx="{centre[0]:.1f}" cy="{centre[1]:.1f}" r="{radius:g}" fill="{colour}"/>'
        )

    def text(
        self,
        at: Sequence[float],
        words: str,
        colour: str = INK,
        size: float = 14.0,
        anchor: str = "middle",
        bold: bool = False,
    ) -> None:
        """Write words; their baseline begins, centres or ends at a point."""
        weight = ' font-weight="600"' if bold else ""
        safe = words.replace("&", "&amp;").replace("<", "&lt;")
        self.parts.append(
            f'<text x="{at[0]:.1f}" y="{at[1]:.1f}" fill="{colour}" font-size="{size:g}" '
            f'text-anchor="{anchor}"{weight}>{safe}</text>'
        )

    def ring(self, centre: Sequence[float], radius: float, colour: str, width: float) -> None:
        """Draw a circle filled with paper."""
        self.parts.append(
            f'<circle cx="{centre[0]:.1f}" cy="{centre[1]:.1f}" r="{radius:.1f}" fill="#ffffff" stroke="{colour}" '
            f'stroke-width="{width:g}"/>'
        )

    def box(self, upper_left: tuple[float, float], lower_right: tuple[float, float]) -> None:
        """Draw a thin frame."""
        (left, top), (right, bottom) = upper_left, lower_right
        self.line([(left, top), (right, top), (right, bottom), (left, bottom), (left, top)], GRID, 1.5)

    def save(self, path: Path, title: str) -> None:
        """Write the drawing."""
        body = "\n".join(self.parts)
        path.write_text(
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {self.width:g} {self.height:g}" '
            f'width="{self.width:g}" height="{self.height:g}" font-family="sans-serif" role="img">\n'
            f'<title>{title}</title>\n<rect width="100%" height="100%" fill="#ffffff"/>\n{body}\n</svg>\n',
            encoding="utf-8",
        )


def shifted(place: Sequence[float], right: float, down: float) -> Array:
    """Return a place of the sheet moved by some pixels."""
    return np.asarray(place, float) + np.array([right, down])


@dataclass(frozen=True)
class View:
    """How points of the world [m] come to lie on a sheet [px].

    Attributes:
        right: World direction of the sheet's right, shape (3,).
        up: World direction of its upper edge, shape (3,).
        scale: Pixels a metre.
        origin: Where the world's origin lies [px].
    """

    right: Array
    up: Array
    scale: float
    origin: tuple[float, float]

    def __call__(self, points: Array) -> Array:
        """Return places on the sheet, shape (..., 2)."""
        p = np.asarray(points, float)
        x = self.origin[0] + self.scale * (p @ self.right)
        y = self.origin[1] - self.scale * (p @ self.up)
        return np.stack([x, y], axis=-1)


def oblique(scale: float, origin: tuple[float, float], azimuth: float = 0.5, elevation: float = 0.3) -> View:
    """Return a view from the right, a little from in front and above."""
    ca, sa, ce, se = np.cos(azimuth), np.sin(azimuth), np.cos(elevation), np.sin(elevation)
    return View(np.array([ca, 0.0, -sa]), np.array([-sa * se, ce, -ca * se]), scale, origin)


def draw_frame(sheet: Sheet, view: View, T: Array, size: float, labels: bool = False) -> None:
    """Draw the axes of a pose, `size` metres long."""
    start = view(T[:3, 3])
    for k, (name, colour) in enumerate(AXES.items()):
        end = view(T[:3, 3] + size * T[:3, k])
        sheet.arrow(start, end, colour, 2.5, 8.0)
        if labels:
            away = end - start
            length = np.hypot(*away)
            if length > 8.0:
                sheet.text(shifted(end + 11.0 * away / length, 0.0, 5.0), name, colour, 15.0, bold=True)
