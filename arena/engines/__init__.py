"""Outside engines as players, and this project's evaluators as engines for others' boards.

`open_engine("gtp:COMMAND")` and `open_engine("nboard:COMMAND")` start a program that speaks the
Go Text Protocol or the NBoard protocol. The other way round, `GtpServer` and `NBoardServer` answer
what boards such as Quarry and NBoard ask (`samuel gtp`, `samuel nboard`).
"""

from __future__ import annotations

from samuel.arena.engines.address import Address, is_engine, require_no_slip
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
    "Address",
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
    "require_no_slip",
]

_CLIENTS: dict[str, type[Engine]] = {"gtp": GtpEngine, "nboard": NBoardEngine}


def open_engine(name: str) -> Engine:
    """Start the engine that `name` says: `gtp:COMMAND` or `nboard:COMMAND`; see Address.

    Raises
    ------
    UserError
        The name is not so, there is no such program, or it is no such engine.
    """
    address = Address.parse(name)
    try:
        return _CLIENTS[address.protocol](address.command, address.folder, address.start)
    except EngineError as error:
        raise UserError(f"not an engine that speaks {address.protocol}: {error}") from None
