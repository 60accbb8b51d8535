"""The pictures of the README: `python -m docs.make_pictures` takes them of the packaged runner in headless Chromium.

Needs what the tests need, and a Chromium (`SOFTSTRIDE_CHROMIUM` names another one).
"""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from tests.browser import FLAGS, chromium, watched_page
from tests.viewer.pages import push, settled, visit

import softstride as ss
from softstride.report import write_report
from softstride.scene import study_scene
from softstride.viewer import WalkBench, study_curves
from softstride.viewer.server import find_address
from softstride.viewer.show import serve_scene, serve_walk

FOLDER = Path(__file__).parent / "assets"
SIZE = (1280, 800)
"""Of a picture, in pixels."""

INSTANT = 0.86
"""The blade carries most [s]."""


def main() -> None:
    """Take all pictures."""
    from playwright.sync_api import sync_playwright

    athlete = ss.load_athlete("running")
    study = ss.analyze(athlete.recording, athlete.model, emg=athlete.electrodes, mvc=athlete.mvc)
    with sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=chromium(), args=list(FLAGS))
        take_view(browser, study)
        take_bench(browser)
        take_report(browser, study)
        browser.close()


def take_view(browser: Any, study: ss.Study) -> None:
    """The runner in 3D, with curves beside."""
    scene, address = study_scene(study), find_address(port=0)
    plots = study_curves(study, scene)
    with serve_scene(scene, address, plots=plots) as view, watched_page(browser) as page:
        visit(page, address.url, size=SIZE)
        view.seek(INSTANT)
        view.camera("across")
        settled(page)
        page.screenshot(path=FOLDER / "view.png")


def take_bench(browser: Any) -> None:
    """A step whose push-off is 20 % harder, beside the step as it is."""
    address = find_address(port=0)
    with serve_walk(WalkBench(), address), watched_page(browser) as page:
        visit(page, address.url, size=SIZE)
        push(page, "Left ankle", "ArrowRight", 20)
        settled(page)
        page.screenshot(path=FOLDER / "bench.png")


def take_report(browser: Any, study: ss.Study) -> None:
    """The first screen of a report."""
    with TemporaryDirectory() as folder, watched_page(browser) as page:
        file = Path(folder) / "report.html"
        write_report(study, file)
        page.set_viewport_size({"width": SIZE[0], "height": SIZE[1]})
        page.goto(file.as_uri())
        page.wait_for_timeout(1500)
        page.screenshot(path=FOLDER / "report.png")


if __name__ == "__main__":
    main()
