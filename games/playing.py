"""A game as it is played: the one place that knows whose turn it is, its history, and its dice.

A kernel plays by `begin`, and then `advance` with a move of the side whose turn it is, or with what
chance brings. The position is seen by the side that is to move, after the dice where they come
first. Random positions are where uniformly random games come by.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numba import float64, int32, int64, types, uint64
from numpy.typing import NDArray

from samuel.common.errors import UserError
from samuel.games.draws import DRAWN, GOES_ON, end_by_past, key_after, key_of, utility_by_past
from samuel.games.game import Game
from samuel.games.rules import CHANCE, NO_MOVE, REVERSIBLE, ROW, RULES, SAME, Row, Rules
from samuel.kernels.bits import STREAM, below, seed_stream
from samuel.kernels.jit import jit
from samuel.kernels.pointers import Pointer, at, copy
from samuel.kernels.records import allocate, array, array_type, length, number, record, to_pointers

SIDE, DICE = range(2)
"""Places in `turn`: whose turn it is, 0 for the side that began; and whether the dice are thrown
before it."""
REVERSIBLE_PLIES, REPETITIONS, MOST_REVERSIBLE, PLIES_PLAYED, MOST_PLIES = range(5)
"""Places in `draws`: the reversible plies in a row up to the position; what ends a game (Game); the
plies since `begin`, the dice's too; how many end a game, whoever writes it down having no room for
more."""

_DICE = 1 << 40
"""More than all pairs that are numbered."""


@record
class GameState(NamedTuple):
    """A game being played: Python makes its arrays (`new_game_state`), a kernel takes pointers."""

    position: Pointer = array(uint64, ("words",), "the position, seen by the side that is to move")
    child: Pointer = array(uint64, ("words",), "room for the next")
    words: int = length("position", "words per position")
    moves: Pointer = array(int32, ("moves",), "the moves listed last, or the outcomes")
    weights: Pointer = array(int32, ("moves",), "the weights of the outcomes")
    turn: Pointer = array(int64, (2,), "see SIDE")
    history: Pointer = array(
        uint64,
        ("keys",),
        "the keys of the positions since the last move that was not reversible, the present one's "
        "last (games/draws.py)",
    )
    draws: Pointer = array(int64, (5,), "see REVERSIBLE_PLIES")
    best: float = number("largest utility of the game", float64)
    stream: Pointer = array(uint64, (1,), "what random choices, dice too, are drawn from")


GAME_STATE = array_type(GameState)


def new_game_state(game: Game) -> GameState:
    """Return the state of a game of `game` that is to begin."""
    limits = game.draws.repetitions, game.most_reversible
    return allocate(
        GameState,
        {"words": game.words, "moves": game.max_moves, "keys": 1 + game.most_reversible},
        draws=np.array([0, *limits, 0, game.max_plies], np.int64),
        best=game.scores.max_utility,
    )


@jit
def begin(rules: Rules, state: GameState, start: Pointer, side: int) -> None:
    """Set up a position in which `side` is to move, after the dice if need be; it has no past."""
    copy(state.position, start, state.words)
    state.turn[SIDE] = side
    state.draws[PLIES_PLAYED] = 0
    _remember(state, int64(0))
    state.turn[DICE] = rules.outcomes(state.position, state.moves, state.weights)


@jit
def set_reversible(state: GameState, plies: int) -> None:
    """Let so many reversible plies come before a position that begins; it is new among theirs."""
    for k in range(plies):
        state.history[k] = uint64(k)
    _remember(state, plies)


@jit
def _remember(state: GameState, reversible: int) -> None:
    """Note the present position as one after `reversible` reversible plies."""
    state.draws[REVERSIBLE_PLIES] = reversible
    state.history[reversible] = key_of(state.position, state.words, state.turn[SIDE])


@jit
def mover(state: GameState) -> int:
    """Return whose turn it is, 0 for the side that began."""
    return state.turn[SIDE]


@jit
def is_chances_turn(state: GameState) -> bool:
    """Return whether the dice are to be thrown, before either side moves."""
    return state.turn[DICE] != 0


@jit
def reversible_plies(state: GameState) -> int:
    """Return how many plies in a row were reversible."""
    return state.draws[REVERSIBLE_PLIES]


@jit
def _end(state: GameState) -> int:
    """Return how the history ends a position that its rules do not end (games/draws.py)."""
    draws = state.draws
    end = end_by_past(
        state.history, draws[REVERSIBLE_PLIES], int64(0), draws[REPETITIONS], draws[MOST_REVERSIBLE]
    )
    return int64(DRAWN) if end == GOES_ON and draws[PLIES_PLAYED] >= draws[MOST_PLIES] else end


@jit
def is_over(rules: Rules, state: GameState) -> bool:
    """Return whether the game is over, by its position or by its history."""
    return rules.is_terminal(state.position) or _end(state) != GOES_ON


@jit
def result_of(rules: Rules, state: GameState) -> float:
    """Return the utility of a finished game for the side that began."""
    if rules.is_terminal(state.position):
        utility = rules.utility(state.position)
    else:
        utility = utility_by_past(_end(state), state.best)
    return utility if mover(state) == 0 else -utility


@jit
def advance(rules: Rules, state: GameState, move: int) -> None:
    """Play a legal move, or an outcome where chance is to move."""
    turn = rules.play(state.position, move, state.child)
    copy(state.position, state.child, state.words)
    if turn & SAME == 0:
        state.turn[SIDE] = 1 - state.turn[SIDE]
    state.draws[PLIES_PLAYED] += 1
    state.turn[DICE] = (
        turn & CHANCE if state.draws[PLIES_PLAYED] < state.draws[MOST_PLIES] else int64(0)
    )
    if turn & REVERSIBLE:
        reversible = state.draws[REVERSIBLE_PLIES]
        state.history[reversible] = key_after(state.history[reversible], turn)
        _remember(state, reversible + 1)
    else:
        _remember(state, int64(0))


@jit
def listed(rules: Rules, state: GameState) -> int:
    """List in `moves` what may be played, outcomes where chance is to move; return how many."""
    if _end(state) != GOES_ON:
        return int64(0)
    if is_chances_turn(state):
        return rules.outcomes(state.position, state.moves, state.weights)
    return rules.legal_moves(state.position, state.moves)


@jit
def chosen(rules: Rules, state: GameState) -> int:
    """List in `moves` what is worth a search, outcomes where chance is to move."""
    if _end(state) == GOES_ON and not is_chances_turn(state):
        return rules.candidates(state.position, state.moves)
    return listed(rules, state)


@jit
def is_among(moves: Pointer, n: int, move: int) -> bool:
    """Return whether a move is one of n."""
    for i in range(n):
        if moves[i] == move:
            return True
    return False


@jit
def forced(rules: Rules, state: GameState) -> int:
    """Return the single legal move of the side to move; NO_MOVE where there are more, or none."""
    n = rules.legal_moves(state.position, state.moves)
    return int64(state.moves[0]) if n == 1 else int64(NO_MOVE)


@jit
def draw(rules: Rules, state: GameState) -> int:
    """Return an outcome of chance, drawn by its weight."""
    n, total = listed(rules, state), int64(0)
    for i in range(n):
        total += state.weights[i]
    left = below(state.stream, total)
    for i in range(n):
        left -= state.weights[i]
        if left < 0:
            return int64(state.moves[i])
    return int64(state.moves[n - 1])


@jit(types.void(STREAM, int64, int64))
def seed_dice(stream: Any, seed: int, number: int) -> None:
    """Start the dice of pair `number` of a match: no stream that any opening was drawn from."""
    seed_stream(stream, seed, number + _DICE)


@jit
def throw(rules: Rules, state: GameState) -> None:
    """Throw the dice, as often as they come before a side moves."""
    while is_chances_turn(state):
        advance(rules, state, draw(rules, state))


@jit
def playout(rules: Rules, state: GameState, plies: int) -> int:
    """Play up to `plies` uniformly random moves, and throw the dice before, between and after."""
    ply = int64(0)
    throw(rules, state)
    while ply < plies:
        n = listed(rules, state)
        if n == 0:
            break
        advance(rules, state, int64(state.moves[below(state.stream, n)]))
        throw(rules, state)
        ply += 1
    return ply


@jit(int64(RULES, ROW, GAME_STATE))
def thrown_at(rules: Rules, position: Row, arrays: GameState) -> int:
    """Draw an outcome of chance in a position, from Python; NO_MOVE where a side is to move."""
    state = to_pointers(arrays)
    begin(rules, state, at(position, 0), int64(0))
    return draw(rules, state) if is_chances_turn(state) else int64(NO_MOVE)


_MOST_FAILURES = 10_000
"""Random games in a row that end too soon, before the search for positions is given up."""


@jit(int64(RULES, ROW, GAME_STATE, int64))
def _play_random(rules: Rules, start: Row, arrays: GameState, plies: int) -> int:
    state = to_pointers(arrays)
    begin(rules, state, at(start, 0), int64(0))
    return playout(rules, state, plies)


def random_positions(
    game: Game, n: int, seed: int = 0, min_plies: int = 0, max_plies: int | None = None
) -> NDArray[np.uint64]:
    """Return n positions (n, K) from uniformly random play, none of them finished."""
    start, room = game.row(game.start), new_game_state(game)
    room.stream[0] = np.uint64(seed % (1 << 64))
    longest = game.most_plies - 1 if max_plies is None else max_plies
    if max_plies is None and game.plies_left is None:
        longest = max(min_plies, _play_random(game.rules_of_play, start, room, longest) - 1)
    positions = np.zeros((n, game.words), np.uint64)
    lengths = np.random.default_rng(seed)
    found = failed = 0
    while found < n:
        plies = int(lengths.integers(min_plies, longest + 1))
        played = _play_random(game.rules_of_play, start, room, plies)
        if played == plies and not game.is_over(room.position):
            positions[found] = room.position
            found, failed = found + 1, 0
        elif (failed := failed + 1) == _MOST_FAILURES:
            raise UserError(
                f"random games of {game.name} rarely last {plies} plies or more; give fewer "
                "opening plies"
            )
    return positions
