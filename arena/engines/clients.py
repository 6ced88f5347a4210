"""The client of each protocol, imported when an address of it is met."""

from __future__ import annotations

import importlib

from samuel.arena.engines.address import Address
from samuel.arena.engines.engine import ANSWER_SECONDS, START_SECONDS, Engine
from samuel.arena.engines.process import EngineError, EngineTimeout
from samuel.common.errors import UserError

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
