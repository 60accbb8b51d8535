"""Starting and stopping the server of a page: on this machine only unless told otherwise, guarded, and quietly."""

from __future__ import annotations

import contextlib
import errno
import io
import os
import secrets
import socket
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from softstride.errors import InputError, SoftstrideError
from softstride.viewer.guard import Guard, guarded, refuses_strangers

LOOPBACK = "127.0.0.1"
FIRST, LAST = 8080, 8179
"""Ports that are tried where none is asked for."""


@dataclass(frozen=True)
class Address:
    """Where a page is served.

    Attributes:
        host: Name or number of the interface.
        port: The port.
        key: What the path of the page begins with, drawn anew each time: who does not know it sees nothing.
    """

    host: str
    port: int
    key: str = field(default_factory=lambda: secrets.token_urlsafe(24), repr=False)

    @property
    def url(self) -> str:
        """What to open in a browser, with the key."""
        host = "localhost" if self.host in ("0.0.0.0", "::", "") else self.host
        return f"http://{f'[{host}]' if ':' in host else host}:{self.port}/{self.key}/"

    @property
    def open_to_others(self) -> bool:
        """Whether other machines can reach it."""
        return not (self.host == "localhost" or self.host.startswith("127.") or self.host == "::1")


def find_address(host: str = LOOPBACK, port: int | None = None) -> Address:
    """Return an address that is free: the port that is asked for, or else the first free one from 8080.

    Raises:
        InputError: The port is in use, may not be used, or the host is none of this machine's.
    """
    if port is not None:
        if not 0 <= port <= 65535:
            raise InputError(f"--port {port}: a port is a number from 1 to 65535, or 0 for any that is free")
        return Address(host, _try(host, port))
    for each in range(FIRST, LAST + 1):
        with contextlib.suppress(_NotThisPort):
            return Address(host, _try(host, each))
    raise InputError(f"all ports from {FIRST} to {LAST} of {host} are in use: name another with --port")


class _NotThisPort(InputError):
    """The port is taken, or kept for others: Windows keeps whole ranges."""


def _try(host: str, port: int) -> int:
    """Return the port that can be listened on."""
    try:
        family, kind, protocol, _, where = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
    except (socket.gaierror, UnicodeError) as error:
        raise InputError(
            f"--host {host}: no such address; give one of this machine, such as 127.0.0.1, or 0.0.0.0 for all"
        ) from error
    with socket.socket(family, kind, protocol) as trial:
        if os.name == "posix":
            trial.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            trial.bind(where)
        except OSError as error:
            raise _refusal(host, port, error) from error
        return int(trial.getsockname()[1])


def _refusal(host: str, port: int, error: OSError) -> InputError:
    if error.errno == errno.EADDRINUSE:
        return _NotThisPort(
            f"port {port} is in use, perhaps by another view: close that, choose another port with --port, or leave "
            f"--port out for the next free one"
        )
    if error.errno == errno.EACCES:
        return _NotThisPort(f"--port {port}: this port may not be used; choose one above 1023")
    if error.errno == errno.EADDRNOTAVAIL:
        return InputError(
            f"--host {host}: is no address of this machine; 127.0.0.1 is, and 0.0.0.0 stands for all it has"
        )
    return InputError(f"cannot listen on {host}, port {port}: {error.strerror}")


def viser() -> Any:
    """Return the module viser.

    Raises:
        SoftstrideError: It is not installed.
    """
    try:
        import viser as module
    except ImportError as error:
        raise SoftstrideError("the 3D view needs viser, which is not installed: pip install viser") from error
    return module


def start_server(address: Address, label: str) -> Any:
    """Start a viser server there, and return it; it prints nothing, and answers those alone who have the key.

    Raises:
        InputError: The port was taken in the meantime.
        SoftstrideError: This viser cannot be guarded.
    """
    module = viser()
    guard = Guard(address.key, address.host, address.open_to_others)
    with _quiet(), guarded(guard):
        server = module.ViserServer(host=address.host, port=address.port, label=label, verbose=False)
    if server.get_port() != address.port:  # viser takes the next one
        stop_server(server)
        raise InputError(f"port {address.port} is in use: choose another with --port")
    if not refuses_strangers(address.host, address.port):
        stop_server(server)
        raise SoftstrideError(
            f"the 3D view of viser {module.__version__} would be shown to every page in the browser; install another "
            "version: pip install viser==1.1.1"
        )
    server.request_share_url = _no_sharing
    server.scene.set_up_direction("+y")
    server.scene.world_axes.visible = False
    return server


def stop_server(server: Any) -> None:
    """Stop a server; it prints nothing."""
    with _quiet():
        server.stop()


def _no_sharing(verbose: bool = True) -> None:
    """Refuse what viser offers: a tunnel by which strangers could see the page."""


@contextlib.contextmanager
def _quiet() -> Iterator[None]:
    with contextlib.redirect_stdout(io.StringIO()):
        yield
