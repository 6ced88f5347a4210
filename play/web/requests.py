"""Requests of a page: every request is one of these, and nothing in it is out of bounds."""

from __future__ import annotations

from typing import Annotated, Any, TypeVar

import msgspec
from msgspec import Meta, Struct

from samuel.common.errors import UserError

MOST_BYTES = 200_000
"""Largest request."""
TIMEOUT = 10.0
"""Seconds in which a request has to arrive, and its answer to be taken."""
MOST_MOVES = 3_000
Name = Annotated[str, Meta(max_length=200)]
Text = Annotated[str, Meta(max_length=20_000)]
Moves = Annotated[list[Annotated[str, Meta(max_length=60)]], Meta(max_length=MOST_MOVES)]
Number = Annotated[int, Meta(ge=0, le=1_000_000_000)]
T = TypeVar("T")


class Game(Struct, forbid_unknown_fields=True, kw_only=True):
    """A game: where it begins (the usual start where empty), and what was played."""

    game: Name
    start: Text = ""
    moves: Moves = []


class View(Game, kw_only=True):
    """A game to show, and moves that were taken back, to be named."""

    ahead: Moves = []


class Pasted(Struct, forbid_unknown_fields=True, kw_only=True):
    """A position, or a transcript, as text."""

    game: Name
    text: Text


class Reply(Game, kw_only=True):
    """A move wanted of an evaluator at a level."""

    evaluator: Name
    level: Annotated[int, Meta(ge=1, le=100)] = 10
    method: Name = "alphabeta"


class Analysis(Game, kw_only=True):
    """Scores of all moves by several evaluators, deeper and deeper."""

    evaluators: Annotated[list[Name], Meta(min_length=1, max_length=4)]
    depth: Annotated[int, Meta(ge=1, le=60)] = 12


class Curve(Game, kw_only=True):
    """Score of each position of a game, from a ply on."""

    evaluator: Name
    depth: Annotated[int, Meta(ge=1, le=20)] = 6
    since: Number = 0


class Why(Game, kw_only=True):
    """Parts of a score, or the differences between two moves."""

    evaluator: Name
    first: Name = ""
    second: Name = ""


class Live(Struct, forbid_unknown_fields=True, kw_only=True):
    """First message of a web socket: token, stream, and question."""

    token: Name
    name: Name
    body: msgspec.Raw


class Nothing(Struct, forbid_unknown_fields=True):
    """Request without fields."""


def read(content: bytes, kind: type[T]) -> T:
    """Return a request of a kind from JSON."""
    try:
        return msgspec.json.decode(content, type=kind)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise UserError(f"the request cannot be read: {error}") from None


def as_json(content: Any) -> bytes:
    """Return an answer; what JSON has no number for is null."""
    from samuel.common.json_files import plain

    return msgspec.json.encode(plain(content))
