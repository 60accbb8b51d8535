"""What a field may hold: converted, or refused in words that say what it may be."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Literal

import numpy as np
import pytest

from softstride.errors import InputError, ModelError
from softstride.fields import (
    Array,
    Choice,
    Either,
    Frozen,
    Named,
    Names,
    Span,
    Text,
    Unfit,
    checked,
    declared,
    refuse_unknown,
    rules,
)
from softstride.frozen import Table
from softstride.notes import SAID, Note


@dataclass(frozen=True)
class Every:
    """A field of each kind."""

    cutoff: float | Literal["auto"] | None = declared("auto", "Low pass.", unit="Hz", above=0.0)
    friction: float = declared(0.8, "Of the ground.", least=0.0)
    share: float = declared(0.5, "Of a whole.", least=0.0, most=1.0)
    turn: float = declared(0.1, "A small angle.", unit="rad", above=0.0, most=0.5)
    plain: float = declared(0.0)
    count: int = declared(3, "How many.", least=1)
    switch: bool = declared(True, "Whether.")
    side: Literal["right", "left"] | None = declared(None, "Of the body.")
    names: tuple[str, ...] | None = declared(None, "Of coordinates.")
    velocity: tuple[float, float, float] = declared((0.0, 0.0, 0.0), "Of the belt.", unit="m/s")
    span: tuple[float, float] | None = declared(None, "Part of the trial.", rule=Span())
    weights: Mapping[str, float] = declared({}, "Of markers.", least=0.0, of="markers")
    links: Mapping[Literal["right", "left"], str] = declared({}, "By side.", of="sides")
    power: int = declared(2, "Of a sum.", rule=Choice((2, 3)))
    pose: np.ndarray | None = declared(None, "A pose.", rule=Array("finite numbers of shape (nq,)"))
    some: tuple[str, ...] = declared(("a",), "Names.", rule=Names("muscles", some=True))
    channels: Mapping[str, object] = declared({}, "Names.", rule=Named(Either((Text(), Names()))))
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
        ("cutoff", np.str_("auto"), "auto"),
        ("power", np.int64(3), 3),
        ("power", 2.0, 2),
        ("channels", {"a": "b", "c": ("d",)}, {"a": "b", "c": ("d",)}),
        ("links", {"right": "calcn_r"}, {"right": "calcn_r"}),
        ("emg", {"soleus_r": "EMG 1"}, {"soleus_r": "EMG 1"}),
        ("emg", {"EMG 1": ["soleus_r", "gasmed_r"]}, {"EMG 1": ("soleus_r", "gasmed_r")}),
    ],
)
def test_what_fits_is_kept_as_its_type(name: str, given: object, kept: object) -> None:
    found = checked(rules(Every)[name], given, name)
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
        ("names", ["a", "a"], "names must be a list of names or None, however 'a' is named twice"),
        ("velocity", (1.0, 2.0), "velocity must be 3 numbers [m/s], however it is (1.0, 2.0)"),
        ("velocity", (1.0, 2.0, "x"), "velocity must be 3 numbers [m/s], however one of them is 'x'"),
        ("power", 4, "power must be 2 or 3, however it is 4"),
        ("power", True, "power must be 2 or 3, however it is True"),
        ("power", [2], "power must be 2 or 3, however it is [2]"),
        ("plain", 1j, "plain must be a finite number, however it is 1j"),
        ("plain", np.complex128(1.0), "plain must be a finite number, however it is np.complex128(1+0j)"),
        ("plain", np.ones(1), "plain must be a finite number, however it is array([1.])"),
        (
            "pose",
            np.zeros((2, 2)),
            "pose must be finite numbers of shape (nq,) or None, however its shape is (2, 2)",
        ),
        (
            "pose",
            [0.0, np.nan],
            "pose must be finite numbers of shape (nq,) or None, however number 1 is nan",
        ),
        ("pose", [1j], "pose must be finite numbers of shape (nq,) or None, however it is [1j]"),
        ("some", [], "some must be a list of names of muscles, at least one, however there is none"),
        (
            "channels",
            {"a": ["b", 3]},
            "channels['a'] must be a text or a list of names, however one of them is 3",
        ),
        ("span", (2.0, 1.0), "span must be a start and an end [s] or None, however it is 2 to 1"),
        ("span", (0.0, "x"), "span must be a start and an end [s] or None, however its end is 'x'"),
        ("span", (np.nan, 1), "span must be a start and an end [s] or None, however its start is nan"),
        ("span", (0.0, np.inf), "span must be a start and an end [s] or None, however its end is inf"),
        ("span", np.array(1.0), "span must be a start and an end [s] or None, however it is array(1.)"),
        (
            "weights",
            3,
            "weights must be a table of names of markers, each with a number of 0 or more, however it is 3",
        ),
        ("weights", {"RASI": -1}, "weights['RASI'] must be a number of 0 or more, however it is -1"),
        (
            "weights",
            {3: 1},
            "weights must be a table of names of markers, each with a number of 0 or more, however one of its "
            "names is 3",
        ),
        (
            "links",
            {"up": "a"},
            "links must be a table of sides, 'left' or 'right', each with a text, however one of its names is "
            "'up'",
        ),
        ("who", 3, "who must be a Generator or None, however it is 3"),
    ],
)
def test_what_does_not_fit_is_refused_in_words(name: str, given: object, sentence: str) -> None:
    with pytest.raises(InputError) as caught:
        checked(rules(Every)[name], given, name)
    assert str(caught.value).startswith(sentence)
    assert caught.value.parameter == name and caught.value.value is not None


def test_tables_cannot_be_changed_and_defaults_are_not_shared_mutably() -> None:
    with pytest.raises(TypeError):
        Every().weights["RASI"] = 1.0  # type: ignore[index]
    assert Every().weights == {}


def test_a_span_may_be_without_an_end() -> None:
    """Where it says so; "from the second second on" is a wish."""
    assert Span(finite=False).take((2, np.inf)) == (2.0, np.inf)
    assert Span(finite=False).take((-np.inf, np.float32(2))) == (-np.inf, 2.0)
    for given in ((np.nan, 1.0), (1.0, "inf"), (np.inf, 1.0), (True, np.inf)):
        with pytest.raises(Unfit):
            Span(finite=False).take(given)


def test_every_rule_has_words_and_a_schema() -> None:
    for name, rule in rules(Every).items():
        assert rule.expected and isinstance(rule.schema(), dict), name


def test_rules_are_those_of_what_is_declared() -> None:
    """Types of other fields need not be known where a class is used."""

    @dataclass(frozen=True)
    class Partly(Frozen):
        model: "Unknown"  # type: ignore[name-defined]  # noqa: F821

    assert rules(Partly) == {} and Partly(3).model == 3


def test_names_that_nothing_has_are_refused_with_those_that_are_alike_first() -> None:
    known = [*(f"plate {i}" for i in range(20)), "left"]
    refuse_unknown("bodies", "the force", {"left": 1, "plate 3": 2}, known)
    with pytest.raises(InputError) as caught:
        refuse_unknown("bodies", "the force", ["left", "lefd", "x"], known, there="walk.c3d has")
    assert str(caught.value).startswith(
        "bodies names the force 'lefd', however walk.c3d has 'left', 'plate 0'"
    )
    assert caught.value.names == ("lefd", "x") and caught.value.known == tuple(known)
    assert caught.value.told(lambda option: "--body").startswith("--body names the force 'lefd'")


def test_long_values_are_cut() -> None:
    with pytest.raises(InputError) as caught:
        checked(rules(Every)["cutoff"], "x" * 1000, "cutoff")
    assert len(str(caught.value)) < 200


@dataclass(frozen=True)
class Spring(Frozen, of="a spring"):
    """Some fields say what they may hold, others do not."""

    stiffness: float = declared(unit="N/m", above=0.0)
    side: Literal["left", "right"] = declared("left")
    names: tuple[str, ...] = ()
    parts: Mapping[str, float] = field(default_factory=Table)
    notes: tuple[Note, ...] = ()
    length: float = 1.0

    def check(self) -> None:
        """Check what concerns two fields."""
        if self.length > self.stiffness:
            raise InputError("too long", parameter="length")


def test_what_is_frozen_is_constant_and_equal_to_what_is_alike() -> None:
    given = {"x": 1.0}
    spring = Spring(5, names=["a"], parts=given, notes=("so",))  # type: ignore[arg-type]
    given["x"] = 2.0
    assert spring.stiffness == 5.0 and isinstance(spring.stiffness, float) and spring.names == ("a",)
    assert (
        isinstance(spring.parts, Table) and spring.parts["x"] == 1.0 and spring.notes == (Note(SAID, "so"),)
    )
    assert spring == replace(spring) and spring != replace(spring, side="right")


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        (
            {"stiffness": -1.0},
            "stiffness of a spring must be a number above 0 [N/m], however it is -1",
        ),
        ({"side": "up"}, "side of a spring must be 'left' or 'right', however it is 'up'"),
        ({"length": 9.0}, "too long"),
    ],
)
def test_a_declared_field_is_refused_with_what_it_is_of(change: dict[str, object], sentence: str) -> None:
    with pytest.raises(InputError) as refused:
        replace(Spring(5.0), **change)  # type: ignore[arg-type]
    assert str(refused.value) == sentence and refused.value.parameter == next(iter(change))


def test_what_is_declared_without_a_default_has_to_be_given() -> None:
    with pytest.raises(TypeError, match="stiffness"):
        Spring()  # type: ignore[call-arg]


@dataclass(frozen=True)
class Coil(Frozen, of="a coil", raising=ModelError):
    """Something that checks itself."""

    stiffness: float = declared(..., unit="N/m", above=0.0)
    kind: str | None = declared(None, rule=Choice(("coil", "leaf")))
    length: float = declared(1.0, unit="m", least=0.0)

    def check(self) -> None:
        if self.kind == "leaf" and self.length == 0.0:
            raise ModelError("a leaf has a length")


def test_a_part_checks_itself_as_it_is_declared():
    spring = Coil(3)
    assert spring == Coil(3.0) and isinstance(spring.stiffness, float) and hash(spring) == hash(Coil(3.0))
    assert spring.changed(kind="leaf").kind == "leaf"
    with pytest.raises(TypeError, match="stiffness"):
        Coil()
    with pytest.raises(
        ModelError, match=r"^stiffness of a coil must be a number above 0 \[N/m\], however"
    ) as caught:
        Coil(-1.0)
    error = caught.value
    assert (error.parameter, error.value, error.known) == ("stiffness", -1.0, ())
    assert [str(each) for each in error.options] == ["stiffness of a coil"]
    with pytest.raises(ModelError, match="kind of a coil must be 'coil', 'leaf' or None") as caught:
        spring.changed(kind="wood")
    assert caught.value.known == ("coil", "leaf")
    with pytest.raises(ModelError, match="a leaf has a length"):
        Coil(1.0, "leaf", 0.0)
    with pytest.raises(ModelError, match="'colour' is no field of a coil; known: stiffness, kind, length"):
        spring.changed(colour="red")
