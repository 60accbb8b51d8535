"""Where a page is served: on this machine unless told otherwise, on a port that is free, or with a word why not."""

import errno
import socket
from typing import Any

import pytest

from softstride.errors import InputError, SoftstrideError
from softstride.viewer import server as module
from softstride.viewer.server import Address, find_address, start_server, stop_server


@pytest.fixture
def taken() -> Any:
    with socket.socket() as holder:
        holder.bind(("127.0.0.1", 0))
        holder.listen()
        yield holder.getsockname()[1]


def test_only_this_machine_is_asked_unless_told_otherwise() -> None:
    address = find_address(port=0)
    assert address.host == "127.0.0.1" and not address.open_to_others and address.port > 0
    assert address.url == f"http://127.0.0.1:{address.port}/{address.key}/"


@pytest.mark.parametrize(
    ("host", "open_to_others", "url"),
    [
        ("localhost", False, "http://localhost:80/k/"),
        ("::1", False, "http://[::1]:80/k/"),
        ("127.0.0.9", False, "http://127.0.0.9:80/k/"),
        ("0.0.0.0", True, "http://localhost:80/k/"),
        ("192.168.0.7", True, "http://192.168.0.7:80/k/"),
    ],
)
def test_who_can_see_an_address(host: str, open_to_others: bool, url: str) -> None:
    assert Address(host, 80).open_to_others is open_to_others
    assert Address(host, 80, "k").url == url


def test_keys_are_long_drawn_anew_and_not_shown_by_chance() -> None:
    keys = {find_address(port=0).key for _ in range(20)}
    assert len(keys) == 20 and min(map(len, keys)) >= 32
    address = find_address(port=0)
    assert address.key in address.url and address.key not in repr(address)


def test_a_port_in_use_is_named_with_the_way_out(taken: int) -> None:
    with pytest.raises(InputError, match=f"port {taken} is in use.*--port"):
        find_address(port=taken)


def test_without_a_wish_the_next_free_port_is_taken(taken: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "FIRST", taken)
    monkeypatch.setattr(module, "LAST", taken + 20)
    assert taken < find_address().port <= taken + 20
    monkeypatch.setattr(module, "LAST", taken)
    with pytest.raises(InputError, match="are in use: name another with --port"):
        find_address()


def test_a_port_that_the_system_keeps_for_itself_is_passed_over(monkeypatch: pytest.MonkeyPatch) -> None:
    """Windows keeps ranges of ports, also above 1023, for machines inside the machine."""
    bind = socket.socket.bind

    def kept(self: socket.socket, where: tuple[str, int]) -> None:
        if where[1] == module.FIRST:
            raise PermissionError(errno.EACCES, "Permission denied")
        bind(self, where)

    monkeypatch.setattr(socket.socket, "bind", kept)
    assert module.FIRST < find_address().port <= module.LAST
    with pytest.raises(InputError, match=f"--port {module.FIRST}: this port may not be used"):
        find_address(port=module.FIRST)


@pytest.mark.parametrize(
    ("host", "port", "words"),
    [
        ("127.0.0.1", 70000, "a port is a number from 1 to 65535"),
        ("no.such.name.invalid", None, "no such address"),
        ("203.0.113.7", None, "is no address of this machine"),
    ],
)
def test_an_address_that_is_none(host: str, port: int | None, words: str) -> None:
    with pytest.raises(InputError, match=words):
        find_address(host, port)


def test_a_server_says_nothing_and_lets_its_port_go(capsys: pytest.CaptureFixture[str]) -> None:
    address = find_address(port=0)
    server = start_server(address, "quiet")
    with socket.create_connection((address.host, address.port), timeout=5.0):
        pass
    assert server.request_share_url() is None  # nothing is shared beyond this machine
    stop_server(server)
    assert capsys.readouterr().out == ""
    assert find_address(port=address.port).port == address.port


def test_a_port_that_is_lost_in_the_meantime(taken: int) -> None:
    with pytest.raises(InputError, match=f"port {taken} is in use"):
        start_server(Address("127.0.0.1", taken), "late")


def test_without_viser_the_way_to_it_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, "viser", None)
    with pytest.raises(SoftstrideError, match="pip install viser"):
        module.viser()
