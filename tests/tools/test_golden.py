"""What counts as a difference between two answers, and what is kept of an answer."""

from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import pytest
from tools.golden import Answer, differences, digest, digest_differences, digest_of
from tools.golden_cases import CASES, NEED_DATA, Answers

from softstride.notes import Note


@dataclass(frozen=True)
class Wrench:
    link: str
    force: np.ndarray


@dataclass(frozen=True)
class Loads:
    time: np.ndarray
    wrenches: dict = field(default_factory=dict)
    notes: tuple = ()
    seconds: float = 0.0


def answer(value):
    found = Answers()
    found.put("loads", value)
    return Answer(found.arrays, found.texts)


def loads(scale=1.0, **changes):
    time = np.linspace(0.0, 1.0, 50)
    force = scale * np.stack([np.sin(time), 1000.0 * np.cos(time)])
    return Loads(
        **({"time": time, "wrenches": {"right": Wrench("foot_r", force)}, "notes": ("so",)} | changes)
    )


def test_rounding_is_no_difference_and_more_is():
    then = answer(loads())
    assert list(differences(answer(loads(1.0 + 1e-12)), then)) == []
    (line,) = differences(answer(loads(1.0 + 1e-8)), then)
    assert line.startswith("loads/wrenches/right/force: apart by 1e-05")


def test_a_note_that_changed_and_a_part_that_is_lost_are_told():
    then = answer(loads())
    (line,) = differences(answer(loads(notes=("not so",))), then)
    assert line == "loads/notes: 'so' became 'not so'"
    lost = list(differences(answer(loads(wrenches={})), then))
    assert lost == ["loads/wrenches/right/link: lost", "loads/wrenches/right/force: lost"]


def test_what_is_new_is_no_difference():
    assert list(differences(answer(loads()), answer(loads(wrenches={})))) == []


def test_a_nan_that_moved_is_a_difference():
    time = np.linspace(0.0, 1.0, 50)
    holes = [np.where(np.arange(50) == i, np.nan, time) for i in (3, 4)]
    (line,) = differences(answer(loads(time=holes[0])), answer(loads(time=holes[1])))
    assert "NaN" in line


def test_clocks_are_left_out():
    assert list(differences(answer(loads(seconds=1.0)), answer(loads(seconds=2.0)))) == []


def test_digests_tell_changes_beyond_their_digits_and_no_others():
    then = digest(answer(loads()))
    assert list(digest_differences(digest(answer(loads(1.0 + 1e-9))), then)) == []
    assert len(list(digest_differences(digest(answer(loads(1.0 + 1e-4))), then))) == 1
    assert len(list(digest_differences(digest(answer(loads(notes=("other",)))), then))) == 1


def test_a_digest_tells_the_order_of_values():
    values = np.random.default_rng(0).standard_normal(200)
    exchanged = values.copy()
    exchanged[[10, 90]] = values[[90, 10]]
    assert digest_of(values) != digest_of(exchanged)


def test_a_digest_is_that_of_the_file_it_went_through():
    values = np.array([[1.0, np.nan], [np.inf, -2e-7]])
    shape, odd, largest, *sums = digest_of(values)
    assert (shape, odd, largest) == ([2, 2], 2, 1.0)
    assert all(abs(each) <= 1.0 for each in sums)
    assert digest_of(np.array(3.25)) == [3.25]


def test_columns_that_nothing_determines_are_kept_apart():
    @dataclass(frozen=True)
    class Model:
        coordinate_names: tuple = ("knee", "toe")
        name: str = "leg"

    @dataclass(frozen=True)
    class Motion:
        model: Model
        q: np.ndarray

    found = Answers()
    found.put("motion", Motion(Model(), np.array([[1.0, 2.0], [3.0, 4.0]])), loose=("toe",))
    assert found.arrays["motion/q"].tolist() == [[1.0], [3.0]]
    assert found.arrays["motion/q~loose"].tolist() == [[2.0], [4.0]]


def test_numbers_of_a_text_are_compared_as_numbers(tmp_path: Path):
    (tmp_path / "a.sto").write_text("hip_1\t0.25\nhip_2 -1e-3\n", encoding="utf-8")
    found = Answers()
    found.files("out", tmp_path)
    assert found.arrays["out/a.sto~numbers"].tolist() == [0.25, -1e-3]
    assert found.texts["out/a.sto"] == "hip_1\t#\nhip_2 #\n".replace("\t", " ")
    assert found.texts["out/files"] == "a.sto"


def test_records_of_one_kind_are_kept_field_by_field():
    found = Answers()
    found.put("strikes", [Wrench("foot_r", np.zeros(3)), Wrench("foot_l", np.ones(3))])
    assert found.texts["strikes/*/link"] == "foot_r\nfoot_l"
    assert found.arrays["strikes/*/force"].shape == (2, 3)


def test_notes_are_kept_as_the_sentences_that_they_were_and_codes_beside_them():
    then = answer(loads(notes=("filled; look", "so")))
    notes = (Note("gaps.filled", "filled", fix="look"), Note("so.so", "so"))
    now = answer(loads(notes=notes))
    assert list(differences(now, then)) == []
    assert set(now.texts) - set(then.texts) == {"loads/notes~codes"}
    assert now.texts["loads/notes~codes"] == "gaps.filled\nso.so"


def test_a_single_note_is_kept_as_a_sentence_too():
    alone, beside = ({"a": note, "b": (None, note)} for note in ("so", Note("so.so", "so")))
    assert list(differences(answer(beside), answer(alone))) == []
    new = set(answer(beside).texts) - set(answer(alone).texts)
    assert new == {"loads/a~codes", "loads/b~codes"}


def test_records_with_notes_are_kept_field_by_field():
    each = [[loads(notes=notes)] * 2 for notes in (("so",), (Note("so.so", "so"),))]
    assert list(differences(answer(each[1]), answer(each[0]))) == []
    assert answer(each[1]).texts["loads/*/notes/0~codes"] == "so.so"


@pytest.mark.parametrize("name", NEED_DATA)
def test_cases_that_need_recordings_exist(name):
    assert name in CASES
