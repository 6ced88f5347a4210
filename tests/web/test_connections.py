"""The board's server on a real port: who sends too slowly, too much at once, or no text."""

from __future__ import annotations

import contextlib
import json
import signal
import socket
from collections.abc import Iterator

import pytest

pytest.importorskip("uvicorn")

from tests.processes import TIMEOUT, eventually, start

MOST = 20
PROGRAM = f"""
from samuel.web import requests, connections, server
requests.TIMEOUT = %s
connections.MOST, server._MOST_STREAMS = {MOST}, 3
from samuel.cli.main import main
main()
"""


@pytest.fixture
def port(tmp_path, request) -> Iterator[int]:
    """Serve a board that waits so many seconds; it says nothing on standard error to its end."""
    served = start("-c", PROGRAM % request.param, "board", str(tmp_path), "--port", "0", "--json")
    address = json.loads(served.stdout.readline())["address"]
    yield int(address.split(":")[2].partition("/")[0])
    served.send_signal(signal.SIGINT)
    _, errors = served.communicate(timeout=TIMEOUT)
    assert "Traceback" not in errors and "rror" not in errors, errors


def opened(port: int, *lines: str) -> socket.socket:
    connection = socket.create_connection(("127.0.0.1", port), timeout=TIMEOUT)
    connection.sendall("".join(f"{line}\r\n" for line in lines).encode())
    return connection


def upgraded(port: int) -> socket.socket:
    """Return a web socket that the server has accepted."""
    connection = opened(
        port,
        "GET /live HTTP/1.1",
        f"Host: 127.0.0.1:{port}",
        "Upgrade: websocket",
        "Connection: Upgrade",
        "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==",
        "Sec-WebSocket-Version: 13",
        f"Origin: http://127.0.0.1:{port}",
        "",
    )
    said = b""
    while b"\r\n\r\n" not in said:
        said += connection.recv(1)
    assert said.startswith(b"HTTP/1.1 101")
    return connection


def rest_of(connection: socket.socket) -> bytes:
    """Return what still comes until the server closes the connection."""
    found = b""
    with contextlib.suppress(ConnectionError):
        while said := connection.recv(4096):
            found += said
    connection.close()
    return found


def frame(content: bytes, first: int = 0x81) -> bytes:
    return bytes([first, 0x80 | len(content), 0, 0, 0, 0]) + content


def page_of(port: int) -> bytes:
    return rest_of(
        opened(port, "GET / HTTP/1.1", f"Host: 127.0.0.1:{port}", "Connection: close", "")
    )


@pytest.mark.parametrize("port", [0.5], indirect=True)
def test_what_is_no_text_or_comes_too_slowly_ends_its_connection_alone(port):
    host = f"Host: 127.0.0.1:{port}"
    whole, parts, cut = (upgraded(port) for _ in range(3))
    whole.sendall(frame(b"\xff\xfe"))
    parts.sendall(frame(b"\xe2", 0x01) + frame(b"\xff", 0x80))
    cut.sendall(frame(b"\xe2"))
    for connection in (whole, parts, cut):
        assert rest_of(connection)[-4:-2] == b"\x88\x02"  # closed, with a code
    slow = [
        opened(port),
        opened(port, "GET / HTTP/1.1", "Host: 127"),
        opened(port, "POST /api/library HTTP/1.1", host, "Content-Length: 9", "", "{"),
        upgraded(port),
    ]
    half = upgraded(port)
    half.sendall(frame(b"{", 0x01))
    for connection in [*slow, half]:
        rest_of(connection)
    chunks = opened(port, "POST / HTTP/1.1", host, "Transfer-Encoding: chunked", "", "zz")
    assert rest_of(chunks).startswith(b"HTTP/1.1 400")
    assert page_of(port).startswith(b"HTTP/1.1 200")


@pytest.mark.parametrize("port", [TIMEOUT], indirect=True)
def test_so_many_connections_and_streams_and_no_more(port):
    streams = [upgraded(port) for _ in range(4)]
    refused = b""
    while b'"}' not in refused:
        refused += streams[-1].recv(4096) or pytest.fail(f"closed after {refused!r}")
    assert b"3 analyses are running already; stop some" in refused
    for one in streams:
        one.close()
    kept = opened(port, "GET / HTTP/1.1")
    many = [opened(port) for _ in range(MOST)]
    assert rest_of(many.pop()) == b""
    kept.sendall(f"Host: 127.0.0.1:{port}\r\nConnection: close\r\n\r\n".encode())
    assert rest_of(kept).startswith(b"HTTP/1.1 200")
    for one in many:
        one.close()
    assert eventually(lambda: page_of(port).startswith(b"HTTP/1.1 200"))
