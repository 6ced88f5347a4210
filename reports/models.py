"""Evaluators, recipes and features of a game, and how one evaluator was made."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

from samuel.common.displayable import Displayable, Table, said, share_with_interval
from samuel.common.errors import OptionError, UserError
from samuel.common.options import Argument
from samuel.common.text_files import read_toml
from samuel.features import feature_names, features_named
from samuel.features.shapes import set_names
from samuel.games.game import Game
from samuel.games.origins import origins_of
from samuel.games.plugins import own_evaluators
from samuel.learning.fitting.recipes import recipe_names
from samuel.models import evaluator_names, game_for
from samuel.models.named import (
    MatchScore,
    folder_of,
    learned_names,
    no_evaluator,
    recipes_of,
    worth_of,
)
from samuel.models.saved.card import CARD, ERRORS, read_card
from samuel.models.saved.loading import load_weights
from samuel.models.weights import records_of

_MOST_NUMBERS = 8
"""Numbers of a user's evaluator that are shown."""


@dataclass(frozen=True)
class ModelSummary(Displayable):
    """Evaluators, recipes and features of a game, or one evaluator, as values and as tables."""

    content: dict[str, Any]
    shown: Callable[[], list[Table]]

    def __repr__(self) -> str:
        return f"ModelSummary({', '.join(self.content)})"

    def as_dict(self) -> dict[str, Any]:
        """Return the values as `samuel models list --json` prints them."""
        return self.content

    def tables(self) -> list[Table]:
        """Return the tables that `samuel models list` prints."""
        return self.shown()


def describe_models(
    name: Annotated[str | None, Argument()] = None,
    *,
    features: bool = False,
    game: Game | str | None = None,
) -> ModelSummary:
    """List the evaluators, recipes and features of a game, or describe one evaluator.

    Parameters
    ----------
    name
        Evaluator, or the folder of a model: show how it was made and how strong it is.
    features
        Describe each feature and its columns.
    game
        Game, or its name. By default the game of the evaluator, or Othello.

    Returns
    -------
    ModelSummary
        Names with a line each, or what is known of the evaluator.

    Raises
    ------
    UserError
        The game has no such evaluator, or the model is damaged or for another game.

    Examples
    --------
    >>> import samuel
    >>> list(samuel.describe_models(game="nim").as_dict()["evaluators"])
    ['bouton', 'zero', 'random']
    """
    rules = game_for(game, name)
    if name is not None:
        if features:
            raise OptionError("features", "is for the list of models; leave out the name")
        if name not in evaluator_names(rules) and os.path.isdir(name):
            return _of_folder(name, rules)
        return _of_name(name, rules)
    lists: dict[str, Any] = {
        "evaluators": evaluator_names(rules),
        "recipes": recipe_names(rules),
        "features": feature_names(rules.name),
    }
    known = features_named(lists["features"], rules.name) if lists["features"] else ()
    lists["about"] = {f.name: {"columns": f.columns, "about": f.about} for f in known}

    def shown() -> list[Table]:
        suffixes = ["suffixes such as -logistic may follow any set of shapes"]
        found = [
            _summary(f"Evaluators of {rules.name}", lists["evaluators"]),
            _summary("Recipes (samuel train --model NAME)", lists["recipes"]),
            Table("", notes=suffixes * bool(set_names(rules))),
        ]
        if not features:
            names = ", ".join(lists["features"]) or "none"
            return [*found, Table("", notes=[f"features: {names}"])]
        rows = [[made.name, str(len(made.columns)), made.about] for made in known]
        columns = ["feature", "columns", "about"]
        return [*found, Table(f"Features of {rules.name}", columns, rows)]

    return ModelSummary(lists, shown)


def _of_name(name: str, game: Game) -> ModelSummary:
    if name not in evaluator_names(game):
        raise no_evaluator(name, game)
    about = evaluator_names(game)[name]
    content: dict[str, Any] = {"name": name, "game": game.name, "about": about}
    if (game.name, name) in own_evaluators:
        own = own_evaluators[game.name, name]
        content |= {"plugins": origins_of(game.name, evaluators=[name])}
        content |= {"integers": own.integers.tolist(), "floats": own.floats.tolist()}
    is_learned = name in learned_names(game.name)
    if is_learned:
        size = sum(file.stat().st_size for file in folder_of(name, game).iterdir())
        runs = {f"{game.name}/{name}/{f.name}": read_toml(f) for f in recipes_of(name, game)}
        content |= {"bytes": size, "runs": runs, **worth_of(name, game)}

    def shown() -> list[Table]:
        found = [_summary(f"{name}, of {game.name}", _rows(content))]
        if is_learned:
            found.append(_scores("Earlier generations", content["curve"]))
            found.append(_scores("Matches", content["match"]))
        return found

    return ModelSummary(content, shown)


_OF_CARD = (
    *("model", "reads", "kind", "game", "recipe", "begun", "date", "data", "rows", "target"),
    *("blend", "td_lambda", "weights", "seed", "seconds", "metrics", "start", "logit_scale"),
    *("loss", "probcut"),
)
"""Parts of a card that say how a model was made; the rest describes its form."""


def _of_folder(folder: str, game: Game) -> ModelSummary:
    card = read_card(Path(folder))
    if card["game"] != game.name:
        raise UserError(f"{folder} is for {card['game']}, not for {game.name}; leave out --game")
    files = [Path(folder) / file for file in (CARD, *card["files"]) if Path(file).name == file]
    size = sum(file.stat().st_size for file in files if file.is_file())
    content = {"name": card["name"], "game": game.name, "about": f"in {folder}", "bytes": size}
    rows = {entry: said(_without_lists(card.get(entry))) for entry in _OF_CARD}
    if isinstance(reads := card.get("reads"), list):
        rows["reads"] = ", ".join(map(str, reads))
    known = {entry: text for entry, text in rows.items() if text}
    known |= {"network": network} if (network := _network_said(card)) else {}
    known |= {"on disk": f"{size:,} bytes"}
    title = f"{card['name']}, in {folder}"
    content["card"] = card
    weights = load_weights(folder) if ERRORS in card["files"] else None
    if weights is not None:
        content["weights"] = records_of(weights.table())

    def shown() -> list[Table]:
        found = [_summary(title, known)]
        if weights is not None:
            from samuel.reports.weights import weights_view

            view = weights_view(weights, card["name"], card)
            found += [*view.tables, Table("", notes=view.lines)]
        return found

    return ModelSummary(content, shown)


def _without_lists(value: Any) -> Any:
    """Return an entry of a card without figures by stage and digests."""
    if isinstance(value, dict):
        return {k: _without_lists(one) for k, one in value.items() if k != "digest"}
    return None if isinstance(value, list) else value


def _network_said(card: dict[str, Any]) -> str:
    """Return the shape of an efficiently updatable network of a card, or of a part; "" for none."""
    parts = card.get("parts")
    for part in [card, *(parts if isinstance(parts, list) else [])]:
        if isinstance(part, dict) and part.get("kind") == "nnue":
            shape = {name: part.get(name) for name in ("units", "activation", "buckets", "king")}
            if isinstance(hidden := part.get("hidden"), list):
                shape["hidden"] = " and ".join(map(str, hidden))
            if isinstance(areas := part.get("king_areas"), list) and areas:
                shape["areas"] = len(set(map(str, areas)))
            return said(shape)
    return ""


def _summary(title: str, rows: Mapping[str, str]) -> Table:
    return Table(title, ("", ""), list(rows.items()))


def _rows(card: dict[str, Any]) -> dict[str, str]:
    rows = {"about": card["about"]}
    if "plugins" in card:
        rows["registered by"] = ", ".join(one["file"] for one in card["plugins"])
        rows |= {name: _numbers(card[name]) for name in ("integers", "floats")}
    if "runs" not in card:
        return rows
    rows |= {
        "learned from": card["data"],
        "in": card["time"],
        "on disk": f"{card['bytes']:,} bytes",
    }
    for number, (file, settings) in enumerate(card["runs"].items(), 1):
        rows[f"run {number}"] = f"samuel learn --settings {file}: {said(settings)}"
    return rows | {"note": card["note"]}


def _numbers(numbers: list[float]) -> str:
    """Return the first of some numbers, and how many there are."""
    first = ", ".join(f"{number:.6g}" for number in numbers[:_MOST_NUMBERS])
    return first if len(numbers) <= _MOST_NUMBERS else f"{first}, ... ({len(numbers):,})"


def _scores(title: str, scores: list[MatchScore]) -> Table:
    words = [key for key in ("after", "against", "limit") if key in scores[0]]
    rows = [
        [
            *(one[key] for key in words),
            share_with_interval(one["score"], one["score_low"], one["score_high"]),
            f"{one['games']:,}",
        ]
        for one in scores
    ]
    return Table(title, [*words, "score", "games"], rows)
