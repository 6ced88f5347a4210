"""Several models on the same held-out games."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any

import numpy as np
from numpy.typing import NDArray

from samuel.arena.match import match
from samuel.arena.results import MatchResult
from samuel.common.errors import UserError, unknown
from samuel.common.options import Argument, Range, Seed, Text, names_in
from samuel.common.public import public
from samuel.games.evaluator import Evaluator
from samuel.games.playing import random_positions
from samuel.learning.comparison.comparison import Compared, Comparison
from samuel.learning.comparison.intervals import Draws, Resampling, interval, intervals
from samuel.learning.comparison.solved import SolvedMoves, solved_moves
from samuel.learning.fitting.estimators import ModelLike, text_of, unfitted
from samuel.learning.fitting.measuring import measure_on
from samuel.learning.fitting.metrics import stages_of, terms
from samuel.learning.fitting.options import FitOptions
from samuel.learning.fitting.recipes import is_recipe, recipe_names
from samuel.learning.fitting.split import Split
from samuel.learning.selection.introspect import evaluation_time, parameter_count, search_speed
from samuel.learning.training import train_on
from samuel.models import evaluator_names, find_evaluator, load_model, usual_opponent
from samuel.models.convert import predict
from samuel.models.evaluate import finite_scores
from samuel.models.named import no_evaluator
from samuel.models.saved.card import SLOW
from samuel.models.saved.loading import load_compiled
from samuel.search.limits import Limits
from samuel.selfplay.data.dataset import Dataset

Say = Callable[[str], None]

_SAMPLE = 4000
_SEARCHED = 6


@public
def compare(
    dataset: Annotated[Dataset, Argument()],
    models: Annotated[Sequence[ModelLike], Text(names_in, "ridge,mlp,classic")],
    fitting: FitOptions = FitOptions(),
    *,
    held_out: float = 0.2,
    seed: Seed = 0,
    game: str | None = None,
    pairs: Annotated[int, Range(0, 1_000_000)] = 0,
    baseline: str | None = None,
    limits: Limits = Limits(),
    jobs: int = 1,
    progress: Callable[[float, str], None] = lambda done, doing: None,
) -> Comparison:
    """Compare models on the same held-out games and list the best first.

    Parameters
    ----------
    dataset
        Folder of a dataset.
    models
        Models, joined by commas. Recipes and FILE.py:function are fitted; evaluators and folders of
        models are only measured. In Python also scikit-learn estimators.
    fitting
        Options of the fits of recipes.
    held_out
        Share of games to hold out and measure on.
    seed
        Seed of the split, the fits and the openings.
    game
        Game of the dataset. The command fails if the dataset is of another game.
    pairs
        Number of game pairs of each model against the baseline. The default 0 plays no match.
    baseline
        Opponent in the matches: an evaluator, or the folder of a model. By default the game's
        hand-made evaluator.
    limits
        Limits of a move of both sides in the matches.
    jobs
        Number of workers in the matches; -1 for one per core. Timed parts run on one.
    progress
        Called with the number of finished models, or of models and their matches, and the next
        step.

    Returns
    -------
    Comparison
        The models, the best log loss first. Where positions near the end of the held-out games can
        be solved, each model has its share of moves that keep the solved value.

    Raises
    ------
    UserError
        The dataset, a name or a setting cannot be used.

    Examples
    --------
    >>> import samuel
    >>> samuel.compare("data/games", ["ridge", "classic"])
    Comparison(...; ... held-out positions)
    """
    if not models:
        raise UserError("give at least one model to compare")
    progress(0, "reading")
    split = Split.of(dataset, held_out=held_out, seed=seed, game=game)
    named = _named(models)
    names = list(named)
    # before the long work
    found = {name: _found(model, split, fitting) for name, model in named.items()}
    opponent = baseline or usual_opponent(split.game)
    if pairs:  # what they need is looked for before the long work
        find_evaluator(opponent, split.game)
    compared = [
        _measured(split, name, named[name], evaluator, fitting, _saying(progress, done, name))
        for done, (name, evaluator) in enumerate(found.items())
    ]
    compared = _told_apart(compared, names)
    for k, (model, name) in enumerate(zip(compared, names, strict=True)):
        if pairs and name != opponent:
            done = len(names) + k
            say = _saying(progress, done, model.name)
            played = _match(model, opponent, limits, split, pairs, jobs, say)
            compared[k] = replace(model, match=played)
    progress(len(names) * (2 if pairs else 1), "solving held-out positions")
    solved = solved_moves(split)
    resampling = Resampling(split.frame["game_id"].to_numpy()[split.held_out], split.seed)
    ordered = sorted(compared, key=lambda model: model.metrics["log_loss"])
    bounded = tuple(_bounded(ordered, split, resampling, solved))
    fitting = split.with_target(fitting)
    return Comparison(split, bounded, resampling, fitting, solved, opponent if pairs else None)


def _named(models: Sequence[ModelLike]) -> dict[str, ModelLike]:
    """Return models, each once, by what reports call them."""
    named: dict[str, ModelLike] = {}
    for model in dict.fromkeys(str(m) if isinstance(m, Path) else m for m in models):
        text = text_of(model)
        numbered = (text if k == 1 else f"{text} {k}" for k in itertools.count(1))
        named[next(name for name in numbered if name not in named)] = model
    return named


def _saying(progress: Callable[[float, str], None], done: int, name: str) -> Say:
    """Return the progress callback of one model."""
    return lambda doing: progress(done, f"{name}: {doing}")


def _told_apart(compared: list[Compared], texts: list[str]) -> list[Compared]:
    """Name models of one name by the text each was asked for with."""
    names = [model.name for model in compared]
    return [
        replace(model, name=text) if names.count(model.name) > 1 else model
        for model, text in zip(compared, texts, strict=True)
    ]


def _found(name: ModelLike, split: Split, fitting: FitOptions) -> Evaluator | None:
    """Return the evaluator of a model that is only measured; None for one that can be trained."""
    if not isinstance(name, str) or is_recipe(name, split.game):
        unfitted(name, split.game, fitting, split.seed)
        return None
    known = evaluator_names(split.game)
    if name not in known and not Path(name).is_dir():
        if len(Path(name).parts) > 1 and ":" not in name:
            raise no_evaluator(name, split.game)
        more = "or the folder of a model, or a file of shapes, or FILE.py:function"
        raise unknown("recipe or evaluator", name, [*recipe_names(split.game), *known], more)
    return find_evaluator(name, split.game)


def _measured(
    split: Split,
    name: str,
    model: ModelLike,
    evaluator: Evaluator | None,
    fitting: FitOptions,
    say: Say,
) -> Compared:
    """Return what is found of a model by itself; one without evaluator is trained first."""
    estimator, scale, seconds, about, note = None, None, None, None, ""
    if evaluator is None:
        called = None if isinstance(model, str) else name
        trained = train_on(split, model, fitting, name=called, progress=say)
        evaluator, estimator, scale = trained.evaluator, trained.estimator, trained.scale
        metrics, seconds = trained.metrics, trained.seconds
        scores = predict(estimator, split.held_out_positions, scale)
    else:
        say("measuring errors")
        scores = finite_scores(evaluator, split.game, split.held_out_positions)
        metrics = measure_on(split, evaluator, scores)
        about = evaluator_names(split.game).get(name)
        if about is None:
            saved = load_model(name)
            note = _note(saved.card, split)
            estimator = saved.estimator if saved.card["kind"] == SLOW else load_compiled(name)
            scale, seconds = saved.card.get("scale"), saved.card.get("seconds")
    say("timing evaluations")
    nanoseconds = evaluation_time(evaluator, split.game, random_positions(split.game, _SAMPLE))
    nodes_per_second = search_speed(evaluator, split.game, _midgame(split))
    return Compared(
        name=evaluator.name,
        about=evaluator.origin if about is None else about,
        evaluator=evaluator,
        metrics=metrics,
        scores=scores,
        nanoseconds=nanoseconds,
        nodes_per_second=nodes_per_second,
        parameters=None if estimator is None else parameter_count(estimator),
        seconds=seconds,
        note=note,
    )


def _midgame(split: Split) -> NDArray[np.uint64]:
    """Return a few held-out positions from halfway through their games."""
    middle = np.abs(split.held_out_left - split.game.most_left // 2)
    shuffled = np.random.default_rng(split.seed).permutation(len(middle))
    return split.held_out_positions[shuffled[np.argsort(middle[shuffled], kind="stable")]][
        :_SEARCHED
    ]


def _match(
    model: Compared, opponent: str, limits: Limits, split: Split, pairs: int, jobs: int, say: Say
) -> MatchResult:

    def show(result: MatchResult) -> None:
        say(f"{result.statistics.games} of {2 * pairs} games ({result.limits})")

    return match(
        model.evaluator,
        opponent,
        game=split.game,
        pairs=pairs,
        limits=limits,
        seed=split.seed,
        jobs=jobs,
        progress=show,
    )


def _bounded(
    models: list[Compared], split: Split, resampling: Resampling, solved: SolvedMoves | None
) -> list[Compared]:
    """Return models, the best first, with the intervals of their figures."""
    stages = stages_of(split.held_out_left, split.game.most_left)
    outcomes = split.outcomes[split.held_out]
    best: Draws = {}
    bounded = []
    for model in models:
        scale = model.metrics["scale"]
        drawn = resampling.figures(terms(model.scores, outcomes, scale))
        by_stage = []
        for stage in np.unique(stages):
            rows = np.flatnonzero(stages == stage)
            of_stage = resampling.figures(terms(model.scores[rows], outcomes[rows], scale), rows)
            by_stage.append(intervals(of_stage))
        behind = None
        if best:
            difference = model.metrics["log_loss"] - models[0].metrics["log_loss"]
            behind = difference, interval(drawn["log_loss"] - best["log_loss"])
        best = best or drawn
        kept, bounds = None, intervals(drawn)
        if solved is not None:
            kept, bounds["value_kept"] = solved.share(model.evaluator, resampling)
        found = replace(model, bounds=bounds, stage_bounds=tuple(by_stage), behind=behind)
        bounded.append(replace(found, value_kept=kept))
    return bounded


def _note(card: dict[str, Any], split: Split) -> str:
    """Return a note if a saved model may have been fitted to games that are held out here."""
    data, manifest = card.get("data") or {}, split.dataset.manifest
    same_games = data.get("digest") == split.dataset.digest
    same_split = card.get("seed") == split.seed and card.get("held_out") == split.share
    run = ("settings", "evaluator_digest")  # of self-play; with more games it begins with the same
    same_run = "history" not in manifest and all(data.get(key) == manifest[key] for key in run)
    if (same_games or same_run) and not (same_games and same_split):
        return "was fitted to another split of these games, so it has seen some of those held out"
    return ""
