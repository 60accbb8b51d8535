"""Notes are data first, and sentences for people."""

import pickle

import numpy as np
import pytest

from softstride.errors import Option
from softstride.notes import SAID, Note, Notes, as_notes, codes, constant, recognised, sentences, united


def test_a_note_is_its_sentence_as_text() -> None:
    assert str(Note("gaps.filled", "RASI: 3 frames were filled")) == "RASI: 3 frames were filled"
    assert str(Note("emg.no-mvc", "nothing to divide by", fix="give mvc")) == "nothing to divide by; give mvc"


def test_facts_are_kept_as_what_they_are_and_cannot_be_changed() -> None:
    note = Note(
        "x", "y", names=["RASI"], frames=np.arange(2), span=(np.float32(1), 2), values={"rms_mm": 1.5}
    )
    assert (note.names, note.frames, note.span) == (("RASI",), (0, 1), (1.0, 2.0))
    assert note.values["rms_mm"] == 1.5 and type(note.frames[0]) is int
    with pytest.raises(AttributeError):
        note.text = "z"
    with pytest.raises(TypeError):
        note.values["rms_mm"] = 2.0


def test_equal_notes_are_one_and_travel_to_other_processes() -> None:
    note = Note("x", "y", values={"a": 1.0}, options=(Option("mvc", 1),))
    assert pickle.loads(pickle.dumps(note)) == note and hash(note) == hash(pickle.loads(pickle.dumps(note)))
    assert note != Note("x", "y", values={"a": 2.0})


def test_notes_are_collected_once_each_in_order() -> None:
    notes = Notes([Note("a", "first")])
    notes.add("b", "second", topic="feet")
    notes.extend([Note("a", "first"), Note("a", "first", severity="warning")])
    assert codes(notes) == ("a", "b", "a") and len(notes) == 3
    assert sentences(notes) == ("first", "second")
    assert codes(united(notes, [Note("b", "second", topic="feet")])) == ("a", "b", "a")


def test_sentences_of_users_and_of_older_files_become_notes() -> None:
    mine = Note("a", "first")
    assert as_notes([mine, "it rained"]) == (mine, Note(SAID, "it rained"))


def test_options_of_a_note_are_spelt_as_in_a_shell() -> None:
    note = Note("emg.no-mvc", "divided by the largest value: give mvc=1", options=(Option("mvc", 1),))
    assert note.told(lambda option: f"--{option.name} {option.value}").endswith("give --mvc 1")


def test_constant_notes_are_recognised_where_only_the_sentence_is_left() -> None:
    note = constant("weather.rain", "it rained all day", topic="weather")
    assert recognised([Note(SAID, "it rained all day"), Note(SAID, "it rained")]) == (
        note,
        Note(SAID, "it rained"),
    )
    assert recognised([Note("other", "it rained all day")]) == (Note("other", "it rained all day"),)
