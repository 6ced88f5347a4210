"""Trials of a feature or an evaluator of one's own: held-out figures with and without, a match."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

from samuel.arena.match import MOST_PAIRS, match
from samuel.arena.results import MatchResult
from samuel.arena.statistics import MatchStatistics
from samuel.common.displayable import share, with_interval
from samuel.common.errors import UserError
from samuel.common.options import Argument, Range, Seed
from samuel.common.public import public
from samuel.features import Feature
from samuel.games import Evaluator, Game, game_named
from samuel.games.catalog import known_game
from samuel.games.plugins import load_plugin, things_in
from samuel.learning.fitting.estimators import unfitted
from samuel.learning.fitting.metrics import Metrics
from samuel.learning.fitting.options import FitOptions
from samuel.learning.fitting.reading import default_features
from samuel.learning.options import LearnOptions
from samuel.learning.trained import Trained
from samuel.learning.training import train
from samuel.models import comes_with_samuel, find_evaluator
from samuel.models.named import usual_opponent
from samuel.search.score import MOST_DEPTH
from samuel.selfplay.data.dataset import Dataset
from samuel.selfplay.digest import evaluator_digest
from samuel.selfplay.generate import generate
from samuel.selfplay.plan import SelfplayPlan

PAIRS, OUT = 500, "runs/try"


@dataclass(frozen=True)
class Tried:
    """Measured value of a feature or an evaluator.

    Attributes
    ----------
    kind, name
        Kind, `feature` or `evaluator`, and name.
    result
        The match: the model with the feature against the one without, or the evaluator against
        the game's hand-made one.
    with_it, without
        Models with and without the feature, fitted to equal rows; None for an evaluator.
    """

    kind: str
    name: str
    result: MatchResult
    with_it: Trained | None = None
    without: Trained | None = None

    @property
    def sentence(self) -> str:
        """Score with its 95 % interval, number of games and Elo, and whether it is decided."""
        s = self.result.statistics
        who = f"With `{self.name}` the model wins"
        if self.kind == "evaluator":
            who = f"Against `{self.result.b}` the evaluator `{self.name}` wins"
        return (
            f"{who} {100 * s.score:.1f} % ({100 * s.score_low:.1f} to {100 * s.score_high:.1f}; "
            f"{s.games:,} games), "
            f"{with_interval(s.elo, s.elo_low, s.elo_high, unit=' Elo', level='')}{self._undecided}"
        )

    @property
    def _undecided(self) -> str:
        """A clause if the interval contains an even score, else ""."""
        s = self.result.statistics
        if not s.score_low <= 0.5 <= s.score_high:
            return ""
        pairs = deciding_pairs(s)
        if pairs > MOST_PAIRS:
            return ". Not decided: the interval includes 50 %, and the difference is too small"
        return (
            f". Not decided: the interval includes 50 %. About {2 * pairs:,} games decide a "
            f"difference of this size: --pairs {pairs} (in Python, pairs={pairs})"
        )

    @property
    def metrics(self) -> dict[str, Metrics]:
        """Figures on held-out games `with` and `without` the feature; empty for an evaluator."""
        both = {"with": self.with_it, "without": self.without}
        return {name: one.metrics for name, one in both.items() if one is not None}

    def as_dict(self) -> dict[str, Any]:
        """Return the content of `samuel try --json`."""
        return {
            "kind": self.kind,
            "name": self.name,
            "game": self.result.game.name,
            "sentence": self.sentence,
            "metrics": self.metrics,
            "match": self.result.as_dict(),
        }


def deciding_pairs(s: MatchStatistics) -> float:
    """Return about how many pairs put an even score outside the interval of the score measured."""
    distance = abs(s.score - 0.5)
    width = s.score - s.score_low if s.score > 0.5 else s.score_high - s.score
    if not distance:
        return math.inf
    pairs = s.games / 2 * (width / distance) ** 2
    step = 10.0 ** max(0, math.floor(math.log10(pairs)) - 1)  # two digits: it is an estimate
    return round(step * math.ceil(pairs / step))


@public
def try_file(
    file: Annotated[Path | str, Argument()],
    *,
    game: Game | None = None,
    data: Dataset | None = None,
    games: Annotated[int, Range(2)] = 5000,
    model: str = "ridge",
    pairs: Annotated[int | None, Range(1, MOST_PAIRS)] = None,
    depth: Annotated[int | None, Range(1, MOST_DEPTH)] = None,
    seed: Seed = 0,
    jobs: int = 1,
    out: Path | str = OUT,
    progress: Callable[[str], None] = lambda doing: None,
) -> list[Tried]:
    """Measure the strength that your own feature or evaluator adds.

    For a feature, the command fits two models to the same games, with the game's default features
    and with your feature added. The two models play a match. An evaluator plays a match against the
    game's hand-made evaluator. After an edit of the file, the same command keeps the games and
    plays a new match.

    Parameters
    ----------
    file
        Python file with your features or evaluators.
    game
        Game to try them in: a name, or a Python file that registers one. By default the game that
        each of them names.
    data
        Folder of a dataset to fit to. By default the game's hand-made evaluator plays games, which
        are kept.
    games
        Number of games to play if no data is given.
    model
        Recipe to fit (samuel models lists them).
    pairs
        Number of game pairs of the match. Default: 500, or as many as there are openings.
    depth
        Search depth in the match, in plies. By default the game's usual depth.
    seed
        Seed of the games, the split, the fit and the openings.
    jobs
        Number of workers for games; -1 for one per core.
    out
        Folder for the games, models and matches.
    progress
        Called with a description of the current step.

    Returns
    -------
    list[Tried]
        One entry per feature or evaluator of the file.

    Raises
    ------
    UserError
        The file fails or defines nothing to try; something cannot be used, read or written.
    """
    out, chosen = Path(out), game
    found = things_in(load_plugin(file), (Feature, Evaluator))
    own = [
        (one, rules)
        for one, rules in ((one, _game_of(one, chosen)) for one in found)
        if one.game in (rules.name, "any") and not _comes_with_samuel(one, rules)
    ]
    if not own:
        of = "" if chosen is None else f" for {chosen.name}"
        raise UserError(
            f"{file} has no feature and no evaluator{of} to try; write one under "
            "@samuel.feature, or pass one to samuel.register_evaluator"
        )
    for rules in {rules.name: rules for one, rules in own if isinstance(one, Feature)}.values():
        if data is not None:
            data.require_game(rules)
        unfitted(model, rules, FitOptions())  # a wrong name is an error before the self-play
    tried, terms = [], _Terms(out, games, model, pairs, depth, seed, jobs, progress)
    features = {one.name for one, _ in own if isinstance(one, Feature)}
    for one, rules in own:
        if isinstance(one, Feature):
            tried.append(_try_feature(one.name, features, rules, data, terms))
            continue
        other = find_evaluator(usual_opponent(rules), rules)
        tried.append(Tried("evaluator", one.name, _match(one, other, rules, terms)))
    return tried


def _game_of(one: Feature | Evaluator, chosen: Game | None) -> Game:
    return chosen or (game_named("othello") if one.game == "any" else known_game(one.game))


def _comes_with_samuel(one: Feature | Evaluator, rules: Game) -> bool:
    """Return whether a thing that a file imports is none of its own."""
    return one.is_of_the_package if isinstance(one, Feature) else comes_with_samuel(one, rules)


@dataclass(frozen=True)
class _Terms:
    """Common settings of everything that is tried; see try_file."""

    out: Path
    games: int
    model: str
    pairs: int | None
    depth: int | None
    seed: int
    jobs: int
    progress: Callable[[str], None]


def _try_feature(
    name: str, own: set[str], rules: Game, data: Dataset | Path | str | None, terms: _Terms
) -> Tried:
    base = [one for one in default_features(rules) if one not in own]
    if not base:
        raise UserError(
            f"{rules.name} has no other features than {name}, so nothing can be compared with it"
        )
    dataset = _played(rules, terms) if data is None else data

    def fitted(called: str, features: list[str]) -> Trained:
        return train(
            dataset,
            terms.model,
            features=features,
            # an evaluator that knows nothing has scores that say nothing
            target="outcome" if usual_opponent(rules) == "zero" else "blend",
            seed=terms.seed,
            game=rules.name,
            out=terms.out / rules.name / called.replace(" ", "-"),
            name=called,
            progress=lambda doing: terms.progress(f"{called}: {doing}"),
        )

    with_it, without = fitted(f"with {name}", [*base, name]), fitted(f"without {name}", base)
    result = _match(with_it.evaluator, without.evaluator, rules, terms)
    return Tried("feature", name, result, with_it, without)


def _played(rules: Game, terms: _Terms) -> Dataset:
    """Return games by the hand-made evaluator; those that were played before are kept."""
    defaults = rules.defaults
    plan = SelfplayPlan(
        rules.name,
        usual_opponent(rules),
        defaults.depth,
        terms.seed,
        epsilon=LearnOptions(game=rules.name).selfplay.epsilon,
    )
    folder = terms.out / rules.name / f"games-{terms.games}-seed-{terms.seed}"
    return generate(
        plan,
        terms.games,
        folder,
        jobs=terms.jobs,
        progress=lambda done, rows: terms.progress(f"self-play: {done:,} of {terms.games:,} games"),
    )


def _match(a: Evaluator, b: Evaluator, rules: Game, terms: _Terms) -> MatchResult:
    """Play a match; each version of an evaluator, depth and seed has a folder of its own."""
    which = [evaluator_digest(one, rules)[:8] for one in (a, b)]
    which += [f"depth-{terms.depth or rules.defaults.depth}", f"seed-{terms.seed}"]

    pairs = PAIRS if terms.pairs is None else terms.pairs

    def say(result: MatchResult) -> None:
        s = result.statistics if len(result.pairs) else None
        so_far = "" if s is None else f", {share(s.score)} so far"
        done = 2 * len(result.pairs)
        games = f"{done:,} of {2 * pairs:,} games"
        terms.progress(f"match, {a.name} against {b.name}: {games}{so_far}")

    return match(
        a,
        b,
        game=rules,
        pairs=pairs,
        depth=terms.depth,
        seed=terms.seed,
        jobs=terms.jobs,
        out=terms.out / rules.name / f"match-{a.name.replace(' ', '-')}-{'-'.join(which)}",
        progress=say,
    )
