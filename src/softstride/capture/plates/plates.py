"""Read the force plates of a C3D file: channels to wrenches, in lab axes and SI units.

A file may lie about its plates, and three lies can be seen in its data: moments in another unit than it says (then
the centre of pressure is a thousand times too far out or too far in), forces on the plate instead of on the
subject, and a z axis that points up. Each is read by the data and noted.
"""

from dataclasses import replace

import numpy as np

from softstride.capture.c3d.file import C3DFile
from softstride.capture.c3d.point_kinds import point_kinds
from softstride.capture.force import Plate
from softstride.capture.plates.calibrate import CHANNELS, plate_wrench, surface_origin
from softstride.capture.plates.describe import PlateEntry, describe_plates
from softstride.capture.plates.geometry import corner_axes, side_lengths, side_of
from softstride.capture.plates.zero import PlateZero, baseline_rows, check_zero, not_zeroed
from softstride.capture.series import Floats, turned
from softstride.capture.units import FORCE, LENGTH, MOMENT, Unit, read_unit
from softstride.notes import Note, Notes
from softstride.results import owned

LOAD = 100.0  # what counts as somebody on the plate when its sign is judged [N]
TOO_MUCH = 2e4  # more than any athlete [N]


def read_plates(
    file: C3DFile, *, zero: PlateZero = None, length_unit: Unit | None = None
) -> tuple[tuple[Plate, ...], tuple[Note, ...]]:
    """Return the force plates of a file, with the whole wrench that each measured.

    A plate whose parameters cannot be trusted is left out with a note that names the parameter; the others
    survive.

    Args:
        file: As decoded.
        zero: Baseline to take away from the channels, before calibration: None for none, "file" for the frames
            that FORCE_PLATFORM:ZERO names, "unloaded" for the stretches without load that the data shows, or a
            window (t0, t1) in [s] on the clock of the recording. Type 1 keeps its Px and Py: they have no
            baseline.
        length_unit: Unit of the file's lengths, if it is known better than POINT:UNITS says.

    Returns:
        The plates in lab axes, and the notes.

    Raises:
        InputError: `zero` is none of these.
    """
    check_zero(zero)
    entries, found = describe_plates(file, length_unit)
    notes = list(found)
    if not entries:
        return (), found
    time = (file.first_frame - 1) / file.rate + np.arange(len(file.analog)) / file.analog_rate
    plates = []
    for entry in entries:
        with np.errstate(invalid="ignore", over="ignore", divide="ignore"):
            plate, remarks = _measure(file, entry, time, zero)
        plates.append(plate)
        notes += [
            replace(remark, text=f"{entry.name}: {remark.text}", names=(entry.name, *remark.names))
            for remark in remarks
        ]
    return tuple(plates), tuple(notes)


def _measure(file: C3DFile, entry: PlateEntry, time: Floats, zero: PlateZero) -> tuple[Plate, Notes]:
    remarks = Notes()
    axes = corner_axes(entry.corners)
    channels, matrix = _in_si(file, entry, remarks)
    towards = side_of(_seen_points(file) / entry.length, entry.corners, axes)
    sign = _sign(_vertical(entry.kind, channels, matrix), towards, remarks)
    offset = np.zeros(channels.shape[1])
    if zero is not None:
        pressing = towards * sign * _vertical(entry.kind, channels, matrix)
        rows, on_zero = baseline_rows(file, time, pressing, zero)
        baseline = channels[:0] if rows is None else channels[rows]
        baseline = baseline[np.isfinite(baseline).all(axis=1)]
        if rows is not None and not len(baseline):
            on_zero = not_zeroed("its baseline holds no numbers", "baseline-empty")
        remarks.extend([on_zero])
        if len(baseline):
            offset = baseline.mean(axis=0)
            offset[[name in ("Px", "Py") for name in CHANNELS[entry.kind]]] = 0.0
            channels -= offset
    origin, remark = surface_origin(entry.kind, entry.origin, z_down=towards < 0.0)
    remarks.extend([remark] if remark else [])

    def in_lab(outputs: Floats) -> Floats:
        wrench = plate_wrench(entry.kind, outputs, origin, matrix)
        return sign * np.concatenate([turned(wrench[:, :3], axes), turned(wrench[:, 3:], axes)], axis=1)

    wrench = in_lab(channels)
    peak = float(np.abs(np.nan_to_num(wrench[:, 3:])).max())
    if not peak < TOO_MUCH:
        said = f"its force reaches {peak:.3g} N: the scale of its channels is not to be trusted"
        remarks.add(
            "plates.force-too-large", said, severity="warning", topic="plates", values={"peak_N": peak}
        )
    if "FPCOPPOLY" in file.groups["FORCE_PLATFORM"] and entry.kind in (3, 5):
        said = "the correction FORCE_PLATFORM:FPCOPPOLY of the centre of pressure is not applied"
        remarks.add(
            "plates.correction-not-applied", said, topic="plates", names=("FORCE_PLATFORM:FPCOPPOLY",)
        )
    plate = Plate(
        entry.name,
        entry.kind,
        entry.corners,
        axes if towards < 0.0 else axes * np.array([1.0, -1.0, -1.0]),
        owned(time.copy()),
        owned(wrench),
        tuple(file.analog_labels[column] for column in entry.columns),
        in_lab(offset[None])[0],
    )
    return plate, remarks


def _in_si(file: C3DFile, entry: PlateEntry, remarks: Notes) -> tuple[Floats, Floats | None]:
    """Return the channels in [N], [N·m] and [m] and the matrix to such units, by what the file says and shows.

    Moments are in the unit that ANALOG:UNITS names, else in newtons times POINT:UNITS (the guide asks for that,
    also of the last three rows of a CAL_MATRIX). Lengths of type 1 likewise.
    """
    channels = file.analog[:, list(entry.columns)]  # a copy
    words = [file.analog_units[column] for column in entry.columns]
    moment = _named(words[3:6], MOMENT, entry.length)
    if entry.matrix is not None:
        matrix = entry.matrix.copy()
        vertical = channels @ matrix[2]
        arms = np.hypot(channels @ matrix[3], channels @ matrix[4]) / np.abs(vertical)
        declared = moment if entry.kind == 4 else entry.length
        matrix[3:] /= _unit_by_data(declared, arms, vertical, entry, "moments", remarks)
        return channels, matrix
    forces = [i for i, name in enumerate(CHANNELS[entry.kind]) if name[0] in "Ff"]
    strange = sorted({words[i] for i in forces if words[i] and read_unit(words[i], FORCE) is None})
    if strange:
        said = f"ANALOG:UNITS of its forces says {', '.join(strange)}: read as N"
        remarks.add("plates.force-unit-unknown", said, topic="plates", names=strange)
    scale = np.ones(len(words))
    scale[forces] = [_named(words[i : i + 1], FORCE, 1.0) for i in forces]
    if entry.kind == 1:
        arms, declared = np.hypot(channels[:, 3], channels[:, 4]), _named(words[3:5], LENGTH, entry.length)
        scale[3:5] = _unit_by_data(
            declared, arms, channels[:, 2] / scale[2], entry, "centres of pressure", remarks
        )
        scale[5] = _named(words[5:], MOMENT, scale[3])
    elif entry.kind == 2:
        vertical = channels[:, 2] / scale[2]
        arms = np.hypot(channels[:, 3], channels[:, 4]) / np.abs(vertical)
        scale[3:] = _unit_by_data(moment, arms, vertical, entry, "moments", remarks)
    channels /= scale
    return channels, None


def _named(words: list[str], table: dict[str, float], otherwise: float) -> float:
    """Return how many of the first unit that the words name make one SI unit."""
    known = (read_unit(word, table) for word in words)
    return next((unit.per_si for unit in known if unit is not None), otherwise)


def _unit_by_data(
    declared: float, arms: Floats, vertical: Floats, entry: PlateEntry, what: str, remarks: Notes
) -> float:
    """Return how many units make a metre of lever arm: as declared, unless no foot could stand there.

    The median arm of a loaded plate, as a share of its half diagonal, is around one half. A unit of mm read as m
    or the reverse is wrong by 1000, so limits of 0.005 and 5 tell them apart.
    """
    load = np.nan_to_num(np.abs(vertical), nan=0.0, posinf=0.0)
    heavy = load > max(LOAD / 2.0, 0.3 * float(load.max(initial=0.0)))
    if not heavy.any():
        return declared
    share = float(np.median(arms[heavy])) / (0.5 * float(np.hypot(*side_lengths(entry.corners))))
    if 0.005 <= share / declared <= 5.0:
        return declared
    for other in (1000.0, 1.0):
        if 0.02 <= share / other <= 2.0:
            said = f"its {what} are declared with {declared:g} units to a metre, but only {other:g} puts the feet on it"
            values = {"declared_per_metre": declared, "read_per_metre": other}
            remarks.add("plates.unit-by-data", said, topic="plates", values=values)
            return other
    if share / declared > 5.0:
        said = f"its {what} put the centre of pressure far outside the plate"
        remarks.add("plates.pressure-outside", said, severity="warning", topic="plates")
    return declared


def _vertical(kind: int, channels: Floats, matrix: Floats | None) -> Floats:
    """Return the force along the plate's z axis as stored, shape (n,), in [N]."""
    if matrix is not None:
        return channels @ matrix[2]
    return channels[:, 4:].sum(axis=1) if kind == 3 else channels[:, 2]


def _sign(vertical: Floats, towards: float, remarks: Notes) -> float:
    """Return +1 if the channels hold the force on the subject, -1 if that on the plate; note what is unusual.

    A foot pushes and cannot pull, so under load the force on the subject points to the subject's side.
    """
    load = vertical[np.isfinite(vertical)]
    most = min(len(load), max(5, len(load) // 100))
    strongest = load[np.argpartition(np.abs(load), len(load) - most)[len(load) - most :]] if most else load
    mean = float(strongest.mean()) if most else 0.0
    if towards > 0.0:
        said = "the order of FORCE_PLATFORM:CORNERS gives it a z axis that points up"
        remarks.add("plates.z-axis-up", said, topic="plates")
    if abs(mean) < LOAD or mean * towards > 0.0:
        return 1.0
    said = "under load its channels push the subject into the floor: read as the force on the plate, reversed"
    remarks.add("plates.force-reversed", said, topic="plates")
    if towards > 0.0:
        said = "if instead FORCE_PLATFORM:CORNERS is in the wrong order, its horizontal directions are wrong"
        remarks.add("plates.corners-may-be-wrong", said, severity="warning", topic="plates")
    return -1.0


def _seen_points(file: C3DFile) -> Floats:
    """Return positions of markers, shape (k, 3), file units: a few frames, without what a model computed."""
    computed = point_kinds(file.groups)
    columns = [i for i, label in enumerate(file.point_labels) if label not in computed]
    frames = file.points[:: max(1, len(file.points) // 20)]
    return frames[:, columns].reshape(-1, 3)
