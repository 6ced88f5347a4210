"""The board's server on a real port: who sends too slowly, too much at once, or no text."""

from __future__ import annotations

import contextlib
import json
import signal
import socket
import struct
import time
from collections.abc import Iterator

import pytest

pytest.importorskip("uvicorn")

from tests.processes import TIMEOUT, eventually, start

MOST = 20
PROGRAM = f"""
from samuel.play.web import requests, connections, server
requests.TIMEOUT = %s
connections.MOST, server._MOST_STREAMS = {MOST}, 3
import time
from samuel.play.web.state import AppState
AppState.hint = lambda state, wanted: time.sleep(3)  # longer than a stopped server waits
from samuel.cli.main import main
main()
"""


@pytest.fixture
def address(tmp_path, request) -> Iterator[str]:
    """Serve a board that waits so many seconds; it says nothing on standard error to its end."""
    served = start("-c", PROGRAM % request.param, "board", str(tmp_path), "--port", "0", "--json")
    address = json.loads(served.stdout.readline())["address"]
    yield address
    served.send_signal(signal.SIGINT)
    _, errors = served.communicate(timeout=TIMEOUT)
    assert "Traceback" not in errors and "rror" not in errors, errors


@pytest.fixture
def port(address: str) -> int:
    return int(address.split(":")[2].partition("/")[0])


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


@pytest.mark.parametrize("address", [0.5], indirect=True)
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


@pytest.mark.parametrize("address", [TIMEOUT], indirect=True)
def test_pages_that_leave_or_stay_to_the_end_print_nothing(address, port):
    token = address.partition("#")[2]
    game = {"game": "tic_tac_toe", "moves": []}
    analysis = {"token": token, "name": "analyse", "body": game | {"evaluators": ["classic"]}}
    question = json.dumps(game | {"evaluator": "classic"})
    head = f"Host: 127.0.0.1:{port}", f"X-Samuel-Token: {token}"
    size = f"Content-Length: {len(question)}"
    staying = [upgraded(port)]
    for after in (b"", frame(b"\xff"), frame(b"\x03\xe8", 0x88)):
        for is_reset in (True, False):
            stream = upgraded(port)
            content = json.dumps(analysis).encode()
            stream.sendall(b"\x81\xfe" + len(content).to_bytes(2, "big") + bytes(4) + content)
            assert stream.recv(1) == b"\x81"
            stream.sendall(after)
            stream.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", is_reset, 0))
            stream.close()
    for _ in range(2):
        staying.append(opened(port, "POST /api/hint HTTP/1.1", *head, size, "", question))
    staying.pop().close()
    assert page_of(port).startswith(b"HTTP/1.1 200")
    time.sleep(0.2)  # until the last question is being answered


@pytest.mark.parametrize("address", [TIMEOUT], indirect=True)
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
