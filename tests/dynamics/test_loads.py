"""Loads hold what was found, with names and units, and certify themselves."""

import pickle
from dataclasses import replace

import numpy as np
import pytest
from tests.models import walker
from tests.refusals import bad_input
from tests.trials import N, pushed_walker, swinging

from softstride.dynamics import AppliedWrench, Loads, Wrench, solve_id
from softstride.dynamics.prepare import prepare
from softstride.errors import InputError
from softstride.notes import SAID, Note


@pytest.fixture(scope="module")
def loads():
    return solve_id(*pushed_walker(), sockets=["foot_r"])


def test_coordinates_by_name(loads):
    assert np.array_equal(
        loads.coordinate("knee_l"), loads.tau[:, loads.model.coordinate_names.index("knee_l")]
    )
    with pytest.raises(InputError, match="'knee' is no coordinate of 'walker'; known: 'tilt'"):
        loads.coordinate("knee")


def test_it_says_what_it_is(loads):
    text = repr(loads)
    assert (
        text.startswith("Loads('walker', 50 frames, 0 to 0.49 s, 2 wrenches, residual ") and len(loads) == N
    )


def test_sentences_of_users_become_notes(loads):
    mine = replace(loads, notes=[*loads.notes, "the left shoe was lost"])
    assert mine.notes == (*loads.notes, Note(SAID, "the left shoe was lost"))


def test_nobody_can_change_it(loads):
    for array in (
        loads.tau,
        loads.residual,
        loads.elastic,
        loads.doubtful,
        loads.wrenches["plate left"].force,
    ):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 0
    with pytest.raises(TypeError):
        loads.wrenches["x"] = None


def test_measures_of_the_residual_leave_out_what_is_not_known():
    model = walker("custom")
    residual = np.zeros((4, 6))
    residual[0, :3], residual[1, 3:] = (0, 3, 4), (6, 0, 8)
    residual[2] = np.nan
    tau = np.zeros((4, model.nv))
    tau[2] = np.nan
    loads = Loads(model, np.arange(4.0), tau, residual=residual, base="trunk")
    assert np.array_equal(loads.residual_moment[[0, 1, 3]], [5, 0, 0])
    assert np.array_equal(loads.residual_force[[0, 1, 3]], [0, 10, 0])
    assert loads.residual_force_rms == pytest.approx(10 / np.sqrt(3))
    assert loads.residual_moment_rms == pytest.approx(5 / np.sqrt(3))
    assert (loads.residual_force_peak, loads.residual_moment_peak) == (10.0, 5.0)
    assert loads.known.tolist() == [True, True, False, True]
    empty = Loads(model, [0.0], np.full((1, model.nv), np.nan), residual=np.full((1, 6), np.nan))
    assert np.isnan(empty.residual_force_rms) and np.isnan(empty.residual_moment_peak)


def test_what_is_not_given_is_zero():
    model = walker("custom")
    loads = Loads(model, np.arange(3.0), np.ones((3, model.nv)))
    assert loads.elastic.shape == (3, model.nv) and not loads.elastic.any()
    assert loads.residual.shape == (3, 6) and not loads.doubtful.any()
    assert np.array_equal(loads.active, loads.tau)


def test_active_is_without_springs():
    model = walker("custom")
    loads = Loads(model, [0.0], np.full((1, model.nv), 5.0), elastic=np.full((1, model.nv), 2.0))
    assert np.array_equal(loads.active, np.full((1, model.nv), 3.0))


@bad_input(
    InputError,
    ({"tau": np.zeros((3, 4))}, r"tau of loads must have shape \(3, 16\).*\(3, 4\)"),
    ({"residual": np.zeros((2, 6))}, r"residual of loads must have shape \(3, 6\)"),
    ({"elastic": np.zeros((3, 5))}, r"elastic of loads must have shape \(3, 16\)"),
    ({"doubtful": np.zeros(5, dtype=bool)}, r"doubtful of loads must have shape \(3,\)"),
    ({"time": [0.0, 0.0, 1.0]}, "increas"),
    ({"model": "walker"}, "must be a Model"),
    (
        {"wrenches": {"p": AppliedWrench("foot_r", *np.zeros((3, 2, 3)))}},
        "wrenches 'p' must have 3 frames, not 2",
    ),
    (
        {"socket": {"s": Wrench("a", "b", np.zeros((2, 3)), np.zeros((2, 6)))}},
        "socket 's' must have 3 frames",
    ),
)
def test_shapes_that_do_not_fit(refuses):
    model = walker("custom")
    refuses(Loads, model=model, time=np.arange(3.0), tau=np.zeros((3, model.nv)))


def test_wrenches_check_their_shapes():
    with pytest.raises(InputError, match=r"point of a wrench on 'foot' must have shape \(4, 3\).*\(3, 3\)"):
        AppliedWrench("foot", np.zeros((4, 3)), np.zeros((3, 3)), np.zeros((4, 3)))
    with pytest.raises(InputError, match=r"values of a wrench on 'a' must have shape \(4, 6\).*\(4, 3\)"):
        Wrench("a", "b", np.zeros((4, 3)), np.zeros((4, 3)))


def test_a_wrench_about_another_point():
    force, moment = (
        np.array([[0.0, 100.0, 0.0], [0.0, 0.0, 0.0]]),
        np.array([[0.0, 2.0, 0.0], [0.0, 0.0, 0.0]]),
    )
    wrench = AppliedWrench("foot", force, np.array([[0.3, 0.0, 0.1], [np.nan] * 3]), moment)
    assert np.allclose(wrench.about((0.1, 0.0, 0.0)), [[-10.0, 2.0, 20.0, 0.0, 100.0, 0.0], [0.0] * 6])
    assert wrench.acts.tolist() == [True, False]


def test_an_xarray(loads):
    xr = pytest.importorskip("xarray")
    data = replace(loads, notes=("one", "two")).to_xarray()
    assert data.attrs["notes"] == "one\ntwo"
    assert isinstance(data, xr.Dataset)
    assert np.array_equal(data["tau"].sel(coordinate="knee_r"), loads.coordinate("knee_r"))
    assert str(data["coordinate_unit"].sel(coordinate="ty").item()) == "N"
    assert str(data["coordinate_unit"].sel(coordinate="knee_r").item()) == "N m"
    assert np.array_equal(data["residual"].sel(component="fy"), loads.residual[:, 4])
    point = data["applied_point"].sel(load="plate left", axis="z")
    assert np.array_equal(point, loads.wrenches["plate left"].point[:, 2])
    assert str(data["load_link"].sel(load="plate left").item()) == "foot_l"
    assert np.array_equal(
        data["socket"].sel(socket_link="foot_r", component="mx"), loads.socket["foot_r"].moment[:, 0]
    )
    assert "applied_force" not in solve_id(loads.model, swinging(loads.model)).to_xarray()


def test_a_dataframe(loads):
    pytest.importorskip("pandas")
    table = loads.to_dataframe()
    assert list(table.columns) == list(loads.model.coordinate_names) and table.index.name == "time"
    assert np.array_equal(table["knee_r"], loads.coordinate("knee_r"))


def test_it_can_travel(loads):
    again = pickle.loads(pickle.dumps(loads))
    assert np.array_equal(again.tau, loads.tau) and list(again.wrenches) == list(loads.wrenches)


def test_loads_know_the_motion_that_they_are_of(loads):
    """Without low pass q, v and a are those of the motion, not copies; with one, as solve_id had them."""
    model, motion, recording = pushed_walker()
    plain = solve_id(model, motion, recording)
    assert plain.state.motion is motion and plain.state.lowpass is None and plain.contacts is None
    for ours, theirs in zip(
        (plain.state.q, plain.state.v, plain.state.a), (motion.q, motion.v, motion.a), strict=True
    ):
        assert np.shares_memory(ours, theirs)
    smooth = solve_id(model, motion, recording, lowpass=6.0, time_range=(0.1, 0.3))
    wanted = prepare(model, motion, 6.0, (0.1, 0.3))
    assert smooth.state.lowpass == 6.0 and np.array_equal(smooth.state.time, smooth.time)
    assert all(np.array_equal(getattr(smooth.state, x), getattr(wanted, x)) for x in "qva")
    again = pickle.loads(pickle.dumps(smooth))
    assert np.array_equal(again.state.a, smooth.state.a) and again.state.motion.model.name == model.name


def test_loads_share_a_state_of_the_same_motion_low_pass_and_time():
    model, motion, recording = pushed_walker()
    first = solve_id(model, motion, lowpass=6.0)
    assert solve_id(model, motion, recording, state=first.state, lowpass=6.0).state is first.state
    for changes in ({"lowpass": 5.0}, {}, {"lowpass": 6.0, "time_range": (0.1, 0.3)}):
        other = solve_id(model, motion, recording, state=first.state, **changes)
        assert other.state is not first.state
        assert np.array_equal(other.tau, solve_id(model, motion, recording, **changes).tau)
    twin = replace(motion, notes=("the same numbers",))
    assert solve_id(model, twin, recording, state=first.state, lowpass=6.0).state.motion is twin


def test_a_state_that_is_not_that_of_the_loads_is_let_go(loads):
    assert replace(loads, lowpass=6.0).state is None
    thin = {name: getattr(loads, name)[::3] for name in ("time", "tau", "residual", "elastic", "doubtful")}
    assert replace(loads, **thin, wrenches={}, socket={}).state is None
    assert replace(loads, tau=2.0 * loads.tau).state is loads.state


def test_tables_of_loads_do_not_repeat_the_motion(loads):
    assert not {"q", "v", "a"} & set(loads.to_xarray().variables)
