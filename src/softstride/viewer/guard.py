"""`guarded`: who may see a page. Nobody but who was given its whole address, and no page of somebody else's.

A browser lets every page that it shows send requests to this machine, and open websockets on it. Three questions are
asked of each request, of pages and websockets alike, before viser sees it:

- *Key*: does the address begin with the key that was drawn for this server? Others cannot know it.
- *Host*: was this server asked for by a name of its own? A foreign name made to point here (DNS rebinding) is none.
- *Origin*: if a page asks, is it this server's own? Browsers say so themselves.

Whoever fails one gets 403 and nothing else.
"""

from __future__ import annotations

import hmac
import ipaddress
import logging
import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

if TYPE_CHECKING:
    from websockets.asyncio.server import ServerConnection
    from websockets.datastructures import Headers
    from websockets.http11 import Request, Response

Answer = Callable[["ServerConnection", "Request"], "Response | None"]

LOCAL = frozenset({"localhost", "127.0.0.1", "::1"})

REFUSAL = "This page is shown to those alone who have its whole address, as it was printed.\n"

PRIVATE = {
    "Referrer-Policy": "no-referrer",
    "Cache-Control": "no-store",
    "X-Frame-Options": "DENY",
    "X-Content-Type-Options": "nosniff",
    "Cross-Origin-Resource-Policy": "same-origin",
}
"""Headers of every answer: the address is told to nobody, kept nowhere, and the page is put into no other."""

_swap = threading.Lock()


class Guard:
    """Tells who may see a page.

    Args:
        key: What the path of every address begins with.
        host: Where the server listens, a name or a number.
        open_to_others: Whether other machines can reach it.
    """

    def __init__(self, key: str, host: str, open_to_others: bool) -> None:
        self._key = key.encode()
        own = host.lower().strip("[]")
        self._any_number = own in ("", "0.0.0.0", "::")
        names = (
            {socket.gethostname().lower(), f"{socket.gethostname().lower()}.local"}
            if open_to_others
            else LOCAL
        )
        self._names = names | {own} | (LOCAL if self._any_number else set())

    def admits(self, path: str, headers: Headers) -> bool:
        """Return whether a request is answered."""
        hosts, origins = headers.get_all("Host"), headers.get_all("Origin")
        if len(hosts) != 1 or not self._is_own(hosts[0]):
            return False
        if origins and [each.lower() for each in origins] != [f"http://{hosts[0].lower()}"]:
            return False
        given = path.partition("?")[0].split("/")[1:2]
        return hmac.compare_digest("".join(given).encode(errors="replace"), self._key)

    def _is_own(self, host: str) -> bool:
        """Whether a Host header names this server. Its port may be another one: that of a tunnel."""
        try:
            name = urlsplit(f"//{host}").hostname or ""
        except ValueError:
            return False
        if set(host) & set("@/?#\\"):
            return False
        return name in self._names or (self._any_number and _is_number(name))

    def before(self, answer: Answer | None) -> Answer:
        """Return what answers requests that are admitted as `answer` would, with the key taken from their path."""

        def process(connection: ServerConnection, request: Request) -> Response | None:
            if not self.admits(request.path, request.headers):
                refusal = connection.respond(403, REFUSAL)
                refusal.headers.update(PRIVATE)
                return refusal
            rest = "/" + request.path.partition("?")[0][1:].partition("/")[2]
            response = answer(connection, replace(request, path=rest)) if answer else None
            if response is not None:
                response.headers.update(PRIVATE)
            return response

        return process


@contextmanager
def guarded(guard: Guard) -> Iterator[None]:
    """Put a guard before every server of websockets that is started in the block.

    viser has no place for one: it starts its server of pages and websockets by `websockets.asyncio.server.serve`, which
    asks a function about every request. In the block that function is the guard's. Whether viser did so is to be seen
    from outside afterwards, see `refuses_strangers`.
    """
    from websockets.asyncio import server as module

    names = vars(module)

    def serve_guarded(*given: Any, process_request: Answer | None = None, **options: Any) -> Any:
        options |= {
            "process_request": guard.before(process_request),
            "server_header": None,
            "logger": _logger(),
        }
        return serve(*given, **options)

    with _swap:
        serve = names["serve"]
        names["serve"] = serve_guarded
        try:
            yield
        finally:
            names["serve"] = serve


def refuses_strangers(host: str, port: int) -> bool:
    """Return whether a server answers a request without the key by 403."""
    from http.client import HTTPConnection, HTTPException

    here = {"": "127.0.0.1", "0.0.0.0": "127.0.0.1", "::": "::1"}.get(host, host)
    connection = HTTPConnection(here, port, timeout=30.0)
    try:
        connection.request("GET", "/")
        return connection.getresponse().status == 403
    except (OSError, HTTPException):
        return False
    finally:
        connection.close()


def _logger() -> logging.Logger:
    """Return a logger that keeps requests, and with them the key, out of every log; failures are still told."""
    logger = logging.getLogger("softstride.viewer.requests")
    logger.setLevel(logging.ERROR)
    logger.addFilter(_is_failure)
    return logger


def _is_failure(record: logging.LogRecord) -> bool:
    return record.getMessage() != "opening handshake failed"


def _is_number(name: str) -> bool:
    try:
        ipaddress.ip_address(name)
    except ValueError:
        return False
    return True
