"""Options of sharing forces say what is wrong with them."""

import pickle

from tests.refusals import bad_input

from softstride.errors import InputError
from softstride.muscles import MuscleOptions


@bad_input(
    InputError,
    ({"power": 4}, "power must be 2 or 3, however it is 4"),
    ({"effort": "pain"}, "effort must be 'activation' or 'force', however it is 'pain'"),
    ({"tendon": "soft"}, "tendon must be 'elastic' or 'rigid', however it is 'soft'"),
    (
        {"weights": "heavy"},
        "weights must be 'volume' or a table of names of muscles, each with a number of 0 or more, however it is "
        "'heavy'",
    ),
    ({"weights": {"soleus": -1.0}}, r"weights\['soleus'\] must be a number of 0 or more, however it is -1"),
    ({"muscles": "soleus"}, "muscles must be a list of names of muscles, .*, however it is 'soleus'"),
    (
        {"coordinates": ("knee", "knee")},
        "coordinates must be a list of names .*, however 'knee' is named twice",
    ),
    (
        {"coordinates": []},
        "coordinates must be a list of names of coordinates, at least one, or None, however there is none: leave it "
        "away for all",
    ),
    ({"muscles": ()}, "muscles must be a list of names of muscles, at least one, or None"),
    (
        {"reserve": -1.0},
        "reserve must be a number of 0 or more, or a table of names of coordinates, each with a number of 0 or more, "
        "however it is -1",
    ),
    (
        {"reserve": {"knee": float("inf")}},
        r"reserve\['knee'\] must be a number of 0 or more, however it is inf",
    ),
    ({"lower": "small"}, "lower must be a number of 0 or more, .* or None, however it is 'small'"),
    ({"upper": -0.1}, "upper must be a number of 0 or more, .* however it is -0.1"),
    ({"smoothness": -0.1}, r"smoothness must be a number of 0 or more \[s\], however it is -0.1"),
    (
        {"emg_weight": {"soleus": -1.0}},
        r"emg_weight\['soleus'\] must be a number of 0 or more, however it is -1",
    ),
    ({"emg_delay": -0.05}, r"emg_delay must be a number of 0 or more \[s\], however it is -0.05"),
    (
        {"emg_muscles": {"soleus": 3}},
        r"emg_muscles\['soleus'\] must be a name or a list of names, however it is 3",
    ),
    (
        {"mvc": "trail"},
        "mvc must be a finite number, a Channels, 'trial', a table .*, or None, however it is 'trail'",
    ),
    ({"actuators": "no"}, "actuators must be True or False, however it is 'no'"),
    ({"passive": "some"}, "passive must be True or False, or None, however it is 'some'"),
    ({"lowpass": 0.0}, r"lowpass must be a number above 0 \[Hz\] or None, however it is 0"),
    (
        {"time_range": (2.0, 1.0)},
        r"time_range must be a start and an end \[s\] or None, however it is 2 to 1",
    ),
    ({"tendon": "elastic", "passive": False}, "not possible with elastic tendons"),
    ({"as_opensim": True, "passive": True}, "as_opensim means rigid tendons"),
    ({"as_opensim": True, "tendon": "elastic"}, "as_opensim means rigid tendons"),
    ({"powr": 3}, "'powr' is no option of sharing forces; known: power"),
)
def test_bad_options(refuses):
    refuses(MuscleOptions().changed)


def test_passive_follows_the_tendon_unless_it_is_chosen():
    assert not MuscleOptions().passive and MuscleOptions(tendon="elastic").passive
    assert MuscleOptions().changed(tendon="elastic").passive
    assert not MuscleOptions(tendon="elastic").changed(tendon="rigid").passive
    assert MuscleOptions(passive=True).passive


def test_options_travel():
    options = MuscleOptions(weights={"soleus": 2.0}, reserve={"knee": 0.5})
    again = pickle.loads(pickle.dumps(options))
    assert dict(again.weights) == {"soleus": 2.0} and dict(again.reserve) == {"knee": 0.5}
