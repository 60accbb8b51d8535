"""A plugin of pytest: after SOFTSTRIDE_TEST_SECONDS no further test is begun, and how many were left is said.

SOFTSTRIDE_TEST_SECONDS=45 python -m pytest -p tools.until ...
"""

from __future__ import annotations

import os
import time

import pytest

END = time.monotonic() + float(os.environ.get("SOFTSTRIDE_TEST_SECONDS") or "inf")


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_protocol(item: pytest.Item) -> bool | None:
    """Leave a test out when the time is up."""
    return True if time.monotonic() > END else None


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Say how many tests were left out."""
    done = sum(len(terminalreporter.stats.get(kind, ())) for kind in ("passed", "failed", "skipped", "error"))
    session = terminalreporter._session
    asked = getattr(session, "testscollected", 0) or 0
    if asked > done and time.monotonic() > END:
        terminalreporter.write_line(f"time is up: {asked - done} of {asked} tests were not begun")
