"""What is written is read back exactly: every field, every bit."""

import json
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.model.native.compare import differences
from tests.model.native.zoo import zoo
from tests.model.shared_models import SHARED_MODELS
from tests.models import the_model
from tests.oracles.trees import models

from softstride.errors import ModelError
from softstride.model import (
    Axis,
    Composed,
    Coordinate,
    Custom,
    Fixed,
    Inertia,
    Linear,
    Link,
    Model,
    Muscle,
    Path,
    PathPoint,
    PiecewiseLinear,
    Revolute,
    Scaled,
    athlete,
)
from softstride.model.formats.native import format_native, parse_native, read_native, write_native
from softstride.notes import SAID, codes


def check(model: Model, plausible: bool = True) -> str:
    text = format_native(model)
    again = parse_native(text.encode(), plausible=plausible)
    assert list(differences(model, again)) == []
    assert format_native(again) == text
    return text


@pytest.mark.parametrize("blade", [True, False])
def test_athlete(blade: bool) -> None:
    check(athlete(blade))


@pytest.mark.parametrize("seed", range(20))
def test_every_kind_of_part(seed: int) -> None:
    check(zoo(seed))


@settings(max_examples=60)
@given(models(functions=("constant", "linear", "polynomial", "piecewise", "spline", "scaled")))
def test_random_trees(drawn) -> None:
    check(drawn[0])


def test_the_comparison_sees_a_bit() -> None:
    """The check above can fail: one bit of one number, the sign of a zero, the order of a table."""
    model = athlete()
    name = next(iter(model.markers))
    moved = model.replace(
        markers={**model.markers, name: model.markers[name].__class__("head", (0.12, 0.14, -0.0))}
    )
    assert len(list(differences(model, moved))) == 1
    turned = model.replace(markers=dict(reversed(list(model.markers.items()))))
    assert len(list(differences(model, turned))) == 1


@pytest.mark.parametrize(
    "path", ["gait2354_simbody", "subject_walk_scaled", "GC5", "TTAmp_Right_passive", "2D_gait"]
)
def test_opensim_models(path: str, shared_data) -> None:
    (name,) = (name for name in SHARED_MODELS if name.endswith(f"/{path}.osim"))
    check(the_model(shared_data / name))


@pytest.mark.slow
def test_all_opensim_models(shared_data) -> None:
    for name in SHARED_MODELS:
        check(the_model(shared_data / name))


@given(st.lists(st.floats(-1e150, 1e150), min_size=3, max_size=3).filter(lambda v: max(map(abs, v)) > 1e-100))
def test_axes_keep_their_last_bit(direction: list[float]) -> None:
    """Normalising a unit vector once more may move its last bit: the reader keeps what is stored."""
    check(Model("m", (Link("a", "world", Revolute(direction)),)))


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_all_floats(value: float) -> None:
    coordinate = Coordinate("a", value, rest=-value)
    model = Model("m", (Link("a", "world", Revolute((0, 0, 1))),), coordinates={"a": coordinate})
    check(model, plausible=False)  # nobody stands at 1e308 rad


@given(st.text(min_size=1).filter(lambda text: text.strip()), st.text())
def test_all_strings(name: str, note: str) -> None:
    if name == "world":
        return
    check(Model(name, (Link(name, "world", Revolute((0, 0, 1))),), notes=(note, name)))


def test_notes_are_sentences_in_files() -> None:
    """What a note says beside its sentence stays behind."""
    model = athlete()
    again = parse_native(format_native(model).encode())
    assert codes(model.notes) == ("athlete.schematic",) and codes(again.notes) == (SAID,)
    assert list(map(str, again.notes)) == list(map(str, model.notes))


def test_subnormal_inertia() -> None:
    """(a + a)/2 loses the last bit of the smallest floats; what is stored is kept."""
    check(Model("m", (Link("a", "world", Fixed(), inertia=Inertia(1.0, matrix=np.diag([5e-324] * 3) * 6)),)))


def test_infinite_limits() -> None:
    one = Coordinate("a", lower=-math.inf, upper=math.inf)
    text = check(Model("m", (Link("a", "world", Revolute((0, 0, 1))),), coordinates={"a": one}))
    assert "inf" not in text  # the default
    muscle = Muscle("x", Path((PathPoint("a", (0, 0, 0)),) * 2), 1.0, 1.0, 1.0, parameters={"p": math.inf})
    assert '"p": "inf"' in check(
        Model("m", (Link("a", "world", Revolute((0, 0, 1))),), muscles={"x": muscle})
    )


# layout


def test_layout() -> None:
    """Short arrays on one line, a block for each link, defaults left out, 100 columns where there is no long text."""
    text = format_native(athlete())
    lines = text.splitlines()
    assert max(map(len, lines)) <= 100
    assert '    "left_ulna": {"lower": 0, "upper": 2.6},' in lines
    assert '      "name": "lumbar_5",' in lines
    assert '      "placement": {"position": [0, 0.1, 0]},' in lines
    assert "rotation" not in text.partition('"blade"')[0]
    assert list(json.loads(text))[:5] == ["$schema", "format", "version", "name", "gravity"]


def test_long_lines_are_long_texts_only() -> None:
    long = [line for line in format_native(zoo()).splitlines() if len(line) > 100]
    assert all("very long text" in line for line in long)


# what cannot be written


class Own:
    """A function of somebody's own."""

    def __call__(self, x, derivative=0):
        return Linear()(x, derivative)

    def pieces(self):
        return Linear().pieces()


def one_axis(function) -> Model:
    axes = (Axis((1, 0, 0), (("q", function),)), Axis((0, 1, 0)), Axis((0, 0, 1)))
    return Model("m", (Link("a", "world", Custom(axes)),))


def test_own_functions_cannot_be_written() -> None:
    with pytest.raises(
        ModelError, match=r"rotations\[0\]\.terms\[0\]\.function: function of type Own cannot"
    ):
        format_native(one_axis(Own()))


def test_nan_cannot_be_written() -> None:
    muscle = Muscle("x", Path((PathPoint("a", (0, 0, 0)),) * 2), 1.0, 1.0, 1.0, parameters={"p": math.nan})
    model = Model("m", (Link("a", "world", Revolute((0, 0, 1))),), muscles={"x": muscle})
    with pytest.raises(ModelError, match=r"muscles\.x\.parameters\.p: nan cannot be written"):
        format_native(model)


def test_depth_is_limited_both_ways() -> None:
    function = Linear()
    for _ in range(45):
        function = Scaled(function, 1.01)
    check(one_axis(function))
    for _ in range(20):
        function = Scaled(function, 1.01)
    with pytest.raises(ModelError, match="too deep to be written"):
        format_native(one_axis(function))


def test_pieces_are_limited() -> None:
    """A small file could ask for billions of pieces by functions inside functions."""
    zigzag = PiecewiseLinear(np.arange(400.0), np.arange(400.0) % 2 * 400)
    text = format_native(one_axis(Composed(Linear(), Linear())))
    long = json.loads(format_native(one_axis(zigzag)))["links"][0]["joint"]["rotations"][0]["terms"][0][
        "function"
    ]
    document = json.loads(text)
    document["links"][0]["joint"]["rotations"][0]["terms"][0]["function"] |= {"outer": long, "inner": long}
    with pytest.raises(ModelError, match=r"function: makes up to 159,201 pieces"):
        parse_native(json.dumps(document).encode())


# files


def test_files(tmp_path) -> None:
    model, file = zoo(), tmp_path / "zoo.json"
    write_native(model, file)
    assert list(differences(model, read_native(str(file)))) == []
    before = file.read_bytes()
    with pytest.raises(ModelError, match="exists already; choose another name or allow overwriting"):
        write_native(athlete(), file)
    assert file.read_bytes() == before
    write_native(athlete(), file, overwrite=True)
    assert list(differences(athlete(), read_native(file))) == []
    with pytest.raises(ModelError, match="cannot be written"):
        write_native(model, tmp_path / "nowhere" / "zoo.json")
    with pytest.raises(ModelError):
        write_native(one_axis(Own()), tmp_path / "own.json")
    assert [path.name for path in tmp_path.iterdir()] == ["zoo.json"]  # nothing half-written
