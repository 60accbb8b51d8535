"""Reading a C3D file into a Recording beside bare ezc3d: 60 s, 100 markers at 100 Hz, 32 channels at 2000 Hz.

The file is made here: a person of 70 kg on a treadmill of two plates (type 2, left and right belt), markers in
millimetres with noise and gaps, twelve plate channels, sixteen of EMG, four others. Both read it in turns in one
process; the best turn of each counts. ezc3d only decodes; softstride also converts units, finds the axes, computes the
plates' wrenches and assigns the feet.
"""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
if str(ROOT) not in sys.path:
    sys.path.insert(0, str(ROOT))  # for bench itself

from bench import _script, _timing  # noqa: E402

_timing.use_one_thread()  # before NumPy is loaded

import numpy as np  # noqa: E402
from numpy.typing import NDArray  # noqa: E402

from softstride.capture import read  # noqa: E402
from softstride.capture.c3d import C3DFile, decode_c3d, encode_c3d, number_parameter, text_parameter  # noqa: E402

Floats = NDArray[np.float64]

SECONDS, RATE, PER_FRAME = 60, 100, 20
N_MARKERS, N_CHANNELS = 100, 32
STRIDE, STANCE = 1.1, 0.62  # s, share of the stride
WEIGHT, SPEED = 70.0 * 9.80665, 1200.0  # N, mm/s
DEPTH = 40.0  # mm
TARGET = 0.5  # ours at most twice theirs
SAME = 1e-6  # of the largest value: ezc3d computes in single precision


def main(json: bool = False, quick: bool = False) -> dict[str, float]:
    """Measure and return the figures by name.

    Args:
        json: Print nothing: the caller prints the figures.
        quick: Fewer turns: rough figures.

    Returns:
        `c3d_read_vs_ezc3d` (time of ezc3d over ours; above 1 we are ahead), both times, and the share of decoding.
    """
    import ezc3d  # the peer

    say: Callable[[str], None] = (lambda _: None) if json else (lambda line: print(line, flush=True))
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "walk.c3d"
        path.write_bytes(encode_c3d(make_walk()))
        say(
            f"{path.stat().st_size / 1e6:.1f} MB: {SECONDS} s, {N_MARKERS} markers at {RATE} Hz, "
            f"{N_CHANNELS} channels at {RATE * PER_FRAME} Hz, two plates"
        )
        _check_same(path, ezc3d.c3d(str(path)))
        tasks: dict[str, _timing.Task] = {
            "read": lambda: read(path),
            "decode": lambda: decode_c3d(path.read_bytes(), str(path)),
            "ezc3d": lambda: ezc3d.c3d(str(path)),
        }
        best = _timing.best_of(tasks, 3 if quick else 15)
    figures = {
        "c3d_read_vs_ezc3d": best["ezc3d"] / best["read"],
        "c3d_decode_vs_ezc3d": best["ezc3d"] / best["decode"],
        "c3d_read_s": best["read"],
        "c3d_decode_s": best["decode"],
        "ezc3d_read_s": best["ezc3d"],
    }
    missed = "   MISSED" if figures["c3d_read_vs_ezc3d"] < TARGET else ""
    say(f"{'read into a Recording':<24}{best['read'] * 1e3:>8.1f} ms")
    say(f"{'  of which decoding':<24}{best['decode'] * 1e3:>8.1f} ms")
    say(f"{'bare ezc3d':<24}{best['ezc3d'] * 1e3:>8.1f} ms")
    say(f"{'ratio, theirs over ours':<24}{figures['c3d_read_vs_ezc3d']:>8.1f}      target {TARGET:g}{missed}")
    return figures


def _check_same(path: Path, theirs: dict[str, dict[str, Floats]]) -> None:
    """Stop unless both readers see the same numbers."""
    ours = decode_c3d(path.read_bytes(), str(path))
    pairs = (
        ("points", ours.points, theirs["data"]["points"][:3].transpose(2, 1, 0)),
        ("analog", ours.analog, theirs["data"]["analogs"][0].T),
    )
    for name, mine, other in pairs:
        if not np.allclose(mine, other, rtol=0.0, atol=SAME * np.nanmax(np.abs(mine)), equal_nan=True):
            raise RuntimeError(f"{name}: the two readers differ")


def make_walk() -> C3DFile:
    """Return the trial: x forward, y left, z up; plate axes x left, y forward, z down."""
    rng = np.random.default_rng(1)
    n = SECONDS * RATE
    time, fine = np.arange(n) / RATE, np.arange(n * PER_FRAME) / (RATE * PER_FRAME)
    labels, points = _markers(time, rng)
    missing = rng.random(points.shape[:2]) < 0.01
    points[missing] = np.nan
    analog = np.concatenate(
        [
            _plate(fine, 0.0, 155.0),
            _plate(fine, 0.5, -155.0),
            _emg(fine, rng),
            0.1 * rng.normal(size=(len(fine), 4)),
        ],
        axis=1,
    )
    analog += rng.normal(0.0, 0.01, analog.shape)
    names = [f"{kind}{plate}" for plate in (1, 2) for kind in ("Fx", "Fy", "Fz", "Mx", "My", "Mz")]
    muscles = [f"EMG{i}" for i in range(1, 17)] + [f"AUX{i}" for i in range(1, 5)]
    return C3DFile(
        processor="intel",
        storage="real",
        first_frame=1,
        rate=float(RATE),
        groups={
            "POINT": {
                "SCALE": number_parameter("SCALE", -0.01),
                "X_SCREEN": text_parameter("X_SCREEN", "+X"),
                "Y_SCREEN": text_parameter("Y_SCREEN", "+Z"),
            },
            "FORCE_PLATFORM": {
                "USED": number_parameter("USED", 2, 2),
                "TYPE": number_parameter("TYPE", [2, 2], 2),
                "ZERO": number_parameter("ZERO", [1, 0], 2),
                "CORNERS": number_parameter("CORNERS", [_corners(-275.0), _corners(275.0)]),
                "ORIGIN": number_parameter("ORIGIN", [[0.0, 0.0, -DEPTH]] * 2),
                "CHANNEL": number_parameter("CHANNEL", np.arange(1, 13).reshape(2, 6), 2),
            },
        },
        point_labels=labels,
        point_descriptions=("",) * len(labels),
        point_units="mm",
        points=points,
        residuals=np.where(missing, np.nan, 0.0),
        cameras=np.zeros(missing.shape, np.uint8),
        analog=analog.astype(np.float32).astype(float),
        analog_labels=(*names, *muscles),
        analog_units=(*(("N",) * 3 + ("Nmm",) * 3) * 2, *("V",) * 20),
        analog_rate=float(RATE * PER_FRAME),
    )


def _foot(time: Floats, shift: float) -> tuple[Floats, Floats]:
    """Return position along the belt and height of a foot [mm]: back with the belt, forward through the air."""
    phase = (time / STRIDE + shift) % 1.0
    swing = np.clip((phase - STANCE) / (1.0 - STANCE), 0.0, 1.0)
    reach = SPEED * STRIDE * STANCE
    along = np.where(
        phase < STANCE, reach * (0.5 - phase / STANCE), reach * (swing**2 * (3 - 2 * swing) - 0.5)
    )
    return along, 120.0 * np.sin(np.pi * swing) ** 2


def _markers(time: Floats, rng: np.random.Generator) -> tuple[tuple[str, ...], Floats]:
    """Return names and positions [mm]: heels, toes and ankles on the feet, the rest between pelvis and feet."""
    sway = 20.0 * np.sin(4.0 * np.pi * time / STRIDE)
    named = ("HEE", "TOE", "ANK", "ASI", "PSI", "KNE", "THI", "TIB", "SHO", "ELB")
    places = {
        "HEE": (0, -80, 60),
        "TOE": (0, 120, 50),
        "ANK": (0, -30, 100),
        "ASI": (1, 100, 980),
        "PSI": (1, -100, 1000),
    }
    places |= {
        "KNE": (0.5, 20, 500),
        "THI": (0.7, 0, 720),
        "TIB": (0.25, 0, 300),
        "SHO": (1, 0, 1450),
        "ELB": (1, -30, 1150),
    }
    labels, columns = [], []
    for side, lateral, shift in (("R", -120.0, 0.0), ("L", 120.0, 0.5)):
        along, height = _foot(time, shift)
        for i in range(N_MARKERS // 2):
            name = named[i % len(named)] if i < len(named) else f"X{i:02d}"
            share, ahead, up = places[named[i % len(named)]]
            x = (1.0 - share) * along + ahead
            z = up + (1.0 - share) * height + share * sway
            labels.append(side + name)
            columns.append(np.stack([x, np.full_like(x, lateral + 3.0 * (i // len(named))), z], axis=-1))
    points = np.stack(columns, axis=1) + rng.normal(0.0, 0.3, (len(time), N_MARKERS, 3))
    return tuple(labels), points.astype(np.float32).astype(float)


def _corners(y: float) -> Floats:
    """Return the corners of a belt [mm], shape (4, 3), in the order of the quadrants of its axes."""
    right, left = y - 270.0, y + 270.0
    return np.array([[900.0, left, 0.0], [900.0, right, 0.0], [-900.0, right, 0.0], [-900.0, left, 0.0]])


def _plate(time: Floats, shift: float, aside: float) -> Floats:
    """Return the six channels of a plate under one foot [N, N mm], shape (n, 6): two humps, braking then pushing.

    Force on the foot and its moment about the sensors, which are `DEPTH` below the surface.
    """
    phase = (time / STRIDE + shift) % 1.0
    stance = np.where(phase < STANCE, phase / STANCE, 0.0)
    hump = np.sin(np.pi * stance)
    vertical = WEIGHT * (1.4 * hump - 0.3 * hump**4 + 0.25 * np.sin(3 * np.pi * stance))
    forward = -0.2 * WEIGHT * np.sin(2 * np.pi * stance)
    along = _foot(time, shift)[0] + 200.0 * stance - 80.0  # from heel to toe
    force = np.stack([np.zeros_like(time), forward, -vertical], axis=-1)
    arm = np.stack([np.full_like(time, aside), along, np.full_like(time, -DEPTH)], axis=-1)
    return np.concatenate([force, np.cross(arm, force)], axis=-1)


def _emg(time: Floats, rng: np.random.Generator) -> Floats:
    """Return sixteen channels of bursts [V]."""
    bursts = np.sin(np.pi * (time[:, None] / STRIDE + np.arange(16) / 16)) ** 4
    return 5e-4 * bursts * rng.normal(size=(len(time), 16))


if __name__ == "__main__":
    _script.run(main, __doc__)
