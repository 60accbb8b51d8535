"""Stored answers of peers: read back, refused with the command that makes them anew, and compared by night."""

from dataclasses import replace

import numpy as np
import pytest
from tests import campaign, peers
from tests.peers import Question, Refused

MOST, TOGETHER = 400_000, 2_000_000  # bytes

VALUES = np.random.default_rng(1).normal(size=(7, 3))


@pytest.fixture
def question(tmp_path, monkeypatch):
    """A question to NumPy, whose answer depends on a file, a parameter and what it is told."""
    monkeypatch.setattr(peers, "REFERENCES", tmp_path / "references")
    monkeypatch.setattr(campaign, "NIGHTLY", False)
    model = tmp_path / "model.txt"
    model.write_text("one")
    return Question(
        "numpy",
        "made",
        lambda told: {"rough": VALUES, "exact": VALUES * told["factor"], "names": peers.words(["a", "b"])},
        {"model.txt": model},
        {"cutoff": 6.0},
        told=lambda: {"factor": np.array(2.0)},
        places={"rough": 4},
    )


def silent(told):
    raise AssertionError("nobody may be asked")


def test_an_answer_is_read_back_without_the_peer(question):
    peers.make(question)
    found = peers.answer(replace(question, ask=silent, told=silent))
    assert found.keys() == {"rough", "exact", "names"}
    assert np.abs(found["rough"] - VALUES).max() < 0.51e-4
    assert np.array_equal(found["exact"], 2.0 * VALUES)
    assert found["names"].tolist() == ["a", "b"]
    stored = peers.read(question)
    assert stored.version == np.__version__ and stored.told["factor"] == 2.0
    with np.load(question.file, allow_pickle=False) as file:
        assert str(file["made_by"]) == question.command == "python -m tests.peers numpy/made"


def test_the_same_answer_makes_the_same_file(question):
    first = peers.make(question).read_bytes()
    assert peers.make(question).read_bytes() == first
    assert [each.name for each in question.file.parent.iterdir()] == ["made.npz"]


def test_nothing_is_left_of_an_answer_that_fails(question):
    before = peers.make(question).read_bytes()
    broken = replace(question, ask=lambda told: {"rough": np.full((2, 2), np.nan)})
    with pytest.raises(ValueError, match="finite"):
        peers.make(broken)
    with pytest.raises(TypeError, match="no array of numbers or words"):
        peers.make(replace(question, ask=lambda told: {"exact": np.array([None])}))
    assert question.file.read_bytes() == before
    assert [each.name for each in question.file.parent.iterdir()] == ["made.npz"]


def test_a_missing_answer_says_what_makes_it(question):
    with pytest.raises(
        Refused, match=r"no answer is stored for made; python -m tests.peers numpy/made makes it"
    ):
        peers.answer(question)


def change_file(question):
    next(iter(question.files.values())).write_text("two")
    return question


@pytest.mark.parametrize(
    "change",
    [
        change_file,
        lambda question: replace(question, parameters={"cutoff": 7.0}),
        lambda question: replace(question, files={}),
        lambda question: replace(question, places={}),
    ],
)
def test_an_answer_to_another_question_is_refused(question, change):
    peers.make(question)
    other = change(question)
    with pytest.raises(
        Refused, match=r"answers another question.*; python -m tests.peers numpy/made makes it anew"
    ):
        peers.answer(other)
    peers.make(other)
    assert peers.answer(other).keys() == {"rough", "exact", "names"}


@pytest.mark.parametrize("damage", ["half", "empty", "text", "middle", "pickle", "bare"])
def test_a_damaged_answer_is_refused(question, damage):
    whole = peers.make(question).read_bytes()
    middle = len(whole) // 2
    if damage == "pickle":
        np.savez_compressed(question.file, version=np.array([None]), digest=question.digest())
    elif damage == "bare":
        np.savez_compressed(question.file, exact=VALUES)
    else:
        question.file.write_bytes(
            {
                "half": whole[:middle],
                "empty": b"",
                "text": b"no archive",
                "middle": whole[:100] + bytes(64) + whole[164:],
            }[damage]
        )
    with pytest.raises(
        Refused, match=r"made.npz is damaged .*; python -m tests.peers numpy/made makes it anew"
    ):
        peers.answer(question)


def test_by_night_the_peer_is_asked_and_compared(question, monkeypatch):
    peers.make(question)
    monkeypatch.setattr(campaign, "NIGHTLY", True)
    assert np.array_equal(peers.answer(question)["rough"], VALUES), "the live answer, not the rounded one"
    ask = question.ask
    for key, shift in (("exact", 1e-4), ("rough", 2e-4)):
        other = replace(
            question, ask=lambda told, key=key, shift=shift: ask(told) | {key: ask(told)[key] + shift}
        )
        with pytest.raises(AssertionError, match=rf"numpy {np.__version__} answers made otherwise: {key} by"):
            peers.answer(other)
    for key, value in (("exact", VALUES[1:]), ("names", peers.words(["a", "c"])), ("more", VALUES)):
        other = replace(question, ask=lambda told, key=key, value=value: ask(told) | {key: value})
        with pytest.raises(AssertionError, match="answers made otherwise"):
            peers.answer(other)
    gap = np.where(np.arange(3) == 1, np.nan, VALUES)
    with pytest.raises(AssertionError, match="answers made otherwise"):
        peers.answer(replace(question, ask=lambda told: ask(told) | {"exact": gap}))


def test_by_night_another_version_is_told(question, monkeypatch):
    monkeypatch.setattr(peers, "version", lambda peer: "0.9")
    peers.make(question)
    monkeypatch.undo()
    monkeypatch.setattr(peers, "REFERENCES", question.files["model.txt"].parent / "references")
    monkeypatch.setattr(campaign, "NIGHTLY", True)
    peers.answer(question)
    with pytest.raises(
        AssertionError, match=rf"numpy {np.__version__} \(the stored answer is of 0.9\) answers"
    ):
        peers.answer(replace(question, ask=lambda told: {**question.ask(told), "exact": VALUES}))


def test_by_night_what_the_peer_is_told_is_what_it_was_told(question, monkeypatch):
    peers.make(question)
    monkeypatch.setattr(campaign, "NIGHTLY", True)
    assert np.array_equal(peers.answer(replace(question, told=silent))["exact"], 2.0 * VALUES)


def test_by_night_stored_answers_stand_in_for_a_peer_that_is_not_installed(question, monkeypatch):
    peers.make(question)
    monkeypatch.setattr(campaign, "NIGHTLY", True)
    monkeypatch.setattr(peers, "version", lambda peer: None)
    assert peers.answer(replace(question, ask=silent)).keys() == {"rough", "exact", "names"}


@pytest.mark.parametrize("values", [VALUES, VALUES[:0], VALUES[:1], 1e6 * VALUES, VALUES[:, 0]])
def test_differences_are_undone(values):
    kept = peers.contract(values, 5)
    assert kept.dtype == (np.int64 if np.abs(values).max(initial=0.0) > 1e5 else np.int32)
    assert np.abs(peers.expand(kept, 5) - values).max(initial=0.0) < 0.51e-5
    assert peers.contract(values, None) is values


def test_digits_come_back_exactly():
    values = np.array([float(f"{x:.8f}") for x in 180.0 * VALUES.ravel()])
    assert np.array_equal(peers.expand(peers.contract(values, 8), 8), values)


def test_the_command_makes_those_whose_names_begin_so(question, monkeypatch, capsys):
    other = replace(question, name="other")
    monkeypatch.setattr(peers, "all_questions", lambda: [question, other])
    assert peers.main(["numpy/ma"]) == 0
    assert question.file.exists() and not other.file.exists()
    assert capsys.readouterr().out.startswith("numpy/made: ")
    assert peers.main([]) == 0 and other.file.exists()
    assert peers.main(["nobody"]) == 1
    assert "begins with nobody" in capsys.readouterr().out


def test_every_stored_answer_is_asked_for_and_small():
    asked = {(each.peer, each.name) for each in peers.all_questions()}
    files = sorted(peers.REFERENCES.glob("**/*"))
    stored = [path for path in files if path.is_file()]
    assert {(path.parent.name, path.stem) for path in stored} == asked
    assert {path.suffix for path in stored} == {".npz"}
    sizes = [path.stat().st_size for path in stored]
    assert max(sizes) < MOST and sum(sizes) < TOGETHER
