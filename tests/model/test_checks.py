"""What goes into a model becomes read-only float64, or a ModelError that names it."""

import copy
import math
import pickle

import numpy as np
import pytest

from softstride.errors import ModelError
from softstride.frozen import Table
from softstride.model import Constant, Frame, Inertia, SimmSpline, checks


@pytest.mark.parametrize("value", [None, "1", b"1", [1, 2], [[1], [1, 2]], 1j, object(), np.ones(1), 10**400])
def test_number_refuses_what_is_no_number(value):
    with pytest.raises(ModelError, match="mass of a link must be a number"):
        checks.number(value, "mass of a link")


@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf])
def test_number_refuses_nan_and_infinity(value):
    with pytest.raises(ModelError, match="must be finite"):
        checks.number(value, "mass")


def test_number_allows_infinity_on_request_but_never_nan():
    assert checks.number(-math.inf, "limit", infinite=True) == -math.inf
    with pytest.raises(ModelError, match="must be finite"):
        checks.number(math.nan, "limit", infinite=True)


def test_number_checks_its_lower_bound():
    assert checks.number(np.float32(0), "mass", lower=0.0) == 0.0
    with pytest.raises(ModelError, match="at least 0, however it is -1"):
        checks.number(-1, "mass", lower=0.0)


@pytest.mark.parametrize(
    "value", ["abc", [1, [2]], [1, None, 2], {1, 2, 3}, [1j, 0, 0], object(), [10**400, 0, 0]]
)
def test_array_refuses_what_are_no_numbers(value):
    with pytest.raises(ModelError, match="position must be made of"):
        checks.array(value, (3,), "position")


def test_array_names_both_shapes():
    with pytest.raises(ModelError, match=r"must have shape \(3,\), however it has shape \(2,\)"):
        checks.array([1, 2], (3,), "position")


def test_arrays_are_copies_and_read_only():
    given = np.zeros(3)
    kept = checks.array(given, (3,), "position")
    given[0] = 1.0
    assert kept[0] == 0.0 and kept.dtype == np.float64
    with pytest.raises(ValueError, match="read-only"):
        kept[0] = 2.0


@pytest.mark.parametrize("make", [pickle.dumps, copy.deepcopy], ids=["pickle", "deepcopy"])
@pytest.mark.parametrize(
    "part", [Inertia(1.0, [1, 2, 3]), Frame("a", [1, 2, 3]), SimmSpline([0, 1], [0, 1]), Constant(1)]
)
def test_arrays_stay_read_only_through_copies(make, part):
    result = make(part)
    other = pickle.loads(result) if isinstance(result, bytes) else result
    assert vars(other).keys() == vars(part).keys()
    for name, value in vars(other).items():
        if isinstance(value, np.ndarray):
            np.testing.assert_array_equal(value, getattr(part, name))
            assert not value.flags.writeable


def test_table_is_a_read_only_ordered_mapping():
    source = {"b": 1, "a": 2}
    table = Table(source)
    source["c"] = 3
    assert list(table) == ["b", "a"] and len(table) == 2 and table["a"] == 2
    assert pickle.loads(pickle.dumps(table)) == table and "b" in repr(table)
    with pytest.raises(TypeError):
        table["a"] = 1


@pytest.mark.parametrize("value", ["", "  ", 3, None, ["a"]])
def test_text_refuses_what_is_no_name(value):
    with pytest.raises(ModelError, match="name of a link must be a string"):
        checks.text(value, "name of a link")


@pytest.mark.parametrize("scale", [1e-140, 1.0, 3.7, 1e300])
def test_unit_keeps_the_direction_at_any_length(scale):
    np.testing.assert_allclose(checks.unit(np.array([3, 0, 4]) * scale, "axis"), [0.6, 0, 0.8], rtol=1e-15)


def test_unit_refuses_zero():
    with pytest.raises(ModelError, match="axis must not be zero"):
        checks.unit([0, 0, 0], "axis")


def test_rotation_refuses_shear_reflection_and_large_numbers():
    with pytest.raises(ModelError, match="rotation matrix"):
        checks.rotation([[1, 0.1, 0], [0, 1, 0], [0, 0, 1]], "rotation")
    with pytest.raises(ModelError, match="reflection"):
        checks.rotation(np.diag([1, 1, -1]), "rotation")
    with pytest.raises(ModelError, match="rotation matrix"):
        checks.rotation(np.full((3, 3), 1e300), "rotation")


def test_pose_refuses_a_wrong_last_row():
    T = np.eye(4)
    T[3, 0] = 1.0
    with pytest.raises(ModelError, match="last row"):
        checks.pose(T, "placement")


def test_names_hint_is_cut():
    assert checks.names_hint([]) == "none"
    assert checks.names_hint([str(i) for i in range(20)]).endswith("'11' and 8 more")
