"""One side of a surface along a trial: no jumps of arms that the geometry does not force."""

import numpy as np
import pytest
from tests.models import the_model
from tests.muscles.paths import scenes

import softstride as ss
from softstride.model import ModelBuilder
from softstride.model.path import WrapCylinder, WrapEllipsoid, WrapSphere, WrapTorus

START, END = (-0.1, 0.0, 0.0), (0.1, 0.0, 0.005)


def sweep(surface, y, z=0.0, **options):
    """The body moves along y [m] past a segment along x, its z axis across; returns the paths."""
    model = scenes.over(surface, START, END)
    q = scenes.at_rest(model, len(y))
    q[:, 1], q[:, 2] = y, z
    return model, q, ss.muscle_paths(model, q, **options)


def largest_step(x):
    return np.abs(np.diff(x, axis=0)).max()


def test_a_cylinder_that_passes_the_segment_keeps_the_path_on_its_side():
    """From just touching on one side to well behind the other: arms change smoothly, and return the same way."""
    way = np.concatenate([np.linspace(-0.03, 0.03, 600), np.linspace(0.03, -0.03, 600)])
    _, _, found = sweep(WrapCylinder("body", radius=0.02), way)
    force = found.arms[:, 0, 4]  # along y
    assert largest_step(found.length) < 1e-4
    assert largest_step(force) < 0.02
    assert found.length[:600] == pytest.approx(found.length[600:][::-1], abs=1e-12)
    assert np.all(force <= 0.0)
    assert force.min() < -0.9  # pushed far to the side
    assert found.notes[0].code == "paths.longer-way"
    assert str(found.notes[0]).startswith(
        "m: the path keeps its side of 's', although the other way round is shorter"
    )


@pytest.mark.parametrize(("axes", "z"), [((0.03, 0.02, 0.05), 0.0), ((0.03, 0.015, 0.1), 0.01)])
def test_an_ellipsoid_says_where_it_keeps_the_longer_side(axes, z):
    """As the cylinder: the frames are those in which a path without a past is shorter, but for one at the middle."""
    surface = WrapEllipsoid("body", a=axes[0], b=axes[1], c=axes[2])
    model, q, found = sweep(surface, np.linspace(-0.03, 0.03, 121), z)
    alone = np.array([ss.muscle_paths(model, pose).length[0] for pose in q])
    longer = np.flatnonzero(found.length[:, 0] > alone + 1e-9)
    assert len(longer) > 50
    (note,) = found.notes
    first, last = note.values["first_frame"], note.values["last_frame"]
    assert str(note) == (
        "m: the path keeps its side of 's', although the other way round is shorter "
        f"(frames {first} to {last})."
    )
    assert np.all(np.diff(longer) == 1) and abs(first - longer[0]) <= 1 and last == longer[-1]


def test_an_ellipsoid_that_is_wrapped_the_shorter_way_says_nothing():
    """Along the long axis: landing, sliding over and lifting on one side, with nothing to remark."""
    model = scenes.over(WrapEllipsoid("body", a=0.03, b=0.02, c=0.05), START, END)
    q = scenes.at_rest(model, 200)
    q[:, 0], q[:, 1] = np.linspace(-0.05, 0.05, 200), np.linspace(-0.022, -0.005, 200)
    found = ss.muscle_paths(model, q)
    assert np.mean(found.length > np.hypot(0.2, 0.005) + 1e-9) > 0.5
    assert found.notes == ()


def test_a_path_slips_off_where_its_neighbours_are_shorter():
    """Kept on the far side of an ellipsoid until a way aside of it is shorter: from there on as without a past.

    A plane section turned by 0.05 rad from the one that the path is in is longer before, and shorter after it.
    """
    axes, way = (0.03, 0.02, 0.022), np.linspace(-0.03, 0.03, 241)
    model = scenes.over(WrapEllipsoid("body", a=axes[0], b=axes[1], c=axes[2]), (-0.1, 0, 0), (0.1, 0, 0))
    q = scenes.at_rest(model, len(way))
    q[:, 1] = way
    length = ss.muscle_paths(model, q).length[:, 0]
    alone = np.array([ss.muscle_paths(model, pose).length[0] for pose in q])
    slips = int(np.flatnonzero(length > alone + 1e-9)[-1]) + 1
    assert 125 < slips < 160  # the middle is at 120, and the ellipsoid is left behind at 200
    assert length[slips:] == pytest.approx(alone[slips:], abs=1e-10)

    def turned(f, angle):
        """Length over the far side in a plane of the segment at an angle to that of the y axis."""
        start, end = np.array([[-0.1, -way[f], 0.0], [0.1, -way[f], 0.0]]) / axes
        return _section(np.array(axes), start, end, np.array([0.0, np.cos(angle), np.sin(angle)]))

    assert turned(slips - 8, 0.05) > turned(slips - 8, 0.0)
    assert turned(slips + 8, 0.05) < turned(slips + 8, 0.0)


def _section(axes, start, end, u, parts=20001):
    """Length of the path over an ellipsoid in the plane of a segment and u, on the side of u, by a fine polygon."""
    e = (end - start) / np.linalg.norm(end - start)
    foot = start - (start @ e) * e
    u = u - (u @ e) * e
    u = u / np.linalg.norm(u)
    height = foot @ u
    centre = foot - height * u
    rho = np.sqrt(1.0 - centre @ centre)
    ends = np.array([[(start - foot) @ e, height], [(end - foot) @ e, height]])
    at = np.arctan2(ends[:, 1], ends[:, 0])
    at[0] += 2.0 * np.pi * (at[0] < 0.0)
    lean = np.arccos(rho / np.linalg.norm(ends, axis=1))
    w = np.linspace(at[0] - lean[0], at[1] + lean[1], parts)[:, None]
    line = np.concatenate([start[None], centre + rho * (np.cos(w) * e + np.sin(w) * u), end[None]])
    return np.linalg.norm(np.diff(line * axes, axis=0), axis=1).sum()


def test_without_a_past_the_shorter_way_is_taken():
    """The same poses one by one: the side changes where the axis passes the segment, and the arm jumps."""
    way = np.linspace(-0.019, 0.019, 20)
    model, q, _ = sweep(WrapCylinder("body", radius=0.02), way)
    alone = np.array([ss.muscle_paths(model, pose).arms[0, 4] for pose in q])
    assert np.all(np.sign(alone) == np.sign(way))


def test_frames_far_apart_begin_anew():
    """Consecutive poses that are no motion: each as it would be alone."""
    rng = np.random.default_rng(0)
    builder = ModelBuilder("two")
    builder.revolute("a", axis=(0, 0, 1))
    builder.revolute("b", "a", axis=(0, 0, 1), position=(0.1, 0.0, 0.0))
    surface = WrapCylinder("a", _at(0.1), radius=0.02)
    points = [("world", (-0.1, 0.001, 0.0)), ("b", (0.1, 0.0, 0.0))]
    model = builder.build().replace(wraps={"s": surface}, muscles={"m": scenes.muscle("m", points, ["s"])})
    q = rng.uniform(-1.2, 1.2, (60, 2))
    far = np.abs(np.diff(q, axis=0)).max(axis=1) > 0.5
    together = ss.muscle_paths(model, q).length[1:][far]
    alone = np.array([ss.muscle_paths(model, pose).length for pose in q])[1:][far]
    assert np.array_equal(together, alone)


def _at(x):
    pose = np.eye(4)
    pose[0, 3] = x
    return pose


@pytest.mark.parametrize(
    "surface",
    [
        WrapSphere("body", radius=0.02),
        WrapEllipsoid("body", a=0.03, b=0.025, c=0.02),
        WrapEllipsoid("body", a=0.02, b=0.03, c=0.05),
        WrapTorus("body", inner=0.01, outer=0.03),
    ],
    ids=["sphere", "ellipsoid", "long ellipsoid", "torus"],
)
def test_landing_and_lifting_are_smooth(surface):
    """Past the segment at some height: the path lands, slides over, lifts; nothing jumps on the way."""
    way = np.linspace(-0.06, 0.06, 1500)
    model = scenes.over(surface, (-0.1, 0.0, -0.1), (0.1, 0.0, 0.105))
    q = scenes.at_rest(model, 1500)
    q[:, 0], q[:, 1] = way, 0.012
    found = ss.muscle_paths(model, q)
    straight = np.hypot(0.2, 0.205)
    wrapped = found.length[:, 0] > straight + 1e-9
    assert 0.1 < wrapped.mean() < 0.95
    assert largest_step(found.length) < 1e-4
    assert largest_step(found.arms[:, 0, 3:]) < 0.03
    assert largest_step(found.arms[:, 0, :3]) < 1e-3


def test_coming_back_gives_the_same_path():
    """There and back over an ellipsoid: warm starts from both sides meet in the same geodesic."""
    way = np.linspace(-0.02, 0.02, 200)
    surface = WrapEllipsoid("body", a=0.03, b=0.025, c=0.02)
    _, _, found = sweep(surface, np.concatenate([way, way[::-1]]), z=0.008)
    assert found.length[:200] == pytest.approx(found.length[200:][::-1], abs=1e-11)
    assert found.arms[:200] == pytest.approx(found.arms[200:][::-1], abs=1e-8)


def test_recorded_motions_have_no_jumps_but_those_of_the_model(shared_data):
    """Between recorded frames ten more are put: a jump stays a jump, all else becomes small.

    Left are points with a condition, and one end that enters its surface, which a note says.
    """
    model = the_model(shared_data / "walk_opencap_s4/manually_scaled.osim")
    motion = ss.read_motion(shared_data / "walk_opencap_s4/reference/walking1_manual_scaling_ik.mot", model)
    at = np.linspace(0.0, len(motion.q) - 1.0, 10 * len(motion.q) - 9)
    q = np.stack([np.interp(at, np.arange(len(motion.q)), column) for column in motion.q.T], axis=1)
    found = ss.muscle_paths(model, q)
    steps = np.abs(np.diff(found.arms, axis=0)).max(axis=(0, 2))
    jumping = {name for name, step in zip(found.names, steps, strict=True) if step > 5e-4}
    assert jumping == {"glmax1_l"}
    assert any(note.code == "paths.end-inside" and note.names[0] == "glmax1_l" for note in found.notes)
