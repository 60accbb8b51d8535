"""Refusals of options, as they are made for Python, in a shell."""

import pickle

import pytest

import softstride as ss


@pytest.mark.parametrize(
    ("kind", "name", "value", "told"),
    [
        (ss.IdOptions, "lowpass", -3.0, "--lowpass must be a number above 0 [Hz], however it is -3"),
        (
            ss.EstimateOptions,
            "lowpass",
            0.0,
            "--lowpass must be a number above 0 [Hz] or 'auto', however it is 0",
        ),
        (ss.EstimateOptions, "facets", 3, "--facets must be a whole number of 4 or more, however it is 3"),
        (
            ss.EstimateOptions,
            "belt",
            (1.0,),
            "--belt must be a velocity, (forward, right) or three components [m/s], however it is (1.0,)",
        ),
        (
            ss.MuscleOptions,
            "weights",
            {"soleus": -1.0},
            "--weights of 'soleus' must be a number of 0 or more, however it is -1",
        ),
        (
            ss.MuscleOptions,
            "emg_weight",
            {"soleus": -1.0},
            "--emg-weight of 'soleus' must be a number of 0 or more, however it is -1",
        ),
        (
            ss.MuscleOptions,
            "muscles",
            ("soleus", "soleus"),
            "--muscles must be a list of names of muscles, at least one, however 'soleus' is named twice",
        ),
        (
            ss.segments.SegmentOptions,
            "sex",
            "m",
            "--sex must be 'female' or 'male', however it is 'm'",
        ),
    ],
)
def test_a_refusal_in_a_shell_knows_no_none(kind, name: str, value: object, told: str) -> None:
    with pytest.raises(ss.InputError) as caught:
        kind(**{name: value})
    assert caught.value.told(lambda option: f"--{option.name.replace('_', '-')}") == told
    assert str(caught.value) == str(pickle.loads(pickle.dumps(caught.value)))
