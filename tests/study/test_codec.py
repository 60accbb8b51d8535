"""Values as forms and back: only what is known is ever made."""

import math
from dataclasses import replace

import numpy as np
import pytest
from tests.models import the_model

import softstride as ss
from softstride.capture.recording import Event, Subject
from softstride.errors import Option
from softstride.frozen import Table
from softstride.notes import SAID, Note, as_notes
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


NOTE = Note(
    "ik.frames-hidden",
    "no marker is seen",
    severity="warning",
    topic="gaps",
    names=("RASI",),
    frames=(3, 5),
    span=(0.03, 0.05),
    values={"rms_mm": 1.5, "frames": 2, "worst_mm": math.inf},
    fix="fill the gaps",
)


def test_notes_come_back_without_their_options() -> None:
    told = replace(NOTE, options=(Option("links", {"right": ...}),))
    assert there_and_back((told, told)) == (NOTE, NOTE)


def test_notes_of_a_model_are_more_than_the_sentences_of_its_file() -> None:
    model = the_model("gait").replace(notes=(NOTE, "it rained"))
    writer = Writer()
    form = writer.form((model, model))
    assert form[1] == {"model": 0} and writer.models == [model]
    again = Reader({}.__getitem__, [model.replace(notes=tuple(map(str, model.notes)))]).value(form)
    assert again[0] is again[1] and as_notes(again[0].notes) == (NOTE, Note(SAID, "it rained"))


def test_what_a_note_does_not_say_is_not_written() -> None:
    assert Writer().form(Note("a.b", "so", options=(Option("mvc", 1),))) == {
        "is": "Note",
        "of": {"code": "a.b", "text": "so"},
    }


@pytest.mark.parametrize(
    "change",
    [
        {"code": 5},
        {"text": None},
        {"fix": ["a"]},
        {"severity": "fatal"},
        {"names": [1]},
        {"values": "ab"},
        {"values": {"table": {"a": "b"}}},
        {"frames": [{"number": "inf"}]},
        {"span": []},
    ],
    ids=str,
)
def test_a_note_of_other_things_is_refused(change) -> None:
    form = {"is": "Note", "of": {"code": "a.b", "text": "so", **change}}
    with pytest.raises((ValueError, LookupError, ArithmeticError)):
        Reader({}.__getitem__, []).value(form)


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
        ({"model": "x"}, "no known kind"),
        ({"model": 0, "more": 1}, "no known kind"),
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
