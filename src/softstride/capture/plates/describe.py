"""What the FORCE_PLATFORM group of a C3D file says about each plate, checked before anything is computed from it."""

from dataclasses import dataclass

import numpy as np

from softstride.capture.c3d.file import C3DFile, Parameter
from softstride.capture.plates.calibrate import CHANNELS
from softstride.capture.plates.geometry import corner_problem
from softstride.capture.series import Floats
from softstride.capture.units import LENGTH, Unit, read_unit
from softstride.notes import Note, Notes

GROUP = "FORCE_PLATFORM"


@dataclass(frozen=True, eq=False)
class PlateEntry:
    """One plate of the file, whole and consistent.

    Attributes:
        name: "plate 1" and so on, in the order of the file.
        kind: Type 1 to 5.
        corners: Shape (4, 3), in [m], lab axes.
        origin: ORIGIN as in the file, shape (3,), in [m].
        columns: Columns of the analog data, from 0.
        matrix: CAL_MATRIX of types 4 and 5 as in the file, shape (6, number of channels), else None.
        length: How many of the file's unit of length make a metre.
    """

    name: str
    kind: int
    corners: Floats
    origin: Floats
    columns: tuple[int, ...]
    matrix: Floats | None
    length: float


class _PlateProblem(Exception):
    """A plate that cannot be read: the parameter, and what is wrong with it."""

    def __init__(self, parameter: str, problem: str) -> None:
        super().__init__(problem)
        self.parameter, self.problem = parameter, problem


def describe_plates(
    file: C3DFile, unit: Unit | None = None
) -> tuple[tuple[PlateEntry, ...], tuple[Note, ...]]:
    """Return the plates that can be read, and a note for each that cannot, naming the parameter at fault.

    Args:
        file: As decoded.
        unit: Unit of its lengths; None takes POINT:UNITS.
    """
    group = file.groups.get(GROUP, {})
    notes = Notes()
    count = _count(group.get("USED"), group.get("TYPE"), notes)
    if count == 0:
        return (), tuple(notes)
    if file.analog.size == 0:
        said = f"{GROUP}:USED names {count} force plates but the file has no analog data: left out"
        notes.add("plates.no-analog-data", said, topic="plates", values={"plates": count})
        return (), tuple(notes)
    if not (np.isfinite(file.analog_rate) and file.analog_rate > 0.0):
        said = f"{count} force plates are left out: the analog rate is {file.analog_rate} Hz"
        values = {"plates": float(count), "rate_Hz": float(file.analog_rate)}
        notes.add("plates.no-analog-rate", said, topic="plates", values=values)
        return (), tuple(notes)
    length = _length(file, count, unit, notes)
    entries = []
    for i in range(count):
        try:
            entries.append(_entry(file, i, length))
        except _PlateProblem as problem:
            parameter, name = f"{GROUP}:{problem.parameter}", f"plate {i + 1}"
            said = f"{name} is left out: {parameter} {problem.problem}"
            notes.add("plates.plate-left-out", said, topic="plates", names=(name, parameter))
    return tuple(entries), tuple(notes)


def _count(used: Parameter | None, types: Parameter | None, notes: Notes) -> int:
    described = 0 if types is None or types.is_text else types.numbers().size
    counts = None if used is None or used.is_text else used.counts().ravel()
    if counts is None or counts.size == 0:
        if described:
            said = f"{GROUP}:USED is missing; {GROUP}:TYPE describes {described} plates"
            notes.add("plates.count-missing", said, topic="plates", values={"described": described})
        return described
    count = int(counts[0])
    if count > described:
        said = f"{GROUP}:USED says {count} plates, {GROUP}:TYPE describes {described}"
        values = {"used": count, "described": described}
        notes.add("plates.counts-differ", said, topic="plates", values=values)
    return max(0, min(count, described))


def _length(file: C3DFile, count: int, unit: Unit | None, notes: Notes) -> float:
    """Return how many units of length make a metre: as declared, unless no plate could have such a size."""
    declared = unit or read_unit(file.point_units, LENGTH)
    candidates = [declared.per_si] if declared else []
    candidates += [per_metre for per_metre in (1000.0, 1.0, 100.0) if per_metre not in candidates]
    fitting = [sum(_is_plate(file, i, per_metre) for i in range(count)) for per_metre in candidates]
    best = int(np.argmax(fitting)) if fitting[0] == 0 else 0
    if declared is None or best != 0:
        said = (
            f"POINT:UNITS says {file.point_units!r}; the force plates have the size of plates "
            f"if {candidates[best]:g} units make a metre"
        )
        notes.add("plates.length-by-size", said, topic="plates", values={"units_per_metre": candidates[best]})
    return candidates[best]


def _is_plate(file: C3DFile, i: int, per_metre: float) -> bool:
    try:
        return corner_problem(_slice(file, "CORNERS", 12, i).reshape(4, 3) / per_metre) is None
    except _PlateProblem:
        return False


def _entry(file: C3DFile, i: int, length: float) -> PlateEntry:
    kind = _slice(file, "TYPE", 1, i)[0]
    if kind not in CHANNELS:
        raise _PlateProblem("TYPE", f"is {kind:g}; types 1 to 5 are known")
    kind = int(kind)
    corners = _slice(file, "CORNERS", 12, i).reshape(4, 3) / length
    problem = corner_problem(corners)
    if problem is not None:
        raise _PlateProblem("CORNERS", problem)
    origin = _slice(file, "ORIGIN", 3, i) / length
    if not np.isfinite(origin).all() or np.abs(origin).max() > 10.0:
        raise _PlateProblem("ORIGIN", f"is {origin} m from the surface")
    columns = _columns(file, kind, i)
    return PlateEntry(f"plate {i + 1}", kind, corners, origin, columns, _matrix(file, kind, i), length)


def _columns(file: C3DFile, kind: int, i: int) -> tuple[int, ...]:
    needed = len(CHANNELS[kind])
    width = _parameter(file, "CHANNEL").numbers().shape[-1:]
    if not width or width[0] < needed:
        raise _PlateProblem("CHANNEL", f"lists {width[0] if width else 0} channels, type {kind} has {needed}")
    numbers = _slice(file, "CHANNEL", width[0], i)[:needed]
    channels = file.analog.shape[1]
    wrong = [number for number in numbers if not (number == np.floor(number) and 1 <= number <= channels)]
    if wrong:
        raise _PlateProblem("CHANNEL", f"names channel {wrong[0]:g}; the file has 1 to {channels}")
    if len(set(numbers.tolist())) < needed:
        raise _PlateProblem("CHANNEL", f"names a channel twice: {numbers.astype(int).tolist()}")
    return tuple(int(number) - 1 for number in numbers)


def _matrix(file: C3DFile, kind: int, i: int) -> Floats | None:
    """Return C with (Fx, Fy, Fz, Mx, My, Mz) = C channels; the file stores it column by column.

    A matrix of type 5 is also found as (8, 6): the index of eight is the channel either way.
    """
    if kind < 4:
        return None
    width = len(CHANNELS[kind])
    stored = _parameter(file, "CAL_MATRIX").numbers()
    shape = stored.shape[-2:] if stored.ndim > 1 else ()
    wanted = f"type {kind} needs 6 by {width}"
    if len(shape) < 2 or stored.size == 0:
        raise _PlateProblem("CAL_MATRIX", f"is empty; {wanted}")
    if shape not in ((6, 6), (8, 6), (6, 8)) or max(shape) < width:
        raise _PlateProblem("CAL_MATRIX", f"is {shape[1]} by {shape[0]}; {wanted}")
    flat = _slice(file, "CAL_MATRIX", shape[0] * shape[1], i).reshape(shape)
    matrix = flat[:width].T if shape[1] == 6 else flat[:, :width]
    if not np.isfinite(matrix).all() or not np.any(matrix[2]):
        raise _PlateProblem("CAL_MATRIX", "holds numbers that are not finite, or no vertical force")
    return np.array(matrix)


def _parameter(file: C3DFile, name: str) -> Parameter:
    parameter = file.groups.get(GROUP, {}).get(name)
    if parameter is None:
        raise _PlateProblem(name, "is missing")
    if parameter.is_text:
        raise _PlateProblem(name, "holds text, not numbers")
    return parameter


def _slice(file: C3DFile, name: str, size: int, i: int) -> Floats:
    """Return the numbers of plate i; files drop the last dimension where there is one plate, so by count."""
    values = _parameter(file, name).numbers().ravel()[i * size : (i + 1) * size]
    if values.size < size:
        raise _PlateProblem(name, "ends before this plate")
    return values
