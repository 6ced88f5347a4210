"""Games in which an evaluation learns while it plays: temporal differences, and from its searches.

tdlambda   TD(lambda): what a position is worth moves toward what the next ones are (R. Sutton,
           "Learning to predict by the methods of temporal differences", 1988)
tdleaf     the same of the leaves of the principal variations (J. Baxter, A. Tridgell, L. Weaver,
           "KnightCap: a chess program that learns by combining TD(lambda) with game-tree search",
           1998)
rootstrap  the score of a position moves toward what its search found
treestrap  so do those of all positions inside the search, or of those that a bound contradicts (J.
           Veness, D. Silver, W. Uther, A. Blair, "Bootstrapping from game tree search", 2009)

The first two learn when a game is over, the others after every search; the weights stay as they are
meanwhile. An error is in units of the score, from the side to move. Where who wins is learned,
the two that learn of searches take the difference of the values of two scores, which is the slope
of their cross-entropy: a mate found is worth a step, and not all that it is away.
"""

from __future__ import annotations

import functools
import math
from typing import Any, NamedTuple

import numpy as np
from numba import float64, int64, types, uint64
from numpy.typing import NDArray

from samuel.games.evaluator import EVALUATION, Evaluation
from samuel.games.game import Game
from samuel.games.playing import GAME_STATE, GameState, advance, is_over, mover, result_of, throw
from samuel.games.rules import ROWS, SAME, Rules
from samuel.kernels import budget
from samuel.kernels.bits import below, seed_stream, uniform
from samuel.kernels.jit import jit
from samuel.kernels.pointers import Pointer, at, compose_closure, copy
from samuel.kernels.records import allocate, array, array_type, number, record, to_pointers
from samuel.models.trainable.model import GRADIENT, add_gradient, apply_changes, drop_changes
from samuel.search.alphabeta.context import LEARN, thaw
from samuel.search.alphabeta.stack import position_at
from samuel.search.method import SEARCHER, ask_at, forget, head_of, thaw_searcher
from samuel.search.score import SCORE_UNIT
from samuel.selfplay.kernel import OPENING_LINES, OpeningLines, open_game

TDLAMBDA, TDLEAF, ROOTSTRAP, TREESTRAP = range(4)


@record
class OnlinePlan(NamedTuple):
    """Plan by which games are played and learned from."""

    kind: int = number("TDLAMBDA and so on")
    depth: int = number("plies of search a move")
    opening_plies: int = number("uniformly random moves after the opening, not learned from")
    epsilon: float = number(
        "the probability of a uniformly random move instead of the best", float64
    )
    td_lambda: float = number("lambda", float64)
    learning_rate: float = number(
        "what a step is multiplied with; of one weight, where `steps` of Episode has room", float64
    )
    squash: float = number(
        "where above 0, what is learned is tanh(squash * score), who wins, and not the score",
        float64,
    )
    nodes: int = number("of Descent: new positions per move")


@record
class Episode(NamedTuple):
    """Notes of a game, a row for each decision of the learner, and of each weight."""

    rows: Any = array(uint64, ("plies", "words"), "the position that is learned of")
    signs: Any = array(float64, ("plies",), "1 where the side that began is to move there, else -1")
    explored: Any = array(
        float64, ("plies",), "not 0 where the move that followed was a random one"
    )
    values: Any = array(float64, ("plies",), "room")
    steps: Any = array(float64, (2, "weights"), "see `apply_changes`; where not kept, (2, 0)")


ONLINE_PLAN, EPISODE = array_type(OnlinePlan), array_type(Episode)


def new_episode(game: Game, steps: NDArray[np.float64]) -> Episode:
    """Return room for a game."""
    return allocate(Episode, {"plies": game.max_plies + 1, "words": game.words}, steps=steps)


@jit
def error_of(found: float, now: float, squash: float) -> float:
    """Return what a score is from a better one, in units; of who wins where `squash` is above 0."""
    if squash > 0.0:
        return (math.tanh(squash * found) - math.tanh(squash * now)) / squash
    return found - now


@functools.cache
def listener_for(gradient: Any, squash: float) -> Any:
    """Return who learns of each position inside a search: TreeStrap, of scores and of bounds.

    It gets positions in which a side moves (LEARN). Where a bound adds nothing to the evaluation,
    there is nothing to learn. A bound is the window's: beyond it a search finds errors above all
    whose refutation it did not look for, and scores that follow them grow.
    """

    def listen(frame: Pointer, ply: int, depth: int, best: int, alpha: int, beta: int) -> None:
        rules, evaluation, _, work = thaw(frame)
        position = position_at(work, ply)
        if rules.is_terminal(position):
            return
        told = max(alpha, min(beta, best))
        found = max(-work.static_limit, min(work.static_limit, told)) / SCORE_UNIT
        now = evaluation.evaluate(position, evaluation.integers, evaluation.floats)
        if (best >= beta and found <= now) or (best <= alpha and found >= now):
            return
        error = error_of(found, now, squash)
        add_gradient(gradient, position, evaluation.integers, evaluation.floats, error)

    return compose_closure(listen, LEARN)


@jit(
    types.void(
        *(types.FunctionType(GRADIENT), EVALUATION, ROWS, float64[::1]), *(float64[:, ::1], float64)
    )
)
def imitate(
    gradient: Any, evaluation: Evaluation, rows: Any, scores: Any, steps: Any, learning_rate: float
) -> None:
    """Let the scores of positions (n, K) move toward given ones (n,), one after the other."""
    static = to_pointers(evaluation)
    for i in range(rows.shape[0]):
        row = at(rows, i)
        error = scores[i] - static.evaluate(row, static.integers, static.floats)
        add_gradient(gradient, row, static.integers, static.floats, error)
        apply_changes(static.integers, static.floats, steps, learning_rate, False)


@jit
def _static(rules: Rules, evaluation: Evaluation, position: Pointer) -> float:
    if rules.is_terminal(position):
        return float64(rules.utility(position))
    return float64(evaluation.evaluate(position, evaluation.integers, evaluation.floats))


@jit
def _note(
    rules: Rules,
    searcher: Pointer,
    state: GameState,
    plan: OnlinePlan,
    length: int,
    episode: Episode,
    n: int,
) -> None:
    """Note the position at the state, or the leaf of its principal variation, as number n."""
    row, sign = at(episode.rows, n), 1.0 if mover(state) == 0 else -1.0
    copy(row, state.position, state.words)
    if plan.kind == TDLEAF:
        line = head_of(searcher).line
        for k in range(length):
            turn = rules.play(row, int64(line[k]), state.child)
            copy(row, state.child, state.words)
            sign = sign if turn & SAME else -sign
    episode.signs[n] = sign


@jit
def learn_differences(
    gradient: Any,
    rules: Rules,
    evaluation: Evaluation,
    plan: OnlinePlan,
    episode: Episode,
    n: int,
    outcome: float,
) -> None:
    """Let the changes wait that the n positions of a game ask for; outcome for who began.

    With v the value of a position for the side that began, d its difference to the next, that of
    the last to the outcome: step(t) = gradient of v(t) * sum over j >= t of lambda^(j - t) d(j).
    A random move breaks the chain: what comes after it is no return of what went before.
    """
    squash = plan.squash
    for t in range(n):
        score = episode.signs[t] * _static(rules, evaluation, at(episode.rows, t))
        episode.values[t] = math.tanh(squash * score) if squash > 0.0 else score
    following, total = outcome, 0.0
    if squash > 0.0:
        following = 1.0 if outcome > 0.0 else -1.0 if outcome < 0.0 else 0.0
    for t in range(n - 1, -1, -1):
        value = episode.values[t]
        total = following - value + plan.td_lambda * total
        following = value
        if episode.explored[t] != 0.0:
            total = 0.0
        elif not rules.is_terminal(at(episode.rows, t)):
            step = episode.signs[t] * total
            if squash > 0.0:  # in units of the score, where nothing is squashed
                step *= (1.0 - value * value) / squash
            row = at(episode.rows, t)
            add_gradient(gradient, row, evaluation.integers, evaluation.floats, step)


@jit
def _learn_in_game(
    gradient: Any,
    searcher: Pointer,
    opponent: Pointer,
    side: int,
    state: GameState,
    plan: OnlinePlan,
    episode: Episode,
) -> bool:
    """Play a game and learn for `side`, or both where it is none; False where interrupted."""
    its, n = thaw_searcher(searcher), int64(0)
    rules, evaluation = its.rules, its.evaluation
    integers, floats = evaluation.integers, evaluation.floats
    forget(opponent)
    while not is_over(rules, state):
        learns = side > 1 or mover(state) == side
        asked = searcher if learns else opponent
        if learns and plan.kind >= ROOTSTRAP:
            forget(searcher)  # the weights have changed
        counters = head_of(asked).counters
        budget.start(counters, budget.UNLIMITED, budget.UNLIMITED)
        found = ask_at(asked, state, plan.depth, int64(0))
        if counters[budget.INTERRUPTED]:
            drop_changes(integers, floats)
            return False
        move = int64(head_of(asked).line[0])
        explores = plan.epsilon > 0.0 and uniform(state.stream) < plan.epsilon
        if learns:
            if plan.kind == ROOTSTRAP:
                now = _static(rules, evaluation, state.position)
                error = error_of(found.score / SCORE_UNIT, now, plan.squash)
                add_gradient(gradient, state.position, integers, floats, error)
            if plan.kind >= ROOTSTRAP:
                averages = plan.kind == TREESTRAP
                apply_changes(integers, floats, episode.steps, plan.learning_rate, averages)
            else:
                _note(rules, searcher, state, plan, found.length, episode, n)
                episode.explored[n] = 0.0
                n += 1
        if explores:
            if n > 0:  # the opponent's, too: it breaks the chain of the learner's last position
                episode.explored[n - 1] = 1.0
            count = rules.legal_moves(state.position, state.moves)
            move = int64(state.moves[below(state.stream, count)])
        advance(rules, state, move)
        throw(rules, state)
    if plan.kind <= TDLEAF:
        outcome = float64(result_of(rules, state))
        learn_differences(gradient, rules, evaluation, plan, episode, n, outcome)
        apply_changes(integers, floats, episode.steps, plan.learning_rate, False)
        forget(searcher)
    return True


@jit(
    int64(
        *(types.FunctionType(GRADIENT), SEARCHER, SEARCHER, int64, ONLINE_PLAN, EPISODE),
        *(OPENING_LINES, GAME_STATE, int64, int64, int64),
    )
)
def learn_in_games(
    gradient: Any,
    searcher: Any,
    opponent: Any,
    alone: int,
    plan: OnlinePlan,
    episode: Episode,
    lines: OpeningLines,
    arrays: GameState,
    seed: int,
    first: int,
    games: int,
) -> int:
    """Play games number `first` to `first + games` of `seed` from their openings, and learn.

    The learner, `searcher`, plays both sides where `alone` is not 0, else by turns the one and the
    other. Returns how many games were played: fewer where one was interrupted, of which nothing
    stays, or where none lasts as long as its opening.
    """
    learner, other, state = at(searcher, 0), at(opponent, 0), to_pointers(arrays)
    rules = thaw_searcher(learner).rules
    for game in range(first, first + games):
        seed_stream(state.stream, seed, game)
        if open_game(rules, state, lines, game - first, plan.opening_plies) < 0:
            return game - first
        forget(learner)
        side = int64(2) if alone else int64(game & 1)
        if not _learn_in_game(gradient, learner, other, side, state, plan, episode):
            return game - first
    return games
