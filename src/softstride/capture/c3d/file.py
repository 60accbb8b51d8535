"""What a C3D file holds: `C3DFile`, and the `Parameter` entries of its groups."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from softstride.capture.c3d.numbers import Processor
from softstride.errors import InputError
from softstride.fields import Frozen
from softstride.notes import Note

Storage = Literal["integer", "real"]
Kind = Literal[-1, 1, 2, 4]

TEXT: Literal[-1] = -1
BYTE: Literal[1] = 1
INTEGER: Literal[2] = 2
REAL: Literal[4] = 4
DTYPES: dict[int, type[np.generic]] = {BYTE: np.uint8, INTEGER: np.int16, REAL: np.float32}
MOST_IN_A_DIMENSION = 255


@dataclass(frozen=True, eq=False)
class Parameter:
    """One named entry of a group.

    Attributes:
        name: Upper case.
        kind: -1 text, 1 byte, 2 integer of 16 bits, 4 float of 32 bits.
        dims: Dimensions as in the file, the first index fastest; () is one value. Of a text the first is the
            length of a string in bytes.
        values: Text: the strings in full width, the file's order flattened. Numbers: array of shape `dims[::-1]`,
            `uint8`, `int16` (the signed reading) or `float32`, read-only.
        description: Free text.
        locked: Whether the writer asked others not to change it.
    """

    name: str
    kind: Kind
    dims: tuple[int, ...]
    values: NDArray[Any] | tuple[str, ...]
    description: str = ""
    locked: bool = False

    @property
    def is_text(self) -> bool:
        """Whether it holds strings and no numbers."""
        return self.kind == TEXT

    def strings(self) -> tuple[str, ...]:
        """Return the strings without their padding.

        Raises:
            InputError: If the parameter holds numbers.
        """
        if not isinstance(self.values, tuple):
            raise InputError(f"parameter {self.name} holds numbers, not text; use numbers()")
        return tuple(text.rstrip(" \0\t\r\n") for text in self.values)

    def numbers(self) -> NDArray[np.float64]:
        """Return the numbers, the last index of the file first: CORNERS of dims (3, 4, n) has shape (n, 4, 3).

        Raises:
            InputError: If the parameter holds text.
        """
        return self._array().astype(np.float64)

    def counts(self) -> NDArray[np.int64]:
        """Return the numbers as whole numbers without sign (integers of 16 bits up to 65535), shape as `numbers`.

        What is no whole number from 0 on, in a parameter of floats, becomes -1.

        Raises:
            InputError: If the parameter holds text.
        """
        values = self._array()
        if values.dtype == np.int16:
            return values.view(np.uint16).astype(np.int64)
        whole = np.where(np.abs(values.astype(np.float64)) < 2.0**53, values, -1).astype(np.int64)
        return np.where((whole == values) & (whole >= 0), whole, -1)

    def scalar(self) -> float:
        """Return the first number, NaN where there is none.

        Raises:
            InputError: If the parameter holds text.
        """
        values = self._array()
        return float(values.flat[0]) if values.size else float("nan")

    def _array(self) -> NDArray[Any]:
        if isinstance(self.values, tuple):
            raise InputError(f"parameter {self.name} holds text, not numbers; use strings()")
        return self.values


def number_parameter(
    name: str, values: ArrayLike, kind: Kind = REAL, description: str = "", locked: bool = False
) -> Parameter:
    """Return a parameter of numbers.

    Args:
        name: Upper case.
        values: Any shape, the last index of the file first, as `Parameter.numbers` returns it.
        kind: 1, 2 or 4. Integers up to 65535 are kept as the 16 bits they are.
        description: Free text.
        locked: Whether others should not change it.

    Returns:
        The parameter.
    """
    given = np.asarray(values)
    if kind == INTEGER:
        array = (given.astype(np.int64) & 0xFFFF).astype(np.uint16).view(np.int16)
    else:
        with np.errstate(over="ignore"):  # beyond a float of 32 bits: infinite
            array = given.astype(DTYPES[kind])
    array = np.array(array, order="C")
    array.setflags(write=False)
    return Parameter(name, kind, tuple(array.shape[::-1]), array, description, locked)


def text_parameter(
    name: str, strings: tuple[str, ...] | str, description: str = "", locked: bool = False
) -> Parameter:
    """Return a parameter of text: one string, or a list of them."""
    texts = (strings,) if isinstance(strings, str) else tuple(strings)
    width = max((len(text.encode()) for text in texts), default=0)
    dims = (width,) if isinstance(strings, str) else (width, len(texts))
    padded = tuple(text + " " * (width - len(text.encode())) for text in texts)
    return Parameter(name, TEXT, dims, padded, description, locked)


Group = Mapping[str, Parameter]
Groups = Mapping[str, Group]


class GroupHeader(NamedTuple):
    """What a file says about a group as a whole."""

    description: str = ""
    locked: bool = False


class HeaderEvent(NamedTuple):
    """One of the at most 18 events in the first block: label of four characters, time [s], whether shown."""

    label: str
    time: float
    shown: bool


@dataclass(frozen=True, eq=False)
class C3DFile(Frozen):
    """A C3D file, decoded, in the units and axes of the file.

    n frames, m points, c channels, k analog samples a frame.

    Attributes:
        processor: Whose numbers the file has.
        storage: "integer" (16 bits, scaled) or "real" (32-bit floats).
        first_frame: Number of the first frame, as the capture counted.
        rate: Frames a second [Hz].
        groups: Parameters by group and name, both upper case.
        point_labels: Names of the points, unique, shape (m,).
        point_descriptions: Their descriptions, shape (m,), "" where there is none.
        point_units: Unit of the coordinates, "" where the file says none.
        points: Coordinates, shape (n, m, 3), NaN where a point was not measured.
        residuals: Mean distance of the camera rays, shape (n, m), in the unit of the points, NaN where missing.
        cameras: Bit i: camera i + 1 saw the point (7 bits), shape (n, m), 0 where missing.
        analog: (raw - offset) gen_scale scale, shape (n k, c), in the unit of each channel.
        analog_labels: Names of the channels, unique, shape (c,).
        analog_units: Units of the channels, shape (c,), "" where the file says none.
        analog_rate: Samples a second, k times `rate` [Hz].
        header_events: Events of the first block; their times count like those of the EVENT group.
        notes: What was wrong or doubtful, and what was decided.
        group_headers: Description and lock of each group.
        max_gap: Longest gap that was interpolated before the file was written, in frames.
    """

    processor: Processor
    storage: Storage
    first_frame: int
    rate: float
    groups: Groups
    point_labels: tuple[str, ...]
    point_descriptions: tuple[str, ...]
    point_units: str
    points: NDArray[np.float64]
    residuals: NDArray[np.float64]
    cameras: NDArray[np.uint8]
    analog: NDArray[np.float64]
    analog_labels: tuple[str, ...]
    analog_units: tuple[str, ...]
    analog_rate: float
    header_events: tuple[HeaderEvent, ...] = ()
    notes: tuple[Note, ...] = ()
    group_headers: Mapping[str, GroupHeader] = field(default_factory=dict)
    max_gap: int = 0

    @property
    def n_frames(self) -> int:
        """Number of frames n."""
        return len(self.points)

    @property
    def samples_per_frame(self) -> int:
        """Number k of analog samples in a frame."""
        if self.n_frames:
            return max(1, len(self.analog) // self.n_frames)
        return max(1, round(self.analog_rate / self.rate))
