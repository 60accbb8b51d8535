"""Who may see a page: not who lacks the key, not a page of somebody else's, not who came by a foreign name."""

import http.server
import json
import logging
import socket
import threading
from collections.abc import Iterator
from typing import Any

import pytest
import viser
from tests.browser import complaints
from tests.viewer.pages import PATIENCE, until, visit, words
from websockets.datastructures import Headers
from websockets.exceptions import InvalidStatus
from websockets.sync.client import connect

from softstride.errors import SoftstrideError
from softstride.scene import Scene
from softstride.viewer import server as module
from softstride.viewer.guard import Guard, guarded, refuses_strangers
from softstride.viewer.server import Address, find_address, start_server, stop_server
from softstride.viewer.show import serve_scene, serve_walk
from softstride.viewer.walk_bench import WalkBench

PROTOCOL = f"viser-v{viser.__version__}"
FOREIGN = "http://evil.example"


@pytest.fixture
def address() -> Iterator[Address]:
    """A server with something to hide."""
    found = find_address(port=0)
    server = start_server(found, "secret label")
    yield found
    stop_server(server)


def ask(address: Address, path: str, *headers: str, host: str = "") -> tuple[int, bytes, bytes]:
    """Send one request through a plain socket; return status, headers and body."""
    lines = [f"GET {path} HTTP/1.1", f"Host: {host or f'127.0.0.1:{address.port}'}", *headers]
    with socket.create_connection(("127.0.0.1", address.port), timeout=PATIENCE) as asked:
        asked.sendall("\r\n".join([*lines, "", ""]).encode())
        answer = b""
        while b"\r\n\r\n" not in answer or len(answer) < 200:
            more = asked.recv(1 << 16)
            if not more:
                break
            answer += more
    head, _, body = answer.partition(b"\r\n\r\n")
    return int(head.split()[1]), head, body


def upgrade(*more: str) -> tuple[str, ...]:
    """Headers by which a client asks for a websocket."""
    key = "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ=="
    return (
        "Upgrade: websocket",
        "Connection: Upgrade",
        key,
        "Sec-WebSocket-Version: 13",
        f"Sec-WebSocket-Protocol: {PROTOCOL}",
        *more,
    )


def test_with_the_key_there_is_the_page(address: Address) -> None:
    for path in (f"/{address.key}/", f"/{address.key}", f"/{address.key}/index.html?x=1"):
        status, head, _ = ask(address, path)
        assert status == 200
        assert b"Referrer-Policy: no-referrer" in head and b"X-Frame-Options: DENY" in head
    assert ask(address, f"/{address.key}/nothing.txt")[0] == 404
    assert ask(address, f"/{address.key}/../../../pyproject.toml")[0] == 404


@pytest.mark.parametrize("headers", [(), upgrade()], ids=["page", "websocket"])
@pytest.mark.parametrize(
    "path",
    ["/", "/index.html", "/wrong/", "/{key}x/", "//{key}/", "/x/{key}/", "/?{key}", "/{start}/", "/\xe9/"],
)
def test_without_the_key_there_is_nothing(address: Address, path: str, headers: tuple[str, ...]) -> None:
    path = path.format(key=address.key, start=address.key[:-1])
    status, head, body = ask(address, path, *headers)
    assert status in (400, 403) if path == "/\xe9/" else status == 403
    assert len(body) < 100 and address.key.encode() not in head + body
    assert b"secret" not in body and b"ython" not in head


@pytest.mark.parametrize("headers", [(), upgrade()], ids=["page", "websocket"])
@pytest.mark.parametrize(
    "origin",
    [FOREIGN, "null", "http://127.0.0.1:1", "https://127.0.0.1:{port}", "http://localhost:{port}", ""],
)
def test_a_page_of_somebody_else_is_refused_even_with_the_key(
    address: Address, origin: str, headers: tuple[str, ...]
) -> None:
    origin = f"Origin: {origin.format(port=address.port)}"
    assert ask(address, f"/{address.key}/", *headers, origin)[0] == 403
    own = f"Origin: http://127.0.0.1:{address.port}"
    assert ask(address, f"/{address.key}/", *headers, own, origin)[0] == 403


@pytest.mark.parametrize("headers", [(), upgrade()], ids=["page", "websocket"])
@pytest.mark.parametrize(
    "host",
    ["evil.example", "evil.example:{port}", "127.0.0.1.evil.example", "evil@127.0.0.1", "10.0.0.7", "[::1"],
)
def test_a_foreign_name_that_points_here_is_refused_even_with_the_key(
    address: Address, host: str, headers: tuple[str, ...]
) -> None:
    host = host.format(port=address.port)
    assert ask(address, f"/{address.key}/", *headers, host=host)[0] == 403
    assert ask(address, f"/{address.key}/", *headers, f"Origin: http://{host}", host=host)[0] == 403


@pytest.mark.parametrize("host", ["localhost:9000", "LOCALHOST", "[::1]:80"])
def test_names_of_this_machine_and_ports_of_tunnels_are_its_own(address: Address, host: str) -> None:
    assert ask(address, f"/{address.key}/", host=host)[0] == 200
    status = ask(address, f"/{address.key}/", *upgrade(f"Origin: http://{host.lower()}"), host=host)[0]
    assert status == 101


def test_a_websocket_with_the_key_gets_the_scene_and_without_it_nothing(address: Address) -> None:
    place = f"ws://127.0.0.1:{address.port}"
    with connect(f"{place}/{address.key}", subprotocols=[PROTOCOL]) as told:
        assert len(told.recv(timeout=PATIENCE)) > 100
    for path, origin in (("", None), ("/wrong", None), (f"/{address.key}", FOREIGN)):
        with pytest.raises(InvalidStatus) as refused:
            connect(place + path, subprotocols=[PROTOCOL], origin=origin)
        assert refused.value.response.status_code == 403


def test_the_key_is_in_no_log(address: Address, caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.DEBUG):
        ask(address, f"/{address.key}/")
        ask(address, f"/{address.key}/", *upgrade())
        ask(address, "/")
    assert address.key not in caplog.text


def test_a_bench_is_guarded_too(bench: WalkBench) -> None:
    address = find_address(port=0)
    with serve_walk(bench, address):
        assert ask(address, "/")[0] == 403
        assert ask(address, "/", *upgrade())[0] == 403
        assert ask(address, f"/{address.key}/")[0] == 200


@pytest.mark.parametrize(
    ("host", "named", "admitted"),
    [
        ("0.0.0.0", "192.168.0.7:80", True),
        ("0.0.0.0", "[fe80::1]:80", True),
        ("0.0.0.0", "localhost", True),
        ("0.0.0.0", socket.gethostname(), True),
        ("0.0.0.0", "evil.example", False),
        ("192.168.0.7", "192.168.0.7:80", True),
        ("192.168.0.7", "192.168.0.8:80", False),
        ("lab.example", "lab.example:80", True),
        ("lab.example", "evil.example:80", False),
        ("::1", "[::1]:80", True),
    ],
)
def test_names_of_servers_that_others_can_reach(host: str, named: str, admitted: bool) -> None:
    guard = Guard("k", host, Address(host, 80).open_to_others)
    assert guard.admits("/k/", Headers(Host=named)) is admitted
    assert not guard.admits("/k/", Headers())
    twice = Headers(Host=named)
    twice["Host"] = named
    assert not guard.admits("/k/", twice)


def test_a_viser_that_cannot_be_guarded_is_not_used(monkeypatch: pytest.MonkeyPatch) -> None:
    class Unguarded(Guard):
        def before(self, answer: Any) -> Any:
            return answer

    monkeypatch.setattr(module, "Guard", Unguarded)
    address = find_address(port=0)
    with pytest.raises(SoftstrideError, match="would be shown to every page in the browser"):
        start_server(address, "open")
    assert find_address(port=address.port).port == address.port, "it was stopped"


def test_what_is_no_server_refuses_nobody() -> None:
    assert not refuses_strangers("127.0.0.1", find_address(port=0).port)


def test_servers_of_others_are_as_before_the_block() -> None:
    from websockets.asyncio import server

    serve = server.serve
    with guarded(Guard("k", "127.0.0.1", False)):
        assert server.serve is not serve
    assert server.serve is serve


# in a browser -----------------------------------------------------------------------------------------------------

THIEF = """<!doctype html><title>foreign</title><script>
const [place, protocol] = JSON.parse(decodeURIComponent(location.search.slice(1)));
const socket = new WebSocket(place, [protocol]);
window.got = 0; window.opened = false; window.over = false;
socket.binaryType = "arraybuffer";
socket.onopen = () => { window.opened = true; };
socket.onmessage = (event) => { window.got += event.data.byteLength; };
socket.onclose = () => { window.over = true; };
</script>"""


@pytest.fixture
def thief() -> Iterator[str]:
    """The address of a page of somebody else's, on another port of this machine."""

    class Page(http.server.BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(200)
            self.send_header("Content-Type", "text/html")
            self.end_headers()
            self.wfile.write(THIEF.encode())

        def log_message(self, *_: object) -> None:
            pass

    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Page) as foreign:
        threading.Thread(target=foreign.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{foreign.server_port}/"
        foreign.shutdown()


@pytest.mark.slow
@pytest.mark.parametrize("path", ["", "/", "/{key}", "/{key}/"])
def test_a_foreign_page_in_the_browser_gets_nothing(
    page: Any, thief: str, address: Address, path: str
) -> None:
    """Not even where it has found out the key."""
    place = f"ws://127.0.0.1:{address.port}{path.format(key=address.key)}"
    page.goto(f"{thief}?{json.dumps([place, PROTOCOL])}")
    page.wait_for_function("window.over", timeout=1e3 * PATIENCE)
    assert page.evaluate("[window.opened, window.got]") == [False, 0]
    heard = complaints(page)
    assert any("403" in each for each in heard), heard
    heard.clear()


@pytest.mark.slow
def test_the_printed_address_works_and_works_again_after_a_reload(page: Any, scene: Scene) -> None:
    address = find_address(port=0)
    with serve_scene(scene, address) as view:
        visit(page, address.url)
        assert "frame 1 of" in words(page)
        page.reload()
        page.get_by_role("button", name="Play").wait_for(timeout=1e3 * PATIENCE)
        until(lambda: "frame 1 of" in words(page), "the page is there again")
        view._server._websock_server.disconnect_all_clients()
        page.get_by_role("button", name="+1", exact=True).wait_for(timeout=1e3 * PATIENCE)
        until(lambda: len(view._server.get_clients()) == 1, "it comes back by itself")
        view.seek(float(scene.time[4]))
        until(lambda: "frame 5 of" in words(page), "and goes on")
        complaints(page)[:] = [each for each in complaints(page) if "WebSocket" not in each]
