"""The routes of `samuel board`: the page, questions with an answer, and streams of lines.

A question is a POST with JSON, and its answer JSON; what cannot be answered is told with status
400. Partial results come through a web socket, until the page turns away.

Guard of the server: only its own page on this machine may ask.

A page of another origin can make a browser send requests here. It cannot know the token, which the
address that `samuel board` prints has behind its `#`, where browsers send it to nobody; and by a
name of its own that it lets mean 127.0.0.1 (DNS rebinding) it comes with another Host.
"""

from __future__ import annotations

import asyncio
import contextlib
import hmac
import logging
import re
import secrets
import socket
from asyncio import CancelledError
from collections.abc import AsyncGenerator, Callable, Iterable, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import anyio.to_thread
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request
from starlette.responses import FileResponse, HTMLResponse, JSONResponse, Response
from starlette.routing import Mount, Route, WebSocketRoute
from starlette.staticfiles import StaticFiles
from starlette.types import ASGIApp, Message, Receive, Scope, Send
from starlette.websockets import WebSocket, WebSocketDisconnect

from samuel.common.errors import UserError, printable
from samuel.play.web import analysis, requests
from samuel.play.web.library import Library
from samuel.play.web.state import AppState
from samuel.reports.html import STYLE, environment

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


PAGE = Path(__file__).parent / "page"
_TOGETHER = 2
"""Searches for analyses at a time."""
_MOST_STREAMS = 100
"""Web sockets that are answered at a time."""
_BAD, _TOO_LARGE = 400, 413
Stream = tuple[type[Any], Callable[[Any], AsyncGenerator[dict[str, Any]]]]


def make_app(library: Library, token: str, port: int, hosts: Sequence[str] = ()) -> Guard:
    """Return the application that serves a page at a port to whoever knows the token."""
    state, turns = AppState(library), analysis.Turns(_TOGETHER)
    answers: dict[str, tuple[type[Any], Callable[[Any], dict[str, Any]]]] = {
        "library": (requests.Nothing, lambda _: library.as_dict()),
        "view": (requests.View, state.view),
        "paste": (requests.Pasted, state.pasted),
        "throw": (requests.Game, state.thrown),
        "reply": (requests.Reply, state.reply),
        "hint": (requests.Reply, state.hint),
        "why": (requests.Why, state.why),
    }
    streams: dict[str, Stream] = {
        "analyse": (requests.Analysis, partial(analysis.scores_by_depth, state, turns)),
        "curve": (requests.Curve, partial(analysis.course, state, turns)),
    }
    source = (PAGE / "board.html").read_text(encoding="utf-8")
    board = environment().from_string(source).render(title="samuel board")
    routes = [
        Route("/", lambda _: HTMLResponse(board)),
        Route("/style.css", lambda _: FileResponse(STYLE)),
        *(
            Route(f"/api/{name}", _answering(kind, work), methods=["POST"])
            for name, (kind, work) in answers.items()
        ),
        WebSocketRoute("/live", _live(streams, token)),
        Mount("/page", StaticFiles(directory=PAGE)),
        # a link cannot send a header, so the token is in its address
        Route(f"/reports/{token}/{{path:path}}", partial(_report, library)),
    ]
    handlers: Any = {UserError: _refused, HTTPException: _http}
    return Guard(Starlette(routes=routes, exception_handlers=handlers), token, port, hosts)


def _report(library: Library, request: Request) -> Response:
    """Return a report of a folder; it runs apart from the board's page, and may ask it nothing."""
    path = library.report(request.path_params["path"])
    if path is None:
        raise HTTPException(404, "there is no such report; read the board's first page again")
    return FileResponse(path, headers={"content-security-policy": "sandbox allow-scripts"})


def serve(
    library: Library, port: int, say: Callable[[str], None], hosts: Sequence[str] = ()
) -> None:
    """Serve the page on this machine until interrupted."""
    import uvicorn

    from samuel.play.web import connections

    listening = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listening.bind(("127.0.0.1", port))
        listening.listen()  # who comes before all is ready waits
    except OSError as error:
        listening.close()
        raise UserError(
            f"cannot use port {port}: {error.strerror}; type --port 0 for any free one"
        ) from None
    port, token = listening.getsockname()[1], secrets.token_urlsafe(24)
    app = make_app(library, token, port, hosts)
    config = uvicorn.Config(
        app,
        log_level="error",
        timeout_graceful_shutdown=1,
        http=connections.HttpConnection,
        ws=connections.WebSocketConnection,
        ws_max_size=requests.MOST_BYTES,
        ws_per_message_deflate=False,
    )
    logging.getLogger("uvicorn.error").addFilter(_is_a_fault_of_ours)
    say(f"http://127.0.0.1:{port}/#{token}")
    uvicorn.Server(config).run(sockets=[listening])


def _is_a_fault_of_ours(record: logging.LogRecord) -> bool:
    """Return whether a log record is about an error in samuel, not about a connection."""
    return str(record.msg).startswith("Exception in ASGI application")


def _answering(kind: type[Any], work: Callable[[Any], dict[str, Any]]) -> Any:
    async def answer(request: Request) -> Response:
        wanted = requests.read(await _body(request), kind)
        found = await anyio.to_thread.run_sync(partial(work, wanted))
        return Response(requests.as_json(found), media_type="application/json")

    return answer


def _live(streams: dict[str, Stream], token: str) -> Any:
    """Return the talk with a page over a web socket: one question, and a line per result."""
    going: set[WebSocket] = set()

    async def talk(socket: WebSocket) -> None:
        await socket.accept()
        found: AsyncGenerator[dict[str, Any]] | None = None
        going.add(socket)
        try:
            if len(going) > _MOST_STREAMS:
                raise UserError(f"{_MOST_STREAMS} analyses are running already; stop some of them")
            wanted = requests.read(await _text(socket), requests.Live)
            if not hmac.compare_digest(wanted.token.encode(), token.encode()):
                raise UserError("the token is missing or wrong")
            if wanted.name not in streams:
                raise UserError(f"there is no stream called {wanted.name!r}")
            kind, work = streams[wanted.name]
            found = work(requests.read(bytes(wanted.body), kind))
            await _unless_left(socket, found)
        except UserError as error:
            await _say(socket, {"error": printable(str(error))})
        except WebSocketDisconnect:
            return
        finally:
            going.discard(socket)
            if found is not None:
                await found.aclose()
        with contextlib.suppress(WebSocketDisconnect, RuntimeError):  # it may just have left
            await socket.close()

    return talk


async def _unless_left(socket: WebSocket, found: AsyncGenerator[dict[str, Any]]) -> None:
    """Send every result until the page closes the socket."""

    async def tell() -> None:
        async for one in found:
            await _say(socket, one)

    telling, leaving = asyncio.create_task(tell()), asyncio.create_task(socket.receive())
    await asyncio.wait({telling, leaving}, return_when=asyncio.FIRST_COMPLETED)
    for task in (telling, leaving):
        task.cancel()
    with contextlib.suppress(asyncio.CancelledError):
        await telling


async def _text(socket: WebSocket) -> bytes:
    """Return the first message, if it is text and comes in time."""
    try:
        return (await asyncio.wait_for(socket.receive_text(), requests.TIMEOUT)).encode()
    except (KeyError, UnicodeError):
        raise UserError("the request cannot be read: it is not text") from None
    except TimeoutError:
        raise UserError(f"no request came within {requests.TIMEOUT:g} seconds") from None


async def _say(socket: WebSocket, content: dict[str, Any]) -> None:
    await socket.send_text(requests.as_json(content).decode())


async def _body(request: Request) -> bytes:
    """Return what was sent, if it is not too much."""
    content = b""
    try:
        async for chunk in request.stream():
            content += chunk
            if len(content) > requests.MOST_BYTES:
                raise HTTPException(_TOO_LARGE, "the request is too large")
    except ClientDisconnect:
        raise HTTPException(_BAD, "the request was cut off") from None
    return content


async def _refused(_request: Request, error: Exception) -> Response:
    return JSONResponse({"error": printable(str(error))}, _BAD)


async def _http(_request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    return JSONResponse({"error": str(error.detail)}, error.status_code, error.headers)
