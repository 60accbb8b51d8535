"""Functional centres and axes: exact without noise, known errors with it, and a deviation that tells them."""

from pathlib import Path

import numpy as np
import pytest
from tests.segments.functional_trials import AXIS, CENTRE_1, CENTRE_2, CLUSTER, trial

from softstride.errors import InputError
from softstride.notes import codes
from softstride.segments.clusters import Poses, rigid_fit
from softstride.segments.functional import helical_axis, mean_helical_axis, sara, score, sphere_fit


def angle(a, b):  # type: ignore[no-untyped-def]
    return float(np.arctan2(np.linalg.norm(np.cross(a, b)), abs(a @ b)))


def off_axis(point):  # type: ignore[no-untyped-def]
    """Distance of a point from the true axis [m]."""
    return float(np.linalg.norm(np.cross(point - CENTRE_1, AXIS)))


def test_the_helical_axis_of_a_known_displacement() -> None:
    c, s = np.cos(0.4), np.sin(0.4)
    Rz = np.array([[c, -s, 0.0], [s, c, 0.0], [0.0, 0.0, 1.0]])
    c, s = np.cos(0.1), np.sin(0.1)
    Rx = np.array([[1.0, 0.0, 0.0], [0.0, c, -s], [0.0, s, c]])
    found = helical_axis(Rz @ Rx, [0.02, -0.03, 0.05])
    np.testing.assert_allclose(
        found.direction, [0.2393862525249, 0.04852599574961, 0.9697110135698], rtol=1e-12
    )
    assert found.angle == pytest.approx(0.4121483806773, rel=1e-12)
    assert found.shift == pytest.approx(0.0518174958565, rel=1e-12)
    np.testing.assert_allclose(
        found.point, [0.07918379119028, 0.001502146063953, -0.01962275760612], rtol=1e-11
    )
    assert abs(found.point @ found.direction) < 1e-15


def test_exact_movements_give_exact_joints() -> None:
    rng = np.random.default_rng(0)
    proximal, distal, markers = trial(rng, "ball", noise=0.0)
    ball = score(proximal, distal)
    assert np.allclose(ball.proximal, CENTRE_1, atol=1e-12) and np.allclose(ball.distal, CENTRE_2, atol=1e-12)
    assert ball.residual < 1e-13 and ball.sd < 1e-12
    assert np.allclose(sphere_fit(markers).proximal, CENTRE_1, atol=1e-10)
    proximal, distal, _ = trial(rng, "hinge", noise=0.0)
    for find in (sara, mean_helical_axis):
        hinge = find(proximal, distal, towards=[0.0, 0.0, 1.0], near=CENTRE_1)
        assert np.allclose(hinge.direction, AXIS, atol=1e-9)
        assert np.allclose(hinge.point, CENTRE_1, atol=1e-9)  # the nearest point to one on the axis is itself
        assert hinge.ratio < 1e-6 and hinge.sd_direction < 1e-8
    assert np.allclose(sara(proximal, distal, towards=-AXIS).direction, -AXIS)


MEDIANS = {"score": 1.00, "sphere": 1.13, "sara": 0.352, "helical": 0.352}
"""Errors of our clusters and movements: centres [mm], directions of axes [degrees].

Known for clusters and movements that are not stated are 1.0 mm, 1.4 mm, 0.26 and 0.57 degrees. SCoRE's is reproduced;
those of the sphere, SARA and the mean helical axis are not. An axis depends on the arc: the error of a direction is
that of the poses over the turn, which here is 35 degrees either way.
"""
TOLD = {"score": 1.11, "sphere": 1.14, "sara": 1.04, "helical": 1.03}
"""The deviations that are told over the errors, root mean squares."""


@pytest.mark.slow
def test_errors_under_noise_and_the_deviation_that_tells_them() -> None:
    """Noise of 1 mm, 40 frames, 200 trials: our medians, and deviations from ten stretches that tell these errors."""
    rng = np.random.default_rng(1)
    errors: dict[str, list[float]] = {name: [] for name in MEDIANS}
    told: dict[str, list[float]] = {name: [] for name in errors}
    for _ in range(200):
        proximal, distal, markers = trial(rng, "ball")
        for centre in (score(proximal, distal), sphere_fit(markers)):
            errors[centre.method].append(1e3 * float(np.linalg.norm(centre.proximal - CENTRE_1)))
            told[centre.method].append(1e3 * centre.sd)
        proximal, distal, _ = trial(rng, "hinge")
        for axis in (sara(proximal, distal), mean_helical_axis(proximal, distal)):
            errors[axis.method].append(float(np.degrees(angle(axis.direction, AXIS))))
            told[axis.method].append(float(np.degrees(axis.sd_direction)))
    for name, median in MEDIANS.items():
        assert np.median(errors[name]) == pytest.approx(median, rel=0.01), name
        ratio = np.sqrt(np.mean(np.square(told[name])) / np.mean(np.square(errors[name])))
        assert ratio == pytest.approx(TOLD[name], rel=0.01), name


def test_the_theory_has_these_figures() -> None:
    theory = (Path(__file__).resolve().parents[2] / "docs" / "theory" / "segments.md").read_text("utf-8")
    words = (
        f"SCoRE is off by {MEDIANS['score']:.1f} mm (median), the sphere by {MEDIANS['sphere']:.1f} mm, both axes by "
        f"{MEDIANS['sara']:.2f}°; the deviations that are told are {min(TOLD.values())} to {max(TOLD.values())} times"
    )
    assert words in " ".join(theory.split())


def test_a_hinge_is_told_from_a_ball() -> None:
    rng = np.random.default_rng(2)
    proximal, distal, _ = trial(rng, "hinge")
    assert codes(score(proximal, distal).notes) == ("functional-joints.moves-as-a-hinge",)
    assert off_axis(sara(proximal, distal).point) < 3e-3
    assert off_axis(mean_helical_axis(proximal, distal).point) < 3e-3
    proximal, distal, _ = trial(rng, "ball")
    assert score(proximal, distal).notes == ()
    assert codes(sara(proximal, distal).notes) == ("functional-joints.no-axis",)


def test_movements_that_say_too_little() -> None:
    rng = np.random.default_rng(3)
    proximal, distal, markers = trial(rng, "hinge", frames=8)
    with pytest.raises(InputError, match="10 frames or more"):
        score(proximal, distal)
    with pytest.raises(InputError, match="10 frames or more"):
        sphere_fit(markers)
    still = Poses(np.tile(np.eye(3), (20, 1, 1)), np.zeros((20, 3)), np.zeros(20))
    with pytest.raises(InputError, match="no two frames are turned by more than 10 degrees"):
        mean_helical_axis(still, still)
    with pytest.raises(InputError, match="one plane or less"):
        sphere_fit(np.zeros((20, 2, 3)))
    with pytest.raises(InputError, match="the same frames, however they have 20 and 8"):
        sara(still, distal)
    proximal, distal, _ = trial(rng, "ball")
    with pytest.raises(InputError, match="blocks must be a whole number of at least 2"):
        score(proximal, distal, blocks=1)


def test_frames_without_a_pose_are_left_out() -> None:
    rng = np.random.default_rng(4)
    proximal, distal, _ = trial(rng, "ball", noise=0.0)
    rotation = distal.rotation.copy()
    rotation[5:9] = np.nan
    found = score(proximal, Poses(rotation, distal.position, distal.residual))
    assert found.frames == 36 and np.allclose(found.proximal, CENTRE_1, atol=1e-12)


def test_the_fit_of_a_known_cluster() -> None:
    pose = rigid_fit(np.tile(CLUSTER, (3, 1, 1)) + np.array([0.1, 0.2, 0.3]), CLUSTER)
    assert np.allclose(pose.rotation, np.eye(3), atol=1e-13) and np.allclose(pose.position, [0.1, 0.2, 0.3])
