"""`solve` and `solve_sign`: exact scores of endings."""

from __future__ import annotations

import functools
import time
from typing import Annotated

import numpy as np

from samuel.common.errors import UserError
from samuel.common.options import Range
from samuel.common.public import public
from samuel.games.evaluator import Evaluator, zero_evaluator
from samuel.games.game import Game
from samuel.games.position import Position
from samuel.kernels import budget
from samuel.kernels.jit import make_ready
from samuel.search.alphabeta.memory import MOST_BITS, Memory, new_memory
from samuel.search.alphabeta.method import AlphaBeta
from samuel.search.alphabeta.root import solve_at_root
from samuel.search.analysis import MOST_THREADS, analyse, game_of
from samuel.search.limits import Limits, run_together, start_limits
from samuel.search.result import Result
from samuel.search.score import MAX_PLY


@public
def solve(
    position: Position,
    evaluator: Evaluator | None = None,
    *,
    guided: bool | None = None,
    threads: Annotated[int, Range(1, MOST_THREADS)] = 1,
    table_bits: Annotated[int, Range(0, MOST_BITS)] = 20,
    memory: Memory | None = None,
) -> Result:
    """Solve a position: return its exact score and the best line to the end of the game.

    Parameters
    ----------
    position
        Position to solve.
    evaluator
        Evaluator that orders the moves. Only a good one saves time. By default `zero`, which does
        not order them.
    guided
        Order moves by the evaluator in the game's own solver as well. Default: unless it is `zero`.
    threads
        Number of threads that solve one position together. The score stays; visited positions and
        the line may vary.
    table_bits
        Size of the transposition table: 2**N entries of 16 bytes.
    memory
        Tables and stacks to continue with, as in `analyse`.

    Returns
    -------
    Result
        Result with the exact score for the side to move and the best line.

    Raises
    ------
    UserError
        The game is too far from its end or has no bound, or the evaluator is for another game.

    Examples
    --------
    >>> import samuel
    >>> samuel.solve(samuel.Position.start("tic_tac_toe")).score
    0.0
    """
    game = game_of(position)
    evaluator = _orderer(evaluator, game)
    left = game.plies_left_in(position.row)
    if game.plies_left is None:
        raise UserError(f"{game.name} has no bound on the length of a game, so it cannot be solved")
    if left >= MAX_PLY:
        raise UserError(f"{left:,} plies are too many to solve; the most is {MAX_PLY - 1}")
    memory = memory or new_memory(
        game, 2 if game.solver.solve is not None else table_bits, table_bits
    )
    memory.guided = int(evaluator.name != "zero" if guided is None else guided)
    try:
        limits = Limits(depth=1, exact_from=max(1, left))
        return analyse(position, evaluator, limits=limits, threads=threads, memory=memory)
    finally:
        memory.guided = -1


def _orderer(evaluator: Evaluator | None, game: Game) -> Evaluator:
    """Return the evaluator that orders moves, by default `zero`."""
    evaluator = evaluator or zero_evaluator(game)
    evaluator.require_game(game)
    return evaluator


@public
def solve_sign(
    position: Position,
    evaluator: Evaluator | None = None,
    *,
    guided: bool | None = None,
    threads: Annotated[int, Range(1, MOST_THREADS)] = 1,
    table_bits: Annotated[int, Range(0, MOST_BITS)] = 20,
) -> Result:
    """Find whether the side to move wins (1), draws (0) or loses (-1), faster than `solve`.

    The move of the result keeps the win or the draw, and is the whole principal variation. A lost
    position has no move, unless it is forced.

    Parameters
    ----------
    position
        Position, or its text.
    evaluator
        Evaluator, its name, or the folder of a model.
    guided
        Order moves by the evaluator in the game's own solver as well.
    threads
        Number of threads that solve one position together. The score stays; visited positions and
        the line may vary.
    table_bits
        Size of the transposition table: 2**N entries of 16 bytes.

    Returns
    -------
    Result
        Result whose score is 1, 0 or -1.

    Raises
    ------
    UserError
        The game has no solver, or the evaluator is for another game.
    KeyboardInterrupt
        Ctrl-C was pressed.

    Examples
    --------
    >>> import samuel
    >>> position = samuel.Position.parse("O" * 40 + "X" * 18 + "------ X", "othello")
    >>> samuel.solve_sign(position).exact
    True
    """
    game = game_of(position)
    evaluator = _orderer(evaluator, game)
    if game.solver.solve is None:
        raise UserError(f"{game.name} has no win/draw/loss solver; leave out --wld")
    memory = new_memory(game, 2, table_bits)
    memory.guided = int(evaluator.name != "zero" if guided is None else guided)
    method = AlphaBeta()
    memories = method.shared(memory, game, threads)
    kernels = [
        functools.partial(solve_at_root, method.searcher(game, evaluator, one), -1, 1)
        for one in memories
    ]
    make_ready([solve_at_root, budget.begin])
    started = time.perf_counter()
    for one in memories:
        one.begin_at(position.row)
        start_limits(one, None, None)
    found = run_together(kernels, memories, evaluator.check)
    ended = next((k for k, one in enumerate(memories) if not one.counters[budget.STOPPED]), 0)
    sign, move = int(np.sign(found[ended])), int(memories[ended].line[0])
    moves = game.moves_in(position.row)
    told = len(moves) > 0 and (sign >= 0 or len(moves) == 1)
    return Result(
        score=float(sign),
        move=game.notation.write_move(move) if told else None,
        pv=[game.notation.write_move(move)] if told else [],
        nodes=sum(int(one.counters[budget.NODES]) for one in memories),
        depth=game.plies_left_in(position.row),
        seconds=time.perf_counter() - started,
        exact=True,
    )
