"""Single frames of a trial against dense least squares: objective, solution, bounds, goals, locks, gaps, Huber."""

import numpy as np
import pytest
from scipy.spatial.transform import Rotation
from tests.kinematics.ik import synthetic as syn
from tests.models import the_model
from tests.oracles.dense_ik import DenseIk

import softstride as ss
from softstride import engine
from softstride.kinematics.ik.options import Goal

# The default tolerance promises 1e-10 of the objective, and so sqrt(1e-10 F / curvature) of a coordinate.
OBJECTIVE = 1e-8
COORDINATE = 2e-4


def dense(motion, recording, frame, **more):
    """Return the dense problem of one frame of a solved motion, with its weights and priors."""
    names, fit = list(motion.fit.names), motion.fit
    target = recording.markers.select(names).values[frame]
    more = {"elastic": 5e-8, "prior": fit.prior} | more
    return DenseIk(motion.model, names, target, weights=fit.weights, **more)


def check(motion, problem, frame):
    """The frame is a minimum of the dense objective, and the dense solver finds none lower from there."""
    q = motion.q[frame]
    best = problem.solve(q)
    assert problem.objective(q) <= problem.objective(best) * (1.0 + OBJECTIVE) + 1e-18
    assert np.max(np.abs(syn.error(motion.model, q, best))) < COORDINATE
    return best


@pytest.fixture(scope="module", params=["gait", "human", "athlete"])
def trial(request):
    return syn.noisy(syn.trial(the_model(request.param), 24, seed=11), 0.004)


@pytest.mark.slow
def test_noisy_markers(trial):
    motion = ss.solve_ik(trial.model, trial.recording)
    assert motion.converged
    for frame in (0, 11, 23):
        problem = dense(motion, trial.recording, frame)
        check(motion, problem, frame)
        e = motion.fit.error[frame]
        assert motion.fit.objective[frame] == pytest.approx((e**2).mean(), rel=1e-9)


@pytest.mark.slow
def test_from_the_truth_nothing_lower_is_found():
    """Not only a minimum: the one that belongs to the motion."""
    for name in ("gait", "athlete"):
        trial = syn.noisy(syn.trial(syn.fully_marked(the_model(name)), 8, seed=1), 0.004)
        motion = ss.solve_ik(trial.model, trial.recording)
        problem = dense(motion, trial.recording, 4)
        for other in (problem.solve(trial.q[4]), problem.scipy_solve(trial.q[4])):
            assert problem.objective(motion.q[4]) <= problem.objective(other) * (1.0 + OBJECTIVE)
            assert np.max(np.abs(syn.error(trial.model, motion.q[4], other))) < COORDINATE


@pytest.mark.slow
@pytest.mark.parametrize("limits", [True, False])
def test_converged_means_that_nothing_is_left_to_gain(limits):
    """Every frame of a trial with gaps, wrists and toes at their limits now and then."""
    model = the_model("gait")
    trial = syn.with_gaps(syn.noisy(syn.trial(model, 100, seed=2), 0.004), 0.05, seed=3)
    motion = ss.solve_ik(model, trial.recording, limits=limits)
    assert motion.converged
    left = [dense(motion, trial.recording, f, limits=limits).promise(q) for f, q in enumerate(motion.q)]
    # the tolerance is 1e-9 of a damped step; undamped, a flat direction may promise some times more
    assert max(left) < 1e-7, f"frames {np.flatnonzero(np.array(left) > 1e-7)}"
    assert np.abs(motion.q[:, 6:]).max() < 3.5  # no forearm turns round and round where its markers are gone


def test_weights_gaps_and_a_marker_of_weight_zero():
    model = the_model("gait")
    trial = syn.with_gaps(syn.noisy(syn.trial(model, 20, seed=2), 0.004), 0.15, seed=3)
    rng = np.random.default_rng(0)
    weights = {name: float(w) for name, w in zip(model.markers, rng.uniform(0.2, 20.0, 49), strict=True)}
    weights[next(iter(weights))] = 0.0
    motion = ss.solve_ik(model, trial.recording, weights=weights)
    assert next(iter(weights)) not in motion.fit.names
    for frame in (3, 12):
        check(motion, dense(motion, trial.recording, frame), frame)
        e, w = motion.fit.error[frame], motion.fit.weights
        seen = np.isfinite(e)
        assert not seen.all()
        want = (w * e**2)[seen].sum() / w[seen].sum()
        assert motion.fit.objective[frame] == pytest.approx(want, rel=1e-9)


def test_goals_locks_and_limits():
    """A knee that bends the wrong way stops at its limit; a locked coordinate stays; goals pull as much as they say."""
    model = the_model("gait")
    time, q = syn.movement(model, 12, seed=2)
    names = list(model.coordinate_names)
    q[:, names.index("knee_angle_r")] = -0.35  # the range ends at -0.17
    clean = syn.Trial(model, time, q, syn.record(model, time, q))
    value = np.linspace(0.1, 0.2, 12)
    goals = {"lumbar_extension": Goal(0.02, value), "pro_sup_l": Goal(0.05, 0.3), "wrist_flex_r": Goal(0.01)}
    motion = ss.solve_ik(model, clean.recording, goals=goals, locked=("mtp_angle_r", "mtp_angle_l"))
    assert motion.converged
    np.testing.assert_allclose(
        motion.coordinate("knee_angle_r"), model.coordinates["knee_angle_r"].lower, atol=1e-9
    )
    np.testing.assert_array_equal(motion.coordinate("mtp_angle_r"), 0.0)
    for frame in (0, 7):
        problem = dense(
            motion,
            clean.recording,
            frame,
            held=("mtp_angle_r", "mtp_angle_l"),
            goals={
                "lumbar_extension": (0.02, value[frame]),
                "pro_sup_l": (0.05, 0.3),
                "wrist_flex_r": (0.01, 0.0),
            },
        )
        check(motion, problem, frame)
        assert np.max(np.abs(problem.gradient(motion.q[frame]))) < 1e-6
    open_ended = ss.solve_ik(
        model, clean.recording, limits=False, goals=goals, locked=("mtp_angle_r", "mtp_angle_l")
    )
    assert open_ended.coordinate("knee_angle_r").max() < -0.3
    assert (open_ended.fit.objective < motion.fit.objective).all()


def test_locked_at_the_start():
    model = the_model("gait")
    clean = syn.trial(model, 6, seed=2)
    start = clean.q[0].copy()
    at = list(model.coordinate_names).index("knee_angle_l")
    start[at] = 0.77
    motion = ss.solve_ik(model, clean.recording, locked=("knee_angle_l",), start=start)
    np.testing.assert_array_equal(motion.coordinate("knee_angle_l"), 0.77)


def test_huber():
    model = the_model("gait")
    trial, off = syn.with_outliers(syn.noisy(syn.trial(model, 12, seed=2), 0.002), 0.05, 0.3)
    motion = ss.solve_ik(model, trial.recording, huber=0.01)
    for frame in (2, 9):
        assert off[frame].any()
        problem = dense(motion, trial.recording, frame, huber=0.01)
        best = problem.solve(
            motion.q[frame]
        )  # reweighting converges linearly: the objective tells, not the angles
        assert problem.objective(motion.q[frame]) <= problem.objective(best) * (1.0 + 1e-6)


def test_a_prior_that_is_given_holds_for_all_joints(trial):
    motion = ss.solve_ik(trial.model, trial.recording, prior=1e-2)
    root = list(trial.model.v_indices("pelvis"))
    assert (motion.fit.prior[root] == 0.0).all()
    for frame in (0, 20):
        check(motion, dense(motion, trial.recording, frame), frame)
    stiff = ss.solve_ik(trial.model, trial.recording, prior=10.0)
    drawn = motion.fit.prior > 0.0
    distance = [np.abs(dense(m, trial.recording, 5).posture(m.q)[:, drawn]).max() for m in (motion, stiff)]
    assert distance[1] < 0.2 * distance[0]


def test_orientations():
    """Measured axes that contradict the markers: the sum of squared chords, 4 sin²(angle / 2), is least."""
    model = the_model("gait")
    trial = syn.noisy(syn.trial(model, 8, seed=2), 0.004)
    rng = np.random.default_rng(1)
    worn = {}
    for name in ("torso", "tibia_r", "radius_l"):
        R = engine.poses(model, trial.q, name)[:, :3, :3]
        worn[name] = R @ Rotation.from_rotvec(0.2 * rng.normal(size=(8, 3))).as_matrix()
    motion = ss.solve_ik(model, trial.recording, orientations=worn, orientation_weight=0.03)
    for frame in (0, 5):
        turned = {name: (0.03, R[frame]) for name, R in worn.items()}
        check(motion, dense(motion, trial.recording, frame, orientations=turned), frame)


def test_the_oracle_knows_what_a_marker_sees():
    """Differences against the engine's Jacobian; rank of the 51 markers of the athlete."""
    clean = syn.trial(the_model("athlete"), 1, seed=1)
    problem = DenseIk(clean.model, list(clean.names), clean.values[0])
    J = engine.jacobian(clean.model, clean.q[0], list(clean.names)).reshape(-1, 148)
    np.testing.assert_allclose(problem.marker_jacobian(clean.q[0]), J, atol=1e-11)
    assert len(problem.null_space(clean.q[0], syn.scales(clean.model))) == 148 - 75
    assert "left_thumb.x" in problem.undetermined(clean.q[0], syn.scales(clean.model))
