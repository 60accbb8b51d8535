"""Options of sharing forces say what is wrong with them."""

import pickle

from tests.refusals import bad_input

from softstride.errors import InputError
from softstride.muscles import MuscleOptions


@bad_input(
    InputError,
    ({"power": 4}, "power must be 2 or 3"),
    ({"power": True}, "power must be 2 or 3"),
    ({"effort": "pain"}, "effort must be 'activation' or 'force'"),
    ({"tendon": "soft"}, "tendon must be 'rigid' or 'elastic'"),
    ({"weights": "heavy"}, "weights must map muscles to numbers, or be 'volume'"),
    ({"weights": {"soleus": -1.0}}, "weights of 'soleus' must be 0 or above"),
    ({"weights": 3.0}, "weights must map"),
    ({"muscles": "soleus"}, "muscles must be a list of names"),
    ({"coordinates": ("knee", "knee")}, "'knee' is named twice"),
    ({"reserve": -1.0}, "reserve must be 0 or above"),
    ({"reserve": {"knee": float("inf")}}, "reserve of 'knee'"),
    ({"lower": "small"}, "lower must be a number"),
    ({"smoothness": -0.1}, "smoothness"),
    ({"emg_weight": float("nan")}, "emg_weight must be a number"),
    ({"emg_weight": {"soleus": -1.0}}, "emg_weight of 'soleus' must be 0 or above"),
    ({"emg_delay": "late"}, "emg_delay must be a number"),
    ({"emg_delay": -0.05}, "emg_delay must be 0 or above"),
    (
        {"coordinates": []},
        "coordinates must name at least one, however there is none: leave coordinates away",
    ),
    ({"muscles": ()}, "muscles must name at least one"),
    ({"actuators": "no"}, "actuators must be True or False, however it is 'no'"),
    ({"as_opensim": 1}, "as_opensim must be True or False"),
    ({"passive": "some"}, "passive must be True or False"),
    ({"lowpass": 0.0}, "lowpass must be a frequency above 0 Hz"),
    ({"time_range": (2.0, 1.0)}, "time_range"),
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
