"""Lines to draw have the length of the path and lie on the surfaces."""

import numpy as np
import pytest
from tests.muscles.paths import scenes

import softstride as ss
from softstride.engine import path_plan, paths
from softstride.model.path import WrapCylinder, WrapEllipsoid, WrapSphere, WrapTorus
from softstride.muscles.paths.line import path_lines

SURFACES = {
    "cylinder": (WrapCylinder("body", radius=0.02), lambda x: np.hypot(x[:, 0], x[:, 1]) - 0.02),
    "half a cylinder": (
        WrapCylinder("body", radius=0.02, quadrant="+y"),
        lambda x: np.hypot(x[:, 0], x[:, 1]) - 0.02,
    ),
    "sphere": (WrapSphere("body", radius=0.02), lambda x: np.linalg.norm(x, axis=1) - 0.02),
    "half a sphere": (
        WrapSphere("body", radius=0.02, quadrant="-x"),
        lambda x: np.linalg.norm(x, axis=1) - 0.02,
    ),
    "ellipsoid": (
        WrapEllipsoid("body", a=0.03, b=0.025, c=0.02),
        lambda x: np.linalg.norm(x / [0.03, 0.025, 0.02], axis=1) - 1.0,
    ),
    "torus": (
        WrapTorus("body", inner=0.01, outer=0.03),
        lambda x: np.hypot(np.hypot(x[:, 0], x[:, 1]) - 0.03, x[:, 2]) - 0.01,
    ),
}


@pytest.mark.parametrize(("surface", "height"), SURFACES.values(), ids=SURFACES)
def test_lines_over_surfaces(surface, height):
    model = scenes.over(surface, (-0.09, 0.0, 0.0), (0.11, 0.0, 0.01))
    q = scenes.random_poses(40, 0.01, seed=1)
    lengths = ss.muscle_paths(model, q).length[:, 0]
    lines = ss.path_points(model, q, "m", arc_points=100)
    poses = ss.poses(model, q, "body")
    for line, length, T in zip(lines, lengths, poses, strict=True):
        assert np.linalg.norm(np.diff(line, axis=0), axis=1).sum() == pytest.approx(length, rel=3e-5)
        on = height((line[1:-1] - T[:3, 3]) @ T[:3, :3])
        assert on.min(initial=0.0) > -1e-8
        if isinstance(surface, WrapTorus):  # which some touch twice, with a straight part between
            assert np.mean(on < 1e-8) > 0.02 if len(on) else True
            assert np.abs(on[[0, -1]]).max() < 1e-8 if len(on) else True
        else:
            assert on.max(initial=0.0) < 1e-8
    assert sum(len(line) > 2 for line in lines) > 20


def test_one_frame_is_one_line():
    model = scenes.over(WrapCylinder("body", radius=0.02), (-0.1, 0.0, 0.0), (0.1, 0.001, 0.0))
    line = ss.path_points(model, model.neutral(), "m", arc_points=3)
    assert line.shape == (7, 3)
    assert line[0] == pytest.approx([-0.1, 0.0, 0.0], abs=1e-16)


def test_lines_of_several_muscles_come_of_one_plan(monkeypatch):
    """As of each muscle alone, bit for bit; what has fewer points repeats its last; frames across pieces."""
    surfaces = [surface for surface, _ in SURFACES.values()]
    over = {f"s{i}": surface for i, surface in enumerate(surfaces)}
    model = scenes.over(surfaces[0], (-0.09, 0.0, 0.0), (0.11, 0.0, 0.01), **over)
    bands = {
        name: scenes.muscle(
            name, [("world", (-0.09, 0.0, 0.0)), ("world", (0.11, 0.0, 0.01 + 1e-3 * i))], [name]
        )
        for i, name in enumerate(over)
    }
    straight = scenes.muscle("straight", [("world", (0.0, 1.0, 0.0)), ("body", (0.0, 0.0, 0.0))])
    model = model.replace(muscles=bands | {"straight": straight})
    q = scenes.random_poses(paths._PIECE + 20, 0.01, seed=1)
    made, make = [], path_plan.make_path_plan
    monkeypatch.setattr(path_plan, "make_path_plan", lambda *given: made.append(given) or make(*given))
    pieces = list(path_lines(model, q, tuple(model.muscles), 4, threads=1))
    assert len(made) == 1 and len(pieces) > 1 and sum(len(piece[0][0]) for piece in pieces) == len(q)
    lengths = set()
    for i, name in enumerate(model.muscles):
        alone = ss.path_points(model, q, name, arc_points=4)
        together = [row for piece in pieces for row in zip(*piece[i], strict=True)]
        for line, (points, count) in zip(alone, together, strict=True):
            assert np.array_equal(points[:count], line) and np.all(points[count:] == line[-1])
            lengths.add(len(line))
    assert len(lengths) > 1
