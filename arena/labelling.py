"""Positions of a dataset scored by an outside engine.

Workers share the rows of a shard; each has an engine of its own, which forgets what it knows at the
start of every task, so that labels depend neither on the number of workers nor on interruptions.
"""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import pyarrow as pa
from joblib import delayed

from samuel.arena.engine_pool import EnginePool, client_of
from samuel.arena.engines.address import Address
from samuel.arena.engines.engine import Engine
from samuel.arena.engines.process import EngineError, EngineTimeout
from samuel.common.errors import UserError, require_workers
from samuel.common.options import Also, Argument, Range
from samuel.common.public import public
from samuel.games.game import Game
from samuel.games.position import Position
from samuel.games.rules import PASS
from samuel.kernels import budget
from samuel.models.saved.serialized import Serialized
from samuel.search.limits import Limits
from samuel.search.score import MOST_DEPTH, MOST_SECONDS
from samuel.selfplay.data.dataset import Dataset, Progress, no_progress, with_columns
from samuel.selfplay.data.derive import by_rows, joined_results, made_of, parts_of, write_labelled
from samuel.selfplay.data.shard import words_in
from samuel.selfplay.kernel import LONGEST

SHARD_ROWS = 1 << 13
"""A kill loses what was searched of one shard."""
TASK_ROWS = 1 << 7
_MOST_IN_A_ROW = 8
"""Positions in a row that an engine may leave without a score."""
_LABELS = ("score", "depth", "exact")


@public
def relabel_by_engine(
    dataset: Annotated[Dataset, Argument()],
    out: Path | str,
    engine: str,
    *,
    depth: Annotated[int | None, Range(1, MOST_DEPTH)] = None,
    nodes: Annotated[int | None, Range(1, budget.UNLIMITED)] = None,
    seconds: Annotated[
        float | None,
        Range(1e-9, MOST_SECONDS),
        Also("ms", 1e-3, about="Wall time per position, in milliseconds."),
    ] = None,
    timeout: Annotated[float, Range(1e-3, MOST_SECONDS)] = 60.0,
    jobs: int = 1,
    progress: Progress = no_progress,
) -> Dataset:
    """Let an outside engine score every position of a dataset.

    Exact scores are kept. An engine that fails is started once more; then the position gets no
    score. A position without an answer in time is left out. If interrupted, run the same
    command again: it continues.

    Parameters
    ----------
    dataset
        Folder of a dataset.
    out
        Folder of the new dataset.
    engine
        Protocol and command of the engine, such as uci:stockfish. UCI engines score
        chess, NBoard engines Othello, GNU Backgammon backgammon.
    depth
        Search depth per position, in plies.
    nodes
        Number of positions to visit per position. Only UCI engines accept this limit.
    seconds
        Wall time per position, in seconds.
    timeout
        Seconds per position for an engine without a wall time, and for its start (at least 30).
    jobs
        Number of workers, with an engine each; -1 for one per core.
    progress
        Called with the number of positions that are done.

    Returns
    -------
    Dataset
        New dataset.

    Raises
    ------
    UserError
        There is no limit, the engine does not start, its protocol has no scores of this game, it
        fails at many positions in a row, or the folder has something else.

    Warns
    -----
    UserWarning
        A position has no score, because the engine failed or sent none.

    Examples
    --------
    >>> import samuel
    >>> samuel.relabel_by_engine("data/games", "data/scored", "uci:stockfish", nodes=400)
    Traceback (most recent call last):
    samuel.common.errors.UserError: engines of uci score in pawns, ...counts in result: ...
    """
    game, limits = dataset.game, Limits(depth, nodes, seconds)
    if limits.is_open:
        raise UserError("an engine needs a limit: give nodes, depth, or seconds")
    require_workers(jobs)
    address = Address.parse(engine)
    _require_scores(address, game, limits)
    engines = EnginePool(timeout=timeout)
    try:
        with engines.borrowed(address, limits) as first:
            first.begin(Position.start(game))
            program = first.name
        given = {"depth": depth, "nodes": nodes, "seconds": seconds}
        settings: dict[str, Any] = {
            name: value for name, value in given.items() if value is not None
        }
        settings |= {"engine": address.identity, "program": program}
        longest = timeout if seconds is None else None
        asked = Serialized(game), address, limits, longest, engines

        def label(part: pa.Table, tell: Progress) -> pa.Table:
            pieces = by_rows(part, TASK_ROWS)
            calls = (delayed(score_rows)(piece, *asked) for piece in pieces)
            return joined_results(calls, jobs, tell, _table_of)

        made = made_of([dataset], "relabel", settings)
        parts = parts_of(dataset, lambda table: by_rows(table, SHARD_ROWS))
        return write_labelled(out, made, dataset.games, parts, label, progress)
    except EngineError as error:
        raise UserError(f"{address.name} does not play {game.name}: {error}") from None
    finally:
        engines.close()


def _require_scores(address: Address, game: Game, limits: Limits) -> None:
    client = client_of(address)
    client.require_game(game)
    unit = client.score_unit
    if not unit:
        raise UserError(f"engines of {address.protocol} send no scores; use uci, nboard or gnubg")
    if unit != game.scores.unit:
        raise UserError(
            f"engines of {address.protocol} score in {unit}, and {game.name} counts in "
            f"{game.scores.unit}: they cannot score it"
        )
    if limits.nodes is not None and address.protocol != "uci":
        raise UserError(f"engines of {address.protocol} count no nodes: give depth or seconds")


def _table_of(scored: tuple[pa.Table, str]) -> pa.Table:
    """Return the table of a call of `score_rows`; warn of the first position without a score."""
    table, fault = scored
    if fault:
        warnings.warn(f"a position has no score: {fault}", stacklevel=2)
    return table


def score_rows(
    table: pa.Table,
    serialized: Serialized[Game],
    address: Address,
    limits: Limits,
    timeout: float | None,
    engines: EnginePool,
) -> tuple[pa.Table, str]:
    """Return a table with every position that is not exact scored, and the first fault."""
    game = serialized.value
    labels = [table[name].to_numpy().copy() for name in _LABELS]
    scores, depths, exact = labels
    words, sides = words_in(table, game).tolist(), table["side"].to_numpy()
    first, in_a_row = "", 0
    with engines.for_task() as own, own.borrowed(address, limits) as engine:
        scorer = _Scorer(engine, limits, timeout, own)
        try:
            engine.begin(Position.start(game))
        except EngineError:
            own.restart(engine)
            engine.begin(Position.start(game))
        for i in np.flatnonzero(~exact).tolist():
            position = Position(game, tuple(words[i]), int(sides[i]))
            score, depths[i], exact[i] = scorer.score(position)
            scores[i] = np.clip(score, -game.scores.max_utility, game.scores.max_utility)
            in_a_row = in_a_row + 1 if np.isnan(score) else 0
            first = first or (scorer.fault if in_a_row else "")
            if in_a_row == _MOST_IN_A_ROW:
                raise UserError(
                    f"{engine.name} gave no score of {in_a_row} positions in a row, the last one "
                    f"{position.text}: {scorer.fault}; repair the engine, or give other limits"
                )
    return with_columns(table, dict(zip(_LABELS, labels, strict=True))), first


class _Scorer:
    """An engine that scores positions, and is started anew where it fails."""

    def __init__(
        self, engine: Engine, limits: Limits, timeout: float | None, engines: EnginePool
    ) -> None:
        self.fault = ""
        self._engine, self._limits, self._timeout, self._engines = engine, limits, timeout, engines

    def score(self, position: Position) -> tuple[float, int, bool]:
        """Return score, depth and whether the score is exact; NaN and 0 where there is none."""
        game = position.game
        legal = game.moves_in(position.row).tolist()
        if legal == [PASS]:
            return self._after(position, PASS)
        if not legal and game.is_over(position.row):
            return position.utility(), 0, True
        if not legal:
            self.fault = f"chance is to move at {position.text}"
            return np.nan, 0, False
        for _ in range(2):
            try:
                if not self._engine.is_alive:
                    self._engines.restart(self._engine)
                    self._engine.begin(Position.start(game))
                score, depth = self._engine.assess(position, self._limits, self._timeout)
            except EngineError as error:
                if self._engines.is_closed:  # it is no fault of the engine's that it was ended
                    raise KeyboardInterrupt from None
                self.fault = str(error)
                if isinstance(error, EngineTimeout):
                    break
                continue
            if score is not None:
                return score, min(depth, LONGEST), False
            if len(legal) == 1 and game.chance is None:  # for which some do not search
                return self._after(position, legal[0])
            self.fault = f"{self._engine.name} sent none"
            break
        return np.nan, 0, False

    def _after(self, position: Position, move: int) -> tuple[float, int, bool]:
        """Return the same of a position with one legal move, found after it."""
        child = position.play(move)
        score, depth, is_exact = self.score(child)
        return score if child.side == position.side else -score, depth, is_exact
