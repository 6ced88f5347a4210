"""Connections of the board's server that end in any case: slow, silent, too many, or no text."""

from __future__ import annotations

import asyncio
import codecs
from typing import Any

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol
from uvicorn.protocols.utils import ClientDisconnected
from uvicorn.protocols.websockets.websockets_sansio_impl import WebSocketsSansIOProtocol

from samuel.play.web import requests

MOST = 200
"""Connections at a time; a further one is closed at once."""


class _Watched(asyncio.Protocol):
    """A connection with one alarm, at which it is cut off; a full buffer of answers sets it."""

    _alarm: asyncio.TimerHandle | None = None

    def watch(self) -> None:
        """Begin to wait for something, if that has not begun."""
        if self._alarm is None:
            loop, transport = self.loop, self.transport  # type: ignore[attr-defined]
            self._alarm = loop.call_later(requests.TIMEOUT, transport.abort)

    def rest(self) -> None:
        """It has come."""
        if self._alarm is not None:
            self._alarm.cancel()
            self._alarm = None

    def connection_lost(self, exc: Exception | None) -> None:
        self.rest()
        super().connection_lost(exc)

    def pause_writing(self) -> None:
        self.watch()
        super().pause_writing()

    def resume_writing(self) -> None:
        self.rest()
        super().resume_writing()


class HttpConnection(_Watched, H11Protocol):
    """Requests over HTTP: each has to arrive whole, and its answer to be taken, in time."""

    def connection_made(self, transport: Any) -> None:  # noqa: D102
        super().connection_made(transport)
        if len(self.connections) > MOST:
            transport.abort()
        else:
            self.watch()

    def data_received(self, data: bytes) -> None:  # noqa: D102
        self.watch()
        super().data_received(data)
        if self.conn.their_state in (h11.DONE, h11.MUST_CLOSE):
            self.rest()

    def handle_websocket_upgrade(self, event: h11.Request) -> None:  # noqa: D102
        self.rest()
        super().handle_websocket_upgrade(event)

    def send_400_response(self, msg: str) -> None:  # noqa: D102
        if self.cycle is not None:  # its own answer is no longer wanted
            self.cycle.disconnected = True
            self.cycle.message_event.set()
        super().send_400_response(msg)

    def timeout_keep_alive_handler(self) -> None:  # noqa: D102
        self.watch()  # the last of an answer may still be on its way
        super().timeout_keep_alive_handler()


class WebSocketConnection(_Watched, WebSocketsSansIOProtocol):
    """Web sockets: text that is no UTF-8 closes one, and so does an answer that nobody takes."""

    _decoder: codecs.IncrementalDecoder | None = None

    def connection_made(self, transport: Any) -> None:  # noqa: D102
        super().connection_made(transport)
        self.close_timeout = requests.TIMEOUT

    async def send(self, message: Any) -> None:  # noqa: D102
        if self.close_sent:  # for what is no text, while an answer was on its way
            raise ClientDisconnected
        await super().send(message)

    def handle_text(self, event: Any) -> None:  # noqa: D102
        self._decoder = codecs.getincrementaldecoder("utf-8")()
        if self._is_text(event):
            super().handle_text(event)

    def handle_bytes(self, event: Any) -> None:  # noqa: D102
        self._decoder = None
        super().handle_bytes(event)

    def handle_cont(self, event: Any) -> None:  # noqa: D102
        if self._is_text(event):
            super().handle_cont(event)

    def _is_text(self, event: Any) -> bool:
        """Return whether a frame goes on as it should; close the connection where not."""
        try:
            if self._decoder is not None:
                self._decoder.decode(event.data, event.fin)
        except UnicodeDecodeError:
            if not self.close_sent:
                self.conn.send_close(1007)
                self.handle_parser_exception()
            return False
        return not self.transport.is_closing()

    def keepalive_timeout(self) -> None:  # noqa: D102
        super().keepalive_timeout()
        self.transport.abort()
