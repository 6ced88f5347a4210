"""Random games in plain Python: a first look at a user's game, and what tells rules apart.

What would otherwise end in corrupted memory is said in words.
"""

from __future__ import annotations

import hashlib

import numpy as np

from samuel.errors import UserError
from samuel.games.abi import PASS, Game, Row, list_moves

_GAMES, _GUARD, _SENTINEL = 20, 1024, np.int32(-77)


def require_sound(game: Game, seed: int = 0) -> None:
    """Play a few random games and compare them with what the game says of itself.

    Raises
    ------
    UserError
        A position has more moves than `max_moves`, a game is longer than `max_plies`, moves and
        `is_terminal` disagree, a result is larger than `max_utility`, or `remaining` is negative.
    """
    random = np.random.default_rng(seed)
    for _ in range(_GAMES):
        row, plies = game.row(game.start), 0
        while not game.is_over(row):
            moves = _moves(game, row)
            if plies >= game.max_plies:
                raise _unsound(game, f"a game lasted more than max_plies = {game.max_plies} plies")
            if game.remaining_in(row) < 0:
                raise _unsound(game, "remaining was negative")
            row, plies = game.child_of(row, int(random.choice(moves))), plies + 1
        if abs(game.utility_of(row)) > game.max_utility:
            raise _unsound(
                game, f"a result was {game.utility_of(row):g}, max_utility is {game.max_utility:g}"
            )


def rules_digest(game: Game) -> str:
    """Return 16 hexadecimal digits that tell rules from others: what random games come to."""
    random, seen = np.random.default_rng(1959), hashlib.sha256()
    for _ in range(_GAMES):
        row = game.row(game.start)
        while not game.is_over(row):
            moves = game.moves_in(row)
            seen.update(row.tobytes() + moves.tobytes())
            row = game.child_of(row, int(moves[int(random.random() * len(moves))]))
        seen.update(row.tobytes() + f"{game.utility_of(row):.6g}".encode())
    return seen.hexdigest()[:16]


def _moves(game: Game, row: Row) -> np.ndarray:
    """Return the legal moves, listed where writing too many does no harm."""
    moves = np.full(game.max_moves + _GUARD, _SENTINEL, np.int32)
    n = list_moves(game.rules_of_play.legal_moves, row, moves)
    if n > game.max_moves or np.any(moves[game.max_moves :] != _SENTINEL):
        raise _unsound(game, f"a position had more than max_moves = {game.max_moves} moves")
    if n <= 0:
        raise _unsound(game, "a position had no moves though is_terminal was false")
    if n > 1 and PASS in moves[:n]:
        raise _unsound(game, "a pass was listed beside other moves")
    return moves[:n]


def _unsound(game: Game, what: str) -> UserError:
    return UserError(f"the rules of {game.name} do not fit together: {what}")
