"""One `except` catches everything softstride raises."""

import pickle

import numpy as np
import pytest

from softstride import errors
from softstride.simulation.trajectory import SimulationStopped


@pytest.mark.parametrize(
    ("error", "builtin"),
    [
        (errors.CaptureError, ValueError),
        (errors.ModelError, ValueError),
        (errors.InputError, ValueError),
        (errors.SimulationError, RuntimeError),
    ],
)
def test_errors_share_one_root_and_a_builtin(
    error: type[errors.SoftstrideError], builtin: type[Exception]
) -> None:
    assert issubclass(error, errors.SoftstrideError)
    assert issubclass(error, builtin)


def test_a_capture_error_names_file_field_problem_and_fix() -> None:
    error = errors.CaptureError("walk.c3d", "POINT:SCALE", "is zero", "write the file again")
    assert str(error) == "walk.c3d: POINT:SCALE: is zero; write the file again"
    assert (error.path, error.field) == (error.file, error.part) == ("walk.c3d", "POINT:SCALE")


@pytest.mark.parametrize(
    "error",
    [
        errors.CaptureError("walk.c3d", "POINT:SCALE", "is zero", "write the file again", names=["RASI"]),
        errors.InputError("mass must be above 0", parameter="mass", value=-1.0, fix="weigh the person"),
        errors.ModelError("a cycle", link="shank_r", known=("pelvis", "thigh_r")),
        errors.SimulationError("it fell", frames=np.arange(3)),
        errors.InputError("give mvc=1", options=[errors.Option("mvc", 1), errors.Option("emg")]),
        SimulationStopped("too stiff", 0.5, None),
    ],
    ids=lambda error: type(error).__name__,
)
def test_errors_travel_whole_to_other_processes(error: errors.SoftstrideError) -> None:
    again = pickle.loads(pickle.dumps(error))
    assert type(again) is type(error) and str(again) == str(error) and again.__dict__ == error.__dict__


def test_a_value_that_cannot_travel_goes_as_its_text() -> None:
    error = errors.InputError("power must be a number", parameter="power", value=lambda: 2)
    assert "<lambda>" in pickle.loads(pickle.dumps(error)).value and callable(error.value)


def test_the_place_of_an_error_is_added_once() -> None:
    with (
        pytest.raises(errors.ModelError) as caught,
        errors.inside(file="b.osim", part="whole"),
        errors.inside(file="a.osim", part="Body 'shank'"),
    ):
        raise errors.ModelError("mass is negative")
    assert str(caught.value) == "a.osim: Body 'shank': mass is negative"
    with (
        pytest.raises(errors.InputError, match=r"^lab\.toml: \[emg\]: no list$"),
        errors.inside(file="lab.toml"),
    ):
        raise errors.InputError("no list", part="[emg]")


def test_errors_of_other_classes_become_one_with_all_they_say() -> None:
    with (
        pytest.raises(
            errors.ModelError, match=r"^arm\.toml: rate: must be above 0; give it in Hz$"
        ) as caught,
        errors.inside(file="arm.toml", raising=errors.ModelError),
    ):
        raise errors.InputError(
            "must be above 0", part="rate", parameter="rate", value=0.0, fix="give it in Hz"
        )
    error = caught.value
    assert type(error) is errors.ModelError and (error.parameter, error.value) == ("rate", 0.0)
    assert isinstance(error.__cause__, errors.InputError)
    again = pickle.loads(pickle.dumps(error))
    assert str(again) == str(error) and again.__dict__ == error.__dict__
    with pytest.raises(errors.CaptureError), errors.inside(raising=errors.SoftstrideError):
        raise errors.CaptureError("walk.c3d", "POINT:SCALE", "is zero", "write the file again")


OPTIONS = [
    (errors.Option("lowpass"), "lowpass"),
    (errors.Option("mvc", 1), "mvc=1"),
    (errors.Option("step", None), "step=None"),
    (errors.Option("links", {"right": ...}), "links={'right': ...}"),
    (errors.Option("medial", (..., ..., ...)), "medial=(..., ..., ...)"),
    (errors.Option("bodies", {...: "blade"}), "bodies={...: 'blade'}"),
    (errors.Option("mvc", {"SOL": errors.Blank("value", "mV")}), "mvc={'SOL': value in mV}"),
    (errors.Option("width", errors.Blank()), "width="),
    (errors.Option("degrees", bool), "degrees=True or False"),
    (errors.Option("recipe", "C", named=False), "'C'"),
    (errors.Option("height", of="a hop"), "height of a hop"),
    (
        errors.Either((errors.Option("a"), " and ", errors.Option("b", 1)), (errors.Option("c"),)),
        "a and b=1, or c",
    ),
]


@pytest.mark.parametrize(("option", "text"), OPTIONS)
def test_options_are_spelt_as_in_python(option: errors.Option, text: str) -> None:
    again = pickle.loads(pickle.dumps(option))
    assert str(option) == str(again) == text and option == again and type(option) is type(again)
    assert again.spelt(lambda each: None) == text and again.alone is option.alone


def test_options_of_a_sentence_are_spelt_elsewhere_as_they_are_there() -> None:
    link, links, foot = errors.Option("links", {"right": ...}), errors.Option("links"), errors.Option("foot")
    error = errors.InputError(
        f"{links} gives nobody a foot in hyperlinks; say {link}", options=(links, link, foot)
    )
    spelt = {links: "--foot", link: "--foot right=LINK", foot: "--sole"}
    assert str(error) == "links gives nobody a foot in hyperlinks; say links={'right': ...}"
    told = error.told(lambda option: spelt[option])
    assert told == "--foot gives nobody a --sole in hyperlinks; say --foot right=LINK"


def test_an_option_is_respelt_where_the_sentence_first_names_it() -> None:
    frame = errors.Option("frame")
    error = errors.InputError(f"{frame} must be a link or a frame: 'moon' is no frame", options=[frame])
    assert error.told(lambda option: "--in") == "--in must be a link or a frame: 'moon' is no frame"
    twice = errors.InputError(f"{frame} and {frame}", options=[frame, frame])
    assert twice.told(lambda option: "--in") == "--in and --in"


def test_options_without_a_like_stay_as_they_are() -> None:
    option = errors.Option("soles", {"left": ...})
    error = errors.InputError(f"give {option}", options=[option])
    assert error.told(lambda option: None) == str(error)


def test_files_keep_their_names_where_options_are_spelt_anew() -> None:
    option = errors.Option("time_range")
    error = errors.CaptureError(
        "time_range/setup.xml", "time_range", f"{option} is empty", "", options=[option]
    )
    assert error.told(lambda _: "--time") == "time_range/setup.xml: time_range: --time is empty"
