"""Memory that inverse kinematics takes: a process of its own makes a recording, solves it and reports its growth.

The growth is the most that the process held, up to the velocities and accelerations of the motion that was found;
the seconds are those of `solve_ik` alone.

python bench/_memory.py FRAMES      prints one JSON object: bytes of the recording, rates and growth, frames, seconds
"""

import json
import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
if str(ROOT) not in sys.path:
    sys.path.insert(0, str(ROOT))

RATE = 100.0  # Hz
HOUR = 360_000  # frames
CHUNK = 7000  # frames: a hundred strides


def measure(frames: int) -> dict[str, float]:
    """Start such a process and return what it reports."""
    command = [sys.executable, str(Path(__file__).resolve()), str(frames)]
    done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=ROOT)
    if done.returncode:
        raise RuntimeError(f"measuring memory failed:\n{done.stderr}")
    return json.loads(done.stdout.splitlines()[-1])


def _report(frames: int) -> dict[str, float]:
    import numpy as np

    import softstride as ss
    from bench._running import NOISE, record, running
    from softstride.capture import Points, Recording

    model = ss.load_model("gait")
    stretch = running(model, CHUNK, RATE)
    names = tuple(model.markers)
    _ = ss.solve_ik(model, record(model, stretch[:1000], RATE)).a  # compiles and loads everything
    clean = ss.positions(model, stretch, names)
    before, lasting = _resident(), _forget_peak()
    rng = np.random.default_rng(2)
    values = np.empty((frames, len(names), 3))
    for start in range(0, frames, CHUNK):
        part = values[start : start + CHUNK]
        part[:] = clean[: len(part)]
        part += NOISE * rng.standard_normal(part.shape)
    values.setflags(write=False)
    recording = Recording("hour", markers=Points(np.arange(frames) / RATE, names, values))
    start_time = time.perf_counter()
    motion = ss.solve_ik(model, recording)
    seconds = time.perf_counter() - start_time
    rates = motion.v, motion.a  # held to the end
    return {
        "frames": frames,
        "recording": float(values.nbytes),
        "growth": float(_peak(lasting) - before),
        "rates": float(sum(rate.nbytes for rate in rates)),
        "seconds": seconds,
        "converged": float(np.mean(motion.fit.converged)),
        "error": motion.marker_rms,
    }


def _resident() -> int:
    """Return the memory that the process holds now; where the system does not say, the most it ever held [bytes]."""
    status = Path("/proc/self/status")
    return _field(status.read_text(), "VmRSS:") if status.exists() else _ever()


def _forget_peak() -> bool:
    """Let the peak count from now on, and return whether the system can."""
    try:
        Path("/proc/self/clear_refs").write_text("5")
    except OSError:
        return False
    return True


def _peak(lasting: bool) -> int:
    return _field(Path("/proc/self/status").read_text(), "VmHWM:") if lasting else _ever()


def _field(text: str, key: str) -> int:
    return 1024 * int(next(line.split()[1] for line in text.splitlines() if line.startswith(key)))


def _ever() -> int:
    import resource  # Windows has none, and no other measure without more packages

    unit = 1 if sys.platform == "darwin" else 1024
    return unit * resource.getrusage(resource.RUSAGE_SELF).ru_maxrss


if __name__ == "__main__":
    print(json.dumps(_report(int(sys.argv[1]))))
