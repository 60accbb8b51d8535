"""Joint loads shared among muscles: moments met within Hill bounds at the least effort; choices do what they say."""

from dataclasses import replace

import numpy as np
import pytest
from scipy.optimize import minimize
from tests.muscles.sharing.made import NAMES, arm, at_rest, strand, swing
from tests.refusals import bad_input

import softstride as ss
from softstride.errors import InputError, ModelError
from softstride.model.actuator import TorqueActuator
from softstride.model.functions import Constant
from softstride.model.muscle import Ligament
from softstride.model.path import ConditionalPathPoint, Path
from softstride.muscles import equilibrium, hill_muscles, rigid_tendon
from softstride.notes import codes, sentences


@pytest.fixture(scope="module")
def model():
    return arm()


@pytest.fixture(scope="module")
def trial(model):
    return at_rest(model)


def moments(model, motion, force):
    """J^T f written out."""
    return np.einsum("fmv,fm->fv", ss.muscle_paths(model, motion.q).arms, force)


def strengths(model, motion):
    paths = ss.muscle_paths(model, motion.q, motion.v)
    return rigid_tendon(hill_muscles(model), paths.length, paths.speed)


def test_moments_are_met_within_hill_bounds(model, trial):
    motion, loads = trial
    got = ss.solve_muscles(model, motion, loads)
    assert got.names == NAMES and got.coordinates == ("upper", "fore")
    assert got.converged.all() and got.kkt.max() < 1e-12
    assert np.array_equal(got.time, motion.time) and np.array_equal(got.demand, loads.active)
    made = moments(model, motion, got.force)
    assert np.abs(got.moment - made).max() < 1e-12
    assert np.abs(made + got.reserve - loads.tau).max() < 1e-10
    assert np.abs(got.moment_residual - got.reserve).max() < 1e-10 and np.abs(got.missing).max() < 1e-10
    active = strengths(model, motion).active
    assert np.allclose(got.force, got.activation * active, rtol=1e-12)
    assert got.activation.min() == 0.01 and got.activation.max() <= 1.0


@pytest.mark.parametrize("power", [2, 3])
@pytest.mark.parametrize("effort", ["activation", "force"])
def test_no_worse_than_a_general_optimiser(model, trial, power, effort):
    """SLSQP on the forces of single frames, from moment arms and Hill curves alone."""
    motion, loads = trial
    got = ss.solve_muscles(model, motion, loads, power=power, effort=effort, reserve=0.5)
    paths, active = ss.muscle_paths(model, motion.q), strengths(model, motion).active
    scale = active if effort == "activation" else np.broadcast_to(hill_muscles(model).max_force, active.shape)
    for f in (0, 17, 40):

        def cost(force, f=f):
            rest = loads.tau[f] - force @ paths.arms[f]
            return ((force / scale[f]) ** power).sum() / power + 0.5 * ((rest / 0.5) ** 2).sum()

        bounds = list(zip(0.01 * active[f], active[f], strict=True))
        options = {"ftol": 1e-15, "maxiter": 1000}
        best = minimize(cost, 0.3 * active[f], method="SLSQP", bounds=bounds, options=options)
        assert cost(got.force[f]) <= best.fun * (1.0 + 1e-9)
        assert np.abs(got.force[f] - best.x).max() < 0.02 * got.force[f].max()


def test_effort_of_forces_depends_on_the_pull_alone(model, trial):
    """With bounds that do not bind, tensions over maximal forces share alike whatever the fibres can do."""
    motion, loads = trial
    got = ss.solve_muscles(model, motion, loads, effort="force", lower=0.0)
    stress = got.force / hill_muscles(model).max_force
    both = (stress[:, 2] > 0.0) & (
        stress[:, 6] > 0.0
    )  # inner and weak are nearly twins: stress as the moment arm
    arms = ss.muscle_paths(model, motion.q).arms[:, :, 1]
    free = both & (got.activation[:, [2, 6]] < 1.0).all(axis=1)
    assert free.sum() > 10
    forces = hill_muscles(model).max_force
    assert np.allclose(
        stress[free, 2] / (arms[free, 2] * forces[2]),
        stress[free, 6] / (arms[free, 6] * forces[6]),
        rtol=1e-9,
    )


def test_weights(model, trial):
    motion, loads = trial
    plain = ss.solve_muscles(model, motion, loads)
    dear = ss.solve_muscles(model, motion, loads, weights={"front": 10.0})
    assert dear.muscle("front").mean() < 0.7 * plain.muscle("front").mean()
    assert dear.muscle("long_front").mean() > plain.muscle("long_front").mean()
    volume = ss.solve_muscles(model, motion, loads, weights="volume")
    hill = hill_muscles(model)
    size = hill.max_force * hill.fibre_length
    same = ss.solve_muscles(model, motion, loads, weights=dict(zip(NAMES, size / size.mean(), strict=True)))
    assert np.array_equal(volume.force, same.force) and any(
        "volume" in each for each in sentences(volume.notes)
    )


def test_passive_forces_count_if_asked(trial):
    """Fibres beyond their optimal length pull by themselves; what they give is taken off the demand."""
    taut = arm(muscles=None)
    taut = taut.replace(
        muscles={
            name: strand(
                name, [(p.link, *p.position[:2]) for p in muscle.path.points], muscle.max_force, 0.1, 0.06
            )
            for name, muscle in taut.muscles.items()
        }
    )
    motion, loads = at_rest(taut)
    without = ss.solve_muscles(taut, motion, loads)
    got = ss.solve_muscles(taut, motion, loads, passive=True)
    state = strengths(taut, motion)
    assert state.passive.max() > 1.0
    assert np.allclose(got.force, state.tendon_force(got.activation), atol=1e-9)
    assert np.abs(moments(taut, motion, got.force) + got.reserve - loads.tau).max() < 1e-10
    assert np.abs(got.force - without.force).max() > 1.0


@pytest.mark.parametrize("effort", ["activation", "force"])
def test_elastic_tendons(effort):
    """Forces are those of fibres in balance with their tendons at the activations that are reported."""
    model = arm()
    motion, loads = at_rest(model)
    got = ss.solve_muscles(model, motion, loads, tendon="elastic", effort=effort)
    assert got.converged.all()
    assert np.abs(moments(model, motion, got.force) + got.reserve - loads.tau).max() < 1e-10
    paths = ss.muscle_paths(model, motion.q, motion.v)
    hill = hill_muscles(model)
    balance = equilibrium(hill, paths.length, paths.speed, got.activation)
    assert balance.converged.all()
    off = np.abs(balance.tendon_force(got.activation) - got.force) / hill.max_force
    assert off.max() < 1e-4  # bracketed secants, twelve of them
    rigid = ss.solve_muscles(model, motion, loads, passive=True, effort=effort)
    assert 0.1 < np.abs(got.force - rigid.force).max() < 0.5 * rigid.force.max()


def test_bounds_of_activation(model, trial):
    motion, loads = trial
    got = ss.solve_muscles(model, motion, loads, lower={"back": 0.2}, upper={"front": 0.3})
    assert got.activation[:, 1].min() == 0.2 and got.activation[:, 0].max() == 0.3
    assert got.activation[:, 3].min() == 0.01
    (full,) = (note for note in got.notes if note.code == "sharing.fully-active")
    assert "front" in full.names and "fully active" in str(full) and "front" in str(full)
    none = ss.solve_muscles(model, motion, loads, lower=0.0)
    assert none.activation.min() == 0.0
    with pytest.raises(InputError, match=r"'front' must be at least 0\.01 and at most 0\.001"):
        ss.solve_muscles(model, motion, loads, upper={"front": 0.001})


def test_chosen_muscles_and_coordinates(model, trial):
    motion, loads = trial
    some = ss.solve_muscles(model, motion, loads, muscles=("front", "back", "inner", "outer"))
    assert some.names == ("front", "back", "inner", "outer") and some.converged.all()
    one = ss.solve_muscles(model, motion, loads, coordinates=("fore",))
    assert one.coordinates == ("fore",) and one.demand.shape == (len(motion), 1)
    (left,) = (note for note in one.notes if note.code == "sharing.not-asked-for")
    assert "upper" in left.names and "not asked for" in str(left)
    assert one.activation[:, 0].max() == 0.01  # nobody asks it
    points = [("upper", 0.02, -0.12), ("fore", 0.02, -0.04)]
    off = model.replace(muscles={**model.muscles, "weak": strand("weak", points, enabled=False)})
    assert "weak" not in ss.solve_muscles(off, motion, ss.solve_id(off, motion)).names


def test_reserves(model, trial):
    motion, loads = trial
    large = ss.solve_muscles(model, motion, loads, reserve=50.0)
    named = ss.solve_muscles(model, motion, loads, reserve={"*": 50.0, "fore": 0.0})
    assert np.abs(large.reserve).max() > 0.2
    assert (named.reserve[:, 1] == 0.0).all() and np.array_equal(named.reserve_size, [50.0, 0.0])
    assert named.converged.all() and np.abs(named.moment_residual[:, 1]).max() < 1e-9
    to_reserve = [note for note in large.notes if note.code == "sharing.left-to-reserve"]
    assert any("upper" in note.names and "to the reserve" in str(note) for note in to_reserve)


def test_what_no_muscle_can_make_is_said():
    """Without muscles in front and without a reserve: which coordinate, which frames, how much."""
    whole = arm()
    model = whole.replace(
        muscles={k: v for k, v in whole.muscles.items() if k in ("back", "outer", "long_back")}
    )
    motion, loads = at_rest(model)
    got = ss.solve_muscles(model, motion, loads, reserve=0.0)
    bad = loads.tau[:, 1] > 0.05
    assert not got.converged[bad].any() and np.isfinite(got.force).all()
    worst = np.abs(got.missing).max(axis=0)
    missed = next(note for note in got.notes if str(note).startswith("fore: no muscle can make its moment"))
    assert missed.code == "sharing.moment-missing" and missed.names == ("fore",)
    note = str(missed)
    assert f"up to {worst[1]:.3g} of" in note and "N m is missing" in note and " s)" in note
    assert note.endswith("; allow a reserve, or check loads and strengths")
    assert "sharing.not-optimal" in codes(got.notes)
    held = ss.solve_muscles(model, motion, loads)
    assert held.converged.all()
    assert any(each.startswith("fore: muscles leave up to") for each in sentences(held.notes))


def test_a_path_without_its_end_is_noted(model, trial):
    """As `muscle_paths` notes it: an end with a condition that some frames do not meet."""
    motion, loads = trial
    odd = strand("odd", [("world", 0.03, 0.05), ("upper", 0.03, -0.1), ("fore", 0.02, -0.05)])
    points = [*odd.path.points[:2], ConditionalPathPoint("fore", (0.02, -0.05, 0.0), "end", "fore", 0.7, 2.0)]
    more = model.replace(muscles={**model.muscles, "odd": replace(odd, path=Path(tuple(points)))})
    got = ss.solve_muscles(more, motion, loads)
    noted = ss.muscle_paths(more, motion.q).notes
    wanted = next(note for note in noted if note.code == "paths.end-out-of-use")
    assert str(wanted).startswith("odd: its last point is out of use") and wanted in got.notes


def test_actuators_of_the_model_take_part():
    model = arm(actuators=[("motor", 30.0, -np.inf, np.inf, "fore"), ("brake", 5.0, -0.02, 0.02, "upper")])
    motion, loads = at_rest(model)
    got = ss.solve_muscles(model, motion, loads)
    assert got.actuators == ("motor", "brake") and got.actuator_coordinates == ("fore", "upper")
    assert np.array_equal(got.reserve_size, [1.0, 0.0])  # none beside a motor without limits
    assert np.abs(got.control[:, 1]).max() == 0.02
    assert np.allclose(got.actuator_force, got.control * [30.0, 5.0])
    given = moments(model, motion, got.force) + got.reserve + got.actuator_moment
    assert np.abs(given - loads.tau).max() < 1e-9
    assert np.allclose(got.muscle_residual, got.actuator_moment + got.reserve, atol=1e-10)
    assert "sharing.moment-missing" not in codes(got.notes), "what motors make is not missing"
    assert np.abs(got.muscle_residual[:, 1]).max() > 1e-2 and np.abs(got.moment_residual[:, 1]).max() < 1e-9
    without = ss.solve_muscles(model, motion, loads, actuators=False)
    assert without.actuators == () and np.array_equal(without.reserve_size, [1.0, 1.0])
    alone = model.replace(muscles={k: v for k, v in model.muscles.items() if k in ("front", "back")})
    assert ss.solve_muscles(alone, motion, ss.solve_id(alone, motion)).coordinates == ("upper", "fore")


def test_reserves_to_the_power_as_opensim_has_them(model, trial):
    motion, loads = trial
    square = ss.solve_muscles(model, motion, loads, power=3, reserve=20.0)
    cube = ss.solve_muscles(model, motion, loads, power=3, reserve=20.0, as_opensim=True)
    assert cube.converged.all()
    assert np.abs(moments(model, motion, cube.force) + cube.reserve - loads.tau).max() < 1e-9
    assert (
        np.abs(cube.reserve).mean() > 2.0 * np.abs(square.reserve).mean()
    )  # a small cube costs less than a square


def test_the_floating_base_is_nobodys(trial):
    model = arm(base=True)
    motion = swing(model)
    got = ss.solve_muscles(model, motion, ss.solve_id(model, motion))
    assert got.coordinates == ("upper", "fore") and got.converged.all()
    with pytest.raises(InputError, match=r"'trunk\.ty' is a coordinate of the floating base"):
        ss.solve_muscles(model, motion, ss.solve_id(model, motion), coordinates=("trunk.ty",))


def test_springs_are_not_the_muscles_business():
    model = arm()
    coordinates = dict(model.coordinates)
    stiff = model.replace(coordinates={**coordinates, "fore": replace(coordinates["fore"], stiffness=3.0)})
    motion = swing(stiff)
    loads = ss.solve_id(stiff, motion)
    got = ss.solve_muscles(stiff, motion, loads)
    assert np.allclose(got.demand[:, 1], loads.tau[:, 1] + 3.0 * motion.q[:, 1])


def test_locked_coordinates_hold_themselves():
    model = arm()
    locked = model.replace(
        coordinates={**model.coordinates, "fore": replace(model.coordinates["fore"], locked=True)}
    )
    motion = swing(locked)
    loads = ss.solve_id(locked, motion)
    got = ss.solve_muscles(locked, motion, loads)
    assert got.coordinates == ("upper",) and "sharing.not-met-locked" in codes(got.notes)
    assert ss.solve_muscles(locked, motion, loads, coordinates=("upper", "fore")).coordinates == (
        "upper",
        "fore",
    )


def test_results_depend_neither_on_threads_nor_on_other_frames(model):
    motion = swing(model, 700)
    loads = ss.solve_id(model, motion)
    one = ss.solve_muscles(model, motion, loads, threads=1)
    two = ss.solve_muscles(model, motion, loads, threads=2)
    assert np.array_equal(one.force, two.force) and np.array_equal(one.activation, two.activation)
    part = ss.solve_muscles(model, motion, loads, time_range=(2.0, 2.5))
    at = np.flatnonzero((motion.time >= 2.0 - 1e-9) & (motion.time <= 2.5 + 1e-9))
    assert np.allclose(part.force, one.force[at], rtol=1e-12, atol=1e-12)


def test_loads_of_a_part_of_the_motion(model, trial):
    motion, loads = trial
    whole = ss.solve_muscles(model, motion, loads)
    part = ss.solve_muscles(model, motion, ss.solve_id(model, motion, time_range=(0.2, 0.4)))
    at = np.flatnonzero((motion.time >= 0.2 - 1e-9) & (motion.time <= 0.4 + 1e-9))
    assert len(part) == len(at) == 21 and np.allclose(part.force, whole.force[at], atol=1e-10)


def test_frames_without_loads_stay_empty(model, trial):
    motion, loads = trial
    tau = np.array(loads.tau)
    tau[10:14] = np.nan
    got = ss.solve_muscles(model, motion, ss.Loads(model, loads.time, tau))
    assert np.isnan(got.force[10:14]).all() and np.isnan(got.kkt[10:14]).all()
    assert got.known.sum() == 56 and got.converged.sum() == 56
    assert any("not known in 4 of 60 frames, 10 to 13" in each for each in sentences(got.notes))
    whole = ss.solve_muscles(model, motion, loads)
    assert np.array_equal(got.force[got.known], whole.force[got.known])


def test_loads_from_a_file_have_springs_added(tmp_path, model, trial):
    motion, loads = trial
    loads.save(tmp_path / "id.sto")
    got = ss.solve_muscles(model, motion, ss.read_loads(tmp_path / "id.sto", model))
    assert np.allclose(got.force, ss.solve_muscles(model, motion, loads).force, atol=1e-9)
    assert "sharing.springs-anew" in codes(got.notes)


@pytest.fixture(scope="module")
def rough(model):
    """A motion with noise, and its loads with a low pass of 6 Hz."""
    smooth = swing(model, 120)
    noise = np.random.default_rng(0).normal(0.0, 1e-3, smooth.q.shape)
    motion = ss.Motion(model, smooth.time, smooth.q + noise)
    return motion, ss.solve_id(model, motion, lowpass=6.0)


def test_the_low_pass_is_that_of_the_loads(model, rough):
    """Lengths and speeds too are of low-passed coordinates, without being told: near those before the noise."""
    motion, loads = rough
    got = ss.solve_muscles(model, motion, loads)
    smooth = swing(model, 120)
    clean = ss.solve_muscles(model, smooth, ss.solve_id(model, smooth))
    inner = slice(20, 100)
    assert np.abs(got.force - clean.force)[inner].max() < 0.2 * clean.force.max()
    (note,) = (note for note in got.notes if note.code == "sharing.low-passed")
    assert note.values["lowpass_hz"] == 6.0 and "low-passed at 6 Hz" in str(note)
    said = ss.solve_muscles(model, motion, loads, lowpass=6.0)
    assert np.array_equal(said.force, got.force) and said.notes == got.notes
    with pytest.raises(InputError, match="low pass of 6 Hz, however lowpass is 8 Hz: leave it out"):
        ss.solve_muscles(model, motion, loads, lowpass=8.0)


def test_loads_of_a_file_do_not_remember_a_low_pass(tmp_path, model, rough):
    motion, loads = rough
    loads.save(tmp_path / "id.sto")
    filed = ss.read_loads(tmp_path / "id.sto", model)
    got = ss.solve_muscles(model, motion, filed, lowpass=6.0)
    assert np.allclose(got.force, ss.solve_muscles(model, motion, loads).force, atol=1e-9)
    forgot = ss.solve_muscles(model, motion, filed)
    (note,) = (note for note in forgot.notes if note.code == "sharing.lowpass-unknown")
    assert "give lowpass here too" in str(note)
    assert note.told(lambda option: f"--{option.name}").endswith("give --lowpass here too")
    assert np.abs(forgot.activation - got.activation).max() > 0.01  # speeds of noise
    as_it_is = ss.solve_id(model, motion)
    other = ss.solve_muscles(model, motion, as_it_is, lowpass=6.0)
    assert "sharing.lowpass-differs" in codes(other.notes)
    plain = ss.solve_muscles(model, motion, as_it_is).notes
    assert not any("low pass" in each for each in sentences(plain))


def test_smoothness(model):
    """Jerky loads: activations change less from frame to frame, moments are met all the same."""
    motion, loads = at_rest(model)
    tau = loads.tau + np.random.default_rng(1).normal(0.0, 0.3, loads.tau.shape)
    jerky = ss.Loads(model, loads.time, tau)
    plain = ss.solve_muscles(model, motion, jerky)
    got = ss.solve_muscles(model, motion, jerky, smoothness=0.05)
    assert got.converged.all() and got.kkt.max() < 1e-9
    assert np.abs(moments(model, motion, got.force) + got.reserve - tau).max() < 1e-9

    def effort(x):
        rough = (0.05 * 100.0) ** 2 * (np.diff(x.activation, axis=0) ** 2).sum()
        return 0.5 * ((x.activation**2).sum() + (x.reserve**2).sum() + rough)

    assert effort(got) < effort(plain)
    assert np.abs(np.diff(got.activation, axis=0)).mean() < np.abs(np.diff(plain.activation, axis=0)).mean()
    gap = np.array(tau)
    gap[20:25] = np.nan
    parted = ss.solve_muscles(model, motion, ss.Loads(model, loads.time, gap), smoothness=0.05)
    assert parted.known.sum() == 55 and parted.converged.sum() == 55
    uneven = ss.Motion(model, motion.time**1.5, motion.q)
    with pytest.raises(InputError, match="constant rate"):
        ss.solve_muscles(model, uneven, ss.solve_id(model, uneven), smoothness=0.05)


def test_a_single_frame(model, trial):
    motion, loads = trial
    one = ss.solve_muscles(model, motion, loads, time_range=(0.2, 0.2))
    assert len(one) == 1 and np.allclose(one.force[0], ss.solve_muscles(model, motion, loads).force[20])
    alone = motion.at(0.2, 0.2)
    assert np.allclose(
        ss.solve_muscles(model, alone, ss.solve_id(model, alone), smoothness=0.1).force, one.force
    )


def test_what_is_left_out_is_said(model, trial):
    motion, loads = trial
    path = model.muscles["front"].path
    band = Ligament("band", path, 0.2, 10.0, Constant(1.0))
    spring = TorqueActuator("spring", link="upper")
    more = model.replace(ligaments={"band": band}, actuators={"spring": spring})
    got = ss.solve_muscles(more, motion, ss.solve_id(more, motion))
    told = {note.code: note for note in got.notes}
    assert told["sharing.ligaments-left-out"].names == ("band",)
    assert "not on a coordinate are left out: 'spring'" in str(told["actuators.left-out"])
    assert np.array_equal(got.force, ss.solve_muscles(model, motion, loads).force)


def test_progress_is_told(model):
    motion = swing(model, 300)
    told = []
    ss.solve_muscles(model, motion, ss.solve_id(model, motion), threads=1, progress=told.append)
    assert told == sorted(told) and told[-1] == 1.0 and len(told) > 1


LATE = r"do not fit in time: the loads have a frame at 0 s, the motion"
SHORT = r"a frame at 0\.3 s, the motion, 30 frames from 0 to 0\.29 s"


@bad_input(
    InputError,
    ({"coordinates": ("knee",)}, "'knee' is no coordinate"),
    ({"muscles": ("front", "biceps")}, "no muscle 'biceps'"),
    ({"weights": {"biceps": 2.0}}, "weights of 'biceps': no such muscle"),
    ({"lower": {"biceps": 0.1}}, "lower of 'biceps'"),
    ({"reserve": {"knee": 1.0}}, "reserve of 'knee'"),
    ({"muscles": ("front", "back"), "coordinates": ("fore",)}, "'fore' is moved by no muscle"),
    ({"time_range": (7.0, 8.0)}, "no frame lies"),
    ({"colour": "red"}, "'colour' is no option"),
    (lambda motion, loads: (loads, motion), "takes a Model, a Motion and Loads"),
    (lambda model: model.replace(muscles={}), "no muscle that is switched on", ModelError),
    (lambda loads: replace(loads, tau=np.full_like(loads.tau, np.nan)), "nothing to share"),
    (lambda motion: ss.Motion(motion.model, motion.time + 0.005, motion.q), LATE),
    (lambda motion: ss.Motion(motion.model, motion.time[:30], motion.q[:30]), SHORT),
    (lambda model, motion: (arm(base=True), swing(arm(base=True))), "coordinates differ"),
)
def test_bad_requests(refuses, model, trial):
    motion, loads = trial
    refuses(ss.solve_muscles, model=model, motion=motion, loads=loads)


def test_loads_that_are_known_in_part(model, trial):
    motion, loads = trial
    half = np.array(loads.tau)
    half[:, 1] = np.nan
    got = ss.solve_muscles(model, motion, ss.Loads(model, loads.time, half))
    assert got.coordinates == ("upper",)
    assert "not met, their loads are not known: 'fore'" in sentences(got.notes)
    with pytest.raises(InputError, match="loads of 'fore' are not known"):
        ss.solve_muscles(model, motion, ss.Loads(model, loads.time, half), coordinates=("fore",))
