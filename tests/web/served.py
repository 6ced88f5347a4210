"""A server in the tests: who may ask, and what its web sockets say."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import Any

from starlette.testclient import TestClient
from starlette.websockets import WebSocketDisconnect

TOKEN, PORT = "secret", 8000


def said_by(client: TestClient, name: str, body: Any, **changes: Any) -> Iterator[Any]:
    """Yield what comes through a web socket, to its end."""
    host = f"127.0.0.1:{PORT}"
    headers = {"origin": f"http://{host}"}
    with client.websocket_connect(f"ws://{host}/live", headers=headers) as socket:
        socket.send_json({"token": TOKEN, "name": name, "body": body} | changes)
        with contextlib.suppress(WebSocketDisconnect):
            while True:
                yield socket.receive_json()
