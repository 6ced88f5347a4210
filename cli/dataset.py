"""`samuel dataset`: looks at datasets, and makes new ones of them or of files."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterable
from dataclasses import asdict
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, TypeAlias

from samuel.cli.common import Jobs, emit, game_and_evaluators, progress, say_what_is_kept
from samuel.cli.options import Given, MisuseError, subcommand
from samuel.common.options import Argument, Range
from samuel.common.units import counted

if TYPE_CHECKING:
    from samuel.selfplay.data.dataset import Dataset
    from samuel.selfplay.data.summary import Summary

Folder: TypeAlias = Annotated[str, Argument()]
"""The folder of a dataset."""


@subcommand("samuel.selfplay.data.combine:merge", doing="merging")
def merge(given: Given, *, json: bool = False) -> None:
    """Run `samuel dataset merge`.

    Example: samuel dataset merge data/gen0 data/gen1 --out data/both
    """
    from samuel.selfplay.data.combine import merge
    from samuel.selfplay.data.dataset import dataset_of

    began, datasets = time.perf_counter(), [dataset_of(one) for one in given.pop("datasets")]
    with progress("merging", sum(map(len, datasets))) as advance:
        merged = merge(datasets, progress=advance, **given)
    _emit_made(merged, began, json)


@subcommand("samuel.selfplay.data.combine:split", doing="splitting")
def split(given: Given, *, dataset: Folder, out_a: str, out_b: str, json: bool = False) -> None:
    """Run `samuel dataset split`.

    Example: samuel dataset split data/gen0 --out-a data/most --out-b data/tenth --share 0.1

    Example: samuel dataset split data/gen0 --out-a data/train --out-b data/test --distinct
    """
    from samuel.selfplay.data.combine import split
    from samuel.selfplay.data.dataset import dataset_of

    began, data = time.perf_counter(), dataset_of(dataset)
    with progress("splitting", 3 * len(data)) as advance:
        a, b = split(data, out_a, out_b, progress=advance, **given)
    counts = b.manifest["counts"]
    content = {
        "a": {**_numbers_of(a), "out": out_a},
        "b": {**_numbers_of(b), "out": out_b},
        **counts,
        "seconds": round(time.perf_counter() - began, 3),
    }
    if given.get("distinct"):
        common = (
            f"{counts['left_out']:,} positions of the second part are left out, because the first "
            "part has them"
        )
    else:
        common = f"{counts['shared']:,} positions of the second part are also in the first"
    emit(content, json, lambda console: console.print(f"{_holds(a)}\n{_holds(b)}\n{common}"))


@subcommand("samuel.selfplay.data.dedupe:dedupe", doing="merging repeated positions")
def dedupe(given: Given, *, dataset: Folder, json: bool = False) -> None:
    """Run `samuel dataset dedupe`.

    Example: samuel dataset dedupe data/gen0 --out data/distinct
    """
    from samuel.selfplay.data.dataset import dataset_of
    from samuel.selfplay.data.dedupe import dedupe

    began, data = time.perf_counter(), dataset_of(dataset)
    with progress("merging positions", 2 * len(data)) as advance:
        merged = dedupe(data, progress=advance, **given)
    lacking = merged.manifest["counts"]["without_outcome"]
    more = f", of {len(data):,} rows; {lacking:,} without a clean outcome"
    _emit_made(merged, began, json, more)


@subcommand("samuel.selfplay.data.combine:filter_rows", doing="filtering")
def filter_rows(given: Given, *, dataset: Folder, json: bool = False) -> None:
    """Run `samuel dataset filter`.

    Example: samuel dataset filter data/gen0 --plies 8-40 --max-score 30 --out data/middle
    """
    from samuel.selfplay.data.combine import filter_rows
    from samuel.selfplay.data.dataset import dataset_of

    began, data = time.perf_counter(), dataset_of(dataset)
    with progress("filtering", len(data)) as advance:
        left = filter_rows(data, progress=advance, **given)
    without = left.manifest["counts"].get("without_score", 0)
    more = f"; {counted(without, 'row')} without a score left out" if without else ""
    _emit_made(left, began, json, f", {len(left) / len(data):.1%} of {len(data):,}{more}")


@subcommand("samuel.selfplay.relabel:relabel", doing="relabelling")
def relabel(
    given: Given,
    *,
    dataset: Folder,
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
        Protocol and command of an outside engine, such as uci:stockfish, which scores the positions
        in place of an evaluator. It needs --nodes, --depth or --ms.
    nodes
        Number of positions that the engine visits per position. Only UCI engines accept this limit.
    ms
        Wall time of the engine per position, in milliseconds.
    timeout
        Seconds per position for an engine without --ms, and for its start (at least 30).
        Default: 60.
    """
    from samuel.selfplay.data.dataset import dataset_of
    from samuel.selfplay.relabel import relabel

    data, given = dataset_of(dataset), given | {"jobs": jobs}
    if engine is None:
        if {nodes, ms, timeout} != {None}:
            raise MisuseError(
                "--nodes, --ms and --timeout are limits of an --engine; searches have --depth"
            )
        _, (name,) = game_and_evaluators(data.game.name, evaluator)
        return _make(partial(relabel, data, evaluator=name), len(data), given, json)
    if evaluator is not None or {"method", "exact_from"} & given.keys():
        raise MisuseError("--evaluator, --method and --exact-from do not go with --engine")
    if not {nodes, ms, given.get("depth")} - {None}:
        raise MisuseError("--engine needs a limit: --nodes, --depth or --ms")
    from samuel.arena.labelling import relabel_by_engine

    limits = {"nodes": nodes, "seconds": None if ms is None else ms / 1000}
    limits |= {} if timeout is None else {"timeout": timeout}
    _make(partial(relabel_by_engine, data, engine=engine, **limits), len(data), given, json)


def _make(make: Callable[..., Dataset], positions: int, given: Given, json: bool) -> None:
    """Make a dataset by what may be interrupted, and say what it holds."""
    began = time.perf_counter()
    try:
        with progress("searching", positions) as advance:
            made = make(progress=advance, **given)
    except KeyboardInterrupt:
        say_what_is_kept(given["out"])
        raise
    without = made.manifest.get("counts", {}).get("without_score", 0)
    _emit_made(made, began, json, f"; {without:,} without a score" if without else "")


@subcommand("samuel.selfplay.data.importing:import_games", doing="importing")
def import_(given: Given, *, json: bool = False) -> None:
    """Run `samuel dataset import`.

    Example: samuel dataset import WTH_2014.wtb --out data/wthor

    Example: samuel dataset import positions.epd.gz --game chess --out data/positions

    Example: samuel dataset import games.pgn --game chess --min-rating 2400 --out data/games
    """
    from samuel.selfplay.data.importing import import_games

    began, out = time.perf_counter(), given["out"]
    megabytes = (
        sum(Path(file).stat().st_size for file in given["files"] if Path(file).exists()) / 1e6
    )

    with progress("importing MB", math.ceil(megabytes)) as advance:

        def tell(read: int, games: int, rows: int) -> None:
            advance(min(read / 1e6, megabytes), f"{games:,} games, {rows:,} positions")

        imported = import_games(progress=tell, **given)
    content = {
        **imported.manifest["counts"],
        "positions": len(imported),
        "seconds": round(time.perf_counter() - began, 3),
        "out": out,
    }
    first, read = content["first_left_out"], content["games"]
    only_positions = read == content.get("of_positions")
    what = "" if only_positions else f", {counted(len(imported), 'position')}"
    beyond = content.get("other_plies", 0)
    left_out = [
        f"{n:,} {reason} (first: {first[reason]})" for reason, n in content["left_out"].items()
    ]
    emit(
        content,
        json,
        lambda console: console.print(
            f"{content['imported']:,} of {counted(read, 'position' if only_positions else 'game')}"
            f"{what} in {out} ({content['seconds']:.1f} s)\n"
            f"left out: {', '.join(left_out) or 'none'}"
            + (f"; {counted(beyond, 'position')} of other plies" if beyond else "")
        ),
    )


@subcommand("samuel.selfplay.data.export:export", doing="exporting")
def export(given: Given, *, dataset: Folder, json: bool = False) -> None:
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
    number = len(data) - left_out if of_positions else data.games - left_out
    kind = "position" if of_positions else "game"
    content = {
        "format": format,
        f"{kind}s": number,
        **({} if format == "csv" else {"left_out": left_out}),
        "seconds": round(time.perf_counter() - began, 3),
        "out": given["out"],
    }
    why = "labels are missing" if of_positions else "rows are missing, or they start elsewhere"
    note = f"; {counted(left_out, kind)} left out: {why}" if left_out else ""
    what = counted(number, kind)
    emit(content, json, lambda console: console.print(f"{what} in {given['out']}{note}"))


def _emit_made(dataset: Dataset, began: float, json: bool, more: str = "") -> None:
    """Say what a dataset holds that was begun at `began`; `more` goes to people alone."""
    counts = dataset.manifest.get("counts", {})
    content: dict[str, Any] = {
        **_numbers_of(dataset),
        **{name: counts[name] for name in counts if name not in ("games", "positions")},
        "seconds": round(time.perf_counter() - began, 3),
        "out": str(dataset.folder),
    }
    emit(content, json, lambda console: console.print(f"{_holds(dataset)}{more}"))


def _numbers_of(dataset: Dataset) -> dict[str, int]:
    """Return how many games and positions a dataset holds."""
    return {"games": dataset.games, "positions": len(dataset)}


def _holds(dataset: Dataset) -> str:
    """Return in words what a dataset holds."""
    games, positions = counted(dataset.games, "game"), counted(len(dataset), "position")
    return f"{games}, {positions} in {dataset.folder}"


@subcommand("samuel.selfplay.data.summary:summarize", doing="reading")
def info(given: Given, *, dataset: Folder, game: str | None = None, json: bool = False) -> None:
    """Run `samuel dataset info`.

    Example: samuel dataset info data/gen0

    Parameters
    ----------
    game
        Game of the dataset. The command fails if the dataset is of another.
    """
    from samuel.games import game_named
    from samuel.selfplay.data.dataset import dataset_of
    from samuel.selfplay.data.summary import summarize

    data = dataset_of(dataset)
    if game is not None:
        data.require_game(game_named(game))
    with progress("reading", len(data)) as advance:
        summary = summarize(data, progress=advance, **given)
    content = {key: value for key, value in asdict(summary).items() if key != "samples"}
    content |= {key: data.manifest[key] for key in ("game", "settings", "complete")}
    content |= {key: data.manifest.get(key) for key in ("history", "counts")}
    content["samples"] = [
        {"position": position.text, **numbers} for position, numbers in summary.samples
    ]

    emit(content, json, partial(_show, data, summary))


def _show(data: Dataset, summary: Summary, console: Any) -> None:
    from samuel.games.drawing import side_names

    is_whole = data.manifest["complete"]
    done = "" if is_whole else " (not complete: run the command that makes it again)"
    console.print(f"{data.folder}: {data.manifest['game']}{done}")
    console.print(f"settings    {_listed(data.manifest['settings'])}")
    for step in data.manifest.get("history", []):
        inputs = [made_of["name"] for made_of in step["inputs"]]
        console.print(f"made by     {step['command']} of {_first(inputs)}")
    counts = data.manifest.get("counts", {})
    if counts:
        flat = {k: v for k, v in counts.items() if not isinstance(v, dict)}
        flat |= {k: n for v in counts.values() if isinstance(v, dict) for k, n in v.items()}
        console.print(f"counted     {_listed(flat).replace('_', ' ')}")
    console.print(f"games       {summary.games:,}")
    console.print(f"positions   {summary.positions:,}, {summary.distinct:.1%} distinct")
    if summary.weight != summary.positions:
        console.print(f"merged      from {summary.weight:,} rows")
    console.print(f"sources     {_first(f'{k} {n:,}' for k, n in summary.sources.items())}")
    console.print(f"searched    {summary.searched:.1%} of positions have a score")
    console.print(f"exact       {summary.exact:.1%} of positions are solved")
    console.print(f"exploratory {summary.exploratory:.1%} of moves score less than the best")
    console.print(f"clean       {summary.clean:.1%} of positions (no exploratory move follows)")
    won, drawn, lost = summary.outcomes
    said = f"won {won:.1%}, drew {drawn:.1%}, lost {lost:.1%}"
    first = side_names(data.game)[0]
    console.print(f"{first:11} {said}" if any(summary.outcomes) else "no outcomes")
    console.print(
        f"\npositions by outcome for the side to move (lower end of each bar, in {data.game.unit})"
    )
    _bars(console, [f"{edge:+z7.2f}" for edge in summary.histogram[0]], summary.histogram[1])
    console.print("\npositions by ply")
    plies = list(summary.plies.items())
    step = max(1, len(plies) // 12)
    groups = [plies[i : i + step] for i in range(0, len(plies), step)]
    names = [f"{group[0][0]:3d} to {group[-1][0]:3d}" for group in groups]
    _bars(console, names, [sum(n for _, n in group) for group in groups])
    for position, numbers in summary.samples:
        console.print(f"\n{position}", highlight=False)
        known = {name: value for name, value in numbers.items() if not math.isnan(value)}
        console.print("  ".join(f"{name} {value:zg}" for name, value in known.items()))


def _listed(settings: dict[str, Any]) -> str:
    return ", ".join(f"{name} {value}" for name, value in settings.items() if name != "game")


def _first(names: Iterable[str], most: int = 6) -> str:
    """Return names joined by commas, and how many more there are."""
    names = list(names)
    more = len(names) - most
    return ", ".join(names[:most]) + (f", and {more:,} more" if more > 0 else "")


def _bars(console: Any, names: list[str], counts: list[int]) -> None:
    most = max([*counts, 1])
    for name, count in zip(names, counts, strict=True):
        console.print(f"{name}  {'█' * round(40 * count / most)} {count:,}", highlight=False)
