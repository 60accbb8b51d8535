"""A process killed at any moment leaves whole results or none, and the same command goes on."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from tests.study.studies import differences
from tests.systems import signals

import softstride as ss
from softstride.pipeline import Request, analyze_to_folder, folder
from softstride.pipeline.results import FIGURES

pytestmark = pytest.mark.slow

ROOT = Path(__file__).resolve().parents[2]

KILLED = """
import os, signal, sys
from pathlib import Path
import softstride as ss
from softstride.pipeline import Request, analyze_to_folder, folder, results

def die(*_, **__):
    os.kill(os.getpid(), signal.SIGKILL)

trial, model, out, moment = sys.argv[1:]
folder.WORTH = 0.0
step = moment
if moment == "tables":
    results.tables_of = die
elif moment == "naming":
    real = Path.rename
    def rename(self, target):
        real(self, target)
        if self.name != folder.RESULTS:
            die()
    Path.rename = rename
elif moment == "writing":
    real = folder.save_study
    def half(study, path, overwrite=False):
        if len(study.stages) == 4:
            (path.parent / ".so-far.study.nc.half").write_bytes(b"half")
            die()
        real(study, path, overwrite=overwrite)
    folder.save_study = half
options = ss.AnalyzeOptions(time_range=(0.4, 0.5), lowpass=8.0, estimate=False, bands=False, reactions=False)
request = Request((trial,), model=model, options=options)
analyze_to_folder(request, out, overwrite=True, progress=lambda name, _: die() if name == step else None)
"""


def run(short: Request, out: Path, moment: str) -> int:
    files = (str(short.trial[0]), str(short.model), str(out))
    done = subprocess.run(
        [sys.executable, "-c", KILLED, *files, moment], capture_output=True, cwd=ROOT, timeout=300
    )
    return done.returncode


def whole_or_nothing(out: Path) -> bool:
    """Whether the folder is not there, or opens and has its figures."""
    if not out.exists():
        return True
    return ss.open_study(out / "running.study.nc").name == "running" and (out / FIGURES).is_file()


@signals
@pytest.mark.parametrize("moment", ["measured loads", "writing", "tables"])
def test_killed_at_a_moment(short: Request, tmp_path: Path, moment: str) -> None:
    out = tmp_path / "run é"
    assert run(short, out, moment) == -signal.SIGKILL
    assert not out.exists()
    study = analyze_to_folder(short, out)
    fresh = analyze_to_folder(short, tmp_path / "fresh")
    assert [each for each in differences(study, fresh) if ".stages." not in each] == []
    assert {file.name for file in tmp_path.iterdir()} == {"run é", "fresh"}, "nothing else is left"


@signals
@pytest.mark.parametrize("moment", ["measured loads", "naming"])
def test_killed_while_old_results_are_replaced(short: Request, tmp_path: Path, moment: str) -> None:
    out = tmp_path / "run"
    analyze_to_folder(short, out)
    before = (out / "running.study.nc").read_bytes()
    assert run(short, out, moment) == -signal.SIGKILL
    place = out if out.exists() else tmp_path / ".run.old"
    assert (place / "running.study.nc").read_bytes() == before, (
        "the old ones are whole until the new ones are"
    )
    analyze_to_folder(short, out, overwrite=True)
    assert whole_or_nothing(out) and {file.name for file in tmp_path.iterdir()} == {"run"}


def command(short: Request, out: Path) -> list[str]:
    model = ("--model", str(short.model), "--no-report", "--out", str(out))
    return [
        sys.executable,
        "-c",
        "from softstride.cli import main; main()",
        "analyze",
        str(short.trial[0]),
        *model,
    ]


@pytest.mark.parametrize("after", [0.5, 2.5])
def test_killed_at_any_time(short: Request, tmp_path: Path, after: float) -> None:
    out = tmp_path / "run"
    process = subprocess.Popen(
        command(short, out), cwd=ROOT, stderr=subprocess.DEVNULL, stdout=subprocess.DEVNULL
    )
    time.sleep(after)
    process.kill()
    process.wait()
    assert whole_or_nothing(out)


def interrupted(request: Request, out: Path, begun: Path) -> str:
    """Interrupt the command when a file is there, and return what it says."""
    process = subprocess.Popen(
        command(request, out), cwd=ROOT, stderr=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    for _ in range(2400):
        if begun.exists() or process.poll() is not None:
            break
        time.sleep(0.05)
    os.kill(process.pid, signal.SIGINT)
    _, told = process.communicate(timeout=900)
    assert process.returncode == 130 and "Traceback" not in told and not out.exists()
    return told


@signals
def test_control_c_says_what_was_kept(short: Request, tmp_path: Path, monkeypatch) -> None:
    """Nothing at first; then what an earlier run kept; and the locks are gone."""
    told = interrupted(short, tmp_path / "run", tmp_path / ".run.part")
    assert "softstride: interrupted; nothing was kept yet: the same command begins anew" in told
    assert list(tmp_path.iterdir()) == []
    monkeypatch.setattr(folder, "WORTH", 0.0)

    def stop(name: str, _: float) -> None:
        if name == "comparison":
            raise KeyboardInterrupt

    request = short.changed(options=ss.AnalyzeOptions())
    with pytest.raises(KeyboardInterrupt):
        analyze_to_folder(request, tmp_path / "run", progress=stop)
    told = interrupted(short, tmp_path / "run", tmp_path / ".run.lock")
    part = (tmp_path / ".run.part").resolve()
    kept = f"of running capture, kinematics, estimated loads, measured loads in {part}"
    assert f"interrupted; kept: {kept}" in told and "; the same command goes on from here" in told


@signals
def test_a_limit_of_the_system_is_told(short: Request, tmp_path: Path) -> None:
    """A real one: no file may grow beyond 100 kB, as on a disk that is nearly full."""
    script = (
        "import resource, signal, sys; signal.signal(signal.SIGXFSZ, signal.SIG_IGN); "
        "resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, 100_000)); "
        "from softstride.cli import main; sys.argv[0] = 'softstride'; main()"
    )
    arguments = command(short, tmp_path / "run")[3:]
    done = subprocess.run(
        [sys.executable, "-c", script, *arguments], cwd=ROOT, capture_output=True, text=True, timeout=300
    )
    assert done.returncode == 2, done.stderr
    assert "cannot be written: File too large" in done.stderr and "Traceback" not in done.stderr
    assert not (tmp_path / "run").exists()
