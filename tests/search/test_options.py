"""Every method that must not change a score, on and off, alone and together, against minimax."""

from dataclasses import fields, replace
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from numba import int64, types

from samuel.common.errors import UserError
from samuel.games import Evaluator, Game, Position
from samuel.games.playing import random_positions
from samuel.kernels.jit import jit
from samuel.kernels.pointers import at as address
from samuel.models import load_evaluator
from samuel.search import AlphaBeta, SearchOptions, analyse, new_memory
from samuel.search.alphabeta.context import thaw
from samuel.search.alphabeta.options import NUMBERS
from samuel.search.alphabeta.table import EXACT, LOWER, UPPER
from samuel.search.method import SEARCHER
from samuel.search.score import INFINITY, SCORE_UNIT
from tests.minimax import minimax
from tests.rarely import rarely
from tests.search.test_alphabeta import GAMES, at, check_line, depth_of, noise

SCORE_CHANGING = {"correction"}
WITHOUT_EFFECT = {
    **dict.fromkeys(
        ("null_move", "check_extensions", "futility", "exchange"), "has no margin to prune by"
    ),
    **dict.fromkeys(("late_moves", "deeper_rows"), "is selective with ProbCut alone"),
    "candidates": "names no moves that are worth a search",
}
"""Options that have no effect in these games, and the reason."""
NAMES = [field.name for field in fields(SearchOptions) if field.name not in NUMBERS]
NEUTRAL = [name for name in NAMES if name not in SCORE_CHANGING]


def variants() -> dict[str, SearchOptions]:
    """Return no method, all, the usual ones, each alone, and all without each."""
    none = SearchOptions.none()
    every = replace(none, **dict.fromkeys(NEUTRAL, True))
    found = {"none": none, "all": every, "default": SearchOptions()}
    for name in [name for name in NEUTRAL if name not in WITHOUT_EFFECT]:
        found[f"only {name}"] = replace(none, **{name: True})
        found[f"all but {name}"] = replace(every, **{name: False})
    return found


VARIANTS = variants()


@pytest.mark.parametrize("name", WITHOUT_EFFECT)
def test_options_without_effect_in_a_game_are_refused(name: str) -> None:
    reason = f"^{name} has no effect in othello, .*{WITHOUT_EFFECT[name]}; leave it out$"
    for options in (SearchOptions(**{name: False}), replace(SearchOptions.none(), **{name: True})):
        with pytest.raises(UserError, match=reason):
            analyse(Position.start(GAMES[0]), "classic", depth=1, method=AlphaBeta(options))


@pytest.mark.parametrize(
    ("game", "kind", "number"),
    [
        (GAMES[0], "noise", 150),
        *(rarely(game, kind, 150) for game in GAMES for kind in ("noise", "classic")),
    ],
    ids=lambda value: getattr(value, "name", value),
)
def test_random_positions_score_as_by_minimax_with_every_option(
    game: Game, kind: str, number: int
) -> None:
    evaluator = noise(game) if kind == "noise" else load_evaluator(kind, game)
    memories = {
        name: new_memory(game, 2 if k % 2 else 12, 2, options)
        for k, (name, options) in enumerate(VARIANTS.items())
    }
    for k, row in enumerate(random_positions(game, number, seed=23)):
        position, depth = at(game, row), 1 + depth_of(game, k)
        expected = minimax(position, evaluator, depth)
        for shift, (name, memory) in enumerate(memories.items()):
            if kind == "noise" and (k + shift) % 8:
                continue  # the noisy evaluation is seen by every variant, on an eighth each
            memory.table[:] = 0
            result = analyse(position, evaluator, depth=depth, exact_from=0, memory=memory)
            assert result.score == expected, name
            if VARIANTS[name].pvs or not VARIANTS[name].table:
                check_line(position, evaluator, depth, result)
    for name, memory in memories.items():
        assert memory.contradictions == 0, name


@pytest.mark.parametrize("game", GAMES, ids=lambda game: game.name)
def test_threads_find_the_score_of_one(game: Game) -> None:
    evaluator = load_evaluator("classic", game)
    for number, row in enumerate(random_positions(game, 24, seed=4)):
        position, depth = at(game, row), 5 + number % 3
        one = analyse(position, evaluator, depth=depth, exact_from=0, table_bits=12)
        several = analyse(position, evaluator, depth=depth, exact_from=0, table_bits=12, threads=3)
        assert several.score == one.score
        assert several.depth == one.depth
        check_line(position, evaluator, depth, several)


@pytest.mark.parametrize("game", GAMES, ids=lambda game: game.name)
def test_all_moves_are_scored_as_by_minimax(game: Game) -> None:
    evaluator = load_evaluator("classic", game)
    for number, row in enumerate(random_positions(game, 30, seed=12)):
        position, depth = at(game, row), 1 + number % 4
        result = analyse(position, evaluator, depth=depth, exact_from=0, all_moves=True)
        assert result.moves is not None
        assert sorted(result.moves) == sorted(position.legal_moves())
        for move, score in result.moves.items():
            assert score == -minimax(position.play(move), evaluator, depth - 1, ply=1)
        scores = list(result.moves.values())
        assert all(one >= other for one, other in pairwise(scores))
        assert result.score == scores[0] == result.moves[result.move]


def test_evaluators_that_share_memory_do_not_share_scores() -> None:
    game = GAMES[0]
    memory = new_memory(game, 14, 4)
    for row in random_positions(game, 20, seed=8):
        position = at(game, row)
        for name in ("classic", "wpc", "classic"):
            evaluator = load_evaluator(name, game)
            kept = analyse(position, evaluator, depth=4, exact_from=0, memory=memory)
            assert kept.score == minimax(position, evaluator, 4), name


@jit
def _hopeful(position: Any, integers: Any, floats: Any) -> float:
    """Return that the side to move is eight discs ahead."""
    return np.float32(8)


@jit(types.void(SEARCHER, int64, int64, int64))
def teach(searcher: Any, score: int, alpha: int, beta: int) -> None:
    """Tell who listens of a search of the root in a window, eight plies deep."""
    frame = address(searcher, 0)
    thaw(frame).parts.learn(frame, int64(0), int64(8), score, alpha, beta)


@pytest.mark.parametrize(
    ("bound", "discs", "sign"),
    [(EXACT, 9, 1), (EXACT, 7, -1), (LOWER, 9, 1), (LOWER, 7, 0), (UPPER, 9, 0), (UPPER, 7, -1)],
)
def test_a_bound_corrects_what_it_contradicts(bound: int, discs: int, sign: int) -> None:
    game, evaluator = GAMES[0], Evaluator("hopeful", "othello", _hopeful)
    memory = new_memory(game, 2, 2, SearchOptions(correction=True))
    memory.positions[0] = Position.start().row
    score = discs * SCORE_UNIT
    window = score if bound == UPPER else -INFINITY, score if bound == LOWER else INFINITY
    teach(AlphaBeta().searcher(game, evaluator, memory), score, *window)
    assert set(np.sign(memory.corrections[memory.corrections != 0])) == {sign} - {0}
