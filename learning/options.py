"""`LearnOptions`: what a run of the generation loop goes by, and the parts that it is made of."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Annotated, Any

from samuel.arena.sequential.sprt import LEAST_CHANCE, MOST_CHANCE, Sprt
from samuel.common.errors import unknown
from samuel.common.options import Flag, Names, OptionClass, Range, Text, Without, fields_of
from samuel.common.public import FileOptions
from samuel.games.catalog import known_game
from samuel.games.game import Game
from samuel.learning.algorithms import DESCENT, GENERATIONS, ONLINE, SAMUEL, SELF
from samuel.learning.fitting.options import FitOptions
from samuel.learning.fitting.pattern_recipes import shapes_of
from samuel.learning.fitting.reading import default_model
from samuel.learning.fitting.recipes import OUTCOMES
from samuel.models import game_for
from samuel.models.rote.store import AGE_LIMIT, CAPACITY, MOST_AGES, MOST_POSITIONS
from samuel.search.alphabeta.method import AlphaBeta
from samuel.search.method import Method
from samuel.search.methods import METHODS, method_named
from samuel.search.score import MOST_DEPTH
from samuel.selfplay.generate import MOST_GAMES
from samuel.selfplay.openings.books import is_book
from samuel.selfplay.plan import SelfplayPlan

OF_THE_GAME = frozenset(
    {"start", "games", "model", "last", "depth", "exact_from", "opening_plies"}
    | {"epsilon", "target", "td_lambda", "quiet_only", "gate_pairs", "match_depth", "baselines"}
)
"""Options whose defaults depend on the game."""
_NODES = 200
"""Default number of new positions for each move of Descent."""
_GAMES_OF_SAMUEL = 500
"""Default number of games per generation of Samuel's algorithm, which is played in Python."""
_MOST_PAIRS = 1_000_000


def _bounds_in(text: str) -> tuple[float, float]:
    test = Sprt.parse(text)
    return test.elo0, test.elo1


@dataclass(frozen=True)
class OnlineOptions(OptionClass):
    """Options of the online algorithms, which learn while they play.

    Attributes
    ----------
    learning_rate
        Fraction of a position's error that one update corrects. Default: 0.1 for tdlambda, tdleaf
        and descent, else 0.5.
    tcl
        Adapt the step size of each weight (TCL): it shrinks when the weight's changes contradict
        each other. Default: on, except for descent with patterns.
    wins
        Learn who wins instead of the score: tanh(4 * score / largest result). Always on in games
        whose scores have a scale (chess): tanh(score / (2 * scale)).
    opponent
        Opponent of the learner: self, earlier (its previous generations), or an evaluator.
    """

    learning_rate: Annotated[float | None, Range(1e-12, 1e6)] = None
    tcl: bool = True
    wins: bool = False
    opponent: str = SELF


@dataclass(frozen=True)
class SamuelOptions(OptionClass):
    """Options of A. Samuel's algorithms of 1959: the polynomial (samuel) and the memory (rote).

    Attributes
    ----------
    series
        Series of Samuel's experiments whose rules apply.
    terms
        Terms of the polynomial, joined by commas: features, or single columns of them. By default
        the game's own.
    active
        Number of terms in use at a time.
    leading
        Value of the largest weight, in the game's unit. Default: 0.01 of the largest result.
    proportional
        Make weights proportional to the correlations of their terms, instead of Samuel's powers of
        2.
    capacity
        Largest number of positions that rote learning stores.
    age_limit
        Age at which rote learning forgets a position. Ages grow by 20 per generation; a use halves
        the age.
    """

    series: Annotated[int, Range(1, 2)] = 2
    terms: Names | None = None
    active: Annotated[int, Range(1, 1000)] = 16
    leading: Annotated[float | None, Range(1e-6, 1e6)] = None
    proportional: bool = False
    capacity: Annotated[int, Range(1, MOST_POSITIONS)] = CAPACITY
    age_limit: Annotated[int, Range(2, MOST_AGES)] = AGE_LIMIT


@dataclass(frozen=True)
class Gate(OptionClass):
    """Options of a run's matches: the gate that promotes candidates, and the learning curve.

    Attributes
    ----------
    sprt
        Elo0 and Elo1 of the sequential test (SPRT), such as 0,10.
    alpha
        Probability of promoting a candidate of strength Elo0.
    beta
        Probability of refusing a candidate of strength Elo1.
    sprt_model
        Elo scale of the test: normalized or logistic.
    gate_pairs
        Largest number of game pairs of the test. If the test has not decided by then, a score above
        one half at 95 % confidence promotes. 0 promotes every candidate.
    match_depth
        Search depth in all matches, in plies. By default the game's own.
    curve_pairs
        Number of game pairs per generation against each baseline; 0 for no learning curve.
    baselines
        Opponents of the learning curve, in addition to the first evaluator: names or folders of
        models, joined by commas. By default the game's hand-made evaluator.
    """

    sprt: Annotated[tuple[float, float], Text(_bounds_in, "0,10")] = (0.0, 10.0)
    alpha: Annotated[float, Range(LEAST_CHANCE, MOST_CHANCE)] = 0.05
    beta: Annotated[float, Range(LEAST_CHANCE, MOST_CHANCE)] = 0.05
    sprt_model: str = "normalized"
    gate_pairs: Annotated[int, Range(0, _MOST_PAIRS)] = 4_000
    match_depth: Annotated[int | None, Range(1, MOST_DEPTH)] = None
    curve_pairs: Annotated[int, Range(0, _MOST_PAIRS)] = 100
    baselines: Names = ()

    @property
    def test(self) -> Sprt:
        """The test of a candidate."""
        return Sprt(*self.sprt, alpha=self.alpha, beta=self.beta, model=self.sprt_model)


@dataclass(frozen=True)
class LearnOptions(FileOptions):
    """Options of a learning run, except the number of generations.

    Fields that are not given have the game's own values (`Defaults.learn`). Fields of the parts are
    given by name as well: LearnOptions(game="connect_four", games=1000, depth=3). A part that is
    given as an object is used as it is.

    Attributes
    ----------
    game
        Game: a name, or a Python file that registers one. By default the game of the given
        evaluators, or Othello.
    start
        Evaluator to start from: a name, or the folder of a model. By default the game's own.
    seed
        Seed of every random choice.
    algorithm
        Learning algorithm: generations (fit a model to games), a search method such as uct (fit a
        model to its games), or an online algorithm: tdlambda, tdleaf, rootstrap, treestrap,
        treestrap-minimax, descent, samuel, rote.
    games
        Number of games per generation.
    model
        Recipe to fit: a name (samuel models lists them), or FILE.py:function.
    last
        Number of latest generations to train on.
    held_out
        Share of games to hold out for measuring a fit.
    selfplay
        Plan of the games of a generation.
    fit
        Options of the fits of candidates.
    online
        Options of the online algorithms.
    samuel
        Options of Samuel's algorithms.
    gate
        Options of the gate match and the learning curve.

    Raises
    ------
    UserError
        There is no such game or field, or a number is out of its range.

    Examples
    --------
    >>> import samuel
    >>> samuel.LearnOptions(game="tic_tac_toe", games=40, depth=3).selfplay.depth
    3
    """

    game: str = ""
    start: Annotated[str, Flag("from")] = ""
    seed: Annotated[int, Range(0, (1 << 32) - 1)] = 0
    algorithm: str = GENERATIONS
    games: Annotated[int, Range(1, MOST_GAMES)] = 20_000
    model: str = ""
    last: Annotated[int, Range(1, 1_000_000)] = 2
    held_out: Annotated[float, Range(1e-6, 1 - 1e-6)] = 0.1
    selfplay: Annotated[SelfplayPlan, Without("game", "evaluator", "seed", "method")] = field(
        default_factory=lambda: SelfplayPlan(epsilon=0.05)
    )
    fit: FitOptions = field(default_factory=lambda: FitOptions(target="td", td_lambda=0.9))
    online: OnlineOptions = OnlineOptions()
    samuel: SamuelOptions = SamuelOptions()
    gate: Gate = Gate()

    @classmethod
    def usual(cls, given: Mapping[str, Any]) -> Mapping[str, Any]:
        """Return the values of game and algorithm for fields that are not given."""
        gate = given.get("gate", Gate())
        others = given.get("baselines", gate.baselines)
        models = filter(None, (given.get("start"), *others))
        game = known_game(given["game"]) if given.get("game") else game_for(None, *models)
        own, algorithm = game.defaults, given.get("algorithm", GENERATIONS)
        found: dict[str, Any] = {
            "game": game.name,
            "start": own.first,
            "model": default_model(game),
            "depth": own.depth,
            "exact_from": min(game.solver.exact_from, game.most_plies),
            "opening_plies": 0 if is_book(given.get("openings")) else own.opening_plies,
            "match_depth": own.depth,
            "baselines": tuple(own.evaluators)[:1],
            "learning_rate": ONLINE[
                algorithm if algorithm in ONLINE else "treestrap"
            ].learning_rate,
        } | dict(own.learn)
        if algorithm == SAMUEL:
            pieces = {"start": own.pieces or own.first, "model": SAMUEL}
            found |= {"games": _GAMES_OF_SAMUEL, **pieces}
        if algorithm in ONLINE:
            found["depth"] = min(ONLINE[algorithm].most_depth, own.depth)
            over = shapes_of(found["model"], game) if algorithm != SAMUEL else None
            found["model"] = over[0] if over else found["model"]  # no tables of counts
            found["model"] = "network" if found["model"] == OUTCOMES else found["model"]
        if algorithm == DESCENT:
            # a pattern's weights take few steps; those of features take one for every position
            model = str(given.get("model", found["model"]))
            found |= {"nodes": _NODES, "tcl": shapes_of(model, game) is None}
        return found

    def but(self, values: Mapping[str, Any]) -> LearnOptions:
        """Return the options with other values of some fields.

        If game or algorithm change, fields with suggested values get the new suggestions.
        """
        whose: dict[str, Any] = {"game": self.game, "algorithm": self.algorithm}
        if all(values.get(name, value) == value for name, value in whose.items()):
            return super().but(values)
        usual = LearnOptions(**whose).flat()
        own = {name: value for name, value in self.flat().items() if value != usual[name]}
        return LearnOptions(**(whose | own | dict(values)))

    @property
    def rules(self) -> Game:
        """Game of the run."""
        return known_game(self.game)

    @property
    def depth(self) -> int:
        """Search depth per move, in plies."""
        return self.selfplay.depth or 1

    @property
    def opening_plies(self) -> int:
        """Number of random moves at the start of a game."""
        return self.selfplay.opening_plies or 0

    @property
    def is_online(self) -> bool:
        """True if the algorithm learns while it plays, without fits to games."""
        return self.algorithm in ONLINE

    def reads(self, name: str) -> bool:
        """Return whether the algorithm uses an option."""
        part = str(fields_of(LearnOptions)[name].field).rpartition(".")[0]
        if not self.is_online:
            is_read = self.chooser.deepens or name not in ("depth", "exact_from", "match_depth")
            return is_read and part not in ("online", "samuel")
        return part == "gate" or name in ONLINE[self.algorithm].reads

    @property
    def chooser(self) -> Method:
        """Search method that chooses moves."""
        if self.is_online or self.algorithm == GENERATIONS:
            return AlphaBeta()
        if self.algorithm.partition(":")[0] not in METHODS:
            raise unknown("algorithm", self.algorithm, [GENERATIONS, *METHODS, *ONLINE])
        return method_named(self.algorithm)

    def plan(self, player: str, seed: int) -> SelfplayPlan:
        """Return the plan of an evaluator's self-play."""
        chosen: Any = {"game": self.game, "evaluator": player, "method": self.chooser}
        if not self.chooser.deepens:
            chosen |= {"depth": None, "exact_from": None}
        return replace(self.selfplay, seed=seed, **chosen).checked()
