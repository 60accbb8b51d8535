"""What cannot be is refused with a message that names it, before anything is computed."""

import numpy as np
import pytest
from tests.refusals import bad_input

from softstride.errors import InputError, ModelError, SimulationError
from softstride.planar import Chain, Contact, Muscle, Shape, State

GOOD = {
    "length": [0.1, 0.4, 0.3],
    "mass": [1.0, 5.0, 3.0],
    "com": [(0.0, 0.0), (0.2, 0.0), (0.1, 0.0)],
    "inertia": [0.1, 0.1, 0.05],
    "links": ("base", "upper", "lower"),
    "joints": ("shoulder", "elbow"),
}


def chain(**changes):
    return Chain(**(GOOD | changes))


@bad_input(
    ModelError,
    ({"length": [0.1, 0.0, 0.3]}, "link 'upper': length must be above zero, however it is 0 m"),
    ({"length": [0.1, 0.4, -0.3]}, "link 'lower': length must be above zero"),
    ({"length": [-0.1, 0.4, 0.3]}, "link 'base': length"),
    ({"length": [0.1]}, "one number for the base and each link"),
    ({"mass": [1.0, -5.0, 3.0]}, "link 'upper': mass must not be negative"),
    ({"inertia": [0.1, 0.1, -0.05]}, "link 'lower': inertia must not be negative"),
    ({"mass": [1.0, 5.0]}, r"mass of the links must have shape \(3,\)"),
    ({"com": [(0.0, 0.0)] * 2}, "com of the links"),
    ({"mass": [1.0, np.nan, 3.0]}, "mass of the links must be finite"),
    ({"length": [0.1, np.inf, 0.3]}, "length of the links must be finite"),
    ({"mass": "heavy"}, "mass of the links must be made of"),
    ({"gravity": -9.81}, "gravity must be at least 0"),
    ({"gravity": (0.0, -9.81, 0.0)}, "gravity must have shape"),
    ({"links": ("base", "upper", "upper")}, "3 different names"),
    ({"joints": "ab"}, "joints must be a list of names"),
    ({"muscles": ["biceps"]}, "muscles must be Muscle objects"),
    ({"muscles": [Muscle("m", [(0, 0, 0.1), (3, 0.1, 0)])]}, "muscle 'm': there is no link 3; links 0 to 2 are"),
    ({"muscles": [Muscle("m", [("base", 0, 0.1), ("hand", 0.1, 0)])]}, "muscle 'm': there is no link 'hand'"),
    ({"muscles": [Muscle("m", [(1, 0, 0.1), (1, 0.1, 0)])]}, "muscle 'm': all points are on link 'upper'"),
    ({"muscles": [Muscle("m", [(0, 0, 0.1), (1, 0.1, 0)])] * 2}, "'m' occurs more than once"),
    ({"contacts": [Contact("c", 5)]}, "contact 'c': there is no link 5"),
    ({"contacts": [Contact("c", -1)]}, "contact 'c': there is no link -1"),
    ({"contacts": [Contact("c", True)]}, "contact 'c': there is no link True"),
    ({"contacts": [Contact("c", 2, (0.9, 0.0))]}, "contact 'c' at .0.9, 0. m lies 0.6 m outside the line of its"),
    ({"contacts": [Contact("c", 2, (0.1, -0.5))]}, "lies 0.5 m outside"),
    ({"contacts": [Contact("c", 2, (0.6, 0.0))]}, "lies 0.3 m outside the line of its link 'lower', which reaches"),
    ({"contacts": [Contact("c", 2, (0.1, -0.2))], "reach": [0.1] * 3}, "which reaches 0.1 m"),
    ({"length": [0.1, 0.02, 0.6], "com": [(0, 0)] * 3, "contacts": [Contact("c", 1, (0.5, 0))]}, "lies 0.48 m"),
    ({"length": [0.0, 0.4, 0.3], "contacts": [Contact("c", 0, (0.25, 0))]}, "which reaches 0.2 m"),
    ({"name": ""}, "name of a chain"),
)  # fmt: skip
def test_chains_that_cannot_be(refuses):
    refuses(chain)


@pytest.mark.parametrize(
    ("path", "words"),
    [
        ([(0, 0.0, 0.0)], "two points or more"),
        ([(0, 0.0), (1, 0.0)], r"point 0 must be \(link, x, y\)"),
        ([(0, 0.0, np.nan), (1, 0.0, 0.0)], "point 0 must be finite"),
        (7, "must be a list"),
    ],
)
def test_paths_that_cannot_be(path, words):
    with pytest.raises(ModelError, match=words):
        Muscle("m", path)


@bad_input(
    InputError,
    ({"theta": 1.0}, "theta must have the shape"),
    ({"theta": np.zeros((0, 3))}, "at least one frame"),
    ({"theta": [[0.0, 1.0, 2.0], [0.1, 1.0, 2.0]]}, "theta of the base must not change"),
    ({"theta": [0.0, np.nan, 1.0]}, r"theta must be finite, however it is nan at \(1,\)"),
    ({"theta": [[0.0, 1.0, 1.0], [0.0, np.nan, 1.0]]}, r"nan at \(1, 1\)"),
    ({"omega": [0.0, 1.0]}, "omega must have the shape of theta"),
    ({"omega": [0.5, 1.0, 1.0]}, "omega of the base"),
    ({"alpha": [0.5, 1.0, 1.0]}, "alpha of the base"),
    ({"alpha": [0.0, 1.0, np.inf]}, "alpha must be finite"),
    ({"tension": {"m": -1.0}}, "tension of 'm' must not be negative"),
    ({"tension": {"m": np.nan}}, "tension of 'm' must be finite"),
    ({"tension": 7.0}, "tension must map names"),
    ({"force": {"hand": (1.0, 2.0, 3.0)}}, "force of 'hand' must have the shape"),
    ({"force": {"hand": (np.nan, 2.0)}}, "force of 'hand' must be finite"),
    ({"couple": {"hand": "much"}}, "couple of 'hand' must be made of real numbers"),
    ({"torque": [1.0]}, "torque must have the shape"),
    ({"base_acceleration": [1.0]}, "base_acceleration must have the shape"),
    ({"time": [1.0, 2.0]}, "time must have shape"),
)
def test_states_that_cannot_be(refuses):
    refuses(State, theta=[0.0, 1.0, 2.0])


ARM = chain(
    muscles=[Muscle("m", [(0, 0.0, 0.05), (1, 0.1, 0.03)])],
    contacts=[Contact("hand", 2, (0.3, 0.0)), Contact("seat", 0)],
)
STATE = State(theta=[0.0, 1.0, 2.0], tension={"m": 10.0}, force={"hand": (1.0, 0.0), "seat": (0.0, 90.0)})


@pytest.mark.parametrize(
    ("changes", "form", "words"),
    [
        ({"theta": [0.0, 1.0], "omega": None, "alpha": None}, "distal", "theta must have 3 columns"),
        ({"tension": {}}, "distal", "muscle 'm' has no tension"),
        ({"tension": {"m": 1.0, "x": 2.0}}, "distal", "tension is given for 'x', which is no muscle"),
        ({"force": {"foot": (0.0, 1.0)}}, "distal", "force is given for 'foot', which is no contact"),
        (
            {"force": {"seat": (0.0, 90.0)}},
            "distal",
            "contact 'hand' on link 'lower' has neither force nor couple",
        ),
        ({"force": {"hand": (0.0, 90.0)}}, "proximal", "contact 'seat' on link 'base' has neither"),
        ({}, "sideways", "form must be one of"),
        ({"point": {"hand": (2.0, 0.0)}}, "distal", "contact 'hand' in frame 0"),
    ],
)
def test_states_that_do_not_fit_their_chain(changes, form, words):
    for ask in (ARM.reactions, ARM.torques, ARM.contributions):
        with pytest.raises((InputError, ModelError), match=words):
            ask(STATE.changed(**changes), form=form)


def test_a_contact_may_leave_its_link_while_nothing_acts():
    """A centre of pressure of an unloaded plate is anywhere."""
    state = State(
        theta=np.tile([0.0, 1.0, 2.0], (2, 1)),
        tension={"m": 10.0},
        force={"hand": [(0.0, 0.0), (5.0, 0.0)]},
        point={"hand": [(99.0, 0.0), (0.2, 0.0)]},
    )
    assert np.isfinite(ARM.reactions(state).force).all()
    swapped = state.changed(force={"hand": [(5.0, 0.0), (0.0, 0.0)]})
    with pytest.raises(ModelError, match="in frame 0"):
        ARM.reactions(swapped)


def test_a_muscle_without_length_is_named_with_its_frame():
    body = chain(muscles=[Muscle("m", [(1, 0.4, 0.0), (2, 0.0, 0.0)])])  # both ends in the elbow
    with pytest.raises(InputError, match="muscle 'm' has no length in frame 0"):
        body.reactions(State(theta=[0.0, 1.0, 2.0], tension={"m": 1.0}))


def test_the_proximal_form_needs_a_contact_on_the_base():
    with pytest.raises(InputError, match="no contact is on it"):
        chain().reactions(State(theta=[0.0, 1.0, 2.0]), form="proximal")
    with pytest.raises(InputError, match="no contact is on it"):
        chain(contacts=[Contact("c", 1)]).balanced(State(theta=[0.0, 1.0, 2.0]), "c")


def test_only_one_contact_follows_from_the_balance():
    with pytest.raises(InputError, match="'hand' is unknown beside 'seat'"):
        ARM.balanced(STATE.changed(force={}), "seat")
    with pytest.raises(InputError, match="'nose' is no contact"):
        ARM.balanced(STATE, "nose")


def test_shapes_that_cannot_be():
    good = [np.ones((2, 3)), np.zeros((2, 3)), np.zeros((2, 3)), *(np.zeros((2, 3, 2)) for _ in range(3))]
    assert Shape(*good).length.shape == (2, 3)
    for index, value, words in (
        (0, np.zeros((2, 3)), "length of link 1 must be above zero"),
        (0, np.ones(3), r"length of a shape must have shape \(2, 3\)"),
        (1, np.ones((2, 3)), "length_rate of link 0 must be zero"),
        (2, np.zeros((1, 3)), r"length_acceleration of a shape must have shape \(2, 3\)"),
        (3, np.zeros((2, 3)), "com of a shape"),
        (
            4,
            np.full((2, 3, 2), np.nan),
            r"com_rate of a shape must be finite, however it is nan at \(0, 0, 0\)",
        ),
    ):
        with pytest.raises(InputError, match=words):
            Shape(*(value if k == index else part for k, part in enumerate(good)))
    with pytest.raises(InputError, match="shape must have 1 frames"):
        State(theta=[0.0, 1.0, 2.0], shape=Shape(*good))


def test_unknown_fields_are_named():
    with pytest.raises(ModelError, match="'colour' is no field of a chain; known: length"):
        ARM.changed(colour="red")
    with pytest.raises(InputError, match="'speed' is no field of a state; known: theta"):
        STATE.changed(speed=1.0)
    with pytest.raises(InputError, match="no source 'muscle:x'; there are: muscle:m"):
        ARM.contributions(STATE).column("muscle:x")
    with pytest.raises(InputError, match="by must be kind, link or spanning"):
        ARM.contributions(STATE).by("colour")


def test_a_table_that_does_not_add_up_is_refused():
    from dataclasses import replace

    table = ARM.contributions(STATE)
    wrong = replace(table, force=table.force * (1.0 + 1e-9))
    with pytest.raises(SimulationError, match="must add up"):
        wrong.check(STATE)
    table.check(STATE)


def test_nothing_can_be_changed_afterwards():
    found = ARM.reactions(STATE)
    for array in (found.force, ARM.length, STATE.theta, ARM.contributions(STATE).torque):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 1.0


def test_a_contact_may_be_half_a_link_away_and_as_far_as_the_mass_is():
    """The border is inside; a link whose mass is off its line is as much wider; a base of no length is no point."""
    chain(
        com=[(0.0, 0.0), (0.1, 0.0), (0.1, 0.0)],
        contacts=[Contact("c", 2, (0.45, 0.0)), Contact("d", 1, (0, 0.2))],
    )
    wide = [(0.0, 0.0), (0.1, 0.0), (0.1, -0.06)]
    chain(com=wide, contacts=[Contact("c", 2, (0.1, 0.21))])
    with pytest.raises(ModelError, match=r"lies 0\.22 m outside"):
        chain(com=wide, contacts=[Contact("c", 2, (0.1, 0.22))])
    chain(length=[0.0, 0.4, 0.3], contacts=[Contact("c", 0, (0.2, 0.0))])
