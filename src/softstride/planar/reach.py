"""Where a contact may lie: near the line of its link."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from softstride.errors import ModelError
from softstride.planar.vectors import Complex, Floats

if TYPE_CHECKING:
    from softstride.planar.chain import Chain

ROUNDING = 1.0 + 1e-9
"""A point on the border counts as inside, whatever its last digit."""


SHARE = 0.5
"""Of its length, how far a link reaches beyond its line unless it says so."""


def usual_reach(length: Floats, com: Complex) -> Floats:
    """Return how far from its line a contact of each link may lie, shape (n+1,), [m].

    Half as far as the link is long; farther by as much as its centre of mass is off the line, as that of a slice of the
    trunk is from its vertebra. A base of no length is no link of no size: it counts as the longest one.

    Args:
        length: Of links 0 to n, shape (n+1,), [m].
        com: Centres of mass in the frames of the links, complex, shape (n+1,), [m].
    """
    size = np.where(length > 0.0, length, length.max())
    return np.asarray(SHARE * size + line_distance(com, length))


def line_distance(points: Complex | complex, length: Floats | float) -> Floats:
    """Return distances of points from the line of a link, from its joint (0, 0) to the next (length, 0) [m]."""
    z = np.asarray(points)
    return np.asarray(np.abs(z - np.clip(z.real, 0.0, length)))


def check_point(chain: Chain, name: str, link: int, point: complex, frame: int | None = None) -> None:
    """Refuse a contact that lies outside its link.

    Raises:
        ModelError: The point is farther from the line of the link than `chain.reach`.
    """
    far, most = float(line_distance(point, float(chain.length[link]))), float(chain.reach[link])
    if far > most * ROUNDING:
        when = "" if frame is None else f" in frame {frame}"
        raise ModelError(
            f"contact {name!r}{when} at ({point.real:g}, {point.imag:g}) m lies {far:.4g} m outside the line of its "
            f"link {chain.links[link]!r}, which reaches {most:.4g} m: give the point in the frame of that link, or a "
            "larger reach of the link."
        )
