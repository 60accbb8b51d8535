"""What all tests share: their surroundings, how far property tests go, and the folder of recordings."""

import gc
import os
import random
import shlex
import signal
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]

# Two threads of BLAS on a small matrix wait for each other longer than they work, and for ever on a busy machine.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
os.environ.setdefault("MPLBACKEND", "Agg")
# Kernels of the tests lie beside them: `make kernels` fills the folder, and nobody's home decides what is compiled.
os.environ.setdefault("SOFTSTRIDE_CACHE_DIR", str(ROOT / ".cache" / "kernels"))

# Who runs the tests in the background has them ignore Ctrl-C; the programs that they start must not inherit that.
if signal.getsignal(signal.SIGINT) == signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

import numpy as np  # noqa: E402
import pytest  # noqa: E402
from hypothesis import HealthCheck, settings  # noqa: E402
from tests import once  # noqa: E402
from tests.campaign import NIGHTLY  # noqa: E402
from tests.peers import recordings  # noqa: E402

ORDER = os.environ.get("SOFTSTRIDE_TEST_ORDER", "")
"""The seed of an order of the tests: whoever needs another test to have run before is found by it."""

FIRST_DRAWS: dict[str, dict[str, Any]] = {}
"""States of the generators of test modules before their first test."""

TOLD = ("SOFTSTRIDE_NIGHTLY", "SOFTSTRIDE_BOUNDSCHECK", "SOFTSTRIDE_CACHE_DIR", "SOFTSTRIDE_TEST_ORDER")
"""What has to be said again to repeat what failed."""

# The first example of a property may compile a kernel: no deadline. By day a run repeats exactly; by night every run
# looks elsewhere, and says how to repeat what it found.
settings.register_profile(
    "softstride",
    deadline=None,
    derandomize=not NIGHTLY,
    print_blob=NIGHTLY,
    max_examples=400 if NIGHTLY else 40,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.load_profile("softstride")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave campaigns to `make nightly`; shuffle files, and tests within files, where an order is asked for."""
    kept, campaigns = [], []
    for item in items:
        (kept if NIGHTLY or item.get_closest_marker("nightly") is None else campaigns).append(item)
    if campaigns:
        config.hook.pytest_deselected(items=campaigns)
    if ORDER:
        generator = random.Random(ORDER)
        files = dict.fromkeys(item.path for item in kept)
        rank = {file: generator.random() for file in files}
        kept.sort(key=lambda item: (rank[item.path], generator.random()))
    items[:] = kept


def pytest_runtest_setup(item: pytest.Item) -> None:
    """Let generators of a module begin anew: what a test draws does not depend on which ran before it."""
    module = getattr(item, "module", None)
    if module is None:
        return
    generators = {name: each for name, each in vars(module).items() if isinstance(each, np.random.Generator)}
    first = FIRST_DRAWS.setdefault(
        module.__name__, {name: each.bit_generator.state for name, each in generators.items()}
    )
    for name, each in generators.items():
        each.bit_generator.state = first[name]


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Say how to repeat what failed."""
    failed = [each.nodeid for kind in ("failed", "error") for each in terminalreporter.stats.get(kind, ())]
    if failed:
        nodes = " ".join(shlex.quote(node) for node in dict.fromkeys(failed[:5]))
        given = " ".join(f"{name}={shlex.quote(os.environ[name])}" for name in TOLD if os.environ.get(name))
        terminalreporter.write_line(f"again: {given} .venv/bin/python -m pytest {nodes}".replace("  ", " "))


def pytest_configure(config: pytest.Config) -> None:
    """Make a folder for what the workers make for each other."""
    if not hasattr(config, "workerinput"):
        once.begin()


def pytest_unconfigure(config: pytest.Config) -> None:
    """Remove it when the last of them has ended."""
    if not hasattr(config, "workerinput"):
        once.end()


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """The folder of recordings: SOFTSTRIDE_TEST_DATA, or ../shared/data; skips where missing."""
    folder = recordings()
    if not folder.is_dir():
        pytest.skip(f"no recordings at {folder}; set SOFTSTRIDE_TEST_DATA to their folder")
    return folder


def pytest_collection_finish() -> None:
    """Let the collector of garbage pass over the tests themselves, which stay, and look less often."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(20_000, 20, 20)
