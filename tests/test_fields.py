"""What a field may hold: converted, or refused in words that say what it may be."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

import numpy as np
import pytest

from softstride.errors import InputError
from softstride.fields import Span, clean, declared, rules


@dataclass(frozen=True)
class Every:
    """A field of each kind."""

    cutoff: float | Literal["auto"] | None = declared("auto", "Low pass.", unit="Hz", above=0.0)
    friction: float = declared(0.8, "Of the ground.", least=0.0)
    share: float = declared(0.5, "Of a whole.", least=0.0, most=1.0)
    turn: float = declared(0.1, "A small angle.", unit="rad", above=0.0, most=0.5)
    plain: float = 0.0
    count: int = declared(3, "How many.", least=1)
    switch: bool = declared(True, "Whether.")
    side: Literal["right", "left"] | None = declared(None, "Of the body.")
    names: tuple[str, ...] | None = declared(None, "Of coordinates.")
    velocity: tuple[float, float, float] = declared((0.0, 0.0, 0.0), "Of the belt.", unit="m/s")
    span: tuple[float, float] | None = declared(None, "Part of the trial.", rule=Span())
    weights: Mapping[str, float] = declared({}, "Of markers.", least=0.0)
    links: Mapping[Literal["right", "left"], str] = declared({}, "By side.")
    who: np.random.Generator | None = declared(None, "Draws.")
    emg: Mapping[str, str] | Mapping[str, tuple[str, ...]] | None = declared(None, "Channels.")


@pytest.mark.parametrize(
    ("name", "given", "kept"),
    [
        ("cutoff", np.float32(6), 6.0),
        ("cutoff", "auto", "auto"),
        ("cutoff", None, None),
        ("cutoff", np.array(6.0), 6.0),
        ("friction", 0, 0.0),
        ("share", 1, 1.0),
        ("plain", -1e300, -1e300),
        ("count", np.int64(4), 4),
        ("switch", np.True_, True),
        ("names", ["a", "b"], ("a", "b")),
        ("names", (), ()),
        ("velocity", np.zeros(3), (0.0, 0.0, 0.0)),
        ("span", [1, 2], (1.0, 2.0)),
        ("weights", {"RASI": 2}, {"RASI": 2.0}),
        ("links", {"right": "calcn_r"}, {"right": "calcn_r"}),
        ("emg", {"soleus_r": "EMG 1"}, {"soleus_r": "EMG 1"}),
        ("emg", {"EMG 1": ["soleus_r", "gasmed_r"]}, {"EMG 1": ("soleus_r", "gasmed_r")}),
    ],
)
def test_what_fits_is_kept_as_its_type(name: str, given: object, kept: object) -> None:
    found = clean(Every, name, given)
    assert found == kept and type(found) is (type(kept) if not isinstance(kept, dict) else type(found))


@pytest.mark.parametrize(
    ("name", "given", "sentence"),
    [
        ("cutoff", 0.0, "cutoff must be a number above 0 [Hz], 'auto' or None, however it is 0"),
        ("cutoff", "fast", "cutoff must be a number above 0 [Hz], 'auto' or None, however it is 'fast'"),
        ("friction", -0.1, "friction must be a number of 0 or more, however it is -0.1"),
        ("friction", True, "friction must be a number of 0 or more, however it is True"),
        ("friction", "1", "friction must be a number of 0 or more, however it is '1'"),
        ("friction", np.nan, "friction must be a number of 0 or more, however it is nan"),
        ("friction", np.inf, "friction must be a number of 0 or more, however it is inf"),
        ("friction", [1.0, 2.0], "friction must be a number of 0 or more, however it is [1.0, 2.0]"),
        ("share", 1.5, "share must be a number from 0 to 1, however it is 1.5"),
        ("turn", 3, "turn must be a number above 0 and at most 0.5 [rad], however it is 3"),
        ("plain", np.nan, "plain must be a finite number, however it is nan"),
        ("count", 2.0, "count must be a whole number of 1 or more, however it is 2"),
        ("count", True, "count must be a whole number of 1 or more, however it is True"),
        ("count", 0, "count must be a whole number of 1 or more, however it is 0"),
        ("switch", 1, "switch must be True or False, however it is 1"),
        ("side", "up", "side must be 'left', 'right' or None, however it is 'up'"),
        ("names", "hip", "names must be a list of names or None, however it is 'hip'"),
        ("names", ["a", 1], "names must be a list of names or None, however one of them is 1"),
        ("names", ["a", "a"], "names must be a list of names or None, however 'a', named twice, is 'a'"),
        ("velocity", (1.0, 2.0), "velocity must be 3 numbers [m/s], however it is (1.0, 2.0)"),
        ("span", (2.0, 1.0), "span must be a start and an end [s] or None, however it is (2.0, 1.0)"),
        ("weights", 3, "weights must be a table of names to a number of 0 or more, however it is 3"),
        ("weights", {"RASI": -1}, "weights['RASI'] must be a number of 0 or more, however it is -1"),
        (
            "weights",
            {3: 1},
            "weights must be a table of names to a number of 0 or more, however one of its names is 3",
        ),
        (
            "links",
            {"up": "a"},
            "links must be a table of name 'left' or 'right' to a text, however one of its names",
        ),
        ("who", 3, "who must be a Generator or None, however it is 3"),
    ],
)
def test_what_does_not_fit_is_refused_in_words(name: str, given: object, sentence: str) -> None:
    with pytest.raises(InputError) as caught:
        clean(Every, name, given)
    assert str(caught.value).startswith(sentence)
    assert caught.value.parameter == name and caught.value.value is not None


def test_tables_cannot_be_changed_and_defaults_are_not_shared_mutably() -> None:
    with pytest.raises(TypeError):
        Every().weights["RASI"] = 1.0  # type: ignore[index]
    assert Every().weights == {}


def test_every_rule_has_words_and_a_schema() -> None:
    for name, rule in rules(Every).items():
        assert rule.expected and isinstance(rule.schema(), dict), name


def test_long_values_are_cut() -> None:
    with pytest.raises(InputError) as caught:
        clean(Every, "cutoff", "x" * 1000)
    assert len(str(caught.value)) < 200
