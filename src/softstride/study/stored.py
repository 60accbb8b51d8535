"""`Stored`: the arrays of a study file, read so that the file can lead nowhere else and take no more than it holds.

HDF5 lets a file point into others: external and soft links, numbers in external files, virtual datasets, references,
filters that are programs to be loaded. It believes what a file declares about its sizes, too. A study has nothing of
the kind, so that every item is looked at before any is read: groups and arrays of plain numbers and labels, each
linked once, all of their pieces within the file. HDF5 only says where the pieces are; they are unpacked here, no
further than they may go.
"""

from __future__ import annotations

import itertools
import math
import zlib
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from softstride.errors import CaptureError
from softstride.study.labelled import FLAG

MOST_ITEMS = 100_000
"""Groups and arrays in a file."""

SPARE = 64 << 20
"""What the arrays of any file may take [bytes]."""

MOST_PACKED = 250
"""What they may take beyond that, in sizes of the file: where nothing moves, studies are packed to 1/230."""

LARGEST_TEXT = 32 << 20
"""Of an array that is text [bytes]: people and events of hours take a tenth."""

_LARGEST_COMPACT = 1 << 16
_FIX = "softstride wrote no such file: take care, and ask for the study where it came from"


class StrangeItemError(CaptureError):
    """A file holds what no study holds."""


class Stored:
    """The arrays of an open file, by path.

    Args:
        data: The whole file.
        opened: The same, of h5py; nothing in it was looked at yet.
        path: Its name, for messages.

    Raises:
        StrangeItemError: Something in the file leads elsewhere, or claims more than the file can hold.
    """

    def __init__(self, data: bytes, opened: Any, path: Path) -> None:
        self._data, self._path = memoryview(data), path
        self._left = SPARE + MOST_PACKED * len(data)
        self._arrays: dict[str, Any] = {}
        if opened.userblock_size:
            raise self._strange("file", "holds something before its first byte")
        self._look_through(opened.id)

    def take(self, where: str) -> NDArray[Any]:
        """Return an array; those of flags are of true and false."""
        import h5py

        array = self._arrays.pop(where, None)
        if array is None:
            raise KeyError(f"{where} is missing, or wanted twice")
        values = self._read(array, where)
        return values.astype(bool) if h5py.h5a.exists(array, FLAG.encode()) else values

    def text(self, where: str) -> str:
        """Return an array of bytes as text."""
        size = math.prod(self._arrays[where].shape) if where in self._arrays else 0
        if size > LARGEST_TEXT:
            raise self._strange(where, f"holds {size} bytes of text, where {LARGEST_TEXT} are the most")
        return np.asarray(self.take(where), dtype=np.uint8).tobytes().decode("utf-8")

    def _strange(self, where: str, problem: str) -> StrangeItemError:
        return StrangeItemError(self._path, where, problem, _FIX)

    # looking, before anything is read

    def _look_through(self, root: Any) -> None:
        """Look at every item, following no link but those that are the items themselves."""
        import h5py

        seen = {h5py.h5o.get_info(root).addr}
        groups = [(root, "")]
        while groups:
            group, path = groups.pop()
            for raw in group:
                where = f"{path}/{raw.decode(errors='replace')}".lstrip("/")
                if group.links.get_info(raw).type != h5py.h5l.TYPE_HARD:
                    raise self._strange(where, "is a link to something else, perhaps in another file")
                item = h5py.h5o.open(group, raw)
                address = h5py.h5o.get_info(item).addr
                if address in seen:
                    raise self._strange(where, "is an item that stands elsewhere in the file too")
                seen.add(address)
                if len(seen) > MOST_ITEMS:
                    raise self._strange(where, f"is one of more than {MOST_ITEMS} items")
                if isinstance(item, h5py.h5g.GroupID):
                    groups.append((item, where))
                elif isinstance(item, h5py.h5d.DatasetID):
                    self._look_at(item, where)
                else:
                    raise self._strange(where, "is neither a group nor an array")

    def _look_at(self, array: Any, where: str) -> None:
        """Note an array that can be taken, if all of it is in this file."""
        import h5py

        stored, dtype = array.get_create_plist(), array.dtype
        if stored.get_layout() == h5py.h5d.VIRTUAL:
            raise self._strange(where, "is made of arrays of other files")
        if stored.get_external_count():
            raise self._strange(where, "keeps its numbers in another file")
        known = (h5py.h5z.FILTER_SHUFFLE, h5py.h5z.FILTER_DEFLATE)
        filters = [stored.get_filter(i)[0] for i in range(stored.get_nfilters())]
        if len(set(filters) & set(known)) < len(filters):
            raise self._strange(where, "is packed in a way that studies are not")
        if h5py.check_string_dtype(dtype) is not None:
            return  # labels, for other programs
        if dtype.kind not in "iuf" or not dtype.itemsize == array.get_type().get_size() <= 8:
            raise self._strange(where, "holds neither numbers nor labels, but references or something else")
        size = math.prod(array.shape) * dtype.itemsize
        if size and not array.get_storage_size():
            return  # the size of a dimension without labels
        if stored.get_layout() == h5py.h5d.CHUNKED:
            pieces = math.prod(
                -(-n // piece) for n, piece in zip(array.shape, stored.get_chunk(), strict=True)
            )
            if array.get_num_chunks() != pieces:
                raise self._strange(where, f"has {array.get_num_chunks()} of the {pieces} pieces it needs")
            size = pieces * math.prod(stored.get_chunk()) * dtype.itemsize
        elif size > (array.get_storage_size() if array.get_offset() is not None else _LARGEST_COMPACT):
            raise self._strange(where, f"says that it takes {size} bytes, but has fewer")
        self._left -= size
        if self._left < 0:
            held = f"with the arrays before it more than a file of {len(self._data)} bytes holds"
            raise self._strange(where, f"is too large: it claims {size} bytes, {held}")
        self._arrays[where] = array

    # reading

    def _read(self, array: Any, where: str) -> NDArray[Any]:
        """Return the numbers of an array that was looked at."""
        import h5py

        stored = array.get_create_plist()
        shape, dtype = array.shape, np.dtype(array.dtype.str)  # the very one of NumPy: results keep the array
        if stored.get_layout() == h5py.h5d.CHUNKED:
            return self._unpacked(array, stored, where)
        if stored.get_layout() == h5py.h5d.COMPACT or math.prod(shape) == 0:
            values: NDArray[Any] = np.empty(shape, dtype)
            array.read(h5py.h5s.ALL, h5py.h5s.ALL, values)
            return values
        start = array.get_offset()
        return (
            np.frombuffer(self._piece(start, math.prod(shape) * dtype.itemsize, where), dtype)
            .reshape(shape)
            .copy()
        )

    def _piece(self, start: int, size: int, where: str) -> memoryview:
        """Return some bytes of the file."""
        if not 0 <= start <= start + size <= len(self._data):
            raise self._strange(where, "has numbers behind the end of the file")
        return self._data[start : start + size]

    def _unpacked(self, array: Any, stored: Any, where: str) -> NDArray[Any]:
        """Return the numbers of an array in pieces; each piece of the grid must be there once."""
        shape, dtype, extent = array.shape, np.dtype(array.dtype.str), stored.get_chunk()
        filters = [stored.get_filter(i)[0] for i in range(stored.get_nfilters())]
        pieces: dict[tuple[int, ...], Any] = {}
        array.chunk_iter(lambda piece: pieces.__setitem__(piece.chunk_offset, piece))
        values: NDArray[Any] = np.empty(shape, dtype)
        for corner in itertools.product(*(range(0, n, step) for n, step in zip(shape, extent, strict=True))):
            if corner not in pieces:
                raise self._strange(where, f"lacks its piece at {corner}")
            found = pieces[corner]
            raw = self._piece(found.byte_offset, found.size, where)
            used = [each for i, each in enumerate(filters) if not found.filter_mask >> i & 1]
            block = self._inflated(raw, used, math.prod(extent) * dtype.itemsize, dtype.itemsize, where)
            inside = tuple(slice(at, at + step) for at, step in zip(corner, extent, strict=True))
            target = values[inside]
            target[...] = block.view(dtype).reshape(extent)[tuple(slice(n) for n in target.shape)]
        return values

    def _inflated(
        self, raw: memoryview, filters: list[int], size: int, itemsize: int, where: str
    ) -> NDArray[np.uint8]:
        """Return the bytes of one piece, which are as many as its extent says; filters in the order of writing."""
        import h5py

        block: NDArray[np.uint8] = np.frombuffer(raw, np.uint8)
        for each in reversed(filters):
            if each == h5py.h5z.FILTER_DEFLATE:
                block = np.frombuffer(zlib.decompressobj().decompress(block.data, size + 1), np.uint8)
            else:
                block = np.ascontiguousarray(block.reshape(itemsize, -1).T).reshape(-1)
        if len(block) != size:
            raise self._strange(where, f"has a piece of another size than the {size} bytes it needs")
        return block
