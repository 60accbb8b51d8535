"""Several surfaces on one path, halves that cannot be reached, and ends of cylinders."""

import numpy as np
import pytest
from tests.muscles.paths import scenes

import softstride as ss
from softstride.model.path import WrapCylinder, WrapEllipsoid
from softstride.notes import codes, sentences

START, END = np.array([-0.1, 0.0]), np.array([0.1, 0.0])


def disc(x, y, radius, **changes):
    """A long cylinder along z of the world in the default pose."""
    pose = np.eye(4)
    pose[:2, 3] = x, y
    return WrapCylinder("body", pose, **({"radius": radius, "length": 1.0} | changes))


def scene(first, second):
    return scenes.over(first, (*START, 0.0), (*END, 0.0), t=second)


def over_both(first, second):
    """Length of a string from START to END over the upper sides of two discs (centre, radius), by hand.

    Tangents to the discs, the outer tangent between them, and arcs, all turning clockwise.
    """
    (a, r), (b, s) = ((np.asarray(centre), radius) for centre, radius in (first, second))

    def touch(point, centre, radius, side):
        """Angle on the disc where a line from a point touches it, on the side asked for."""
        d = point - centre
        return np.arctan2(d[1], d[0]) + side * np.arccos(radius / np.linalg.norm(d))

    d = b - a
    between = np.arctan2(d[1], d[0]) + np.arccos((r - s) / np.linalg.norm(d))
    at = [touch(START, a, r, -1.0), between, between, touch(END, b, s, 1.0)]
    on = [
        c + radius * np.array([np.cos(w), np.sin(w)])
        for c, radius, w in zip((a, a, b, b), (r, r, s, s), at, strict=True)
    ]
    arcs = [radius * ((at[i] - at[i + 1]) % (2.0 * np.pi)) for i, radius in ((0, r), (2, s))]
    straight = [on[0] - START, on[2] - on[1], END - on[3]]
    return sum(arcs) + sum(np.linalg.norm(x) for x in straight)


def test_a_side_is_chosen_anew_when_another_surface_lifts_the_path():
    """Alone the small disc is passed below; the big one lifts the path over its centre: both are passed above."""
    small, big = ((-0.05, 0.009), 0.01), ((0.0, -0.004), 0.03)
    model = scene(disc(*small[0], small[1]), disc(*big[0], big[1]))
    found = ss.muscle_paths(model, model.neutral())
    assert found.length[0] == pytest.approx(over_both(small, big), abs=1e-12)
    assert found.notes == ()
    alone = scenes.over(disc(*small[0], small[1]), (*START, 0.0), (*END, 0.0))
    assert ss.path_points(alone, alone.neutral(), "m", arc_points=1)[2, 1] < 0.0


def test_the_order_of_two_surfaces_does_not_matter():
    small, big = disc(-0.05, 0.009, 0.01), disc(0.0, -0.004, 0.03)
    one, other = scene(small, big), scene(big, small)
    lengths = [ss.muscle_paths(model, model.neutral()).length[0] for model in (one, other)]
    assert lengths[0] == pytest.approx(lengths[1], abs=1e-12)


def test_an_end_inside_the_second_surface_leaves_the_first_as_it_is_alone():
    """Either order: the surface that is entered is not wrapped, and the path lies on the other one only."""
    around, entered = disc(0.0, -0.004, 0.02), disc(0.095, 0.0, 0.02)
    alone = scenes.over(around, (*START, 0.0), (*END, 0.0))
    length = ss.muscle_paths(alone, alone.neutral()).length[0]
    for model, name in ((scene(around, entered), "t"), (scene(entered, around), "s")):
        found = ss.muscle_paths(model, model.neutral())
        assert found.length[0] == pytest.approx(length, abs=1e-15)
        assert sentences(found.notes) == (
            f"m: an end of the path is inside {name!r}, which it does not wrap around there (frame 0).",
        )


def test_ways_that_do_not_settle_are_said():
    """One disc must be passed above, the next is passed below: each takes away what the other was wrapped for."""
    model = scene(disc(-0.039, -0.002, 0.012, quadrant="+y"), disc(0.004, 0.005, 0.022))
    q = scenes.at_rest(model, 3)
    q[1, :2] = 1.0, 1.0  # the body is far away: nothing is wrapped
    notes = ss.muscle_paths(model, q).notes
    assert codes(notes) == ("paths.not-settled",) * 2
    assert sentences(notes) == tuple(
        f"m: the way over {name!r} did not settle, its length is uncertain (frames 0, 2)." for name in "st"
    )


def test_a_half_that_cannot_be_reached_is_said():
    """The path lies on the half that it should not touch, and says in which frames."""
    surface = WrapEllipsoid("body", a=0.023, b=0.026, c=0.033, quadrant="+x")
    model = scenes.over(surface, (-0.06, 0.0, 0.0), (0.06, 0.0, 0.005))
    q = scenes.at_rest(model, 2)
    q[0, :3] = -0.003, -0.002, 0.005
    q[1, :3] = 1.0
    assert sentences(ss.muscle_paths(model, q).notes) == (
        "m: the path touches the wrong half of 's', since there is no way over the other (frame 0).",
    )
    middle = ss.path_points(model, q[0], "m", arc_points=1)[2] - q[0, :3]
    assert middle[0] < 0.0
    assert np.sum((middle / (0.023, 0.026, 0.033)) ** 2) == pytest.approx(1.0, abs=1e-6)  # drawn by steps


@pytest.mark.parametrize(("length", "wraps"), [(1.0, True), (0.02, True), (0.005, False)])
def test_a_cylinder_is_wrapped_while_one_end_of_the_way_is_on_it(length, wraps):
    """A steep path, unrolled: from -0.1 it rises evenly by 0.212 m over tangent, arc and tangent."""
    radius, start, end = 0.03, np.array([-0.1, 0.0, -0.1]), np.array([0.1, 0.001, 0.112])
    far = [np.hypot(*point[:2]) for point in (start, end)]
    tangents = [np.sqrt(d**2 - radius**2) for d in far]
    arc = radius * (np.pi - np.arctan2(0.001, 0.1) - sum(np.arccos(radius / d) for d in far))
    way = sum(tangents) + arc
    at = [-0.1 + 0.212 * tangents[0] / way, 0.112 - 0.212 * tangents[1] / way]
    assert -0.01 < at[0] < -0.0025 and at[1] > 0.01  # half of 0.02 lies between, half of 0.005 below both
    model = scenes.over(WrapCylinder("body", radius=radius, length=length), start, end)
    found = ss.muscle_paths(model, model.neutral()).length[0]
    expected = np.hypot(way, 0.212) if wraps else np.linalg.norm(end - start)
    assert found == pytest.approx(expected, abs=1e-14)
    if wraps:
        line = ss.path_points(model, model.neutral(), "m", arc_points=0)
        assert line[1:3, 2] == pytest.approx(at, abs=1e-14)
