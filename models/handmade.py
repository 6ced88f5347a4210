"""Evaluators made by hand: where learning starts from, and what it must beat.

They are linear models whose weights somebody chose, in the same compiled form as learned ones.
"""

from __future__ import annotations

import contextlib
import functools
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from samuel.errors import UserError, nearest, unknown
from samuel.features import column_names, features_named
from samuel.games.evaluator import Evaluator
from samuel.games.interface import Game, Row
from samuel.kernels.jit import jit
from samuel.models.forms.compiled import compiled_evaluator, linear, linear_block
from samuel.models.probcut import shipped_probcut

# The square weights that Othello learners are commonly tested against: T. Yoshioka, S. Ishii,
# M. Ito, "Strategy acquisition for the game Othello based on reinforcement learning", 1999. One
# weight a class of squares, in the order of the feature. Not in discs: only comparisons mean
# anything.
_WPC = (1.0, -0.25, 0.1, 0.05, -0.25, 0.01, 0.01, 0.05, 0.02, 0.01)

# By hand, in discs, at the end of the game, half-way and at its start. Early on discs are a burden
# and mobility is nearly all; corners, and what gives them away, count throughout; late, stable
# discs take over. Smaller boards have fewer classes of squares, with the same weights.
_CLASSIC: dict[str, dict[str, tuple[float, ...]]] = {
    "square_classes": {
        "a1": (4.0, 7.0, 8.0),
        "b1": (0.5, -1.0, -1.5),
        "c1": (0.5, 0.5, 0.3),
        "d1": (0.5, 0.3, 0.2),
        "b2": (0.0, -2.5, -3.5),
        "c2": (0.3, -0.3, -0.4),
        "d2": (0.3, -0.2, -0.3),
        "c3": (0.3, 0.1, 0.0),
        "d3": (0.3, 0.0, 0.0),
        "d4": (0.3, 0.0, 0.0),
    },
    "mobility": {"player": (0.3, 0.9, 0.8), "opponent": (-0.3, -0.9, -0.8)},
    "stability": {"player": (0.7, 1.0, 1.0), "opponent": (-0.7, -1.0, -1.0)},
}

# Open lines by how many stones they hold. The side to move is a stone ahead of its count.
_LINES: dict[str, dict[str, tuple[float, ...]]] = {
    "connect_four": {
        "player": (0.01, 0.05, 0.2),
        "opponent": (-0.01, -0.04, -0.15),
    },
    "tic_tac_toe": {"player": (0.05, 0.4), "opponent": (-0.05, -0.3)},
}


@jit
def _nothing(position: Row, integers: Any, floats: Any) -> float:
    return 0.0


def _wpc(game: Game) -> Evaluator:
    features = features_named(["square_classes"], game.name)
    return compiled_evaluator("wpc", game, features, linear, [linear_block(_WPC)])


def _classic(game: Game) -> Evaluator:
    if game.name in _LINES:
        features = features_named(["open_lines"], game.name)
        weights = np.concatenate([_LINES[game.name][side] for side in ("player", "opponent")])
        return compiled_evaluator("classic", game, features, linear, [linear_block(weights)])
    features = features_named(list(_CLASSIC), game.name)
    stages = {f"{f}_{c}": at for f, columns in _CLASSIC.items() for c, at in columns.items()}
    columns = [stages[column] for column in column_names(features)]
    blocks = [linear_block(weights) for weights in np.transpose(columns)]
    knots = (0, game.most_left // 2, game.most_left)
    return compiled_evaluator("classic", game, features, linear, blocks, knots)


def _zero(game: Game) -> Evaluator:
    return Evaluator("zero", game.name, _nothing, game.words)


_MAKERS = {
    "classic": (_classic, {"othello", "othello_6x6", "othello_4x4", *_LINES}),
    "wpc": (_wpc, {"othello"}),
    "zero": (_zero, None),
}
HANDMADE = frozenset(_MAKERS)
"""The names of all of them, whatever their games."""
_ABOUT = {
    "classic": "squares, mobility and stability, weighted by hand by stage",
    "wpc": "the standard square weights of the literature (Yoshioka et al. 1999)",
    "zero": "0 everywhere: the search sees finished games alone",
}


def handmade_names(game: str = "othello") -> dict[str, str]:
    """Return the hand-made evaluators of a game, each with a line about it."""
    about = _ABOUT | ({"classic": "open lines, weighted by hand"} if game in _LINES else {})
    return {n: about[n] for n, (_, games) in _MAKERS.items() if games is None or game in games}


def no_evaluator(name: str, game: Game) -> UserError:
    """Return the error that no evaluator of a game has this name; it may have been a folder's."""
    beside: list[str] = []
    with contextlib.suppress(OSError, ValueError):
        beside = [str(one) for one in Path(name).parent.iterdir() if (one / "model.json").is_file()]
    known = [*handmade_names(game.name), *nearest(name, beside)]
    is_path = len(Path(name).parts) > 1
    more = "there is no such folder" if is_path else "or give the folder of any model of yours"
    return unknown("evaluator", name, known, more, of=game.name)


@functools.lru_cache(maxsize=32)
def handmade(name: str, game: Game) -> Evaluator:
    """Return a hand-made evaluator.

    Raises
    ------
    UserError
        There is none of that name for the game.
    """
    if name not in handmade_names(game.name):
        raise no_evaluator(name, game)
    evaluator = _MAKERS[name][0](game)
    return replace(evaluator, probcut=shipped_probcut(evaluator))
