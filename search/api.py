"""`search` and `solve`: the compiled search for people."""

from __future__ import annotations

import math
import threading
import time
from dataclasses import dataclass
from typing import Protocol

from games import budget
from games.abi import NO_MOVE, Evaluator, Game, Row
from jit import make_ready
from search.frontier import scoring_of
from search.memory import Memory, new_memory
from search.root import solve_at_root, think_at_root
from search.score import MAX_PLY, POINTS

UNLIMITED_DEPTH = MAX_PLY
_CHECK_EVERY = 0.2
"""Seconds between two looks at whether an evaluator that runs in Python has failed."""


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
        positions visited, leaves included.
    depth
        plies of the deepest finished iteration; for an exact result, what remains.
    seconds
        wall time.
    exact
        whether the score is the true value.
    """

    score: float
    move: str | None
    pv: list[str]
    nodes: int
    depth: int
    seconds: float
    exact: bool


def search(
    position: PositionLike,
    evaluator: Evaluator,
    *,
    depth: int | None = None,
    nodes: int | None = None,
    seconds: float | None = None,
    exact_from: int | None = None,
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
    table_bits
        the transposition table has 2**table_bits entries of 16 bytes.
    memory
        tables and stacks to go on with, of `new_memory`; new ones where None.

    Raises
    ------
    UserError
        the evaluator is for another game.
    ValueError
        a limit is not positive; the memory is another game's.
    KeyboardInterrupt
        on Ctrl-C, at once.
    """
    game = position.game
    if not isinstance(evaluator, Evaluator):
        raise TypeError(f"{evaluator!r} is no Evaluator; samuel.load_evaluator makes one of a name")
    evaluator.require_game(game)
    for name, limit in (("depth", depth), ("nodes", nodes), ("seconds", seconds)):
        if limit is not None and not limit > 0:
            raise ValueError(f"{name} must be positive, not {limit}")
    if depth is None:
        depth = 8 if nodes is None and seconds is None else UNLIMITED_DEPTH
    memory = memory or new_memory(game, table_bits, table_bits)
    if (memory.stack.shape[1], memory.moves.shape[1]) != (game.words, game.max_moves):
        raise ValueError(f"this memory was not made for {game.name}; new_memory makes one")
    memory.stack[0] = position.row
    scoring = scoring_of(evaluator, game)
    make_ready([*game.rules, scoring.evaluate, scoring.frontier, think_at_root])
    started = time.perf_counter()
    points, reached, length = _run(game, evaluator, memory, depth, nodes, seconds, exact_from)
    visited = int(memory.counters[budget.NODES])
    exact = reached == MAX_PLY
    line = [int(move) for move in memory.line[:length]]
    if exact:
        reached = game.remaining_in(position.row)
        if game.solve is not None:
            line = _exact_line(game, evaluator, position.row, points // POINTS, memory)
    return Result(
        score=points / POINTS,
        move=game.notation.write_move(line[0]) if line else None,
        pv=[game.notation.write_move(move) for move in line],
        nodes=visited,
        depth=reached,
        seconds=time.perf_counter() - started,
        exact=exact,
    )


def _run(
    game: Game,
    evaluator: Evaluator,
    memory: Memory,
    depth: int,
    nodes: int | None,
    seconds: float | None,
    exact_from: int | None,
) -> tuple[int, int, int]:
    """Run the kernel in a thread of its own, so that Ctrl-C reaches this one and stops it."""
    found: list[tuple[int, int, int]] = []
    failed: list[BaseException] = []
    start_limits(memory, nodes, seconds)

    def work() -> None:
        try:
            found.append(
                think_at_root(
                    game.rules,
                    scoring_of(evaluator, game),
                    memory,
                    min(depth, MAX_PLY - 1),
                    min(game.exact_from if exact_from is None else exact_from, game.max_remaining),
                )
            )
        except BaseException as error:
            failed.append(error)

    thread = threading.Thread(target=work, daemon=True)
    thread.start()
    try:
        while thread.is_alive():
            thread.join(_CHECK_EVERY)
            evaluator.check()
    except BaseException:
        memory.counters[budget.INTERRUPTED] = 1
        thread.join()
        raise
    evaluator.check()
    if failed:
        raise failed[0]
    return found[0]


def start_limits(memory: Memory, nodes: int | None, seconds: float | None) -> None:
    """Reset the counters of `memory` and set the limits that are given."""
    memory.counters[budget.INTERRUPTED] = 0
    budget.begin(
        memory.counters,
        budget.UNLIMITED if nodes is None else min(nodes, budget.UNLIMITED),
        # the smaller first: a float beyond all integers (inf) cannot be rounded
        budget.UNLIMITED if seconds is None else math.ceil(min(seconds * 1e9, budget.UNLIMITED)),
    )


def _exact_line(
    game: Game, evaluator: Evaluator, row: Row, score: int, memory: Memory
) -> list[int]:
    """Follow best play to the end; the score is known, so each step is a narrow search."""
    line: list[int] = []
    memory.stack[0] = row
    start_limits(memory, None, None)
    while not game.is_over(memory.stack[0]):
        memory.line[0] = NO_MOVE
        solve_at_root(game.rules, scoring_of(evaluator, game), memory, score - 1, score + 1, 1)
        line.append(int(memory.line[0]))
        memory.stack[0] = game.child_of(memory.stack[0], line[-1])
        score = -score
    return line


def solve(position: PositionLike, evaluator: Evaluator, *, table_bits: int = 20) -> Result:
    """Return the exact value of a position and best play to the end, however long it takes.

    `evaluator` is not asked; a game needs one to be searched at all.
    """
    always = position.game.max_remaining
    return search(position, evaluator, depth=1, exact_from=always, table_bits=table_bits)
