"""Self-play into a dataset: parallel, resumable, the same rows whatever happens on the way."""

from __future__ import annotations

import contextlib
import functools
import warnings
from collections.abc import Callable, Generator, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any

import pyarrow as pa
from joblib import delayed

from samuel.common.displayable import counted
from samuel.common.errors import require_workers
from samuel.common.options import Range
from samuel.common.public import public
from samuel.games.evaluator import Evaluator
from samuel.games.game import Game
from samuel.models import find_evaluator, game_for
from samuel.models.saved.serialized import Serialized
from samuel.search.method import Method
from samuel.selfplay.data.dataset import Dataset
from samuel.selfplay.data.manifest import begin_manifest, hold
from samuel.selfplay.data.shard import write_parts
from samuel.selfplay.digest import evaluator_digest
from samuel.selfplay.kernel import OpeningLines, play_games
from samuel.selfplay.openings.books import book_of, book_text, is_book, lines_of_games
from samuel.selfplay.plan import SelfplayPlan, play_task
from samuel.selfplay.workers import run_tasks

TASKS_PER_SHARD = 8
MOST_GAMES = 100_000_000
"""In a dataset; about five thousand million positions of Othello."""


def _kernels(method: Method, game: Game, evaluator: Evaluator) -> Iterator[Any]:
    """Yield the entry points that games take, what the search needs compiled by then."""
    memory = method.new_memory(game, 2, 2)
    method.searcher(game, evaluator, memory, solves=True)
    yield play_games


@public
def generate(
    plan: SelfplayPlan,
    games: Annotated[int, Range(1, MOST_GAMES)],
    out: Path | str,
    *,
    jobs: int = 1,
    progress: Callable[[int, int], None] = lambda games, rows: None,
) -> Dataset:
    """Play games and store their positions with scores and outcomes in a dataset.

    After an interruption, the same command continues. The rows are the same as without the
    interruption.

    Parameters
    ----------
    plan
        Plan of the games. Its fields may be given by name: generate(depth=2, games=100, out=X).
    games
        Number of games.
    out
        Folder of the dataset.
    jobs
        Number of workers; -1 for one per core. In Python these are threads, unless
        `joblib.parallel_config` chooses otherwise.
    progress
        Called with the games done and the rows so far.

    Returns
    -------
    Dataset
        Dataset in the folder. One plan and number of games always give the same rows, whatever the
        number of workers and of interruptions.

    Raises
    ------
    UserError
        The folder has something else, or cannot be written.

    Examples
    --------
    >>> import samuel
    >>> samuel.generate(game="tic_tac_toe", depth=1, games=20, out="data/few")
    Dataset('data/few': 20 games of tic_tac_toe, ... positions)
    """
    plan, out = plan.checked(), Path(out)
    require_workers(jobs)
    game = game_for(plan.game, plan.evaluator)
    player = game, find_evaluator(plan.evaluator, game)
    digest = evaluator_digest(player[1], game)
    book = book_of(game, plan.openings)
    lines = functools.partial(lines_of_games, book, plan.seed)
    if is_book(plan.openings):
        is_random = plan.opening_plies or plan.epsilon or plan.temperature or game.chance
        if games > len(book) and not is_random:
            said = f"games repeat after {counted(len(book), 'opening')}; add --opening-plies 1"
            warnings.warn(f"{said} or --epsilon", stacklevel=3)
        plan = replace(plan, openings=book_text(book))  # workers need no more of it
    mine = {"game": plan.game, "settings": plan.settings, "evaluator_digest": digest}
    with hold(out):
        manifest = begin_manifest(out, mine, games)
        shards = manifest["shards"]
        write_parts(out, manifest, _missing(plan, player, lines, games, shards, jobs, progress))
        return Dataset(out, manifest)


def _missing(
    plan: SelfplayPlan,
    player: tuple[Game, Evaluator],
    lines: Callable[[range], OpeningLines],
    games: int,
    shards: dict[str, Any],
    jobs: int,
    progress: Callable[[int, int], None],
) -> Generator[tuple[str, pa.Table], None, None]:
    """Play the games of the shards that are missing; yield their names and rows."""
    task, size = plan.games_per_task, plan.games_per_task * TASKS_PER_SHARD
    every = (range(first, min(first + size, games)) for first in range(0, games, size))
    names = {f"games-{numbers.start:09d}.parquet": numbers for numbers in every}
    missing = {n: of for n, of in names.items() if shards.get(n, {}).get("games") != len(of)}
    tasks = [of[k : k + task] for of in missing.values() for k in range(0, len(of), task)]
    done, rows = games - sum(map(len, tasks)), sum(s["rows"] for s in shards.values())
    progress(done, rows)
    sent = Serialized(player)
    calls = (delayed(play_task)(plan, of.start, len(of), sent, lines(of)) for of in tasks)
    kernels = _kernels(plan.method, *player)
    with contextlib.closing(run_tasks(calls, jobs, kernels=kernels)) as results:
        for name, of in missing.items():
            parts: list[pa.Table] = []
            for k in range(0, len(of), task):
                parts.append(next(results))
                done, rows = done + len(of[k : k + task]), rows + len(parts[-1])
                progress(done, rows)
            yield name, pa.concat_tables(parts).unify_dictionaries()
        for _ in results:  # none is left; joblib tidies up after the last
            pass
