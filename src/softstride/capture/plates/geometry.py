"""Where a force plate is: its axes from its corners, and whether four points are a plate at all.

The corners are numbered by the quadrants of the plate's own axes (C3D user guide, FORCE_PLATFORM:CORNERS):
1 is (+x, +y), 2 (-x, +y), 3 (-x, -y), 4 (+x, -y). So with midpoints of the edges

    x ~ (c1 + c4) - (c2 + c3),   y ~ (c1 + c2) - (c3 + c4),   z = x x y

and z points into the floor if the corners run clockwise as seen from above.
"""

import numpy as np

from softstride.capture.series import Floats

# A plate is measured with markers on its corners, to a few millimetres: 4 % of 0.5 m is 20 mm.
TOLERANCE = 0.04
# From a small hand-made plate to the belt of a treadmill [m].
SIDES = (0.08, 6.0)


def corner_axes(corners: Floats) -> Floats:
    """Return the axes of the plate as columns, shape (3, 3), from its corners, shape (4, 3)."""
    c1, c2, c3, c4 = corners
    x = c1 + c4 - c2 - c3
    z = np.cross(x, c1 + c2 - c3 - c4)
    y = np.cross(z, x)
    axes = np.stack([x, y, z], axis=1)
    return np.asarray(axes / np.linalg.norm(axes, axis=0), dtype=np.float64)


def side_lengths(corners: Floats) -> tuple[float, float]:
    """Return the lengths of the plate along its x and y axes, between the midpoints of opposite edges."""
    c1, c2, c3, c4 = corners
    x, y = (c1 + c4 - c2 - c3) / 2.0, (c1 + c2 - c3 - c4) / 2.0
    return float(np.linalg.norm(x)), float(np.linalg.norm(y))


def corner_problem(corners: Floats) -> str | None:
    """Return why these corners, shape (4, 3), in [m], are no plate; None if they are one."""
    if not np.isfinite(corners).all():
        return "holds numbers that are not finite"
    size = float(np.ptp(corners, axis=0).max())
    if not size > 0.0:
        return "holds four times the same point"
    if size > 10.0 * SIDES[1]:
        return f"spans {size:.3g} m"
    c1, c2, c3, c4 = corners
    lengths = side_lengths(corners)
    # For four points in order around a parallelogram the two diagonals share their midpoint.
    if np.linalg.norm(c1 + c3 - c2 - c4) / 2.0 > TOLERANCE * size:
        return "is not in order around a rectangle"
    if min(lengths) < TOLERANCE * size:
        return "has no area"
    if not (SIDES[0] <= min(lengths) and max(lengths) <= SIDES[1]):
        return f"gives sides of {lengths[0]:.3g} m and {lengths[1]:.3g} m"
    cosine = np.dot(c1 + c4 - c2 - c3, c1 + c2 - c3 - c4) / (4.0 * lengths[0] * lengths[1])
    if abs(cosine) > TOLERANCE:
        return (
            f"has edges at {np.degrees(np.arccos(np.clip(cosine, -1.0, 1.0))):.0f} degrees, not a right angle"
        )
    return None


def side_of(points: Floats, corners: Floats, axes: Floats) -> float:
    """Return on which side of the plate the subject is: +1 along the plate's z, -1 against it.

    The markers are on the body and the body is above the floor. Without markers, up is taken to be a positive
    lab axis, as in every laboratory convention (Z up, or Y up).

    Args:
        points: Positions of markers, shape (k, 3), in [m]; NaN where missing.
        corners: Shape (4, 3), in [m].
        axes: From `corner_axes`.
    """
    normal = axes[:, 2]
    heights = (points - corners.mean(axis=0)) @ normal
    heights = heights[np.isfinite(heights)]
    above, below = int((heights > 0.05).sum()), int((heights < -0.05).sum())
    if max(above, below) > 4 * min(above, below):
        return 1.0 if above > below else -1.0
    return 1.0 if normal[np.abs(normal).argmax()] > 0.0 else -1.0


def outline_distance(points: Floats, half_sides: tuple[float, float]) -> Floats:
    """Return how far points in plate axes, shape (..., 3), are outside the outline; negative inside, in [m]."""
    over = np.abs(points[..., :2]) - np.asarray(half_sides)
    outside = np.hypot(np.maximum(over[..., 0], 0.0), np.maximum(over[..., 1], 0.0))
    return np.asarray(np.where((over > 0.0).any(axis=-1), outside, over.max(axis=-1)), dtype=np.float64)
