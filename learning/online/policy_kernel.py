"""Games of a policy that draws its moves, and which way each weight would have made them likelier.

The policy is linear in patterns: a move's logit is the sum of the weights of what the position
after it holds, or what a finished game is worth. A game's eligibility is the gradient of the log
probability of the policy's moves in it (R. Williams, "Simple statistical gradient-following
algorithms for connectionist reinforcement learning", 1992).
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np
from numba import float32, float64, int32, int64, types
from numpy.typing import NDArray

from samuel.features.pattern_index import Index, fill_numbers, index_of
from samuel.features.shapes import PatternSet
from samuel.games.catalog import known_game
from samuel.games.evaluator import EVALUATION, Evaluation, Evaluator
from samuel.games.interface import ROW, RULES, SAME, Rules
from samuel.games.playing import (
    GAME_STATE,
    GameState,
    advance,
    begin,
    is_over,
    mover,
    new_game_state,
    result_of,
    throw,
)
from samuel.kernels import budget
from samuel.kernels.jit import jit
from samuel.kernels.pointers import Pointer, at
from samuel.kernels.random import below, seed_stream, uniform
from samuel.kernels.records import (
    array,
    array_type,
    part,
    record,
    to_pointers,
)
from samuel.search.greedy import best_move

_FINISHED = -1
_NEGLIGIBLE = 1e-4
"""Probability of a move that its eligibility need not be added up for."""


@record
class Policy(NamedTuple):
    """Arrays that the policy reads, and room to work in."""

    patterns: Index = part(Index, "what instances hold (features/pattern_index.py)")
    weight_of: Any = array(int32, ("configurations",), "the weight of what an instance holds")
    weights: Any = array(float64, ("weights",), "the logits, for the side to move")
    held: Any = array(int32, ("moves", "instances"), "room")
    signs: Any = array(float64, ("moves",), "room")
    chances: Any = array(float64, ("moves",), "room")


POLICY = array_type(Policy)


@jit
def _logit(rules: Rules, policy: Policy, child: Pointer, temperature: float, held: Any) -> float:
    """Return the logit of `child` for its side to move; fill in the weights that it adds up."""
    if rules.is_terminal(child):
        held[0] = _FINISHED
        return rules.utility(child) / temperature
    index = policy.patterns
    fill_numbers(index, child)
    logit = 0.0
    for k in range(held.shape[0]):
        weight = policy.weight_of[index.middle[k] + index.numbers[k]]
        held[k] = weight
        logit += policy.weights[weight]
    return logit


@jit
def _draw(chances: Any, n: int, stream: Any) -> int:
    """Turn n logits into probabilities; return the number of one drawn by them."""
    largest, total = -math.inf, 0.0
    for i in range(n):
        largest = max(largest, chances[i])
    for i in range(n):
        chances[i] = math.exp(chances[i] - largest)
        total += chances[i]
    target, chosen = uniform(stream), n - 1
    for i in range(n):
        chances[i] /= total
        if chosen == n - 1 and target < chances[i]:
            chosen = i
        target -= chances[i]
    return chosen


@jit
def _drawn_move(
    rules: Rules,
    policy: Policy,
    temperature: float,
    state: GameState,
    n: int,
    eligibility: Any,
) -> int:
    """Return one of the n moves listed, drawn by the policy; add its eligibility."""
    for i in range(n):
        turn = rules.play(state.position, int64(state.moves[i]), state.child)
        policy.signs[i] = 1.0 if turn & SAME else -1.0
        logit = _logit(rules, policy, state.child, temperature, policy.held[i])
        policy.chances[i] = policy.signs[i] * logit
    chosen = _draw(policy.chances, n, state.stream)
    for i in range(n):
        share = policy.signs[i] * ((1.0 if i == chosen else 0.0) - policy.chances[i])
        if policy.held[i, 0] != _FINISHED and abs(share) > _NEGLIGIBLE:
            for k in range(policy.held.shape[1]):
                eligibility[policy.held[i, k]] += share
    return int64(state.moves[chosen])


@jit(
    types.void(
        *(RULES, POLICY, float64, EVALUATION, float64, int64, ROW, GAME_STATE),
        *(int64, int64, int64[::1]),
        *(float32[:, ::1], float32[::1]),
    )
)
def _play(
    rules: Rules,
    policy: Policy,
    temperature: float,
    opponent: Evaluation,
    epsilon: float,
    side: int,
    start: Any,
    arrays: GameState,
    seed: int,
    first: int,
    counters: Any,
    eligibilities: Any,
    results: Any,
) -> None:
    """Play games number `first` and on of `seed`; the policy moves first where `side` is 0.

    The opponent plays the move that it likes best; each side plays a random one with probability
    `epsilon`. Fills in `eligibilities` (n, n_weights) and `results` (n,), for the policy, in the
    game's unit. The kernel ends early where counters[INTERRUPTED] is set.
    """
    static, state = to_pointers(opponent), to_pointers(arrays)
    for game in range(results.shape[0]):
        if counters[budget.INTERRUPTED]:
            return
        seed_stream(state.stream, seed, first + game)
        begin(rules, state, at(start, 0), int64(0))
        throw(rules, state)
        while not is_over(rules, state):
            n = rules.legal_moves(state.position, state.moves)
            if uniform(state.stream) < epsilon:
                move = int64(state.moves[below(state.stream, n)])
            elif mover(state) == side:
                move = _drawn_move(rules, policy, temperature, state, n, eligibilities[game])
            else:
                move = best_move(rules, static, state, n)
            advance(rules, state, move)
            throw(rules, state)
        result = result_of(rules, state)
        results[game] = result if side == 0 else -result


def play_policy_task(
    patterns: PatternSet,
    weights: NDArray[np.float64],
    temperature: float,
    opponent: Evaluator,
    epsilon: float,
    side: int,
    seed: int,
    first: int,
    games: int,
) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """Play games number `first` to `first + games` of `seed`.

    Parameters
    ----------
    patterns, weights
        The policy's shapes, and its weights (n_weights,) in logits.
    temperature
        What a logit is worth, in the game's unit.
    opponent, epsilon
        Whom it meets, and the probability of a random move, of either side.
    side
        0 where the policy moves first, else 1.

    Returns
    -------
    The eligibilities (games, n_weights) and the results (games,) for the policy, in the game's
    unit.
    """
    game, counters = known_game(patterns.game), budget.new_counters()
    policy = Policy(
        index_of(patterns),
        patterns.weight_of,
        weights,
        np.zeros((game.max_moves, len(patterns.instances)), np.int32),
        *np.zeros((2, game.max_moves)),
    )
    eligibilities = np.zeros((games, patterns.n_weights), np.float32)
    results = np.zeros(games, np.float32)
    _play(
        game.rules_of_play,
        policy,
        temperature,
        opponent.evaluation(),
        epsilon,
        side,
        game.row(game.start),
        new_game_state(game),
        seed,
        first,
        counters,
        eligibilities,
        results,
    )
    opponent.check()
    if counters[budget.INTERRUPTED]:
        raise KeyboardInterrupt
    return eligibilities, results
