"""Options of an analysis: checked before anything runs, and plain enough for files."""

import json

from tests.refusals import bad_input

import softstride as ss


@bad_input(
    ss.InputError,
    ({"plates": 1}, "plates must be True or False, however it is 1"),
    ({"lowpass": -1.0}, r"lowpass must be a number above 0 \[Hz\], 'auto' or None, however it is -1"),
    ({"lowpass": "6"}, r"lowpass must be a number above 0 \[Hz\], 'auto' or None, however it is '6'"),
    ({"cutoff": 0}, r"cutoff must be a number above 0 \[Hz\] or None, however it is 0"),
    ({"emg_lowpass": "auto"}, r"emg_lowpass must be a number above 0 \[Hz\] or None, however it is 'auto'"),
    ({"power": 4}, "power must be 2 or 3, however it is 4"),
    ({"friction": -0.1}, "friction must be a number of 0 or more, however it is -0.1"),
    ({"friction": 10**400}, "friction must be a number of 0 or more, however it is 1000"),
    ({"emg_delay": float("nan")}, r"emg_delay must be a number of 0 or more \[s\], however it is nan"),
    ({"emg_weight": 1.0}, "give mvc"),
    ({"emg_weight": "1", "mvc": 1.0}, "emg_weight must be a number of 0 or more, however it is '1'"),
    (
        {"mvc": "1"},
        "mvc must be a finite number, a table of names of channels, each with a finite number, or None, however it is "
        "'1'",
    ),
    ({"mvc": {"SOL": "1"}}, r"mvc\['SOL'\] must be a finite number, however it is '1'"),
    ({"weights": {"RASI": [1]}}, r"weights\['RASI'\] must be a number of 0 or more, however it is \[1\]"),
    ({"weights": {"RASI": -1.0}}, r"weights\['RASI'\] must be a number of 0 or more, however it is -1"),
    (
        {"weights": {3: 1.0}},
        "weights must be a table of names of markers, each with a number of 0 or more, or None, however one of its "
        "names is 3",
    ),
    (
        {"emg": {"soleus_r": 3}},
        r"emg\['soleus_r'\] must be a name or a list of names, however it is 3",
    ),
    (
        {"emg": {"EMG 1": ["soleus_r", 3]}},
        r"emg\['EMG 1'\] must be a name or a list of names, however one of them is 3",
    ),
    (
        {"coordinates": 3},
        "coordinates must be a name or a list of names of coordinates, or None, however it is 3",
    ),
    ({"coordinates": (1, 2)}, "coordinates must be a name or a list of names.*, however one of them is 1"),
    ({"emg_side": "both"}, "emg_side must be 'left', 'right' or None, however it is 'both'"),
    (
        {"time_range": (2.0, 1.0)},
        r"time_range must be a start and an end \[s\] or None, however it is 2 to 1",
    ),
    ({"speed": 3}, "'speed' is no option of an analysis; known: time_range"),
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
