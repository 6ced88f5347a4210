"""Positions of a dataset searched again, for better labels."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import pyarrow as pa
from joblib import delayed

from samuel.common.errors import require_workers
from samuel.common.options import Argument, Range
from samuel.common.public import public
from samuel.games.evaluator import Evaluator
from samuel.games.game import Game
from samuel.models import find_evaluator
from samuel.models.named import usual_evaluator
from samuel.models.saved.serialized import Serialized
from samuel.search.alphabeta.method import AlphaBeta
from samuel.search.method import Method
from samuel.search.score import MOST_DEPTH, MOST_REMAINING
from samuel.selfplay.data.dataset import Dataset, Progress, no_progress, with_columns
from samuel.selfplay.data.derive import by_games, joined_results, made_of, parts_of, write_labelled
from samuel.selfplay.data.shard import words_in
from samuel.selfplay.digest import evaluator_digest
from samuel.selfplay.kernel import new_position_buffer
from samuel.selfplay.plan import SelfplayPlan, memory_for, search_buffer

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
        pieces = by_games(part, max(1, plan.games_per_task // _FINER))
        calls = (delayed(search_table)(piece, plan, player) for piece in pieces)
        return joined_results(calls, jobs, tell)

    return write_labelled(out, made, dataset.games, parts, label, progress)


def search_table(
    table: pa.Table, plan: SelfplayPlan, player: Serialized[tuple[Game, Evaluator]]
) -> pa.Table:
    """Return a table with every position searched."""
    game, evaluator = player.value
    memory = memory_for(plan, game)
    buffer = new_position_buffer(len(table), game.words)
    buffer.words[:], buffer.game[:] = words_in(table, game), table["game_id"].to_numpy()
    labels = {"score": buffer.score, "depth": buffer.depth, "exact": buffer.exact}
    for name, label in labels.items():
        label[:] = table[name].to_numpy()
    limits = plan.counts(game).depth, plan.exact_from or 0, True
    search_buffer(plan.method, (game, evaluator), memory, limits, buffer)
    return with_columns(table, labels)
