"""`search` and `solve`: the compiled search for people."""

from __future__ import annotations

import functools
import time
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from errors import UserError
from games import budget
from games.abi import Evaluator, Game, Row
from jit import make_ready
from search.frontier import scoring_of
from search.memory import GUIDED, Memory, new_memory
from search.root import score_moves_at_root, solve_at_root, think_at_root
from search.running import run_together, set_up, start_limits, with_companions
from search.score import MAX_PLY, POINTS
from search.scoring import Scoring
from search.switches import Switches

UNLIMITED_DEPTH = MAX_PLY


class PositionLike(Protocol):
    """What the search needs of a position; `games.Position` has it."""

    @property
    def game(self) -> Game:
        """The rules."""

    @property
    def row(self) -> Row:
        """The words, from the side to move."""


@dataclass(frozen=True)
class Result:
    """What a search found.

    Attributes
    ----------
    score
        for the side to move, in the game's unit.
    move
        the best move as text, or None when the game is over.
    pv
        the principal variation as text, the best move first.
    nodes
        positions visited, leaves included, by all threads.
    depth
        plies of the deepest finished iteration; for an exact result, what remains.
    seconds
        wall time.
    exact
        whether the score is the true value.
    moves
        where asked for, the score of every legal move, the best first.
    """

    score: float
    move: str | None
    pv: list[str]
    nodes: int
    depth: int
    seconds: float
    exact: bool
    moves: dict[str, float] | None = None


def search(
    position: PositionLike,
    evaluator: Evaluator,
    *,
    depth: int | None = None,
    nodes: int | None = None,
    seconds: float | None = None,
    exact_from: int | None = None,
    all_moves: bool = False,
    threads: int = 1,
    probcut: float | None = None,
    switches: Switches | None = None,
    table_bits: int = 20,
    memory: Memory | None = None,
) -> Result:
    """Search a position until the first of the limits is reached.

    Parameters
    ----------
    position
        where to search; the score is for its side to move.
    evaluator
        the static evaluation.
    depth
        plies (a pass is a ply); 8 where no limit is given at all.
    nodes
        positions visited.
    seconds
        wall time.
    exact_from
        solve exactly when this many squares remain (`Game.remaining`); the game's
        own default where None, 0 for never.
    all_moves
        score every legal move, not the best alone, at the depth asked for, or that reached
        within a limit.
    threads
        that search together. The score at a fixed depth is that of one; `nodes` and the
        line may differ from run to run. Exact endgames are solved by one.
    probcut
        leave out what a shallower search shows to be irrelevant with so many standard
        deviations of confidence (1.5, say); never where None. Scores are then not those of
        the whole tree.
    switches
        the methods used; those of `memory`, or the usual ones, where None.
    table_bits
        the transposition table has 2**table_bits entries of 16 bytes.
    memory
        tables and stacks to go on with, of `new_memory`; new ones where None. `stop` ends
        the search that uses it.

    Raises
    ------
    UserError
        the evaluator is for another game, or has no parameters for ProbCut.
    ValueError
        a limit is not positive; the memory is another game's.
    KeyboardInterrupt
        on Ctrl-C, at once.
    """
    game = position.game
    if not isinstance(evaluator, Evaluator):
        raise TypeError(f"{evaluator!r} is no Evaluator; samuel.load_evaluator makes one of a name")
    evaluator.require_game(game)
    given = {"depth": depth, "nodes": nodes, "seconds": seconds, "threads": threads}
    for name, limit in given.items():
        if limit is not None and not limit > 0:
            raise ValueError(f"{name} must be positive, not {limit}")
    if depth is None:
        depth = 8 if nodes is None and seconds is None else UNLIMITED_DEPTH
    memory = memory or new_memory(game, table_bits, table_bits)
    if (memory.stack.shape[1], memory.moves.shape[1]) != (game.words, game.max_moves):
        raise ValueError(f"this memory was not made for {game.name}; new_memory makes one")
    scoring = scoring_of(evaluator, game)
    solved = min(game.exact_from if exact_from is None else exact_from, game.max_remaining)
    is_solved = 0 < game.remaining_in(position.row) <= solved
    later = [solve_at_root] * (game.solve is not None) + [score_moves_at_root] * all_moves
    make_ready([*game.rules, *scoring, think_at_root, *later])
    started = time.perf_counter()
    memory = set_up(memory, game, evaluator, switches=switches, probcut=probcut)
    memories = with_companions(memory, game, 1 if is_solved else threads)
    for one in memories:
        one.stack[0] = position.row
        start_limits(one, None if nodes is None else -(-nodes // len(memories)), seconds)
    found = run_together(
        [
            functools.partial(
                think_at_root, game.rules, scoring, one, min(depth, MAX_PLY - 1), solved
            )
            for one, scoring in zip(
                memories, [scoring_of(evaluator, game) for _ in memories], strict=True
            )
        ],
        memories,
        evaluator.check,
    )
    (points, reached, length), memory = max(
        zip(found, memories, strict=True), key=lambda pair: pair[0][1]
    )
    exact = reached == MAX_PLY
    line = [int(move) for move in memory.line[:length]]
    visited = sum(int(one.counters[budget.NODES]) for one in memories)
    if exact:
        reached = game.remaining_in(position.row)
        if game.solve is not None and line:
            left = None if seconds is None else started + seconds - time.perf_counter()
            line += _rest_of_line(game, scoring, memory, line[0], points // POINTS, left)
    scores = None
    if all_moves and line:
        # a forced end may be found before the depth asked for, at which the others are scored
        deep = depth if nodes is None and seconds is None else reached
        scores = _score_moves(position, evaluator, scoring, memory, MAX_PLY if exact else deep)
        visited += int(memory.counters[budget.NODES])
    return Result(
        score=points / POINTS,
        move=game.notation.write_move(line[0]) if line else None,
        pv=[game.notation.write_move(move) for move in line],
        nodes=visited,
        depth=reached,
        seconds=time.perf_counter() - started,
        exact=exact,
        moves=scores,
    )


def _rest_of_line(
    game: Game, scoring: Scoring, memory: Memory, move: int, score: int, seconds: float | None
) -> list[int]:
    """Follow best play after `move`, to the end or until `seconds` are over.

    The score is known, so each step is a narrow search.
    """
    line: list[int] = []
    start_limits(memory, None, seconds)
    row = game.child_of(memory.stack[0], move)
    while not game.is_over(row):
        score = -score
        memory.stack[0] = row
        solve_at_root(game.rules, scoring, memory, score - 1, score + 1, 0)
        if memory.counters[budget.STOPPED]:
            break
        line.append(int(memory.line[0]))
        row = game.child_of(row, line[-1])
    return line


def _score_moves(
    position: PositionLike, evaluator: Evaluator, scoring: Scoring, memory: Memory, depth: int
) -> dict[str, float]:
    """Return the score of every legal move at `depth`, or exactly where that is MAX_PLY."""
    game, row = position.game, position.row
    moves = game.moves_in(row)
    scores = np.zeros(game.max_moves, np.int32)
    memory.stack[0] = row
    start_limits(memory, None, None)
    run_together(
        [
            functools.partial(
                score_moves_at_root, game.rules, scoring, memory, max(1, depth), scores
            )
        ],
        [memory],
        evaluator.check,
    )
    named = zip(moves, scores[: len(moves)].tolist(), strict=True)
    best_first = sorted(named, key=lambda pair: -pair[1])
    return {game.notation.write_move(int(move)): score / POINTS for move, score in best_first}


def solve(
    position: PositionLike,
    evaluator: Evaluator,
    *,
    guided: bool = False,
    table_bits: int = 20,
    memory: Memory | None = None,
) -> Result:
    """Return the exact value of a position and best play to the end, however long it takes.

    Parameters
    ----------
    position
        what to solve.
    evaluator
        orders moves where `guided`; a game without a solver of its own needs it anyway.
    guided
        whether the game's solver asks the evaluator; only a good one saves time.
    table_bits, memory
        as of `search`.
    """
    game = position.game
    memory = memory or new_memory(game, 2 if game.solve is not None else table_bits, table_bits)
    memory.settings[GUIDED] = int(guided)
    try:
        return search(position, evaluator, depth=1, exact_from=game.max_remaining, memory=memory)
    finally:
        memory.settings[GUIDED] = 0


def solve_sign(
    position: PositionLike,
    evaluator: Evaluator,
    *,
    guided: bool = False,
    table_bits: int = 20,
) -> Result:
    """Return whether the side to move wins (1), draws (0) or loses (-1): sooner found than `solve`.

    The move keeps what the score says: a win, or a draw; of a lost position none is told, and the
    principal variation is the move alone. For the parameters see `solve`.

    Raises
    ------
    UserError
        the game has no solver of its own, or the evaluator is for another one.
    KeyboardInterrupt
        on Ctrl-C, at once.
    """
    game = position.game
    evaluator.require_game(game)
    if game.solve is None:
        raise UserError(f"{game.name} has no solver of its own; solve it without --wld")
    scoring, memory = scoring_of(evaluator, game), new_memory(game, 2, table_bits)
    make_ready([*game.rules, *scoring, solve_at_root])
    started = time.perf_counter()
    memory.stack[0] = position.row
    start_limits(memory, None, None)
    kernel = functools.partial(solve_at_root, game.rules, scoring, memory, -1, 1, int(guided))
    (found,) = run_together([kernel], [memory], evaluator.check)
    sign, move = int(np.sign(found)), int(memory.line[0])
    told = sign >= 0 and not game.is_over(position.row)
    return Result(
        score=float(sign),
        move=game.notation.write_move(move) if told else None,
        pv=[game.notation.write_move(move)] if told else [],
        nodes=int(memory.counters[budget.NODES]),
        depth=game.remaining_in(position.row),
        seconds=time.perf_counter() - started,
        exact=True,
    )
