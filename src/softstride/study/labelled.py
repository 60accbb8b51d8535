"""Arrays in an HDF5 file with dimension scales, which make it netCDF 4: other tools find names on every axis."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from softstride.harmless import storable
from softstride.study.dimensions import Labels, Owners, T, dimensions

FLAG = "flag"
"""Attribute of arrays of true and false, which netCDF does not know: they are stored as 0 and 1."""

LARGE = 64
"""Numbers from which on an array is compressed."""

BARE = "This is a netCDF dimension but not a netCDF variable."
"""What netCDF calls a dimension that has a size and no labels; the size follows, flush right."""


class Labelled:
    """Puts arrays into an open HDF5 file.

    Args:
        file: The file, of h5py.
    """

    def __init__(self, file: Any) -> None:
        self._file = file
        self._sizes: dict[str, int] = {}

    def put(self, path: str, array: NDArray[Any], owners: Owners) -> None:
        """Write an array at its path; `owners` are the dataclasses around it, innermost last, with their paths."""
        if path in self._sizes:
            return  # it was written as the time of another array
        if owners and path == _beside(owners[-1][1], T):
            self._put_time(path, array)
            return
        scales = self._scales(path, array, owners)
        data = self._create(path, array)
        for dim, scale in zip(data.dims, scales, strict=True):
            dim.attach_scale(self._file[scale])

    def _put_time(self, path: str, instants: NDArray[Any]) -> None:
        self._create(path, instants).make_scale(T)
        self._sizes[path] = len(instants)

    def _scales(self, path: str, array: NDArray[Any], owners: Owners) -> list[str]:
        """Return the path of the scale of each dimension, made if it is new."""
        group, _, name = path.rpartition("/")
        around = owners[-1][1] if owners else ""
        field = path.removeprefix(around).lstrip("/").partition("/")[0]
        found = []
        named = dimensions(owners, name, field, array.shape)
        for (dim, labels), size in zip(named, array.shape, strict=True):
            clock = _clock(owners, size) if dim == T else None
            if clock is None:
                found.append(self._scale(group, dim, size, labels))
                continue
            if clock[0] not in self._sizes:
                self._put_time(*clock)
            found.append(clock[0])
        return found

    def _scale(self, group: str, name: str, size: int, labels: Labels | None) -> str:
        path = _beside(group, name)
        while path in self._sizes and self._sizes[path] != size:
            path += "_"
        if path not in self._sizes:
            self._make_scale(path, size, labels)
            self._sizes[path] = size
        return path

    def _make_scale(self, path: str, size: int, labels: Labels | None) -> None:
        if labels is None:
            self._file.create_dataset(path, shape=(size,), dtype=">f4").make_scale(f"{BARE}{size:10d}")
            return
        import h5py

        text = np.array([storable(label) for label in labels], dtype=object)
        scale = self._file.create_dataset(path, data=text, dtype=h5py.string_dtype("utf-8"))
        scale.make_scale(path.rpartition("/")[2])

    def _create(self, path: str, array: NDArray[Any]) -> Any:
        flag = array.dtype.kind == "b"
        stored = array.astype(np.int8) if flag else array
        packed = {"compression": "gzip", "compression_opts": 1, "shuffle": True} if array.size > LARGE else {}
        data = self._file.create_dataset(path, data=stored, **packed)
        if flag:
            data.attrs[FLAG] = np.int8(1)
        return data


def _beside(group: str, name: str) -> str:
    return f"{group}/{name}".lstrip("/")


def _clock(owners: Owners, size: int) -> tuple[str, NDArray[Any]] | None:
    """Return path and values of the instants of an array whose first dimension has this size, the innermost ones."""
    for owner, path in reversed(owners):
        time = getattr(owner, "time", None)
        if isinstance(time, np.ndarray) and len(time) == size:
            return _beside(path, T), time
    return None
