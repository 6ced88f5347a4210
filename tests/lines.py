"""Random lines of a game, along which states are updated and compared with states made anew."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from typing import Any, NamedTuple, get_args

import numpy as np
from numba import int64, types, uint64
from sklearn.linear_model import Ridge
from sklearn.pipeline import make_pipeline

from samuel.features import Features, feature_names
from samuel.games.board import MOVER
from samuel.games.changes import board_of
from samuel.games.evaluator import Evaluator
from samuel.games.game import Game
from samuel.games.playing import (
    GAME_STATE,
    GameState,
    advance,
    begin,
    draw,
    is_chances_turn,
    listed,
    mover,
    new_game_state,
    random_positions,
)
from samuel.games.rules import EVALUATE, EVALUATE_STATE, REFRESH, ROW, RULES, UPDATE, Rules
from samuel.kernels.bits import below, seed_stream
from samuel.kernels.jit import jit
from samuel.kernels.pointers import Pointer, at, copy, offset
from samuel.kernels.records import allocate, array, array_type, entry, number, record, to_pointers
from samuel.models.compiled.sums import SumModel
from samuel.models.convert import compiled_model
from samuel.models.nnue.shape import Activation
from tests.networks import random_network

LONGEST = 200
"""Plies of a line at most."""
_FRESH, _JUMPED, _ROWS = LONGEST + 3, LONGEST + 4, LONGEST + 5
"""Rows behind the longest line and two plies of a branch: for what is made anew, for what is
updated from a position long before; and how many there are."""


class Counts(NamedTuple):
    """Numbers of states that were compared.

    Attributes
    ----------
    compared
        All.
    wrong
        Those that differed in a bit, or gave another score.
    behind
        Those that were updated over two or more plies since the last one that was asked for.
    passed
        Those behind a pass of the search, and one ply after it.
    thrown
        Those behind a throw of dice.
    again
        Those where the side that has moved moves again.
    """

    compared: int
    wrong: int
    behind: int
    passed: int
    thrown: int
    again: int


_COMPARED, _WRONG, _BEHIND, _PASSED, _THROWN, _AGAIN = range(len(Counts._fields))


@record
class Followed(NamedTuple):
    """An evaluator with a state, and room for the positions of a line with their states."""

    evaluate: Any = entry(EVALUATE, "returns the score of a position")
    refresh: Any = entry(REFRESH, "writes a state")
    update: Any = entry(UPDATE, "writes a state behind another")
    evaluate_state: Any = entry(EVALUATE_STATE, "returns the score by a state")
    integers: Pointer = array(types.int32, ("integers",), "parameters")
    floats: Pointer = array(types.float32, ("floats",), "parameters, and room")
    rows: Pointer = array(uint64, ("rows",), "a position and its state behind one another")
    counts: Pointer = array(int64, (len(Counts._fields),), "see Counts")
    words: int = number("words of a position")
    size: int = number("words of a state")


_TYPE = array_type(Followed)


@jit
def _row(its: Followed, k: int) -> Pointer:
    """Return the position of row k."""
    return offset(its.rows, k * (its.words + its.size))


@jit
def _state(its: Followed, k: int) -> Pointer:
    """Return the state of row k."""
    return offset(_row(its, k), its.words)


@jit
def _update(its: Followed, before: int, after: int) -> None:
    """Write the state of a row from that of another."""
    its.update(
        *(_row(its, before), _row(its, after), its.integers, its.floats),
        *(_state(its, before), _state(its, after)),
    )


@jit
def _compare(its: Followed, k: int) -> None:
    """Compare the state of row k, and its score, with those made anew."""
    position, state, fresh = _row(its, k), _state(its, k), _state(its, int64(_FRESH))
    its.refresh(position, its.integers, its.floats, fresh)
    wrong = int64(0)
    for word in range(its.size):
        if state[word] != fresh[word]:
            wrong = int64(1)
    score = its.evaluate_state(position, its.integers, its.floats, state)
    if score != its.evaluate(position, its.integers, its.floats):
        wrong = int64(1)
    its.counts[_COMPARED] += 1
    its.counts[_WRONG] += wrong


@jit
def _follow(its: Followed, known: int, ply: int) -> None:
    """Update states from ply `known` on, as a search does that was not asked between."""
    for k in range(known, ply):
        _update(its, k, k + 1)
    _compare(its, ply)
    its.counts[_BEHIND] += int64(ply > known + 1)


@jit
def _pass(rules: Rules, its: Followed, state: GameState, ply: int) -> None:
    """Follow a pass of the search, and a random move after it."""
    passed, child = _row(its, ply + 1), _row(its, ply + 2)
    if rules.null_move(_row(its, ply), passed) == 0:
        return
    _follow(its, ply, ply + 1)
    its.counts[_PASSED] += 1
    n = rules.legal_moves(passed, state.moves)
    if n > 0:
        rules.play(passed, int64(state.moves[below(state.stream, n)]), child)
        _follow(its, ply + 1, ply + 2)
        its.counts[_PASSED] += 1


@jit
def _line(rules: Rules, its: Followed, state: GameState, start: Pointer) -> None:
    """Play a random line, and compare states along it."""
    begin(rules, state, start, int64(0))
    copy(_row(its, int64(0)), state.position, its.words)
    its.refresh(_row(its, int64(0)), its.integers, its.floats, _state(its, int64(0)))
    known = ply = int64(0)
    length = 1 + below(state.stream, int64(LONGEST))
    while ply < length:
        n, throws, side = listed(rules, state), is_chances_turn(state), mover(state)
        if n == 0:
            break
        move = draw(rules, state) if throws else int64(state.moves[below(state.stream, n)])
        advance(rules, state, move)
        ply += 1
        copy(_row(its, ply), state.position, its.words)
        its.counts[_THROWN] += int64(throws)
        its.counts[_AGAIN] += int64(not throws and mover(state) == side)
        if below(state.stream, int64(2)) == 0:
            continue
        _follow(its, known, ply)
        known = ply
        if not is_chances_turn(state) and not rules.is_terminal(state.position):
            _pass(rules, its, state, ply)
        before = below(state.stream, ply + 1)  # any position of the line, as after a stopped search
        copy(_row(its, int64(_JUMPED)), state.position, its.words)
        _update(its, before, int64(_JUMPED))
        _compare(its, int64(_JUMPED))
    if known < ply:
        _follow(its, known, ply)


@jit(types.void(RULES, ROW, GAME_STATE, _TYPE, int64, int64))
def _lines(
    rules: Rules, start: Any, game_state: GameState, arrays: Followed, lines: int, seed: int
) -> None:
    state, its = to_pointers(game_state), to_pointers(arrays)
    for line in range(lines):
        seed_stream(state.stream, seed, line)
        _line(rules, its, state, at(start, 0))


def followed_lines(game: Game, evaluator: Evaluator, lines: int, seed: int = 1) -> Counts:
    """Play random lines with an evaluator that has a state, and return what was compared."""
    incremental = evaluator.incremental
    assert incremental is not None
    _, integers, floats = evaluator.evaluation()
    size = int(incremental.size)
    followed = allocate(
        Followed,
        {"rows": _ROWS * (game.words + size)},
        evaluate=evaluator.entry_point,
        refresh=incremental.refresh,
        update=incremental.update,
        evaluate_state=incremental.evaluate_state,
        integers=integers,
        floats=floats,
        words=game.words,
        size=size,
    )
    _lines(game.rules_of_play, game.row(game.start), new_game_state(game), followed, lines, seed)
    return Counts(*map(int, followed.counts))


def king_of(game: Game) -> str:
    """Return K, or the sign of the last kind of piece; "" where a side has one kind alone."""
    signs = [one.signs[0] for one in board_of(game).kept if one.whose == MOVER]
    return "" if len(signs) == 1 else "K" if "K" in signs else signs[-1]


def areas_in(game: Game) -> list[int]:
    """Return areas that are scattered over the board, three of them."""
    return [(5 * square // 3) % 3 for square in range(len(board_of(game).squares))]


def evaluators_with_states(game: Game) -> Iterator[tuple[str, Evaluator]]:
    """Return an evaluator of each form that has a state, with a line about it."""
    kings = list(dict.fromkeys(["", king_of(game)]))
    for hidden, activation, buckets, king in itertools.product(
        ((), (16,), (16, 8)), get_args(Activation), (1, 3), kings
    ):
        name = f"nnue {hidden} {activation} buckets={buckets} king={king}"
        yield name, random_network(game, 16, hidden, activation, buckets, king).evaluator("x")
    for about, areas in {"rows": 3, "scattered": areas_in(game)}.items():
        if kings[-1] and board_of(game).rows >= 3:
            network = random_network(game, 16, king=kings[-1], areas=areas)
            yield f"nnue () king={kings[-1]} areas={about}", network.evaluator("x")
    if names := feature_names(game.name):
        rows = random_positions(game, 50, seed=1)
        fitted = make_pipeline(Features(names, game.name), Ridge()).fit(rows, np.arange(50.0))
        linear = compiled_model(fitted)
        assert linear is not None
        yield (
            "linear-nnue",
            SumModel((linear, random_network(game, 16, king=kings[0], seed=2))).evaluator("x"),
        )
