"""Options of an analysis: checked before anything runs, and plain enough for files."""

import json

from tests.refusals import bad_input

import softstride as ss


@bad_input(
    ss.InputError,
    ({"plates": 1}, "plates must be true or false, however it is 1"),
    ({"passive": "no"}, "passive must be true or false"),
    ({"lowpass": -1.0}, "lowpass must be a frequency above 0 Hz or 'auto'"),
    ({"lowpass": "6"}, "lowpass must be a frequency above 0 Hz or 'auto'"),
    ({"cutoff": 0}, "cutoff must be a frequency above 0 Hz"),
    ({"emg_lowpass": "auto"}, "emg_lowpass must be a frequency above 0 Hz"),
    ({"power": 4}, "power must be 2 or 3"),
    ({"power": True}, "power must be 2 or 3"),
    ({"friction": -0.1}, "friction must be at least 0"),
    ({"emg_delay": float("nan")}, "emg_delay must be a number"),
    ({"emg_weight": 1.0}, "give mvc"),
    ({"emg_weight": "1", "mvc": 1.0}, "emg_weight must be a number, however it is '1'"),
    ({"friction": True}, "friction must be a number, however it is True"),
    ({"friction": 10**400}, "friction must be a number"),
    ({"lowpass": True}, "lowpass must be a frequency above 0 Hz or 'auto'"),
    ({"mvc": "1"}, "mvc must be a number, however it is '1'"),
    ({"mvc": {"SOL": "1"}}, "mvc of 'SOL' must be a number, however it is '1'"),
    ({"weights": {"RASI": [1]}}, "weights of 'RASI' must be a number"),
    ({"weights": {3: 1.0}}, "weights must be a table of names, however one of them is 3"),
    ({"emg": {"soleus_r": 3}}, "emg of 'soleus_r' must be a name or several, however it is 3"),
    ({"coordinates": 3}, "coordinates must be names, however they are 3"),
    ({"emg_side": "both"}, "emg_side must be 'right' or 'left'"),
    ({"time_range": (2.0, 1.0)}, "time_range must be a start and an end"),
    ({"time_range": 3}, "time_range must be a start and an end"),
    ({"weights": 3}, "weights must be a table of names"),
    ({"coordinates": (1, 2)}, "coordinates must be names"),
    ({"speed": 3}, "'speed' is no option of an analysis; known: "),
)
def test_what_is_refused(refuses) -> None:
    refuses(ss.AnalyzeOptions().changed)


def test_plain_values_are_those_of_json_and_make_the_same_options() -> None:
    options = ss.AnalyzeOptions(
        time_range=(0.5, 1.0),
        weights={"RASI": 2.0},
        mvc={"a": 1.0},
        emg={"soleus_r": "a"},
        coordinates=("hip",),
    )
    text = json.dumps(options.plain())
    assert ss.AnalyzeOptions().changed(**json.loads(text)).plain() == options.plain()


def test_options_do_not_change_with_what_they_were_made_from() -> None:
    weights = {"RASI": 2.0}
    options = ss.AnalyzeOptions(weights=weights)
    weights["RASI"] = 3.0
    assert options.weights["RASI"] == 2.0
    assert ss.AnalyzeOptions(coordinates="hip").coordinates == ("hip",)
