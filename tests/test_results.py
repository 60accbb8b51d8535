"""One contract for all results: frozen arrays, shapes by their dimensions, labels, units, pickles."""

import importlib
import pickle
import pkgutil
import re
from collections.abc import Iterator, Mapping
from dataclasses import FrozenInstanceError, field, fields, is_dataclass, replace
from functools import cache
from typing import Any, ClassVar

import numpy as np
import pytest
from tests.muscles.hill.made import model as muscled
from tests.muscles.hill.made import muscle
from tests.study.studies import running_study

import softstride as ss
from softstride.capture.force import ExternalForce, Plate
from softstride.capture.recording import Axes
from softstride.capture.series import Channels, Points, Series
from softstride.contact.sole import Sole
from softstride.dynamics.blade.fit import BladeFit
from softstride.dynamics.blade.load_cell import BladeForce
from softstride.dynamics.prepare import State
from softstride.dynamics.reduction.result import Reduction
from softstride.engine import Energy
from softstride.errors import InputError
from softstride.frozen import Table
from softstride.kinematics.ik.swaps import Swap
from softstride.kinematics.scaling.result import Scaling
from softstride.muscles import hill_muscles, rigid_tendon
from softstride.muscles.emg.activation import EmgActivation
from softstride.muscles.emg.forces import EmgForces
from softstride.muscles.force_files import GivenForces
from softstride.notes import Note
from softstride.results import TIME, Labels, Result, frozen_floats, owned, values
from softstride.scene.parts import Arrow, Markers, Muscles, Patch, Ribbon
from softstride.scene.scene import Scene
from softstride.scene.shapes import Shape
from softstride.simulation.trajectory import Statistics, Trajectory
from softstride.viewer.curves import Curve

xr = pytest.importorskip("xarray")


class Small(Result, of="a small thing"):
    """All that a field may be."""

    names: tuple[str, ...]
    time: np.ndarray = values("time", "s")
    force: np.ndarray = values("time thing axis", "N")
    share: np.ndarray = values("time thing", lambda own: [f"1/{name}" for name in own.names], default=0.5)
    known: np.ndarray = values("time", default=True, dtype=bool)
    pair: tuple[np.ndarray, np.ndarray] | None = values("time thing", default=None, parts=("one", "two"))
    by_name: Mapping[str, np.ndarray] = values("time component", "N m, N", default={}, parts=())
    weight: np.ndarray = values("thing", default=lambda own: len(own.names))
    grid: np.ndarray = values("row? column", default=0.0)
    table: Mapping[str, float] = field(default_factory=Table)
    notes: tuple[Note, ...] = ()

    LABELS = {"thing": lambda own: own.names}  # noqa: RUF012
    CALLED = {"thing": "name"}  # noqa: RUF012


def small(**changes: Any) -> Small:
    parts = {"names": ["a", "b"], "time": [0.0, 0.1, 0.2], "force": np.ones((3, 2, 3)), "grid": np.ones(4)}
    return Small(**(parts | changes))


def results_in(value: Any, seen: set[int] | None = None) -> Iterator[Result]:
    """Yield every result in a value, each once; of a state not the motion that it is of, which stays whole."""
    seen = set() if seen is None else seen
    if id(value) in seen:
        return
    seen.add(id(value))
    if isinstance(value, Result):
        yield value
    if is_dataclass(value) and not isinstance(value, type | ss.Model):
        parts = [getattr(value, each.name) for each in fields(value)]
        parts = [] if isinstance(value, State) else parts
    elif isinstance(value, Mapping):
        parts = list(value.values())
    else:
        parts = list(value) if isinstance(value, tuple) else []
    for part in parts:
        yield from results_in(part, seen)


@cache
def examples() -> dict[type, Result]:
    """One of each class, most of them from a study."""
    study = running_study()
    motion, time = study.motion, np.arange(3.0)
    half = np.full((3, 2), 0.5)
    activation = EmgActivation(("a", "b"), {"a": "A", "b": "B"}, time, half, half, ("so",))
    load = next(iter(study.measured.wrenches.values()))
    n = len(load.force)
    wide = (np.ones((n, 3, 3)), np.ones((n, 3, 3)), np.ones((n, 3)))
    blade = BladeForce(
        "blade",
        study.measured.time,
        load,
        ("x", "y", "z"),
        *wide,
        9.0,
        np.ones(n),
        {},
        {"s": np.ones((n, 6))},
    )
    triples, numbers = np.ones((3, 3)), np.ones((3, 2))
    made = (
        activation,
        Points(time, ("a", "b"), np.ones((3, 2, 3)), residuals=numbers, cameras=np.ones((3, 2), np.uint8)),
        Channels(time, ("a", "b"), numbers, ("V", "")),
        Plate("plate 1", 2, np.ones((4, 3)), np.eye(3), time, np.ones((3, 6))),
        ExternalForce("f", time, triples, triples, triples),
        Axes(),
        Sole(("a", "b"), np.ones((2, 3)), np.array([False, True]), np.ones(3)),
        *seen(time),
        EmgForces(("a", "b"), time, half, half, None, ()),  # type: ignore[arg-type]
        blade,
        ss.Wrench("a", "b", np.ones((4, 3)), np.ones((4, 6))),
        ss.MusclePaths(("m", "n"), np.ones((4, 2)), np.ones((4, 2, 3)), np.ones((4, 2)), (), ("x", "y", "z")),
        replace(motion, rates=(motion.v, motion.a)),
        small(pair=(np.zeros((3, 2)), np.ones((3, 2))), by_name={"left": np.zeros((3, 6))}),
        *found_on_the_way(motion, time),
    )
    found: dict[type, Result] = {}
    for each in (*made, *results_in(study)):
        found.setdefault(type(each), each)
    return found


def found_on_the_way(motion: ss.Motion, time: np.ndarray) -> tuple[Result, ...]:
    """What steps find that a study does not keep."""
    model, numbers, three, factor = motion.model, np.ones((3, 2)), {"a": np.ones(3)}, np.ones(2)
    hill = hill_muscles(muscled(muscle("a"), muscle("b")))
    n = len(motion)
    loads = [ss.Loads(model, motion.time, np.zeros((n, model.nv))) for _ in range(2)]
    return (
        Swap("a", "b", np.arange(3), 0.9),
        Scaling(model, three, three, {}, {}, three, motion.q[:3], time, "fit", 3, True),
        Trajectory(time, *(numbers,) * 6, Energy(time, time, time), (), True, Statistics(0, 0, 0, 0)),
        rigid_tendon(hill, 0.3 * numbers),
        GivenForces(("a", "b"), time, numbers),
        Reduction(
            model,
            replace(motion, rates=(motion.v, motion.a)),
            *loads,
            {"a": 1.0},
            three,
            np.ones((n, 6)),
            np.ones(n),
        ),
        BladeFit(model, "b", ("x", "y"), *(factor,) * 4, 0.9, 3, (time > 0.0,), 9.0, factor, factor),
    )


def seen(time: np.ndarray) -> tuple[Result, ...]:
    """What there is to see of a motion, and a curve beside it."""
    lines, link = np.ones((3, 2, 3)), ("a",)
    parts = (
        Shape("ellipsoid", "a", "bones", [[0.0, 0.0, 0.0]], [1.0, 1.0, 1.0]),  # type: ignore[arg-type]
        Ribbon("a", lines, lines, np.ones(2), np.ones(2)),
        Markers(("a", "b"), lines, lines),
        Arrow("f", "measured", "", lines[:, 0], lines[:, 0]),
        Muscles(("a",), lines, np.array([0, 2]), np.ones((3, 1))),
        Patch("plate", np.ones((4, 3))),
    )
    shape, ribbon, markers, arrow, muscles, plate = parts
    whole = Scene(
        "s",
        time,
        link,
        np.ones((3, 1, 7)),
        (shape,),
        lines[:, 0],
        (ribbon,),
        markers,
        (arrow,),
        muscles,
        (plate,),
    )
    return (*parts, whole, Curve("c", time, "#000000"))


OTHERS = ("segments", "planar", "gait", "simulation")
"""Rooms whose results have tests of their own."""


def everything() -> list[str]:
    """Names of all classes of results but those of other rooms."""
    import softstride.study.codec

    softstride.study.codec.known_classes()
    kinds = {*Result.__subclasses__(), *Series.__subclasses__()} - {Series}
    home = {each: (*each.__module__.split("."), "") for each in kinds}
    mine = [kind for kind, (top, room, *_) in home.items() if top == "softstride" and room not in OTHERS]
    return sorted({each.__name__ for each in mine})


@pytest.fixture(params=everything())
def result(request: pytest.FixtureRequest) -> Result:
    by_name = {kind.__name__: each for kind, each in examples().items()}
    return by_name[request.param]


def arrays(result: Result) -> Iterator[tuple[str, str, np.ndarray]]:
    """Yield field, part and array of all arrays of a result."""
    for name, said in result.ARRAYS.items():
        found: list[tuple[str, np.ndarray]] = []
        said.over(name, getattr(result, name), lambda part, array, found=found: found.append((part, array)))
        yield from ((name, part, array) for part, array in found)


@pytest.mark.slow
def test_arrays_are_frozen_and_a_copy_is_taken_only_of_what_others_may_change(result):
    same = replace(result)
    for (name, part, array), (_, _, again) in zip(arrays(result), arrays(same), strict=True):
        assert not array.flags.writeable, part
        assert again is array, part
        assert array.dtype == np.dtype(result.ARRAYS[name].dtype), part
    with pytest.raises(FrozenInstanceError):
        result.anything = 1


@pytest.mark.slow
def test_another_shape_is_refused_with_the_field(result):
    for name, said in result.ARRAYS.items():
        if getattr(result, name) is None:
            continue
        wrong = said.over(
            name, getattr(result, name), lambda *_, said=said: np.ones((7,) * (len(said.dims) + 1))
        )
        if not any(True for each, _, _ in arrays(result) if each == name):
            continue
        with pytest.raises(InputError) as refused:
            replace(result, **{name: wrong})
        if not (isinstance(result, ss.Motion) and name == "q"):
            assert f"of {result.whose()} must have shape" in str(refused.value), name
            assert refused.value.parameter == name


@pytest.mark.slow
def test_pickles_come_back_frozen(result):
    back = pickle.loads(pickle.dumps(result))
    for (_, part, array), (_, _, other) in zip(arrays(result), arrays(back), strict=True):
        assert not other.flags.writeable, part
        assert array.dtype == other.dtype and array.tobytes() == other.tobytes(), part


@pytest.mark.slow
def test_labels_are_as_many_as_the_dimension_is_long(result):
    for name, part, array in arrays(result):
        dims = result.ARRAYS[name].dims_of(array.ndim)
        assert len(dims) == array.ndim, part
        for dim, size in zip(dims, array.shape, strict=True):
            labels = result.labels_of(dim)
            assert labels is None or len(labels) == size, (part, dim)


@pytest.mark.slow
def test_xarray_holds_every_array_with_its_dimensions_and_unit(result):
    data = Result.to_xarray(result)  # of a series it is the values alone
    for name, part, array in arrays(result):
        if not array.size:
            continue  # a dimension of no length means another thing in files
        said = result.ARRAYS[name]
        dims = tuple(result.CALLED.get(dim, dim) for dim in said.dims_of(array.ndim))
        shown = data[TIME if name == TIME else part.replace(name, said.label or name, 1)]
        assert shown.dims == dims and np.array_equal(shown.values, array, equal_nan=True), part
        units = said.unit(result) if callable(said.unit) else None
        if units is not None:
            assert shown.attrs["units"] == f"{dims[-1]}_unit"
            assert list(data[f"{dims[-1]}_unit"].values) == list(units), part
        elif said.unit and said.parts is None:
            assert shown.attrs["units"] == said.unit, part


@pytest.mark.slow
@pytest.mark.parametrize("frames", [slice(1, 3), np.array([0, 2])])
def test_some_instants_of_every_array_and_of_what_is_inside(result, frames):
    if not any(TIME in result.ARRAYS[name].dims for name, _, _ in arrays(result)):
        with pytest.raises(InputError, match="has no frames of its own"):
            result.take(frames)
        return
    cut = result.take(frames)
    inside = {id(each): each for each in results_in(result)}
    for whole, part in zip(inside.values(), results_in(cut), strict=True):
        for (name, called, all_), (_, _, some) in zip(arrays(whole), arrays(part), strict=True):
            dims = whole.ARRAYS[name].dims_of(all_.ndim)
            expected = np.take(all_, np.arange(len(all_))[frames], axis=0) if TIME in dims else all_
            assert TIME not in dims[1:], called
            np.testing.assert_array_equal(some, expected, err_msg=called)


# what a field may be


def test_a_result_as_it_is_kept():
    mine = np.ones((3, 2, 3))
    made = small(force=mine, table={"x": 1.0}, notes=("so",))
    mine[:] = 7.0
    assert made.force.max() == 1.0 and made.names == ("a", "b")
    assert isinstance(made.table, Table) and isinstance(made.by_name, Table) and str(made.notes[0]) == "so"
    assert made.share.shape == (3, 2) and (made.share == 0.5).all() and made.known.all()
    assert made.known.dtype == bool and (made.weight == 2.0).all() and made.pair is None
    assert made != small() and made == made


def test_what_is_given_over_is_not_copied():
    given = owned(np.zeros((3, 2, 3)))
    assert small(force=given).force is given
    rows = given[:2]
    assert small(force=rows, time=[0.0, 0.1], grid=np.ones(4)).force.base is given
    theirs = np.zeros((3, 2, 3))
    view = theirs[:]
    view.setflags(write=False)
    kept = frozen_floats(view)
    theirs[:] = 1.0
    assert not kept.any()


def test_a_single_one_lacks_a_dimension():
    assert small(grid=np.ones(4)).to_xarray()["grid"].dims == ("column",)
    assert small(grid=np.ones((5, 4))).to_xarray()["grid"].dims == ("row", "column")


@pytest.mark.parametrize(
    ("change", "message", "parameter"),
    [
        (
            {"force": np.ones((3, 3, 3))},
            r"force of a small thing must have shape \(3, 2, 3\) \(time, thing, axis\), however it has \(3, 3, 3\)",
            "force",
        ),
        (
            {"force": np.ones(3)},
            r"must have shape \(3, 2, 3\) \(time, thing, axis\), however it has \(3,\)",
            "force",
        ),
        ({"time": [0.0, 0.1]}, r"time of a small thing must have shape \(3,\) \(time\)", "time"),
        ({"weight": np.ones(3)}, r"weight of a small thing must have shape \(2,\)", "weight"),
        (
            {"share": np.full((3, 2), 1j)},
            "share of a small thing must be made of real numbers.*complex",
            "share",
        ),
        ({"share": [["a", "b"]] * 3}, "must be made of real numbers", "share"),
        ({"share": [[1.0, 2.0], [3.0]]}, "must be made of real numbers", "share"),
        ({"share": None}, "share of a small thing must", "share"),
        (
            {"pair": (np.ones((3, 2)), np.ones((2, 2)))},
            r"two of a small thing must have shape \(3, 2\)",
            "pair",
        ),
        ({"by_name": {"left": np.ones((3, 5))}}, r"by_name\['left'\] of a small thing must have", "by_name"),
    ],
)
def test_what_is_refused(change, message, parameter):
    with pytest.raises(InputError, match=message) as refused:
        small(**change)
    assert refused.value.parameter == parameter


def test_units_that_differ_stand_beside_the_labels():
    data = small().to_xarray()
    assert data["share"].attrs == {"units": "name_unit"} and list(data["name_unit"].values) == ["1/a", "1/b"]
    assert data["force"].dims == ("time", "name", "axis") and data["time"].attrs == {"units": "s"}
    assert data["known"].attrs == {} and "pair" not in data and data.attrs == {"notes": ""}


def test_a_result_of_a_result_knows_the_labels_of_both():
    class More(Small):
        extra: np.ndarray = values("thing kind", default=1.0)

        LABELS = {"kind": lambda _: ("k",)}  # noqa: RUF012

    made = More(("a",), [0.0], np.ones((1, 1, 3)), grid=np.ones(2))
    assert (
        made.extra.shape == (1, 1) and made.labels_of("thing") == ("a",) and made.labels_of("other") is None
    )


# some instants


class Pair(Result, of="a pair"):
    """Results on one clock, with an array whose second dimension is time."""

    time: np.ndarray = values("time", "s")
    across: np.ndarray = values("row time", default=0.5)
    one: Small | None = None
    several: tuple[Small, ...] = ()
    by_name: Mapping[str, Small] = field(default_factory=Table)
    other: Axes = field(default_factory=Axes)


def test_some_instants_of_all_parts():
    force = np.arange(18.0).reshape(3, 2, 3)
    part = small(force=force, pair=(force[..., 0], force[..., 1]), by_name={"left": np.zeros((3, 6))})
    whole = Pair([0.0, 0.1, 0.2], [[1.0, 2.0, 3.0]], part, (part,), {"x": part}, Axes(np.diag([1.0, -1, -1])))
    cut = whole.take(slice(1, None))
    np.testing.assert_array_equal(cut.across, [[2.0, 3.0]])
    for each in (cut.one, *cut.several, *cut.by_name.values()):
        assert each is not None and each.pair is not None
        np.testing.assert_array_equal(each.force, force[1:])
        np.testing.assert_array_equal(each.pair[1], force[1:, :, 1])
        assert each.by_name["left"].shape == (2, 6) and each.names == part.names
        assert each.weight is part.weight and each.force.base is part.force
    assert cut.other is whole.other and cut.time.tolist() == [0.1, 0.2]
    np.testing.assert_array_equal(whole.take(np.array([2, 0])).across, [[3.0, 1.0]])


@pytest.mark.parametrize(
    ("frames", "message"),
    [
        (np.array([3]), "a small thing has 3 frames, however"),
        (1, "frames must be a slice or a list of numbers, however they are 1"),
        (slice("a", None), "a small thing has 3 frames, however"),
        (slice(0, 3, 0), "a small thing has 3 frames, however"),
    ],
)
def test_instants_that_there_are_not(frames, message):
    with pytest.raises(InputError, match=message) as refused:
        small().take(frames)
    assert refused.value.parameter == "frames"


def test_instants_of_parts_with_other_clocks():
    whole = Pair([0.0, 0.1], np.ones((1, 2)), small())
    with pytest.raises(InputError, match="one of a pair has 3 frames, not 2") as refused:
        whole.take(slice(1))
    assert refused.value.parameter == "one"
    with pytest.raises(InputError, match="axes has no frames of its own"):
        Axes().take(slice(1))


def test_rates_of_some_frames_of_a_motion_are_those_of_the_whole():
    motion = running_study().motion
    plain = replace(motion, rates=None)
    cut = plain.take(slice(5, 9))
    np.testing.assert_array_equal(cut.v, plain.v[5:9])
    np.testing.assert_array_equal(cut.a, plain.a[5:9])
    assert cut.fit is not None and len(cut.fit.error) == 4
    assert cut.events == motion.at(motion.time[5], motion.time[8]).events
    inside = motion.at(motion.time[5], motion.time[8])
    np.testing.assert_array_equal(inside.q, cut.q)
    assert all(motion.time[5] <= event.time <= motion.time[8] for event in inside.events)


def test_numbers_that_have_to_be_known():
    class Whole(Result, of="a whole"):
        size: np.ndarray = values("", finite=True)
        row: np.ndarray = values("thing", default=None, finite=True)

    assert Whole(1.0).size == 1.0 and Whole(1.0).row is None
    with pytest.raises(InputError, match=r"size of a whole must be finite, however it is inf$"):
        Whole(np.inf)
    with pytest.raises(
        InputError, match=r"row of a whole must be finite, however it is nan at \(1,\)"
    ) as refused:
        Whole(1.0, [0.0, np.nan])
    assert refused.value.parameter == "row"


def test_declared_arrays_make_spreadsheets():
    class Sheet(Result):
        time: np.ndarray = values("time", "s")
        angle: np.ndarray = values("time joint", lambda _: ("rad", "m"), table="angles")
        force: np.ndarray = values("time axis", "N", table="forces")
        power: np.ndarray = values("time", "W", table="powers")
        share: np.ndarray = values("time part", "1", table="shares")
        hidden: np.ndarray = values("time", "s", default=0.0)

        LABELS: ClassVar[Mapping[str, Labels]] = {"joint": lambda _: ("knee", "slide")}

    tables = Sheet([0.0, 0.5], np.ones((2, 2)), np.ones((2, 3)), [1.0, 2.0], np.ones((2, 2))).tables()
    assert {name: list(table) for name, table in tables.items()} == {
        "angles": ["knee_deg", "slide_m"],
        "forces": ["force_x_N", "force_y_N", "force_z_N"],
        "powers": ["power_W"],
        "shares": ["0", "1"],
    }
    assert tables["angles"].iloc[0].tolist() == [np.degrees(1.0), 1.0]
    assert tables["powers"].index.tolist() == [0.0, 0.5] and tables["powers"]["power_W"].tolist() == [
        1.0,
        2.0,
    ]


def test_frames_by_what_finds_them():
    whole = small(force=np.arange(18.0).reshape(3, 2, 3))
    for frames in (np.nonzero([True, False, True]), [0, 2], np.array([True, False, True])):
        np.testing.assert_array_equal(whole.take(frames).force, whole.force[[0, 2]])


CONSTANT = {
    *("Model", "Note", "Event", "Chain", "Source", "ModelJoint", "FootSole", "BladeEdge"),
    *("IdOptions", "EstimateOptions", "Swap"),  # frames of a swap are on a clock of its own
    *("HillMuscles", "MarkerError", "Foothold", "Form", "Side"),
}
"""Parts without frames."""


def all_kinds(base: type = Result) -> Iterator[type]:
    """Yield all classes of results in the package."""
    for each in base.__subclasses__():
        if each.__module__.startswith("softstride."):
            yield each
        yield from all_kinds(each)


def test_no_part_with_frames_stays_whole_in_silence():
    """What `take` cannot cut has no frames, or the result says that it stays whole, or cuts it itself."""
    for room in (*OTHERS, "muscles", "scene", "viewer", "contact"):
        for module in pkgutil.walk_packages(importlib.import_module(f"softstride.{room}").__path__):
            importlib.import_module(f"softstride.{room}.{module.name}")
    results = {each.__name__ for each in all_kinds()}
    known = results | CONSTANT | {"None", "Mapping", "Table", "Any"}
    for kind in all_kinds():
        timed = any(TIME in said.dims for said in kind.ARRAYS.values())
        if not timed or kind.WHOLE or "_at" in vars(kind):
            continue
        for each in fields(kind):
            if each.init and each.name not in kind.ARRAYS:
                strange = set(re.findall(r"\b[A-Z]\w+", str(each.type))) - known
                assert not strange, (kind.__name__, each.name, each.type)


def test_numbers_that_a_whole_one_cannot_hold():
    class Counted(Result, of="counts"):
        seen: np.ndarray = values("thing", dtype=np.uint8)
        used: np.ndarray = values("thing", dtype=bool)

    assert Counted([1.0, 255.0], [1, 0]).seen.tolist() == [1, 255]
    for seen, used, told in (
        ([300, 1], [True, False], "300 is no uint8"),
        ([np.nan, 1.0], [True, False], "nan is no uint8"),
        ([1, 2], [0.0, 0.5], "0.5 is no bool"),
    ):
        with pytest.raises(InputError, match=told):
            Counted(seen, used)
