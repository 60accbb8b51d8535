"""`softstride view` finds what is to be seen, serves it on this machine, and refuses in words what it cannot show."""

import json
import shutil
import signal
import socket
import subprocess
import sys
import urllib.request
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.cli.conftest import Run
from tests.systems import signals
from tests.trials import N, pushed_walker

from softstride.cli.view_sources import from_motion, from_study
from softstride.study.study import Study
from softstride.viewer.server import Address


@pytest.fixture(scope="module")
def studies(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two studies of the person of the laboratory, each in a folder of its own."""
    here = tmp_path_factory.mktemp("studies")
    model, motion, recording = pushed_walker()
    for name in ("one", "two"):
        (here / name).mkdir()
        Study(name, recording, model, motion).save(here / name / f"{name}.study.nc")
    return here


@pytest.fixture
def folder(laboratory: Path, studies: Path) -> Path:
    return Path(shutil.copytree(studies, laboratory, dirs_exist_ok=True))


@pytest.fixture
def shown(monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    """What would have been shown, in place of a page that waits for ever."""
    kept: dict[str, Any] = {}

    def show_scene(scene: Any, address: Address, *, tell: Callable[[str], None], **options: Any) -> None:
        kept.update(options, scene=scene, address=address)
        tell(address.url)

    def show_walk(bench: Any, address: Address, *, tell: Callable[[str], None], **options: Any) -> None:
        kept.update(options, bench=bench, address=address)
        tell(address.url)

    monkeypatch.setattr("softstride.viewer.show.show_scene", show_scene)
    monkeypatch.setattr("softstride.viewer.show.show_walk", show_walk)
    return kept


def test_a_study_with_its_curves(run: Callable[..., Run], folder: Path, shown: dict) -> None:
    done = run("view", str(folder / "one" / "one.study.nc"), "--no-browser", "--dark")
    assert done.exit_code == 0, done.words
    assert f"the page is at {shown['address'].url}: open it in a browser" in done.words
    assert shown["address"].url.startswith(f"http://127.0.0.1:{shown['address'].port}/")
    assert shown["scene"].name == "one" and shown["scene"].n_frames == N
    assert "Angle" in shown["plots"] and shown["ghost"] is None
    assert shown["dark"] is True and shown["browser"] is False
    assert not shown["address"].open_to_others and "warning" not in done.words


def test_the_folder_of_an_analysis_and_a_ghost(run: Callable[..., Run], folder: Path, shown: dict) -> None:
    done = run("view", str(folder / "one"), "--ghost", str(folder / "two"), "--port", "0", "--json")
    assert done.exit_code == 0, done.words
    assert (shown["scene"].name, shown["ghost"].name) == ("one", "two")
    assert done.figures == {
        "url": shown["address"].url,
        "host": "127.0.0.1",
        "port": shown["address"].port,
    }


def test_a_motion_without_a_study(run: Callable[..., Run], folder: Path, shown: dict) -> None:
    given = ["--model", str(folder / "who.json"), "--motion", str(folder / "ik.mot")]
    done = run("view", *given, "--recording", str(folder / "plates.mot"), "--rate", "25")
    assert done.exit_code == 0, done.words
    scene = shown["scene"]
    assert scene.name == "ik" and scene.rate == pytest.approx(25.0) and len(scene.arrows) == 2
    assert f"{scene.n_frames} of {N} frames are shown" in done.words


def test_a_bench(run: Callable[..., Run], shown: dict) -> None:
    done = run("view", "--walk", "--recipe", "A", "--open")
    assert done.exit_code == 0 and shown["bench"].settings.recipe == "A" and shown["browser"] is True


def test_others_are_let_in_only_with_a_warning(run: Callable[..., Run], shown: dict) -> None:
    done = run("view", "--walk", "--host", "0.0.0.0", "--json")
    assert shown["address"].open_to_others
    said = " ".join(done.stderr.split())
    assert "warning: --host 0.0.0.0 lets others on the network see this page" in said
    assert "everybody on a machine in any network that this one is in who has its whole address" in said


def test_a_port_in_use_is_said_before_anything_is_read(
    run: Callable[..., Run], folder: Path, shown: dict
) -> None:
    with socket.socket() as holder:
        holder.bind(("127.0.0.1", 0))
        holder.listen()
        port = holder.getsockname()[1]
        done = run("view", str(folder / "one"), "--port", str(port))
    assert (
        done.exit_code == 2 and f"port {port} is in use" in done.stderr and "leave --port out" in done.words
    )
    assert shown == {}


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ([], "give one of: a study, --model with --motion, or --walk"),
        (["one", "--walk"], "however STUDY and --walk were given"),
        (["--motion", "ik.mot"], "--motion needs its model: give --model too"),
        (["--walk", "--ghost", "two"], "--ghost goes with a study or --motion, however --walk was given"),
        (["one", "--recipe", "A"], "--recipe goes with --walk, however STUDY was given"),
        (["one", "--recording", "plates.mot"], "--recording goes with --motion"),
        (["nowhere.study.nc"], "nowhere.study.nc: file: cannot be read: No such file"),
        (["."], "the folder has no study (*.study.nc)"),
        (["who.json"], "who.json"),
        (["cut.study.nc"], "cut.study.nc: file"),
        (["--walk", "--recipe", "Z"], "--recipe Z is no recipe; there are A, B, natural"),
        (["one", "--rate", "0"], "a rate must be a positive number"),
        (["one", "--port", "99999"], "a port is a number from 1 to 65535"),
    ],
)
def test_what_cannot_be_shown(
    run: Callable[..., Run],
    folder: Path,
    shown: dict,
    monkeypatch: pytest.MonkeyPatch,
    words: list[str],
    message: str,
) -> None:
    whole = (folder / "one" / "one.study.nc").read_bytes()
    (folder / "cut.study.nc").write_bytes(whole[: len(whole) // 2])
    if words == ["."]:
        (folder / "cut.study.nc").unlink()
    monkeypatch.chdir(folder)
    done = run("view", *words)
    assert done.exit_code == 2 and message in done.words, done.words
    assert shown == {} and "Traceback" not in done.words


def test_a_folder_with_several_studies_lists_them(run: Callable[..., Run], folder: Path) -> None:
    (folder / "two" / "two.study.nc").rename(folder / "one" / "two.study.nc")
    done = run("view", str(folder / "one"))
    assert done.exit_code == 2 and "2 studies; give one of them: one.study.nc, two.study.nc" in done.words


def test_a_long_trial_is_thinned_unless_asked(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("softstride.cli.view_sources.MOST_FRAMES", 20)
    path = folder / "one" / "one.study.nc"
    thin = from_study(path, None, muscles=True)
    assert thin.scene.n_frames <= 20 and "frames are shown; --rate HZ asks for more" in thin.note
    whole = from_study(path, 1000.0, muscles=True)
    assert whole.scene.n_frames == N and whole.note == ""
    alone = from_motion(str(folder / "who.json"), folder / "ik.mot", None, None, 1000.0, muscles=False)
    assert np.allclose(alone.scene.poses, whole.scene.poses, atol=1e-6)


@signals
@pytest.mark.slow
def test_it_serves_until_it_is_interrupted() -> None:
    start = "from softstride.cli import main; main()"
    command = [sys.executable, "-c", start, "view", "--walk", "--port", "0", "--no-browser", "--json"]
    with subprocess.Popen(
        command,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),
    ) as process:
        url = json.loads(process.stdout.readline())["url"]
        with urllib.request.urlopen(url, timeout=300) as page:
            assert page.status == 200 and b"<html" in page.read(2000).lower()
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=900)
    assert process.returncode == 0 and out == "" and "Traceback" not in err
