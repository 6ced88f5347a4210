"""What the tests of pools share."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.linear_model import Ridge
from sklearn.pipeline import make_pipeline

from samuel.arena import TournamentResult, tournament
from samuel.arena.journal import read_journal
from samuel.features.transformer import Features
from samuel.games import game_named
from samuel.games.playing import random_positions
from samuel.models.saved.saving import save

POSITIONS = random_positions(game_named("othello"), 300, seed=2)
QUICK: dict[str, Any] = {"depth": 1, "goal": 70.0, "most_pairs": 60}


def add_to_pool(
    folder: Path, who: Any, *, goal: float = 15, most_pairs: int = 5000, **more: Any
) -> TournamentResult:
    """Add players to a pool by a tournament."""
    players = [who] if isinstance(who, str | Path) else who
    return tournament(players, error=goal, pairs=most_pairs, out=folder, **more)


def save_model(folder: Path, weight: float) -> Path:
    """Save one whose targets are the discs of the side to move, times the weight."""
    targets = weight * np.bitwise_count(POSITIONS[:, 0]).astype(np.float64)
    save(
        folder,
        make_pipeline(Features(["mobility", "corners"]), Ridge()).fit(POSITIONS, targets),
        name=folder.name,
    )
    return folder


def entries(folder: Path) -> dict[str, dict[str, Any]]:
    content = json.loads((folder / "pool.json").read_text())
    return {one["name"]: one for one in content["players"]}


def files(folder: Path) -> dict[str, bytes]:
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file()
    }


def require_no_opening_twice(folder: Path) -> None:
    pairs = read_journal(folder)[1]
    assert len({pair.key for pair in pairs}) == len(pairs)
    assert len({(pair.pairing, pair.opening) for pair in pairs}) == len(pairs)
