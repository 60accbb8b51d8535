"""Doubts about feet: written into notes, found there again, gathered."""

import pickle

import pytest
from hypothesis import given
from hypothesis import strategies as st

from softstride.capture.plates.doubts import WORDINGS, FeetDoubt, Range, Reason, doubts_in, gathered
from softstride.capture.recording import Recording
from softstride.notes import Note

NAMES = st.text(st.characters(codec="utf-8"), max_size=20)
TIMES = st.integers(-(10**6), 10**6).map(lambda k: k / 100.0)
AMOUNTS = st.floats(0.0, 1e6)


@st.composite
def reasons(draw: st.DrawFn) -> tuple[Reason, ...]:
    people = draw(st.lists(NAMES, max_size=3, unique=True))
    found = []
    for person in people if len(people) > 1 else [""]:
        kind = draw(st.sampled_from(sorted(WORDINGS)))
        names = [draw(NAMES) for _ in range(WORDINGS[kind].names)]
        reason = Reason.of(kind, *names, **{name: draw(AMOUNTS) for name in WORDINGS[kind].amounts})
        found.append(Reason(kind, reason.names, reason.amounts, draw(st.booleans()), person))
    return tuple(found)


@given(force=NAMES, start=TIMES, stop=TIMES, reasons=reasons(), count=st.integers(1, 10**6))
def test_a_doubt_survives_as_a_note(
    force: str, start: float, stop: float, reasons: tuple[Reason, ...], count: int
) -> None:
    doubt = FeetDoubt(force, start, stop, reasons, count)
    assert str(doubt.note) == f"feet: {doubt}"
    assert FeetDoubt.of(pickle.loads(pickle.dumps(doubt.note))) == doubt


@pytest.mark.parametrize(
    "note",
    [
        Note("feet.split-by-side", "feet: plate 1: split by side: 0.21 s to 0.79 s right", topic="feet"),
        Note("feet.faint-load-kept", "feet: plate 1: 15 N at most between 0.50 s and 1.50 s", topic="feet"),
        Note("plates.both-on-plate", "plate 2: 0.50 s to 0.62 s: both feet are on the plate"),
        Note("feet", "feet: "),
        Note("", ""),
    ],
)
def test_other_notes_are_no_doubts(note: Note) -> None:
    assert FeetDoubt.of(note) is None


def test_sentences_are_not_read() -> None:
    said = "feet: plate 2: 0.50 s to 0.62 s: both feet are on the plate for 0.12 s"
    assert doubts_in(Recording("a", notes=(said,)).notes) == ()


def test_a_note_that_lacks_fields_is_a_doubt_about_nothing_in_particular() -> None:
    doubt = FeetDoubt.of(Note("feet.foot-away+over-the-edge", ""))
    assert doubt is not None and (doubt.force, doubt.span, doubt.count) == ("", None, 1)
    assert "nan cm away" in doubt.reason


def test_a_clock_without_numbers_has_no_span() -> None:
    why = (Reason.of("plate-not-level"),)
    doubt = FeetDoubt.of(FeetDoubt("plate 1", float("nan"), 1.0, why).note)
    assert doubt is not None and doubt.span is None
    assert FeetDoubt("plate 1", 0.5, 1.0, why).span == (0.5, 1.0)


def test_a_doubt_says_what_it_is() -> None:
    reason = Reason.of("over-the-edge", "right", over_cm=5.2, over_s=0.124)
    note = FeetDoubt("plate 1", 1.0, 1.5, (reason,)).note
    assert (note.code, note.severity, note.topic) == ("feet.over-the-edge", "warning", "feet")
    assert (note.names, note.span) == (("plate 1", "right"), (1.0, 1.5))
    assert note.values["contacts"] == 1 and note.values["most_over_cm"] == 5.0
    assert str(note) == (
        "feet: plate 1: 1.00 s to 1.50 s: the right foot reaches 5 cm over the edge of the plate for 0.12 s"
    )


def test_another_reason_for_each_person_is_told_for_each() -> None:
    why = (
        Reason("other-person-on-plate", ("B",), person="A"),
        Reason("both-on-plate", (), (Range(0.1, 0.3),), hardly_unloaded=True, person="B"),
    )
    note = FeetDoubt("plate 1", 1.0, 1.5, why).note
    assert note.code == "feet.other-person-on-plate+both-on-plate"
    assert note.names == ("plate 1", "A", "B", "B")
    assert str(note).endswith(
        "A: a foot of B is on the plate too; B: both feet are on the plate for 0.10 to 0.30 s; "
        "it is hardly ever unloaded, so zeroing may help"
    )


def test_equal_reasons_are_gathered_with_their_range() -> None:
    def over(force: str, start: float, side: str, cm: float, s: float) -> FeetDoubt:
        reason = Reason.of("over-the-edge", side, over_cm=cm, over_s=s)
        return FeetDoubt(force, start, start + 0.5, (reason,))

    doubts = [
        over("plate 1", 3.0, "right", 9, 0.30),
        over("plate 1", 1.0, "right", 12, 0.10),
        over("plate 1", 5.0, "left", 12, 0.10),
        over("plate 1", 6.0, "right of A2", 9, 0.30),  # another person
        over("plate 2", 7.0, "right", 9, 0.30),
    ]
    first, *rest = gathered(doubts)
    assert str(first) == (
        "plate 1: 2 contacts from 1.00 s to 3.50 s: "
        "the right foot reaches 9 to 12 cm over the edge of the plate for 0.10 to 0.30 s"
    )
    assert rest == doubts[2:]
    assert gathered([]) == ()


def test_an_amount_that_is_no_number_is_not_in_a_range() -> None:
    doubts = [
        FeetDoubt("f", 0.0, 1.0, (Reason.of("foot-away", "left", away_cm=cm),))
        for cm in (5.0, float("inf"), 7.0)
    ]
    assert [doubt.reason.split("is ")[-1] for doubt in gathered(doubts)] == ["5 to 7 cm away", "inf cm away"]
