"""A string pulled tight: closed forms on cylinder and sphere, OpenSim's paths on whole models."""

from itertools import pairwise

import numpy as np
import pytest
from tests.models import the_model

from softstride.model import save_model
from softstride.model.path import WrapCylinder, WrapEllipsoid, WrapSphere, WrapTorus
from softstride.model.path_places import PathPlaces
from softstride.model.taut import Obstacle, line_length, taut_line
from softstride.spatial import so3

R = 0.04


def tangents(d1, d2, angle):
    """Length of a string in a plane from distance d1 around a circle of radius R to distance d2, seen under `angle`."""
    straight = np.sqrt(d1**2 - R**2) + np.sqrt(d2**2 - R**2)
    return straight + R * (angle - np.arccos(R / d1) - np.arccos(R / d2))


def pose(turn=(0.3, -0.7, 1.1), place=(0.2, -0.1, 0.05)):
    T = np.eye(4)
    T[:3, :3], T[:3, 3] = so3.exp(np.array(turn)), place
    return T


def ends(angle, rise=0.0):
    """Two points beside an axis, in its own frame: (2, 3)."""
    a, b = 0.09, 0.06
    return np.array([[a, 0.0, 0.0], [b * np.cos(angle), b * np.sin(angle), rise]])


@pytest.mark.parametrize("angle", [2.0, 2.5, 3.0])
@pytest.mark.parametrize("rise", [0.0, 0.05])
def test_a_cylinder(angle, rise):
    """A helix unrolls to a straight line: L² = (tangents and arc)² + rise². 64 chords: within 1e-6 m."""
    T = pose()
    surface = WrapCylinder("world", T, radius=R, length=1.0)
    start, end = ends(angle, rise) @ T[:3, :3].T + T[:3, 3]
    line = taut_line(start, end, [Obstacle(surface, T)])
    assert line_length(line) == pytest.approx(np.hypot(tangents(0.09, 0.06, angle), rise), abs=1e-5)
    local = (line - T[:3, 3]) @ T[:3, :3]
    assert np.min(np.hypot(local[:, 0], local[:, 1])) > R - 1e-9


def test_a_sphere_and_an_ellipsoid_that_is_one():
    T = pose()
    start, end = ends(2.4) @ T[:3, :3].T + T[:3, 3]
    for surface in (WrapSphere("world", T, radius=R), WrapEllipsoid("world", T, a=R, b=R, c=R)):
        line = taut_line(start, end, [Obstacle(surface, T)])
        assert line_length(line) == pytest.approx(tangents(0.09, 0.06, 2.4), abs=1e-5)


def test_the_side_that_a_path_may_touch():
    """The straight line passes the axis on one side; the quadrant sends the string round the other."""
    T = np.eye(4)
    start, end = np.array([0.09, 0.01, 0.0]), np.array([-0.09, 0.01, 0.0])
    lengths = []
    for quadrant, sign in (("all", 1.0), ("+y", 1.0), ("-y", -1.0)):
        surface = WrapCylinder("world", T, quadrant, radius=R, length=1.0)
        line = taut_line(start, end, [Obstacle(surface, T)])
        assert np.all(sign * line[20:-20, 1] > 0.0)
        lengths.append(line_length(line))
    assert lengths[0] == pytest.approx(lengths[1], abs=1e-6) and lengths[2] > lengths[1] + 0.005


def test_nothing_in_the_way():
    T = np.eye(4)
    start, end = np.array([0.09, 0.05, 0.0]), np.array([-0.09, 0.05, 0.0])
    away = [WrapCylinder("world", T, radius=R, length=1.0), WrapTorus("world", T, inner=0.01, outer=0.06)]
    assert len(taut_line(start, end, [Obstacle(each, T) for each in away])) == 2
    short = WrapCylinder("world", T, radius=0.08, length=0.01)
    far = np.array([0.0, 0.0, 0.02])
    assert len(taut_line(start + far, end + far, [Obstacle(short, T)])) == 2


def arcs(osim, path, state, surfaces):
    """Length of the path that OpenSim shows: straight pieces, and arcs on cylinders between its points on one."""
    points = path.getCurrentPath(state)
    places = [points.get(i).getLocationInGround(state).to_numpy() for i in range(points.getSize())]
    total = 0.0
    for a, b in pairwise(places):
        piece = float(np.linalg.norm(b - a))
        for each in surfaces:
            p, q = each.local(np.array([a, b]))
            off = np.hypot([p[0], q[0]], [p[1], q[1]]) - each.surface.radius
            if np.max(np.abs(off)) < 1e-6:
                turn = abs(np.arctan2(p[0] * q[1] - p[1] * q[0], p[:2] @ q[:2]))
                piece = float(np.hypot(turn * each.surface.radius, q[2] - p[2]))
        total += piece
    return total


@pytest.mark.slow
@pytest.mark.parametrize(
    "file",
    [
        "knee_gc5_ps/GC5.osim",
        "run_overground_bmc/Rajagopal2015_scaled.osim",
        "walk_opencap_s4/manually_scaled.osim",
        "walk_rajagopal_emg/subject_walk_scaled.osim",
    ],
)
def test_wrapped_paths_as_opensim_lays_them(shared_data, tmp_path, file):
    """All muscles with surfaces in the default pose, the arcs that OpenSim draws against ours.

    Within 0.2 mm: our string has chords of 2 to 7 mm, and OpenSim stops when a path with two surfaces changes by less
    than 0.5 mm. Its own figure for the length of the gastrocnemius, with two surfaces, is up to 8 mm less than the path
    that it draws, so it is not what is compared.
    """
    osim = pytest.importorskip("opensim")
    osim.Logger.setLevelString("off")
    model = the_model(shared_data / file)
    save_model(model, tmp_path / "m.osim")
    peer = osim.Model(str(tmp_path / "m.osim"))
    state = peer.initSystem()
    for name, coordinate in model.coordinates.items():
        peer.getCoordinateSet().get(name).setValue(state, coordinate.default, False)
    peer.assemble(state)
    peer.realizePosition(state)
    here = PathPlaces(model)
    wrapped = 0
    for name, muscle in model.muscles.items():
        if not muscle.path.wraps:
            continue
        surfaces = [model.wraps[wrap.surface] for wrap in muscle.path.wraps]
        obstacles = [Obstacle(each, here.poses[each.link] @ each.pose) for each in surfaces]
        path = osim.GeometryPath.safeDownCast(peer.getMuscles().get(name).getPath())
        length = here.length(muscle.path)
        wrapped += (
            length
            > sum(np.linalg.norm(np.diff([line[0], line[-1]], axis=0)) for line in here.lines(muscle.path))
            + 1e-4
        )
        assert length == pytest.approx(arcs(osim, path, state, obstacles), abs=2e-4), name
    assert wrapped > 10
