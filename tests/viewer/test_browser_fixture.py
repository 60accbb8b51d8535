"""The fixture that opens pages complains for the page: errors in its console, exceptions, and requests to elsewhere."""

from typing import Any

import pytest
from tests.browser import complaints

pytestmark = pytest.mark.slow


def test_a_quiet_page_has_no_complaints(page: Any) -> None:
    page.set_content("<p id='word'>still</p><script>console.log('fine')</script>")
    assert page.inner_text("#word") == "still"
    assert complaints(page) == []


@pytest.mark.parametrize(
    ("script", "words"),
    [
        ("<script>console.error('broken')</script>", "console: broken"),
        ("<script>setTimeout(() => { throw new Error('thrown') }, 0)</script>", "exception: thrown"),
        ("<img src='http://example.com/a.png'>", "asked for http://example.com/a.png"),
    ],
)
def test_a_page_that_errs_is_heard(page: Any, script: str, words: str) -> None:
    page.set_content(script)
    page.wait_for_timeout(200)
    assert any(words in said for said in complaints(page))
    complaints(page).clear()


def test_webgl_works_without_a_graphics_card(page: Any) -> None:
    page.set_content("<canvas id='c'></canvas>")
    assert page.evaluate("document.getElementById('c').getContext('webgl2') !== null")
