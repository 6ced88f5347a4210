"""Checks of an evaluator."""

from __future__ import annotations

import functools
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from samuel.common.errors import UserError
from samuel.games import Evaluator, Game, Position
from samuel.games.evaluator import Incremental
from samuel.kernels.jit import jit
from samuel.kernels.pointers import at
from samuel.models import evaluate
from samuel.search import SearchOptions, analyse
from samuel.search.reference.node import PositionNode
from samuel.search.reference.reference import expectiminimax
from samuel.search.reference.scorer import Scorer, TooManyPositionsError
from samuel.search.score import SCORE_UNIT
from samuel.selfplay.digest import warn_of_clipped
from samuel.testing.failure import ContractError, place_of, require
from samuel.testing.playouts import random_playouts, some_of

_FEW = 50
_MOST_BEYOND = 20_000
"""Positions after captures beyond a search of one ply; where there are more, it is not checked."""
_PLAIN = SearchOptions(null_move=False, check_extensions=False, futility=False, exchange=False)


def check_evaluator(evaluator: Evaluator, game: Game, seed: int = 0) -> None:
    """Check an evaluator on positions of random games.

    The evaluator must read no parameter that it does not have. Scores are finite and equal at every
    call: one by one, in batches, in any order, and in two threads. Finished games score their
    utility. Two `evaluation()` share no floats. `within` returns the score inside a window, else a
    bound on the right side. A state that is updated from position to position gives the same scores
    (`Evaluator.incremental`). A search one ply deep finds the best score of the children, or the
    mean over outcomes of chance; positions with very many captures are left out. Other games are
    refused.

    Parameters
    ----------
    evaluator
        Evaluator to check.
    game
        Game that it evaluates.
    seed
        Seed of every random choice.

    Raises
    ------
    ContractError
        The evaluator breaks a rule; the message names the evaluator, the position and the rule.
    UserError
        The evaluator is for another game.

    Warns
    -----
    UserWarning
        More than half of the scores are larger than any that the search distinguishes, and some
        twice as large.

    Examples
    --------
    >>> import samuel
    >>> from samuel.testing import check_evaluator
    >>> game = samuel.game_named("tic_tac_toe")
    >>> check_evaluator(samuel.load_evaluator("classic", game), game)
    """
    evaluator.require_game(game)
    _check_game_of(evaluator, game)
    random = np.random.default_rng(seed)
    every = [place for playout in random_playouts(game, random) for place in playout.positions]
    rows = np.stack([position.row for position in every])
    _check_inside(evaluator, game, rows)
    scores = evaluate(evaluator, game, rows)

    going_on = np.array([not game.is_over(place.row) for place in every])
    warn_of_clipped(evaluator, game, scores[going_on])

    def require_scores(found: Any, when: str) -> None:
        for place, score, again in zip(every, scores, found, strict=False):
            said = f"scores {score} at first and {again} {when}"
            require(score == again, f"{evaluator.name}, {place_of(place)}", said)

    for place, score in zip(every, scores, strict=True):
        where = f"{evaluator.name}, {place_of(place)}"
        require(np.isfinite(score), where, f"the score is {score}, not a finite number")
        if game.is_over(place.row):
            utility = place.utility()
            said = f"the finished game scores {score}, its utility is {utility}"
            require(score == np.float32(utility), where, said)
    require_scores(evaluate(evaluator, game, rows), "at a second call")
    require_scores(evaluate(evaluator, game, rows[::-1])[::-1], "in reverse order")
    require_scores([evaluate(evaluator, game, row[None])[0] for row in rows[:_FEW]], "alone")
    with ThreadPoolExecutor(2) as pool:
        for found in pool.map(lambda _: evaluate(evaluator, game, rows), range(2)):
            require_scores(found, "in two threads at once")
    _check_separate(evaluator)
    if evaluator.within is not None:
        _check_within(evaluator, rows[going_on], scores[going_on], random)
    if evaluator.incremental is not None:
        _check_states(evaluator, rows, scores, going_on)
    for position in some_of(every, random):
        _check_search_of_one_ply(evaluator, position)


def _check_inside(evaluator: Evaluator, game: Game, rows: NDArray[np.uint64]) -> None:
    """Make sure that nothing but parameters is read, whatever lies behind them, or written."""

    def scores(behind: int | None) -> NDArray[np.float32]:
        try:
            asked = evaluator if behind is None else evaluator.followed_by(behind)
            return evaluate(asked, game, rows)
        except UserError as error:  # of code that cannot be compiled, or raises
            raise ContractError(f"{evaluator.name}: {error}") from error

    before, numbers = rows.copy(), evaluator.integers.copy()
    one = scores(0)
    require(np.array_equal(rows, before), evaluator.name, "it changes the position")
    again, other = scores(0), scores(1000)
    said = "reads outside its integers or floats: an index is too large, or counts from the end"
    differs_by_itself = not np.array_equal(one, again, equal_nan=True)  # which is seen later
    is_inside = differs_by_itself or np.array_equal(one, other, equal_nan=True)
    require(is_inside, evaluator.name, f"it {said}")
    scores(None)  # not before: a wild index may end the process
    require(np.array_equal(evaluator.integers, numbers), evaluator.name, "it changes its integers")


def _check_game_of(evaluator: Evaluator, game: Game) -> None:
    if evaluator.game == "any":
        return
    try:
        evaluator.require_game(replace(game, name="some_other_game"))
    except UserError as error:
        require(evaluator.name in str(error), evaluator.name, "refuses a game without its name")
        return
    raise ContractError(
        f"{evaluator.name}: require_game accepts a game that the evaluator is not for"
    )


def _check_separate(evaluator: Evaluator) -> None:
    one, other = evaluator.evaluation(), evaluator.evaluation()
    arrays = [e.floats for e in (one, other, evaluator)]
    for i, array in enumerate(arrays):
        for later in arrays[i + 1 :]:
            clash = "two evaluations share floats, so threads clash"
            require(not np.shares_memory(array, later), evaluator.name, clash)


@functools.cache
def _all_within(within: Any) -> Any:
    """Return a function that asks `Evaluator.within` for every row of positions."""

    @jit
    def ask(rows: Any, integers: Any, floats: Any, low: Any, high: Any, found: Any) -> None:
        for i in range(len(rows)):
            found[i] = within(at(rows, i), at(integers, 0), at(floats, 0), low[i], high[i])

    return ask


def _check_within(
    evaluator: Evaluator,
    rows: NDArray[np.uint64],
    scores: NDArray[np.float32],
    random: np.random.Generator,
) -> None:
    _, integers, floats = evaluator.evaluation()
    scale = scores.std() or np.float32(1)
    found = np.zeros_like(scores)
    for _ in range(_FEW):
        low, more = scale * random.normal(size=(2, len(scores))).astype(np.float32)
        low += random.choice([0, 1], len(scores)).astype(np.float32) * scores
        high = low + abs(more)
        _all_within(evaluator.within)(rows, integers, floats, low, high, found)
        right = np.where(
            scores <= low,
            (scores <= found) & (found <= low),
            np.where(scores >= high, (scores >= found) & (found >= high), scores == found),
        )
        for k in np.flatnonzero(~right)[:1]:
            said = f"{found[k]} within {low[k]} to {high[k]}, though the score is {scores[k]}"
            require(bool(right[k]), evaluator.name, said)


def _check_states(
    evaluator: Evaluator,
    rows: NDArray[np.uint64],
    scores: NDArray[np.float32],
    going_on: NDArray[np.bool_],
) -> None:
    """Make sure that states updated along games, and from one game to the next, score alike."""
    _, integers, floats = evaluator.evaluation()
    assert evaluator.incremental is not None
    states = np.zeros((2, max(1, evaluator.incremental.size)), np.uint64)
    found = np.zeros_like(scores)
    _all_by_states(evaluator.incremental)(rows, integers, floats, states, found)
    for k in np.flatnonzero((found != scores) & going_on)[:1]:
        said = f"the state gives {found[k]} after updates, though the score is {scores[k]}"
        require(False, evaluator.name, said)


@functools.lru_cache(maxsize=16)
def _all_by_states(incremental: Incremental) -> Any:
    """Return what evaluates positions by a state that goes from each to the next."""
    refresh, update, evaluate_state, _ = incremental

    @jit
    def score_all(rows: Any, integers: Any, floats: Any, states: Any, found: Any) -> None:
        its, own = at(integers, 0), at(floats, 0)
        refresh(at(rows, 0), its, own, at(states, 0))
        for i in range(rows.shape[0]):
            here, before = at(states, i % 2), at(states, 1 - i % 2)
            if i > 0:
                update(at(rows, i - 1), at(rows, i), its, own, before, here)
            found[i] = evaluate_state(at(rows, i), its, own, here)

    return score_all


def _check_search_of_one_ply(evaluator: Evaluator, position: Position) -> None:
    game = position.game
    if position.is_terminal or position.is_chance:
        return
    unpast = replace(position, past=())  # an evaluator knows of none
    node = PositionNode(Scorer(game, evaluator, _MOST_BEYOND), unpast.row, side=unpast.side)
    try:
        best = expectiminimax(node, 1) / SCORE_UNIT
    except TooManyPositionsError:
        return
    options = _PLAIN if game.search.margin else None  # no move is left out
    found = analyse(unpast, evaluator, depth=1, exact_from=0, table_bits=4, options=options)
    said = f"a search one ply deep scores {found.score}, the best child {best}"
    require(found.score == best, f"{evaluator.name}, {place_of(position)}", said)
