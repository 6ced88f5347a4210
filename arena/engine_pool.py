"""Running engines of this process: started when needed, kept for the next game, ended together."""

from __future__ import annotations

import atexit
import contextlib
import threading
from collections.abc import Iterator

from arena.engines import Engine, EngineError, open_engine

_idle: dict[str, list[Engine]] = {}
_busy: set[Engine] = set()
_closings = 0
_lock = threading.Lock()


def closings() -> int:
    """Return how often the engines of this process were ended."""
    return _closings


@contextlib.contextmanager
def borrowed(command: str, closed: int) -> Iterator[Engine]:
    """Yield a running engine that nobody else uses; it is kept unless the block raises.

    Parameters
    ----------
    command
        The engine's.
    closed
        `closings()` when the work began.

    Raises
    ------
    KeyboardInterrupt
        The engines were ended since: no more games are wanted.
    UserError
        It cannot be started.
    """
    with _lock:
        waiting = _idle.get(command)
        engine = waiting.pop() if waiting else None
    engine = engine or open_engine(command)
    with _lock:
        is_wanted = closed == _closings
        if is_wanted:
            _busy.add(engine)
    if not is_wanted:
        engine.close()
        raise KeyboardInterrupt
    try:
        yield engine
    except BaseException:
        with _lock:
            _busy.discard(engine)
        with contextlib.suppress(EngineError):
            engine.close()
        raise
    with _lock:
        _busy.discard(engine)
        is_wanted = closed == _closings
        if is_wanted:
            _idle.setdefault(command, []).append(engine)
    if not is_wanted:
        engine.close()


def close_engines() -> None:
    """End all engines of this process, those in mid-game too: their games fail."""
    global _closings
    with _lock:
        _closings += 1
        engines = [*_busy, *(engine for waiting in _idle.values() for engine in waiting)]
        _busy.clear()
        _idle.clear()
    for engine in engines:
        with contextlib.suppress(EngineError):
            engine.close()


atexit.register(close_engines)
