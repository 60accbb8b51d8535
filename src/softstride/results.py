"""`Result`: what a step found. A subclass declares each array once, as a field with its dimensions and its unit.

    class Loads(Result, of="loads"):
        model: Model
        time: Array = values("time", "s")
        tau: Array = values("time coordinate", force_units)
        residual: Array = values("time component", "N m, N", default=0.0)

A subclass is a frozen dataclass whose instances are equal only to themselves. When one is made its arrays are frozen
and their shapes compared; from the same declarations come labelled tables and the dimensions of study files.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from functools import partial
from typing import TYPE_CHECKING, Any, ClassVar, Self, dataclass_transform

import numpy as np
from numpy.typing import ArrayLike, NDArray

from softstride.errors import InputError
from softstride.fields import Frozen, declared
from softstride.frozen import Table

if TYPE_CHECKING:
    import pandas as pd
    import xarray as xr

Floats = NDArray[np.float64]
Frames = slice | NDArray[np.intp]
Labels = Callable[[Any], Sequence[str] | None]
"""Returns what stands along a dimension of a result; None where nobody knows."""

TIME = "time"
"""Name of a dimension, and of the field with its instants."""

AXES = ("x", "y", "z")
WRENCH = ("mx", "my", "mz", "fx", "fy", "fz")

DECLARED = "values"


@dataclass(frozen=True)
class Values:
    """What is said of an array.

    Attributes:
        dims: Its dimensions.
        unit: Of all numbers; or a function of the result that returns the unit of each label of the last dimension.
        label: What `to_xarray` calls it, if not by the name of its field.
        default: What fills an array that was not given, a number or a function of the result that returns one; None: it
            may be missing; ``...``: it is always given.
        dtype: Of its numbers.
        parts: None: the field is one array; else it is a tuple of arrays of these names, or, if it names none, a table.
        single: Dimensions that are absent where there is one of a kind alone.
        finite: Whether every number has to be known.
        table: Name of the table for spreadsheets that it makes; "": it makes none.
    """

    dims: tuple[str, ...]
    unit: str | Labels = ""
    label: str = ""
    default: Any = ...
    dtype: type = float
    parts: tuple[str, ...] | None = None
    single: frozenset[str] = frozenset()
    finite: bool = False
    table: str = ""

    def dims_of(self, ndim: int) -> tuple[str, ...]:
        """Return the dimensions of an array that has so many."""
        return self.dims if ndim >= len(self.dims) else tuple(x for x in self.dims if x not in self.single)

    def over(self, name: str, value: Any, take: Callable[[str, Any], Any]) -> Any:
        """Return a field with a function taken of each array in it, which gets its name and the array."""
        if value is None and self.default is None:
            return None
        if self.parts is None:
            return take(name, value)
        if isinstance(value, Mapping):
            return Table({key: take(f"{name}[{key!r}]", each) for key, each in value.items()})
        return tuple(take(part, each) for part, each in zip(self.parts, value, strict=True))


def values(
    dims: str,
    unit: str | Labels = "",
    label: str = "",
    *,
    default: Any = ...,
    dtype: type = float,
    parts: tuple[str, ...] | None = None,
    finite: bool = False,
    table: str = "",
) -> Any:
    """Return a dataclass field that is an array; see `Values`.

    Args:
        dims: Dimensions with spaces between them, "time coordinate"; "frame?" is absent for a single one.
        unit: Of all numbers, or a function that returns one for each label.
        label: What `to_xarray` calls it.
        default: What fills it where it is not given.
        dtype: Of its numbers.
        parts: The field is a tuple or a table of arrays.
        finite: Every number has to be known.
        table: Name of the table for spreadsheets that it makes.
    """
    names = tuple(each.rstrip("?") for each in dims.split())
    single = frozenset(each.rstrip("?") for each in dims.split() if each.endswith("?"))
    metadata = {DECLARED: Values(names, unit, label, default, dtype, parts, single, finite, table)}
    if default is ...:
        return field(metadata=metadata)
    if default is None:
        return field(default=None, metadata=metadata)
    return field(default_factory=Table if parts == () else lambda: np.zeros(0), metadata=metadata)


@dataclass_transform(frozen_default=True, eq_default=False, field_specifiers=(field, values, declared))
class Result(Frozen):
    """Base of the results of a step; see the module. Other fields are kept as `Frozen` keeps them.

    Attributes:
        ARRAYS: What is said of each array, by field.
        LABELS: What stands along a dimension, those of the bases included.
        CALLED: What `to_xarray` calls a dimension, if not by its name.
        WHOLE: Why `take` gives no part of it, "take the frames of its motion"; "": it does.
    """

    ARRAYS: ClassVar[Mapping[str, Values]] = {}
    LABELS: ClassVar[Mapping[str, Labels]] = {
        "axis": lambda _: AXES,
        "component": lambda _: WRENCH,
        "coordinate": lambda own: getattr(getattr(own, "model", None), "coordinate_names", None),
    }
    CALLED: ClassVar[Mapping[str, str]] = {}
    WHOLE: ClassVar[str] = ""

    def __init_subclass__(cls, of: str = "", kw_only: bool = False, **more: Any) -> None:
        super().__init_subclass__(of=of, **more)
        dataclass(frozen=True, eq=False, kw_only=kw_only)(cls)
        cls.ARRAYS = {x.name: x.metadata[DECLARED] for x in fields(cls) if DECLARED in x.metadata}
        cls.LABELS = {dim: each for base in reversed(cls.__mro__) for dim, each in _labels(base).items()}

    def whose(self) -> str:
        """Return what it is in a refusal."""
        return self.OF or type(self).__name__

    def _freeze(self) -> None:
        """Freeze the fields and compare the shapes of the arrays."""
        super()._freeze()
        for name, said in self.ARRAYS.items():
            self._keep(name, said, partial(self._numbers, name, said))
        sizes = self._sizes()
        for name, said in self.ARRAYS.items():
            self._keep(name, said, partial(self._fitting, name, said, sizes))

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        for name, said in self.ARRAYS.items():  # what was frozen comes back as it went
            said.over(name, state[name], lambda _, array: array.setflags(write=False))

    def labels_of(self, dim: str) -> tuple[str, ...] | None:
        """Return what stands along a dimension; None where nobody knows."""
        found = self.LABELS[dim](self) if dim in self.LABELS else None
        return None if found is None else tuple(found)

    # arrays

    def _keep(self, name: str, said: Values, take: Callable[[str, Any], Any]) -> None:
        object.__setattr__(self, name, said.over(name, getattr(self, name), take))

    def _numbers(self, parameter: str, said: Values, name: str, given: ArrayLike) -> NDArray[Any]:
        """Return an array as it is kept."""
        what = ""
        try:
            array = np.asarray(given)
            if array.dtype.kind in "cSUmM":
                what = "complex" if array.dtype.kind == "c" else f"of type {array.dtype}"
            else:
                what = _lossy(array, said.dtype)
                array = array if what else frozen(array, said.dtype)
        except (TypeError, ValueError) as error:
            what = str(error)
        if what:
            raise InputError(
                f"{name} of {self.whose()} must be made of real numbers, however: {what}", parameter=parameter
            )
        if said.finite and not np.isfinite(array).all():
            place = tuple(int(i) for i in np.argwhere(~np.isfinite(array))[0])
            where = f" at {place}" if place else ""
            raise InputError(
                f"{name} of {self.whose()} must be finite, however it is {array[place]}{where}",
                parameter=parameter,
            )
        return array

    def _sizes(self) -> dict[str, int]:
        """Return the sizes of dimensions: of their labels, else of the first array that has them, instants last."""
        dims = {dim for said in self.ARRAYS.values() for dim in said.dims}
        labels = {dim: self.labels_of(dim) for dim in dims}
        sizes = {dim: len(each) for dim, each in labels.items() if each is not None}

        def look(_: str, array: NDArray[Any]) -> None:
            own = said.dims_of(array.ndim)
            if len(own) == array.ndim and (array.size or said.default is ...):
                for dim, size in zip(own, array.shape, strict=True):
                    sizes.setdefault(dim, size)

        for name, said in sorted(self.ARRAYS.items(), key=lambda each: each[0] == TIME):
            said.over(name, getattr(self, name), look)
        return sizes

    def _fitting(
        self, parameter: str, said: Values, sizes: Mapping[str, int], name: str, array: NDArray[Any]
    ) -> NDArray[Any]:
        """Return an array of the shape that its dimensions have; filled, if it was not given."""
        own = said.dims_of(array.ndim)
        known = len(own) == array.ndim
        shape = tuple(sizes.get(dim, array.shape[i] if known else -1) for i, dim in enumerate(own))
        if array.shape == shape:
            return array
        if array.size == 0 and said.default is not ... and min(shape) >= 0:
            fill = said.default(self) if callable(said.default) else said.default
            return owned(np.full(shape, fill, said.dtype))
        sides = [str(size) if size >= 0 else dim for dim, size in zip(own, shape, strict=True)]
        told = f"({', '.join(sides)}{',' * (len(sides) == 1)})"
        along = f" ({', '.join(own)})" if sides != list(own) else ""
        raise InputError(
            f"{name} of {self.whose()} must have shape {told}{along}, however it has {array.shape}",
            parameter=parameter,
        )

    # some instants

    def take(self, frames: Frames) -> Self:
        """Return the result at some of its instants: of each array over time, and of the results in it.

        Args:
            frames: A slice, or numbers of frames, shape (k,).

        Raises:
            InputError: Frames that there are not; a result without instants of its own, or with a part that has others.
        """
        return replace(self, **self._at(frames))

    def _at(self, frames: Frames) -> dict[str, Any]:
        """Return the fields that differ at some of the instants."""
        n = self._sizes().get(TIME)
        if n is None:
            raise InputError(f"{self.whose()} has no frames of its own: take them of its parts")
        if self.WHOLE:
            raise InputError(f"{self.whose()} stays whole: {self.WHOLE}")
        try:
            chosen = np.arange(n)[frames]
        except (IndexError, TypeError, ValueError) as error:
            raise InputError(f"{self.whose()} has {n} frames, however: {error}", parameter="frames") from None
        if chosen.ndim != 1:
            raise InputError(
                f"frames must be a slice or a list of numbers, however they are {frames!r}",
                parameter="frames",
            )
        rows = frames if isinstance(frames, slice) else chosen

        def cut(said: Values, _: str, array: NDArray[Any]) -> NDArray[Any]:
            dims = said.dims_of(array.ndim)
            return owned(array[(*[slice(None)] * dims.index(TIME), rows)]) if TIME in dims else array

        def inside(name: str, value: Any) -> Any:
            if isinstance(value, Result) and (size := value._sizes().get(TIME)) is not None:
                if size != n:
                    raise InputError(f"{name} of {self.whose()} has {size} frames, not {n}", parameter=name)
                return value.take(rows)
            if isinstance(value, Table):
                return Table({key: inside(name, each) for key, each in value.items()})
            return tuple(inside(name, each) for each in value) if type(value) is tuple else value

        found: dict[str, Any] = {}
        for each in fields(self):
            name, value, said = each.name, getattr(self, each.name), self.ARRAYS.get(each.name)
            if said is None:
                found[name] = inside(name, value)
            elif TIME in said.dims:
                found[name] = said.over(name, value, partial(cut, said))
        return found

    # tables

    def to_xarray(self) -> xr.Dataset:
        """Return an `xarray.Dataset` of all arrays with their labels and units."""
        import xarray as xr

        return xr.Dataset(self._variables(), coords=self._coords(), attrs=self._attrs())

    def _variables(self) -> dict[str, Any]:
        """Return the arrays of `to_xarray` by name."""
        found: dict[str, Any] = {}

        def put(part: str, array: NDArray[Any]) -> None:
            called = part.replace(name, said.label or name, 1)
            found[called] = self._variable(said.dims_of(array.ndim), array, said.unit)

        for name, said in self.ARRAYS.items():
            if name != TIME:
                said.over(name, getattr(self, name), put)
        return found

    def _variable(self, dims: Sequence[str], array: NDArray[Any], unit: str | Labels = "") -> tuple[Any, ...]:
        """Return an array for `to_xarray`: dimensions as they are called there, numbers and their unit."""
        called = tuple(self.CALLED.get(dim, dim) for dim in dims)
        unit = f"{called[-1]}_unit" if callable(unit) else unit
        return called, array, {"units": unit} if unit else {}

    def _coords(self) -> dict[str, Any]:
        """Return the labels of `to_xarray`, and beside them units that differ from label to label."""
        found: dict[str, Any] = {}
        for name, said in self.ARRAYS.items():
            if name == TIME:
                found[TIME] = (TIME, self.time, {"units": said.unit})  # type: ignore[attr-defined]
                continue
            if getattr(self, name) is None:
                continue
            for dim in said.dims:
                called, labels = self.CALLED.get(dim, dim), self.labels_of(dim)
                if labels is not None:
                    found[called] = (called, list(labels))
            if callable(said.unit):
                found[f"{called}_unit"] = (called, list(said.unit(self) or ()))
        return found

    def _attrs(self) -> dict[str, Any]:
        """Return what `to_xarray` says of the whole: the name of the model, and the notes as lines."""
        model, notes = getattr(self, "model", None), getattr(self, "notes", None)
        found: dict[str, Any] = {} if model is None else {"model": getattr(model, "name", model)}
        return found if notes is None else found | {"notes": "\n".join(map(str, notes))}

    def _table(self, name: str) -> pd.DataFrame:
        """Return an array over time as a `pandas.DataFrame` indexed by time, one column a label."""
        import pandas as pd

        labels = self.labels_of(self.ARRAYS[name].dims[-1])
        index = pd.Index(self.time, name=TIME)  # type: ignore[attr-defined]
        return pd.DataFrame(getattr(self, name), index=index, columns=list(labels or ()))

    def tables(self) -> dict[str, pd.DataFrame]:
        """Return the tables for spreadsheets that the arrays make, by name; see `spreadsheet`."""
        return {said.table: self.spreadsheet(name) for name, said in self.ARRAYS.items() if said.table}

    def spreadsheet(self, name: str) -> pd.DataFrame:
        """Return an array over time as a table whose headings say the unit.

        A column is called by its label, such as a coordinate; components of a vector by the field too.
        """
        import pandas as pd

        said, array = self.ARRAYS[name], getattr(self, name)
        dim = said.dims[-1]
        labels: tuple[str, ...]
        if dim == TIME:
            array, labels = array[:, None], (name,)
        else:
            labels = self.labels_of(dim) or tuple(map(str, range(array.shape[1])))
            if dim in ("axis", "component"):
                labels = tuple(f"{name}_{label}" for label in labels)
        units = said.unit(self) if callable(said.unit) else [said.unit] * len(labels)
        turns = [np.degrees(1.0) if unit == "rad" else 1.0 for unit in units or ()]
        columns = [heading(label, unit) for label, unit in zip(labels, units or (), strict=True)]
        index = pd.Index(self.time, name=TIME)  # type: ignore[attr-defined]
        return pd.DataFrame(array * turns, index=index, columns=columns)


PLAIN = {"rad": "deg", "N m": "Nm", "N·m": "Nm", "1/m": "per_m", "": "", "1": ""}
"""Units as they stand in a heading; tables for spreadsheets have angles in degrees."""


def heading(label: str, unit: str) -> str:
    """Return the heading of a column in a spreadsheet: its name and its unit."""
    plain = PLAIN.get(unit, unit)
    return f"{label}_{plain}" if plain else label


def _labels(base: type) -> Mapping[str, Labels]:
    return vars(base).get("LABELS", {})


# frozen arrays


def _lossy(array: NDArray[Any], dtype: type) -> str:
    """Return what is lost of numbers that become whole ones, or true and false; "": nothing."""
    if np.dtype(dtype).kind == "f" or array.dtype == dtype:
        return ""
    with np.errstate(invalid="ignore"):
        kept: NDArray[Any] = array.astype(dtype)
    other = np.argwhere(kept != array)
    return f"{array[tuple(other[0])]} is no {np.dtype(dtype).name}" if len(other) else ""


def frozen(array: ArrayLike, dtype: type) -> NDArray[Any]:
    """Return numbers in an array that nobody can change; copied only if somebody else could."""
    found: NDArray[Any] = np.asarray(array, dtype=dtype)
    if not _is_constant(found):
        found = found.copy()
        found.setflags(write=False)
    return found


def frozen_floats(array: ArrayLike) -> Floats:
    """Return the values as float64 that nobody can change; copied only if somebody else could."""
    return frozen(array, float)


def _is_constant(array: NDArray[Any]) -> bool:
    """Return whether nobody can change an array: it is constant, and so is the array that it is rows of."""
    if array.flags.writeable or array.flags.owndata:
        return not array.flags.writeable
    whole = array.base
    rows_of_constant = isinstance(whole, np.ndarray) and whole.flags.owndata and not whole.flags.writeable
    return rows_of_constant and array.flags.c_contiguous


def owned(array: NDArray[Any]) -> NDArray[Any]:
    """Mark a fresh array as constant, so that the result that takes it need not copy it."""
    if array.flags.owndata:
        array.setflags(write=False)
    return array
