"""Self-play into a dataset: parallel, resumable, the same rows whatever happens on the way."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import pyarrow as pa
from joblib import delayed

from samuel.errors import UserError, require_number, require_workers
from samuel.games.evaluator import Evaluator
from samuel.games.playing import new_game_state
from samuel.kernels import budget
from samuel.models import game_for
from samuel.models.saved.carried import Carried
from samuel.search.method import Method
from samuel.search.methods import method_named, warn_if_unasked
from samuel.search.running import require_finished
from samuel.search.score import require_limits
from samuel.selfplay.data.dataset import Dataset
from samuel.selfplay.data.manifest import begin_manifest, hold, write_manifest
from samuel.selfplay.data.shard import table_of, write_shard
from samuel.selfplay.digest import evaluator_digest
from samuel.selfplay.kernel import KernelPlan, new_position_buffer, play_games
from samuel.selfplay.workers import run_tasks

TASKS_PER_SHARD = 8
MOST_GAMES = 100_000_000
"""In a dataset; about five thousand million positions of Othello."""


@dataclass(frozen=True)
class Plan:
    """All that decides the rows of a dataset, but the number of games.

    Attributes
    ----------
    game
        its name; by default that of the model, or othello where a name says none.
    evaluator
        a name or the folder of a model.
    depth
        plies of search a move.
    seed
        of every random choice.
    nodes
        nodes a move, or None for no limit.
    exact_from
        games are solved from this many remaining squares on.
    opening_plies
        uniformly random moves at the start, not recorded.
    explore
        probability of a random move in place of the best.
    temperature
        of a softmax over the moves' scores, in the game's unit; 0 for the best.
    method
        the name of what chooses moves, with settings (search.methods.method_named).
    """

    game: str | None = None
    evaluator: str = "classic"
    depth: int = 4
    seed: int = 0
    nodes: int | None = None
    exact_from: int | None = None
    opening_plies: int | None = None
    explore: float = 0.0
    temperature: float = 0.0
    method: str = "alphabeta"

    def checked(self) -> Plan:
        """Return the plan with the game's defaults filled in.

        Raises
        ------
        UserError
            A value is out of its range.
        """
        if not isinstance(self.evaluator, str):
            raise UserError(
                "a plan names its evaluator, as it is written down: give as text the folder of a "
                "model that is saved (samuel.save), or the name of an evaluator that is registered "
                f"(samuel.register_evaluator), not the {type(self.evaluator).__name__}"
            )
        game = game_for(self.game, self.evaluator)
        exact_from = game.exact_from if self.exact_from is None else self.exact_from
        plies = game.opening_plies if self.opening_plies is None else self.opening_plies
        require_limits(self.depth, self.nodes, None, exact_from)
        require_number("explore", self.explore, 0.0, 1.0)
        require_number("temperature", self.temperature, 0.0, 1e6)
        require_number("seed", self.seed, 0, (1 << 62) - 1)
        warn_if_unasked(method_named(self.method), self.evaluator)
        require_number("opening_plies", plies, 0, game.most_plies - 1)
        return Plan(
            **{
                **asdict(self),
                "game": game.name,
                "exact_from": min(exact_from, game.most_plies),
                "opening_plies": plies,
            }
        )

    @property
    def settings(self) -> dict[str, Any]:
        """The plan as a manifest has it: the usual method goes without saying, as it once did."""
        return {k: v for k, v in asdict(self).items() if (k, v) != ("method", "alphabeta")}

    @property
    def games_per_task(self) -> int:
        """Games that a worker plays in one go: well under a second's worth, whatever the depth."""
        if not method_named(self.method).deepens:
            return 1
        if self.nodes is not None:
            return max(1, min(64, 200_000 // self.nodes))
        return int(max(1, 64 // 3 ** max(0, self.depth - 4)))


def play_task(
    plan: Plan, first: int, games: int, player: Carried | Evaluator | None = None
) -> pa.Table:
    """Play games number `first` to `first + games` and return their rows.

    `player` plays, where one is given, in place of the evaluator that the plan names.
    """
    if not isinstance(player, Carried):
        named = player or plan.evaluator
        player = Carried(named, game_for(plan.game, named))
    game, evaluator = player.game, player.evaluator
    method = method_named(plan.method)
    bits = min(20, 6 + 2 * plan.depth)
    memory = method.new_memory(game, bits, 12 if (plan.exact_from or 0) <= 12 else 16)
    # memory that is never written to costs nothing: most games are far from what they may take
    buffer = new_position_buffer(games * game.max_plies, game.words, len(memory.visits) - 1)
    its_plan = KernelPlan(
        plan.depth,
        budget.UNLIMITED if plan.nodes is None else plan.nodes,
        game.exact_from if plan.exact_from is None else plan.exact_from,
        game.opening_plies if plan.opening_plies is None else plan.opening_plies,
        float(plan.explore),
        float(plan.temperature),
    )
    rows = play_games(
        method.searcher(game, evaluator, memory, solves=True),
        its_plan,
        game.row(game.start),
        new_game_state(game),
        plan.seed,
        first,
        games,
        buffer,
    )
    evaluator.check()
    require_finished(memory, evaluator)
    if rows < 0:
        raise UserError(
            f"random games of {game.name} hardly ever last {its_plan.opening_plies} plies and "
            "more; ask for fewer with --opening-plies"
        )
    return table_of(buffer, rows, game, evaluator.name)


def _kernels(method: Method, player: Carried) -> Iterator[Any]:
    """Yield the entry points that games take, what the search needs compiled by then."""
    memory = method.new_memory(player.game, 2, 2)
    method.searcher(player.game, player.evaluator, memory, solves=True)
    yield play_games


def generate(
    plan: Plan,
    games: int,
    out: Path | str,
    *,
    jobs: int = 1,
    progress: Callable[[int, int], None] = lambda games, rows: None,
) -> Dataset:
    """Play `games` games into the dataset at `out`, going on where an earlier run stopped.

    Parameters
    ----------
    jobs
        Workers; threads, unless `joblib.parallel_config` or `backend` says otherwise.
    progress
        called with the games done and the rows so far.

    Returns
    -------
    The dataset. The same plan and number of games give the same rows, whatever the number
    of workers and of interruptions.

    Raises
    ------
    UserError
        The folder holds something else, or cannot be written.
    """
    plan, out = plan.checked(), Path(out)
    if not 1 <= games <= MOST_GAMES:
        raise UserError(f"the number of games is 1 to {MOST_GAMES:,}, not {games}")
    require_workers(jobs)
    game = game_for(plan.game, plan.evaluator)
    player = Carried(plan.evaluator, game)
    digest = evaluator_digest(player.evaluator, game)
    mine = {"game": plan.game, "settings": plan.settings, "evaluator_digest": digest}
    with hold(out):
        manifest = begin_manifest(out, mine, games)
        _play_missing(plan, player, games, out, manifest, jobs, progress)
        return Dataset(out, manifest)


def _play_missing(
    plan: Plan,
    player: Carried,
    games: int,
    out: Path,
    manifest: dict[str, Any],
    jobs: int,
    progress: Callable[[int, int], None],
) -> None:
    task, shard_games = plan.games_per_task, plan.games_per_task * TASKS_PER_SHARD
    shards = manifest["shards"]
    missing = [
        (f"games-{first:09d}.parquet", first, min(shard_games, games - first))
        for first in range(0, games, shard_games)
    ]
    missing = [m for m in missing if shards.get(m[0], {}).get("games") != m[2]]
    tasks = [
        (first, min(task, start + count - first))
        for _, start, count in missing
        for first in range(start, start + count, task)
    ]
    done, rows = games - sum(n for _, n in tasks), sum(s["rows"] for s in shards.values())
    progress(done, rows)
    before, started = manifest["seconds"], time.perf_counter()
    method = method_named(plan.method)
    calls = (delayed(play_task)(plan, first, count, player) for first, count in tasks)
    with contextlib.closing(run_tasks(calls, jobs, kernels=_kernels(method, player))) as results:
        for name, start, count in missing:
            parts: list[tuple[int, pa.Table]] = []
            while (first := start + sum(n for n, _ in parts)) < start + count:
                parts.append((min(task, start + count - first), next(results)))
                done, rows = done + parts[-1][0], rows + parts[-1][1].num_rows
                progress(done, rows)
            table = pa.concat_tables([t for _, t in parts]).unify_dictionaries()
            digest = write_shard(out / name, table)
            manifest["shards"][name] = {"games": count, "rows": table.num_rows, "sha256": digest}
            manifest["seconds"] = round(before + time.perf_counter() - started, 3)
            write_manifest(out, manifest)
        for _ in results:  # none is left; joblib tidies up after the last
            pass
    if not manifest["complete"] or missing:
        manifest["complete"] = True
        write_manifest(out, manifest)
