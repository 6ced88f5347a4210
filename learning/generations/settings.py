"""The settings of a run of the generation loop, and the TOML file that holds them."""

from __future__ import annotations

import json
import types
from collections.abc import Iterator, Mapping
from dataclasses import Field, asdict, dataclass, field, fields, replace
from pathlib import Path
from typing import Any, get_args, get_origin, get_type_hints

from samuel.arena.sequential import Sprt
from samuel.errors import UserError, require_number, unknown
from samuel.features import feature_names
from samuel.features.shapes import set_names
from samuel.games.catalog import game_named, known_game
from samuel.games.interface import Game
from samuel.learning.fitting.options import FitOptions, weights_in
from samuel.learning.fitting.recipes import known_recipe, run_code_of, shapes_of
from samuel.learning.online.beginning import begin_learning
from samuel.learning.online.learner import RULES, Teaching
from samuel.learning.samuel.learner import Course
from samuel.learning.samuel.terms import Terms, terms_of
from samuel.models import game_for, load_evaluator
from samuel.models.rote.store import AGE_LIMIT, CAPACITY, Store
from samuel.search.methods import METHODS
from samuel.search.score import MOST_DEPTH
from samuel.selfplay.generate import MOST_GAMES, SelfplayPlan

_MODELS = ("tuples4", "tuples3", "tuples2")
"""Sets of shapes, the first that a game has is its default model; ridge where it has none."""
_RATE, _RATES = 0.5, {"tdlambda": 0.1, "tdleaf": 0.1}
"""The shares of errors that steps take away; of differences a game adds up many of one kind."""
GENERATIONS = "generations"
"""The method of the loop that fits an evaluation to games; a method of search says which plays."""
SAMUEL = "samuel"
"""The method of A. Samuel, 1959 (learning/samuel/)."""
ROTE = "rote"
"""The method that remembers positions, and fits nothing."""
TAUGHT = (*RULES, SAMUEL, ROTE)
"""The methods that learn while they play."""
_LEADING = 0.01
"""Of the largest result: what the leading term is worth, where nobody says."""
SELF, EARLIER = "self", "earlier"
"""Whom a learner meets: itself, or the generations before."""
_TAUGHT_AT = {"tdlambda": 1}
"""Plies of search of who learns, where nobody says; 3 for the others, or fewer."""
_GAMES_OF_SAMUEL = 500
"""A generation of his, played move by move in Python, where nobody says."""
_MOST_PAIRS = 1_000_000
_LARGEST = 1e300
"""No number of a file is; NaN is not, either."""


def _setting(default: Any, about: str, heading: str = "") -> Any:
    return field(default=default, metadata={"about": about, "heading": heading})


@dataclass(frozen=True)
class Settings:
    """All that decides what a run of the generation loop finds, but how many generations.

    Each field says what it is in `metadata["about"]`; None, and no name, leave it to the game
    (`filled`).

    Raises
    ------
    UserError
        A setting has the wrong type.
    """

    game: str = _setting(
        "",
        "the game; that of the models to start from and to meet, or else othello",
        "The beginning",
    )
    first: str = _setting("", "the evaluator to start from: a name, or the folder of a model")
    seed: int = _setting(0, "of every random choice")
    games: int = _setting(None, "games a generation", "Self-play")
    depth: int | None = _setting(None, "plies of search a move")
    nodes: int | None = _setting(None, "nodes a move, about; for no limit leave it out")
    exact_from: int | None = _setting(None, "games are solved from so many squares left on")
    opening_plies: int | None = _setting(None, "random moves at the start, not recorded")
    explore: float | None = _setting(None, "share of random moves in the games")
    temperature: float = _setting(0.0, "moves are drawn by exp(score / temperature); 0: the best")
    method: str = _setting(
        GENERATIONS,
        "fit games (generations), by default of alphabeta, or the method that chooses moves; or "
        "learn while playing: tdlambda, tdleaf, rootstrap, treestrap, treestrap-minimax, samuel, "
        "rote",
    )
    model: str = _setting(
        "", "what is fitted: a recipe (samuel models), or FILE.py:function", "Training"
    )
    last: int = _setting(None, "learn from the games of so many generations, the newest")
    target: str = _setting("td", "what is learned: outcome, score, exact, blend or td")
    blend: float = _setting(0.5, "weight of the score in a blend")
    trace: float | None = _setting(None, "lambda of td: 0 is the score alone, 1 the outcome alone")
    weight: str | None = _setting(None, "how much rows count, such as close=20,late=1; or nothing")
    augment: bool = _setting(False, "learn from every position in all its symmetric images")
    dedupe: bool = _setting(False, "make positions that are the same up to symmetry one")
    stages: int | None = _setting(None, "stages of the game; leave it out for those of the recipe")
    held_out: float = _setting(0.1, "share of the games to judge the fit by")
    rate: float | None = _setting(
        None, "share of an error that a step takes away", "Learning while playing"
    )
    coherent: bool = _setting(True, "steps of a weight fall where they contradict each other (TCL)")
    wins: bool = _setting(False, "tdlambda and tdleaf learn who wins, and not the score")
    opponent: str = _setting(
        "self", "whom the learner meets: self, earlier (its generations), or an evaluator"
    )
    series: int = _setting(
        2, "the first or the second series of his tests (1, 2)", "Samuel's polynomial"
    )
    terms: tuple[str, ...] | None = _setting(
        None, "its terms: features, or single numbers of them; leave it out for the game's own"
    )
    active: int = _setting(16, "how many of them are in use at a time")
    leading: float | None = _setting(
        None, "what the leading weight is worth in units of the score; 0.01 of the largest result"
    )
    capacity: int = _setting(CAPACITY, "how many positions are remembered at most", "Rote learning")
    age_limit: int = _setting(AGE_LIMIT, "positions without use for so long are forgotten")
    sprt: tuple[float, float] = _setting(
        (0.0, 10.0), "Elo that a sequential test tells apart: the second is promoted", "The gate"
    )
    alpha: float = _setting(0.05, "probability of promoting a candidate worth the first of them")
    beta: float = _setting(0.05, "probability of refusing one worth the second")
    elo: str = _setting("normalized", "which Elo: normalized or logistic")
    gate_pairs: int = _setting(
        None,
        "most pairs of games; after them, who is better with 95 % confidence is promoted; "
        "0: every candidate is",
    )
    match_depth: int | None = _setting(None, "plies of search a move in all matches")
    curve_pairs: int = _setting(
        100, "pairs of games of each generation against each yardstick; 0: no curve", "The curve"
    )
    against: tuple[str, ...] | None = _setting(
        None, "the yardsticks besides the first evaluator: names, or folders of models"
    )

    def __post_init__(self) -> None:
        kinds = get_type_hints(Settings)
        for one in fields(self):
            value = getattr(self, one.name)
            if value is not None or one.default is not None:
                object.__setattr__(self, one.name, _as(value, kinds[one.name], one.name))

    @classmethod
    def of(cls, values: Mapping[str, Any], source: str) -> Settings:
        """Return the settings that a file names, the others as they are by default.

        Parameters
        ----------
        values
            Names of fields, and their values as TOML or JSON have them.
        source
            What errors call the file.

        Raises
        ------
        UserError
            There is no such setting, or it has the wrong type.
        """
        known = [one.name for one in fields(cls)]
        try:
            for name in values:
                if name not in known:
                    raise unknown("setting", name, known)
            return cls(**values)
        except UserError as error:
            raise UserError(f"{source}: {error}") from None

    @property
    def rules(self) -> Game:
        """The game."""
        if self.game:
            return known_game(self.game)
        return game_for(None, *filter(None, (self.first, *(self.against or ()))))

    @property
    def fitting(self) -> FitOptions:
        """How candidates are fitted."""
        names = ("target", "blend", "trace", "augment", "dedupe", "stages")
        weights = weights_in(self.weight or "")
        return FitOptions(**{name: getattr(self, name) for name in names}, weights=weights)

    @property
    def test(self) -> Sprt:
        """The test of the gate."""
        return Sprt(*self.sprt, alpha=self.alpha, beta=self.beta, model=self.elo)

    @property
    def is_taught(self) -> bool:
        """Whether an evaluation learns while it plays, and none is fitted to games."""
        return self.method in TAUGHT

    @property
    def chooser(self) -> str:
        """The method of search that chooses moves."""
        return "alphabeta" if self.is_taught or self.method == GENERATIONS else self.method

    @property
    def teaching(self) -> Teaching:
        """How an evaluation learns while it plays."""
        return Teaching(
            rule=self.method,
            depth=self.depth or 1,
            rate=_RATES.get(self.method, _RATE) if self.rate is None else self.rate,
            coherent=self.coherent,
            trace=self.trace or 0.0,
            explore=self.explore or 0.0,
            opening_plies=self.opening_plies or 0,
            wins=self.wins,
            seed=self.seed,
        )

    @property
    def course(self) -> Course:
        """How Samuel's Alpha learns."""
        return Course(
            series=self.series,
            active=self.active,
            depth=self.depth or 1,
            opening_plies=self.opening_plies or 0,
            seed=self.seed,
        )

    @property
    def polynomial(self) -> Terms:
        """What Samuel's polynomials are made of."""
        leading = _LEADING * self.rules.max_utility if self.leading is None else self.leading
        return terms_of(self.rules, self.first, leading, self.terms or ())

    def plan(self, player: str, seed: int) -> SelfplayPlan:
        """Return the self-play of an evaluator."""
        limits = ("depth", "nodes", "exact_from")
        if self.chooser.partition(":")[0] not in METHODS:
            raise unknown("method", self.method, [GENERATIONS, *METHODS, *TAUGHT])
        names = (*limits, "opening_plies", "explore", "temperature", "method")
        chosen = {name: getattr(self, name) for name in names} | {"method": self.chooser}
        return SelfplayPlan(game=self.rules.name, evaluator=player, seed=seed, **chosen).checked()

    def named(self) -> Settings:
        """Return the settings as a person gives them: the files of code that they name are run.

        Settings that were read from a file are not a person's.
        """
        run_code_of(self.model)
        return replace(self, game=game_named(self.game).name) if self.game else self

    def filled(self) -> Settings:
        """Return the settings with nothing left open that depends on the game, and checked.

        Code that they name is not run; it was (`named`), or is refused.

        Raises
        ------
        UserError
            A name is not known, a number is out of its range, or settings do not go together.
        """
        game = self.rules
        usual = game.defaults
        if self.method == SAMUEL:
            usual = replace(usual, first=usual.pieces or usual.first, games=_GAMES_OF_SAMUEL)
        first = self.first or usual.first
        others = self.against
        if others is None:
            others = tuple(list(usual.evaluators)[:1])
        exact = usual.labels_from if self.exact_from is None else self.exact_from
        match_depth = usual.depth if self.match_depth is None else self.match_depth
        depth = self.depth
        if depth is None and self.is_taught:
            depth = _TAUGHT_AT.get(self.method, min(3, usual.depth))
        elif depth is None:
            depth = usual.labels_depth or usual.depth
        explore = usual.explore if self.explore is None else self.explore
        open_to_plan = replace(self, game=game.name, exact_from=exact, depth=depth, explore=explore)
        plan = open_to_plan.plan(first, self.seed)
        found = replace(
            self,
            game=game.name,
            first=first,
            depth=depth,
            explore=explore,
            **{
                name: getattr(usual if getattr(self, name) is None else self, name)
                for name in ("trace", "weight", "games", "last", "gate_pairs")
            },
            match_depth=match_depth,
            exact_from=plan.exact_from,
            opening_plies=plan.opening_plies,
            model=self.model or self._usual_model(game),
            against=tuple(name for name in others if name != first),
        )
        found._check(game)
        return found

    def _usual_model(self, game: Game) -> str:
        if self.method == SAMUEL:
            return SAMUEL
        usual = default_model(game)
        over = shapes_of(usual, game) if self.is_taught else None
        return over[0] if over else usual  # tables of counts do not learn while they play

    def _check(self, game: Game) -> None:
        require_number("games", self.games, 1, MOST_GAMES)
        require_number("last", self.last, 1, 1_000_000)
        require_number("held_out", self.held_out, 1e-6, 1 - 1e-6)
        require_number("gate_pairs", self.gate_pairs, 0, _MOST_PAIRS)
        require_number("curve_pairs", self.curve_pairs, 0, _MOST_PAIRS)
        require_number("match_depth", self.match_depth, 1, MOST_DEPTH)
        require_number("seed", self.seed, 0, (1 << 32) - 1)
        names = ["first", *(Path(other).name for other in self.against or ())]
        if len(set(names)) < len(names) or not {"", ".."}.isdisjoint(names):
            raise UserError(
                "the yardsticks need names of their own, and none may be called first: "
                f"{', '.join(self.against or ())}"
            )
        _ = self.fitting, self.test  # they check what is theirs
        if self.method == ROTE:
            Store(game, self.capacity, self.age_limit)
            if self.opponent != SELF:
                raise UserError("rote learning is from games against itself; leave out --opponent")
        elif self.is_taught:
            if self.method == SAMUEL:
                self._check_polynomial()
            else:
                begin_learning(self.model, game, self.teaching, self.stages)
            if self.opponent not in (SELF, EARLIER):
                load_evaluator(self.opponent, game)
        else:
            known_recipe(self.model, game, stages=self.stages)

    def _check_polynomial(self) -> None:
        if self.model != SAMUEL:
            raise UserError(f"Samuel's method learns a polynomial, and no {self.model}: leave it")
        if self.leading is not None:
            require_number("leading", self.leading, 1e-6, self.rules.max_utility)
        _ = self.polynomial, self.course  # they check what is theirs


def default_model(game: Game) -> str:
    """Return the recipe that a game's candidates are fitted by where none is named."""
    if game.defaults.recipe or feature_names(game.name):
        return game.defaults.recipe or "ridge"
    sets = set_names(game)
    return next((name for name in _MODELS if name in sets), "ridge")


def settings_text(settings: Settings, introduction: str = "") -> str:
    """Return settings as TOML, each with what it is."""
    return "\n".join(_lines(settings, introduction)) + "\n"


def _lines(settings: Settings, introduction: str) -> Iterator[str]:
    yield from (f"# {line}" for line in introduction.splitlines())
    for one in fields(settings):
        if one.metadata["heading"]:
            yield from ("", f"# {one.metadata['heading']}")
        yield _line(one, asdict(settings)[one.name])


def _line(one: Field[Any], value: Any) -> str:
    line = f"# {one.name} =" if value is None else f"{one.name} = {_toml(value)}"
    return f"{line:<28} # {one.metadata['about']}"


def _toml(value: Any) -> str:
    if isinstance(value, tuple | list):
        return f"[{', '.join(map(_toml, value))}]"
    # a JSON string is a basic string of TOML, but for this one character, which JSON lets stand
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")


_WORDS = {
    bool: "true or false",
    int: "a whole number",
    float: "a number",
    str: "a text",
    tuple[float, float]: "two numbers, such as [0, 10]",
    tuple[str, ...]: 'a list of names, such as ["classic"]',
}


def _as(value: Any, kind: Any, name: str) -> Any:
    """Return a value as the type of its field; TOML and JSON have lists for tuples."""
    kinds = get_args(kind) if get_origin(kind) is types.UnionType else (kind,)
    if value is None and types.NoneType in kinds:
        return None
    wanted = kinds[0]
    if wanted is float and type(value) in (int, float) and abs(value) <= _LARGEST:
        return float(value)
    if get_origin(wanted) is tuple and isinstance(value, tuple | list):
        inner = get_args(wanted)
        of = inner[:1] * len(value) if inner[-1] is Ellipsis else inner
        if len(of) == len(value):
            return tuple(_as(item, k, name) for item, k in zip(value, of, strict=True))
    elif wanted is not float and type(value) is wanted:
        return value
    raise UserError(f"{name} takes {_WORDS[wanted]}, not {value!r}")
