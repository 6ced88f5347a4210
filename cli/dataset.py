"""`samuel dataset`: looks at datasets, and makes new ones of them or of files."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from samuel.cli.common import (
    Jobs,
    content_tables,
    emit,
    game_and_evaluators,
    keeping_games,
    print_table,
    print_tables,
    progress,
    result_command,
)
from samuel.cli.options import Given, MisuseError, Subcommand, subcommand
from samuel.common.displayable import Table, with_unit
from samuel.common.options import Argument, Range

if TYPE_CHECKING:
    from samuel.games import Game
    from samuel.selfplay.data.dataset import Dataset

_MOST_BARS = 12
"""Groups of plies, at most, whose positions are counted together on a terminal."""
_LONGEST_BAR = 40


def _content(made: Dataset) -> dict[str, Any]:
    """Return what is printed of a dataset that was made."""
    numbers = {"games": made.games, "positions": len(made)}
    return numbers | (made.manifest.get("counts", {}) | numbers) | {"out": str(made.folder)}


def _content_of_parts(parts: tuple[Dataset, Dataset]) -> dict[str, Any]:
    a, b = map(_content, parts)
    counts = parts[1].manifest["counts"]
    a, b = ({key: one[key] for key in ("games", "positions", "out")} for one in (a, b))
    return {"a": a, "b": b, **counts}


def _command(
    name: str,
    place: str,
    passes: int,
    *examples: str,
    content: Callable[[Any], dict[str, Any]] = _content,
) -> Subcommand:
    """Return a command that makes datasets of datasets, which it reads in so many passes."""

    def run(given: Given, *, json: bool = False) -> None:
        from samuel.selfplay.data.dataset import dataset_of

        began = time.perf_counter()
        datasets = [dataset_of(one) for one in given.get("datasets", [given.get("dataset")])]
        with progress(name, passes * sum(map(len, datasets))) as advance:
            made = command.public(progress=advance, **given)
        emit(content(made) | {"seconds": round(time.perf_counter() - began, 3)}, json)

    run.__doc__ = "\n\n".join([f"Run `samuel dataset {name}`.", *examples])
    command = Subcommand(run, place, f"making a dataset ({name})", ())
    return command


merge = _command(
    "merge",
    "samuel.selfplay.data.combine:merge",
    1,
    "Example: samuel dataset merge data/gen0 data/gen1 --out data/both",
)
split = _command(
    "split",
    "samuel.selfplay.data.combine:split",
    3,
    "Example: samuel dataset split data/gen0 --out-a data/most --out-b data/tenth --share 0.1",
    "Example: samuel dataset split data/gen0 --out-a data/train --out-b data/test --distinct",
    content=_content_of_parts,
)
dedupe = _command(
    "dedupe",
    "samuel.selfplay.data.summary:dedupe",
    2,
    "Example: samuel dataset dedupe data/gen0 --out data/distinct",
)
filter_rows = _command(
    "filter",
    "samuel.selfplay.data.combine:filter_rows",
    1,
    "Example: samuel dataset filter data/gen0 --plies 8-40 --max-score 30 --out data/middle",
)


check = result_command(
    "dataset check",
    "samuel.learning.data_checks:check_dataset",
    "checking",
    "Example: samuel dataset check data/gen0 --model logistello",
)


@subcommand("samuel.selfplay.relabel:relabel", doing="relabelling")
def relabel(
    given: Given,
    *,
    dataset: Annotated[str, Argument()],
    evaluator: str | None = None,
    engine: str | None = None,
    nodes: Annotated[int | None, Range(1)] = None,
    ms: Annotated[float | None, Range(0.01)] = None,
    timeout: Annotated[float | None, Range(0.001)] = None,
    jobs: Jobs = -1,
    json: bool = False,
) -> None:
    """Run `samuel dataset relabel`.

    Example: samuel dataset relabel data/gen0 --depth 8 --evaluator runs/ridge --out data/deep

    Example: samuel dataset relabel data/gen0 --engine uci:stockfish --nodes 400 --out data/deep

    Parameters
    ----------
    engine
        Engine as PROTOCOL:COMMAND, such as uci:stockfish, which scores the positions instead of an
        evaluator. It needs --nodes, --depth or --ms.
    nodes
        Number of positions that the engine visits per position. Only UCI engines accept this limit.
    ms
        Wall time of the engine per position, in milliseconds.
    timeout
        Seconds per position for an engine without --ms, and for its start (at least 30).
        Default: 60.
    """
    from samuel.arena.labelling import relabel_by_engine
    from samuel.selfplay.data.dataset import dataset_of
    from samuel.selfplay.relabel import relabel

    data, began, given = dataset_of(dataset), time.perf_counter(), given | {"jobs": jobs}
    make: Callable[..., Dataset]
    if engine is None:
        if {nodes, ms, timeout} != {None}:
            raise MisuseError(
                "--nodes, --ms and --timeout are limits of an --engine; searches have --depth"
            )
        _, (name,) = game_and_evaluators(data.game.name, evaluator)
        make = partial(relabel, data, evaluator=name)
    else:
        if evaluator is not None or {"method", "exact_from"} & given.keys():
            raise MisuseError(
                "--evaluator, --method and --exact-from cannot be given with --engine"
            )
        if not {nodes, ms, given.get("depth")} - {None}:
            raise MisuseError("--engine needs a limit: --nodes, --depth or --ms")
        limits = {"nodes": nodes, "seconds": None if ms is None else ms / 1000}
        limits |= {} if timeout is None else {"timeout": timeout}
        make = partial(relabel_by_engine, data, engine=engine, **limits)
    with keeping_games(given["out"]), progress("searching", len(data)) as advance:
        made = make(progress=advance, **given)
    emit(_content(made) | {"seconds": round(time.perf_counter() - began, 3)}, json)


@subcommand("samuel.selfplay.data.importing:import_games", doing="importing")
def import_(given: Given, *, json: bool = False) -> None:
    """Run `samuel dataset import`.

    Example: samuel dataset import WTH_2014.wtb --out data/wthor

    Example: samuel dataset import positions.epd.gz --game chess --out data/positions

    Example: samuel dataset import games.pgn --game chess --min-rating 2400 --out data/games
    """
    from samuel.selfplay.data.importing import import_games

    began, files = time.perf_counter(), map(Path, given["files"])
    megabytes = sum(file.stat().st_size for file in files if file.exists()) / 1e6
    with progress("importing MB", math.ceil(megabytes)) as advance:

        def follow(read: int, games: int, rows: int) -> None:
            advance(min(read / 1e6, megabytes), f"{games:,} games, {rows:,} positions")

        imported = import_games(progress=follow, **given)
    content = _content(imported) | imported.manifest["counts"] | {"positions": len(imported)}
    emit(content | {"seconds": round(time.perf_counter() - began, 3)}, json)


@subcommand("samuel.selfplay.data.export:export", doing="exporting")
def export(given: Given, *, dataset: Annotated[str, Argument()], json: bool = False) -> None:
    """Run `samuel dataset export`.

    Example: samuel dataset export data/gen0 --format transcripts --out games.txt
    """
    from samuel.selfplay.data.dataset import dataset_of
    from samuel.selfplay.data.export import export
    from samuel.selfplay.data.positions.writing import line_writers

    began, data = time.perf_counter(), dataset_of(dataset)
    with progress("writing", len(data)) as advance:
        left_out = export(data, progress=advance, **given)
    format = given.get("format", "csv")
    of_positions = format == "csv" or format in line_writers(data.game)
    number = (len(data) if of_positions else data.games) - left_out
    content = {
        "format": format,
        "positions" if of_positions else "games": number,
        **({} if format == "csv" else {"left_out": left_out}),
        "seconds": round(time.perf_counter() - began, 3),
        "out": given["out"],
    }
    emit(content, json)


@subcommand("samuel.selfplay.data.summary:summarize", doing="reading")
def info(
    given: Given,
    *,
    dataset: Annotated[str, Argument()],
    game: str | None = None,
    json: bool = False,
) -> None:
    """Run `samuel dataset info`.

    Example: samuel dataset info data/gen0

    Parameters
    ----------
    game
        Game of the dataset. The command fails if the dataset is of another game.
    """
    from samuel.games import game_named
    from samuel.games.drawing import side_names
    from samuel.selfplay.data.dataset import dataset_of
    from samuel.selfplay.data.summary import summarize

    data = dataset_of(dataset)
    if game is not None:
        data.require_game(game_named(game))
    with progress("reading", len(data)) as advance:
        summary = summarize(data, progress=advance, **given)
    content = {key: data.manifest[key] for key in ("game", "settings", "complete")}
    content |= {key: data.manifest.get(key) for key in ("history", "counts")} | asdict(summary)
    content["samples"] = [
        {"position": position.text, **numbers} for position, numbers in summary.samples
    ]

    def show(console: Any) -> None:
        drawn = ("plies", "histogram", "samples")
        results = dict(zip(("won", "drawn", "lost"), summary.outcomes, strict=True))
        outcomes = {"outcomes": {f"of {side_names(data.game)[0]}": results}}
        rows = {key: content[key] for key in content if key not in drawn}
        if not content["complete"]:
            rows["complete"] = "no: run the command that makes it again"
        print_tables(content_tables(rows | outcomes), console)
        print_table(_outcome_table(data.game, *summary.histogram), console)
        print_table(_ply_table(summary.plies), console)
        for position, numbers in summary.samples:
            console.print(f"\n{position}", highlight=False)
            known = {name: n for name, n in numbers.items() if not math.isnan(n)}
            print_tables(content_tables(known), console)

    emit(content, json, show)


def _outcome_table(game: Game, edges: Sequence[float], counts: Sequence[int]) -> Table:
    """Return the positions by outcome: by the range of each bin, or by who won."""
    width = 2 * game.scores.max_utility / len(edges)
    labels = [f"{edge:+zg} to {edge + width:+zg}" for edge in edges]
    if len(edges) == 3:
        labels = ["lost", "drawn", "won"]
    of = with_unit(game.scores.unit, ", in {}")
    title = f"Positions by outcome for the side to move{of}"
    return Table(title, ["outcome", "positions", ""], _bars(labels, counts))


def _ply_table(plies: Mapping[int, int]) -> Table:
    each = list(plies.items())
    step = math.ceil(len(each) / _MOST_BARS) or 1
    groups = [each[i : i + step] for i in range(0, len(each), step)]
    names = [f"{group[0][0]} to {group[-1][0]}" for group in groups]
    rows = _bars(names, [sum(n for _, n in group) for group in groups])
    return Table("Positions by ply", ["ply", "positions", ""], rows)


def _bars(names: Sequence[str], counts: Sequence[int]) -> list[list[str]]:
    most = max([*counts, 1])
    return [
        [name, f"{count:,}", "█" * round(_LONGEST_BAR * count / most)]
        for name, count in zip(names, counts, strict=True)
    ]
