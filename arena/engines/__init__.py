"""Outside engines as players, and this project's evaluators as engines for others' boards.

`open_engine("gtp:COMMAND")` and `open_engine("nboard:COMMAND")` start a program that speaks the
Go Text Protocol or the NBoard protocol. The other way round, `GtpServer` and `NBoardServer` answer
what boards such as Quarry and NBoard ask (`samuel gtp`, `samuel nboard`).
"""

from __future__ import annotations

from samuel.arena.engines.engine import Clock, Engine
from samuel.arena.engines.failures import (
    EngineCrash,
    EngineError,
    EngineIllegalMove,
    EngineProtocolError,
    EngineResigned,
    EngineTimeout,
)
from samuel.arena.engines.gtp import GtpEngine
from samuel.arena.engines.nboard import NBoardEngine
from samuel.arena.engines.process import end_all
from samuel.errors import UserError

__all__ = [
    "Clock",
    "Engine",
    "EngineCrash",
    "EngineError",
    "EngineIllegalMove",
    "EngineProtocolError",
    "EngineResigned",
    "EngineTimeout",
    "GtpEngine",
    "NBoardEngine",
    "end_all",
    "is_engine",
    "open_engine",
]

PROTOCOLS: dict[str, type[Engine]] = {"gtp": GtpEngine, "nboard": NBoardEngine}


def is_engine(name: str) -> bool:
    """Return whether a player's name stands for an outside engine."""
    return name.partition(":")[0] in PROTOCOLS and ":" in name


def open_engine(name: str) -> Engine:
    """Start the engine that `name` says: the protocol, a colon and the command that runs it.

    Raises
    ------
    UserError
        The name is not so, there is no such program, or it is no such engine.
    """
    protocol, _, command = name.partition(":")
    if not is_engine(name) or not command.strip():
        raise UserError(
            f"{name!r} names no engine; write gtp: or nboard: and the command that runs it, "
            "such as 'gtp:gtp-rhino --level=5'"
        )
    try:
        return PROTOCOLS[protocol](command)
    except EngineError as error:
        raise UserError(f"not an engine that speaks {protocol}: {error}") from None
