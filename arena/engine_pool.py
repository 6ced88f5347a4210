"""Running engines of an event: started when needed, kept for the next game, ended together.

The client of each protocol, imported when an address of it is met.
"""

from __future__ import annotations

import contextlib
import functools
import importlib
import threading
import uuid
from collections.abc import Iterator, Sequence
from typing import Any

from samuel.arena.engines.address import Address
from samuel.arena.engines.engine import ANSWER_SECONDS, START_SECONDS, Engine
from samuel.arena.engines.process import EngineCrash, EngineError, EngineTimeout
from samuel.common.errors import UserError
from samuel.games.position import Position
from samuel.search.limits import Limits

_CLIENTS = {
    "gtp": ("gtp", "GtpEngine"),
    "nboard": ("nboard", "NBoardEngine"),
    "gnubg": ("gnubg", "GnubgEngine"),
    "gomocup": ("gomocup", "GomocupEngine"),
    "uci": ("uci", "UciEngine"),
    "ucci": ("uci", "UcciEngine"),
}


def client_of(address: Address) -> type[Engine]:
    """Return the client of the protocol of an address."""
    module, name = _CLIENTS[address.protocol]
    client: type[Engine] = getattr(importlib.import_module(f"samuel.arena.engines.{module}"), name)
    return client


def open_engine(address: Address | str, timeout: float = START_SECONDS) -> Engine:
    """Start the engine at an address, such as `gtp:COMMAND`; see Address."""
    address = Address.parse(address) if isinstance(address, str) else address
    start = max(ANSWER_SECONDS, timeout)
    try:
        client = client_of(address)
        return client(address.command, address.folder, address.start, start, address.settings)
    except EngineTimeout as error:
        raise UserError(
            f"no answer in the {address.protocol} protocol: {error}; for an engine that "
            f"starts slowly write {address.protocol}[start=300]:COMMAND, which gives it 300 s"
        ) from None
    except EngineError as error:
        raise UserError(f"the engine does not speak {address.protocol}: {error}") from None


_started: set[tuple[str, Address]] = set()
"""Events and the engines that this process has started for them, whatever the pool."""


class EnginePool:
    """The engines of an event, or of a task of it in another process; safe among threads."""

    # An engine serves the same limits for life: it is told those that there are, but no protocol
    # has words for those that there are no more.

    def __init__(
        self, timeout: float = START_SECONDS, event: str = "", *, is_at_home: bool = True
    ) -> None:
        self._timeout, self._is_at_home = timeout, is_at_home
        self._event = event or uuid.uuid4().hex
        self._idle: dict[tuple[Address, Limits], list[Engine]] = {}
        self._busy: set[Engine] = set()
        self._is_closed = False
        self._lock = threading.Lock()

    def __reduce__(self) -> tuple[Any, ...]:
        return functools.partial(EnginePool, is_at_home=False), (self._timeout, self._event)

    @property
    def is_closed(self) -> bool:
        """True if its engines were ended: no more games are wanted."""
        return self._is_closed

    @contextlib.contextmanager
    def for_task(self) -> Iterator[EnginePool]:
        """Yield the pool for a task: this one at home; elsewhere one that ends with the task."""
        # Nobody tells other processes of the event's end, and they may outlive it.
        if self._is_at_home:
            yield self
            return
        pool = EnginePool(self._timeout, self._event)
        try:
            yield pool
        finally:
            pool.close()

    @contextlib.contextmanager
    def borrowed(self, address: Address, limits: Limits) -> Iterator[Engine]:
        """Yield a running engine that nobody else uses; it is kept unless the block raises."""
        engine = self._taken(address, limits)
        try:
            yield engine
        except BaseException:
            with self._lock:
                self._busy.discard(engine)
            _end(engine)
            raise
        with self._lock:
            self._busy.discard(engine)
            if not self._is_closed:
                self._idle.setdefault((address, limits), []).append(engine)
                return
        _end(engine)

    def begin(self, engine: Engine, start: Position, opening: Sequence[int] = ()) -> None:
        """Set up a game; an engine that has left after its last one is started again."""
        try:
            engine.begin(start, opening)
        except EngineCrash:
            self.restart(engine)
            engine.begin(start, opening)

    def restart(self, engine: Engine) -> None:
        """Give a borrowed engine a new process."""
        if self._is_closed:
            raise KeyboardInterrupt
        try:
            engine.restart()
        except UserError as error:
            raise EngineCrash(str(error)) from None
        if self._is_closed:  # in the meantime, and closing has ended the process before
            _end(engine)
            raise KeyboardInterrupt

    def close(self) -> None:
        """End its engines, those in mid-game too, and lend no more. Closing twice is fine."""
        with self._lock:
            self._is_closed = True
            engines = [*self._busy, *(engine for idle in self._idle.values() for engine in idle)]
            self._busy.clear()
            self._idle.clear()
        for engine in engines:
            _end(engine)

    def _taken(self, address: Address, limits: Limits) -> Engine:
        """Return an engine for the borrower alone, started where none is idle."""
        with self._lock:
            idle = self._idle.get((address, limits))
            engine = idle.pop() if idle else None
            if engine is not None:
                self._busy.add(engine)
                return engine
        if self._is_closed:
            raise KeyboardInterrupt
        engine = self._opened(address)
        with self._lock:
            if not self._is_closed:
                self._busy.add(engine)
                return engine
        _end(engine)
        raise KeyboardInterrupt

    def _opened(self, address: Address) -> Engine:
        """Start an engine; failing is its own fault only where it has started before."""
        try:
            engine = open_engine(address, self._timeout)
        except UserError as error:
            if (self._event, address) in _started:
                raise EngineCrash(str(error)) from None
            raise
        _started.add((self._event, address))
        return engine


def _end(engine: Engine) -> None:
    with contextlib.suppress(EngineError):
        engine.close()
