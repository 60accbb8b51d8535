"""Looking at a page of the viewer: its words, its controls and its pixels."""

import io
import time
from collections.abc import Callable
from typing import Any

import numpy as np
from PIL import Image
from tests.browser import PATIENCE, picture

WIDTH, HEIGHT, PANEL = 900, 520, 400  # pixels


def visit(page: Any, url: str, size: tuple[int, int] = (WIDTH, HEIGHT)) -> None:
    """Open a page of this size, wait until it is there, and close the notice on software rendering."""
    page.set_viewport_size({"width": size[0], "height": size[1]})
    page.goto(url)
    page.get_by_role("button", name="Play").wait_for()
    notice = page.locator(".mantine-Notification-closeButton")
    settled(page)
    if notice.count():
        notice.first.click()
    settled(page)


def until(true: Callable[[], Any], what: str) -> Any:
    """Wait until something holds, and return it."""
    end = time.monotonic() + PATIENCE
    while time.monotonic() < end:
        found = true()
        if found:
            return found
        time.sleep(0.05)
    raise AssertionError(f"waited in vain: {what}")


def words(page: Any) -> str:
    """All that the page says."""
    return page.inner_text("body")


def pixels(page: Any, name: str = "") -> np.ndarray:
    """The picture to the left of the panel, shape (height, width, 3)."""
    image = Image.open(io.BytesIO(picture(page, name))).convert("RGB")
    return np.asarray(image)[:, : WIDTH - PANEL - 20].astype(int)


def settled(page: Any, name: str = "") -> np.ndarray:
    """The picture as soon as it changes no more."""
    before = pixels(page)
    for _ in range(60):
        page.wait_for_timeout(150)
        now = pixels(page)
        if np.array_equal(before, now) and now.std() > 1.0:
            return now if not name else pixels(page, name)
        before = now
    raise AssertionError("the picture does not come to rest")


def slider(page: Any, label: str) -> Any:
    """The thumb of the slider that has this label."""
    mark = page.locator("label:visible", has_text=label).first.get_attribute("for")
    return page.locator(f"[id='{mark}'] [role=slider]")


def push(page: Any, label: str, key: str, times: int) -> None:
    """Move a slider by a key, step by step."""
    thumb = slider(page, label)
    thumb.scroll_into_view_if_needed()
    thumb.focus()
    for _ in range(times):
        page.keyboard.press(key)


def tick(page: Any, label: str) -> None:
    """Click the box that has this label."""
    box = page.get_by_label(label, exact=True)
    box.scroll_into_view_if_needed()
    box.click()
