"""A headless Chromium for tests that look at pages: the fixture `page`, which fails where the page complains.

A folder of tests takes them by one line in its conftest.py:

    from tests.browser import browser, page  # noqa: F401

`page` is a page of Playwright, 1280 × 800 pixels. After the test it fails for what the page wrote to its console as an
error, for exceptions in its scripts, and for whatever it asked from the network beyond this machine: our pages work
offline. A test that provokes an error on purpose empties `complaints(page)`. Where there is no Chromium or no
Playwright, tests skip with a reason; SOFTSTRIDE_CHROMIUM names another executable. Pictures that tests take with
`picture` are kept in the folder that SOFTSTRIDE_SCREENSHOTS names, to be looked at.
"""

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
FLAGS = (
    "--no-sandbox",
    "--disable-gpu",
    "--use-gl=angle",
    "--use-angle=swiftshader",
    "--enable-unsafe-swiftshader",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
    "--force-color-profile=srgb",
)
PATIENCE = 300.0
"""How long a page may take to do what a test waits for [s]: without a graphics card, on a busy machine."""
HERE = {"127.0.0.1", "localhost", "::1", "[::1]", ""}

_complaints: dict[int, list[str]] = {}


def chromium() -> str | None:
    """Return the path of a Chromium, or None."""
    named = os.environ.get("SOFTSTRIDE_CHROMIUM")
    if named:
        return named if Path(named).is_file() else None
    return next((path for path in map(shutil.which, NAMES) if path), None)


def complaints(page: Any) -> list[str]:
    """Return what the page has complained about so far; a list that a test may empty."""
    return _complaints.setdefault(id(page), [])


def picture(page: Any, name: str = "") -> bytes:
    """Return the page as it looks, a PNG; with a name it is also kept in SOFTSTRIDE_SCREENSHOTS, where that is set."""
    png: bytes = page.screenshot()
    folder = os.environ.get("SOFTSTRIDE_SCREENSHOTS")
    if name and folder:
        Path(folder).mkdir(parents=True, exist_ok=True)
        (Path(folder) / f"{name}.png").write_bytes(png)
    return png


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    """A headless Chromium, one for a module of tests; skips where there is none."""
    playwright = pytest.importorskip("playwright.sync_api", reason="no playwright: pip install playwright")
    path = chromium()
    if path is None:
        pytest.skip("no Chromium: install it (apt install chromium), or set SOFTSTRIDE_CHROMIUM to its path")
    with playwright.sync_playwright() as driver:
        started = driver.chromium.launch(executable_path=path, args=list(FLAGS), timeout=1e3 * PATIENCE)
        yield started
        started.close()


@contextmanager
def watched_page(browser: Any) -> Iterator[Any]:
    """Open a fresh page, and fail at the end if it complained or asked for something from elsewhere."""
    context = browser.new_context(
        viewport={"width": 1280, "height": 800}, device_scale_factor=1, color_scheme="light"
    )
    opened = context.new_page()
    opened.set_default_timeout(1e3 * PATIENCE)
    heard = complaints(opened)

    def watch(route: Any) -> None:
        address = urlsplit(route.request.url)
        if address.scheme in ("http", "https") and (address.hostname or "") not in HERE:
            heard.append(f"asked for {route.request.url}")
            route.abort()
        else:
            route.continue_()

    context.route("**/*", watch)
    opened.on("console", lambda said: heard.append(f"console: {said.text}") if said.type == "error" else None)
    opened.on("pageerror", lambda error: heard.append(f"exception: {error}"))
    yield opened
    left = list(heard)
    _complaints.pop(id(opened), None)
    context.close()
    assert left == [], "the page complained:\n" + "\n".join(left)


@pytest.fixture
def page(browser: Any) -> Iterator[Any]:
    """A fresh page; the test fails afterwards if the page complained or asked for something from elsewhere."""
    with watched_page(browser) as opened:
        yield opened
