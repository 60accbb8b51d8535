"""A person from a tree: bones from joint to joint, a body that fits the mass around them, feet around their soles.

Models say where joints are and how heavy links are, not what they look like. A bone runs from the origin of a link to
where the next links begin; one that carries a right and a left link, as pelvis and trunk do, forks at their midpoint. A
link at the end of a limb reaches to twice its centre of mass. The body of a link is a capsule or an ellipsoid of its
mass, of the density of water.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from softstride.model.contact_shape import ContactSphere
from softstride.model.model import Model
from softstride.scene import bones, trunk
from softstride.scene.shapes import Shape
from softstride.scene.tree import FEET, Limb, limbs

Floats = NDArray[np.float64]

DENSITY = 1000.0  # [kg/m³]
SHORT = 0.03  # [m]; what is nearer counts as the same place
HANDS = ("hand",)
TRUNKS = ("torso", "trunk", "thorax", "hat", "upper_body")
SHOULDER_SHARE = (
    0.626  # of the way from hips to shoulders, centre of mass of head, arms and trunk [Winter2009]
)
LUMBAR = (-0.045, 0.14, 0.0)  # [m] from the hips to the lumbar joint
HEAD = 0.08  # share of the body's mass
HEAD_RADII = (0.095, 0.118, 0.078)  # [m] forward, up, right
SOLE = 0.011  # [m] rounding of a foot around the points of its sole
SKIN = 0.006  # [m] and around markers, which are on it


def shapes(model: Model) -> tuple[Shape, ...]:
    """Return the shapes of all rigid links with mass."""
    found: list[Shape] = []
    for limb in limbs(model):
        if limb.artificial:
            found += _fitting(limb)
        elif limb.small:
            found.append(_pebble(limb))
        elif len(_sole(model, limb)):
            found += _foot(model, limb)
        else:
            found += _limb(model, limb)
    return tuple(found)


def _limb(model: Model, limb: Limb) -> list[Shape]:
    """Return a limb: a bone to each end, flesh around the longest; trunk and pelvis have bones of their own."""
    name, origin = limb.link.name, np.zeros(3)
    fork, others = _fork(limb.ends)
    if name.lower() in TRUNKS:
        return _trunk(model, limb, fork)
    if fork is not None and limb.root:
        return _pelvis(limb, fork, others)
    centre = 2.0 * limb.link.inertia.com
    far = max((float(np.linalg.norm(end)) for end in limb.ends), default=0.0)
    lines = [(origin, end) for end in limb.ends if np.linalg.norm(end) > SHORT]
    if far < 0.5 * np.linalg.norm(centre):
        lines.append((origin, centre))
    if not lines:
        return []
    longest = max(lines, key=lambda line: np.linalg.norm(line[1] - line[0]))
    flesh = _flesh(name, longest, limb.link.mass)
    if name.lower().startswith(HANDS) and not len(limb.ends):
        return [*bones.hand(name, 1.15 * centre), flesh]
    return [*(part for line in lines for part in bones.long_bone(name, *line)), flesh]


def _pelvis(limb: Limb, hips: tuple[Floats, Floats], others: list[Floats]) -> list[Shape]:
    name = limb.link.name
    hub = 0.5 * (hips[0] + hips[1])
    return [
        *trunk.pelvis(name, hips, others[0] if others else None),
        _barrel(name, hub, others[0] if others else np.zeros(3), hips, limb.link.mass),
    ]


def _trunk(model: Model, limb: Limb, fork: tuple[Floats, Floats] | None) -> list[Shape]:
    """Return a trunk with its head; one that carries legs has a pelvis, one without arms gets shoulders."""
    name, com = limb.link.name, limb.link.inertia.com
    if fork is not None and not limb.root:
        shoulders, found = fork, []
    else:
        high = (1.0 / SHOULDER_SHARE if fork is not None else 1.2) * com
        out = np.array([0.0, 0.0, trunk.SHOULDERS])
        shoulders = (high + out, high - out)
        found = [] if fork is None else trunk.pelvis(name, fork, None)
        if fork is not None:
            found += [part for each in shoulders for part in trunk.hanging_arm(name, each, 1.0)]
    hub = 0.5 * (shoulders[0] + shoulders[1])
    bottom = np.zeros(3) if fork is None or not limb.root else 0.5 * (fork[0] + fork[1]) + LUMBAR
    centre = _head_centre(model, name, hub)
    base = centre - (0.02, 0.045, 0.0)
    found += [*trunk.spine(name, bottom, hub, base), *trunk.chest(name, bottom, shoulders)]
    found += trunk.skull(name, centre)
    head = Shape("ellipsoid", name, "body", centre[None], np.array(HEAD_RADII))
    return [*found, _barrel(name, hub, bottom, shoulders, limb.link.mass - HEAD * model.mass), head]


def _fork(ends: Floats) -> tuple[tuple[Floats, Floats] | None, list[Floats]]:
    """Return the pair of ends that mirror each other about the sagittal plane, if there is one, and the others."""
    mirror = np.array([1.0, 1.0, -1.0])
    for i, a in enumerate(ends):
        for j in range(i + 1, len(ends)):
            b = ends[j]
            if abs(a[2]) > SHORT and np.linalg.norm(a - mirror * b) < SHORT:
                return (a, b), [end for k, end in enumerate(ends) if k not in (i, j)]
    return None, list(ends)


def _flesh(name: str, line: tuple[Floats, Floats], mass: float) -> Shape:
    """Return a capsule of this mass along a line: pi r² L + 4/3 pi r³ = V, wider at its upper end."""
    length = float(np.linalg.norm(line[1] - line[0]))
    volume, r = mass / DENSITY, (3.0 * mass / DENSITY / (4.0 * math.pi)) ** (1.0 / 3.0)
    for _ in range(30):
        f = math.pi * r * r * length + 4.0 / 3.0 * math.pi * r**3 - volume
        r -= f / (2.0 * math.pi * r * length + 4.0 * math.pi * r * r)
    return Shape("capsule", name, "body", np.stack(line), np.array([1.12, 0.82]) * r)


def _barrel(name: str, hub: Floats, reach: Floats, fork: tuple[Floats, Floats], mass: float) -> Shape:
    """Return an ellipsoid that spans a fork and the way to the other end of the link."""
    along = hub - reach
    wide = 0.5 * float(np.linalg.norm(fork[0] - fork[1]))
    high = 0.5 * float(np.linalg.norm(along)) + 0.05
    sideways = 0.85 * wide if wide > 0.12 else 1.6 * wide
    deep = float(np.clip(mass / DENSITY / (4.0 / 3.0 * math.pi * high * sideways), 0.085, 0.12))
    up = along / max(float(np.linalg.norm(along)), 1e-9)
    right = np.array([0.0, 0.0, 1.0]) - up[2] * up
    right /= np.linalg.norm(right)
    axes = np.stack([np.cross(up, right), up, right], axis=1)
    return Shape(
        "ellipsoid", name, "body", (0.5 * (hub + reach))[None], np.array([deep, high, sideways]), axes
    )


def _head_centre(model: Model, name: str, top: Floats) -> Floats:
    """Return the middle of the head; below the vertex where the model has one."""
    vertex = model.frames.get("vertex")
    if vertex is not None and vertex.link == name:
        return np.asarray(vertex.position) - (0.0, HEAD_RADII[1], 0.0)
    return np.asarray(top * (1.0 + 0.20 / max(float(np.linalg.norm(top)), SHORT)))


def _pebble(limb: Limb) -> Shape:
    r = float(np.clip((3.0 * limb.link.mass / DENSITY / (4.0 * math.pi)) ** (1.0 / 3.0), 0.006, 0.02))
    return Shape("ellipsoid", limb.link.name, "bones", limb.link.inertia.com[None], np.full(3, r))


def _fitting(limb: Limb) -> list[Shape]:
    """Return a part of a prosthesis: around its centre of mass, and on to what hangs on it."""
    name, origin = limb.link.name, np.zeros(3)
    upper = 2.0 * limb.link.inertia.com
    found = []
    if np.linalg.norm(upper) > SHORT:
        wide = 0.055 if limb.link.mass > 0.5 else 0.018
        found.append(
            Shape("capsule", name, "prosthesis", np.stack([upper, origin]), np.array([wide, 0.75 * wide]))
        )
    found += [
        Shape("capsule", name, "prosthesis", np.stack([origin, end]), np.array([0.016, 0.016]))
        for end in limb.ends
        if np.linalg.norm(end) > 0.1 * SHORT
    ]
    return found


def _sole(model: Model, limb: Limb) -> Floats:
    """Return the points by which a link stands: contacts or, for what is called a foot, markers."""
    name = limb.link.name
    found = [
        shape.position
        for shape in model.contacts.values()
        if isinstance(shape, ContactSphere) and shape.link == name
    ]
    if len(found) < 2 and name.lower().startswith(FEET):
        found = [marker.position for marker in model.markers.values() if marker.link == name]
    return np.array(found if len(found) >= 2 else []).reshape(-1, 3)


def _foot(model: Model, limb: Limb) -> list[Shape]:
    name, sole = limb.link.name, _sole(model, limb)
    joints = [*limb.ends, *([] if np.isnan(limb.above).any() else [limb.above])]
    near = [joint for joint in joints if np.linalg.norm(joint - sole.mean(axis=0)) < 0.25]
    touching = any(shape.link == name for shape in model.contacts.values())
    lift = np.array([0.0, SOLE if touching else 0.0, 0.0])  # rounded, it touches where the points are
    flat = np.ptp(sole[:, 2]) < 0.01
    wide = np.array([0.0, 0.0, bones.NARROW])
    around = np.concatenate([sole - wide, sole + wide]) if flat else sole
    points = np.concatenate([around + lift, np.zeros((1, 3)), *[joint[None] for joint in near]])
    if name.lower().startswith("toes"):
        inside = bones.toes(name, sole)
    else:
        ankle = max([np.zeros(3), *near], key=lambda joint: float(joint[1]))
        inside = bones.foot(name, ankle, sole, limb.ends[0] if len(limb.ends) else None)
    return [*inside, Shape("hull", name, "body", points, np.array([SOLE if touching else SKIN]))]
