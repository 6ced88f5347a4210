"""`samuel models list`."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from samuel.cli.common import emit, game_and_evaluators, print_table, summary
from samuel.cli.common import show as show_view
from samuel.cli.options import MisuseError, subcommand
from samuel.cli.terminal import said
from samuel.common.displayable import Table
from samuel.common.options import Argument
from samuel.common.units import share_with_interval

if TYPE_CHECKING:
    from rich.console import Console

    from samuel.games import Game
    from samuel.models.learned import MatchScore

_MOST_NUMBERS = 8
"""Numbers of a user's evaluator that are shown."""


@subcommand(doing="looking for models")
def run(
    *,
    name: Annotated[str | None, Argument()] = None,
    features: bool = False,
    report: str | None = None,
    game: str | None = None,
    json: bool = False,
) -> None:
    """List the evaluators, recipes and features of a game, or describe one evaluator.

    For a learned evaluator that comes with samuel, the card is shown: settings, seeds, games, time
    and strength. For the folder of a model, the dataset and the errors of the fit are shown.

    Example: samuel models list --game connect_four

    Example: samuel models learned

    Example: samuel models runs/ridge

    Example: samuel models runs/tuned --report weights.html

    Example: samuel models --features

    Parameters
    ----------
    name
        Evaluator, or the folder of a model: show how it was made and how strong it is.
    features
        Describe each feature and its columns.
    report
        HTML page with the weights of a linear model to write, tables of squares as boards.
    """
    from samuel.features import feature_names, features_named
    from samuel.features.shapes import set_names
    from samuel.learning.fitting.recipes import recipe_names
    from samuel.models import evaluator_names

    rules, _ = game_and_evaluators(game, name)
    if name is not None:
        if features:
            raise MisuseError("--features is for the list of models; leave out the name")
        if report is not None:
            from samuel.reports import write_weights

            write_weights(report, name, rules)
        if name not in evaluator_names(rules) and os.path.isdir(name):
            return _show_folder(name, rules, json)
        return _show_card(name, rules, json)
    if report is not None:
        raise MisuseError("--report needs the name of an evaluator or the folder of a model")
    lists: dict[str, Any] = {
        "evaluators": evaluator_names(rules),
        "recipes": recipe_names(rules),
        "features": feature_names(rules.name),
    }
    known = features_named(lists["features"], rules.name) if lists["features"] else ()
    lists["about"] = {f.name: {"columns": f.columns, "about": f.about} for f in known}

    def show(console: Any) -> None:
        print_table(summary(f"Evaluators of {rules.name}", lists["evaluators"]), console)
        print_table(summary("Recipes (samuel train --model NAME)", lists["recipes"]), console)
        if set_names(rules):
            console.print("suffixes such as -logistic may follow any set of shapes")
        if not features:
            console.print(f"features: {', '.join(lists['features']) or 'none'}")
            return
        rows = [[made.name, str(len(made.columns)), made.about] for made in known]
        columns = ["feature", "columns", "about"]
        print_table(Table(f"Features of {rules.name}", columns, rows), console)

    emit(lists, json, show)


def _show_card(name: str, game: Game, json: bool) -> None:
    from samuel.common.text_files import read_toml
    from samuel.games.origins import origins_of
    from samuel.games.plugins import own_evaluators
    from samuel.models import evaluator_names
    from samuel.models.learned import folder_of, learned_names, recipes_of, worth_of
    from samuel.models.named import no_evaluator

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

    def show(console: Console) -> None:
        print_table(summary(f"{name}, of {game.name}", _rows(content)), console)
        if is_learned:
            print_table(_scores("Earlier generations", content["curve"]), console)
            print_table(_scores("Matches", content["match"]), console)

    emit(content, json, show)


_OF_FOLDER = (
    *("model", "reads", "kind", "game", "recipe", "begun", "date", "data", "rows", "target"),
    *("blend", "td_lambda", "weights", "seed", "seconds", "metrics", "start", "logit_scale"),
    *("loss", "probcut"),
)
"""Parts of a card that say how a model was made; the rest describes its form."""


def _show_folder(folder: str, game: Game, json: bool) -> None:
    from samuel.common.errors import UserError
    from samuel.models.saved.card import CARD, ERRORS, read_card
    from samuel.models.saved.loading import load_weights
    from samuel.models.weights import records_of

    card = read_card(Path(folder))
    if card["game"] != game.name:
        raise UserError(f"{folder} is for {card['game']}, not for {game.name}; leave out --game")
    files = [Path(folder) / file for file in (CARD, *card["files"]) if Path(file).name == file]
    size = sum(file.stat().st_size for file in files if file.is_file())
    content = {"name": card["name"], "game": game.name, "about": f"in {folder}", "bytes": size}
    rows = {entry: said(_without_lists(card.get(entry))) for entry in _OF_FOLDER}
    if isinstance(reads := card.get("reads"), list):
        rows["reads"] = ", ".join(map(str, reads))
    shown = {entry: text for entry, text in rows.items() if text}
    shown |= {"network": network} if (network := _network_said(card)) else {}
    shown |= {"on disk": f"{size:,} bytes"}
    title = f"{card['name']}, in {folder}"
    content["card"] = card
    weights = load_weights(folder) if ERRORS in card["files"] else None
    if weights is not None:
        content["weights"] = records_of(weights.table())

    def show(console: Console) -> None:
        print_table(summary(title, shown), console)
        if weights is not None:
            from samuel.reports.weights import weights_view

            show_view(weights_view(weights, card["name"], card), console)

    emit(content, json, show)


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


def _rows(card: dict[str, Any]) -> dict[str, str]:
    """Return the rows of a card in words."""
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
    """Return a table of matches."""
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
