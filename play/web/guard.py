"""Guard of the server: only its own page on this machine may ask.

A page of another origin can make a browser send requests here. It cannot know the token, which the
address that `samuel board` prints has behind its `#`, where browsers send it to nobody; and by a
name of its own that it lets mean 127.0.0.1 (DNS rebinding) it comes with another Host.
"""

from __future__ import annotations

import contextlib
import hmac
import re
from asyncio import CancelledError
from collections.abc import Iterable, Sequence
from typing import Any

from starlette.requests import ClientDisconnect
from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send
from starlette.websockets import WebSocketDisconnect

from samuel.common.errors import UserError

_HOST = re.compile(r"(?:[A-Za-z0-9._-]{1,253}|\[[0-9A-Fa-f:.]{2,45}\])(?::[0-9]{1,5})?")
TOKEN_HEADER = b"x-samuel-token"
_HEADERS = [
    (
        b"content-security-policy",
        b"default-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; "
        b"frame-ancestors 'none'; base-uri 'none'; form-action 'none'",
    ),
    (b"x-content-type-options", b"nosniff"),
    (b"referrer-policy", b"no-referrer"),
    (b"cross-origin-resource-policy", b"same-origin"),
    (b"cross-origin-opener-policy", b"same-origin"),
]


class Guard:
    """Middleware that refuses requests which do not come from the board's own page."""

    def __init__(self, app: ASGIApp, token: str, port: int, hosts: Sequence[str] = ()) -> None:
        for host in hosts:
            if not _HOST.fullmatch(host):
                raise UserError(
                    f"--host-name is a host and a port, such as localhost:9000, not {host!r:.80}"
                )
        self._app = app
        self._token = token.encode()
        names = ("127.0.0.1", "localhost", "[::1]")
        self._hosts = {f"{name}:{port}".encode() for name in names}
        self._hosts |= {host.lower().encode() for host in hosts}
        self._origins = {way + host for way in (b"http://", b"https://") for host in self._hosts}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on, or refuse it."""
        if scope["type"] == "lifespan":
            await self._app(scope, receive, send)
            return
        refusal = self._refusal(scope["path"], scope["headers"])
        if scope["type"] == "websocket" and not any(h == b"origin" for h, _ in scope["headers"]):
            refusal = "only pages may open a web socket"

        async def answer(message: Message) -> None:
            if message["type"] == "http.response.start":
                message["headers"] = [*message["headers"], *_HEADERS]
            await send(message)

        # no fault of the board: the page has left, or the board is stopped while it waits
        with contextlib.suppress(CancelledError, OSError, ClientDisconnect, WebSocketDisconnect):
            if not refusal:
                await self._app(scope, receive, answer if scope["type"] == "http" else send)
            elif scope["type"] == "http":
                await JSONResponse({"error": refusal}, 403)(scope, receive, answer)
            else:
                await send({"type": "websocket.close", "code": 1008})

    def _refusal(self, path: str, headers: Iterable[tuple[bytes, bytes]]) -> str:
        """Return why a request is refused, or nothing."""
        found: dict[bytes, Any] = {}
        for name, value in headers:
            found.setdefault(name.lower(), []).append(value)
        if found.get(b"host", []) == [] or not set(found[b"host"]) <= self._hosts:
            host = str(found.get(b"host", [b""])[0], "latin-1")
            shown = host if _HOST.fullmatch(host) else "HOST:PORT"
            return (
                "this host is not served here; where you have forwarded a port to it, start "
                f"samuel board with --host-name {shown}"
            )
        if not set(found.get(b"origin", [])) <= self._origins:
            return "pages of other origins may not ask here"
        if path.startswith("/api/"):
            tokens = found.get(TOKEN_HEADER, [])
            if len(tokens) != 1 or not hmac.compare_digest(tokens[0], self._token):
                return "the token is missing or wrong; open the address that samuel board printed"
        return ""
