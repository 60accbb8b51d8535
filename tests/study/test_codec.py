"""Values as forms and back: only what is known is ever made."""

import math

import numpy as np
import pytest

import softstride as ss
from softstride.capture.recording import Event, Subject
from softstride.frozen import Table
from softstride.study.codec import DEEPEST, Reader, Writer


def there_and_back(value):
    writer = Writer()
    form = writer.form(value)
    return Reader(writer.arrays.__getitem__, writer.models).value(form)


@pytest.mark.parametrize("value", [None, True, 3, 0.1, "text", -math.inf, math.inf, (1, ("a", None))])
def test_plain_values(value) -> None:
    assert there_and_back(value) == value


def test_nan_and_numpy_numbers() -> None:
    assert math.isnan(there_and_back(math.nan))
    assert there_and_back(np.float64(0.1)) == 0.1 and there_and_back(np.int32(7)) == 7


@pytest.mark.parametrize("name", ["a/b", "..", ".", " . ", "é", "plate 1", "a.b"])
def test_names_that_would_lead_elsewhere(name: str) -> None:
    """Names of people's channels are paths in the file: none leaves its place."""
    table = Table({name: np.arange(3.0), "other": np.zeros(1)})
    writer = Writer()
    writer.form({"x": table})
    assert all(part not in ("..", ".") for path in writer.arrays for part in path.split("/"))
    again = there_and_back({"x": table})["x"]
    assert list(again) == [name, "other"] and again[name].tolist() == [0.0, 1.0, 2.0]


def test_dataclasses_and_what_they_share() -> None:
    event = Event("strike", 0.1, "left")
    again = there_and_back((event, event, Subject("é", 70.0, measures={"width": 1.0})))
    assert again[0] == event and again[0] is again[1]
    assert again[2].measures["width"] == 1.0


def test_other_classes_have_no_form() -> None:
    with pytest.raises(TypeError, match="a study holds no complex"):
        Writer().form((1j,))
    with pytest.raises(TypeError, match="a study holds no IkOptions"):
        Writer().form(ss.IkOptions())


@pytest.mark.parametrize(
    ("form", "words"),
    [
        ({"is": "Path", "of": {}}, "unknown, 'Path'"),
        ({"is": "Event"}, "unknown, 'Event'"),
        ({"is": "Event", "of": {"label": "x", "time": 0.0, "evil": 1}}, "does not know: 'evil'"),
        ({"model": 3}, "no known kind"),
        ({"model": -1}, "no known kind"),
        ({"same": "elsewhere"}, "no known kind"),
        ({"number": "1e5"}, "no known kind"),
        ({"table": 1}, "no known kind"),
        ({"array": 1}, "no known kind"),
        ({}, "no known kind"),
        ({"array": "x", "table": {}}, "no known kind"),
    ],
)
def test_forms_that_make_no_sense(form, words: str) -> None:
    with pytest.raises(ValueError, match=words):
        Reader({}.__getitem__, []).value(form)


def test_forms_that_are_too_deep() -> None:
    form: object = 1
    for _ in range(DEEPEST + 2):
        form = [form]
    with pytest.raises(ValueError, match="nested too deeply"):
        Reader({}.__getitem__, []).value(form)
