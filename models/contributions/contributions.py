"""Why a position has its score: what each part of a model adds to it.

- A linear model is the sum of its features, a model of patterns that of its instances and tables.
- A network beside such a base is one more part.
- Trees and other networks over features: the change of score from 0 to a feature's value.
- Where only the score is known, a square's part is the loss of score without its piece.

The parts and `rest` add up to the score.
"""

from __future__ import annotations

import functools
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

from samuel.common.errors import UserError
from samuel.games.evaluator import HAND_MADE, Evaluator
from samuel.games.game import Game
from samuel.games.position import Position
from samuel.models.compiled.model import CompiledModel
from samuel.models.compiled.sums import SumModel
from samuel.models.contributions.parts import FEATURES, Contributions, Part, by_piece, parts_of
from samuel.models.evaluate import evaluate
from samuel.models.named import folder_of, handmade_model, learned_names
from samuel.models.nnue.model import NnueModel
from samuel.models.saved.loading import load_compiled

EXACT = "exact: the model is the sum of these parts"
_OTHER = {"player": "opponent", "opponent": "player"}


def contributions(
    evaluator: Evaluator | Path | str,
    position: Position,
    *,
    model: CompiledModel | None = None,
    side: int | None = None,
) -> Contributions:
    """Split the static score of a position into the parts of its features or patterns.

    Parameters
    ----------
    evaluator
        Evaluator, its name, or the folder of a model.
    position
        Position in which a side is to move.
    model
        Model of the evaluator. By default it is looked up (`model_of`).
    side
        Side, 0 or 1, from which scores and parts are seen. By default the side to move.

    Returns
    -------
    Contributions
        Parts of the score, and the static score that they add up to.

    Raises
    ------
    UserError
        The game is over, chance is to move, or the evaluator is for another game.

    Examples
    --------
    >>> import samuel
    >>> position = samuel.Position.start("tic_tac_toe")
    >>> parts = samuel.contributions("runs/ridge", position).parts
    >>> parts[0].name
    'intercept'
    """
    if not isinstance(evaluator, Evaluator):
        from samuel.models import find_evaluator

        evaluator = find_evaluator(evaluator, position.game)
    evaluator.require_game(position.game)
    if position.is_terminal or position.is_chance:
        what = "the game is over" if position.is_terminal else "chance is to move"
        raise UserError(
            f"{what} here: contributions exist only for positions where a side is to move"
        )
    model = model_of(evaluator, position.game) if model is None else model
    if model is None or isinstance(model, NnueModel):
        found = by_piece(evaluator, position)
    else:
        rows = position.game.rows([position.words])
        parts = tuple(parts_of(model, rows, position.side))
        score = float(evaluate(evaluator, position.game, [position.words])[0])
        kinds = {one.kind for one in (model.parts if isinstance(model, SumModel) else (model,))}
        is_exact = not kinds & {"mlp", "trees"}
        rest = 0.0 if is_exact else score - sum(part.value for part in parts)
        method = EXACT if is_exact else FEATURES
        found = Contributions(score, method, parts, rest, position.side)
    return found if side in (None, found.side) else _turned(found)


def _turned(found: Contributions) -> Contributions:
    """Return what was found for the side to move as the other side sees it."""
    parts = tuple(replace(part, name=_turned_name(part), value=-part.value) for part in found.parts)
    return Contributions(-found.score, found.method, parts, -found.rest, 1 - found.side)


def _turned_name(part: Part) -> str:
    """Return a part's name with the columns in it as the side that is not to move calls them."""
    about, equals, value = part.name.partition(" = ")
    columns = ", ".join(part.columns)
    return about.replace(columns, ", ".join(map(_turned_column, part.columns))) + equals + value


def _turned_column(column: str) -> str:
    """Return a column's name for the other side: `player` and `opponent` change places."""
    words = column.split("_")
    if not _OTHER.keys() & set(words):
        return f"{column} seen by the opponent"
    return "_".join(_OTHER.get(word, word) for word in words)


@functools.lru_cache(maxsize=16)
def model_of(evaluator: Evaluator, game: Game) -> CompiledModel | None:
    """Return what an evaluator was compiled from; None where only its function is known."""
    folder = evaluator.origin
    if evaluator.name in learned_names(game.name) and not folder:
        folder = str(folder_of(evaluator.name, game))
    model: CompiledModel | None = None
    with suppress(UserError):
        is_handmade = folder == HAND_MADE
        model = handmade_model(evaluator.name, game) if is_handmade else load_compiled(folder)
    is_same = model and model.evaluator("").is_like(replace(evaluator, probcut=None))
    return model if is_same else None
