"""Random games in plain Python: a first look at a user's game, and what tells rules apart.

What would otherwise end in corrupted memory is said in words.
"""

from __future__ import annotations

import hashlib

import numpy as np

from samuel.errors import UserError
from samuel.games.interface import PASS, Game, Row, list_moves, play_move

_GAMES, _GUARD, _SENTINEL = 20, 1024, np.int32(-77)


def require_sound(game: Game, seed: int = 0) -> None:
    """Play a few random games and compare them with what the game says of itself.

    Raises
    ------
    UserError
        A position has more moves than `max_moves`, a game is longer than `max_plies`, moves and
        `is_terminal` disagree, a result is larger than `max_utility`, plies_left (or what progress
        leaves) is negative or 0 at the start, or `play` writes more words than a position has; the
        message names the position.
    """
    random = np.random.default_rng(seed)
    if game.most_left < 1:
        raise _unsound(game, game.row(game.start), 0, "nothing is left before the first move")
    for _ in range(_GAMES):
        row, ply = game.row(game.start), 0
        while not game.is_over(row):
            moves = _moves(game, row, ply)
            if ply >= game.max_plies:
                raise _unsound(game, row, ply, f"max_plies = {game.max_plies} plies are played")
            if game.left_in(row) < 0:
                raise _unsound(game, row, ply, "less than nothing is left")
            row, ply = _child(game, row, ply, int(random.choice(moves))), ply + 1
        utility = game.utility_of(row)
        if abs(utility) > game.max_utility:
            said = f"the result is {utility:g}, max_utility {game.max_utility:g}"
            raise _unsound(game, row, ply, said)


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


def _moves(game: Game, row: Row, ply: int) -> np.ndarray:
    """Return the legal moves, listed where writing too many does no harm."""
    moves = np.full(game.max_moves + _GUARD, _SENTINEL, np.int32)
    n = list_moves(game.rules_of_play.legal_moves, row, moves)
    if n > game.max_moves or np.any(moves[game.max_moves :] != _SENTINEL):
        said = f"there are more than max_moves = {game.max_moves} moves"
        raise _unsound(game, row, ply, said)
    if n <= 0:
        raise _unsound(game, row, ply, "there are no moves though is_terminal is false")
    if n > 1 and PASS in moves[:n]:
        raise _unsound(game, row, ply, "a pass is listed beside other moves")
    return moves[:n]


def _child(game: Game, row: Row, ply: int, move: int) -> Row:
    """Return the position after a move, written where writing too much does no harm."""
    child = np.zeros(game.words + _GUARD, np.uint64)
    play_move(game.rules_of_play.play, row, move, child)
    if child[game.words :].any():
        said = f"play of move {move} writes more than the {game.words} words of a position"
        raise _unsound(game, row, ply, said)
    return child[: game.words].copy()


def _unsound(game: Game, row: Row, ply: int, what: str) -> UserError:
    text = game.notation.write(tuple(map(int, row)), ply % 2)
    return UserError(f"the rules of {game.name} do not fit together: at {text}, {what}")
