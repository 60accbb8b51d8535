"""Doubts about feet: written into notes, read back, gathered."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from softstride.capture.plates.doubts import FeetDoubt, FeetNote, gathered

NAMES = st.text(st.characters(codec="utf-8"), max_size=20).filter(lambda text: " s to " not in text)
TIMES = st.integers(-(10**6), 10**6).map(lambda k: k / 100.0)  # notes have two decimals


@given(force=NAMES, start=TIMES, stop=TIMES, reason=NAMES.filter(len), count=st.integers(1, 10**6))
def test_a_doubt_survives_as_a_note(force: str, start: float, stop: float, reason: str, count: int) -> None:
    doubt = FeetDoubt(force, start, stop, reason, count)
    assert FeetDoubt.from_note(f"feet: {doubt}") == doubt


@pytest.mark.parametrize(
    "note",
    [
        "",
        "feet: ",
        "axes: +Z is up",
        "plate 2: 0.50 s to 0.62 s: both feet are on the plate",  # not from the feet
        f"feet: {FeetNote('plate 1', 'split by side: 0.21 s to 0.79 s right, 1.21 s to 1.79 s left')}",
        f"feet: {FeetNote('plate 1', '15 N at most between 0.50 s and 1.50 s, no step: kept without a foot')}",
    ],
)
def test_other_notes_are_no_doubts(note: str) -> None:
    assert FeetDoubt.from_note(note) is None


def test_a_clock_without_numbers_has_no_span() -> None:
    doubt = FeetDoubt.from_note(f"feet: {FeetDoubt('plate 1', float('nan'), 1.0, 'why')}")
    assert doubt is not None and doubt.span == (None, None)
    assert FeetDoubt("plate 1", 0.5, 1.0, "why").span == (0.5, 1.0)


def test_equal_reasons_are_gathered_with_their_range() -> None:
    over = "the {} foot of A{} reaches {} cm over the edge of the plate for {} s"
    doubts = [
        FeetDoubt("plate 1", 3.0, 3.5, over.format("right", 2, 9, "0.30")),
        FeetDoubt("plate 1", 1.0, 1.5, over.format("right", 2, 12, "0.10")),
        FeetDoubt("plate 1", 5.0, 5.5, over.format("left", 2, 12, "0.10")),
        FeetDoubt("plate 1", 6.0, 6.5, over.format("right", 3, 9, "0.30")),  # another person
        FeetDoubt("plate 2", 7.0, 7.5, over.format("right", 2, 9, "0.30")),
    ]
    first, *rest = gathered(doubts)
    assert str(first) == (
        "plate 1: 2 contacts from 1.00 s to 3.50 s: "
        "the right foot of A2 reaches 9 to 12 cm over the edge of the plate for 0.10 to 0.30 s"
    )
    assert rest == doubts[2:]
    assert gathered([]) == ()
