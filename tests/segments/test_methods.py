"""Four methods against sums over point masses, against each other, and against identities."""

from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray
from tests.segments.bodies import GRAVITY, PointBody, random_body

from softstride.dynamics.loads import AppliedWrench
from softstride.errors import InputError
from softstride.segments.body import BodySegment
from softstride.segments.inverse import inverse_dynamics
from softstride.segments.methods import METHODS
from softstride.segments.motion import SegmentMotion
from softstride.segments.reference import ReferenceLimb, reference_limb
from softstride.segments.triad import Triad
from softstride.signals import butterworth

Array = NDArray[np.float64]


def relative(found: Array, true: Array) -> float:
    return float(np.abs(found - true).max() / np.abs(true).max())


def twice(time: Array, x: Array) -> tuple[Array, Array]:
    """Central differences, applied twice."""
    first = np.gradient(x, time[1] - time[0], axis=0)
    return first, np.gradient(first, time[1] - time[0], axis=0)


def sampled(limb: ReferenceLimb) -> dict[str, SegmentMotion]:
    return {name: SegmentMotion(motion.time, motion.coordinates) for name, motion in limb.motion.items()}


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("handed", [1, -1])
def test_point_masses(method: str, handed: int) -> None:
    """Each method equals Newton's law for every point of a body; right-handed triads and left-handed ones."""
    rng = np.random.default_rng(7)
    for trial in range(20):
        body = random_body(rng, f"body {trial}", handed)
        loads = inverse_dynamics(
            [body.segment], {body.segment.name: body.motion}, method=method, gravity=GRAVITY
        )
        force, moment = body.wrench()
        assert relative(loads.force[:, 0], force) < 1e-11
        assert relative(loads.moment[:, 0], moment) < 1e-11


@pytest.mark.parametrize("method", METHODS)
def test_a_tree_is_the_sum_of_its_parts(method: str) -> None:
    """Two branches on one root, with loads from outside: forces add, and moments about the root's P."""
    rng = np.random.default_rng(3)
    bodies = [random_body(rng, name, parent=parent) for name, parent in (("a", "c"), ("b", "c"), ("c", None))]
    n = len(bodies[0].motion)
    pushes = [
        AppliedWrench(
            name, rng.normal(0.0, 100.0, (n, 3)), rng.normal(0.0, 1.0, (n, 3)), rng.normal(0.0, 5.0, (n, 3))
        )
        for name in ("a", "a", "c")
    ]
    motion = {body.segment.name: body.motion for body in bodies}
    loads = inverse_dynamics(
        [bodies[2].segment, bodies[0].segment, bodies[1].segment],
        motion,
        pushes,
        method=method,
        gravity=GRAVITY,
    )
    root = bodies[2].motion.proximal
    force, moment = np.zeros((n, 3)), np.zeros((n, 3))
    for body in bodies:
        f, m = body.wrench()
        force += f
        moment += m + np.cross(body.motion.proximal - root, f)
    for push in pushes:
        force -= push.force
        moment -= push.moment + np.cross(push.point - root, push.force)
    assert relative(loads.force_on("c"), force) < 1e-11
    assert relative(loads.moment_on("c"), moment) < 1e-11
    assert loads.parents == ("c", "c", None)


def test_four_methods_agree_on_exact_derivatives() -> None:
    limb = reference_limb(np.linspace(0.0, 1.0, 401))
    found = [
        inverse_dynamics(limb.segments, limb.motion, limb.external, method=method, gravity=limb.gravity)
        for method in METHODS
    ]
    for other in found[1:]:
        assert relative(other.force, found[0].force) < 1e-12
        assert relative(other.moment, found[0].moment) < 1e-12


def test_exact_euler_angles_are_those_of_the_limb() -> None:
    """The chain rule from natural coordinates finds the angles, rates and accelerations that the limb is made of."""
    from softstride.segments.methods import prepare

    limb = reference_limb(np.linspace(0.0, 1.0, 50))
    for segment in limb.segments:
        found = prepare("euler", segment, limb.motion[segment.name], "spline").own
        true = limb.angles[segment.name]
        for name, scale in (("x", 1.0), ("d", 10.0), ("dd", 100.0)):
            assert np.abs(getattr(found, name) - getattr(true, name)).max() < 1e-12 * scale


def test_closed_form_equals_the_full_system() -> None:
    rng = np.random.default_rng(11)
    for trial in range(10):
        body = random_body(rng, f"body {trial}", handed=1 - 2 * (trial % 2))
        motion = {body.segment.name: body.motion}
        closed = inverse_dynamics([body.segment], motion, gravity=GRAVITY)
        solved = inverse_dynamics([body.segment], motion, gravity=GRAVITY, multipliers=True)
        assert relative(solved.force, closed.force) < 1e-11
        assert relative(solved.moment, closed.moment) < 1e-10  # the condition of the system costs a digit


def test_orthogonal_axes_are_plain_newton_euler() -> None:
    rng = np.random.default_rng(2)
    body = random_body(rng, "body")
    square = Triad(1.0, np.pi / 2, np.pi / 2, np.pi / 2)
    assert np.allclose(square.basis, np.eye(3), atol=1e-15)
    segment = BodySegment("square", square, body.segment.mass, body.segment.com, body.segment.inertia)
    R = body.motion.coordinates  # the same rotation, seen through orthogonal axes
    back = np.linalg.inv(body.segment.triad.basis)
    axes = [
        np.einsum("nkj,ki->nij", np.stack([q[:, 0], q[:, 1] - q[:, 2], q[:, 3]], axis=1), back)
        for q in (R, body.motion.rates, body.motion.accelerations)
    ]
    parts = []
    for q, frame in zip((R, body.motion.rates, body.motion.accelerations), axes, strict=True):
        x, y, z = (frame[:, k] for k in range(3))
        parts.append(np.stack([x, q[:, 1], q[:, 1] - y, z], axis=1))
    motion = SegmentMotion(body.motion.time, *parts)
    force, moment = body.wrench()
    loads = inverse_dynamics([segment], {"square": motion}, gravity=GRAVITY)
    assert relative(loads.force[:, 0], force) < 1e-11
    assert relative(loads.moment[:, 0], moment) < 1e-11


@pytest.mark.parametrize("method", METHODS)
def test_free_fall_needs_nothing_and_rest_needs_the_weight(method: str) -> None:
    limb = reference_limb(np.zeros(1))
    t = np.linspace(0.0, 0.4, 9)
    down = np.array([0.0, -9.81, 0.0])
    fall, rest = {}, {}
    for name, motion in limb.motion.items():
        still = np.tile(motion.coordinates, (9, 1, 1))
        drop = np.zeros((9, 4, 3))
        drop[:, 1] = drop[:, 2] = 0.5 * np.outer(t**2, down)
        speed, pull = np.zeros((9, 4, 3)), np.zeros((9, 4, 3))
        speed[:, 1] = speed[:, 2] = np.outer(t, down)
        pull[:, 1] = pull[:, 2] = down
        fall[name] = SegmentMotion(t, still + drop, speed, pull)
        rest[name] = SegmentMotion(t, still, 0.0 * still, 0.0 * still)
    falling = inverse_dynamics(limb.segments, fall, method=method, gravity=down)
    assert np.abs(falling.force).max() < 1e-12 and np.abs(falling.moment).max() < 1e-12
    resting = inverse_dynamics(limb.segments, rest, method=method, gravity=down)
    weight = np.cumsum([segment.mass for segment in limb.segments]) * 9.81
    assert np.allclose(resting.force[0], np.outer(weight, [0.0, 1.0, 0.0]), rtol=1e-14, atol=1e-12)


def test_natural_coordinates_and_matrices_are_one_on_rigid_poses() -> None:
    """On the same rigid poses and one linear differentiator both give the same, noisy or not."""
    rng = np.random.default_rng(5)
    t = np.arange(0.0, 1.0, 0.01)
    limb = reference_limb(t)
    motion = {}
    for segment in limb.segments:
        from scipy.spatial.transform import Rotation

        noise = Rotation.from_rotvec(rng.normal(0.0, 0.02, (len(t), 3))).as_matrix()
        shift = rng.normal(0.0, 1e-3, (len(t), 3))
        q = limb.motion[segment.name].coordinates
        u, v, w = (np.einsum("nij,nj->ni", noise, x) for x in (q[:, 0], q[:, 1] - q[:, 2], q[:, 3]))
        motion[segment.name] = SegmentMotion.of(t, u, q[:, 1] + shift, q[:, 1] + shift - v, w)
    found = [
        inverse_dynamics(
            limb.segments,
            motion,
            limb.external,
            method=method,
            gravity=limb.gravity,
            differentiator="central",
        )
        for method in ("nonorthonormal", "homogeneous")
    ]
    assert relative(found[1].moment, found[0].moment) < 1e-9
    assert relative(found[1].force, found[0].force) < 1e-9


def test_errors_of_central_differences() -> None:
    """RMS error of the moments at 100 Hz, and how far the methods are apart: known figures of the reference limb.

    Differences are applied twice, to two seconds, of which a fifth at each end does not count.
    """
    t = np.arange(201) / 100.0
    limb = reference_limb(t)
    period = slice(20, -20)
    true = inverse_dynamics(limb.segments, limb.motion, limb.external, gravity=limb.gravity).moment[period]
    found = {
        method: inverse_dynamics(
            limb.segments,
            sampled(limb),
            limb.external,
            method=method,
            gravity=limb.gravity,
            differentiator=twice,
        ).moment[period]
        for method in METHODS
    }
    printed = {
        "euler": (0.0015, 0.0263, 0.0889),
        "quaternion": (0.0015, 0.0266, 0.0890),
        "homogeneous": (0.0015, 0.0267, 0.0896),
        "nonorthonormal": (0.0015, 0.0267, 0.0896),
    }
    for method, figures in printed.items():
        rms = np.sqrt(np.mean((found[method] - true) ** 2, axis=(0, 2)))
        assert rms.round(4).tolist() == list(figures), method
    apart = {"euler": (7e-5, 3e-3, 7e-3), "quaternion": (4e-5, 2e-3, 4e-3)}
    for method, figures in apart.items():
        most = np.abs(found[method] - found["nonorthonormal"]).max(axis=(0, 2))
        assert [float(f"{x:.0e}") for x in most] == list(figures)
    assert np.abs(found["homogeneous"] - found["nonorthonormal"]).max() < 1e-11


def test_differences_fall_with_the_square_of_the_step() -> None:
    gaps = []
    for rate in (100.0, 200.0, 400.0):
        t = np.arange(-0.1, 1.1, 1.0 / rate)
        limb = reference_limb(t)
        inner = (t > 0.0) & (t < 1.0)
        moments = [
            inverse_dynamics(
                limb.segments,
                sampled(limb),
                limb.external,
                method=method,
                gravity=limb.gravity,
                differentiator=twice,
            ).moment[inner]
            for method in ("nonorthonormal", "euler")
        ]
        gaps.append(np.abs(moments[1] - moments[0]).max())
    assert 3.9 < gaps[0] / gaps[1] < 4.1 and 3.9 < gaps[1] / gaps[2] < 4.1


INNER = slice(20, -20)


def noisy_moments(seed: int) -> dict[tuple[str, str], Array]:
    """Sticks of 0.1 m for u and w, 1 mm of noise on every point, 6 Hz; with a rigid fit or as they are."""
    from softstride.segments.clusters import rigid_fit

    rng = np.random.default_rng(seed)
    t = np.arange(201) / 100.0
    limb = reference_limb(t)
    motion: dict[str, dict[str, SegmentMotion]] = {"fitted": {}, "raw": {}}
    for segment in limb.segments:
        q, B = limb.motion[segment.name].coordinates, segment.triad.basis
        points = np.stack([q[:, 1], q[:, 2], q[:, 1] + 0.1 * q[:, 0], q[:, 1] + 0.1 * q[:, 3]], axis=1)
        seen = butterworth(points + rng.normal(0.0, 1e-3, points.shape), 100.0, 6.0, corrected=False)
        u, w = seen[:, 2] - seen[:, 0], seen[:, 3] - seen[:, 0]
        u, w = (x / np.linalg.norm(x, axis=1, keepdims=True) for x in (u, w))
        motion["raw"][segment.name] = SegmentMotion.of(t, u, seen[:, 0], seen[:, 1], w)
        shape = np.stack([0.0 * B[:, 0], -B[:, 1], 0.1 * B[:, 0], 0.1 * B[:, 2]])
        pose = rigid_fit(seen, shape)
        u, v, w = (pose.rotation @ B[:, k] for k in range(3))
        motion["fitted"][segment.name] = SegmentMotion.of(t, u, pose.position, pose.position - v, w)
    return {
        (data, method): inverse_dynamics(
            limb.segments,
            moved,
            limb.external,
            method=method,
            gravity=limb.gravity,
            differentiator=twice,
        ).moment[INNER]
        for data, moved in motion.items()
        for method in METHODS
    }


KNOWN = dict.fromkeys(METHODS, (0.337, 0.401, 1.276)) | {"nonorthonormal": (0.337, 0.258, 0.522)}
"""Known means of 20 seeds at ankle, knee and hip [N m], axes as they are. Of matrices the hip has one in the last digit
less."""
LAST_DIGIT = 1e-3

FITTED = (0.308, 0.219, 0.467)
"""Our own means after the rigid fit, the same for all methods. Known are 0.307, 0.246, 0.446 for a fit whose markers
are not stated: knee and hip are not reproduced. Sticks at the distal ends give 0.310, 0.236, 0.466."""

APART = {"euler": (9.5e-5, 3.6e-3, 9.6e-3), "quaternion": (1.1e-4, 2.7e-3, 5.2e-3)}
"""Our own largest differences from non-orthonormal axes after the rigid fit, medians of 20 trials. Known of one trial
with that other fit, to one digit, are 1e-4, 4e-3, 9e-3 and 7e-5, 2e-3, 5e-3: not reproduced at the ankle."""


@pytest.mark.slow
def test_errors_under_noise() -> None:
    """Mean errors of 20 seeds: to the digits known where axes are as they are, our own after a rigid fit."""
    limb = reference_limb(np.arange(201) / 100.0)
    true = inverse_dynamics(limb.segments, limb.motion, limb.external, gravity=limb.gravity).moment[INNER]
    runs = [noisy_moments(seed) for seed in range(20)]
    mean = {
        key: np.mean([np.sqrt(np.mean((run[key] - true) ** 2, axis=(0, 2))) for run in runs], axis=0)
        for key in runs[0]
    }
    base = "fitted", "nonorthonormal"
    for method in METHODS:
        np.testing.assert_allclose(mean["raw", method], KNOWN[method], rtol=0.0, atol=0.6 * LAST_DIGIT)
        np.testing.assert_allclose(mean["fitted", method], FITTED, rtol=0.0, atol=LAST_DIGIT)
        np.testing.assert_allclose(mean["fitted", method], mean[base], rtol=2e-3)
    most = {
        method: np.median(
            [np.abs(run["fitted", method] - run[base]).max(axis=(0, 2)) for run in runs], axis=0
        )
        for method in METHODS[1:]
    }
    for method, figures in APART.items():
        np.testing.assert_allclose(most[method], figures, rtol=0.03)
    assert most["homogeneous"].max() < 1e-11


def test_the_theory_has_these_figures() -> None:
    """Rows of noise in docs/theory/segments.md, of which the test above is the proof."""
    theory = (Path(__file__).resolve().parents[2] / "docs" / "theory" / "segments.md").read_text("utf-8")
    order = ("euler", "quaternion", "homogeneous", "nonorthonormal")
    for row, figures in (
        ("1 mm of noise, 6 Hz, rigid fit", dict.fromkeys(METHODS, FITTED)),
        ("1 mm of noise, 6 Hz, axes as they are", KNOWN),
    ):
        told = " | ".join(" / ".join(f"{x:.3f}" for x in figures[method]) for method in order)
        assert f"| {row} | {told} |" in theory


@pytest.mark.parametrize("method", METHODS)
def test_gaps_stay_gaps(method: str) -> None:
    """A gap of the shank leaves the ankle known and the knee and hip not; nothing is filled."""
    t = np.arange(0.0, 1.0, 0.01)
    limb = reference_limb(t)
    motion = sampled(limb)
    broken = motion["shank"].coordinates.copy()
    broken[40:45] = np.nan
    motion["shank"] = SegmentMotion(t, broken)
    loads = inverse_dynamics(limb.segments, motion, limb.external, method=method, gravity=limb.gravity)
    assert loads.known[:, 0].all()
    assert not loads.known[40:45, 1:].any()
    assert loads.known[:40].all() and loads.known[45:].all()


def test_an_unknown_ground_reaction_is_unknown_above() -> None:
    limb = reference_limb(np.arange(0.0, 0.5, 0.01))
    (ground,) = limb.external
    force = ground.force.copy()
    force[10:20] = np.nan
    cut = AppliedWrench("foot", force, ground.point, ground.moment)
    loads = inverse_dynamics(limb.segments, limb.motion, [cut], gravity=limb.gravity)
    assert not loads.known[10:20].any() and loads.known[:10].all() and loads.known[20:].all()


def test_euler_angles_at_their_singularity_are_refused() -> None:
    body: PointBody = random_body(np.random.default_rng(1), "upright")
    t = np.linspace(0.0, 1.0, 11)
    u = np.tile([0.0, 0.0, -1.0], (11, 1))  # b = 90 degrees
    v, w = np.tile([0.0, 0.3, 0.0], (11, 1)), np.tile([1.0, 0.0, 0.0], (11, 1))
    motion = {"upright": SegmentMotion.of(t, u, v, 0.0 * v, w)}
    with pytest.raises(InputError, match=r"second Euler angle is 90\.00 degrees in frame 0"):
        inverse_dynamics([body.segment], motion, method="euler")
    assert inverse_dynamics([body.segment], motion, method="quaternion").known.all()


def test_requests_that_do_not_fit() -> None:
    limb = reference_limb(np.arange(0.0, 0.2, 0.01))
    foot, shank, thigh = limb.segments
    with pytest.raises(InputError, match="method must be one of nonorthonormal, euler"):
        inverse_dynamics(limb.segments, limb.motion, method="newton")  # type: ignore[arg-type]
    with pytest.raises(InputError, match="only method 'nonorthonormal' has multipliers"):
        inverse_dynamics(limb.segments, limb.motion, method="euler", multipliers=True)
    with pytest.raises(InputError, match="no motion for segment 'thigh'"):
        inverse_dynamics(limb.segments, {n: m for n, m in limb.motion.items() if n != "thigh"})
    late = SegmentMotion(limb.motion["thigh"].time + 1.0, limb.motion["thigh"].coordinates)
    with pytest.raises(InputError, match="same instants"):
        inverse_dynamics(limb.segments, {**limb.motion, "thigh": late})
    with pytest.raises(InputError, match="acts on 'hand', which is none of: foot, shank, thigh"):
        inverse_dynamics(limb.segments, limb.motion, [AppliedWrench("hand", *np.zeros((3, 20, 3)))])
    with pytest.raises(InputError, match="must have 20 frames as the motion, not 5"):
        inverse_dynamics(limb.segments, limb.motion, [AppliedWrench("foot", *np.zeros((3, 5, 3)))])
    with pytest.raises(InputError, match="different names"):
        inverse_dynamics([foot, foot], limb.motion)
    ring = BodySegment("thigh", thigh.triad, thigh.mass, thigh.com, thigh.inertia, parent="shank")
    with pytest.raises(InputError, match="in a circle"):
        inverse_dynamics([foot, shank, ring], limb.motion)
    with pytest.raises(InputError, match="gravity must be three finite numbers"):
        inverse_dynamics(limb.segments, limb.motion, gravity=[9.81])
    with pytest.raises(InputError, match="must return two arrays"):
        inverse_dynamics(limb.segments, sampled(limb), differentiator=lambda t, x: (x, x[:3]))
