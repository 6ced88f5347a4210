"""Random games in plain Python: a first look at a user's game, and what tells rules apart.

Faults that would otherwise corrupt memory become messages.
"""

from __future__ import annotations

import hashlib
import math
from contextlib import suppress

import numpy as np

from samuel.common.errors import UserError
from samuel.games.compiled import list_moves, list_outcomes, play_move
from samuel.games.draws import Past, end_after, past_after
from samuel.games.game import Game
from samuel.games.rules import CHANCE, CHECK, MAX_MOVE, OTHER, PASS, REVERSIBLE, SAME, Row

_DICE = "where dice are thrown, give Game(..., chance=Chance(outcomes, total))"
_STUCK = (
    "there are no moves though is_terminal is false: if the game is over, make is_terminal true; "
    "if the side must pass, legal_moves lists only PASS (samuel.games.PASS), and the "
    f"notation has passes=True; {_DICE}"
)
_GAMES, _GUARD, _SENTINEL = 20, 1024, np.int32(-77)
_LEFT_THERE = np.array([0x5AA5_5AA5_5AA5_5AA5, 0xA55A_A55A_A55A_A55A], np.uint64)
"""Words that stand in a child before `play` writes it, one and another time."""


def require_sound(game: Game, seed: int = 0) -> None:
    """Play a few random games and compare them with what the game says of itself."""
    random = np.random.default_rng(seed)
    if game.most_left < 1:
        raise _unsound(game, game.row(game.start), 0, "plies_left is 0 at the start")
    written: set[int] = set()
    for _ in range(_GAMES):
        row, side, ply = game.row(game.start), 0, 0
        past: Past = ()
        while not (game.is_over(row) or end_after(game, row, side, past)):
            moves = _moves(game, row, side)
            for move in {*moves.tolist()} - written:
                _require_text(game, row, side, move)
                written.add(move)
            if ply >= game.max_plies:
                raise _unsound(game, row, side, _endless(game, row))
            if game.left_in(row) < 0:
                raise _unsound(game, row, side, "plies_left is below 0")
            before = row
            row, turn = _child(game, row, side, int(random.choice(moves)))
            past = past_after(past, before, side, turn)
            side, ply = side if turn & SAME else 1 - side, ply + 1
        utility = game.utility_of(row) if game.is_over(row) else 0.0
        if not abs(utility) <= game.scores.max_utility:
            said = f"the result is {utility:g}, max_utility {game.scores.max_utility:g}"
            if math.isfinite(utility):
                said += f": give Game(..., scores=Scores(unit, {abs(utility):g})), or more"
            raise _unsound(game, row, side, said)


def rules_digest(game: Game) -> str:
    """Return 16 hexadecimal digits that tell rules from others: what random games come to."""
    random, seen = np.random.default_rng(1959), hashlib.sha256()
    for _ in range(_GAMES):
        row, side = game.row(game.start), 0
        past: Past = ()
        while not (game.is_over(row) or end_after(game, row, side, past)):
            moves, weights = game.playable_in(row), game.outcomes_in(row)[1]
            seen.update(row.tobytes() + moves.tobytes() + weights.tobytes())
            before = row
            row, turn = game.after(row, int(moves[int(random.random() * len(moves))]))
            past = past_after(past, before, side, turn)
            side = side if turn & SAME else 1 - side
            seen.update(b"" if turn == OTHER else bytes([turn]))
        seen.update(row.tobytes() + f"{game.utility_of(row):.6g}".encode())
    return seen.hexdigest()[:16]


def _moves(game: Game, row: Row, side: int) -> np.ndarray:
    """Return the legal moves, or outcomes, listed where writing too many does no harm."""
    moves, weights = np.full((2, game.max_moves + _GUARD), _SENTINEL, np.int32)
    n = list_outcomes(game.rules_of_play.outcomes, row, moves, weights)
    is_chance = n > 0
    if not is_chance:
        n = list_moves(game.rules_of_play.legal_moves, row, moves)
    if n > game.max_moves or np.any(moves[game.max_moves :] != _SENTINEL):
        said = (
            f"there are more than max_moves = {game.max_moves} moves: give Game(..., max_moves="
            f"{max(n, game.max_moves + 1)}), or more"
        )
        raise _unsound(game, row, side, said)
    if n <= 0:
        raise _unsound(game, row, side, _STUCK)
    if n > 1 and PASS in moves[:n]:
        raise _unsound(game, row, side, "a pass is listed together with other moves")
    if is_chance and (weights[:n].min() < 1 or weights[:n].sum() != game.chances):
        listed = weights[:n].tolist()
        said = f"the weights {listed} are none, or not {game.chances} in all (Chance)"
        raise _unsound(game, row, side, said)
    return moves[:n]


def _require_text(game: Game, row: Row, side: int, move: int) -> None:
    """Make sure that a listed move is in range, and has a text; a pass, one that is read."""
    if move == PASS:
        with suppress(UserError):
            if game.notation.read_move(game.notation.write_move(PASS)) == PASS:
                return
        said = (
            "the side must pass, and the notation reads no pass: give "
            "GridNotation(board, move_names, passes=True)"
        )
        raise _unsound(game, row, side, said)
    if not 0 <= move <= MAX_MOVE:
        raise _unsound(
            game, row, side, f"moves must be 0 to {MAX_MOVE}, or only a pass (got {move})"
        )
    try:
        game.notation.write_move(move)
    except Exception as error:  # whatever a user's notation may raise
        raised = f"write_move({move}) raises {type(error).__name__}: {error}"
        said = f"move {move} is listed, and the notation has no text for it: {raised}"
        raise _unsound(game, row, side, said) from error


def _endless(game: Game, row: Row) -> str:
    """Return what to say of a game that has not ended here."""
    said = f"max_plies = {game.max_plies} plies are played: give Game(...) a larger max_plies"
    if game.plies_left is not None:  # no position comes again
        return f"{said}; or plies_left, still {game.plies_left_in(row)} here, does not fall"
    rules = "" if game.has_draws else "give draws=DrawRules(repetitions=3), and "
    return (
        f"{said}; where positions come again, {rules}join REVERSIBLE to what play returns "
        "(OTHER | REVERSIBLE) for moves that lose nothing for good"
    )


def _child(game: Game, row: Row, side: int, move: int) -> tuple[Row, int]:
    """Return what `Game.after` does, written where writing too much does no harm."""
    children = np.tile(_LEFT_THERE, (game.words + _GUARD, 1)).T.copy()
    for child in children:
        turn = play_move(game.rules_of_play.play, row.copy(), move, child)
    if np.any(children[:, game.words :] != _LEFT_THERE[:, None]):
        said = f"play of move {move} writes more than the {game.words} words of a position"
        raise _unsound(game, row, side, said)
    after = children[0, : game.words].copy()
    unwritten = np.flatnonzero(after != children[1, : game.words])
    if len(unwritten):
        words = " and ".join(f"child[{word}]" for word in unwritten)
        said = f"play of move {move} does not write {words}, which then keeps an old value"
        raise _unsound(game, row, side, said)
    kinds = (OTHER, SAME, OTHER | CHANCE, SAME | CHANCE, OTHER | CHECK)
    if turn & ~REVERSIBLE not in kinds or (turn & CHECK and not turn & REVERSIBLE):
        raise _unsound(game, row, side, f"play of move {move} returns {turn}, which is not a turn")
    if bool(turn & CHANCE) != (len(game.outcomes_in(after)[0]) > 0):
        said = (
            f"play of move {move} and outcomes disagree whether chance is to move then: play "
            "returns OTHER | CHANCE, or SAME | CHANCE, exactly where outcomes lists some"
        )
        if game.chance is None:
            said = f"play of move {move} returns CHANCE: {_DICE}"
        raise _unsound(game, row, side, said)
    return after, turn


def _unsound(game: Game, row: Row, side: int, what: str) -> UserError:
    text = game.notation.write(tuple(map(int, row)), side)
    return UserError(f"the rules of {game.name} do not fit together: at {text}, {what}")
