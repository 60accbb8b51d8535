"""Motions that are known, and what cameras would make of them: noise, soft tissue, gaps, exchanged labels.

Every coordinate is a sum of sines of 1 to 5 Hz within its range; the root travels and turns; rods are strained as
by moments of some 100 N·m and forces of some 1000 N. All randomness is seeded.
"""

from dataclasses import dataclass, replace

import numpy as np
from scipy.spatial.transform import Rotation

from softstride import engine
from softstride.capture import Points, Recording
from softstride.model import Custom, Fixed, Free, Model, Point, Rod, Spherical
from softstride.model.rod import STRAINS

RATE = 200.0
"""Frames per second [Hz]."""

LOADS = np.array([20.0, 300.0, 50.0, 1000.0, 1000.0, 1000.0])
"""Wrench that strains a rod: moments [N·m], forces [N]."""

SPINE = ("lumbar", "thoracic", "cervical")
SMALL, LARGE, LARGEST = 0.04, 0.3, 0.5  # [rad] of one vertebra, of a limb, of anything with a range

ON_THE_FEET = Rotation.identity()
ON_THE_BACK = Rotation.from_euler("z", 90, degrees=True)  # the front, x, points up
UPSIDE_DOWN = Rotation.from_euler("x", 180, degrees=True)


@dataclass(frozen=True)
class Trial:
    """A motion and its recording."""

    model: Model
    time: np.ndarray  # (n,)
    q: np.ndarray  # (n, nq)
    recording: Recording

    @property
    def names(self):
        return self.recording.markers.labels

    @property
    def values(self):
        """Marker positions, shape (n, m, 3), a copy."""
        return self.recording.markers.values.copy()

    def with_values(self, values):
        """Return the same motion with other measured positions."""
        points = replace(self.recording.markers, values=values)
        return replace(self, recording=self.recording.replace(markers=points))

    def only(self, names):
        """Return the same motion seen by some of its markers."""
        points = self.recording.markers.select(names)
        return replace(self, recording=self.recording.replace(markers=points))

    def cut(self, start, stop):
        """Return frames start to stop - 1."""
        points = self.recording.markers
        points = Points(points.time[start:stop], points.labels, points.values[start:stop])
        return Trial(
            self.model, self.time[start:stop], self.q[start:stop], self.recording.replace(markers=points)
        )


def sines(time, size, rng, *, slowest=1.0, fastest=5.0, terms=3):
    """Return sums of sines, shape (n, *size.shape), that stay within +-size."""
    size = np.asarray(size, dtype=float)
    share = rng.uniform(0.2, 1.0, (terms, *size.shape))
    share /= share.sum(axis=0)
    f = rng.uniform(slowest, fastest, share.shape)
    phase = rng.uniform(0.0, 2.0 * np.pi, share.shape)
    t = time.reshape(-1, *(1,) * share.ndim)
    return (size * share * np.sin(2.0 * np.pi * f * t + phase)).sum(axis=1)


def movement(model, n=100, *, seed=0, speed=4.0, heading=0.0, attitude=ON_THE_FEET, scale=1.0, fastest=5.0):
    """Return (time, q) of n frames at `RATE`: shapes (n,), (n, nq).

    Args:
        model: The model; its root is a free joint, or a custom joint about z, x, y and along x, y, z.
        n: Frames.
        seed: Of the generator.
        speed: Of travel along the heading [m/s]; 0 on a treadmill.
        heading: Turn about the vertical [rad].
        attitude: Rotation of the root before it is turned to the heading.
        scale: Of all amplitudes.
        fastest: Highest frequency [Hz].
    """
    rng = np.random.default_rng(seed)
    time = np.arange(n) / RATE
    q = np.tile(model.neutral(), (n, 1))
    for link in model.links:
        own = list(model.q_indices(link.name))
        if isinstance(link.joint, Fixed):
            continue
        if link.parent == "world":
            q[:, own] = _root(link, time, rng, speed, heading, attitude, fastest)
        elif isinstance(link.joint, Rod):
            q[:, own] = sines(time, scale * _strain_sizes(link.joint), rng, fastest=fastest)
        elif isinstance(link.joint, Spherical):
            size = scale * (SMALL if link.name.startswith(SPINE) else LARGE) / np.sqrt(3.0)
            q[:, own] = Rotation.from_rotvec(sines(time, np.full(3, size), rng, fastest=fastest)).as_quat()
        else:
            centre, size = np.array([_range(model.coordinates[c]) for c in link.coordinate_names]).T
            q[:, own] = centre + sines(time, scale * size, rng, fastest=fastest)
    return time, q


def _root(link, time, rng, speed, heading, attitude, fastest):
    along = Rotation.from_rotvec([0.0, heading, 0.0]).apply([1.0, 0.0, 0.0])
    position = (
        [0.3, 0.95, -0.2]
        + time[:, None] * speed * along
        + sines(time, np.full(3, 0.04), rng, fastest=fastest)
    )
    yaw = Rotation.from_rotvec(np.outer(heading + 0.8 * time, [0.0, 1.0, 0.0]))
    turn = yaw * attitude * Rotation.from_rotvec(sines(time, np.full(3, 0.15), rng, fastest=fastest))
    if isinstance(link.joint, Free):
        return np.column_stack([position, turn.as_quat()])
    assert isinstance(link.joint, Custom)
    return np.column_stack([np.unwrap(turn.as_euler("ZXY"), axis=0), position])


def _strain_sizes(rod):
    """Return the strain that `LOADS` make in every free direction, shape (nq,)."""
    return np.concatenate(
        [(LOADS / np.diag(segment.stiffness))[list(segment.free_indices)] for segment in rod.segments]
    )


def _range(coordinate):
    """Return the middle and the half width [rad] of what a coordinate may do."""
    if not np.isfinite([coordinate.lower, coordinate.upper]).all():
        return coordinate.default, LARGE
    half = 0.5 * (coordinate.upper - coordinate.lower)
    size = min(0.8 * half, LARGEST)
    low, high = coordinate.lower + 1.1 * size, coordinate.upper - 1.1 * size
    return min(max(coordinate.default, low), high), size


def fully_marked(model):
    """Return the model with three more markers on every link, and three at four places of every segment of a rod."""
    markers = dict(model.markers)
    for link in model.links:
        if isinstance(link.joint, Rod):
            start = 0.0
            for i, segment in enumerate(link.joint.segments, start=1):
                for share in (0.25, 0.5, 0.75, 1.0):
                    for j, offset in enumerate([(0, 0.04, 0.0), (0, -0.04, 0.0), (0, 0, 0.05)]):
                        at = start + share * segment.length
                        markers[f"extra_{link.name}_{i}_{share:g}_{j}"] = Point(link.name, offset, at=at)
                start += segment.length
            continue
        for j, position in enumerate([(0.08, 0.02, 0.0), (-0.03, -0.08, 0.03), (0.0, 0.05, -0.08)]):
            markers[f"extra_{link.name}_{j}"] = Point(link.name, position)
    return model.replace(markers=markers)


def all_strains(model):
    """Return the model with all six strains of every rod free."""
    links = []
    for link in model.links:
        if isinstance(link.joint, Rod):
            segments = tuple(replace(segment, free=STRAINS) for segment in link.joint.segments)
            link = replace(link, joint=replace(link.joint, segments=segments))
        links.append(link)
    return Model(model.name, tuple(links), gravity=model.gravity, markers=model.markers, frames=model.frames)


def record(model, time, q, name="synthetic"):
    """Return the recording of all markers of a model, without any error."""
    at = engine.positions(model, q, list(model.markers))
    return Recording(name, markers=Points(time, tuple(model.markers), at))


def trial(model, n=100, **how):
    """Return a trial of n frames; `how` goes to `movement`."""
    time, q = movement(model, n, **how)
    return Trial(model, time, q, record(model, time, q))


def noisy(clean, sigma, seed=0):
    """Return the trial with white noise of standard deviation `sigma` [m] on every coordinate of every marker."""
    rng = np.random.default_rng(seed)
    return clean.with_values(clean.values + rng.normal(scale=sigma, size=clean.values.shape))


def soft_tissue(clean, size, seed=0, skip=("blade",)):
    """Return the trial with an artefact of standard deviation `size` [m] in each axis of the markers on the body.

    It is fixed in the axes of the link, half of its variance an offset and half sines of 0.5 to 2 Hz. Markers on
    links called `skip` have none: a blade has no skin.
    """
    rng = np.random.default_rng(seed)
    model, values = clean.model, clean.values
    for i, name in enumerate(clean.names):
        link = model.markers[name].link
        if link in skip:
            continue
        wave = sines(clean.time, np.ones(3), rng, slowest=0.5, fastest=2.0, terms=3)
        long = sines(np.arange(0.0, 20.0, 0.01), np.ones(3), np.random.default_rng(1))  # its usual size
        local = size * np.sqrt(0.5) * (rng.normal(size=3) + wave / long.std())
        R = engine.poses(model, clean.q, link)[:, :3, :3]
        values[:, i] += np.einsum("nij,nj->ni", R, local)
    return clean.with_values(values)


def with_gaps(clean, share, seed=0, keep=()):
    """Return the trial with a share of all markers deleted at random, frame by frame."""
    rng = np.random.default_rng(seed)
    values = clean.values
    gone = rng.random(values.shape[:2]) < share
    gone[:, [clean.names.index(name) for name in keep]] = False
    values[gone] = np.nan
    return clean.with_values(values)


def with_outliers(clean, share, size, seed=0):
    """Return the trial with a share of all markers `size` [m] off in a random direction; and which, shape (n, m)."""
    rng = np.random.default_rng(seed)
    values = clean.values
    off = rng.random(values.shape[:2]) < share
    way = rng.normal(size=(int(off.sum()), 3))
    values[off] += size * way / np.linalg.norm(way, axis=1, keepdims=True)
    return clean.with_values(values), off


def swapped(clean, one, other, start=0, stop=None):
    """Return the trial with two labels exchanged from frame start to frame stop - 1."""
    values, rows = clean.values, slice(start, stop)
    i, j = clean.names.index(one), clean.names.index(other)
    values[rows, i], values[rows, j] = clean.values[rows, j], clean.values[rows, i]
    return clean.with_values(values)


def scales(model):
    """Return what turns a step of v into radians and metres, shape (nv,): strains count times the segment's length."""
    scale = np.ones(model.nv)
    for link in model.links:
        if isinstance(link.joint, Rod):
            lengths = [s.length for s in link.joint.segments for _ in s.free]
            scale[list(model.v_indices(link.name))] = lengths
    return scale


def error(model, q, truth):
    """Return how far q is from the truth in every coordinate, shape (n, nv), in [rad] and [m].

    Strains count times the length of their segment: the angle it is bent too much, the length it is stretched too
    much. Angles of a custom root are not unique (turns of 360 degrees; half turns about all three axes), so the
    first of its six coordinates stands for the angle between the two attitudes and the next two are zero.
    """
    d = engine.difference(model, truth, q) * scales(model)
    for link in model.links:
        if link.parent == "world" and isinstance(link.joint, Custom):
            angles = list(model.v_indices(link.name))[:3]
            R, S = (engine.poses(model, x, link.name)[..., :3, :3] for x in (q, truth))
            d[..., angles] = 0.0
            d[..., angles[0]] = (Rotation.from_matrix(R) * Rotation.from_matrix(S).inv()).magnitude()
    return d
