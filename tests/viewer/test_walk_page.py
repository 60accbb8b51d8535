"""The bench in a browser: a slider moves, the step changes, and the page says how."""

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from tests.browser import watched_page
from tests.viewer.pages import push, settled, tick, until, visit, words

from softstride.viewer.server import find_address
from softstride.viewer.show import serve_walk
from softstride.viewer.view import View
from softstride.viewer.walk_bench import WalkBench

pytestmark = pytest.mark.slow


@pytest.fixture
def opened(browser: Any) -> Iterator[tuple[WalkBench, View, Any]]:
    """A fresh page: what another test did to one would be seen."""
    address, bench = find_address(port=0), WalkBench()
    with serve_walk(bench, address) as served, watched_page(browser) as page:
        visit(page, address.url)
        yield bench, served, page


@pytest.fixture
def bench(opened: tuple[WalkBench, View, Any]) -> WalkBench:
    return opened[0]


@pytest.fixture
def view(opened: tuple[WalkBench, View, Any]) -> View:
    return opened[1]


@pytest.fixture
def page(opened: tuple[WalkBench, View, Any]) -> Any:
    return opened[2]


def row(page: Any, name: str) -> list[str]:
    """Cells of a row of the table of events."""
    table = page.locator("table.softstride-events tr", has_text=name).first
    return [cell.strip() for cell in table.locator("td").all_inner_texts()]


def test_a_slider_changes_the_step(view: View, page: Any, bench: WalkBench) -> None:
    assert row(page, "left heel strike") == ["left heel strike", "0.5500", "0.5500", "", "s"]
    view.seek(0.3)
    before = settled(page)
    push(page, "Left ankle", "ArrowRight", 20)
    until(lambda: "left ankle +20 % in phase 1" in words(page), "the change is told")
    until(lambda: row(page, "left heel strike")[2] == "0.4500", "the step is another one")
    assert row(page, "left heel strike") == ["left heel strike", "0.5500", "0.4500", "-0.1000", "s"]
    assert "the step is made" in words(page) and bench.percent("left_ankle", 1) == 20.0
    page.get_by_role("button", name="across", exact=True).click()
    page.get_by_role("button", name="Play").scroll_into_view_if_needed()
    after = settled(page, "walk_bench")
    assert (np.abs(after - before).max(axis=2) > 30).mean() > 0.002
    page.get_by_role("button", name="Reset").click()
    until(lambda: row(page, "left heel strike")[2] == "0.5500", "as it was")
    assert bench.changes == ()


def test_a_fall_is_told_and_seen(view: View, page: Any) -> None:
    push(page, "Right hip", "ArrowRight", 20)
    until(lambda: "fell: the right knee is bent backwards" in words(page), "the reason")
    assert row(page, "left heel strike")[2:4] == ["-", "not reached"]
    view.seek(0.5)
    until(lambda: "0.500 s, fallen" in words(page), "where it is")
    settled(page, "walk_bench_fall")
    page.get_by_role("button", name="Reset").click()
    until(lambda: "nothing is changed" in words(page), "as it was")


def test_run_waits_for_its_button_if_it_is_told_to(view: View, page: Any, bench: WalkBench) -> None:
    tick(page, "Walk while sliders move")
    page.get_by_role("tab", name="4 toe").click()
    push(page, "Left hip", "ArrowLeft", 10)
    until(lambda: bench.percent("left_hip", 4) == -10.0, "the slider is heard")
    assert "nothing is changed" in words(page)
    page.get_by_role("button", name="Run", exact=True).click()
    until(lambda: "left hip -10 % in phase 4" in words(page), "it walks")
    tick(page, "Dark")
    until(lambda: view.dark, "dark")
    settled(page, "walk_bench_dark")
