"""Ellipsoid and torus: principal sections by hand, OpenSim's geodesics, and the least length of all."""

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.optimize import brentq
from tests.muscles.paths import scenes

import softstride as ss
from softstride.model.path import WrapEllipsoid, WrapTorus
from softstride.spatial.quaternion import quat_to_matrix

ELLIPSOIDS = [(0.03, 0.025, 0.02), (0.06, 0.02, 0.02), (0.05, 0.05, 0.01), (0.06, 0.03, 0.012)]
START, END = (-0.09, 0.0, 0.0), (0.11, 0.0, 0.01)


def ellipse_path(a, b, start, end):
    """Tangents and arc over the upper half of an ellipse x = a cos u, y = b sin u, from the left to the right."""

    def tangent(p, low, high):
        return brentq(lambda u: p[0] * np.cos(u) / a + p[1] * np.sin(u) / b - 1.0, low, high, xtol=1e-15)

    u1 = tangent(start, 0.5 * np.pi, np.pi)
    u2 = tangent(end, 0.0, 0.5 * np.pi)
    arc = quad(lambda u: np.hypot(a * np.sin(u), b * np.cos(u)), u2, u1, epsabs=1e-15, epsrel=1e-14)[0]
    ends = [np.hypot(p[0] - a * np.cos(u), p[1] - b * np.sin(u)) for p, u in ((start, u1), (end, u2))]
    return ends[0] + arc + ends[1]


def test_path_in_a_principal_plane_follows_the_ellipse():
    """The plane of the two shorter axes: the path over the least one is the shortest way."""
    model = scenes.over(
        WrapEllipsoid("body", a=0.03, b=0.02, c=0.05), (-0.08, 0.004, 0.0), (0.09, 0.006, 0.0)
    )
    found = ss.muscle_paths(model, model.neutral())
    by_hand = ellipse_path(0.03, 0.02, (-0.08, 0.004), (0.09, 0.006))
    assert found.length[0] == pytest.approx(by_hand, abs=1e-12)


def test_path_through_a_ring_in_a_plane_of_its_axis_follows_the_tube():
    tube, ring = 0.01, 0.03
    start, end = np.array([0.028, 0.0, -0.08]), np.array([0.026, 0.0, 0.09])
    model = scenes.over(WrapTorus("body", inner=tube, outer=ring), start, end)
    found = ss.muscle_paths(model, model.neutral())
    a, b = start[[0, 2]] - [ring, 0.0], end[[0, 2]] - [ring, 0.0]
    d1, d2 = np.linalg.norm(a), np.linalg.norm(b)
    turn = np.arctan2(a[1], a[0]) % (2.0 * np.pi) - np.arctan2(b[1], b[0])  # over the side of the hole
    arc = tube * (turn - np.arccos(tube / d1) - np.arccos(tube / d2))
    assert found.length[0] == pytest.approx(
        np.sqrt(d1**2 - tube**2) + arc + np.sqrt(d2**2 - tube**2), abs=1e-12
    )


def test_path_through_the_middle_of_a_ring_stays_straight():
    model = scenes.over(WrapTorus("body", inner=0.01, outer=0.03), (0.0, 0.0, -0.1), (0.005, 0.0, 0.1))
    assert ss.muscle_paths(model, model.neutral()).length[0] == pytest.approx(np.hypot(0.2, 0.005), abs=1e-15)


def in_surface(q, point):
    """Return a world point in the axes of the body, for each pose."""
    R = quat_to_matrix(q[:, 3:])
    return np.einsum("fji,fj->fi", R, np.asarray(point) - q[:, :3])


@pytest.mark.parametrize("axes", ELLIPSOIDS)
def test_ellipsoids_beside_opensim_geodesics(axes):
    """OpenSim's Scholz 2015 path, told to begin at the middle of ours, has the same length."""
    pytest.importorskip("opensim", reason="the peer of this test")
    from tests.oracles.opensim_geodesics import Geodesic

    a, b, c = axes
    model = scenes.over(WrapEllipsoid("body", a=a, b=b, c=c), START, END)
    q = scenes.random_poses(25, 0.008, seed=3)
    found = ss.muscle_paths(model, q)
    compared = 0
    for f, (start, end) in enumerate(zip(in_surface(q, START), in_surface(q, END), strict=True)):
        line = ss.path_points(model, q[f], "m", arc_points=1)
        if len(line) < 5:
            continue
        hint = in_surface(q[f : f + 1], line[2])[0]
        theirs = Geodesic("ellipsoid", axes, start, end, hint)
        assert found.length[f, 0] == pytest.approx(theirs.length, abs=1e-10)
        compared += 1
    assert compared > 15


@pytest.mark.parametrize(("tube", "ring"), [(0.01, 0.03), (0.004, 0.05)])
def test_tori_beside_opensim_geodesics(tube, ring):
    """Segments through the hole, up to 40 degrees from the axis, many of them against the ring."""
    pytest.importorskip("opensim", reason="the peer of this test")
    from tests.oracles.opensim_geodesics import Geodesic

    rng = np.random.default_rng(1)
    compared = 0
    for _ in range(25):
        aside = np.array([*rng.uniform(-0.6, 0.6, 2), 1.0])
        where = rng.uniform(-np.pi, np.pi)
        middle = (ring - rng.uniform(0.0, 1.3) * tube) * np.array([np.cos(where), np.sin(where), 0.0])
        start, end = middle - 0.09 * aside, middle + 0.11 * aside
        model = scenes.over(WrapTorus("body", inner=tube, outer=ring), start, end)
        found = ss.muscle_paths(model, model.neutral())
        line = ss.path_points(model, model.neutral(), "m", arc_points=1)
        assert not found.notes
        if len(line) < 5:
            continue
        theirs = Geodesic("torus", (tube, ring), start, end, line[2])
        assert found.length[0] == pytest.approx(theirs.length, abs=1e-10)
        compared += 1
    assert compared > 8


@pytest.mark.parametrize("axes", ELLIPSOIDS)
def test_no_plane_section_is_shorter(axes):
    """The best of 500 plane sections about the segment, in coordinates of the unit sphere; the geodesic beats it."""
    a, b, c = axes
    model = scenes.over(WrapEllipsoid("body", a=a, b=b, c=c), START, END)
    q = scenes.random_poses(40, 0.008, seed=5)
    found = ss.muscle_paths(model, q)
    for f, (start, end) in enumerate(zip(in_surface(q, START), in_surface(q, END), strict=True)):
        best = shortest_section(np.array(axes), start, end)
        if np.isfinite(best):
            assert found.length[f, 0] <= best + 1e-9
            assert found.length[f, 0] > 0.97 * best


def shortest_section(axes, start, end, planes=500, parts=400):
    """Length of the shortest path over an ellipsoid in a plane of the segment; infinite if it misses."""
    p, q = start / axes, end / axes
    e = (q - p) / np.linalg.norm(q - p)
    foot = p - (p @ e) * e
    if foot @ foot >= 1.0 or (p @ e) * (q @ e) >= 0.0:
        return np.inf
    u = np.linalg.svd(e[None])[2][1]
    v = np.cross(e, u)
    angle = np.linspace(0.0, 2.0 * np.pi, planes, endpoint=False)[:, None]
    aside = np.cos(angle) * u + np.sin(angle) * v
    height = aside @ foot
    centre = foot - height[:, None] * aside
    rho = np.sqrt(1.0 - np.sum(centre**2, axis=1))
    at = [np.arctan2(height, (x - foot) @ e) % (2.0 * np.pi) for x in (p, q)]
    at[1] = np.where(at[1] > np.pi, at[1] - 2.0 * np.pi, at[1])
    lean = [np.arccos(rho / np.hypot(height, (x - foot) @ e)) for x in (p, q)]
    first, last = at[0] - lean[0], at[1] + lean[1]
    share = np.linspace(0.0, 1.0, parts)
    w = first[:, None] + (last - first)[:, None] * share
    on = centre[:, None] + rho[:, None, None] * (
        np.cos(w)[..., None] * e + np.sin(w)[..., None] * aside[:, None]
    )
    lines = np.concatenate(
        [np.broadcast_to(p, (planes, 1, 3)), on, np.broadcast_to(q, (planes, 1, 3))], axis=1
    )
    lengths = np.linalg.norm(np.diff(lines * axes, axis=1), axis=2).sum(axis=1)
    return lengths[first > last].min(initial=np.inf)


@pytest.mark.parametrize("axes", ELLIPSOIDS)
def test_arms_are_derivatives_of_length(axes):
    a, b, c = axes
    model = scenes.over(WrapEllipsoid("body", a=a, b=b, c=c), START, END)
    q = scenes.random_poses(60, 0.01, seed=2)
    by_differences, arms, _ = scenes.arms_by_differences(model, q, step=3e-6)
    # where the segment passes near the centre the path turns quickly and differences are coarse
    error = np.abs(by_differences - arms).max(axis=(1, 2))
    assert np.quantile(error, 0.9) < 1e-7
    assert error.max() < 1e-4


@pytest.mark.parametrize(("tube", "ring"), [(0.01, 0.03), (0.004, 0.05)])
def test_arms_of_a_torus_are_derivatives_of_length(tube, ring):
    near = ring - tube  # the segment passes the ring at its inner side
    model = scenes.over(
        WrapTorus("body", inner=tube, outer=ring), (near, 0.0, -0.1), (near + 0.01, 0.01, 0.11)
    )
    rng = np.random.default_rng(0)
    d = np.concatenate([rng.uniform(-0.4, 0.4, (60, 3)), rng.uniform(-0.5, 0.5, (60, 3)) * tube], axis=1)
    q = ss.integrate(model, scenes.at_rest(model, 60), d, 1.0)
    by_differences, arms, found = scenes.arms_by_differences(model, q)
    assert np.mean(found.length > np.linalg.norm([0.01, 0.01, 0.21]) + 1e-9) > 0.3
    assert np.abs(by_differences - arms).max() < 1e-6
