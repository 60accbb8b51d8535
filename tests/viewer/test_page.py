"""The page of a trial in a browser: it plays, is scrubbed, its layers are switched, cameras move, and it says so."""

import re
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from tests.browser import watched_page
from tests.scene.runner import running
from tests.viewer.pages import push, settled, tick, until, visit, words

from softstride.scene import Scene
from softstride.viewer.cameras import DIRECTIONS
from softstride.viewer.curves import curves
from softstride.viewer.server import find_address
from softstride.viewer.show import serve_scene
from softstride.viewer.view import View

pytestmark = pytest.mark.slow

FRAME = re.compile(r"frame (\d+) of 35")
PEAK = 17  # the blade carries 2.5 body weights


@pytest.fixture(scope="module")
def active(scene: Scene) -> Scene:
    """The scene with some muscles at work."""
    activity = np.tile(np.linspace(0.0, 1.0, len(scene.muscles.names)), (scene.n_frames, 1))
    return replace(scene, muscles=replace(scene.muscles, activity=activity))


@pytest.fixture
def opened(browser: Any, active: Scene) -> Iterator[tuple[View, Any]]:
    """A fresh page: what another test did to one would be seen."""
    address = find_address(port=0)
    ghost = replace(active, name="second try")
    with (
        serve_scene(active, address, plots=curves(active, running()[1]), ghost=ghost) as served,
        watched_page(browser) as page,
    ):
        visit(page, address.url)
        yield served, page


@pytest.fixture
def view(opened: tuple[View, Any]) -> View:
    return opened[0]


@pytest.fixture
def page(opened: tuple[View, Any]) -> Any:
    return opened[1]


def frame(page: Any) -> int:
    return int(FRAME.search(words(page))[1])


def test_play_scrub_and_step(view: View, page: Any) -> None:
    assert frame(page) == 1
    page.get_by_role("button", name="Play").click()
    until(lambda: frame(page) > 5, "the frame moves")
    page.get_by_role("button", name="Pause").click()
    until(lambda: not view.player.playing, "it pauses")
    page.get_by_role("button", name="Play").wait_for()
    shown = until(lambda: frame(page) == view.frame + 1, "the words follow")
    assert shown
    before = settled(page)
    page.get_by_role("button", name="+1", exact=True).click()
    until(lambda: frame(page) == view.frame + 1, "one frame on")
    push(page, "Time [s]", "Home", 1)
    until(lambda: frame(page) == 1 and view.frame == 0, "scrubbed to the start")
    push(page, "Time [s]", "ArrowRight", 3)
    until(lambda: frame(page) == 4, "scrubbed three frames on")
    assert (settled(page) != before).any()
    page.mouse.click(30, 30)
    page.keyboard.press("Space")
    until(lambda: view.player.playing, "space plays")
    view.toggle()


def test_layers_cameras_and_dark(view: View, page: Any) -> None:
    view.seek(float(view.scene.time[PEAK]))
    page.get_by_role("button", name="across", exact=True).click()
    light = settled(page, "view_light")
    tick(page, "Muscles")
    until(lambda: not view.stage.visible["muscles"], "muscles are hidden")
    bare = settled(page)
    assert _red(light) > _red(bare) + 100 and _green(light) > _green(bare) + 50
    tick(page, "Muscles")
    tick(page, "Ghost: second try")
    until(lambda: not any(view.ghost.visible.values()), "the ghost is hidden")
    looks = []
    for name in DIRECTIONS:
        page.get_by_role("button", name=name, exact=True).click()
        until(lambda name=name: view.preset == name, f"camera {name}")
        looks.append(settled(page, f"view_{name}"))
    for i, a in enumerate(looks):
        for b in looks[i + 1 :]:
            assert (np.abs(a - b).max(axis=2) > 30).mean() > 0.01
    tick(page, "Dark")
    until(lambda: view.dark, "dark")
    dark = settled(page, "view_dark")
    assert np.median(light) > 200 and np.median(dark) < 60


def test_two_browsers_see_the_same_and_look_from_where_they_like(view: View, page: Any) -> None:
    other = page.context.new_page()
    other.goto(page.url)
    other.get_by_role("button", name="Play").wait_for()
    start = view.frame
    page.get_by_role("button", name="+1", exact=True).click()
    until(lambda: frame(other) == frame(page) == start + 2, "both show the next frame")
    page.get_by_role("button", name="side", exact=True).click()
    other.get_by_role("button", name="top", exact=True).click()
    until(lambda: len(_places(view)) == 2, "they stand apart")
    other.close()
    until(lambda: len(_places(view)) == 1, "one has gone")
    page.get_by_role("button", name="+1", exact=True).click()
    until(lambda: frame(page) == start + 3, "the one that is left goes on")


def _places(view: View) -> set[tuple[float, ...]]:
    """Where cameras stand, to a centimetre."""
    return {tuple(np.round(each.camera.position, 2)) for each in view._server.get_clients().values()}


def test_curves_follow_and_change(view: View, page: Any) -> None:
    def chart() -> str:
        return page.evaluate("document.querySelector('.uplot canvas')?.toDataURL() ?? ''")

    before = until(chart, "a chart")
    view.seek(float(view.scene.time[(view.frame + 15) % 35]))
    until(lambda: chart() not in ("", before), "the cursor moves")
    page.wait_for_timeout(300)
    before = chart()
    page.get_by_label("Angle [°]").click()
    page.get_by_role("option", name="hip_flexion", exact=True).click()
    until(lambda: chart() not in ("", before), "another angle")


def _red(picture: np.ndarray) -> int:
    return int(((picture[..., 0] > 150) & (picture[..., 1] < 90) & (picture[..., 2] < 90)).sum())


def _green(picture: np.ndarray) -> int:
    return int(((picture[..., 1] > 120) & (picture[..., 0] < 100) & (picture[..., 2] < 120)).sum())
