"""The client of each protocol, imported when an address of it is met."""

from __future__ import annotations

import importlib

from samuel.arena.engines.address import Address
from samuel.arena.engines.engine import ANSWER_SECONDS, START_SECONDS, Engine
from samuel.arena.engines.process import EngineError, EngineTimeout
from samuel.common.errors import UserError
from samuel.games.game import Game

_CLIENTS = {
    "gtp": ("gtp", "GtpEngine"),
    "nboard": ("nboard", "NBoardEngine"),
    "gnubg": ("gnubg", "GnubgEngine"),
    "gomocup": ("gomocup", "GomocupEngine"),
    "uci": ("uci", "UciEngine"),
    "ucci": ("uci", "UcciEngine"),
}


def _client(address: Address) -> type[Engine]:
    module, name = _CLIENTS[address.protocol]
    client: type[Engine] = getattr(importlib.import_module(f"samuel.arena.engines.{module}"), name)
    return client


def require_game(address: Address, game: Game) -> None:
    """Raise UserError where the protocol of an address is not for a game."""
    _client(address).require_game(game)


def score_unit(address: Address, game: Game) -> str:
    """Return the unit of the scores that engines of an address tell; nothing where they do not."""
    require_game(address, game)
    return _client(address).score_unit


def open_engine(address: Address | str, timeout: float = START_SECONDS) -> Engine:
    """Start the engine at an address, such as `gtp:COMMAND`; see Address."""
    address = Address.parse(address) if isinstance(address, str) else address
    start = max(ANSWER_SECONDS, timeout)
    try:
        client = _client(address)
        return client(address.command, address.folder, address.start, start, address.settings)
    except EngineTimeout as error:
        raise UserError(
            f"no answer in the {address.protocol} protocol: {error}; for an engine that "
            f"starts slowly write {address.protocol}[start=300]:COMMAND, which gives it 300 s"
        ) from None
    except EngineError as error:
        raise UserError(f"the engine does not speak {address.protocol}: {error}") from None
