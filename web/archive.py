"""Archive of what was played and learned: datasets, matches, tournaments and runs."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

from samuel.arena.journal import game_of_event, read_event, read_journal
from samuel.arena.records import read_games
from samuel.arena.sequential import Sprt
from samuel.arena.statistics import match_statistics
from samuel.common.errors import UserError
from samuel.common.json_files import as_record
from samuel.games import Game, Position
from samuel.games.scene import scene_of, side_names
from samuel.learning.generations.log import read_state
from samuel.learning.generations.run import STATE
from samuel.models import evaluate
from samuel.selfplay.data.dataset import Dataset
from samuel.selfplay.data.shard import word_columns
from samuel.web import requests
from samuel.web.library import Library

_MOST_ROWS = 200_000
"""Most rows of a dataset that are looked through for a page: its first ones."""
_POINTS = 200
"""Points of the curve of a match."""


def rows(library: Library, wanted: requests.Rows) -> dict[str, Any]:
    """Return rows of a dataset as boards, those that fulfil all conditions."""
    dataset = Dataset.open(library.folder(wanted.folder, "dataset"))
    game = dataset.game
    frame, whole = _first_rows(dataset)
    kept = _within(frame, "ply", wanted.plies) & _within(frame, "score", wanted.scores)
    frame = frame[kept & _within(frame, "outcome", wanted.outcomes)]
    if wanted.evaluator:
        evaluator = library.evaluator(wanted.evaluator, game)
        words = frame[word_columns(game)].to_numpy(np.uint64)
        frame = frame.assign(said=evaluate(evaluator, game, words) if len(words) else 0.0)
        target = frame["score"].where(frame["score"].notna(), frame["outcome"])
        frame = frame.assign(error=frame["said"] - target)
        if wanted.order == "largest error":
            frame = frame.loc[frame["error"].abs().sort_values(ascending=False).index]
    elif wanted.order == "largest error":
        raise UserError("choose an evaluator to sort rows by its error")
    shown = frame.iloc[wanted.skip : wanted.skip + wanted.count]
    return {
        "game": game.name,
        "rows": len(frame),
        "whole": whole,
        "shown": [_row(game, row) for row in shown.to_dict("records")],
    }


def _first_rows(dataset: Dataset) -> tuple[pd.DataFrame, bool]:
    frames, found = [], 0
    for table in dataset.tables():
        frames.append(table.to_pandas())
        found += len(frames[-1])
        if found >= _MOST_ROWS:
            break
    frame = pd.concat(frames, ignore_index=True).iloc[:_MOST_ROWS]
    for name in ("score", "outcome", "ply"):
        if name not in frame:
            frame[name] = np.nan
    return frame, len(frame) == len(dataset)


def _within(frame: pd.DataFrame, column: str, bounds: tuple[float, float]) -> Any:
    values = frame[column]
    return values.isna() | values.between(*bounds)


def _row(game: Game, row: dict[str, Any]) -> dict[str, Any]:
    position = Position(game, tuple(int(row[name]) for name in word_columns(game)))
    scene = scene_of(position)
    told = {name: row.get(name) for name in ("ply", "score", "outcome", "said", "error", "game")}
    return {
        "text": position.text,
        "board": str(position),
        "scene": None if scene is None else scene.as_dict(),
        **told,
    }


def games(library: Library, wanted: requests.Games) -> dict[str, Any]:
    """Return the games of a match or tournament that has ended or was stopped."""
    folder = library.folder(wanted.folder, "match")
    game, frame = game_of_event(folder, read_event(folder)), read_games(folder)
    shown = frame.iloc[wanted.skip : wanted.skip + wanted.count]
    columns = ["first", "second", "result", "ending", "moves"]
    return {
        "game": game.name,
        "names": side_names(game),
        "games": len(frame),
        "shown": [
            {"number": wanted.skip + k + 1, **{name: row[name] for name in columns}}
            for k, row in enumerate(shown.to_dict("records"))
        ],
    }


def progress(library: Library, wanted: requests.Folder) -> dict[str, Any]:
    """Return how a match, tournament or learning run stands now."""
    kinds = {entry.number: entry.kind for entry in library.entries()}
    if kinds.get(wanted.folder) == "run":
        return _run(library, wanted.folder)
    return _match(library, wanted.folder)


def _run(library: Library, number: int) -> dict[str, Any]:
    state = read_state(library.folder(number, "run") / STATE)
    curves: dict[str, list[dict[str, Any]]] = {}
    for entry in state["log"]:
        step = str(entry["step"])
        if step.startswith("against "):
            point = {name: entry[name] for name in ("score", "score_low", "score_high")}
            name = step.removeprefix("against ")
            curves.setdefault(name, []).append({"at": entry["generation"], **point})
    steps = [
        {"generation": entry["generation"], "step": entry["step"], "seconds": entry["seconds"]}
        for entry in state["log"]
    ]
    return {"kind": "run", "goal": state["goal"], "curves": curves, "steps": steps}


def _match(library: Library, number: int) -> dict[str, Any]:
    event, pairs = read_journal(library.folder(number, "match"))
    players = [player["name"] for player in event["players"]]
    if event["kind"] != "match":
        return {"kind": event["kind"], "players": players, "games": 2 * len(pairs), "curve": []}
    points = (np.sign([pair.results for pair in pairs] or np.zeros((0, 2))) + 1) / 2
    curve = []
    for count in (
        sorted({*np.linspace(1, len(pairs), _POINTS, dtype=int).tolist()}) if pairs else []
    ):
        found = match_statistics(points[:count, 0], points[:count, 1])
        curve.append(
            {
                "at": 2 * count,
                "score": found.score,
                "score_low": found.score_low,
                "score_high": found.score_high,
                "llr": _llr(event, found.pentanomial),
            }
        )
    return {"kind": "match", "players": players, "games": 2 * len(pairs), "curve": curve}


def _llr(event: dict[str, Any], pentanomial: Any) -> float | None:
    said = event["about"].get("sprt")
    if said is None or pentanomial is None:
        return None
    test = as_record(said, Sprt, "event.json", "play anew elsewhere")
    return float(test.llr(pentanomial))
