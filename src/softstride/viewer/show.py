"""Serving a page until somebody ends it."""

from __future__ import annotations

import os
import sys
import threading
import time
import webbrowser
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from softstride.scene.scene import Scene
from softstride.viewer.curves import Plots
from softstride.viewer.panel import Panel
from softstride.viewer.server import Address, start_server, stop_server
from softstride.viewer.view import View

if TYPE_CHECKING:
    from softstride.viewer.walk_bench import WalkBench

RATE = 60.0
"""Frames a second that are drawn at most [Hz]."""

ASIDE = -0.9
"""How far to the right of the walker the walk as it is is drawn on a bench [m]."""

Tell = Callable[[str], Any]


@contextmanager
def serve_scene(
    scene: Scene,
    address: Address,
    *,
    plots: Plots | None = None,
    ghost: Scene | None = None,
    dark: bool = False,
) -> Iterator[View]:
    """Serve the page of a trial as long as the block lasts; it runs by itself.

    Args:
        scene: The trial.
        address: Where.
        plots: Curves beside it.
        ghost: A second trial.
        dark: Whether the page is dark to begin with.
    """
    with _served(address, f"softstride: {scene.name}") as (server, run):
        view = View(server, scene, ghost=ghost, dark=dark)
        Panel(server, view, plots or {})
        run(view.tick)
        yield view


@contextmanager
def serve_walk(bench: WalkBench, address: Address, *, dark: bool = False) -> Iterator[View]:
    """Serve the page of a bench as long as the block lasts; it runs by itself.

    Args:
        bench: The walker.
        address: Where.
        dark: Whether the page is dark to begin with.
    """
    from softstride.scene.walker import walk_scene
    from softstride.viewer.walk_panel import WalkPanel

    with _served(address, "softstride: walk") as (server, run):
        scene, ghost = walk_scene(bench.trial.walk), walk_scene(bench.trial.baseline)
        view = View(server, scene, ghost=ghost, dark=dark, following=False, apart=True, aside=ASIDE)
        run(WalkPanel(server, view, bench).tick)
        yield view


def show_scene(
    scene: Scene,
    address: Address,
    *,
    plots: Plots | None = None,
    ghost: Scene | None = None,
    dark: bool = False,
    browser: bool = True,
    tell: Tell = lambda words: None,
) -> None:
    """Serve the page of a trial until the keyboard interrupts; arguments as those of `serve_scene`.

    Args:
        scene: The trial.
        address: Where.
        plots: Curves beside it.
        ghost: A second trial.
        dark: Whether the page is dark to begin with.
        browser: Whether to open a browser.
        tell: Called with the address as soon as it answers.
    """
    with serve_scene(scene, address, plots=plots, ghost=ghost, dark=dark):
        wait(address, browser, tell)


def show_walk(
    bench: WalkBench,
    address: Address,
    *,
    dark: bool = False,
    browser: bool = True,
    tell: Tell = lambda words: None,
) -> None:
    """Serve the page of a bench until the keyboard interrupts.

    Args:
        bench: The walker.
        address: Where.
        dark: Whether the page is dark to begin with.
        browser: Whether to open a browser.
        tell: Called with the address as soon as it answers.
    """
    with serve_walk(bench, address, dark=dark):
        wait(address, browser, tell)


def wait(address: Address, browser: bool, tell: Tell) -> None:
    """Say where the page is, open it, and wait for the keyboard to interrupt."""
    tell(address.url)
    if browser and has_screen():
        webbrowser.open(address.url)
    try:
        while True:
            time.sleep(3600.0)
    except KeyboardInterrupt:
        return


def has_screen() -> bool:
    """Return whether a browser could show itself: without a screen, one in the terminal would take its place."""
    if sys.platform in ("win32", "darwin"):
        return True
    return any(os.environ.get(name) for name in ("DISPLAY", "WAYLAND_DISPLAY", "BROWSER"))


@contextmanager
def _served(address: Address, label: str) -> Iterator[tuple[Any, Callable[[Callable[[float], Any]], None]]]:
    """Start a server, and stop it and its clock at the end; yield it, and what starts a clock."""
    server = start_server(address, label)
    stopped = threading.Event()
    clocks: list[threading.Thread] = []

    def run(tick: Callable[[float], Any]) -> None:
        clock = threading.Thread(target=_run, args=(tick, stopped), name="softstride-clock", daemon=True)
        clocks.append(clock)
        clock.start()

    try:
        yield server, run
    finally:
        stopped.set()
        for clock in clocks:
            clock.join(timeout=5.0)
        stop_server(server)


def _run(tick: Callable[[float], Any], stopped: threading.Event) -> None:
    last = time.monotonic()
    while not stopped.wait(1.0 / RATE):
        now = time.monotonic()
        tick(now - last)
        last = now
