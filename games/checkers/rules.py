"""The rules of checkers, or English draughts.

Men step and jump forward, kings one square either way; who can jump must, along any path but to its
end, and a man that comes to the last row ends its move there, crowned. A side that cannot move has
lost. Rules: World Checkers and Draughts Federation, "Rules of Draughts (Checkers)". The third time
that a position stands, and 40 moves of each side without a jump or a step of a man, are draws.

words: the men of the mover and of the opponent, their kings in the same order, and 1 where White is
to move, else 0: the board is turned by half then, so that one's men go up, while moves are named as
everybody numbers the squares. One capture by two paths is two moves.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import int64

from samuel.games.checkers.listing import (
    JUMPS_AT,
    KINGS,
    LAST,
    LAST_ROW,
    MEN,
    MOST_MOVES,
    PLACES,
    STEPS,
    STEPS_AT,
    THEIR_KINGS,
    THEIR_MEN,
    WHITES_TURN,
    all_of,
    can_jump,
    can_step,
    legal_moves,
    square_at,
    turned,
)
from samuel.games.checkers.lookahead import QUIESCENCE_RULES, jumps
from samuel.games.checkers.notation import CheckersNotation
from samuel.games.game import Game
from samuel.games.groups import (
    Defaults,
    DrawRules,
    Handmade,
    OutsideEngine,
    Progress,
    SearchRules,
    Turns,
)
from samuel.games.rules import OTHER, REVERSIBLE, Row
from samuel.kernels.bits import ONE, ZERO, bit, popcount
from samuel.kernels.jit import jit

# In results (1 is a win). A king is worth half as much again as a man, as A. Samuel's piece
# ratio has it (1959); the smaller weights are by hand, at the end of the game and at its start.
_MATERIAL = {
    "men_player": (0.12,),
    "men_opponent": (-0.12,),
    "kings_player": (0.18,),
    "kings_opponent": (-0.18,),
}
EVALUATORS = {
    "classic": Handmade(
        "material, advancement, back row and centre, weighted by hand",
        ("men", "kings", "exchange", "advancement", "back_row", "cent", "mob", "runaways"),
        {name: 2 * weights for name, weights in _MATERIAL.items()}
        | {
            "exchange": (0.3, 0.3),
            "advancement_player": (0.004, 0.002),
            "advancement_opponent": (-0.004, -0.002),
            "back_row_player": (0.0, 0.012),
            "back_row_opponent": (0.0, -0.012),
            "cent_player": (0.008, 0.008),
            "cent_opponent": (-0.008, -0.008),
            "mob_player": (0.004, 0.004),
            "mob_opponent": (-0.004, -0.004),
            "runaways_player": (0.015, 0.015),
            "runaways_opponent": (-0.015, -0.015),
        },
    ),
    "material": Handmade("men and kings only", ("men", "kings"), _MATERIAL),
    "pieces": Handmade(
        "A. Samuel's piece advantage (1959): kings are worth 3, men 2, and who is ahead trades",
        ("exchange",),
        {"exchange": (1.0,)},
    ),
}


FEATURES = (
    *("men", "kings", "advancement", "back_row", "runaways", "protected", "trapped_kings"),
    *("crownings", "takes", "tempo", "is_ahead", "exchange", "stuck"),
    *("adv", "apex", "back", "cent", "cntr", "corn", "cramp", "dia", "dyke", "expos", "gap"),
    *("guard", "hole", "kcent", "mob", "move", "node", "oreo", "pole", "thret"),
    "places",
)
"""Features that recipes read: neither the slow ones (games/checkers/features/terms.py) nor DIAV."""

TERMS = (
    *("adv", "apex", "back", "cent", "cntr", "corn", "cramp", "deny", "dia", "diav", "dyke"),
    *("exch", "expos", "fork", "gap", "guard", "hole", "kcent", "mob", "mobil", "has_move"),
    *("node", "oreo", "pole", "recap", "thret"),
    *(f"connective_{name}" for name in ("demo", "demmo", "ddemo", "ddmm")),
    *(f"connective_{name}" for name in ("mode1", "mode2", "mode3", "mode4")),
    *(f"connective_{name}" for name in ("moc1", "moc2", "moc3", "moc4")),
)
"""Samuel's 38 (1959, appendix C), as he lists them; `has_move` is his MOVE."""


def _blocks() -> tuple[str, ...]:
    """Return all blocks of three rows and four columns: six dark squares of five contents each."""
    found = []
    for top in range(6):
        for left in (0, 2, 4):
            squares = [
                f"{'abcdefgh'[column]}{8 - row}"
                for row in range(top, top + 3)
                for column in range(left, left + 4)
                if (row + column) % 2
            ]
            found.append(f"block {squares[0]}: {' '.join(squares)}")
    return tuple(found)


SHAPES = {"blocks": ("every block of three rows and four columns", _blocks())}


_STEPS = np.array(STEPS, np.int64)


ENGINES = (
    OutsideEngine(
        "Samuel 0.1.9",
        "gtp[depth={level}]:{root}/build/engines/bin/python -I "
        "{root}/benchmarks/checkers_program.py --no-book",
        "make engines",
        {f"depth {depth}": str(depth) for depth in (4, 8, 12)},
    ),
)
"""The checkers program of that name, not this project."""

DEFAULTS = Defaults(
    title="Checkers",
    sides=("Black", "White"),
    features_in="samuel.games.checkers.features",
    features=FEATURES,
    formats_in=("samuel.games.checkers.pdn",),
    evaluators=EVALUATORS,
    engines=ENGINES,
    shapes=SHAPES,
    recipe="network",
    first="classic",
    pieces="pieces",
    terms=TERMS,
    opening_plies=6,
    depth=4,
    generations=10,
    learn={"td_lambda": 0.8, "games": 2_000, "last": 8, "gate_pairs": 0},
    levels=(
        *((1, 4.0), (1, 0.9), (1, 0.45), (1, 0.15), (2, 0.16), (3, 0.15), (4, 0.12)),
        *((5, 0.0), (7, 0.0), (9, 0.0), (11, 0.0), (13, 0.0)),
    ),
)


@jit
def play(position: Row, move: int, child: Row) -> int:
    """Move a piece along its steps, take what it jumps, and crown it on the last row."""
    is_white = position[WHITES_TURN] != ZERO
    square, jumps, steps = square_at(move & (PLACES - 1)), move >> JUMPS_AT & 1, move >> STEPS_AT
    flip = int64(0)
    if is_white:
        square, flip = LAST - square, int64(2)
    start, taken = bit(square), ZERO
    while steps > 1:
        step = _STEPS[(steps & 3) ^ flip]
        if jumps:
            taken |= bit(square + step)
            square += step
        square += step
        steps >>= 2
    end, is_man = bit(square), position[MEN] & start != ZERO
    men, kings = position[MEN], position[KINGS]
    if is_man:
        men ^= start
        if end & LAST_ROW != ZERO:
            kings |= end
        else:
            men |= end
    else:
        kings = (kings ^ start) | end
    child[MEN], child[THEIR_MEN] = turned(position[THEIR_MEN] & ~taken), turned(men)
    child[KINGS], child[THEIR_KINGS] = turned(position[THEIR_KINGS] & ~taken), turned(kings)
    child[WHITES_TURN] = ZERO if is_white else ONE
    return OTHER if is_man or jumps else OTHER | REVERSIBLE


@jit
def is_terminal(position: Row) -> bool:
    """Return whether the side to move cannot."""
    mine, theirs, empty, kings = all_of(position)
    return not can_step(mine, empty, kings) and not can_jump(mine, theirs, empty, kings)


@jit
def utility(position: Row) -> float:
    """Return the result of a finished game: who cannot move has lost."""
    return -1.0


@jit
def progress(position: Row) -> int:
    """Return how many of the 24 pieces are gone."""
    pieces = position[MEN] | position[THEIR_MEN] | position[KINGS] | position[THEIR_KINGS]
    return 24 - popcount(pieces)


@jit
def order(position: Row, moves: Any, n: int, hints: Any) -> None:
    """Rate jumps by their length, then crownings, then steps of men by how far they are."""
    is_white = position[WHITES_TURN] != ZERO
    for i in range(n):
        move = int64(moves[i])
        steps = move >> STEPS_AT
        hints[i] = 0
        if move >> JUMPS_AT & 1:
            while steps > 1:
                hints[i] += 200
                steps >>= 2
        else:
            square = square_at(move & (PLACES - 1))
            if is_white:
                square = LAST - square
            if position[MEN] & bit(square) != ZERO:
                hints[i] = 100 if square >= 27 else square


_BLACK = sum(1 << k for k in range(13) if k != 8)
_WHITE = sum(1 << LAST - k for k in range(13) if k != 8)
GAME = Game(
    name="checkers",
    start=(_BLACK, _WHITE, 0, 0, 0),
    legal_moves=legal_moves,
    play=play,
    is_terminal=is_terminal,
    utility=utility,
    plies_left=None,
    notation=CheckersNotation(),
    max_moves=MOST_MOVES,
    max_plies=400,
    turns=Turns(side_word=WHITES_TURN),
    progress=Progress(progress, 24),
    draws=DrawRules(repetitions=3, reversible_plies=80),
    search=SearchRules(order=order, noisy=jumps, quiescence_rules=QUIESCENCE_RULES),
    defaults=DEFAULTS,
)
