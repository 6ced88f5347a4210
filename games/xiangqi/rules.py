"""The rules of xiangqi, or Chinese chess.

A side that cannot move has lost, in check or not. The generals may not face each other on an open
column. The third time that a position stands, and 120 plies without a capture, are draws; but if
one side alone gave check with every move since the position first stood, that side has lost.

words: for each kind of piece (general, advisor, elephant, horse, chariot, cannon, soldier) the
mover's, then the opponent's, two words each (squares.py); the last is 1 where the second player is
to move, who sees the board turned by half, while moves are named as everybody names the squares.
"""

from __future__ import annotations

from typing import Any

from numba import int64

from samuel.games.game import Game
from samuel.games.groups import (
    Defaults,
    DrawRules,
    Handmade,
    OutsideEngine,
    Progress,
    Scores,
    SearchRules,
    Turns,
)
from samuel.games.rules import CHECK, OTHER, REVERSIBLE, Row
from samuel.games.xiangqi.exchange import CROSSED, UNIT, WORTH, exchange, kind_at
from samuel.games.xiangqi.moves import (
    EVERYWHERE,
    OPPONENT,
    SECOND_TO_MOVE,
    WORDS_A_KIND,
    halves,
    is_in_check,
    list_legal,
    pieces_of,
    seen,
    turn,
)
from samuel.games.xiangqi.notation import START, XiangqiNotation
from samuel.games.xiangqi.squares import CANNON, CHARIOT, HIGH, HORSE, KINDS, LOW, NAMES, turned
from samuel.kernels.bits import ONE, ZERO, popcount
from samuel.kernels.jit import jit


def _opposed(weights: dict[str, tuple[float, ...]]) -> dict[str, tuple[float, ...]]:
    """Return weights of what either side has: the opponent's are the player's, negated."""
    return {f"{name}_player": numbers for name, numbers in weights.items()} | {
        f"{name}_opponent": tuple(-number for number in numbers)
        for name, numbers in weights.items()
    }


MATE = 100.0
"""A win, in pawns."""
_MATERIAL = {
    **{f"material_{NAMES[kind]}": (float(WORTH[kind]) / UNIT,) for kind in KINDS[1:]},
    **_opposed({"crossed": (CROSSED / UNIT,)}),
}
# At the end of the game and at its start, the small terms by hand. With few pieces left cannons
# have no screens and horses are not blocked.
_CLASSIC = {
    **{name: 2 * weights for name, weights in _MATERIAL.items()},
    "material_horse": (4.5, 4.0),
    "material_cannon": (4.25, 4.5),
    "mobility_horse": (0.15, 0.15),
    "mobility_chariot": (0.1, 0.1),
    "mobility_cannon": (0.05, 0.05),
    **_opposed({"bared": (-0.1, -0.1), "hollow_cannon": (0.5, 2.0)}),
}
EVALUATORS = {
    "classic": Handmade(
        "material, mobility and missing guards, weighted by hand",
        ("material", "crossed", "mobility", "bared", "hollow_cannon"),
        _CLASSIC,
    ),
    "material": Handmade("material only", ("material", "crossed"), _MATERIAL),
}


MOST_MOVES = 128
"""Two chariots and two cannons have 17 each at most, two horses 8, five soldiers 3, two advisors
and two elephants 4, and the general 4: 119."""
_PIECES = 32

ENGINES = (
    OutsideEngine(
        "Fairy-Stockfish",
        "uci[Skill Level={level}]:fairy-stockfish",
        "apt-get install fairy-stockfish",
        {f"level {level}": str(level) for level in (-10, -5, 0, 5, 10, 20)},
    ),
)

DEFAULTS = Defaults(
    title="Xiangqi",
    sides=("Red", "Black"),
    features_in="samuel.games.xiangqi.features",
    evaluators=EVALUATORS,
    engines=ENGINES,
    recipe="texel",
    # as in chess, scores teach more than the results of shallow games
    target="score",
    first="classic",
    pieces="material",
    opening_plies=6,
    depth=4,
    learn={
        **{"games": 4_000, "epsilon": 0.02, "last": 3, "gate_pairs": 500},
        **{"td_lambda": 0.3, "quiet_only": True},
    },
)


@jit
def legal_moves(position: Row, moves: Any) -> int:
    """List the moves that do not leave one's own general attacked."""
    return list_legal(position, EVERYWHERE, EVERYWHERE, moves)


@jit
def is_terminal(position: Row) -> bool:
    """Return whether the side to move cannot."""
    return list_legal(position, EVERYWHERE, EVERYWHERE, None) == 0


@jit
def utility(position: Row) -> float:
    """Return the result of a finished game: who cannot move has lost."""
    return -MATE


@jit
def play(position: Row, move: int, child: Row) -> int:
    """Move a piece, take what stands there, and turn the board."""
    start, end = seen(position, move)
    here, here_beyond = halves(start)
    there, there_beyond = halves(end)
    taken = ZERO
    for kind in KINDS:
        mine, theirs = WORDS_A_KIND * kind, WORDS_A_KIND * kind + OPPONENT
        low, high = position[mine + LOW], position[mine + HIGH]
        if (low & here) | (high & here_beyond) != ZERO:
            low, high = (low ^ here) | there, (high ^ here_beyond) | there_beyond
        child[theirs + LOW], child[theirs + HIGH] = turned(high), turned(low)
        low, high = position[theirs + LOW], position[theirs + HIGH]
        taken |= (low & there) | (high & there_beyond)
        child[mine + LOW], child[mine + HIGH] = (turned(high & ~there_beyond), turned(low & ~there))
    child[SECOND_TO_MOVE] = ONE ^ position[SECOND_TO_MOVE]
    if taken != ZERO:
        return OTHER
    return OTHER | REVERSIBLE | CHECK if is_in_check(child) else OTHER | REVERSIBLE


_CHECKS = 8
"""So many plies beyond the depth, checks are met."""


@jit
def noisy(position: Row, move: int, beyond: int, moves: Any) -> int:
    """List the captures; in check all moves, of which one has to be played."""
    if beyond < _CHECKS and is_in_check(position):
        return -legal_moves(position, moves)
    theirs, theirs_beyond = pieces_of(position, OPPONENT)
    return list_legal(position, theirs, theirs_beyond, moves)


@jit
def null_move(position: Row, child: Row) -> int:
    """Pass, where a side is not in check and has a chariot, a horse or a cannon; else return 0."""
    pieces = ZERO
    for kind in (CHARIOT, HORSE, CANNON):
        pieces |= position[WORDS_A_KIND * kind + LOW] | position[WORDS_A_KIND * kind + HIGH]
    if pieces == ZERO or is_in_check(position):
        return int64(0)
    turn(position, child)
    child[SECOND_TO_MOVE] = ONE ^ position[SECOND_TO_MOVE]
    return int64(1)


@jit
def progress(position: Row) -> int:
    """Return how many of the 32 pieces are gone."""
    low, high = pieces_of(position, 0)
    low_2, high_2 = pieces_of(position, OPPONENT)
    return _PIECES - popcount(low | low_2) - popcount(high | high_2)


@jit
def order(position: Row, moves: Any, n: int, hints: Any) -> None:
    """Rate captures by what is taken, and less by what takes it."""
    theirs, theirs_beyond = pieces_of(position, OPPONENT)
    for i in range(n):
        start, end = seen(position, moves[i])
        low, high = halves(end)
        hints[i] = 0
        if (low & theirs) | (high & theirs_beyond) != ZERO:
            by_low, by_high = halves(start)
            taken = WORTH[kind_at(position, OPPONENT, low, high)]
            hints[i] = 100 + 5 * taken - WORTH[kind_at(position, 0, by_low, by_high)] // 2


GAME = Game(
    name="xiangqi",
    start=START,
    legal_moves=legal_moves,
    play=play,
    is_terminal=is_terminal,
    utility=utility,
    plies_left=None,
    notation=XiangqiNotation(),
    max_moves=MOST_MOVES,
    max_plies=1000,
    scores=Scores("pawns", MATE, scale=6.0),
    turns=Turns(side_word=SECOND_TO_MOVE),
    progress=Progress(progress, _PIECES - 2),
    draws=DrawRules(repetitions=3, reversible_plies=120),
    search=SearchRules(
        order=order,
        noisy=noisy,
        in_check=is_in_check,
        null_move=null_move,
        exchange=exchange,
        margin=2.0,
    ),
    defaults=DEFAULTS,
)
