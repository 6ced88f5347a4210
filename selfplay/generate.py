"""Self-play into a dataset: parallel, resumable, the same rows whatever happens on the way."""

from __future__ import annotations

import contextlib
import fcntl
import hashlib
import time
import warnings
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
from joblib import Parallel, delayed

from errors import UserError
from files import PARTIAL, read_json, writing
from games import budget
from games.abi import Evaluator, Game
from games.catalog import game_named
from games.random import random_positions
from models import evaluate, load_evaluator
from search import new_memory
from search.score import MAX_PLY
from selfplay.dataset import (
    FORMAT,
    MANIFEST,
    Dataset,
    file_digest,
    table_of,
    write_manifest,
    write_shard,
)
from selfplay.kernel import Settings, new_sheet, play_games

TASKS_PER_SHARD = 8
_PROBES = 64


@dataclass(frozen=True)
class Plan:
    """All that decides the rows of a dataset, but the number of games.

    Attributes
    ----------
    game
        its name.
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
    """

    game: str = "othello"
    evaluator: str = "classic"
    depth: int = 4
    seed: int = 0
    nodes: int | None = None
    exact_from: int | None = None
    opening_plies: int | None = None
    explore: float = 0.0
    temperature: float = 0.0

    def checked(self) -> Plan:
        """Return the plan with the game's defaults filled in.

        Raises
        ------
        UserError
            A value is out of its range.
        """
        game = game_named(self.game)
        exact_from = game.exact_from if self.exact_from is None else self.exact_from
        plies = game.opening_plies if self.opening_plies is None else self.opening_plies
        for what, fine in (
            (f"depth {self.depth}: 1 to {MAX_PLY - 1}", 1 <= self.depth < MAX_PLY),
            (f"nodes {self.nodes}: at least 1", self.nodes is None or self.nodes >= 1),
            (f"explore {self.explore}: 0 to 1", 0 <= self.explore <= 1),
            (f"temperature {self.temperature}: 0 or more", self.temperature >= 0),
            (f"seed {self.seed}: 0 or more", 0 <= self.seed < 1 << 62),
            (f"exact from {exact_from}: 0 or more", exact_from >= 0),
            (
                f"opening plies {plies}: 0 to {game.max_remaining - 1}",
                0 <= plies < game.max_remaining,
            ),
        ):
            if not fine:
                raise UserError(f"out of range: {what}")
        return Plan(
            **{**asdict(self), "game": game.name, "exact_from": exact_from, "opening_plies": plies}
        )

    @property
    def games_per_task(self) -> int:
        """Games that a worker plays in one go: well under a second's worth, whatever the depth."""
        if self.nodes is not None:
            return max(1, min(64, 200_000 // self.nodes))
        return int(max(1, 64 // 3 ** max(0, self.depth - 4)))


def evaluator_digest(evaluator: Evaluator, game: Game) -> str:
    """Return a digest of what an evaluator is: its scores on fixed positions, to six digits."""
    scores = evaluate(evaluator, game, random_positions(game, _PROBES, seed=1959))
    return hashlib.sha256(" ".join(f"{s:.6g}" for s in scores).encode()).hexdigest()[:16]


def play_task(plan: Plan, first: int, games: int) -> pa.Table:
    """Play games number `first` to `first + games` and return their rows."""
    game = game_named(plan.game)
    evaluator = load_evaluator(plan.evaluator, game)
    bits = min(20, 6 + 2 * plan.depth)
    memory = new_memory(game, bits, 12 if (plan.exact_from or 0) <= 12 else 16)
    sheet = new_sheet(games * game.max_plies, game.words)
    settings = Settings(
        plan.depth,
        budget.UNLIMITED if plan.nodes is None else plan.nodes,
        game.exact_from if plan.exact_from is None else plan.exact_from,
        game.opening_plies if plan.opening_plies is None else plan.opening_plies,
        float(plan.explore),
        float(plan.temperature),
    )
    rows = play_games(
        game.rules,
        evaluator.evaluation(),
        memory,
        settings,
        game.row(game.start),
        np.zeros(1, np.uint64),
        plan.seed,
        first,
        games,
        sheet,
    )
    evaluator.check()
    if memory.counters[budget.INTERRUPTED]:
        raise KeyboardInterrupt
    return table_of(sheet, rows, game, evaluator.name)


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
    plan
        what to play.
    games
        how many in all.
    out
        the folder.
    jobs
        workers; any joblib backend set by `joblib.parallel_config` serves.
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
    if games < 1:
        raise UserError(f"the number of games must be at least 1, not {games}")
    game = game_named(plan.game)
    digest = evaluator_digest(load_evaluator(plan.evaluator, game), game)
    with _locked(out):
        manifest = _begin(plan, digest, games, out)
        _play_missing(plan, games, out, manifest, jobs, progress)
        return Dataset(out, manifest)


def _play_missing(
    plan: Plan,
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
    started = time.perf_counter()
    work = Parallel(n_jobs=jobs, prefer="threads", return_as="generator")
    results = work(delayed(play_task)(plan, first, count) for first, count in tasks)
    try:
        for name, start, count in missing:
            parts: list[tuple[int, pa.Table]] = []
            while (first := start + sum(n for n, _ in parts)) < start + count:
                parts.append((min(task, start + count - first), next(results)))
                done, rows = done + parts[-1][0], rows + parts[-1][1].num_rows
                progress(done, rows)
            table = pa.concat_tables([t for _, t in parts]).unify_dictionaries()
            digest = write_shard(out / name, table)
            manifest["shards"][name] = {"games": count, "rows": table.num_rows, "sha256": digest}
            _write(out, manifest, started)
            started = time.perf_counter()
    except BaseException:
        budget.interrupt_all()  # or the workers would play their games to the end
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # joblib's, that some tasks were not waited for
            results.close()
        raise
    for _ in results:  # none is left; joblib tidies up after the last
        pass
    if not manifest["complete"] or missing:
        manifest["complete"] = True
        _write(out, manifest, started)


def _write(out: Path, manifest: dict[str, Any], started: float) -> None:
    """Write the manifest with its shards in order and the totals."""
    manifest["shards"] = dict(sorted(manifest["shards"].items()))
    manifest["positions"] = sum(s["rows"] for s in manifest["shards"].values())
    manifest["seconds"] = round(manifest["seconds"] + time.perf_counter() - started, 3)
    write_manifest(out, manifest)


def _begin(plan: Plan, digest: str, games: int, out: Path) -> dict[str, Any]:
    """Return the manifest to go on with: a new one, or the one of the same plan."""
    mine = {"settings": asdict(plan), "evaluator_digest": digest}
    if (out / MANIFEST).exists():
        manifest = read_json(out / MANIFEST, "a dataset")
        _require_same_run(manifest, mine, games, out)
        _drop_damaged(manifest, out)
        manifest |= {
            "games": games,
            "complete": manifest["complete"] and manifest["games"] == games,
        }
        return manifest
    others = [f.name for f in out.iterdir() if f.name != LOCK and not f.name.endswith(PARTIAL)]
    if others:
        raise UserError(f"{out} holds other files ({others[0]}, ...); choose another folder")
    manifest = {
        "format": FORMAT,
        "game": plan.game,
        **mine,
        "games": games,
        "positions": 0,
        "seconds": 0.0,
        "complete": False,
        "version": _version(),
        "shards": {},
    }
    write_manifest(out, manifest)
    return manifest


def _require_same_run(
    manifest: dict[str, Any], mine: dict[str, Any], games: int, out: Path
) -> None:
    theirs = manifest.get("settings")
    if manifest.get("format") != FORMAT or not isinstance(theirs, dict):
        raise UserError(f"{out / MANIFEST} is damaged or no dataset's; choose another folder")
    for name, value in mine["settings"].items():
        if theirs.get(name) != value:
            raise UserError(
                f"{out} holds another run ({name} {theirs.get(name)}, not {value}); "
                "choose another folder, or delete it"
            )
    if manifest.get("evaluator_digest") != mine["evaluator_digest"]:
        raise UserError(
            f"{out} holds another run: {theirs['evaluator']} was another evaluator then; "
            "choose another folder, or delete it"
        )
    if manifest["games"] > games:
        raise UserError(f"{out} was asked for {manifest['games']} games; ask for as many or more")


def _drop_damaged(manifest: dict[str, Any], out: Path) -> None:
    """Forget shards that are missing or altered, so that they are made anew."""
    for name, shard in list(manifest["shards"].items()):
        path = out / name
        if not path.exists() or file_digest(path) != shard["sha256"]:
            del manifest["shards"][name]
    for leftover in out.glob(f"*{PARTIAL}"):
        leftover.unlink(missing_ok=True)


LOCK = ".lock"


@contextlib.contextmanager
def _locked(out: Path) -> Iterator[None]:
    """Hold the folder for this process; the system lets go when the process ends, however."""
    with writing(out):
        out.mkdir(parents=True, exist_ok=True)
        lock = open(out / LOCK, "w")  # noqa: SIM115
    with lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            raise UserError(f"another run is writing to {out}; wait for it to end") from None
        yield


def _version() -> str:
    try:
        return version("samuel")
    except PackageNotFoundError:
        return "0"
