"""Outside engines as players, and this project's evaluators as engines for others' boards."""

from __future__ import annotations

from samuel.arena.engines.address import Address, is_engine, require_no_slip
from samuel.arena.engines.engine import ANSWER_SECONDS, START_SECONDS, Clock, Engine
from samuel.arena.engines.gnubg import GnubgEngine
from samuel.arena.engines.gomocup import GomocupEngine
from samuel.arena.engines.gtp import GtpEngine
from samuel.arena.engines.nboard import NBoardEngine
from samuel.arena.engines.process import (
    EngineCrash,
    EngineError,
    EngineIllegalMove,
    EngineProtocolError,
    EngineResigned,
    EngineTimeout,
    end_all,
)
from samuel.arena.engines.uci import UcciEngine, UciEngine
from samuel.common.errors import UserError
from samuel.games.interface import Game

__all__ = [
    "START_SECONDS",
    "Address",
    "Clock",
    "Engine",
    "EngineCrash",
    "EngineError",
    "EngineIllegalMove",
    "EngineProtocolError",
    "EngineResigned",
    "EngineTimeout",
    "GnubgEngine",
    "GomocupEngine",
    "GtpEngine",
    "NBoardEngine",
    "UcciEngine",
    "UciEngine",
    "end_all",
    "is_engine",
    "open_engine",
    "require_game",
    "require_no_slip",
    "score_unit",
]

_CLIENTS: dict[str, type[Engine]] = {
    "gtp": GtpEngine,
    "nboard": NBoardEngine,
    "gnubg": GnubgEngine,
    "gomocup": GomocupEngine,
    "uci": UciEngine,
    "ucci": UcciEngine,
}


def require_game(address: Address, game: Game) -> None:
    """Raise UserError where the protocol of an address is not for a game."""
    _CLIENTS[address.protocol].require_game(game)


def score_unit(address: Address, game: Game) -> str:
    """Return the unit of the scores that engines of an address tell; nothing where they do not."""
    require_game(address, game)
    return _CLIENTS[address.protocol].score_unit


def open_engine(name: str, timeout: float = START_SECONDS) -> Engine:
    """Start the engine that `name` says, `gtp:COMMAND` for one; see Address."""
    address = Address.parse(name)
    start = max(ANSWER_SECONDS, timeout)
    try:
        client = _CLIENTS[address.protocol]
        return client(address.command, address.folder, address.start, start, address.settings)
    except EngineTimeout as error:
        raise UserError(
            f"no answer in the {address.protocol} protocol: {error}; for an engine that "
            f"starts slowly write {address.protocol}[start=300]:COMMAND, which gives it 300 s"
        ) from None
    except EngineError as error:
        raise UserError(f"the engine does not speak {address.protocol}: {error}") from None
