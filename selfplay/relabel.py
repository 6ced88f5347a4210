"""Positions of a dataset searched again, for better labels."""

from __future__ import annotations

import contextlib
import functools
from pathlib import Path
from typing import Annotated

import pyarrow as pa
from joblib import delayed

from samuel.common.errors import require_workers
from samuel.common.options import Argument, Range
from samuel.common.public import public
from samuel.games.evaluator import Evaluator
from samuel.games.game import Game
from samuel.kernels.jit import make_ready
from samuel.models import find_evaluator
from samuel.models.named import usual_evaluator
from samuel.models.saved.serialized import Serialized
from samuel.search.alphabeta.method import AlphaBeta
from samuel.search.limits import require_finished, run_together
from samuel.search.method import Method
from samuel.search.score import MOST_DEPTH, MOST_REMAINING
from samuel.selfplay.data.dataset import Dataset, Progress, no_progress, with_columns
from samuel.selfplay.data.derive import by_games, made_of, parts_of, write_labelled
from samuel.selfplay.data.shard import words_in
from samuel.selfplay.digest import evaluator_digest
from samuel.selfplay.generate import SelfplayPlan, memory_for
from samuel.selfplay.kernel import search_rows
from samuel.selfplay.workers import run_tasks

GAMES_PER_SHARD = 512
"""A kill loses what was searched of one shard."""
_FINER = 8
"""By what factor tasks are smaller than those of self-play: the workers wait at each shard."""


@public
def relabel(
    dataset: Annotated[Dataset, Argument()],
    out: Path | str,
    evaluator: str | None = None,
    *,
    depth: Annotated[int | None, Range(1, MOST_DEPTH)] = None,
    exact_from: Annotated[int | None, Range(0, MOST_REMAINING)] = None,
    method: Method = AlphaBeta(),
    jobs: int = 1,
    progress: Progress = no_progress,
) -> Dataset:
    """Search every position of a dataset again, deeper or with a better evaluator.

    Exact scores are kept. The search has full width, without ProbCut. After an interruption, the
    same command continues.

    Parameters
    ----------
    dataset
        Folder of a dataset.
    out
        Folder of the new dataset.
    evaluator
        Evaluator: a name (samuel models lists them), or the folder of a model. By default the
        game's own.
    depth
        Search depth per position, in plies. By default the game's usual depth.
    exact_from
        Plies left (Othello: empty squares) from which positions are solved exactly; 0 for never. By
        default the game's own number.
    method
        Search method: alphabeta, expectiminimax, star1, star2, star2.5, montecarlo, uct, or greedy
        (one ply). Settings follow a colon: uct:playouts=500. Default: alphabeta.
    jobs
        Number of workers; -1 for one per core. In Python these are threads, as in `generate`.
    progress
        Called with the number of positions that are done.

    Returns
    -------
    Dataset
        New dataset.

    Raises
    ------
    UserError
        A setting is out of range, or the folder has something else.

    Examples
    --------
    >>> import samuel
    >>> samuel.relabel("data/games", "data/deep", depth=2)
    Dataset('data/deep': 60 games of tic_tac_toe, ... positions)
    """
    game = dataset.game
    evaluator = evaluator or usual_evaluator(game)
    plan = SelfplayPlan(game.name, evaluator, depth, exact_from=exact_from, method=method).checked()
    require_workers(jobs)
    of_plan = find_evaluator(plan.evaluator, game)
    names = ("evaluator", "depth", "exact_from", "method")
    settings = {name: value for name, value in plan.settings.items() if name in names}
    made = made_of([dataset], "relabel", settings, evaluator_digest(of_plan, game))
    player = Serialized((game, of_plan))
    parts = parts_of(dataset, lambda table: by_games(table, GAMES_PER_SHARD))

    def label(part: pa.Table, tell: Progress) -> pa.Table:
        return _searched(part, plan, player, jobs, tell)

    return write_labelled(out, made, dataset.games, parts, label, progress)


def _searched(
    table: pa.Table,
    plan: SelfplayPlan,
    player: Serialized[tuple[Game, Evaluator]],
    jobs: int,
    progress: Progress,
) -> pa.Table:
    """Return a table with every position searched, by several workers."""
    pieces = by_games(table, max(1, plan.games_per_task // _FINER))
    calls = [delayed(search_table)(piece, plan, player) for piece in pieces]
    parts: list[pa.Table] = []
    done = 0
    with contextlib.closing(run_tasks(calls, jobs)) as results:
        for part in results:
            parts.append(part)
            progress(done := done + len(part))
    return pa.concat_tables(parts).unify_dictionaries()


def search_table(
    table: pa.Table, plan: SelfplayPlan, player: Serialized[tuple[Game, Evaluator]]
) -> pa.Table:
    """Return a table with every position searched."""
    game, evaluator = player.value
    memory = memory_for(plan, game)
    names = ("game_id", "score", "depth", "exact")
    games, *labels = (table[name].to_numpy().copy() for name in names)
    searcher = plan.method.searcher(game, evaluator, memory, solves=True)
    make_ready([search_rows])
    kernel = functools.partial(
        search_rows,
        searcher,
        plan.counts(game).depth,
        plan.exact_from or 0,
        words_in(table, game),
        games,
        *labels,
    )
    run_together([kernel], [memory], evaluator.check)  # a game may take long: hear Ctrl-C
    require_finished(memory, evaluator)
    return with_columns(table, dict(zip(names[1:], labels, strict=True)))
