"""Somebody on a running blade whose strains are those of a given force: truth for the tests of the load cell.

Strains are found by Newton's method on the rows of the rod as the engine gives them, with the force on a section of the
rod by the engine's own places; nothing of `softstride.dynamics` is used.
"""

from dataclasses import replace
from functools import cache
from importlib.resources import files

import numpy as np
from scipy.optimize import least_squares
from tests.models import the_model

from softstride import engine
from softstride.capture import ExternalForce, Recording
from softstride.kinematics import Motion
from softstride.model import Frame, Inertia, amputate, attach_blade
from softstride.model.blade_file import blade_from_text
from softstride.model.library.blades import blade as packaged

ROD = "blade_r"


@cache
def runner(factor=1.0, blade=None):
    """Return a person with a blade on the right whose stiffness is multiplied."""
    person = amputate(the_model("gait"), "right", below_knee=0.15)
    return attach_blade(person, "right", (blade or packaged("j-medium")).stiffened(factor))


def finer(parts=4):
    """Return the same blade, each of its six segments cut in parts; thickness varies from part to part."""
    text = files("softstride.model.library.blades").joinpath("j.toml").read_text(encoding="utf-8")
    lengths = np.array([segment.length for segment in packaged("j-medium").rod.segments])
    shares = np.repeat(lengths / lengths.sum() / parts, parts)
    text = text.replace('shape = "J"', f'shape = "J"\nsegments = {[float(share) for share in shares]}')
    return blade_from_text(text, "the finer blade", name="j-medium", category="medium")


def own(model, link=ROD):
    return list(model.q_indices(link)), list(model.v_indices(link))


def left_over(model, q, v, a, loads, link=ROD):
    """Return the rows of the rod: M a + b - J^T w - passive, shape (n, k)."""
    tau = engine.inverse_dynamics(model, q, v, a, loads) - engine.passive_forces(model, q, v)
    return tau[:, own(model, link)[1]]


def bend(model, q, v, a, loads_of, link=ROD, parts=5):
    """Return q with the strains that balance loads, put on in parts.

    `loads_of(q, share)` gives the loads of configurations (n * m, nq), m times all frames one after the other.
    """
    q = q.copy()
    columns, rows = own(model, link)
    n, k, step = len(q), len(rows), 1e-6
    for share in np.linspace(1.0 / parts, 1.0, parts):
        for _ in range(30):
            gap = left_over(model, q, v, a, loads_of(q, share), link)
            if np.abs(gap).max() < (1e-10 if share == 1.0 else 1e-2):
                break
            change = np.zeros((2 * k, n, model.nq))
            for i, column in enumerate(columns):
                change[i, :, column], change[k + i, :, column] = step, -step
            moved = (q + change).reshape(-1, model.nq)
            many = left_over(
                model, moved, np.tile(v, (2 * k, 1)), np.tile(a, (2 * k, 1)), loads_of(moved, share), link
            ).reshape(2, k, n, k)
            slope = np.moveaxis((many[0] - many[1]) / (2.0 * step), 0, 2)
            q[:, columns] -= np.linalg.solve(slope, gap[..., None])[..., 0]
    assert np.abs(left_over(model, q, v, a, loads_of(q, 1.0), link)).max() < 1e-9
    return q


def at_section(force, place):
    """Return the loads of a force (n, 3) at one place, as `bend` takes them."""
    wrench = np.concatenate([np.zeros_like(force), force], axis=1)
    return lambda q, share: {place: share * np.tile(wrench, (len(q) // len(force), 1))}


def at_sections(force, stations, offsets):
    """Return the loads of forces (n, 3), each at its own place of the sole, as `bend` takes them."""
    places = {}
    for frame, (s, offset) in enumerate(zip(stations, offsets, strict=True)):
        places.setdefault((float(s), tuple(offset)), []).append(frame)

    wrenches = {}
    for (s, offset), frames in places.items():
        wrench = np.zeros((len(force), 6))
        wrench[frames, 3:] = force[frames]
        wrenches[Frame(ROD, at=s, position=offset)] = wrench
    return lambda q, share: {
        place: share * np.tile(wrench, (len(q) // len(force), 1)) for place, wrench in wrenches.items()
    }


def rolling(model, blade, force, q, v=None, a=None):
    """Return q of somebody whose blade is pressed by a force where its sole is lowest, and these places (n, 3)."""
    v, a = (np.zeros((len(q), model.nv)) if x is None else x for x in (v, a))
    stations = np.linspace(0.6 * blade.length, blade.length, 218)
    offsets = np.stack([blade.sole_offset(s) for s in stations])
    places = [Frame(ROD, at=s, position=o) for s, o in zip(stations, offsets, strict=True)]
    at = engine.positions(model, q, places)[:, :, 1].argmin(axis=1)
    low, high = np.zeros(len(q), dtype=int), np.full(len(q), len(stations) - 1)
    for turn in range(10):  # pressed nearer to the toe, a blade is lowest farther back: the place is between
        q = bend(
            model,
            q,
            v,
            a,
            at_sections(force, stations[at], offsets[at]),
            parts=1 if turn or q[:, own(model)[0]].any() else 3,
        )
        lowest = engine.positions(model, q, places)[:, :, 1].argmin(axis=1)
        if (np.abs(lowest - at) <= 1).all():  # of steps of 1 mm
            break
        low, high = np.where(lowest > at, at, low), np.where(lowest < at, at, high)
        at = np.where(np.abs(lowest - at) <= 1, at, (low + high) // 2)
    assert (np.abs(lowest - at) <= 1).all()
    return q, engine.positions(model, q, places)[np.arange(len(q)), at]


def pushes(n=40, peak=1200.0, seed=4):
    """Return forces of a step: up to a peak and back, with shear in both directions, shape (n, 3), [N]."""
    rng = np.random.default_rng(seed)
    up = peak * np.sin(np.pi * (np.arange(n) + 0.5) / n) + 20.0
    along = up * (0.2 * np.cos(np.pi * np.arange(n) / n) + 0.02 * rng.normal(size=n))
    across = up * (0.05 + 0.02 * rng.normal(size=n))
    return np.stack([along, up, across], axis=1)


def leaning(model, n):
    """Return poses of somebody who leans over the blade from behind to ahead, shape (n, nq)."""
    q = np.tile(model.neutral(), (n, 1))
    names = list(model.coordinate_names)
    q[:, names.index("hip_flexion_r")] = np.linspace(0.2, -0.1, n)
    q[:, names.index("knee_angle_r")] = -0.15
    q[:, names.index("hip_adduction_r")] = 0.05
    return q


def stance(model, force=None, share=0.875, n=40, moving=False, seed=2):
    """Return a motion whose strains are those of a force at a section, and a recording of that force."""
    force = pushes(n) if force is None else force
    n = len(force)
    rng = np.random.default_rng(seed)
    q = leaning(model, n)
    v, a = (scale * rng.normal(size=(n, model.nv)) * moving for scale in (0.3, 1.0))
    place = Frame(ROD, at=share * model.link(ROD).joint.length)
    q = bend(model, q, v, a, at_section(force, place))
    motion = Motion(model, np.arange(n) / 200.0, q, rates=(v, a))
    point = engine.positions(model, q, place)
    plate = ExternalForce("plate", motion.time, force, point, np.zeros_like(force), body=ROD)
    return motion, Recording("stance", forces=(plate,))


@cache
def usual_stance():
    """Return motion and recording of the usual runner, frames of a whole step."""
    return stance(runner())


def noisy(motion, std, seed, model=None, alike=0.0):
    """Return the motion with noise on the strains [1/m], of a correlation from frame to frame; rates stay."""
    rng = np.random.default_rng(seed)
    columns, _ = own(motion.model)
    noise = rng.normal(size=(len(motion), len(columns)))
    for i in range(1, len(noise)):
        noise[i] = alike * noise[i - 1] + np.sqrt(1.0 - alike**2) * noise[i]
    q = motion.q.copy()
    q[:, columns] += std * noise
    return Motion(model or motion.model, motion.time, q, rates=(motion.v, motion.a))


def coarser(truth, blade, q_truth, coarse, coarse_blade):
    """Return poses of a model with a coarser blade that meets the finer one's edges at 16 sections best, (n, nq)."""
    at = np.linspace(0.0, blade.length, 17)[1:]
    edges = np.array([[0.0, y, 0.0] for y in (-0.035, 0.035)])

    def points(own_blade, strains):
        H = own_blade.poses(at, strains)
        return (H[:, None, :3, 3] + np.einsum("kij,ej->kei", H[:, :3, :3], edges)).ravel()

    columns, fine = own(coarse)[0], own(truth)[0]
    q = np.zeros((len(q_truth), coarse.nq))
    others = [i for i in range(coarse.nq) if i not in columns]
    q[:, others] = q_truth[:, [i for i in range(truth.nq) if i not in fine]]
    start = np.zeros(len(columns))
    for frame, strains in enumerate(q_truth[:, fine]):
        wanted = points(blade, strains)
        start = least_squares(lambda x, wanted=wanted: 1e3 * (points(coarse_blade, x) - wanted), start).x
        q[frame, columns] = start
    return q


def balanced(model, q, loads, base="pelvis"):
    """Return accelerations of the base alone under which nothing is left for it to bear, from rest, (n, nv)."""
    still = np.zeros((len(q), model.nv))
    rows = list(model.v_indices(base))
    left = engine.inverse_dynamics(model, q, still, still, loads)[:, rows]
    M = engine.mass_matrix(model, q)[:, rows][:, :, rows]
    a = still.copy()
    a[:, rows] = -np.linalg.solve(M, left[..., None])[..., 0]
    return a


def hop(model, blade, n=24, peak=1.5):
    """Return somebody on the blade alone who is thrown up through the centre of mass: motion, force and its place.

    Every frame is an instant of rest under a force of up to `peak` body weights; strains and the accelerations of the
    base are those of that force, so that all rows of the equation of motion hold.
    """
    names = list(model.coordinate_names)
    q = leaning(model, n)
    q[:, names.index("hip_flexion_r")] = np.linspace(0.05, -0.05, n)
    q[:, names.index("knee_angle_r")] = -0.1
    q[:, names.index("hip_flexion_l")], q[:, names.index("knee_angle_l")] = 0.5, -1.2
    size = peak * 9.80665 * model.mass * (0.4 + 0.6 * np.sin(np.pi * (np.arange(n) + 0.5) / n))
    a = np.zeros((n, model.nv))
    force = np.outer(size, [0.0, 1.0, 0.0])
    for _ in range(5):
        q, point = rolling(model, blade, force, q, a=a)
        arm = engine.centre_of_mass(model, q) - point
        a = balanced(model, q, {ROD: about_tip(model, q, force, point)})
        force = size[:, None] * arm / np.linalg.norm(arm, axis=1, keepdims=True)
    q, point = rolling(model, blade, force, q, a=a)
    a = balanced(model, q, {ROD: about_tip(model, q, force, point)})
    q[:, names.index("pelvis_ty")] -= point[:, 1]
    point[:, 1] = 0.0
    return Motion(model, np.arange(n) / 100.0, q, rates=(np.zeros_like(a), a)), force, point


def about_tip(model, q, force, point):
    arm = point - engine.positions(model, q, ROD)
    return np.concatenate([np.cross(arm, force), force], axis=1)


def heavier(model, factor):
    """Return the model with the mass of everything but the prosthesis multiplied."""
    kept = ("socket_r", "clamp_r", ROD)
    links = tuple(
        link
        if link.name in kept
        else replace(
            link,
            inertia=Inertia(
                factor * link.mass, link.inertia.com, factor * link.inertia.matrix, link.inertia.physical
            ),
        )
        for link in model.links
    )
    return model.replace(links=links)


def without_a_blade(model, motion):
    """Return somebody on two feet, who stands still, in their places."""
    person = the_model("gait")
    still = np.zeros((1, person.nv))
    return person, Motion(person, [0.0], person.neutral()[None], rates=(still, still))
